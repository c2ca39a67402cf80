// stacks: one
/** Sharing a form: its page online, the address, the code, links; what the pill at its title says; copies. */
import { expect, test } from "bun:test";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { expectPage, expectRedirect, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, sql, team, admin, editor, viewer, call, read, draftOf, seen, submit } = await consoleFixture();

type Form = Pick<PublishedForm, "id">;
const question = { id: "a", type: "text", label: "A" };
const online = { page: { enabled: true } };
const make = (settings: object = {}, fields: object[] = [question]) =>
  makeForm(app, team, fields, { settings });
const share = (form: Form, query = "") => admin.get(formPath(form, `/share${query}`));
const post = async (form: Form, to: string) => admin.post(formPath(form, to), await seen(form));
const pillOf = (html: string) =>
  /<h1[^>]*>[^<]*<\/h1><span class="badge [a-z]+">([^<]*)<\/span>/.exec(html)?.[1];
const addressIn = (html: string) => /<code>(http[^<]*\/f\/[^<]*)<\/code>/.exec(html)?.[1] ?? "";
const open = (address: string) => fetch(address, { headers: { accept: "text/html" } });
const patch = (form: Form, meta: object) =>
  call("PATCH", `/management/forms/${form.id}`, { operations: [{ op: "setMeta", ...meta }] });

test("the page is put online with one button, anyone can open it then, and it is taken offline", async () => {
  const form = await make();
  const before = await share(form);
  expect([pillOf(before.html), addressIn(before.html)]).toEqual(["Offline", ""]);
  expect(textOf(before)).toContain("Put the page online");
  expectRedirect(await post(form, "/share/online"), formPath(form, "/share"));
  const { html } = await share(form);
  const address = addressIn(html);
  expect([pillOf(html), (await open(address)).status]).toEqual(["Online", 200]);
  expect(html).toContain(`data-copy="${address}"`);
  expect(addressIn((await viewer.get(formPath(form, "/share"))).html)).toBe(address);
  await post(form, "/share/offline");
  expect([pillOf((await share(form)).html), (await open(address)).status]).toEqual(["Offline", 404]);
});

test("sharing is where publishing ends, and says that a draft is to be published first", async () => {
  const { form } = await call("POST", "/management/forms", { name: "New", schema: { fields: [question] } });
  const draft = await share(form);
  expect([pillOf(draft.html), textOf(draft)]).toEqual(["Draft", expect.stringContaining("Publish it first")]);
  expect((await post(form, "/share/online")).status).toBe(409);
  expectRedirect(await post(form, "/publish"), formPath(form, "/share"));
  const published = await admin.get(formPath(form, "/publish"));
  expect(textOf(published)).toContain("Nothing to publish.");
  expect(published.html).not.toContain("Publish version");
});

test("what was changed since the page was opened is not put online", async () => {
  const form = await make();
  const stale = await seen(form);
  await admin.post(formPath(form, "/field/new"), { type: "text", label: "B" });
  const { status, html } = await admin.post(formPath(form, "/share/online"), stale);
  expect([status, pillOf(html)]).toEqual([409, "Offline"]);
});

test("a link fills in the questions that allow it, and no sensitive one", async () => {
  const city = { ...question, id: "city", label: "City", prefill: true };
  const form = await make(online, [city, { ...city, id: "iban", label: "IBAN", sensitive: true }, question]);
  const query = new URLSearchParams({ "fill.city": 'Köln & "Bonn"', "fill.iban": "DE1", "fill.a": "x" });
  const { html } = await share(form, `?${query}`);
  const links = [...html.matchAll(/<code>([^<]*\?city=[^<]*)<\/code>/g)].map(([, found = ""]) => found);
  expect(links).toEqual([expect.stringMatching(/\?city=K%C3%B6ln\+%26\+%22Bonn%22$/)]);
  expect(await (await open(links[0] ?? "")).text()).toContain('value="Köln &amp; &quot;Bonn&quot;"');
  const long = await share(form, `?fill.city=${"x".repeat(4000)}`);
  expectPage(long, 200, "The address is longer than");
});

test("there is code for a site once sites are named, with the form's name as text", async () => {
  expect(textOf(await share(await make(online)))).toContain("First add your website");
  const embedded = await make({ page: { enabled: true, embedOrigins: ["https://a.example"] } });
  await patch(embedded, { name: 'The "big" day' });
  const shown = await share(embedded);
  const address = addressIn(shown.html);
  expect(textOf(shown)).toContain(`<iframe src="${address}?embed" title="The &quot;big&quot; day"`);
  expect(textOf(shown)).toContain(`src="${new URL(address).origin}/f/embed.js"`);
});

test("the pill says whether people can fill in the form, and why not; what is archived is not edited", async () => {
  const year = new Date().getUTCFullYear() + 1;
  const pill = async (form: Form) => pillOf((await admin.get(formPath(form))).html);
  for (const [settings, says] of [
    [{ availability: { opensAt: `${year}-06-01T09:00:00Z` } }, `Opens 1 Jun ${year}`],
    [
      { availability: { opensAt: `${year}-05-31T22:00:00Z`, timeZone: "Europe/Berlin" } },
      `Opens 1 Jun ${year}`,
    ],
    [{ availability: { closesAt: "2020-01-01T00:00:00Z" } }, "Closed"],
    [{ anonymous: { enabled: false } }, "Offline"],
  ] as const)
    expect([settings, await pill(await make({ ...online, ...settings }))]).toEqual([settings, says]);
  const form = await make({ ...online, availability: { maxSubmissions: 1 } });
  expect(await pill(form)).toBe("Online");
  await submit(form, { a: "One" });
  expect(await pill(form)).toBe("Full");
  await post(form, "/archive");
  expect(await pill(form)).toBe("Archived");
  expect((await admin.get(formPath(form))).html).not.toContain("/field/");
  expect((await admin.post(formPath(form, "/field/new"), { type: "text", label: "B" })).status).toBe(409);
});

test("a copy is a draft with the form's fields, texts and settings, without its alias, dates and keys", async () => {
  const page = { enabled: true, thankYou: "Thanks", embedOrigins: ["https://a.example"] };
  const others = { review: { required: true }, captcha: { enabled: false }, custom: { kept: [1] } };
  const dates = { opensAt: "2020-01-01T00:00:00Z", closesAt: "2090-01-01T00:00:00Z" };
  const form = await make(
    {
      ...{ ...others, page: { ...page, alias: `a${crypto.randomUUID().slice(-12)}` } },
      availability: { ...dates, maxSubmissions: 7 },
    },
    [{ ...question, prefill: true }],
  );
  // The name is cut, so that a copy of the longest one can be made.
  await patch(form, { name: "n".repeat(500), description: "Why" });
  const path = formPath(form, "/copy");
  expect((await editor.get(formPath(form, "/publish"))).html).toContain(`action="${path}"`);
  const to = expectRedirect(await editor.post(path, {}), /^\/console\/forms\/[0-9a-f-]{36}\?report=/);
  const id = to.slice(15, 51);
  const [copy, original] = [await draftOf({ id }), await draftOf(form)];
  expect(copy).toMatchObject({
    ...{ name: `${"n".repeat(493)} (copy)`, description: "Why", status: "draft", currentVersion: 0 },
    ...{ workspaceId: original.workspaceId, schema: original.schema },
  });
  const { page: copiedPage, availability, ...rest } = copy.settings;
  expect([copiedPage, availability]).toEqual([page, { maxSubmissions: 7 }]);
  expect(rest).toMatchObject(others);
  const { events } = await read(`/management/audit?objectId=${id}`);
  expect(events.map(({ kind }: { kind: string }) => kind)).toEqual(["form.created"]);
  expect(await sql`select from formd.form_access_keys where form_id = ${id}`).toHaveLength(0);
});
