/** A server that speaks S3, s3rver, with one bucket, and what goes wrong with it. */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import S3rver from "s3rver";
import { onCleanup, temporaryFolder } from "./setup.ts";

export interface Bucket {
  /** FILES_URL */
  url: string;
  endpoint: string;
  /** The names of all objects. */
  objects(): string[];
  /** Responds to a request in place of the bucket; false: it does not. */
  fault: (method: string, path: string, response: ServerResponse) => boolean;
}

/** The marker of the storage, which a server makes when it starts. */
export const markerName = "formd-files";

const suffix = "._S3rver_object";

export async function startBucket(): Promise<Bucket> {
  const directory = temporaryFolder();
  const s3rver = new S3rver({ directory, silent: true, configureBuckets: [{ name: "files", configs: [] }] });
  await s3rver.configureBuckets();
  const bucket: Bucket = {
    url: "",
    endpoint: "",
    objects: () =>
      readdirSync(directory, { recursive: true })
        .map(String)
        .filter((path) => path.endsWith(suffix))
        .map((path) => path.slice(path.lastIndexOf("/") + 1, -suffix.length))
        .filter((name) => name !== markerName),
    fault: () => false,
  };
  const answer = s3rver.callback();
  const server = createServer((request, response) => {
    if (!bucket.fault(request.method ?? "", request.url ?? "", response)) answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onCleanup(async () => void server.close());
  bucket.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  bucket.url = `s3://S3RVER:S3RVER@files/of/tests?endpoint=${bucket.endpoint}`;
  return bucket;
}

/** This status, with the body that S3 has. */
export function refuse(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<Error><Code>${code}</Code></Error>`);
  return true;
}
