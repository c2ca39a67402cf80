/** Authenticates a caller in the statement that reads or writes for it: a request is one round trip. */
import type { Fragment, PendingQuery } from "postgres";
import { isUnavailable } from "../../problem.ts";
import type { CallerQueries, SqlCaller } from "../database/caller-queries.ts";
import { isTimeout, oneRow, queryText } from "../database/db.ts";
import type { Deps } from "../deps.ts";
import { RequestBody } from "../http/body.ts";
import { requireRateLimit } from "../http/rate-limits.ts";
import { isRead } from "../http/request-context.ts";
import { type Actor, actorOf, recordedRequestId, toSql } from "./actor.ts";
import { limitUnknownCallers, recordLookup } from "./unknown-callers.ts";
import { takeTurn } from "./write-turns.ts";

/** Result of a SQL function that authenticates a caller and counts its writes. */
export interface Authentication {
  outcome: string;
  remaining: number;
  resetMs: number;
}

/** A caller of the management or identity routes. */
export interface Caller extends Authentication {
  /** Id of the API key or the operator. */
  callerId: string;
}

/** A caller's credential. */
export interface Credential {
  type: "api_key" | "operator";
  /** The team that it names. It belongs to that team if the outcome is `allowed`. */
  team: string;
  /** The hash of its secret. */
  hash: Uint8Array;
  /** The SQL function that checks it, as an item of `from`: one row, a {@link Caller} named `caller`. */
  call: Fragment;
  /** @throws {Problem} if another site may have forged the request, even for an allowed caller */
  requireSafe(): void;
  /** @throws {Problem} for every outcome except `allowed`. */
  requireAllowed(caller: Caller): void;
}

/** {@link CallerQueries} for an actor that is known. */
export function queriesFor(sql: Deps["sql"], team: string, actor: Actor): CallerQueries {
  const operator = actor.type === "operator" ? sql`${actor.id}::uuid` : sql`null`;
  const caller = { team, actor: toSql(sql, actor), operator };
  return {
    run: (toQuery) => queryText(sql, toQuery(caller)),
    read: async <Row extends object>(toQuery: (caller: SqlCaller) => Fragment) =>
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

/** Authenticates in a separate round trip. @throws {Problem} as {@link Credential.requireAllowed}. */
async function authenticate({ sql }: Deps, request: Request, credential: Credential): Promise<Caller> {
  const caller = oneRow(await sql<Caller[]>`select * from ${credential.call}`);
  requireAllowed(request, credential, caller);
  return caller;
}

function requireAllowed(request: Request, credential: Credential, caller: Caller): void {
  recordLookup(request, credential.hash, caller.outcome !== "unauthorized");
  credential.requireAllowed(caller);
}

/** The caller of a request, with the body that it sent. */
type RequestCaller = SqlCaller & { bytes: Uint8Array };
type ToQuery = (caller: RequestCaller) => Fragment;
/** Makes the statement: columns of {@link Caller}, and the query's if the caller is allowed. */
type ToStatement<Row> = (query: Fragment, credential: Credential) => PendingQuery<(Caller & Row)[]>;

/** Reads credential and body, before the look-up. @throws {Problem} `payload_too_large`, `rate_limited` */
async function readRequest(
  deps: Deps,
  request: Request,
  toCredential: () => Credential,
  maxBytes = deps.config.MAX_BODY_BYTES,
) {
  const body = new RequestBody(request, maxBytes);
  const credential = toCredential();
  limitUnknownCallers(deps, request, credential.hash);
  await body.readSmall();
  return { body, credential };
}

/**
 * Authenticates the caller in a function that also does other work, such as one that several requests share.
 * @param call calls the function for a request that only reads
 * @returns the row of a caller that is allowed
 * @throws {Problem} as {@link withCredential}
 */
export async function authenticateIn<Row extends Caller>(
  deps: Deps,
  request: Request,
  toCredential: () => Credential,
  call: (credential: Credential) => Promise<Row>,
): Promise<Row> {
  const { body, credential } = await readRequest(deps, request, toCredential);
  const row = await call(credential);
  requireAllowed(request, credential, row);
  await body.read();
  return row;
}

/**
 * {@link CallerQueries} for the caller of a request: one round trip, in one statement and transaction. A body
 * that declares more than 16 KiB is read after another round trip, for a caller with a valid credential.
 * Errors of `toQuery` are thrown once the caller is authenticated. A write that fails is counted too.
 *
 * @param maxBytes of the body; `MAX_BODY_BYTES` unless it is given
 * @throws {Problem} `payload_too_large`; `rate_limited` after too many unknown credentials; the problems of
 * {@link Credential.requireAllowed}, of `toQuery` and of the query, in this order
 */
export function withCredential(
  deps: Deps,
  request: Request,
  toCredential: () => Credential,
  maxBytes?: number,
): CallerQueries<RequestCaller> {
  const { sql } = deps;

  async function authenticateAnd<Row extends object>(
    toQuery: ToQuery,
    toStatement: ToStatement<Row>,
    whenLarge: (queries: CallerQueries, toQuery: (caller: SqlCaller) => Fragment) => Promise<Row>,
  ): Promise<Row> {
    const { body, credential } = await readRequest(deps, request, toCredential, maxBytes);
    const inTurn = <T>(perform: () => Promise<T>): Promise<T> =>
      isRead(request) ? perform() : takeTurn(credential.hash, perform);
    if (!body.isLarge) {
      const bytes = await body.read();
      return await inTurn(() => authenticateWithin(deps, request, credential, bytes, toQuery, toStatement));
    }
    const { team, type } = credential;
    const { callerId } = await inTurn(() => authenticate(deps, request, credential));
    const bytes = await body.read();
    const queries = queriesFor(sql, team, actorOf(request, type, callerId));
    return await inTurn(() => whenLarge(queries, (caller) => toQuery({ ...caller, bytes })));
  }

  return {
    /** `case` evaluates the query for an allowed caller only ("Expression Evaluation Rules"). */
    run: async (toQuery) => {
      const { result } = await authenticateAnd<{ result: string | null }>(
        toQuery,
        (query, { call }) =>
          sql`select caller.*, case when caller.outcome = 'allowed' then (${query})::text end as result from ${call}`,
        async (queries, toQuery) => ({ result: await queries.run(toQuery) }),
      );
      return result;
    },
    /** `offset 0` keeps the subquery apart, so that its condition is evaluated before the query. */
    read: (toQuery) =>
      authenticateAnd(
        toQuery,
        (query, { call }) => sql`
          select * from ${call} left join lateral (select * from (${query}) as query where caller.outcome = 'allowed' offset 0) as query on true`,
        (queries, toQuery) => queries.read(toQuery),
      ),
  };
}

/** Authenticates in the statement that reads or writes. @returns the row of an allowed caller */
async function authenticateWithin<Row extends object>(
  deps: Deps,
  request: Request,
  credential: Credential,
  bytes: Uint8Array,
  toQuery: ToQuery,
  toStatement: ToStatement<Row>,
): Promise<Row> {
  const { sql } = deps;
  const { team, type } = credential;
  const requestId = recordedRequestId(request);
  let rows: (Caller & Row)[];
  try {
    credential.requireSafe();
    // Most queries use neither.
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
    // Nothing is left of the authentication: the count of a write was undone, if the statement ran at all.
    if (!isUnavailable(error) || isTimeout(error)) await authenticate(deps, request, credential);
    throw error;
  }
  const row = oneRow(rows);
  requireAllowed(request, credential, row);
  return row;
}
