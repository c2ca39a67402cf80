// stacks: one deno months citus gate
import { beforeAll, describe, expect, test } from "bun:test";
import { cursorOf, msOfId, smallestIdAt } from "../../src/platform/http/cursor.ts";
import { MasterKey, parseMasterKey } from "../../src/platform/master-key.ts";
import { outcome, timestamp, until } from "../expect.ts";
import { masterKey } from "../setup/server.ts";
import { makeKey, makeTeam } from "../setup.ts";
import { formsPath, submissionsFixture } from "./submissions/fixture.ts";

const { app, team, form, call, submitted, patch } = await submissionsFixture([
  { id: "a", type: "text", label: "A" },
]);
const { sql } = app.database;
const fields = [{ id: "a", type: "text", label: "A" }];

interface Item {
  id: string;
  deleted?: true;
  updatedAt: string;
}
interface Page {
  items: Item[];
  pagination: {
    page: number;
    limit: number;
    total?: number;
    next: string | null;
    upTo?: string;
    hasMore?: boolean;
  };
}

async function page(path: string, query: object = {}, key = team.key): Promise<Page> {
  const reply = await call("GET", `${path}?${new URLSearchParams({ ...query })}`, { key });
  expect(outcome(reply)).toBe("ok");
  const { pagination, ...data } = reply.body.data;
  return { items: Object.values(data).find(Array.isArray) as Item[], pagination };
}

const [{ isDistributed }] = await sql<[{ isDistributed: boolean }]>`
  select exists (select from pg_extension where extname = 'citus') as is_distributed`;

/** Makes marks, so that what is stored by now can be read oldest first. */
async function mark() {
  const [{ now }] = await sql<[{ now: Date }]>`select clock_timestamp() as now`;
  await until(async () => {
    // On Citus a mark waits two minutes for transactions of other machines; here none is in progress.
    await (isDistributed
      ? sql`
        insert into formd.feed_marks (xid, made_at, bound_at)
        select pg_current_xact_id(), greatest(clock_timestamp(), max(made_at) + interval '1 millisecond'), clock_timestamp()
        from formd.feed_marks`
      : sql`select formd.feed_mark(p_at_once => true)`);
    const [end] = await sql<{ upToAt: Date | null }[]>`select formd.feed_end() as up_to_at`;
    return end?.upToAt && end.upToAt > now;
  });
}

/** Reads a list by its cursors, to its end. */
async function walk(path: string, query: object = {}): Promise<Page[]> {
  const pages = [await page(path, query)];
  for (let next = pages[0]?.pagination.next; next; next = pages.at(-1)?.pagination.next) {
    if (pages.at(-1)?.pagination.hasMore === false) break;
    pages.push(await page(path, { ...query, cursor: next }));
  }
  return pages;
}
/** Ids alone, since a delivery that fails meanwhile has another attempt. */
const idsOf = (pages: Pick<Page, "items">[]) => pages.flatMap(({ items }) => items.map(({ id }) => id));

const submissions = `${formsPath}/${form.id}/submissions`;
/** Each list that has cursors, with the total of its items. */
const lists: [name: string, path: () => string, total: number][] = [
  ["submissions", () => submissions, 7],
  ["forms", () => formsPath, 6],
  ["audit events", () => "/papi/v1/management/audit", Number.NaN],
  ["a form's events", () => `${formsPath}/${form.id}/audit`, Number.NaN],
  ["edits", () => `${submissions}/${edited}/edits`, 7],
  ["deliveries", () => `/papi/v1/management/webhooks/${webhook}/deliveries`, 7],
  ["mails", () => `${formsPath}/${form.id}/mails`, 7],
];
let edited = "";
let webhook = "";

beforeAll(async () => {
  const made = await call("POST", "/papi/v1/management/webhooks", {
    body: { url: "https://hooks.example.org/", formId: form.id, eventTypes: ["submission.created"] },
  });
  webhook = made.body.data.webhook.id;
  for (let n = 0; n < 7; n++) edited = (await submitted({ a: String(n) })).id;
  let row = await (await call("GET", `${submissions}/${edited}`)).body.data.submission;
  for (let n = 0; n < 7; n++) row = (await patch(row, [["a", `x${n}`]])).body.data.submission;
  for (let n = 0; n < 5; n++)
    await call("POST", formsPath, { body: { name: String(n), schema: { fields } } });
  await until(async () => (await page(lists[5]?.[1]() ?? "")).items.length === 7);
  await sql`
    insert into formd.mails (team_id, id, kind, form_id, subject_id, state, due_at, gives_up_at, created_at, expires_at)
    select ${team.id}, formd.uuid_make(), 'notice', ${form.id}, ${edited}, 'sent', now(), now(), now(), now() + interval '1 day'
    from generate_series(1, 7)`;
  await mark();
});

describe.each(lists)("the list of %s", (_, path, total) => {
  test("is read by its cursors, whatever the size of a page, each item once; the last page has none", async () => {
    const { items: all, pagination } = await page(path(), { limit: 100 });
    expect(pagination.next).toBeNull();
    expect(pagination.total).toBe(all.length);
    const ids = idsOf([{ items: all }]);
    if (!Number.isNaN(total)) expect(all).toHaveLength(total);
    for (const limit of [1, 2, 3, all.length]) {
      const pages = await walk(path(), { limit });
      expect(idsOf(pages)).toEqual(ids);
      expect(pages.map(({ pagination }) => [pagination.page, pagination.total])).toEqual(
        pages.map(() => [1, all.length]),
      );
      expect(pages).toHaveLength(Math.ceil(all.length / limit));
    }
    const uncounted = await walk(path(), { limit: 3, total: false });
    expect(idsOf(uncounted)).toEqual(ids);
    expect(uncounted.map(({ pagination }) => Object.keys(pagination).sort().join())).toEqual(
      uncounted.map(() => "limit,next,page"),
    );
    // A parameter that nobody reads binds nothing.
    const second = await page(path(), { limit: 1, page: 2, _: "1" });
    const third = await page(path(), { limit: 1, cursor: second.pagination.next });
    expect(idsOf([third])).toEqual(ids.slice(2, 3));
  });

  test("is read oldest first, with a cursor also after the last item, from where what comes later follows", async () => {
    const { items: all } = await page(path(), { limit: 100 });
    const pages = await walk(path(), { limit: 3, order: "oldest" });
    expect(idsOf(pages)).toEqual(idsOf([{ items: all }]).toReversed());
    const { pagination } = pages.at(-1) as Page;
    expect(pagination.total).toBe(all.length);
    // A page has seen up to its last item, and the last page all that is stored.
    expect(pagination.hasMore).toBeFalse();
    expect(pagination.upTo).toMatch(timestamp);
    expect(Date.parse(pagination.upTo ?? "")).toBeGreaterThan(msOfId(all[0]?.id ?? ""));
    for (const { items, pagination } of pages.slice(0, -1))
      expect([pagination.hasMore, Date.parse(pagination.upTo ?? "")]).toEqual([
        true,
        msOfId(items.at(-1)?.id ?? ""),
      ]);
    expect(pages.every((each) => /^[\w-]{1,200}$/.test(each.pagination.next ?? ""))).toBeTrue();
    const again = await page(path(), { limit: 3, order: "oldest", cursor: pagination.next });
    expect([again.items, again.pagination.hasMore]).toEqual([[], false]);
  });

  test("refuses a cursor that is damaged, of another order or list, of another team, or beside a page", async () => {
    const { next } = (await page(path(), { limit: 1, order: "oldest" })).pagination;
    const newest = (await page(path(), { limit: 1 })).pagination.next as string;
    const flipped = newest.replace(/^./, (first) => (first === "A" ? "B" : "A"));
    const others = lists.filter(([, each]) => each() !== path());
    const foreign = await Promise.all(others.map(([, each]) => page(each(), { limit: 1 })));
    for (const query of [
      ...[
        flipped,
        newest.slice(1),
        newest.slice(0, -1),
        `${newest}A`,
        "",
        "é",
        "A".repeat(43),
        "A".repeat(201),
      ].map((cursor) => ({ cursor })),
      { cursor: next },
      { cursor: newest, order: "oldest" },
      { cursor: newest, page: 1 },
      { order: "oldest", page: 2 },
      { order: "rising" },
      { total: "no" },
      ...foreign.map(({ pagination }) => ({ cursor: pagination.next })),
    ] as object[]) {
      const reply = await call("GET", `${path()}?${new URLSearchParams({ ...query })}`);
      expect([query, outcome(reply)]).toEqual([query, "400 bad_request"]);
    }
  });
});

test("a cursor is of its team and of its filters, which have one spelling or another", async () => {
  const other = await makeTeam(app);
  const audit = "/papi/v1/management/audit";
  const { next } = (await page(audit, { limit: 1 })).pagination;
  const foreign = await call("GET", `${audit}?cursor=${next}`, { key: other.key });
  expect(outcome(foreign)).toBe("400 bad_request");
  expect(foreign.body.error).toContain("cursor");
  const { key } = await makeKey(app, team);
  expect((await page(audit, { cursor: next }, key)).items.length).toBeGreaterThan(0);

  const filters = { status: "completed", createdAfter: "2020-01-01T00:00:00Z" };
  const first = await page(submissions, { ...filters, limit: 2 });
  const cursor = first.pagination.next;
  const same = { createdAfter: "2020-01-01T01:00:00+01:00", status: "completed", limit: "5", cursor };
  const all = (await page(submissions)).items;
  expect((await page(submissions, same)).items).toEqual(all.slice(2));
  for (const filter of [
    {},
    { status: "completed" },
    { ...filters, status: "pending" },
    { ...filters, q: "x" },
  ]) {
    const reply = await call(
      "GET",
      `${submissions}?${new URLSearchParams({ ...filter, cursor: cursor ?? "" })}`,
    );
    expect([filter, outcome(reply)]).toEqual([filter, "400 bad_request"]);
  }
  const search = await walk(submissions, { q: "x", limit: 1 });
  expect(idsOf(search)).toEqual([edited]);
  const found = await walk(submissions, { q: edited.slice(-8), order: "oldest" });
  expect(idsOf(found)).toEqual([edited]);
});

test("changes: what was created, edited, reviewed or deleted comes in that order, and nothing else does", async () => {
  const changes = { changes: true, order: "oldest", limit: 3 };
  const first = await walk(submissions, changes);
  // The last one was edited since, so it comes again, as it is now.
  expect(new Set(idsOf(first)).size).toBe(7);
  expect(idsOf(first).at(-1)).toBe(edited);
  let cursor = first.at(-1)?.pagination.next as string;
  const [oldest, doomed] = idsOf(first);
  const row = (await call("GET", `${submissions}/${oldest}`)).body.data.submission;
  const changed = (await patch(row, [["a", "later"]])).body.data.submission;
  await call("DELETE", `${submissions}/${doomed}`);
  const added = await submitted({ a: "new" });
  await mark();
  const items: Item[] = [];
  for (let asked = 0; asked < 3; asked++) {
    const { items: found, pagination } = await page(submissions, { ...changes, cursor });
    items.push(...found);
    cursor = pagination.next as string;
  }
  expect(items).toEqual([
    changed,
    { id: doomed as string, deleted: true, updatedAt: expect.stringMatching(timestamp) },
    added,
  ]);
  await patch(added, [["a", "edited"]]);
  await call("DELETE", `${submissions}/${added.id}`);
  await mark();
  // The edit of what is gone is no item: a page is empty, though more is stored.
  const rest = await walk(submissions, { ...changes, cursor, limit: 1 });
  expect(rest.map(({ items, pagination }) => [items, pagination.hasMore])).toMatchObject([
    [[], true],
    [[{ id: added.id, deleted: true }], false],
  ]);
});

test("changes take no filter and one order; a cursor of more than 30 days ago is 410", async () => {
  for (const query of [
    "",
    "&order=newest",
    "&order=oldest&status=completed",
    "&order=oldest&q=x",
    "&order=oldest&page=2",
  ])
    expect([query, outcome(await call("GET", `${submissions}?changes=true${query}`))]).toEqual([
      query,
      "400 bad_request",
    ]);
  const key = new MasterKey(parseMasterKey(masterKey));
  const bound = JSON.stringify([team.id, submissions, "oldest", [["changes", true]]]);
  const at = (days: number) => smallestIdAt(Date.now() - days * 86_400_000);
  const ask = async (after: string, since: string) => {
    const cursor = cursorOf(key, bound, { after, since });
    return outcome(await call("GET", `${submissions}?changes=true&order=oldest&cursor=${cursor}`));
  };
  expect(await ask(at(31), at(31))).toBe("410 cursor_expired");
  // A reader that began lately may be at old submissions, and one at new ones may have begun long ago.
  expect(await ask(at(31), at(1))).toBe("ok");
  expect(await ask(at(29), at(90))).toBe("ok");
});

test.skipIf(isDistributed)(
  "a page oldest first ends before the oldest transaction that runs, whatever commits earlier",
  async () => {
    await sql.begin(async (open) => {
      await open`select pg_current_xact_id()`;
      const late = await submitted({ a: "waits" });
      for (let n = 0; n < 3; n++) await sql`select formd.feed_mark(p_at_once => true)`;
      expect(idsOf(await walk(submissions, { order: "oldest" }))).not.toContain(late.id);
      expect((await page(submissions)).items[0]?.id).toBe(late.id);
    });
    await mark();
    expect(idsOf(await walk(submissions, { order: "oldest" })).at(-1)).toBe(
      (await page(submissions)).items[0]?.id as string,
    );
  },
);
