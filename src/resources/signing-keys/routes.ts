/** Signing keys: `/papi/v1/identity/agents/{agent_id}/keys` (specification, "Identity"). */
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import {
  identityOperation,
  identityReadCodes,
  identityRiskyCodes,
  identityWriteCodes,
  withApiKeyOrOperator,
} from "../../platform/auth/caller.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import { successResponse } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation } from "../../platform/http/operation.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { pageResponse } from "../../platform/http/responses.ts";
import { FullPageQuery, parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { proofs } from "../operators/proofs.ts";
import { addQuery, revokeSigningKeyQuery } from "./keys.ts";
import { AgentKey, KeyRegistration, KeyRequest, KeyRevocation } from "./shapes.ts";

const path = "/papi/v1/identity/agents/:agent_id/keys";

export const signingKeyRoutes = (deps: Deps) => {
  const { sql } = deps;
  const json = jsonOf(AgentKey)(sql);
  return new Elysia({ name: path })
    .get(
      path,
      ({ request, params, query }) =>
        pageOf(deps, request, withApiKeyOrOperator(deps, request), ({ team, operator }) => {
          const agent = uuidParam(params, "agent_id");
          return {
            name: "keys",
            page: parseQuery(query, FullPageQuery),
            item: json,
            rows: ({ limit, offset }) => sql`
              formd.signing_key_list(p_team => ${team}, p_operator => ${operator}, p_agent => ${agent},
                p_limit => ${limit}, p_offset => ${offset})`,
          };
        }),
      operation({
        ...identityOperation,
        id: "listKeys",
        summary: "List an agent's signing keys",
        description: "Active and revoked ones.",
        query: { shape: FullPageQuery },
        response: pageResponse("A page of keys.", "keys", AgentKey, examples.signingKey),
        codes: [...identityReadCodes, "not_found"],
      }),
    )
    .post(
      path,
      async ({ request, params }) => {
        const { run } = withApiKeyOrOperator(deps, request, {
          agentId: params.agent_id,
          proof: proofs["signing_key.registered"],
        });
        const key = await run((caller) => {
          const agent = uuidParam(params, "agent_id");
          return addQuery(deps, caller, agent, parseBody(request, caller.bytes, KeyRequest));
        });
        return successResponse(request, key);
      },
      operation({
        ...identityOperation,
        id: "createKey",
        summary: "Register a signing key",
        description: `Usable at once. The same PEM again returns the existing key. At most ${limits.signingKey.maxActive} active keys per agent.`,
        body: {
          shape: KeyRequest,
          examples: {
            spki: {
              summary: "What openssl pkey -pubout writes",
              value: { publicKeyPem: examples.publicKeyPem },
            },
            expiring: {
              summary: "Until a moment",
              value: { publicKeyPem: examples.publicKeyPem, alg: "ed25519", expiresAt: examples.expiresAt },
            },
          },
        },
        response: {
          description: "The key's id.",
          data: KeyRegistration,
          example: { keyId: examples.keyId, status: "active", alg: "ed25519" },
        },
        codes: [...identityRiskyCodes, "not_found", "conflict", "submit_not_grantable_by_api_key"],
      }),
    )
    .delete(
      `${path}/:key_id`,
      async ({ request, params }) => {
        const { run } = withApiKeyOrOperator(deps, request, { agentId: params.agent_id });
        const revoked = await run((caller) =>
          revokeSigningKeyQuery(deps, caller, uuidParam(params, "agent_id"), params.key_id),
        );
        return successResponse(request, revoked);
      },
      operation({
        ...identityOperation,
        id: "deleteKey",
        summary: "Revoke a signing key",
        description: "It stops authenticating at once.",
        response: {
          description: "It is revoked.",
          data: KeyRevocation,
          example: { keyId: examples.keyId, status: "revoked" },
        },
        codes: [...identityWriteCodes, "invalid_body", "not_found", "conflict"],
      }),
    );
};
