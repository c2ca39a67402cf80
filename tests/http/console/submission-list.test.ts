// stacks: one
import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../../src/limits.ts";
import { ask, makeAgent, makeForm, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { type Browser, expectRedirect, type Shown, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let editor: Browser;
let viewer: Browser;

beforeAll(async () => {
  ({ app, team, editor, viewer } = await consoleFixture());
});

const makeSubmissions = async (count: number) => {
  const form = await makeForm(app, team, [
    { id: "name", type: "text", label: "Name" },
    { id: "city", type: "text", label: "City" },
    { id: "size", type: "select", label: "Size", options: ["m", "l"] },
    ...["a", "b", "c"].map((id) => ({ id, type: "text", label: `Field ${id}` })),
  ]);
  for (let index = 0; index < count; index++)
    await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
      body: { data: { name: `Person ${index}`, size: index % 2 ? "l" : "m", c: `c of ${index}` } },
    });
  return form;
};
const pathOf = (form: PublishedForm, rest = "") => `/console/forms/${form.id}/submissions${rest}`;
const read = async (path: string) =>
  (await ask(app, "GET", `/papi/v1/management/${path}`, { headers: { "x-api-key": team.key } })).body.data;
const namesOf = ({ html }: Shown) => [...html.matchAll(/<bdi>(Person \d+)<\/bdi>/g)].map(([, name]) => name);
const idsOf = ({ html }: Shown) =>
  [...html.matchAll(/type="checkbox" name="submissions" value="([^"]+)"/g)].map(([, id = ""]) => id);
const leftOf = async (form: PublishedForm) =>
  (await read(`forms/${form.id}/submissions`)).submissions
    .map(({ data }: { data: { name: string } }) => data.name)
    .sort();
const deletions = async (form: PublishedForm) =>
  (await read(`forms/${form.id}/audit?kind=submission.deleted`)).pagination.total;
/** The fields that the question on a page sends. */
const fieldsOf = ({ html }: Shown) => {
  const fields: Record<string, string[]> = {};
  const [, question = ""] = /<form method="post"[^>]*\/submissions\/delete(.*?)<\/form>/s.exec(html) ?? [];
  for (const [, name = "", value = ""] of question.matchAll(/name="([\w.]+)" value="([^"]*)"/g))
    fields[name] = [...(fields[name] ?? []), value];
  return fields;
};

test("those that are chosen are deleted after a question that says how many, each on record", async () => {
  const form = await makeSubmissions(4);
  const list = await editor.get(pathOf(form));
  const [newest = "", , third = ""] = idsOf(list);
  const question = await editor.get(
    pathOf(form, `/delete?submissions=${newest}&submissions=${third}&size=m`),
  );
  expect(textOf(question)).toContain("Delete 2 submissions?");
  const fields = fieldsOf(question);
  expect(fields.submissions).toEqual([newest, third]);
  expect(await deletions(form)).toBe(0);
  const done = await editor.post(pathOf(form, "/delete?q=Person"), fields);
  const after = await editor.get(expectRedirect(done, `${pathOf(form)}?q=Person`));
  expect(textOf(after)).toContain("2 submissions are deleted.");
  expect([await leftOf(form), await deletions(form)]).toEqual([["Person 0", "Person 2"], 2]);
  // Pressed twice: they are gone, which is what was wanted.
  const again = await editor.get(
    expectRedirect(await editor.post(pathOf(form, "/delete"), fields), /report/),
  );
  expect([textOf(again).includes("0 submissions are deleted."), await deletions(form)]).toEqual([true, 2]);
});

test("all that the filters leave are deleted, without those that came after the question", async () => {
  const form = await makeSubmissions(4);
  const query = "?value.size=m";
  const list = await editor.get(pathOf(form, query));
  expect(list.html).toContain(`href="${pathOf(form, "/delete")}?value.size=m"`);
  const question = await editor.get(pathOf(form, `/delete${query}`));
  expect(textOf(question)).toContain("Delete 2 submissions?");
  await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data: { name: "Late", size: "m" } },
  });
  expectRedirect(await editor.post(pathOf(form, `/delete${query}`), fieldsOf(question)), pathOf(form));
  expect([await leftOf(form), await deletions(form)]).toEqual([["Late", "Person 1", "Person 3"], 2]);
});

test("a press deletes no more than it was asked for, and asks again for the rest", async () => {
  const form = await makeSubmissions(3);
  const until = new Date().toISOString();
  const first = await editor.post(pathOf(form, "/delete"), { left: "2", until });
  expectRedirect(first, pathOf(form));
  expect(await leftOf(form)).toEqual(["Person 0"]);
  const step = limits.submission.maxDeletes;
  const more = await editor.post(pathOf(form, "/delete"), { left: String(step + 3), until });
  expect(textOf(more)).toMatch(
    new RegExp(`1 submissions? (?:is|are) deleted\\..*Delete ${step + 2} submissions\\?`),
  );
  expect(textOf(more)).toContain(`${step} at a time`);
  expectRedirect(await editor.post(pathOf(form, "/delete"), fieldsOf(more)), pathOf(form));
  expect(await leftOf(form)).toEqual([]);
});

test("one that is held stays, the others go, and both are told", async () => {
  const form = await makeSubmissions(3);
  const [, held = ""] = idsOf(await editor.get(pathOf(form)));
  await app.database.sql`
    select from formd.hold_place(${team.id}, '(cli,,)', ${form.id}, ${held}, ${uuidv7()}, 'A case')`;
  const question = await editor.get(pathOf(form, "/delete"));
  const done = await editor.post(pathOf(form, "/delete"), fieldsOf(question));
  const list = await editor.get(expectRedirect(done, pathOf(form)));
  expect(textOf(list)).toContain("2 submissions are deleted. 1 is held, and stays.");
  expect(await leftOf(form)).toEqual(["Person 1"]);
});

test("what is no submission, too many, and a viewer are refused; nothing to delete says so", async () => {
  const form = await makeSubmissions(1);
  const [id = ""] = idsOf(await editor.get(pathOf(form)));
  const until = new Date().toISOString();
  const send = async (fields: Record<string, string | string[]>, browser = editor) =>
    (await browser.post(pathOf(form, "/delete"), { left: "1", until, ...fields })).status;
  expect(await send({ submissions: "x" })).toBe(400);
  expect(
    await send({ submissions: Array.from({ length: limits.submission.maxDeletes + 1 }, () => id) }),
  ).toBe(400);
  expect(await send({ left: "0" })).toBe(400);
  expect(await send({ until: "soon" })).toBe(400);
  expect(await send({ submissions: id }, viewer)).toBe(403);
  expect((await viewer.get(pathOf(form, "/delete"))).status).toBe(403);
  expect(idsOf(await viewer.get(pathOf(form)))).toEqual([]);
  // The button under the table sends "chosen", whether boxes are checked or not.
  for (const query of ["value.size=l", "chosen=true"]) {
    const none = await editor.get(pathOf(form, `/delete?${query}`));
    expect([textOf(none).includes("No submission is chosen."), fieldsOf(none)]).toEqual([true, {}]);
  }
  expect(await leftOf(form)).toEqual(["Person 0"]);
});

test("the filter offers agents by their names, and states as people know them", async () => {
  const form = await makeSubmissions(1);
  const agent = await makeAgent(app, team, form);
  const list = await editor.get(pathOf(form));
  expect(list.html).toContain(`<option value="${agent.id}">Agent</option>`);
  expect(textOf(list)).toContain("State Any Waiting Accepted Rejected Incomplete");
  expect(list.html).not.toContain('name="respondentId"');
  const chosen = await editor.get(pathOf(form, `?agentId=${agent.id}`));
  expect([namesOf(chosen), chosen.html.includes(`value="${agent.id}" selected`)]).toEqual([[], true]);
  // One that is no longer offered, as in a kept address, is seen and can be left.
  const [agentId, respondentId] = [uuidv7(), uuidv7()];
  const kept = await editor.get(pathOf(form, `?agentId=${agentId}&respondentId=${respondentId}`));
  expect(kept.html).toContain(`<option value="${agentId}" selected>`);
  expect(kept.html).toMatch(new RegExp(`<input[^>]*value="${respondentId}"[^>]*name="respondentId"`));
});

test("a link checks all on the page, also of a filtered list", async () => {
  const form = await makeSubmissions(3);
  const page = await editor.get(pathOf(form, "?value.size=m"));
  const [, href = ""] = /href="([^"]*all=true)"/.exec(page.html) ?? [];
  expect(page.html).not.toMatch(/type="checkbox" name="submissions"[^>]* checked/);
  const all = await editor.get(href.replaceAll("&amp;", "&"));
  expect([namesOf(all).length, all.html.match(/name="submissions"[^>]* checked/g)?.length]).toEqual([2, 2]);
  // The question after it knows the filter, not that all were checked.
  expect(all.html).not.toMatch(/type="hidden" name="all"/);
});

test("the oldest come first where asked, on each page, with a filter and in a search", async () => {
  const form = await makeSubmissions(27);
  const names = async (query: string) => namesOf(await editor.get(pathOf(form, `?${query}`)));
  const range = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `Person ${from + index}`);
  expect((await names(""))[0]).toBe("Person 26");
  expect(await names("order=oldest")).toEqual(range(0, 25));
  expect(await names("order=oldest&page=2")).toEqual(range(25, 27));
  expect(await names("order=oldest&page=3")).toEqual([]);
  expect(await names("order=oldest&state=accepted")).toEqual(range(0, 25));
  expect((await names("order=oldest&value.size=l")).slice(0, 2)).toEqual(["Person 1", "Person 3"]);
  expect(await names("order=oldest&q=person+2&page=1")).toEqual(["Person 2", ...range(20, 27)]);
  expect((await editor.get(pathOf(form, "?order=newest"))).status).toBe(400);
});

test("a submission has the reference that its page has told the person, by which the search finds it", async () => {
  const form = await makeSubmissions(3);
  const [id = ""] = idsOf(await editor.get(pathOf(form)));
  const reference = `${id.slice(-8, -4)}-${id.slice(-4)}`.toUpperCase();
  expect(textOf(await editor.get(pathOf(form, `/${id}`)))).toContain(`Reference ${reference}`);
  expect(idsOf(await editor.get(pathOf(form, `?q=${reference}`)))).toEqual([id]);
});

test("columns are chosen, and the filter, the search and the order keep them", async () => {
  const form = await makeSubmissions(1);
  const usual = await editor.get(pathOf(form));
  expect(textOf(usual)).not.toContain("c of 0");
  const page = await editor.get(pathOf(form, "?column.c=true&value.size=m&order=oldest"));
  expect(textOf(page)).toContain("c of 0");
  expect(page.html).not.toContain('<th role="columnheader" scope="col">City');
  expect(page.html.match(/type="hidden" name="column\.c" value="true"/g)?.length).toBeGreaterThanOrEqual(3);
  expect(page.html).toMatch(/href="[^"]*\?value.size=m&amp;order=oldest"[^>]*>Show the usual ones/);
  expect((await editor.get(pathOf(form, "?column.unknown=true"))).status).toBe(200);
});
