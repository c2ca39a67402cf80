/** Shared parts of the commands: settings, options and output. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { text as streamText } from "node:stream/consumers";
import { InvalidArgumentError, Option } from "commander";
import { validate as isUuid } from "uuid";
import { limits } from "../limits.ts";
import type { Config } from "../platform/config.ts";
import { DateTime, dayEnd } from "../platform/http/shapes.ts";

/** Reads the settings when a command runs, so that `--help` works with invalid ones. */
export type Settings = () => Config;

/** `--json`: one JSON object on stdout, and nothing else. */
export const jsonOption = new Option("--json", "print one JSON object");

/** Parses an id on the command line. */
export function requireUuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError("It must be a UUID.");
  return text.toLowerCase();
}

/** Parses a moment on the command line. A day means its end. */
export function requireMoment(text: string): Date {
  const moment = dayEnd(text) ?? DateTime(text);
  if (moment instanceof Date) return moment;
  throw new InvalidArgumentError(
    "It must be a day such as 2027-01-31, or a time such as 2027-01-31T09:00:00Z.",
  );
}

/** `--expires-at` of a new key. */
export const expiresAtOption = new Option(
  "--expires-at <time>",
  "when the key ends: a day (its end, UTC) or a time; without it never",
).argParser(requireMoment);

/** The state of a key, padded for a list. */
export const keyState = ({ revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null }) =>
  revokedAt ? "revoked" : expiresAt && expiresAt.getTime() <= Date.now() ? "expired" : "active ";

/** Formats a key's last use and expiry, for people. */
export const keyTimes = ({ lastUsedAt, expiresAt }: { lastUsedAt: Date | null; expiresAt: Date | null }) =>
  [
    lastUsedAt ? `used ${lastUsedAt.toISOString()}` : "never used",
    ...(expiresAt ? [`ends ${expiresAt.toISOString()}`] : []),
  ].join("  ");

/** Parses a name on the command line. The called function decides about a blank one. */
export function requireName(text: string): string {
  if (text.length > limits.name.maxLength)
    throw new InvalidArgumentError(`It must have at most ${limits.name.maxLength} characters.`);
  return text;
}

/** Escapes C0 (except tab, LF), C1 and bidi controls (UAX #9): a text must not control the terminal. */
export const printable = (text: string): string =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (control) => `\\u{${control.charCodeAt(0).toString(16)}}`,
  );

/** Other users of the machine, and the shell's history, can see `--password`, but not `--password-file`. */
export const passwordOptions = (whose: string, note: string): Option[] => [
  new Option(
    "--password <password>",
    `${whose} password (${note}); other users of the machine see it, so rather use --password-file`,
  ),
  new Option(
    "--password-file <path>",
    `a file whose first line is ${whose} password; -: standard input (${note})`,
  ).conflicts("password"),
];

export interface PasswordOptions {
  password?: string;
  passwordFile?: string;
}

/** Returns the password of the options. @throws {Error} with one line if the file cannot be read. */
export async function passwordOf({ password, passwordFile }: PasswordOptions): Promise<string | undefined> {
  return passwordFile === undefined ? password : await firstLineOf(passwordFile);
}

/** Reads a secret in a file, or from standard input for `-`. @throws {Error} with one line. */
export async function firstLineOf(path: string): Promise<string> {
  const lines = path === "-" ? await streamText(process.stdin) : await readFile(path, "utf8");
  return lines.split(/\r?\n/, 1)[0] ?? "";
}

/** Prints the result of a command: the object with `--json`, else the lines. */
export function printResult(json: boolean | undefined, object: object, ...lines: string[]): void {
  console.log(json ? JSON.stringify(object) : printable(lines.join("\n")));
}
