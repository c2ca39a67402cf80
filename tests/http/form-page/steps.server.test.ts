// stacks: one deno gate
/**
 * The page of a form in steps: what goes from one step to the next, and that nothing is stored before the
 * last.
 */
import { describe, expect, test } from "bun:test";
import { makeTeam, type PublishedForm, permissive, service } from "../../setup.ts";
import { formsOf, type Page, pageFixture } from "./fixture.ts";

const fixture = await pageFixture();
const { pathOf, stored, archive, republish, get, post, send } = fixture;

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "note", type: "textarea", label: "Note" },
  { id: "more", type: "page_break", label: "Your visit" },
  { id: "day", type: "date", label: "Day", required: true },
  { id: "tags", type: "multi_select", label: "Tags", options: [{ value: "a", label: "Tag A" }, "b"] },
  { id: "source", type: "hidden", label: "Source", prefill: true },
  { id: "end", type: "page_break", label: "Consent" },
  { id: "agree", type: "consent", label: "I agree", required: true },
  { id: "last", type: "page_break", label: "Nothing follows" },
];
const published = (page: object = {}, given: object[] = fields) =>
  fixture.published(given, { layout: "steps", ...page });

const first = { name: 'Ada "<&', note: "one\ntwo" };
/** The status and the title of a page. */
const seen = ({ status, title }: Page) => `${status} ${title.replace(" · Test", "")}`;
async function answersOf(form: PublishedForm): Promise<Page> {
  const second = await send(await get(form), first);
  return await send(await send(second, { day: "2026-11-20", tags: "a" }), { agree: "true" });
}

describe("a page in steps", () => {
  test("goes from step to step and over the entered values to one submission, which is stored at the end only", async () => {
    const form = await published();
    const start = await get(`${pathOf(form)}?source=mail`);
    expect(seen(start)).toBe("200 Step 1 of 3");
    expect([start.text.includes('name="note"'), start.text.includes('name="day"')]).toEqual([true, false]);
    const second = await send(start, first);
    expect(seen(second)).toBe("200 Step 2 of 3");
    expect(second.text).toContain("Your visit</h2>");
    const third = await send(second, { day: "2026-11-20", tags: "a", source: "forged" });
    const answers = await send(third, { agree: "true" });
    const sending = `${pathOf(form)}?source=mail&send`;
    expect([seen(answers), answers.action]).toEqual(["200 Check your answers", sending]);
    for (const answer of ["Ada &quot;&lt;&amp;", "one\ntwo", "20 November 2026", "Tag A", "Yes"])
      expect(answers.text).toContain(`<dd dir="auto">${answer}</dd>`);
    expect(await stored(form)).toHaveLength(0);
    const twice = await Promise.all([send(answers), send(answers)]);
    const locations = [...twice, await send(answers)].map(({ headers }) => headers.get("location"));
    expect(locations[0]).toStartWith(`${pathOf(form)}/sent?reference=`);
    expect(new Set(locations).size).toBe(1);
    const data = { ...first, day: "2026-11-20", tags: ["a"], source: "mail", agree: true };
    expect(await stored(form)).toEqual([data]);
  });

  test("a step with errors is shown again with 422, and no other field is reported", async () => {
    const form = await published({ language: "de" });
    const again = await send(await get(form), { name: " ", note: "kept" });
    expect(seen(again)).toBe("422 Fehler: Schritt 1 von 3");
    expect([...again.text.matchAll(/<a href="#([^"]*)"/g)].map(([, target]) => target)).toEqual(["name"]);
    expect(again.text).toContain("kept</textarea>");
    const second = await send(again, first);
    expect((await send(second, { day: "tomorrow" })).status).toBe(422);
  });

  test("back shows what was entered before, and keeps what was not validated yet", async () => {
    const form = await published();
    const second = await send(await get(form), first);
    const back = await send(second, { day: "tomorrow", tags: "b" }, "back");
    expect(seen(back)).toBe("200 Step 1 of 3");
    expect(back.text).toContain('value="Ada &quot;&lt;&amp;"');
    const forward = await send(back, first);
    expect(forward.text).toContain('value="tomorrow"');
    expect(forward.text).toContain('value="b" checked');
  });

  test("a value is changed at its step, after which all values are shown again", async () => {
    const form = await published();
    const step = await send(await answersOf(form), {}, "2");
    expect(step.text).toContain('value="2026-11-20"');
    const wrong = await send(step, { day: "" });
    const answers = await send(wrong, { day: "2026-12-24" });
    expect([step, wrong, answers].map(seen)).toEqual([
      "200 Step 2 of 3",
      "422 Error: Step 2 of 3",
      "200 Check your answers",
    ]);
    expect((await send(answers)).status).toBe(303);
    expect(await stored(form)).toEqual([{ ...first, day: "2026-12-24", agree: true }]);
  });

  test.each([
    ["another value", (hidden: [string, string][]) => hidden.map(([n, v]) => [n, v.replace("Ada", "Eve")])],
    ["a value more", (hidden: [string, string][]) => [...hidden, ["formd.kept.note", "three"]]],
    ["a value less", (hidden: [string, string][]) => hidden.filter(([n]) => n !== "formd.kept.note")],
    ["no signature", (hidden: [string, string][]) => hidden.filter(([n]) => n !== "formd.signature")],
  ])("with %s than it was given it begins again, and stores nothing", async (_, change) => {
    const form = await published();
    const second = await send(await get(form), first);
    const answers = await answersOf(form);
    for (const page of [second, answers]) {
      const again = await send({ ...page, hidden: change(page.hidden) as [string, string][] }, {});
      expect(seen(again)).toBe("400 Error: Step 1 of 3");
      expect(again.text).toContain("Check your answers again");
      expect(again.text).toMatch(/value="(?:Ada|Eve) [^>]*name="name"/);
    }
    expect(await stored(form)).toHaveLength(0);
  });

  test("a signature is valid for one form", async () => {
    const [one, other] = [await published(), await published()];
    const second = await send(await get(one), first);
    expect((await send({ ...second, action: `${pathOf(other)}/steps` })).status).toBe(400);
  });

  test("published anew in between: the step with the change is shown with 409, and earlier values are kept", async () => {
    const form = await published();
    const second = await send(await get(form), first);
    const answers = await answersOf(form);
    await republish(form, [
      { op: "addField", field: { id: "why", type: "text", label: "Why?", required: true } },
    ]);
    for (const page of [second, answers]) {
      const again = await send(page, page === second ? { day: "2026-11-20" } : {});
      expect(seen(again)).toBe("409 Error: Step 4 of 4");
      expect(again.text).toContain("New or changed");
      const check = await send(again, { why: "So" });
      expect(check.text).toContain('<dd dir="auto">20 November 2026</dd>');
      const sent = await send(check);
      // The consent of the first of them was never given: the page leads to it.
      if (page === second) expect(seen(sent)).toBe("422 Error: Step 3 of 4");
      else expect(await stored(form)).toMatchObject([{ ...first, why: "So", agree: true }]);
    }
  });

  test("published anew in between: changed fields are marked on each step until the respondent has seen them", async () => {
    const form = await published();
    const second = await send(await get(form), first);
    await republish(form, [
      { op: "updateField", fieldId: "day", set: { label: "Which day" } },
      { op: "updateField", fieldId: "agree", set: { label: "I do agree" } },
      { op: "updateField", fieldId: "last", set: { label: "The end" } },
    ]);
    const marks = (page: Page) => [
      seen(page),
      page.text.match(/New or changed<.p>.*?<label[^>]*>[^<]*/gs)?.length ?? 0,
    ];
    const again = await send(second, { day: "tomorrow" });
    expect(marks(again)).toEqual(["409 Error: Step 2 of 3", 1]);
    const wrong = await send(again, { day: "tomorrow" });
    expect(marks(wrong)).toEqual(["422 Error: Step 2 of 3", 1]);
    const third = await send(wrong, { day: "2026-11-20" });
    expect(marks(third)).toEqual(["200 Step 3 of 3", 1]);
    const back = await send(third, {}, "back");
    expect(marks(back)).toEqual(["200 Step 2 of 3", 0]);
    const forward = await send(back, { day: "2026-11-20" });
    expect(marks(forward)).toEqual(["200 Step 3 of 3", 0]);
    expect((await send(await send(forward, { agree: "true" }))).status).toBe(303);
    expect(await stored(form)).toEqual([{ ...first, day: "2026-11-20", agree: true }]);
  });

  test("published anew twice: what the first publish changed stays marked on a later step", async () => {
    const form = await published();
    const second = await send(await get(form), first);
    await republish(form, [
      { op: "updateField", fieldId: "day", set: { label: "Which day" } },
      { op: "updateField", fieldId: "agree", set: { label: "I do agree" } },
    ]);
    const again = await send(second, { day: "2026-11-20" });
    expect(seen(again)).toBe("409 Error: Step 2 of 3");
    await republish(form, [{ op: "updateField", fieldId: "name", set: { label: "Which name" } }]);
    const start = await send(again, { day: "2026-11-20" });
    expect(seen(start)).toBe("409 Error: Step 1 of 3");
    const last = await send(await send(start, first), { day: "2026-11-20" });
    expect([seen(last), last.text.includes("New or changed")]).toEqual(["200 Step 3 of 3", true]);
  });

  test("a value that was sent before with other values is shown with the values, and may be sent as well", async () => {
    const form = await published();
    const answers = await answersOf(form);
    await send(answers);
    const changed = await send(await send(answers, {}, "1"), { name: "Grace" });
    const again = await send(changed);
    expect(seen(again)).toBe("422 Error: Check your answers");
    const notSent = [changed, again].map(({ text }) => text.includes("Nothing has been sent yet"));
    expect(notSent).toEqual([true, false]);
    expect((await send(again)).status).toBe(303);
    expect(await stored(form)).toHaveLength(2);
  });

  test("a program sends all values at once, and a page without page_break has one step", async () => {
    const form = await published();
    const values = { name: "Ada", day: "2026-11-20", agree: "true" };
    expect((await post(form, values)).status).toBe(303);
    expect((await get(await published({}, fields.slice(0, 2)))).title).toBe("Test");
  });

  test("the URL of a step leads to the form, and a closed form shows that there", async () => {
    const form = await published();
    const start = await get(form);
    expect((await get(`${pathOf(form)}/steps`)).headers.get("location")).toBe(pathOf(form));
    await archive(form);
    expect((await send(start, first)).status).toBe(410);
  });
});

test("without a master key the page shows all fields at once", async () => {
  const app = await service({ ...permissive, FORMD_SECRET_KEY: "" });
  const keyless = formsOf(app, await makeTeam(app));
  const form = await keyless.published(fields, { layout: "steps" });
  const { title, text } = await keyless.get(form);
  expect([title, text.includes('name="day"')]).toEqual(["Test", true]);
  expect((await keyless.post(`${keyless.pathOf(form)}/steps`, { name: "Ada" })).status).toBe(409);
});
