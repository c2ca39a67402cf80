import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.ts";

/** Without the files of no resource: what all use, what earlier releases called, and rights. */
const resourceFiles = readdirSync(join(root, "sql")).filter((name) => !/^(000|99\d)_/.test(name));
const nouns = resourceFiles.map((name) => name.replace(/^\d+_|\.sql$/g, ""));
const sources = readdirSync(join(root, "src"), { recursive: true }) as string[];
const isRouted = (path: string) =>
  /\.tsx?$/.test(path) && /from "elysia"/.test(readFileSync(join(root, "src", path), "utf8"));

describe("one noun names a resource everywhere", () => {
  test.each(nouns)("sql/*_%s.sql has its tests, and a directory or a file of src", (noun) => {
    expect(existsSync(join(root, `tests/sql/${noun}.test.ts`))).toBe(true);
    // Called by whatever a submitter does: src/resources/submit and src/resources/challenges.
    if (noun === "authorization") return;
    const name = noun.replaceAll("_", "-");
    expect(sources.some((path) => path.endsWith(`/${name}`) || path.endsWith(`/${name}.ts`))).toBe(true);
  });

  const routedOn = (...floors: string[]) => {
    const paths = sources.filter(isRouted).map((path) => path.split("/"));
    return [...new Set(paths.flatMap(([floor = "", noun = ""]) => (floors.includes(floor) ? [noun] : [])))];
  };
  const directories = routedOn("resources");
  const faces = routedOn("pages", "protocols");
  test.each(directories)(
    "src/resources/%s has routes, so it has a file in sql and tests in tests/http",
    (name) => {
      expect(nouns).toContain(name.replaceAll("-", "_"));
      expect(readdirSync(join(root, "tests/http", name)).some((file) => file.endsWith(".test.ts"))).toBe(
        true,
      );
    },
  );

  test("tests/http has no directory for a resource without routes", () => {
    const tested = readdirSync(join(root, "tests/http"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(
      tested.map(({ name }) => name).filter((name) => ![...directories, ...faces].includes(name)),
    ).toEqual([]);
  });
});

test("a file that starts servers of its own has .server in its name, and bunfig.toml leaves it out of a plain `bun test`", () => {
  const files = (readdirSync(join(root, "tests/http"), { recursive: true }) as string[]).filter(
    (path) =>
      path.endsWith(".test.ts") &&
      /\b(?:server|service|fileService)\(\{/.test(readFileSync(join(root, "tests/http", path), "utf8")),
  );
  expect(files.filter((path) => !path.endsWith(".server.test.ts"))).toEqual([]);
});

describe("what the lint rules of the floors forbid to import", () => {
  interface Override {
    includes: string[];
    linter: {
      rules: {
        style: { noRestrictedImports: { options: { patterns: { group: string[]; message: string }[] } } };
      };
    };
  }
  const { overrides }: { overrides: Override[] } = JSON.parse(
    readFileSync(join(root, ".ci/lint.json"), "utf8"),
  );
  const matches = (patterns: string[], path: string) =>
    patterns.some((pattern) => new Bun.Glob(pattern).match(path));
  const isPositive = (pattern: string) => !pattern.startsWith("!");
  const covers = ({ includes }: Override, path: string) =>
    matches(includes.filter(isPositive), path) && !includes.includes(`!**/${path}`);

  /** The paths and packages that a text names, also where the linter does not look. */
  const importedBy = (text: string) =>
    [...text.matchAll(/\b(?:from|import|require)\b\s*\(?\s*(["'`])(.+?)\1/g)].map(([, , name = ""]) => name);

  function forbiddenIn(path: string, text: string) {
    // The last one counts, as in the linter.
    const patterns = overrides.findLast((override) => covers(override, path))?.linter.rules.style
      .noRestrictedImports.options.patterns;
    const groups = patterns?.flatMap(({ group }) => group) ?? [];
    return importedBy(text).filter((name) => matches(groups, name));
  }

  test.each([
    ["src/reference/a.ts", 'type A = import("../cli/serve.ts").A;'],
    ["src/resources/a.ts", 'const { a } = require("../cli/serve.ts");'],
    ["src/fields/a.ts", 'import { readFileSync } from "node:fs";'],
  ])("is found in %s: %s", (path, text) => {
    expect(forbiddenIn(path, text)).toHaveLength(1);
  });

  test("no file of src imports by a type or by require either", () => {
    const found = sources
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) =>
        forbiddenIn(`src/${path}`, readFileSync(join(root, "src", path), "utf8")).map((name) => [path, name]),
      );
    expect(found).toEqual([]);
  });
});

describe("an exported word", () => {
  /** A shape, and the type that is made without it. */
  const pairs = ["PageSettings"];
  const pattern = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

  test("has one meaning and is exported by one file", () => {
    const files = new Map<string, Set<string>>();
    for (const path of sources.filter((name) => /\.tsx?$/.test(name)))
      for (const [, word = ""] of readFileSync(join(root, "src", path), "utf8").matchAll(pattern))
        files.set(word, (files.get(word) ?? new Set()).add(path));
    expect(files.size).toBeGreaterThan(1_000);
    const several = [...files].filter(([word, { size }]) => size > 1 && !pairs.includes(word));
    expect(several).toEqual([]);
  });
});
