// stacks: one deno
/** The texts of a form and their translations in the console: page by page, and as a file. */
import { expect, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { makeForm } from "../../setup.ts";
import { type Browser, expectPage, expectRedirect, type Shown, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, sql, team, call, editor, viewer, draftOf, read } = await consoleFixture();

const size = {
  ...{ id: "size", type: "select", label: "Size", description: "Of the shirt" },
  options: [
    { value: "s", label: "Small" },
    { value: "m", label: "Medium" },
  ],
  rules: [{ rule: "data.size != 'm'", message: "Not today" }],
};
const name = { id: "name", type: "text", label: "Name", translations: { de: { label: "Name (de)" } } };

type Form = Awaited<ReturnType<typeof makeForm>>;
const formWith = (fields: object[], settings: object = {}): Promise<Form> =>
  makeForm(app, team, fields, { settings: { languages: ["en", "de", "ar"], ...settings } });
const pathOf = (form: Form, rest = "") => formPath(form, `/translate${rest}`);

const decoded = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** Fields that a browser sends of the page's form. */
function fieldsIn({ html }: Shown): Record<string, string> {
  const form = html.split('class="translations"')[1]?.split("</form>")[0] ?? "";
  const inputs = [...form.matchAll(/<input ([^>]*)>/g)].map(([, attributes = ""]) => [
    /name="([^"]*)"/.exec(attributes)?.[1] ?? "",
    decoded(/value="([^"]*)"/.exec(attributes)?.[1] ?? ""),
  ]);
  const areas = [...form.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>\n?([^<]*)</g)].map(
    ([, of = "", text = ""]) => [of, decoded(text)],
  );
  return Object.fromEntries([...inputs, ...areas]);
}

/** The index of the row of a place on a page. */
const rowAt = (fields: Record<string, string>, place: string): string =>
  Object.entries(fields)
    .find(([of, value]) => of.endsWith(".place") && value === place)?.[0]
    .split(".")[0] ?? "none";

/** Fills in texts by their places, as a person does who has the page before them. */
function filled(page: Shown, texts: Record<string, string>): Record<string, string> {
  const fields = fieldsIn(page);
  for (const [place, text] of Object.entries(texts)) fields[`${rowAt(fields, place)}.text`] = text;
  return fields;
}

const save = async (form: Form, texts: Record<string, string>, to = "de", as: Browser = editor) =>
  await as.post(pathOf(form), filled(await as.get(pathOf(form, `?to=${to}`)), texts));

test("a row has its place in words, the text, and the translation in the language's direction", async () => {
  const form = await formWith([size, name], { page: { thankYou: "Thanks" } });
  const page = await editor.get(pathOf(form, "?to=ar"));
  const places = ["Page: thank-you text", "Size · Question", "Size · Description", "Size · Choice 2"];
  expectPage(
    page,
    200,
    ...places,
    "Size · Message of rule 1",
    "Name · Question",
    "0 of 8 texts are translated",
  );
  expect(page.html).toMatch(/<p lang="en" dir="ltr">Medium<\/p>/);
  expect(page.html).toMatch(/<input [^>]*dir="rtl"[^>]*lang="ar"|<input [^>]*lang="ar"[^>]*dir="rtl"/);
  const german = await editor.get(pathOf(form, "?to=de&filter=missing"));
  expectPage(german, 200, "1 of 8 texts are translated");
  expect(Object.values(fieldsIn(german))).not.toContain("fields.name.label");
  expect(fieldsIn(await editor.get(pathOf(form)))["7.text"]).toBe("Name (de)");
});

test("a post is one patch with what changed, and an empty box removes a translation", async () => {
  const form = await formWith([size, name], { page: { thankYou: "Thanks" } });
  const texts = {
    "page.thankYou": "Danke\r\n\r\nTschüss",
    "fields.size.options.m": "Mittel",
    "fields.size.messages.0": "Heute nicht",
    "fields.name.label": " ",
  };
  const { events: before } = await read(`/management/forms/${form.id}/audit`);
  expectRedirect(await save(form, texts), `${pathOf(form)}?to=de&page=1`);
  const { schema, settings } = await draftOf(form);
  expect(schema.fields).toEqual([
    { ...size, translations: { de: { options: { m: "Mittel" }, messages: ["Heute nicht"] } } },
    { id: "name", type: "text", label: "Name" },
  ]);
  expect(settings.page.translations).toEqual({ de: { thankYou: "Danke\n\nTschüss" } });
  const { events } = await read(`/management/forms/${form.id}/audit`);
  expect([events.length - before.length, events[0].kind]).toEqual([1, "form.patched"]);
  const cleared = Object.fromEntries(Object.keys(texts).map((place) => [place, ""]));
  expectRedirect(await save(form, cleared), pathOf(form));
  expect((await draftOf(form)).schema.fields).toEqual([size, { id: "name", type: "text", label: "Name" }]);
  expect((await draftOf(form)).settings.page.translations).toBeUndefined();
});

test("the form's name and description are texts of its page, as long as these have none", async () => {
  const form = await formWith([name], { page: { introduction: "Hello" } });
  const fields = fieldsIn(await editor.get(pathOf(form)));
  expect(["page.title", "page.introduction"].map((place) => rowAt(fields, place))).toEqual(["0", "1"]);
  expectRedirect(await save(form, { "page.title": "Titel" }), `${pathOf(form)}?to=de&page=1`);
  expect((await draftOf(form)).settings.page).toEqual({
    introduction: "Hello",
    translations: { de: { title: "Titel" } },
  });
  const bare = await formWith([name]);
  await save(bare, { "page.title": "Titel" });
  expect((await draftOf(bare)).settings.page).toEqual({ translations: { de: { title: "Titel" } } });
});

test("what another person saved meanwhile is shown beside what was typed, and not overwritten", async () => {
  const form = await formWith([size, name]);
  const page = await editor.get(pathOf(form, "?to=de"));
  const typed = filled(page, {
    "fields.size.label": "Größe",
    "fields.name.label": "Mein Name",
    "fields.size.options.s": "Klein",
  });
  expectRedirect(
    await save(form, { "fields.size.label": "Weite", "fields.size.description": "Des Hemds" }),
    pathOf(form),
  );
  await call("PATCH", `/management/forms/${form.id}`, {
    operations: [{ op: "updateField", fieldId: "name", set: { label: "Full name" } }],
  });
  const refused = await editor.post(pathOf(form), typed);
  expectPage(
    refused,
    409,
    "Size · Question: another person saved a different translation",
    "Weite",
    "was changed meanwhile",
  );
  const again = fieldsIn(refused);
  expect(
    ["label", "description", "options.s"].map((of) => again[`${rowAt(again, `fields.size.${of}`)}.text`]),
  ).toEqual(["Größe", "Des Hemds", "Klein"]);
  expect((await draftOf(form)).schema.fields[0].translations.de).toEqual({
    label: "Weite",
    description: "Des Hemds",
  });
  // A person who has seen both decides.
  expectRedirect(await editor.post(pathOf(form), again), pathOf(form));
  const { schema } = await draftOf(form);
  expect([schema.fields[0].translations.de.label, schema.fields[1].translations.de.label]).toEqual([
    "Größe",
    "Mein Name",
  ]);
});

test("of two saves at once, both are stored, or one is refused with all entries", async () => {
  const form = await formWith([size, name]);
  const page = await editor.get(pathOf(form, "?to=de"));
  const posts = await Promise.all(
    [{ "fields.size.label": "Größe" }, { "fields.name.label": "Mein Name" }].map((texts) =>
      editor.post(pathOf(form), filled(page, texts)),
    ),
  );
  for (const post of posts)
    if (post.status !== 303) {
      expectPage(post, 409, "The form was changed");
      expectRedirect(await editor.post(pathOf(form), fieldsIn(post)), pathOf(form));
    }
  const { fields } = (await draftOf(form)).schema;
  expect(fields.map((field: typeof name) => field.translations.de.label)).toEqual(["Größe", "Mein Name"]);
});

test("a text that is too long, or that is gone, is marked beside its row, and all entries stay", async () => {
  const form = await formWith([name], { page: { submitLabel: "Send" }, copy: { subject: "Copy" } });
  const long = "x".repeat(limits.formPage.maxLabelLength + 1);
  const typed = { "page.submitLabel": long, "copy.subject": "A\nB", "fields.name.label": "Other" };
  const refused = await save(form, typed);
  expectPage(
    refused,
    400,
    "Page: submit button: at most 100 characters.",
    "not valid: Copy by e-mail: subject",
  );
  expect(fieldsIn(refused)).toMatchObject({ "1.text": long, "3.text": "Other" });
  expect(refused.html).toMatch(/id="1\.2etext"[^>]*aria-invalid="true"/);
  const page = await editor.get(pathOf(form));
  await call("PATCH", `/management/forms/${form.id}`, {
    operations: [
      { op: "removeField", fieldId: "name" },
      { op: "addField", field: { ...name, id: "other" } },
    ],
  });
  const gone = await editor.post(pathOf(form), filled(page, { "fields.name.label": "Mine" }));
  expectPage(gone, 400, "removed from the form meanwhile", "Mine");
  await call("PATCH", `/management/forms/${form.id}`, {
    operations: [{ op: "setMeta", settings: { languages: ["en", "ar"] } }],
  });
  const without = await editor.post(pathOf(form), filled(page, { "page.submitLabel": "Senden" }));
  expectPage(without, 409, "no longer has this language", "Senden");
});

test("a page has 50 texts, and saving goes on behind its last one, also among the missing", async () => {
  const form = await formWith(
    Array.from({ length: 120 }, (_, index) => ({ ...name, id: `f${index}`, translations: {} })),
  );
  const second = await editor.get(pathOf(form, "?to=de&page=2"));
  expect(Object.keys(fieldsIn(second)).filter((of) => of.endsWith(".place"))).toHaveLength(50);
  const next = await editor.post(pathOf(form), {
    ...filled(second, { "fields.f50.label": "X" }),
    next: "true",
  });
  expectRedirect(next, `${pathOf(form)}?to=de&page=3`);
  const missing = await editor.get(pathOf(form, "?to=de&filter=missing"));
  const texts = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`fields.f${index}.label`, "X"]));
  const after = await editor.post(pathOf(form), { ...filled(missing, texts), next: "true" });
  const to = expectRedirect(after, `${pathOf(form)}?to=de&filter=missing&page=1`);
  const places = Object.values(fieldsIn(await editor.get(to)));
  expect(places.filter((value) => value.startsWith("fields."))[1]).toBe("fields.f51.label");
  const last = await editor.get(pathOf(form, "?to=de&page=21"));
  expectPage(last, 200, "Page 3 of 3");
  expect(Object.values(fieldsIn(last))).toContain("fields.f119.label");
});

test("a viewer reads; an archived form is refused in words; a form with one language says so", async () => {
  const form = await formWith([name]);
  const page = await editor.get(pathOf(form));
  const read = await viewer.get(pathOf(form));
  expectPage(read, 200, "Name (de)");
  expect([read.html.includes('class="translations"'), read.html.includes("translate/import")]).toEqual([
    false,
    false,
  ]);
  expect((await viewer.post(pathOf(form), filled(page, { "fields.name.label": "X" }))).status).toBe(403);
  await sql`select formd.form_set_archived(${team.id}, '(cli,,)', ${form.id}, true)`;
  expectPage(
    await editor.post(pathOf(form), filled(page, { "fields.name.label": "X" })),
    409,
    "archived",
    '"X"',
  );
  const single = await makeForm(app, team, [name]);
  expectPage(await editor.get(pathOf(single)), 200, "This form has one language");
  expect((await editor.get(formPath(single))).html).not.toContain("/translate");
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const send = (form: Form, csv: string) =>
  editor.post(pathOf(form, "/import"), { to: "de", file: base64(csv) });

test("a file that comes back as it was changes nothing, and its cells are applied as one patch", async () => {
  const formula = { ...name, id: "sum", label: '=1+1;"x",\n@y', translations: { ar: { label: "-أ" } } };
  const form = await formWith([size, name, formula], { page: { thankYou: "Thanks" } });
  const before = await draftOf(form);
  for (const accept of ["en", "de"]) {
    const { html: csv, headers } = await editor.get(pathOf(form, ".csv"), { "accept-language": accept });
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(csv).toContain(["place", "default", "de", "ar"].join(accept === "de" ? ";" : ","));
    expect(csv).not.toMatch(/(^|[,;"\n])[=@]/);
    expectPage(await send(form, csv), 200, "0 translations changed.");
  }
  expect(await draftOf(form)).toEqual(before);
  const rows = ["place,default,de,fr", "fields.size.label,Size,Größe,Taille", "fields.nam.label,Name,X,"];
  const result = await send(
    form,
    [...rows, "fields.name.label,Names,X,", "page.thankYou,Thanks,,"].join("\r\n"),
  );
  expectPage(
    result,
    200,
    "1 translation changed.",
    "Column “fr”",
    "Row 3: The form has no text “fields.nam.label”",
  );
  expect(result.html).not.toContain("Replaced translations");
  const again = await send(form, "sep=,\r\nplace,default,de\r\nfields.size.label,Size,Format");
  expectPage(again, 200, "Replaced translations", "Size · Question · German: “Größe” → “Format”");
  await send(form, "place,default,de\nfields.size.label,Size,Größe");
  expectPage(result, 200, "Row 4: The text “fields.name.label” was changed meanwhile.");
  const { schema } = await draftOf(form);
  expect(schema.fields).toEqual([{ ...size, translations: { de: { label: "Größe" } } }, name, formula]);
});

test("a file that cannot be read is refused in words, and changes nothing", async () => {
  const form = await formWith([name]);
  const rows = "fields.name.label,Name,X\n".repeat(limits.translations.maxRows + 1);
  const refusals: [csv: string, sentence: string][] = [
    ["", "Choose a file."],
    ["a,b\n1,2", "needs a column place"],
    ['place,default,de\nfields.name.label,Name,"X', "quotation mark in row 2"],
    [`place,default,de\n${rows}`, "may be at most 20,000"],
    ["place,default,de\0", "is not text"],
  ];
  for (const [csv, sentence] of refusals) expectPage(await send(form, csv), 400, sentence);
  const latin = { to: "de", file: Buffer.from("place,default,de\nx,Größe,", "latin1").toString("base64") };
  expectPage(await editor.post(pathOf(form, "/import"), latin), 400, "is not text");
  const large = { to: "de", file: "A".repeat(limits.translations.maxBytes * 1.4) };
  expectPage(await editor.post(pathOf(form, "/import"), large), 413, "at most 4 MB");
  expect((await draftOf(form)).schema.fields).toEqual([name]);
  await sql`select formd.form_set_archived(${team.id}, '(cli,,)', ${form.id}, true)`;
  expectPage(await send(form, "place,default,de\nfields.name.label,Name,X"), 409, "archived");
});

test("a page of 500 questions in five languages has at most 300 KB", async () => {
  const languages = ["en", "de", "fr", "es", "ar"];
  const text = (of: string, index: number) => `${of} ${index} `.padEnd(60, "word ");
  const form = await formWith(
    Array.from({ length: 500 }, (_, index) => ({
      ...{ id: `f${index}`, type: "text", label: text("Question", index), description: text("Help", index) },
      translations: Object.fromEntries(
        languages.slice(1).map((tag) => [tag, { label: text(tag, index), description: text(tag, index) }]),
      ),
    })),
    { languages },
  );
  const { html } = await editor.get(pathOf(form, "?to=ar&page=7"));
  expect(Object.keys(fieldsIn({ html, status: 200, headers: new Headers() }))).not.toHaveLength(0);
  expect(Buffer.byteLength(html)).toBeLessThan(300_000);
  expect(textOf({ html, status: 200, headers: new Headers() })).toContain("1,000 of 1,001 texts");
});

test("the numbers of texts are written in the reader's language, at the file and at the languages", async () => {
  const form = await formWith(
    Array.from({ length: 400 }, (_, index) => ({
      ...{ id: `f${index}`, type: "text", label: "A", description: "B", help: "H" },
      translations: { de: { label: "x", description: "x", help: "x" } },
    })),
  );
  const rows = Array.from({ length: 400 }, (_, index) =>
    ["label,A", "description,B", "help,H"].map((text) => `fields.f${index}.${text},C\n`).join(""),
  );
  const result = await send(form, `place,default,de\n${rows.join("")}`);
  expectPage(result, 200, "1,200 translations changed.", "and 1,000 more");
  const texts = await editor.get(formPath(form, "/languages"), { "accept-language": "de" });
  expectPage(texts, 200, "1.200 von 1.201 Texten", "0 von 1.201 Texten", "1.201 Texte fehlen");
  expectPage(await editor.get(formPath(form, "/publish")), 200, "Arabic: 0 of 1,201 texts");
});
