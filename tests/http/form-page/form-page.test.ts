/** The page of a form: what it shows, what it takes, and what it says when it does not. */
import { describe, expect, test } from "bun:test";
import { ask, makeForm, type PublishedForm } from "../../setup.ts";
import { pageFixture } from "./fixture.ts";

const fixture = await pageFixture();
const { app, team, pathOf, stored, archive, republish, get, post } = fixture;
const { sql } = app.database;

const fields = [
  { id: "first_name", type: "text", label: "First name", required: true },
  { id: "email", type: "email", label: "E-mail address" },
];
const published = (page: object = {}, more: object[] = []) => fixture.published([...fields, ...more], page);
const shown = async (target: string | PublishedForm) => {
  const { status, text } = await get(target);
  return [status, text];
};

describe("GET /f/{id}", () => {
  test("shows the published form, without a cookie and without the access key", async () => {
    const form = await published();
    const { status, headers, text, hidden } = await get(form);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("set-cookie")).toBeNull();
    for (const part of ['<html lang="en"', 'name="first_name"', 'autocomplete="given-name"'])
      expect(text).toContain(part);
    expect(text).not.toContain(form.accessKey);
    expect(hidden.map(([name]) => name)).toEqual(["formd.version", "formd.key", "formd.language"]);
  });
  test("is a page in plain words with 404 when the page is off or the form does not exist, 410 when archived", async () => {
    const off = await makeForm(app, team, fields);
    expect(await shown(off)).toEqual([404, expect.stringContaining("There is no form here")]);
    for (const path of ["/f/nothing", "/f/%ff%fe"])
      expect(await shown(path)).toEqual([404, expect.stringContaining("<h1>")]);
    const form = await published();
    await archive(form);
    expect(await shown(form)).toEqual([410, expect.stringContaining("This form is closed")]);
  });
  test("is in the form's look, with its title and contact, while it is offline; what was never online is unknown", async () => {
    const theme = { accent: "#1f5c41", contact: "ada@example.org" };
    const settings = { page: { enabled: true, title: "The fair", offlineText: "Back in May.", theme } };
    const form = await makeForm(app, team, fields, { settings });
    const switchTo = (enabled: boolean, of: { id: string }) =>
      sql`update formd.forms set settings_in_force = jsonb_set(settings_in_force, '{page,enabled}', ${`${enabled}`}::jsonb)
        where id = ${of.id}`;
    await switchTo(false, form);
    const [status, text] = await shown(form);
    expect(status).toBe(404);
    for (const part of ["The fair", "is not online at the moment", "Back in May.", "mailto:ada@example.org"])
      expect(text).toContain(part);
    expect(text).toContain("/f/look.css?accent");
    const [, unknown] = await shown("/f/nothing");
    const draft = await makeForm(app, team, fields, {
      settings: { page: { ...settings.page, enabled: false } },
    });
    expect(await shown(draft)).toEqual([404, String(unknown)]);
    await sql`update formd.forms set status = 'draft', settings_in_force = settings_in_force || '{"page": {"enabled": true}}' where id = ${draft.id}`;
    expect(await shown(draft)).toEqual([404, String(unknown)]);
  });
});

describe("POST /f/{id}", () => {
  test("a browser may keep the page of a mistake for its Back key, unless it shows a sensitive value", async () => {
    const form = await published({}, [{ id: "pin", type: "text", label: "PIN", sensitive: true }]);
    const cacheOf = async (pin: string) =>
      (await post(form, { email: "ada", pin })).headers.get("cache-control");
    expect([await cacheOf(""), await cacheOf("1234")]).toEqual(["private, no-cache", "no-store"]);
  });
  test("and a page that its address has filled in, unless with a sensitive value", async () => {
    const pin = { id: "pin", type: "text", label: "PIN", sensitive: true, prefill: true };
    const form = await published({}, [pin]);
    const cacheOf = async (query: string) => (await get(pathOf(form) + query)).headers.get("cache-control");
    expect([await cacheOf(""), await cacheOf("?pin=1234")]).toEqual(["private, no-cache", "no-store"]);
  });
  test("stores the values of a new anonymous session, and leads to a page that may be reloaded", async () => {
    const form = await published();
    const own = { "formd.version": "1", "formd.key": "k1" };
    const sent = await post(form, { first_name: "Ada", email: "", ...own });
    expect(sent.status).toBe(303);
    const location = sent.headers.get("location") ?? "";
    expect(location).toStartWith(`${pathOf(form)}/sent?reference=`);
    expect(await shown(location)).toEqual([200, expect.stringContaining("Thank you")]);
    const rows = await sql`
      select data, submitter_type, submitter_id from formd.submissions where form_id = ${form.id}`;
    expect(rows).toMatchObject([{ data: { first_name: "Ada" }, submitterType: "anonymous" }]);
    const sessions =
      await sql`select form_id from formd.sessions where id = ${rows[0]?.submitterId as string}`;
    expect(sessions).toMatchObject([{ formId: form.id }]);
  });
  test("with errors is the page again: 422, its title, a summary with links, messages at the fields, the values kept", async () => {
    const form = await published();
    const { status, text } = await post(form, { first_name: " ", email: "no <address>" });
    expect(status).toBe(422);
    for (const part of [
      "<title>Error: Test</title>",
      '<a href="#first_name">First name: enter an answer.</a>',
      '<a href="#email">E-mail address: enter an e-mail address, such as name@example.com.</a>',
      'value="no &lt;address>"',
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/id="email"[^>]*aria-describedby="email-error"[^>]*aria-invalid="true"/);
    expect(await stored(form)).toEqual([]);
  });
  test("stores one submission when the button is pressed twice, or the page is sent again later", async () => {
    const form = await published();
    const values = { first_name: "Ada", "formd.version": "1", "formd.key": "twice" };
    const twice = await Promise.all([1, 2, 3].map(() => post(form, values)));
    const all = [...twice, await post(form, values)];
    expect(new Set(all.map(({ headers }) => headers.get("location"))).size).toBe(1);
    const other = await post(form, { ...values, first_name: "Grace" });
    expect(other.status).toBe(422);
    expect(other.text).toContain("already sent this form");
    expect(other.text).not.toContain('value="twice"');
    expect(await stored(form)).toHaveLength(1);
  });
});

test("a form that is published anew while someone fills it in is shown with what was entered and the changed fields marked; sent again it is stored, and what was sent before is not stored twice", async () => {
  const form = await published();
  const early = { first_name: "Grace", "formd.version": "1", "formd.key": "early" };
  const sent = await post(form, early);
  await republish(form, [{ op: "addField", field: { id: "why", type: "textarea", label: "Why?" } }]);
  const typed = { first_name: "Ada", "formd.version": "1", "formd.key": "typed" };
  const { status, title, text } = await post(form, typed);
  expect([status, title]).toEqual([409, "Error: Test"]);
  for (const part of ["This form has changed", 'value="Ada"', 'name="formd.version" value="2"'])
    expect(text).toContain(part);
  expect(text.match(/<p class="badge">New or changed/g)).toHaveLength(1);
  expect(text.indexOf("New or changed")).toBeGreaterThan(text.indexOf('name="email"'));
  expect(await stored(form)).toHaveLength(1);
  expect((await post(form, { ...typed, "formd.version": "2" })).status).toBe(303);
  // An earlier submission that is sent again is not stored twice.
  expect((await post(form, early)).headers.get("location")).toBe(sent.headers.get("location"));
  expect(await stored(form)).toHaveLength(2);
});

describe("when it cannot be stored", () => {
  test("too much: a page with 413; a body of another type: one with 415", async () => {
    const form = await published();
    const large = await post(form, { first_name: "x".repeat(1_100_000) });
    expect([large.status, large.text]).toEqual([413, expect.stringContaining("This is too much to send")]);
    const json = await post(form, {}, { "content-type": "application/json" });
    expect([json.status, json.text]).toEqual([415, expect.stringContaining("<h1>")]);
  });
  test("a large form is stored as well, once", async () => {
    const long = { id: "text", type: "textarea", label: "Text", validation: { maxLength: 100_000 } };
    const form = await fixture.published([long]);
    const text = "é".repeat(30_000);
    const values = { text, "formd.key": "large", "formd.version": "1" };
    const sent = [await post(form, values), await post(form, values)];
    expect(sent.map(({ status }) => status)).toEqual([303, 303]);
    expect(await stored(form)).toEqual([{ text }]);
  });
  test("a form that was archived, switched off or closed to anonymous people shows that, and stores nothing", async () => {
    const form = await published();
    const send = async () => (await post(form, { first_name: "Ada" })).status;
    await sql`update formd.forms set settings_in_force = settings || '{"anonymous": {"enabled": false}}' where id = ${form.id}`;
    const closed = await send();
    await archive(form);
    const archived = await send();
    await sql`update formd.forms set settings_in_force = '{}' where id = ${form.id}`;
    expect([closed, archived, await send()]).toEqual([403, 410, 404]);
    expect(await stored(form)).toEqual([]);
  });
});

describe("settings of the page", () => {
  test("title, introduction, label and language; German has words for every error", async () => {
    const introduction = "Erster Absatz.\n\nZweiter & letzter.";
    const page = { title: "Anmeldung <1>", introduction, submitLabel: "Los", language: "de" };
    const form = await published(page);
    const { text } = await get(form);
    for (const part of [
      '<html lang="de"',
      "Anmeldung &lt;1></h1>",
      '<p dir="auto">Zweiter &amp; letzter.</p>',
      '<button type="submit">Los</button>',
      "(freiwillig)",
    ])
      expect(text).toContain(part);
    const wrong = await post(form, { email: "x" });
    expect(wrong.text).toContain("<title>Fehler: Anmeldung &lt;1></title>");
    expect(wrong.text).toContain('<a href="#first_name">First name: Bitte ausfüllen.</a>');
  });
  test("a thank-you text, or another site to go on to, which the policy of the page then names", async () => {
    const thanks = await published({ thankYou: "See you soon." });
    const sent = await post(thanks, { first_name: "Ada" });
    expect((await get(sent.headers.get("location") ?? "")).text).toContain("See you soon.");
    expect((await get(`${pathOf(thanks)}/sent?reference=<b>`)).text).not.toContain("reference");
    const redirectUrl = "https://example.org/thanks?a=b";
    const away = await published({ redirectUrl });
    expect((await get(away)).policy).toContain("form-action 'self' https://example.org;");
    const next = await get((await post(away, { first_name: "Ada" })).headers.get("location") ?? "");
    expect([next.status, next.headers.get("location")]).toEqual([303, redirectUrl]);
  });
});

test("for programs, Accept: application/json has the published form and how it is sent; the response to a post is the API's", async () => {
  const form = await published();
  const accept = "application/json";
  const read = (path: string) => ask(app, "GET", path, { headers: { accept } });
  const { status, body } = await read(pathOf(form));
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    form: { id: form.id, version: 1, schema: { fields } },
    jsonSchema: { type: "object", required: ["first_name"] },
    submit: {
      method: "POST",
      contentType: "application/x-www-form-urlencoded",
      names: { email: ["email"] },
    },
  });
  expect(JSON.stringify(body)).not.toContain(form.accessKey);
  const send = async (values: Record<string, string>) =>
    JSON.parse((await post(URL.parse(body.data.submit.url)?.pathname ?? "", values, { accept })).text);
  expect((await send({ first_name: "Ada" })).data.status).toBe("completed");
  const { errors } = await send({ nme: "Ada" });
  expect(errors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual([
    ["nme", "unknown_field"],
    ["first_name", "required"],
  ]);
  expect((await read("/f/nothing")).body).toMatchObject({ code: "not_found" });
  // Pages, and the script of other sites.
  for (const path of [`${pathOf(form)}/sent`, "/f/embed.js"]) expect((await read(path)).status).toBe(200);
});
