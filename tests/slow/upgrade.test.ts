/** From the previous release to this commit, and from this commit to a later one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TransactionSql } from "postgres";
import { connect, type Sql } from "../../src/db.ts";
import { applyMigrations } from "../../src/migrations/dbmate.ts";
import {
  ask,
  type Database,
  database,
  emptyDatabase,
  formdProcess,
  makeForm,
  makeTeam,
  root,
  type Server,
  server,
  settingsFor,
  temporaryFolder,
} from "../setup.ts";
import { newKey } from "../signing.ts";
import { functionRules } from "../sql/function-rules.ts";
import { tableRules } from "../sql/table-rules.ts";
import { functionsThatRunTemporaryObjects } from "../sql/temporary-objects.ts";

const oneLine = /^formd: [^\n]+\n$/m;

describe("from 0.1", () => {
  const release = "1b30061";
  const old = temporaryFolder();
  const generous = {
    RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000",
    RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "100000",
  };

  beforeAll(() => {
    try {
      execFileSync("git", ["archive", "--output", join(old, "release.tar"), release], { cwd: root });
    } catch (error) {
      throw new Error(`this test needs commit ${release}: fetch the whole history (git fetch --unshallow)`, {
        cause: error,
      });
    }
    execFileSync("tar", ["--extract", "--file", "release.tar"], { cwd: old });
    // Its own packages: ours move on.
    execFileSync(process.execPath, ["install", "--frozen-lockfile", "--production", "--ignore-scripts"], {
      cwd: old,
      stdio: "ignore",
    });
  });

  interface Demo {
    form: { id: string };
    accessKey: string;
    apiKey: string;
    agent: { id: string; secret: string };
  }

  /** A database of the release with its demo in it. */
  async function releasedDatabase(): Promise<Database & { demo: Demo }> {
    const made = await emptyDatabase();
    const migrated = await formdProcess(["migrate"], settingsFor(made), old);
    expect(migrated).toMatchObject({ code: 0 });
    // Its commands run as the server's role.
    const { stdout } = await formdProcess(["demo", "--json"], { DATABASE_URL: made.url }, old);
    return { ...made, demo: JSON.parse(stdout) };
  }

  const upgrade = async (data: Database) => {
    const { code, stdout, stderr } = await formdProcess(["migrate", "--json"], settingsFor(data));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout) as { migrations: string[]; functions: number };
  };

  describe("an upgraded database", () => {
    let upgraded: Database;
    /** A connection of the release's server, with a statement prepared for each function that it may call. */
    let connection: Sql;
    let statements: string[];
    let before: { id: number; call: string }[];
    const functions = (sql: Sql) => sql<{ id: number; call: string }[]>`
      select oid::int as id, oid::regprocedure::text as call from pg_proc where pronamespace = 'formd'::regnamespace`;
    beforeAll(async () => {
      upgraded = await releasedDatabase();
      connection = connect(upgraded.url, { poolSize: 1, prepare: false });
      statements = await prepareCalls(connection);
      before = await functions(upgraded.sql);
      await upgrade(upgraded);
    });
    afterAll(() => connection.end());

    test("takes the statements that the release's servers have prepared", async () => {
      // Of commands, which end before an upgrade; and one that nothing called.
      const notOfServers =
        /^(team|workspace|operator_join|api_key_(create|revoke)|access_key_(create|revoke)|form_(publish|archive)|uuid_time)/;
      const called = statements.filter((name) => !notOfServers.test(name));
      expect(called.length).toBeGreaterThan(25);
      const errors = await Promise.all(
        called.map((name) =>
          connection.unsafe(`execute ${name}`).then(
            () => "",
            ({ code, message }) => `${name}: ${code} ${message}`,
          ),
        ),
      );
      // With nulls for all arguments a function may well end in an error of its own. These two return rows of a table that has gained columns:
      // 0.1's postgres.js (3.4.9, retryRoutines: RevalidateCachedQuery) prepares such a statement again and repeats it; under traffic, below, each
      // is called by 0.1 before and after the upgrade.
      const preparedAgain = ["signing_key_register", "submission_patch"];
      const changed = "0A000 cached plan must not change result type";
      expect(errors.filter((error) => /: (0A000|42\w{3}) /.test(error)).toSorted()).toEqual(
        preparedAgain.map((name) => `${name}: ${changed}`),
      );
    });

    test("has no function that was dropped and created again: a call that is planned meanwhile would fail", async () => {
      const after = new Map((await functions(upgraded.sql)).map(({ id, call }) => [call, id]));
      expect(before.filter(({ id, call }) => (after.get(call) ?? id) !== id)).toEqual([]);
    });

    test("holds the functions, and grants the rights, of a fresh one", async () => {
      const fresh = await database();
      expect(await functionsAndRights(upgraded.sql)).toEqual(await functionsAndRights(fresh.sql));
    });

    for (const rule of [...tableRules, ...functionRules])
      test(`satisfies the rule: ${rule.name}`, async () => {
        expect(await upgraded.sql.begin((sql) => rule.offenders(sql))).toEqual([]);
      });

    test("has no function that runs temporary objects of the server's login with the owner's rights", async () => {
      expect(await functionsThatRunTemporaryObjects(upgraded)).toEqual([]);
    });
  });

  test("a call that is in progress while the functions are replaced ends as it began", async () => {
    const data = await releasedDatabase();
    const running = await server({ DATABASE_URL: data.url }, { directory: old });
    const { agent, apiKey } = data.demo;
    // Beforehand, since an index that is built concurrently waits for every transaction that is open.
    await applyMigrations(data.ownerUrl, readdirSync(join(root, "db/migrations")).toSorted());
    let reply: Promise<{ status: number }> | undefined;
    let migrated: Promise<unknown> | undefined;
    await data.sql.begin(async (sql) => {
      await sql`update formd.agents set status = 'revoked', revoked_at = now() where id = ${agent.id}`;
      reply = request(running, "PATCH", `/papi/v1/identity/agents/${agent.id}`, {
        headers: { "x-api-key": apiKey },
        body: { name: "Renamed" },
      });
      await until(async () => {
        const [row] = await data.sql`select exists (select from pg_locks where not granted) as waits`;
        return row?.waits;
      });
      migrated = upgrade(data);
      await until(async () => {
        const [row] = await data.sql`select to_regproc('formd.raise_problem') is not null as loaded`;
        return row?.loaded;
      });
    });
    // The agent's row is free: the function of 0.1 goes on, and raises by the name that it knows.
    expect(await reply).toMatchObject({ status: 409 });
    await migrated;
    const [row] = await data.sql`select to_regproc('formd.refuse') is null as retired`;
    expect(row).toEqual({ retired: true });
  });

  test("a call that waits while its table gains columns is carried out once, and returns its row", async () => {
    const data = await releasedDatabase();
    const { form, apiKey, accessKey, agent } = data.demo;
    const running = await server({ DATABASE_URL: data.url, DATABASE_POOL_SIZE: "1" }, { directory: old });
    const migrations = readdirSync(join(root, "db/migrations")).toSorted();
    const named = (name: string) => migrations.findIndex((file) => file.endsWith(`_${name}.sql`));
    const textOf = (name: string) =>
      readFileSync(join(root, "db/migrations", migrations[named(name)] as string), "utf8");

    const headers = { "x-api-key": apiKey };
    const send = (
      method: string,
      path: string,
      body: unknown,
      waiting?: Waiting & { migrations: string[] },
    ) => {
      const sent = () => request(running, method, path, { headers, body });
      if (!waiting) return sent();
      return changedWhileItWaits(data, waiting, sent, async (sql) => {
        for (const name of waiting.migrations)
          for (const [statement] of textOf(name).matchAll(/alter table formd\.\w+\s+add column[^;$]*/g))
            await sql.unsafe(statement);
      });
    };

    const submitted = await request(running, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { ...headers, "x-form-access-key": accessKey },
      body: { data: { name: "Ada", email: "ada@example.org", topic: "sales" } },
    });
    const { id } = submitted.body.data;
    const path = `/papi/v1/management/forms/${form.id}/submissions/${id}`;
    let { updatedAt } = (await request(running, "GET", path, { headers })).body.data.submission;
    const edit = async (value: string, waiting?: Parameters<typeof send>[3]) => {
      const body = { expectedUpdatedAt: updatedAt, edits: [{ fieldId: "name", value }] };
      const reply = await send("PATCH", path, body, waiting);
      expect(reply).toMatchObject({
        status: 200,
        body: { data: { submission: { id, data: { name: value } } } },
      });
      ({ updatedAt } = reply.body.data.submission);
    };
    const register = async (waiting?: Parameters<typeof send>[3]) => {
      const body = { publicKeyPem: newKey().pem };
      const reply = await send("POST", `/papi/v1/identity/agents/${agent.id}/keys`, body, waiting);
      expect(reply).toMatchObject({ status: 200, body: { data: { status: "active" } } });
    };

    await edit("Prepared");
    await applyMigrations(data.ownerUrl, migrations.slice(0, named("signing_keys_thumbprint")));
    // Loads the row type, which the next call would else wait for before it begins.
    await register();
    await register({
      call: "signing_key_register",
      lock: "formd.signing_keys in access exclusive",
      migrations: ["signing_keys_thumbprint"],
    });
    await edit("Waiting", {
      call: "submission_patch",
      // Under this lock 0.1 reads the submission, and then waits to lock it.
      lock: "formd.submissions in exclusive",
      migrations: ["receipts", "reviews"],
    });
    // A connection that has made no call between the migrations plans its next one when the columns are there, as after this.
    await data.sql.unsafe(textOf("rows_of_waiting_calls"));
    await edit("Prepared again");
    await register();

    const edits = await data.sql<{ name: string }[]>`
      select new_value #>> '{}' as name from formd.submission_edits where submission_id = ${id} order by id`;
    expect(edits.map(({ name }) => name)).toEqual(["Prepared", "Waiting", "Prepared again"]);
    const [keys] = await data.sql`select count(*)::int from formd.signing_keys where agent_id = ${agent.id}`;
    expect(keys?.count).toBe(3);
  });

  /**
   * At length: FORMD_UPGRADE_ROWS=2000000 FORMD_UPGRADE_AGENTS=300000 FORMD_UPGRADE_READER_SECONDS=60 bun test --timeout 900000 \
   *   tests/slow/upgrade.test.ts --test-name-pattern "under traffic: its"
   */
  const {
    FORMD_UPGRADE_ROWS: rows = "1000",
    FORMD_UPGRADE_AGENTS: agentRows = "1000",
    FORMD_UPGRADE_READER_SECONDS: readerSeconds = "5",
  } = process.env;

  /** Fills the demo's form and its agents as requests of the release would have. @returns the submitter, whom no request names */
  async function fill({ sql, demo }: Database & { demo: Demo }): Promise<string> {
    const submitter = crypto.randomUUID();
    await sql`
      insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, data,
        created_at, updated_at, completed_at)
      select f.team_id, f.id, (lpad(to_hex(ms), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid, 1, 'completed',
        'agent', ${submitter}, jsonb_build_object('name', 'Ada', 'message', repeat('We would like to know more. ', 30)), at, at, at
      from formd.forms f, generate_series(1, ${rows}::integer) n,
        lateral (select (extract(epoch from now()) * 1000)::bigint - (${rows}::integer - n) * 1000::bigint as ms) m,
        lateral (select to_timestamp(ms / 1000.0) as at) t
      where f.id = ${demo.form.id}`;
    await sql`
      insert into formd.submission_counts (team_id, form_id, status, slot, total)
      select team_id, id, 'completed', 0, ${rows}::integer from formd.forms where id = ${demo.form.id}`;
    await sql`
      insert into formd.agents (team_id, id, workspace_id, client_id, name, secret_prefix, secret_hash, created_at, updated_at)
      select f.team_id, i.id, f.workspace_id, i.id, 'Filler', 'fda_', sha256(i.id::text::bytea), now(), now()
      from formd.forms f, generate_series(1, ${agentRows}::integer) n, lateral (select gen_random_uuid() as id where n > 0) i
      where f.id = ${demo.form.id}`;
    await sql`
      insert into formd.grants (team_id, id, agent_id, form_id, scopes, created_at, updated_at)
      select team_id, id, id, ${demo.form.id}, '{agent:read}', now(), now() from formd.agents where name = 'Filler'`;
    await sql`
      insert into formd.signing_keys (team_id, id, agent_id, key_id, public_key_pem, created_at)
      select team_id, id, id, id, '', now() from formd.agents where name = 'Filler'`;
    await sql`vacuum (analyze) formd.submissions`;
    await sql`analyze formd.agents, formd.grants, formd.signing_keys`;
    return submitter;
  }

  test("under traffic: its servers and ours answer every request, and nothing is lost", async () => {
    const data = await releasedDatabase();
    const filler = await fill(data);
    const released = () => server({ DATABASE_URL: data.url, ...generous }, { directory: old });
    const before = [await released(), await released()];
    const traffic = startTraffic(data.demo, ...before);
    await traffic.requests(200);
    const startedAt = performance.now();
    // As pg_dump reads: a lock on every table, for longer than one attempt of a migration. Two, since a concurrent build waits for the first.
    const readers = [0, Number(readerSeconds) * 900].map(async (startMs) => {
      await Bun.sleep(startMs);
      await data.sql.begin(async (sql) => {
        const tables = await sql<{ name: string }[]>`
          select tablename as name from pg_tables where schemaname = 'formd'`;
        for (const { name } of tables) await sql`select from formd.${sql(name)} limit 1`;
        await sql`select count(data ->> 'message') from formd.submissions`;
        await sql`select pg_sleep(${readerSeconds}::integer)`;
      });
    });
    const { migrations } = await upgrade(data);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(
      `${migrations.length} migrations of ${rows} submissions and ${agentRows} agents in ${seconds} s`,
    );
    expect(migrations.length).toBeGreaterThan(0);
    await Promise.all(readers);
    await traffic.requests(200);
    const after = await server({ DATABASE_URL: data.url, ...generous });
    traffic.sendTo(...before, after);
    await traffic.requests(400);
    traffic.sendTo(after);
    await traffic.requests(100);
    expect(await Promise.all(before.map((each) => each.stop()))).toEqual([0, 0]);
    await traffic.requests(100);
    const { failures, slowestMs, slowestReadyMs, submissions, agents, tokens, count } = await traffic.stop();
    console.log(
      `${count} requests, the slowest took ${slowestMs.toFixed(0)} ms, of /readyz ${slowestReadyMs.toFixed(0)} ms`,
    );

    expect(failures).toEqual([]);
    // One that waits for a migration waits for what that waits for: the readers. /readyz reads no table that migrations change, so that what it takes
    // longer is the machine's doing.
    expect(slowestMs - slowestReadyMs).toBeLessThan(1_000);
    const stored = await data.sql<{ id: string }[]>`
      select id from formd.submissions where submitter_id is distinct from ${filler}`;
    expect(stored.map(({ id }) => id).sort()).toEqual(submissions.toSorted());
    const registered = await data.sql<{ id: string }[]>`select id from formd.agents where name = 'Traffic'`;
    expect(registered.map(({ id }) => id).sort()).toEqual(agents.toSorted());
    const [sessions] = await data.sql<[{ count: number }]>`select count(*)::int from formd.sessions`;
    expect(sessions.count).toBe(tokens);
  });

  /** All that formd's servers are asked, each kind one request after another, until it is stopped. */
  function startTraffic({ form, accessKey, apiKey, agent }: Demo, ...first: Server[]) {
    let servers = first;
    let stopping = false;
    let count = 0;
    const failures: unknown[] = [];
    const [submissions, agents]: [string[], string[]] = [[], []];
    let tokens = 0;
    let [slowestMs, slowestReadyMs] = [0, 0];
    const send = async (
      expected: number,
      method: string,
      path: string,
      { headers = {}, body }: Sent = {},
    ) => {
      const to = servers[count++ % servers.length] as Server;
      const began = performance.now();
      const reply = await request(to, method, path, { headers, body });
      slowestMs = Math.max(slowestMs, performance.now() - began);
      if (reply.status === expected) return reply.body.data;
      const server = first.includes(to) ? "0.1" : "ours";
      throw new Error(
        `${server}: ${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}\n${to.log().slice(-2_000)}`,
      );
    };
    const submitter = "/papi/v1/submitter/form";
    const management = `/papi/v1/management/forms/${form.id}`;
    const identity = "/papi/v1/identity/agents";
    const owner = { headers: { "x-api-key": apiKey } };
    const data = { name: "Ada", email: "ada@example.org", topic: "sales" };
    const kinds = [
      async () => {
        const headers = { "x-api-key": apiKey, "x-form-access-key": accessKey };
        submissions.push(
          (await send(200, "POST", `${submitter}/submissions`, { headers, body: { data } })).id,
        );
      },
      async () => {
        const headers = {
          "x-api-key": apiKey,
          "x-form-access-key": accessKey,
          "idempotency-key": crypto.randomUUID(),
        };
        const ids = [];
        for (const _ of [1, 2])
          ids.push((await send(200, "POST", `${submitter}/submissions`, { headers, body: { data } })).id);
        expect(ids[0]).toBe(ids[1]);
        submissions.push(ids[0]);
      },
      async () => {
        const { token } = await send(200, "POST", "/papi/v1/auth/token", {
          body: { clientSecret: agent.secret },
        });
        tokens++;
        const headers = { "x-form-access-key": accessKey, "x-respondent-token": token };
        await send(200, "POST", `${submitter}/validation`, { headers, body: { data } });
        await send(200, "GET", submitter, { headers });
      },
      async () => {
        const { id } = await send(200, "POST", identity, { ...owner, body: { name: "Traffic" } });
        agents.push(id);
        await send(200, "PATCH", `${identity}/${id}`, { ...owner, body: { status: "disabled" } });
        await send(200, "POST", `${identity}/${id}/grants`, {
          ...owner,
          body: { formId: form.id, scopes: ["agent:read"] },
        });
        await send(200, "POST", `${identity}/${id}/rotate-secret`, { ...owner, body: {} });
        await send(200, "POST", `${identity}/${id}/keys`, { ...owner, body: { publicKeyPem: newKey().pem } });
        await send(200, "DELETE", `${identity}/${id}`, owner);
        await send(409, "PATCH", `${identity}/${id}`, { ...owner, body: { status: "active" } });
      },
      async () => {
        await send(200, "PATCH", management, {
          ...owner,
          body: { operations: [{ op: "setMeta", description: `Changed ${count}` }] },
        });
        await send(200, "GET", management, owner);
        await send(200, "GET", `${management}/submissions`, owner);
        const { submission } = await send(200, "GET", `${management}/submissions/${submissions[0]}`, owner);
        await send(200, "PATCH", `${management}/submissions/${submissions[0]}`, {
          ...owner,
          body: {
            expectedUpdatedAt: submission.updatedAt,
            edits: [{ fieldId: "name", value: `Ada ${count}` }],
          },
        });
        await send(404, "DELETE", `${management}/submissions/${agent.id}`, owner);
      },
      async () => {
        for (const to of servers) {
          const began = performance.now();
          await fetch(`${to.url}/readyz`);
          slowestReadyMs = Math.max(slowestReadyMs, performance.now() - began);
        }
        await Bun.sleep(10);
      },
    ];
    const running = kinds.map(async (kind, index) => {
      if (index > 0) await until(async () => submissions.length + failures.length > 0);
      while (!stopping && failures.length === 0) await kind().catch((failure) => failures.push(failure));
    });
    return {
      requests: async (more: number) => {
        const goal = count + more;
        await until(async () => count >= goal || failures.length > 0);
      },
      sendTo: (...to: Server[]) => {
        servers = to;
      },
      stop: async () => {
        stopping = true;
        await Promise.all(running);
        return { failures, slowestMs, slowestReadyMs, submissions, agents, tokens, count };
      },
    };
  }
});

/** Where a request waits. */
interface Waiting {
  /** The function whose call waits. */
  call: string;
  /** The table and the mode of a lock under which the request comes as far as this call. */
  lock: string;
}

/** The response to a request, one of whose calls waits for a lock while something is changed. */
async function changedWhileItWaits<T>(
  { sql: outside }: Database,
  { call, lock }: Waiting,
  send: () => Promise<T>,
  change: (sql: TransactionSql) => Promise<unknown>,
): Promise<T> {
  let reply: Promise<T> | undefined;
  await outside.begin(async (sql) => {
    await sql.unsafe(`lock table ${lock} mode`);
    reply = send();
    await until(async () => {
      const [row] = await outside`
        select exists (select from pg_stat_activity
          where wait_event_type = 'Lock' and strpos(query, ${`formd.${call}(`}) > 0) as waits`;
      return row?.waits;
    });
    await change(sql);
  });
  return await (reply as Promise<T>);
}

interface Sent {
  headers?: Record<string, string>;
  body?: unknown;
}

/** One request, from an address of its own; without the check against today's document, which the old server precedes. */
async function request({ url }: Server, method: string, path: string, { headers, body }: Sent = {}) {
  const address = [0, 0, 0].map(() => Math.floor(Math.random() * 256)).join(".");
  const reply = await fetch(url + path, {
    method,
    headers: { ...headers, "content-type": "application/json", "x-forwarded-for": `10.${address}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server says
  return { status: reply.status, body: (await reply.json()) as any };
}

async function until(condition: () => Promise<boolean | undefined>): Promise<void> {
  while (!(await condition())) await Bun.sleep(10);
}

/** Prepares a call with nulls of every function that the role may execute. @returns the statements' names, which are the functions' */
async function prepareCalls(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string; call: string }[]>`
    select proname as name, format('formd.%I(%s)', proname,
      array_to_string(array(select 'null::' || t::regtype from unnest(proargtypes) as t), ', ')) as call
    from pg_proc where pronamespace = 'formd'::regnamespace and has_function_privilege(oid, 'execute')`;
  for (const { name, call } of rows) await sql.unsafe(`prepare ${name} as select * from ${call}`);
  return rows.map(({ name }) => name);
}

/** Every function with its text, and every right that somebody else than the owner has in schema formd. */
async function functionsAndRights(sql: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    with acls (object, acl) as (
      select 'schema ' || nspname, nspacl from pg_namespace where nspname = 'formd'
      union all
      select oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner)) from pg_proc where pronamespace = 'formd'::regnamespace
      union all
      select oid::regclass::text, coalesce(relacl, acldefault('r', relowner)) from pg_class where relnamespace = 'formd'::regnamespace
      union all
      select attrelid::regclass || '.' || attname, attacl
      from pg_attribute join pg_class c on c.oid = attrelid where relnamespace = 'formd'::regnamespace
      union all
      select oid::regtype::text, coalesce(typacl, acldefault('T', typowner)) from pg_type where typnamespace = 'formd'::regnamespace)
    select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'formd'::regnamespace
    union all
    select concat_ws(' ', object, grantee::regrole, privilege_type, is_grantable)
    from acls, aclexplode(acl) where grantee <> to_regrole('formd_owner')
    order by 1`;
  return rows.map(({ line }) => line);
}

describe("to a later commit", () => {
  const scratch = temporaryFolder();
  const migration = "20990101000000_later.sql";
  const laterText = `-- migrate:up
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.submissions add column later text not null default 'was there before';
end $$;

`;

  beforeAll(() => {
    for (const name of ["src", "sql", "db", "package.json"])
      cpSync(join(root, name), join(scratch, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"));
    writeFileSync(join(scratch, "db/migrations", migration), laterText);
    appendFileSync(
      join(scratch, "sql/999_privileges.sql"),
      "\ncreate or replace function formd.later() returns text language sql immutable set search_path = pg_catalog, pg_temp as $$ select 'later' $$;\n",
    );
  });

  /** Runs a command of the later formd. */
  const later = (args: string[], environment: Record<string, string>) =>
    formdProcess(args, environment, scratch);

  test("a database of an older commit migrates under traffic: every request is answered, the old server sees it and takes no new ones", async () => {
    const data: Database = await database();
    const old: Server = await server({
      DATABASE_URL: data.url,
      RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000",
    });
    const app = { ...old, database: data };
    const team = await makeTeam(app);
    const form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }]);
    const headers = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
    const submissions = `/papi/v1/management/forms/${form.id}/submissions`;

    const statuses: number[] = [];
    const ids: string[] = [];
    let over = false;
    const submitting = async () => {
      while (!over) {
        const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
          headers,
          body: { data: { name: "Ada" } },
        });
        statuses.push(reply.status);
        ids.push(reply.body.data?.id);
      }
    };
    const reading = async () => {
      while (!over)
        for (const path of [submissions, `/papi/v1/management/forms/${form.id}`])
          statuses.push((await ask(app, "GET", path, { headers })).status);
    };
    const traffic = [submitting(), submitting(), reading()];
    while (statuses.length < 50) await Bun.sleep(10);

    const refused = await later(["serve", "--no-migrate"], { DATABASE_URL: data.url, PORT: "0" });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(oneLine)]);
    expect(refused.stderr).toContain("older than this formd (migrations to apply: 1): run formd migrate");

    const settings = { DATABASE_URL: data.url, MIGRATION_DATABASE_URL: data.ownerUrl };
    const { stdout: plan } = await later(["migrate", "--plan", "--json"], settings);
    expect(JSON.parse(plan)).toEqual({
      migrations: [migration],
      functions: expect.any(Number),
      locks: [{ migration, locks: expect.any(String) }],
    });
    const migrated = await later(["migrate", "--json"], settings);
    expect(JSON.parse(migrated.stdout).migrations).toEqual([migration]);
    const soFar = statuses.length;
    while (statuses.length < soFar + 50) await Bun.sleep(10);
    over = true;
    await Promise.all(traffic);
    expect([...new Set(statuses)]).toEqual([200]);

    expect(await ask(old, "GET", "/readyz")).toMatchObject({
      status: 200,
      body: { data: { status: "ready", schema: "newer" } },
    });
    for (const options of [[], ["--no-migrate"]]) {
      const { code, stderr } = await formdProcess(["serve", ...options], {
        DATABASE_URL: data.url,
        PORT: "0",
      });
      expect([code, stderr]).toEqual([1, expect.stringMatching(oneLine)]);
      expect(stderr).toContain(
        "newer than this formd (migration 20990101000000): run the formd that migrated it",
      );
    }
    const stored = await data.sql<{ id: string; later: string }[]>`
    select id, later from formd.submissions where form_id = ${form.id}`;
    expect(stored.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect([...new Set(stored.map((row) => row.later))]).toEqual(["was there before"]);
  });

  test("a call that waits while its table gains a column is carried out once, and returns its row", async () => {
    const data = await database();
    const app = { ...(await server({ DATABASE_URL: data.url })), database: data };
    const team = await makeTeam(app);
    const form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }]);
    const headers = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
    const submitted = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers,
      body: { data: { name: "Ada" } },
    });
    const { id } = submitted.body.data;
    const path = `/papi/v1/management/forms/${form.id}/submissions/${id}`;
    const { submission } = (await ask(app, "GET", path, { headers })).body.data;
    const patch = () =>
      ask(app, "PATCH", path, {
        headers,
        body: { expectedUpdatedAt: submission.updatedAt, edits: [{ fieldId: "name", value: "Grace" }] },
      });
    // Under this lock the submission is read, and the edit waits to lock it.
    const waiting = { call: "submission_patch", lock: "formd.submissions in exclusive" };
    const reply = await changedWhileItWaits(data, waiting, patch, (sql) => sql.unsafe(laterText));
    expect(reply).toMatchObject({
      status: 200,
      body: { data: { submission: { id, data: { name: "Grace" } } } },
    });
    const edits = await data.sql`select from formd.submission_edits where submission_id = ${id}`;
    expect(edits).toHaveLength(1);
  });

  test("a backup of an older commit is restored by a later one, and a later one's is refused by the older", async () => {
    const [from, to] = [join(scratch, "from"), join(scratch, "to")];
    const [file, newer] = [join(scratch, "backup"), join(scratch, "newer")];
    expect((await formdProcess(["demo"], { FORMD_DATA_DIR: from })).code).toBe(0);
    const { stdout } = await formdProcess(["backup", file, "--json"], { FORMD_DATA_DIR: from });
    const restored = await later(["restore", file, "--json"], { FORMD_DATA_DIR: to });
    expect(JSON.parse(restored.stdout)).toEqual({ file, rows: JSON.parse(stdout).rows });
    const again = await later(["backup", newer, "--json"], { FORMD_DATA_DIR: to });
    expect(JSON.parse(again.stdout).rows).toBe(JSON.parse(stdout).rows);
    const back = await formdProcess(["restore", newer], { FORMD_DATA_DIR: join(scratch, "back") });
    expect([back.code, back.stderr]).toEqual([
      1,
      expect.stringContaining("migration 20990101000000 is not in this formd"),
    ]);
  });
});
