/**
 * A resource of the API: its arktype shape is the single source. The type of its row in PostgreSQL, the
 * response and the columns to read follow from it. tests/sql/resources.test.ts compares the shapes with the
 * tables.
 */
import postgres, { type Fragment } from "postgres";
import type { Sql } from "../database/db.ts";
import { JsonObject, Timestamp, Uuid } from "./shapes.ts";

/** A member of an arktype object shape, as far as it is used here. */
interface Member {
  allows(value: unknown): boolean;
  internal: { branches: readonly unknown[] };
}

/** An arktype object shape, as far as it is used here. */
interface ObjectShape {
  infer: object;
  props: readonly { key: string | symbol; value: Member }[];
}

type Column<V> = V extends typeof Timestamp.infer ? Date : V;

/** A row as the driver returns it: camel case, instants as Dates. */
export type Row<S extends ObjectShape> = { [K in keyof S["infer"]]: Column<S["infer"][K]> };

/** The members of the resource in a row, in the row's order; other columns are left out. */
export const pick = <S extends ObjectShape>(shape: S, row: Row<S>): Row<S> =>
  Object.fromEntries(
    Object.entries(row).filter(([name]) => shape.props.some(({ key }) => key === name)),
  ) as Row<S>;

/**
 * The names of the resource's columns in PostgreSQL: `id`, then by name, which is the order that responses
 * have.
 */
export const columnNames = ({ props }: ObjectShape): string[] =>
  props
    .map(({ key }) => String(key).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .sort((a, b) => Number(b === "id") - Number(a === "id"));

/**
 * The resource's columns, to select. A fragment of its own: postgres.js otherwise guesses from the words
 * before it what a list is for.
 */
export const columnsOf = (sql: Sql, shape: ObjectShape) => sql`${sql(columnNames(shape))}`;

/** An instant as `Date.toJSON` writes it, as an SQL expression. */
export const instantJson = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * A member of a shape, and how PostgreSQL writes its value: as JSON, or as text that needs quotes and no
 * escapes.
 */
function jsonOfMember(shape: ObjectShape, column: string, expression: string | undefined, prefix: string) {
  const name = postgres.toCamel(column);
  const value = shape.props.find(({ key }) => key === name)?.value;
  const branches = value?.internal.branches ?? [];
  const is = (part: { internal: unknown }) => branches.includes(part.internal);
  const isWord = branches.every((branch) => {
    const { unit } = branch as { unit?: unknown };
    return unit === null || (typeof unit === "string" && /^\w+$/.test(unit));
  });
  const needsQuotes = is(Timestamp) || is(Uuid) || isWord;
  const source = expression ?? (is(Timestamp) ? instantJson(prefix + column) : prefix + column);
  const json = needsQuotes || is(JsonObject) || expression ? source : `to_json(${source})`;
  return { name, json, needsQuotes, isNullable: value?.allows(null) ?? true };
}

/**
 * The resource as text in JSON, made by PostgreSQL from a row with its columns: the server hands it through,
 * which costs half of parsing it and writing it again. `concat` gets values as they are (20 submissions: 245
 * µs instead of 300): a cast to text would copy each, and json_build_object looks up the type of each.
 *
 * @param options.prefix what the columns' names begin with
 * @param options.computed members that are not the column of their name, as SQL expressions: JSON, except of
 * a UUID
 */
export function jsonOf(
  sql: Sql,
  shape: ObjectShape,
  { prefix = "", computed = {} }: { prefix?: string; computed?: Record<string, string> } = {},
): Fragment {
  let literal = "{";
  const parts: string[] = [];
  for (const column of columnNames(shape)) {
    const { name, json, needsQuotes, isNullable } = jsonOfMember(
      shape,
      column,
      computed[postgres.toCamel(column)],
      prefix,
    );
    const quote = needsQuotes && !isNullable ? '"' : "";
    const text = isNullable
      ? `coalesce(${needsQuotes ? `'"' || ${json} || '"'` : `${json}::text`}, 'null')`
      : json;
    parts.push(`'${literal}"${name}":${quote}'`, text);
    literal = `${quote},`;
  }
  return sql.unsafe(`concat(${parts.join(", ")}, '${literal.slice(0, -1)}}')`);
}
