/** Pages whose rows do not fit one part are streamed: what the client reads is the same. */
import { describe, expect, test } from "bun:test";
import { makeForm, makeTeam } from "../../setup.ts";
import { formsPath, insertSubmissions, type Submission, submissionsFixture } from "./fixture.ts";

const { app, team, form, call, submitted, patch } = await submissionsFixture([
  { id: "a", type: "x-any", label: "A" },
]);

/** The ids of a page's items, and its pagination. */
async function page(path: string, name: string, key = team.key) {
  const { status, headers, body } = await call("GET", path, { key });
  expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching(/^application\/json\b/)]);
  expect(Object.keys(body).sort()).toEqual(["apiVersion", "data"]);
  const items: { id: string }[] = body.data[name];
  return { items, pagination: body.data.pagination, erasure: body.data.erasure };
}

describe("a page of submissions of 100 KiB", () => {
  const count = 30;
  const large = (async () => {
    const made = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    await insertSubmissions(app, team, made, count, 100 * 1024);
    await app.database.sql`
      insert into formd.submission_counts (team_id, form_id, status, slot, total)
      values (${team.id}, ${made.id}, 'completed', 1, ${count})`;
    return `${formsPath}/${made.id}/submissions`;
  })();
  const numbersOf = (items: object[]) =>
    (items as Submission[]).map(({ data }) => Number.parseInt(data.a as string, 10));
  const from = (first: number, length: number) => Array.from({ length }, (_, index) => first - index);

  test.each([
    ["?limit=100", 30, 30],
    ["?limit=20", 30, 20],
    ["?limit=20&page=2", 10, 10],
    ["?limit=10&page=2", 20, 10],
    ["?limit=12&page=2", 18, 12],
    ["?limit=10&page=4", 0, 0],
    ["?status=completed&limit=7&page=4", 9, 7],
    ["?createdAfter=2020-01-01T00:00:00Z&limit=25", 30, 25],
  ])("%s is whole and in order, with the true total", async (query, first, length) => {
    const { items, pagination } = await page(`${await large}${query}`, "submissions");
    expect(numbersOf(items)).toEqual(from(first, length));
    expect(pagination.total).toBe(count);
  });

  test("its items are the records that GET returns", async () => {
    const { items } = await page(`${await large}?limit=5`, "submissions");
    for (const item of items)
      expect((await call("GET", `${await large}/${item.id}`)).body.data.submission).toEqual(item);
  });
});

test("a page of edits of 100 KiB is whole, with the deletion beside them", async () => {
  let row = await submitted({ a: "x" });
  const values = Array.from({ length: 8 }, (_, index) => String(index).repeat(100 * 1024));
  for (const value of values) row = (await patch(row, [["a", value]])).body.data.submission;
  const path = `${formsPath}/${form.id}/submissions/${row.id}/edits`;
  const before = await page(path, "edits");
  expect(before.items).toMatchObject(
    values.toReversed().map((value, index) => ({ newValue: value, oldValue: values[6 - index] ?? "x" })),
  );
  expect([before.pagination, before.erasure]).toMatchObject([
    { page: 1, limit: 20, total: 8, next: null },
    null,
  ]);
  expect((await page(`${path}?limit=3&page=2`, "edits")).items).toEqual(before.items.slice(3, 6));
});

test("a page of forms of 100 KiB is whole, of the workspace alone where one is asked for", async () => {
  const own = await makeTeam(app);
  const schema = { fields: [{ id: "a", help: "x".repeat(100 * 1024) }] };
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) {
    const reply = await call("POST", formsPath, { key: own.key, body: { name: String(n), schema } });
    ids.unshift(reply.body.data.form.id);
  }
  for (const query of ["", `?workspaceId=${own.workspace}`]) {
    const { items, pagination } = await page(formsPath + query, "forms", own.key);
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(pagination).toEqual({ page: 1, limit: 20, total: 7, next: null });
    expect((await call("GET", `${formsPath}/${ids[6]}`, { key: own.key })).body.data.form).toMatchObject(
      items[6] as object,
    );
  }
});
