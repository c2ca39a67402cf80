// stacks: one deno
/** `serve --workers N`: one parent, several servers on one port. */
import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { until } from "../expect.ts";
import { background, command, database, formd, freePort } from "../setup.ts";

const canSharePort = process.platform === "linux" && !command.join(" ").includes("deno");

/** proc_pid_stat(5): the parent is the second field after the name. */
const parentOf = (pid: string): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
  } catch {
    return 0;
  }
};
const childrenOf = (parent: number | undefined): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);

/** A parent with two workers, once both serve. */
async function serveWithTwo(environment: Record<string, string> = {}) {
  const { url } = await database();
  const port = await freePort();
  const settings = { DATABASE_URL: url, DATABASE_POOL_SIZE: "3", HOST: "127.0.0.1", PORT: String(port) };
  const parent = background(["serve", "--workers", "2"], { ...settings, DRAIN_SECONDS: "0", ...environment });
  await until(() => parent.output().includes("formd is listening at"));
  return { ...parent, url: `http://127.0.0.1:${port}` };
}

/** A request on a connection of its own: the kernel chooses the worker for each connection. */
const get = (url: string): Promise<Response> => fetch(url, { headers: { connection: "close" } });
const sampleOf = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]);

describe.if(canSharePort)("two workers", () => {
  let parent: Awaited<ReturnType<typeof serveWithTwo>>;
  beforeAll(async () => {
    parent = await serveWithTwo({ DRAIN_SECONDS: "60" });
  });
  const metrics = async () => await (await get(`${parent.url}/metrics`)).text();
  const poolSize = async () => sampleOf(await metrics(), /^formd_database_pool_size (\d+)/m);

  test("serve one port, and /metrics of either is the sum of both", async () => {
    expect(childrenOf(parent.child.pid)).toHaveLength(2);
    for (let n = 0; n < 40; n++) expect((await get(`${parent.url}/healthz`)).status).toBe(200);
    for (let n = 0; n < 5; n++) {
      expect(await poolSize()).toBe(6);
      expect(sampleOf(await metrics(), /_seconds_count\{[^}]*route="\/healthz"[^}]*\} (\d+)/)).toBe(40);
    }
    // The start time is not summed over the workers.
    const startedAt = sampleOf(await metrics(), /^process_start_time_seconds ([\d.]+)/m);
    expect(Math.abs(startedAt - Date.now() / 1000)).toBeLessThan(600);
  });

  test("a second parent does not join their port", async () => {
    const { url } = await database();
    const { code, stderr } = await formd(["serve", "--workers", "2"], {
      DATABASE_URL: url,
      HOST: "127.0.0.1",
      PORT: new URL(parent.url).port,
    });
    expect(code).toBe(1);
    expect(stderr).toContain("the port is in use.");
  });

  test("one that is killed is replaced, and the other one goes on serving", async () => {
    const [first = 0, second = 0] = childrenOf(parent.child.pid);
    process.kill(first, "SIGKILL");
    await until(() => parent.output().includes("A worker ended. Another one starts."));
    expect((await get(`${parent.url}/readyz`)).status).toBe(200);
    await until(async () => (await poolSize()) === 6);
    expect(childrenOf(parent.child.pid)).toContain(second);
  });

  test("after SIGTERM both drain: not ready at once, still serving, then gone with the parent", async () => {
    const workers = childrenOf(parent.child.pid);
    parent.child.kill("SIGTERM");
    // A service manager signals every process of the service: that is no second request to stop.
    for (const pid of workers) process.kill(pid, "SIGTERM");
    await until(() => parent.output().split('"draining"').length === 3);
    const statuses = (path: string) =>
      Promise.all(Array.from({ length: 10 }, async () => (await get(parent.url + path)).status));
    expect(await Promise.all([statuses("/readyz"), statuses("/healthz")])).toEqual([
      Array(10).fill(503),
      Array(10).fill(200),
    ]);
    // They drain for a minute; a second signal ends that.
    parent.child.kill("SIGTERM");
    expect(await parent.ended).toBe(0);
    expect(workers.filter((pid) => parentOf(String(pid)))).toEqual([]);
    expect(parent.printed.stdout.trimEnd()).toEndWith('"msg":"stopped"}');
  });

  test("they end with a parent that is killed", async () => {
    const another = await serveWithTwo();
    const workers = childrenOf(another.child.pid);
    another.child.kill("SIGKILL");
    await until(() => workers.every((pid) => parentOf(String(pid)) === 0));
  });
});

test.if(canSharePort)("the connections of all workers are compared with PostgreSQL's", async () => {
  const parent = await serveWithTwo({ DATABASE_POOL_SIZE: "60", DATABASE_PREPARE: "true" });
  await until(() => parent.output().includes("up to 2 times 60 connections"));
  parent.child.kill("SIGINT");
  expect(await parent.ended).toBe(0);
});

test("the number of workers is an integer from 1 to 256", async () => {
  for (const count of ["0", "257", "two"]) {
    const { code, stderr } = await formd(["serve", "--workers", count]);
    expect([count, code]).toEqual([count, 2]);
    expect(stderr).toContain("an integer from 1 to 256");
  }
});

test.if(!canSharePort)("a runtime whose processes cannot share a port is an error", async () => {
  const { code, stderr } = await formd(["serve", "--workers", "2"]);
  expect(code).toBe(1);
  expect(stderr).toContain("--workers needs Bun on Linux");
});
