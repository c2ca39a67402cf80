/**
 * Reading in the order of the database. Writers on clocks that are up to 5 minutes wrong commit, roll back
 * and prepare at random; readers go on from where they were. Each row is read exactly once, also in a
 * database of months, with prepared transactions, and over a killed PostgreSQL.
 * FORMD_FEED_ROUNDS: how many rounds of each.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { connect, jsonb, type Sql } from "../../src/platform/database/db.ts";
import { type Embedded, embedded } from "../../src/platform/database/embedded/index.ts";
import { migrate } from "../../src/platform/database/migrations/index.ts";
import { changesSince, readableUntil } from "../../src/resources/submissions/changes.ts";
import { until } from "../expect.ts";
import { asUser, inDatabase } from "../setup/cluster.ts";
import { divideSince } from "../setup/months.ts";
import { makeForm, makeTeam, type Service, type Team, temporaryFolder } from "../setup.ts";
import { type NewSubmission, submitAll } from "../sql/fixture.ts";
import { postmasterIn } from "./killable.ts";

const rounds = Number(process.env.FORMD_FEED_ROUNDS ?? 2);
const roundMs = 2_500;
const [writers, readers, markers] = [8, 2, 3];
const sessions = 64;

const folder = temporaryFolder();
let lease: Embedded;
beforeAll(async () => {
  lease = await embedded(folder, (line) => console.log(line));
  const admin = connect(adminOf("postgres"), { poolSize: 1, prepare: false });
  await admin`alter system set max_prepared_transactions = 50`;
  await admin.end();
  await migrate(lease.ownerUrl, () => {});
  await lease.release();
  lease = await embedded(folder, (line) => console.log(line));
});
afterAll(() => lease?.release(), 60_000);

const adminOf = (name: string) => inDatabase(asUser(lease.ownerUrl, "postgres"), name);
const random = (least: number, most: number) => least + Math.floor(Math.random() * (most - least + 1));
const chance = (share: number) => Math.random() < share;

interface World {
  url: string;
  sql: Sql;
  team: Team;
  form: Awaited<ReturnType<typeof makeForm>>;
  tokens: string[];
}

/** A database of its own, whose functions take the time from a clock that each transaction sets. */
async function world(isDivided: boolean): Promise<World> {
  const name = `feed_${uuidv7().replaceAll("-", "")}`;
  const admin = connect(adminOf("postgres"), { poolSize: 1, prepare: false });
  await admin.unsafe(`create database ${name} template formd owner formd_owner`);
  await admin.end();
  const url = adminOf(name);
  const sql = connect(url, { poolSize: 4, prepare: false });
  if (isDivided) await divideSince({ ownerUrl: inDatabase(lease.ownerUrl, name) }, 3);
  await sql.unsafe(`
    create function public.wrong_clock() returns timestamptz language sql volatile as $$
      select clock_timestamp() + make_interval(secs => coalesce(nullif(current_setting('test.ahead', true), ''), '0')::float8)
    $$;
    create function public.feed_page(p_team uuid, p_form uuid, p_after uuid, p_limit integer) returns setof uuid
    language plpgsql stable set enable_seqscan = off set enable_sort = off as $$
    declare
      v_end uuid := formd.uuid_floor(formd.feed_end());
    begin
      return query select s.id from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.id > p_after and s.id < v_end
      order by s.id limit p_limit;
    end $$`);
  for (const { text } of await sql<{ text: string }[]>`
    select pg_get_functiondef(oid) as text from pg_proc
    where pronamespace = 'formd'::regnamespace and proname in ('feed_now', 'feed_mark')`)
    await sql.unsafe(text.replaceAll("clock_timestamp()", "public.wrong_clock()"));
  const app = { database: { sql, url, ownerUrl: url } } as Service;
  const team = await makeTeam(app);
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const tokens = Array.from({ length: sessions }, () => uuidv7());
  for (const token of tokens)
    await sql`
      insert into formd.sessions (team_id, id, kind, form_id, token_hash, created_at, expires_at)
      values (${team.id}, gen_random_uuid(), 'anonymous', ${form.id}, ${sha256(token)}, now(), now() + interval '1 day')`;
  return { url, sql, team, form, tokens };
}

type Sets = Pick<Sql, "unsafe">;
const setClock = (each: Sets, seconds = random(-300, 300)) =>
  each.unsafe(`select set_config('test.ahead', '${seconds}', false)`);

/** Submits one or a list, or changes or deletes what is there. */
async function act({ team, form, tokens }: World, each: Sql): Promise<void> {
  const actor = `(api_key,${team.keyId},r)`;
  const [found] = await each<{ id: string; updatedAt: Date }[]>`
    select id, updated_at from formd.submissions where form_id = ${form.id} order by random() limit 1`;
  if (found && chance(0.2))
    await each`
      select from formd.submission_patch(${team.id}, ${actor}, ${form.id}, ${found.id}, ${found.updatedAt},
        ${jsonb(each, [{ fieldId: "a", value: uuidv7() }])}, true)`;
  else if (found && chance(0.05))
    await each`select formd.submission_delete(${team.id}, ${actor}, ${form.id}, ${found.id})`;
  else {
    const isSet = chance(0.5);
    const chosen = tokens.toSorted(() => Math.random() - 0.5).slice(0, random(2, 4));
    const list: NewSubmission[] = isSet ? chosen.map((token) => ({ form, token })) : [{ form }];
    const results = await submitAll(each, team, list, isSet ? null : team.id);
    expect(results.map(({ outcome }) => outcome)).toEqual(list.map(() => "stored"));
  }
}

/** Errors of what goes on at once: a change that another one overtook, a lock, a killed database. */
const isExpected = (error: { code?: string }) =>
  /^(ZFORM|40P01|40001|55P03|57P0\d|CONN|ECONN|EPIPE|08)/.test(error.code ?? "");

async function untilStopped(isRunning: () => boolean, step: () => Promise<void>): Promise<void> {
  while (isRunning())
    try {
      await step();
    } catch (error) {
      if (!isExpected(error as { code?: string })) throw error;
      await Bun.sleep(20);
    }
}

/** Writes in transactions of random length and end. */
async function write(of: World, isRunning: () => boolean, mayPrepare: boolean): Promise<void> {
  const sql = connect(of.url, { poolSize: 1, prepare: false });
  const undo = new Error("undone");
  await untilStopped(isRunning, async () => {
    const name = mayPrepare && chance(0.3) ? uuidv7() : undefined;
    await setClock(sql);
    await sql.unsafe("begin");
    try {
      for (let acts = random(1, 3); acts > 0; acts--) {
        await act(of, sql);
        await Bun.sleep(chance(0.1) ? random(100, 800) : random(0, 15));
      }
      if (chance(0.15)) throw undo;
      await sql.unsafe(name ? `prepare transaction '${name}'` : "commit");
    } catch (error) {
      await sql.unsafe("rollback");
      if (error !== undo) throw error;
      return;
    }
    if (!name) return;
    await Bun.sleep(random(100, 600));
    await sql.unsafe(`${chance(0.8) ? "commit" : "rollback"} prepared '${name}'`);
  });
  await sql.end({ timeout: 1 });
}

/** Reads pages by the bound, from where it was. */
async function read({ url, team, form }: World, isRunning: () => boolean): Promise<string[]> {
  const sql = connect(url, { poolSize: 1, prepare: false });
  const ids: string[] = [];
  let left = 1;
  const page = async () => {
    const after = ids.at(-1) ?? "00000000-0000-0000-0000-000000000000";
    const rows = await sql<{ id: string }[]>`
      select id from public.feed_page(${team.id}, ${form.id}, ${after}, ${random(1, 50)}) as id`;
    ids.push(...rows.map(({ id }) => id));
    left = rows.length;
  };
  await untilStopped(
    () => isRunning() || left > 0,
    async () => {
      await page();
      if (left === 0) await Bun.sleep(random(0, 10));
    },
  );
  await sql.end({ timeout: 1 });
  return ids;
}

/** Exports files of changes, one after another, as `formd export --since` does. */
async function copy({ url, team, form }: World, isRunning: () => boolean): Promise<object[]> {
  const sql = connect(url, { poolSize: 1, prepare: false });
  const lines: object[] = [];
  let since = new Date(0);
  let isLast = false;
  await untilStopped(
    () => !isLast,
    async () => {
      isLast = !isRunning();
      try {
        const end = await readableUntil(sql);
        const file: object[] = [];
        for await (const part of changesSince(sql, team.id, form.id, since, end))
          file.push(
            ...part.lines
              .split("\n")
              .filter(Boolean)
              .map((line) => JSON.parse(line)),
          );
        lines.push(...file);
        if (end > since) since = end;
      } catch (error) {
        isLast = false;
        throw error;
      }
      await Bun.sleep(random(0, 100));
    },
  );
  await sql.end({ timeout: 1 });
  return lines;
}

async function mark({ url }: World, isRunning: () => boolean): Promise<void> {
  const sql = connect(url, { poolSize: 1, prepare: false });
  await untilStopped(isRunning, async () => {
    await setClock(sql);
    await sql`select formd.feed_mark(p_at_once => ${chance(0.5)})`;
    await Bun.sleep(random(5, 60));
  });
  await sql.end({ timeout: 1 });
}

/** Kills PostgreSQL, which the lease starts again. */
const kill = () => process.kill(postmasterIn(folder), "SIGKILL");

interface Scenario {
  isDivided?: true;
  mayPrepare?: true;
  isKilled?: true;
}

async function round(scenario: Scenario): Promise<number> {
  const of = await world(scenario.isDivided === true);
  let [isWriting, isReading] = [true, true];
  const writing = Promise.all([
    ...Array.from({ length: writers }, () => write(of, () => isWriting, scenario.mayPrepare === true)),
    ...Array.from({ length: markers }, () => mark(of, () => isWriting)),
  ]);
  const reading = Promise.all(Array.from({ length: readers }, () => read(of, () => isReading)));
  const copying = copy(of, () => isReading);
  await Bun.sleep(roundMs / 2);
  if (scenario.isKilled) kill();
  await Bun.sleep(roundMs / 2 + (scenario.isKilled ? 1_500 : 0));
  isWriting = false;
  await writing;
  const { sql, form } = of;
  const isUp = () =>
    sql`select`.then(
      () => true,
      () => false,
    );
  await until(isUp);
  // The kill has left some, which hold the bound.
  for (const { gid } of await sql<{ gid: string }[]>`
    select gid from pg_prepared_xacts where database = current_database()`)
    await sql.unsafe(`commit prepared '${gid}'`);
  // Two marks of a clock that is ahead of all ids.
  await sql.begin(async (later) => {
    await setClock(later, 1_200);
    await later`select formd.feed_mark(p_at_once => true)`;
  });
  for (let marks = 0; marks < 2; marks++) await sql`select formd.feed_mark(p_at_once => true)`;
  await Bun.sleep(100);
  isReading = false;
  const [lists, lines] = await Promise.all([reading, copying]);

  const stored = await sql<{ id: string; updatedAt: Date }[]>`
    select id, updated_at from formd.submissions where form_id = ${form.id} order by id`;
  const deleted = await sql<{ id: string; at: Date }[]>`
    select submission_id as id, created_at as at from formd.submission_erasures where form_id = ${form.id}`;
  const gone = new Set(deleted.map(({ id }) => id));
  for (const ids of lists) {
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect(ids.filter((id) => !gone.has(id))).toEqual(stored.map(({ id }) => id));
  }
  const keys = lines.map((line) => JSON.stringify(line));
  expect(keys).toHaveLength(new Set(keys).size);
  const last = new Map(
    (lines as { id: string; updatedAt?: string; deletedAt?: string }[]).map(
      ({ id, updatedAt = "", deletedAt }) => [id, deletedAt ? `deleted ${deletedAt}` : updatedAt],
    ),
  );
  expect(Object.fromEntries(last)).toEqual(
    Object.fromEntries([
      ...stored.map(({ id, updatedAt }) => [id, updatedAt.toISOString()]),
      ...deleted.map(({ id, at }) => [id, `deleted ${at.toISOString()}`]),
    ]),
  );
  await sql.end({ timeout: 1 });
  return stored.length;
}

test.each<[string, Scenario]>([
  ["of plain tables", {}],
  ["with prepared transactions", { mayPrepare: true }],
  ["of months", { isDivided: true }],
  ["over a killed PostgreSQL", { isKilled: true, mayPrepare: true }],
])(
  `${rounds} rounds %s: each row is read exactly once`,
  async (_, scenario) => {
    const counts: number[] = [];
    for (let n = 0; n < rounds; n++) counts.push(await round(scenario));
    console.log(`rows: ${counts.join(", ")}`);
    expect(Math.min(...counts)).toBeGreaterThan(20);
  },
  rounds * 60_000,
);
