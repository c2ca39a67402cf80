/** The master key's file in the data directory. Backups do not contain it. */
import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateMasterKey, parseMasterKeys } from "../../master-key.ts";
import { syncDirectory } from "./directories.ts";

export const secretKeyFile = "secret.key";

/**
 * Reads the keys in `secret.key`. A missing file is created with one key: of two processes one wins.
 * @returns undefined if it is missing and may not be created
 * @throws Error with one line: the file does not hold a key
 */
export async function readSecretKeys(directory: string, mayCreate: boolean) {
  const path = join(directory, secretKeyFile);
  const text = (await readIfExists(path)) ?? (mayCreate ? await create(directory, path) : undefined);
  if (text === undefined) return undefined;
  const keys = parseMasterKeys(text.trim());
  if (!keys)
    throw new Error(`${path} does not hold 32 bytes in base64: restore it, or remove it for a new key`);
  return keys;
}

const readIfExists = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

/** Links to a complete file: no reader finds half of a key, and no second writer replaces one. */
async function create(directory: string, path: string): Promise<string> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, `${generateMasterKey()}\n`, { flag: "wx", mode: 0o600, flush: true });
  try {
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(temporary);
  }
  await syncDirectory(directory);
  return await readFile(path, "utf8");
}
