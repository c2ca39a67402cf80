/** API keys (`x-api-key`), the credential of owners. sql/120_api_keys.sql decides about their state. */

import { Problem, type ProblemCode } from "../../problem.ts";
import type { Deps } from "../deps.ts";
import type { Requirement } from "../http/operation.ts";
import { contextOf } from "../http/request-context.ts";
import { type Credential, requireWriteLimit, withCredential, writeLimit } from "./authenticate.ts";
import { headerHint } from "./credential-hint.ts";
import { parseSecret } from "./secret.ts";

/** The scopes of API keys. tests/sql/scopes.test.ts compares them with the table's check. */
export const apiKeyScopes = [
  "forms:read",
  "forms:write",
  "submissions:read",
  "submissions:update",
  "submissions:delete",
  "submissions:write",
  "webhooks:manage",
  "audit:read",
  "invitations:manage",
] as const;

export type Scope = (typeof apiKeyScopes)[number];

/** The security of a route for API keys with the scope, and the codes that follow from it. */
export const apiKeySecurity = (scope: Scope): Requirement[] => [{ apiKey: [scope] }];
export const ownerCodes = ["unauthorized", "missing_scope", "rate_limited"] as const satisfies ProblemCode[];

/** @returns the API key of a request, which must have the scope. */
export function apiKeyOf(deps: Deps, request: Request, scope: Scope): Credential {
  const { team, hash } = parseSecret("fdk", request.headers.get("x-api-key") ?? "");
  return {
    type: "api_key",
    team,
    hash,
    call: deps.sql`
      formd.api_key_authenticate(
        p_team => ${team}, p_hash => ${hash}, p_scope => ${scope}, p_write_limit => ${writeLimit(deps, request)})
      as caller (outcome, caller_id, remaining, reset_ms)`,
    requireSafe() {},
    requireAllowed(caller) {
      if (caller.outcome === "unauthorized")
        throw new Problem(
          "unauthorized",
          headerHint(request.headers, "x-api-key", "fdk") ?? "A valid API key is required in x-api-key.",
        );
      contextOf(request).caller = `api_key:${caller.callerId}`;
      deps.keyUses.addApiKey(team, caller.callerId);
      if (caller.outcome === "missing_scope")
        throw new Problem("missing_scope", `The API key lacks the scope ${scope}.`);
      requireWriteLimit(deps, request, caller);
    },
  };
}

/** {@link withCredential} for an API key. @throws `unauthorized`, `missing_scope`, `rate_limited`. */
export const withApiKey = (deps: Deps, request: Request, scope: Scope, maxBytes?: number) =>
  withCredential(deps, request, () => apiKeyOf(deps, request, scope), maxBytes);
