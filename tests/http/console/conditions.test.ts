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
    expect(choicesIn(await opened(form), "showIf.0.field")).toEqual(["no question", "Country", "Age"]);
    const rows = asked("all", ["country", "is", "germany"], ["age", "atLeast", "18"]);
    expectRedirect(await save(form, rows), formPath(form));
    expect((await vatIn(form)).showIf).toBe("data.country == 'DE' && data.age >= 18");
    const sentence = "Country is Germany and Age is at least 18";
    expect(await list(form)).toContain(`· if ${sentence}`);
    expect(textOf(await viewer.get(formPath(form)))).toContain(`if ${sentence}`);
    const again = await opened(form);
    expect(textOf(again)).toContain(`Asked only if ${sentence}.`);
    expectControls(again, { "showIf.0.field": "Country", "showIf.0.value": "Germany" });
    expectControls(again, { "showIf.1.comparison": "is at least", "showIf.1.value": "18" });
    expect(again.html).toMatch(/<datalist id="showIf-values-1"><option value="Germany">/);
  });

  test("asks for any of the rows, and for none when each names no question", async () => {
    const form = await made({ showIf: "data.age > 3" });
    await save(form, asked("any", ["country", "has", ""], ["age", "isNot", "7"]));
    expect((await vatIn(form)).showIf).toBe("has(data.country) || data.age != 7");
    await save(form, asked("all", ["", "is", "left over"]));
    expect(await vatIn(form)).not.toHaveProperty("showIf", expect.anything());
  });

  test("has one more row, or is an expression, by a button that saves nothing", async () => {
    const form = await made();
    const before = await draftOf(form);
    const press = (button: string, value: string) =>
      save(form, { ...asked("any", ["country", "is", value]), "formd.resume": `showIf.${button}` });
    expect(focused(await opened(form))).toEqual(["label"]);
    const more = await press("more", "Atlantis");
    expect(focused(more)).toEqual(["showIf.1.value"]);
    expectControls(more, {
      "showIf.0.value": "Atlantis",
      "showIf.rows": "3",
      "showIf.joint": "any of these",
    });
    const written = await press("text", "France");
    expect(focused(written)).toEqual(["label"]);
    expectControls(written, { showIf: "data.country == 'FR'" });
    expect(written.html).not.toContain('name="showIf.0.field"');
    expect(await draftOf(form)).toEqual(before);
  });

  test.each([
    ["country", "is", "Italy", "“Italy” is not a choice of “Country”. Its choices are Germany, France."],
    ["age", "moreThan", "old", "“Age” is a number. Enter a number in place of “old”."],
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
    expect(await list(form)).toContain("if Age * 2.0 == 30.0");
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
    expect(choicesIn(await added("country"), "showIf.0.field")).toEqual(["no question", "Country"]);
    expect(textOf(await added(""))).toContain("No question comes before this one");
  });
});

describe("the rest", () => {
  test("a required value, a calculated one and rules are entered and shown likewise", async () => {
    const form = await made();
    await save(form, {
      ...{ "requireIf.rows": "1", ...row("requireIf", 0, "age", "has", "") },
      ...{
        "rules.rows": "2",
        ...row("rules", 0, "vat", "startsWith", "DE"),
        ...row("rules", 1, "", "is", ""),
      },
      "rules.0.message": "Begins with DE | or not.",
      rules: "data.vat.size() > 3 | Too short.",
    });
    expect(await vatIn(form)).toMatchObject({
      requireIf: "has(data.age)",
      rules: [
        { rule: "data.vat.startsWith('DE')", message: "Begins with DE | or not." },
        { rule: "data.vat.size() > 3", message: "Too short." },
      ],
    });
    const page = await opened(form);
    expect(textOf(page)).toContain("Required if Age has an answer.");
    expectControls(page, { "rules.0.value": "DE", "rules.0.message": "Begins with DE | or not." });
    expect(page.html).toContain("data.vat.size() > 3 | Too short.");
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
