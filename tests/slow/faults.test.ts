/**
 * What goes wrong around the service: PostgreSQL goes away and comes back while submits come in, and the
 * server itself is killed. The server has an embedded PostgreSQL of its own here, which these tests stop and
 * start as an administrator would.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { connectOnce } from "../../src/platform/database/db.ts";
import { until } from "../expect.ts";
import { ask, formd, type Server, server, temporaryFolder } from "../setup.ts";

const limit = 120_000;
const settings = { FORMD_DATA_DIR: temporaryFolder() };
let app: Server;
let key: string;
let form: string;
let accessKey: string;
let cluster: string;
/**
 * Its directory: the one in node_modules, or where formd has copied it to when PostgreSQL's user cannot enter
 * that.
 */
let binaries: string;

const postmaster = () => Number(readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);

/** Runs pg_ctl as PostgreSQL's user. */
function control(...args: string[]): void {
  const { uid, gid } = statSync(cluster);
  const user = process.getuid?.() === 0 ? { uid, gid } : {};
  const options = { ...user, cwd: "/", stdio: "ignore" as const };
  expect(
    spawnSync(join(binaries, "pg_ctl"), [...args, "-D", cluster, "-l", "/dev/null"], options).status,
  ).toBe(0);
}

async function json(...args: string[]) {
  const { code, stdout, stderr } = await formd([...args, "--json"], settings);
  expect([code, stderr.includes("Error")]).toEqual([0, false]);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  app = await server(settings);
  cluster = join(
    settings.FORMD_DATA_DIR,
    readdirSync(settings.FORMD_DATA_DIR).find((name) => /^postgres-\d+$/.test(name)) ?? "",
  );
  binaries = /^(.*)\/postgres "/.exec(readFileSync(join(cluster, "postmaster.opts"), "utf8"))?.[1] ?? "";
  ({
    apiKey: { key },
  } = await json("bootstrap", "--email", "a@example.org"));
  const { body } = await ask(app, "POST", "/papi/v1/management/forms", {
    headers: { "x-api-key": key },
    body: { name: "Faults", schema: { fields: [{ id: "n", type: "number", label: "N" }] } },
  });
  form = body.data.form.id;
  await json("form", "publish", form);
  ({ key: accessKey } = await json("access-key", "create", form));
}, limit);

// The last one out stops PostgreSQL.
afterAll(() => app?.stop(), limit);

const submit = (n: number) =>
  ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": accessKey, "x-api-key": key },
    body: { data: { n } },
  });

/** Ids of everything that the owner's list shows. */
async function listed(): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let page = 1; ; page++) {
    const { body } = await ask(
      app,
      "GET",
      `/papi/v1/management/forms/${form}/submissions?limit=100&page=${page}`,
      {
        headers: { "x-api-key": key },
      },
    );
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
const status = async (path: string) => (await ask(app, "GET", path)).status;
const isReady = async () => (await status("/readyz")) === 200;

describe("PostgreSQL goes away under load: 200 or 503, nothing acknowledged is lost, and the service returns by itself", () => {
  const faults: [name: string, away: () => void, back: () => void][] = [
    ["stopped at once", () => control("stop", "-m", "immediate"), () => control("start")],
    ["stopped by an administrator", () => control("stop", "-m", "fast"), () => control("start")],
    // No one starts it: the service does.
    ["killed", () => process.kill(postmaster(), "SIGKILL"), () => {}],
  ];
  test.each(faults)(
    "%s",
    async (name, away, back) => {
      const { seen, stop } = traffic();
      try {
        await until(async () => seen.acknowledged.length > 50);
        const [loggedBefore, goneAt] = [app.log().length, performance.now()];
        away();
        if (name !== "killed") {
          await until(async () => seen.refused > 20);
          // The cause once per second, not once per request.
          const causes = () =>
            app
              .log()
              .slice(loggedBefore)
              .match(/^.*"err":.*"path":"\/papi|^.*"path":"\/papi.*"err":/gm)?.length ?? 0;
          await until(() => causes() > 0);
          expect(causes()).toBeLessThanOrEqual(2 + (performance.now() - goneAt) / 1000);
          expect(await status("/healthz")).toBe(200);
          const { status: unready, headers, body } = await ask(app, "GET", "/readyz");
          expect([unready, body.code, headers.has("retry-after")]).toEqual([503, "unavailable", true]);
        } else await until(async () => seen.refused > 0);
        const before = seen.acknowledged.length;
        back();
        // How long PostgreSQL takes to recover is the machine's doing.
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

test(
  "a server that was killed in the middle of its work serves the same data when it is started again",
  async () => {
    const { seen, stop } = traffic();
    await until(async () => seen.acknowledged.length > 50);
    const gone = app.stop("SIGKILL");
    await stop().catch(() => {}); // the requests under way are cut off
    await gone;
    app = await server(settings);
    const ids = await listed();
    expect(seen.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect((await submit(0)).status).toBe(200);
  },
  limit,
);
