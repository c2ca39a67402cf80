/** Rules of the prose in comments and in names of tests, where a machine can tell. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
// Only the parser of TypeScript 5 runs in this process.
import ts from "typescript-5";

const root = join(import.meta.dir, "../..");
const maxColumns = 110;

/**
 * Words with another one in their place: response (answer, reply), reported (said), validate (judge),
 * validation result (verdict, finding), problem (refusal), field error or mismatch (fault), fix (mend),
 * unstorable (spoiled), rate limit (throttle, token bucket: a bucket is one of S3), in flight (under way),
 * cross-tenant (abroad), directory (folder), purge (forget), a name of the person (somebody, whoever),
 * "except" (but for).
 */
const banned = new RegExp(
  `\\b(${[
    "answer(s|ed|ing)?(?! with this)|repl(y|ies|ied)|said|judg(e|es|ed|ing)|verdicts?|findings?|refusals?",
    "faults?|blamed?|mend(s|ed)?|spoiled|throttled?|(address|token|leaky) buckets?|under way|on its way",
    "abroad|folders?|forg[eo]t(s|ten)?|somebody|whoever|but for|so many",
  ].join("|")})\\b`,
  "i",
);

/** Words that begin a clause without a main clause. A comment begins with a noun or a verb. */
const clause = /^(What|Whether|How|That|Those|Which|Who|Where|By|As|Of)\b/;
/** Directories whose comments follow that rule; src is to follow. */
const withoutClauses = ["src", "tests", ".ci", "sql"];

interface Line {
  /** `src/main.ts:1`. */
  at: string;
  text: string;
}

interface CommentLine extends Line {
  /** The first line of its comment that has text. */
  isFirst: boolean;
}

/** Returns the beginning of a comment line in the language of the file. Undefined: the file is not read. */
function commentOf(name: string, text: string): RegExp | undefined {
  if (name.endsWith(".sql")) return /^\s*--/;
  if (/\.(tsx?|css|js|cjs)$/.test(name)) return /^\s*(\/\/|\/?\*|\{\/\*)/;
  // Commands of .ci have no extension.
  if (/^[^.]+$/.test(name) || text.startsWith("#!/usr/bin/env bash")) return /^\s*#/;
}

/** Lines that hold a comment and nothing else. */
function commentLines(directory: string): CommentLine[] {
  const files = readdirSync(join(root, directory), { recursive: true, withFileTypes: true });
  return (
    files
      // Migrations of tests/migrations have marks of their own, generated scripts those of packages.
      .filter((file) => file.isFile() && !(directory === "tests" && file.name.endsWith(".sql")))
      .filter(({ parentPath }) => basename(parentPath) !== "generated")
      .map((file) => join(file.parentPath, file.name))
      .sort()
      .flatMap((path) => {
        const text = readFileSync(path, "utf8");
        const comment = commentOf(basename(path), text);
        if (!comment) return [];
        const lines = text.split("\n");
        return lines
          .map((text, index) => {
            const before = lines[index - 1] ?? "";
            const isFirst =
              /^\s*(\/\*|\{\/\*)/.test(text) || !comment.test(before) || /\/\*\*?$|\*\/\}?$/.test(before);
            return { at: `${relative(root, path)}:${index + 1}`, text, isFirst };
          })
          .filter(({ text }) => comment.test(text));
      })
  );
}

/** Returns the identifier at the root of a call such as `test.each(…)(…)`. */
function rootOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) ? rootOf(node.expression) : "";
}

/** Names in calls of `test`, `describe` and functions whose names begin so, with `.each(…)` and the like. */
function testNames(): Line[] {
  const files = readdirSync(join(root, "tests"), { recursive: true, encoding: "utf8" });
  return files
    .filter((name) => /\.tsx?$/.test(name))
    .sort()
    .flatMap((name) => {
      const text = readFileSync(join(root, "tests", name), "utf8");
      const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
      const found: Line[] = [];
      const visit = (node: ts.Node): void => {
        const [title] = ts.isCallExpression(node) ? node.arguments : [];
        const isName = title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title));
        if (isName && /^(test|describe)/.test(rootOf(node))) {
          const { line } = source.getLineAndCharacterOfPosition(title.end);
          found.push({ at: `tests/${name}:${line + 1}`, text: title.getText(source) });
        }
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });
}

/** The texts of `comment on … is '…'`, which are comments of the database. */
function commentTexts(directory: string): Line[] {
  const names = readdirSync(join(root, directory)).filter((name) => name.endsWith(".sql"));
  return names.sort().flatMap((name) => {
    const sql = readFileSync(join(root, directory, name), "utf8");
    const statement = /^comment on [^']+ is\s+((?:'(?:[^']|'')*'\s*)+);/gm;
    return [...sql.matchAll(statement)].map(({ index, 1: literals = "" }) => ({
      at: `${directory}/${name}:${sql.slice(0, index).split("\n").length}`,
      text: literals.replace(/'\s+'/g, "").trim(),
    }));
  });
}

const directories = ["src", "tests", ".ci"];
const sqlDirectories = ["sql", "db/migrations"];
const show = ({ at, text }: Line) => `${at} ${text.trim()}`;

test.each(directories)(`lines of comments in %s have at most ${maxColumns} columns`, (directory) => {
  const isLong = ({ text }: Line) => text.length > maxColumns;
  expect(commentLines(directory).filter(isLong).map(show)).toEqual([]);
});

test(`lines of SQL have at most ${maxColumns} columns`, () => {
  const files = ["sql", "db", "db/migrations"].flatMap((directory) =>
    readdirSync(join(root, directory))
      .filter((name) => name.endsWith(".sql") && name !== "schema.sql") // pg_dump's
      .map((name) => `${directory}/${name}`),
  );
  const long = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .map((text, index) => ({ at: `${file}:${index + 1}`, text }))
      .filter(({ text }) => text.length > maxColumns),
  );
  expect(long.map(show)).toEqual([]);
});

test.each([...directories, ...sqlDirectories])(
  "no comment in %s begins with Of: its noun comes first",
  (directory) => {
    const isFragment = ({ text }: Line) => /^\s*(\/\/|\/?\*+|\{\/\*|--|#) ?Of\b/.test(text);
    expect(commentLines(directory).filter(isFragment).map(show)).toEqual([]);
  },
);

test.each(withoutClauses)("a comment in %s begins with a noun or a verb", (directory) => {
  const beginning = ({ text }: Line) => text.replace(/^\s*(\/\/|\/?\*+|\{\/\*+|--|#)\s*/, "");
  const isClause = (line: CommentLine) => line.isFirst && clause.test(beginning(line));
  expect(commentLines(directory).filter(isClause).map(show)).toEqual([]);
});

test.each(sqlDirectories)("no text of a comment on a table or column in %s begins with Of", (directory) => {
  const isFragment = ({ text }: Line) => /^'Of\b/.test(text);
  expect(commentTexts(directory).filter(isFragment).map(show)).toEqual([]);
});

test.each([...directories, ...sqlDirectories])(
  "comments in %s have the words of the vocabulary",
  (directory) => {
    const isTheList = ({ at }: Line) => at.startsWith("tests/unit/prose.test.ts");
    const hasBanned = ({ text }: Line) => banned.test(text.replace(/`[^`]*`|"[^"]*"|\{@link [^}]*\}/g, ""));
    const found = commentLines(directory).filter((line) => !isTheList(line) && hasBanned(line));
    expect(found.map(show)).toEqual([]);
  },
);

test("names of tests have the words of the vocabulary", () => {
  const names = testNames();
  expect(names.length).toBeGreaterThan(2_000);
  expect(names.filter(({ text }) => banned.test(text)).map(show)).toEqual([]);
});
