/**
 * Authentication of the callers of the management and identity routes: alone, or in the statement that reads for the caller, so that a
 * request is one round trip.
 */
import type { Fragment } from "postgres";
import { isUnavailable, oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { requireRateLimit } from "../http/rate-limits.ts";
import { isRead } from "../http/request-context.ts";

/** What a SQL function returns that authenticates a caller and counts its writes. */
export interface Authentication {
  outcome: string;
  remaining: number;
  resetMs: number;
}

/** A caller of the management or identity routes. */
export interface Caller extends Authentication {
  /** Of the API key or the operator. */
  callerId: string;
}

/** A caller's credential. */
export interface Credential {
  /** The team that it names; the team has it when the outcome is `allowed`. */
  team: string;
  /** The SQL function that checks it, as an item of `from`: one row, a {@link Caller} named `caller`. */
  call: Fragment;
  /** @throws {Problem} of any outcome but `allowed`. */
  requireAllowed(caller: Caller): void;
}

/** The limit on writes to count a request in; null: it only reads. */
export const writeLimit = ({ config }: Deps, request: Request): number | null =>
  isRead(request) ? null : config.RATE_LIMIT_MANAGEMENT_PER_MINUTE;

/** Ends a request over the limit on writes. @throws {Problem} `rate_limited`. */
export function requireWriteLimit(
  deps: Deps,
  request: Request,
  { outcome, remaining, resetMs }: Authentication,
) {
  const maxRequests = writeLimit(deps, request);
  if (maxRequests !== null)
    requireRateLimit(request, outcome, { limitName: "caller", maxRequests, remaining, resetMs });
}

/** Authenticates the caller, in a round trip of its own. @throws {Problem} those of {@link Credential.requireAllowed}. */
export async function authenticate({ sql }: Deps, credential: Credential): Promise<Caller> {
  const caller = oneRow(await sql<Caller[]>`select * from ${credential.call}`);
  credential.requireAllowed(caller);
  return caller;
}

/**
 * Authenticates the caller and, if it is allowed, runs a query for it, in one statement. `case` evaluates the query then only (PostgreSQL
 * documentation, "Expression Evaluation Rules").
 *
 * @param toQuery makes the query: one row with one column, or none. In it `caller` is the caller's row.
 *   What it throws is thrown once the caller is authenticated.
 * @returns the column as text; null: no row
 * @throws {Problem} those of {@link Credential.requireAllowed}, of `toQuery` and of the query, in this order
 */
export async function queryAs(
  deps: Deps,
  credential: Credential,
  toQuery: () => Fragment,
): Promise<string | null> {
  const { sql } = deps;
  let caller: Caller & { result: string | null };
  try {
    [caller] = await sql<[Caller & { result: string | null }]>`
      select caller.*, case when caller.outcome = 'allowed' then (${toQuery()})::text end as result from ${credential.call}`;
  } catch (error) {
    // Nothing is left of the authentication: the time of use and the count of a write were undone, if the statement ran at all.
    if (!isUnavailable(error)) await authenticate(deps, credential);
    throw error;
  }
  credential.requireAllowed(caller);
  return caller.result;
}
