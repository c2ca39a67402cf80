/**
 * `bun tests/bench/lists.ts`: what a submission costs PostgreSQL, in CPU microseconds of one backend:
 * formd.submissions_submit with lists of 1 and of 32, beside the bare insert of the same rows. Rounds are
 * interleaved; figures are medians, so that a busy machine moves all of them and their ratios little.
 *
 *   --rounds 15 --items 320 items per round and series --with FILE also with the functions of this SQL file,
 *   in rounds of their own (to compare a change with what there is). What is loaded again has no plans, so
 *   each connection calls it 6 times before it is measured
 */
import { readFileSync } from "node:fs";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { jsonb, oneRow, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { threadsCpuMs } from "./cpu.ts";
import { measured, medianOf, open, optionsOf, startMigrated } from "./runner.ts";
import { accessKeyHash, digits, payload, seedTarget } from "./seed.ts";

const options = optionsOf({ rounds: 15, items: 320, with: "" });
const { rounds, items: itemsPerRound } = options;
/** PostgreSQL decides on a generic plan at the sixth call; without --with no plan is lost between rounds. */
const warmUpCalls = options.with ? 6 : 1;
/** The longest list is of this length. */
const longList = 32;

const { cluster, sql: owner } = await startMigrated();
const agents = 2 * (rounds + 2) * (2 * itemsPerRound + warmUpCalls * (1 + longList));
const target = await seedTarget(owner, { agents, anonymous: 1 });
await owner`vacuum analyze`;
const { data } = JSON.parse(payload);
const accessKey = accessKeyHash(target);

let cursor = 0;
/** The next agent's submission, from an IP of its own. */
function item() {
  cursor++;
  const token = `${target.prefixes.token}${String(cursor).padStart(digits, "0")}`;
  return {
    team_id: target.team,
    form_id: target.form,
    version: 1,
    credentials: {
      access_key_hash: accessKey,
      credential: "session",
      credential_hash: toByteaText(sha256(token)),
    },
    admitted: false,
    ip_key: `submit-ip-${String(cursor).padStart(digits, "0")}`,
    ip_limit: 30,
    id: uuidv7(),
    validation: "accepted",
    data,
    partial: false,
    missing_required: [],
  };
}

async function submitList(sql: Sql, length: number): Promise<void> {
  const items = Array.from({ length }, item);
  const list = jsonb(sql, items);
  const rows = await sql<{ outcome: string }[]>`
    select outcome from ${
      length > 1
        ? sql`formd.submissions_submit_set(null, ${list})`
        : sql`formd.submissions_submit(null, ${list})`
    }`;
  const wrong = rows.find(({ outcome }) => outcome !== "stored");
  if (wrong) throw new Error(`An item is ${wrong.outcome}.`);
}

async function insertRows(sql: Sql, length: number): Promise<void> {
  const items = Array.from({ length }, () => ({ id: uuidv7(), data }));
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at, completed_at)
    select ${target.team}, ${target.form}, i.id, 1, 'completed', 'agent', 'agent', ${target.form}, i.data, now(), now(), now()
    from jsonb_to_recordset(${jsonb(sql, items)}) as i (id uuid, data jsonb)`;
}

interface Series {
  name: string;
  /** A connection for each, whose plans no other has. */
  sql: Sql;
  backend: number;
  run(sql: Sql): Promise<void>;
  length: number;
  microseconds: number[];
  before?: string;
}

async function series(
  name: string,
  length: number,
  run: (sql: Sql, length: number) => Promise<void>,
  before?: string,
): Promise<Series> {
  const sql = open(cluster.ownerUrl);
  const { pid } = oneRow(await sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
  return {
    name,
    sql,
    backend: pid,
    run: (sql) => run(sql, length),
    length,
    microseconds: [],
    ...(before && { before }),
  };
}

await measured(async () => {
  const changed = options.with && readFileSync(options.with, "utf8");
  const usual = changed && (await usualFunctions(owner));
  const all = [
    await series("bare insert, 1 row", 1, insertRows),
    await series(`bare insert, ${longList} rows`, longList, insertRows),
    await series("submit, list of 1", 1, submitList, usual),
    await series(`submit, list of ${longList}`, longList, submitList, usual),
    ...(changed
      ? [
          await series("changed, list of 1", 1, submitList, changed),
          await series(`changed, list of ${longList}`, longList, submitList, changed),
        ]
      : []),
  ];
  let loaded = "";
  for (let round = -2; round < rounds; round++) {
    for (const { sql, backend, run, length, microseconds, before = "" } of all) {
      if (before && before !== loaded) await owner.unsafe(before);
      loaded = before || loaded;
      for (let call = 0; call < warmUpCalls; call++) await run(sql);
      const from = threadsCpuMs(backend);
      const calls = Math.max(1, Math.floor(itemsPerRound / 2 / length));
      for (let call = 0; call < calls; call++) await run(sql);
      if (round >= 0) microseconds.push(((threadsCpuMs(backend) - from) * 1000) / (calls * length));
    }
  }
  const [one, many] = all.map(({ microseconds }) => medianOf(microseconds));
  console.table(
    all.map(({ name, length, microseconds }) => ({
      "": name,
      "µs per item": Math.round(medianOf(microseconds)),
      min: Math.round(Math.min(...microseconds)),
      max: Math.round(Math.max(...microseconds)),
      ": bare insert": Number((medianOf(microseconds) / ((length === 1 ? one : many) ?? 1)).toFixed(2)),
    })),
  );
});

/** The submit path's functions as they are, to go back to. */
async function usualFunctions(sql: Sql): Promise<string> {
  const rows = await sql<{ definition: string }[]>`
    select pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'formd'::regnamespace and prokind = 'f'`;
  return rows.map(({ definition }) => `${definition};`).join("\n");
}
