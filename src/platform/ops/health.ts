/**
 * Probes: `/healthz` (alive), `/readyz` (database usable, clock right, server not about to stop). The
 * previous release stays ready after a migration: `schema` in the response shows it.
 */
import { Elysia } from "elysia";
import { Problem } from "../../problem.ts";
import { missingFunctions, type SchemaState, schemaState } from "../database/migrations/state.ts";
import type { Deps } from "../deps.ts";
import { success } from "../http/envelope.ts";
import { once } from "../once.ts";
import { clockLimits } from "./feed.ts";

/** Schema states that this build cannot serve. Functions of another release and newer tables are accepted. */
const unusable: ReadonlySet<SchemaState["state"]> = new Set(["absent", "unreadable", "older", "unrelated"]);

/** Cache time of the functions' list: /readyz is public, and this query is most of its cost. */
const functionsKnownMs = 5_000;

export function healthRoutes({ sql, feed, isDraining }: Deps) {
  const findMissing = once(() => missingFunctions(sql), functionsKnownMs);
  return new Elysia({ name: "health" })
    .get("/healthz", () => success({ status: "alive" }))
    .get("/readyz", async () => {
      if (isDraining()) throw new Problem("unavailable", "The server is about to stop.");
      // The log has the difference.
      if (Math.abs(feed.clockAheadMs() ?? 0) > clockLimits.readyMs)
        throw new Problem("unavailable", "The server is not ready.");
      const { state, sentence } = await schemaState(sql, findMissing);
      if (unusable.has(state)) {
        const headers = { "retry-after": "5" };
        throw new Problem("unavailable", { message: sentence, extras: { schema: state }, headers });
      }
      return success({ status: "ready", schema: state });
    });
}
