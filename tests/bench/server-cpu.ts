/**
 * `bun tests/bench/server-cpu.ts`: where the server's CPU per submit goes under load, as a table that adds up
 * to what /proc counted. Needs wrk and perf (Debian: linux-perf). perf says which thread ran and what the
 * kernel did. What the main thread does in user space is divided by Bun's profiler, in a run of its own since
 * it takes time itself: perf sees compiled code, and no names.
 *
 *   --seconds 10 --connections 64 --warmup 8
 *   --tool    submits by MCP
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { threadsCpuMs } from "./cpu.ts";
import { checkTools, fire, submitByTool, submitShot } from "./load.ts";
import { measured, optionsOf, settingsOf, startMigrated, startServer } from "./runner.ts";
import { seedTarget } from "./seed.ts";

const { seconds, connections, warmup, tool } = optionsOf({
  ...{ seconds: 10, connections: 64, warmup: 8, tool: false },
});
const run = promisify(execFile);
/** Modules with less of the server's time share a row. */
const leastShare = 0.005;
checkTools();
const { folder, cluster, sql } = await startMigrated();
const target = await seedTarget(sql, { agents: 60_000, anonymous: 1 });
await sql`vacuum analyze`;

/** Starts a server, and submits until its code is compiled. */
async function serve(...flags: string[]) {
  const command = [process.execPath, ...flags, "src/main.ts", "serve"];
  const server = await startServer(command, settingsOf(cluster.url));
  const shot = tool ? await submitByTool(server, target) : submitShot;
  const load = (seconds: number) => fire(folder, server.url, [target], shot, { connections, seconds });
  await load(warmup);
  return { ...server, load };
}

/** One sample of perf. */
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

/** Returns the part of the program that a file belongs to. */
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

/** Profiles a server under load, after the warm-up. */
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

/** Records a server without a profiler by perf. */
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

await measured(async () => {
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
});
