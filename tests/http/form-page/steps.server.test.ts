// stacks: one deno
/**
 * The page of a form in steps: what goes from one step to the next, and that nothing is stored before the
 * last.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import {
  freshIp,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
} from "../../setup.ts";
import { pageFixture, pathIn, postForm } from "./fixture.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  ({ app, team } = await pageFixture());
});

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
  makeForm(app, team, given, { settings: { page: { enabled: true, layout: "steps", ...page } } });
const pathOf = (form: PublishedForm) => pathIn(team, form);
const stored = (form: PublishedForm) =>
  app.database.sql<{ data: object }[]>`select data from formd.submissions where form_id = ${form.id}`;

interface Page {
  status: number;
  text: string;
  title: string;
  /** Where the form is sent. */
  action: string;
  hidden: [string, string][];
}

const decoded = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
function pageOf({ status, text }: { status: number; text: string }): Page {
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    status,
    text,
    title: decoded(/<title>([^<]*)/.exec(text)?.[1] ?? ""),
    action: /<form[^>]*action="([^"]*)"/.exec(text)?.[1] ?? "",
    hidden: hidden.map(([, name = "", value = ""]) => [decoded(name), decoded(value)]),
  };
}
async function open(path: string, target: Pick<Service, "url"> = app): Promise<Page> {
  const response = await fetch(target.url + path, {
    headers: { accept: "text/html", "x-forwarded-for": freshIp() },
  });
  return pageOf({ status: response.status, text: await response.text() });
}

/**
 * Sends a page as a browser does: its hidden fields with CRLF for line ends, what was entered, and the
 * button.
 */
async function send(page: Page, entered: Record<string, string> = {}, button?: string) {
  const values = new URLSearchParams(page.hidden);
  for (const [name, value] of Object.entries(entered)) values.append(name, value);
  if (button !== undefined) values.append("formd.goto", button);
  const crlf = [...values].map(([name, value]): [string, string] => [
    name,
    value.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n"),
  ]);
  const toStep = button === undefined || page.action.endsWith("/steps") ? "" : "/steps";
  return await postForm(app, page.action + toStep, new URLSearchParams(crlf));
}
const sendTo = async (...given: Parameters<typeof send>) => pageOf(await send(...given));

async function republish(form: PublishedForm, operations: object[]) {
  const { sql } = app.database;
  await sql`select from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${form.id}, ${sql.json(operations as never)}, null, null)`;
  await publishForm(sql, cliActor, team.id, form.id);
}

const first = { name: 'Ada "<&', note: "one\ntwo" };
async function answersOf(form: PublishedForm): Promise<Page> {
  const second = await sendTo(await open(pathOf(form)), first);
  const third = await sendTo(second, { day: "2026-11-20", tags: "a" });
  return await sendTo(third, { agree: "true" });
}

describe("a page in steps", () => {
  test("goes from step to step and over the answers to one submission, which is stored at the end only", async () => {
    const form = await published();
    const start = await open(`${pathOf(form)}?source=mail`);
    expect(start.title).toBe("Step 1 of 3 · Test");
    expect([start.text.includes('name="note"'), start.text.includes('name="day"')]).toEqual([true, false]);
    const second = await sendTo(start, first);
    expect(second).toMatchObject({ status: 200, title: "Step 2 of 3 · Test" });
    expect(second.text).toContain("Your visit</h2>");
    const third = await sendTo(second, { day: "2026-11-20", tags: "a", source: "mail" });
    const answers = await sendTo(third, { agree: "true" });
    expect(answers).toMatchObject({ status: 200, title: "Check your answers · Test", action: pathOf(form) });
    for (const answer of ["Ada &quot;&lt;&amp;", "one\ntwo", "20 November 2026", "Tag A", "Yes"])
      expect(answers.text).toContain(`<dd dir="auto">${answer}</dd>`);
    expect(await stored(form)).toHaveLength(0);
    const twice = await Promise.all([send(answers), send(answers)]);
    const locations = [...twice, await send(answers)].map(({ headers }) => headers.get("location"));
    expect(locations[0]).toStartWith(`${pathOf(form)}/sent?reference=`);
    expect(new Set(locations).size).toBe(1);
    const data = { ...first, day: "2026-11-20", tags: ["a"], source: "mail", agree: true };
    expect(await stored(form)).toMatchObject([{ data }]);
  });

  test("a step with errors is shown again with 422, and no other field is reported", async () => {
    const form = await published({ language: "de" });
    const again = await sendTo(await open(pathOf(form)), { name: " ", note: "kept" });
    expect(again).toMatchObject({ status: 422, title: "Fehler: Schritt 1 von 3 · Test" });
    expect([...again.text.matchAll(/<a href="#([^"]*)"/g)].map(([, target]) => target)).toEqual(["name"]);
    expect(again.text).toContain("kept</textarea>");
    const second = await sendTo(again, first);
    expect((await sendTo(second, { day: "tomorrow" })).status).toBe(422);
  });

  test("back shows what was entered before, and keeps what was not validated yet", async () => {
    const form = await published();
    const second = await sendTo(await open(pathOf(form)), first);
    const back = await sendTo(second, { day: "tomorrow", tags: "b" }, "back");
    expect(back).toMatchObject({ status: 200, title: "Step 1 of 3 · Test" });
    expect(back.text).toContain('value="Ada &quot;&lt;&amp;"');
    const forward = await sendTo(back, first);
    expect(forward.text).toContain('value="tomorrow"');
    expect(forward.text).toContain('value="b" checked');
  });

  test("an answer is changed at its step, after which the answers are shown again", async () => {
    const form = await published();
    const step = await sendTo(await answersOf(form), {}, "2");
    expect(step.title).toBe("Step 2 of 3 · Test");
    expect(step.text).toContain('value="2026-11-20"');
    const wrong = await sendTo(step, { day: "" });
    expect(wrong.status).toBe(422);
    const answers = await sendTo(wrong, { day: "2026-12-24" });
    expect(answers.title).toBe("Check your answers · Test");
    expect((await send(answers)).status).toBe(303);
    expect(await stored(form)).toMatchObject([{ data: { ...first, day: "2026-12-24", agree: true } }]);
  });

  test.each([
    ["another value", (hidden: [string, string][]) => hidden.map(([n, v]) => [n, v.replace("Ada", "Eve")])],
    ["a value more", (hidden: [string, string][]) => [...hidden, ["formd.kept.note", "three"]]],
    ["a value less", (hidden: [string, string][]) => hidden.filter(([n]) => n !== "formd.kept.note")],
    ["no signature", (hidden: [string, string][]) => hidden.filter(([n]) => n !== "formd.signature")],
  ])("with %s than it was given it begins again, and stores nothing", async (_, change) => {
    const form = await published();
    const second = await sendTo(await open(pathOf(form)), first);
    const answers = await answersOf(form);
    for (const page of [second, answers]) {
      const again = await sendTo({ ...page, hidden: change(page.hidden) as [string, string][] }, {});
      expect(again).toMatchObject({ status: 400, title: "Error: Step 1 of 3 · Test" });
      expect(again.text).toContain("Check your answers again");
      expect(again.text).toMatch(/value="(?:Ada|Eve) [^>]*name="name"/);
    }
    expect(await stored(form)).toHaveLength(0);
  });

  test("a signature is that of one form", async () => {
    const [one, other] = [await published(), await published()];
    const second = await sendTo(await open(pathOf(one)), first);
    expect(await sendTo({ ...second, action: `${pathOf(other)}/steps` })).toMatchObject({ status: 400 });
  });

  test("published anew in between: the step with the change is shown with 409, and earlier values are kept", async () => {
    const form = await published();
    const second = await sendTo(await open(pathOf(form)), first);
    const answers = await answersOf(form);
    await republish(form, [
      { op: "addField", field: { id: "why", type: "text", label: "Why?", required: true } },
    ]);
    for (const page of [second, answers]) {
      const again = await sendTo(page, page === second ? { day: "2026-11-20" } : {});
      expect(again).toMatchObject({ status: 409, title: "Error: Step 4 of 4 · Test" });
      expect(again.text).toContain("New or changed");
      const check = await sendTo(again, { why: "So" });
      expect(check.text).toContain('<dd dir="auto">20 November 2026</dd>');
      const sent = await sendTo(check);
      // The consent of the first of them was never given: the page leads to it.
      if (page === second) expect(sent).toMatchObject({ status: 422, title: "Error: Step 3 of 4 · Test" });
      else expect(await stored(form)).toMatchObject([{ data: { ...first, why: "So", agree: true } }]);
    }
  });

  test("published anew in between: changed fields are marked on each step until the respondent has seen them", async () => {
    const form = await published();
    const second = await sendTo(await open(pathOf(form)), first);
    await republish(form, [
      { op: "updateField", fieldId: "day", set: { label: "Which day" } },
      { op: "updateField", fieldId: "agree", set: { label: "I do agree" } },
      { op: "updateField", fieldId: "last", set: { label: "The end" } },
    ]);
    const marks = ({ status, title, text }: Page) => [
      status,
      title.replace(" · Test", ""),
      text.match(/New or changed<.p>.*?<label[^>]*>[^<]*/gs)?.length ?? 0,
    ];
    const again = await sendTo(second, { day: "tomorrow" });
    expect(marks(again)).toEqual([409, "Error: Step 2 of 3", 1]);
    const wrong = await sendTo(again, { day: "tomorrow" });
    expect(marks(wrong)).toEqual([422, "Error: Step 2 of 3", 1]);
    const third = await sendTo(wrong, { day: "2026-11-20" });
    expect(marks(third)).toEqual([200, "Step 3 of 3", 1]);
    const back = await sendTo(third, {}, "back");
    expect(marks(back)).toEqual([200, "Step 2 of 3", 0]);
    const forward = await sendTo(back, { day: "2026-11-20" });
    expect(marks(forward)).toEqual([200, "Step 3 of 3", 0]);
    expect((await send(await sendTo(forward, { agree: "true" }))).status).toBe(303);
    expect(await stored(form)).toMatchObject([{ data: { ...first, day: "2026-11-20", agree: true } }]);
  });

  test("published anew twice: what the first publish changed stays marked on a later step", async () => {
    const form = await published();
    const second = await sendTo(await open(pathOf(form)), first);
    await republish(form, [
      { op: "updateField", fieldId: "day", set: { label: "Which day" } },
      { op: "updateField", fieldId: "agree", set: { label: "I do agree" } },
    ]);
    const again = await sendTo(second, { day: "2026-11-20" });
    expect(again).toMatchObject({ status: 409, title: "Error: Step 2 of 3 · Test" });
    await republish(form, [{ op: "updateField", fieldId: "name", set: { label: "Which name" } }]);
    const start = await sendTo(again, { day: "2026-11-20" });
    expect(start).toMatchObject({ status: 409, title: "Error: Step 1 of 3 · Test" });
    const last = await sendTo(await sendTo(start, first), { day: "2026-11-20" });
    expect([last.title, last.text.includes("New or changed")]).toEqual(["Step 3 of 3 · Test", true]);
  });

  test("an answer that was sent before with other values is shown with the answers, and may be sent as well", async () => {
    const form = await published();
    const answers = await answersOf(form);
    await send(answers);
    const changed = await sendTo(await sendTo(answers, {}, "1"), { name: "Grace" });
    const again = await sendTo(changed);
    expect(again).toMatchObject({ status: 422, title: "Error: Check your answers · Test" });
    expect([changed, again].map(({ text }) => text.includes("Nothing has been sent yet"))).toEqual([
      true,
      false,
    ]);
    expect((await send(again)).status).toBe(303);
    expect(await stored(form)).toHaveLength(2);
  });

  test("a program sends all values at once, and a page without page_break has one step", async () => {
    const form = await published();
    const values = { name: "Ada", day: "2026-11-20", agree: "true" };
    expect((await postForm(app, pathOf(form), values)).status).toBe(303);
    expect(await open(pathOf(await published({}, fields.slice(0, 2))))).toMatchObject({ title: "Test" });
  });

  test("the address of a step leads to the form, and a form that has closed says so there", async () => {
    const form = await published();
    expect((await open(`${pathOf(form)}/steps`)).title).toBe("Step 1 of 3 · Test");
    const start = await open(pathOf(form));
    await app.database
      .sql`update formd.forms set status = 'archived', archived_at = now() where id = ${form.id}`;
    expect(await sendTo(start, first)).toMatchObject({ status: 410 });
  });
});

test("without a master key the page shows all fields at once", async () => {
  const keyless = await service({ ...permissive, FORMD_SECRET_KEY: "" });
  const itsTeam = await makeTeam(keyless);
  const form = await makeForm(keyless, itsTeam, fields, {
    settings: { page: { enabled: true, layout: "steps" } },
  });
  const path = pagePathOf({ team: itsTeam.id, form: form.id });
  const { title, text } = await open(path, keyless);
  expect([title, text.includes('name="day"')]).toEqual(["Test", true]);
  expect((await postForm(keyless, `${path}/steps`, { name: "Ada" })).status).toBe(409);
});
