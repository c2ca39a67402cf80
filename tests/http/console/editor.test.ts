// stacks: one
/** Questions, preview, settings and publishing of a form. */
import { describe, expect, test } from "bun:test";
import { fieldTypes } from "../../../src/fields/types.ts";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { Browser, expectPage, expectRedirect, type Shown, textOf } from "./browser.ts";
import { consoleFixture, formPath, hiddenIn } from "./fixture.ts";

const { app, sql, team, admin, viewer, call, draftOf, seen } = await consoleFixture();

const field = (id: string, more: object = {}) => ({ id, type: "text", label: id.toUpperCase(), ...more });
const make = (fields: object[] = [field("a")], settings?: object) =>
  makeForm(app, team, fields, settings && { settings });
const fieldsOf = async (form: PublishedForm) => (await draftOf(form)).schema.fields;
const ids = async (form: PublishedForm) => (await fieldsOf(form)).map(({ id }: { id: string }) => id);
const open = (form: PublishedForm, rest = "") => admin.get(formPath(form, rest));
type Fields = Record<string, string | string[]>;
/** Sends a form of the draft's pages, as one that has seen its last change. */
const post = async (form: PublishedForm, to: string, fields: Fields = {}) =>
  await admin.post(formPath(form, to), { ...(await seen(form)), ...fields });
/** @returns the page that a post leads to */
const done = async (form: PublishedForm, to: string, fields: Fields = {}) =>
  await admin.get(expectRedirect(await post(form, to, fields), formPath(form)));
const add = (form: PublishedForm, label: string, more: Fields = {}) =>
  post(form, "/field/new", { type: "text", label, ...more });
const save = (form: PublishedForm, more: Fields) =>
  post(form, "/field", { id: "a", type: "text", label: "A", ...more });

describe("a question", () => {
  test.each(Object.keys(fieldTypes))("of type %s is added with every rule of its type", async (type) => {
    const form = await make([]);
    const page = await add(form, "The field", { type, "formd.resume": "type" });
    expect([page.status, await fieldsOf(form)]).toEqual([200, []]);
    const { field: rules } = fieldTypes[type as keyof typeof fieldTypes].example;
    const lines = (value: unknown) =>
      [value]
        .flat()
        .map((each) => (typeof each === "object" ? JSON.stringify(each) : String(each)))
        .join("\r\n");
    const entered = Object.entries(rules).map(([name, value]) => [`rule.${name}`, lines(value)]);
    for (const [name] of entered) expect(page.html).toContain(`name="${name}"`);
    await done(form, "/field/new", { type, label: "The field", ...Object.fromEntries(entered) });
    const [added] = await fieldsOf(form);
    expect({ ...added.validation, ...added }).toMatchObject({ ...rules, id: "the_field", type });
  });

  test("is edited, moved and removed by its id, whatever that is", async () => {
    const odd = `a/../b?c=d&e#"<é`;
    const form = await make([field("a"), field(odd), field("c")]);
    expect((await open(form, `?${new URLSearchParams({ edit: odd })}`)).status).toBe(200);
    const renamed = { id: odd, type: "text", label: "New" };
    await done(form, "/field", { ...renamed, required: "true", "rule.maxLength": "7" });
    expect((await fieldsOf(form))[1]).toEqual({ ...renamed, required: true, validation: { maxLength: 7 } });
    await done(form, "/field/move", { id: odd, toIndex: "0" });
    expect(await ids(form)).toEqual([odd, "a", "c"]);
    await done(form, "/field/remove", { id: odd });
    expect(await ids(form)).toEqual(["a", "c"]);
    expect((await open(form, "?edit=gone")).status).toBe(404);
    expect((await add(form, "A", { id: "a", help: "" })).html).toMatch(/name="id"[^>]*aria-invalid="true"/);
    expect((await post(form, "/field/move", { id: "a", place: "0" })).html).toMatch(
      /name="place"[^>]*aria-invalid="true"/,
    );
    for (const toIndex of ["-1", "x", "1.5"])
      expect((await post(form, "/field/move", { id: "a", toIndex })).status).toBe(400);
  });

  test("with an error is saved, opens again with the error at its control, and is marked in the list", async () => {
    const form = await make();
    const page = await admin.get(expectRedirect(await save(form, { "rule.minLength": "many" }), /\?edit=a/));
    const message = "“At least … characters” must be a whole number, 0 or more.";
    expect(page.html).toMatch(/value="many"[^>]*aria-invalid="true"/);
    expect(page.html).toContain('href="#rule.2eminLength"');
    expect(textOf(page)).toContain(`Fix this before you publish: ${message}`);
    expect(textOf(await open(form))).toContain(message);
    expect(textOf(await open(form, "/publish"))).toContain("Fix these first");
    expect((await post(form, "/publish")).status).toBe(422);
  });

  test("shows another type's rules, and keeps what is checked, without saving anything", async () => {
    const form = await make([field("a", { type: "address" })]);
    const before = await draftOf(form);
    const rating = await save(form, { type: "rating", label: "Kept", "formd.resume": "type" });
    expectPage(rating, 200, 'name="rule.minimum"', 'value="Kept"');
    const address = { type: "address", "rule.requiredParts": ["line1", "city"] };
    const again = await save(form, { ...address, "formd.resume": "type" });
    expect(await draftOf(form)).toEqual(before);
    await save(form, address);
    const checked = ({ html }: Shown) =>
      [...html.matchAll(/name="rule\.requiredParts" value="(\w+)" checked/g)].map(([, part]) => part);
    expect([checked(again), checked(await open(form, "?edit=a"))]).toEqual([
      ["line1", "city"],
      ["line1", "city"],
    ]);
  });

  test("of choices keeps their values when a label is corrected", async () => {
    const form = await make([field("a", { type: "select", options: ["Halal", "Vegn", "Room 1"] })]);
    const saved = async (options: string) => {
      await save(form, { type: "select", "rule.options": options });
      return (await fieldsOf(form))[0].options;
    };
    const vegan = (label: string) => ({ value: "Vegn", label });
    const corrected = ["Kosher", "Halal", vegan("Vegan"), "Room 2"];
    expect(await saved("Kosher\r\nHalal\r\nVegan\r\nRoom 2")).toEqual(corrected);
    const page = await open(form, "?edit=a");
    expect(page.html).toContain("Kosher\nHalal\nVegan\nRoom 2</textarea>");
    expect(textOf(page)).toContain("Vegan (Vegn)");
    expect(await saved("Vegan, only raw\r\nKosher")).toEqual([vegan("Vegan, only raw"), "Kosher"]);
  });
});

describe("a question that was removed meanwhile", () => {
  const entered = { label: "<Typed>", help: "H", "rule.maxLength": "7" };
  const typed = { id: "gone", type: "text", label: "<Typed>", help: "H", validation: { maxLength: 7 } };
  const toNew = (form: PublishedForm) => `action="${formPath(form, "/field/new")}"`;

  test("is open as a new one with what was entered, and can be added", async () => {
    const form = await make();
    for (const more of [{}, { "formd.resume": "rules.more" }]) {
      const page = await save(form, { id: "gone", ...entered, ...more });
      expectPage(page, "formd.resume" in more ? 200 : 404, 'value="&lt;Typed>"', 'value="gone"', 'value="7"');
      expect(hiddenIn(page, toNew(form))).not.toContainKeys(["id", "after"]);
    }
    await done(form, "/field/new", { type: "text", id: "gone", ...entered });
    expect(await fieldsOf(form)).toEqual([field("a"), typed]);
  });

  test("before a new one leaves the new one at the end", async () => {
    const form = await make();
    const page = await add(form, "<Typed>", { ...entered, after: "gone" });
    expectPage(page, 404, 'value="&lt;Typed>"', 'value="7"', toNew(form));
    expect(hiddenIn(page, toNew(form))).not.toHaveProperty("after");
    expect((await open(form, "?after=gone")).html).toContain(toNew(form));
    expect(await ids(form)).toEqual(["a"]);
  });
});

describe("questions", () => {
  test("are added several at a time, with ids of their own; without any nothing is", async () => {
    const form = await make([field("name", { label: "Name" })]);
    const page = await done(form, "/field/several", {
      ...{ "0.label": "Name", "0.type": "text", "0.required": "true" },
      ...{ "2.label": "Size", "2.type": "select", "2.choices": "S\r\nM" },
      ...{ "5.label": "!?", "5.type": "date", "5.choices": "not of a date" },
    });
    expect(textOf(page)).toContain("3 questions added.");
    expect((await fieldsOf(form)).slice(1)).toEqual([
      { id: "name_2", type: "text", label: "Name", required: true },
      { id: "size", type: "select", label: "Size", options: ["S", "M"] },
      { id: "date", type: "date", label: "!?" },
    ]);
    const empty = await post(form, "/field/several", { "0.label": " ", "1.type": "date" });
    expectPage(empty, 400, "Enter at least one question.");
    expectRedirect(await post(form, "/field/several", { "0.label": "More", another: "true" }), /\?several&/);
  });

  test("are added at any position: first, after another, last; and then another of the same type", async () => {
    const form = await make([field("a"), field("b")]);
    expect((await open(form, "?after=a")).html).toContain('name="after" value="a"');
    await add(form, "Second", { after: "a" });
    await add(form, "First", { after: "" });
    const to = expectRedirect(
      await add(form, "Last", { type: "email", another: "true" }),
      /\?type=email&new=/,
    );
    expect(await ids(form)).toEqual(["first", "a", "second", "b", "last"]);
    expect((await admin.get(to)).html).toMatch(/value="email" checked/);
    expectRedirect(await add(form, "Third", { after: "a", another: "true" }), /after=third/);
  });

  test("are listed by their labels and types in people's words, never by an id", async () => {
    const mail = field("e_mail_0", { type: "email", label: "Where to write" });
    const list = textOf(await open(await make([mail, field("stop", { type: "page_break" })])));
    expect(list).toMatch(/Where to write E-mail address.*STOP New step/);
    expect(list).not.toMatch(/e_mail_0|page_break|\bid\b/);
  });

  test("are moved by arrows or to a position, copied, and removed; each is reported to this session, and undone by one press", async () => {
    const form = await make([field("a"), field("b", { options: ["x"] }), field("c")]);
    const to = expectRedirect(await post(form, "/field/move", { id: "a", place: "3" }), formPath(form));
    const moved = await admin.get(to);
    expect([await ids(form), textOf(moved)]).toEqual([
      ["b", "c", "a"],
      expect.stringContaining("A is now 3 of 3."),
    ]);
    expect(textOf(await viewer.get(to))).not.toContain("A is now");
    await done(form, "/field/move", hiddenIn(moved, formPath(form, "/field/move")));
    expect(await ids(form)).toEqual(["a", "b", "c"]);
    const up = await done(form, "/field/move", { id: "c", up: "1" });
    expect(up.html).toMatch(/aria-label="Move C up"[^>]*autofocus/);
    const before = await fieldsOf(form);
    const removed = await done(form, "/field/remove", { id: "b" });
    expect([await ids(form), textOf(removed)]).toEqual([["a", "c"], expect.stringContaining("“B” removed.")]);
    await done(form, "/field/restore", hiddenIn(removed, formPath(form, "/field/restore")));
    expect(await fieldsOf(form)).toEqual(before);
    const copied = await done(form, "/field/copy", { id: "b" });
    expect(copied.html).toContain('value="B (copy)"');
    expect((await fieldsOf(form)).at(-1)).toEqual({ ...before[2], id: "b_2", label: "B (copy)" });
    expect((await post(form, "/field/restore", { definition: "none", index: "0" })).status).toBe(400);
  });
});

test("the preview is the draft at its real look, in steps, and stores nothing; on one page it shows what is wrong", async () => {
  const page = { enabled: true, layout: "steps", thankYou: "Bye", language: "de" };
  const form = await make([field("old")], { page });
  const [path, steps] = [formPath(form, "/preview"), formPath(form, "/preview/steps")];
  await add(form, "Seite", { type: "page_break" });
  await add(form, "Neu", { type: "email", required: "true" });
  const first = await admin.get(path);
  expect(first.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
  expect(textOf(first)).toMatch(/Preview of the draft.*Schritt 1 von 2/);
  const second = await admin.post(steps, { ...hiddenIn(first, steps), old: "x" });
  expect(textOf(second)).toContain("Schritt 2 von 2");
  const answer = (neu: string) => admin.post(steps, { ...hiddenIn(second, steps), neu });
  const wrong = await answer("x");
  expectPage(wrong, 422, 'id="summary"');
  const sent = await admin.post(path, hiddenIn(await answer("a@b.example"), path));
  expectPage(sent, 200, "nothing has been stored", "Bye");
  expect(await sql`select id from formd.submissions where form_id = ${form.id}`).toHaveLength(0);
  const onePage = formPath(await make([field("a", { required: true })]), "/preview");
  expectPage(await viewer.post(onePage, { a: "", "formd.version": "0" }), 422, 'id="summary"');
});

test("of two editors of one draft the second sees both versions, and may then save", async () => {
  const form = await make();
  const stale = await seen(form);
  expectRedirect(await save(form, { label: "First", ...stale }), formPath(form));
  const refused = await save(form, { label: "Second", ...stale });
  expectPage(refused, 409, 'value="Second"', '"label": "First"');
  const [, updatedAt = ""] = /name="updatedAt" value="([^"]+)"/.exec(refused.html) ?? [];
  expectRedirect(await save(form, { label: "Second", updatedAt }), formPath(form));
  expect((await fieldsOf(form))[0].label).toBe("Second");
});

test("a refused question of an archived form shows no other change", async () => {
  const form = await make();
  await post(form, "/archive");
  const refused = await save(form, { label: "Mine" });
  expectPage(refused, 409, 'value="Mine"');
  expect(textOf(refused)).not.toContain("The current definition");
});

test("a session that ends in mid-form asks to sign in, then shows the form with what was entered, and has saved nothing", async () => {
  const form = await make();
  const path = formPath(form, "/field");
  const [browser, { email, password }] = [new Browser(app), team.operator];
  const entered = { id: "a", type: "text", label: "<Mine>", ...(await seen(form)) };
  const asked = await browser.post(path, entered);
  expect(asked.status).toBe(401);
  const resumed = await browser.signIn(email, password, hiddenIn(asked, 'name="values"'));
  expect(resumed.status).toBe(200);
  const page = await browser.post(path, hiddenIn(resumed, `action="${path}"`));
  expectPage(page, 200, 'value="&lt;Mine>"');
  expect((await fieldsOf(form))[0].label).toBe("A");
});

describe("settings", () => {
  const settingsOf = async (form: PublishedForm) => (await draftOf(form)).settings;
  const picture = Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64");
  const set = (form: PublishedForm, card: string, fields: Fields) => post(form, `/settings/${card}`, fields);

  test("rules are saved alone, as are name and description, which keeps its line ends", async () => {
    const form = await make([field("a")], { own: { kept: 1 }, page: { title: "T" } });
    const saved = await done(form, "/settings/rules", { review: "true" });
    expect(textOf(saved)).toContain("Saved.");
    const rules = {
      ...{ captcha: { enabled: false }, anonymous: { enabled: false } },
      ...{ challenge: { required: false }, review: { required: true } },
    };
    expect(await settingsOf(form)).toEqual({ own: { kept: 1 }, page: { title: "T" }, ...rules });
    await set(form, "page", { name: "Named", description: "two\r\nlines", "page.title": "T" });
    expect(await draftOf(form)).toMatchObject({
      ...{ name: "Named", description: "two\nlines" },
      settings: { page: { title: "T" }, review: { required: true } },
    });
  });

  test("the page has its texts and its steps; what redirects waits for publishing, and is reported", async () => {
    const form = await make([field("a")], { page: { enabled: true, thankYou: "Old" } });
    const page = { language: "de", title: "Hallo", layout: "steps", alias: `a${form.id.slice(-12)}` };
    const theme = { accent: "#1f5c41", scheme: "light", contact: "help@example.org" };
    const entered = [
      ...Object.entries(page).map(([name, value]) => [`page.${name}`, value]),
      ...Object.entries(theme).map(([name, value]) => [`theme.${name}`, value]),
    ];
    const values = {
      name: "Named",
      "page.thankYou": " ",
      "theme.corners": "",
      ...Object.fromEntries(entered),
    };
    expect(textOf(await done(form, "/settings/page", values))).toContain(
      "Saved. Some changes take effect when you publish them.",
    );
    expect((await settingsOf(form)).page).toEqual({ enabled: true, ...page, theme });
    expect(textOf(await open(form, "/publish"))).toContain(`The page has the address /f/${page.alias}`);
    await post(form, "/publish-settings");
    expect((await open(form)).html).toContain(`href="/f/${page.alias}"`);
    expect((await admin.get(`/f/${page.alias}`)).html).toContain("<title>Hallo</title>");
    const taken = await set(await make(), "page", { name: "B", "page.alias": page.alias });
    expectPage(taken, 409, "is the address of another form. Choose another one.");
  });

  test("all that is wrong is at its control, and in a summary that has the focus; nothing is saved", async () => {
    const form = await make();
    const before = await draftOf(form);
    const wrong = {
      ...{ name: " ", "page.alias": "-x", "page.redirectUrl": "javascript:alert(1)" },
      ...{
        "page.embedOrigins": "example.org/path",
        "page.title": "x".repeat(201),
        "theme.accent": "#ffcc00",
      },
    };
    const page = await set(form, "page", wrong);
    expect([page.status, page.html.match(/aria-invalid="true"/g)?.length]).toEqual([422, 6]);
    expect(page.html).toMatch(/role="alert"[^>]*tabindex="-1"[^>]*autofocus/i);
    expect(textOf(page)).toMatch(
      /Fill in: Name of the form\..*Enter 2 to 40 lowercase letters.*begins with https.*Title: at most 200 characters\./,
    );
    expect(textOf(page)).toContain("The nearest readable colour is #");
    for (const [name, value] of Object.entries(wrong)) expect(page.html).toContain(value || name);
    const opening = async (fields: Fields) => textOf(await set(form, "opening", fields));
    const wrongOrder = {
      ...{ "availability.opensAt": "2027-06-02", "availability.closesAt": "2027-06-01" },
      "availability.timeZone": "Europe/Berlin",
    };
    expect(await opening(wrongOrder)).toContain("The end must be after the beginning.");
    const wrongOpening = {
      ...{ "availability.closesAt.time": "09:00", "availability.timeZone": "Mars" },
      "availability.maxSubmissions": "many",
    };
    expect(await opening(wrongOpening)).toMatch(
      /Enter a day and a time\..*Enter a time zone.*Enter a whole number/,
    );
    expect(await draftOf(form)).toEqual(before);
  });

  test("a refused card still has the time of the draft that its editor saw", async () => {
    const form = await make();
    const stale = await seen(form);
    await add(form, "Added meanwhile");
    const wrong = { logo: {}, page: { name: "" }, opening: { "availability.timeZone": "Mars" } };
    for (const [card, fields] of Object.entries(wrong)) {
      const refused = await set(form, card, { ...fields, ...stale });
      const sent = hiddenIn(refused, `${formPath(form, "/settings")}/${card}"`);
      expect([card, refused.status, sent]).toMatchObject([card, 422, stale]);
      expect((await set(form, card, { ...sent, name: "A", alt: "A", logo: picture })).status).toBe(409);
    }
  });

  test("opening and closing are days and times of the form's zone, in summer and in winter", async () => {
    const form = await make();
    const zone = { "availability.timeZone": "Europe/Berlin" };
    await set(form, "opening", {
      // People type them so where the browser has no control for days.
      ...{ "availability.opensAt": "1 March 2027", "availability.opensAt.time": "9 am" },
      ...{ "availability.closesAt": "2027-06-01", "availability.maxSubmissions": "100", ...zone },
    });
    expect((await settingsOf(form)).availability).toEqual({
      ...{ opensAt: "2027-03-01T09:00:00+01:00", closesAt: "2027-06-01T23:59:00+02:00" },
      ...{ timeZone: "Europe/Berlin", maxSubmissions: 100 },
    });
    const { html } = await open(form, "/settings");
    expect(html).toMatch(/<input(?=[^>]*value="2027-06-01")[^>]*id="availability.2eclosesAt"/);
    expect(html).toContain('value="23:59"');
    const texts = { closedText: "See you\nnext year.", fullText: "Write to the waiting list." };
    const own = { "page.closedText": texts.closedText, "page.fullText": texts.fullText };
    await set(form, "opening", { ...zone, ...own });
    // The page after a submission says by it when that came.
    const berlin = { timeZone: "Europe/Berlin" };
    expect(await settingsOf(form)).toMatchObject({ availability: berlin, page: texts });
    expect((await open(form, "/settings")).html).toContain(`${texts.fullText}</textarea>`);
    const doubtful = await set(form, "opening", { ...zone, "availability.maxSubmissions": "1.000" });
    expectPage(doubtful, 422, "Did you mean 1 or 1,000 for “Maximum number of submissions”?");
    const tooLong = await set(form, "opening", { ...zone, "page.fullText": "x".repeat(5_001) });
    expectPage(tooLong, 422, "at most 5000 characters.");
    await set(form, "opening", { "availability.timeZone": "UTC" });
    const { availability, page } = await settingsOf(form);
    expect([availability?.timeZone, page.closedText]).toEqual(["UTC", undefined]);
    await set(form, "opening", { "availability.timeZone": "" });
    expect((await settingsOf(form)).availability?.timeZone).toBeUndefined();
  });

  test("a form is closed at once, with its time to the millisecond, and opened again", async () => {
    const form = await make([field("a")], { page: { enabled: true } });
    const page = await done(form, "/settings/close");
    const { closesAt } = (await settingsOf(form)).availability;
    const shown = (name: string) => {
      const [input = ""] = new RegExp(`<[^>]* name="${name}"[^>]*>`).exec(page.html) ?? [];
      return [name, /value="([^"]*)"/.exec(input)?.[1] ?? ""];
    };
    const names = ["closesAt", "closesAt.time", "timeZone"].map((name) => `availability.${name}`);
    await set(form, "opening", Object.fromEntries(names.map(shown)));
    expect((await settingsOf(form)).availability.closesAt).toBe(closesAt);
    expect(textOf(page)).toMatch(/Closed.*Open again/);
    expect(textOf(await done(form, "/settings/open"))).toMatch(/Online.*Close now/);
  });
});

test("settings that wait for publishing name times, days and questions as people do", async () => {
  const form = await make([field("mail", { type: "email", label: "Your address" })]);
  const settings = {
    retention: { deleteAfter: "P3M" },
    availability: { opensAt: "2999-12-01T09:00:00Z", timeZone: "Europe/Berlin" },
    copy: { field: "mail" },
  };
  const operations = [{ op: "setMeta", settings }];
  await call("PATCH", `/management/forms/${form.id}`, { operations });
  const page = textOf(await open(form, "/publish"));
  expect(page).toContain("Submissions are deleted after 3 months");
  expect(page).toContain("Submissions are accepted from 1 December 2999, 10:00");
  expect(page).toContain("A copy is mailed to the address in the question “Your address”");
  const german = await admin.get(formPath(form, "/publish"), { "accept-language": "de" });
  expect(textOf(german)).toContain("Einsendungen werden gelöscht nach 3 Monaten");
  expect(textOf(german)).toContain("Einsendungen werden angenommen ab 1. Dezember 2999, 10:00");
});

test("publishing says what changes and what may break, and makes the next version, by whom", async () => {
  const form = await make([field("a"), field("b")], { page: { enabled: true } });
  expect(textOf(await open(form, "/publish"))).toContain("The draft is the same as the live version.");
  await post(form, "/field/remove", { id: "b" });
  await add(form, "Mail", { type: "email" });
  const stale = await seen(form);
  const page = textOf(await open(form, "/publish"));
  for (const text of [
    "Answers that used to be valid may now be rejected",
    "B removed",
    "Mail added",
    "Anyone filling in the form right now will see it again",
    "Programs that still send the old fields are rejected. This may affect 1 access key.",
  ])
    expect(page).toContain(text);
  await add(form, "Late");
  expect((await post(form, "/publish", stale)).status).toBe(409);
  expectRedirect(await post(form, "/publish"), formPath(form, "/share"));
  expect((await draftOf(form)).currentVersion).toBe(2);
  expect(textOf(await open(form, "/publish"))).toMatch(/2 admin\d+@example\.org/);
});
