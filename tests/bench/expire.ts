/**
 * `bun tests/bench/expire.ts`: what submits take while a rule deletes 1,000,000 submissions of the same form,
 * beside what they take without. It starts its own PostgreSQL and a server, and removes both: 2 GB of disk.
 *
 * Two jobs delete, as two more servers would. Times with and without them alternate, so that other work on
 * the machine does not decide, at a fixed rate of submits, each with its duration from when it was due. At
 * the end each row was deleted once, and the counters are those of a new count.
 *
 *   --jobs 2 --rows 1000000 --rate 100 per second --seconds 5 of each window
 *   --windows 0: pairs of windows at most; 0: to the end
 */
import { createLog } from "../../src/platform/log.ts";
import { expireSubmissions } from "../../src/platform/ops/purge.ts";
import {
  formd,
  measured,
  medianOf,
  optionsOf,
  quantile,
  say,
  settingsOf,
  startMigrated,
  startServer,
} from "./runner.ts";
import { payload, seedTarget } from "./seed.ts";

const options = optionsOf({ rows: 1_000_000, rate: 100, seconds: 5, windows: 0, jobs: 2 });
const { rows, rate, seconds, windows: maxWindows, jobs } = options;
/** A submit may take this many times as long at the 99th percentile. */
const maxRatio = 1.2;
/** The step size of the server's own job. */
const rowsPerStep = 100;
const insertStep = 100_000;

const { cluster, sql } = await startMigrated(jobs + 1);
const target = await seedTarget(sql, { agents: 1, anonymous: 0 });
const { team, form, accessKey, apiKey } = target;
const { data } = JSON.parse(payload);
for (let from = 1; from <= rows; from += insertStep) {
  const to = Math.min(from + insertStep - 1, rows);
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at, completed_at)
    select ${team}, ${form}, (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
      1, 'completed', 'agent', 'agent', ${form}, ${sql.json(data)}, t, t, t
    from (select n, (extract(epoch from now() - interval '100 days') * 1000)::bigint + n * 2000::bigint as ms
        from generate_series(${from}::int, ${to}::int) n) s,
      lateral (select to_timestamp(ms / 1000.0)::timestamptz(3) as t) at`;
  say(`${to} of ${rows} submissions`);
}
await sql`select formd.submission_count_add(${team}, ${form}, 'completed', ${rows})`;
await sql`
  update formd.forms set settings_in_force = settings_in_force || '{"retention": {"deleteAfter": "P30D"}}'
  where team_id = ${team} and id = ${form}`;
await sql.unsafe("vacuum analyze formd.submissions");

const { url } = await startServer(formd, settingsOf(cluster.url));

let asked = 0;
/** Submits at the rate for some seconds. @returns the durations in ms */
async function load(): Promise<number[]> {
  const durations: number[] = [];
  const startedAt = performance.now();
  const sent: Promise<void>[] = [];
  for (let n = 0; n < rate * seconds; n++) {
    const dueAt = startedAt + (n * 1000) / rate;
    await Bun.sleep(Math.max(0, dueAt - performance.now()));
    const ip = asked++;
    sent.push(
      fetch(`${url}/papi/v1/submitter/form/submissions`, {
        method: "POST",
        headers: {
          ...{ "content-type": "application/json", "x-form-access-key": accessKey, "x-api-key": apiKey },
          "x-forwarded-for": `10.${(ip >> 16) & 255}.${(ip >> 8) & 255}.${ip & 255}`,
        },
        body: payload,
      }).then(async (response) => {
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`a submit was refused: ${response.status}`);
        durations.push(performance.now() - dueAt);
      }),
    );
  }
  await Promise.all(sent);
  return durations;
}

const log = createLog("warn");
const without: number[][] = [];
const during: number[][] = [];
/** Deleted rows: also by the server's own job, which begins after five minutes. */
const deletedOf = async () =>
  (
    await sql<[{ count: number }]>`
    select count(*)::int from formd.submission_erasures where team_id = ${team} and form_id = ${form}`
  )[0].count;
await measured(async () => {
  let deleted = 0;
  let busyMs = 0;
  await load();
  for (let pair = 0; (maxWindows === 0 || pair < maxWindows) && deleted < rows; pair++) {
    without.push(await load());
    const stopping = new AbortController();
    const startedAt = performance.now();
    const deleting = Array.from({ length: jobs }, () =>
      expireSubmissions(sql, log, rowsPerStep, stopping.signal),
    );
    const durations = await load();
    stopping.abort();
    await Promise.all(deleting);
    busyMs += performance.now() - startedAt;
    deleted = await deletedOf();
    // Durations measured after the last row belong to no deletion.
    if (deleted < rows) during.push(durations);
    say(
      `${deleted} deleted, p99 ${quantile(without.at(-1) ?? [], 0.99).toFixed(1)} and ${quantile(durations, 0.99).toFixed(1)} ms`,
    );
  }

  const [recount] = await sql<{ counted: string; total: string }[]>`
  select counted, total from formd.submission_recount(${team}, ${form}) where status = 'completed'`;
  const [{ left }] = await sql<[{ left: number }]>`
  select count(*)::int as left from formd.submissions
  where team_id = ${team} and form_id = ${form} and created_at < now() - interval '30 days'`;
  const p99 = {
    without: medianOf(without.map((each) => quantile(each, 0.99))),
    during: medianOf(during.map((each) => quantile(each, 0.99))),
  };
  const p50 = { without: medianOf(without.map(medianOf)), during: medianOf(during.map(medianOf)) };
  const ratio = medianOf(
    during.map((each, pair) => quantile(each, 0.99) / quantile(without[pair] ?? [], 0.99)),
  );
  console.log(
    `${deleted} of ${rows} submissions deleted by ${jobs} jobs, ${Math.round((deleted / busyMs) * 1000)} per second`,
  );
  console.log(
    `each once: ${deleted + left === rows}; counters right: ${recount?.counted === recount?.total}`,
  );
  console.log(`p50 ${p50.without.toFixed(1)} ms without, ${p50.during.toFixed(1)} ms during`);
  console.log(`p99 ${p99.without.toFixed(1)} ms without, ${p99.during.toFixed(1)} ms during`);
  console.log(
    `p99 during : without, median of ${during.length} pairs: ${ratio.toFixed(2)} (at most ${maxRatio}: ${ratio <= maxRatio ? "held" : "missed"})`,
  );
});
