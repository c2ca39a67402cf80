/** Compares a database with this build: `formd.schema_migrations`, and a digest of `sql/` in a comment. */
import type { Sql } from "../db.ts";
import { baselineOf, readNeeded, unrelatedSentence, version } from "./needed.ts";

/**
 * State of a database. `older`, `newer`: its tables, compared with this build. `different`: the tables match,
 * the functions are another build's. `damaged`: one of this build's functions is missing. `absent`: formd has
 * never migrated it. `unrelated`: made by a commit before this baseline, and not upgradable. A start migrates
 * or refuses every state except `current`. A running server continues with `newer` and `different`, since a
 * release keeps the previous one's functions, and with `damaged`, since another server would lack it too.
 */
export interface SchemaState {
  /** `unreadable`: the schema exists, and the role may not read it. */
  state: "current" | "older" | "newer" | "different" | "damaged" | "unrelated" | "absent" | "unreadable";
  /** The problem, and how to fix it. */
  sentence: string;
}

/** Checks whether migrating must not change the database: this build's functions might not fit its tables. */
export const isForeign = (state: SchemaState["state"]) =>
  state === "newer" || state === "unrelated" || state === "unreadable";

/** Versions of the migrations that the database has. */
export async function appliedVersions(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ version: string }[]>`select version from formd.schema_migrations`;
  return new Set(rows.map((row) => row.version));
}

/** Functions in schema formd. */
export async function countFunctions(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from pg_catalog.pg_proc where pronamespace = to_regnamespace('formd')`;
  return row?.count ?? 0;
}

/** Names of this build's functions that the database lacks. Takes a millisecond of PostgreSQL. */
export async function missingFunctions(sql: Sql): Promise<string[]> {
  const { functionNames } = await readNeeded();
  const rows = await sql<{ name: string }[]>`
    select name from unnest(${functionNames}::text[]) as name
    except select proname from pg_catalog.pg_proc where pronamespace = to_regnamespace('formd')
    order by name`;
  return rows.map(({ name }) => name);
}

/**
 * Compares the database with the files of this build. The role needs usage on schema formd and select on
 * formd.schema_migrations, which the application's has.
 *
 * @param findMissing a cached version, for frequent calls
 * @throws the error of postgres.js if the query fails
 */
export async function schemaState(sql: Sql, findMissing = () => missingFunctions(sql)): Promise<SchemaState> {
  const needed = await readNeeded();
  // The catalog is used, as to_regclass would raise for a role without usage on the schema.
  const [found] = await sql<{ readable: boolean; comment: string | null }[]>`
    select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable,
      obj_description(n.oid, 'pg_namespace') as comment
    from pg_catalog.pg_namespace n
    join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'schema_migrations'
    where n.nspname = 'formd'`;
  const is = (state: SchemaState["state"], sentence: string): SchemaState => ({ state, sentence });
  if (!found) return is("absent", "the database has no formd schema: run formd migrate");
  if (!found.readable)
    return is(
      "unreadable",
      "this role may not see formd's tables: run formd migrate, and grant it the role formd_app",
    );
  const applied = await appliedVersions(sql);
  const needs = needed.migrations.map(version);
  if (applied.size > 0 && !applied.has(baselineOf(needed))) return is("unrelated", unrelatedSentence);
  const unknown = [...applied.difference(new Set(needs))].join(", ");
  if (unknown)
    return is(
      "newer",
      `the database is newer than this formd (migration ${unknown}): run the formd that migrated it, or a later one`,
    );
  const missing = needs.filter((each) => !applied.has(each)).length;
  if (missing > 0)
    return is(
      "older",
      `the database is older than this formd (migrations to apply: ${missing}): run formd migrate`,
    );
  if (found.comment !== `functions sha256:${needed.digest}`)
    return is("different", "the database holds other functions than this formd: run formd migrate");
  const lacking = await findMissing();
  if (lacking.length > 0)
    return is("damaged", `the database lacks functions (${lacking.join(", ")}): run formd migrate`);
  return is("current", "the database is what this formd needs");
}
