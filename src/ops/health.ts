/**
 * Probes: `/healthz` (alive) and `/readyz` (database reachable and migrated to what this build needs, server not about to stop). A server
 * of the previous release stays ready after the next one has migrated, as long as it runs: `schema` says so.
 */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { success } from "../http/envelope.ts";
import { type SchemaState, schemaState } from "../migrations/state.ts";
import { Problem } from "../problem.ts";

/** What this build cannot serve with. Another release's functions, or later tables, it can. */
const unusable: ReadonlySet<SchemaState["state"]> = new Set(["absent", "unreadable", "older"]);

export const health = ({ sql, isDraining }: Deps) =>
  new Elysia({ name: "health" })
    .get("/healthz", () => success({ status: "alive" }))
    .get("/readyz", async () => {
      if (isDraining()) throw new Problem("unavailable", "The server is about to stop.");
      const { state, sentence } = await schemaState(sql);
      if (unusable.has(state)) {
        const headers = { "retry-after": "5" };
        throw new Problem("unavailable", { message: sentence, extras: { schema: state }, headers });
      }
      return success({ status: "ready", schema: state });
    });
