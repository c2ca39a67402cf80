// stacks: one
/** The page of a form whose questions depend on each other, without JavaScript: the server decides. */
import { describe, expect, test } from "bun:test";
import { pageFixture } from "./fixture.ts";

const { published, stored, get, post, pathOf, send } = await pageFixture();

const text = (id: string, rest: object = {}) => ({ id, type: "text", label: id.toUpperCase(), ...rest });

describe("a form on one page", () => {
  const fields = [
    text("a"),
    text("b", { showIf: "data.a == 'yes'", required: true }),
    text("c", { showIf: "has(data.b)" }),
    { id: "n", type: "number", label: "N" },
    { id: "double", type: "number", label: "Double", compute: "data.n * 2.0" },
  ];
  test("shows what applies to the defaults, and no control of a calculated value", async () => {
    expect((await get(await published(fields))).names).toEqual(["a", "n"]);
    const chosen = [text("a", { default: "yes" }), ...fields.slice(1)];
    expect((await get(await published(chosen))).names).toEqual(["a", "b", "n"]);
  });
  test("comes back with what newly applies, once per change, and nothing is lost", async () => {
    const form = await published(fields);
    const first = await send(await get(form), { a: "yes", n: "4" });
    expect([first.status, first.names]).toEqual([422, ["a", "b", "n"]]);
    for (const shown of ["There are more questions", 'value="yes"', ">8</output>"])
      expect(first.text).toContain(shown);
    const second = await send(first, { a: "yes", b: "x", n: "4" });
    expect([second.status, second.names]).toEqual([422, ["a", "b", "c", "n"]]);
    expect(await stored(form)).toEqual([]);
    expect((await send(second, { a: "yes", b: "x", c: "", n: "4" })).status).toBe(303);
    expect(await stored(form)).toEqual([{ a: "yes", b: "x", n: 4, double: 8 }]);
  });
  test("stores no value of a question that no longer applies, no default (open-forms#4324), nor what was entered before (formio.js#2091)", async () => {
    const form = await published([
      text("a", { default: "yes" }),
      text("b", { showIf: "data.a == 'yes'", default: "secret" }),
      { id: "agree", type: "boolean", label: "Agree", showIf: "data.a == 'yes'", default: true },
    ]);
    const first = await get(form);
    expect(first.names).toContain("b");
    expect((await send(first, { a: "no", b: "entered before", agree: "true" })).status).toBe(303);
    expect(await stored(form)).toEqual([{ a: "no" }]);
  });
  test("calls no question optional that others may require", async () => {
    const form = await published([
      text("a"),
      text("b", { requireIf: "has(data.a)" }),
      { id: "c", type: "consent", label: "C", requireIf: "has(data.a)" },
      { id: "d", type: "multi_select", label: "D", options: ["x"], requireIf: "has(data.a)" },
    ]);
    expect((await get(form)).text.match(/\(optional\)/g)).toHaveLength(1);
  });
  test("has no mark-up in the script of its conditions, whatever an owner writes there", async () => {
    const hostile = "</script><script>alert(1)</script><!--";
    const form = await published([
      { id: "a", type: "select", label: "A", options: [hostile, "x"] },
      text("b", { showIf: `data.a == '${hostile}'` }),
    ]);
    const [, plan = ""] = /<script id="conditions"[^>]*>(.*?)<\/script>/s.exec((await get(form)).text) ?? [];
    expect(JSON.stringify(JSON.parse(plan))).toContain(JSON.stringify(hostile));
  });
  test("is not sent back to a program, which reads no flash messages", async () => {
    const body = { a: "yes", b: "x" };
    expect((await post(await published(fields), body, { accept: "application/json" })).status).toBe(200);
  });
  test("shows the owner's message when a rule is broken, as text", async () => {
    const message = "Not <i>that</i>.";
    const form = await published([text("a", { rules: [{ rule: "data.a != 'x'", message }] })]);
    const refused = await send(await get(form), { a: "x" });
    expect([refused.status, refused.text.includes(message)]).toEqual([422, false]);
    expect(refused.text).toContain("Not &lt;i>that&lt;/i>.");
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
  const begun = async () => {
    const form = await published(fields, { layout: "steps" });
    return { form, first: await get(form) };
  };

  test("skips a step whose questions do not apply, also backwards and at the end", async () => {
    const { first } = await begun();
    const third = await send(first, { a: "no" });
    expect(third.names).toEqual(["c"]);
    const back = await send(third, { c: "" }, "back");
    expect(back.names).toEqual(["a"]);
    const check = await send(await send(back, { a: "no" }), { c: "" });
    expect([check.title, check.names]).toEqual([expect.stringContaining("Check"), []]);
  });
  test("counts the steps that are shown", async () => {
    const { first } = await begun();
    expect(first.title).toContain("1 of 2");
    expect((await send(first, { a: "yes" })).title).toContain("2 of 3");
  });
  test("shows a step again when it opens a question of its own", async () => {
    const third = await send((await begun()).first, { a: "no" });
    const again = await send(third, { c: "more" });
    expect([again.status, again.names]).toEqual([422, ["c", "d"]]);
    expect(again.text).toContain("New question");
    expect((await send(again, { c: "more", d: "" })).names).toEqual(["e"]);
  });
  test("leads to the step that a later change opens, and stores nothing of one that it closes", async () => {
    const { form, first } = await begun();
    const second = await send(first, { a: "yes" });
    const open = await send(await send(second, { b: "secret" }), { c: "" });
    expect(open.text).toContain("secret");
    const check = await send(await send(open, {}, "1"), { a: "no" });
    expect(check.text).not.toContain("secret");
    const opened = await send(await send(check, {}, "1"), { a: "yes" });
    expect([opened.names, opened.text.includes("There are more questions")]).toEqual([["b"], true]);
    expect(`${pathOf(form)}?send`).toBe(check.action);
    expect((await send(check)).status).toBe(303);
    expect(await stored(form)).toEqual([{ a: "no" }]);
  });
});
