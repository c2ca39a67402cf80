/**
 * What the tests share: a PostgreSQL with a migrated template, and a server with default settings. Each file makes teams of its own;
 * files that need other settings, or change the schema, start a server or a database of their own.
 *
 * FORMD_TEST_COMMAND says which server is tested (default: this Bun, from source), such as "deno run -A src/main.ts" or
 * "./dist/formd". The tests of tests/http and tests/cli reach it by HTTP and by its commands; fixtures are made by functions of src.
 */
import { afterAll, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server as Listener } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { v7 as uuidv7 } from "uuid";
import { createApiKey } from "../src/api-keys/api-keys.ts";
import { cliActor } from "../src/auth/actor.ts";
import { apiKeyScopes } from "../src/auth/api-key.ts";
import { hashPassword } from "../src/auth/password.ts";
import { makeSecret } from "../src/auth/secret.ts";
import { connect, type Sql } from "../src/db.ts";
import { type Embedded, embedded } from "../src/embedded/index.ts";
import { setUp } from "../src/embedded/lease.ts";
import { createAccessKey } from "../src/forms/access-keys.ts";
import { publishForm } from "../src/forms/publish.ts";
import { distribute, migrate } from "../src/migrations/index.ts";
import { createWorkspace } from "../src/teams/workspaces.ts";
import { assertContract } from "./contract.ts";
import "./generated.ts";
import { formdInProcess } from "./in-process.ts";

export const root = join(import.meta.dir, "..");
// npm's deno is a Node script that starts the binary beside it: a signal would end the script, and leave the server behind.
export const command = (process.env.FORMD_TEST_COMMAND ?? `${process.execPath} src/main.ts`)
  .replace("node_modules/.bin/deno", "node_modules/deno/deno")
  .split(" ");

/** An emulated machine needs more. */
const startTimeoutMs = Number(process.env.FORMD_TEST_START_SECONDS ?? 60) * 1000;

/** A PostgreSQL to test on instead of the embedded one (its superuser, database formd), and the pooler through which servers reach it. */
const { FORMD_TEST_POSTGRES: given, FORMD_TEST_POOLER: pooler } = process.env;
/** Ports of the workers, when that PostgreSQL is the coordinator of a Citus cluster: the template is distributed before it is copied. */
const workerPorts = process.env.FORMD_TEST_CITUS?.split(",") ?? [];
const withPooler: Record<string, string> = pooler ? { DATABASE_PREPARE: "false" } : {};
/** Whether commands that need no process of their own run in this one: not in the suites of another runtime, which start each as a process. */
const inProcess = !process.env.FORMD_TEST_COMMAND;
/**
 * Of a run in several processes (tests/run.ts): the directory where each keeps its PostgreSQL and the process id of its server from file to file,
 * and which worker this is. tests/run.ts stops them.
 */
const { FORMD_TEST_FOLDER: kept, BUN_TEST_WORKER_ID: worker = "1" } = process.env;

/**
 * A test that needs programs which a machine with Node and npm may not have. Without them it is skipped, and the run says so. In CI, which
 * installs them, it fails.
 */
export function testRequiring(...programs: string[]) {
  const missing = programs.filter((program) => Bun.which(program) === null);
  if (missing.length === 0 || process.env.CI) return test;
  console.warn(`tests that need ${missing.join(", ")} are skipped: not found on this machine`);
  return test.skip;
}

/** A test of what only one PostgreSQL shows, such as its statistics of what a transaction has read. On Citus it is skipped. */
export const testOnOneNode = workerPorts.length > 0 ? test.skip : test;

/** A directory that is removed afterwards; PostgreSQL's unprivileged user may pass through it. */
export function temporaryFolder(owner = Bun.main): string {
  const folder = mkdtempSync(join(tmpdir(), "formd-test-"));
  chmodSync(folder, 0o711);
  onCleanup(async () => rmSync(folder, { recursive: true, force: true }), owner);
  return folder;
}

/** What is to be cleaned up, by the file that it belongs to, or the whole run. Files run one after another in one process. */
const cleanups = new Map<string, (() => Promise<void>)[]>();
const wholeRun = "run";

export function onCleanup(work: () => Promise<void>, owner = Bun.main): void {
  cleanups.set(owner, [...(cleanups.get(owner) ?? []), work]);
}

/** Stops a file's servers and connections when the next file asks for its own: PostgreSQL takes a hundred connections. */
async function cleanUp(isOver: (owner: string) => boolean): Promise<void> {
  const errors: unknown[] = [];
  for (const [owner, works] of [...cleanups].reverse()) {
    if (!isOver(owner)) continue;
    cleanups.delete(owner);
    for (const work of works.reverse()) await work().catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** The random part of every secret that the tests created or received. */
const secrets = new Set<string>();

/** Remembers the secrets in a text. @returns the text */
export function rememberSecrets(text: string): string {
  for (const [, random = ""] of text.matchAll(/fd[kasfo]_[\w-]{22,43}([\w-]{43})(?![\w-])/g))
    secrets.add(random);
  return text;
}

/** The first line of a log that holds one of them, or a password. */
export function findLeak(log: string): string | undefined {
  const holdsOne = (word: string) => {
    for (let i = 0; i + 43 <= word.length; i++) if (secrets.has(word.slice(i, i + 43))) return true;
    return false;
  };
  return log
    .split("\n")
    .find((line) => line.includes("correct horse") || (line.match(/[\w-]{43,}/g) ?? []).some(holdsOne));
}

// At the end of the run, since bunfig.toml loads this before all files; of a run in several processes, at the end of each file.
afterAll(async () => {
  for (const { assertNoLeak } of await Promise.all(shared.values())) assertNoLeak();
  await cleanUp((owner) => !kept || owner !== wholeRun);
}, 60_000);

/** The run's PostgreSQL and its migrated template, started when the first test asks. */
let cluster: Promise<{ urls: Pick<Embedded, "url" | "ownerUrl">; nodes: Sql[] }> | undefined;
const startCluster = async () => {
  const urls = given
    ? { url: pooler ?? asUser(given, "formd"), ownerUrl: asUser(given, "formd_owner") }
    : await embed();
  const adminUrl = inDatabase(asUser(urls.ownerUrl, "postgres"), "postgres");
  const nodeUrls = [adminUrl, ...workerPorts.map((port) => `${adminUrl}&port=${port}`)];
  const nodes = nodeUrls.map((url) => connect(url, { poolSize: 2, prepare: false }));
  for (const node of nodes) onCleanup(() => node.end({ timeout: 1 }), wholeRun);
  const [admin] = nodes as [Sql];
  if (given) {
    const held = await admin.reserve();
    await setUp(held).finally(() => held.release());
  } else {
    // No data is needed after a crash of the machine, and each commit would wait for the disk.
    for (const setting of ["fsync", "synchronous_commit", "full_page_writes"])
      await admin.unsafe(`alter system set ${setting} = off`);
    await admin`select pg_reload_conf()`;
  }
  await migrate(urls.ownerUrl, () => {});
  if (workerPorts.length > 0) await distribute(urls.ownerUrl, () => {});
  return { urls, nodes };
};

async function embed(): Promise<Embedded> {
  const folder = kept ? join(kept, worker) : temporaryFolder(wholeRun);
  const urls = await embedded(folder, () => {}, { explicit: true });
  onCleanup(() => urls.release(), wholeRun);
  return urls;
}

const inDatabase = (url: string, name: string) => url.replace(/\/formd(?=$|\?)/, `/${name}`);
const asUser = (url: string, user: string) => url.replace(/\/\/[^@]*@/, `//${user}@`);

export interface Database {
  /** The server's connection: role formd. */
  url: string;
  /** The owner's. */
  ownerUrl: string;
  /** The superuser's, for what the API does not show. */
  sql: Sql;
}

/** The settings of a formd on a database whose server and owner are two roles. */
export const settingsFor = ({ url, ownerUrl }: Database) => ({
  DATABASE_URL: url,
  MIGRATION_DATABASE_URL: ownerUrl,
});

/** A database with formd's tables and functions, and no rows. */
export const database = (owner = Bun.main): Promise<Database> => createDatabase("template formd", owner);

/** A database without formd. */
export const emptyDatabase = (): Promise<Database> => createDatabase("owner formd_owner");

/**
 * Lets a server that is started from now on wait a minute for locks, not 5 s: a test that holds one decides when the wait ends, on a busy
 * machine too.
 */
export async function waitForLocks({ sql }: Database): Promise<void> {
  const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
  for (const setting of ["lock_timeout", "statement_timeout"])
    await sql.unsafe(`alter role formd in database ${name} set ${setting} = '60s'`);
}

async function createDatabase(options: string, owner = Bun.main): Promise<Database> {
  await cleanUp((other) => other !== wholeRun && other !== Bun.main);
  cluster ??= startCluster();
  const { urls, nodes } = await cluster;
  const name = `test_${uuidv7().replaceAll("-", "")}`;
  if (nodes.length > 1) {
    // Citus's connections to the template end first, those of the coordinator to the workers before the workers' own.
    for (const node of nodes)
      await node`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'formd'`;
    // Citus has a process for each database, and PostgreSQL a maximum of them.
    onCleanup(() => dropDatabase(name, nodes), owner);
  }
  // Each node of a cluster copies its own, where object ids stay the same.
  await Promise.all(nodes.map((node) => node.unsafe(`create database ${name} ${options}`)));
  const sql = connect(inDatabase(asUser(urls.ownerUrl, "postgres"), name), { poolSize: 4, prepare: true });
  onCleanup(() => sql.end({ timeout: 1 }), owner);
  return { url: inDatabase(urls.url, name), ownerUrl: inDatabase(urls.ownerUrl, name), sql };
}

/** Drops it on each node. PostgreSQL gives other sessions 5 s to end, which is too short for Citus's process while it starts. */
async function dropDatabase(name: string, nodes: Sql[]): Promise<void> {
  for (const node of nodes)
    for (let attempt = 1; ; attempt++) {
      const error = await node.unsafe(`drop database if exists ${name} with (force)`).then(
        () => undefined,
        (error: { code?: string }) => error,
      );
      if (!error) break;
      if (error.code !== "55006" || attempt === 5) throw error;
    }
}

/**
 * Ports below those that the kernel gives to connections and to servers that ask for any, in blocks. A process keeps the first port of its blocks for
 * as long as it runs, so that no suite beside it takes one of the others between the look here and its use. Not 10080, which browsers and Node
 * refuse (WHATWG fetch, "bad port").
 */
const ports = { first: 10_100, blocks: 100, perBlock: 200 };

async function listen(port: number): Promise<Listener | undefined> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  return isFree ? server : undefined;
}

async function* portsOfOwn(): AsyncGenerator<number, never> {
  for (let block = process.pid; ; block++) {
    const first = ports.first + (block % ports.blocks) * ports.perBlock;
    const held = await listen(first);
    if (!held) continue;
    held.unref();
    for (let port = first + 1; port < first + ports.perBlock; port++) yield port;
  }
}
const ownPorts = portsOfOwn();

export async function freePort(): Promise<number> {
  for (;;) {
    const { value: port } = await ownPorts.next();
    const server = await listen(port);
    if (!server) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of formd to its end, in this process or in one of its own. */
export async function formd(args: string[], environment: Record<string, string> = {}): Promise<Ran> {
  if (!inProcess || args[0] === "serve" || environment.FORMD_DATA_DIR)
    return await formdProcess(args, environment);
  const ran = await formdInProcess(args, { ...withPooler, ...environment });
  return { ...ran, stdout: rememberSecrets(ran.stdout) };
}

/** Runs a command of formd in a process; of the formd whose source is in `directory`, with this Bun, when that is not the tested one. */
export const formdProcess = (
  args: string[],
  environment: Record<string, string> = {},
  directory = root,
): Promise<Ran> =>
  // Bun's optimising compiler takes a quarter of the time of so short a process.
  ended(start(args, { BUN_JSC_useDFGJIT: "0", ...environment }, directory));

/** Runs any program to its end, with no settings but these. */
export const run = (
  program: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<Ran> => ended(spawnIn(program, args, environment));

async function ended(child: ChildProcess): Promise<Ran> {
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => stream && text(stream));
  const code = await new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? -1)));
  return { code, stdout: rememberSecrets((await stdout) ?? ""), stderr: (await stderr) ?? "" };
}

/** Starts a command of formd with no settings but these. */
export function start(args: string[], environment: Record<string, string>, directory = root): ChildProcess {
  const [program = "", ...rest] = directory === root ? command : [process.execPath, "src/main.ts"];
  return spawnIn(program, [...rest, ...args], { ...withPooler, ...environment }, directory);
}

function spawnIn(
  program: string,
  args: string[],
  environment: Record<string, string>,
  directory = root,
): ChildProcess {
  const { PATH = "", HOME = "" } = process.env;
  return spawn(program, args, {
    cwd: directory,
    env: { PATH, HOME, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Hands over what arrives once its line has ended: a pipe cuts lines where its buffer ends. */
function onLines(stream: Readable | null, take: (lines: string) => void): void {
  let rest = "";
  stream?.setEncoding("utf8").on("data", (chunk: string) => {
    rest += chunk;
    const end = rest.lastIndexOf("\n") + 1;
    take(rest.slice(0, end));
    rest = rest.slice(end);
  });
  stream?.on("end", () => take(rest));
}

/** The same for every server, so that a signature of one is that of another. An empty variable leaves a server without. */
const masterKey = Buffer.alloc(32, 7).toString("base64");

export interface Server {
  url: string;
  process: ChildProcess;
  /** What it has logged so far, in whole lines. */
  log(): string;
  stop(signal?: NodeJS.Signals): Promise<number>;
  /** Looks for secrets in what it has logged since the last time. */
  assertNoLeak(): void;
}

/**
 * A server with these settings. It trusts one proxy, so that each request can have a client IP of its own. It logs at the lowest level, and
 * its log must hold no secret.
 */
export async function server(
  environment: Record<string, string>,
  { owner = Bun.main, directory = root } = {},
): Promise<Server> {
  const port = environment.PORT ?? String(await freePort());
  const settings = {
    PORT: port,
    HOST: "127.0.0.1",
    TRUSTED_PROXY_HOPS: "1",
    LOG_LEVEL: "trace",
    FORMD_SECRET_KEY: masterKey,
    DRAIN_SECONDS: "0",
    ...environment,
  };
  if (settings.FORMD_SECRET_KEY === "") delete (settings as Record<string, string>).FORMD_SECRET_KEY;
  const child = start(["serve"], settings, directory);
  let logged = "";
  for (const stream of [child.stdout, child.stderr]) onLines(stream, (lines) => (logged += lines));
  const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return await ended;
  };
  let checked = 0;
  const assertNoLeak = () => {
    const leak = findLeak(logged.slice(checked));
    checked = logged.length;
    const file = owner === wholeRun ? Bun.main : owner;
    if (leak) throw new Error(`${file}: the server's log holds a secret: ${leak}`);
  };
  onCleanup(async () => {
    await stop("SIGKILL");
    assertNoLeak();
  }, owner);
  if (kept && owner === wholeRun) writeFileSync(join(kept, `${child.pid}.pid`), "");
  const url = `http://127.0.0.1:${port}`;
  for (const began = Date.now(); Date.now() - began < startTimeoutMs; ) {
    if (child.exitCode !== null) break;
    const ready = await fetch(`${url}/readyz`)
      .then((reply) => reply.ok)
      .catch(() => false);
    // What it says at its start comes by another way than the response, and has come once this line, the last one, has.
    const isTold =
      !["trace", "debug", "info"].includes(settings.LOG_LEVEL) || logged.includes('"msg":"listening"');
    if (ready && isTold) return { url, process: child, log: () => logged, stop, assertNoLeak };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server did not start:\n${logged}`);
}

/** A database with a server on it. */
export interface Service extends Server {
  database: Database;
}

/** Settings under which signatures are checked and validations, submits and sign-ins of one client IP have no limit. */
export const permissive: Record<string, string> = {
  FEATURE_AGENT_SIGNING: "true",
  CHALLENGE_PASS_MINUTES: "7",
  RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "1000000",
  RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "1000000",
  RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "1000000",
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "1000000",
};
const defaults: Record<string, string> = {};
/** The servers of all files that need no other settings than these. */
const shared = new Map<Record<string, string>, Promise<Service>>();

/**
 * A server and its database. Without settings, or with the permissive ones, they are shared, and the log begins here; with other settings they
 * are the file's own.
 */
export async function service(settings = defaults): Promise<Service> {
  if (settings !== defaults && settings !== permissive) return await startService(settings);
  const started = shared.get(settings) ?? startService(settings, wholeRun);
  shared.set(settings, started);
  const { log, ...rest } = await started;
  const begin = log().length;
  return { ...rest, log: () => log().slice(begin) };
}

async function startService(environment: Record<string, string>, owner = Bun.main): Promise<Service> {
  const made = await database(owner);
  return { ...(await server({ DATABASE_URL: made.url, ...environment }, { owner })), database: made };
}

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a response is whatever the server sends; the expectations say what it should be
  body: any;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is text or bytes. */
  body?: unknown;
  /** The client IP; another one for every request unless given, so that no rate limit is reached by chance. */
  ip?: string;
}

let lastIp = Math.floor(Math.random() * 2 ** 24);

/** A client IP that no other request of this process has: of random ones, two of a few thousand would be equal now and then. */
export function freshIp(): string {
  lastIp = (lastIp + 1) % 2 ** 24;
  return `10.${lastIp >> 16}.${(lastIp >> 8) & 255}.${lastIp & 255}`;
}

/** One request; a body is JSON unless the headers say otherwise. */
export async function ask(
  { url }: { url: string },
  method: string,
  path: string,
  { headers = {}, body, ip = freshIp() }: RequestOptions = {},
): Promise<Reply> {
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const sent = new Headers({
    "x-forwarded-for": ip,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...headers,
  });
  const reply = await fetch(url + path, {
    method,
    headers: sent,
    ...(body !== undefined && { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
  });
  const text = rememberSecrets(await reply.text());
  rememberSecrets(reply.headers.get("set-cookie") ?? "");
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(reply.headers.get("content-type") ?? "");
  const response = {
    status: reply.status,
    headers: reply.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
  assertContract({ method, path, sent, body }, response);
  return response;
}

/** A team with its workspace, an admin and an API key with every scope. */
export interface Team {
  id: string;
  workspace: string;
  operator: { id: string; email: string; password: string };
  key: string;
  keyId: string;
}

let people = 0;

export async function makeTeam(app: Service, salt = cheapSalt): Promise<Team> {
  const { sql } = app.database;
  const [id, workspace] = [uuidv7(), uuidv7()];
  await sql`select formd.team_create(${id}, '(cli,,)'::formd.actor, ${"Team"}, ${workspace}, ${"Main"})`;
  const operator = await addOperator(app, id, workspace, "admin", salt);
  const key = await makeKey(app, { id });
  return { id, workspace, operator, key: key.key, keyId: key.id };
}

/** scrypt with the least work; a password of full strength takes a fifth of a second. */
const cheapSalt = "scrypt$2$1$1$AAAA";

async function addOperator(
  { database: { sql } }: Service,
  team: string,
  workspace: string,
  role: string,
  salt = cheapSalt,
): Promise<Team["operator"]> {
  const [email, password] = [`${role}${++people}@example.org`, "correct horse"];
  const hash = await hashPassword(password, salt);
  const [{ id }] = await sql<
    [{ id: string }]
  >`select id from formd.operator_join(${team}, '(cli,,)'::formd.actor, ${workspace}, ${uuidv7()}, ${email}, ${salt}, ${hash}, ${role})`;
  return { id, email, password };
}

/** Another API key of the team. */
export async function makeKey(
  { database: { sql } }: Service,
  team: { id: string },
  ...scopes: string[]
): Promise<{ id: string; key: string }> {
  const { id, key } = await createApiKey(sql, cliActor, team.id, {
    name: "test",
    scopes: scopes.length ? scopes : apiKeyScopes,
  });
  return { id, key: rememberSecrets(key) };
}

/** Another workspace of the team. */
export async function makeWorkspace({ database: { sql } }: Service, team: Team): Promise<string> {
  return (await createWorkspace(sql, cliActor, team.id, "Another")).id;
}

/** A person with a role in the workspace, signed in: the value of the Cookie header. */
export async function makeOperator(
  app: Service,
  team: Team,
  role: "admin" | "editor" | "viewer",
  workspace = team.workspace,
): Promise<string> {
  const { email, password } = await addOperator(app, team.id, workspace, role);
  return await signIn(app, email, password);
}

/** Signs in and answers the value of the Cookie header. */
export async function signIn(app: Service, email: string, password: string): Promise<string> {
  const reply = await ask(app, "POST", "/console/login", { body: { email, password } });
  return reply.headers.get("set-cookie")?.split(";")[0] ?? "";
}

export interface PublishedForm {
  id: string;
  accessKey: string;
}

/** A published form with these fields (and these settings), and an access key for it. */
export async function makeForm(
  app: Service,
  team: Team,
  fields: object[],
  { settings, workspaceId }: { settings?: object; workspaceId?: string } = {},
): Promise<PublishedForm> {
  const { sql } = app.database;
  const id = uuidv7();
  await sql`select from formd.form_create(${team.id}, '(cli,,)'::formd.actor, ${id}, ${workspaceId ?? null}, ${"Test"}, null, ${sql.json({ fields } as never)})`;
  if (settings)
    await sql`select from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${id}, ${sql.json([{ op: "setMeta", settings }] as never)}, null, null)`;
  await publishForm(sql, cliActor, team.id, id);
  return { id, accessKey: rememberSecrets((await createAccessKey(sql, cliActor, team.id, id)).key) };
}

export interface Agent {
  id: string;
  secret: string;
  token: string;
}

/** An agent with a grant for the form and a session. */
export async function makeAgent(
  app: Service,
  team: Team,
  form: PublishedForm,
  scopes = ["agent:read", "agent:validate", "agent:submit"],
): Promise<Agent> {
  const { sql } = app.database;
  const [id, secret, token] = [uuidv7(), makeSecret("fda", team.id), makeSecret("fds", team.id)];
  const [{ workspaceId }] = await sql<
    [{ workspaceId: string }]
  >`select workspace_id from formd.forms where team_id = ${team.id} and id = ${form.id}`;
  await sql`select from formd.agent_create(${team.id}, '(cli,,)'::formd.actor, ${workspaceId}, ${id}, ${"Agent"}, ${id}, ${secret.prefix}, ${secret.hash})`;
  if (scopes.length > 0) {
    await sql`
      select from formd.grant_upsert(
        p_team => ${team.id}, p_actor => '(cli,,)'::formd.actor, p_agent => ${id}, p_id => ${uuidv7()}, p_form => ${form.id},
        p_scopes => ${scopes}, p_respondent_given => false, p_respondent => null, p_binding_required => null)`;
  }
  await sql`select from formd.agent_session_create(${team.id}, ${secret.hash}, ${uuidv7()}, ${token.hash}, '7 days', ${`token:ip:${id}`}, 30)`;
  return { id, secret: rememberSecrets(secret.secret), token: rememberSecrets(token.secret) };
}

/** The headers of a submitter's call. */
export const asAgent = (form: PublishedForm, agent: { token: string }) => ({
  "x-form-access-key": form.accessKey,
  "x-respondent-token": agent.token,
});
