/**
 * Files in a bucket of S3 or a compatible service. S3 takes no body of unknown length, and 64 uploads in
 * parts (5 MiB) would hold 320 MiB: the bytes wait on disk, in a file without a name.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import type { Bytes, FileSink, FileStore } from "./store.ts";
import { bytesOf, freeBytesIn, notTaken, readParts, storeRetrySeconds, writeNow } from "./store.ts";

/** Timeout without a byte in either direction. */
const silenceMs = 30_000;
/** Failures in a row, after which the bucket and not a file is the reason: it may be full. */
const failuresToPause = 2;
/** Delay before the second attempt, which S3 requests with a 503. Every request is idempotent. */
const retryMs = 500;
const maxErrorLength = 4_096;
/** A page of a list has 1,000 keys of at most 1,024 bytes. */
const maxPageLength = 4_194_304;

interface Sent {
  handle: FileHandle;
  size: number;
  sha256: Uint8Array | undefined;
}

export class S3Store implements FileStore {
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #client: AwsClient;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;

  /** @param url FILES_URL: `s3://KEY:SECRET@BUCKET/PREFIX?endpoint=URL&region=NAME` */
  constructor({ hostname, pathname, username, password, searchParams }: URL) {
    const region = searchParams.get("region") ?? "us-east-1";
    const endpoint = searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`;
    this.#bucket = `${endpoint.replace(/\/+$/, "")}/${hostname}/`;
    this.#prefix = pathname.replace(/^\/+|\/*$/g, "").replace(/.$/, "$&/");
    this.#client = new AwsClient({
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
      service: "s3",
      region,
    });
  }

  async create(key: string): Promise<FileSink> {
    const handle = await openUnnamed();
    let size = 0;
    return {
      async write(chunk) {
        writeNow(handle, chunk);
        size += chunk.length;
      },
      read: readParts(handle),
      finish: async (sha256) => {
        try {
          await this.#done("PUT", key, { handle, size, sha256 });
          this.#failures = 0;
        } catch (error) {
          this.#failures++;
          this.#failedAt = performance.now();
          throw error;
        } finally {
          await handle.close();
        }
      },
      abort: () => handle.close(),
    };
  }

  async read(key: string): Promise<AsyncGenerator<Bytes, void>> {
    await this.#done("HEAD", key);
    return this.#read(key);
  }

  async *#read(key: string): AsyncGenerator<Bytes, void> {
    const response = await this.#send("GET", this.#prefix + key);
    const chunks = response[Symbol.asyncIterator]();
    try {
      for (;;) {
        // The time that a slow reader takes does not count as silence.
        const timer = setTimeout(() => response.destroy(new Silence()), silenceMs);
        const { value, done } = await chunks.next().finally(() => clearTimeout(timer));
        if (done) return;
        yield value;
      }
    } finally {
      response.destroy();
    }
  }

  remove(key: string): Promise<void> {
    return this.#done("DELETE", key);
  }

  /** Needs the right to list, which no other method needs. */
  async *keys(): AsyncGenerator<string, void> {
    for (let token: string | undefined = ""; token !== undefined; ) {
      const query = new URLSearchParams({ "list-type": "2", prefix: decodeURIComponent(this.#prefix) });
      if (token) query.set("continuation-token", token);
      const page = await text(await this.#send("GET", `?${query}`), maxPageLength);
      for (const [, key = ""] of page.matchAll(/<Key>[^<]*?([^</]+\/[^</]+)<\/Key>/g)) yield key;
      token = /<NextContinuationToken>([^<]+)</.exec(page)?.[1];
    }
  }

  async freeBytes(): Promise<number> {
    const isPaused = performance.now() - this.#failedAt < storeRetrySeconds * 1_000;
    if (isPaused && this.#failures >= failuresToPause)
      throw notTaken(new Error(`The bucket did not take ${this.#failures} files in a row.`));
    return await freeBytesIn(tmpdir());
  }

  async #done(method: string, key: string, sent?: Sent): Promise<void> {
    (await this.#send(method, this.#prefix + key, sent)).destroy();
  }

  /** @throws {Error} if the second attempt fails too */
  async #send(method: string, path: string, sent?: Sent): Promise<IncomingMessage> {
    let response = await this.#sendOnce(method, path, sent).catch((error: unknown) => {
      if (error instanceof Silence) throw error;
      return undefined;
    });
    if (!response?.statusCode || response.statusCode >= 500) {
      response?.destroy();
      await delay(retryMs);
      response = await this.#sendOnce(method, path, sent);
    }
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    if (statusCode === 404 && method === "DELETE") return response;
    const said = await text(response, maxErrorLength).catch(() => "");
    const reason = /<Code>(\w{1,100})<\/Code>/.exec(said)?.[1];
    throw new Error(`The bucket responds to ${method} with ${statusCode}${reason ? ` (${reason})` : ""}.`);
  }

  /** Returns the response with any status, before its body is read. */
  async #sendOnce(method: string, path: string, sent?: Sent): Promise<IncomingMessage> {
    const digest = sent?.sha256 && Buffer.from(sent.sha256).toString("hex");
    const signed = await this.#client.sign(this.#bucket + path, {
      method,
      headers: digest ? { "x-amz-content-sha256": digest } : {},
    });
    const headers = Object.fromEntries(signed.headers);
    if (sent) headers["content-length"] = String(sent.size);
    const send = signed.url.startsWith("https:") ? requestHttps : requestHttp;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = send(signed.url, { method, headers, agent: false }, resolve).on("error", reject);
    const timer = setTimeout(() => {
      reject(new Silence());
      request.destroy();
    }, silenceMs);
    async function* body({ handle }: Sent) {
      for await (const chunk of bytesOf(handle)) {
        timer.refresh();
        yield chunk;
      }
    }
    if (sent) pipeline(Readable.from(body(sent), { objectMode: false }), request).catch(reject);
    else request.end();
    return await promise.finally(() => clearTimeout(timer));
  }
}

class Silence extends Error {
  override message = `The bucket was silent for ${silenceMs / 1_000} s.`;
}

async function text(response: IncomingMessage, maxLength: number): Promise<string> {
  let found = "";
  for await (const chunk of response.setEncoding("utf8")) {
    found += chunk;
    if (found.length > maxLength) break;
  }
  return found;
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `formd-${randomUUID()}`);
  const handle = await open(path, "wx+", 0o600);
  await unlink(path);
  return handle;
}
