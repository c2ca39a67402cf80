/** The path of a form's page: `/f/{id}`. The id encodes the team and the form. It is not secret. */
import { Buffer } from "node:buffer";
import { uuidOf } from "../../platform/auth/secret.ts";

export interface FormAddress {
  team: string;
  form: string;
}

/** 43 base64url characters: both UUIDs, 32 bytes. */
export const pageIdOf = ({ team, form }: FormAddress): string =>
  Buffer.from((team + form).replaceAll("-", ""), "hex").toString("base64url");

export const pagePathOf = (address: FormAddress): string => `/f/${pageIdOf(address)}`;

/** Parses the team and the form from an id; undefined for any other text. */
export function parsePageId(id: string): FormAddress | undefined {
  const hex = Buffer.from(id, "base64url").toString("hex");
  if (hex.length !== 64) return undefined;
  const address = { team: uuidOf(hex.slice(0, 32)), form: uuidOf(hex.slice(32)) };
  // Two bits of the last character are unused: another character would be a second address of the page.
  return pageIdOf(address) === id ? address : undefined;
}
