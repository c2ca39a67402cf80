/**
 * A resource of the API: its arktype shape is the single source. The type of its row in PostgreSQL, the response and the columns to
 * read follow from it. tests/sql/resources.test.ts compares the shapes with the tables.
 */
import type { Sql } from "../db.ts";
import type { Timestamp } from "./shapes.ts";

/** An arktype object shape, as far as it is used here. */
interface ObjectShape {
  infer: object;
  props: readonly { key: string | symbol }[];
}

type Column<V> = V extends typeof Timestamp.infer ? Date : V;

/** A row as the driver returns it: camel case, instants as Dates. */
export type Row<S extends ObjectShape> = { [K in keyof S["infer"]]: Column<S["infer"][K]> };

/** The members of the resource in a row, in the row's order; other columns are left out. */
export const pick = <S extends ObjectShape>(shape: S, row: Row<S>): Row<S> =>
  Object.fromEntries(
    Object.entries(row).filter(([name]) => shape.props.some(({ key }) => key === name)),
  ) as Row<S>;

/** The names of the resource's columns in PostgreSQL: `id`, then by name, which is the order that responses have. */
export const columnNames = ({ props }: ObjectShape): string[] =>
  props
    .map(({ key }) => String(key).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .sort((a, b) => Number(b === "id") - Number(a === "id"));

/** The resource's columns, to select. A fragment of its own: postgres.js otherwise guesses from the words before it what a list is for. */
export const columnsOf = (sql: Sql, shape: ObjectShape) => sql`${sql(columnNames(shape))}`;
