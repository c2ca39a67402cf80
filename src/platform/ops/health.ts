/**
 * Probes: `/healthz` (alive) and `/readyz` (database reachable and migrated to what this build needs, server
 * not about to stop). A server of the previous release stays ready after the next one has migrated, as long
 * as it runs: `schema` in the response shows it.
 */
import { Elysia } from "elysia";
import { Problem } from "../../problem.ts";
import { missingFunctions, type SchemaState, schemaState } from "../database/migrations/state.ts";
import type { Deps } from "../deps.ts";
import { success } from "../http/envelope.ts";

/** Schema states that this build cannot serve. Functions of another release and newer tables are accepted. */
const unusable: ReadonlySet<SchemaState["state"]> = new Set(["absent", "unreadable", "older", "unrelated"]);

/** Cache time of the functions' list: /readyz is public, and this query is most of its cost. */
const functionsKnownMs = 5_000;

/** Caches a result for `maxAgeMs`. Concurrent calls share one execution. */
function remembered<T>(maxAgeMs: number, work: () => Promise<T>): () => Promise<T> {
  let [result, begunAt]: [Promise<T> | undefined, number] = [undefined, 0];
  return () => {
    if (result && performance.now() - begunAt < maxAgeMs) return result;
    begunAt = performance.now();
    const current = work();
    result = current;
    current.catch(() => {
      if (result === current) result = undefined;
    });
    return current;
  };
}

export function healthRoutes({ sql, isDraining }: Deps) {
  const findMissing = remembered(functionsKnownMs, () => missingFunctions(sql));
  return new Elysia({ name: "health" })
    .get("/healthz", () => success({ status: "alive" }))
    .get("/readyz", async () => {
      if (isDraining()) throw new Problem("unavailable", "The server is about to stop.");
      const { state, sentence } = await schemaState(sql, findMissing);
      if (unusable.has(state)) {
        const headers = { "retry-after": "5" };
        throw new Problem("unavailable", { message: sentence, extras: { schema: state }, headers });
      }
      return success({ status: "ready", schema: state });
    });
}
