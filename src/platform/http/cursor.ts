/**
 * Cursors: places where a list goes on, for `pagination.next` and `?cursor=`. One holds ids that the database
 * made, which order the list, and no value. Its tag binds it to what it was made for: by the master key, or
 * without one by a hash, which finds what differs. Who makes cursors reads no more than the API key may read.
 */
import { Buffer } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import type { MasterKey } from "../master-key.ts";

/** Place in a list. */
export interface Position {
  /** Id of the row that the list goes on after, in its order. */
  after: string;
  /** Smallest id of the instant at which the reader began; of changes only, which are kept for a time. */
  since?: string | undefined;
}

const idBytes = 16;
const tagBytes = 16;

/** Derived keys. A derivation takes longer than the rest. */
const keys = new WeakMap<MasterKey, Uint8Array>();

function tagOf(masterKey: MasterKey, bound: string, ids: Uint8Array): Buffer {
  const key = keys.get(masterKey) ?? (masterKey.isPresent ? masterKey.derive("cursor", "") : undefined);
  if (key) keys.set(masterKey, key);
  const hash = key ? createHmac("sha256", key) : createHash("sha256");
  return hash.update(ids).update(bound).digest().subarray(0, tagBytes);
}

/** @param bound what the cursor is for, as one text */
export function cursorOf(masterKey: MasterKey, bound: string, { after, since = "" }: Position): string {
  const ids = Buffer.from((after + since).replaceAll("-", ""), "hex");
  return Buffer.concat([ids, tagOf(masterKey, bound, ids)]).toString("base64url");
}

/**
 * The place of a cursor, which this key or another that verifies has made.
 * @throws {Problem} `bad_request` if it is damaged, or was made for something else
 */
export function positionIn(masterKey: MasterKey, bound: string, cursor: string): Position {
  const bytes = Buffer.from(cursor, "base64url");
  const ids = bytes.subarray(0, -tagBytes);
  const tag = bytes.subarray(-tagBytes);
  const [after, since] = [idAt(ids, 0), idAt(ids, idBytes)];
  const isWhole = bytes.toString("base64url") === cursor && [1, 2].includes(ids.length / idBytes);
  if (!isWhole || !after || !masterKey.all.some((key) => timingSafeEqual(tag, tagOf(key, bound, ids))))
    throw new Problem("bad_request", say("cursor_invalid"));
  return { after, since };
}

/** The UUID at a place of the bytes; undefined: there is none. */
function idAt(bytes: Buffer, at: number): string | undefined {
  const hex = bytes.toString("hex", at, at + idBytes);
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex);
  return parts?.slice(1).join("-");
}

/** The smallest UUIDv7 of a millisecond. */
export function smallestIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Milliseconds since 1970 with which a UUIDv7 begins (RFC 9562, 5.7). */
export const msOfId = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16);
