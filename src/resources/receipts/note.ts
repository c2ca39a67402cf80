/**
 * Signed notes (https://c2sp.org/signed-note): a text, an empty line, and a line for the signature. Pure.
 *
 * A key is written `<name>+<hash>+<base64 of 01 and the public key>`, where the hash is the first 4 bytes of
 * the SHA-256 of `<name>\n`, 01 and the public key; 01 stands for Ed25519.
 */
import { createHash } from "node:crypto";

const ed25519Type = 1;
const dash = "\u2014";

export interface NoteKey {
  name: string;
  /** 32 bytes, Ed25519. */
  publicKey: Uint8Array;
}

export interface Signer {
  key: NoteKey;
  privateKey: CryptoKey;
}

export class InvalidNote extends Error {
  override name = "InvalidNote";
  readonly check: "format" | "key" | "signature";

  constructor(check: InvalidNote["check"], message: string) {
    super(message);
    this.check = check;
  }
}

const keyBytesOf = ({ publicKey }: NoteKey) => Buffer.concat([Buffer.of(ed25519Type), publicKey]);

const keyHash = (key: NoteKey): Buffer =>
  createHash("sha256").update(`${key.name}\n`).update(keyBytesOf(key)).digest().subarray(0, 4);

export const writeKey = (key: NoteKey): string =>
  `${key.name}+${keyHash(key).toString("hex")}+${keyBytesOf(key).toString("base64")}`;

/** Parses a key, which has exactly one spelling. @throws {InvalidNote} `key` */
export function parseKey(text: string): NoteKey {
  const [name = "", , encoded = ""] = text.split("+", 2).concat(text.split("+").slice(2).join("+"));
  const bytes = Buffer.from(encoded, "base64");
  const key = { name, publicKey: new Uint8Array(bytes.subarray(1)) };
  if (name === "" || bytes.length !== 33 || bytes[0] !== ed25519Type || writeKey(key) !== text)
    throw new InvalidNote("key", "The key is not <name>+<hash>+<base64> of an Ed25519 key.");
  return key;
}

/** Signs a text, whose last character is a line feed. */
export async function signNote(text: string, key: NoteKey, privateKey: CryptoKey): Promise<string> {
  const signature = await crypto.subtle.sign("Ed25519", privateKey, Buffer.from(text));
  const signed = Buffer.concat([keyHash(key), Buffer.from(signature)]);
  return `${text}\n${dash} ${key.name} ${signed.toString("base64")}\n`;
}

/** Checks whether the note names the key as its signer. The signature is not verified. */
export const isSignedByKey = (note: string, key: NoteKey): boolean => {
  const [, name, encoded = ""] = /\n\n\u2014 ([^ +\n]+) ([A-Za-z0-9+/]+=*)\n$/.exec(note) ?? [];
  return name === key.name && Buffer.from(encoded, "base64").subarray(0, 4).equals(keyHash(key));
};

/** The parts of a note with one signature, which is not verified. @throws {InvalidNote} `format` */
export function splitNote(note: string): { text: string; name: string; signed: Buffer<ArrayBuffer> } {
  const [, text = "", name = "", encoded = ""] =
    /^([\s\S]*\n)\n\u2014 ([^ +\n]+) ([A-Za-z0-9+/]+=*)\n$/.exec(note) ?? [];
  const signed = Buffer.from(encoded, "base64");
  // Unused bits of base64 could otherwise be changed.
  if (text === "" || signed.length !== 68 || signed.toString("base64") !== encoded)
    throw new InvalidNote("format", "It is not a text with one signature line of a signed note.");
  return { text, name, signed };
}

/** Verifies a note with one signature. @returns the text. @throws {InvalidNote} */
export async function openNote(note: string, key: NoteKey): Promise<string> {
  const { text, name, signed } = splitNote(note);
  if (name !== key.name || !signed.subarray(0, 4).equals(keyHash(key)))
    throw new InvalidNote("key", `It is signed by another key than the one given, which is of ${key.name}.`);
  const publicKey = await crypto.subtle.importKey("raw", Buffer.from(key.publicKey), "Ed25519", false, [
    "verify",
  ]);
  if (!(await crypto.subtle.verify("Ed25519", publicKey, signed.subarray(4), Buffer.from(text))))
    throw new InvalidNote("signature", "The signature is not by this key over this text.");
  return text;
}
