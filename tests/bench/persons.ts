/**
 * `bun tests/bench/persons.ts`: what a submit by `/mcp` costs in CPU, of the server and of PostgreSQL, with
 * an agent's token and with one for a person whom an identity provider has named. Rounds are interleaved;
 * figures are medians of rounds.
 *
 *   --rounds 21 --submits 300 per round and token
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../../src/platform/database/db.ts";
import { embedded } from "../../src/platform/database/embedded/index.ts";
import { migrate } from "../../src/platform/database/migrations/index.ts";
import { connectionsCpuMs, threadsCpuMs } from "./cpu.ts";
import { freePort } from "./load.ts";
import { digits, payload, seedTarget, type Target } from "./seed.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    submits: { type: "string", default: "300" },
  },
});
const [rounds, submits] = [Number(options.rounds), Number(options.submits)];
const warmUps = 6;
const inFlight = 8;

const folder = mkdtempSync(join(tmpdir(), "formd-bench-"));
chmodSync(folder, 0o711);
const cluster = await embedded(join(folder, "data"), () => {});
await migrate(cluster.ownerUrl, () => {});
const sql = connect(cluster.ownerUrl, { poolSize: 1, prepare: true });

const seed = async () => {
  const target = await seedTarget(sql, { agents: (rounds + warmUps) * submits, anonymous: 1 });
  await sql`update formd.sessions set resource = 'mcp' where team_id = ${target.team} and kind = 'agent'`;
  return target;
};
const plain = await seed();
const asserted = await seed();
await sql`update formd.grants set respondent = 'asserted' where team_id = ${asserted.team}`;
await sql`
  with named as (
    insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
    select team_id, id, 'https://id.example.org', id::text, now(), now() + interval '30 days'
    from formd.sessions where team_id = ${asserted.team} and kind = 'agent' returning id)
  update formd.sessions s set respondent_id = n.id from named n where s.team_id = ${asserted.team} and s.id = n.id`;
await sql`vacuum analyze`;

const port = await freePort();
const server = spawn(process.execPath, ["src/main.ts", "serve"], {
  env: {
    ...process.env,
    DATABASE_URL: cluster.url,
    HOST: "127.0.0.1",
    PORT: port,
    TRUSTED_PROXY_HOPS: "1",
    LOG_LEVEL: "warn",
  },
  stdio: "ignore",
});
const isReady = () =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
while (!(await isReady())) await Bun.sleep(50);

const { data } = JSON.parse(payload);
/** The n-th agent's submission, from an IP of its own. */
async function submit({ form, prefixes }: Target, n: number): Promise<void> {
  const params = { name: "submit", arguments: { formId: form, data } };
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${prefixes.token}${String(n).padStart(digits, "0")}`,
      "x-forwarded-for": `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const text = await response.text();
  if (!text.includes('"status":"completed"')) throw new Error(text);
}

const database = new URL(cluster.url).pathname.slice(1);
const cpu = () => ({ server: threadsCpuMs(server.pid), database: connectionsCpuMs(database) });
const all = [plain, asserted].map((target) => ({
  target,
  next: 1,
  server: [0].slice(1),
  database: [0].slice(1),
}));
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

try {
  for (let round = -warmUps; round < rounds; round++) {
    for (const each of round % 2 === 0 ? all : all.toReversed()) {
      const from = cpu();
      const end = each.next + submits;
      await Promise.all(
        Array.from({ length: inFlight }, async () => {
          while (each.next < end) await submit(each.target, each.next++);
        }),
      );
      const to = cpu();
      if (round < 0) continue;
      each.server.push(((to.server - from.server) * 1000) / submits);
      each.database.push(((to.database - from.database) * 1000) / submits);
    }
  }
  const [one, other] = all.map((each) => {
    const sums = each.server.map((microseconds, index) => microseconds + (each.database[index] ?? 0));
    return { server: median(each.server), database: median(each.database), both: median(sums), sums };
  });
  if (!one || !other) throw new Error("There are two.");
  const pairs = one.sums.map((sum, index) => (other.sums[index] ?? 0) / sum);
  console.table(
    [one, other].map(({ server, database, both }, index) => ({
      "": ["agent's token", "token for a person"][index],
      "server µs": Math.round(server),
      "PostgreSQL µs": Math.round(database),
      "both µs": Math.round(both),
      ": agent's": Number((both / one.both).toFixed(3)),
      "median of pairs": index === 0 ? 1 : Number(median(pairs).toFixed(3)),
    })),
  );
} finally {
  server.kill("SIGTERM");
  await once(server, "close");
  await sql.end({ timeout: 1 });
  await cluster.release();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
