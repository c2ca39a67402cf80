/** API keys (header `x-api-key`): the credential of owners, on the management and identity routes. */
import type { Deps } from "../deps.ts";
import { readBytes } from "../http/body.ts";
import type { Read } from "../http/list.ts";
import type { Requirement } from "../http/operation.ts";
import { contextOf } from "../http/request-context.ts";
import { Problem, type ProblemCode } from "../problem.ts";
import { type Actor, actorOf } from "./actor.ts";
import { authenticate, type Credential, queryAs, requireWriteLimit, writeLimit } from "./authenticate.ts";
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
] as const;

export type Scope = (typeof apiKeyScopes)[number];

/** The security of a route for API keys with the scope, and the codes that follow from it. */
export const apiKeySecurity = (scope: Scope): Requirement[] => [{ apiKey: [scope] }];
export const ownerCodes = ["unauthorized", "missing_scope"] as const satisfies ProblemCode[];

/** @returns the API key of a request, which must have the scope. */
export function apiKeyOf(deps: Deps, request: Request, scope: Scope): Credential {
  const { team, hash } = parseSecret("fdk", request.headers.get("x-api-key") ?? "");
  return {
    team,
    call: deps.sql`
      formd.api_key_authenticate(
        p_team => ${team}, p_hash => ${hash}, p_scope => ${scope}, p_write_limit => ${writeLimit(deps, request)})
      as caller (outcome, caller_id, remaining, reset_ms)`,
    requireAllowed(caller) {
      if (caller.outcome === "unauthorized")
        throw new Problem(
          "unauthorized",
          headerHint(request.headers, "x-api-key", "fdk") ?? "A valid API key is required in x-api-key.",
        );
      contextOf(request).caller = `api_key:${caller.callerId}`;
      if (caller.outcome === "missing_scope")
        throw new Problem("missing_scope", `The API key lacks the scope ${scope}.`);
      requireWriteLimit(deps, request, caller);
    },
  };
}

/**
 * The API key of a request, if it has the scope, and the body's bytes, whose number is checked before the key. One round trip.
 *
 * @throws {Problem} `payload_too_large`, `unauthorized`, `missing_scope`, `rate_limited`.
 */
export async function requireApiKey(
  deps: Deps,
  request: Request,
  scope: Scope,
): Promise<{ team: string; actor: Actor; bytes: Uint8Array }> {
  const bytes = await readBytes(request, deps.config.MAX_BODY_BYTES);
  const credential = apiKeyOf(deps, request, scope);
  const { callerId } = await authenticate(deps, credential);
  return { team: credential.team, actor: actorOf(request, "api_key", callerId), bytes };
}

/**
 * Reads for the API key of a request, which must have the scope. One round trip.
 *
 * @throws {Problem} `payload_too_large`, `unauthorized`, `missing_scope`, and those of {@link queryAs}.
 */
export const asOwner =
  (deps: Deps, request: Request, scope: Scope): Read<[team: string]> =>
  async (toQuery) => {
    await readBytes(request, deps.config.MAX_BODY_BYTES);
    const credential = apiKeyOf(deps, request, scope);
    return await queryAs(deps, credential, () => toQuery(credential.team));
  };
