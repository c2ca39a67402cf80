/**
 * `bun tests/bench/conditions.ts`: what questions that depend on others cost, in CPU time of this process.
 * Rounds are interleaved, so that other work on the machine slows down both sides; a ratio is the median of
 * the rounds' ratios. Each compile that is called cold has a process of its own.
 *
 *   --rounds 41
 *   --against DIRECTORY   another tree of formd: the same form without conditions, validated by both
 */
import "../../src/arktype.ts";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type CompiledForm, compile } from "../../src/fields/compile.ts";
import { lint } from "../../src/fields/lint.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "41" },
    against: { type: "string" },
    cold: { type: "string" },
  },
});

type Definition = Record<string, unknown>;
type Data = Record<string, unknown>;

/** Texts, numbers, dates, choices and truth values in turn, each with a value. */
const kinds: readonly [definition: Definition, value: unknown, condition: (id: string) => string][] = [
  [{ type: "text", maxLength: 200 }, "Ada Lovelace", (id) => `data.${id}.startsWith('Ada')`],
  [{ type: "number", minimum: 0 }, 12.5, (id) => `data.${id} >= 10.0 && data.${id} < 100.0`],
  [{ type: "date" }, "2026-11-22", (id) => `has(data.${id})`],
  [{ type: "select", options: ["DE", "FR", "IT"] }, "DE", (id) => `data.${id} == 'DE'`],
  [{ type: "boolean" }, true, (id) => `data.${id}`],
  [{ type: "email" }, "ada@example.org", (id) => `data.${id} != 'x'`],
  [{ type: "multi_select", options: ["a", "b", "c"] }, ["a", "b"], (id) => `'a' in data.${id}`],
  [{ type: "select", options: ["s", "m", "l"] }, "m", (id) => `data.${id} in ['m', 'l']`],
];

/** @param member the members of a field that depends on others, by its position */
function form(count: number, member: (index: number) => Definition): { fields: Definition[]; data: Data } {
  const data: Data = {};
  const fields = Array.from({ length: count }, (_, index) => {
    const [definition, value] = kinds[index % kinds.length] as (typeof kinds)[number];
    data[`f${index}`] = value;
    return { id: `f${index}`, label: `F ${index}`, ...definition, ...member(index) };
  });
  return { fields, data };
}

/** A condition on the field with that position, which holds. */
const on = (index: number) => (kinds[index % kinds.length] as (typeof kinds)[number])[2](`f${index}`);

const conditions = (index: number): Definition => (index >= 100 ? { showIf: on(index - 100) } : {});
const many = (index: number): Definition =>
  index === 0
    ? {}
    : {
        showIf: on(index - 1),
        requireIf: on(Math.floor(index / 2)),
        rules: [0, 1].map((n) => ({ rule: on(Math.max(0, index - 2 - n)), message: "Not like that." })),
      };

/** The maximum of nodes per form, in the shape that costs most to check: each name is looked up. */
const worstForm = () =>
  form(500, (index) =>
    index === 0
      ? {}
      : {
          showIf: Array.from({ length: 19 }, (_, n) => `has(data.f${(index * 7 + n) % index})`).join(" && "),
        },
  );
/** The same with texts that are each looked up among many options. */
function worstOptions() {
  const values = Array.from({ length: 25_000 }, (_, n) => `o${n}`);
  const list = values.slice(-100).map((value) => `'${value}'`);
  const showIf = `data.s in [${list.join()}]`;
  const fields = Array.from({ length: 190 }, (_, n) => ({ id: `f${n}`, type: "text", label: "F", showIf }));
  const select = { id: "s", type: "select", label: "S", options: values };
  return { fields: [select, ...fields] as Definition[], data: {} };
}

/** The maximum of nodes per form. Each node reads the values that cost most. */
function worstPayload(condition: string, x: unknown, y: unknown) {
  const rules = Array(10).fill({ rule: Array(49).fill(condition).join(" && "), message: "Not like that." });
  const any = ["x", "y"].map((id) => ({ id, type: "x-any", label: id }));
  const ruled = Array.from({ length: 10 }, (_, n) => ({ id: `r${n}`, type: "text", label: "R", rules }));
  return { fields: [...any, ...ruled] as Definition[], data: { x, y } };
}
const list = Array.from({ length: 250 }, (_, n) => `item ${n}`);
const payloads: [name: string, condition: string, x: unknown, y: unknown][] = [
  ["texts in order", "data.x <= data.y", "a".repeat(600), "a".repeat(600)],
  ["size of a text", "size(data.x) > 1", "😀".repeat(400), ""],
  ["equal lists", "data.x == data.y", list, [...list]],
  ["equal parts", "data.x == data.y", Object.fromEntries(list.map((each) => [each, 1])), undefined],
];

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
function timed(work: () => void, times = 1): number {
  const start = cpuMs();
  for (let n = 0; n < times; n++) work();
  return (cpuMs() - start) / times;
}
const median = (list: number[]): number => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] as number;
const rounds = Number(options.rounds);

/** Publishing's check and the compile, of forms that publishing takes. */
const accepted = (fields: Definition[]): CompiledForm => {
  const issues = lint({ fields });
  if (issues.length > 0) throw new Error(JSON.stringify(issues[0]));
  return compile({ fields });
};

const forms = {
  "500 fields with 2,000 expressions": () => form(500, many),
  "20,000 names of fields": worstForm,
  "20,000 options": worstOptions,
} as const;

if (options.cold !== undefined) {
  const { fields } = forms[options.cold as keyof typeof forms]();
  console.log(timed(() => compile({ fields })));
  process.exit();
}

/** The ratio of two validations of the same data, and the CPU microseconds of each. */
function compare(name: string, mine: CompiledForm, other: Pick<CompiledForm, "validate">, data: Data) {
  const sides = [mine, other].map((each) => () => void each.validate(data));
  for (const side of sides) timed(side, 20_000);
  const times = Array.from({ length: rounds }, (_, round) => {
    const both = round % 2 === 0 ? sides : sides.toReversed();
    const measured = both.map((side) => timed(side, 2_000) * 1000);
    return round % 2 === 0 ? measured : measured.toReversed();
  }) as [number, number][];
  const ratio = median(times.map(([a, b]) => a / b));
  const least = [0, 1].map((side) => Math.min(...times.map((each) => each[side] as number)));
  console.log(
    `${name}: ${ratio.toFixed(3)} (at best ${least.map((each) => each.toFixed(1)).join(" : ")} µs)`,
  );
}

const { fields, data } = form(200, conditions);
const bare = form(200, () => ({}));
compare(
  "validate, 100 conditions among 200 fields : the same without",
  accepted(fields),
  accepted(bare.fields),
  data,
);
if (options.against !== undefined) {
  const before: { compile: typeof compile } = await import(resolve(options.against, "src/fields/compile.ts"));
  compare("validate without conditions : before", accepted(bare.fields), before.compile(bare), data);
}

for (const [name, make] of Object.entries(forms)) {
  const { fields } = make();
  accepted(fields);
  const cold = Array.from({ length: 5 }, () => {
    const { stdout } = Bun.spawnSync([process.execPath, import.meta.path, "--cold", name]);
    return Number(stdout.toString());
  });
  const warm = Array.from({ length: 15 }, () => timed(() => compile({ fields })));
  const linted = Array.from({ length: 5 }, () => timed(() => lint({ fields })));
  const each = [median(cold), median(warm), median(linted)].map((ms) => ms.toFixed(1));
  console.log(`compile, ${name}: cold ${each[0]} ms, warm ${each[1]} ms; lint ${each[2]} ms`);
}

for (const [name, condition, x, y = structuredClone(x)] of payloads) {
  const { fields, data } = worstPayload(condition, x, y);
  const compiled = accepted(fields);
  const times = Array.from({ length: 30 }, () => timed(() => compiled.validate(data)));
  console.log(`validate, worst payload, ${name}: ${median(times).toFixed(1)} ms`);
}
