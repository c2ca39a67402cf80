/** Whether the disk of the embedded database has room. */
import { statfs } from "node:fs/promises";
import type { Check } from "../check.ts";

const minFreeBytes = 1024 ** 3;

export async function checkDisk(directory: string): Promise<Check> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const message = `${Math.round(free / 1024 ** 2)} MiB are free in ${directory}`;
  if (free >= minFreeBytes) return { name: "disk", ok: true, message: `${message}.` };
  return { name: "disk", ok: false, message: `${message}. Make room: a full disk stops PostgreSQL.` };
}
