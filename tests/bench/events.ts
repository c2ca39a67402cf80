/**
 * `--parts events`: what a submit costs with webhooks and receipts, beside copies of this tree that have the
 * outbox or the receipts cut out. Each copy has a server and a database of its own, and rounds of a fraction
 * of a second alternate between them, so that a busy machine slows all of them. Deliveries are left out
 * (WEBHOOKS=false): they are work of their own, which another process can do.
 */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { connect, jsonb, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import type { SubmissionItem } from "../../src/resources/submit/submit.ts";
import { threadsCpuMs } from "./cpu.ts";
import { fire, type Shot } from "./load.ts";
import { accessKeyHash, payload, seedTarget, type Target } from "./seed.ts";

/**
 * What the bench lends: its directory, the URL of its database for the superuser and for a server, and a way
 * to start one.
 */
export interface Bench {
  folder: string;
  adminUrl: string;
  serverUrl: string;
  start(tree: string, databaseUrl: string): Promise<{ url: string; pid: number }>;
  onEnd(work: () => unknown): void;
  say(line: string): void;
  rounds: number;
}

/** A text of a file, and what a copy has in its place. */
type Cut = [file: string, text: RegExp, replacement: string];

const outbox: Cut[] = [
  ["sql/500_submit.sql", /^ {4}v_webhooks := array\([\s\S]*?^ {4}end if;\n/m, ""],
  [
    "sql/500_submit.sql",
    /^ {4}for v_team, v_webhooks in\n[\s\S]*?webhook_batch_record[\s\S]*?end loop;\n/m,
    "",
  ],
];
const receipts: Cut[] = [
  ["sql/500_submit.sql", /completed_at, request_digest\)/g, "completed_at)"],
  ["sql/500_submit.sql", /end, (?:v_stored|a)\.request_digest/g, "end"],
  [
    "src/resources/submit/submit.ts",
    /request_digest: isAccepted [^\n]*toByteaText\(sha256\(bytes\)\) : undefined/,
    "request_digest: undefined",
  ],
];

const mails: Cut[] = [
  ["sql/500_submit.sql", /^ {4}v_is_mailed := v_is_mailed or .*\n/m, ""],
  ["sql/506_batch.sql", /bool_or\(f\.settings_in_force \?\| array\['notify', 'copy'\]\)/, "false"],
];

interface Variant {
  name: string;
  cuts: Cut[];
  /** Who hears of a submission. */
  listener?: "webhook" | "notice";
}

const today: Variant = { name: "today", cuts: [] };
const variants: Variant[] = [
  today,
  // The same again: what its ratio differs from 1 by is the noise of the others.
  { name: "today again", cuts: [] },
  { name: "today, one listener", cuts: [], listener: "webhook" },
  { name: "today, one notice", cuts: [], listener: "notice" },
  { name: "without the outbox", cuts: outbox },
  { name: "without mails", cuts: mails },
  { name: "without receipts", cuts: receipts },
];

/** The numerator, the denominator, and the most that their ratio may be. */
const bars: [of: string, beside: string, most: number][] = [
  ["today again", "today", 1.02],
  ["today", "without the outbox", 1.02],
  ["today, one listener", "today", 1 / 0.9],
  ["today", "without mails", 1.02],
  ["today, one notice", "today, one listener", 1.05],
  ["today", "without receipts", 1 / 0.97],
];

interface Running {
  name: string;
  target: Target;
  /** One connection, whose process is measured. */
  sql: Sql;
  pid: number;
  server: { url: string; pid: number };
}

/** The items of a list, as the server sends them: by API key, each from a client IP of its own. */
const itemsOf = (target: Target, size: number): SubmissionItem[] =>
  Array.from({ length: size }, () => {
    const id = uuidv7();
    return {
      team_id: target.team,
      form_id: target.form,
      version: 1,
      credentials: {
        access_key_hash: accessKeyHash(target),
        credential: "api_key",
        credential_hash: toByteaText(sha256(target.apiKey)),
        key_id: undefined,
        nonce: undefined,
        nonce_expires_at: undefined,
      },
      admitted: false,
      ip_key: `submit:ip:${id}`,
      ip_limit: 30,
      id,
      validation: "accepted",
      data: JSON.parse(payload).data,
      metadata: undefined,
      respondent_id: undefined,
      partial: false,
      missing_required: [],
      idempotency_key_hash: undefined,
      body_hash: undefined,
      request_digest: toByteaText(sha256(payload)),
      signature_input: undefined,
      signature: undefined,
      declared_agent: undefined,
    };
  });

/** A copy of this tree without some texts; the tree itself when nothing is cut. */
function treeOf({ name, cuts }: Variant, folder: string): string {
  if (cuts.length === 0) return process.cwd();
  const tree = join(folder, name.replaceAll(" ", "-"));
  for (const each of ["src", "sql", "db", "patches", "package.json", "tsconfig.json"])
    cpSync(each, join(tree, each), { recursive: true });
  symlinkSync(join(process.cwd(), "node_modules"), join(tree, "node_modules"));
  for (const [file, text, replacement] of cuts) {
    const before = readFileSync(join(tree, file), "utf8");
    const after = before.replace(text, replacement);
    if (after === before) throw new Error(`${file} no longer has what "${name}" cuts out: ${text}`);
    writeFileSync(join(tree, file), after);
  }
  return tree;
}

/** The database and the server of a variant. */
async function run(variant: Variant, index: number, bench: Bench): Promise<Running> {
  const tree = treeOf(variant, bench.folder);
  const inDatabase = (url: string) => url.replace(/\/formd(?=$|\?)/, `/events_${index}`);
  const admin = connect(bench.adminUrl, { poolSize: 1, prepare: false });
  await admin.unsafe(`create database events_${index} owner formd_owner`);
  await admin.end();
  const { migrate }: typeof import("../../src/platform/database/migrations/index.ts") = await import(
    join(tree, "src/platform/database/migrations/index.ts")
  );
  await migrate(inDatabase(bench.adminUrl).replace(/\/\/[^@]*@/, "//formd_owner@"), () => {});
  const sql = connect(inDatabase(bench.adminUrl), { poolSize: 1, prepare: true });
  bench.onEnd(() => sql.end({ timeout: 1 }));
  const target = await seedTarget(sql, { agents: 1, anonymous: 1 });
  if (variant.listener === "webhook")
    await sql`
      select from formd.webhook_create(
        p_team => ${target.team}, p_actor => '(cli,,)'::formd.actor, p_id => ${uuidv7()}, p_workspace => null, p_form => ${target.form},
        p_url => 'https://hooks.example.org/', p_event_types => '{submission.created}', p_payload => 'thin', p_secret_key => '')`;
  if (variant.listener === "notice")
    await sql`
      update formd.forms set settings = s, settings_in_force = s
      from (select '{"notify": {"recipients": ["office@example.org"]}}'::jsonb as s) as of
      where id = ${target.form}`;
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const server = await bench.start(tree, inDatabase(bench.serverUrl));
  return { name: variant.name, target, sql, pid, server };
}

/** What a variant cost in each round, in microseconds per submit. */
type Costs = Map<string, number[]>;

async function alternate(
  running: Running[],
  rounds: number,
  measure: (each: Running) => Promise<number>,
): Promise<Costs> {
  const costs: Costs = new Map(running.map(({ name }) => [name, []]));
  for (const each of running) await measure(each);
  for (let round = 0; round < rounds; round++) {
    // Each is measured right after another one in every round.
    const shifted = running.map((_, i) => running[(i + round) % running.length] as Running);
    for (const each of shifted) costs.get(each.name)?.push(await measure(each));
  }
  return costs;
}

/** PostgreSQL's, of calls with lists of `size`. */
const callsOf =
  (size: number) =>
  async ({ target, sql, pid }: Running) => {
    const calls = Math.ceil(80 / size ** 0.6);
    const lists = Array.from({ length: calls }, () => jsonb(sql, itemsOf(target, size)));
    const before = threadsCpuMs(pid);
    for (const list of lists)
      await sql`select * from formd.submissions_submit(p_team => ${target.team}, p_items => ${list})`;
    return ((threadsCpuMs(pid) - before) * 1000) / (calls * size);
  };

const shot: Shot = {
  method: "POST",
  path: "/papi/v1/submitter/form/submissions",
  body: payload,
  headers: { "x-form-access-key": "{accessKey}", "x-api-key": "{apiKey}" },
};

/** The server's, of requests over some connections. */
const requestsOf =
  (connections: number, folder: string) =>
  async ({ target, server }: Running) => {
    const before = threadsCpuMs(server.pid);
    const { requests, failed } = await fire(folder, server.url, [target], shot, { connections, seconds: 1 });
    if (failed > 0) throw new Error(`${failed} of ${requests} requests have failed`);
    return ((threadsCpuMs(server.pid) - before) * 1000) / requests;
  };

const quantile = (numbers: number[], at: number) =>
  numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * at)] ?? Number.NaN;

/**
 * Ratios of the rounds: median and quartiles. Of a pair in the same round, so that what slows the machine
 * slows both.
 */
function rowsOf(what: string, costs: Costs) {
  return bars.map(([of, beside, most]) => {
    const others = costs.get(beside) ?? [];
    const ratios = (costs.get(of) ?? []).map((cost, round) => cost / (others[round] ?? Number.NaN));
    const median = quantile(ratios, 0.5);
    const microseconds = [of, beside].map((name) => quantile(costs.get(name) ?? [], 0.5).toFixed(1));
    return {
      what,
      ratio: `${of} : ${beside}`,
      "µs per submit": microseconds.join(" : "),
      median: median.toFixed(3),
      quartiles: [0.25, 0.75].map((at) => quantile(ratios, at).toFixed(3)).join(" to "),
      bar: `≤ ${most.toFixed(3)}`,
      held: median <= most ? "held" : "missed",
    };
  });
}

/** Measures all of it, and says each part when it is done. @returns rows of a table */
export async function measureEvents(bench: Bench) {
  const running: Running[] = [];
  for (const [index, variant] of variants.entries()) running.push(await run(variant, index, bench));
  // Compiled code is there before the first round.
  for (const each of running)
    for (const connections of [1, 32])
      await fire(bench.folder, each.server.url, [each.target], shot, { connections, seconds: 2 });
  const rows: ReturnType<typeof rowsOf> = [];
  const keep = (what: string, costs: Costs) => {
    for (const row of rowsOf(what, costs)) {
      rows.push(row);
      bench.say(Object.values(row).join("  "));
    }
  };
  for (const size of [1, 8, 32])
    keep(`PostgreSQL, lists of ${size}`, await alternate(running, bench.rounds * 12, callsOf(size)));
  for (const connections of [1, 8, 32])
    keep(
      `server, ${connections} connections`,
      await alternate(running, bench.rounds, requestsOf(connections, bench.folder)),
    );
  return rows;
}
