// stacks: one
import { beforeAll, describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishSettings } from "../../../src/resources/forms/publish.ts";
import { outcome, submissionCount } from "../../expect.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Reply,
  type Service,
  service,
  type Team,
} from "../../setup.ts";
import { askSigned, makeSigningAgent } from "../../signing.ts";

const management = "/papi/v1/management/forms";
const submission = "/papi/v1/submitter/form/submissions";
const validation = "/papi/v1/submitter/form/validation";
const past = "2026-01-01T00:00:00.000Z";
const future = "9000-01-01T00:00:00.000Z";
const body = { data: { name: "Ada" } };

let app: Service;
let team: Team;

beforeAll(async () => {
  app = await service({
    FEATURE_AGENT_SIGNING: "true",
    RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000",
    RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "100000",
  });
  team = await makeTeam(app);
});

const formWith = (availability: object) =>
  makeForm(app, team, [{ id: "name", type: "text", label: "Name", required: true }], {
    settings: { availability },
  });
const byKey = (form: PublishedForm) => ({ "x-form-access-key": form.accessKey, "x-api-key": team.key });
const submit = (form: PublishedForm, headers: Record<string, string> = {}, sent: unknown = body) =>
  ask(app, "POST", submission, { headers: { ...byKey(form), ...headers }, body: sent });
const change = (form: PublishedForm, settings: object) =>
  ask(app, "PATCH", `${management}/${form.id}`, {
    headers: { "x-api-key": team.key },
    body: { operations: [{ op: "setMeta", settings }] },
  });

type Call = (form: PublishedForm, path: string) => Promise<Reply>;
/** Every kind of caller. */
const callers: Record<string, Call> = {
  "API key": (form, path) => ask(app, "POST", path, { headers: byKey(form), body }),
  agent: async (form, path) =>
    ask(app, "POST", path, { headers: asAgent(form, await makeAgent(app, team, form)), body }),
  "signed agent": async (form, path) => {
    const { key } = await makeSigningAgent(app, team, form);
    return await askSigned(app, path, { key, form, body });
  },
  respondent: async (form, path) => {
    const session = await ask(app, "POST", "/papi/v1/auth/anonymous", {
      headers: { "x-form-access-key": form.accessKey },
    });
    return await ask(app, "POST", path, { headers: asAgent(form, session.body.data), body });
  },
};
const reasons: [reason: string, availability: object, extras: object, message: string][] = [
  ["not_open", { opensAt: future, closesAt: null }, { opensAt: future }, `The form opens at ${future}.`],
  ["closed", { closesAt: past }, { closesAt: past }, `The form closed at ${past}.`],
  ["full", { maxSubmissions: 1 }, {}, "The form has as many submissions as it accepts."],
];

describe.each(reasons)("a form that is %s", (reason, availability, extras, message) => {
  test.each(Object.keys(callers))("refuses the %s: 403 form_closed with the reason", async (caller) => {
    const form = await formWith(availability);
    if (reason === "full") expect(outcome(await submit(form))).toBe("ok");
    for (const path of [submission, validation]) {
      const reply = await (callers[caller] as Call)(form, path);
      expect(reply.status).toBe(403);
      expect(reply.body).toMatchObject({ code: "form_closed", reason, ...extras, error: message });
    }
    expect(await submissionCount(app, form)).toBe(reason === "full" ? 1 : 0);
  });
});

describe("availability", () => {
  test("is live: a change opens and closes the form", async () => {
    const form = await formWith({ opensAt: past, closesAt: future });
    expect(outcome(await submit(form))).toBe("ok");
    await change(form, { availability: { closesAt: "2026-06-01T00:00:00+02:00" } });
    expect((await submit(form)).body).toMatchObject({
      code: "form_closed",
      closesAt: "2026-05-31T22:00:00.000Z",
    });
    await change(form, { availability: null });
    expect(outcome(await submit(form))).toBe("ok");
  });

  test("is checked after the status of the form and the credentials, before the data", async () => {
    const form = await formWith({ closesAt: past });
    expect(outcome(await submit(form, {}, { data: { name: 7 } }))).toBe("403 form_closed");
    expect(outcome(await submit(form, {}, "no JSON"))).toBe("403 form_closed");
    expect(outcome(await submit(form, { "x-api-key": "fdk_wrong" }))).toBe("401 unauthorized");
    await app.database
      .sql`update formd.forms set status = 'archived', archived_at = now() where id = ${form.id}`;
    expect(outcome(await submit(form))).toBe("403 form_not_published");
  });

  test("does not count a refused submission of an agent in its rate limit", async () => {
    const form = await formWith({ closesAt: past });
    const headers = asAgent(form, await makeAgent(app, team, form));
    for (let count = 0; count < 3; count++)
      expect(outcome(await ask(app, "POST", submission, { headers, body }))).toBe("403 form_closed");
    await change(form, { availability: null });
    await publishSettings(app.database.sql, cliActor, team.id, form.id);
    expect(outcome(await ask(app, "POST", submission, { headers, body }))).toBe("ok");
  });

  test("who repeats a stored submission gets its response, also from a closed form", async () => {
    const form = await formWith({ maxSubmissions: 1 });
    const key = { "idempotency-key": "order-1" };
    const first = await submit(form, key);
    expect([outcome(first), (await submit(form, key)).body]).toEqual(["ok", first.body]);
    await change(form, { availability: { closesAt: past } });
    expect((await submit(form, key)).body).toEqual(first.body);
    expect(outcome(await submit(form, { "idempotency-key": "order-2" }))).toBe("403 form_closed");
  });
});

describe("maxSubmissions", () => {
  test("200 submissions at once fill a form exactly", async () => {
    const form = await formWith({ maxSubmissions: 37 });
    const replies = await Promise.all(Array.from({ length: 200 }, () => submit(form)));
    const outcomes = Map.groupBy(replies, outcome);
    expect([outcomes.get("ok")?.length, outcomes.get("403 form_closed")?.length]).toEqual([37, 163]);
    expect(await submissionCount(app, form)).toBe(37);
  });

  test("counts submissions of any status, until they are deleted", async () => {
    const form = await formWith({ maxSubmissions: 2 });
    const headers = asAgent(form, await makeAgent(app, team, form));
    const partial = await ask(app, "POST", `${submission}?partial=true`, { headers, body: { data: {} } });
    expect([outcome(partial), outcome(await submit(form)), outcome(await submit(form))]).toEqual([
      "ok",
      "ok",
      "403 form_closed",
    ]);
    const path = `${management}/${form.id}/submissions/${partial.body.data.id}`;
    expect((await ask(app, "DELETE", path, { headers: { "x-api-key": team.key } })).status).toBe(200);
    expect([outcome(await submit(form)), outcome(await submit(form))]).toEqual(["ok", "403 form_closed"]);
  });
});
