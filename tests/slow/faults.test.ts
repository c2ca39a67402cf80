/**
 * PostgreSQL goes away and comes back while submits come in: an embedded one, which these tests stop and
 * start as an administrator would.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { connectOnce } from "../../src/platform/database/db.ts";
import { until } from "../expect.ts";
import { ask, temporaryFolder } from "../setup.ts";
import { clusterIn, type Killable, killable, postmasterIn } from "./killable.ts";

const limit = 120_000;
const settings = { FORMD_DATA_DIR: temporaryFolder() };
let service: Killable;

/** Runs pg_ctl as PostgreSQL's user. */
function control(...args: string[]): void {
  const cluster = clusterIn(settings.FORMD_DATA_DIR);
  // The one in node_modules, or where formd has copied it to when PostgreSQL's user cannot enter that.
  const [, binaries = ""] =
    /^(.*)\/postgres "/.exec(readFileSync(join(cluster, "postmaster.opts"), "utf8")) ?? [];
  const { uid, gid } = statSync(cluster);
  const user = process.getuid?.() === 0 ? { uid, gid } : {};
  const options = { ...user, cwd: "/", stdio: "ignore" as const };
  expect(
    spawnSync(join(binaries, "pg_ctl"), [...args, "-D", cluster, "-l", "/dev/null"], options).status,
  ).toBe(0);
}

beforeAll(async () => {
  service = await killable(settings, { id: "n", type: "number", label: "N" });
}, limit);

// The last one out stops PostgreSQL.
afterAll(() => service?.app.stop(), limit);

const submit = (n: number) =>
  ask(service.app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": service.accessKey, "x-api-key": service.key },
    body: { data: { n } },
  });

/** Ids of everything that the owner's list shows. */
async function listed(): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let page = 1; ; page++) {
    const path = `/papi/v1/management/forms/${service.form}/submissions?limit=100&page=${page}`;
    const { body } = await ask(service.app, "GET", path, { headers: { "x-api-key": service.key } });
    for (const { id } of body.data.submissions) ids.add(id);
    if (body.data.submissions.length < 100) {
      expect(body.data.pagination.total).toBe(ids.size);
      return ids;
    }
  }
}

/** Submits from eight callers until it is stopped. */
function traffic() {
  const seen = { acknowledged: [] as string[], refused: 0, strange: [] as unknown[], lastRefusal: 0 };
  let going = true;
  let n = 0;
  const caller = async () => {
    while (going) {
      const { status, body, headers } = await submit(n++);
      if (status === 200) seen.acknowledged.push(body.data.id);
      else if (status === 503 && body.code === "unavailable" && Number(headers.get("retry-after")) >= 1) {
        seen.refused++;
        seen.lastRefusal = performance.now();
        await Bun.sleep(5);
      } else seen.strange.push([status, body]);
    }
  };
  const callers = Promise.all(Array.from({ length: 8 }, caller));
  const stop = async () => {
    going = false;
    await callers;
  };
  return { seen, stop };
}

async function isServing(): Promise<boolean> {
  await using sql = connectOnce(`postgres://formd@localhost/formd?host=${settings.FORMD_DATA_DIR}/socket`);
  return await sql`select`.then(
    () => true,
    () => false,
  );
}
const status = async (path: string) => (await ask(service.app, "GET", path)).status;
const isReady = async () => (await status("/readyz")) === 200;

describe("PostgreSQL goes away under load: 200 or 503, nothing acknowledged is lost, and the service returns by itself", () => {
  const faults: [name: string, away: () => void, back: () => void][] = [
    ["stopped at once", () => control("stop", "-m", "immediate"), () => control("start")],
    ["stopped by an administrator", () => control("stop", "-m", "fast"), () => control("start")],
    // No one starts it: the service does.
    ["killed", () => process.kill(postmasterIn(settings.FORMD_DATA_DIR), "SIGKILL"), () => {}],
  ];
  test.each(faults)(
    "%s",
    async (name, away, back) => {
      const { seen, stop } = traffic();
      try {
        await until(async () => seen.acknowledged.length > 50);
        const [loggedBefore, goneAt] = [service.app.log().length, performance.now()];
        away();
        if (name !== "killed") {
          await until(async () => seen.refused > 20);
          // The cause once per second, not once per request.
          const causes = () =>
            service.app
              .log()
              .slice(loggedBefore)
              .match(/^.*"err":.*"path":"\/papi|^.*"path":"\/papi.*"err":/gm)?.length ?? 0;
          await until(() => causes() > 0);
          expect(causes()).toBeLessThanOrEqual(2 + (performance.now() - goneAt) / 1000);
          expect(await status("/healthz")).toBe(200);
          const { status: unready, headers, body } = await ask(service.app, "GET", "/readyz");
          expect([unready, body.code, headers.has("retry-after")]).toEqual([503, "unavailable", true]);
        } else await until(async () => seen.refused > 0);
        const before = seen.acknowledged.length;
        back();
        // PostgreSQL's recovery time depends on the machine.
        await until(isServing, 50_000);
        const took = await until(async () => seen.acknowledged.length > before + 50 && (await isReady()));
        // One to two seconds on a machine of its own.
        expect(took).toBeLessThan(10_000);
      } finally {
        await stop();
      }
      expect(seen.strange).toEqual([]);
      const ids = await listed();
      expect(seen.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    },
    limit,
  );
});
