/** A respondent's session on one form: `POST /papi/v1/auth/anonymous` (specification, "Sessions"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { makeSecret, type ParsedSecret, parseSecret } from "../auth/secret.ts";
import type { Deps } from "../deps.ts";
import { parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { ipLimit, operation } from "../http/operation.ts";
import { type RateLimitState, rateLimited, rateLimitHeaders } from "../http/rate-limits.ts";
import { rateLimitKeyOf } from "../http/request-context.ts";
import { limits } from "../limits.ts";
import { Problem, problemFromSql } from "../problem.ts";
import { verifyCaptcha } from "./captcha.ts";
import { AnonymousRequest, SessionToken } from "./shapes.ts";

const path = "/papi/v1/auth/anonymous";

export const anonymous = (deps: Deps) =>
  new Elysia({ name: path }).post(
    path,
    async ({ request, set }) => {
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
    },
    operation({
      id: "createAnonymousSession",
      tag: "submitter",
      summary: "Open a respondent's session",
      description:
        "Short-lived, for one form. With `settings.captcha.enabled` it takes a CAPTCHA token, verified once.",
      security: [{ formAccessKey: [] }],
      body: {
        shape: AnonymousRequest,
        optional: true,
        examples: { plain: { summary: "Without a CAPTCHA", value: {} } },
      },
      response: { description: "The session.", data: SessionToken, example: examples.session },
      codes: [
        "unauthorized",
        "form_not_published",
        "anonymous_not_allowed",
        "captcha_required",
        "captcha_failed",
        "captcha_unavailable",
      ],
      limits: [ipLimit("RATE_LIMIT_PAPI_AUTH_PER_MINUTE")],
    }),
  );

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
  return { bucket: "ip", bucketLimit, ...limits.rateLimit, ...row } satisfies RateLimitState & {
    outcome: string;
  };
}

function refuse(outcome: string): void {
  if (outcome !== "minted" && outcome !== "captcha_required") throw problemFromSql(outcome);
}
