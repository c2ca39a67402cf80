/** The master key's file in the data directory. Backups do not contain it. */
import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateMasterKey, parseMasterKey } from "../master-key.ts";
import { syncDirectory } from "./directories.ts";

/**
 * The key in `secret.key`, which is made when it is missing. Of two processes that make it at the same time one wins, and both return its
 * key.
 *
 * @throws Error with one line: the file does not hold a key
 */
export async function readOrCreateSecretKey(directory: string): Promise<Uint8Array<ArrayBuffer>> {
  const path = join(directory, "secret.key");
  const text = (await readIfExists(path)) ?? (await create(directory, path));
  const key = parseMasterKey(text.trim());
  if (!key)
    throw new Error(`${path} does not hold 32 bytes in base64: restore it, or remove it for a new key`);
  return key;
}

const readIfExists = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

/** A link to a complete file, since a reader must not find half of a key, nor a second writer replace one. */
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
