/** Results of `formd doctor`. */

import { masterKey } from "../setup/server.ts";
import { type Database, formd, settingsFor } from "../setup.ts";

export interface Check {
  name: string;
  ok: boolean;
  isAdvice: boolean;
  message: string;
  differences?: { fault: string; statement: string }[];
}

/** The settings of a server that is in order. */
export const orderly = (of: Database) => ({ ...settingsFor(of), FORMD_SECRET_KEY: masterKey });

const messagesOf = (checks: Check[]) =>
  Object.fromEntries(checks.map(({ name, message }) => [name, message]));

/** The checks, the messages of failed checks and of warnings, and the exit code. */
export async function examined(environment: Record<string, string>, ...options: string[]) {
  const { code, stdout, stderr } = await formd(["doctor", "--json", ...options], environment);
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return {
    code,
    stderr,
    names: checks.map(({ name }) => name),
    of: (name: string) => checks.find((check) => check.name === name),
    wrong: messagesOf(checks.filter(({ ok }) => !ok)),
    warnings: messagesOf(checks.filter(({ isAdvice }) => isAdvice)),
  };
}
