/** Storage of files: a directory, or a bucket (s3.ts). A key consists of the ids of team and file. */
import { writeSync } from "node:fs";
import { access, constants, type FileHandle, mkdir, open, opendir, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Problem, unavailable } from "../../problem.ts";
import { isUuid } from "../http/shapes.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

/** The media type of unknown content. */
export const binary = "application/octet-stream";

/** Accepts the bytes of one file, in order. */
export interface FileSink {
  write(chunk: Uint8Array): Promise<void>;
  /** Reads a part of the written bytes. */
  read(from: number, to: number): Promise<Bytes>;
  /** Resolves when the bytes are stored durably. @param sha256 to be compared by a store that can */
  finish(sha256?: Uint8Array): Promise<void>;
  /** Aborts. The written bytes may stay until {@link FileStore.remove}. */
  abort(): Promise<void>;
}

export interface FileStore {
  /** Creates a file, which must not exist. */
  create(key: string): Promise<FileSink>;
  /** Returns the bytes. @throws if the file does not exist */
  read(key: string): Promise<AsyncGenerator<Bytes, void>>;
  /** Idempotent. */
  remove(key: string): Promise<void>;
  /** All keys, and possibly objects of others. */
  keys(): AsyncGenerator<string, void>;
  /** Free bytes. Undefined: unknown. @throws {Problem} {@link notTaken} while it takes no file */
  freeBytes(): Promise<number | undefined>;
}

/** Time after which a client sends a file again, and for which a bucket that takes none is left alone. */
export const storeRetrySeconds = 10;

/** The problem of a file that the storage did not take. */
export const notTaken = (cause: unknown): Problem =>
  unavailable("The storage of files did not take a file just now.", storeRetrySeconds, cause);

/** The server generates both ids, so that no name from a client becomes part of a path. */
export const storageKey = (team: string, id: string): string => `${team}/${id}`;

/** Checks whether an error means that the key does not exist, in a directory or a bucket. */
export const isAbsent = (cause: unknown): boolean =>
  cause instanceof Error &&
  ((cause as { code?: unknown }).code === "ENOENT" || / with 404\b/.test(cause.message));

const readBytes = 65_536;

/** Makes a function that reads parts of a file. */
export const readParts =
  (handle: FileHandle) =>
  async (from: number, to: number): Promise<Bytes> =>
    (await handle.read(new Uint8Array(to - from), 0, to - from, from)).buffer;

export async function* bytesOf(handle: FileHandle): AsyncGenerator<Bytes, void> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(readBytes), 0, readBytes, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** The file is opened at the first read, since a generator that ends before does not reach its `finally`. */
async function* chunksOf(path: string): AsyncGenerator<Bytes, void> {
  await using handle = await open(path);
  yield* bytesOf(handle);
}

/** Writes at once: chunks that wait for a thread stay in memory. A nearly full disk takes a part. */
export function writeNow({ fd }: FileHandle, chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at, chunk.length - at);
}

export async function freeBytesIn(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** A directory, which servers may share. */
export class DirectoryStore implements FileStore {
  constructor(private readonly directory: string) {}

  async create(key: string): Promise<FileSink> {
    const path = join(this.directory, key);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, "wx+", 0o600);
    return {
      write: async (chunk) => writeNow(handle, chunk),
      read: readParts(handle),
      async finish() {
        await handle.sync().finally(() => handle.close());
      },
      abort: () => handle.close(),
    };
  }

  async read(key: string): Promise<AsyncGenerator<Bytes, void>> {
    const path = join(this.directory, key);
    await access(path, constants.R_OK);
    return chunksOf(path);
  }

  async remove(key: string): Promise<void> {
    await rm(join(this.directory, key), { force: true });
  }

  async *keys(): AsyncGenerator<string, void> {
    for await (const team of await opendir(this.directory)) {
      if (!team.isDirectory() || !isUuid(team.name)) continue;
      for await (const { name } of await opendir(join(this.directory, team.name)))
        yield `${team.name}/${name}`;
    }
  }

  freeBytes(): Promise<number> {
    return freeBytesIn(this.directory);
  }
}
