/**
 * A resource of the API, defined by its arktype shape. The type of its row in PostgreSQL, the response and
 * the columns to read are derived from it. tests/sql/resources.test.ts compares the shapes with the tables.
 */
import postgres, { type Fragment } from "postgres";
import type { Sql } from "../database/db.ts";
import { JsonObject, Timestamp, Uuid } from "./shapes.ts";

/** The used part of an arktype object shape. */
interface ObjectShape {
  infer: object;
  props: readonly {
    key: string | symbol;
    value: { allows(value: unknown): boolean; internal: { branches: readonly unknown[] } };
  }[];
}

type Column<V> = V extends typeof Timestamp.infer ? Date : V;

/** A row as the driver returns it: camel case, instants as Dates. */
export type Row<S extends ObjectShape> = { [K in keyof S["infer"]]: Column<S["infer"][K]> };

/** Picks the members of the resource from a row, in the row's order. */
export const pick = <S extends ObjectShape>(shape: S, row: Row<S>): Row<S> =>
  Object.fromEntries(
    Object.entries(row).filter(([name]) => shape.props.some(({ key }) => key === name)),
  ) as Row<S>;

/** Names of the resource's columns in PostgreSQL: `id`, then alphabetically. Responses have this order. */
export const columnNames = ({ props }: ObjectShape): string[] =>
  props
    .map(({ key }) => String(key).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .sort((a, b) => Number(b === "id") - Number(a === "id"));

/** The resource's columns for `select`, as a fragment: postgres.js guesses by the words before a list. */
export const columnsOf = (sql: Sql, shape: ObjectShape) => sql`${sql(columnNames(shape))}`;

/** An instant as `Date.toJSON` writes it, as an SQL expression. */
export const instantJson = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A member with the format that PostgreSQL writes: JSON, or text that needs quotes and no escapes. */
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

interface JsonOptions {
  prefix?: string;
  computed?: Record<string, string>;
}

/**
 * The resource as JSON text, made by PostgreSQL from a row with its columns. The server passes it on, which
 * costs half of parsing and writing it again. `concat` gets uncast values (20 submissions: 245 µs instead of
 * 300): a cast to text would copy each, and json_build_object looks up the type of each.
 *
 * The expression is a constant of a module, since walking the shape of a submission takes 30 µs.
 *
 * @param options.prefix prefix of the columns' names
 * @param options.computed members that are computed by SQL expressions instead of the column of that name.
 * They return JSON, or a UUID
 * @returns the expression, made at the first call
 */
export function jsonOf(shape: ObjectShape, options: JsonOptions = {}): (sql: Sql) => Fragment {
  let text: string | undefined;
  return (sql) => {
    text ??= jsonExpression(shape, options);
    return sql.unsafe(text);
  };
}

function jsonExpression(shape: ObjectShape, { prefix = "", computed = {} }: JsonOptions): string {
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
  return `concat(${parts.join(", ")}, '${literal.slice(0, -1)}}')`;
}
