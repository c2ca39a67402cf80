/**
 * `bun tests/bench/capacity.ts`: what requests take in a database with 10,000,000 submissions in one table, beside one with 1,000,000. Each
 * has a server of its own; requests alternate, so that a machine that slows down slows both. It starts its own PostgreSQL, without fsync,
 * and removes it: 10 million small submissions take 7 GB of disk and 7 minutes.
 *
 *   --rows 10000000 --against 1000000 --rounds 100
 *   --bytes 60                 of text in each submission
 *   --directory DIR            keeps the databases there, for another run that only measures; --fill ends before measuring
 *   --json                     for machines, in place of the table
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { v7 as uuidv7 } from "uuid";
import { makeSecret } from "../../src/auth/secret.ts";
import { connect, type Sql } from "../../src/db.ts";
import { embedded } from "../../src/embedded/index.ts";
import { migrate } from "../../src/migrate.ts";
import { seedTarget, type Target } from "./seed.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "10000000" },
    against: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "100" },
    bytes: { type: "string", default: "60" },
    directory: { type: "string" },
    fill: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
/** A request may take this many times as long in the larger database. */
const maxRatio = 1.2;
/** Rounds whose times do not count: statements are prepared, forms compiled. */
const warmUp = 10;
/** Rows that match each filter, in both databases: a total of matches is counted. */
const matches = 100;
const scopes =
  "{forms:read,forms:write,submissions:read,submissions:write,submissions:update,submissions:delete}";

const say = (line: string) => console.error(line);
const folder = options.directory ?? mkdtempSync(join(tmpdir(), "formd-capacity-"));
mkdirSync(folder, { recursive: true });
chmodSync(folder, 0o711);
const tidy: (() => unknown)[] = [];
if (!options.directory) tidy.push(() => rmSync(folder, { recursive: true, force: true }));
/** What a later run needs to know of the databases. */
const filled = join(folder, "filled.json");

const cluster = await embedded(join(folder, "data"), say);
tidy.push(() => cluster.release());
const asSuperuser = (url: string) => url.replace(/\/\/[^@]*@/, "//postgres@");
const inDatabase = (url: string, name: string) => url.replace(/\/formd\?/, `/${name}?`);
const admin = connect(inDatabase(asSuperuser(cluster.url), "postgres"), { poolSize: 1, prepare: false });
tidy.push(() => admin.end({ timeout: 1 }));
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
  /** Of the rows that the filters match. */
  respondent: string;
  agent: string;
  bytesPerRow: number;
}

interface Side extends Filled {
  sql: Sql;
  ids: string[];
  url: string;
}

function open(database: string): Sql {
  const sql = connect(inDatabase(asSuperuser(cluster.url), database), { poolSize: 1, prepare: true });
  tidy.push(() => sql.end({ timeout: 1 }));
  return sql;
}

/** Rows as years of submits would leave them: in the order of their ids, by 1,000 agents, a quarter about a respondent. */
async function insertRows(sql: Sql, side: Omit<Filled, "bytesPerRow">): Promise<void> {
  const { rows, target } = side;
  const step = 500_000;
  for (let from = 1; from <= rows; from += step) {
    await sql`
      insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, respondent_id, data,
        created_at, updated_at, completed_at)
      select ${target.team}, ${target.form}, (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
        1, case n % 100 when 0 then 'pending' else 'completed' end, 'agent',
        case when (${rows} - n) % 1000 = 7 and n > ${rows}::integer - 1000 * ${matches} then ${side.agent}::uuid else md5((n % 1000)::text)::uuid end,
        case when (${rows} - n) % 1000 = 8 and n > ${rows}::integer - 1000 * ${matches} then ${side.respondent}::uuid when n % 4 = 0 then gen_random_uuid() end,
        jsonb_build_object('name', 'Ada', 'email', 'ada@example.org', 'topic', 'sales', 'message', repeat('x', ${options.bytes}::integer)),
        at, at, case n % 100 when 0 then null else at end
      from generate_series(${from}::integer, ${Math.min(from + step - 1, rows)}::integer) n,
        lateral (select (extract(epoch from now()) * 1000)::bigint - (${rows}::integer - n) * 1000::bigint as ms) m,
        lateral (select to_timestamp(ms / 1000.0)::timestamptz(3) as at) t`;
    say(`${Math.min(from + step - 1, rows)} of ${rows} submissions`);
  }
  for (const [status, part] of [
    ["pending", rows / 100],
    ["completed", rows - rows / 100],
  ] as const)
    await sql`select formd.submission_count_add(${target.team}, ${target.form}, ${status}, ${part})`;
  // An act and an Idempotency-Key for each tenth.
  await sql`
    insert into formd.audit_events (team_id, id, kind, form_id, object_type, object_id, actor_type, details, created_at)
    select ${target.team}, formd.uuid_floor(at), 'submission.edited', ${target.form}, 'submission', gen_random_uuid(), 'cli', '{}', at
    from generate_series(1, ${rows / 10}::integer) n, lateral (select now() - n * interval '1 second' as at) t`;
  await sql`
    insert into formd.idempotency_keys (team_id, form_id, caller_id, key, body_hash, answer, expires_at)
    select ${target.team}, ${target.form}, ${side.agent}, 'key ' || n, sha256(n::text::bytea), '{}', now() + interval '1 day'
    from generate_series(1, ${rows / 10}::integer) n`;
  await sql`vacuum (analyze)`;
}

async function fill(database: string, rows: number): Promise<Filled> {
  const sql = open(database);
  const target = await seedTarget(sql, { agents: 1, anonymous: 1 });
  const key = makeSecret("fdk", target.team);
  await sql`select formd.api_key_create(${target.team}, '(cli,,)'::formd.actor, ${uuidv7()}, 'capacity', ${scopes}, ${key.prefix}, ${key.hash})`;
  const side = { database, rows, target, apiKey: key.secret, respondent: uuidv7(), agent: uuidv7() };
  await insertRows(sql, side);
  const [{ bytes }] = await sql<[{ bytes: number }]>`
    select (pg_total_relation_size('formd.submissions') / ${rows}::float8)::float8 as bytes`;
  return { ...side, bytesPerRow: Math.round(bytes) };
}

let nextPort = 18_480;
async function serve(name: string): Promise<string> {
  const port = String(nextPort++);
  const settings = {
    DATABASE_URL: inDatabase(cluster.url, name),
    MIGRATION_DATABASE_URL: inDatabase(cluster.ownerUrl, name),
    HOST: "127.0.0.1",
    PORT: port,
    LOG_LEVEL: "warn",
    TRUSTED_PROXY_HOPS: "1",
    WEBHOOKS: "false",
    RATE_LIMIT_MANAGEMENT_PER_MINUTE: "100000",
  };
  const child: ChildProcess = spawn(process.execPath, ["src/main.ts", "serve"], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  tidy.push(() => {
    child.kill("SIGTERM");
    return ended;
  });
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await Bun.sleep(50);
  return url;
}

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
};

/** Of 500 expired Idempotency-Keys beside a tenth of the rows that have not expired. */
async function purge({ sql, target, agent }: Side): Promise<number> {
  await sql`
    insert into formd.idempotency_keys (team_id, form_id, caller_id, key, body_hash, answer, expires_at)
    select ${target.team}, ${target.form}, ${agent}, ${`expired ${uuidv7()} `} || n, sha256(n::text::bytea), '{}', now() - interval '1 day'
    from generate_series(1, 500) n`;
  const from = performance.now();
  await sql`select formd.expired_purge(p_limit => 5000)`;
  return performance.now() - from;
}

/** The lower quartile: what else runs on the machine makes times longer, and never shorter. */
const quartile = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 2] ?? Number.NaN;
const began = Date.now();

/** The sides, each with its server and rows that are read, edited and deleted: spread over the whole table. */
async function startSides(): Promise<Side[]> {
  const sides: Side[] = [];
  for (const side of JSON.parse(readFileSync(filled, "utf8")) as Filled[]) {
    const sql = open(side.database);
    const ids = await sql<{ id: string }[]>`
      select id from (select id from formd.submissions tablesample system (${500_000 / side.rows})) sampled
      order by random() limit 1000`;
    sides.push({ ...side, sql, ids: ids.map(({ id }) => id), url: await serve(side.database) });
  }
  return sides;
}

async function measure(sides: Side[]) {
  const took: Record<string, [number[], number[]]> = {};
  for (let round = 0; round < warmUp + Number(options.rounds); round++)
    for (const [name, work] of [...Object.entries(requests), ["purge of 500", purge] as const]) {
      // Each is first in half of the rounds.
      for (const index of round % 2 ? [0, 1] : [1, 0]) {
        const side = sides[index] as Side;
        const from = performance.now();
        const own = await work(side, round);
        const ms = typeof own === "number" ? own : performance.now() - from;
        took[name] ??= [[], []];
        if (round >= warmUp) took[name][index as 0 | 1].push(ms);
      }
    }
  return Object.entries(took).map(([name, [large, small]]) => {
    const [largeMs, smallMs] = [quartile(large), quartile(small)];
    return { name, largeMs, smallMs, ratio: largeMs / smallMs, isHeld: largeMs <= maxRatio * smallMs };
  });
}

function tableOf(sides: Side[], results: Awaited<ReturnType<typeof measure>>): string {
  const heads = sides.map(({ rows }) => rows.toLocaleString("en")).join(" | ");
  return [
    `| ms, lower quartile | ${heads} | ratio | |\n|---|---|---|---|---|`,
    ...results.map(
      ({ name, largeMs, smallMs, ratio, isHeld }) =>
        `| ${name} | ${largeMs.toFixed(2)} | ${smallMs.toFixed(2)} | ${ratio.toFixed(2)} | ${isHeld ? "held" : "missed"} |`,
    ),
    `bytes per submission, indexes included: ${sides.map(({ bytesPerRow }) => bytesPerRow).join(" and ")}`,
  ].join("\n");
}

try {
  if (!existsSync(filled)) {
    const both = [await fill("formd", Number(options.rows)), await fill("against", Number(options.against))];
    writeFileSync(filled, JSON.stringify(both));
  }
  if (!options.fill) {
    const sides = await startSides();
    const results = await measure(sides);
    console.log(options.json ? JSON.stringify(results) : tableOf(sides, results));
  }
} finally {
  for (const work of tidy.reverse()) await work();
}
