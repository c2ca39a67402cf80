/** Blocks of pages, run by the shells that their markers name. */
import { expect } from "bun:test";
import type { ShellBlock } from "./pages.ts";
import { command, type Ran, run } from "./setup.ts";

/** Debian's `sh` is dash, which has nothing that POSIX does not. */
const shells = { sh: ["dash", "-eu"], bash: ["bash", "-euo", "pipefail"] } as const;

/** Runs a script, in which `formd` is the tested command, by the shell of a marker. */
export function runShell(
  shell: ShellBlock["shell"],
  script: string,
  environment: Record<string, string>,
): Promise<Ran> {
  const [program, ...options] = shells[shell];
  return run(program, [...options, "-c", `formd() { ${command.join(" ")} "$@"; }\n${script}`], environment);
}

/**
 * Runs a block of a page, as if pasted into its shell.
 *
 * @param places what the page shows, which it must, and what it is here
 * @returns what was printed
 */
export async function paste(
  { shell, text }: ShellBlock,
  places: Record<string, string>,
  environment: Record<string, string>,
): Promise<string> {
  let script = text;
  for (const [shown, here] of Object.entries(places)) {
    expect(script).toContain(shown);
    script = script.replaceAll(shown, here);
  }
  const { stdout, stderr, code } = await runShell(shell, script, environment);
  expect([script, stderr, code]).toEqual([script, stderr, 0]);
  return stdout + stderr;
}
