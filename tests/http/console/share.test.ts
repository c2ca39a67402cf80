// stacks: one
/** Sharing a form: its page online, the address, the code, links; what the pill at its title says; copies. */
import { expect, test } from "bun:test";
import { makeForm, makeTeam, type PublishedForm } from "../../setup.ts";
import { expectPage, expectRedirect, type Shown, textOf } from "./browser.ts";
import { browserOf, consoleFixture, formPath, hiddenIn } from "./fixture.ts";

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

test("what is refused because the form was never published leaves the draft as it was", async () => {
  const { form } = await call("POST", "/management/forms", { name: "New", schema: { fields: [question] } });
  const before = await draftOf(form);
  for (const [to, entered] of [
    ["/share/online", {}],
    ["/share/address", { alias: `a-${crypto.randomUUID()}` }],
    ["/share/site", { site: "https://a.example" }],
  ] as const) {
    const { status } = await admin.post(formPath(form, to), { ...(await seen(form)), ...entered });
    expect([to, status, await draftOf(form)]).toEqual([to, 409, before]);
  }
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

test("a short address is made from the title, and is in effect with one button unless another form has it", async () => {
  const title = `Sömmer-Wörkshop ${crypto.randomUUID().slice(-12)}`;
  const alias = title.toLowerCase().replaceAll("ö", "oe").replace(" ", "-");
  const named = { page: { enabled: true, title } };
  const [form, second] = [await make(named), await make(named)];
  const suggested = async (of: Form) =>
    /value="([^"]*)"/.exec(/<input[^>]*name="alias"[^>]*>/.exec((await share(of)).html)?.[0] ?? "")?.[1];
  expect(await suggested(form)).toBe(alias);
  const use = async (of: Form) => admin.post(formPath(of, "/share/address"), { ...(await seen(of)), alias });
  expectRedirect(await use(form), formPath(form, "/share"));
  const address = addressIn((await share(form)).html);
  expect(address).toEndWith(`/f/${alias}`);
  expect((await open(address)).status).toBe(200);
  expect(await suggested(second)).toBe(`${alias}-2`);
  expectPage(await use(second), 409, "is the address of another form");
});

test("a short address is given up, also of a page that is offline, and is free for another form", async () => {
  const alias = `a${crypto.randomUUID().slice(-12)}`;
  const [form, other] = [await make({ page: { enabled: true, alias } }), await make(online)];
  await post(form, "/share/offline");
  expectPage(await share(form), 200, `/f/${alias} then leads nowhere, also from printed codes`);
  const given = { ...(await seen(form)), giveUp: "true" };
  const to = expectRedirect(await admin.post(formPath(form, "/share/address"), given), "/share");
  const shown = await admin.get(to);
  expectPage(shown, 200, "Short address given up.");
  expect([pillOf(shown.html), shown.html.includes(alias)]).toEqual(["Offline", false]);
  expect((await draftOf(form)).settings.page).toEqual({ enabled: false });
  const taken = { ...(await seen(other)), alias };
  expectRedirect(await admin.post(formPath(other, "/share/address"), taken), "/share");
  expect((await open(`${app.url}/f/${alias}`)).status).toBe(200);
});

test("the short address of a draft is shown and given up; an archived form says that it keeps its own", async () => {
  const alias = `a${crypto.randomUUID().slice(-12)}`;
  const { form } = await call("POST", "/management/forms", { name: "New", schema: { fields: [question] } });
  await patch(form, { settings: { page: { alias } } });
  await post(form, "/archive");
  expectPage(await share(form), 200, `It keeps its short address /f/${alias}.`);
  await post(form, "/restore");
  expectPage(await share(form), 200, `The short address /f/${alias} is kept for this form.`);
  expect((await viewer.get(formPath(form, "/share"))).html).not.toContain("Give up");
  const given = hiddenIn(await share(form), "Give it up");
  expectRedirect(await admin.post(formPath(form, "/share/address"), given), "/share");
  expect(await draftOf(form)).toMatchObject({ status: "draft", settings: { page: {} } });
  const other = await make({ page: { enabled: true, alias } });
  expect(addressIn((await share(other)).html)).toEndWith(`/f/${alias}`);
});

test("a refused change of the short address is shown again with its value, a refused end of it without", async () => {
  const alias = `a${crypto.randomUUID().slice(-12)}`;
  const form = await make({ page: { enabled: true, alias } });
  const shown = await share(form);
  await patch(form, { name: "Changed" });
  const refused = async (part: string, entered: object) => {
    const { status, html } = await admin.post(formPath(form, "/share/address"), {
      ...hiddenIn(shown, part),
      ...entered,
    });
    const [, isOpen] = /<details( open)?><summary>Change the address/.exec(html) ?? [];
    return [
      status,
      isOpen !== undefined,
      /value="([^"]*)"/.exec(/<input[^>]*name="alias"[^>]*>/.exec(html)?.[0] ?? "")?.[1],
    ];
  };
  expect(await refused('name="alias"', { alias: "other" })).toEqual([409, true, "other"]);
  expect(await refused("Give it up", {})).toEqual([409, false, alias]);
});

test("a person whose team has as many short addresses as it may have reads so at the field", async () => {
  const crowd = await makeTeam(app);
  const browser = await browserOf(app, crowd, "admin");
  const suffix = crypto.randomUUID().slice(-12);
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      makeForm(app, crowd, [question], { settings: { page: { alias: `a${index}-${suffix}` } } }),
    ),
  );
  const form = await makeForm(app, crowd, [question], { settings: online });
  const path = formPath(form, "/share");
  const fields = { ...hiddenIn(await browser.get(path), 'name="alias"'), alias: `b-${suffix}` };
  const refused = await browser.post(`${path}/address`, fields);
  expectPage(refused, 409, "Your team has 20 short addresses and can have no more.");
  expect(refused.html).toMatch(/<input[^>]*name="alias"[^>]*aria-invalid="true"/);
  expect(refused.html).toContain(`value="b-${suffix}"`);
});

test("the code is a file and a poster, with the form's name, its logo and its address", async () => {
  const logo = {
    src: `data:image/png;base64,${Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64")}`,
  };
  const form = await make({ page: { enabled: true, theme: { logo: { ...logo, alt: "The club" } } } });
  await patch(form, { name: "Größe & Co" });
  const shown = await share(form);
  expect(shown.html).toContain('download="groesse-co.svg"');
  const poster = await viewer.get(formPath(form, "/poster"));
  expectPage(poster, 200, "Scan the code to open the form.", addressIn(shown.html).replace(/^https?:../, ""));
  expect(poster.html).toContain('alt="The club"');
  expect(poster.html).toContain('class="qr"');
});

test("the address of a page shows its title, text and logo, or cover, on other sites, and nothing while it is offline", async () => {
  const bytes = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const logo = { src: `data:image/png;base64,${bytes.toString("base64")}`, alt: "The club" };
  const page = { enabled: true, title: 'The "big" day', introduction: "Come all!", theme: { logo } };
  const form = await make({ page });
  const address = addressIn((await share(form)).html);
  const properties = async () =>
    [...(await (await open(address)).text()).matchAll(/<meta property="og:(\w+)" content="([^"]*)"/g)].map(
      ([, name, content]) => [name, content],
    );
  expect(await properties()).toEqual([
    ["title", "The &quot;big&quot; day"],
    ["description", "Come all!"],
    ["image", `${address}/picture`],
  ]);
  const picture = await fetch(`${address}/picture`);
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(Buffer.from(await picture.arrayBuffer())).toEqual(bytes);
  const cover = { src: `data:image/jpeg;base64,${Buffer.from("\xff\xd8\xff", "latin1").toString("base64")}` };
  await patch(form, { settings: { page: { theme: { logo: null, cover } } } });
  expect(await properties()).toContainEqual(["image", `${address}/picture`]);
  expect((await fetch(`${address}/picture`)).headers.get("content-type")).toBe("image/jpeg");
  await post(form, "/share/offline");
  expect([await properties(), (await fetch(`${address}/picture`)).status]).toEqual([[], 404]);
});

test("a site is named where its code is, by the address of any of its pages, and has the page at once", async () => {
  const form = await make(online);
  expect(textOf(await share(form))).toContain("Add your website first");
  const site = "www.example.org/about us";
  const added = await admin.post(formPath(form, "/share/site"), { ...(await seen(form)), site });
  expectRedirect(added, formPath(form, "/share"));
  const shown = await share(form);
  expect(textOf(shown)).toContain("The code works on https://www.example.org.");
  const { headers } = await open(addressIn(shown.html));
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'self' https://www.example.org");
});

test("the example shows the page that sites embed, before the first one is named, and stores nothing", async () => {
  const steps = [
    question,
    { id: "p", type: "page_break", label: "Next" },
    { ...question, id: "b", label: "B" },
  ];
  const form = await make(online, steps);
  await call("PATCH", `/management/forms/${form.id}`, {
    operations: [{ op: "updateField", fieldId: "a", set: { label: "Draft only" } }],
  });
  const [, src = ""] = /<iframe[^>]* class="example" src="([^"]+)"/.exec((await share(form)).html) ?? [];
  expect(src).toBe(formPath(form, "/preview?embed"));
  const page = await admin.get(src);
  expectPage(page, 200, '<body class="embedded">', "Preview. What you enter is not stored.");
  expect(textOf(page)).not.toContain("Draft only");
  expect(textOf(await admin.get(formPath(form, "/preview")))).toContain("Draft only");
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
  const [, next = ""] = /<form[^>]* action="([^"]+)"/.exec(page.html) ?? [];
  expect(next.replaceAll("&amp;", "&")).toStartWith(formPath(form, "/preview/steps?embed"));
  const second = await admin.post(next, { ...hiddenIn(page, next), a: "x" });
  expectPage(second, 200, 'class="embedded"', "Preview. What you enter is not stored.");
  expect((await read(`/management/forms/${form.id}/submissions`)).submissions).toEqual([]);
});

test("code for a site has the form's name as text", async () => {
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

test("the settings of an archived form are shown, not changed, with the button that restores it", async () => {
  const form = await make(online);
  await patch(form, { settings: { availabilty: {} } });
  await post(form, "/archive");
  const path = formPath(form, "/settings");
  const expectReadOnly = (page: Shown, status: number) => {
    expectPage(page, status, "This form is archived. Restore it to change its settings.");
    expect(page.html).toContain(`<form method="post" action="${formPath(form, "/restore")}"`);
    for (const part of [`action="${path}"`, `action="${path}/unknown"`, "save-bar", "settings.js"])
      expect([part, page.html.includes(part)]).toEqual([part, false]);
    expect(page.html).toMatch(/<fieldset class="settings" disabled[^>]*><section [^>]*="page-heading">/);
  };
  expectReadOnly(await admin.get(path), 200);
  const shown = { shown: "theme.contact=", "theme.contact": "me@a.example" };
  expectReadOnly(await admin.post(path, shown), 409);
  await post(form, "/restore");
  expect((await admin.get(path)).html).toContain("save-bar");
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
