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
const values: Record<string, number | readonly number[]> = Object.fromEntries(
  Object.entries(limits).flatMap(([group, members]) =>
    Object.entries(members).map(([name, value]) => [constantOf(group, name), value]),
  ),
);

const declaration = /\b(c_\w+) constant [\w ]+(?:\[\])? := ([^;]+);/g;
const sql = filesIn("sql", ".sql").map(({ name, text }) => ({ name, text: text.replace(/--.*$/gm, "") }));
const declared = sql.flatMap(({ name, text }) =>
  [...text.matchAll(declaration)].map(([, constant = "", value = ""]) => ({ name, constant, value })),
);

/** Units, bounds of types, and what only tunes speed: no limits. */
const others = new Set([
  ..."c_day c_day_ms c_hour c_second c_ms_per_s c_us_per_ms c_us_per_s c_kib c_epoch c_first".split(" "),
  ..."c_max_id c_min_id c_ascending c_gone c_p256_bytes c_p256_prefix_bytes c_spki_prefix_bytes".split(" "),
  ..."c_thumbprint_length c_slots c_max_times c_use_step c_lease c_part_max_bytes c_max_batches".split(" "),
  ...["c_max_counted", "c_jitter", "c_ms", "c_by_form", "c_by_object", "c_by_actor", "c_by_kind"],
  ...["c_month_days", "c_year_days", "c_lock_timeout", "c_share", "c_steps", "c_step_rows", "c_hour_ms"],
  "c_max_purged",
  // Constants of formd.cluster_state, which asks the machines of Citus and waits for them.
  ...["c_minute", "c_max_wait_ms", "c_count_old"],
  // Constants of pages.
  ...["c_few", "c_fifth", "c_days", "c_max_waiting", "c_named", "c_agents", "c_errors", "c_newest", "c_half"],
]);
const inSql = (value: number | readonly number[] | undefined) =>
  typeof value === "object" ? `array[${value.join(", ")}]` : String(value);

describe("a limit has one value", () => {
  test("each constant of sql/ has the name and the value of a limit, or is on the list of others", () => {
    const ofLimits = declared.filter(({ constant }) => !others.has(constant));
    expect(ofLimits).toEqual(
      ofLimits.map(({ name, constant }) => ({ name, constant, value: inSql(values[constant]) })),
    );
    expect(others.isSubsetOf(new Set(declared.map(({ constant }) => constant)))).toBe(true);
  });

  test("one name has one value in all of sql/", () => {
    const first = new Map(declared.toReversed().map(({ constant, value }) => [constant, value]));
    expect(declared.filter(({ constant, value }) => first.get(constant) !== value)).toEqual([]);
  });

  test("no function of sql/ has a limit's value outside a constant", () => {
    const enforced = new Set(
      declared.flatMap(({ constant }) => values[constant] ?? 0).filter((value) => value >= 20),
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
