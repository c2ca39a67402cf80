/** Checks of `formd doctor`. */
import { statfs } from "node:fs/promises";

/** The result of a check. */
export interface CheckResult {
  ok: boolean;
  /** True if it works but may be a mistake or could be safer. The exit code stays 0. */
  isAdvice?: boolean;
  /** The result, and the change that fixes a failure. */
  message: string;
  /** Differences of the schema from this release's. */
  differences?: { fault: string; statement: string }[];
}

export type Check = CheckResult & { name: string };

/** A check that fails if there is a message of what is wrong. */
export const failsBy = (wrong: string | false | undefined, fine = ""): CheckResult => ({
  ok: !wrong,
  message: wrong || fine,
});

/** A check that passes, with advice if there is a message of it. */
export const advises = (doubt: string | false | undefined, fine: string): CheckResult => ({
  ok: true,
  isAdvice: Boolean(doubt),
  message: doubt || fine,
});

/** Runs a check. An error, such as a locked table, must not prevent the others. */
export const attempted = async (name: string, check: Promise<CheckResult>): Promise<Check> => ({
  name,
  ...(await check.catch(({ message }: Error) => failsBy(`It could not be checked: ${message}.`))),
});

const minFreeBytes = 1024 ** 3;

/** Checks the free space for the embedded database. */
export async function checkDisk(directory: string): Promise<CheckResult> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const message = `${Math.round(free / 1024 ** 2)} MiB are free in ${directory}`;
  const isFull = free < minFreeBytes && `${message}. Make room: a full disk stops PostgreSQL.`;
  return failsBy(isFull, `${message}.`);
}
