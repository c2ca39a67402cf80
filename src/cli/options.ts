/** Shared parts of the commands: settings, options and output. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { text as streamText } from "node:stream/consumers";
import { Command, InvalidArgumentError, Option } from "commander";
import { validate as isUuid } from "uuid";
import { limits } from "../limits.ts";
import type { Config } from "../platform/config.ts";
import { DateTime, dayEnd } from "../platform/http/shapes.ts";
import { silenceProgress } from "./progress.ts";

/** Reads the settings when a command runs, so that `--help` works with invalid ones. */
export type Settings = () => Config;

/** `--json`: one JSON object on stdout, and nothing else. */
export const jsonOption = new Option("--json", "print one JSON object");
const quietOption = new Option("--quiet", "show no progress");

/** Makes a parser of an argument. @param parse returns undefined for a text that `expected` excludes */
const parser =
  <T>(expected: string, parse: (text: string) => T | undefined) =>
  (text: string): T => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${expected}.`);
    return value;
  };

/** Makes a parser of a text. */
export const textLike = (isValid: (text: string) => boolean, expected: string) =>
  parser(expected, (text) => (isValid(text) ? text : undefined));

/** Makes a parser of a number. @param pattern accepts digits only */
export const numberLike = (pattern: RegExp, expected: string, min = 0, max = Number.POSITIVE_INFINITY) =>
  parser(expected, (text) => {
    const number = pattern.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });

/** Parses an id on the command line. */
export const requireUuid = parser("a UUID", (text) => (isUuid(text) ? text.toLowerCase() : undefined));

/** Parses a moment on the command line. A day means its end. */
export const requireMoment = parser(
  "a day such as 2027-01-31, or a time such as 2027-01-31T09:00:00Z",
  (text) => {
    const moment = dayEnd(text) ?? DateTime(text);
    return moment instanceof Date ? moment : undefined;
  },
);

/** `--expires-at` of a new key. */
export const expiresAtOption = new Option(
  "--expires-at <time>",
  "when the key ends: a day (its end, UTC) or a time; without it never",
).argParser(requireMoment);

interface ListedKey {
  id: string;
  prefix: string;
  revokedAt: Date | null;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** Formats a key for a list: its id, prefix, state, last use and expiry. */
export const keyLine = ({ id, prefix, revokedAt, expiresAt, lastUsedAt }: ListedKey) =>
  [
    ...[id, `${prefix}…`],
    revokedAt ? "revoked" : expiresAt && expiresAt.getTime() <= Date.now() ? "expired" : "active ",
    lastUsedAt ? `used ${lastUsedAt.toISOString()}` : "never used",
    ...(expiresAt ? [`ends ${expiresAt.toISOString()}`] : []),
  ].join("  ");

/** Adds the command `revoke` for a key. */
export const addRevokeCommand = (group: CliCommand, revoke: (id: string) => Promise<void>) =>
  group
    .command("revoke")
    .description("revoke a key: the next request with it is rejected")
    .argument("<id>", "the key", requireUuid)
    .prints(async (id: string) => {
      await revoke(id);
      return [{ id, revoked: true }, `${id} is revoked`];
    });

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

/** Options for a password: other users of the machine see `--password`, not the file's. */
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

/** A command, which can have a result. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds `--password`, which other users of the machine can see, and `--password-file`. */
  takesPassword(whose: string, note: string): this {
    return this.option(
      "--password <password>",
      `${whose} password (${note}); other users of the machine see it, so rather use --password-file`,
    ).addOption(
      new Option(
        "--password-file <path>",
        `a file whose first line is ${whose} password; -: standard input (${note})`,
      ).conflicts("password"),
    );
  }

  /** Adds `--quiet`, for long work. `--json` shows no progress either. */
  showsProgress(): this {
    return this.addOption(quietOption).hook("preAction", (command) => {
      const { json, quiet } = command.opts();
      silenceProgress(Boolean(json || quiet));
    });
  }

  /**
   * Adds `--json`, and prints the result of `work`, or the `problems` of its error.
   * @param work gets the arguments and the options
   */
  prints(work: (...args: never[]) => Promise<Printed> | Printed): this {
    return this.addOption(jsonOption).action(async (...args) => {
      const { json, ...options } = args.at(-2);
      try {
        const [object, ...lines] = await work(...([...args.slice(0, -2), options, this] as never[]));
        printResult(json, object, ...lines);
      } catch (error) {
        const { problems } = error as { problems?: unknown };
        if (json && problems) printResult(json, { problems });
        throw error;
      }
    });
  }
}

/** The result of a command: an object, and lines for people. */
export type Printed = [object: object, ...lines: string[]];

/** Prints a result: the object with `--json`, else the lines. */
export function printResult(json: boolean | undefined, object: object, ...lines: string[]): void {
  console.log(json ? JSON.stringify(object) : printable(lines.join("\n")));
}
