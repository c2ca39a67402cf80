/**
 * `bun run bench`: the service beside pgbench, which calls the same SQL function one by one on the same database, beside Elysia without a
 * database, and beside the form service that one would write by hand. Rounds are interleaved, so that a machine that slows down slows all
 * of them; figures are medians, with the lowest and the highest. It starts its own database and servers, loads them on loopback only, and
 * stops by itself.
 *
 *   --rounds 5 --seconds 2 --connections 1,8,32,64,256 --teams 500 --agents 25000
 *   --only "submit;pgbench"    these alone
 *   --scale                    a form with 1,000 submissions beside one with 1,000,000 (10 and 10,000 forms, 100 and 100,000 agents)
 *   --memory 1000000           then so many submits, and what the server holds after 10,000 and after all
 *   --json                     for machines, in place of the tables
 *   --svg FILE                 writes the picture of the README as well
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../../src/db.ts";
import { embedded } from "../../src/embedded/index.ts";
import { migrate } from "../../src/migrate.ts";
import { digestOf, signed } from "../signer.ts";
import { cpuOf, cpuOfFamily, memoryOf } from "./cpu.ts";
import { checkTools, type Figures, fire, type Load, pgbenchSubmits, type Shot } from "./load.ts";
import { bars, picture, type Result, type Round, resultOf, tableOf } from "./report.ts";
import { payload, seedHistory, seedSigners, seedTarget } from "./seed.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    connections: { type: "string", default: "1,8,32,64,256" },
    teams: { type: "string", default: "500" },
    agents: { type: "string", default: "25000" },
    only: { type: "string" },
    scale: { type: "boolean", default: false },
    memory: { type: "string" },
    json: { type: "boolean", default: false },
    svg: { type: "string" },
  },
});

/**
 * An agent submits once in 5 seconds: so many keep a server busy for that long without meeting the throttle, and three scenarios have their own.
 * More of them (a faster machine) is more for PostgreSQL to keep in memory.
 */
const agentsEach = Number(options.agents);
/** Agents with a key. The server remembers 10,000 keys. */
const signers = 9_000;
/** Three servers' pools leave so many of PostgreSQL's hundred connections. */
const mostForPgbench = 48;

const say = (line: string) => console.error(line);
checkTools();
const folder = mkdtempSync(join(tmpdir(), "formd-bench-"));
chmodSync(folder, 0o711);
const tidy: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];

const cluster = await embedded(join(folder, "data"), say);
tidy.push(() => cluster.release());
await migrate(cluster.ownerUrl, () => {});
const sql = connect(cluster.ownerUrl, { poolSize: 1, prepare: true });
tidy.push(() => sql.end({ timeout: 1 }));
const socket = decodeURIComponent(/[?&]host=([^&]*)/.exec(cluster.url)?.[1] ?? "");
const postmaster = Number(
  readFileSync(join(folder, "data", "postgres-18", "postmaster.pid"), "utf8").split("\n", 1),
);

interface Serving {
  url: string;
  process: ChildProcess;
}

let nextPort = 18_080;

/** Starts a program that serves on the port it is given, and waits until it answers. */
async function serve(
  command: (port: string) => string[],
  environment: Record<string, string>,
): Promise<Serving> {
  const port = String(nextPort++);
  const [program = "", ...rest] = command(port);
  const child = spawn(program, rest, {
    env: { ...process.env, ...environment, PORT: port },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  tidy.push(() => {
    child.kill("SIGTERM");
    return ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status < 500,
      () => false,
    );
  while (!(await answers())) await Bun.sleep(50);
  return { url, process: child };
}

const settings = {
  DATABASE_URL: cluster.url,
  HOST: "127.0.0.1",
  TRUSTED_PROXY_HOPS: "1",
  LOG_LEVEL: "warn",
  FEATURE_AGENT_SIGNING: "true",
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "1000000",
};
/** The formd that is measured, unless another command is given. */
const measured = process.env.FORMD_TEST_COMMAND ?? `${process.execPath} src/main.ts`;
const formd = (command = measured) => serve(() => [...command.split(" "), "serve"], settings);

const submitPath = "/papi/v1/submitter/form/submissions";
const form = "/papi/v1/management/forms/{form}";
const asAgent = { "x-form-access-key": "{accessKey}", "x-respondent-token": "{token}" };
const asOwner = { "x-api-key": "{apiKey}" };

const submit: Shot = { method: "POST", path: submitPath, body: payload, headers: asAgent };
const anonymous: Shot = { ...submit, headers: { ...asAgent, "x-respondent-token": "{anonymous}" } };
const validate: Shot = { ...submit, path: "/papi/v1/submitter/form/validation" };
const token: Shot = {
  method: "POST",
  path: "/papi/v1/auth/token",
  headers: { "x-agent-secret": "{secret}" },
};
const getForm: Shot = { method: "GET", path: form, headers: asOwner };
const list: Shot = { method: "GET", path: `${form}/submissions`, headers: asOwner };
const patch: Shot = {
  ...getForm,
  method: "PATCH",
  body: JSON.stringify({ operations: [{ op: "setMeta", name: "Bench" }] }),
};

/** A scenario: its name, the process whose CPU is the server's, and one round of it. */
type Scenario = [name: string, pid: number | undefined, run: (load: Load) => Promise<Figures>];

async function scenarios(): Promise<Scenario[]> {
  say(`seeding a team of ${3 * agentsEach + signers} agents`);
  const one = await seedTarget(sql, { agents: 3 * agentsEach + signers, anonymous: 1000 });
  const keys = await seedSigners(sql, one, signers);
  say(`seeding ${options.teams} teams`);
  const many = [];
  for (let i = 0; i < Number(options.teams); i++)
    many.push(await seedTarget(sql, { agents: Math.ceil(agentsEach / Number(options.teams)), anonymous: 1 }));

  const bun = await formd();
  const rival = (name: string) =>
    serve((port) => [process.execPath, "tests/bench/rivals.ts", name, port, cluster.url], {});
  const elysia = await rival("elysia");
  const fastify = await rival("fastify");
  const at =
    ({ url }: Serving, shot: Shot, targets = [one]) =>
    (load: Load) =>
      fire(folder, url, targets, shot, load);

  /** Every request signed anew: a nonce counts once. */
  const signedSubmits = (load: Load) => {
    const lines = keys.map((key) => {
      const unsigned = {
        method: "POST",
        authority: new URL(bun.url).host,
        path: submitPath,
        headers: { "x-form-access-key": one.accessKey, "content-digest": digestOf(payload) },
        body: payload,
      };
      return Object.entries(signed(key, unsigned).headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\r\n");
    });
    return fire(folder, bun.url, [one], { ...submit, headers: {}, lines }, load);
  };
  const part = (nth: number): [first: number, count: number] => [1 + nth * agentsEach, agentsEach];
  const pid = bun.process.pid;
  const all: Scenario[] = [
    [
      "pgbench",
      undefined,
      ({ connections, seconds }) =>
        pgbenchSubmits(folder, socket, one, part(0), {
          connections: Math.min(connections, mostForPgbench),
          seconds,
        }),
    ],
    ["submit", pid, at(bun, { ...submit, agents: part(1) })],
    [`submit, ${many.length} teams`, pid, at(bun, submit, many)],
    ["submit, anonymous", pid, at(bun, anonymous)],
    ["submit, signed", pid, signedSubmits],
    ["validate", pid, at(bun, validate)],
    ["token mint", pid, at(bun, token)],
    ["get form", pid, at(bun, getForm)],
    ["list submissions", pid, at(bun, list)],
    ["patch form", pid, at(bun, patch, many)],
    ["Fastify by hand", fastify.process.pid, at(fastify, { ...submit, agents: part(0) })],
    ["Elysia, no database", elysia.process.pid, at(elysia, submit)],
  ];
  if (existsSync("node_modules/deno/deno")) {
    const deno = await formd("node_modules/deno/deno run -A src/main.ts");
    all.push(["submit, on Deno", deno.process.pid, at(deno, { ...submit, agents: part(2) })]);
  }
  if (options.scale) all.push(...(await scaleScenarios(bun)));
  await sql`vacuum analyze`;
  const chosen = options.only?.split(";");
  return all.filter(([name]) => chosen?.includes(name) ?? true);
}

/** The same requests to a team at its beginning and to one after years. Anonymous submits: a hundred agents would meet their throttle. */
async function scaleScenarios(server: Serving): Promise<Scenario[]> {
  const made: Scenario[] = [];
  for (const [name, submissions, forms, agents] of [
    ["small", 1000, 10, 100],
    ["large", 1_000_000, 10_000, 100_000],
  ] as const) {
    say(`seeding ${submissions} submissions, ${forms} forms, ${agents} agents`);
    const target = await seedTarget(sql, { agents, anonymous: 1000 });
    await seedHistory(sql, target, { submissions, forms });
    for (const [what, shot] of Object.entries({
      submit: anonymous,
      validate,
      token,
      "get form": getForm,
      list,
      patch,
    }))
      made.push([
        `${what}, ${name}`,
        server.process.pid,
        (load) => fire(folder, server.url, [target], shot, load),
      ]);
  }
  return made;
}

/** One round of a scenario, with what it took of the machine. */
async function measure([, pid, run]: Scenario, load: Load): Promise<Round> {
  const before = [cpuOf(pid), cpuOfFamily(postmaster)];
  const figures = await run(load);
  const each = [cpuOf(pid), cpuOfFamily(postmaster)].map((after, i) =>
    after === undefined || before[i] === undefined || figures.requests === 0
      ? undefined
      : (after - before[i]) / figures.requests,
  );
  return { ...figures, serverCpu: each[0], postgresCpu: each[1] };
}

async function compare(): Promise<Result[]> {
  const all = await scenarios();
  // Connections, caches and compiled code are there before the first round; the memory of keys, too.
  for (const scenario of all) await measure(scenario, { connections: 32, seconds: 3 });
  const results: Result[] = [];
  for (const connections of options.connections.split(",").map(Number)) {
    const rounds = new Map<string, Round[]>(all.map(([name]) => [name, []]));
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const scenario of all)
        rounds
          .get(scenario[0])
          ?.push(await measure(scenario, { connections, seconds: Number(options.seconds) }));
      say(`${connections} connections: round ${round + 1} of ${options.rounds}`);
    }
    for (const [name, figures] of rounds) results.push(resultOf(name, connections, figures));
  }
  return results;
}

/** Resident bytes of a server after 10,000 submits and after `total`. */
async function memoryAfter(total: number): Promise<{ early: number; late: number; submits: number }> {
  const target = await seedTarget(sql, { agents: 200_000, anonymous: 1 });
  const server = await formd();
  let submits = 0;
  let early = 0;
  while (submits < total) {
    const seconds = early === 0 ? 2 : 20;
    const { requests, failed } = await fire(folder, server.url, [target], submit, {
      connections: 64,
      seconds,
    });
    submits += requests - failed;
    if (early === 0 && submits >= 10_000) early = memoryOf(server.process.pid);
    say(`${submits} submits: ${Math.round(memoryOf(server.process.pid) / 2 ** 20)} MB`);
  }
  return { early, late: memoryOf(server.process.pid), submits };
}

try {
  const results = await compare();
  const memory = options.memory ? await memoryAfter(Number(options.memory)) : undefined;
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, bun ${Bun.version}`;
  if (options.svg) writeFileSync(options.svg, picture(results, machine));
  if (options.json) console.log(JSON.stringify({ machine, results, bars: bars(results, memory), memory }));
  else {
    console.log(machine);
    console.table(tableOf(results));
    console.table(bars(results, memory));
  }
} finally {
  for (const step of tidy.reverse()) await step();
}
process.exit(0);
