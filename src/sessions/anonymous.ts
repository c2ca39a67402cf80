/** A respondent's session on one form: `POST /papi/v1/auth/anonymous` (specification, "Sessions"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { makeSecret, type ParsedSecret, parseSecret } from "../auth/secret.ts";
import type { Deps } from "../deps.ts";
import { parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import { type RateLimitState, rateLimited, rateLimitHeaders } from "../http/rate-limits.ts";
import { rateLimitKeyOf } from "../http/request-context.ts";
import { Problem, type ProblemCode } from "../problem.ts";
import { verifyCaptcha } from "./captcha.ts";
import { AnonymousRequest } from "./shapes.ts";

const path = "/papi/v1/auth/anonymous";

export const anonymous = (deps: Deps) =>
  new Elysia({ name: path }).post(path, async ({ request, set }) => {
    const bytes = await readBytes(request, deps.config.MAX_BODY_BYTES);
    const route = parseSecret("fdf", request.headers.get("x-form-access-key") ?? "");
    const session = makeSecret("fds", route.team);
    const first = await createSession(deps, request, route, session.hash, false);
    if (first.outcome === "rate_limited") throw rateLimited(first);
    Object.assign(set.headers, rateLimitHeaders(first));
    refuse(first.outcome);
    const { captchaToken } = bytes.length === 0 ? {} : parseBody(request, bytes, AnonymousRequest);
    if (first.outcome !== "captcha_required")
      return success({ token: session.secret, expiresAt: first.expiresAt });
    if (!captchaToken) throw new Problem("captcha_required");
    await verifyCaptcha(deps, request, captchaToken);
    const second = await createSession(deps, request, route, session.hash, true);
    refuse(second.outcome);
    return success({ token: session.secret, expiresAt: second.expiresAt });
  });

/** Opens the session, unless a CAPTCHA stands before it. */
async function createSession(
  { sql, config }: Deps,
  request: Request,
  { team, form, hash }: ParsedSecret,
  tokenHash: Uint8Array,
  captchaPassed: boolean,
) {
  const bucketLimit = config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE;
  const [row] = await sql<[{ outcome: string; expiresAt: Date; remaining: number; resetMs: number }]>`
    select * from formd.anonymous_session_create(${team}, ${form}, ${hash}, ${uuidv7()}, ${tokenHash}, ${`${config.ANONYMOUS_SESSION_MINUTES} minutes`},
      ${captchaPassed}, ${`anonymous:ip:${rateLimitKeyOf(request)}`}, ${bucketLimit})`;
  return { bucket: "ip", bucketLimit, windowMs: 60_000, ...row } satisfies RateLimitState & {
    outcome: string;
  };
}

function refuse(outcome: string): void {
  if (outcome !== "minted" && outcome !== "captcha_required") throw new Problem(outcome as ProblemCode);
}
