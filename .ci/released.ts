/**
 * Functions and columns that the servers of a release use. An upgrade must keep them while such servers run.
 * `bun run release` writes them to db/released.txt once the version is tagged, and the tests compare today's
 * functions and columns with that file. Functions of sql/997_previous.sql are left out: they exist for
 * servers of the previous release, and 998_retired.sql may drop them in the next one.
 *
 * `.ci/migrated bun .ci/released.ts VERSION` prints the file.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type Sql } from "../src/platform/database/db.ts";

const root = join(import.meta.dir, "..");
export const releasedFile = join(root, "db/released.txt");

/** A function, with names and types of its arguments and of its result's columns. */
interface Called {
  name: string;
  arguments: string[];
  results: string[];
  /** The last arguments that a call may leave out. */
  optional: number;
}

interface Catalog {
  functions: Called[];
  /** `table.column type` of what the server may select. */
  columns: string[];
}

/** Reads the functions that the group formd_app may call now, and the columns that it may select. */
export async function catalogOf(sql: Pick<Sql, "unsafe">): Promise<Catalog> {
  const functions = await sql.unsafe<(Called & { [column: string]: unknown })[]>(`
    select p.proname as name, p.pronargdefaults::int as optional,
      array(select p.proargnames[i] || ' ' || format_type(p.proargtypes[i - 1], null)
        from generate_series(1, p.pronargs) i order by i) as arguments,
      case
        when p.proallargtypes is not null then array(
          select p.proargnames[i] || ' ' || format_type(p.proallargtypes[i], null)
          from generate_series(1, cardinality(p.proallargtypes)) i where p.proargmodes[i] <> 'i' order by i)
        when t.typtype = 'c' then array(
          select a.attname || ' ' || format_type(a.atttypid, null) from pg_attribute a
          where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped order by a.attnum)
        else array[format_type(t.oid, null)] end as results
    from pg_proc p join pg_type t on t.oid = p.prorettype
    where p.pronamespace = 'formd'::regnamespace and has_function_privilege('formd_app', p.oid, 'execute')
    order by p.proname`);
  const columns = await sql.unsafe<{ line: string }[]>(`
    select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p', 'v')
      and has_column_privilege('formd_app', c.oid, a.attnum, 'select')
    order by 1`);
  return { functions: [...functions], columns: columns.map(({ line }) => line) };
}

/** The text of db/released.txt: a line per function and per column. */
export function snapshotOf(version: string, { functions, columns }: Catalog, previous: string[]): string {
  const lines = [
    `# What servers of ${version} call. Written by bun run release.`,
    ...functions
      .filter(({ name }) => !previous.includes(name))
      .map((each) => `function ${each.name}(${each.arguments.join(", ")}) -> ${each.results.join(", ")}`),
    ...columns.map((column) => `column ${column}`),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Compares the snapshot of a release with today's catalog. A function may have got arguments that can be left
 * out, and more columns in its result.
 *
 * @returns the lines of the snapshot that hold no longer
 */
export function missing(snapshot: string, { functions, columns }: Catalog): string[] {
  const has = (line: string): boolean => {
    const [, name, given = "", results = ""] = /^function (\w+)\((.*)\) -> (.*)$/.exec(line) ?? [];
    if (name === undefined) return columns.includes(line.replace(/^column /, ""));
    const names = given === "" ? [] : given.split(", ");
    return functions.some(
      (each) =>
        each.name === name &&
        names.every((argument) => each.arguments.includes(argument)) &&
        each.arguments
          .slice(0, each.arguments.length - each.optional)
          .every((argument) => names.includes(argument)) &&
        results.split(", ").every((column) => each.results.includes(column)),
    );
  };
  return snapshot.split("\n").filter((line) => /^(?:function|column) /.test(line) && !has(line));
}

/** Names of the functions that only servers of the previous release call. */
function previousFunctions(): string[] {
  const path = join(root, "sql/997_previous.sql");
  if (!existsSync(path)) return [];
  return [...readFileSync(path, "utf8").matchAll(/^create or replace function formd\.(\w+)/gm)].map(
    ([, name = ""]) => name,
  );
}

if (import.meta.main) {
  const sql = connect(process.env.FORMD_CI_DATABASE ?? "", { poolSize: 1, prepare: false });
  process.stdout.write(snapshotOf(process.argv[2] ?? "", await catalogOf(sql), previousFunctions()));
  await sql.end();
}
