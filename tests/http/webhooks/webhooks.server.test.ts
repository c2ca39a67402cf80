// stacks: one months citus gate
import { beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { eventTypes as allEvents } from "../../../src/resources/webhooks/shapes.ts";
import { outcome, timestamp, unknownId, until, uuid } from "../../expect.ts";
import {
  ask,
  formd,
  makeForm,
  makeKey,
  makeTeam,
  makeWorkspace,
  type PublishedForm,
  type Service,
  service,
  settingsFor,
  type Team,
} from "../../setup.ts";
import { local, type Receiver, receiver } from "./receiver.ts";

let team: Team;
let form: PublishedForm;
const app = await service({ ...local, RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000" });
const other = await makeTeam(app);
// A workspace has few webhooks.
beforeEach(async () => {
  team = await makeTeam(app);
  form = await makeForm(app, team, []);
});

const path = "/papi/v1/management/webhooks";
const call = (method: string, to = "", body?: unknown, key = team.key) =>
  ask(app, method, path + to, { headers: { "x-api-key": key }, body });
const eventTypes = ["submission.created"];

async function create(to: Receiver, more: object = {}, key = team.key) {
  const reply = await call("POST", "", { url: to.url, eventTypes, ...more }, key);
  expect(outcome(reply)).toBe("ok");
  return reply.body.data as { webhook: { id: string }; secrets: { secret: string; publicKey: string } };
}

const submit = async (to = form, key = team.key, data = {}): Promise<string> => {
  const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": to.accessKey, "x-api-key": key },
    body: { data },
  });
  expect(outcome(reply)).toBe("ok");
  return reply.body.data.id;
};

const deliveriesOf = async (id: string, query = ""): Promise<Record<string, unknown>[]> =>
  (await call("GET", `/${id}/deliveries${query}`)).body.data.deliveries;

describe("a submission", () => {
  test("is sent to a webhook of its form within a second, and to none of another team", async () => {
    const [ours, theirs] = [await receiver(), await receiver()];
    await create(ours, { formId: form.id });
    await create(theirs, {}, other.key);
    // The quickest of several, since a busy machine may keep one waiting.
    const times = [];
    for (let n = 1; n <= 6; n++) {
      const begun = performance.now();
      const id = await submit();
      await until(() => ours.received.length === n);
      times.push(performance.now() - begun);
      expect(ours.received.at(-1)?.body).toEqual({
        type: "submission.created",
        timestamp: expect.stringMatching(timestamp),
        data: { submissionId: id, formId: form.id, formVersion: 1, status: "completed" },
      });
    }
    expect(Math.min(...times)).toBeLessThan(1_000);
    expect(theirs.received).toEqual([]);
  });

  test("is verified by the standardwebhooks package, after a rotation with either secret; its digest is the body's", async () => {
    const to = await receiver();
    const { webhook, secrets } = await create(to, { formId: form.id });
    const rotated = (await call("POST", `/${webhook.id}/rotate-secret`)).body.data;
    expect(rotated.secrets.secret).not.toBe(secrets.secret);
    expect(rotated.secrets.publicKey).not.toBe(secrets.publicKey);
    const hours = (Date.parse(rotated.webhook.previousSecretEndsAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    const id = await submit();
    await until(() => to.received.length);
    const [{ headers, text }] = to.received as [Receiver["received"][number]];
    for (const { secret } of [secrets, rotated.secrets]) {
      const verify = (body: string) =>
        new StandardWebhook(secret).verify(body, headers as Record<string, string>);
      expect(verify(text)).toEqual(JSON.parse(text));
      expect(() => verify(`${text} `)).toThrow();
    }
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "content-digest": `sha-256=:${createHash("sha256").update(text).digest("base64")}:`,
      "webhook-id": id,
    });
  });

  test("of a full payload comes with the submission; one that is too large, or deleted since, comes with its ids", async () => {
    const to = await receiver();
    const textForm = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    await create(to, { formId: textForm.id, payload: "full" });
    const send = (a: string) => submit(textForm, team.key, { a });
    const [small, large] = [await send("x"), await send("x".repeat(20_000))];
    await until(() => to.received.length === 2);
    const dataOf = (id: string) => to.received.find(({ body }) => body.data.submissionId === id)?.body.data;
    const record = await ask(app, "GET", `/papi/v1/management/forms/${textForm.id}/submissions/${small}`, {
      headers: { "x-api-key": team.key },
    });
    expect(dataOf(small)).toMatchObject({ submissionId: small, submission: record.body.data.submission });
    expect(dataOf(large)).toEqual({
      submissionId: large,
      formId: textForm.id,
      formVersion: 1,
      status: "completed",
      truncated: true,
    });
  });

  test("of a paused webhook's form is sent when it is active again", async () => {
    const to = await receiver();
    const { webhook } = await create(to, { formId: form.id });
    expect((await call("PATCH", `/${webhook.id}`, { status: "paused" })).body.data.webhook.status).toBe(
      "paused",
    );
    const id = await submit();
    // A worker makes the delivery of what the submit recorded.
    await until(async () => (await deliveriesOf(webhook.id)).length);
    expect(await deliveriesOf(webhook.id)).toMatchObject([{ id, state: "due", attempts: 0 }]);
    expect(to.received).toEqual([]);
    await call("PATCH", `/${webhook.id}`, { status: "active" });
    await until(() => to.received.length);
  });
});

test("every event type is sent once per action, with its ids; an action that changes nothing sends none", async () => {
  const to = await receiver();
  const { webhook } = await create(to, { eventTypes: allEvents });
  const settings = { review: { required: true } };
  const own = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], { settings });
  const command = async (name: string) =>
    expect((await formd(["form", name, own.id], settingsFor(app.database))).code).toBe(0);
  const done = async (method: string, path: string, body?: object) => {
    const reply = await ask(app, method, `/papi/v1/${path}`, { headers: { "x-api-key": team.key }, body });
    expect([path, outcome(reply)]).toEqual([path, "ok"]);
    return reply.body.data;
  };
  await command("publish");
  const id = await submit(own);
  const submissions = `management/forms/${own.id}/submissions/${id}`;
  const atItsTime = async () => ({
    expectedUpdatedAt: (await done("GET", submissions)).submission.updatedAt as string,
  });
  await done("POST", `${submissions}/review`, { decision: "approve", ...(await atItsTime()) });
  for (const _ of ["edited", "the same"])
    await done("PATCH", submissions, { edits: [{ fieldId: "a", value: "x" }], ...(await atItsTime()) });
  await done("DELETE", submissions);
  const { id: agent } = await done("POST", "identity/agents", { name: "A" });
  const grants = `identity/agents/${agent}/grants`;
  const { grant } = await done("POST", grants, { formId: own.id, scopes: ["agent:read"] });
  await done("POST", grants, { formId: own.id, scopes: ["agent:read"] });
  await done("DELETE", `${grants}/${grant.id}`);
  await done("DELETE", `identity/agents/${agent}`);
  await command("archive");
  await command("archive");
  const expected = [
    ["form.published", { formId: own.id, version: 1 }],
    ["form.published", { formId: own.id, version: 2 }],
    ["submission.created", { submissionId: id, formId: own.id }],
    ["submission.reviewed", { submissionId: id, formId: own.id, decision: "approve" }],
    ["submission.updated", { submissionId: id, formId: own.id, status: "completed" }],
    ["submission.deleted", { submissionId: id, formId: own.id }],
    ["grant.changed", { grantId: grant.id, formId: own.id, agentId: agent }],
    ["grant.changed", { grantId: grant.id, formId: own.id, agentId: agent }],
    ["agent.revoked", { agentId: agent }],
    ["form.archived", { formId: own.id }],
  ] as [string, object][];
  await until(() => to.received.length >= expected.length);
  expect(await deliveriesOf(webhook.id, "?limit=100")).toHaveLength(expected.length);
  const byTime = to.received.map(({ body }) => body).sort((a, b) => a.timestamp.localeCompare(b.timestamp));
  expect(byTime).toMatchObject(expected.map(([type, data]) => ({ type, data })));
  expect(new Set(to.received.map(({ headers: each }) => each["webhook-id"])).size).toBe(expected.length);
});

describe("an attempt that fails", () => {
  test("is tried again after 5 seconds, is listed, and is recorded once it succeeds", async () => {
    const to = await receiver((_, count) => [count === 1 ? 500 : 200]);
    const { webhook } = await create(to, { formId: form.id });
    const id = await submit();
    const read = async () => (await call("GET", `/${webhook.id}/deliveries/${id}`)).body.data;
    await until(async () => (await read())?.delivery.lastStatus === 500);
    expect(await read()).toMatchObject({
      delivery: { state: "due", attempts: 1, lastError: "The response has the status 500." },
      attempts: [{ attempt: 1, responseStatus: 500 }],
    });
    expect((await call("GET", `/${webhook.id}`)).body.data.webhook.failingSinceAt).toMatch(timestamp);
    await until(async () => (await read()).delivery.state === "delivered");
    const [first, second] = to.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(4_900);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"] as string);
    expect(second?.text).toBe(first?.text as string);
    expect(await read()).toMatchObject({
      delivery: { id, state: "delivered", attempts: 2, dueAt: null, lastStatus: 200, lastError: null },
      attempts: [
        { attempt: 2, responseStatus: 200, error: null },
        { attempt: 1, responseStatus: 500, error: "The response has the status 500." },
      ],
    });
    expect((await call("GET", `/${webhook.id}`)).body.data.webhook.failingSinceAt).toBeNull();
  });

  test("waits as long as Retry-After says", async () => {
    const to = await receiver(() => [503, { "retry-after": "600" }]);
    const { webhook } = await create(to, { formId: form.id });
    await submit();
    await until(async () => (await deliveriesOf(webhook.id))[0]?.lastStatus === 503);
    const [{ dueAt }] = (await deliveriesOf(webhook.id)) as [{ dueAt: string }];
    expect(Date.parse(dueAt) - Date.now()).toBeGreaterThan(590_000);
  });
});

test("a team whose endpoints do not respond has at most 32 requests at a time, and does not delay another team", async () => {
  const gate = Promise.withResolvers<void>();
  const slow = await receiver(async () => {
    await gate.promise;
    return [204];
  });
  for (let i = 0; i < 9; i++) await create(slow, { formId: form.id });
  for (let i = 0; i < 4; i++) await submit();
  const fast = await receiver();
  await create(fast, {}, other.key);
  await submit(await makeForm(app, other, []), other.key);
  await until(() => fast.received.length === 1);
  await until(() => slow.received.length === 32);
  // The worker has looked for more meanwhile.
  await submit(await makeForm(app, other, []), other.key);
  await until(() => fast.received.length === 2);
  expect(slow.received.length).toBe(32);
  gate.resolve();
  await until(() => slow.received.length === 36);
  expect(slow.maxConcurrent).toBe(32);
});

test("a result that cannot be recorded is counted in the log, and waiting ones are recorded", async () => {
  const [first, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const to = await receiver(async (_, count) => {
    await (count === 1 ? first : others).promise;
    return [204];
  });
  const { webhook } = await create(to, { formId: form.id });
  for (let i = 0; i < 4; i++) await submit();
  await until(() => to.received.length === 4);
  const settling = (sql: Service["database"]["sql"]) => sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like '%webhook_settle%'`;
  await app.database.sql.begin(async (transaction) => {
    await transaction`select from formd.webhooks where team_id = ${team.id} and id = ${webhook.id} for update`;
    first.resolve();
    await until(async () => (await settling(app.database.sql)).length === 1);
    others.resolve();
    await until(() => to.responded === 4);
    for (const { pid } of await settling(app.database.sql))
      await app.database.sql`select pg_cancel_backend(${pid}::int)`;
    await until(() => app.log().includes("results of webhooks' deliveries were not recorded"));
  });
  await until(async () => (await deliveriesOf(webhook.id, "?state=delivered")).length === 3);
  expect(app.log()).toMatch(/"results":1,"msg":"results of webhooks' deliveries were not recorded"/);
});

test("a test event is sent to that webhook, whatever it listens to", async () => {
  const to = await receiver();
  const { webhook } = await create(to, { eventTypes: ["agent.revoked"] });
  const { eventId } = (await call("POST", `/${webhook.id}/test`)).body.data;
  await until(() => to.received.length);
  expect(to.received[0]).toMatchObject({
    headers: { "webhook-id": eventId },
    body: { type: "webhook.test", data: { webhookId: webhook.id } },
  });
});

test("a replay sends one event again, or those of a range of time, with the same ids", async () => {
  const to = await receiver();
  const { webhook } = await create(to, { formId: form.id });
  const ids = [await submit(), await submit()];
  const areDelivered = () =>
    until(async () => (await deliveriesOf(webhook.id, "?state=delivered")).length === ids.length);
  const replay = async (body: object) => (await call("POST", `/${webhook.id}/replay`, body)).body;
  await areDelivered();
  const [first, last] = to.received.map(({ body }) => body.timestamp).sort() as [string, string];
  expect((await replay({ eventId: ids[1] })).data).toEqual({ replayed: 1 });
  await until(() => to.received.length === 3);
  expect(to.received[2]?.headers["webhook-id"]).toBe(ids[1] as string);
  await areDelivered();
  const end = new Date(Date.parse(last) + 1).toISOString();
  expect((await replay({ from: first, to: end })).data).toEqual({ replayed: 2 });
  await until(() => to.received.length === 5);
  expect((await replay({ eventId: unknownId })).code).toBe("not_found");
});

describe("webhooks", () => {
  test("are created, listed, read, changed and deleted; the secret is in the first response only", async () => {
    const own = await makeTeam(app);
    const workspace = await makeWorkspace(app, own);
    const eventTypes = ["form.published", "agent.revoked"];
    const body = { url: "https://hooks.example.org/x", eventTypes, workspaceId: workspace };
    const { webhook, secrets } = (await call("POST", "", body, own.key)).body.data;
    expect(webhook).toEqual({
      ...{ ...body, id: expect.stringMatching(uuid), formId: null, payload: "thin", status: "active" },
      ...{ disabledReason: null, previousSecretEndsAt: null, failingSinceAt: null },
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    });
    expect(secrets).toEqual({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      publicKey: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
    });
    expect((await call("GET", `/${webhook.id}`, undefined, own.key)).body.data).toEqual({ webhook });
    expect((await call("GET", `?workspaceId=${workspace}`, undefined, own.key)).body.data).toEqual({
      webhooks: [webhook],
      pagination: { page: 1, limit: 100, total: 1 },
    });
    expect(
      (await call("GET", `?workspaceId=${own.workspace}`, undefined, own.key)).body.data.webhooks,
    ).toEqual([]);
    const change = { url: "https://hooks.example.org/y", eventTypes: ["form.archived"], payload: "full" };
    expect((await call("PATCH", `/${webhook.id}`, change, own.key)).body.data.webhook).toEqual({
      ...webhook,
      ...change,
      updatedAt: expect.stringMatching(timestamp),
    });
    expect((await call("DELETE", `/${webhook.id}`, undefined, own.key)).body.data).toEqual({
      id: webhook.id,
      deleted: true,
    });
    expect(outcome(await call("DELETE", `/${webhook.id}`, undefined, own.key))).toBe("404 not_found");
  });

  const refused: [string, object, string][] = [
    ["a private address", { url: "https://10.0.0.1/" }, "400 invalid_body"],
    ["a URL that is none", { url: "hooks" }, "400 invalid_body"],
    ["an event that does not exist", { eventTypes: ["submission.eaten"] }, "400 invalid_body"],
    ["no events", { eventTypes: [] }, "400 invalid_body"],
    ["a form that does not exist", { formId: unknownId }, "404 not_found"],
    ["a workspace that does not exist", { workspaceId: unknownId }, "404 not_found"],
  ];
  test.each(refused)("with %s are refused", async (_, member, expected) => {
    const body = { url: "https://hooks.example.org/", eventTypes, ...member };
    expect(outcome(await call("POST", "", body))).toBe(expected);
  });

  test("with a full payload need submissions:read as well, as does changing their payload or URL", async () => {
    const { key } = await makeKey(app, team, "webhooks:manage");
    const url = "https://hooks.example.org/";
    const refusal = { code: "missing_scope", error: expect.stringContaining("submissions:read") };
    expect((await call("POST", "", { url, eventTypes, payload: "full" }, key)).body).toMatchObject(refusal);
    const thin = (await call("POST", "", { url, eventTypes }, key)).body.data.webhook;
    const full = (await call("POST", "", { url, eventTypes, payload: "full" })).body.data.webhook;
    const refusals: [string, object][] = [
      [thin.id, { payload: "full" }],
      [full.id, { url: "https://hooks.example.org/other" }],
      [full.id, { eventTypes: ["submission.created", "submission.updated"] }],
    ];
    for (const [id, change] of refusals) {
      expect((await call("PATCH", `/${id}`, change, key)).body).toMatchObject(refusal);
      expect(outcome(await call("PATCH", `/${id}`, change))).toBe("ok");
    }
    for (const change of [{ status: "paused" }, { payload: "thin" }])
      expect(outcome(await call("PATCH", `/${full.id}`, change, key))).toBe("ok");
  });
});

test("a server without a master key refuses what needs it with 503 that names the variable, delivers nothing, and logs that once", async () => {
  const without = await service({ ...local, FORMD_SECRET_KEY: "" });
  const own = await makeTeam(without);
  const reply = await ask(without, "POST", path, {
    headers: { "x-api-key": own.key },
    body: { url: "https://hooks.example.org/", eventTypes },
  });
  expect(outcome(reply)).toBe("503 unavailable");
  expect(reply.body.error).toContain("FORMD_SECRET_KEY");
  expect(without.log().match(/"webhooks are not delivered: FORMD_SECRET_KEY is not set/g)).toHaveLength(1);
});
