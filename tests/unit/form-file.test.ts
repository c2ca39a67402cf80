import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { planLines } from "../../src/cli/form-file.ts";
import { positionsIn, toYaml, yamlToJson } from "../../src/cli/yaml.ts";
import { Problem } from "../../src/problem.ts";
import {
  canonicalText,
  contentOf,
  type FileContent,
  fileMembers,
  parseFormFile,
  writeFormFile,
} from "../../src/resources/forms/file.ts";
import { filePlanOf } from "../../src/resources/forms/file-plan.ts";
import { withNamedSwitches } from "../../src/resources/forms/settings.ts";
import { samples } from "../form-arbitraries.ts";
import { leastCpuMs } from "./fields/fixture.ts";

type Field = FileContent["schema"]["fields"][number];

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => parseFormFile(bytesOf(text));
const some = fc.constantFrom;

const odd = fc.dictionary(
  some("x-note", "__proto__", "a.b", "7", "10", "é", "help", "placeholder", "translations"),
  fc.oneof(
    some<unknown>(null, "", 0, -0, 1.5, true, [], {}),
    fc.jsonValue({ maxDepth: 2 }).filter(isStorable),
  ),
  { maxKeys: 3 },
);
/** Numbers and texts that the API takes. */
function isStorable(value: unknown): boolean {
  const text = JSON.stringify(value);
  return text.isWellFormed() && !/\\u(?:0000|d[89a-f])|\d{16}|\d[eE]/i.test(text);
}
const maybe = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members, { requiredKeys: [] });
const settings = fc
  .tuple(
    maybe({
      captcha: maybe({ enabled: fc.boolean(), required: fc.boolean() }),
      anonymous: maybe({ enabled: fc.boolean() }),
      review: maybe({ required: fc.boolean(), "x-more": some(null, 1) }),
      page: maybe({
        enabled: fc.boolean(),
        title: some("", "A", "B"),
        layout: some("single", "steps"),
        language: some("en", "de"),
        alias: some("here", "there"),
        embedOrigins: some([], ["https://a.org"], ["https://b.org", "https://a.org"]),
        theme: maybe({
          corners: some("none", "small"),
          scheme: some("auto", "dark"),
          cover: maybe({ alt: some("", "A") }).map((each) => ({ src: "data:a", ...each })),
          logo: some({ src: "data:a", alt: "A" }, { src: "data:b", alt: "A" }),
        }),
      }),
      notify: maybe({
        recipients: some(["a@example.org"], []),
        when: some("each", "daily"),
        include: some("link", "values"),
      }),
      examples: some([], [{ name: "A", data: { a: null }, expect: { valid: true } }]),
    }),
    fc.dictionary(some("x-a", "x-b", "__proto__"), fc.oneof(odd, some<unknown>(1, [], null)), { maxKeys: 2 }),
  )
  .map(([known, others]) => ({ ...known, ...others }));

const draft = fc
  .tuple(some("A", "B", 'ä " \\ \u2028'), some(null, "", "Text"), samples(12), fc.array(odd), settings)
  .map(([name, description, { fields }, more, settings]) => ({
    ...{ name, description, settings, currentVersion: 1 },
    schema: { fields: fields.map((field, index) => ({ ...more[index], ...field })) as Field[] },
  })) as fc.Arbitrary<FileContent & { currentVersion: number }>;

/** A merge patch, as RFC 7396 has it. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === "object" && target !== null && !Array.isArray(target);
  const result = new Map(Object.entries(isObject ? target : {}));
  for (const [name, value] of Object.entries(patch))
    value === null ? result.delete(name) : result.set(name, merged(result.get(name), value));
  return Object.fromEntries(result);
}

/** Applies operations as the reference describes them. */
function patched(form: FileContent, operations: ReturnType<typeof filePlanOf>["operations"]): FileContent {
  const fields = [...form.schema.fields];
  const result = { ...form, schema: { fields } };
  const at = (id: string) => {
    const index = fields.findIndex((field) => field.id === id);
    if (index < 0) throw new Error(`no field ${id}`);
    return index;
  };
  const place = (
    field: Field,
    { afterFieldId, index }: { afterFieldId?: string; index?: number | undefined },
  ) => fields.splice(afterFieldId === undefined ? (index ?? fields.length) : at(afterFieldId) + 1, 0, field);
  for (const each of operations)
    if (each.op === "removeField") fields.splice(at(each.fieldId), 1);
    else if (each.op === "addField") {
      expect(fields.some(({ id }) => id === each.field.id)).toBe(false);
      place(each.field, each);
    } else if (each.op === "updateField") {
      const { fieldId, set } = each;
      const members = Object.entries({ ...fields[at(fieldId)], ...set });
      fields[at(fieldId)] = Object.fromEntries(
        members.filter(([name, value]) => value !== null || !Object.hasOwn(set, name)),
      ) as Field;
    } else if (each.op === "moveField") {
      const [field] = fields.splice(at(each.fieldId), 1);
      if (field) place(field, { ...each, index: each.toIndex });
    } else {
      const { op, settings, ...meta } = each;
      Object.assign(result, meta, settings && { settings: merged(result.settings, settings) });
    }
  return result;
}

/** Length of the longest increasing subsequence, by trying each subset. */
function longestByForce(sequence: readonly number[]): number {
  let best = 0;
  for (let subset = 0; subset < 2 ** sequence.length; subset++) {
    const chosen = sequence.filter((_, index) => subset & (1 << index));
    if (chosen.every((each, index) => index === 0 || (chosen[index - 1] ?? 0) < each))
      best = Math.max(best, chosen.length);
  }
  return best;
}

/** The problem of a text; undefined: it is read. Another exception is thrown. */
function problemOf(text: string): Problem | undefined {
  try {
    const content = read(text);
    // The content can be written, and planned.
    filePlanOf({ ...content, currentVersion: 1 }, read(writeFormFile(content)));
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

const folder = "src/resources/forms/templates";

describe("a form as a file", () => {
  test("1,000 forms: read and written again, a file has the same bytes", () => {
    fc.assert(
      fc.property(draft, (form) => {
        const text = writeFormFile(form);
        expect(text).not.toMatch(/"(?:alias|recipients)"|\r|\n\n/);
        const content = JSON.parse(text);
        expect(writeFormFile({ ...contentOf(form) })).toBe(text);
        expect(writeFormFile({ description: null, settings: {}, ...content })).toBe(text);
        expect(JSON.stringify(filePlanOf(form, contentOf(form)).operations)).toBe("[]");
      }),
      { numRuns: 1_000 },
    );
  });

  test("the templates are files in that order, and are read with a byte order mark and CRLF", () => {
    for (const name of readdirSync(folder)) {
      const text = readFileSync(`${folder}/${name}`, "utf8");
      expect(writeFormFile(read(text))).toBe(text);
      expect(writeFormFile(read(`\ufeff${text.replaceAll("\n", "\r\n")}`))).toBe(text);
    }
  });

  test("1,000 pairs of forms: the plan makes the file's form, by the fewest moves; the second is empty", () => {
    fc.assert(
      fc.property(draft, draft, (before, after) => {
        // A file is read with the names of switches; it never has both names of one.
        const { required, ...captcha } = (after.settings.captcha ?? {}) as { required?: boolean };
        const settings = (
          "enabled" in captcha ? { ...after.settings, captcha } : after.settings
        ) as typeof after.settings;
        const file = contentOf({ ...after, settings: withNamedSwitches(settings) });
        const { operations, fields } = filePlanOf(before, file);
        const result = patched(before, operations);
        expect(writeFormFile(result)).toBe(writeFormFile(file));
        expect(writeFormFile({ ...result, schema: { fields } })).toBe(writeFormFile(file));
        expect(filePlanOf({ ...result, currentVersion: 1 }, file).operations).toEqual([]);
        // The address of an installation stays.
        expect(result.settings.page?.alias).toBe(before.settings.page?.alias as string);
        const kinds = ["removeField", "updateField", "addField", "moveField", "setMeta"];
        const order = operations.map(({ op }) => kinds.indexOf(op));
        expect(order).toEqual(order.toSorted());
        const places = before.schema.fields.map(({ id }) => id);
        const kept = after.schema.fields.map(({ id }) => places.indexOf(id)).filter((index) => index >= 0);
        const moves = operations.filter(({ op }) => op === "moveField").length;
        expect(moves).toBe(kept.length - longestByForce(kept));
      }),
      { numRuns: 1_000 },
    );
  });

  const minimal = { format: "formd/form/1", name: "A", schema: { fields: [{ id: "a" }] } };
  const text = JSON.stringify(minimal);
  const refused: [title: string, file: string | object, code: string, message: RegExp][] = [
    ["no JSON", text.slice(1), "invalid_body", /not JSON/],
    [
      "a name twice",
      text.replace('"id"', '"id":"b",\n"i\\u0064"'),
      "invalid_body",
      /"id" occurs twice.*line 2/,
    ],
    [
      "a later format",
      { ...minimal, format: "formd/form/2" },
      "invalid_body",
      /formd\/form\/2.*formd\/form\/1/,
    ],
    ["another tool's form", { components: [] }, "invalid_body", /^This is not a file of a formd form\.$/],
    ["a workbook", "PK\x03\x04", "invalid_body", /^This is not a file of a formd form\.$/],
    ["a blank name", { ...minimal, name: " " }, "bad_request", /^name: /],
    ["no format", { ...minimal, format: undefined }, "invalid_body", /format/],
    ["an id", { ...minimal, id: "x" }, "invalid_body", /^id belongs to an installation/],
    ["a team", { ...minimal, teamId: null }, "invalid_body", /^teamId belongs/],
    [
      "an alias",
      { ...minimal, settings: { page: { alias: "a" } } },
      "invalid_body",
      /^settings\.page\.alias belongs/,
    ],
    [
      "recipients",
      { ...minimal, settings: { notify: { recipients: [] } } },
      "invalid_body",
      /^settings\.notify\.recipients/,
    ],
    [
      "both names of a switch",
      { ...minimal, settings: { captcha: { enabled: true, required: false } } },
      "invalid_body",
      /^settings\.captcha\.enabled and settings\.captcha\.required/,
    ],
    ["another member", { ...minimal, webhooks: [] }, "invalid_body", /webhooks is unknown/],
    ["a schema with more", { ...minimal, schema: { fields: [], x: 1 } }, "invalid_body", /schema\.x/],
    [
      "a field without id",
      { ...minimal, schema: { fields: [{}] } },
      "invalid_body",
      /schema\.fields\[0\]\.id/,
    ],
    [
      "a wrong setting",
      { ...minimal, settings: { page: { layout: 7 } } },
      "invalid_body",
      /settings\.page\.layout/,
    ],
    ["an id twice", { ...minimal, schema: { fields: [{ id: "7" }, { id: "7" }] } }, "conflict", /"7"/],
    [
      "502 fields",
      { ...minimal, schema: { fields: Array(502).fill({ id: "a" }) } },
      "bad_request",
      /schema\.fields/,
    ],
    ["too many levels", `${"[".repeat(40)}${"]".repeat(40)}`, "invalid_body", /nested/],
    ["U+0000", text.replace('"A"', '"\\u0000"'), "invalid_body", /U\+0000/],
    ["2^53 + 1", text.replace('"a"}', '"a","x":9007199254740993}'), "invalid_body", /exactly/],
  ];
  test.each(refused)("with %s is refused", (_title, file, code, message) => {
    const problem = problemOf(typeof file === "string" ? file : JSON.stringify(file));
    expect(problem).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("a removed question of a published form keeps its id: another id moves no values", () => {
    const form = (...ids: string[]) => ({
      ...{ name: "A", description: null, settings: {}, currentVersion: 1 },
      schema: { fields: ids.map((id) => ({ id, type: "text", label: "Phone" })) },
    });
    expect(filePlanOf(form("phone"), contentOf(form("tel"))).warnings).toEqual([
      {
        path: "operations[0]",
        field: "phone",
        message: 'Values of earlier submissions stay under the id "phone", and none is moved to "tel".',
      },
    ]);
    expect(filePlanOf({ ...form("phone"), currentVersion: 0 }, contentOf(form())).warnings).toEqual([]);
  });

  test("a plan in words is as the page for owners shows it", () => {
    const field = (id: string, label: string, more = {}) => ({ id, type: "text", label, ...more });
    const [name, mail, message] = [
      field("name", "Name"),
      field("mail", "E-mail"),
      field("message", "Message"),
    ];
    const before = {
      ...{ name: "A", description: null, currentVersion: 1, settings: {} },
      schema: { fields: [message, field("fax", "Fax"), name, mail] },
    };
    const after = contentOf({
      ...before,
      schema: { fields: [{ ...name, required: true }, mail, field("phone", "Phone"), message] },
      settings: { page: { thankYou: "Thank you." } },
    });
    const [, shown = ""] = /```text\n([^`]+)```/.exec(readFileSync("docs/owners/files.md", "utf8")) ?? [];
    expect(planLines(before, filePlanOf(before, after))).toEqual(shown.trimEnd().split("\n"));
    expect(planLines(before, filePlanOf(before, contentOf(before)))).toEqual(["no changes"]);
  });

  test("500 fields are planned within 100 ms of CPU, in reverse order too", () => {
    const fields = Array.from({ length: 500 }, (_, index) => ({
      id: `f${index}`,
      type: "text",
      label: "x".repeat(500),
    }));
    const before = { name: "A", description: null, settings: {}, currentVersion: 1, schema: { fields } };
    const file = writeFormFile({ ...before, schema: { fields: fields.toReversed() } });
    const plan = () => filePlanOf(before, parseFormFile(bytesOf(file)));
    expect(leastCpuMs(100, () => expect(plan().operations).toHaveLength(499))).toBeLessThan(100);
  });

  test("settings of one group with many members, or many levels, cost what their size costs", () => {
    const wide = { page: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [index, 1])) };
    let deep: unknown = Array(20_000).fill(1);
    for (let level = 0; level < 25; level++) deep = { a: deep };
    for (const settings of [wide, { x: deep }] as never[]) {
      const form = { name: "A", description: null, settings, currentVersion: 1, schema: { fields: [] } };
      const file = contentOf({ ...form, settings: {} });
      expect(leastCpuMs(150, () => filePlanOf(form, contentOf(form)))).toBeLessThan(150);
      expect(filePlanOf(form, file).operations).toHaveLength(1);
    }
  });

  test("a setting whose name has a dot is another one than that at its path", () => {
    const settings = { "page.enabled": false, "page.theme": {}, "page.alias": "x" } as never;
    const form = { name: "A", description: null, settings, schema: { fields: [] } };
    expect(contentOf(form).settings).toEqual(settings);
    const plan = filePlanOf({ ...form, settings: {}, currentVersion: 1 }, contentOf(form));
    expect(plan.operations).toEqual([{ op: "setMeta", settings }]);
  });

  test("a switch that is stored under its other name is another one until a file sets it", () => {
    const settings = { captcha: { required: true } } as never;
    const draft = { name: "A", description: null, settings, currentVersion: 1, schema: { fields: [] } };
    const plan = (file: object) =>
      filePlanOf(draft, read(JSON.stringify({ ...minimal, schema: draft.schema, settings: file })));
    const named = { enabled: true, required: null };
    expect(plan({ captcha: { enabled: true } }).operations).toEqual([
      { op: "setMeta", settings: { captcha: named } },
    ]);
    expect(plan({}).operations).toEqual([{ op: "setMeta", settings: { captcha: { required: null } } }]);
  });

  test("no label writes a line of a plan", () => {
    const field = { id: "a", type: "text", label: "A”: label\n~ “B" };
    const draft = { name: "A", description: null, settings: {}, currentVersion: 0, schema: { fields: [] } };
    const settings = { "x-a": {} } as never;
    const file = contentOf({ ...draft, settings, schema: { fields: [field] } });
    expect(planLines(draft, filePlanOf(draft, file)).slice(0, 2)).toEqual([
      "+ question “A”: label ~ “B” at the beginning",
      "~ settings.x-a",
    ]);
  });

  test("of 10,000 changed files each is read, or refused with a code for it", () => {
    const codes = new Set<string>();
    const pieces = [
      '"',
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "null",
      "1e999",
      '"\\ud800"',
      '"__proto__"',
      "\\",
      "\ufeff",
      "7",
      '"fields"',
      "\u0000",
    ];
    const change = fc.tuple(
      fc.nat(),
      fc.nat(40),
      fc.oneof(
        some(...pieces),
        fc.string({ maxLength: 4 }),
        fc.jsonValue().map((each) => JSON.stringify(each)),
      ),
    );
    const files = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "utf8"));
    const tokens = files.map((file) => file.match(/"(?:[^"\\]|\\.)*"|[^\s"]/g) ?? []);
    fc.assert(
      fc.property(
        fc.nat(files.length - 1),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        (file, changes) => {
          const parts = [...(tokens[file] ?? [])];
          for (const [at, length, piece] of changes) parts.splice(at % parts.length, length % 3, piece);
          const problem = problemOf(parts.join(""));
          if (problem) codes.add(`${problem.status} ${problem.code}`);
        },
      ),
      { numRuns: 10_000 },
    );
    expect(
      [...codes].filter((code) => !["400 invalid_body", "400 bad_request", "409 conflict"].includes(code)),
    ).toEqual([]);
    expect(codes.size).toBeGreaterThan(0);
  });
});

describe("a form as YAML", () => {
  test("1,000 forms: YAML has what JSON has, in the same order; read and written again, the same bytes", async () => {
    const text = fc.string({ unit: some(..."ab \t\n\r#:-?'\"\\|>&*!%@,[]{}~\u0085\u2028\ufeff😀") });
    const words = some("no", "yes", "null", "~", "<<", "07", "1e3", "0x1F", "2027-01-31", "---", "...", "=");
    const texts = fc.array(fc.oneof(text, words), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(draft, texts, async ({ schema, ...form }, labels) => {
        const fields = schema.fields.map((field, index) => ({ ...field, label: labels[index] ?? "" }));
        const stored = writeFormFile({ ...form, schema: { fields } });
        const members = fileMembers({ description: null, settings: {}, ...JSON.parse(stored) });
        const written = await toYaml(members);
        const json = await yamlToJson(written);
        const content = { description: null, settings: {}, ...JSON.parse(json) };
        expect(writeFormFile(content)).toBe(stored);
        expect(await toYaml(fileMembers(content))).toBe(written);
        // JSON.parse moves names such as "7" to the front.
        expect(json.replaceAll(" ", "")).toBe(canonicalText(members, "", "").replaceAll(" ", ""));
      }),
      { numRuns: 1_000 },
    );
  });

  const refused: [title: string, text: string, message: string][] = [
    ["an alias", "a: 1\nb: *x", "must have no anchors, aliases or tags, at line 2, column 4."],
    ["an anchor", "a: 1\nb: &x", "must have no anchors, aliases or tags, at line 2, column 6."],
    ["a tag", "a: !!str 1", "must have no anchors, aliases or tags, at line 1, column 10."],
    ["a name twice", 'a: 1\n"\\x61": 2', "has one name twice in one object, at line 2, column 1."],
    ["a name that is a number", "7: a", "has a name that is no text: put it in quotes, at line 1, column 1."],
    ["two documents", "a: 1\n---\nb: 1", "has two documents, at line 2, column 1."],
    ["20,000 levels", "[".repeat(20_000), "is nested deeper than 32 levels, at line 1, column"],
    ["33 levels", "- ".repeat(33), "is nested deeper than 32 levels, at line 1, column 65."],
    [
      "a rounded number",
      "a: 0xFFFFFFFFFFFFFFFF",
      "has a number that cannot be kept exactly, at line 1, column 4.",
    ],
    ["a number that is none", "a: .nan", "has a number that cannot be kept exactly, at line 1, column 4."],
    ["a tab as indent", "\ta: 1", "is not YAML: Tabs are not allowed as indentation, at line 1, column 1."],
  ];
  test.each(refused)("with %s is refused", async (_title, text, message) => {
    expect(await yamlToJson(text).catch((error) => error)).toMatchObject({
      code: "invalid_body",
      message: expect.stringContaining(`The file ${message}`),
    });
  });

  test("is of the core schema, and its numbers keep their digits", async () => {
    const text = "a: no\nb: 2027-01-31\nc: 9007199254740993\nd: [0o17, +1, .5, 1.50, ~]\n<<: {__proto__: }";
    const json =
      '{"a":"no","b":"2027-01-31","c":9007199254740993,"d":[15,1,0.5,1.50,null],"<<":{"__proto__":null}}';
    expect(await yamlToJson(text)).toBe(json);
  });

  test("of 2,000 changed texts each is read, or refused with the line", async () => {
    const pieces = some(
      ..."&*!%@|>-?:,[]{}#'\"\n\t ",
      "&a ",
      "*a",
      "!!map ",
      "\n---\n",
      "- ",
      "? ",
      "<<: ",
      "\u0000",
    );
    const written = await Promise.all(
      readdirSync(folder).map((name) => toYaml(JSON.parse(readFileSync(`${folder}/${name}`, "utf8")))),
    );
    const change = fc.tuple(fc.nat(), fc.nat(9), pieces);
    await fc.assert(
      fc.asyncProperty(
        some(...written),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        async (text, changes) => {
          for (const [at, length, piece] of changes) {
            const start = at % text.length;
            text = text.slice(0, start) + piece + text.slice(start + length);
          }
          const json = await yamlToJson(text).catch((error) => {
            expect(error).toBeInstanceOf(Problem);
            expect(error.message).toMatch(/, at line \d+, column \d+\.$/);
          });
          if (json !== undefined) problemOf(json);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("paths of problems have positions, in JSON too", async () => {
    const value = { a: [{ b: 1 }, { 'x."y': [2] }] };
    const inYaml = await positionsIn(await toYaml(value));
    const inJson = await positionsIn(JSON.stringify(value, null, "\t"));
    const path = 'a[1]["x.\\"y"][0]';
    expect([inYaml(path), inJson(path)]).toEqual([
      { line: 4, column: 9 },
      { line: 8, column: 5 },
    ]);
    expect(inYaml("a[0].c")).toEqual({ line: 2, column: 5 });
    expect(inYaml("")).toEqual({ line: 1, column: 1 });
  });
});
