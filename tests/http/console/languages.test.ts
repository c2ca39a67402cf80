// stacks: one
/** The languages of a form in the console: what the page shows, conflicts, and undoing. */
import { expect, test } from "bun:test";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { getPage, pathIn } from "../form-page/fixture.ts";
import { expectPage, expectRedirect, type Shown, textOf } from "./browser.ts";
import { consoleFixture, formPath, hiddenIn } from "./fixture.ts";

const { app, team, admin, editor, viewer, call, draftOf, seen } = await consoleFixture();

type Form = Pick<PublishedForm, "id">;
const german = { de: { label: "Wie viel?" } };
const question = { id: "a", type: "text", label: "How much?", description: "In litres" };
const make = (settings: object = {}, more: object = {}) =>
  makeForm(app, team, [{ ...question, ...more }], { settings });
const path = (form: Form) => formPath(form, "/languages");
const change = async (form: Form, name: string, language: string, more: object = {}) =>
  await admin.post(path(form), { change: name, language, ...(await seen(form)), ...more });
const done = async (form: Form, name: string, language: string) =>
  await admin.get(expectRedirect(await change(form, name, language), path(form)));
const languagesOf = async (form: Form) => (await draftOf(form)).settings.languages;
/** Presses the button that undoes. */
const undo = (form: Form, page: Shown) =>
  admin.post(path(form), Object.fromEntries(Object.entries(hiddenIn(page, "Undo"))));

test("the language of the page is the only one, until another one is added by name or by tag", async () => {
  const form = await make({ page: { language: "de" } });
  expectPage(await admin.get(path(form)), 200, "German", "First language");
  const added = await done(form, "add", "en");
  expectPage(added, 200, "English added", "English", "0 of 3 texts", /lang="de" dir="ltr">Deutsch/);
  await change(form, "add", "", { "language.tag": "AR-eg" });
  expect(await languagesOf(form)).toEqual(["de", "en", "ar-EG"]);
  expectPage(await admin.get(path(form)), 200, "Arabic (Egypt)", 'dir="rtl"');
});

test.each([
  ["no tag at all", "", "Choose a language"],
  ["a text that is no tag", "x", "“x” is not a language"],
  ["one that is there, in other letters", "EN", "has this language: English"],
])("%s is refused beside the control, which keeps it", async (_title, tag, sentence) => {
  const form = await make();
  const page = await change(form, "add", "", { "language.tag": tag });
  expectPage(page, 400, sentence);
  expect(page.html).toMatch(new RegExp(`value(="${tag}")?[^>]* name="language.tag"`));
  expect(await languagesOf(form)).toBeUndefined();
});

test("a language without a name is shown by its tag on every page", async () => {
  const languages = ["en-US-posix", "en-u-va-posix", "ca-ES-valencia", "de-1996"];
  const form = await make({ languages, page: { enabled: true } });
  for (const each of ["", "/languages", "/translate", "/publish", "/settings", "/share", "/preview"]) {
    const { status, html } = await admin.get(formPath(form, each));
    expect([each, status, /en-US-posix/.test(html) || !/languages|translate/.test(each)]).toEqual([
      each,
      200,
      true,
    ]);
  }
  expect((await getPage(app, pathIn(team, form))).text).toContain(">en-u-va-posix</button>");
});

test("a form has at most 20 languages", async () => {
  const languages = "en de fr es it nl pl pt sv uk ar bg bs cs da el et fa fi he".split(" ");
  const form = await make({ languages });
  expectPage(await admin.get(path(form)), 200, "A form can have 20 at most");
  expectPage(await change(form, "add", "hu"), 400, "A form can have 20 at most");
  expect(await languagesOf(form)).toEqual(languages);
});

test("a removed language comes back with its texts, until they are deleted", async () => {
  const form = await make({ languages: ["en", "de"] }, { translations: german });
  const removed = await done(form, "remove", "de");
  expectPage(removed, 200, "German removed. Its texts are kept", "Texts of removed languages");
  expect(await languagesOf(form)).toBeUndefined();
  expectRedirect(await undo(form, removed), path(form));
  expect(await languagesOf(form)).toEqual(["en", "de"]);
  await change(form, "remove", "de");
  expect(textOf(await done(form, "deleteTexts", "de"))).not.toContain("Texts of removed languages");
  expect((await draftOf(form)).schema.fields).toEqual([question]);
});

test("undoing a removal puts the language where it was", async () => {
  const form = await make({ languages: ["en", "de", "fr"] });
  for (const language of ["de", "fr"]) {
    const removed = await done(form, "remove", language);
    expectRedirect(await undo(form, removed), path(form));
    expect(await languagesOf(form)).toEqual(["en", "de", "fr"]);
  }
  await change(form, "add", "es", { index: "0" });
  expect(await languagesOf(form)).toEqual(["en", "es", "de", "fr"]);
  expectPage(await change(form, "add", "it", { index: "x" }), 400);
});

test("another first language swaps the texts, says what is missing before, and is undone", async () => {
  const form = await make({ languages: ["en", "de"] }, { translations: german });
  const before = await draftOf(form);
  expectPage(await admin.get(path(form)), 200, "1 of 3 texts", "2 texts are missing in German");
  const swapped = await done(form, "first", "de");
  expect((await draftOf(form)).schema.fields).toEqual([
    {
      ...{ ...question, label: "Wie viel?" },
      translations: { en: { label: "How much?", description: "In litres" } },
    },
  ]);
  expectRedirect(await undo(form, swapped), path(form));
  const { schema, settings } = await draftOf(form);
  expect({ schema, settings }).toEqual({ schema: before.schema, settings: before.settings });
});

test.each([
  ["first", ["en", "fr", "nope"]],
  ["remove", ["en", "fr", "nope"]],
  ["deleteTexts", ["en", "de", "es", "nope"]],
])("%s is refused for each of %j, and nothing is stored", async (name, tags) => {
  const form = await make({ languages: ["en", "de"] }, { translations: { ...german, fr: { label: "?" } } });
  const before = await draftOf(form);
  for (const tag of tags) expectPage(await change(form, name, "", { "language.tag": tag }), 409, /changed/);
  expect(await draftOf(form)).toEqual(before);
});

test("a change after that of another person is refused, and what was entered stays", async () => {
  const form = await make();
  const [mine, hers] = [await seen(form), { change: "add", language: "de", ...(await seen(form)) }];
  expectRedirect(await editor.post(path(form), hers), path(form));
  const page = await admin.post(path(form), { change: "add", "language.tag": "fr-CA", ...mine });
  expectPage(page, 409, /changed/, 'value="fr-CA"');
  expect(await languagesOf(form)).toEqual(["en", "de"]);
  expectRedirect(
    await admin.post(path(form), { ...hiddenIn(page, 'name="language"'), language: "fr" }),
    path(form),
  );
  expect(await languagesOf(form)).toEqual(["en", "de", "fr"]);
});

test("publishing shows other languages and translated questions, and what is missing, and leads there", async () => {
  const form = await make({ page: { enabled: true, language: "en" } });
  await change(form, "add", "de");
  const operations = [{ op: "updateField", fieldId: "a", set: { translations: german } }];
  await call("PATCH", `/management/forms/${form.id}`, { operations });
  const page = await admin.get(formPath(form, "/publish"));
  expectPage(
    page,
    200,
    "The languages change: English → English, German",
    "How much? changes its texts in German",
  );
  expectPage(page, 200, "German: 1 of 3 texts are translated", `href="${formPath(form, "/translate")}`);
  expectPage(await admin.get(formPath(form)), 200, /2 changes/);
  expectRedirect(await admin.post(formPath(form, "/publish"), await seen(form)), formPath(form, "/share"));
  expectPage(await admin.get(formPath(form, "/publish")), 200, "Nothing to publish");
});

test("a translation that no page shows is named by its question, not by its place in the form", async () => {
  const translations = { de: { description: "In Litern" }, en: { label: "How much?" } };
  const form = await make({ languages: ["en", "de"] }, { description: undefined, translations });
  const page = await admin.get(formPath(form, "/publish"));
  expectPage(page, 200, "How much?: No page shows a translation into the first language.");
  expectPage(page, 200, "How much?: No page shows a translation of a text that the first language does not");
  expect(textOf(page)).not.toContain("schema.fields");
});

test.each([[undefined], [["en", "de"]]])(
  "a schema's own member languages is in no version, beside those of the settings: %j",
  async (languages) => {
    const schema = { fields: [question], languages: ["xx", 7] };
    const settings = { page: { enabled: true }, ...(languages && { languages }) };
    const { form } = await call("POST", "/management/forms", { name: "Own", schema });
    await call("PATCH", `/management/forms/${form.id}`, { operations: [{ op: "setMeta", settings }] });
    expect((await draftOf(form)).schema).toEqual(schema);
    await admin.post(formPath(form, "/publish"), await seen(form));
    const [version] = await app.database.sql`
    select schema -> 'languages' as languages from formd.form_versions where form_id = ${form.id}`;
    expect(version?.languages).toEqual(languages ?? null);
    expectPage(await admin.get(formPath(form, "/publish")), 200, "Nothing to publish");
  },
);

test("texts of copies in other languages wait for publishing, in whatever order their members are", async () => {
  const copy = (subject: string) => ({ translations: { de: { text: "Text", subject } } });
  const form = await make({ page: { enabled: true }, languages: ["en", "de"], copy: copy("Betreff") });
  expectPage(await admin.get(formPath(form, "/publish")), 200, "Nothing to publish");
  const operations = [{ op: "setMeta", settings: { copy: copy("Anderer") } }];
  await call("PATCH", `/management/forms/${form.id}`, { operations });
  const page = await admin.get(formPath(form, "/publish"));
  expectPage(page, 200, "The texts of copies in other languages change");
});

test("publishing leads from a wrong language to the languages, where it is removed", async () => {
  const form = await make({}, { translations: german });
  const operations = [{ op: "setMeta", settings: { languages: ["en", "no tag"] } }];
  await call("PATCH", `/management/forms/${form.id}`, { operations });
  expectPage(await admin.get(formPath(form, "/publish")), 200, "Fix these first", `href="${path(form)}"`);
  await change(form, "remove", "no tag");
  expect(await languagesOf(form)).toBeUndefined();
});

test("a removed option takes its translation along, a copy leaves that of its label, and undoing restores", async () => {
  const translations = { de: { label: "Größe", options: { s: "klein", l: "groß" } } };
  const form = await make(
    { languages: ["en", "de"] },
    { ...{ type: "select", label: "Size", options: ["s", "l"] }, translations },
  );
  const to = formPath(form, "/field");
  const fields = { id: "a", type: "select", label: "Size", description: "In litres" };
  const rows = { "rule.options.was": ['"s"'], "rule.options.label": ["s"], "rule.options.value": ["s"] };
  const saved = await admin.post(to, {
    ...fields,
    ...rows,
    "rule.options.places": [""],
    ...(await seen(form)),
  });
  const [field] = (await draftOf(form)).schema.fields;
  expect([field.options, field.translations]).toEqual([
    ["s"],
    { de: { label: "Größe", options: { s: "klein" } } },
  ]);
  await admin.post(`${to}/restore`, hiddenIn(await admin.get(expectRedirect(saved, formPath(form))), "Undo"));
  expect((await draftOf(form)).schema.fields[0].translations).toEqual(translations);
  await admin.post(`${to}/copy`, { id: "a", ...(await seen(form)) });
  const [, copy] = (await draftOf(form)).schema.fields;
  expect(copy.translations).toEqual({ de: { options: translations.de.options } });
});

test("the questions are shown in each language, where the others are only shown", async () => {
  const form = await make(
    {
      ...{ languages: ["en", "de"], page: { title: "Order", translations: { de: { title: "Bestellung" } } } },
    },
    { translations: german },
  );
  const english = await admin.get(formPath(form));
  expectPage(english, 200, "Order", "How much?", `href="${formPath(form, "?lang=de")}"`, "?edit=a");
  const page = await admin.get(formPath(form, "?lang=de"));
  expectPage(
    page,
    200,
    "Bestellung",
    "Wie viel?",
    "In litres",
    "Absenden",
    "/translate?to=de",
    "/preview?lang=de",
  );
  expect([textOf(page).includes("How much?"), page.html.includes("?edit=a")]).toEqual([false, false]);
  for (const other of ["?lang=en", "?lang=fr", "?lang=__proto__"])
    expectPage(await admin.get(formPath(form, other)), 200, "How much?", "?edit=a");
});

test("a preview is shown in another language by the button of the page, with what was entered", async () => {
  const form = await make({ languages: ["en", "de"] }, { translations: german });
  const page = await admin.get(formPath(form, "/preview"));
  expectPage(page, 200, "How much?");
  const [, address = ""] = /formaction="([^"]*)" name="formd.switch" value="de"/.exec(page.html) ?? [];
  expect(address).toBe(formPath(form, "/preview/steps?lang=de"));
  const version = { "formd.version": "0", "formd.language": "en" };
  const switched = await admin.post(address, { ...version, a: "12", "formd.switch": "de" });
  expectPage(
    switched,
    200,
    '<html lang="de"',
    "Wie viel?",
    /name="a"[^>]* value="12"|value="12"[^>]* name="a"/,
  );
  const sent = await admin.post(formPath(form, "/preview?lang=de"), {
    ...version,
    "formd.language": "de",
    a: "12",
  });
  expectPage(sent, 200, '<html lang="de"');
});

test("an online form has an address for each language that is published", async () => {
  const form = await make({ page: { enabled: true }, languages: ["en", "de"] });
  expectPage(await admin.get(formPath(form, "/share")), 200, "Addresses by language", "?lang=de");
  const single = await make({ page: { enabled: true } });
  await change(single, "add", "de");
  expect(textOf(await admin.get(formPath(single, "/share")))).not.toContain("Addresses by language");
});

test("a viewer does not see the page", async () => {
  const form = await make();
  expectPage(await viewer.get(path(form)), 403);
});
