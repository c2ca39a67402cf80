/**
 * Upgrades beside the traffic: from the newest tag to this formd; while there is none, from this formd to a
 * later one, which has a column on submissions, an index on it and a function with another body.
 */
import { beforeAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../expect.ts";
import { local, receiver } from "../http/webhooks/receiver.ts";
import { copyLater, goodMigrations } from "../later-build.ts";
import {
  ask,
  database,
  emptyDatabase,
  formdProcess,
  makeForm,
  makeTeam,
  manageSubmission,
  root,
  type Server,
  server,
  settingsFor,
  submitByKey,
  temporaryFolder,
} from "../setup.ts";

const oneLine = /^formd: [^\n]+\n$/m;
const [column, index] = goodMigrations as [string, string];
const scratch = temporaryFolder();
const later = join(scratch, "later");

const newestTag = (): string | undefined => {
  try {
    const output = execFileSync("git", ["describe", "--tags", "--match=v*", "--abbrev=0"], {
      cwd: root,
      stdio: "pipe",
    });
    return output.toString().trim();
  } catch {
    return undefined;
  }
};
const tag = newestTag();
/** The directories of the build that serves first, and of the one that follows. */
const [from, to] = tag ? [join(scratch, tag), root] : [root, later];

beforeAll(() => {
  copyLater(later, [column, index]);
  const file = join(later, "sql/520_submissions.sql");
  const body = readFileSync(file, "utf8");
  writeFileSync(
    file,
    body.replace("-- Returns a submission, or no row.", "-- Returns a submission, or no row. Later."),
  );
  if (!tag) return;
  execFileSync("git", ["clone", "--quiet", "--branch", tag, root, from], { stdio: "ignore" });
  // Its own packages: ours move on.
  execFileSync(process.execPath, ["install", "--frozen-lockfile", "--production", "--ignore-scripts"], {
    cwd: from,
    stdio: "ignore",
  });
});

/** Runs a command of the build in a directory. */
const formdIn = (folder: string, args: string[], environment: Record<string, string>) =>
  formdProcess(args, environment, folder);

test("under traffic: two servers and the next release's respond to every request, and nothing is lost", async () => {
  const data = await emptyDatabase();
  expect(await formdIn(from, ["migrate"], settingsFor(data))).toMatchObject({ code: 0 });
  const settings = {
    ...local,
    DATABASE_URL: data.url,
    RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000",
    RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "100000",
  };
  const before = [await server(settings, { directory: from }), await server(settings, { directory: from })];
  const { stdout } = await formdIn(from, ["demo", "--json"], settingsFor(data));
  const hook = await receiver();
  const traffic = await startTraffic(JSON.parse(stdout), hook.url, before);
  await traffic.requests(200);

  const plan = JSON.parse((await formdIn(to, ["migrate", "--plan", "--json"], settingsFor(data))).stdout);
  for (const { locks } of plan.locks) expect(locks).not.toBe("not stated");
  // Takes a lock on every table, as pg_dump does, for longer than one attempt of a migration. Two readers do,
  // since a concurrent build waits for the first.
  const readers = [0, 2_700].map(async (startMs) => {
    await Bun.sleep(startMs);
    await data.sql.begin(async (sql) => {
      const tables = await sql<{ name: string }[]>`
        select tablename as name from pg_tables where schemaname = 'formd'`;
      for (const { name } of tables) await sql`select from formd.${sql(name)} limit 1`;
      await sql`select pg_sleep(3)`;
    });
  });
  const migrated = await formdIn(to, ["migrate", "--json"], settingsFor(data));
  expect(migrated).toMatchObject({ code: 0 });
  expect(JSON.parse(migrated.stdout).migrations).toEqual(plan.migrations);
  await Promise.all(readers);
  await traffic.requests(200);
  for (const each of before)
    expect(await ask(each, "GET", "/readyz")).toMatchObject({
      status: 200,
      body: { data: { status: "ready" } },
    });

  const after = await server(settings, { directory: to });
  traffic.sendTo([...before, after]);
  await traffic.requests(300);
  traffic.sendTo([after]);
  await traffic.requests(100);
  expect(await Promise.all(before.map((each) => each.stop()))).toEqual([0, 0]);
  await traffic.requests(100);
  const { failures, slowestMs, slowestReadyMs, submissions, tokens, count } = await traffic.stop();
  console.log(
    `${count} requests, the slowest took ${slowestMs.toFixed(0)} ms, of /readyz ${slowestReadyMs.toFixed(0)} ms`,
  );

  expect(failures).toEqual([]);
  // /readyz reads no table that migrations change, so that what it takes longer is the machine's doing.
  expect(slowestMs - slowestReadyMs).toBeLessThan(1_000);
  const stored = await data.sql<{ id: string }[]>`
    select id from formd.submissions where submitter_type = 'api_key' order by id`;
  expect(stored.map(({ id }) => id)).toEqual(submissions.toSorted());
  const [sessions] = await data.sql<[{ count: number }]>`
    select count(*)::int from formd.sessions where kind = 'agent'`;
  expect(sessions.count).toBe(tokens);
  const told = () => new Set(hook.received.map(({ body }) => body.data.submissionId as string));
  await until(async () => submissions.every((id) => told().has(id)));
}, 300_000);

test("a server sees a later schema and goes on, and a later one does not start on an older", async () => {
  const data = await database();
  const old = await server({ DATABASE_URL: data.url });
  const refused = await formdIn(later, ["serve", "--no-migrate"], { DATABASE_URL: data.url, PORT: "0" });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(oneLine)]);
  expect(refused.stderr).toContain("older than this formd (migrations to apply: 2): run formd migrate");
  expect(await formdIn(later, ["migrate"], settingsFor(data))).toMatchObject({ code: 0 });
  const [row] = await data.sql`select pg_get_functiondef('formd.submission_get'::regproc) as text`;
  expect(row?.text).toContain("or no row. Later.");
  expect(await ask(old, "GET", "/readyz")).toMatchObject({
    status: 200,
    body: { data: { status: "ready", schema: "newer" } },
  });
});

test("a call that waits while its table gains a column is carried out once, and returns its row", async () => {
  const data = await database();
  const app = { ...(await server({ DATABASE_URL: data.url })), database: data };
  const team = await makeTeam(app);
  const form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }]);
  const submitted = await submitByKey(app, team, form, { name: "Ada" });
  const { id } = submitted.body.data;
  const { submission } = (await manageSubmission(app, team, form, "GET", id)).body.data;
  const edits = [{ fieldId: "name", value: "Grace" }];
  const edit = { expectedUpdatedAt: submission.updatedAt, edits };
  const patch = () => manageSubmission(app, team, form, "PATCH", id, edit);
  let reply: ReturnType<typeof patch> | undefined;
  await data.sql.begin(async (sql) => {
    // Under this lock the submission is read, and the edit waits to lock it.
    await sql`lock table formd.submissions in exclusive mode`;
    reply = patch();
    await until(async () => {
      const [row] = await data.sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and strpos(query, 'formd.submission_patch(') > 0`;
      return row;
    });
    await sql.unsafe(readFileSync(join(root, "tests/migrations/good", column), "utf8"));
  });
  expect(await reply).toMatchObject({
    status: 200,
    body: { data: { submission: { id, data: { name: "Grace" } } } },
  });
  expect(await data.sql`select from formd.submission_edits where submission_id = ${id}`).toHaveLength(1);
});

test("a backup of an older commit is restored by a later one, and backed up again with as many rows", async () => {
  const [from, to] = [join(scratch, "from"), join(scratch, "to")];
  const [file, newer] = [join(scratch, "backup"), join(scratch, "newer")];
  expect((await formdProcess(["demo"], { FORMD_DATA_DIR: from })).code).toBe(0);
  const { stdout } = await formdProcess(["backup", file, "--json"], { FORMD_DATA_DIR: from });
  const { rows } = JSON.parse(stdout);
  const restored = await formdIn(later, ["restore", file, "--json"], { FORMD_DATA_DIR: to });
  expect(JSON.parse(restored.stdout)).toMatchObject({ file, rows });
  const again = await formdIn(later, ["backup", newer, "--json"], { FORMD_DATA_DIR: to });
  expect(JSON.parse(again.stdout).rows).toBe(rows);
});

interface Demo {
  form: { id: string };
  accessKey: string;
  apiKey: string;
  agent: { id: string; secret: string };
}

/** Asks servers for all that must not notice an upgrade, each kind one after another, until stopped. */
async function startTraffic({ form, accessKey, apiKey, agent }: Demo, hook: string, first: Server[]) {
  let servers = first;
  let [stopping, count, tokens, slowestMs, slowestReadyMs] = [false, 0, 0, 0, 0];
  const failures: unknown[] = [];
  const submissions: string[] = [];
  const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const server = servers[count++ % servers.length] as Server;
    const began = performance.now();
    const reply = await ask(server, method, path, { headers, body });
    slowestMs = Math.max(slowestMs, performance.now() - began);
    if (reply.status === 200) return reply.body.data;
    const name = first.includes(server) ? "the first" : "the next";
    throw new Error(
      `${name}: ${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}\n${server.log().slice(-2_000)}`,
    );
  };
  const submitter = "/papi/v1/submitter/form";
  const management = `/papi/v1/management/forms/${form.id}`;
  const owner = { "x-api-key": apiKey };
  const asOwner = { ...owner, "x-form-access-key": accessKey };
  const payload = { data: { name: "Ada", email: "ada@example.org", topic: "sales" } };
  const submit = (headers = {}) =>
    send("POST", `${submitter}/submissions`, { ...asOwner, ...headers }, payload);
  const kinds = [
    async () => void submissions.push((await submit()).id),
    async () => {
      const key = { "idempotency-key": crypto.randomUUID() };
      const ids = [(await submit(key)).id, (await submit(key)).id];
      expect(ids[0]).toBe(ids[1]);
      submissions.push(ids[0]);
    },
    async () => {
      const { token } = await send("POST", "/papi/v1/auth/token", { "x-agent-secret": agent.secret });
      tokens++;
      const headers = { "x-form-access-key": accessKey, "x-respondent-token": token };
      await send("POST", `${submitter}/validation`, headers, payload);
      await send("GET", submitter, headers);
    },
    async () => {
      await send("GET", management, owner);
      await send("GET", `${management}/submissions`, owner);
      const path = `${management}/submissions/${submissions[0]}`;
      const { submission } = await send("GET", path, owner);
      const edits = [{ fieldId: "name", value: `Ada ${count}` }];
      await send("PATCH", path, owner, { expectedUpdatedAt: submission.updatedAt, edits });
    },
    async () => {
      for (const { url } of servers) {
        const began = performance.now();
        await fetch(`${url}/readyz`);
        slowestReadyMs = Math.max(slowestReadyMs, performance.now() - began);
      }
    },
  ];
  await send("POST", "/papi/v1/management/webhooks", owner, {
    url: hook,
    formId: form.id,
    eventTypes: ["submission.created"],
    payload: "thin",
  });
  const running = kinds.map(async (kind, position) => {
    if (position > 0) await until(async () => submissions.length + failures.length > 0);
    while (!stopping && failures.length === 0) {
      await kind().catch((failure) => failures.push(failure));
      await Bun.sleep(10);
    }
  });
  return {
    requests: async (more: number) => {
      const goal = count + more;
      await until(async () => count >= goal || failures.length > 0);
    },
    sendTo: (next: Server[]) => {
      servers = next;
    },
    stop: async () => {
      stopping = true;
      await Promise.all(running);
      return { failures, slowestMs, slowestReadyMs, submissions, tokens, count };
    },
  };
}
