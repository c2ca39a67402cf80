// stacks: one
/** A form of another tool or of a file in the console: new, and in place of a draft. */
import { expect, test } from "bun:test";
import { makeForm, makeWorkspace } from "../../setup.ts";
import { Browser, csrfOf, expectPage, expectRedirect, type Shown, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, sql, team, call, editor, draftOf, read } = await consoleFixture();
const { workspace } = team;
const path = "/console/new-form/import";

const foreign = {
  title: "Members",
  display: "form",
  components: [
    { type: "textfield", key: "name", label: "Your <b>name</b>", input: true },
    { type: "signature", key: "sign", label: "Sign", input: true },
  ],
};
const countForms = async () => (await sql`select from formd.forms where team_id = ${team.id}`).length;

/** Sends a form with a file, as a browser does. */
async function sendFile(
  to: string,
  fields: Record<string, string>,
  file: string | Uint8Array,
): Promise<Shown> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", new Blob([file as BlobPart]), "form.json");
  const response = await fetch(app.url + to, {
    ...{ method: "POST", body, redirect: "manual" },
    headers: { cookie: editor.cookie, origin: app.url, "sec-fetch-site": "same-origin", accept: "text/html" },
  });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

/** The form that a page has in a hidden field. */
const contentIn = ({ html }: Shown): string =>
  (/name="content" value="([^"]*)"/.exec(html)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

test("a file of another tool is a report first, and then the form that the report showed", async () => {
  expectPage(await editor.get("/console/new-form"), 200, `href="${path}"`);
  const before = await countForms();
  const fields = { workspace, csrf: csrfOf(await editor.get(path)) };
  const report = await sendFile(path, fields, JSON.stringify(foreign));
  expectPage(
    report,
    200,
    "1 question is kept as it is.",
    "1 question is left out.",
    "Types of questions (1)",
  );
  expect([textOf(report).includes("Your name · Short text"), await countForms()]).toEqual([true, before]);
  const content = contentIn(report);
  const made = await editor.post(`${path}/create`, { workspace, content, timeZone: "Europe/Berlin" });
  const [, , , id = ""] = expectRedirect(made, /^\/console\/forms\//).split(/[/?]/);
  const form = await draftOf({ id });
  expect([form.name, form.status, form.settings.availability]).toEqual([
    ...["Members", "draft", { timeZone: "Europe/Berlin" }],
  ]);
  expect(form.schema.fields).toEqual([{ id: "name", type: "text", label: "Your name" }]);
});

test("what is no form says so in the reader's language, and a sent form is checked as a file", async () => {
  const before = await countForms();
  const german = { "accept-language": "de" };
  expectPage(await editor.post(path, { workspace, text: "[]" }, german), 400, "Dies ist kein Formular");
  const ofFile = { format: "formd/form/1", name: "A", schema: { fields: [] } };
  const sentences: [text: string, sentence: string, to?: string][] = [
    ['{\n"a": x', "Die Datei ist kein JSON: „x“ ist in Zeile 2 falsch."],
    [
      JSON.stringify({ ...ofFile, format: "formd/form/2" }),
      "„formd/form/2“. Dieser Server liest „formd/form/1“.",
    ],
    [JSON.stringify({ ...ofFile, id: "x" }), "Die Datei enthält „id“, das nur zu"],
    [JSON.stringify({ ...ofFile, name: " " }), "Ein Formular braucht einen Namen."],
    [JSON.stringify({ ...ofFile, schema: { fields: [{ id: 7 }] } }), "Falsch ist: schema.fields[0].id."],
    [JSON.stringify({ ...ofFile, webhooks: [] }), "Dies lässt sich nicht als Formular lesen."],
  ];
  for (const [text, sentence] of sentences)
    expectPage(await editor.post(path, { workspace, text }, german), 400, sentence);
  const damaged = await sendFile(path, { workspace, csrf: csrfOf(await editor.get(path)) }, "PK\x03\x04");
  expectPage(damaged, 400, "The file is not an Excel file (.xlsx), or it is damaged or encrypted.");
  const other = await makeWorkspace(app, team);
  expectPage(await editor.post(path, { workspace: other, text: JSON.stringify(foreign) }), 403);
  const alias = {
    format: "formd/form/1",
    name: "A",
    schema: { fields: [] },
    settings: { page: { alias: "x" } },
  };
  expectPage(
    await editor.post(`${path}/create`, { workspace, content: JSON.stringify(alias) }),
    400,
    "page.alias",
  );
  expectPage(await new Browser(app).post(path, { workspace, text: "{}" }), 401);
  expect(await countForms()).toBe(before);
});

const field = (id: string, more = {}) => ({ id, type: "text", label: id.toUpperCase(), ...more });
const fileOf = (fields: object[], more = {}) =>
  JSON.stringify({ format: "formd/form/1", name: "Test", schema: { fields }, ...more });
const hidden = (page: Shown) => ({
  content: contentIn(page),
  updatedAt: /name="updatedAt" value="([^"]*)".*name="content"/s.exec(page.html)?.[1] ?? "",
});

test("a draft is replaced by the file whose plan was shown, as one change", async () => {
  const form = await makeForm(app, team, [field("a"), field("b")], {
    settings: { page: { alias: "kept-here" } },
  });
  expectPage(await editor.get(formPath(form)), 200, `href="${formPath(form, "/replace")}"`);
  const settings = {
    page: { title: "T", redirectUrl: "https://example.org/" },
    examples: [{ name: "x", data: {}, expect: { valid: false } }],
  };
  const text = fileOf([field("b", { required: true, "x-own": 1 }), field("a", { "x-own": 1 }), field("c")], {
    ...{ name: "New", settings },
  });
  const plan = await editor.post(formPath(form, "/replace"), { text });
  expectPage(plan, 200, "The form's name changes from “Test” to “New”", "B becomes required", "C added");
  expectPage(plan, 200, "A: x-own changes", "respondents are sent to https://example.org/");
  expectPage(plan, 200, "Texts and look of the page change", "Other settings change");
  expect((await draftOf(form)).name).toBe("Test");
  expectRedirect(await editor.post(formPath(form, "/replace/apply"), hidden(plan)), formPath(form));
  const { name, schema, settings: stored } = await draftOf(form);
  expect([name, schema.fields[0].id, stored.page.alias, stored.page.title]).toEqual([
    ...["New", "b", "kept-here", "T"],
  ]);
  const { events } = await read(`/management/forms/${form.id}/audit`);
  expect(events[0].kind).toBe("form.patched");
  expectPage(await editor.post(formPath(form, "/replace"), { text }), 200, "No changes");
});

test("a form that changed after the plan is not replaced, and has a new plan", async () => {
  const form = await makeForm(app, team, [field("a")]);
  const plan = await editor.post(formPath(form, "/replace"), { text: fileOf([field("b")]) });
  expectPage(plan, 200, "“A” is removed. Values of earlier submissions stay");
  await call("PATCH", `/management/forms/${form.id}`, {
    operations: [{ op: "addField", field: field("new") }],
  });
  const refused = await editor.post(formPath(form, "/replace/apply"), hidden(plan));
  expectPage(refused, 409, "NEW removed");
  expect((await draftOf(form)).schema.fields).toHaveLength(2);
  expectRedirect(await editor.post(formPath(form, "/replace/apply"), hidden(refused)), formPath(form));
  expect((await draftOf(form)).schema.fields).toEqual([field("b")]);
});

test("a file of more bytes than other posts have is read; an archived form has no file", async () => {
  const form = await makeForm(app, team, [field("a")]);
  const to = formPath(form, "/replace");
  const csrf = csrfOf(await editor.get(to));
  const large = `${fileOf([field("b")])}${" ".repeat(2_500_000)}`;
  expectPage(await sendFile(to, { csrf }, large), 200, "B added");
  expectPage(await sendFile(to, { csrf }, " ".repeat(3_200_000)), 400, "at most 3 MB");
  const tooLarge = await sendFile(to, { csrf }, " ".repeat(4_800_000));
  expectPage(tooLarge, 413, "The file may have at most 4 MB.", "Show the changes");
  await sql`select formd.form_set_archived(${team.id}, '(cli,,)', ${form.id}, true)`;
  expect((await editor.get(formPath(form))).html).not.toContain(to);
  expectPage(await editor.get(to), 409, "archived");
  expectPage(await editor.post(to, { text: fileOf([]) }), 409, "archived");
});
