/**
 * What a database has, beside what this build needs: `formd.schema_migrations`, and a digest of `sql/` in the
 * schema's comment.
 */
import type { Sql } from "../db.ts";
import { baselineOf, readNeeded, unrelatedSentence, version } from "./needed.ts";

/**
 * `older`, `newer`: its tables, than this build needs. `different`: the tables are right, the functions are
 * another build's. `damaged`: one of this build's functions is missing. `absent`: no formd has migrated it.
 * Before a start all but `current` must be migrated or refused; a server that runs already works on with
 * `newer` and `different`, since a release keeps what servers of the release before it call, and with
 * `damaged`, since another server would lack the function too. `unrelated`: of a commit before this baseline,
 * which nothing upgrades.
 */
export interface SchemaState {
  /** `unreadable`: there is one, and the role may not see it. */
  state: "current" | "older" | "newer" | "different" | "damaged" | "unrelated" | "absent" | "unreadable";
  /** What is wrong and what to do. */
  sentence: string;
}

/** Whether migrating must leave the database alone: the functions of this build might not fit its tables. */
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

/** Names of this build's functions that the database lacks: a millisecond of PostgreSQL's time. */
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
 * @param findMissing for a caller that asks often
 * @throws what postgres.js throws when the query fails
 */
export async function schemaState(sql: Sql, findMissing = () => missingFunctions(sql)): Promise<SchemaState> {
  const needed = await readNeeded();
  // From the catalog: to_regclass would raise for a role without usage on the schema.
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
