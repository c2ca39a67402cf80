// stacks: one
/** Fields that depend on others: what the routes say, and what is stored. */
import { describe, expect, test } from "bun:test";
import { makeForm } from "../../setup.ts";
import { submissionsFixture } from "../submissions/fixture.ts";

const text = (id: string, rest: object = {}) => ({ id, type: "text", label: id, ...rest });
const fields = [
  { id: "country", type: "select", label: "Country", options: ["DE", "FR"], required: true },
  text("vat", { showIf: "data.country == 'DE'", required: true }),
  { id: "price", type: "number", label: "Price" },
  { id: "total", type: "number", label: "Total", compute: "data.price * 2.0" },
  text("note", {
    requireIf: "data.total >= 10.0",
    rules: [{ rule: "data.note != data.vat", message: "Not the VAT number <b>again</b>." }],
  }),
];
const { app, form, team, byKey, read, editsOf, submitted, patch, ...fixture } =
  await submissionsFixture(fields);
const dryRun = (data: object, query = "") => fixture.validate(byKey(form), { data }, query);
const validate = async (data: object, query = "") => (await dryRun(data, query)).body.data;
const submit = (data: object) => fixture.submit(byKey(form), { data });
const codes = (errors: { field: string; code: string }[]) =>
  errors.map(({ field, code }) => `${field} ${code}`);

describe("the dry run", () => {
  test("says which fields apply, and warns about a value for another one", async () => {
    expect(await validate({ country: "DE" })).toEqual({
      valid: false,
      errors: [],
      warnings: [],
      missingRequired: ["vat"],
      applicable: ["country", "vat", "price", "total", "note"],
    });
    const result = await validate({ country: "FR", vat: "1" });
    expect(result).toMatchObject({
      valid: true,
      missingRequired: [],
      applicable: ["country", "price", "total", "note"],
    });
    expect(codes(result.warnings)).toEqual(["vat not_applicable"]);
    expect(result.warnings[0].message).toContain("Submit refuses");
  });
  test("says why a field is not asked for, when it is asked", async () => {
    const { notApplicable } = await validate({ country: "FR" }, "?explain=true");
    expect(notApplicable).toEqual([
      { field: "vat", showIf: "data.country == 'DE'", read: { country: "FR" } },
    ]);
    expect(await validate({ country: "FR" })).not.toHaveProperty("notApplicable");
    expect((await dryRun({}, "?explain=yes")).body.code).toBe("bad_request");
  });
  test("of a form without conditions says no more than before", async () => {
    const plain = await makeForm(app, team, [text("a")]);
    const reply = await fixture.validate(byKey(plain), { data: {} });
    expect(reply.body.data).toEqual({ valid: true, errors: [], warnings: [], missingRequired: [] });
  });
});

describe("submit", () => {
  test("stores the calculated value, and nothing for a field that does not apply", async () => {
    const row = await submitted({ country: "FR", price: 2, vat: null });
    expect((await read(row)).data).toEqual({ country: "FR", price: 2, total: 4 });
  });
  test.each([
    ["a value for a field that does not apply", { country: "FR", vat: "1" }, ["vat not_applicable"]],
    ["a field that applies and is required", { country: "DE" }, ["vat required"]],
    ["a value that a condition requires", { country: "FR", price: 5 }, ["note required"]],
    ["another calculated value", { country: "FR", price: 2, total: 5 }, ["total computed"]],
    ["a broken rule", { country: "DE", vat: "1", note: "1" }, ["note rule"]],
  ])("refuses %s", async (_, data, wanted) => {
    const { status, body } = await submit(data);
    expect([status, codes(body.errors)]).toEqual([422, wanted]);
  });
  test("a rule has its owner's message and a help link", async () => {
    const { body } = await submit({ country: "DE", vat: "1", note: "1" });
    expect(body.errors[0]).toMatchObject({
      message: "Not the VAT number <b>again</b>.",
      constraint: "rules[0]",
      help: expect.stringContaining("#rule"),
    });
  });
  test("of a part: what no condition asks for yet is not missing", async () => {
    const row = await submitted({ price: 1 }, { partial: true });
    expect(await read(row)).toMatchObject({ status: "partial", data: { price: 1, total: 2 } });
  });
});

describe("an owner's edit", () => {
  const whole = { country: "DE", vat: "1", price: 2 };
  test("may not leave a value where it no longer applies, and the same edit may remove it (formio.js#2352)", async () => {
    const row = await submitted(whole);
    const refused = await patch(row, [["country", "FR"]]);
    expect([refused.status, codes(refused.body.errors)]).toEqual([422, ["vat not_applicable"]]);
    const reply = await patch(row, [
      ["country", "FR"],
      ["vat", null],
    ]);
    expect(reply.body.data.submission.data).toEqual({ country: "FR", price: 2, total: 4 });
  });
  test("has calculated values calculated again, with a record", async () => {
    const row = await submitted(whole);
    const reply = await patch(row, [["price", 3]]);
    expect(reply.body.data.submission.data).toEqual({ ...whole, price: 3, total: 6 });
    const { edits } = await editsOf(row);
    expect(edits.map(({ fieldId }: { fieldId: string }) => fieldId).sort()).toEqual(["price", "total"]);
  });
  test.each<[string, [string, unknown][], string[]]>([
    ["make another field required", [["price", 5]], ["note required"]],
    ["break a rule", [["note", "1"]], ["note rule"]],
    ["set a calculated value", [["total", 1]], ["total computed"]],
  ])("may not %s", async (_, edits, wanted) => {
    const { status, body } = await patch(await submitted(whole), edits);
    expect([status, codes(body.errors)]).toEqual([422, wanted]);
  });
});
