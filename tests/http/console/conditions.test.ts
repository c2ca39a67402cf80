// stacks: one
/** Questions that depend on others, in the console: rows, expressions, sentences; without a script. */
import { describe, expect, test } from "bun:test";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { expectPage, expectRedirect, type Shown, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, team, admin, viewer, call, draftOf, seen } = await consoleFixture();

const options = [
  { value: "DE", label: "Germany" },
  { value: "FR", label: "France" },
];
const country = { id: "country", type: "select", label: "Country", options };
const vat = { id: "vat", type: "text", label: "VAT number" };
const vatIn = async (form: PublishedForm) =>
  (await draftOf(form)).schema.fields.find(({ id }: { id: string }) => id === "vat");
const made = (own: object = {}) =>
  makeForm(app, team, [
    country,
    { id: "age", type: "number", label: "Age" },
    { ...vat, ...own },
    { id: "later", type: "text", label: "Comes later" },
  ]);
const opened = (form: PublishedForm) => admin.get(formPath(form, "?edit=vat"));
/** The page that lists the questions. */
const list = async (form: PublishedForm) => textOf(await admin.get(formPath(form)));
const row = (member: string, index: number, ...[field, comparison, value]: [string, string, string]) => ({
  [`${member}.${index}.field`]: field,
  [`${member}.${index}.comparison`]: comparison,
  [`${member}.${index}.value`]: value,
});
type Row = [field: string, comparison: string, value: string];
/** Fields of “Ask this only if” with these rows. */
const asked = (joint: string, ...rows: Row[]) => ({
  ...{ "showIf.rows": String(rows.length), "showIf.joint": joint },
  ...Object.assign({}, ...rows.map((each, index) => row("showIf", index, ...each))),
});
/** Saves the question with these values, or shows it again. */
const save = async (form: PublishedForm, values: Record<string, string>) =>
  await admin.post(formPath(form, "/field"), { ...vat, ...(await seen(form)), ...values });
const selectIn = ({ html }: Shown, name: string) =>
  html.split(`name="${name}"`)[1]?.split("</select>")[0] ?? "";
/** The names of the controls that ask for the focus. */
const focused = ({ html }: Shown) =>
  [...html.matchAll(/<(?:input|textarea|select)[^>]* autofocus[^>]*>/g)].map(
    ([tag]) => / name="([^"]*)"/.exec(tag)?.[1],
  );
const choicesIn = (page: Shown, name: string) =>
  [...selectIn(page, name).matchAll(/<option[^>]*>([^<]*)/g)].map(([, label]) => label);
/** Expects the values of controls by name: text, or the label of the chosen option. */
function expectControls(page: Shown, controls: Record<string, string>) {
  for (const [name, expected] of Object.entries(controls)) {
    const [, chosen] = /<option[^>]*selected[^>]*>([^<]*)/.exec(selectIn(page, name)) ?? [];
    const [input = ""] = new RegExp(`<input[^>]*name="${RegExp.escape(name)}"[^>]*`).exec(page.html) ?? [];
    expect([name, /value="([^"]*)"/.exec(input)?.[1] ?? chosen]).toEqual([name, expected]);
  }
}

describe("“Ask this only if”", () => {
  test("is entered as rows, stored as an expression, and shown as a sentence, also in the list", async () => {
    const form = await made();
    expect(choicesIn(await opened(form), "showIf.0.field")).toEqual([
      ...["Choose a question…", "Country", "Age"],
    ]);
    const rows = asked("all", ["country", "is", "Germany"], ["age", "atLeast", "18"]);
    expectRedirect(await save(form, rows), formPath(form));
    expect((await vatIn(form)).showIf).toBe("data.country == 'DE' && data.age >= 18");
    const sentence = "Country is Germany and Age is at least 18";
    expect(await list(form)).toContain(`(optional) Only if ${sentence}`);
    expect(textOf(await viewer.get(formPath(form)))).toContain(`Only if ${sentence}`);
    const again = await opened(form);
    expectControls(again, { "showIf.0.field": "Country", "showIf.0.value": "Germany" });
    expectControls(again, { "showIf.1.comparison": "is at least", "showIf.1.value": "18" });
    expect(choicesIn(again, "showIf.0.value")).toEqual(["Choose…", "Germany", "France"]);
    expect(choicesIn(again, "showIf.0.comparison")).toEqual([
      ...["is", "is not", "is one of", "has an answer", "has no answer"],
    ]);
  });

  test("is refused in words while its question is one that was removed, and keeps the other rows", async () => {
    const form = await made();
    const rows = asked("all", ["country", "is", "Germany"], ["age", "atLeast", "18"]);
    await admin.post(formPath(form, "/field/remove"), { id: "country", ...(await seen(form)) });
    const page = await save(form, rows);
    expectPage(page, 400, "The question of this condition was removed, or comes later now.");
    const gone = { "showIf.0.field": "Removed, or comes later now" };
    expectControls(page, { ...gone, "showIf.1.field": "Age", "showIf.1.value": "18" });
    await admin.post(formPath(form, "/field/remove"), { id: "age", ...(await seen(form)) });
    expectControls(await save(form, asked("all", ["country", "is", ""])), gone);
    expect(await vatIn(form)).toEqual(vat);
  });

  test("asks for any of the rows, and for none when each names no question", async () => {
    const form = await made({ showIf: "data.age > 3" });
    await save(form, asked("any", ["country", "has", ""], ["age", "isNot", "7"]));
    expect((await vatIn(form)).showIf).toBe("has(data.country) || data.age != 7");
    await save(form, asked("all", ["", "is", "left over"]));
    expect(await vatIn(form)).not.toHaveProperty("showIf", expect.anything());
  });

  test("a chosen question gets what fits its type, without a script, and nothing is saved", async () => {
    const form = await makeForm(app, team, [
      country,
      { id: "member", type: "boolean", label: "Member?" },
      { id: "day", type: "date", label: "Arrival" },
      { id: "stars", type: "rating", label: "Stars" },
      { id: "name", type: "text", label: "Name" },
      { id: "cv", type: "file", label: "CV" },
      vat,
    ]);
    expect(choicesIn(await opened(form), "showIf.0.field")).not.toContain("CV");
    const next = async (id: string, comparison = "is", value = "") =>
      await save(form, { ...asked("all", [id, comparison, value]), "formd.resume": "showIf.next" });
    expect((await opened(form)).html).toMatch(/<noscript><button[^>]* value="showIf.next"/);
    const member = await next("member");
    expect(choicesIn(member, "showIf.0.value")).toEqual(["Choose…", "Yes", "No"]);
    expect(choicesIn(member, "showIf.0.comparison")).toEqual(["is", "has an answer", "has no answer"]);
    expect(choicesIn(await next("stars"), "showIf.0.value")).toEqual(["Choose…", "1", "2", "3", "4", "5"]);
    expect((await next("day")).html).toMatch(/<input type="date"[^>]* name="showIf.0.value"/);
    expect((await next("name", "startsWith", "A")).html).toMatch(
      /<input type="text"[^>]* value="A"[^>]* name="showIf.0.value"/,
    );
    const several = await next("country", "isOneOf", "France");
    expect(several.html).toMatch(/<input type="checkbox"[^>]* name="showIf.0.value" value="France" checked/);
    expect(await vatIn(form)).toEqual(vat);
    const rows = asked("all", ["country", "isOneOf", ""]);
    const picked = { ...vat, ...(await seen(form)), ...rows, "showIf.0.value": ["Germany", "France"] };
    expectRedirect(await admin.post(formPath(form, "/field"), picked), formPath(form));
    expect((await vatIn(form)).showIf).toBe("data.country in ['DE', 'FR']");
  });

  test("has one more row, one less, or is an expression, by a button that saves nothing", async () => {
    const form = await made();
    const before = await draftOf(form);
    const press = (button: string, value: string) =>
      save(form, { ...asked("any", ["country", "is", value]), "formd.resume": `showIf.${button}` });
    expect(focused(await opened(form))).toEqual(["label"]);
    expect((await opened(form)).html).not.toContain('name="showIf.joint"');
    const more = await press("more", "France");
    expectControls(more, {
      "showIf.0.value": "France",
      "showIf.1.field": "Choose a question…",
      "showIf.rows": "2",
      "showIf.joint": "one of these applies",
    });
    expectControls(await press("0.remove", "France"), {
      "showIf.0.field": "Choose a question…",
      "showIf.rows": "1",
    });
    const written = await press("text", "France");
    expect(focused(written)).toEqual(["showIf"]);
    expectControls(written, { showIf: "data.country == 'FR'" });
    expect(written.html).not.toContain('name="showIf.0.field"');
    expect(await draftOf(form)).toEqual(before);
  });

  test.each([
    ["country", "is", "Italy", "Choose an answer to “Country”."],
    ["age", "moreThan", "old", "Enter a number to compare “Age” with."],
    ["age", "is", " ", "Enter a value to compare “Age” with."],
    ["age", "contains", "1", "“contains” does not fit the answers of “Age”."],
  ])(
    "refuses %s %s %p in people's words, and keeps what was entered",
    async (id, comparison, value, message) => {
      const form = await made();
      const page = await save(form, asked("all", [id, comparison, value]));
      expectPage(page, 400, message);
      expect(page.html).toMatch(/name="showIf\.0\.(?:value|comparison)"[^>]*aria-invalid="true"/);
      expectControls(page, { "showIf.0.field": id === "age" ? "Age" : "Country" });
      expect(await vatIn(form)).not.toHaveProperty("showIf");
    },
  );

  test("stays text if rows cannot express it, with the error at its control", async () => {
    const form = await made({ showIf: "data.age * 2.0 == 30.0" });
    expectControls(await opened(form), { showIf: "data.age * 2.0 == 30.0" });
    expect(await list(form)).toContain("Only if Age * 2.0 == 30.0");
    const to = expectRedirect(await save(form, { showIf: "data.agee > 3" }), /edit=vat/);
    const wrong = await admin.get(to);
    expect(wrong.html).toMatch(/name="showIf"[^>]*aria-invalid="true"/);
    expect(textOf(wrong)).toContain('"age" meant?');
  });

  test("names questions by what people read in what is wrong, also in the list and before publishing", async () => {
    const form = await made();
    await save(form, { showIf: "data.later == 'x' || data.gone == 'x'" });
    const message = "“Ask this only if” is invalid at character 6: the question “Comes later” comes later";
    expect(textOf(await opened(form))).toContain(message);
    expect(await list(form)).toContain(message);
    expect(textOf(await admin.get(formPath(form, "/publish")))).toContain("the question “Comes later”");
    for (const [showIf, says] of [
      ["data.contry == 'DE'", "no question that programs know as “contry”"],
      ["data.country == 'Germany'", "is not an option of “Country”"],
    ] as const) {
      await save(form, { showIf });
      expect(textOf(await opened(form))).toContain(says);
    }
  });

  test("is tried on the draft's examples before it is published", async () => {
    const form = await made({ showIf: "data.country == 'DE'", required: true });
    for (const [valid, says, saysInGerman] of [
      [
        true,
        'In the example "German", valid is false, and true is expected.',
        "Im Beispiel „German“ ist die Einsendung ungültig, erwartet wird eine gültige.",
      ],
      [false, "The draft matches its example.", "Der Entwurf entspricht seinem Beispiel."],
    ] as const) {
      const examples = [{ name: "German", data: { country: "DE" }, expect: { valid } }];
      const operations = [{ op: "setMeta", name: `F ${valid}`, settings: { examples } }];
      await call("PATCH", `/management/forms/${form.id}`, { operations });
      expect(textOf(await admin.get(formPath(form, "/publish")))).toContain(says);
      const german = await admin.get(formPath(form, "/publish"), { "accept-language": "de" });
      expect(textOf(german)).toContain(saysInGerman);
    }
  });

  test("shows a text only if, and asks nothing else of it", async () => {
    const { html } = await opened(await made({ type: "statement" }));
    expect(html).toContain("Show this only if");
    expect(html).not.toMatch(/requireIf|rules\.0/);
  });

  test("offers a new question only the questions before it", async () => {
    const form = await made();
    const added = (after: string) =>
      admin.post(formPath(form, "/field/new"), { type: "text", label: "New", after, "formd.resume": "type" });
    expect(choicesIn(await added("country"), "showIf.0.field")).toEqual([
      ...["Choose a question…", "Country"],
    ]);
    const inList = await admin.get(formPath(form, "?after=age"));
    expect(choicesIn(inList, "showIf.0.field")).toEqual(["Choose a question…", "Country", "Age"]);
    expect(textOf(await added(""))).not.toContain("Ask this only if");
  });
});

describe("the rest", () => {
  test("a required value, a calculated one and rules are entered and shown likewise", async () => {
    const form = await made();
    await save(form, {
      ...{ "requireIf.rows": "1", ...row("requireIf", 0, "age", "has", "") },
      ...{
        "rules.rows": "3",
        ...row("rules", 0, "vat", "startsWith", "DE"),
        ...row("rules", 1, "", "is", ""),
      },
      "rules.0.message": "Begins with DE | or not.",
      "rules.2.rule": "data.vat != data.country",
      "rules.2.message": "Too short.",
    });
    expect(await vatIn(form)).toMatchObject({
      requireIf: "has(data.age)",
      rules: [
        { rule: "data.vat.startsWith('DE')", message: "Begins with DE | or not." },
        { rule: "data.vat != data.country", message: "Too short." },
      ],
    });
    const page = await opened(form);
    expectControls(page, { "requireIf.0.field": "Age", "requireIf.0.comparison": "has an answer" });
    expectControls(page, { "rules.0.value": "DE", "rules.0.message": "Begins with DE | or not." });
    expectControls(page, { "rules.1.rule": "data.vat != data.country", "rules.1.message": "Too short." });
    expect(await list(form)).toMatch(/an answer is required if Age has an answer.*2 conditions for answers/);
  });

  test("a calculated value is shown with the names of questions; what it excludes is named in plain words", async () => {
    const form = await made({ requireIf: "has(data.age)" });
    const compute = "data.country + '!'";
    const to = expectRedirect(await save(form, { compute }), /edit=vat/);
    expect(textOf(await admin.get(to))).toContain(
      "“Calculate the answer” excludes “An answer is required if”: the server calculates the value.",
    );
    await save(form, { compute, "requireIf.rows": "0" });
    expect(textOf(await opened(form))).toContain("Calculated as Country + '!'.");
    expect(await list(form)).toContain("calculated: Country + '!'");
  });

  test("a rule needs a message", async () => {
    const page = await save(await made(), { "rules.rows": "1", ...row("rules", 0, "vat", "has", "") });
    expectPage(page, 400, "Enter the error message.");
  });

  test("rules that no row can express, and their other members, stay as they are stored", async () => {
    const rules = [
      { rule: "data.vat != data.country", message: "Short.", note: 1 },
      "left over",
      { rule: 7 },
    ];
    const form = await made();
    const operations = [{ op: "updateField", fieldId: "vat", set: { rules } }];
    await call("PATCH", `/management/forms/${form.id}`, { operations });
    const { html } = await opened(form);
    const shown = Object.fromEntries(
      [...html.matchAll(/<input[^>]* name="(rules\.[^"]*)"[^>]*>/g)].map(([tag, name]) => [
        name,
        (/ value="([^"]*)"/.exec(tag)?.[1] ?? "").replaceAll("&quot;", '"'),
      ]),
    );
    expect(shown).toMatchObject({ "rules.rows": "3", "rules.1.rule": "left over", "rules.2.rule": "7" });
    expectRedirect(await save(form, shown), /edit=vat/);
    expect((await vatIn(form)).rules).toEqual(rules);
    await save(form, { ...shown, "rules.0.message": "Too short.", "rules.1.rule": "" });
    expect((await vatIn(form)).rules).toEqual([
      { ...(rules[0] as object), message: "Too short." },
      { rule: 7 },
    ]);
  });

  test("a new question's rule is about its own value", async () => {
    const form = await made();
    await admin.post(formPath(form, "/field/new"), {
      ...{ type: "text", label: "Code", "rules.rows": "1", ...row("rules", 0, " ", "startsWith", "A") },
      "rules.0.message": "Begins with A.",
    });
    expect((await draftOf(form)).schema.fields.at(-1)).toEqual({
      ...{ id: "code", type: "text", label: "Code" },
      rules: [{ rule: "data.code.startsWith('A')", message: "Begins with A." }],
    });
  });

  test("what was saved elsewhere stays when a page without these controls is sent", async () => {
    const form = await made({ showIf: "has(data.age)", rules: [{ rule: "has(data.vat)", message: "No." }] });
    await save(form, { label: "Renamed" });
    expect(await vatIn(form)).toMatchObject({ label: "Renamed", showIf: "has(data.age)" });
  });

  test("“Try it” leads to the draft, which shows what applies", async () => {
    const form = await made({ showIf: "data.country == 'FR'" });
    expect((await opened(form)).html).toContain(`href="${formPath(form, "/preview")}">Try it`);
    const preview = await admin.get(formPath(form, "/preview"));
    expect(preview.html).toMatch(/<fieldset class="dependent"[^>]*data-field="vat"[^>]* hidden/);
  });
});
