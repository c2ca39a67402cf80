/** Limits the mails to one address, without storing the address. */
import { createHmac, randomBytes } from "node:crypto";
import type { Deps } from "../deps.ts";
import { takeRateLimit } from "../http/rate-limits.ts";

/** Without a master key, a limit applies to one process. */
const processKey = randomBytes(32);

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The inbox of an address: a sub-address (RFC 5233), as `ada+1@…`, is delivered to the same one. */
const inboxOf = (address: string): string => address.toLowerCase().replace(/\+.*(?=@)/s, "");

/** Counts a mail to an address, in the limit of its inbox. @returns true if it may be sent */
export async function takeAddress(
  { sql, masterKey }: Pick<Deps, "sql" | "masterKey">,
  name: string,
  address: string,
  max: number,
  windowMs: number,
): Promise<boolean> {
  const key = masterKey.isPresent ? masterKey.derive("mail-address", "") : processKey;
  const mac = createHmac("sha256", key).update(inboxOf(address)).digest("base64url");
  return (await takeRateLimit(sql, `mail:${name}:${mac}`, max, windowMs)).allowed;
}
