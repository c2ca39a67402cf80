// stacks: one months citus gate
/** Counts of how far people get: requests of a page that count, each once, and those that do not. */
import { expect, test } from "bun:test";
import { unknownId, until } from "../../expect.ts";
import { ask, makeKey, makeOperator, type PublishedForm } from "../../setup.ts";
import { type Page, pageFixture } from "../form-page/fixture.ts";

const { app, team, pathOf, published, republish, get, post, send } = await pageFixture();
const { sql } = app.database;
const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "p1", type: "page_break", label: "Your visit" },
  { id: "day", type: "text", label: "Day", required: true },
  { id: "p2", type: "page_break", label: "The end" },
  { id: "note", type: "text", label: "Note" },
];
const inSteps = (settings: object = {}) => published(fields, { layout: "steps" }, settings);
const path = ({ id }: { id: string }) => `/papi/v1/management/forms/${id}/progress`;

/** The counts of a form by kind, step and version, without the page that it opens to wait for them. */
async function counted(form: PublishedForm): Promise<Record<string, number>> {
  const rows = () => sql<{ name: string; total: number }[]>`
    select concat_ws(' ', kind, nullif(step, 0), 'v' || form_version) as name, total::int
    from formd.progress_days where form_id = ${form.id} and kind <> 'sent_within'
    order by form_version desc`;
  const openedIn = (found: readonly { name: string; total: number }[]) =>
    found.filter(({ name }) => name.startsWith("opened"));
  const opened = async () => openedIn(await rows()).reduce((sum, { total }) => sum + total, 0);
  await until(async () => (await opened()) > 0);
  const before = await opened();
  await get(form);
  await until(async () => (await opened()) > before);
  const found = await rows();
  const [last] = openedIn(found);
  return Object.fromEntries(found.map((row) => [row.name, row.total - Number(row === last)]));
}

const hiddenOf = ({ hidden }: Page, name: string) =>
  hidden.filter(([each]) => each === name).map(([, value]) => value);
const withHidden = (page: Page, name: string, value?: string): Page => ({
  ...page,
  hidden: [
    ...page.hidden.filter(([each]) => each !== name),
    ...(value === undefined ? [] : [[name, value] as [string, string]]),
  ],
});

test("a visit counts once: opened, begun, each step, sent; whatever is wrong, goes back or is sent twice", async () => {
  const form = await inSteps();
  const first = await get(form);
  const wrong = await send(first, { name: "" });
  const second = await send(wrong, { name: "Ada" });
  const wrongDay = await send(second, { day: "" });
  const back = await send(wrongDay, { day: "Monday" }, "back");
  const forward = await send(back, { name: "Ada" });
  const third = await send(forward, { day: "Monday" });
  const check = await send(third, { note: "" });
  const change = await send(check, {}, "1");
  const again = await send(change, { name: "Eve" });
  expect(
    [first, wrong, second, back, third, check, again].map((page) => hiddenOf(page, "formd.reached")),
  ).toEqual([[], ["1"], ["2"], ["2"], ["3"], ["4"], ["4"]]);
  // The same pages again: from the browser's cache, or by a second press.
  for (const page of [first, second]) await send(page, { name: "Ada", day: "Monday" });
  const sent = await Promise.all([send(again), send(again)]);
  expect([...sent, await send(again)].map(({ status }) => status)).toEqual([303, 303, 303]);
  expect(await counted(form)).toEqual({
    ...{ "opened v1": 1, "begun v1": 1, "step 2 v1": 1, "step 3 v1": 1, "step 4 v1": 1, "sent v1": 1 },
  });
  const [{ step, total }] = await sql<[{ step: number; total: number }]>`
    select step, total::int from formd.progress_days where form_id = ${form.id} and kind = 'sent_within'`;
  expect([step < 7, total]).toEqual([true, 1]);
});

test("a form of one page: refused, in another language, and sent; the first page again is the same submission", async () => {
  const form = await published(
    [{ id: "a", type: "text", label: "A", required: true }],
    {},
    { languages: ["en", "de"] },
  );
  const first = await get(form);
  const refused = await send(first, { a: "" });
  const german = await post(
    `${pathOf(form)}/steps`,
    new URLSearchParams([...refused.hidden, ["formd.switch", "de"], ["a", "x"]]),
  );
  expect([refused.status, german.status, hiddenOf(german, "formd.reached")]).toEqual([422, 200, ["1"]]);
  const sent = await send(withHidden(refused, "formd.language", "en"), { a: "x" });
  const replayed = await send(first, { a: "x" });
  expect(replayed.headers.get("location")).toBe(String(sent.headers.get("location")));
  expect(await counted(form)).toEqual({ "opened v1": 1, "begun v1": 1, "sent v1": 1 });
});

test("HEAD, JSON, further addresses of a page and a preview do not count; a page that is only opened is not begun", async () => {
  const form = await inSteps();
  const json = { accept: "application/json" };
  const headers = { "x-forwarded-for": "192.0.2.77" };
  for (let round = 0; round < 3; round++) await fetch(app.url + pathOf(form), { method: "HEAD", headers });
  await get(form, json);
  await post(form, { name: "Ada", day: "Monday" }, json);
  for (const end of ["/picture", "/sent", "/steps"]) await get(`${pathOf(form)}${end}`);
  await get(`/f/${unknownId}`);
  const cookie = await makeOperator(app, team, "viewer");
  const preview = await get(`/console/forms/${form.id}/preview`, { accept: "text/html", cookie });
  expect(preview.status).toBe(200);
  await get(form);
  expect(await counted(form)).toEqual({ "opened v1": 1 });
});

test("steps and versions that a client invents make no row, and count nothing", async () => {
  const form = await inSteps();
  const first = await get(form);
  for (const value of ["99", "0", "-1", "x", "1e9", ""])
    expect(
      hiddenOf(await send(withHidden(first, "formd.reached", value), { name: "Ada" }), "formd.reached"),
    ).toEqual(["4"]);
  const other = await send(
    withHidden(withHidden(await get(form), "formd.version", "77"), "formd.step", "500"),
    { name: "Ada" },
  );
  expect(other.status).toBe(409);
  expect(await counted(form)).toEqual({ "opened v1": 2, "begun v1": 1 });
  await republish(form, [{ op: "updateField", fieldId: "name", set: { label: "Your name" } }]);
  expect((await send(first, { name: "Ada" })).status).toBe(409);
  expect(await counted(form)).toEqual({ "opened v1": 3, "opened v2": 0, "begun v1": 1 });
});

test.each([
  ["old", (): string => `${(Date.now() - 9 * 86_400_000).toString(36)}-${crypto.randomUUID()}`],
  ["future", (): string => `${(Date.now() + 86_400_000).toString(36)}-${crypto.randomUUID()}`],
  ["foreign", (): string => "mine-1"],
])("a key that is %s gives no time", async (name, key) => {
  const form = await published([{ id: "a", type: "text", label: "A" }]);
  const sent = await send(withHidden(await get(form), "formd.key", key()), { a: "x" });
  expect([name, sent.status]).toEqual([name, name === "old" ? 422 : 303]);
  await counted(form);
  const times =
    await sql`select from formd.progress_days where form_id = ${form.id} and kind = 'sent_within'`;
  expect(times).toHaveLength(0);
});

test("is read with forms:read or by a viewer, for 1 to 90 days", async () => {
  const form = await inSteps();
  await get(form);
  await counted(form);
  const read = (headers: Record<string, string>, query = "") =>
    ask(app, "GET", `${path(form)}${query}`, { headers });
  const { key } = await makeKey(app, team, "forms:read");
  const { status, body } = await read({ "x-api-key": key }, "?days=1");
  expect([status, body.data.progress]).toMatchObject([
    200,
    {
      totals: { opened: 2, begun: 0, sent: 0, medianSeconds: null },
      steps: [null, "Your visit", "The end", null].map((label, index) => ({
        ...{ step: index + 1, label, reached: index === 0 ? 2 : 0 },
      })),
      versions: [{ version: 1, opened: 2, begun: 0, sent: 0 }],
      days: [{ day: new Date().toISOString().slice(0, 10), opened: 2, begun: 0, sent: 0 }],
    },
  ]);
  const cookie = await makeOperator(app, team, "viewer");
  expect((await read({ cookie })).body.data.progress.days).toHaveLength(30);
  for (const days of ["0", "91", "x", ""])
    expect([days, (await read({ cookie }, `?days=${days}`)).status]).toEqual([days, 400]);
  const { key: other } = await makeKey(app, team, "submissions:read");
  expect((await read({ "x-api-key": other })).body.code).toBe("missing_scope");
  expect((await read({})).status).toBe(401);
  const unknown = await ask(app, "GET", path({ id: unknownId }), { headers: { "x-api-key": key } });
  expect(unknown.status).toBe(404);
});
