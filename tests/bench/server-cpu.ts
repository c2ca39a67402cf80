/**
 * `bun tests/bench/server-cpu.ts`: where the server's CPU per submit goes under load, as a table that adds up
 * to what /proc counted. Needs wrk and perf (Debian: linux-perf). perf says which thread ran and what the
 * kernel did. What the main thread does in user space is divided by Bun's profiler, in a run of its own since
 * it takes time itself: perf sees compiled code, and no names.
 *
 *   --seconds 10 --connections 64 --warmup 8
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { connect } from "../../src/platform/database/db.ts";
import { embedded } from "../../src/platform/database/embedded/index.ts";
import { migrate } from "../../src/platform/database/migrations/index.ts";
import { threadsCpuMs } from "./cpu.ts";
import { checkTools, type Figures, fire, freePort, type Shot } from "./load.ts";
import { payload, seedTarget } from "./seed.ts";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    connections: { type: "string", default: "64" },
    warmup: { type: "string", default: "8" },
  },
});
const run = promisify(execFile);
const seconds = Number(options.seconds);
/** Modules with less of the server's time share a row. */
const leastShare = 0.005;
checkTools();
const folder = mkdtempSync(join(tmpdir(), "formd-bench-"));
chmodSync(folder, 0o711);

const cluster = await embedded(join(folder, "data"), () => {});
await migrate(cluster.ownerUrl, () => {});
const sql = connect(cluster.ownerUrl, { poolSize: 1, prepare: true });
const target = await seedTarget(sql, { agents: 60_000, anonymous: 1 });
await sql`vacuum analyze`;
await sql.end({ timeout: 1 });

interface Serving {
  process: ChildProcess;
  load(seconds: number): Promise<Figures>;
  stop(): Promise<unknown>;
}

const submit: Shot = {
  method: "POST",
  path: "/papi/v1/submitter/form/submissions",
  body: payload,
  headers: { "x-form-access-key": "{accessKey}", "x-respondent-token": "{token}" },
};

/** Starts a server, and submits until its code is compiled. */
async function serve(...flags: string[]): Promise<Serving> {
  const port = await freePort();
  const settings = {
    DATABASE_URL: cluster.url,
    HOST: "127.0.0.1",
    PORT: port,
    TRUSTED_PROXY_HOPS: "1",
    LOG_LEVEL: "warn",
  };
  const server = spawn(process.execPath, [...flags, "src/main.ts", "serve"], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await Bun.sleep(50);
  const load = (seconds: number) =>
    fire(folder, url, [target], submit, { connections: Number(options.connections), seconds });
  await load(Number(options.warmup));
  const stop = () => {
    server.kill("SIGTERM");
    return once(server, "close");
  };
  return { process: server, load, stop };
}

/** What a sample of perf is counted as. */
interface Sample {
  thread: string;
  /** Functions of the kernel, the innermost first; empty in user space. */
  kernel: string[];
}

async function samplesOf(file: string): Promise<Sample[]> {
  const { stdout } = await run("perf", ["script", "-i", file, "-F", "comm,ip,sym,dso"], {
    maxBuffer: 1 << 30,
  });
  return stdout.split("\n\n").flatMap((text): Sample[] => {
    const [thread = "", ...frames] = text.trim().split("\n");
    if (frames.length === 0) return [];
    const isKernel = frames[0]?.includes("[kernel");
    const kernel = frames
      .filter((frame) => frame.includes("[kernel"))
      .map((frame) => frame.trim().split(" ")[1] ?? "");
    return [{ thread: thread.trim(), kernel: isKernel ? kernel : [] }];
  });
}

/** System calls by what a server makes them for. */
const purposes: [RegExp, string][] = [
  [/^__x64_sys_(?:sendto|sendmsg|write|writev)$/, "kernel: socket writes"],
  [/^__x64_sys_(?:recvfrom|recvmsg|read|readv)$/, "kernel: socket reads"],
  [/^__x64_sys_epoll/, "kernel: waiting for sockets"],
  [/^__x64_sys_futex|^__x64_sys_sched_yield/, "kernel: threads that wake each other"],
  [/page_fault|^__x64_sys_(?:madvise|mmap|munmap|brk|mprotect)$/, "kernel: memory"],
];
const threads: [RegExp, string][] = [
  [/^mi-/, "thread of the allocator, which returns memory"],
  [/^HeapHelper/, "threads of the garbage collector"],
  [/^JIT|^JSC/, "threads of the JIT compiler"],
];
const mainThread = "main thread";
const isMain = (thread: string) => /^bun/.test(thread);

/** The row of the table that a sample belongs to. */
function rowOf({ thread, kernel }: Sample): string {
  const helper = threads.find(([pattern]) => pattern.test(thread));
  if (helper) return helper[1];
  if (kernel.length === 0) return isMain(thread) ? mainThread : "other threads";
  const purpose = purposes.find(([pattern]) => kernel.some((name) => pattern.test(name)));
  return purpose?.[1] ?? "kernel: the rest (interrupts, clocks)";
}

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

/** Which part of the program a file belongs to. */
function moduleOf(file: string): string {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  if (inPackage) return inPackage.startsWith("@ark") ? "arktype" : inPackage;
  const own = /\/src\/(?:([^/]+)\/)?([^/]+)$/.exec(file);
  if (own) return `src/${own[1] ?? own[2]}`;
  return "Bun: responses, promises, HTTP, node:net";
}

/**
 * Shares of modules in the samples of the last microseconds, each with what it calls of the engine and of Bun
 * (JSON, buffers, hashes).
 */
function modulesOf({ nodes, samples, timeDeltas }: CpuProfile, last: number): Map<string, number> {
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const end = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  const found = new Map<string, number>();
  let time = 0;
  let total = 0;
  for (const [i, sample] of samples.entries()) {
    time += timeDeltas[i] ?? 0;
    if (time < end - last) continue;
    let frame: number | undefined = sample;
    while (frame !== undefined && !frames.get(frame)?.url) frame = callers.get(frame);
    const name = moduleOf(frame === undefined ? "" : (frames.get(frame)?.url ?? ""));
    found.set(name, (found.get(name) ?? 0) + 1);
    total++;
  }
  return new Map([...found].map(([name, count]) => [name, count / total]));
}

/** What the profiler of a server says, of the load after the warm-up. */
async function profiled(): Promise<Map<string, number>> {
  const profiles = join(folder, "profile");
  const { load, stop } = await serve("--cpu-prof", "--cpu-prof-interval=500", `--cpu-prof-dir=${profiles}`);
  const began = performance.now();
  await load(seconds);
  await stop();
  const [file = ""] = readdirSync(profiles);
  return modulesOf(
    JSON.parse(readFileSync(join(profiles, file), "utf8")),
    (performance.now() - began) * 1000,
  );
}

/** What perf says of a server without a profiler. */
async function recorded() {
  const { process: server, load, stop } = await serve();
  const data = join(folder, "perf.data");
  const recording = spawn(
    "perf",
    ["record", "--quiet", "-F", "997", "-g", "-p", String(server.pid), "-o", data],
    { stdio: "ignore" },
  );
  const from = threadsCpuMs(server.pid);
  const figures = await load(seconds);
  const microseconds = ((threadsCpuMs(server.pid) - from) * 1000) / figures.requests;
  recording.kill("SIGINT");
  await Promise.all([once(recording, "close"), stop()]);
  return { ...figures, microseconds, samples: await samplesOf(data) };
}

try {
  const modules = await profiled();
  const { samples, microseconds, perSecond, requests, failed } = await recorded();
  const rows = new Map<string, number>();
  for (const sample of samples) rows.set(rowOf(sample), (rows.get(rowOf(sample)) ?? 0) + 1 / samples.length);
  const ofMain = rows.get(mainThread) ?? 0;
  rows.delete(mainThread);
  for (const [name, share] of modules) {
    const row = share * ofMain < leastShare ? "modules below half a percent" : name;
    rows.set(row, (rows.get(row) ?? 0) + share * ofMain);
  }
  console.log(
    `${Math.round(perSecond)} submits/s (${failed} of ${requests} failed), ${Math.round(microseconds)} µs of CPU each:\n`,
  );
  console.log("| part | µs | share |\n|---|---|---|");
  for (const [name, share] of [...rows].sort(([, a], [, b]) => b - a))
    console.log(`| ${name} | ${(share * microseconds).toFixed(1)} | ${(share * 100).toFixed(1)} % |`);
} finally {
  await cluster.release();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
