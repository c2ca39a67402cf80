/**
 * Months under load: dividing the tables, and dropping one, let no request wait or fail.
 * FORMD_MONTHS_ROWS: submissions of the month; 100,000 by default.
 */
import { expect, test } from "bun:test";
import { divideSince } from "../setup/months.ts";
import {
  ask,
  formdProcess,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  settingsFor,
  submitByKey,
  type Team,
} from "../setup.ts";

const rows = Number(process.env.FORMD_MONTHS_ROWS ?? 100_000);
const callers = 8;
/**
 * Maximum time that a table may be locked, and that a request may take longer than /readyz. It is three times
 * the usual time of a request on a busy machine. /readyz reads no locked table, so that its time depends on
 * the machine only.
 */
const barMs = 250;

/**
 * Submits and reads lists until it is stopped.
 * @returns the number of requests, the failed ones, and the slowest, also of /readyz
 */
function load(app: Service, team: Team, form: PublishedForm) {
  const answers: { status: number; ms: number }[] = [];
  let isOver = false;
  const asOwner = { "x-api-key": team.key };
  const calls = [
    () => submitByKey(app, team, form, { a: "x" }),
    () => ask(app, "GET", `/papi/v1/management/forms/${form.id}/submissions`, { headers: asOwner }),
  ];
  const all = Array.from({ length: callers }, async (_, caller) => {
    for (let n = caller; !isOver; n++) {
      const startedAt = performance.now();
      const { status } = await (calls[n % calls.length] as (typeof calls)[number])();
      answers.push({ status, ms: performance.now() - startedAt });
      await Bun.sleep(20);
    }
  });
  let slowestReady = 0;
  const ready = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await ask(app, "GET", "/readyz");
      slowestReady = Math.max(slowestReady, Math.round(performance.now() - startedAt));
      await Bun.sleep(20);
    }
  })();
  return async () => {
    isOver = true;
    await Promise.all([...all, ready]);
    const slowest = Math.round(Math.max(...answers.map(({ ms }) => ms)));
    const bad = answers.filter(({ status }) => status !== 200);
    return { answers: answers.length, bad, slowest, slowestReady };
  };
}

/** The same load without and with the work. */
async function compare(
  app: Service,
  team: Team,
  form: PublishedForm,
  name: string,
  work: () => Promise<unknown>,
) {
  const before = load(app, team, form);
  await Bun.sleep(5_000);
  const without = await before();
  const during = load(app, team, form);
  const startedAt = performance.now();
  const failure = await work().then(
    () => undefined,
    (error) => error,
  );
  const ms = Math.round(performance.now() - startedAt);
  const beside = await during();
  if (failure) throw failure;
  console.log(
    `${name}, ${rows} rows: ${ms} ms; slowest of ${beside.answers} requests ${beside.slowest} ms, of /readyz ${beside.slowestReady} (${without.slowest} ms without)`,
  );
  expect(beside.bad).toEqual([]);
  expect(beside.answers).toBeGreaterThan(callers);
  expect(beside.slowest - beside.slowestReady).toBeLessThanOrEqual(Math.max(barMs, 3 * without.slowest));
}

/** Submissions of a month: in this month, or in one before it. */
async function fill({ database: { sql } }: Service, team: Team, form: PublishedForm, monthsAgo: number) {
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data,
      created_at, updated_at, completed_at)
    select ${team.id}, ${form.id}, i.id, 1, 'completed', 'api_key', 'owner', ${team.keyId},
      jsonb_build_object('a', repeat('x', 200)), i.at, i.at, i.at
    from (
      select overlay(formd.uuid_floor(n.at)::text placing substr(gen_random_uuid()::text, 15) from 15)::uuid as id, n.at
      from (
        select formd.partition_month(${-monthsAgo}) + interval '1 s' * g as at
        from generate_series(1, ${rows}) as g) as n) as i`;
  await sql`select formd.submission_counts_repair(${team.id}, ${form.id})`;
  await sql`analyze formd.submissions`;
}

async function made(monthsAgo: number) {
  const app = await service({ ...permissive, LOG_LEVEL: "warn" });
  if (monthsAgo > 0) await divideSince(app.database, monthsAgo);
  const team = await makeTeam(app);
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  await fill(app, team, form, monthsAgo);
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await formdProcess([...args, "--json"], settingsFor(app.database));
    expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };
  const exact = async () => {
    const counts = await app.database.sql<{ counted: number; total: number }[]>`
      select counted::int, total::int from formd.submission_recount(${team.id}, ${form.id})`;
    for (const { counted, total } of counts) expect(total).toBe(counted);
  };
  return { app, team, form, command, exact };
}

test("the tables are divided under load", async () => {
  const { app, team, form, command, exact } = await made(0);
  await compare(app, team, form, "enable", async () => {
    const { enabled } = await command("partition", "enable");
    console.log(enabled);
    for (const { lockedMs } of enabled) expect(lockedMs).toBeLessThanOrEqual(barMs);
  });
  await exact();
}, 600_000);

test("a month is detached and dropped under load, and the totals are exact", async () => {
  const { app, team, form, command, exact } = await made(2);
  const month = new Date().toISOString().slice(0, 7);
  await compare(app, team, form, "drop", () => command("partition", "drop", "--before", month));
  const [row] = await app.database.sql<{ rows: number }[]>`
    select count(*)::int as rows from formd.submissions where id < formd.uuid_floor(formd.partition_month(0))`;
  expect(row).toEqual({ rows: 0 });
  await exact();
}, 600_000);
