// stacks: one
import { beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../expect.ts";
import {
  ask,
  makeForm,
  makeOperator,
  makeWorkspace,
  type PublishedForm,
  type Service,
  type Team,
} from "../../setup.ts";
import { local, receiver } from "../webhooks/receiver.ts";
import { Browser, expectRedirect, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let form: PublishedForm;
let browser: Browser;

beforeAll(async () => {
  ({ app, team, admin: browser } = await consoleFixture(local));
  form = await makeForm(app, team, []);
});

const read = async (path: string) =>
  (await ask(app, "GET", `/papi/v1/management/webhooks${path}`, { headers: { "x-api-key": team.key } })).body
    .data;

/** A webhook made in the console. @returns its page's path, and the page that shows the secret */
async function create(url: string, fields: Record<string, string | string[]> = {}) {
  const made = await browser.post("/console/webhooks/new", {
    url,
    eventTypes: ["submission.created"],
    payload: "thin",
    formId: form.id,
    workspaceId: team.workspace,
    ...fields,
  });
  const path = /href="(\/console\/webhooks\/[\w-]{36})"/.exec(made.html)?.[1] ?? "";
  return { made, path, id: path.slice(-36) };
}

describe("webhooks in the console", () => {
  test("are created, with the secret on that page only, and listed", async () => {
    const to = await receiver();
    expect(textOf(await browser.get("/console/webhooks"))).toContain("There is no webhook yet");
    const { made, path, id } = await create(to.url);
    const [secret = ""] = /whsec_[\w+/=]+/.exec(made.html) ?? [];
    expect(secret).not.toBe("");
    expect((await browser.get(path)).html).not.toContain(secret);
    expect((await read(`/${id}`)).webhook).toMatchObject({ url: to.url, formId: form.id, status: "active" });
    expect(textOf(await browser.get("/console/webhooks"))).toContain(to.url);
  });

  test("are refused with what was entered, and without an event", async () => {
    const { made } = await create("ftp://example.org/", { eventTypes: ["form.published"] });
    expect([made.status, made.html.includes('role="alert"')]).toEqual([400, true]);
    expect(made.html).toContain('value="ftp://example.org/"');
    expect((await create("https://example.org/", { eventTypes: [] })).made.status).toBe(400);
  });

  test("show each delivery with its attempts, and send it again", async () => {
    const to = await receiver();
    const { path, id } = await create(to.url);
    const submitted = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
      body: { data: {} },
    });
    const submission: string = submitted.body.data.id;
    await until(async () => (await read(`/${id}/deliveries`)).deliveries[0]?.state === "delivered");
    const shown = await browser.get(`${path}?state=delivered`);
    expect(textOf(shown)).toContain("submission.created");
    expect(textOf(await browser.get(`${path}?state=failed`))).toContain("There is no delivery");
    const delivery = `${path}/deliveries/${submission}`;
    expect(textOf(await browser.get(delivery))).toContain("Response 204");
    expectRedirect(await browser.post(`${delivery}/replay`, {}), delivery);
    await until(() => to.received.length === 2);
    const clock = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16);
    for (const [timeZone, hours, received] of [
      ["UTC", 0, 3],
      ["Asia/Kathmandu", 5.75, 4],
    ] as const) {
      const [from, upTo] = [clock(hours * 3_600_000 - 60_000), clock(hours * 3_600_000 + 120_000)];
      expectRedirect(await browser.post(`${path}/replay`, { from, to: upTo, timeZone }), path);
      await until(() => to.received.length === received);
    }
    expect((await browser.post(`${path}/replay`, { from: "", to: "" })).status).toBe(400);
  });

  test("are tested, changed, paused and resumed, given another secret and deleted", async () => {
    const to = await receiver();
    const { path, id } = await create(to.url);
    const tested = await browser.post(`${path}/test`, {});
    expect(tested.headers.get("location")).toStartWith(`${path}/deliveries/`);
    await until(() => to.received.length === 1);
    const changed = { url: to.url, eventTypes: ["form.published"], payload: "full" };
    expectRedirect(await browser.post(path, changed), path);
    await browser.post(`${path}/status`, { status: "paused" });
    expect((await read(`/${id}`)).webhook).toMatchObject({
      eventTypes: ["form.published"],
      payload: "full",
      status: "paused",
    });
    await browser.post(`${path}/status`, { status: "active" });
    expect((await browser.post(`${path}/rotate`, {})).html).toMatch(/whsec_/);
    expect((await read(`/${id}`)).webhook.previousSecretEndsAt).not.toBeNull();
    expect(textOf(await browser.get(path))).toContain("Previous secret ends");
    expectRedirect(await browser.post(`${path}/delete`, {}), "/console/webhooks");
    expect((await browser.get(path)).status).toBe(404);
  });

  test("that fail say so in the pill, and why in words, of whoever reads it", async () => {
    const { url } = await receiver(() => [500]);
    const { path, id } = await create(url);
    await browser.post(`${path}/test`, {});
    const shown = async (language = "en") => textOf(await browser.get(path, { "accept-language": language }));
    await until(async () => (await read(`/${id}/deliveries`)).deliveries[0]?.lastError);
    expect(await shown()).toMatch(/Status Failing .*It answered with the status 500/);
    const { sql } = app.database;
    // An attempt of the server may come between the two, and say its own.
    const told = (error: string, words: RegExp, language?: string) =>
      until(async () => {
        await sql`update formd.webhook_deliveries set last_error = ${error} where webhook_id = ${id}`;
        return words.test(await shown(language));
      });
    const unknownName = "getaddrinfo ENOTFOUND 127.0.0.1";
    await told(unknownName, /The name 127\.0\.0\.1 is not known \(DNS\)\./);
    await told(unknownName, /Den Namen 127\.0\.0\.1 kennt niemand \(DNS\)\./, "de");
    await told("certificate has expired (CERT_HAS_EXPIRED)", /The certificate of 127\.0\.0\.1/);
    await told("Something new (EWHAT)", /Something new \(EWHAT\)/);
    expect(textOf(await browser.get("/console/webhooks"))).toContain("Failing");
  });

  test("that are disabled say why, until they are enabled", async () => {
    const { path, id } = await create((await receiver()).url);
    for (const [reason, text] of [
      ["failing", "Disabled: no delivery succeeded for 120 hours."],
      ["gone", "Disabled: the endpoint answered 410 Gone."],
    ] as const) {
      await app.database
        .sql`update formd.webhooks set status = 'disabled', disabled_reason = ${reason} where id = ${id}`;
      expect(textOf(await browser.get(path))).toContain(text);
      await browser.post(`${path}/status`, { status: "active" });
      expect(textOf(await browser.get(path))).not.toContain("Disabled: ");
    }
  });

  test("are for admins of their workspace only", async () => {
    const { path } = await create((await receiver()).url);
    const other = await makeWorkspace(app, team);
    for (const cookie of [
      await makeOperator(app, team, "editor"),
      await makeOperator(app, { ...team, workspace: other }, "admin"),
    ]) {
      const outsider = new Browser(app, cookie);
      expect((await outsider.get(path)).status).toBe(404);
      expect((await outsider.get(`/console/webhooks?workspace=${team.workspace}`)).status).toBe(403);
      expect((await outsider.post(`${path}/delete`, {})).status).toBeOneOf([403, 404]);
    }
  });
});
