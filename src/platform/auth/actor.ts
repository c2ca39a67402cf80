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
] as const;

/** `formd.actor`. */
export interface Actor {
  type: (typeof actorTypes)[number];
  /** Id of the operator, API key or agent. */
  id: string | null;
  requestId: string | null;
}

/** A person at a terminal. */
export const cliActor: Actor = { type: "cli", id: null, requestId: null };

/** The actor of a request. */
export const actorOf = (request: Request, type: Actor["type"], id: string | null): Actor => ({
  type,
  id,
  requestId: contextOf(request).requestId,
});

/** An actor as a parameter of a query. */
export const toSql = (sql: Sql, { type, id, requestId }: Actor) =>
  sql`row(${type}, ${id}, ${requestId})::formd.actor`;
