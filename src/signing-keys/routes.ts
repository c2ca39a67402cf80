/** Signing keys: `/papi/v1/identity/agents/{agent_id}/keys` (specification, "Identity"). */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { asCaller, identityOperation, identityReadCodes, identityWriteCodes } from "../auth/caller.ts";
import { keyIdOf, spkiOf } from "../auth/public-key.ts";
import type { Deps } from "../deps.ts";
import { parseBody } from "../http/body.ts";
import { successResponse } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { pageOf } from "../http/list.ts";
import { operation } from "../http/operation.ts";
import { jsonOf } from "../http/resource.ts";
import { FullPageQuery, Pagination, parseQuery, uuidParam } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import { AgentKey, KeyRegistration, KeyRequest, KeyRevocation } from "./shapes.ts";

const path = "/papi/v1/identity/agents/:agent_id/keys";

export const keys = (deps: Deps) => {
  const { sql, config } = deps;
  const json = jsonOf(sql, AgentKey);
  const registrationJson = jsonOf(sql, KeyRegistration);
  const revocationJson = jsonOf(sql, KeyRevocation);
  return new Elysia({ name: path })
    .get(
      path,
      ({ request, params, query }) =>
        pageOf(deps, request, asCaller(deps, request), ({ team, operator }) => {
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
        response: {
          description: "A page of keys.",
          members: { keys: [AgentKey], pagination: Pagination },
          example: { keys: [examples.signingKey], pagination: examples.fullPagination },
        },
        codes: [...identityReadCodes, "not_found"],
      }),
    )
    .post(
      path,
      async ({ request, params }) => {
        const { run } = asCaller(deps, request, { agentId: params.agent_id });
        const key = await run(({ team, actor, bytes }) => {
          const agent = uuidParam(params, "agent_id");
          const { publicKeyPem, expiresAt = null } = parseBody(request, bytes, KeyRequest);
          spkiOf(publicKeyPem);
          if (expiresAt && expiresAt.getTime() <= Date.now())
            throw new Problem("bad_request", "expiresAt must be in the future.");
          return sql`
            select ${registrationJson} from formd.signing_key_add(
              p_team => ${team}, p_actor => ${actor}, p_agent => ${agent}, p_id => ${uuidv7()}, p_key_id => ${keyIdOf(publicKeyPem)},
              p_pem => ${publicKeyPem}, p_expires_at => ${expiresAt}, p_require_operator => ${config.AGENT_CREDENTIALS === "operator"})`;
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
        codes: [...identityWriteCodes, "not_found", "conflict", "submit_not_grantable_by_api_key"],
      }),
    )
    .delete(
      `${path}/:key_id`,
      async ({ request, params }) => {
        const { run } = asCaller(deps, request, { agentId: params.agent_id });
        const revoked = await run(
          ({ team, actor }) => sql`
            select ${revocationJson} from formd.signing_key_delete(
              p_team => ${team}, p_actor => ${actor}, p_agent => ${uuidParam(params, "agent_id")}, p_key_id => ${params.key_id})`,
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
