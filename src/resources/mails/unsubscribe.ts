/** `/mail/unsubscribe/{token}`: ends the notices of a form to one recipient (RFC 8058). */
import { createHmac, timingSafeEqual } from "node:crypto";
import { say } from "../../messages.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { uuidOf } from "../../platform/auth/secret.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import type { MasterKey } from "../../platform/master-key.ts";
import { Problem } from "../../problem.ts";

export const unsubscribePath = "/mail/unsubscribe";

interface Subscription {
  team: string;
  form: string;
  recipientHash: Uint8Array;
}

const idsBytes = 32;
const hashBytes = 32;
const macBytes = 16;

const macOf = (key: MasterKey, subscription: Uint8Array): Buffer =>
  createHmac("sha256", key.derive("mail-unsubscribe", ""))
    .update(subscription)
    .digest()
    .subarray(0, macBytes);

/** The token has all that identifies the subscription, and does not expire: a mail is kept for years. */
export function unsubscribeToken(key: MasterKey, { team, form, recipientHash }: Subscription): string {
  const ids = Buffer.from((team + form).replaceAll("-", ""), "hex");
  const subscription = Buffer.concat([ids, recipientHash]);
  return Buffer.concat([subscription, macOf(key, subscription)]).toString("base64url");
}

const notOfHere = () => new Problem("not_found", say("unsubscribe_link_unknown"));

/** Parses the subscription that a token ends. @throws {Problem} `not_found` unless this server made it. */
export function parseUnsubscribeToken(keys: MasterKey, token: string): Subscription {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== idsBytes + hashBytes + macBytes || !keys.isPresent) throw notOfHere();
  const subscription = bytes.subarray(0, idsBytes + hashBytes);
  const mac = bytes.subarray(idsBytes + hashBytes);
  if (!keys.all.some((key) => timingSafeEqual(mac, macOf(key, subscription)))) throw notOfHere();
  const idAt = (start: number) => uuidOf(bytes.toString("hex", start, start + 16));
  return { team: idAt(0), form: idAt(16), recipientHash: bytes.subarray(idsBytes, idsBytes + hashBytes) };
}

/** Ends the notices of a form to a recipient. @returns the form's name. @throws {Problem} `not_found`. */
export async function unsubscribe(sql: Sql, actor: Actor, { team, form, recipientHash }: Subscription) {
  const { name } = await rowOf(sql<{ name: string | null }[]>`
    select formd.mail_unsubscribe(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${form},
      p_recipient_hash => ${recipientHash}) as name`);
  if (name === null) throw notOfHere();
  return name;
}
