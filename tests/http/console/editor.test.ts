// stacks: one
import { beforeAll, describe, expect, test } from "bun:test";
import { fieldTypes } from "../../../src/fields/types.ts";
import { ask, makeForm, makeTeam, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { Browser, expectRedirect, type Shown, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let browser: Browser;
let viewer: Browser;

beforeAll(async () => {
  ({ app, team, admin: browser, viewer } = await consoleFixture());
});

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
  expect([refused.status, textOf(refused).includes("A form needs a name")]).toEqual([400, true]);
  const to = expectRedirect(
    await browser.post("/console/new-form", { name: "Survey", workspace }),
    /^\/console\/forms\//,
  );
  expect(textOf(await browser.get(to))).toContain("Write the first questions.");
  expect((await browser.post("/console/new-form", { name: "Survey", workspace: "x" })).status).toBe(400);
});

describe("fields", () => {
  test.each(Object.keys(fieldTypes))("a %s is added with every rule of its type", async (type) => {
    const form = await makeForm(app, team, []);
    const more = { type, label: "The field", "formd.resume": "type" };
    const page = await browser.post(`${pathOf(form)}/field/new`, more);
    expect([page.status, (await read(form)).schema.fields]).toEqual([200, []]);
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
    const page = await browser.get(`${pathOf(form)}?${new URLSearchParams({ edit: odd })}`);
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
    expect((await browser.get(`${pathOf(form)}?edit=gone`)).status).toBe(404);
    for (const toIndex of ["-1", "x", "1.5"])
      expect((await browser.post(`${pathOf(form)}/field/move`, { id: "a", toIndex })).status).toBe(400);
  });

  test("that are wrong are saved, open again with what is wrong at its control, and say so in the list", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const edit = { id: "a", type: "text", label: "A", "rule.minLength": "many", ...(await seen(form)) };
    const to = expectRedirect(await browser.post(`${pathOf(form)}/field`, edit), /\?edit=a/);
    const message = "“At least … characters” must be a whole number, 0 or more.";
    const page = await browser.get(to);
    expect(page.html).toMatch(/value="many"[^>]*aria-invalid="true"/);
    expect(page.html).toContain('href="#rule.2eminLength"');
    expect(textOf(page)).toContain(`Before the form can be published: ${message}`);
    expect(textOf(await browser.get(pathOf(form)))).toContain(message);
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

  test("the parts of an address that must be filled stay checked where the question is shown again", async () => {
    const form = await makeForm(app, team, [field("a", { type: "address" })]);
    const parts = ["line1", "city"];
    const entered = { id: "a", type: "address", label: "A", "rule.requiredParts": parts };
    const again = await browser.post(`${pathOf(form)}/field`, { ...entered, "formd.resume": "type" });
    expectRedirect(
      await browser.post(`${pathOf(form)}/field`, { ...entered, ...(await seen(form)) }),
      pathOf(form),
    );
    const saved = await browser.get(`${pathOf(form)}?edit=a`);
    const checked = (page: Shown) =>
      [...page.html.matchAll(/name="rule\.requiredParts" value="(\w+)" checked/g)].map(([, part]) => part);
    expect([checked(again), checked(saved)]).toEqual([parts, parts]);
  });
});

/** The fields of a form post that is in a page, by what it is sent to. */
const formIn = ({ html }: Shown, action: string): Record<string, string> => {
  const form = html.split("<form ").find((part) => part.includes(`action="${action}"`)) ?? "";
  return Object.fromEntries(
    [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&"),
    ]),
  );
};

describe("questions", () => {
  test("are added several at a time, with ids of their own; without any nothing is", async () => {
    const form = await makeForm(app, team, [field("name", { label: "Name" })]);
    const rows = {
      "0.label": "Name",
      "0.type": "text",
      "0.required": "true",
      "2.label": "Size",
      "2.type": "select",
      "2.choices": "S\r\nM",
      "5.label": "!?",
      "5.type": "date",
      "5.choices": "not of a date",
    };
    const to = expectRedirect(await browser.post(`${pathOf(form)}/field/several`, rows), pathOf(form));
    expect(textOf(await browser.get(to))).toContain("3 questions are added.");
    expect((await read(form)).schema.fields.slice(1)).toEqual([
      { id: "name_2", type: "text", label: "Name", required: true },
      { id: "size", type: "select", label: "Size", options: ["S", "M"] },
      { id: "date", type: "date", label: "!?" },
    ]);
    const empty = await browser.post(`${pathOf(form)}/field/several`, { "0.label": " ", "1.type": "date" });
    expect([empty.status, textOf(empty).includes("Write at least one question.")]).toEqual([400, true]);
    const more = await browser.post(`${pathOf(form)}/field/several`, { "0.label": "More", another: "true" });
    expectRedirect(more, /\?several&/);
  });

  test("are added in any place: first, after another, last; and then another of the same type", async () => {
    const form = await makeForm(app, team, [field("a"), field("b")]);
    const add = (label: string, more: object) =>
      browser.post(`${pathOf(form)}/field/new`, { type: "email", label, ...more });
    expect((await browser.get(`${pathOf(form)}?after=a`)).html).toContain('name="after" value="a"');
    await add("Second", { after: "a" });
    await add("First", { after: "" });
    const to = expectRedirect(await add("Last", { another: "true" }), /\?type=email&new=/);
    expect(await ids(form)).toEqual(["first", "a", "second", "b", "last"]);
    expect((await browser.get(to)).html).toMatch(/value="email" checked/);
    expectRedirect(await add("Third", { after: "a", another: "true" }), /after=third/);
  });

  test("are listed by their labels and types in people's words, never by an id", async () => {
    const fields = [
      field("e_mail_0", { type: "email", label: "Where to write" }),
      field("stop", { type: "page_break" }),
    ];
    const list = textOf(await browser.get(pathOf(await makeForm(app, team, fields))));
    expect(list).toMatch(/Where to write E-mail address.*STOP New step/);
    expect(list).not.toMatch(/e_mail_0|page_break|\bid\b/);
  });

  test("are moved by arrows or to a place, copied, and removed; each is reported, and undone by one press", async () => {
    const form = await makeForm(app, team, [field("a"), field("b", { options: ["x"] }), field("c")]);
    const act = async (name: string, fields: Record<string, string>) =>
      await browser.get(
        expectRedirect(
          await browser.post(`${pathOf(form)}/field/${name}`, { ...fields, ...(await seen(form)) }),
          pathOf(form),
        ),
      );
    const moved = await act("move", { id: "a", place: "3" });
    expect([await ids(form), textOf(moved).includes("A is now 3 of 3.")]).toEqual([["b", "c", "a"], true]);
    await act("move", formIn(moved, `${pathOf(form)}/field/move`));
    expect(await ids(form)).toEqual(["a", "b", "c"]);
    const up = await act("move", { id: "c", up: "1" });
    expect(up.html).toMatch(/aria-label="Move C up"[^>]*autofocus/);
    const before = (await read(form)).schema.fields;
    const removed = await act("remove", { id: "b" });
    expect([await ids(form), textOf(removed).includes("B is removed.")]).toEqual([["a", "c"], true]);
    await act("restore", formIn(removed, `${pathOf(form)}/field/restore`));
    expect((await read(form)).schema.fields).toEqual(before);
    const copied = await act("copy", { id: "b" });
    expect(copied.html).toContain('value="B (copy)"');
    expect((await read(form)).schema.fields.at(-1)).toEqual({ ...before[2], id: "b_2", label: "B (copy)" });
    const restore = await browser.post(`${pathOf(form)}/field/restore`, { definition: "none", index: "0" });
    expect(restore.status).toBe(400);
  });

  test("keep the values of their choices when a label is corrected", async () => {
    const form = await makeForm(app, team, [
      field("diet", { type: "select", options: ["Halal", "Vegn", "Room 1"] }),
    ]);
    const save = async (options: string) => {
      const entered = { id: "diet", type: "select", label: "Diet", "rule.options": options };
      await browser.post(`${pathOf(form)}/field`, { ...entered, ...(await seen(form)) });
      return (await read(form)).schema.fields[0].options;
    };
    expect(await save("Kosher\r\nHalal\r\nVegan\r\nRoom 2")).toEqual([
      "Kosher",
      "Halal",
      { value: "Vegn", label: "Vegan" },
      "Room 2",
    ]);
    const page = await browser.get(`${pathOf(form)}?edit=diet`);
    expect(page.html).toContain("Kosher\nHalal\nVegan\nRoom 2</textarea>");
    expect(textOf(page)).toContain("Vegan (Vegn)");
    expect(await save("Vegan, only raw\r\nKosher")).toEqual([
      { value: "Vegn", label: "Vegan, only raw" },
      "Kosher",
    ]);
  });

  test("a report that another session has signed is not shown", async () => {
    const form = await makeForm(app, team, [field("a"), field("b")]);
    const to = expectRedirect(
      await browser.post(`${pathOf(form)}/field/move`, { id: "a", toIndex: "1", ...(await seen(form)) }),
      pathOf(form),
    );
    expect(textOf(await browser.get(to))).toContain("A is now 2 of 2.");
    expect(textOf(await viewer.get(to))).not.toContain("A is now");
  });
});

describe("the preview", () => {
  const page = { enabled: true, layout: "steps", thankYou: "Bye", language: "de" };

  test("is the draft at its real look, in steps, and stores nothing", async () => {
    const form = await makeForm(app, team, [field("old")], { settings: { page } });
    const path = `${pathOf(form)}/preview`;
    const post = (label: string, type: string) => browser.post(`${pathOf(form)}/field/new`, { label, type });
    await post("Seite", "page_break");
    await browser.post(`${pathOf(form)}/field/new`, { label: "Neu", type: "email", required: "true" });
    const first = await browser.get(path);
    expect(first.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(textOf(first)).toMatch(/Preview of the draft.*Schritt 1 von 2/);
    const second = await browser.post(`${path}/steps`, { ...formIn(first, `${path}/steps`), old: "x" });
    expect(textOf(second)).toContain("Schritt 2 von 2");
    const wrong = await browser.post(`${path}/steps`, { ...formIn(second, `${path}/steps`), neu: "x" });
    expect([wrong.status, wrong.html.includes('id="summary"')]).toEqual([422, true]);
    const checked = await browser.post(`${path}/steps`, {
      ...formIn(second, `${path}/steps`),
      neu: "a@b.example",
    });
    const sent = await browser.post(path, formIn(checked, path));
    expect([sent.status, textOf(sent)]).toEqual([200, expect.stringContaining("nothing has been stored")]);
    expect(textOf(sent)).toContain("Bye");
    const { sql } = app.database;
    expect((await sql`select id from formd.submissions where form_id = ${form.id}`).length).toBe(0);
  });

  test("on one page shows what is wrong; it is for operators of the workspace", async () => {
    const form = await makeForm(app, team, [field("a", { required: true })]);
    const path = `${pathOf(form)}/preview`;
    const refused = await viewer.post(path, { a: "", "formd.version": "0" });
    expect([refused.status, refused.html.includes('id="summary"')]).toEqual([422, true]);
    expect((await viewer.post(path, { a: "x", "formd.version": "0" })).status).toBe(200);
    expect((await new Browser(app).get(path)).status).toBe(401);
    const stranger = await browserOf(app, await makeTeam(app), "admin");
    expect((await stranger.get(path)).status).toBe(404);
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
    await app.database.sql`delete from formd.rate_limits where key like 'login:account:%'`;
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
  const save = async (form: PublishedForm, card: string, fields: Record<string, string>) =>
    browser.post(`${pathOf(form)}/settings/${card}`, { ...fields, ...(await seen(form)) });

  test("rules are saved alone, and so are name and description, which has its line ends", async () => {
    const form = await makeForm(app, team, [field("a")], {
      settings: { own: { kept: 1 }, page: { title: "T" } },
    });
    const to = expectRedirect(await save(form, "rules", { review: "true" }), `${pathOf(form)}/settings?`);
    expect(textOf(await browser.get(to))).toContain("Saved.");
    const rules = {
      captcha: { enabled: false },
      anonymous: { enabled: false },
      challenge: { required: false },
      review: { required: true },
    };
    expect((await read(form)).settings).toEqual({ own: { kept: 1 }, page: { title: "T" }, ...rules });
    await save(form, "page", { name: "Named", description: "two\r\nlines", "page.title": "T" });
    const { name, description, settings } = await read(form);
    expect([name, description, settings.page, settings.review]).toEqual([
      "Named",
      "two\nlines",
      { title: "T" },
      { required: true },
    ]);
  });

  test("the page has its texts and its steps; what redirects waits for publishing, and is reported", async () => {
    const form = await makeForm(app, team, [field("a")], {
      settings: { page: { enabled: true, thankYou: "Old" } },
    });
    const page = { language: "de", title: "Hallo", layout: "steps", alias: `a${form.id.slice(-12)}` };
    const entered = Object.entries(page).map(([name, value]) => [`page.${name}`, value]);
    const theme = { accent: "#1f5c41", scheme: "light", contact: "help@example.org" };
    const look = Object.entries(theme).map(([name, value]) => [`theme.${name}`, value]);
    const values = {
      name: "Named",
      "page.thankYou": " ",
      "theme.corners": "",
      ...Object.fromEntries([...entered, ...look]),
    };
    const to = expectRedirect(await save(form, "page", values), `${pathOf(form)}/settings?`);
    expect(textOf(await browser.get(to))).toContain("Saved. A part waits until you publish it");
    expect((await read(form)).settings.page).toEqual({ enabled: true, ...page, theme });
    expect(textOf(await browser.get(`${pathOf(form)}/publish`))).toContain(
      `The page has the address /f/${page.alias}`,
    );
    await browser.post(`${pathOf(form)}/publish-settings`, await seen(form));
    expect((await browser.get(pathOf(form))).html).toContain(`href="/f/${page.alias}"`);
    expect((await browser.get(`/f/${page.alias}`)).html).toContain("<title>Hallo</title>");
    const other = await makeForm(app, team, [field("a")]);
    const taken = await save(other, "page", { name: "B", "page.alias": page.alias });
    expect([taken.status, textOf(taken).includes("Another form has this address.")]).toEqual([422, true]);
  });

  test("all that is wrong is at its control, and in a summary that has the focus; nothing is saved", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const before = await read(form);
    const wrong = {
      name: " ",
      "page.alias": "-x",
      "page.redirectUrl": "javascript:alert(1)",
      "page.embedOrigins": "example.org/path",
      "page.title": "x".repeat(201),
      "theme.accent": "#ffcc00",
    };
    const page = await save(form, "page", wrong);
    expect([page.status, page.html.match(/aria-invalid="true"/g)?.length]).toEqual([422, 6]);
    expect(page.html).toMatch(/role="alert"[^>]*tabindex="-1"[^>]*autofocus/i);
    expect(textOf(page)).toMatch(
      /Write a name\..*The short name has.*begins with https.*“Title” is too long\./,
    );
    expect(textOf(page)).toContain("The nearest that can is #");
    for (const [name, value] of Object.entries(wrong)) expect(page.html).toContain(value || name);
    const opening = await save(form, "opening", {
      "availability.opensAt": "2027-06-02",
      "availability.closesAt": "2027-06-01",
      "availability.timeZone": "Europe/Berlin",
      "availability.maxSubmissions": "many",
    });
    expect(textOf(opening)).toMatch(/The end must be after the beginning\..*Write a whole number/);
    const zone = await save(form, "opening", {
      "availability.closesAt.time": "09:00",
      "availability.timeZone": "Mars",
    });
    expect(textOf(zone)).toMatch(/Write a day and a time\./);
    expect(textOf(zone)).toMatch(/Write a time zone/);
    expect(await read(form)).toEqual(before);
  });

  test("opening and closing are days and times of the form's zone, in summer and in winter", async () => {
    const form = await makeForm(app, team, [field("a")]);
    const opening = {
      "availability.opensAt": "2027-03-01",
      "availability.opensAt.time": "09:00",
      "availability.closesAt": "2027-06-01",
      "availability.timeZone": "Europe/Berlin",
      "availability.maxSubmissions": "100",
    };
    await save(form, "opening", opening);
    expect((await read(form)).settings.availability).toEqual({
      opensAt: "2027-03-01T09:00:00+01:00",
      closesAt: "2027-06-01T23:59:00+02:00",
      timeZone: "Europe/Berlin",
      maxSubmissions: 100,
    });
    const { html } = await browser.get(`${pathOf(form)}/settings`);
    expect(html).toMatch(
      /value="2027-06-01"[^>]*id="availability.2eclosesAt"|id="availability.2eclosesAt"[^>]*value="2027-06-01"/,
    );
    expect(html).toContain('value="23:59"');
    const texts = { closedText: "See you\nnext year.", fullText: "Write to the waiting list." };
    const own = { "page.closedText": texts.closedText, "page.fullText": texts.fullText };
    const zone = { "availability.timeZone": "Europe/Berlin" };
    await save(form, "opening", { ...zone, ...own });
    // The page after a submission says by it when that came.
    const berlin = { timeZone: "Europe/Berlin" };
    expect((await read(form)).settings).toMatchObject({ availability: berlin, page: texts });
    expect((await browser.get(`${pathOf(form)}/settings`)).html).toContain(`${texts.fullText}</textarea>`);
    const tooLong = await save(form, "opening", { ...zone, "page.fullText": "x".repeat(5_001) });
    expect([tooLong.status, textOf(tooLong).includes("is too long.")]).toEqual([422, true]);
    await save(form, "opening", { "availability.timeZone": "UTC" });
    const { availability, page } = (await read(form)).settings;
    expect([availability?.timeZone, page.closedText]).toEqual([undefined, undefined]);
  });

  test("a form is closed at once, with its time to the millisecond, and opened again", async () => {
    const form = await makeForm(app, team, [field("a")], { settings: { page: { enabled: true } } });
    expectRedirect(await browser.post(`${pathOf(form)}/settings/close`, {}), `${pathOf(form)}/settings`);
    const { closesAt } = (await read(form)).settings.availability;
    const page = await browser.get(`${pathOf(form)}/settings`);
    const shown = (name: string) =>
      new RegExp(`value="([^"]*)"[^>]* name="${name}"|name="${name}"[^>]* value="([^"]*)"`)
        .exec(page.html)
        ?.slice(1)
        .find(Boolean) ?? "";
    const names = ["closesAt", "closesAt.time", "timeZone"].map((name) => `availability.${name}`);
    await save(form, "opening", Object.fromEntries(names.map((name) => [name, shown(name)])));
    expect((await read(form)).settings.availability.closesAt).toBe(closesAt);
    expect(textOf(page)).toMatch(/Closed.*Open again/);
    expectRedirect(await browser.post(`${pathOf(form)}/settings/open`, {}), `${pathOf(form)}/settings`);
    expect(textOf(await browser.get(`${pathOf(form)}/settings`))).toMatch(/Online.*Close now/);
  });

  test("the page says what changes and what may break; publishing makes the next version, by whom", async () => {
    const settings = { page: { enabled: true } };
    const form = await makeForm(app, team, [field("a"), field("b")], { settings });
    expect(textOf(await browser.get(`${pathOf(form)}/publish`))).toContain(
      "The draft is the same as the live version.",
    );
    await browser.post(`${pathOf(form)}/field/remove`, { id: "b", ...(await seen(form)) });
    await browser.post(`${pathOf(form)}/field/new`, { type: "email", label: "Mail" });
    const stale = await seen(form);
    const page = textOf(await browser.get(`${pathOf(form)}/publish`));
    expect(page).toContain("What was right before may be refused");
    expect(page).toContain("B removed");
    expect(page).toContain("Mail added");
    expect(page).toContain("Who is filling it in right now sees the page again");
    expect(page).toContain(
      "Programs that send what the form asked before are refused. They come with 1 access key.",
    );
    await browser.post(`${pathOf(form)}/field/new`, { type: "text", label: "Late" });
    expect((await browser.post(`${pathOf(form)}/publish`, stale)).status).toBe(409);
    expectRedirect(await browser.post(`${pathOf(form)}/publish`, await seen(form)), `${pathOf(form)}/share`);
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
      ["/field/copy", { id: "a" }],
      ["/field/restore", { definition: '{"id":"b"}', index: "0" }],
      ["/field/several", { "0.label": "B" }],
      ["/field", { id: "a", type: "text", label: "B" }],
      ["/settings/page", { name: "B" }],
      ["/settings/rules", {}],
      ["/settings/close", {}],
      ["/settings/open", {}],
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
