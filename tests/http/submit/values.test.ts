// stacks: one
import { beforeAll, describe, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import {
  ask,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const text = [{ id: "name", type: "text", label: "Name", required: true }];
const anything = [{ id: "value", type: "x-any", label: "Value" }];
// After minimaxir/big-list-of-naughty-strings.
// biome-ignore format: one a line would be a page
const strings = [
  "undefined", "NULL", "true", "0", "-0", "1e5", "NaN", "0x10", "١٢٣", "１２３", "Ω≈ç√∫˜µ≤≥÷",
  "田中さんにあげて下さい", "ﷺ", "👩‍👩‍👧‍👦 🇺🇸 👾", "T̗̺͖̹̯͓Ṯ̤͍̥͇͈h̲́e͏͓̼̗̙̼̣͔", "\u202eleft\u202c",
  "\u200b\ufeff.", "a\tb\nc\r\nd", "'; drop table forms; --", "\"'\\/`", "$1 %s %n",
  "<script>alert(1)</script>", "{{7*7}}", "../../etc/passwd\\", "\u0001\u001b[31m\u007f",
  "a\u2028b\u2029c", " spaces kept ", "\\u0000", "é vs e\u0301",
];

let app: Service;
let team: Team;

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
});

const byKey = (form: PublishedForm, key = team.key) => ({
  "x-form-access-key": form.accessKey,
  "x-api-key": key,
});
const submit = (headers: Record<string, string>, body: unknown) =>
  ask(app, "POST", "/papi/v1/submitter/form/submissions", { headers, body });
const get = async (form: PublishedForm, id: string) =>
  (
    await ask(app, "GET", `/papi/v1/management/forms/${form.id}/submissions/${id}`, {
      headers: { "x-api-key": team.key },
    })
  ).body.data.submission;

describe("values survive submit and reading", () => {
  const reads = async (fields: object[], data: string) => {
    const form = await makeForm(app, team, fields);
    const reply = await submit(byKey(form), `{"data":${data}}`);
    return reply.status === 200 ? (await get(form, reply.body.data.id)).data : outcome(reply);
  };

  test("strings that have broken others, in text fields and inside unknown types", async () => {
    const fields = strings.map((_, index) => ({ id: `f${index}`, type: "text", label: "F" }));
    const data = {
      ...Object.fromEntries(strings.map((value, index) => [`f${index}`, value])),
      value: { list: strings },
    };
    expect(await reads([...fields, ...anything], JSON.stringify(data))).toEqual(data);
  });

  test("ids such as __proto__ are ids like any other", async () => {
    for (const id of [
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "then",
      "7",
      "a.b",
      "a b",
      "ключ",
      "'",
    ]) {
      const data = JSON.stringify(Object.fromEntries([[id, { polluted: "yes" }]]));
      const read = await reads([{ id, type: "x-any", label: "F" }], data);
      expect(JSON.stringify(read)).toBe(data);
      expect(await reads(text, data.replace(/^\{/, '{"name":"A",'))).toBe("422 validation_failed");
    }
  });

  test("the keys of a value may be those too", async () => {
    const data = '{"value":{"__proto__":{"polluted":"yes"}}}';
    expect(JSON.stringify(await reads(anything, data))).toBe(data);
    expect(await reads(text, '{"name":"A"}')).toEqual({ name: "A" });
  });

  test("nesting of 32 levels is taken, and one more is invalid_body", async () => {
    const nested = (levels: number) => `{"value":${"[".repeat(levels - 2)}1${"]".repeat(levels - 2)}}`;
    expect(JSON.stringify(await reads(anything, nested(32)))).toBe(nested(32));
    expect(await reads(anything, nested(33))).toBe("400 invalid_body");
    expect(await reads(anything, `{"value":"${"[".repeat(1000)}"}`)).toEqual({ value: "[".repeat(1000) });
  });

  const numbers: [literal: string, read: number | string][] = [
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992],
    ["-9007199254740992", -9007199254740992],
    ["9007199254740993", "422 validation_failed"],
    ["-9007199254740993", "422 validation_failed"],
    ["1e16", "422 validation_failed"],
    ["1e400", "422 validation_failed"],
    ["0.1", 0.1],
    ["5e-324", 5e-324],
    ["123456.789e-3", 123.456789],
    ["0.30000000000000004", 0.30000000000000004],
  ];
  test.each(numbers)("the number %s reads as %s, alone and inside", async (literal, expected) => {
    expect(await reads(anything, `{"value":${literal}}`)).toEqual(
      typeof expected === "number" ? { value: expected } : (expected as never),
    );
    const inside = { value: { list: [expected] } };
    expect(await reads(anything, `{"value":{"list":[${literal}]}}`)).toEqual(
      typeof expected === "number" ? inside : (expected as never),
    );
  });
});
