// stacks: one
/** The page of a form whose questions depend on each other, without JavaScript: the server decides. */
import { beforeAll, describe, expect, test } from "bun:test";
import { makeForm, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { getPage, pageFixture, pathIn, postForm } from "./fixture.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  ({ app, team } = await pageFixture());
});

const text = (id: string, rest: object = {}) => ({ id, type: "text", label: id.toUpperCase(), ...rest });
const published = (fields: object[], layout = "single") =>
  makeForm(app, team, fields, { settings: { page: { enabled: true, layout } } });
const stored = async (form: PublishedForm) =>
  (
    await app.database.sql<{ data: object }[]>`
    select data from formd.submissions where form_id = ${form.id}`
  ).map(({ data }) => data);

/** What a browser without JavaScript shows and would send: nothing of a disabled fieldset. */
function shown(html: string) {
  const page = html.replace(/<fieldset class="dependent"[^>]* disabled(?:[^>]*)>.*?<\/fieldset>/gs, "");
  const inputs = [...page.matchAll(/<(?:input|textarea)[^>]* name="([^"]*)"[^>]*/g)];
  const hidden = inputs
    .filter(([tag]) => tag.includes('type="hidden"'))
    .map(([tag, name]) => [name ?? "", /value="([^"]*)"/.exec(tag)?.[1] ?? ""] as const);
  return {
    names: inputs.filter(([tag]) => !tag.includes('type="hidden"')).map(([, name]) => name),
    title: /<title>([^<]*)/.exec(html)?.[1] ?? "",
    action: /<form[^>]*action="([^"]*)"/.exec(html)?.[1] ?? "",
    hidden,
    html,
  };
}
type Shown = ReturnType<typeof shown>;
async function send(page: Shown, values: Record<string, string>, to = page.action) {
  const body = new URLSearchParams([...page.hidden.map(([name, value]) => [name, value])] as [
    string,
    string,
  ][]);
  for (const [name, value] of Object.entries(values)) body.append(name, value);
  const { status, text } = await postForm(app, to, body);
  return { status, ...shown(text) };
}
const open = async (form: PublishedForm) => shown((await getPage(app, pathIn(team, form))).text);

describe("a form on one page", () => {
  const fields = [
    text("a"),
    text("b", { showIf: "data.a == 'yes'", required: true }),
    text("c", { showIf: "has(data.b)" }),
    { id: "n", type: "number", label: "N" },
    { id: "double", type: "number", label: "Double", compute: "data.n * 2.0" },
  ];
  test("shows what applies to the defaults, and no control of a calculated value", async () => {
    expect((await open(await published(fields))).names).toEqual(["a", "n"]);
    const chosen = [text("a", { default: "yes" }), ...fields.slice(1)];
    expect((await open(await published(chosen))).names).toEqual(["a", "b", "n"]);
  });
  test("comes back with what newly applies, once per change, and nothing is lost", async () => {
    const form = await published(fields);
    const first = await send(await open(form), { a: "yes", n: "4" });
    expect([first.status, first.names]).toEqual([422, ["a", "b", "n"]]);
    expect(first.html).toContain("There are more questions");
    expect(first.html).toContain('value="yes"');
    expect(first.html).toContain(">8</output>");
    const second = await send(first, { a: "yes", b: "x", n: "4" });
    expect([second.status, second.names]).toEqual([422, ["a", "b", "c", "n"]]);
    expect(await stored(form)).toEqual([]);
    expect((await send(second, { a: "yes", b: "x", c: "", n: "4" })).status).toBe(303);
    expect(await stored(form)).toEqual([{ a: "yes", b: "x", n: 4, double: 8 }]);
  });
  test("stores no value of a question that no longer applies", async () => {
    const form = await published(fields);
    const page = await send(await open(form), { a: "yes", n: "" });
    expect((await send(page, { a: "no", b: "entered before", n: "" })).status).toBe(303);
    expect(await stored(form)).toEqual([{ a: "no" }]);
  });
  test("stores no default of a question that does not apply (open-forms#4324), nor what was entered before (formio.js#2091)", async () => {
    const form = await published([
      text("a", { default: "yes" }),
      text("b", { showIf: "data.a == 'yes'", default: "secret" }),
      { id: "agree", type: "boolean", label: "Agree", showIf: "data.a == 'yes'", default: true },
    ]);
    const first = await open(form);
    expect(first.names).toContain("b");
    expect((await send(first, { a: "no", b: "secret", agree: "true" })).status).toBe(303);
    expect(await stored(form)).toEqual([{ a: "no" }]);
  });
  test("calls no question optional that others may require", async () => {
    const form = await published([
      text("a"),
      text("b", { requireIf: "has(data.a)" }),
      { id: "c", type: "consent", label: "C", requireIf: "has(data.a)" },
      { id: "d", type: "multi_select", label: "D", options: ["x"], requireIf: "has(data.a)" },
    ]);
    expect((await open(form)).html.match(/\(optional\)/g)).toHaveLength(1);
  });
  test("is not sent back to a program, which reads no notices", async () => {
    const form = await published(fields);
    const body = { a: "yes", b: "x" };
    const { status } = await postForm(app, pathIn(team, form), body, { accept: "application/json" });
    expect(status).toBe(200);
  });
  test("shows the owner's message when a rule is broken, as text", async () => {
    const message = "Not <i>that</i>.";
    const form = await published([text("a", { rules: [{ rule: "data.a != 'x'", message }] })]);
    const { status, html } = await send(await open(form), { a: "x" });
    expect([status, html.includes("Not &lt;i>that&lt;/i>."), html.includes(message)]).toEqual([
      422,
      true,
      false,
    ]);
  });
});

describe("a form in steps", () => {
  const page = (id: string, rest: object = {}) => ({ id, type: "page_break", label: id, ...rest });
  const fields = [
    text("a"),
    page("p1", { showIf: "data.a == 'yes'" }),
    text("b", { required: true }),
    page("p2"),
    text("c"),
    text("d", { showIf: "data.c == 'more'" }),
    page("p3", { showIf: "has(data.c)" }),
    text("e"),
  ];
  const next = (from: Shown, values: Record<string, string>) => send(from, values);

  test("skips a step whose questions do not apply, also backwards and at the end", async () => {
    const first = await open(await published(fields, "steps"));
    const third = await next(first, { a: "no" });
    expect(third.names).toEqual(["c"]);
    const back = await next(third, { c: "", "formd.goto": "back" });
    expect(back.names).toEqual(["a"]);
    const check = await next(await next(back, { a: "no" }), { c: "" });
    expect([check.title, check.names]).toEqual([expect.stringContaining("Check"), []]);
  });
  test("counts the steps that are shown", async () => {
    const first = await open(await published(fields, "steps"));
    expect(first.title).toContain("1 of 2");
    expect((await next(first, { a: "yes" })).title).toContain("2 of 3");
  });
  test("shows a step again when it opens a question of its own", async () => {
    const third = await next(await open(await published(fields, "steps")), { a: "no" });
    const again = await next(third, { c: "more" });
    expect([again.status, again.names]).toEqual([422, ["c", "d"]]);
    expect(again.html).toContain("New question");
    expect((await next(again, { c: "more", d: "" })).names).toEqual(["e"]);
  });
  test("leads to the step that a later change opens, and stores nothing of one that it closes", async () => {
    const form = await published(fields, "steps");
    let at = await next(await open(form), { a: "yes" });
    at = await next(at, { b: "secret" });
    let check = await next(at, { c: "" });
    expect(check.html).toContain("secret");
    const steps = `${pathIn(team, form)}/steps`;
    check = await next(await send(check, { "formd.goto": "1" }, steps), { a: "no" });
    expect(check.html).not.toContain("secret");
    const reopened = await send(check, { "formd.goto": "1" }, steps);
    const opened = await next(reopened, { a: "yes" });
    expect([opened.names, opened.html.includes("There are more questions")]).toEqual([["b"], true]);
    expect((await send(check, {})).status).toBe(303);
    expect(await stored(form)).toEqual([{ a: "no" }]);
  });
});
