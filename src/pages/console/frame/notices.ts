/**
 * What the next page reports of an act that was carried out. It goes with the address of that page, signed
 * for the session, so that nothing is stored and another site cannot write it.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { isRecord } from "../../../fields/definition.ts";
import { sha256 } from "../../../platform/auth/secret.ts";
import type { Session } from "./session.ts";

/** A form post that takes the act back. */
export interface Undo {
  action: string;
  fields: Readonly<Record<string, string>>;
}

export interface ActReport {
  text: string;
  undo?: Undo | undefined;
}

/** Where an act leads, and what is reported there. */
export interface Done extends ActReport {
  to: string;
}

export const reportParameter = "report";

/** Servers and proxies take addresses of 8 KB; an act whose undo would not fit is reported without it. */
const maxUndoLength = 4_000;

const signatureOf = (text: string, { csrf }: Session): string =>
  createHmac("sha256", csrf).update(text).digest("base64url");

/** Whether an undo fits into an address. */
export const canUndo = (undo: Undo): boolean => JSON.stringify(undo).length <= maxUndoLength;

/** The address of the page with the report. */
export function withReport(session: Session, { to, text, undo }: Done): string {
  const report: ActReport = { text, ...(undo && canUndo(undo) && { undo }) };
  const encoded = Buffer.from(JSON.stringify(report)).toString("base64url");
  const [, path, hash] = /^([^#]*)(.*)$/s.exec(to) ?? [];
  const value = `${encoded}.${signatureOf(encoded, session)}`;
  return `${path}${path?.includes("?") ? "&" : "?"}${reportParameter}=${value}${hash}`;
}

/** What the address reports; undefined for what this session has not signed. */
export function readReport(session: Session, text: string | undefined): ActReport | undefined {
  const [encoded = "", signature = ""] = text?.split(".") ?? [];
  if (encoded === "" || !timingSafeEqual(sha256(signature), sha256(signatureOf(encoded, session))))
    return undefined;
  const report: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString());
  return isRecord(report) ? (report as unknown as ActReport) : undefined;
}
