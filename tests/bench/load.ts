/**
 * The load tools: wrk for HTTP, pgbench for the database alone. Bounded in time, on loopback, and they stop
 * by themselves.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { accessKeyHash, digits, payload, type Target } from "./seed.ts";

const run = promisify(execFile);

/** Requests per second and latencies in milliseconds. */
export interface Figures {
  perSecond: number;
  p50: number;
  p99: number;
  /** Requests or transactions, the failed ones with them. */
  requests: number;
  /** Responses that were not 2xx, or transactions that failed. */
  failed: number;
}

/** Returns the path of a program. Throws an error that says how to get it. */
function need(name: string, places: string[], how: string): string {
  const found = places.find((place) => existsSync(place));
  if (!found) throw new Error(`${name} is missing: ${how}`);
  return found;
}

const wrk = () => need("wrk", ["/usr/bin/wrk", "/usr/local/bin/wrk"], "apt-get install wrk");
const pgbench = () =>
  need(
    "pgbench",
    [18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin/pgbench`),
    "apt-get install postgresql-contrib (Debian), or any PostgreSQL 15 or newer",
  );

/** Fails at once, and not after the seeding, when a tool is missing. */
export const checkTools = () => [wrk(), pgbench()];

export interface Load {
  connections: number;
  seconds: number;
}

/**
 * One kind of request. Path and headers may name what changes from one to the next: `{accessKey}`, `{apiKey}`
 * and `{form}` of the next target, `{token}`, `{secret}` or `{anonymous}` of its next agent or session, and
 * `{line}`, the next of `lines`. Each request comes from another address.
 */
export interface Shot {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Range of agents: the first one's number and the count. Default: all. */
  agents?: [first: number, count: number];
  /** Header lines, each sent once: the shot is over when all are sent. */
  lines?: string[];
}

/** A submit of the next agent. */
export const submitShot: Shot = {
  method: "POST",
  path: "/papi/v1/submitter/form/submissions",
  body: payload,
  headers: { "x-form-access-key": "{accessKey}", "x-respondent-token": "{token}" },
};

/** A message as a client of revision 2026-07-28 sends it. */
const mcp = (method: string, { name, ...params }: { name?: string; arguments?: object } = {}) => ({
  method: "POST",
  path: "/mcp",
  headers: {
    authorization: "Bearer {token}",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name && { "mcp-name": name }),
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...(name && { name }),
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }),
});
/** A call of the tool of its own that a form has, whose name an agent reads in the list. */
export async function submitByTool({ url }: { url: string }, { prefixes: { token } }: Target): Promise<Shot> {
  const { path, method, headers, body } = mcp("tools/list");
  const authorization = `Bearer ${token}${"1".padStart(digits, "0")}`;
  const sent = { ...headers, authorization, "content-type": "application/json" };
  const response = await fetch(url + path, { method, headers: sent, body });
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
  const name = result.tools.find(({ name }) => name.startsWith("submit_"))?.name ?? "";
  return mcp("tools/call", { name, arguments: JSON.parse(payload).data });
}

const lua = (text: string) =>
  `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\r", "\\r").replaceAll("\n", "\\n")}"`;

/** The request as a Lua expression: what never changes is one piece of text. */
function expressionOf({ method, path, headers = {}, body = "", lines }: Shot, host: string): string {
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    "x-forwarded-for: {ip}",
    ...(body ? ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(lines ? ["{line}"] : []),
  ];
  const text = [...head, "", ""].join("\r\n");
  const changing: Record<string, string> = {
    accessKey: "target.accessKey",
    apiKey: "target.apiKey",
    form: "target.form",
    token: `target.token .. number(agent)`,
    secret: `target.secret .. number(agent)`,
    anonymous: `target.anonymous .. number(round % target.sessions + 1)`,
    ip: `address`,
    line: "lines[sent]",
  };
  const parts = text.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? (changing[part] ?? part) : lua(part)));
  return [...parts, lua(body)].join(" .. ");
}

/**
 * Agents and addresses go on where the last round ended, so that none comes twice in the span of its
 * rate limit.
 */
let cursor = 0;

/** Fires one kind of request for some seconds. */
export async function fire(
  folder: string,
  url: string,
  targets: Target[],
  shot: Shot,
  { connections, seconds }: Load,
): Promise<Figures> {
  const script = join(folder, "shot.lua");
  const lines = join(folder, "lines");
  await writeFile(lines, (shot.lines ?? []).join("\x01"));
  const [first, count] = shot.agents ?? [1, "target.agents"];
  const table = targets.map(
    ({ accessKey, apiKey, form, prefixes, anonymous, agents }) =>
      `{ accessKey = ${lua(accessKey)}, apiKey = ${lua(apiKey)}, form = ${lua(form)}, token = ${lua(prefixes.token)}, anonymous = ${lua(prefixes.anonymous)}, secret = ${lua(prefixes.secret)}, agents = ${agents}, sessions = ${anonymous} }`,
  );
  await writeFile(
    script,
    `
local targets = { ${table.join(",\n")} }
local lines, limit = {}, ${shot.lines ? shot.lines.length : "math.huge"}
local threads = {}
n = 0
local sent = 0
local function number(of) return string.format("%0${digits}d", of) end
function setup(thread) threads[#threads + 1] = thread end
function init()
  n = ${cursor}
  local text = io.open(${lua(lines)}, "rb"):read("*a")
  for line in text:gmatch("[^\\1]+") do lines[#lines + 1] = line end
end
function request()
  n = n + 1
  sent = sent % limit + 1
  if sent == limit then wrk.thread:stop() end
  local target = targets[n % #targets + 1]
  local round = math.floor(n / #targets)
  local agent = ${first} + round % ${count}
  local address = "10." .. (math.floor(n / 65536) % 256) .. "." .. (math.floor(n / 256) % 256) .. "." .. (n % 256)
  return ${expressionOf(shot, new URL(url).host)}
end
function done(summary, latency)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format("FIGURES %f %f %f %d %d %d\\n", (summary.requests - failed) / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.requests, failed, threads[1]:get("n")))
end
`,
  );
  const { stdout } = await run(wrk(), ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", script, url], {
    timeout: (seconds + 30) * 1000,
  });
  const [perSecond = 0, p50 = 0, p99 = 0, requests = 0, failed = 0, last = cursor] = (
    /FIGURES (.*)/.exec(stdout)?.[1] ?? ""
  )
    .split(" ")
    .map(Number);
  // Not those that wrk counted: the server has handled requests whose responses came too late for it, and
  // their agents are within their limit.
  cursor = last;
  return { perSecond, p50, p99, requests, failed };
}

/** One round of pgbench with a script. Each client counts its transactions in `:n`. */
async function pgbenchRun(
  folder: string,
  socket: string,
  script: string,
  variables: Record<string, string>,
  { connections, seconds }: Load,
): Promise<Figures> {
  const file = join(folder, "pgbench.sql");
  await writeFile(file, script);
  const log = join(folder, "pgbench");
  const flags = `-n -M prepared -h ${socket} -U formd_owner -D n=0 -c ${connections} -j 2 -T ${seconds} -f ${file} --log --log-prefix=${log}`;
  const defined = Object.entries(variables).flatMap(([name, value]) => ["-D", `${name}=${value}`]);
  const { stdout } = await run(pgbench(), [...flags.split(" "), ...defined, "formd"], {
    cwd: folder,
    timeout: (seconds + 30) * 1000,
  });
  // PostgreSQL's processes end after pgbench, and their CPU time is read once they have.
  await Bun.sleep(200);
  const { stdout: latencies } = await run(
    "sh",
    ["-c", `cat ${log}.* | awk '{print $3}' | sort -n; rm -f ${log}.*`],
    { maxBuffer: 1 << 28 },
  );
  const sorted = latencies
    .trim()
    .split("\n")
    .map((microseconds) => Number(microseconds) / 1000);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1] ?? 0);
  return { perSecond, p50: at(0.5), p99: at(0.99), requests: sorted.length, failed: 0 };
}

/** A UUIDv7 made by PostgreSQL: the time, and random bits. */
const newId = `(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
  || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))`;

/** pgbench calling formd.submissions_submit with one submission at a time: what the database alone can do. */
export async function pgbenchSubmits(
  folder: string,
  socket: string,
  target: Target,
  [first, count]: [first: number, count: number],
  load: Load,
): Promise<Figures> {
  const script = `\\set n :n + 1
\\set agent ${first} + (${cursor} + :n * ${load.connections} + :client_id) % ${count}
\\set address random(1, 16000000)
select outcome from formd.submissions_submit('${target.team}', jsonb_build_array(jsonb_build_object('form_id', '${target.form}',
  'version', 1, 'credentials', jsonb_build_object('access_key_hash', '${accessKeyHash(target)}', 'credential', 'session',
    'credential_hash', sha256(convert_to('${target.prefixes.token}' || lpad((:agent)::int::text, ${digits}, '0'), 'UTF8'))::text),
  'admitted', false, 'ip_key', 'submit-ip-' || (:address)::int::text, 'ip_limit', 30,
  'validation', 'accepted', 'data', :data::jsonb, 'partial', false, 'missing_required', '[]'::jsonb)));
`;
  const { data } = JSON.parse(payload);
  const figures = await pgbenchRun(folder, socket, script, { data: JSON.stringify(data) }, load);
  cursor += figures.requests;
  return figures;
}

/**
 * pgbench inserting rows of the same data and nothing else, `rows` per statement, from one jsonb: the limit
 * under every figure.
 */
export async function pgbenchInserts(
  folder: string,
  socket: string,
  { team, form }: Target,
  rows: number,
  load: Load,
): Promise<Figures> {
  const script = `insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at, completed_at)
select '${team}', '${form}', ${newId}::uuid, 1, 'completed', 'agent', 'agent', '${form}', i.data, now(), now(), now()
from jsonb_to_recordset(:items::jsonb) as i (data jsonb);
`;
  const { data } = JSON.parse(payload);
  const items = JSON.stringify(Array(rows).fill({ data }));
  const { perSecond, requests, ...figures } = await pgbenchRun(folder, socket, script, { items }, load);
  return { ...figures, perSecond: perSecond * rows, requests: requests * rows };
}
