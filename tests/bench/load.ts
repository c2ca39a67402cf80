/** The load tools: wrk for HTTP, pgbench for the database alone. Bounded in time, on loopback, and they stop by themselves. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { accessKeyHash, payload, type Target, tokenOf } from "./seed.ts";

const run = promisify(execFile);

/** Requests per second and latencies in milliseconds. */
export interface Figures {
  perSecond: number;
  p50: number;
  p99: number;
  /** Answers that were not 2xx, or transactions that failed. */
  failed: number;
}

/** Where a program is, or what to do to get it. */
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

export interface Load {
  connections: number;
  seconds: number;
}

/** What wrk sends: every request by another agent of the next target, from another address. */
export interface Shot {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Sends the next agent's token. */
  asAgent?: boolean;
}

/** Fires one kind of request for some seconds. */
export async function fire(
  folder: string,
  url: string,
  targets: Target[],
  shot: Shot,
  { connections, seconds }: Load,
): Promise<Figures> {
  const script = join(folder, "shot.lua");
  const lua = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
  await writeFile(
    script,
    `
local targets = { ${targets.map((t) => `{ key = ${lua(t.accessKey)}, prefix = ${lua(t.tokenPrefix)}, agents = ${t.agents} }`).join(", ")} }
local body = ${shot.body ? lua(shot.body) : "nil"}
local headers = { ["content-type"] = "application/json"${Object.entries(shot.headers ?? {})
      .map(([name, value]) => `, [${lua(name)}] = ${lua(value)}`)
      .join("")} }
local n = 0
function init() math.randomseed(os.time()) n = math.random(0, 1e6) end
function request()
  n = n + 1
  local target = targets[n % #targets + 1]
  ${
    shot.asAgent
      ? `headers["x-form-access-key"] = target.key
  headers["x-respondent-token"] = target.prefix .. string.format("%0${tokenOf({ tokenPrefix: "" } as Target, 0).length}d", math.floor(n / #targets) % target.agents + 1)`
      : ""
  }
  headers["x-forwarded-for"] = "10." .. (math.floor(n / 65536) % 256) .. "." .. (math.floor(n / 256) % 256) .. "." .. (n % 256)
  return wrk.format(${lua(shot.method)}, ${lua(shot.path)}, headers, body)
end
function done(summary, latency)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format("FIGURES %f %f %f %d\\n", (summary.requests - failed) / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
`,
  );
  const { stdout } = await run(wrk(), ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", script, url], {
    timeout: (seconds + 30) * 1000,
  });
  const [perSecond = 0, p50 = 0, p99 = 0, failed = 0] = (/FIGURES (.*)/.exec(stdout)?.[1] ?? "")
    .split(" ")
    .map(Number);
  return { perSecond, p50, p99, failed };
}

/** pgbench calling formd.submission_create one by one: what the database alone can do. */
export async function pgbenchSubmits(
  folder: string,
  socket: string,
  database: string,
  targets: Target[],
  { connections, seconds }: Load,
): Promise<Figures> {
  const [target] = targets;
  if (!target) throw new Error("no target");
  const script = join(folder, "submit.sql");
  const { data } = JSON.parse(payload);
  await writeFile(
    script,
    `\\set agent random(1, ${target.agents})
\\set address random(1, 16000000)
select outcome from formd.submission_create('${target.team}', '${target.form}', '${accessKeyHash(target)}', 'session',
  sha256(convert_to('${target.tokenPrefix}' || lpad((:agent)::int::text, 43, '0'), 'UTF8')), null, null, null, 1, 'submit-ip-' || (:address)::int::text, 30,
  (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid,
  'accept', '${JSON.stringify(data).replaceAll(":", ": ")}', null, null, false, '{}', null, null, null);
`,
  );
  const log = join(folder, "pgbench");
  const { stdout } = await run(
    pgbench(),
    [
      "-n",
      "-M",
      "prepared",
      "-h",
      socket,
      "-U",
      "formd_owner",
      "-c",
      String(connections),
      "-j",
      "2",
      "-T",
      String(seconds),
      "-f",
      script,
      "--log",
      `--log-prefix=${log}`,
      database,
    ],
    { cwd: folder, timeout: (seconds + 30) * 1000 },
  );
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
  return {
    perSecond: Number(/tps = ([\d.]+)/.exec(stdout)?.[1] ?? 0),
    p50: at(0.5),
    p99: at(0.99),
    failed: 0,
  };
}
