// stacks: one
/** Questions that depend on others, in the console: rows, expressions, sentences; without a script. */
import { beforeAll, describe, expect, test } from "bun:test";
import { ask, makeForm, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { type Browser, expectRedirect, type Shown, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let browser: Browser;
let viewer: Browser;
beforeAll(async () => {
  ({ app, team, admin: browser, viewer } = await consoleFixture());
});

const country = {
  id: "country",
  type: "select",
  label: "Country",
  options: [
    { value: "DE", label: "Germany" },
    { value: "FR", label: "France" },
  ],
};
const age = { id: "age", type: "number", label: "Age" };
const vat = { id: "vat", type: "text", label: "VAT number" };
const later = { id: "later", type: "text", label: "Comes later" };
const pathOf = ({ id }: { id: string }) => `/console/forms/${id}`;
const read = async ({ id }: { id: string }) => {
  const headers = { "x-api-key": team.key };
  return (await ask(app, "GET", `/papi/v1/management/forms/${id}`, { headers })).body.data.form;
};
const vatIn = async (form: PublishedForm) =>
  (await read(form)).schema.fields.find(({ id }: { id: string }) => id === "vat");
const made = (own: object = {}) => makeForm(app, team, [country, age, { ...vat, ...own }, later]);
const opened = (form: PublishedForm, id = "vat") => browser.get(`${pathOf(form)}?edit=${id}`);
const row = (member: string, index: number, field: string, comparison: string, value: string) => ({
  [`${member}.${index}.field`]: field,
  [`${member}.${index}.comparison`]: comparison,
  [`${member}.${index}.value`]: value,
});
/** Saves the question with these values, or shows it again. */
const save = async (form: PublishedForm, values: Record<string, string>) =>
  await browser.post(`${pathOf(form)}/field`, {
    id: "vat",
    type: "text",
    label: "VAT number",
    updatedAt: (await read(form)).updatedAt,
    ...values,
  });
/** The choices of a list. */
const choicesIn = ({ html }: Shown, name: string) =>
  [...(html.split(`name="${name}"`)[1]?.split("</select>")[0] ?? "").matchAll(/<option[^>]*>([^<]*)/g)].map(
    ([, label]) => label,
  );
const valueIn = ({ html }: Shown, name: string) =>
  new RegExp(`<input[^>]*name="${name.replaceAll(".", "\\.")}"[^>]*`)
    .exec(html)?.[0]
    .match(/value="([^"]*)"/)?.[1];
const chosenIn = ({ html }: Shown, name: string) =>
  /<option[^>]*selected[^>]*>([^<]*)/.exec(html.split(`name="${name}"`)[1]?.split("</select>")[0] ?? "")?.[1];

describe("“Ask this only if”", () => {
  test("is entered as rows, stored as an expression, and shown as a sentence, also in the list", async () => {
    const form = await made();
    const page = await opened(form);
    expect(choicesIn(page, "showIf.0.field")).toEqual(["no question", "Country", "Age"]);
    const rows = {
      ...row("showIf", 0, "country", "is", "germany"),
      ...row("showIf", 1, "age", "atLeast", "18"),
    };
    expectRedirect(await save(form, { "showIf.rows": "2", "showIf.joint": "all", ...rows }), pathOf(form));
    expect((await vatIn(form)).showIf).toBe("data.country == 'DE' && data.age >= 18");
    const sentence = "Country is Germany and Age is at least 18";
    expect(textOf(await browser.get(pathOf(form)))).toContain(`· if ${sentence}`);
    expect(textOf(await viewer.get(pathOf(form)))).toContain(`if ${sentence}`);
    const again = await opened(form);
    expect(textOf(again)).toContain(`Asked only if ${sentence}.`);
    expect([chosenIn(again, "showIf.0.field"), valueIn(again, "showIf.0.value")]).toEqual([
      "Country",
      "Germany",
    ]);
    expect([chosenIn(again, "showIf.1.comparison"), valueIn(again, "showIf.1.value")]).toEqual([
      "is at least",
      "18",
    ]);
    expect(again.html).toMatch(/<datalist id="showIf-values-1"><option value="Germany">/);
  });

  test("asks for any of the rows, and for none when each names no question", async () => {
    const form = await made({ showIf: "data.age > 3" });
    const rows = { ...row("showIf", 0, "country", "has", ""), ...row("showIf", 1, "age", "isNot", "7") };
    await save(form, { "showIf.rows": "2", "showIf.joint": "any", ...rows });
    expect((await vatIn(form)).showIf).toBe("has(data.country) || data.age != 7");
    await save(form, { "showIf.rows": "1", ...row("showIf", 0, "", "is", "left over") });
    expect(await vatIn(form)).not.toHaveProperty("showIf", expect.anything());
  });

  test("has one more row, or is an expression, by a button that saves nothing", async () => {
    const form = await made();
    const before = await read(form);
    const entered = {
      "showIf.rows": "1",
      "showIf.joint": "any",
      ...row("showIf", 0, "country", "is", "Atlantis"),
    };
    const more = await save(form, { ...entered, "formd.resume": "showIf.more" });
    expect([
      valueIn(more, "showIf.0.value"),
      valueIn(more, "showIf.rows"),
      chosenIn(more, "showIf.joint"),
    ]).toEqual(["Atlantis", "3", "any of these"]);
    const valid = { ...entered, ...row("showIf", 0, "country", "is", "France") };
    const written = await save(form, { ...valid, "formd.resume": "showIf.text" });
    expect([valueIn(written, "showIf"), written.html.includes('name="showIf.0.field"')]).toEqual([
      "data.country == 'FR'",
      false,
    ]);
    expect(await read(form)).toEqual(before);
  });

  test.each([
    ["country", "is", "Italy", "“Italy” is no choice of “Country”. Its choices are Germany, France."],
    ["age", "moreThan", "old", "“Age” is a number, and “old” is none."],
    ["age", "is", " ", "Write what “Age” is compared with."],
    ["age", "contains", "1", "“Age” has no answers of which one could say “contains” that."],
  ])(
    "refuses %s %s %p in people's words, and keeps what was entered",
    async (id, comparison, value, message) => {
      const form = await made();
      const page = await save(form, { "showIf.rows": "1", ...row("showIf", 0, id, comparison, value) });
      expect([page.status, textOf(page).includes(message)]).toEqual([400, true]);
      expect(chosenIn(page, "showIf.0.field")).toBe(id === "age" ? "Age" : "Country");
      expect(await vatIn(form)).not.toHaveProperty("showIf");
    },
  );

  test("stays text where rows cannot say it, with what is wrong at its place", async () => {
    const form = await made({ showIf: "data.age * 2.0 == 30.0" });
    const page = await opened(form);
    expect(valueIn(page, "showIf")).toBe("data.age * 2.0 == 30.0");
    expect(textOf(await browser.get(pathOf(form)))).toContain("if Age * 2.0 == 30.0");
    const to = expectRedirect(await save(form, { showIf: "data.agee > 3" }), /edit=vat/);
    const wrong = await browser.get(to);
    expect(wrong.html).toMatch(/name="showIf"[^>]*aria-invalid="true"/);
    expect(textOf(wrong)).toContain('"age" meant?');
  });

  test("names questions by what people read in what is wrong, also in the list and before publishing", async () => {
    const form = await made();
    await save(form, { showIf: "data.later == 'x' || data.gone == 'x'" });
    const message = "“Ask this only if” is invalid at character 6: the question “Comes later” comes later";
    expect(textOf(await opened(form))).toContain(message);
    expect(textOf(await browser.get(pathOf(form)))).toContain(message);
    expect(textOf(await browser.get(`${pathOf(form)}/publish`))).toContain("the question “Comes later”");
    await save(form, { showIf: "data.contry == 'DE'" });
    expect(textOf(await opened(form))).toContain("no question that programs know as “contry”");
    await save(form, { showIf: "data.country == 'Germany'" });
    expect(textOf(await opened(form))).toContain("is not an option of “Country”");
  });

  test("is tried on the draft's examples before it is published", async () => {
    const form = await made({ showIf: "data.country == 'DE'", required: true });
    const setExamples = async (valid: boolean) => {
      const examples = [{ name: "German", data: { country: "DE" }, expect: { valid } }];
      const headers = { "x-api-key": team.key };
      const body = { operations: [{ op: "setMeta", name: `F ${valid}`, settings: { examples } }] };
      await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, { headers, body });
      return textOf(await browser.get(`${pathOf(form)}/publish`));
    };
    expect(await setExamples(true)).toContain(
      'In the example "German", valid is false, and true is expected.',
    );
    expect(await setExamples(false)).toContain("The draft does what its example says.");
  });

  test("shows a text only if, and asks nothing else of it", async () => {
    const form = await made({ type: "statement" });
    const { html } = await opened(form);
    expect([
      html.includes("Show this only if"),
      html.includes("requireIf"),
      html.includes("rules.0"),
    ]).toEqual([true, false, false]);
  });

  test("offers a new question those before its place only", async () => {
    const form = await made();
    const page = await browser.post(`${pathOf(form)}/field/new`, {
      type: "text",
      label: "New",
      after: "country",
      "formd.resume": "type",
    });
    expect(choicesIn(page, "showIf.0.field")).toEqual(["no question", "Country"]);
    const first = await browser.post(`${pathOf(form)}/field/new`, {
      type: "text",
      label: "New",
      after: "",
      "formd.resume": "type",
    });
    expect(textOf(first)).toContain("No question comes before this one");
  });
});

describe("the rest", () => {
  test("a required answer, a calculated one and rules are entered and shown likewise", async () => {
    const form = await made();
    await save(form, {
      "requireIf.rows": "1",
      ...row("requireIf", 0, "age", "has", ""),
      "rules.rows": "2",
      ...row("rules", 0, "vat", "startsWith", "DE"),
      "rules.0.message": "Begins with DE | or not.",
      ...row("rules", 1, "", "is", ""),
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
    expect([valueIn(page, "rules.0.value"), valueIn(page, "rules.0.message")]).toEqual([
      "DE",
      "Begins with DE | or not.",
    ]);
    expect(page.html).toContain("data.vat.size() > 3 | Too short.");
    const list = textOf(await browser.get(pathOf(form)));
    expect(list).toContain("an answer is required if Age has an answer");
    expect(list).toContain("2 conditions for answers");
  });

  test("a calculated answer is shown with the names of questions, and excludes others in people's words", async () => {
    const form = await made({ requireIf: "has(data.age)" });
    const to = expectRedirect(await save(form, { compute: "data.country + '!'" }), /edit=vat/);
    expect(textOf(await browser.get(to))).toContain(
      "“Calculate the answer” excludes “An answer is required if”: the server calculates the value.",
    );
    await save(form, { compute: "data.country + '!'", "requireIf.rows": "0" });
    expect(textOf(await opened(form))).toContain("Calculated as Country + '!'.");
    expect(textOf(await browser.get(pathOf(form)))).toContain("calculated: Country + '!'");
  });

  test("a rule needs a message", async () => {
    const form = await made();
    const page = await save(form, { "rules.rows": "1", ...row("rules", 0, "vat", "has", "") });
    expect([page.status, textOf(page).includes("Write what people read when")]).toEqual([400, true]);
  });

  test("a new question's rule is about its own answer", async () => {
    const form = await made();
    await browser.post(`${pathOf(form)}/field/new`, {
      type: "text",
      label: "Code",
      "rules.rows": "1",
      ...row("rules", 0, " ", "startsWith", "A"),
      "rules.0.message": "Begins with A.",
    });
    expect((await read(form)).schema.fields.at(-1)).toEqual({
      id: "code",
      type: "text",
      label: "Code",
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
    expect((await opened(form)).html).toContain(`href="${pathOf(form)}/preview">Try it`);
    const preview = await browser.get(`${pathOf(form)}/preview`);
    expect(preview.html).toMatch(/<fieldset class="dependent"[^>]*data-field="vat"[^>]* hidden/);
  });
});
