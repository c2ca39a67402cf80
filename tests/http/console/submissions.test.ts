import { describe, expect, test } from "bun:test";
import { makeForm, type PublishedForm, permissive } from "../../setup.ts";
import { askSigned, makeSigningAgent } from "../../signing.ts";
import { expectPage, expectRedirect, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, sql, team, editor, viewer, read, submit } = await consoleFixture(permissive);

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "count", type: "integer", label: "Count" },
  { id: "topics", type: "multi_select", label: "Topics", options: ["a", "b"] },
  { id: "csrf", type: "text", label: "A field with the name of a hidden one" },
  { id: "home", type: "address", label: "Home" },
  { id: "yes", type: "boolean", label: "Yes?" },
];
const make = (of: object[] = fields) => makeForm(app, team, of);
const shown = async (form: PublishedForm, id: string) =>
  (await read(`/management/forms/${form.id}/submissions/${id}`)).submission;
const pathOf = (form: PublishedForm, id = "") => formPath(form, `/submissions${id && `/${id}`}`);
const rowsIn = (html: string) => html.split('scope="row"').length - 1;
/** Saves the submission, as one who has seen its last change. */
const save = async (form: PublishedForm, id: string, values: Record<string, string | string[]>) =>
  await editor.post(`${pathOf(form, id)}/edit`, {
    "formd.updatedAt": (await shown(form, id)).updatedAt,
    ...values,
  });
/** @returns the stored values */
async function saved(form: PublishedForm, id: string, values: Record<string, string | string[]>) {
  expectRedirect(await save(form, id, values), pathOf(form, id));
  return (await shown(form, id)).data;
}

describe("the table of submissions", () => {
  test("shows values as text, newest first, and finds them by its filters, whose names are its own", async () => {
    const form = await make();
    expect(textOf(await editor.get(pathOf(form)))).toContain("There is no submission yet.");
    await submit(form, { name: "<script>alert(1)</script>" });
    await submit(form, { name: "Second", topics: ["a", "b"], home: { city: "Bern" } });
    const page = await editor.get(pathOf(form));
    expect(page.html).not.toContain("<script>alert");
    expect(textOf(page)).toMatch(/Second .*a, b.*<script>alert\(1\)<\/script>/);
    const today = new Date().toISOString().slice(0, 10);
    for (const [query, found] of [
      ["state=accepted&after=&before=&agentId=&respondentId=", 2],
      ["state=waiting", 0],
      [`after=${today}`, 2],
      [`before=${today}`, 0],
      ["after=0001-01-01&before=9999-12-31&timeZone=Pacific/Kiritimati", 2],
      ["before=9999-12-31&timeZone=Etc/GMT%2B12", 2],
      [`agentId=${team.id}`, 0],
      ["createdAfter=infinity", 2],
      ...["state=x", "after=2026-02-30", "agentId=x", "cursor=x", "back=x"].map(
        (wrong) => [wrong, 400] as const,
      ),
    ] as const) {
      const { status, html } = await editor.get(`${pathOf(form)}?${query}`);
      expect([query, status === 200 ? rowsIn(html) : status]).toEqual([query, found]);
    }
  });

  test("finds values by their text on the page, by each filter, and the export has the same rows", async () => {
    const form = await make([
      { id: "name", type: "text", label: "Name" },
      {
        ...{ id: "size", type: "select", label: "T-shirt" },
        options: [
          { value: "m", label: "Medium" },
          { value: "l", label: "Large" },
        ],
      },
      { id: "tags", type: "multi_select", label: "Tags", options: ["x", "y"] },
      { id: "vegan", type: "boolean", label: "Vegan" },
      { id: "age", type: "integer", label: "Age" },
      { id: "day", type: "date", label: "Day" },
    ]);
    await submit(form, { name: "Ada", size: "m", tags: ["x"], vegan: true, age: 36, day: "2026-05-01" });
    const charles = { name: "Charles", size: "l", tags: ["x", "y"], vegan: false, age: 79 };
    await submit(form, { ...charles, day: "2026-06-01" });
    for (const [query, found] of [
      ["q=ada", "Ada"],
      ["q=large", "Charles"],
      ["q=nothing+such", ""],
      ["value.size=m", "Ada"],
      ["value.tags=x", "Ada,Charles"],
      ["value.tags=y&q=char", "Charles"],
      ["value.vegan=false", "Charles"],
      ["value.age.from=40", "Charles"],
      ["value.age.from=30&value.age.to=40", "Ada"],
      ["value.day.to=2026-05-31", "Ada"],
    ] as const) {
      const { html } = await editor.get(`${pathOf(form)}?${query}`);
      const names = ["Ada", "Charles"].filter((name) => html.includes(`<bdi>${name}</bdi>`)).join();
      expect([query, names]).toEqual([query, found]);
    }
    const file = await viewer.get(`${pathOf(form, "export")}?format=csv&value.size=m&createdAfter=infinity`);
    expect([file.html.includes("Ada"), file.html.includes("Charles")]).toEqual([true, false]);
    expect(file.headers.get("content-disposition")).toContain("attachment");
    expect((await viewer.get(`${pathOf(form, "export")}?format=jsonl&state=waiting`)).html).toBe("");
  });
});

describe("the values of a submission", () => {
  test("have a bar for each choice, which leads to the submissions with it", async () => {
    const form = await make([
      { id: "size", type: "select", label: "T-shirt", options: [{ value: "m", label: "Medium" }, "l"] },
      { id: "stars", type: "rating", label: "Stars" },
      { id: "age", type: "integer", label: "Age" },
      { id: "note", type: "textarea", label: "Note" },
    ]);
    const answers = () => viewer.get(formPath(form, "/answers"));
    expect(textOf(await answers())).toContain("No one has answered yet.");
    await submit(form, { size: "m", stars: 4, age: 20, note: "<b>first</b>" });
    await submit(form, { size: "m", stars: 5, age: 40, note: "second" });
    await submit(form, { size: "l", age: 30 });
    const page = await answers();
    expect(textOf(page)).toMatch(/T-shirt Medium 2 \(67%\) l 1 \(33%\) All 3 answered/);
    expect(textOf(page)).toMatch(/Age Lowest 20 Median 30 Highest 40 All 3 answered/);
    expect(textOf(page)).toMatch(/Note second <b>first<\/b> 2 answered, 1 did not/);
    for (const [query, found] of [
      ["value.size=m", 2],
      ["value.stars.from=4", 1],
    ] as const) {
      const [, href = ""] =
        new RegExp(`href="([^"]*submissions\\?[^"]*${query}[^"]*)"`).exec(page.html) ?? [];
      expect([query, rowsIn((await viewer.get(href.replaceAll("&amp;", "&"))).html)]).toEqual([query, found]);
    }
  });

  test("say how many places of an option with a limit are taken, rejected submissions included", async () => {
    const options = [{ value: "mon", label: "Monday", limit: 10 }, { value: "tue", limit: 0 }, "wed"];
    const form = await make([{ id: "day", type: "select", label: "Day", options }]);
    for (const day of ["mon", "mon", "wed", "mon"]) await submit(form, { day });
    await sql`
      update formd.submissions set review_decision = 'rejected'
      where id = (select min(id::text)::uuid from formd.submissions where form_id = ${form.id})`;
    expect(textOf(await viewer.get(formPath(form, "/answers")))).toContain(
      "Day Monday 2 (67%) 3 of 10 places taken tue 0 (0%) 0 of 0 places taken wed 1 (33%) All 3 answered",
    );
  });
});

describe("one submission", () => {
  test("is edited by the form's own controls; values keep their types, and only what differs is an edit", async () => {
    const form = await make();
    const data = { name: "Ada", count: 1, topics: ["a"], csrf: "c", home: { city: "Bern" }, yes: true };
    const id = await submit(form, data);
    const page = await editor.get(`${pathOf(form, id)}/edit`);
    const entered = {
      "formd.updatedAt": /name="formd.updatedAt" value="([^"]+)"/.exec(page.html)?.[1] ?? "",
      ...{ name: "Ada", count: "12", topics: ["a", "b"], "%63srf": "c", "home.city": "Genf", yes: "false" },
    };
    expect(await saved(form, id, entered)).toEqual({
      ...{ name: "Ada", count: 12, topics: ["a", "b"], csrf: "c", home: { city: "Genf" }, yes: false },
    });
    const detail = textOf(await editor.get(pathOf(form, id)));
    // Headed by the first text, its history in the words of the questions, its state one pill.
    expect(detail).toMatch(/Back to the submissions Ada Accepted Name .*Count: 1 → 12/);
    expect(detail).not.toContain("Name: Ada");
    expectPage(await save(form, id, { ...entered, name: "Mine" }), 409, 'value="Mine"', "Genf");
  });

  test("is edited in numbers and days of the operator's language; what was not changed is no edit", async () => {
    const form = await make([
      { id: "rate", type: "number", label: "Rate" },
      { id: "sum", type: "number", label: "Sum" },
      { id: "day", type: "date", label: "Day" },
      { id: "seed", type: "hidden", label: "Seed" },
    ]);
    const id = await submit(form, { rate: 1.234, sum: 1234.5, day: "2026-11-20", seed: 1.234 });
    const german = { "accept-language": "de" };
    const { html } = await editor.get(`${pathOf(form, id)}/edit`, german);
    for (const value of ["1,234", "1234,5", "1.234"]) expect(html).toContain(` value="${value}"`);
    const entered = { rate: "1,234", sum: "2.345,5", day: "21.11.2026", seed: "1.234" };
    const { updatedAt } = await shown(form, id);
    const path = `${pathOf(form, id)}/edit`;
    const saved = await editor.post(path, { "formd.updatedAt": updatedAt, ...entered }, german);
    expectRedirect(saved, pathOf(form, id));
    const data = { rate: 1.234, sum: 2345.5, day: "2026-11-21", seed: 1.234 };
    expect((await shown(form, id)).data).toEqual(data);
    const { edits } = await read(`/management/forms/${form.id}/submissions/${id}/edits`);
    expect(edits.map(({ fieldId }: { fieldId: string }) => fieldId).sort()).toEqual(["day", "sum"]);
    const detail = textOf(await editor.get(pathOf(form, id), german));
    expect(detail).toContain("Sum: 1.234,5 → 2.345,5");
  });

  test("of hidden fields is edited as well, apart from the others; each keeps its type where the text is one", async () => {
    const form = await make([
      { id: "name", type: "text", label: "Name" },
      { id: "source", type: "hidden", label: "Source", validation: { maxLength: 10 } },
      ...["count", "vip", "lines", "small", "crlf", "cr"].map((id) => ({ id, type: "hidden", label: id })),
      { id: "given", type: "hidden", label: "Given", prefill: true },
    ]);
    const unexact = { small: 1e-7, crlf: "a\r\nb", cr: "a\rb" };
    const data = { name: "Ada", source: "mail", count: 7, vip: true, lines: "a\nb", given: "g", ...unexact };
    const id = await submit(form, data);
    const { html } = await editor.get(`${pathOf(form, id)}/edit`);
    expect(html).toMatch(/<legend>Hidden questions<\/legend>.*name="source"/s);
    expect(html.match(/name="given"/g)).toHaveLength(1);
    expect(html).toMatch(/<textarea[^>]*name="cr"/);
    const sent = { small: "1e-7", crlf: "a\r\nb", cr: "a\r\nb" };
    const as = { name: "Ada", source: "mail", count: "7", vip: "true", lines: "a\r\nb", given: "g", ...sent };
    for (const [entered, stored] of [
      [as, data],
      [{ name: "Ada" }, data],
      [
        { ...as, name: "Bo" },
        { ...data, name: "Bo" },
      ],
      [
        { ...as, count: "8", vip: "false", given: "" },
        { name: "Ada", source: "mail", count: 8, vip: false, lines: "a\nb", ...unexact },
      ],
      [
        { name: "Ada", count: "many", vip: "", source: "web", small: "2", crlf: "a\r\nc", cr: "ab" },
        { name: "Ada", source: "web", count: "many", lines: "a\nb", small: 2, crlf: "a\nc", cr: "ab" },
      ],
    ] as const)
      expect(await saved(form, id, entered)).toEqual(stored);
    const wrong = await save(form, id, { name: "Ada", source: "more than ten" });
    expect([wrong.status, wrong.html.match(/aria-invalid="true"/g)?.length]).toEqual([422, 1]);
  });

  test("keeps what was not changed, where a control cannot send the value exactly as it is stored", async () => {
    const form = await make([
      { id: "name", type: "text", label: "Name" },
      { id: "tiny", type: "number", label: "Tiny" },
      { id: "line", type: "text", label: "Line" },
      { id: "lines", type: "textarea", label: "Lines" },
      { id: "agreed", type: "consent", label: "Agreed" },
      { id: "topics", type: "multi_select", label: "Topics", options: ["a", "b"], allowOther: true },
      { id: "at", type: "datetime", label: "At" },
      { id: "exact", type: "datetime", label: "Exact" },
    ]);
    const exact = "2026-11-20T09:00:00.123456Z";
    const data = {
      ...{ name: "Ada", tiny: 1e-7, line: "a\r\nb", lines: "\ra\r\nb", agreed: false, exact },
      ...{ topics: ["y", "b", "z", "a"], at: "2026-11-20T09:00:00.000Z" },
    };
    const id = await submit(form, data);
    const { html } = await editor.get(`${pathOf(form, id)}/edit`);
    expect(html).toMatch(/value="2026-11-20T09:00".*value="2026-11-20T09:00:00.123456Z"/s);
    // The controls of this page, as a browser sends them.
    const sent = {
      ...{ name: "Bo", tiny: "1e-7", line: "ab", lines: "\r\na\r\nb", exact },
      ...{ topics: ["a", "b"], "topics.other": "y", "at.local": "2026-11-20T09:00", "at.zone": "Z" },
    };
    expect(await saved(form, id, sent)).toEqual({ ...data, name: "Bo" });
    const changed = { lines: "ab", agreed: true };
    expect(await saved(form, id, { ...sent, ...changed, agreed: "true" })).toEqual({
      ...{ ...data, name: "Bo", ...changed },
    });
  });

  test("with a wrong value has it named beside its field, and nothing is saved", async () => {
    const form = await make();
    const id = await submit(form, { name: "Ada" });
    const { status, html } = await save(form, id, { name: "", count: "many" });
    expect([status, html.match(/aria-invalid="true"/g)?.length]).toEqual([422, 2]);
    expect((await shown(form, id)).data).toEqual({ name: "Ada" });
  });

  test("of a signed request has the details of its signature, unlike an unsigned one", async () => {
    const form = await make();
    const { key } = await makeSigningAgent(app, team, form);
    const body = { data: { name: "Ada" } };
    const sent = await askSigned(app, "/papi/v1/submitter/form/submissions", { key, form, body });
    const facts = async (id: string) => textOf(await editor.get(pathOf(form, id)));
    expect(await facts(sent.body.data.id)).toMatch(
      new RegExp(`Signed by the key\\s+${key.id} .*Signature-Input .*keyid="${key.id}"`),
    );
    expect(await facts(await submit(form, { name: "Ada" }))).not.toContain("Signature-Input");
  });
});
