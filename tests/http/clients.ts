/** Runs programs that use the clients of docs/clients, in each language, as a user's program does. */
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wholeRun } from "../setup/run.ts";
import { root, run as runProgram, temporaryFolder } from "../setup.ts";

export const debianPython = "/usr/bin/python3";
export const clients = join(root, "docs/clients");
export const textOfClient = (file: string) => readFileSync(join(clients, file), "utf8");
// Files of one process share this module.
const folder = temporaryFolder(wholeRun);

/** A language, the end of its programs' names, and its runtime. */
export type Language = readonly [name: "TypeScript" | "Python", ending: string, runtime: string];
export const typescript: Language = ["TypeScript", "mjs", process.execPath];
export const python: Language = ["Python", "py", debianPython];

/** The beginning of a program: the names of a client, what it was given, and `print`. */
const beginOf = ([language]: Language, client: string, names: string[]) =>
  language === "TypeScript"
    ? `import { ${names.join(", ")} } from "${join(clients, `${client}.ts`)}";
const given = JSON.parse(process.env.GIVEN);
const print = (result) => console.log(JSON.stringify(result));
const caught = async (work) => { try { return await work(); } catch (error) { return error; } };
`
    : `import json, os, sys
sys.path.insert(0, "${clients}")
sys.dont_write_bytecode = True
from ${client.replace("-", "_")} import ${names.map((name) => (/^[A-Z]/.test(name) ? name : snake(name))).join(", ")}
given = json.loads(os.environ["GIVEN"])
def caught(work, *arguments):
    try:
        return work(*arguments)
    except (FormdError, ValueError, OSError) as error:
        return error
`;

export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Runs a program after the import of names of a client, which are those of TypeScript.
 * @returns what it prints, parsed
 */
export async function runWith(
  language: Language,
  [client, ...names]: [client: string, ...names: string[]],
  program: string,
  given: object,
) {
  const [, ending, runtime] = language;
  const path = join(folder, `${crypto.randomUUID()}.${ending}`);
  writeFileSync(path, beginOf(language, client, names) + program);
  const { code, stdout, stderr } = await runProgram(runtime, [path], { GIVEN: JSON.stringify(given) });
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}
