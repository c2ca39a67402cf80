/** The actor of a change. Every function that changes something takes one, and the audit names it. */
import type { Sql } from "../database/db.ts";
import { contextOf } from "../http/request-context.ts";

export const actorTypes = [
  "operator",
  "api_key",
  "agent",
  "anonymous",
  "cli",
  "system",
  "retention",
  "respondent",
] as const;

/** `formd.actor`. */
export interface Actor {
  type: (typeof actorTypes)[number];
  /** Id of the operator, API key or agent. */
  id: string | null;
  /** Text of {@link recordedRequestId}; null: of a command. */
  requestId: string | null;
}

/** A person at a terminal. */
export const cliActor: Actor = { type: "cli", id: null, requestId: null };

/** The ids of a request as the audit keeps them: ours, then after a space the client's. */
export function recordedRequestId(request: Request): string {
  const { requestId, clientRequestId } = contextOf(request);
  return clientRequestId === undefined ? requestId : `${requestId} ${clientRequestId}`;
}

/** Both ids as members of JSON, by SQL expressions over the column of the audit. */
export const requestIdJson = (column = "request_id") => ({
  requestId: `to_json(split_part(${column}, ' ', 1))`,
  clientRequestId: `to_json(nullif(split_part(${column}, ' ', 2), ''))`,
});

/** Both ids of an entry of the audit. */
export function requestIdsIn(recorded: string | null) {
  const [requestId = null, clientRequestId = null] = recorded?.split(" ") ?? [];
  return { requestId, clientRequestId };
}

/** The actor of a request. */
export const actorOf = (request: Request, type: Actor["type"], id: string | null): Actor => ({
  type,
  id,
  requestId: recordedRequestId(request),
});

/** An actor as a parameter of a query. */
export const toSql = (sql: Sql, { type, id, requestId }: Actor) =>
  sql`row(${type}, ${id}, ${requestId})::formd.actor`;
