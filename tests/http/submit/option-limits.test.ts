// stacks: one
/** Options with a limit: the submit is exact, and the dry run and the published form say what is full. */
import { describe, expect, test } from "bun:test";
import { outcome, submissionCount } from "../../expect.ts";
import { ask, makeForm, type PublishedForm } from "../../setup.ts";
import { submissionsFixture } from "../submissions/fixture.ts";

const { app, team, read, patch, byKey, agentOn, ...fixture } = await submissionsFixture([]);
const day = {
  id: "day",
  type: "select",
  label: "Day",
  options: [{ value: "mon", label: "Monday", limit: 1 }, { value: "tue", limit: 2 }, "wed"],
};
const extras = {
  id: "extras",
  type: "multi_select",
  label: "Extras",
  options: [{ value: 1, limit: 1 }, { value: 2 }, { value: true, limit: 0 }],
};
const submit = (form: PublishedForm, data: object, headers = byKey(form), query = "") =>
  fixture.submit(headers, { data }, query);
const full = (field: string, expected: unknown[], constraint = "limit") =>
  expect.objectContaining({ field, code: "option_full", constraint, expected });

// The number of submissions that concurrent calls store is tested in tests/sql/option_limits.test.ts.
describe("an option that is full", () => {
  test("is 422 option_full on submit, with the options left; the dry run says it too", async () => {
    const form = await makeForm(app, team, [day, extras]);
    expect(outcome(await submit(form, { day: "mon", extras: [1, 2] }))).toBe("ok");
    const data = { day: "mon", extras: [2, 1] };
    const dry = (await fixture.validate(byKey(form), { data })).body.data;
    expect(dry.valid).toBe(false);
    for (const { errors } of [dry, (await submit(form, data)).body]) {
      expect(errors).toEqual([full("day", ["tue", "wed"]), full("extras", [2], "limit[1]")]);
      expect(errors[0].help).toEndWith("/developer/api/validation#option_full");
    }
    expect(outcome(await submit(form, { extras: [true] }))).toBe("422 validation_failed");
    expect(outcome(await submit(form, { day: "tue", extras: [2] }))).toBe("ok");
    expect(await submissionCount(app, form)).toBe(2);
  });

  test("is listed with the published form, whose JSON Schema names the limits and says that it is looser", async () => {
    const form = await makeForm(app, team, [day]);
    const headers = await agentOn(form);
    const readForm = async () => (await ask(app, "GET", "/papi/v1/submitter/form", { headers })).body.data;
    const before = await readForm();
    expect(before.form).not.toHaveProperty("fullOptions");
    expect(before.jsonSchema.properties.day).toMatchObject({
      description: 'Options that only so many submissions can have: "mon": 1, "tue": 2.',
      $comment: "Looser than the form, which also requires an option that is not full.",
    });
    await submit(form, { day: "mon" });
    expect((await readForm()).form.fullOptions).toEqual({ day: ["mon"] });
  });

  test("refuses a partial submission as well, and replays a stored one", async () => {
    const form = await makeForm(app, team, [day]);
    const keyed = { ...byKey(form), "idempotency-key": "once" };
    const first = await submit(form, { day: "mon" }, keyed);
    expect(outcome(first)).toBe("ok");
    expect((await submit(form, { day: "mon" }, keyed)).body).toEqual(first.body);
    const partial = async (option: string) =>
      await submit(form, { day: option }, await agentOn(form), "?partial=true");
    expect(outcome(await partial("tue"))).toBe("ok");
    expect((await partial("mon")).body.errors).toEqual([full("day", ["tue", "wed"])]);
    expect(await submissionCount(app, form)).toBe(2);
  });

  test("is 422 for an edit, with the options left, and changes nothing", async () => {
    const form = await makeForm(app, team, [day]);
    await submit(form, { day: "mon" });
    const row = await read({ formId: form.id, id: (await submit(form, { day: "wed" })).body.data.id });
    const refused = await patch(row, [["day", "mon"]]);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: "validation_failed", errors: [full("day", ["tue", "wed"])] });
    expect(refused.body).not.toHaveProperty("full");
    expect(await read(row)).toEqual(row);
    expect(outcome(await patch(row, [["day", "tue"]]))).toBe("ok");
  });
});
