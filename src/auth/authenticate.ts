/**
 * Authentication of the callers of the management and identity routes, in the statement that reads or writes for the caller, so that a
 * request is one round trip.
 */
import type { Fragment, PendingQuery } from "postgres";
import { isTimeout, isUnavailable, oneRow, textOf } from "../db.ts";
import type { Deps } from "../deps.ts";
import { RequestBody } from "../http/body.ts";
import { requireRateLimit } from "../http/rate-limits.ts";
import { contextOf, isRead } from "../http/request-context.ts";
import { type Actor, toSql } from "./actor.ts";
import { countCaller, requireFewUnknown } from "./unknown-callers.ts";
import { takeTurn } from "./write-turns.ts";

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
  type: "api_key" | "operator";
  /** The team that it names; the team has it when the outcome is `allowed`. */
  team: string;
  /** Of its secret. */
  hash: Uint8Array;
  /** The SQL function that checks it, as an item of `from`: one row, a {@link Caller} named `caller`. */
  call: Fragment;
  /** @throws {Problem} when the request itself must not act for a caller that is allowed to. */
  requireSafe(): void;
  /** @throws {Problem} of any outcome but `allowed`. */
  requireAllowed(caller: Caller): void;
}

/** Who a query is made for. */
export interface QueryCaller {
  team: string;
  /** A `formd.actor`, as an expression. */
  actor: Fragment;
  /** The operator's id as an expression; null for any other actor. */
  operator: Fragment;
}

/** Runs queries for the caller of a request. */
export interface CallerActing extends Acting<QueryCaller & { bytes: Uint8Array }> {
  /**
   * For a function that authenticates as well, such as one that requests of several callers share.
   *
   * @param call calls the function for a request that only reads
   * @returns the row of a caller that is allowed
   */
  share<Row extends Caller>(call: (credential: Credential) => Promise<Row>): Promise<Row>;
}

/** Runs queries for a caller. Both throw what `toQuery` and the query throw. */
export interface Acting<C = QueryCaller> {
  /** @returns the column of a query with one column and one row, or none, as text; null: no row */
  run(toQuery: (caller: C) => Fragment): Promise<string | null>;
  /** @returns the row of a query that only reads, and always returns one row */
  read<Row extends object>(toQuery: (caller: C) => Fragment): Promise<Row>;
}

/** {@link Acting} for an actor that is known. */
export function actingAs(sql: Deps["sql"], team: string, actor: Actor): Acting {
  const operator = actor.type === "operator" ? sql`${actor.id}::uuid` : sql`null`;
  const caller = { team, actor: toSql(sql, actor), operator };
  return {
    run: (toQuery) => textOf(sql, toQuery(caller)),
    read: async <Row extends object>(toQuery: (caller: QueryCaller) => Fragment) =>
      oneRow(await sql<Row[]>`${toQuery(caller)}`) as Row,
  };
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
async function authenticate({ sql }: Deps, request: Request, credential: Credential): Promise<Caller> {
  const caller = oneRow(await sql<Caller[]>`select * from ${credential.call}`);
  requireAllowed(request, credential, caller);
  return caller;
}

function requireAllowed(request: Request, credential: Credential, caller: Caller): void {
  countCaller(request, credential.hash, caller.outcome !== "unauthorized");
  credential.requireAllowed(caller);
}

/**
 * {@link Acting} for the caller of a request. One round trip, in one statement and transaction. A body that declares more than 16 KiB takes a
 * round trip before it is read: a caller without a credential sends it in vain.
 *
 * What `toQuery` throws is thrown once the caller is authenticated. A write that fails is counted all the same.
 *
 * @throws {Problem} `payload_too_large`; `rate_limited` after too many unknown credentials from this client IP; those of
 *   {@link Credential.requireAllowed}, of `toQuery` and of the query, in this order
 */
export function actingAsCaller(deps: Deps, request: Request, toCredential: () => Credential): CallerActing {
  const { sql } = deps;
  type ToQuery = (caller: QueryCaller & { bytes: Uint8Array }) => Fragment;
  const { requestId } = contextOf(request);

  async function readCredential() {
    const body = new RequestBody(request, deps.config.MAX_BODY_BYTES);
    const credential = toCredential();
    requireFewUnknown(deps, request, credential.hash);
    await body.readSmall();
    return { body, credential };
  }

  /** @param toStatement makes the statement: the columns of {@link Caller} and those of the query, if the caller is allowed */
  async function authenticateAnd<Row extends object>(
    toQuery: ToQuery,
    toStatement: (query: Fragment, credential: Credential) => PendingQuery<(Caller & Row)[]>,
    whenLarge: (acting: Acting, toQuery: (caller: QueryCaller) => Fragment) => Promise<Row>,
  ): Promise<Row> {
    const { body, credential } = await readCredential();
    const inTurn = <T>(perform: () => Promise<T>): Promise<T> =>
      isRead(request) ? perform() : takeTurn(credential.hash, perform);
    if (!body.isLarge) {
      const bytes = await body.read();
      return await inTurn(() => performAs(credential, bytes, toQuery, toStatement));
    }
    const { team, type } = credential;
    const { callerId } = await inTurn(() => authenticate(deps, request, credential));
    const bytes = await body.read();
    const acting = actingAs(sql, team, { type, id: callerId, requestId });
    return await inTurn(() => whenLarge(acting, (caller) => toQuery({ ...caller, bytes })));
  }

  async function performAs<Row extends object>(
    credential: Credential,
    bytes: Uint8Array,
    toQuery: ToQuery,
    toStatement: (query: Fragment, credential: Credential) => PendingQuery<(Caller & Row)[]>,
  ): Promise<Row> {
    const { team, type } = credential;
    let rows: (Caller & Row)[];
    try {
      credential.requireSafe();
      // Most queries have neither.
      const caller = {
        team,
        bytes,
        get actor() {
          return sql`row(${type}, caller.caller_id, ${requestId})::formd.actor`;
        },
        get operator() {
          return type === "operator" ? sql`caller.caller_id` : sql`null`;
        },
      };
      rows = await toStatement(toQuery(caller), credential);
    } catch (error) {
      // Nothing is left of the authentication: the time of use and the count of a write were undone, if the statement ran at all.
      if (!isUnavailable(error) || isTimeout(error)) await authenticate(deps, request, credential);
      throw error;
    }
    const row = oneRow(rows);
    requireAllowed(request, credential, row);
    return row;
  }

  return {
    /** `case` evaluates the query only for a caller that is allowed (PostgreSQL documentation, "Expression Evaluation Rules"). */
    run: async (toQuery) => {
      const { result } = await authenticateAnd<{ result: string | null }>(
        toQuery,
        (query, { call }) =>
          sql`select caller.*, case when caller.outcome = 'allowed' then (${query})::text end as result from ${call}`,
        async (acting, toQuery) => ({ result: await acting.run(toQuery) }),
      );
      return result;
    },
    /** `offset 0` keeps the subquery apart, so that its condition is evaluated before the query, which would otherwise run in vain. */
    read: (toQuery) =>
      authenticateAnd(
        toQuery,
        (query, { call }) => sql`
          select * from ${call} left join lateral (select * from (${query}) as query where caller.outcome = 'allowed' offset 0) as query on true`,
        (acting, toQuery) => acting.read(toQuery),
      ),
    share: async (call) => {
      const { body, credential } = await readCredential();
      const row = await call(credential);
      requireAllowed(request, credential, row);
      await body.read();
      return row;
    },
  };
}
