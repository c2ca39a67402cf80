import { describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { memoryOf } from "../bench/cpu.ts";
import { until } from "../expect.ts";
import { formsPath, insertSubmissions, submissionsFixture } from "../http/submissions/fixture.ts";
import { makeForm, type Server, server } from "../setup.ts";
import { collecting } from "./collecting.ts";

const { app, team, call } = await submissionsFixture([]);
const { sql } = app.database;

const pathOf = ({ id }: { id: string }, query: string) => `${formsPath}/${id}/submissions/export${query}`;
const exported = (form: { id: string }, query: string) => call("GET", pathOf(form, query));

/** Resident memory of a server, in megabytes; where there is /proc. */
const memory = (of: Server = app) => memoryOf(of.process.pid) / 2 ** 20;
const settled = () => new Promise((resolve) => setTimeout(resolve, 300));
const queriesInFlight = async () => {
  const [row] =
    await sql`select count(*)::int from pg_stat_activity where usename = 'formd' and datname = current_database() and state <> 'idle'`;
  return row?.count;
};
/** Counts the queries that run once the readers' buffers are full. Waits up to 18 seconds for 0. */
const queriesLeft = async () => {
  let count: number;
  let tries = 0;
  do {
    await settled();
    count = await queriesInFlight();
  } while (count > 0 && ++tries < 60);
  return count;
};

/** Asks, and reads the first bytes only. */
function stall(path: string, at: Server = app): Socket {
  const { port, host } = new URL(at.url);
  const socket = connect(Number(port), "127.0.0.1", () => {
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${team.key}\r\n\r\n`);
  });
  return socket.once("data", () => socket.pause());
}

/** A form with this many submissions of this size. */
async function formOf(count: number, bytes: number) {
  const form = await makeForm(app, team, [{ id: "a", label: "A", type: "text" }]);
  await insertSubmissions(app, team, form, count, bytes);
  await sql`
    insert into formd.submission_counts (team_id, form_id, status, slot, total)
    values (${team.id}, ${form.id}, 'completed', 1, ${count})`;
  return form;
}

describe.skipIf(process.platform !== "linux")("a large export", () => {
  const many = 200_000;
  const whole = formOf(many, 400);

  test("200,000 rows leave the server's memory flat", async () => {
    const form = await whole;
    const peaks: number[] = [memory()];
    // Garbage is collected late, by V8 later still; what is kept would grow by the file with each run.
    for (const _ of ["first", "second", "third"]) {
      let [bytes, lines, peak] = [0, 0, 0];
      const reply = await fetch(app.url + pathOf(form, "?format=csv"), {
        headers: { "x-api-key": team.key },
      });
      for await (const chunk of reply.body ?? []) {
        bytes += chunk.length;
        for (const byte of chunk) if (byte === 10) lines++;
        peak = Math.max(peak, memory());
      }
      expect(lines).toBe(many + 1);
      expect(bytes).toBeGreaterThan(100e6);
      peaks.push(peak);
    }
    const [before = 0, first = 0, , third = 0] = peaks;
    console.log(`server's memory in MB: ${peaks.map(Math.round).join(", ")}`);
    expect(first - before).toBeLessThan(256);
    expect(third - first).toBeLessThan(128); // the file, twice: 220
  });

  test("readers that stop reading hold no connection and no memory; readers that hang up leave nothing behind", async () => {
    const form = await whole;
    const before = memory();
    const stalled = Array.from({ length: 20 }, () => stall(pathOf(form, "?format=jsonl")));
    expect(await queriesLeft()).toBe(0);
    await until(() => memory() - before < 128).catch(() => {});
    console.log(`20 stalled readers: ${before.toFixed(0)} MB before, ${memory().toFixed(0)} MB with them`);
    expect(memory() - before).toBeLessThan(128);
    // More exports than connections are stalled, and everyone else is served.
    expect((await call("GET", `${formsPath}/${form.id}/submissions?limit=1`)).status).toBe(200);
    for (const socket of stalled) socket.destroy();
    expect(await queriesLeft()).toBe(0);
    expect((await exported(form, "?format=csv&status=pending")).status).toBe(200);
    expect(app.log()).not.toContain('"level":"error"');
  });

  describe("rows of 1 MiB that PostgreSQL compresses", () => {
    const compressible = formOf(100, 1_040_000);

    test("60 stalled exports take at most 128 MiB, hold no connection, and give way to one that is read", async () => {
      const form = await compressible;
      const path = pathOf(form, "?format=jsonl");
      const used = await server({ DATABASE_URL: app.database.url, ...collecting });
      const readWhole = async () => {
        const reply = await fetch(used.url + path, { headers: { "x-api-key": team.key } });
        let size = 0;
        for await (const chunk of reply.body ?? []) size += chunk.length;
        return size;
      };
      // One export that is read makes V8's heap grow by 75 to 120 MiB, which stay: idle is a server that has
      // sent one.
      expect(await readWhole()).toBeGreaterThan(104e6);
      await Bun.sleep(2_000);
      const before = memory(used);
      const stalled = Array.from({ length: 60 }, () => stall(path, used));
      expect(await queriesLeft()).toBe(0);
      // Garbage of the queries lies until the runtime collects it, which an idle one may never do.
      let more = memory(used) - before;
      for (let tries = 0; more >= 128 && tries < 40; tries++) {
        used.process.kill("SIGUSR2");
        await Bun.sleep(500);
        more = memory(used) - before;
      }
      console.log(
        `60 stalled readers of rows of 1 MiB: ${before.toFixed(0)} MB before, ${more.toFixed(0)} MB more`,
      );
      expect(more).toBeLessThan(128);
      expect(await readWhole()).toBeGreaterThan(104e6);
      for (const socket of stalled) socket.destroy();
    });

    test("4 pages of 100 rows at once are streamed", async () => {
      const form = await compressible;
      const idle = await server({ DATABASE_URL: app.database.url });
      const before = memory(idle);
      let peak = 0;
      const sizes = Array.from({ length: 4 }, async () => {
        const reply = await fetch(`${idle.url}${formsPath}/${form.id}/submissions?limit=100`, {
          headers: { "x-api-key": team.key },
        });
        let size = 0;
        for await (const chunk of reply.body ?? []) {
          size += chunk.length;
          peak = Math.max(peak, memory(idle));
        }
        return size;
      });
      for (const size of await Promise.all(sizes)) expect(size).toBeGreaterThan(104e6);
      console.log(`4 pages of 104 MB: ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most`);
      expect(peak - before).toBeLessThan(512); // held whole, they would be 832 as text and bytes
    });
  });

  test("a database that goes away ends the file early, not the server", async () => {
    const form = await whole;
    const reply = await fetch(app.url + pathOf(form, "?format=jsonl"), {
      headers: { "x-api-key": team.key, "x-request-id": "cut-off" },
    });
    const reader = reply.body?.getReader();
    await reader?.read();
    const cut = (async () => {
      while (!(await reader?.read())?.done);
    })();
    let isCutting = true;
    const cutting = (async () => {
      for (; isCutting; await Bun.sleep(5))
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'formd' and datname = current_database()`;
    })();
    await expect(cut).rejects.toThrow();
    isCutting = false;
    await cutting;
    await until(() =>
      /"level":"error".*"clientRequestId":"cut-off".*"A response was aborted\."/.test(app.log()),
    );
    await settled(); // the last cut must not hit what follows
    expect((await call("GET", `${formsPath}/${form.id}/submissions?limit=1`)).status).toBeLessThan(504);
    expect((await exported(form, "?format=jsonl&status=pending")).status).toBe(200);
  });
});
