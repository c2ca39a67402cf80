import { beforeAll, describe, expect, test } from "bun:test";
import { fieldTypes } from "../../../src/fields/types.ts";
import { ask, makeForm, makeTeam, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { Browser, expectRedirect, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let browser: Browser;
let viewer: Browser;

beforeAll(async () => {
  ({ app, team, admin: browser, viewer } = await consoleFixture());
}, 120_000);

const field = (id: string, more: object = {}) => ({ id, type: "text", label: id.toUpperCase(), ...more });
const pathOf = ({ id }: { id: string }) => `/console/forms/${id}`;
const read = async ({ id }: { id: string }) => {
  const reply = await ask(app, "GET", `/papi/v1/management/forms/${id}`, {
    headers: { "x-api-key": team.key },
  });
  return reply.body.data.form;
};
const ids = async (form: PublishedForm) =>
  (await read(form)).schema.fields.map((each: { id: string }) => each.id);
/** What the page's forms send beside what is entered. */
const seen = async (form: { id: string }) => ({ updatedAt: (await read(form)).updatedAt as string });

test("a form is made with a name, which is needed", async () => {
  const page = await browser.get("/console/new-form");
  const workspace = /name="workspace" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
  const refused = await browser.post("/console/new-form", { name: "  ", workspace });
  expect([refused.status, textOf(refused).includes("a form needs a name")]).toEqual([400, true]);
  const to = expectRedirect(
    await browser.post("/console/new-form", { name: "Survey", workspace }),
    /^\/console\/forms\//,
  );
  expect(textOf(await browser.get(to))).toContain("This form has no field yet.");
  expect((await browser.post("/console/new-form", { name: "Survey", workspace: "x" })).status).toBe(400);
});

describe("fields", () => {
  test.each(Object.keys(fieldTypes))("a %s is added with every rule of its type", async (type) => {
    const form = await makeForm(app, team, []);
    const page = await browser.get(`${pathOf(form)}/field/new?type=${type}`);
    const { field: rules } = fieldTypes[type as keyof typeof fieldTypes].example;
    for (const name of Object.keys(rules)) expect(page.html).toContain(`name="rule.${name}"`);
    const lines = (value: unknown) =>
      Array.isArray(value)
        ? value.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join("\r\n")
        : String(value);
    const entered = Object.fromEntries(
      Object.entries(rules).map(([name, value]) => [`rule.${name}`, lines(value)]),
    );
    expectRedirect(
      await browser.post(`${pathOf(form)}/field/new`, { type, label: "The field", ...entered }),
      pathOf(form),
    );
    const [added] = (await read(form)).schema.fields;
    expect([added.id, added.type, { ...added.validation, ...added }]).toEqual([
      "the_field",
      type,
      expect.objectContaining(rules),
    ]);
  });

  test("are edited, moved and removed, each by its id whatever it is", async () => {
    const odd = `a/../b?c=d&e#"<é`;
    const form = await makeForm(app, team, [field("a"), field(odd), field("c")]);
    const page = await browser.get(`${pathOf(form)}/field?${new URLSearchParams({ id: odd })}`);
    expect(page.status).toBe(200);
    const edit = {
      id: odd,
      type: "text",
      label: "New",
      required: "true",
      "rule.maxLength": "7",
      ...(await seen(form)),
    };
    expectRedirect(await browser.post(`${pathOf(form)}/field`, edit), pathOf(form));
    expect((await read(form)).schema.fields[1]).toEqual({
      id: odd,
      type: "text",
      label: "New",
      required: true,
      validation: { maxLength: 7 },
    });
    await browser.post(`${pathOf(form)}/field/move`, { id: odd, toIndex: "0", ...(await seen(form)) });
    expect(await ids(form)).toEqual([odd, "a", "c"]);
    await browser.post(`${pathOf(form)}/field/remove`, { id: odd, ...(await seen(form)) });
    expect(await ids(form)).toEqual(["a", "c"]);
    expect((await browser.get(`${pathOf(form)}/field?id=gone`)).status).toBe(404);
    for (const toIndex of ["-1", "x", "1.5"])
      expect((await browser.post(`${pathOf(form)}/field/move`, { id: "a", toIndex })).status).toBe(400);
  });

  test("show the lint's messages beside them, in the list and in the form", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const edit = { id: "a", type: "text", label: "A", "rule.minLength": "many", ...(await seen(form)) };
    expectRedirect(await browser.post(`${pathOf(form)}/field`, edit), pathOf(form));
    const message = "must be a whole number, 0 or more";
    expect(textOf(await browser.get(pathOf(form)))).toContain(message);
    const page = await browser.get(`${pathOf(form)}/field?id=a`);
    expect(page.html).toMatch(/aria-invalid="true"[^>]*>|value="many"/);
    expect(textOf(page)).toContain(message);
    expect(textOf(await browser.get(`${pathOf(form)}/publish`))).toContain("Fix these first");
    expect((await browser.post(`${pathOf(form)}/publish`, await seen(form))).status).toBe(422);
  });

  test("another type's rules are shown without saving anything", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const before = await read(form);
    const page = await browser.post(`${pathOf(form)}/field`, {
      id: "a",
      type: "rating",
      label: "Kept",
      "formd.resume": "type",
      ...(await seen(form)),
    });
    expect([
      page.status,
      page.html.includes('name="rule.minimum"'),
      page.html.includes('value="Kept"'),
    ]).toEqual([200, true, true]);
    expect(await read(form)).toEqual(before);
  });
});

describe("two editors of one draft", () => {
  test("the second sees both versions, and may then save", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const stale = await seen(form);
    const edit = (label: string, updatedAt: string) =>
      browser.post(`${pathOf(form)}/field`, { id: "a", type: "text", label, updatedAt });
    expectRedirect(await edit("First", stale.updatedAt), pathOf(form));
    const refused = await edit("Second", stale.updatedAt);
    expect(refused.status).toBe(409);
    expect(refused.html).toContain('value="Second"');
    expect(textOf(refused)).toContain('"label": "First"');
    const again = /name="updatedAt" value="([^"]+)"/.exec(refused.html)?.[1] ?? "";
    expectRedirect(await edit("Second", again), pathOf(form));
    expect((await read(form)).schema.fields[0].label).toBe("Second");
  });
});

describe("a session that ends in mid-form", () => {
  test("asks to sign in, then shows the form with what was entered, and has saved nothing", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const { email, password } = team.operator;
    await app.database.sql`delete from formd.rate_limits where bucket like 'login:account:%'`;
    const stranger = new Browser(app);
    const asked = await stranger.post(`${pathOf(form)}/field`, {
      id: "a",
      type: "text",
      label: "<Mine>",
      ...(await seen(form)),
    });
    expect(asked.status).toBe(401);
    const hidden = (name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(asked.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const resumed = await stranger.signIn(email, password, {
      next: hidden("next"),
      values: hidden("values"),
    });
    expect(resumed.status).toBe(200);
    expect(resumed.html).toContain(`action="${pathOf(form)}/field"`);
    const fields = Object.fromEntries(
      [...resumed.html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
        ([, name = "", value = ""]) => [
          name,
          value.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
        ],
      ),
    );
    const page = await stranger.post(`${pathOf(form)}/field`, fields);
    expect([page.status, page.html.includes('value="&lt;Mine>"')]).toEqual([200, true]);
    expect((await read(form)).schema.fields[0].label).toBe("A");
  });
});

describe("settings and publishing", () => {
  test("settings are set by their checkboxes, name and description by their texts", async () => {
    const form = await makeForm(app, team, [field("a")], { settings: { own: { kept: 1 } } });
    const entered = { name: "Named", description: "two\r\nlines", review: "true", ...(await seen(form)) };
    expectRedirect(await browser.post(`${pathOf(form)}/settings`, entered), pathOf(form));
    const { name, description, settings } = await read(form);
    expect([name, description]).toEqual(["Named", "two\nlines"]);
    expect(settings).toEqual({
      own: { kept: 1 },
      captcha: { enabled: false },
      anonymous: { enabled: false },
      challenge: { required: false },
      review: { required: true },
      page: { enabled: false },
      availability: {},
    });
    const refused = await browser.post(`${pathOf(form)}/settings`, { name: " ", ...(await seen(form)) });
    expect(refused.status).toBe(400);
  });

  test("the page for people is turned on with its texts, and the form links to it; an empty text removes one", async () => {
    const form = await makeForm(app, team, [field("a")], { settings: { page: { thankYou: "Old" } } });
    const page = { enabled: true, language: "de", title: "Hallo", alias: `a${form.id.slice(-12)}` };
    const entered = Object.entries(page).map(([name, value]) => [`page.${name}`, String(value)]);
    const values = {
      name: "Named",
      anonymous: "true",
      "page.thankYou": " ",
      ...Object.fromEntries(entered),
      ...(await seen(form)),
    };
    expectRedirect(await browser.post(`${pathOf(form)}/settings`, values), pathOf(form));
    expect((await read(form)).settings.page).toEqual(page);
    const shown = await browser.get(pathOf(form));
    expect(shown.html).toContain(`href="/f/${page.alias}"`);
    expect((await browser.get(`/f/${page.alias}`)).html).toContain("<title>Hallo</title>");
    const wrong = { ...values, "page.redirectUrl": "javascript:alert(1)", ...(await seen(form)) };
    expect(textOf(await browser.post(`${pathOf(form)}/settings`, wrong))).toContain("redirectUrl must be");
  });

  test("when the form is open, for how many submissions, and who may embed its page are entered as text; wrong ones are shown again", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const availability = { opensAt: "2026-12-01T09:00:00+01:00", maxSubmissions: 30 };
    const values = {
      name: "Named",
      "availability.opensAt": ` ${availability.opensAt}`,
      "availability.maxSubmissions": "30",
      "page.embedOrigins": "https://a.example\r\n\r\nhttp://localhost:3000 ",
    };
    const path = `${pathOf(form)}/settings`;
    expectRedirect(await browser.post(path, { ...values, ...(await seen(form)) }), pathOf(form));
    const { settings } = await read(form);
    expect([settings.availability, settings.page.embedOrigins]).toEqual([
      availability,
      ["https://a.example", "http://localhost:3000"],
    ]);
    const { html } = await browser.get(path);
    expect(html).toContain(`value="${availability.opensAt}"`);
    expect(html).toContain("https://a.example\nhttp://localhost:3000</textarea>");
    for (const [name, value] of [
      ["availability.maxSubmissions", "many"],
      ["availability.closesAt", "tomorrow"],
      ["page.embedOrigins", "example.org/path"],
    ] as const) {
      const refused = await browser.post(path, { ...values, [name]: value, ...(await seen(form)) });
      expect([refused.status, refused.html.includes(value)]).toEqual([400, true]);
      expect(textOf(refused)).toContain(name);
    }
    const emptied = { name: "Named", ...(await seen(form)) };
    expectRedirect(await browser.post(path, emptied), pathOf(form));
    expect((await read(form)).settings).toMatchObject({ availability: {}, page: { enabled: false } });
  });

  test("the page says what changes and what may break; publishing makes the next version, by whom", async () => {
    const form = await makeForm(app, team, [field("a"), field("b")]);
    expect(textOf(await browser.get(`${pathOf(form)}/publish`))).toContain(
      "The draft is the same as the live version.",
    );
    await browser.post(`${pathOf(form)}/field/remove`, { id: "b", ...(await seen(form)) });
    await browser.post(`${pathOf(form)}/field/new`, { type: "email", label: "Mail" });
    const stale = await seen(form);
    const page = textOf(await browser.get(`${pathOf(form)}/publish`));
    expect(page).toContain("This may break callers");
    expect(page).toContain("B removed");
    expect(page).toContain("Mail added");
    expect(page).toContain("1 access key");
    await browser.post(`${pathOf(form)}/field/new`, { type: "text", label: "Late" });
    expect((await browser.post(`${pathOf(form)}/publish`, stale)).status).toBe(409);
    expectRedirect(
      await browser.post(`${pathOf(form)}/publish`, await seen(form)),
      `${pathOf(form)}/publish`,
    );
    expect((await read(form)).currentVersion).toBe(2);
    expect(textOf(await browser.get(`${pathOf(form)}/publish`))).toMatch(/2 admin\d+@example\.org/);
  });

  test("an archived form can be restored, and not edited", async () => {
    const form = await makeForm(app, team, [field("a")]);
    await browser.post(`${pathOf(form)}/archive`, {});
    expect((await read(form)).status).toBe("archived");
    const page = await browser.get(pathOf(form));
    expect(page.html).not.toContain("/field/");
    expect((await browser.post(`${pathOf(form)}/field/new`, { type: "text", label: "B" })).status).toBe(409);
    await browser.post(`${pathOf(form)}/restore`, {});
    expect((await read(form)).status).toBe("published");
  });
});

describe("a viewer", () => {
  test("sees no button and gets 403 on the request", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const path = pathOf(form);
    for (const page of ["", "/publish", "/submissions"]) {
      const { status, html } = await viewer.get(path + page);
      expect([status, /<form method="post"/.test(html)]).toEqual([200, false]);
    }
    const posts: [string, Record<string, string>][] = [
      ["/field/new", { type: "text", label: "B" }],
      ["/field/move", { id: "a", toIndex: "0" }],
      ["/field/remove", { id: "a" }],
      ["/field", { id: "a", type: "text", label: "B" }],
      ["/settings", { name: "B" }],
      ["/publish", await seen(form)],
      ["/archive", {}],
      ["/restore", {}],
    ];
    for (const [to, fields] of posts)
      expect([to, (await viewer.post(path + to, fields)).status]).toEqual([to, 403]);
    expect((await viewer.get("/console")).html).not.toContain("/console/new-form");
  });

  test("of another workspace finds no form", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const stranger = await browserOf(app, await makeTeam(app), "admin");
    expect((await stranger.get(pathOf(form))).status).toBe(404);
    expect((await stranger.post(`${pathOf(form)}/archive`, {})).status).toBe(404);
  });
});
