/**
 * Flash message on the next page after an action. The address of that page has it, signed for the session, so
 * that nothing is stored and another site cannot write it.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { isRecord } from "../../../fields/definition.ts";
import { sha256 } from "../../../platform/auth/secret.ts";
import { isShort } from "./addresses.ts";
import type { Session } from "./session.ts";

/** A form post that undoes the action. */
export interface Undo {
  action: string;
  fields: Readonly<Record<string, string>>;
}

export interface Flash {
  text: string;
  undo?: Undo | undefined;
}

/** Next address after an action, and its flash message. */
export interface FlashRedirect extends Flash {
  to: string;
}

export const flashParameter = "report";

/** Maximum number of bytes of a text, and of an undo, which fit into an address together. */
const maxTextBytes = 800;
const maxUndoBytes = 2_600;

const signatureOf = (text: string, { csrf }: Session): string =>
  createHmac("sha256", csrf).update(text).digest("base64url");

/** Bytes of a value as a flash message has it. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

export const canUndo = (undo: Undo): boolean => bytesOf(undo) <= maxUndoBytes;

const graphemes = new Intl.Segmenter();

/** Returns the characters of a text that fit, whole as people see them, with "…" in place of the others. */
export function cutText(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text;
  let cut = "";
  for (const { segment } of graphemes.segment(text)) {
    if (bytesOf(`${cut}${segment}…`) > maxBytes) break;
    cut += segment;
  }
  return `${cut}…`;
}

/**
 * Returns the address of the page with the flash message. A long text is cut, and an undo that does not fit
 * is omitted; so is the query of a page that is too long by itself.
 */
export function withFlash(session: Session, { to, text, undo }: FlashRedirect): string {
  const [, path = "", query = "", hash = ""] = /^([^?#]*)(\?[^#]*)?(.*)$/s.exec(to) ?? [];
  const short: Flash = { text: cutText(text, maxTextBytes) };
  const addressOf = (flash: Flash, asked = query) => {
    const encoded = Buffer.from(JSON.stringify(flash)).toString("base64url");
    const value = `${encoded}.${signatureOf(encoded, session)}`;
    return `${path}${asked ? `${asked}&` : "?"}${flashParameter}=${value}${hash}`;
  };
  const whole = addressOf({ ...short, ...(undo && canUndo(undo) && { undo }) });
  return [whole, addressOf(short)].find(isShort) ?? addressOf(short, "");
}

/** Returns the flash message in the address. Undefined: this session has not signed it. */
export function readFlash(session: Session, text: string | undefined): Flash | undefined {
  const [encoded = "", signature = ""] = text?.split(".") ?? [];
  if (encoded === "" || !timingSafeEqual(sha256(signature), sha256(signatureOf(encoded, session))))
    return undefined;
  const flash: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString());
  return isRecord(flash) ? (flash as unknown as Flash) : undefined;
}
