/**
 * `bun tests/bench/lists.ts`: what a submission costs PostgreSQL, in CPU microseconds of one backend:
 * formd.submissions_submit with lists of 1 and of 32, beside the bare insert of the same rows. Rounds are
 * interleaved; figures are medians, so that a busy machine moves all of them and their ratios little.
 *
 *   --rounds 15 --items 320 per round and series
 */
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { jsonb, oneRow, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { threadsCpuMs } from "./cpu.ts";
import { measured, medianOf, open, optionsOf, startMigrated } from "./runner.ts";
import { accessKeyHash, digits, payload, seedTarget } from "./seed.ts";

const { rounds, items: itemsPerRound } = optionsOf({ rounds: 15, items: 320 });
/** The longest list is of this length. */
const longList = 32;

const { cluster, sql: owner } = await startMigrated();
const agents = 2 * (rounds + 2) * (2 * itemsPerRound + 1 + longList);
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
}

async function series(
  name: string,
  length: number,
  run: (sql: Sql, length: number) => Promise<void>,
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
  };
}

await measured(async () => {
  const all = [
    await series("bare insert, 1 row", 1, insertRows),
    await series(`bare insert, ${longList} rows`, longList, insertRows),
    await series("submit, list of 1", 1, submitList),
    await series(`submit, list of ${longList}`, longList, submitList),
  ];
  for (let round = -2; round < rounds; round++)
    for (const { sql, backend, run, length, microseconds } of all) {
      await run(sql);
      const from = threadsCpuMs(backend);
      const calls = Math.max(1, Math.floor(itemsPerRound / 2 / length));
      for (let call = 0; call < calls; call++) await run(sql);
      if (round >= 0) microseconds.push(((threadsCpuMs(backend) - from) * 1000) / (calls * length));
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
