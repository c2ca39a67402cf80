/** An agent's session: `POST /papi/v1/auth/token` (specification, "Sessions"). */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { headerHint } from "../../platform/auth/credential-hint.ts";
import { makeSecret, type ParsedSecret, parseSecret, type Secret } from "../../platform/auth/secret.ts";
import { rememberCaller } from "../../platform/auth/unknown-callers.ts";
import { oneRow } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody, readBytes, requireSize } from "../../platform/http/body.ts";
import { success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { ipLimit, operation } from "../../platform/http/operation.ts";
import { admitIp, requireRateLimit } from "../../platform/http/rate-limits.ts";
import { Problem } from "../../problem.ts";
import { type SessionRow, SessionToken, sessionLimit, TokenRequest } from "./shapes.ts";

const { maxSmallBytes } = limits.body;
const path = "/papi/v1/auth/token";

export const agentTokenRoute = (deps: Deps) =>
  new Elysia({ name: path }).post(
    path,
    async ({ request }) => {
      const ipKey = admitIp(request, "token");
      requireSize(request, maxSmallBytes);
      const bytes = await readBytes(request, maxSmallBytes);
      const { clientSecret, hint, problem } = clientSecretOf(request, bytes);
      const secret = parseSecret("fda", clientSecret);
      const session = makeSecret("fds", secret.team);
      const row = oneRow(await createSession(deps, ipKey, secret, session));
      requireRateLimit(request, row.outcome, sessionLimit(deps.config, row));
      if (problem) throw problem;
      if (row.outcome !== "minted") throw new Problem("unauthorized", hint);
      rememberCaller(session.hash);
      return success({ token: session.secret, expiresAt: row.expiresAt });
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

const createSession = (
  { sql, config }: Deps,
  ipKey: string,
  { team, hash }: ParsedSecret,
  session: Secret,
) => sql<SessionRow[]>`
  select * from formd.agent_session_create(p_team => ${team}, p_secret_hash => ${hash}, p_id => ${uuidv7()},
    p_token_hash => ${session.hash}, p_lifetime => ${`${limits.agentSession.lifetimeDays} days`},
    p_ip_key => ${ipKey}, p_ip_limit => ${config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE})`;

/**
 * Returns the secret in the body or in the header; the empty text, which no agent has, if it is missing, if
 * the two differ, or if the body is malformed. The problem of the body is reported after the request is
 * counted. `hint` is for the 401: the same for every secret that was sent (specification, "Sessions").
 */
function clientSecretOf(
  request: Request,
  bytes: Uint8Array,
): { clientSecret: string; hint: string; problem?: Problem } {
  const uniform = "The agent secret is not valid.";
  const header = request.headers.get("x-agent-secret");
  try {
    const body = bytes.length === 0 ? undefined : parseBody(request, bytes, TokenRequest).clientSecret;
    const differs = header !== null && body !== undefined && header !== body;
    const isMissing = body === undefined && !header;
    const hint = isMissing ? headerHint(request.headers, "x-agent-secret", "fda") : undefined;
    return { clientSecret: differs ? "" : (body ?? header ?? ""), hint: hint ?? uniform };
  } catch (error) {
    if (error instanceof Problem) return { clientSecret: "", hint: uniform, problem: error };
    throw error;
  }
}
