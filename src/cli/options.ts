/** What the commands share: settings, options and output. */
import { InvalidArgumentError, Option } from "commander";
import { validate as isUuid } from "uuid";
import type { Config } from "../config.ts";
import { limits } from "../limits.ts";

/** Settings are read when a command runs, so that `--help` works with invalid ones. */
export type Settings = () => Config;

/** `--json`: one JSON object on stdout, and nothing else. */
export const jsonOption = new Option("--json", "print one JSON object");

/** Parses an id on the command line. */
export function requireUuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError("It must be a UUID.");
  return text.toLowerCase();
}

/** Parses a name on the command line. What a blank one means is the function's to say. */
export function requireName(text: string): string {
  if (text.length > limits.name.maxLength)
    throw new InvalidArgumentError(`It must have at most ${limits.name.maxLength} characters.`);
  return text;
}

/** Prints the result of a command: the object with `--json`, else the lines. */
export function print(json: boolean | undefined, object: object, ...lines: string[]): void {
  console.log(json ? JSON.stringify(object) : lines.join("\n"));
}
