/**
 * Clients that poll by cursors, at two servers, while 8 writers commit, roll back, edit and delete, some by
 * clocks that are up to 5 minutes wrong: a row comes exactly once, and a copy by changes is what is stored.
 * FORMD_POLLING_ROWS: how many rows there are in a run; FORMD_POLLING_RUNS: how many runs.
 */
import { expect, test } from "bun:test";
import { connectOnce } from "../../src/platform/database/db.ts";
import { until } from "../expect.ts";
import {
  ask,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Server,
  server,
  service,
  type Team,
} from "../setup.ts";

const rows = Number(process.env.FORMD_POLLING_ROWS ?? 20_000);
const runs = Number(process.env.FORMD_POLLING_RUNS ?? 2);
const [httpWriters, sqlWriters, listRows] = [4, 4, 100];

const settings = { ...permissive, RATE_LIMIT_MANAGEMENT_PER_MINUTE: "1000000" };
const app = await service(settings);
const { sql, url, ownerUrl } = app.database;
const other = await server({ ...settings, DATABASE_URL: url });
const servers: Pick<Server, "url">[] = [app, other];

await sql.unsafe(`
  create function public.wrong_clock() returns timestamptz language sql volatile as $$
    select clock_timestamp() + make_interval(secs => coalesce(nullif(current_setting('test.ahead', true), ''), '0')::float8)
  $$;
  grant usage on schema public to public`);
for (const { text } of await sql<{ text: string }[]>`
  select pg_get_functiondef(oid) as text from pg_proc
  where pronamespace = 'formd'::regnamespace and proname in ('feed_now', 'feed_mark')`)
  await sql.unsafe(text.replaceAll("clock_timestamp()", "public.wrong_clock()"));

const random = (below: number) => Math.floor(Math.random() * below);
const any = <T>(of: readonly T[]): T => of[random(of.length)] as T;

interface Item {
  id: string;
  deleted?: true;
  updatedAt: string;
}

/** Submits at either server, and edits or deletes what it has submitted. */
async function writeByApi(team: Team, form: PublishedForm, isRunning: () => boolean): Promise<void> {
  const own: Item[] = [];
  const headers = { "x-api-key": team.key, "x-form-access-key": form.accessKey };
  while (isRunning()) {
    const to = any(servers);
    const old = Math.random() < 0.3 ? own.splice(random(own.length), 1)[0] : undefined;
    const path = `/papi/v1/management/forms/${form.id}/submissions/${old?.id}`;
    if (!old) {
      const reply = await ask(to, "POST", "/papi/v1/submitter/form/submissions", {
        headers,
        body: { data: { a: "x" } },
      });
      expect(reply.status).toBe(200);
      own.push(
        (await ask(to, "GET", `${path.replace("undefined", reply.body.data.id)}`, { headers })).body.data
          .submission,
      );
    } else if (Math.random() < 0.3) {
      expect((await ask(to, "DELETE", path, { headers })).status).toBe(200);
    } else {
      const edits = [{ fieldId: "a", value: String(Math.random()) }];
      const body = { expectedUpdatedAt: old.updatedAt, edits };
      own.push((await ask(to, "PATCH", path, { headers, body })).body.data.submission);
    }
  }
}

/** Stores lists in transactions that wait before they commit, or roll back, by a clock that is wrong. */
async function writeBySql(team: Team, form: PublishedForm, isRunning: () => boolean): Promise<void> {
  await using each = connectOnce(ownerUrl);
  const undo = new Error("undone");
  while (isRunning())
    await each
      .begin(async (open) => {
        await open.unsafe(`select set_config('test.ahead', '${random(601) - 300}', true)`);
        await open`
          insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data,
            created_at, updated_at, completed_at)
          select ${team.id}, ${form.id}, id, 1, 'completed', 'api_key', 'owner', ${team.keyId}, '{"a": "x"}', formd.uuid_time(id),
            formd.uuid_time(id), formd.uuid_time(id)
          from (select formd.uuid_make() as id from generate_series(1, ${listRows}) offset 0) as made`;
        await Bun.sleep(Math.random() < 0.1 ? random(700) : random(20));
        if (Math.random() < 0.1) throw undo;
      })
      .catch((error) => {
        if (error !== undo) throw error;
      });
}

async function mark(isRunning: () => boolean): Promise<void> {
  await using each = connectOnce(ownerUrl);
  while (isRunning()) {
    await each.unsafe(`select set_config('test.ahead', '${random(601) - 300}', false)`);
    await each`select formd.feed_mark(p_at_once => ${Math.random() < 0.5})`;
    await Bun.sleep(random(60));
  }
}

/** Polls a list, each page at either server, to its end once `isRunning` is false. */
async function poll(
  team: Team,
  form: PublishedForm,
  query: string,
  isRunning: () => boolean,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ""; ; ) {
    const wasRunning = isRunning();
    const path = `/papi/v1/management/forms/${form.id}/submissions?order=oldest&total=false&limit=${1 + random(100)}${query}${cursor}`;
    const { status, body } = await ask(any(servers), "GET", path, { headers: { "x-api-key": team.key } });
    expect(status).toBe(200);
    items.push(...body.data.submissions);
    cursor = `&cursor=${body.data.pagination.next}`;
    if (body.data.submissions.length > 0) continue;
    if (!wasRunning) return items;
    await Bun.sleep(random(20));
  }
}

test(
  `${runs} runs of ${rows} rows: none is missed, none comes twice, and changes make the same copy`,
  async () => {
    for (let run = 0; run < runs; run++) {
      const team = await makeTeam(app);
      const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
      let [isWriting, isReading] = [true, true];
      const count = async () => {
        const [{ total }] = await sql<[{ total: number }]>`
          select count(*)::int as total from formd.submissions where team_id = ${team.id}`;
        return total;
      };
      const writing = Promise.all([
        ...Array.from({ length: httpWriters }, () => writeByApi(team, form, () => isWriting)),
        ...Array.from({ length: sqlWriters }, () => writeBySql(team, form, () => isWriting)),
        mark(() => isWriting),
      ]);
      const reading = Promise.all(
        ["", "", "&changes=true"].map((query) => poll(team, form, query, () => isReading)),
      );
      await until(async () => {
        await Bun.sleep(200);
        return (await count()) >= rows;
      }, 600_000);
      isWriting = false;
      await writing;
      // Marks of a clock that is ahead of all ids, until all can be read.
      await sql.begin(async (later) => {
        await later`select set_config('test.ahead', '600', true)`;
        await later`select formd.feed_mark(p_at_once => true)`;
      });
      const [{ last }] = await sql<[{ last: Date }]>`
        select greatest(max(formd.uuid_time(s.id::text::uuid))) as last from (
          select id from formd.submissions where team_id = ${team.id} order by id desc limit 1) as s`;
      await until(async () => {
        const [found] = await sql<
          { upTo: Date }[]
        >`select up_to_at as up_to from formd.feed_mark(p_at_once => true)`;
        return found && found.upTo > last;
      });
      isReading = false;
      const [first = [], second = [], changes = []] = await reading;

      const stored = await sql<{ id: string; updatedAt: Date }[]>`
        select id, updated_at from formd.submissions where team_id = ${team.id} order by id`;
      const gone = new Set(
        (
          await sql<{ id: string }[]>`
          select submission_id as id from formd.submission_erasures where team_id = ${team.id}`
        ).map(({ id }) => id),
      );
      for (const items of [first, second]) {
        const ids = items.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.filter((id) => !gone.has(id))).toEqual(stored.map(({ id }) => id));
      }
      const copy = new Map<string, string>();
      for (const { id, deleted, updatedAt } of changes) {
        if (deleted) copy.delete(id);
        else copy.set(id, updatedAt);
      }
      expect(copy.size).toBe(stored.length);
      expect(stored.filter(({ id, updatedAt }) => copy.get(id) !== updatedAt.toISOString())).toEqual([]);
      console.log(
        `run ${run + 1}: ${stored.length} rows, ${gone.size} deleted, ${changes.length} changes read`,
      );
    }
  },
  runs * 900_000,
);
