import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../src/limits.ts";

const root = join(import.meta.dir, "../..");
const filesIn = (directory: string, ...extensions: string[]) =>
  (readdirSync(join(root, directory), { recursive: true }) as string[])
    .filter((name) => extensions.some((extension) => name.endsWith(extension)))
    .map((name) => ({
      name: join(directory, name),
      text: readFileSync(join(root, directory, name), "utf8"),
    }));

/** `agentSubmit.windowMs` is `c_agent_submit_window_ms`. */
const constantOf = (...names: string[]) =>
  ["c", ...names].join("_").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const groups = Object.keys(limits).map((group) => `${constantOf(group)}_`);
const values: Record<string, number> = Object.fromEntries(
  Object.entries(limits).flatMap(([group, members]) =>
    Object.entries(members).map(([name, value]) => [constantOf(group, name), value]),
  ),
);

const declaration = /\b(c_\w+) constant \w+ := ([^;]+);/g;
const sql = filesIn("sql", ".sql").map(({ name, text }) => ({ name, text: text.replace(/--.*$/gm, "") }));
const declared = sql.flatMap(({ name, text }) =>
  [...text.matchAll(declaration)].map(([, constant = "", value = ""]) => ({ name, constant, value })),
);

describe("a limit has one value", () => {
  test("each constant of sql/ that has a limit's name has its value, and a group's name is used for limits only", () => {
    const ofLimits = declared.filter(({ constant }) => groups.some((group) => constant.startsWith(group)));
    expect(ofLimits).toEqual(
      ofLimits.map(({ name, constant }) => ({ name, constant, value: String(values[constant]) })),
    );
  });

  test("the limits that SQL enforces are constants there", () => {
    expect(declared.map(({ constant }) => constant)).toContainValues([
      "c_agent_submit_requests",
      "c_agent_submit_window_ms",
      "c_challenge_lifetime_ms",
      "c_challenge_max_attempts",
      "c_challenge_max_open",
      "c_form_max_fields",
      "c_form_max_patch_operations",
      "c_form_max_patch_settings_values",
      "c_form_max_schema_bytes",
      "c_form_max_settings_bytes",
      "c_idempotency_lifetime_hours",
      "c_rate_limit_window_ms",
      "c_signing_key_max_active",
    ]);
  });

  test("no function of sql/ has a limit's value outside a constant", () => {
    const enforced = new Set(
      declared.map(({ constant }) => values[constant] ?? 0).filter((value) => value >= 20),
    );
    // Not a factor: 1000 converts units.
    const number = /(?<![\w.\\]|[*/] )\d+(?![\w.]| [*/])/g;
    const bare = sql.flatMap(({ name, text }) =>
      [...text.replace(declaration, "").matchAll(number)]
        .map(([digits]) => Number(digits))
        .filter((value) => enforced.has(value))
        .map((value) => `${name}: ${value}`),
    );
    expect(bare).toEqual([]);
  });

  test("the documentation states limits by their name, not as a number", () => {
    const stated =
      /["`'|](?:[^"`'\n]*\s)?\d(?:[\d,]*\d)? (days?|hours?|minutes?|attempts?|fields|KiB|active keys|operations|levels|items)\b/;
    const texts = filesIn("src", ".ts", ".md").map(({ name, text }) => ({
      name,
      text: name.endsWith(".md") ? text.replace(/^/gm, "|") : text.replace(/^\s*(\/?\*|\/\/).*$/gm, ""),
    }));
    expect(stated.test('"A session of 7 days."')).toBe(true);
    expect(texts.filter(({ text }) => stated.test(text)).map(({ name }) => name)).toEqual([]);
  });
});
