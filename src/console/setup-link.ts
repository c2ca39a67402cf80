/** The link of the first start: `/setup/<token>`, good for half an hour, and until there is an operator. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { sha256 } from "../auth/secret.ts";
import type { Sql } from "../db.ts";
import { limits } from "../limits.ts";
import type { MasterKey } from "../master-key.ts";

/** Without a master key, the link works with the process that has printed it. */
const processKey = randomBytes(32);

const macOf = (masterKey: MasterKey, expires: string): string =>
  createHmac("sha256", masterKey.isPresent ? masterKey.derive("setup-link", "") : processKey)
    .update(expires)
    .digest("base64url");

/** The token of a new link. Nothing is stored: it states when it expires, and any server with the master key can check it. */
export function makeSetupToken(masterKey: MasterKey, now = Date.now()): string {
  const expires = String(now + limits.setup.linkMinutes * 60_000);
  return `${expires}.${macOf(masterKey, expires)}`;
}

/** Whether a token is one of this server's and has not expired. */
export function isSetupToken(masterKey: MasterKey, token: string, now = Date.now()): boolean {
  const [expires = "", mac = ""] = token.split(".", 2);
  return timingSafeEqual(sha256(mac), sha256(macOf(masterKey, expires))) && Number(expires) > now;
}

/** Whether no operator exists. */
export async function isSetupOpen(sql: Sql): Promise<boolean> {
  const found = await sql`select id from formd.operators limit 1`;
  return found.length === 0;
}
