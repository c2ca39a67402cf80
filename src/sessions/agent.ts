/** An agent's session: `POST /papi/v1/auth/token` (specification, "Sessions"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { makeSecret, parseSecret } from "../auth/secret.ts";
import type { Deps } from "../deps.ts";
import { parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { ipLimit, operation } from "../http/operation.ts";
import { type RateLimitState, rateLimited, rateLimitHeaders } from "../http/rate-limits.ts";
import { rateLimitKeyOf } from "../http/request-context.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import { SessionToken, TokenRequest } from "./shapes.ts";

const path = "/papi/v1/auth/token";

export const token = (deps: Deps) => {
  const { sql, config } = deps;
  return new Elysia({ name: path }).post(
    path,
    async ({ request, set }) => {
      const bytes = await readBytes(request, config.MAX_BODY_BYTES);
      const offered = clientSecretOf(request, bytes);
      const limit = config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE;
      const { team, hash } = parseSecret("fda", offered);
      const session = makeSecret("fds", team);
      const [minted] = await sql<[{ outcome: string; expiresAt: Date; remaining: number; resetMs: number }]>`
      select * from formd.agent_session_create(${team}, ${hash}, ${uuidv7()}, ${session.hash}, ${`${limits.agentSession.lifetimeDays} days`},
        ${`token:ip:${rateLimitKeyOf(request)}`}, ${limit})`;
      const rate: RateLimitState = { bucket: "ip", bucketLimit: limit, ...limits.rateLimit, ...minted };
      if (minted.outcome === "rate_limited") throw rateLimited(rate);
      Object.assign(set.headers, rateLimitHeaders(rate));
      if (minted.outcome === "unauthorized")
        throw new Problem("unauthorized", "The agent secret is not valid.");
      return success({ token: session.secret, expiresAt: minted.expiresAt });
    },
    operation({
      id: "createToken",
      tag: "submitter",
      summary: "Mint an agent's session token",
      description: `Exchanges the agent's secret, in the body or in \`x-agent-secret\`, for a session of ${limits.agentSession.lifetimeDays} days. Reuse the token until it expires.`,
      security: [{ agentSecret: [] }, {}],
      body: {
        shape: TokenRequest,
        optional: true,
        examples: { secret: { summary: "By body", value: { clientSecret: examples.agentSecret } } },
      },
      response: { description: "The session.", data: SessionToken, example: examples.session },
      codes: ["unauthorized"],
      limits: [ipLimit("RATE_LIMIT_PAPI_AUTH_PER_MINUTE")],
    }),
  );
};

/**
 * The secret in the body or in the header; the empty text, which is nobody's, when there is none or the two differ. With the header
 * the body may be absent.
 *
 * @throws {Problem} what {@link parseBody} does.
 */
function clientSecretOf(request: Request, bytes: Uint8Array): string {
  const header = request.headers.get("x-agent-secret");
  const body = bytes.length === 0 ? undefined : parseBody(request, bytes, TokenRequest).clientSecret;
  return header !== null && body !== undefined && header !== body ? "" : (body ?? header ?? "");
}
