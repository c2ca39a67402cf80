/** What the commands share: settings, options and output. */
import { InvalidArgumentError, Option } from "commander";
import { validate as isUuid } from "uuid";
import type { Config } from "../config.ts";

/** Settings are read when a command runs, so that `--help` works with invalid ones. */
export type Settings = () => Config;

/** `--json`: one JSON object on stdout, and nothing else. */
export const jsonOption = new Option("--json", "print one JSON object");

/** Parses an id on the command line. */
export function requireUuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError("It must be a UUID.");
  return text.toLowerCase();
}

/** Prints the result of a command: the object with `--json`, else the lines. */
export function print(json: boolean | undefined, object: object, ...lines: string[]): void {
  console.log(json ? JSON.stringify(object) : lines.join("\n"));
}
