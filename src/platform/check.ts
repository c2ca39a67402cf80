/** Checks of `formd doctor`. */
import { statfs } from "node:fs/promises";

/** The result of a check. */
export interface Check {
  name: string;
  ok: boolean;
  /** True if it works but may be a mistake or could be safer. The exit code stays 0. */
  isAdvice?: boolean;
  /** The result, and the change that fixes a failure. */
  message: string;
  /** Differences of the schema from this release's. */
  differences?: { fault: string; statement: string }[];
}

/** Runs a check. An error, such as a locked table, must not prevent the others. */
export const attempted = async (name: string, check: Promise<Check>): Promise<Check> =>
  await check.catch((error: Error) => ({
    name,
    ok: false,
    message: `It could not be checked: ${error.message}.`,
  }));

const minFreeBytes = 1024 ** 3;

/** Checks the free space for the embedded database. */
export async function checkDisk(directory: string): Promise<Check> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const message = `${Math.round(free / 1024 ** 2)} MiB are free in ${directory}`;
  if (free >= minFreeBytes) return { name: "disk", ok: true, message: `${message}.` };
  return { name: "disk", ok: false, message: `${message}. Make room: a full disk stops PostgreSQL.` };
}
