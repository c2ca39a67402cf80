import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { formsPath, insertSubmissions, submissionsFixture } from "../http/submissions/fixture.ts";
import { makeForm } from "../setup.ts";

const { app, team, call } = await submissionsFixture([]);
const { sql } = app.database;

const pathOf = ({ id }: { id: string }, query: string) => `${formsPath}/${id}/submissions/export${query}`;
const exported = (form: { id: string }, query: string) => call("GET", pathOf(form, query));

/** Resident memory of the server, in megabytes; where there is /proc. */
const memory = () =>
  Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${app.process.pid}/status`, "utf8"))?.[1]) / 1024;
const settled = () => new Promise((resolve) => setTimeout(resolve, 300));
const queriesUnderWay = async () => {
  const [row] =
    await sql`select count(*)::int from pg_stat_activity where usename = 'formd' and datname = current_database() and state <> 'idle'`;
  return row?.count;
};
/** What is still under way once the readers' buffers are full: 0, if that comes within ten seconds. */
const queriesLeft = async () => {
  let count: number;
  let tries = 0;
  do {
    await settled();
    count = await queriesUnderWay();
  } while (count > 0 && ++tries < 33);
  return count;
};

describe.skipIf(process.platform !== "linux")("a large export", () => {
  const many = 200_000;
  const whole = (async () => {
    const form = await makeForm(app, team, [{ id: "a", label: "A", type: "text" }]);
    await insertSubmissions(app, team, form, many, 400);
    return form;
  })();

  test("200,000 rows leave the server's memory flat", async () => {
    const form = await whole;
    const peaks: number[] = [memory()];
    // The collector is in no hurry, and V8's in less; what is kept would grow by the file with each run.
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
  }, 120_000);

  test("readers that stop reading hold no connection and no memory; those that hang up are forgotten", async () => {
    const form = await whole;
    const before = memory();
    const stalled = Array.from({ length: 20 }, () => {
      const socket = connect(Number(new URL(app.url).port), "127.0.0.1", () => {
        socket.write(
          `GET ${pathOf(form, "?format=jsonl")} HTTP/1.1\r\nhost: ${new URL(app.url).host}\r\nx-api-key: ${team.key}\r\n\r\n`,
        );
      });
      return socket.once("data", () => socket.pause());
    });
    expect(await queriesLeft()).toBe(0);
    console.log(`20 stalled readers: ${before.toFixed(0)} MB before, ${memory().toFixed(0)} MB with them`);
    expect(memory() - before).toBeLessThan(128);
    // More exports than connections are stalled, and everyone else is served.
    expect((await call("GET", `${formsPath}/${form.id}/submissions?limit=1`)).status).toBe(200);
    for (const socket of stalled) socket.destroy();
    expect(await queriesLeft()).toBe(0);
    expect((await exported(form, "?format=csv&status=pending")).status).toBe(200);
    expect(app.log()).not.toContain('"level":"error"');
  }, 60_000);

  test("a database that goes away ends the file early, not the server", async () => {
    const form = await whole;
    const reply = await fetch(app.url + pathOf(form, "?format=jsonl"), {
      headers: { "x-api-key": team.key },
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
    await settled(); // the last one must not meet what follows
    expect((await call("GET", `${formsPath}/${form.id}/submissions?limit=1`)).status).toBeLessThan(504);
    expect((await exported(form, "?format=jsonl&status=pending")).status).toBe(200);
  }, 60_000);
});
