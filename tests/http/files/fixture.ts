/** A server that stores files in a directory, or a bucket, a form that takes them, and uploads. */
import { expect } from "bun:test";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../../src/platform/config.ts";
import { type Files, openFiles } from "../../../src/platform/files/files.ts";
import { createLog } from "../../../src/platform/log.ts";
import { scanPending } from "../../../src/resources/files/scan.ts";
import { sweepFiles } from "../../../src/resources/files/sweep.ts";
import { type Bucket, markerName, refuse } from "../../bucket.ts";
import {
  ask,
  type PublishedForm,
  permissive,
  type RequestOptions,
  type Service,
  service,
  temporaryFolder,
} from "../../setup.ts";

export const uploadPath = "/papi/v1/submitter/form/files";
export const submitPath = "/papi/v1/submitter/form/submissions";

export const pdf = new TextEncoder().encode("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n");
export const png = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

export const cv = {
  id: "cv",
  type: "file",
  label: "CV",
  validation: { accept: ["application/pdf", "image/*"], maxBytes: 100_000, maxItems: 2 },
};
export const anything = { id: "any", type: "file", label: "Anything" };

export interface FileService extends Service {
  directory: string;
  files: Files;
  /** The names of all stored objects. */
  objects(): string[];
  sweep(): Promise<void>;
  /** Scans what waits; nothing while the scanner is away. */
  scan(): Promise<void>;
  /**
   * Number of objects while a file arrives: none in a bucket, which shows an object only once it is complete.
   */
  objectsWhileArriving: number;
  /** Makes an object one that cannot be deleted. */
  keep(key: string): void;
}

let bucket: Bucket | undefined;

/** Sets the storage of all servers that start later; undefined: a directory per server. */
export const storeIn = (chosen: Bucket | undefined): void => {
  bucket = chosen;
};

export async function fileService(settings: Record<string, string> = {}): Promise<FileService> {
  const directory = join(temporaryFolder(), "files");
  const FILES_URL = bucket?.url ?? `file://${directory}`;
  const app = await service({ ...permissive, FILES_URL, ...settings });
  const files = (await openFiles(
    readConfig({ FILES_URL, CLAMD_URL: settings.CLAMD_URL }),
    undefined,
  )) as Files;
  const objects = () =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== markerName)
      .map(({ name }) => name);
  const keep = (key: string) => {
    const path = join(directory, key);
    rmSync(path);
    mkdirSync(path);
  };
  const keepInBucket = (key: string) => {
    if (bucket)
      bucket.fault = (method, path, response) =>
        method === "DELETE" && path.endsWith(key) && refuse(response, 403, "AccessDenied");
  };
  return {
    ...{ ...app, directory, files },
    objects: bucket ? bucket.objects : objects,
    objectsWhileArriving: bucket ? 0 : 1,
    keep: bucket ? keepInBucket : keep,
    scan: () => scanPending({ sql: app.database.sql, log: createLog("silent") }, files).catch(() => {}),
    sweep: () => sweepFiles(app.database.sql, files, createLog("silent")),
  };
}

export const uploadUrl = (field: string, name: string) =>
  `${uploadPath}?field=${encodeURIComponent(field)}&name=${encodeURIComponent(name)}`;

/** Uploads bytes. */
export const upload = (
  app: { url: string },
  headers: Record<string, string>,
  bytes: Uint8Array,
  { field = "cv", name = "cv.pdf", ...more }: { field?: string; name?: string } & RequestOptions = {},
) =>
  ask(app, "POST", uploadUrl(field, name), {
    ...more,
    headers: { "content-type": "application/octet-stream", ...headers, ...more.headers },
    body: bytes,
  });

export const submit = (app: { url: string }, headers: Record<string, string>, data: object) =>
  ask(app, "POST", submitPath, { headers, body: { data } });

export const byKey = (form: PublishedForm, team: { key: string }) => ({
  "x-form-access-key": form.accessKey,
  "x-api-key": team.key,
});

/** A submission by the team's API key with these files in one field. */
export async function submitFiles(
  app: { url: string },
  form: PublishedForm,
  team: { key: string },
  field: string,
  ...contents: [name: string, bytes: Uint8Array][]
): Promise<{ id: string; files: string[] }> {
  const headers = byKey(form, team);
  const files: string[] = [];
  for (const [name, bytes] of contents)
    files.push((await upload(app, headers, bytes, { field, name })).body.data.id);
  const reply = await submit(app, headers, files.length > 0 ? { [field]: files.map((id) => ({ id })) } : {});
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  return { id: reply.body.data.id, files };
}
