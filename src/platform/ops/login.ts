/** Checks the rights and settings of the server's login. */
import { advises, type CheckResult, failsBy } from "../check.ts";
import { oneRow, type Sql } from "../database/db.ts";

type Rights = { role: string } & Record<"superuser" | "owner" | "admin" | "creates", boolean> &
  Record<"attributes" | "writes" | "executes", string[]>;

/** Checks the login's rights, through any role: it must not be able to change its own records. */
export async function checkRights(sql: Sql): Promise<CheckResult> {
  const { role, superuser, owner, attributes, admin, writes, executes, creates } = oneRow(
    await sql<Rights[]>`
      with relations as (
        select c.oid, c.relname, c.relowner from pg_class c
        where c.relnamespace = to_regnamespace('formd') and c.relkind in ('r', 'p') and not c.relispartition)
      select current_user as role, r.rolsuper as superuser,
        coalesce((select pg_has_role(current_user, c.relowner, 'usage') from relations c where c.relname = 'forms'), false) as owner,
        array_remove(array[case when r.rolcreaterole then 'createrole' end, case when r.rolcreatedb then 'createdb' end,
          case when r.rolbypassrls then 'bypassrls' end, case when r.rolreplication then 'replication' end], null) as attributes,
        coalesce(pg_has_role(current_user, to_regrole('formd_admin'), 'usage'), false) as admin,
        array(select lower(p.name) || ' on formd.' || c.relname
          from relations c, unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as p (name)
          where has_table_privilege(current_user, c.oid, p.name) order by 1) as writes,
        array(select 'formd.' || p.proname from pg_proc p
          where p.pronamespace = to_regnamespace('formd') and has_function_privilege(current_user, p.oid, 'execute')
            and not has_function_privilege(to_regrole('formd_app'), p.oid, 'execute') order by 1) as executes,
        coalesce(has_schema_privilege(current_user, to_regnamespace('formd'), 'create'), false) as creates
      from pg_roles r where r.rolname = current_user`,
  );
  const wrong = superuser ? "is a superuser" : owner ? "has the rights of the owner" : undefined;
  if (wrong)
    return failsBy(
      `The role ${role} ${wrong}. Let DATABASE_URL name a member of formd_app, and MIGRATION_DATABASE_URL the owner.`,
    );
  const more = [
    ...(attributes.length > 0 ? [`has ${attributes.join(", ")}`] : []),
    ...(admin ? ["is a member of formd_admin, which is for administrators"] : []),
    ...(writes.length > 0 ? [`may ${writes.join(", ")}`] : []),
    ...(executes.length > 0 && !admin ? [`may execute ${executes.join(", ")}`] : []),
    ...(creates ? ["may create in formd"] : []),
  ];
  return failsBy(
    more.length > 0 &&
      `The role ${role} ${more.join("; it ")}. A server needs none of it: revoke it, or the role that gives it.`,
    `The role ${role} has the rights of a server, and no more.`,
  );
}

/** Checks for settings of plans (docs/dba/statements-and-plans.md): no large scans, no JIT compilation. */
export async function checkPlans(sql: Sql): Promise<CheckResult> {
  const { role, settings } = await settingsOf(sql, ["enable_seqscan", "jit"]);
  const wrong = Object.keys(settings).filter((name) => settings[name] !== "off");
  const statements = wrong.map((name) => `alter role ${role} set ${name} = off;`);
  return failsBy(
    lacking(role, "settings", statements),
    "Plans are made without sequential scans and are not compiled.",
  );
}

/** Recommended values, as in docs/dba/roles.md. */
const timeouts: Record<string, string> = {
  statement_timeout: "10s",
  lock_timeout: "5s",
  idle_in_transaction_session_timeout: "10s",
};

/** Checks for time limits of any value: a stalled query would hold connection and locks forever. */
export async function checkTimeouts(sql: Sql): Promise<CheckResult> {
  const { role, settings } = await settingsOf(sql, Object.keys(timeouts));
  const wrong = Object.keys(timeouts).filter((name) => settings[name] === "0");
  const statements = wrong.map((name) => `alter role ${role} set ${name} = '${timeouts[name]}';`);
  return failsBy(
    lacking(role, "time limits", statements),
    "Statements, locks and idle transactions have time limits.",
  );
}

const lacking = (role: string, what: string, statements: string[]) =>
  statements.length > 0 &&
  `The role ${role} lacks ${what}. Run as this role or a superuser, and start the servers again: ${statements.join(" ")}`;

/** Checks log_min_messages: a refused request is an error of its statement, and would be logged. */
export async function checkDatabaseLog(sql: Sql): Promise<CheckResult> {
  const { role, settings } = await settingsOf(sql, ["log_min_messages"]);
  const isQuiet = ["log", "fatal", "panic"].includes(settings.log_min_messages ?? "");
  return advises(
    !isQuiet &&
      `PostgreSQL logs a line for each refused request, some with a row. Run as a superuser: alter role ${role} set log_min_messages = 'log';`,
    "PostgreSQL logs no line per refused request.",
  );
}

async function settingsOf(sql: Sql, names: string[]) {
  const rows = await sql<{ role: string; name: string; setting: string }[]>`
    select quote_ident(current_user) as role, name, setting from pg_settings where name = any (${names}) order by name`;
  return {
    role: rows[0]?.role ?? "",
    settings: Object.fromEntries(rows.map(({ name, setting }) => [name, setting])),
  };
}
