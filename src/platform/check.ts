/** Checks of `formd doctor`. */
import { statfs } from "node:fs/promises";

/** The result of a check. */
export interface Check {
  name: string;
  ok: boolean;
  /** Whether it works and may be a mistake, or could be safer: the exit code stays 0. */
  isAdvice?: boolean;
  /** What was found, and what to change when it is not in order. */
  message: string;
  /** Where the schema is not what this release makes. */
  differences?: { fault: string; statement: string }[];
}

/** A check that fails, as while a table is locked, must not keep the others. */
export const attempted = async (name: string, check: Promise<Check>): Promise<Check> =>
  await check.catch((error: Error) => ({
    name,
    ok: false,
    message: `It could not be checked: ${error.message}.`,
  }));

const minFreeBytes = 1024 ** 3;

/** The disk of the embedded database has room. */
export async function checkDisk(directory: string): Promise<Check> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const message = `${Math.round(free / 1024 ** 2)} MiB are free in ${directory}`;
  if (free >= minFreeBytes) return { name: "disk", ok: true, message: `${message}.` };
  return { name: "disk", ok: false, message: `${message}. Make room: a full disk stops PostgreSQL.` };
}
