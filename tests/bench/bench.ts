/**
 * `bun run bench [--json] [--seconds 4] [--rounds 5] [--connections 1,32,64]`: submits and dry runs per second beside pgbench, which
 * calls the same SQL function one by one on the same database. Rounds are interleaved, so that a machine that slows down slows all of them;
 * figures are medians, with the lowest and the highest. It starts its own database and server, loads them on loopback only, and stops.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../../src/db.ts";
import { embedded } from "../../src/embedded.ts";
import { migrate } from "../../src/migrate.ts";
import { type Figures, fire, type Load, pgbenchSubmits, type Shot } from "./load.ts";
import { payload, seedTarget, type Target } from "./seed.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "1,32,64" },
    teams: { type: "string", default: "500" },
  },
});

/** An agent submits once in 5 seconds: this many keep a fast server busy for a round without meeting that throttle. */
const agents = 120_000;

const folder = mkdtempSync(join(tmpdir(), "formd-bench-"));
chmodSync(folder, 0o711);
const say = (line: string) => console.error(line);
const cluster = await embedded(join(folder, "data"), say);
await migrate(cluster.ownerUrl, () => {});
const sql = connect(cluster.ownerUrl, { poolSize: 1, prepare: true });
const port = "18080";
const command = (process.env.FORMD_TEST_COMMAND ?? `${process.execPath} src/main.ts`).split(" ");
let stopServer = async () => {};

async function seed(): Promise<{ one: Target; many: Target[] }> {
  say(`seeding ${agents} agents in one team, and ${options.teams} teams`);
  const one = await seedTarget(sql, agents);
  const many: Target[] = [];
  for (let i = 0; i < Number(options.teams); i++)
    many.push(await seedTarget(sql, Math.ceil(agents / Number(options.teams))));
  await sql`analyze`;
  return { one, many };
}

async function startServer(): Promise<string> {
  const [program = "", ...rest] = command;
  const settings = {
    DATABASE_URL: cluster.url,
    PORT: port,
    HOST: "127.0.0.1",
    TRUSTED_PROXY_HOPS: "1",
    LOG_LEVEL: "warn",
    RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "1000000",
  };
  const server = spawn(program, [...rest, "serve"], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<void>((resolve) => server.on("close", () => resolve()));
  stopServer = async () => {
    server.kill("SIGTERM");
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    ))
  )
    await Bun.sleep(50);
  return url;
}

const submit: Shot = {
  method: "POST",
  path: "/papi/v1/submitter/form/submissions",
  body: payload,
  asAgent: true,
};
const validate: Shot = { ...submit, path: "/papi/v1/submitter/form/validation" };

/** What is measured, by name; each answers the figures of one round. */
function scenarios(
  url: string,
  { one, many }: { one: Target; many: Target[] },
): [name: string, (load: Load) => Promise<Figures>][] {
  const socket = decodeURIComponent(/[?&]host=([^&]*)/.exec(cluster.url)?.[1] ?? "");
  return [
    ["pgbench", (load) => pgbenchSubmits(folder, socket, "formd", [one], load)],
    ["submit", (load) => fire(folder, url, [one], submit, load)],
    [`submit, ${many.length} teams`, (load) => fire(folder, url, many, submit, load)],
    ["validate", (load) => fire(folder, url, [one], validate, load)],
  ];
}

interface Result {
  name: string;
  connections: number;
  perSecond: { median: number; min: number; max: number };
  p50: number;
  p99: number;
  failed: number;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

function resultOf(name: string, connections: number, rounds: Figures[]): Result {
  const rates = rounds.map(({ perSecond }) => perSecond);
  return {
    name,
    connections,
    perSecond: { median: median(rates), min: Math.min(...rates), max: Math.max(...rates) },
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}

try {
  const targets = await seed();
  const url = await startServer();
  const all = scenarios(url, targets);
  const results: Result[] = [];
  for (const connections of options.connections.split(",").map(Number)) {
    const rounds = new Map<string, Figures[]>(all.map(([name]) => [name, []]));
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [name, run] of all)
        rounds.get(name)?.push(await run({ connections, seconds: Number(options.seconds) }));
      say(`${connections} connections: round ${round + 1} of ${options.rounds}`);
    }
    for (const [name, figures] of rounds) results.push(resultOf(name, connections, figures));
  }
  if (options.json)
    console.log(JSON.stringify({ runtime: process.env.FORMD_TEST_COMMAND ?? `bun ${Bun.version}`, results }));
  else {
    const round = (value: number, digits = 0) => Number(value.toFixed(digits));
    console.table(
      results.map(({ name, connections, perSecond, p50, p99, failed }) => ({
        "": name,
        connections,
        "per second": round(perSecond.median),
        min: round(perSecond.min),
        max: round(perSecond.max),
        "p50 ms": round(p50, 2),
        "p99 ms": round(p99, 2),
        failed,
      })),
    );
  }
} finally {
  await stopServer();
  await sql.end({ timeout: 1 });
  await cluster.leave();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
