import type { Fragment } from "postgres";

/** A caller, as SQL expressions for the queries. */
export interface SqlCaller {
  team: string;
  /** A `formd.actor`, as an expression. */
  actor: Fragment;
  /** The operator's id as an expression; null for any other actor. */
  operator: Fragment;
}

/** Runs queries for a caller. Both methods throw the errors of `toQuery` and of the query. */
export interface CallerQueries<C = SqlCaller> {
  /** @returns the value of a query with one column and at most one row, as text; null: no row */
  run(toQuery: (caller: C) => Fragment): Promise<string | null>;
  /** @returns the row of a query that only reads, and always returns one row */
  read<Row extends object>(toQuery: (caller: C) => Fragment): Promise<Row>;
}
