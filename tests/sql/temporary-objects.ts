/**
 * The attack that `set search_path = pg_catalog, pg_temp` is against: a role that may make temporary objects
 * gives them the names of types and tables that a function of the owner uses. PostgreSQL searches a temporary
 * schema first, unless the path lists it.
 */
import type { TransactionSql } from "postgres";
import { connect } from "../../src/platform/database/db.ts";
import type { Database } from "../setup.ts";

/**
 * A value for each type of an argument, so that a function gets as far as it can. Of others: 1, or an empty
 * array.
 */
const values: Record<string, string> = {
  uuid: "00000000-0000-7000-8000-000000000000",
  jsonb: "[{}]",
  text: "x",
  bytea: "\\x00",
  bool: "true",
  interval: "1 minute",
  timestamptz: "2026-11-21 00:00:00Z",
};

/**
 * The functions that the server's login may execute and that run its temporary objects with the owner's
 * rights.
 */
export async function functionsThatRunTemporaryObjects({ url, sql: admin }: Database): Promise<string[]> {
  await admin.unsafe(
    "do $$ begin execute format('grant temporary on database %I to formd', current_database()); end $$",
  );
  const tables = await admin<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'formd'::regnamespace and relkind = 'r'`;
  const functions = await admin<{ name: string; types: string[] }[]>`
    select proname as name,
      array(select typname::text from unnest(proargtypes) with ordinality as a (oid, position) join pg_type using (oid) order by position) as types
    from pg_proc where pronamespace = 'formd'::regnamespace and has_function_privilege('formd', oid, 'execute') order by proname`;
  const calls = functions.flatMap(({ name, types }) => {
    const nulls = types.map((type) => `null::pg_catalog.${type}`);
    const filled = types.map(
      (type) => `'${values[type] ?? (type.startsWith("_") ? "{}" : 1)}'::pg_catalog.${type}`,
    );
    return [nulls, filled].map((list) => ({ name, text: `select * from formd.${name}(${list.join(", ")})` }));
  });

  const found = new Set<string>();
  const undo = new Error("undo");
  const sql = connect(url, { poolSize: 1, prepare: false });
  try {
    await sql.begin(async (attacker) => {
      await plant(
        attacker,
        tables.map(({ name }) => name),
      );
      for (const { name, text } of calls) {
        const error = await attacker
          .savepoint((inner) => inner.unsafe(text))
          .then(
            () => undefined,
            (error: Error) => error,
          );
        if (error?.message === "runs as another") found.add(name);
      }
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  } finally {
    await sql.end();
  }
  return [...found];
}

/**
 * A domain for each built-in type and a view for each table, which fail when they are used with another's
 * rights.
 */
async function plant(sql: TransactionSql, tables: string[]): Promise<void> {
  await sql.unsafe(`
    create function pg_temp.is_mine(anyelement) returns boolean language plpgsql as $$ begin
      if current_user <> session_user then raise exception 'runs as another'; end if;
      return true;
    end $$`);
  for (const type of [...Object.keys(values), "int2", "int4", "int8", "numeric", "bit"])
    await sql.unsafe(`create domain pg_temp.${type} as pg_catalog.${type} check (pg_temp.is_mine(value))`);
  for (const name of tables)
    await sql.unsafe(`create view pg_temp.${name} as select pg_temp.is_mine(1::pg_catalog.int4)`);
}
