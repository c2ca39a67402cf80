import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb } from "../../src/platform/database/db.ts";
import { submissionsFixture } from "./submissions-fixture.ts";

const { sql, team, form, freshForm, stored } = await submissionsFixture();
const store = async (data: Record<string, unknown>, to = form): Promise<string> =>
  (await stored({ form: to, item: { data } })).id;

interface Found {
  id: string | null;
  total: number;
  nextId: string | null;
}
const search = (
  what: object,
  { limit = 20, offset = 0, after = null as string | null, order = "newest" } = {},
) =>
  sql<Found[]>`
    select id, total::int, next_id from formd.submission_search(
      p_team => ${team.id}, p_form => ${form.id}, p_search => ${jsonb(sql, what)}, p_status => null, p_review => null,
      p_agent => null, p_respondent => null, p_provenance => null, p_language => null, p_first_id => null, p_end_id => null,
      p_limit => ${limit}, p_offset => ${offset}, p_after => ${after}, p_order => ${order})`;
const ids = async (what: object) => (await search(what)).flatMap(({ id }) => id ?? []);

describe("a text", () => {
  test("is found in values, whatever the case, at any depth, and not in names of fields or parts", async () => {
    const nested = await store({ home: { city: "Zürich", rooms: [1234567, "Küche"] }, needle: "x" });
    // A database with the locale C knows no case of other letters than a to z.
    const [{ foldsAll }] = await sql<[{ foldsAll: boolean }]>`select 'Ü' ilike 'ü' as folds_all`;
    for (const text of ["zürich", foldsAll ? "ÜRIC" : "üRIC", "KüCH", "34567"])
      expect([text, await ids({ text })]).toEqual([text, [nested]]);
    for (const text of ["needle", "city", "rooms", "zürich bern"])
      expect([text, await ids({ text })]).toEqual([text, []]);
  });

  test("is found in either Unicode form, in which values stay as they were sent", async () => {
    const forms = ["NFC", "NFD"] as const;
    const cafes: string[] = [];
    for (const form of forms) cafes.unshift(await store({ a: "Café \u1100\u1161".normalize(form) }));
    for (const form of forms)
      for (const text of ["CAFé", "\uac00", "fé \uac00"])
        expect([text, await ids({ text: text.normalize(form) })]).toEqual([text, cafes]);
  });

  test("is found where the value has both Unicode forms, or marks in another order", async () => {
    const mixed = await store({ a: `${"Zoë".normalize("NFC")} ${"Čapek".normalize("NFD")} \u00ea\u0323` });
    for (const text of ["Zoë Čapek", "zoë č", "\u1ec7", "e\u0323\u0302"])
      for (const form of ["NFC", "NFD"] as const)
        expect([text, form, await ids({ text: text.normalize(form) })]).toEqual([text, form, [mixed]]);
  });

  test("has no wildcards, and may have every character that JSON escapes", async () => {
    const strange = await store({ a: '100 % _under\\slash "quoted"\nnext\tline' });
    for (const text of ["100 %", "_under", "\\slash", '"quoted"', "\nnext", "\tline"])
      expect([text, await ids({ text })]).toEqual([text, [strange]]);
    for (const text of ["100_%", "%line", "u.der"]) expect([text, await ids({ text })]).toEqual([text, []]);
  });

  test("may be the label of an option", async () => {
    const chosen = await store({ size: "opt-7", sizes: ["opt-8"] });
    expect(await ids({ text: "Medium", options: [{ size: "opt-7" }] })).toEqual([chosen]);
    expect(await ids({ text: "Large", options: [{ sizes: ["opt-8"] }] })).toEqual([chosen]);
    expect(await ids({ text: "Large", options: [{ size: "opt-9" }] })).toEqual([]);
  });
});

test("each list of choices has one that the data contain, and a range is about values of its type", async () => {
  const [one, two] = [
    await store({ c: "x", n: 5, d: "2031-05-01" }),
    await store({ c: ["x", "y"], n: "7", d: 3 }),
  ];
  const either = [{ c: "x" }, { c: ["x"] }];
  expect(await ids({ all: [either] })).toEqual([two, one]);
  expect(await ids({ all: [either, [{ c: ["y"] }]] })).toEqual([two]);
  expect(await ids({ ranges: [{ id: "n", from: 5, to: 5 }] })).toEqual([one]);
  expect(await ids({ ranges: [{ id: "n", from: 6 }] })).toEqual([]);
  expect(await ids({ ranges: [{ id: "d", from: "2031-04-30", to: "2031-05-01" }] })).toEqual([one]);
  expect(await ids({ all: [either], ranges: [{ id: "n", to: 4 }] })).toEqual([]);
});

test("a page has its part of what was found, and the total", async () => {
  const newest: string[] = [];
  for (let n = 0; n < 3; n++) newest.unshift(await store({ a: "paged" }));
  const page = async (limit: number, offset: number) =>
    (await search({ text: "paged" }, { limit, offset })).slice(0, -1).map(({ id, total }) => [id, total]);
  expect(await page(2, 0)).toEqual([
    [newest[0], 3],
    [newest[1], 3],
  ] as never);
  expect(await page(2, 2)).toEqual([[newest[2], 3]] as never);
  expect(await page(2, 4)).toEqual([]);
});

test("a summary counts values, sums up numbers, and has the newest texts, of whole submissions", async () => {
  const own = await freshForm();
  for (const [index, c] of ["x", ["x", "y"], "z"].entries())
    await store({ c, n: 10 * index, t: `text ${index}` }, own);
  await store({ n: "no number" }, own);
  const wanted = jsonb(sql, [
    { id: "c", part: "choice" },
    { id: "n", part: "number" },
    { id: "t", part: "text" },
    { id: "absent", part: "choice" },
  ]);
  const rows = await sql<{ fieldId: string | null; part: string; value: unknown; total: number }[]>`
    select field_id, part, value, total::int from formd.submission_summary(${team.id}, ${own.id}, ${wanted}, null)`;
  const of = (field: string | null, part: string): unknown =>
    rows
      .filter((row) => row.fieldId === field && row.part === part)
      .map(({ value, total }) => [value, total]);
  expect([of(null, "all"), of(null, "older")]).toEqual([[[null, 4]], []]);
  expect([of("c", "given"), of("n", "given"), of("absent", "given")]).toEqual([[[null, 3]], [[null, 4]], []]);
  expect((of("c", "choice") as []).toSorted() as unknown).toEqual([
    ["x", 2],
    ["y", 1],
    ["z", 1],
  ]);
  expect(of("n", "number")).toEqual([[{ least: 0, median: 10, greatest: 20 }, 3]]);
  expect(of("t", "text")).toEqual([
    ["text 2", 1],
    ["text 1", 2],
    ["text 0", 3],
  ]);
});

test("10,000 are searched, from either end, and others after the id that the result names", async () => {
  const oldest = await store({ a: "the oldest of many" });
  const times = Array.from({ length: 10_000 }, (_, index) => uuidv7({ msecs: Date.now() + 1_000 + index }));
  await sql`
    insert into formd.submissions (id, team_id, form_id, form_version, status, data, submitter_type, provenance, submitter_id, created_at, updated_at, completed_at)
    select id, ${team.id}, ${form.id}, 1, 'completed', '{"a": "one of many"}', 'api_key', 'owner', ${team.keyId}, now(), now(), now()
    from unnest(${times}::uuid[]) as t (id)`;
  const first = (await search({ text: "of many" }, { limit: 1 })).at(-1);
  expect(first).toEqual({ id: null, total: 10_000, nextId: times[0] as string });
  const found = await search({ text: "oldest" }, { after: first?.nextId as string });
  expect(found.map(({ id, nextId }) => [id, nextId])).toEqual([
    [oldest, null],
    [null, null],
  ]);
  const start = "00000000-0000-0000-0000-000000000000";
  const rising = await search({ text: "of many" }, { limit: 2, after: start, order: "rising" });
  expect(rising.map(({ id }) => id)).toEqual([oldest, times[0] as string, null]);
  expect(rising.at(-1)?.nextId).toBe(times[0] as string);
});
