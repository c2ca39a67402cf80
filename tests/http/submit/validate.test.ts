import { describe, expect, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { outcome, submissionCount } from "../../expect.ts";
import { asAgent, ask, makeAgent, makeForm, permissive, service } from "../../setup.ts";
import { submissionsFixture } from "../submissions/fixture.ts";

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

const { app, team, form, agentOn, anonymousOn, byKey, publishAnew, submit, validate } =
  await submissionsFixture(fields, service(permissive));
const agent = asAgent(form, await makeAgent(app, team, form));
const faults = (list: { field: string; code: string }[]) => list.map(({ field, code }) => `${field} ${code}`);

describe("the severity table, on both endpoints", () => {
  /**
   * Results of the dry run. Submit rejects each of these, and takes a partial submission where values are
   * missing.
   */
  type Row = [
    title: string,
    data: object,
    dry: { errors?: string[]; warnings?: string[]; missing?: string[] },
  ];
  const rows: Row[] = [
    ["a payload without an error", whole, {}],
    ["optional fields left empty", { ...whole, email: "", age: null, code: "  " }, {}],
    ["a required field missing", { terms: true }, { missing: ["name"] }],
    ["a required field null", { ...whole, name: null }, { missing: ["name"] }],
    ["a required field blank", { ...whole, name: " \t\n" }, { missing: ["name"] }],
    ["an empty payload", {}, { missing: ["name", "terms"] }],
    ["an unknown field", { ...whole, nick: "A" }, { warnings: ["nick unknown_field"] }],
    ["an unknown field that is null", { ...whole, nick: null }, { warnings: ["nick unknown_field"] }],
    ["a field id in another case", { ...whole, Name: "A" }, { warnings: ["Name unknown_field"] }],
    ["a value for a statement", { ...whole, intro: "x" }, { warnings: ["intro unknown_field"] }],
    ["a value in the wrong notation", { ...whole, email: "ada" }, { errors: ["email format"] }],
    ["a value of the wrong type", { ...whole, age: "30" }, { errors: ["age type_mismatch"] }],
    ["a value against the pattern", { ...whole, code: "ab" }, { errors: ["code pattern"] }],
    ["a value out of bounds", { ...whole, age: 17 }, { errors: ["age min_value"] }],
    ["no such option", { ...whole, color: "blue" }, { errors: ["color invalid_option"] }],
    ["a consent declined", { ...whole, terms: false }, { errors: ["terms not_accepted"] }],
    ["a required field malformed", { ...whole, name: 7 }, { errors: ["name type_mismatch"] }],
    [
      "everything at once",
      { email: "ada", nick: 1, terms: true, color: 3 },
      {
        errors: ["email format", "color type_mismatch"],
        warnings: ["nick unknown_field"],
        missing: ["name"],
      },
    ],
  ];

  test.each(rows)("%s", async (_title, data, { errors = [], warnings = [], missing = [] }) => {
    const before = await submissionCount(app, form);
    const dry = await validate(agent, { data });
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
      ["", [...errors, ...warnings, ...missing.map((field) => `${field} required`)]],
      ["?partial=true", [...errors, ...warnings]],
    ] as const) {
      const reply = await submit(await agentOn(form), { data }, query);
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
  });
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
  const data = (column: 2 | 3) => Object.fromEntries(table.map((row) => [row[0], row[column]]));

  const every = [
    ...table.map(([code, field]) => ({ id: code, label: code, ...field })),
    { id: "required", label: "R", type: "text", required: true },
  ];

  test("says field, code and message, helps with constraint and expected, and its link leads to an anchor that is there", async () => {
    const page = (await ask(app, "GET", "/developer/api/validation")).body;
    const who = await agentOn(await makeForm(app, team, every));
    const sent = { data: { ...data(2), unknown_field: 1 } };
    const dry = (await validate(who, sent)).body.data;
    const refused = await submit(who, sent);
    expect(outcome(refused)).toBe("422 validation_failed");
    const all = [...dry.errors, ...dry.warnings, ...refused.body.errors];
    expect(faults(dry.errors)).toEqual(table.map(([code]) => `${code} ${code}`));
    expect(faults(dry.warnings)).toEqual(["unknown_field unknown_field"]);
    expect(dry.missingRequired).toEqual(["required"]);
    expect(new Set(all.map(({ code }) => code))).toEqual(
      new Set([...table.map(([code]) => code), "unknown_field", "required"]),
    );
    const link = `${app.url.replace("127.0.0.1", "localhost")}/developer/api/validation`;
    for (const error of all) {
      const [field, message, help] = [expect.any(String), expect.any(String), `${link}#${error.code}`];
      expect(error).toMatchObject({ field, message, help });
      expect(page).toContain(` id="${error.code}"`);
      if (error.code !== "unknown_field") expect(Object.keys(error)).toContain("expected");
    }
    expect((await fetch(dry.errors[0].help)).status).toBe(200);
  });

  test("data may have a hundred members more than the form has fields, by its newest version", async () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
    const most = fields.length + limits.submission.maxUnknownFields;
    const sent = [{ data: many(most) }, { data: many(most + 1) }];
    for (const who of [await anonymousOn(form), byKey(form)]) {
      const outcomes = [];
      for (const body of sent)
        outcomes.push(outcome(await validate(who, body)), outcome(await submit(who, body)));
      expect(outcomes).toEqual(["ok", "422 validation_failed", "400 invalid_body", "400 invalid_body"]);
    }
    // Parts and rows, of which 1 MB has as many, and metadata.
    for (const body of [{ data: { name: many(50_000) } }, { data: {}, metadata: many(50_000) }])
      expect(outcome(await validate(agent, body))).toBe("400 invalid_body");
    const own = await makeForm(app, team, [{ id: "any", type: "x-json", label: "JSON" }]);
    expect(outcome(await validate(byKey(own), { data: { any: many(5_000) } }))).toBe("ok");
    const growing = await makeForm(app, team, [{ id: "k0", type: "integer", label: "K" }]);
    const who = await anonymousOn(growing);
    expect(outcome(await submit(who, { data: many(1) }))).toBe("ok");
    const added = Array.from({ length: 49 }, (_, i) => ({ id: `k${i + 1}`, type: "integer", label: "K" }));
    await publishAnew(growing, ...added.map((field) => ({ op: "addField", field })));
    // A server that still holds the version before allows 101.
    expect(outcome(await submit(who, { data: many(150) }))).toBe("422 validation_failed");
  });

  test("goes away when the value is fixed", async () => {
    const who = await agentOn(await makeForm(app, team, every));
    const { body } = await validate(who, { data: { ...data(3), required: "x" } });
    expect(body.data).toEqual({ valid: true, errors: [], warnings: [], missingRequired: [] });
  });
});
