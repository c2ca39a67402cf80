import { describe, expect, test } from "bun:test";
import { timestamp, unknownId } from "../../expect.ts";
import { makeForm } from "../../setup.ts";
import {
  type Edit,
  fieldErrorsOf,
  formsPath,
  statusAndCode,
  submissionPath,
  submissionsFixture,
} from "./fixture.ts";

const route = `${formsPath}/{form_id}/submissions/{submission_id}`;
const fields = [
  { id: "a", type: "text", label: "A", required: true, maxLength: 20 },
  { id: "n", type: "number", label: "N" },
  { id: "mail", type: "email", label: "Mail" },
  { id: "where", type: "address", label: "Where" },
  { id: "any", type: "x-any", label: "Any" },
];
const { app, team, freshForm, publishAnew, archive, call, read, editsOf, submitted, patch, edited } =
  await submissionsFixture(fields);

describe(`PATCH ${route}`, () => {
  test("returns the whole record, as GET does afterwards", async () => {
    const row = await submitted({ a: "x", n: 1 });
    const reply = await patch(row, [
      ["a", "y"],
      ["n", null],
      ["any", { deep: [1] }],
    ]);
    expect(reply.body).toEqual({
      apiVersion: "v1",
      data: {
        submission: {
          ...row,
          data: { a: "y", any: { deep: [1] } },
          updatedAt: expect.stringMatching(timestamp),
        },
      },
    });
    expect(await read(row)).toEqual(reply.body.data.submission);
  });

  test("a row grows by edits as far as a body may be large, and shrinks again", async () => {
    const more = ["any0", "any1"].map((id) => ({ id, type: "x-any", label: "Any" }));
    const form = await makeForm(app, team, [...fields, ...more]);
    let row = await submitted({ a: "x", any: "y".repeat(600_000) }, { to: form });
    expect(statusAndCode(await patch(row, [["any0", "y".repeat(600_000)]]))).toEqual([
      413,
      "payload_too_large",
    ]);
    row = await edited(row, ["any", Array(60_000).fill(1)]);
    expect(statusAndCode(await patch(row, [["any1", Array(60_000).fill(1)]]))).toEqual([400, "invalid_body"]);
    await edited(row, ["any", null], ["any1", Array(60_000).fill(1)]);
    const large = JSON.stringify({ a: "x", any: "y".repeat(1_100_000) });
    const { sql } = app.database;
    await sql`update formd.submissions set data = ${large}::text::jsonb where id = ${row.id}`;
    row = await read(row);
    expect(statusAndCode(await patch(row, [["n", 1]]))).toEqual([413, "payload_too_large"]);
    await edited(row, ["a", "z"]);
  });

  test("each updatedAt is valid for one edit: a stale one is 409 with the current, and leaves nothing", async () => {
    const stale = await submitted();
    const row = await edited(stale, ["n", 1]);
    expect(row.updatedAt > stale.updatedAt).toBe(true);
    expect(await patch(stale, [["n", 99]])).toMatchObject({
      status: 409,
      body: { code: "conflict", current: { updatedAt: row.updatedAt } },
    });
    expect(await read(row)).toEqual(row);
    expect(await editsOf(row)).toMatchObject({ edits: [{ newValue: 1 }], pagination: { total: 1 } });
  });

  test("expectedUpdatedAt is an instant: any spelling of it is equal, and any other text is 400", async () => {
    const row = await submitted();
    for (const updatedAt of [`${row.updatedAt} `, "", "yesterday", "2026-02-30T00:00:00Z"])
      expect(statusAndCode(await patch({ ...row, updatedAt }, [["a", "y"]]))).toEqual([400, "invalid_body"]);
    expect(await read(row)).toEqual(row);
    const oneHourOn = new Date(Date.parse(row.updatedAt) + 3_600_000).toISOString().replace("Z", "+01:00");
    for (const updatedAt of [
      row.updatedAt.replace("Z", "+00:00"),
      row.updatedAt.toLowerCase(),
      row.updatedAt.replace("Z", "000Z"),
      oneHourOn,
    ])
      expect(await patch({ ...row, updatedAt }, [["a", row.data.a]])).toMatchObject({ status: 200 });
  });

  test("values are validated as on submit: all field errors at once, with help, and nothing changes", async () => {
    const row = await submitted();
    const reply = await patch(row, [
      ["n", "1"],
      ["mail", "nobody"],
      ["a", "x".repeat(21)],
      ["other", 1],
      ["any", "fine"],
    ]);
    expect(fieldErrorsOf(reply)).toEqual([
      ["n", "type_mismatch"],
      ["mail", "format"],
      ["a", "max_length"],
      ["other", "unknown_field"],
    ]);
    for (const { code, help } of reply.body.errors)
      expect(help).toEndWith(`/developer/api/validation#${code}`);
    expect(await read(row)).toEqual(row);
    expect((await editsOf(row)).edits).toEqual([]);
  });

  test.each([
    ['{"fieldId":"n","value":9007199254740993}', "n", "type_mismatch"],
    ['{"fieldId":"n","value":1e400}', "n", "type_mismatch"],
    ['{"fieldId":"any","value":{"deep":[9007199254740993]}}', "any", "type_mismatch"],
    ['{"fieldId":"any","value":["\\u0000"]}', "any", "format"],
    ['{"fieldId":"a","value":"x\\u0000"}', "a", "format"],
    ['{"fieldId":"a","value":"\\ud800"}', "a", "format"],
    ['{"fieldId":"other","value":9007199254740993}', "other", "unknown_field"],
  ])("an unstorable value is 422: %s", async (edit, field, code) => {
    const row = await submitted();
    const body = `{"expectedUpdatedAt":"${row.updatedAt}","edits":[${edit}]}`;
    expect(fieldErrorsOf(await call("PATCH", submissionPath(row), { body }))).toEqual([[field, code]]);
    expect(await read(row)).toEqual(row);
  });

  test.each([[null], [""], [" \t\n"], [[]], [{}]])(
    "%j removes an optional field, and is 422 required for one that a completed row needs",
    async (empty) => {
      const row = await edited(await submitted({ a: "x", any: 1 }), ["any", empty]);
      expect(row.data).toEqual({ a: "x" });
      expect(fieldErrorsOf(await patch(row, [["a", empty]]))).toEqual([["a", "required"]]);
    },
  );

  test("a value whose parts are all empty removes too", async () => {
    const full = await submitted({ a: "x", where: { city: "Rome" } });
    const row = await edited(full, ["where", { city: " ", line1: "" }]);
    expect(row.data).toEqual({ a: "x" });
  });

  test("removing an absent value, or setting the present one, changes neither data nor updatedAt nor audit", async () => {
    const row = await submitted({ a: "x", any: { k: [1, { l: null }] } });
    expect(
      await edited(
        row,
        ["n", null],
        ["mail", ""],
        ["other", null],
        ["__proto__", null],
        ["a", "x"],
        ["any", { k: [1, { l: null }] }],
      ),
    ).toEqual(row);
    expect(await editsOf(row)).toEqual({
      edits: [],
      erasure: null,
      pagination: { page: 1, limit: 20, total: 0, next: null },
    });
    // Only what changes is recorded.
    await edited(row, ["a", "x"], ["n", 5]);
    expect((await editsOf(row)).edits).toMatchObject([{ fieldId: "n", oldValue: null, newValue: 5 }]);
  });

  test("a partial row becomes completed once it is complete; before that a required value may be removed", async () => {
    const row = await submitted({ n: 1 }, { partial: true });
    const still = await edited(row, ["n", 2], ["a", null]);
    expect(still.status).toBe("partial");
    const whole = await edited(still, ["a", "x"]);
    expect(whole.status).toBe("completed");
    expect(statusAndCode(await patch(whole, [["a", null]]))).toEqual([422, "validation_failed"]);
  });

  test("a complete partial row keeps its status while nothing changes", async () => {
    const row = await submitted({ a: "x" }, { partial: true });
    expect(await edited(row, ["a", "x"])).toEqual(row);
    expect(await edited(row, ["n", 1])).toMatchObject({ status: "completed" });
  });

  test("with settings.review.required a complete partial row becomes pending, and its required values cannot be removed", async () => {
    const reviewed = await freshForm({ review: { required: true } });
    const row = await edited(await submitted({}, { to: reviewed, partial: true }), ["a", "x"]);
    expect(row.status).toBe("pending");
    expect(fieldErrorsOf(await patch(row, [["a", null]]))).toEqual([["a", "required"]]);
    expect(await edited(row, ["n", 1])).toMatchObject({ status: "pending" });
  });

  test("values are validated by the row's own form version, also after the next publish and when the form is archived", async () => {
    const moving = await makeForm(app, team, [{ id: "old", type: "text", label: "Old", required: true }]);
    const row = await submitted({ old: "x" }, { to: moving });
    await publishAnew(
      moving,
      { op: "removeField", fieldId: "old" },
      { op: "addField", field: { id: "new", type: "text", label: "New", required: true } },
    );
    await archive(moving);
    expect(fieldErrorsOf(await patch(row, [["new", "y"]]))).toEqual([["new", "unknown_field"]]);
    expect(await edited(row, ["old", "y"])).toMatchObject({
      data: { old: "y" },
      formVersion: 1,
      status: "completed",
    });
  });

  const edit = { fieldId: "a", value: "y" };
  const expectedUpdatedAt = "2026-11-20T09:00:00.123Z";
  const withEdits = (edits: unknown, more: object = {}) => ({ expectedUpdatedAt, edits, ...more });
  const withEdit = (json: string, more = "") =>
    `{"expectedUpdatedAt":"${expectedUpdatedAt}","edits":[${json}]${more}}`;
  test.each<[string, unknown]>([
    ["no edits", { expectedUpdatedAt }],
    ["an empty list of edits", withEdits([])],
    ["101 edits", withEdits(Array.from({ length: 101 }, (_, n) => ({ fieldId: `f${n}`, value: 1 })))],
    ["edits that are no list", withEdits(edit)],
    ["no token", { edits: [edit] }],
    ["a token that is no string", { expectedUpdatedAt: Date.parse(expectedUpdatedAt), edits: [edit] }],
    ["another property", withEdits([edit], { status: "completed" })],
    ["__proto__ as another property", withEdit('{"fieldId":"a","value":1}', ',"__proto__":{"x":1}')],
    ["another property of an edit", withEdits([{ ...edit, op: "set" }])],
    ["__proto__ in an edit", withEdit('{"fieldId":"a","value":1,"__proto__":1}')],
    ["an edit without a value", withEdits([{ fieldId: "a" }])],
    ["an edit without a field", withEdits([{ value: 1 }])],
    ["a field that is no string", withEdits([{ fieldId: 1, value: 1 }])],
    ["one field twice", withEdits([edit, { fieldId: "a", value: null }])],
    ["a field id with U+0000", withEdit('{"fieldId":"a\\u0000","value":1}')],
    ["a key with U+0000 in a value", withEdit('{"fieldId":"any","value":{"\\u0000":1}}')],
    ["a list", []],
    ["null", "null"],
    ["no JSON", "{"],
  ])("%s is 400 invalid_body, before the row is read", async (_, body) => {
    const row = await submitted();
    for (const at of [row, { id: unknownId, formId: unknownId }])
      expect(statusAndCode(await call("PATCH", submissionPath(at), { body }))).toEqual([400, "invalid_body"]);
    expect(await read(row)).toEqual(row);
  });

  test("a hundred edits are accepted, and recorded in order with one request id", async () => {
    const many = await makeForm(
      app,
      team,
      Array.from({ length: 100 }, (_, n) => ({ id: `f${n}`, type: "integer", label: "F" })),
    );
    const row = await submitted({ f0: 1 }, { to: many });
    await edited(row, ...Array.from({ length: 100 }, (_, n): Edit => [`f${n}`, n * 2]));
    const { edits, pagination } = await editsOf(row, "?limit=100");
    expect(pagination).toEqual({ page: 1, limit: 100, total: 100, next: null });
    expect(edits.map(({ fieldId }: { fieldId: string }) => fieldId)).toEqual(
      Array.from({ length: 100 }, (_, n) => `f${99 - n}`),
    );
    expect(new Set(edits.map(({ requestId }: { requestId: string }) => requestId)).size).toBe(1);
    expect((await editsOf(row, "?limit=30&page=4")).edits).toEqual(edits.slice(90));
  });
});
