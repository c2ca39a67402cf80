/** The files of a server: their storage, and the limit of concurrent uploads. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Problem, unavailable } from "../../problem.ts";
import { type Config, storesFiles } from "../config.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { Clamd } from "./clamd.ts";
import { S3Store } from "./s3.ts";
import { DirectoryStore, type FileStore } from "./store.ts";

/** Bytes of an upload in the budget: the part that a runtime holds. */
export const uploadBytes = 131_072;

/** 144 uploads at a time in a process, 72 of one client IP. */
const budgetBytes = 192 * uploadBytes;

/** Bytes that must stay free on the disk: a full disk stops PostgreSQL. */
const reservedBytes = 67_108_864;

export class Files {
  /** A separate budget, since other bodies are held in memory. */
  readonly budget = new BodyBudget(budgetBytes);

  /** Undefined: files are not scanned. */
  readonly scanner: Clamd | undefined;

  constructor(
    readonly store: FileStore,
    clamdUrl?: string,
  ) {
    this.scanner = clamdUrl === undefined ? undefined : new Clamd(clamdUrl);
  }

  /** @throws {Problem} `unavailable` if too few bytes are free, or the store fails. */
  async requireRoom(bytes: number): Promise<void> {
    const free = await this.store.freeBytes().catch((cause: unknown) => {
      if (cause instanceof Problem) throw cause;
      throw new Problem("unavailable", { message: "The storage of files cannot be reached.", cause });
    });
    if (free !== undefined && free < bytes + reservedBytes)
      throw unavailable(
        "The storage of files is full.",
        60,
        new Error(`The storage of files has ${free} bytes left.`),
      );
  }
}

/** The directory of the files beside the embedded database. @param dataDirectory of that database */
export const filesDirectory = (dataDirectory: string): string => join(dataDirectory, "files");

/**
 * Opens the files of a server with these settings. Undefined: files are off.
 * @param dataDirectory of the embedded database
 * @param options `mayCreate` false: a missing directory is left missing, as of a check
 * @throws {Error} if the directory cannot be created
 */
export async function openFiles(
  config: Config,
  dataDirectory: string | undefined,
  { mayCreate = true } = {},
): Promise<Files | undefined> {
  if (!storesFiles(config)) return undefined;
  const { FILES_URL, CLAMD_URL } = config;
  if (FILES_URL?.startsWith("s3:")) return new Files(new S3Store(new URL(FILES_URL)), CLAMD_URL);
  const directory =
    FILES_URL === undefined ? dataDirectory && filesDirectory(dataDirectory) : fileURLToPath(FILES_URL);
  if (directory === undefined) return undefined;
  if (mayCreate) await mkdir(directory, { recursive: true, mode: 0o700 });
  return new Files(new DirectoryStore(directory), CLAMD_URL);
}
