/** The pages of docs/, for tests that run what they say. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** @param path below the root of the repository, such as docs/tutorial.md */
export const readPage = (path: string): string => readFileSync(join(root, path), "utf8");

/** Every page for readers, by its path. */
export const pagePaths: string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...(readdirSync(join(root, "docs"), { recursive: true }) as string[])
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name))
    .toSorted(),
];

/**
 * A fenced block of a page.
 *
 * @param begin how it begins; by default the first block of its language
 * @throws when the page has none
 */
export function blockOf(path: string, language: string, begin = ""): string {
  const blocks = [...readPage(path).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.find(([, name, text = ""]) => name === language && text.startsWith(begin));
  if (found?.[2] === undefined) throw new Error(`${path} has no ${language} block that begins "${begin}".`);
  return found[2];
}

/**
 * An indented block of a page, without its indentation.
 *
 * @param begin how it begins
 * @throws when the page has none
 */
export function linesOf(path: string, begin: string): string {
  const found = [...readPage(path).matchAll(/(?<=\n\n)(?: {4}.*\n)+/g)]
    .map(([block]) => block.replace(/^ {4}(?: {3})?/gm, ""))
    .find((block) => block.startsWith(begin));
  if (found === undefined) throw new Error(`${path} has no lines that begin "${begin}".`);
  return found;
}

/** A block of a page for the shell that its marker names. */
export interface ShellBlock {
  path: string;
  shell: "sh" | "bash";
  text: string;
}

/**
 * The blocks of a page for a shell, in their order; one in a list without its indentation.
 * tests/unit/docs.test.ts finds calls of this and of {@link shellBlock} by their literal arguments.
 */
export const shellBlocksOf = (path: string): ShellBlock[] =>
  [...readPage(path).matchAll(/^( *)```(sh|bash)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indentation = "", shell, text = ""]) => ({
      path,
      shell: shell as ShellBlock["shell"],
      text: text.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
    }),
  );

/**
 * The first block of a page for a shell that begins so.
 *
 * @throws when the page has none
 */
export function shellBlock(path: string, begin: string): ShellBlock {
  const found = shellBlocksOf(path).find(({ text }) => text.startsWith(begin));
  if (found === undefined) throw new Error(`${path} has no block for a shell that begins "${begin}".`);
  return found;
}

/** The statements that create the roles of an external database. */
export const roleStatements = (): string => blockOf("docs/dba/roles.md", "sql", "create role");

/** The shell session of the tutorial. */
export const tutorialSteps = (): string =>
  shellBlocksOf("docs/tutorial.md")
    .map(({ text }) => text)
    .join("");
