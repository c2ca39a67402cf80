// stacks: one
import { describe, expect, test } from "bun:test";
import { outcome, submissionCount } from "../../expect.ts";
import { ask, type PublishedForm, permissive, type Reply, service } from "../../setup.ts";
import { askSigned, makeSigningAgent } from "../../signing.ts";
import {
  formsPath,
  submissionPath,
  submissionsFixture,
  submissionsPath,
  validationPath,
} from "../submissions/fixture.ts";

const past = "2026-01-01T00:00:00.000Z";
const future = "9000-01-01T00:00:00.000Z";
const body = { data: { name: "Ada" } };
const fields = [{ id: "name", type: "text", label: "Name", required: true }];
const { app, team, call, freshForm, agentOn, anonymousOn, publishAnew, ...fixture } =
  await submissionsFixture(fields, service(permissive));
const formWith = (availability: object) => freshForm({ availability });
const byKey = (form: PublishedForm) => fixture.byKey(form);
const submit = (form: PublishedForm, headers: Record<string, string> = {}, sent: unknown = body) =>
  fixture.submit({ ...byKey(form), ...headers }, sent);
const change = (form: PublishedForm, settings: object) =>
  call("PATCH", `${formsPath}/${form.id}`, { body: { operations: [{ op: "setMeta", settings }] } });

type Call = (form: PublishedForm, path: string) => Promise<Reply>;
/** Every kind of caller. */
const callers: Record<string, Call> = {
  "API key": (form, path) => ask(app, "POST", path, { headers: byKey(form), body }),
  agent: async (form, path) => ask(app, "POST", path, { headers: await agentOn(form), body }),
  "signed agent": async (form, path) => {
    const { key } = await makeSigningAgent(app, team, form);
    return await askSigned(app, path, { key, form, body });
  },
  respondent: async (form, path) => ask(app, "POST", path, { headers: await anonymousOn(form), body }),
};
const reasons: [reason: string, availability: object, extras: object, message: string][] = [
  ["not_open", { opensAt: future, closesAt: null }, { opensAt: future }, `The form opens at ${future}.`],
  ["closed", { closesAt: past }, { closesAt: past }, `The form closed at ${past}.`],
  ["full", { maxSubmissions: 1 }, {}, "The form is full."],
];

describe.each(reasons)("a form that is %s", (reason, availability, extras, message) => {
  test.each(Object.keys(callers))("refuses the %s: 403 form_closed with the reason", async (caller) => {
    const form = await formWith(availability);
    if (reason === "full") expect(outcome(await submit(form))).toBe("ok");
    for (const path of [submissionsPath, validationPath]) {
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

  test("does not count a refused submission of an agent in its rate limit", async () => {
    const form = await formWith({ closesAt: past });
    const headers = await agentOn(form);
    for (let count = 0; count < 3; count++)
      expect(outcome(await fixture.submit(headers, body))).toBe("403 form_closed");
    await change(form, { availability: null });
    await publishAnew(form);
    expect(outcome(await fixture.submit(headers, body))).toBe("ok");
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
    const partial = await fixture.submit(await agentOn(form), { data: {} }, "?partial=true");
    expect([outcome(partial), outcome(await submit(form)), outcome(await submit(form))]).toEqual([
      "ok",
      "ok",
      "403 form_closed",
    ]);
    const path = submissionPath({ formId: form.id, id: partial.body.data.id });
    expect((await call("DELETE", path)).status).toBe(200);
    expect([outcome(await submit(form)), outcome(await submit(form))]).toEqual(["ok", "403 form_closed"]);
  });
});
