/** The path of a form's page: `/f/{id}`. The id encodes the team and the form. It is not secret. */
import { Buffer } from "node:buffer";
import { limits } from "../../limits.ts";
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

/** Letters that are two in ASCII, or whose sign is no mark of their own. */
const spelled: Readonly<Record<string, string>> = {
  ...{ ä: "ae", ö: "oe", ü: "ue", ß: "ss", æ: "ae", œ: "oe" },
  ...{ ø: "o", å: "a", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" },
};

/** Returns a text as an alias is written, `summer-workshop-2027`. Empty: it has no Latin letter or digit. */
export function aliasOf(title: string, maxLength: number = limits.formPage.maxAliasLength): string {
  const plain = title
    .normalize("NFC")
    .toLowerCase()
    .replace(
      /[^\p{ASCII}]/gu,
      (letter) => spelled[letter] ?? letter.normalize("NFKD").replace(/\p{M}/gu, ""),
    );
  const words = plain.split(/[^a-z0-9]+/).filter(Boolean);
  while (words.length > 1 && words.join("-").length > maxLength) words.pop();
  return words.join("-").slice(0, maxLength);
}
