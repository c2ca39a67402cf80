/** The files of a server: where they are, and how many may arrive at a time. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Problem } from "../../problem.ts";
import { type Config, storesFiles } from "../config.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { Clamd } from "./clamd.ts";
import { S3Store } from "./s3.ts";
import { DirectoryStore, type FileStore } from "./store.ts";

/** What an upload counts as in the budget: what a runtime holds of it. */
export const uploadBytes = 131_072;

/** 144 uploads at a time in a process, 72 of one client IP. */
const budgetBytes = 192 * uploadBytes;

/** What is left free on the disk: a full one stops PostgreSQL. */
const reservedBytes = 67_108_864;

export class Files {
  readonly store: FileStore;
  /** Apart from that of other bodies, which are held in memory. */
  readonly budget = new BodyBudget(budgetBytes);

  /** Absent: nothing scans. */
  readonly scanner: Clamd | undefined;

  constructor(store: FileStore, clamdUrl?: string) {
    this.store = store;
    this.scanner = clamdUrl === undefined ? undefined : new Clamd(clamdUrl);
  }

  /** @throws {Problem} `unavailable` when too few bytes are free, or the store fails. */
  async requireRoom(bytes: number): Promise<void> {
    const free = await this.store.freeBytes().catch((cause: unknown) => {
      throw new Problem("unavailable", { message: "The storage of files cannot be reached.", cause });
    });
    if (free !== undefined && free < bytes + reservedBytes)
      throw new Problem("unavailable", {
        message: "The storage of files is full.",
        headers: { "retry-after": "60" },
        cause: new Error(`The storage of files has ${free} bytes left.`),
      });
  }
}

/**
 * The files of a server with these settings; undefined: files are off.
 *
 * @param dataDirectory of the embedded database
 * @throws {Error} when the directory cannot be made
 */
export async function openFiles(
  config: Config,
  dataDirectory: string | undefined,
): Promise<Files | undefined> {
  if (!storesFiles(config)) return undefined;
  const { FILES_URL, CLAMD_URL } = config;
  if (FILES_URL?.startsWith("s3:")) return new Files(new S3Store(new URL(FILES_URL)), CLAMD_URL);
  const directory =
    FILES_URL === undefined ? dataDirectory && join(dataDirectory, "files") : fileURLToPath(FILES_URL);
  if (directory === undefined) return undefined;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return new Files(new DirectoryStore(directory), CLAMD_URL);
}
