import type { Fragment } from "postgres";

/** A caller, as the queries that are made for it name it. */
export interface SqlCaller {
  team: string;
  /** A `formd.actor`, as an expression. */
  actor: Fragment;
  /** The operator's id as an expression; null for any other actor. */
  operator: Fragment;
}

/** Runs queries for a caller. Both throw what `toQuery` and the query throw. */
export interface CallerQueries<C = SqlCaller> {
  /** @returns the column of a query with one column and one row, or none, as text; null: no row */
  run(toQuery: (caller: C) => Fragment): Promise<string | null>;
  /** @returns the row of a query that only reads, and always returns one row */
  read<Row extends object>(toQuery: (caller: C) => Fragment): Promise<Row>;
}
