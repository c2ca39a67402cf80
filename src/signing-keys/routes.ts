/** Signing keys: `/papi/v1/identity/agents/{agent_id}/keys` (specification, "Identity"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { visibleAgents } from "../agents/routes.ts";
import {
  identityOperation,
  identityReadCodes,
  identityWriteCodes,
  requireCaller,
} from "../auth/credentials.ts";
import { keyIdOf, spkiOf } from "../auth/public-key.ts";
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { operation } from "../http/operation.ts";
import { pick, type Row } from "../http/resource.ts";
import { FullPageQuery, offsetOf, Pagination, parseQuery, toPage, uuidParam } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import { AgentKey, KeyRegistration, KeyRequest, KeyRevocation } from "./shapes.ts";

const path = "/papi/v1/identity/agents/:agent_id/keys";

export const keys = (deps: Deps) => {
  const { sql, config } = deps;
  return new Elysia({ name: path })
    .get(
      path,
      async ({ request, params, query }) => {
        const who = await requireCaller(deps, request);
        const agent = uuidParam(params, "agent_id");
        const page = parseQuery(query, FullPageQuery);
        const within = sql`team_id = ${who.team} and agent_id = ${agent}`;
        const rows = await sql<(Row<typeof AgentKey> & { total: number })[]>`
        select k.*, t.total
        from (select count(*)::int as total from formd.signing_keys where ${within}) t
        join (select from formd.agents where ${visibleAgents(deps, who)} and id = ${agent}) a on true
        left join (select * from formd.signing_keys where ${within} order by id desc limit ${page.limit} offset ${offsetOf(page)}) k on true
        order by k.id desc`;
        if (rows.length === 0) throw new Problem("not_found", "There is no such agent.");
        const { items, pagination } = toPage(rows, page);
        return success({ keys: items.map((row) => pick(AgentKey, row)), pagination });
      },
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
        const bytes = await readBytes(request, config.MAX_BODY_BYTES);
        const { team, operator } = await requireCaller(deps, request);
        const agent = uuidParam(params, "agent_id");
        const { publicKeyPem, expiresAt = null } = parseBody(request, bytes, KeyRequest);
        spkiOf(publicKeyPem);
        if (expiresAt && expiresAt.getTime() <= Date.now())
          throw new Problem("bad_request", "expiresAt must be in the future.");
        const [key] = await sql<[Row<typeof AgentKey>]>`
        select * from formd.signing_key_register(${team}, ${operator}, ${agent}, ${uuidv7()}, ${keyIdOf(publicKeyPem)}, ${publicKeyPem}, ${expiresAt})`;
        return success({ keyId: key.keyId, status: key.status, alg: key.alg });
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
        codes: [...identityWriteCodes, "not_found", "conflict"],
      }),
    )
    .delete(
      `${path}/:key_id`,
      async ({ request, params }) => {
        const { team, operator } = await requireCaller(deps, request);
        const agent = uuidParam(params, "agent_id");
        const revoked = await sql`
          select * from formd.signing_key_revoke(${team}, ${operator}, ${agent}, ${params.key_id})`;
        return success(oneRow(revoked));
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
