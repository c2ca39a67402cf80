import { beforeAll, describe, expect, test } from "bun:test";
import { outcome, submissionCount } from "../../expect.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const validation = "/papi/v1/submitter/form/validation";
const submission = "/papi/v1/submitter/form/submissions";

let app: Service;
let team: Team;
let form: PublishedForm;
let agent: Agent;

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "terms", type: "consent", label: "Terms", required: true },
  { id: "email", type: "email", label: "E-mail" },
  { id: "age", type: "integer", label: "Age", minimum: 18 },
  { id: "code", type: "text", label: "Code", pattern: "^[A-Z]{2}$" },
  { id: "color", type: "select", label: "Color", options: ["red", "green"] },
  { id: "intro", type: "statement", label: "Hello" },
];
const whole = { name: "Ada", terms: true };

beforeAll(async () => {
  app = await service(permissive);
  team = await makeTeam(app);
  form = await makeForm(app, team, fields);
  agent = await makeAgent(app, team, form);
});

const validate = (body: unknown, who: { token: string } = agent, to = form) =>
  ask(app, "POST", validation, { headers: asAgent(to, who), body });
const submit = async (body: unknown, query = "") =>
  ask(app, "POST", submission + query, { headers: asAgent(form, await makeAgent(app, team, form)), body });
const faults = (list: { field: string; code: string }[]) => list.map(({ field, code }) => `${field} ${code}`);

describe("the severity table, on both endpoints", () => {
  // What the dry run says, what submit says to the whole row, and what it says with partial=true.
  type Row = [
    title: string,
    data: object,
    dry: { errors?: string[]; warnings?: string[]; missing?: string[] },
    submit: string[],
    partial: string[],
  ];
  const rows: Row[] = [
    ["a payload without a fault", whole, {}, [], []],
    ["optional fields left empty", { ...whole, email: "", age: null, code: "  " }, {}, [], []],
    ["a required field missing", { terms: true }, { missing: ["name"] }, ["name required"], []],
    ["a required field null", { ...whole, name: null }, { missing: ["name"] }, ["name required"], []],
    ["a required field blank", { ...whole, name: " \t\n" }, { missing: ["name"] }, ["name required"], []],
    ["an empty payload", {}, { missing: ["name", "terms"] }, ["name required", "terms required"], []],
    [
      "an unknown field",
      { ...whole, nick: "A" },
      { warnings: ["nick unknown_field"] },
      ["nick unknown_field"],
      ["nick unknown_field"],
    ],
    [
      "an unknown field that is null",
      { ...whole, nick: null },
      { warnings: ["nick unknown_field"] },
      ["nick unknown_field"],
      ["nick unknown_field"],
    ],
    [
      "a field id in another case",
      { ...whole, Name: "A" },
      { warnings: ["Name unknown_field"] },
      ["Name unknown_field"],
      ["Name unknown_field"],
    ],
    [
      "a value for a statement",
      { ...whole, intro: "x" },
      { warnings: ["intro unknown_field"] },
      ["intro unknown_field"],
      ["intro unknown_field"],
    ],
    [
      "a value in the wrong notation",
      { ...whole, email: "ada" },
      { errors: ["email format"] },
      ["email format"],
      ["email format"],
    ],
    [
      "a value of the wrong type",
      { ...whole, age: "30" },
      { errors: ["age type_mismatch"] },
      ["age type_mismatch"],
      ["age type_mismatch"],
    ],
    [
      "a value against the pattern",
      { ...whole, code: "ab" },
      { errors: ["code pattern"] },
      ["code pattern"],
      ["code pattern"],
    ],
    [
      "a value out of bounds",
      { ...whole, age: 17 },
      { errors: ["age min_value"] },
      ["age min_value"],
      ["age min_value"],
    ],
    [
      "no such option",
      { ...whole, color: "blue" },
      { errors: ["color invalid_option"] },
      ["color invalid_option"],
      ["color invalid_option"],
    ],
    [
      "a consent declined",
      { ...whole, terms: false },
      { errors: ["terms not_accepted"] },
      ["terms not_accepted"],
      ["terms not_accepted"],
    ],
    [
      "a required field malformed",
      { ...whole, name: 7 },
      { errors: ["name type_mismatch"] },
      ["name type_mismatch"],
      ["name type_mismatch"],
    ],
    [
      "everything at once",
      { email: "ada", nick: 1, terms: true, color: 3 },
      {
        errors: ["email format", "color type_mismatch"],
        warnings: ["nick unknown_field"],
        missing: ["name"],
      },
      ["email format", "color type_mismatch", "nick unknown_field", "name required"],
      ["email format", "color type_mismatch", "nick unknown_field"],
    ],
  ];

  test.each(rows)(
    "%s",
    async (_title, data, { errors = [], warnings = [], missing = [] }, whenWhole, whenPartial) => {
      const before = await submissionCount(app, form);
      const dry = await validate({ data });
      expect(dry.status).toBe(200);
      expect(Object.keys(dry.body.data).sort()).toEqual(["errors", "missingRequired", "valid", "warnings"]);
      expect({
        ...dry.body.data,
        errors: faults(dry.body.data.errors),
        warnings: faults(dry.body.data.warnings),
      }).toEqual({
        valid: errors.length === 0 && missing.length === 0,
        errors,
        warnings,
        missingRequired: missing,
      });
      expect(await submissionCount(app, form)).toBe(before);

      let rowsNow = before;
      for (const [query, expected] of [
        ["", whenWhole],
        ["?partial=true", whenPartial],
      ] as const) {
        const reply = await submit({ data }, query);
        if (expected.length > 0) {
          expect(outcome(reply)).toBe("422 validation_failed");
          expect(faults(reply.body.errors).sort()).toEqual(expected.toSorted());
          expect(reply.body.data).toBeUndefined();
        } else {
          rowsNow++;
          expect(reply.body).toEqual({
            apiVersion: "v1",
            data: {
              id: expect.any(String),
              status: query ? "partial" : "completed",
              missingRequired: query ? missing : [],
            },
          });
        }
        expect(await submissionCount(app, form)).toBe(rowsNow);
      }
    },
  );
});

describe("a FieldError", () => {
  // One field for each code: what it refuses, what it takes.
  const table: [code: string, field: object, refused: unknown, accepted: unknown][] = [
    ["type_mismatch", { type: "number" }, "30", 30],
    ["format", { type: "date" }, "2025-02-29", "2024-02-29"],
    ["pattern", { type: "text", pattern: "^a+$" }, "b", "aa"],
    ["min_length", { type: "text", minLength: 3 }, "ab", "abc"],
    ["max_length", { type: "text", maxLength: 2 }, "abc", "😀😀"],
    [
      "domain_not_allowed",
      { type: "email", allowedDomains: ["example.com"] },
      "a@example.org",
      "a@example.com",
    ],
    ["min_value", { type: "number", minimum: 1 }, 0, 1],
    ["max_value", { type: "nps" }, 11, 0],
    ["step", { type: "number", multipleOf: 0.1 }, 0.25, 0.3],
    ["not_accepted", { type: "consent", required: true }, false, true],
    ["invalid_option", { type: "select", options: ["a"] }, "b", "a"],
    ["duplicate_item", { type: "multi_select", options: ["a", "b"] }, ["a", "a"], ["b", "a"]],
    ["min_items", { type: "multi_select", options: ["a", "b"], minItems: 2 }, ["a"], ["a", "b"]],
    ["max_items", { type: "multi_select", options: ["a", "b"], maxItems: 1 }, ["a", "b"], ["b"]],
    ["incomplete_ranking", { type: "ranking", options: ["a", "b"], rankAll: true }, ["a"], ["b", "a"]],
    ["required_part", { type: "address", requiredParts: ["city"] }, { line1: "1 Main St" }, { city: "Bonn" }],
    [
      "incomplete_matrix",
      { type: "matrix", rows: ["r", "s"], columns: ["c"], allRows: true },
      { r: "c" },
      { r: "c", s: "c" },
    ],
  ];
  let every: PublishedForm;
  let page: string;
  beforeAll(async () => {
    every = await makeForm(app, team, [
      ...table.map(([code, field]) => ({ id: code, label: code, ...field })),
      { id: "required", label: "R", type: "text", required: true },
    ]);
    page = (await ask(app, "GET", "/developer/api/validation")).body;
  });
  const data = (column: 2 | 3) => Object.fromEntries(table.map((row) => [row[0], row[column]]));

  test("says field, code and message, helps with constraint and expected, and its link leads to an anchor that is there", async () => {
    const who = await makeAgent(app, team, every);
    const dry = (await validate({ data: { ...data(2), unknown_field: 1 } }, who, every)).body.data;
    const refused = await ask(app, "POST", submission, {
      headers: asAgent(every, who),
      body: { data: { ...data(2), unknown_field: 1 } },
    });
    expect(outcome(refused)).toBe("422 validation_failed");
    const all = [...dry.errors, ...dry.warnings, ...refused.body.errors];
    expect(faults(dry.errors)).toEqual(table.map(([code]) => `${code} ${code}`));
    expect(faults(dry.warnings)).toEqual(["unknown_field unknown_field"]);
    expect(dry.missingRequired).toEqual(["required"]);
    expect(new Set(all.map(({ code }) => code))).toEqual(
      new Set([...table.map(([code]) => code), "unknown_field", "required"]),
    );
    const base = app.url.replace("127.0.0.1", "localhost");
    for (const error of all) {
      expect([typeof error.field, typeof error.code, typeof error.message]).toEqual([
        "string",
        "string",
        "string",
      ]);
      expect(error.help).toBe(`${base}/developer/api/validation#${error.code}`);
      expect(page).toContain(` id="${error.code}"`);
      if (error.code !== "unknown_field") expect(Object.keys(error)).toContain("expected");
    }
    expect((await fetch(dry.errors[0].help)).status).toBe(200);
  });

  test("goes away when the value is mended", async () => {
    const who = await makeAgent(app, team, every);
    const { body } = await validate({ data: { ...data(3), required: "x" } }, who, every);
    expect(body.data).toEqual({ valid: true, errors: [], warnings: [], missingRequired: [] });
  });
});
