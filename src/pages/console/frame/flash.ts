/**
 * Flash message on the next page after an action. The address of that page has it, signed for the session, so
 * that nothing is stored and another site cannot write it.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { isRecord } from "../../../fields/definition.ts";
import { sha256 } from "../../../platform/auth/secret.ts";
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

/** Servers and proxies accept addresses of 8 KB. A flash message omits an undo that does not fit. */
const maxUndoLength = 4_000;

const signatureOf = (text: string, { csrf }: Session): string =>
  createHmac("sha256", csrf).update(text).digest("base64url");

export const canUndo = (undo: Undo): boolean => JSON.stringify(undo).length <= maxUndoLength;

/** Returns the address of the page with the flash message. */
export function withFlash(session: Session, { to, text, undo }: FlashRedirect): string {
  const flash: Flash = { text, ...(undo && canUndo(undo) && { undo }) };
  const encoded = Buffer.from(JSON.stringify(flash)).toString("base64url");
  const [, path, hash] = /^([^#]*)(.*)$/s.exec(to) ?? [];
  const value = `${encoded}.${signatureOf(encoded, session)}`;
  return `${path}${path?.includes("?") ? "&" : "?"}${flashParameter}=${value}${hash}`;
}

/** Returns the flash message in the address. Undefined: this session has not signed it. */
export function readFlash(session: Session, text: string | undefined): Flash | undefined {
  const [encoded = "", signature = ""] = text?.split(".") ?? [];
  if (encoded === "" || !timingSafeEqual(sha256(signature), sha256(signatureOf(encoded, session))))
    return undefined;
  const flash: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString());
  return isRecord(flash) ? (flash as unknown as Flash) : undefined;
}
