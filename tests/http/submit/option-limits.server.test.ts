// stacks: one
/** Options with a limit: the submit is exact, and the dry run and the published form say what is full. */
import { beforeAll, describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import { outcome, submissionCount } from "../../expect.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const management = "/papi/v1/management/forms";
const submission = "/papi/v1/submitter/form/submissions";
const validation = "/papi/v1/submitter/form/validation";

let app: Service;
let team: Team;
beforeAll(async () => {
  app = await service({
    RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000",
    RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "100000",
  });
  team = await makeTeam(app);
});

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
const byKey = (form: PublishedForm) => ({ "x-form-access-key": form.accessKey, "x-api-key": team.key });
const send = (form: PublishedForm, data: object, path = submission, headers = byKey(form)) =>
  ask(app, "POST", path, { headers, body: { data } });
const owner = (method: string, form: PublishedForm, path: string, body?: unknown) =>
  ask(app, method, `${management}/${form.id}/submissions/${path}`, {
    headers: { "x-api-key": team.key },
    ...(body !== undefined && { body }),
  });
const full = (field: string, expected: unknown[], constraint = "limit") =>
  expect.objectContaining({ field, code: "option_full", constraint, expected });

describe("an option that is full", () => {
  test("is 422 option_full on submit, with the options left; the dry run says it too", async () => {
    const form = await makeForm(app, team, [day, extras]);
    expect(outcome(await send(form, { day: "mon", extras: [1, 2] }))).toBe("ok");
    for (const path of [submission, validation]) {
      const { body } = await send(form, { day: "mon", extras: [2, 1] }, path);
      const { errors, valid } = path === validation ? body.data : { ...body, valid: false };
      expect(valid).toBe(false);
      expect(errors).toEqual([full("day", ["tue", "wed"]), full("extras", [2], "limit[1]")]);
      expect(errors[0].help).toEndWith("/developer/api/validation#option_full");
    }
    expect(outcome(await send(form, { extras: [true] }))).toBe("422 validation_failed");
    expect(outcome(await send(form, { day: "tue", extras: [2] }))).toBe("ok");
    expect(await submissionCount(app, form)).toBe(2);
  });

  test("is listed with the published form, whose JSON Schema names the limits and says that it is looser", async () => {
    const form = await makeForm(app, team, [day]);
    const headers = asAgent(form, await makeAgent(app, team, form));
    const read = async () => (await ask(app, "GET", "/papi/v1/submitter/form", { headers })).body.data;
    const before = await read();
    expect(before.form).not.toHaveProperty("fullOptions");
    expect(before.jsonSchema.properties.day).toMatchObject({
      description: 'Options that only so many submissions can have: "mon": 1, "tue": 2.',
      $comment: "Looser than the form, which also requires an option that is not full.",
    });
    await send(form, { day: "mon" });
    expect((await read()).form.fullOptions).toEqual({ day: ["mon"] });
  });

  test("refuses a partial submission as well, and replays a stored one", async () => {
    const form = await makeForm(app, team, [day]);
    const agent = asAgent(form, await makeAgent(app, team, form));
    const other = asAgent(form, await makeAgent(app, team, form));
    const keyed = { ...byKey(form), "idempotency-key": "once" };
    const first = await send(form, { day: "mon" }, submission, keyed);
    expect(outcome(first)).toBe("ok");
    expect((await send(form, { day: "mon" }, submission, keyed)).body).toEqual(first.body);
    expect(outcome(await send(form, { day: "tue" }, `${submission}?partial=true`, agent as never))).toBe(
      "ok",
    );
    const refused = await send(form, { day: "mon" }, `${submission}?partial=true`, other as never);
    expect(refused.body.errors).toEqual([full("day", ["tue", "wed"])]);
    expect(await submissionCount(app, form)).toBe(2);
  });

  test("is free again after a deletion, and after an edit; an edit to a full one is 422 and changes nothing", async () => {
    const form = await makeForm(app, team, [day]);
    const [{ body: first }, { body: second }] = [
      await send(form, { day: "mon" }),
      await send(form, { day: "wed" }),
    ];
    const edit = async (id: string, value: unknown) => {
      const { updatedAt } = (await owner("GET", form, id)).body.data.submission;
      return await owner("PATCH", form, id, {
        expectedUpdatedAt: updatedAt,
        edits: [{ fieldId: "day", value }],
      });
    };
    const refused = await edit(second.data.id, "mon");
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: "validation_failed", errors: [full("day", ["tue", "wed"])] });
    expect(refused.body).not.toHaveProperty("full");
    expect(outcome(await edit(first.data.id, "tue"))).toBe("ok");
    expect(outcome(await edit(second.data.id, "mon"))).toBe("ok");
    expect(outcome(await edit(second.data.id, "mon"))).toBe("ok");
    expect(outcome(await send(form, { day: "mon" }))).toBe("422 validation_failed");
    expect(outcome(await owner("DELETE", form, second.data.id))).toBe("ok");
    expect(outcome(await send(form, { day: "mon" }))).toBe("ok");
  });

  test("is free for as many as a new version allows, and counts what there was before the limit", async () => {
    const form = await makeForm(app, team, [{ ...day, options: ["mon", "tue"] }]);
    for (let n = 0; n < 2; n++) expect(outcome(await send(form, { day: "mon" }))).toBe("ok");
    const limit = async (value: number) => {
      const set = { options: [{ value: "mon", limit: value }, "tue"] };
      const reply = await ask(app, "PATCH", `${management}/${form.id}`, {
        headers: { "x-api-key": team.key },
        body: { operations: [{ op: "updateField", fieldId: "day", set }] },
      });
      expect(outcome(reply)).toBe("ok");
      await publishForm(app.database.sql, cliActor, team.id, form.id);
    };
    await limit(2);
    expect(outcome(await send(form, { day: "mon" }))).toBe("422 validation_failed");
    await limit(3);
    expect(outcome(await send(form, { day: "mon" }))).toBe("ok");
    expect(outcome(await send(form, { day: "mon" }))).toBe("422 validation_failed");
  });
});

test("of 1,000 submits at once for an option with limit 100, exactly 100 are stored, and none is a 5xx", async () => {
  const form = await makeForm(app, team, [{ ...day, options: [{ value: "mon", limit: 100 }, "tue"] }]);
  const replies = await Promise.all(Array.from({ length: 1_000 }, () => send(form, { day: "mon" })));
  const outcomes = Object.groupBy(replies, outcome);
  expect(Object.entries(outcomes).map(([name, list]) => [name, list?.length])).toEqual(
    expect.arrayContaining([
      ["ok", 100],
      ["422 validation_failed", 900],
    ]),
  );
  expect(Object.keys(outcomes)).toHaveLength(2);
  expect(await submissionCount(app, form)).toBe(100);
}, 120_000);
