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
    const entered = Object.entries(rules).flatMap(([name, value]): [string, string | string[]][] => {
      const rows = [value].flat();
      if (!["options", "rows", "columns"].includes(name)) return [[`rule.${name}`, rows.join("\r\n")]];
      return ["label", "value"].map((part) => [
        `rule.${name}.${part}`,
        rows.map((row) => (typeof row === "object" ? row[part as keyof typeof row] : String(row))),
      ]);
    });
    for (const [name] of entered) expect(page.html).toContain(`name="${name}"`);
    const ofFiles = type === "file" ? { "rule.accept": ["pdf", "pictures"], "rule.maxBytes": "5" } : {};
    await done(form, "/field/new", { type, label: "The field", ...Object.fromEntries(entered), ...ofFiles });
    const [added] = await fieldsOf(form);
    expect({ ...added.validation, ...added }).toMatchObject({ ...rules, id: "the_field", type });
  });

  test("of files has their kinds as ticks and their size in MB; what the API has stored stays", async () => {
    const [accept, maxBytes] = [["image/*", "text/csv"], 100_000];
    const form = await make([field("a", { type: "file", validation: { accept, maxBytes } })]);
    const page = await open(form, "?edit=a");
    const ticked = [...page.html.matchAll(/name="rule.accept" value="([^"]*)" checked/g)];
    expect(ticked.map(([, kind]) => kind)).toEqual(["pictures", "text/csv"]);
    for (const label of ["PDF", "Pictures", "Word and Excel", "text/csv", "Any", "Largest file in MB"])
      expect(textOf(page)).toContain(label);
    const [, shown = ""] = /<input[^>]* value="([^"]*)"[^>]* name="rule.maxBytes"/.exec(page.html) ?? [];
    expect(shown).toBe("0.095");
    const saved = async (kinds: string[], size = shown) => {
      await save(form, { type: "file", "rule.accept": kinds, "rule.maxBytes": size });
      return (await fieldsOf(form))[0].validation;
    };
    expect(await saved(["pictures", "text/csv"])).toEqual({ accept, maxBytes });
    expect(await saved(["pictures", "any"], "2.5")).toEqual({ maxBytes: 2_621_440 });
    expect(await saved(["pdf", "any"], "2.5")).toEqual({ accept: ["application/pdf"], maxBytes: 2_621_440 });
    expect((await saved(["office"], "")).accept).toHaveLength(4);
  });

  test("of a phone has a list of countries, which begins with the one of the form's time zone", async () => {
    const form = await make([field("a", { type: "phone" })], { availability: { timeZone: "Europe/Vienna" } });
    const operations = [{ op: "updateField", fieldId: "a", set: { validation: { country: "XX" } } }];
    await call("PATCH", `/management/forms/${form.id}`, { operations });
    const page = await open(form, "?edit=a");
    expect(page.html).toMatch(/<option value="XX" selected>XX/);
    expect(page.html).toContain('<option value="DE">Germany');
    await done(form, "/field", { id: "a", type: "phone", label: "A", "rule.country": "DE" });
    await add(form, "New", { type: "phone" });
    await add(form, "Any", { type: "phone", "rule.country": "" });
    const countries = (await fieldsOf(form)).map(({ validation }: { validation?: object }) => validation);
    expect(countries).toEqual([{ country: "DE" }, { country: "AT" }, undefined]);
  });

  test("with a label of any length leads to a page that names its beginning, and may be removed", async () => {
    const form = await make([]);
    const added = await done(form, "/field/new", { label: "ä".repeat(6_200) });
    expectPage(added, 200, /“ä{100,200}…” saved\./);
    const [{ id }] = await fieldsOf(form);
    expectPage(await done(form, "/field/copy", { id }), 200, /“ä{100,200}…” copied\./);
    expectPage(await open(form, `?${new URLSearchParams({ edit: id })}`), 200, "Remove this question");
    expectPage(await done(form, "/field/remove", { id }), 200, /“ä{100,200}…” removed\./);
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

  const choices = ["Halal", { value: "Vegn", limit: 5, "x-own": 1 }, "Room 1"];
  const ofChoices = () => make([field("a", { type: "select", options: choices })]);
  /** The rows that a page shows, without empty ones: what its form sends. */
  const rowsIn = ({ html }: Shown): Fields => {
    const sent = ["was", "label", "places", "value"].map((part) =>
      [...html.matchAll(new RegExp(`name="rule\\.options\\.${part}" value(?:="([^"]*)")?`, "g"))].map(
        ([, value = ""]) => value.replaceAll("&quot;", '"'),
      ),
    ) as [string[], string[], string[], string[]];
    const [was, label, places, value] = sent;
    return Object.fromEntries(
      Object.entries({ was, label, places, value }).map(([part, texts]) => [`rule.options.${part}`, texts]),
    );
  };
  const labelsIn = (rows: Fields) => [rows["rule.options.label"] ?? []].flat();
  const withRow = (rows: Fields, index: number, part: string, text: string): Fields => {
    const name = `rule.options.${part}`;
    return { ...rows, [name]: (rows[name] as string[]).with(index, text) };
  };
  const optionsAfter = async (form: PublishedForm, rows: Fields) => {
    await save(form, { type: "select", ...rows });
    return (await fieldsOf(form))[0].options;
  };

  test("of choices has a row for each, which keeps its value and what else it has when it is changed", async () => {
    const form = await ofChoices();
    const rows = rowsIn(await open(form, "?edit=a"));
    expect(labelsIn(rows)).toEqual(["Halal", "Vegn", "Room 1", ""]);
    expect(await optionsAfter(form, rows)).toEqual(choices);
    const changed = [
      { index: 0, part: "label", text: "Singing | 20" },
      { index: 1, part: "label", text: "Vegan" },
      { index: 1, part: "places", text: "7" },
      { index: 2, part: "label", text: "" },
      { index: 3, part: "label", text: "Kosher" },
    ].reduce((all, { index, part, text }) => withRow(all, index, part, text), rows);
    expect(await optionsAfter(form, changed)).toEqual([
      "Singing | 20",
      { value: "Vegn", label: "Vegan", limit: 7, "x-own": 1 },
      "Kosher",
    ]);
  });

  test("of choices is moved, removed and gets rows without a script, and keeps what is entered", async () => {
    const form = await ofChoices();
    const first = withRow(rowsIn(await open(form, "?edit=a")), 3, "label", "Typed");
    const pressed = (rows: Fields, act: string) =>
      save(form, { type: "select", ...rows, "formd.resume": `rule.options.${act}` });
    const up = await pressed(first, "up.1");
    expect(labelsIn(rowsIn(up))).toEqual(["Vegn", "Halal", "Room 1", "Typed", ""]);
    expect(up.html).toMatch(/value="rule\.options\.down\.0"[^>]*autofocus/);
    const without = await pressed(rowsIn(up), "remove.2");
    expect(labelsIn(rowsIn(without))).toEqual(["Vegn", "Halal", "Typed", ""]);
    const more = await pressed(rowsIn(without), "more");
    expect(labelsIn(rowsIn(more))).toEqual(["Vegn", "Halal", "Typed", "", "", "", ""]);
    expect(more.html).toMatch(/name="rule\.options\.label" value autofocus aria-label="Choice 4"/);
    expect((await fieldsOf(form))[0].options).toEqual(choices);
    expect(await optionsAfter(form, rowsIn(more))).toEqual([choices[1], "Halal", "Typed"]);
  });

  test.each([
    ["many", "0 or more"],
    ["-3", "0 or more"],
    ["1.5", "0 or more"],
    ["1000000001", "at most 1,000,000,000"],
  ])("of choices with %s places is refused at the row, and shows them", async (places, asked) => {
    const form = await ofChoices();
    const rows = withRow(rowsIn(await open(form, "?edit=a")), 1, "places", places);
    const refused = await save(form, { type: "select", ...rows });
    expectPage(refused, 400, `“Places” of choice 2: Enter a whole number, ${asked}.`);
    expect(refused.html).toMatch(/<fieldset[^>]*id="rule\.2eoptions"/);
    const invalid = refused.html.match(/<input[^>]*aria-invalid="true"[^>]*>/g) ?? [];
    expect(invalid).toEqual([expect.stringContaining('aria-describedby="rule.2eoptions-error"')]);
    expect(invalid[0]).toContain(`name="rule.options.places" value="${places}"`);
    expect(rowsIn(refused)["rule.options.places"]).toEqual(["", places, "", ""]);
    expect((await fieldsOf(form))[0].options).toEqual(choices);
  });

  test("of choices with places from elsewhere that are no number says so at the card and in the review", async () => {
    const options = ["Halal", { value: "Vegan", limit: "many" }];
    const { form } = await call("POST", "/management/forms", {
      name: "New",
      schema: { fields: [field("a", { type: "select", options })] },
    });
    const said = "“Choices” needs a whole number, 0 or more, under “Places” of choice 2.";
    const page = await open(form, "?edit=a");
    expectPage(page, 200, said);
    expectPage(await open(form, "/publish"), 200, said);
    // A member that its row does not change stays.
    const kept = withRow(rowsIn(page), 0, "label", "Halal!");
    expect((await optionsAfter(form, kept))[1]).toEqual(options[1]);
  });

  test("of files has a size in MB that the server takes, and refuses another one", async () => {
    const form = await make([field("a", { type: "file", validation: { maxBytes: 5_242_880 } })]);
    const shownOf = ({ html }: Shown) =>
      /<input[^>]* value="([^"]*)"[^>]* name="rule.maxBytes"/.exec(html)?.[1];
    expect(shownOf(await open(form, "?edit=a"))).toBe("5");
    for (const size of ["many", "-1", "0", "999999"]) {
      const refused = await save(form, { type: "file", "rule.maxBytes": size });
      expectPage(refused, 400, "Enter a number of MB above 0. This server takes at most 10 MB.");
      expect(shownOf(refused)).toBe(size);
    }
    await save(form, { type: "file", "rule.maxBytes": "10" });
    expect((await fieldsOf(form))[0].validation.maxBytes).toBe(10_485_760);
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

  test("shows on the page of the others that it was removed, in people's words", async () => {
    const form = await make();
    const pages = [
      await open(form, "?edit=gone"),
      await post(form, "/field/move", { up: "0 gone" }),
      await post(form, "/field/copy", { id: "gone" }),
      await post(form, "/field/remove", { id: "gone" }),
    ];
    for (const page of pages) {
      expectPage(page, 404, "This question was removed meanwhile.", 'class="build"', "?edit=a");
      expect(textOf(page)).not.toContain("gone");
    }
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

  test("are added at any position: first, after another, last; and then another one after it", async () => {
    const form = await make([field("a"), field("b")]);
    expect((await open(form, "?after=a")).html).toContain('name="after" value="a"');
    await add(form, "Second", { after: "a" });
    await add(form, "First", { after: "" });
    const to = expectRedirect(await add(form, "Last", { another: "true" }), /\?after=last&/);
    expect(await ids(form)).toEqual(["first", "a", "second", "b", "last"]);
    expect((await admin.get(to)).html).toContain('name="after" value="last"');
    expectRedirect(await add(form, "Third", { after: "a", another: "true" }), /after=third/);
  });

  test("are listed by their labels and types in people's words, never by an id", async () => {
    const mail = field("e_mail_0", { type: "email", label: "Where to write" });
    const list = textOf(await open(await make([mail, field("stop", { type: "page_break" }), field("z")])));
    expect(list).toMatch(/Where to write E-mail address.*STOP New step.*Step 2 of 2 STOP/);
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
    const up = await done(form, "/field/move", { up: "1 c" });
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

  test.each<[act: string, to: string, fields: Fields, undo: string]>([
    ["a change", "/field", { id: "a", type: "email", label: "New", required: "true" }, "/field/restore"],
    ["a new question", "/field/new", { label: "New" }, "/field/remove"],
    ["several new ones", "/field/several", { "0.label": "One", "1.label": "Two" }, "/field/remove"],
    ["a copy", "/field/copy", { id: "a" }, "/field/remove"],
    ["texts of the title", "/text", { part: "title", name: "Camp", introduction: "Hello" }, "/text"],
    ["the thank-you text", "/text", { part: "thankYou", thankYou: "Bye" }, "/text"],
  ])("are as before after Undo of %s", async (_, to, fields, undo) => {
    const form = await make([field("a", { help: "Help", validation: { maxLength: 3 } }), field("b")], {
      page: { introduction: "Hi", closedText: "Closed" },
    });
    const state = async () => {
      const { name, description, schema, settings } = await draftOf(form);
      return { name, description, schema, settings };
    };
    const before = await state();
    const page = await done(form, to, fields);
    expect(await state()).not.toEqual(before);
    await done(form, undo, hiddenIn(page, `action="${formPath(form, undo)}"`));
    expect(await state()).toEqual(before);
  });
});

test("an Undo that would take back another person's change is refused, and leaves it", async () => {
  const form = await make([field("a"), field("b")], { page: { introduction: "Hi" } });
  for (const [to, fields, undo] of [
    ["/field", { id: "a", type: "text", label: "Mine" }, "/field/restore"],
    ["/field/new", { type: "text", label: "New" }, "/field/remove"],
    ["/field/copy", { id: "b" }, "/field/remove"],
    ["/text", { part: "title", name: "Mine", introduction: "Hi" }, "/text"],
  ] as const) {
    const page = await done(form, to, fields);
    await post(form, "/text", { part: "title", name: `Theirs of ${to}`, introduction: "Hello" });
    const before = await draftOf(form);
    const refused = await admin.post(
      formPath(form, undo),
      hiddenIn(page, `action="${formPath(form, undo)}"`),
    );
    expectPage(refused, 409, "The form was changed since you opened this page.");
    expect(await draftOf(form)).toEqual(before);
  }
});

const stop = (id: string, more = {}) => field(id, { type: "page_break", label: `Part ${id}`, ...more });
const hidden = field("source", { type: "hidden" });
const noQuestion = "This step has no question after it. People do not see it.";

test.each<[what: string, fields: object[], positions: string[], empty: string[], page?: object]>([
  ["two steps", [field("a"), stop("s"), field("b")], ["1 of 2", "2 of 2"], []],
  [
    "a last one without a question",
    [field("a"), stop("s"), field("b"), stop("t")],
    ["1 of 2", "2 of 2"],
    ["t"],
  ],
  ["two together", [field("a"), stop("s"), stop("t"), field("b")], ["1 of 2", "2 of 2"], ["s"]],
  [
    "one with a hidden question",
    [field("a"), stop("s"), field("b"), stop("t"), hidden],
    ["1 of 2", "2 of 2"],
    ["t"],
  ],
  [
    "a hidden question first",
    [hidden, stop("s"), field("a"), stop("t"), field("b")],
    ["1 of 2", "2 of 2"],
    [],
  ],
  ["no other step", [field("a"), stop("s")], [], ["s"]],
  ["one step at the beginning", [stop("s"), field("a")], [], []],
  ["a form on one page", [field("a"), stop("s"), field("b")], [], [], { layout: "single" }],
])(
  "the steps that Build counts are those of the page: %s",
  async (_, fields, positions, empty, page = {}) => {
    const form = await make(fields, { page: { enabled: true, ...page } });
    const stepsIn = (shown: Shown) => [...textOf(shown).matchAll(/Step (\d of \d)/g)].map(([, at]) => at);
    const build = await open(form);
    expect(stepsIn(build)).toEqual(positions);
    expect(textOf(build).split(noQuestion)).toHaveLength(empty.length + 1);
    const [preview, review] = [await open(form, "/preview"), await open(form, "/publish")];
    expect(stepsIn(preview)).toEqual(positions.slice(0, 1));
    for (const id of empty) {
      expect(textOf(preview)).not.toContain(`Part ${id}`);
      expect(textOf(review)).toMatch(`Part ${id} : ${noQuestion}`);
    }
    expect(textOf(review).split(noQuestion)).toHaveLength(empty.length + 1);
  },
);

/** The controls of the open card, by their labels. */
const labelsOf = ({ html }: Shown) =>
  [...(/card-form.*?<\/section>/s.exec(html)?.[0].matchAll(/<label[^>]*>([^<]+)</g) ?? [])].map(
    ([, label = ""]) => label,
  );

test.each([
  ["page_break", "New step", ["Title of the step", "Description"]],
  ["heading", "Heading", ["Text", "Description"]],
  ["statement", "Text without a question", ["Text", "Description"]],
  ["divider", "Line", ["Name (people do not see it)"]],
])(
  "a %s has no control of a question, new or saved, and what is stored beside it stays",
  async (type, title, own) => {
    const form = await make([field("a", { type }), field("b", { type, help: "Kept" })]);
    const added = await open(form, `?new&type=${type}`);
    expect(added.html).toContain(`card-form" aria-label="${title}"`);
    for (const page of [added, await open(form, "?edit=a")]) {
      const labels = labelsOf(page);
      expect(labels.slice(0, own.length)).toEqual(own);
      for (const label of ["Question", "Help below the question", "An answer is required", "Default answer"])
        expect(labels).not.toContain(label);
    }
    expect(labelsOf(await open(form, "?edit=b"))).toContain("More text");
    await done(form, "/field", { id: "b", type, label: "B", help: "Kept" });
    await add(form, "New", { type });
    expect((await fieldsOf(form)).slice(1)).toEqual([
      { id: "b", type, label: "B", help: "Kept" },
      { id: "new", type, label: "New" },
    ]);
    await add(form, "", { type });
    const unnamed = textOf(await open(form));
    expect(unnamed).toContain("Enter the text.");
    for (const wrong of ["Question without a text", "Enter the question."])
      expect(unnamed).not.toContain(wrong);
  },
);

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
  expectPage(refused, 409, 'value="Second"', "“Question”: “First” → “Second”");
  const [, updatedAt = ""] = /name="updatedAt" value="([^"]+)"/.exec(refused.html) ?? [];
  expectRedirect(await save(form, { label: "Second", updatedAt }), formPath(form));
  expect((await fieldsOf(form))[0].label).toBe("Second");
});

test("a refused question of an archived form shows no other change", async () => {
  const form = await make();
  await post(form, "/archive");
  const refused = await save(form, { label: "Mine" });
  expectPage(refused, 409, 'value="Mine"');
  expect(textOf(refused)).not.toContain("Someone else");
});

test.each([
  ["en", "Build"],
  ["de", "Gestalten"],
])("in %s the window has the name of the tab: %s", async (language, name) => {
  const page = await admin.get(formPath(await make()), { "accept-language": language });
  expect(page.html).toContain(`<title>${name} · `);
});

test.each<[to: string, entered: Fields]>([
  ...["introduction", "title", "description"].map((name): [string, Fields] => [
    "/text",
    { part: "title", name: "Form", [name]: "Mine" },
  ]),
  ...["submitLabel", "thankYou", "closedText", "fullText", "offlineText"].map((part): [string, Fields] => [
    "/text",
    { part, [part]: "Mine" },
  ]),
  ["/field/new", { label: "Mine" }],
  ["/field/several", { "0.label": "First", "1.label": "Mine" }],
])("what is sent to %s of an archived form is shown again: %j", async (to, entered) => {
  const form = await make();
  await post(form, "/archive");
  const refused = await post(form, to, entered);
  expectPage(refused, 409, "The form is archived; restore it first.", /value="Mine"|>\s*Mine<\/textarea>/);
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

test.each([
  ["PNG", "Your entries are kept, but not the file: choose it again afterwards."],
  ["", "Sign in again. Your entries are kept."],
])(
  "a session that ends while a picture is sent says that it must be chosen again: %s",
  async (bytes, said) => {
    const form = await make();
    const body = new FormData();
    body.append("theme.contact", "me@a.example");
    body.append("theme.logo", new File([bytes], bytes && "logo.png", { type: "image/png" }));
    const headers = { accept: "text/html", origin: app.url };
    const asked = await fetch(app.url + formPath(form, "/settings"), { method: "POST", headers, body });
    const html = await asked.text();
    expectPage({ status: asked.status, headers: asked.headers, html }, 401, said);
    const values = new URLSearchParams(hiddenIn({ html } as Shown, 'name="values"').values);
    expect([values.get("theme.contact"), values.get("theme.logo") || ""]).toEqual(["me@a.example", ""]);
  },
);

/** A picture whose bytes end with a text. */
const pictureOf = (text: string) =>
  `data:image/png;base64,${Buffer.from(`\x89PNG\r\n\x1a\n${text}`, "latin1").toString("base64")}`;

test("a move that the end of the session stopped is shown after the sign-in, at its question, and has moved nothing", async () => {
  const form = await make([field("a"), field("b"), field("c")]);
  const move = formPath(form, "/field/move");
  for (const sent of [{ id: "c", toIndex: "0" }, { up: "0 c" }]) {
    const browser = new Browser(app);
    const asked = await browser.post(move, { ...sent, ...(await seen(form)) });
    const { email, password } = team.operator;
    const resumed = await browser.signIn(email, password, hiddenIn(asked, 'name="values"'));
    const page = await browser.post(move, hiddenIn(resumed, `action="${move}"`));
    expectPage(page, 200, "Nothing has been saved yet.");
    expect(page.html).toMatch(/<input[^>]* value="1"[^>]* name="place"/);
    expect(hiddenIn(page, 'name="place"')).toMatchObject({ id: "c", ...(await seen(form)) });
    expect(await ids(form)).toEqual(["a", "b", "c"]);
  }
});

describe("settings", () => {
  const settingsOf = async (form: PublishedForm) => (await draftOf(form)).settings;
  const set = (form: PublishedForm, fields: Fields) => post(form, "/settings", fields);
  /** Sends the whole form, as a browser that has shown the page, with some of its texts changed. */
  const change = async (form: PublishedForm, page: Shown, entered: Fields) => {
    const { shown = "" } = hiddenIn(page, 'name="shown"');
    return await set(form, { ...Object.fromEntries(new URLSearchParams(shown)), ...entered, shown });
  };

  test("one save keeps what was entered in each part, and changes nothing else", async () => {
    const theme = { logo: { src: pictureOf("one"), alt: "Club" } };
    const named = { title: "T", alias: `a${crypto.randomUUID().slice(-12)}`, theme };
    const form = await make([field("a")], { own: { kept: 1 }, page: named });
    const page = await open(form, "/settings");
    const before = await draftOf(form);
    await change(form, page, {});
    expect(await draftOf(form)).toEqual(before);
    // Unticked: a browser does not send the box.
    const entered = { "page.redirectUrl": "https://example.org/", review: "true", anonymous: [] };
    const zone = { "availability.maxSubmissions": "100", "availability.timeZone": "Europe/Berlin" };
    expectRedirect(await change(form, page, { ...entered, ...zone }), formPath(form, "/settings"));
    expect(await settingsOf(form)).toEqual({
      ...{ own: { kept: 1 }, captcha: { enabled: false }, anonymous: { enabled: false } },
      challenge: { required: false },
      ...{ page: { ...named, redirectUrl: "https://example.org/" }, review: { required: true } },
      availability: { maxSubmissions: 100, timeZone: "Europe/Berlin" },
    });
  });

  test("coming back and access are saved, refused at their control, and shown as they were saved", async () => {
    const form = await make([field("a")]);
    const entered = {
      ...{ "page.resume.enabled": "true", "page.resume.days": "30", "page.change.until": "time" },
      ...{ "page.change.until.count": "2", "page.change.until.unit": "W", "page.change.withdraw": "true" },
      ...{ "page.access": "invited", "invitations.anonymous": "true" },
    };
    for (const [wrong, sentence] of [
      [{ "page.resume.days": "91" }, "Enter a whole number from 1 to 90."],
      [{ "page.change.until.count": "" }, "Enter a whole number of days, weeks, months or years."],
    ] as const) {
      const refused = await change(form, await open(form, "/settings"), { ...entered, ...wrong });
      expect(refused.status).toBe(422);
      expect(textOf(refused)).toContain(sentence);
    }
    const to = await change(form, await open(form, "/settings"), entered);
    expectRedirect(to, formPath(form, "/settings"));
    const saved = {
      ...{ resume: { enabled: true, days: 30 }, change: { until: "P2W", withdraw: true } },
      access: "invited",
    };
    expect(await settingsOf(form)).toMatchObject({ page: saved, invitations: { anonymous: true } });
    const shown = new URLSearchParams(hiddenIn(await open(form, "/settings"), 'name="shown"').shown);
    for (const [name, value] of Object.entries(entered))
      expect([name, shown.get(name)]).toEqual([name, value]);
    await change(form, await open(form, "/settings"), { "page.change.until": "closes" });
    expect((await settingsOf(form)).page.change).toEqual({ until: "closes", withdraw: true });
  });

  test("of two people who replace a picture at once, with the same description, the second is told first", async () => {
    const alt = "Club";
    const form = await make([field("a")], { page: { theme: { logo: { src: pictureOf("old"), alt } } } });
    const page = await open(form, "/settings");
    const replace = async (name: string, from: Shown) =>
      change(form, from, { "theme.logo": pictureOf(name).split(",")[1] ?? "" });
    expectRedirect(await replace("theirs", page), formPath(form, "/settings"));
    const refused = await replace("mine", page);
    expectPage(refused, 409, "Someone changed this picture meanwhile.", pictureOf("theirs"));
    expect((await settingsOf(form)).page.theme.logo).toEqual({ src: pictureOf("theirs"), alt });
    expectRedirect(await replace("mine", refused), formPath(form, "/settings"));
    expect((await settingsOf(form)).page.theme.logo).toEqual({ src: pictureOf("mine"), alt });
  });

  test("a setting that another person changed meanwhile is shown first, and replaced by the next save", async () => {
    const form = await make();
    const page = await open(form, "/settings");
    await add(form, "Added meanwhile");
    await set(form, { "page.redirectUrl": "https://theirs.example/", "theme.contact": "ada@example.org" });
    const mine = { "page.redirectUrl": "https://mine.example/", review: "true" };
    const refused = await change(form, page, mine);
    expectPage(refused, 409, "It is now: https://theirs.example/.", 'value="https://mine.example/"');
    expect((await settingsOf(form)).review).toEqual({ required: false });
    expectRedirect(await change(form, refused, mine), formPath(form, "/settings"));
    const { page: saved, review } = await settingsOf(form);
    expect([saved, review]).toEqual([
      { redirectUrl: "https://mine.example/", theme: { contact: "ada@example.org" } },
      { required: true },
    ]);
  });

  test("the page has its look and its steps; what redirects waits for publishing, and is reported", async () => {
    const steps = [field("a"), { id: "s", type: "page_break", label: "S" }, field("b")];
    const form = await make(steps, { page: { enabled: true, title: "Hallo" } });
    const page = { language: "de", layout: "single", redirectUrl: "https://a.example/" };
    const theme = { accent: "#1f5c41", scheme: "light", contact: "help@example.org" };
    expect((await open(await make(), "/settings")).html).not.toContain('name="page.layout"');
    expect((await open(form, "/preview")).html).toContain("Step 1 of 2");
    const values = Object.fromEntries([
      ...Object.entries(page).map(([name, value]) => [`page.${name}`, value]),
      ...Object.entries(theme).map(([name, value]) => [`theme.${name}`, value]),
    ]);
    expect(textOf(await done(form, "/settings", values))).toContain(
      "Saved. Some changes take effect when you publish.",
    );
    expect((await open(form, "/preview")).html).not.toContain("Schritt 1");
    expect((await settingsOf(form)).page).toEqual({ enabled: true, title: "Hallo", ...page, theme });
    expect(textOf(await open(form, "/publish"))).toContain("respondents are sent to https://a.example/");
  });

  test("all that is wrong is at its control, and in a summary that has the focus; nothing is saved", async () => {
    const form = await make();
    const before = await draftOf(form);
    const wrong = {
      ...{ "page.redirectUrl": "javascript:alert(1)", "theme.accent": "#ffcc00" },
      ...{ "page.embedOrigins": "example.org/path", "theme.contact": "x" },
    };
    const page = await set(form, wrong);
    expect([page.status, page.html.match(/aria-invalid="true"/g)?.length]).toEqual([422, 4]);
    expect(page.html).toMatch(/role="alert"[^>]*tabindex="-1"[^>]*autofocus/i);
    expect(textOf(page)).toMatch(/begins with https/);
    expect(textOf(page)).toContain("The nearest readable colour is #");
    for (const value of Object.values(wrong)) expect(page.html).toContain(value);
    const opening = async (fields: Fields) => textOf(await set(form, fields));
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

  test("opening and closing are days and times of the form's zone, in summer and in winter", async () => {
    const form = await make();
    const zone = { "availability.timeZone": "Europe/Berlin" };
    await set(form, {
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
    // Another zone keeps the clocks.
    await change(form, await open(form, "/settings"), { "availability.timeZone": "America/New_York" });
    expect((await settingsOf(form)).availability.opensAt).toBe("2027-03-01T09:00:00-05:00");
    const doubtful = await set(form, { ...zone, "availability.maxSubmissions": "1.000" });
    expectPage(doubtful, 422, "Maximum number of submissions: did you mean 1 or 1,000?");
    await change(form, await open(form, "/settings"), { "availability.timeZone": "" });
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
    await set(form, Object.fromEntries(names.map(shown)));
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
  expect(textOf(await open(form, "/publish"))).toContain(
    "Nothing to publish. People see the form as it is here.",
  );
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
  expect(textOf(await open(form, "/more"))).toMatch(/v2 admin\d+@example\.org/);
});
