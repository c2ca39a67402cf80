/** The recipe of docs/dba/recovery.md for a logical copy, as it is printed there. */
import { afterAll, expect, test } from "bun:test";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { connect, connectOnce, type Sql } from "../../src/platform/database/db.ts";
import { type Embedded, embedded } from "../../src/platform/database/embedded/index.ts";
import { migrate } from "../../src/platform/database/migrations/index.ts";
import { dropMonths, enablePartitions, listPartitions } from "../../src/platform/database/partitions.ts";
import { seedHistory, seedTarget } from "../bench/seed.ts";
import { until } from "../expect.ts";
import { root, temporaryFolder } from "../setup.ts";

const [setLevel = "", publish = "", subscribe = ""] = [
  ...readFileSync(join(root, "docs/dba/recovery.md"), "utf8").matchAll(/```sql\n(.*?)```/gs),
].map(([, statements]) => statements ?? "");
const tidy: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const each of tidy.reverse()) await each().catch(() => {});
});

const open = async (name: string): Promise<Embedded> => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o711);
  return await embedded(join(folder, name), () => {});
};
function superuser({ url }: Embedded): Sql {
  const sql = connect(url.replace(/\/\/[^@]*@/, "//postgres@"), { poolSize: 1, prepare: false });
  tidy.push(() => sql.end({ timeout: 1 }));
  return sql;
}
const total = async (sql: Sql) =>
  (await sql<[{ count: number }]>`select count(*)::int from formd.submissions`)[0].count;

test("the copy has what the primary has while it is divided and loses months, and an erasure reaches it", async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o711);
  const before = await embedded(join(folder, "primary"), () => {});
  await superuser(before).unsafe(setLevel);
  await before.release();
  const primary = await embedded(join(folder, "primary"), () => {});
  tidy.push(() => primary.release());
  const copy = await open("copy");
  tidy.push(() => copy.release());
  for (const { ownerUrl } of [primary, copy]) await migrate(ownerUrl, () => {});
  const [from, to] = [superuser(primary), superuser(copy)];
  const target = await seedTarget(from, { agents: 1, anonymous: 0 });
  await seedHistory(from, target, { submissions: 100, forms: 1 });

  await from.unsafe(publish);
  const host = decodeURIComponent(/[?&]host=([^&]*)/.exec(primary.url)?.[1] ?? "");
  await to.unsafe(subscribe.replace("primary.example.org", host));
  await until(async () => (await total(to)) === 100);

  const [{ id, updatedAt }] = await from<[{ id: string; updatedAt: Date }]>`
    select id, updated_at from formd.submissions order by id limit 1`;
  const edits = from.json([{ fieldId: "name", value: "Lovelace-1815" }]);
  await from`
    select from formd.submission_patch(${target.team}, ${`(api_key,${uuidv7()},r)`}, ${target.form}, ${id}, ${updatedAt}, ${edits}, true)`;
  const found = async () =>
    (await to`select from formd.submission_edits where new_value::text like '%Lovelace-1815%'`).length;
  await until(async () => (await found()) === 1);
  await from`select formd.submission_delete(${target.team}, '(cli,,r)', ${target.form}, ${id})`;
  await until(async () => (await total(to)) === 99 && (await found()) === 0);
  expect(await to`select submission_id from formd.submission_erasures`).toHaveLength(1);

  const store = (at: string) => from`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data,
      created_at, updated_at, completed_at)
    select ${target.team}, ${target.form}, overlay(formd.uuid_floor(${at}::text::timestamptz)::text placing substr(gen_random_uuid()::text, 15) from 15)::uuid,
      1, 'completed', 'anonymous', 'person', ${uuidv7()}, '{"name": "Ada"}', now(), now(), now()`;
  await using owner = connectOnce(primary.ownerUrl);
  await store("now");
  await enablePartitions(owner, () => {});
  await store("now");
  const [first, next] = (await listPartitions(owner)).filter(({ table }) => table === "submissions");
  await store(`${next?.from}-02T00:00Z`);
  await from`select formd.partition_make(26, 100)`;
  await store(`${(await listPartitions(owner)).at(-1)?.from}-02T00:00Z`);
  await from`update formd.submissions set data = '{"name": "Augusta"}' where data ->> 'name' = 'Ada'`;
  const renamed = async () =>
    (await to`select from formd.submissions where data ->> 'name' = 'Augusta'`).length;
  await until(async () => (await total(to)) === 103 && (await renamed()) >= 4);

  const dropped = await dropMonths(owner, first?.before ?? "", () => {});
  expect(dropped.map(({ name }) => name)).toEqual(["submissions_first", "submission_edits_first"]);
  await store(`${next?.from}-03T00:00Z`);
  await until(async () => (await total(to)) === 104);
  expect([await total(from), (await from`select from pg_replication_slots where active`).length]).toEqual([
    3, 1,
  ]);
  const [errors] = await to`select apply_error_count::int as count from pg_stat_subscription_stats`;
  expect(errors).toEqual({ count: 0 });
}, 600_000);
