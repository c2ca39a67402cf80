/** A respondent's session on one form: `POST /papi/v1/auth/anonymous` (specification, "Sessions"). */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { headerHint } from "../../platform/auth/credential-hint.ts";
import { makeSecret, type ParsedSecret, parseSecret, type Secret } from "../../platform/auth/secret.ts";
import { rememberCaller } from "../../platform/auth/unknown-callers.ts";
import { rowOf, toByteaText } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody, readBytes, requireSize } from "../../platform/http/body.ts";
import { success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { ipLimit, operation } from "../../platform/http/operation.ts";
import { admitIp, requireRateLimit } from "../../platform/http/rate-limits.ts";
import { Problem, problemFromSql } from "../../problem.ts";
import { verifyCaptcha } from "./captcha.ts";
import { AnonymousRequest, type SessionRow, SessionToken, sessionLimit } from "./shapes.ts";

const { maxSmallBytes } = limits.body;
const path = "/papi/v1/auth/anonymous";

export const anonymousSessionRoute = (deps: Deps) =>
  new Elysia({ name: path }).post(
    path,
    async ({ request }) => {
      const ipKey = admitIp(request, "anonymous");
      requireSize(request, maxSmallBytes);
      const bytes = await readBytes(request, maxSmallBytes);
      const accessKey = parseSecret("fdf", request.headers.get("x-form-access-key") ?? "");
      const session = makeSecret("fds", accessKey.team);
      const wanted = { ipKey, accessKey, session };
      let row = await createSession(deps, wanted, { captchaPassed: false });
      requireAccepted(deps, request, row);
      const { captchaToken } = bytes.length === 0 ? {} : parseBody(request, bytes, AnonymousRequest);
      if (row.outcome === "captcha_required") row = await createVerified(deps, request, wanted, captchaToken);
      rememberCaller(session.hash);
      deps.keyUses.addAccessKey(accessKey.team, accessKey.form, toByteaText(accessKey.hash));
      return success({ token: session.secret, expiresAt: row.expiresAt });
    },
    operation({
      id: "createAnonymousSession",
      tag: "submitter",
      summary: "Create an anonymous session",
      description:
        "A short session on one form. With `settings.captcha.enabled` it requires a CAPTCHA token, which is verified once.",
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

interface WantedSession {
  ipKey: string;
  accessKey: ParsedSecret;
  session: Secret;
}

/** @throws {Problem} for any outcome except `minted` and `captcha_required`. */
function requireAccepted({ config }: Deps, request: Request, row: SessionRow): void {
  requireRateLimit(request, row.outcome, sessionLimit(config, row));
  if (row.outcome === "unauthorized") {
    const hint = headerHint(request.headers, "x-form-access-key", "fdf");
    throw new Problem("unauthorized", hint ?? "The access key is not valid.");
  }
  if (row.outcome !== "minted" && row.outcome !== "captcha_required") throw problemFromSql(row.outcome);
}

/** Creates the session after the CAPTCHA. @throws {Problem} as verifyCaptcha, and for a changed outcome */
async function createVerified(
  deps: Deps,
  request: Request,
  wanted: WantedSession,
  captchaToken: string | null | undefined,
): Promise<SessionRow> {
  await verifyCaptcha(deps, request, captchaToken);
  const row = await createSession(deps, wanted, { captchaPassed: true });
  if (row.outcome !== "minted") throw problemFromSql(row.outcome);
  return row;
}

/** Creates the session, unless the form requires a CAPTCHA that has not been passed. */
const createSession = async (
  { sql, config }: Deps,
  { ipKey, accessKey: { team, form, hash }, session }: WantedSession,
  { captchaPassed }: { captchaPassed: boolean },
) =>
  await rowOf(sql<SessionRow[]>`
    select * from formd.anonymous_session_create(p_team => ${team}, p_form => ${form}, p_access_key_hash => ${hash}, p_id => ${uuidv7()},
      p_token_hash => ${session.hash}, p_lifetime => ${`${config.ANONYMOUS_SESSION_MINUTES} minutes`},
      p_captcha_passed => ${captchaPassed}, p_ip_key => ${ipKey},
      p_ip_limit => ${config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE})`);
