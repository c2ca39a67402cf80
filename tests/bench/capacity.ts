/**
 * `bun tests/bench/capacity.ts`: what requests take in a database with 10,000,000 submissions in one table,
 * beside one with 1,000,000. Each has a server of its own; requests alternate. It starts its own PostgreSQL,
 * without fsync, and removes it: 10 million small submissions take 13 GB of disk and, on two busy cores, 25
 * minutes.
 *
 * Two figures per request, so that other work on the machine does not decide: PostgreSQL's CPU time (of its
 * connections, by Linux), and the duration. Of each the lower quartile; the ratio is the median of the
 * rounds, whose two requests follow each other.
 *
 *   --rows 10000000 --against 1000000 --rounds 200 --bytes 60 of text in each submission --directory DIR
 *   keeps the databases there, for another run that only measures; --fill ends before measuring --json for
 *   machines, in place of the table
 *   --months 12: the rows of both are spread over 12 months, and the first database is divided by month;
 *   with the same number of rows against it, what that costs
 *   --only "page|status": the requests whose names match
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { makeSecret } from "../../src/platform/auth/secret.ts";
import type { Sql } from "../../src/platform/database/db.ts";
import { migrate } from "../../src/platform/database/migrations/index.ts";
import { divideSince } from "../setup/months.ts";
import { threadsCpuMs } from "./cpu.ts";
import {
  formd,
  measured,
  medianOf,
  open,
  optionsOf,
  quantile,
  say,
  settingsOf,
  startPostgres,
  startServer,
} from "./runner.ts";
import { accessKeyHash, digits, seedTarget, type Target } from "./seed.ts";

const options = optionsOf({
  ...{ rows: 10_000_000, against: 1_000_000, rounds: 200, bytes: 60, directory: "", fill: false },
  ...{ months: 0, only: ".", json: false },
});
const { months } = options;
const daysPerMonth = 30;
/** Milliseconds between submissions. */
const spacing = months ? (months * daysPerMonth * 86_400_000) / options.rows : 1000;
/** A request may take this many times as much of PostgreSQL's CPU in the larger database, or by month. */
const maxRatio = months ? 1.3 : 1.2;
const maxRatios: Record<string, number> = months ? { submit: 1.15, "submit, list of 32": 1.02 } : {};
const longList = 32;
/** Rounds whose times do not count: statements are prepared, forms compiled. */
const warmUp = 10;
/** Rows that match each filter, in both databases: a total of matches is counted. */
const matches = 100;
const scopes =
  "{forms:read,forms:write,submissions:read,submissions:write,submissions:update,submissions:delete}";

const { folder, cluster } = await startPostgres(options.directory);
/** Records the filled databases for later runs. */
const filled = join(folder, "filled.json");

const asSuperuser = (url: string) => url.replace(/\/\/[^@]*@/, "//postgres@");
const inDatabase = (url: string, name: string) => url.replace(/\/formd\?/, `/${name}?`);
const connectTo = (database: string) => open(inDatabase(asSuperuser(cluster.url), database));
const admin = connectTo("postgres");
for (const [name, value] of [
  ["fsync", "off"],
  ["synchronous_commit", "off"],
  ["full_page_writes", "off"],
  ["max_wal_size", "4GB"],
])
  await admin.unsafe(`alter system set ${name} = '${value}'`);
await admin`select pg_reload_conf()`;
if (!existsSync(filled)) {
  await migrate(cluster.ownerUrl, () => {});
  await admin`create database against template formd`;
}

interface Filled {
  database: string;
  rows: number;
  target: Target;
  apiKey: string;
  /** The respondent of the rows that the filters match. */
  respondent: string;
  agent: string;
  bytesPerRow: number;
}

interface Side extends Filled {
  sql: Sql;
  ids: string[];
  url: string;
}

/**
 * Rows as years of submits would leave them: in the order of their ids, by 1,000 agents, a quarter about a
 * respondent.
 */
async function insertRows(sql: Sql, side: Omit<Filled, "bytesPerRow">): Promise<void> {
  const { rows, target } = side;
  const step = 500_000;
  for (let from = 1; from <= rows; from += step) {
    await sql`
      insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, respondent_id, data,
        created_at, updated_at, completed_at)
      select ${target.team}, ${target.form}, (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
        1, case n % 100 when 0 then 'pending' else 'completed' end, 'agent', 'agent',
        case when (${rows} - n) % 1000 = 7 and n > ${rows}::integer - 1000 * ${matches} then ${side.agent}::uuid else md5((n % 1000)::text)::uuid end,
        case when (${rows} - n) % 1000 = 8 and n > ${rows}::integer - 1000 * ${matches} then ${side.respondent}::uuid when n % 4 = 0 then gen_random_uuid() end,
        jsonb_build_object('name', 'Ada', 'email', 'ada@example.org', 'topic', 'sales', 'message', repeat('x', ${options.bytes}::integer)),
        at, at, case n % 100 when 0 then null else at end
      from generate_series(${from}::integer, ${Math.min(from + step - 1, rows)}::integer) n,
        lateral (select (extract(epoch from now()) * 1000)::bigint - ((${rows}::integer - n) * ${spacing}::float8)::bigint as ms) m,
        lateral (select to_timestamp(ms / 1000.0)::timestamptz(3) as at) t`;
    say(`${Math.min(from + step - 1, rows)} of ${rows} submissions`);
  }
  for (const [status, part] of [
    ["pending", rows / 100],
    ["completed", rows - rows / 100],
  ] as const)
    await sql`select formd.submission_count_add(${target.team}, ${target.form}, ${status}, ${part})`;
  // An action and an Idempotency-Key for each tenth.
  await sql`
    insert into formd.audit_events (team_id, id, kind, form_id, object_type, object_id, actor_type, actor_id, details, created_at)
    select ${target.team}, formd.uuid_floor(at), case when is_match then 'submission.reviewed' else 'submission.edited' end, ${target.form},
      'submission', gen_random_uuid(), 'api_key', case when is_match then ${side.agent}::uuid else ${side.respondent}::uuid end, '{}', at
    from generate_series(1, ${rows / 10}::integer) n,
      lateral (select now() - n * interval '1 second' as at, n % 1000 = 7 and n < 1000 * ${matches} as is_match) t`;
  await sql`
    insert into formd.idempotency_keys (team_id, form_id, caller_id, key_hash, body_hash, response, expires_at)
    select ${target.team}, ${target.form}, ${side.agent}, sha256(convert_to('key ' || n, 'UTF8')), sha256(n::text::bytea), '{}', now() + interval '1 day'
    from generate_series(1, ${rows / 10}::integer) n`;
  await sql`vacuum (analyze)`;
}

async function fill(database: string, rows: number, isDivided = false): Promise<Filled> {
  const sql = connectTo(database);
  if (isDivided) await divideSince({ ownerUrl: inDatabase(cluster.ownerUrl, database) }, months);
  const target = await seedTarget(sql, { agents: 1, anonymous: longList });
  const key = makeSecret("fdk", target.team);
  await sql`select formd.api_key_create(${target.team}, '(cli,,)'::formd.actor, ${uuidv7()}, 'capacity', ${scopes}, ${key.prefix}, ${key.hash})`;
  const side = { database, rows, target, apiKey: key.secret, respondent: uuidv7(), agent: uuidv7() };
  await insertRows(sql, side);
  const [{ bytes }] = await sql<[{ bytes: number }]>`
    select (pg_total_relation_size('formd.submissions') / ${rows}::float8)::float8 as bytes`;
  return { ...side, bytesPerRow: Math.round(bytes) };
}

const serve = (name: string) =>
  startServer(formd, {
    ...settingsOf(inDatabase(cluster.url, name)),
    MIGRATION_DATABASE_URL: inDatabase(cluster.ownerUrl, name),
    WEBHOOKS: "false",
    RATE_LIMIT_MANAGEMENT_PER_MINUTE: "100000",
  });

type Work = (side: Side, round: number) => Promise<unknown>;

async function call(side: Side, method: string, path: string, body?: object, more = {}) {
  const ip = `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join(".")}`;
  const response = await fetch(`${side.url}/papi/v1${path}`, {
    method,
    headers: { "x-api-key": side.apiKey, "content-type": "application/json", "x-forwarded-for": ip, ...more },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}
const read = async (side: Side, path: string) => (await call(side, "GET", path)).json();
const formOf = ({ target }: Side) => `/management/forms/${target.form}`;
const submissionsOf = (side: Side, rest = "") => `${formOf(side)}/submissions${rest}`;
const idOf = (side: Side, nth: number) => side.ids[nth % side.ids.length] ?? "";

/** Each with what is measured; the rest of a round is not. */
const requests: Record<string, Work> = {
  "list: first page": (side) => read(side, submissionsOf(side)),
  "list: page of 100": (side) => read(side, submissionsOf(side, "?limit=100")),
  "list: a status": (side) => read(side, submissionsOf(side, "?status=pending")),
  "list: an agent": (side) => read(side, submissionsOf(side, `?agentId=${side.agent}`)),
  "list: a respondent": (side) => read(side, submissionsOf(side, `?respondentId=${side.respondent}`)),
  "list: the last 1,000 seconds": (side) =>
    read(side, submissionsOf(side, `?createdAfter=${new Date(began - 1_000_000).toISOString()}`)),
  "export: first 64 KiB": async (side) => {
    const { body } = await call(side, "GET", submissionsOf(side, "/export?format=csv"));
    const reader = body?.getReader();
    for (let bytes = 0; bytes < 65_536; ) bytes += (await reader?.read())?.value?.length ?? 65_536;
    await reader?.cancel();
  },
  "audit of the form": (side) => read(side, `${formOf(side)}/audit`),
  "audit of the team": (side) => read(side, "/management/audit"),
  "audit: a kind": (side) => read(side, "/management/audit?kind=submission.reviewed"),
  "audit: an actor": (side) => read(side, `/management/audit?actorId=${side.agent}`),
  "get a submission": (side, round) => read(side, submissionsOf(side, `/${idOf(side, 4 * round)}`)),
  "edits of a submission": (side, round) =>
    read(side, submissionsOf(side, `/${idOf(side, 4 * round + 1)}/edits`)),
  "get and edit a submission": async (side, round) => {
    const path = submissionsOf(side, `/${idOf(side, 4 * round + 2)}`);
    const { submission } = (await read(side, path)).data;
    const edits = [{ fieldId: "name", value: `Ada ${round}` }];
    await call(side, "PATCH", path, { expectedUpdatedAt: submission.updatedAt, edits });
  },
  "delete a submission": (side, round) =>
    call(side, "DELETE", submissionsOf(side, `/${idOf(side, 4 * round + 3)}`)),
  submit: (side) =>
    call(
      side,
      "POST",
      "/submitter/form/submissions",
      { data: { name: "Ada", email: "ada@example.org", topic: "sales" } },
      { "x-form-access-key": side.target.accessKey },
    ),
  "submit, list of 32": async (side) => {
    const rows = await side.sql<{ outcome: string }[]>`
      select outcome from formd.submissions_submit_set(null, (
        select jsonb_agg(jsonb_build_object('team_id', ${side.target.team}::text, 'form_id', ${side.target.form}::text, 'version', 1,
          'credentials', jsonb_build_object('access_key_hash', ${accessKeyHash(side.target)}::text, 'credential', 'session',
            'credential_hash', sha256(convert_to(${side.target.prefixes.anonymous}::text || lpad(n::text, ${digits}, '0'), 'UTF8'))),
          'ip_key', gen_random_uuid(), 'ip_limit', 30, 'validation', 'accepted',
          'data', '{"name": "Ada", "email": "ada@example.org", "topic": "sales"}'::jsonb, 'partial', false, 'missing_required', '{}'::text[]))
        from generate_series(1, ${longList}::integer) n))`;
    const wrong = rows.find(({ outcome }) => outcome !== "stored");
    if (wrong || rows.length !== longList) throw new Error(`Of a list an item is ${wrong?.outcome}.`);
  },
};

/** Adds 500 expired Idempotency-Keys beside a tenth of the rows that have not expired. */
async function prepareExpired({ sql, target, agent }: Side): Promise<void> {
  await sql`
    insert into formd.idempotency_keys (team_id, form_id, caller_id, key_hash, body_hash, response, expires_at)
    select ${target.team}, ${target.form}, ${agent}, sha256(convert_to(${`expired ${uuidv7()} `} || n, 'UTF8')), sha256(n::text::bytea), '{}', now() - interval '1 day'
    from generate_series(1, 500) n`;
}
const purge: Work = ({ sql }) => sql`select formd.expired_purge(p_limit => 5000)`;

const began = Date.now();

/**
 * The sides, each with its server and rows that are read, edited and deleted: spread over the whole table.
 */
async function startSides(): Promise<Side[]> {
  const sides: Side[] = [];
  for (const side of JSON.parse(readFileSync(filled, "utf8")) as Filled[]) {
    const sql = connectTo(side.database);
    const ids = await sql<{ id: string }[]>`
      select id from (select id from formd.submissions tablesample system (${500_000 / side.rows})) sampled
      order by random() limit 1000`;
    sides.push({ ...side, sql, ids: ids.map(({ id }) => id), url: (await serve(side.database)).url });
  }
  return sides;
}

interface Cost {
  ms: number;
  databaseMs: number;
}

/** CPU milliseconds of the connections to a database so far. */
async function databaseCpuMs({ database }: Side): Promise<number> {
  const backends = await admin<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = ${database} and backend_type = 'client backend'`;
  return backends.reduce((sum, { pid }) => sum + threadsCpuMs(pid), 0);
}

async function costOf(work: Work, side: Side, round: number): Promise<Cost> {
  const [cpuMs, from] = [await databaseCpuMs(side), performance.now()];
  await work(side, round);
  const ms = performance.now() - from;
  return { ms, databaseMs: (await databaseCpuMs(side)) - cpuMs };
}

/** Costs of one kind of request, per round and side. */
type Costs = [large: Cost, small: Cost][];

/**
 * Bytes of WAL per submit: of 200 in a row, and of the first 20 after a checkpoint, when each page that
 * changes is written whole.
 */
async function walOf(side: Side) {
  const perSubmit = async (count: number) => {
    const [before] = await admin<[{ lsn: string }]>`select pg_current_wal_insert_lsn()::text as lsn`;
    for (let nth = 0; nth < count; nth++) await requests.submit?.(side, nth);
    const [after] = await admin<[{ bytes: number }]>`
      select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), ${before.lsn}::pg_lsn)::float8 as bytes`;
    return Math.round(after.bytes / count);
  };
  const usual = await perSubmit(200);
  await admin`alter system set full_page_writes = on`;
  await admin`select pg_reload_conf()`;
  await admin`checkpoint`;
  return { usual, afterCheckpoint: await perSubmit(20) };
}

interface Summary {
  large: number;
  small: number;
  ratio: number;
}

const summaryOf = (costs: Costs, toFigure: (cost: Cost) => number): Summary => {
  const [large, small] = [0, 1].map((side) =>
    quantile(
      costs.map((pair) => toFigure(pair[side as 0 | 1])),
      0.25,
    ),
  ) as [number, number];
  const ratio = medianOf(costs.map((pair) => toFigure(pair[0]) / toFigure(pair[1])));
  return { large, small, ratio };
};

async function measure(sides: Side[]) {
  const [large, small] = sides as [Side, Side];
  const all: Record<string, Costs> = {};
  const works: [string, Work, prepare?: Work][] = [
    ...Object.entries(requests),
    ["purge of 500", purge, prepareExpired],
  ];
  const chosen = works.filter(([name]) => new RegExp(options.only).test(name));
  for (let round = 0; round < warmUp + options.rounds; round++)
    for (const [name, work, prepare] of chosen) {
      for (const side of prepare ? sides : []) await prepare?.(side, round);
      // Each is first in half of the rounds.
      const first = round % 2 ? await costOf(work, large, round) : undefined;
      const ofSmall = await costOf(work, small, round);
      const ofLarge = first ?? (await costOf(work, large, round));
      all[name] ??= [];
      if (round >= warmUp) all[name].push([ofLarge, ofSmall]);
    }
  return Object.entries(all).map(([name, costs]) => {
    const duration = summaryOf(costs, ({ ms }) => ms);
    const cpu = summaryOf(costs, ({ databaseMs }) => databaseMs);
    return { name, duration, cpu, isHeld: cpu.ratio <= (maxRatios[name] ?? maxRatio) };
  });
}

function tableOf(
  sides: Side[],
  results: Awaited<ReturnType<typeof measure>>,
  wal: Awaited<ReturnType<typeof walOf>>,
): string {
  const [large, small] = sides.map(({ rows }) => rows.toLocaleString("en"));
  const cells = ({ large, small, ratio }: Summary) =>
    [large, small, ratio].map((figure) => figure.toFixed(2)).join(" | ");
  return [
    `| lower quartiles | ms, ${large} | ${small} | ratio | PostgreSQL's CPU ms, ${large} | ${small} | ratio | |`,
    "|---|---|---|---|---|---|---|---|",
    ...results.map(
      ({ name, duration, cpu, isHeld }) =>
        `| ${name} | ${cells(duration)} | ${cells(cpu)} | ${isHeld ? "held" : "missed"} |`,
    ),
    `bytes per submission, indexes included: ${sides.map(({ bytesPerRow }) => bytesPerRow).join(" and ")}`,
    `bytes of WAL per submit: ${wal.usual}, right after a checkpoint ${wal.afterCheckpoint}`,
  ].join("\n");
}

await measured(async () => {
  if (!existsSync(filled)) {
    const both = [await fill("formd", options.rows, months > 0), await fill("against", options.against)];
    writeFileSync(filled, JSON.stringify(both));
  }
  if (!options.fill) {
    const sides = await startSides();
    const results = await measure(sides);
    const wal = await walOf(sides[0] as Side);
    console.log(options.json ? JSON.stringify({ results, wal }) : tableOf(sides, results, wal));
  }
});
