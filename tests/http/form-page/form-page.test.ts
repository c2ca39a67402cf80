/** The page of a form: what it shows, what it takes, and what it says when it does not. */
import { beforeAll, describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import { ask, makeForm, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { getPage, pageFixture, pathIn, postForm } from "./fixture.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  ({ app, team } = await pageFixture());
});

const html = { accept: "text/html" };
const fields = [
  { id: "first_name", type: "text", label: "First name", required: true },
  { id: "email", type: "email", label: "E-mail address" },
];
const pageOf = (form: PublishedForm) => pathIn(team, form);
const published = (settings: object = {}, given: object[] = fields) =>
  makeForm(app, team, given, { settings: { page: { enabled: true }, ...settings } });
const get = (path: string, headers?: Record<string, string>) => getPage(app, path, headers);
const submissionsOf = (form: PublishedForm) =>
  app.database.sql<{ data: object; submitterType: string; submitterId: string }[]>`
    select data, submitter_type, submitter_id from formd.submissions where form_id = ${form.id}`;

describe("GET /f/{id}", () => {
  test("shows the published form, without a cookie and without the access key", async () => {
    const form = await published();
    const { status, headers, text } = await get(pageOf(form));
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("set-cookie")).toBeNull();
    expect(text).toContain('<html lang="en"');
    expect(text).toContain('name="first_name"');
    expect(text).toContain('autocomplete="given-name"');
    expect(text).not.toContain(form.accessKey);
    expect([...text.matchAll(/type="hidden" name="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      "formd.version",
      "formd.key",
    ]);
  });
  test("is a page in plain words with 404 when the page is off or there is no such form, 403 for a draft, 410 when archived", async () => {
    const off = await makeForm(app, team, fields);
    expect(await get(pageOf(off))).toMatchObject({
      status: 404,
      text: expect.stringContaining("There is no form here"),
    });
    for (const path of ["/f/nothing", "/f/%ff%fe"])
      expect(await get(path)).toMatchObject({ status: 404, text: expect.stringContaining("<h1>") });
    const form = await published();
    await app.database
      .sql`update formd.forms set status = 'archived', archived_at = now() where id = ${form.id}`;
    expect(await get(pageOf(form))).toMatchObject({
      status: 410,
      text: expect.stringContaining("This form is closed"),
    });
    await app.database.sql`update formd.forms set status = 'draft', archived_at = null where id = ${form.id}`;
    expect(await get(pageOf(form))).toMatchObject({
      status: 403,
      text: expect.stringContaining("not open yet"),
    });
  });
});

describe("POST /f/{id}", () => {
  test("a browser may keep the page of a mistake for its Back key, unless it shows a sensitive value", async () => {
    const pin = { id: "pin", type: "text", label: "PIN", sensitive: true };
    const form = await published({}, [...fields, pin]);
    const cacheOf = async (values: Record<string, string>) =>
      (await postForm(app, pageOf(form), values)).headers.get("cache-control");
    expect(await cacheOf({ email: "ada", pin: "" })).toBe("private, no-cache");
    expect(await cacheOf({ email: "ada", pin: "1234" })).toBe("no-store");
  });
  test("stores the values of a new anonymous session, and leads to a page that may be reloaded", async () => {
    const form = await published();
    const sent = await postForm(app, pageOf(form), {
      first_name: "Ada",
      email: "",
      "formd.version": "1",
      "formd.key": "k1",
    });
    expect(sent.status).toBe(303);
    const location = sent.headers.get("location") ?? "";
    expect(location).toStartWith(`${pageOf(form)}/sent?reference=`);
    expect(await get(location)).toMatchObject({ status: 200, text: expect.stringContaining("Thank you") });
    const [stored] = await submissionsOf(form);
    expect(stored).toMatchObject({ data: { first_name: "Ada" }, submitterType: "anonymous" });
    expect(
      await app.database.sql`select form_id from formd.sessions where id = ${stored?.submitterId ?? ""}`,
    ).toMatchObject([{ formId: form.id }]);
  });
  test("with errors is the page again: 422, its title, a summary with links, messages at the fields, the values kept", async () => {
    const form = await published();
    const { status, text } = await postForm(app, pageOf(form), { first_name: " ", email: "no <address>" });
    expect(status).toBe(422);
    expect(text).toContain("<title>Error: Test</title>");
    expect(text).toContain('<a href="#first_name">Enter a value for “First name”.</a>');
    expect(text).toContain(
      '<a href="#email">“E-mail address” must be an e-mail address, such as name@example.com.</a>',
    );
    expect(text).toMatch(/id="email"[^>]*aria-describedby="email-error"[^>]*aria-invalid="true"/);
    expect(text).toContain('value="no &lt;address>"');
    expect(await submissionsOf(form)).toHaveLength(0);
  });
  test("stores one submission when the button is pressed twice, or the page is sent again later", async () => {
    const form = await published();
    const values = { first_name: "Ada", "formd.version": "1", "formd.key": "twice" };
    const twice = await Promise.all([1, 2, 3].map(() => postForm(app, pageOf(form), values)));
    const later = await postForm(app, pageOf(form), values);
    expect(new Set([...twice, later].map(({ headers }) => headers.get("location"))).size).toBe(1);
    expect(await submissionsOf(form)).toHaveLength(1);
    const other = await postForm(app, pageOf(form), { ...values, first_name: "Grace" });
    expect(other.status).toBe(422);
    expect(other.text).toContain("already sent this form");
    expect(other.text).not.toContain('value="twice"');
    expect(await submissionsOf(form)).toHaveLength(1);
  });
});

describe("a form that is published anew while someone fills it in", () => {
  test("is shown with what was entered and the changed fields marked; sent again it is stored, and what was sent before is not stored twice", async () => {
    const form = await published();
    const early = { first_name: "Grace", "formd.version": "1", "formd.key": "early" };
    const sent = await postForm(app, pageOf(form), early);
    const added = { id: "why", type: "textarea", label: "Why?" };
    const { sql } = app.database;
    await sql`select from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${form.id}, ${sql.json([{ op: "addField", field: added }] as never)}, null, null)`;
    await publishForm(sql, cliActor, team.id, form.id);
    const typed = { first_name: "Ada", "formd.version": "1", "formd.key": "typed" };
    const { status, text } = await postForm(app, pageOf(form), typed);
    expect(status).toBe(409);
    expect(text).toContain("<title>Error: Test</title>");
    expect(text).toContain("This form has changed");
    expect(text).toContain('value="Ada"');
    expect(text).toContain('name="formd.version" value="2"');
    expect(text.match(/<p class="badge">New or changed/g)).toHaveLength(1);
    expect(text.indexOf("New or changed")).toBeGreaterThan(text.indexOf('name="email"'));
    expect(await submissionsOf(form)).toHaveLength(1);
    const again = await postForm(app, pageOf(form), { ...typed, "formd.version": "2" });
    expect(again.status).toBe(303);
    // What was sent before stays sent.
    const replayed = await postForm(app, pageOf(form), early);
    expect(replayed.headers.get("location")).toBe(sent.headers.get("location"));
    expect(await submissionsOf(form)).toHaveLength(2);
  });
});

describe("when it cannot be stored", () => {
  test("too much: a page with 413; a body of another type: one with 415", async () => {
    const form = await published();
    const large = await postForm(app, pageOf(form), { first_name: "x".repeat(1_100_000) });
    expect([large.status, large.text]).toEqual([413, expect.stringContaining("This is too much to send")]);
    const json = await postForm(app, pageOf(form), {}, { "content-type": "application/json" });
    expect([json.status, json.text]).toEqual([415, expect.stringContaining("<h1>")]);
  });
  test("a large form is stored as well, once", async () => {
    const form = await published({}, [
      { id: "text", type: "textarea", label: "Text", validation: { maxLength: 100_000 } },
    ]);
    const values = { text: "é".repeat(30_000), "formd.key": "large", "formd.version": "1" };
    const sent = [await postForm(app, pageOf(form), values), await postForm(app, pageOf(form), values)];
    expect(sent.map(({ status }) => status)).toEqual([303, 303]);
    expect(await submissionsOf(form)).toMatchObject([{ data: { text: "é".repeat(30_000) } }]);
  });
  test("a form that was archived, switched off or closed to anonymous people says so, and stores nothing", async () => {
    const form = await published();
    const { sql } = app.database;
    const post = () => postForm(app, pageOf(form), { first_name: "Ada" });
    await sql`update formd.forms set settings_in_force = settings || '{"anonymous": {"enabled": false}}' where id = ${form.id}`;
    const closed = await post();
    await sql`update formd.forms set status = 'archived', archived_at = now() where id = ${form.id}`;
    const archived = await post();
    await sql`update formd.forms set settings_in_force = '{}' where id = ${form.id}`;
    const off = await post();
    expect([closed.status, archived.status, off.status]).toEqual([403, 410, 404]);
    expect(await submissionsOf(form)).toHaveLength(0);
  });
});

describe("settings of the page", () => {
  test("title, introduction, label and language; German has words for every error", async () => {
    const page = {
      enabled: true,
      title: "Anmeldung <1>",
      introduction: "Erster Absatz.\n\nZweiter & letzter.",
      submitLabel: "Los",
      language: "de",
    };
    const form = await published({ page });
    const { text } = await get(pageOf(form));
    expect(text).toContain('<html lang="de"');
    expect(text).toContain("Anmeldung &lt;1></h1>");
    expect(text).toContain('<p dir="auto">Zweiter &amp; letzter.</p>');
    expect(text).toContain('<button type="submit">Los</button>');
    expect(text).toContain("(freiwillig)");
    const wrong = await postForm(app, pageOf(form), { email: "x" });
    expect(wrong.text).toContain("<title>Fehler: Anmeldung &lt;1></title>");
    expect(wrong.text).toContain('<a href="#first_name">Füllen Sie „First name“ aus.</a>');
  });
  test("a thank-you text, or another site to go on to, which the policy of the page then names", async () => {
    const thanks = await published({ page: { enabled: true, thankYou: "See you soon." } });
    const sent = await postForm(app, pageOf(thanks), { first_name: "Ada" });
    expect((await get(sent.headers.get("location") ?? "")).text).toContain("See you soon.");
    expect((await get(`${pageOf(thanks)}/sent?reference=<b>`)).text).not.toContain("reference");
    const redirectUrl = "https://example.org/thanks?a=b";
    const away = await published({ page: { enabled: true, redirectUrl } });
    const page = await get(pageOf(away));
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://example.org;");
    const stored = await postForm(app, pageOf(away), { first_name: "Ada" });
    const next = await get(stored.headers.get("location") ?? "");
    expect([next.status, next.headers.get("location")]).toEqual([303, redirectUrl]);
  });
});

describe("for programs", () => {
  test("Accept: application/json has the published form and how it is sent; the response to a post is the API's", async () => {
    const form = await published();
    const accept = "application/json";
    const send = (path: string, values: Record<string, string>) =>
      ask(app, "POST", path, {
        headers: { accept, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(values).toString(),
      });
    const read = (path: string) => ask(app, "GET", path, { headers: { accept } });
    const { status, body } = await read(pageOf(form));
    expect(status).toBe(200);
    const { data } = body;
    expect(data).toMatchObject({
      form: { id: form.id, version: 1, schema: { fields } },
      jsonSchema: { type: "object", required: ["first_name"] },
      submit: {
        method: "POST",
        contentType: "application/x-www-form-urlencoded",
        names: { email: ["email"] },
      },
    });
    expect(JSON.stringify(body)).not.toContain(form.accessKey);
    const path = URL.parse(data.submit.url)?.pathname ?? "";
    const stored = await send(path, { first_name: "Ada" });
    expect([stored.status, stored.body.data.status]).toEqual([200, "completed"]);
    const wrong = await send(path, { nme: "Ada" });
    expect(
      wrong.body.errors.map(({ field, code }: { field: string; code: string }) => [field, code]),
    ).toEqual([
      ["nme", "unknown_field"],
      ["first_name", "required"],
    ]);
    expect((await read("/f/nothing")).body).toMatchObject({ code: "not_found" });
    // Pages, and the script of other sites.
    expect((await read(`${pageOf(form)}/sent`)).status).toBe(200);
    expect((await read("/f/embed.js")).status).toBe(200);
  });
});

test("reading is limited to 120 requests a minute per client IP", async () => {
  const form = await published();
  const from = { ...html, "x-forwarded-for": "10.77.0.1" };
  const statuses = await Promise.all(
    Array.from({ length: 125 }, async () => (await get(pageOf(form), from)).status),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(120);
  const { status, text } = await get(pageOf(form), from);
  expect([status, text]).toEqual([429, expect.stringContaining("Please wait a moment")]);
});
