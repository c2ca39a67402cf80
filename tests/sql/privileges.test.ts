import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { migrate } from "../../src/platform/database/migrations/index.ts";
import { database, emptyDatabase, root, type Service, testOnOneNode } from "../setup.ts";
import { actsOf } from "./acts.ts";
import { hashOf, sqlFixture, store } from "./fixture.ts";
import { namesIn } from "./schema-rule.ts";
import { functionsThatRunTemporaryObjects } from "./temporary-objects.ts";

const db = await database();
/** The service's own connection. */
const sql = connect(db.url, { poolSize: 2, prepare: false });
const tables = await db.sql<{ name: string; first: string; last: string }[]>`
  select c.relname as name, columns[1] as first, columns[cardinality(columns)] as last
  from pg_class c, lateral (
    select array_agg(attname::text order by attnum) as columns from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) a
  where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p') order by c.relname`;
afterAll(() => sql.end());

/** The SQLSTATE that a statement ends in as the service; 42501 is "permission denied". */
const outcomeOf = (statement: string) =>
  sql.unsafe(statement).then(
    () => "allowed",
    (error: { code?: string }) => error.code,
  );

test("the service's login is an ordinary role that owns nothing", async () => {
  const [role] = await sql`
    select current_user as name, rolsuper or rolcreatedb or rolcreaterole or rolbypassrls or rolreplication as mighty,
      (select count(*)::int from pg_class where relowner = r.oid) + (select count(*)::int from pg_proc where proowner = r.oid) as owned
    from pg_roles r where rolname = current_user`;
  expect(role).toEqual({ name: "formd", mighty: false, owned: 0 });
});

describe("tables", () => {
  test("the service writes none of them: no insert, update, delete or truncate", async () => {
    expect(tables.length).toBeGreaterThan(15);
    for (const { name, first, last } of tables) {
      for (const statement of [
        `insert into formd.${name} (${first}) values (null)`,
        `update formd.${name} set ${last} = null`,
        `delete from formd.${name}`,
        `truncate formd.${name}`,
      ])
        expect([statement, await outcomeOf(statement)]).toEqual([statement, "42501"]);
    }
  });

  test("the service has no privilege on a table or a column but select", async () => {
    const found = await db.sql<{ offender: string }[]>`
      select c.relname || ' ' || p.name as offender
      from pg_class c, (values ('insert'), ('update'), ('references')) p (name)
      where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p') and has_any_column_privilege('formd', c.oid, p.name)
      union all
      select c.relname || ' ' || p.name
      from pg_class c, (values ('delete'), ('truncate'), ('trigger')) p (name)
      where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege('formd', c.oid, p.name)`;
    expect(found.map(({ offender }) => offender)).toEqual([]);
  });

  // The salt of submissions is not a secret of the server: the reader of a receipt gets it.
  test("the service reads no hash and no salt, neither by name nor by star", async () => {
    const secrets = await db.sql<{ table: string; column: string }[]>`
      select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relnamespace = 'formd'::regnamespace and c.relkind = 'r' and (a.attname like '%\\_hash' or a.attname like '%salt%') and c.relname <> 'submissions'`;
    expect(secrets.length).toBeGreaterThanOrEqual(7);
    for (const { table, column } of secrets) {
      expect([table, column, await outcomeOf(`select ${column} from formd.${table}`)]).toEqual([
        table,
        column,
        "42501",
      ]);
      expect([table, "*", await outcomeOf(`select * from formd.${table}`)]).toEqual([table, "*", "42501"]);
    }
  });

  test("the service does not see rate limits, nonces and idempotency keys", async () => {
    for (const table of ["rate_limits", "nonces", "idempotency_keys"])
      expect([table, await outcomeOf(`select 1 from formd.${table}`)]).toEqual([table, "42501"]);
  });

  test("the service makes nothing: no table, no function, no schema", async () => {
    for (const statement of [
      "create table formd.stray (id int)",
      "create table public.stray (id int)",
      "create function formd.stray() returns int language sql as 'select 1'",
      "create schema stray",
      "drop table formd.forms",
      "alter table formd.forms add column stray int",
      "create or replace function formd.uuid_time(p_id uuid) returns timestamptz language sql as 'select now()'",
    ])
      expect([statement, await outcomeOf(statement)]).toEqual([statement, "42501"]);
  });
});

describe("formd_report, made before or after the migration", () => {
  // In one transaction, which Citus does not let change the role, since roles belong to all tests: the rights
  // are the same there.
  testOnOneNode("counts, and reads no stored value, hash or text of a person", async () => {
    const { sql } = db;
    const rights = readFileSync(join(root, "sql/999_privileges.sql"), "utf8");
    await sql
      .begin(async (transaction) => {
        await transaction.unsafe(`create role formd_report nologin; ${rights}; set local role formd_report`);
        for (const table of ["report_submissions", "submission_counts", "teams", "workspaces"])
          await transaction.unsafe(`select * from formd.${table}`);
        await transaction`select team_id, id, workspace_id, name, status, current_version from formd.forms`;
        for (const denied of [
          "data from formd.submissions",
          "respondent_id from formd.submissions",
          "schema from formd.forms",
          "old_value from formd.submission_edits",
          "email from formd.operators",
          "secret_hash from formd.agents",
        ]) {
          const attempt = transaction.savepoint((inner) => inner.unsafe(`select ${denied}`));
          await expect(Promise.resolve(attempt)).rejects.toMatchObject({ code: "42501" });
        }
        const [shown] = await transaction<{ names: string[] }[]>`
          select array_agg(attname::text order by attnum) as names from pg_attribute
          where attrelid = 'formd.report_submissions'::regclass and attnum > 0`;
        expect(shown?.names).not.toContain("data");
        throw new Error("rolled back");
      })
      .catch((error: Error) => expect(error.message).toBe("rolled back"));
  });
});

describe("functions", () => {
  /** Functions in the grants to this role in sql/999_privileges.sql. */
  const grantedTo = (role: string) => {
    const text = namesIn(
      "sql",
      new RegExp(`^grant execute on function\n((?:  formd\\.\\w+,?\n)+)to ${role};`, "gm"),
    ).join("");
    const byName = namesIn("sql", new RegExp(`^ +\\('${role}', '(\\w+)'\\),?$`, "gm"));
    return [...text.matchAll(/formd\.(\w+)/g)]
      .map(([, name = ""]) => name)
      .concat(byName)
      .sort();
  };

  test.each(["formd_app", "formd_admin"])(
    "%s may execute the functions that sql/999_privileges.sql grants to it, and no other",
    async (role) => {
      const found = await db.sql<{ name: string }[]>`
        select distinct proname as name from pg_proc
        where pronamespace = 'formd'::regnamespace and has_function_privilege(${role}, oid, 'execute') order by proname`;
      expect(found.length).toBeGreaterThan(2);
      expect(found.map(({ name }) => name)).toEqual(grantedTo(role));
    },
  );

  test("the server may not do what only people at a terminal do", async () => {
    for (const call of [
      "team_create(null, null, null, null, null)",
      "operator_set_password(null, null, null, null)",
    ])
      expect([call, await outcomeOf(`select formd.${call}`)]).toEqual([call, "42501"]);
  });

  test("a function that is not granted cannot be called", async () => {
    // Not null: PostgreSQL knows the result of a strict function of null without calling it.
    const nil = "'00000000-0000-0000-0000-000000000000'";
    const internal = await db.sql<{ call: string }[]>`
      select format('select formd.%I(%s)', proname,
        (select string_agg(format('%s::%s', case when t = 'uuid'::regtype then ${nil} else 'null' end, format_type(t, null)), ', ')
         from unnest(proargtypes) t)) as call
      from pg_proc where pronamespace = 'formd'::regnamespace and not has_function_privilege('formd_app', oid, 'execute')`;
    expect(internal.length).toBeGreaterThan(8);
    for (const { call } of internal) expect([call, await outcomeOf(call)]).toEqual([call, "42501"]);
  });

  /** Functions that PUBLIC may execute. */
  const open = (app: Pick<Sql, "unsafe">) =>
    app.unsafe(`
      select proname as name from pg_proc
      where pronamespace = 'formd'::regnamespace
        and (proacl is null or exists (select from aclexplode(proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE'))`);

  test("PUBLIC may execute nothing", async () => {
    expect([...(await open(db.sql))]).toEqual([]);
  });

  test.each([
    "grant execute on function formd.raise_problem to public",
    "create function formd.stray() returns int language sql as 'select 1'",
  ])("… and that is seen: %s", async (statement) => {
    const undo = new Error("undo");
    await db.sql
      .begin(async (inner) => {
        await inner.unsafe(statement);
        expect((await open(inner)).length).toBe(1);
        throw undo;
      })
      .catch((error) => expect(error).toBe(undo));
  });

  test("PUBLIC may not even look into the schema", async () => {
    const [found] = await db.sql`
      select exists (select from aclexplode(nspacl) a where a.grantee = 0) as open from pg_namespace where nspname = 'formd'`;
    expect(found?.open).toBe(false);
  });
});

// One node is enough: the text of a function is the same on Citus, where these tests take 15 s.
describe("temporary objects of the server's login", () => {
  testOnOneNode("no function that it may execute runs them with the owner's rights", async () => {
    expect(await functionsThatRunTemporaryObjects(await database())).toEqual([]);
  });

  testOnOneNode.each(["declare v_text text; begin end", "begin perform from forms; end"])(
    "… which is seen of a function with an empty search_path: %s",
    async (body) => {
      const attacked = await database();
      await attacked.sql.unsafe(`
        create function formd.stray() returns void language plpgsql security definer set search_path = '' as $$ ${body} $$;
        grant execute on function formd.stray to formd_app`);
      expect(await functionsThatRunTemporaryObjects(attacked)).toEqual(["stray"]);
    },
  );

  test("it may make none, where formd's owner owns the database", async () => {
    const made = await emptyDatabase();
    await migrate(made.ownerUrl, () => {});
    const own = connect(made.url, { poolSize: 1, prepare: false });
    const error = await own`create temporary table stray ()`.catch((error: { code?: string }) => error);
    await own.end();
    expect(error).toMatchObject({ code: "42501" });
  });
});

describe("the server's login names its callers, and not itself", () => {
  const known = "formd";
  const made = sqlFixture().then(({ app, team }) => {
    // One connection, so that the next statement has the session's role.
    const one = connect(app.database.ownerUrl.replace(/\/\/[^@]*@/, "//postgres@"), {
      poolSize: 1,
      prepare: false,
    });
    return { team, one, acts: actsOf({ database: { ...app.database, sql: one } } as Service, team, store) };
  });
  afterAll(async () => (await made).one.end());

  /** Returns the outcome of a call in a session of a role. */
  async function endOf(role: string, call: () => PromiseLike<unknown>): Promise<string | undefined> {
    const { one } = await made;
    await one.unsafe(`set session authorization ${role}`);
    const end = await Promise.resolve(call()).then(
      () => "done",
      ({ code }: { code?: string }) => code,
    );
    await one.unsafe("reset session authorization");
    return end;
  }

  test("calls no function as a person at a terminal, or as the system", async () => {
    const { acts } = await made;
    for (const { name, kind, prepare, findsActor } of acts) {
      if (findsActor) continue;
      for (const actor of ["(cli,,)", "(system,,)"]) {
        const call = await prepare();
        expect([name, kind, actor, await endOf(known, () => call(actor))]).toEqual([
          name,
          kind,
          actor,
          "42501",
        ]);
      }
    }
  });

  test("nobody becomes an operator by it, but by the invitation of one who may invite", async () => {
    const { team, one } = await made;
    const operators = async () =>
      (await one<{ email: string }[]>`select email from formd.operators order by email`).map(
        ({ email }) => email,
      );
    const before = await operators();
    const invite = (actor: string, email: string) => () =>
      one`select * from formd.operator_invite(${team.id}, ${actor}, ${team.workspace}, ${uuidv7()}, ${email}, 'admin', ${hashOf(email)}, '3 days')`;
    for (const actor of ["(cli,,)", "(system,,)", "(api_key,,)", "(agent,,)", "(anonymous,,)", "(,,)", null])
      expect([actor, await endOf(known, invite(actor as string, "mallory@example.org"))]).toEqual([
        actor,
        expect.stringMatching(/^(42501|ZFORM)$/),
      ]);
    const join = () =>
      one`select * from formd.operator_join(${team.id}, '(cli,,)', ${team.workspace}, ${uuidv7()}, 'mallory@example.org', 'salt', ${hashOf("x")}, 'admin')`;
    expect(await endOf(known, join)).toBe("42501");
    const accept = () =>
      one`select formd.operator_invitation_accept(${team.id}, '(anonymous,,)', ${hashOf("none")}, null, ${uuidv7()}, 'salt', ${hashOf("x")})`;
    expect(await endOf(known, accept)).toBe("ZFORM");
    const reset = (actor: string) => () =>
      one`select formd.operator_reset_make(null, ${actor}, ${team.operator.id}, ${hashOf("x")}, '30 minutes')`;
    expect(await endOf(known, reset("(cli,,)"))).toBe("42501");
    expect(await endOf(known, reset("(api_key,,)"))).toBe("ZFORM");
    const remove = (actor: string) => () =>
      one`select formd.operator_remove(${actor}, ${team.operator.email}, null)`;
    expect(await endOf(known, remove("(cli,,)"))).toBe("42501");
    expect(await endOf(known, remove("(api_key,,)"))).toBe("ZFORM");
    expect([
      await operators(),
      (await one`select from formd.operator_invitations where email like 'mallory%'`).length,
    ]).toEqual([before, 0]);

    // One way remains: to name an admin. The audit has the invitation, and the operator who joined by it.
    expect(await endOf(known, invite(`(operator,${team.operator.id},)`, "mallory@example.org"))).toBe("done");
  });

  test("the owner and a member of formd_admin call functions as a person at a terminal", async () => {
    const { team, one } = await made;
    const patch = () =>
      one`select formd.form_create(${team.id}, '(cli,,)', ${team.workspace}, 'A', null, '{"fields": []}')`;
    await one.unsafe("create role made_admin login in role formd_app, formd_admin");
    try {
      expect([
        await endOf("formd_owner", patch),
        await endOf("made_admin", patch),
        await endOf(known, patch),
      ]).toEqual(["done", "done", "42501"]);
    } finally {
      await one.unsafe("drop role made_admin");
    }
  });
});

describe("the audit and the published versions", () => {
  test.each(["audit_events", "submission_edits", "submission_erasures", "form_versions", "submissions"])(
    "nobody but the owner changes %s",
    async (table) => {
      const found = await db.sql<{ grantee: string }[]>`
      select distinct a.grantee::regrole::text as grantee
      from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
      where c.oid = ('formd.' || ${table})::regclass and a.privilege_type <> 'SELECT'`;
      expect(found.map(({ grantee }) => grantee)).toEqual(["formd_owner"]);
    },
  );

  test("the owner does not log in as the service does", async () => {
    const members = await db.sql<{ member: string }[]>`
      select member::regrole::text as member from pg_auth_members where roleid = 'formd_owner'::regrole`;
    expect([...members]).toEqual([]);
  });
});
