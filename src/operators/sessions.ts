/** Operators' sessions: `/console/login` and `/console/logout`. */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { actorOf, toSql } from "../auth/actor.ts";
import type { Authentication } from "../auth/authenticate.ts";
import { requireCsrfSafe, requireSameOrigin } from "../auth/csrf.ts";
import { sessionCookie, sessionSecretOf } from "../auth/operator-session.ts";
import { hashPasswordInTurn } from "../auth/password.ts";
import { makeSecret, nilUuid, parseSecret } from "../auth/secret.ts";
import { forgetCaller, rememberCaller, requireFewUnknown } from "../auth/unknown-callers.ts";
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { assertShape, isJson, parseBody, readBytes, requireSize } from "../http/body.ts";
import { siteRateLimitKey } from "../http/client-ip.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { isFormPost, parseForm } from "../http/form-body.ts";
import { ipLimit, operation } from "../http/operation.ts";
import { admitIp, requireRateLimit } from "../http/rate-limits.ts";
import { contextOf } from "../http/request-context.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import { LoginRequest, Logout, OperatorSession } from "./shapes.ts";

export const consoleSessions = (deps: Deps) => {
  const { sql, config } = deps;
  return new Elysia({ name: "/console" })
    .post(
      "/console/login",
      async ({ request, set }) => {
        const bytes = await readLogin(deps, request, limits.body.maxSmallBytes);
        const { cookie, ...session } = await openSession(deps, request, parseLogin(request, bytes), {
          toOldestTeam: false,
        });
        set.headers["set-cookie"] = cookie;
        return success(session);
      },
      operation({
        id: "login",
        tag: "console",
        summary: "Sign in as an operator",
        description: `The response sets the session's cookie. Each account has a limit of its own, and an IPv6 /48 one of ${limits.operator.loginsPerSiteFactor} times the client IP's.`,
        security: [{}],
        body: {
          shape: LoginRequest,
          formPost: "too",
          examples: {
            password: {
              summary: "E-mail and password",
              value: { email: "ada@example.org", password: "correct horse" },
            },
          },
        },
        response: {
          description: "The operator is signed in.",
          data: OperatorSession,
          example: {
            operatorId: examples.ids.operator,
            teamId: examples.ids.team,
            expiresAt: examples.expiresAt,
          },
        },
        codes: ["unauthorized", "csrf_rejected", "conflict"],
        limits: [
          ipLimit("RATE_LIMIT_PAPI_AUTH_PER_MINUTE"),
          { scope: "account", seconds: 60, requests: limits.operator.maxLoginsPerMinute },
        ],
      }),
    )
    .post(
      "/console/logout",
      async ({ request, set }) => {
        requireCsrfSafe(deps, request);
        const { team, hash } = parseSecret("fdo", sessionSecretOf(config, request));
        requireFewUnknown(deps, request, hash);
        const actor = actorOf(request, "anonymous", null);
        await sql`
          select formd.operator_logout(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_token_hash => ${hash})`;
        forgetCaller(hash);
        set.headers["set-cookie"] = sessionCookie(config, "");
        return success({ loggedOut: true });
      },
      operation({
        id: "logout",
        tag: "console",
        summary: "Sign out",
        description: "Ends the session at once. Idempotent.",
        security: [{ operatorSession: [] }, {}],
        response: { description: "The session has ended.", data: Logout, example: { loggedOut: true } },
        codes: ["csrf_rejected", "rate_limited"],
      }),
    );
};

/** The body of a login, which counts before it is parsed. @throws {Problem} `payload_too_large`, `rate_limited`, `csrf_rejected`. */
export async function readLogin(deps: Deps, request: Request, maxBytes: number): Promise<Uint8Array> {
  admitIp(request, "login");
  requireSize(request, maxBytes);
  const bytes = await readBytes(request, maxBytes);
  await countLogin(deps, request);
  requireSameOrigin(deps, request);
  return bytes;
}

/**
 * Opens a session, which is in the cookie.
 *
 * @param toOldestTeam without `teamId`, whether the session is for the team that the operator joined first
 * @throws {Problem} `rate_limited`, `unauthorized`; `conflict` for an operator of several teams without `teamId`.
 */
export async function openSession(
  deps: Deps,
  request: Request,
  { email, password, teamId }: typeof LoginRequest.infer,
  { toOldestTeam }: { toOldestTeam: boolean },
) {
  const { passwordSalt, team } = await admitLogin(deps, request, email, teamId ?? null);
  const hash = await hashPasswordInTurn(password, passwordSalt);
  if (teamId === undefined && !toOldestTeam) await requireOneTeam(deps, email, hash);
  const { secret, hash: tokenHash } = makeSecret("fdo", team);
  const { operatorId, expiresAt } = oneRow(
    await deps.sql<{ operatorId: string | null; expiresAt: Date }[]>`
      select s.* from (select) as always
      left join formd.operator_login(
        p_team => ${team}, p_actor => ${toSql(deps.sql, actorOf(request, "anonymous", null))}, p_email => ${email}, p_password_hash => ${hash}, p_session => ${uuidv7()},
        p_token_hash => ${tokenHash}, p_lifetime => ${`${limits.operatorSession.lifetimeHours} hours`}) as s on true`,
  );
  if (operatorId === null) throw new Problem("unauthorized", "The e-mail or the password is wrong.");
  rememberCaller(tokenHash);
  return { operatorId, teamId: team, expiresAt, cookie: sessionCookie(deps.config, secret) };
}

/** Counts a login, or a form post without a session, from the client IP and from its IPv6 site. @throws {Problem} `rate_limited`. */
export async function countLogin({ sql, config }: Deps, request: Request): Promise<void> {
  const { clientIp, rateLimitKey } = contextOf(request);
  const site = siteRateLimitKey(clientIp);
  const perIp = config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE;
  const limitsToTake = [
    ...(site
      ? [{ key: site, limitName: "site", maxRequests: perIp * limits.operator.loginsPerSiteFactor }]
      : []),
    { key: rateLimitKey, limitName: "ip", maxRequests: perIp },
  ];
  for (const { key, limitName, maxRequests } of limitsToTake) {
    const { allowed, ...rate } = oneRow(
      await sql<{ allowed: boolean; remaining: number; resetMs: number }[]>`
        select * from formd.rate_limit_take(${`login:${limitName}:${key}`}, ${maxRequests}, ${limits.rateLimit.windowMs})`,
    );
    requireRateLimit(request, allowed ? "allowed" : "rate_limited", { limitName, maxRequests, ...rate });
  }
}

/** Counts a login to the account, known or not. @throws {Problem} `rate_limited`. */
async function admitLogin({ sql }: Deps, request: Request, email: string, teamId: string | null) {
  const maxRequests = limits.operator.maxLoginsPerMinute;
  const {
    outcome,
    passwordSalt,
    teamId: team,
    ...rate
  } = oneRow(
    await sql<(Authentication & { passwordSalt: string | null; teamId: string | null })[]>`
      select * from formd.operator_login_admit(p_email => ${email}, p_team => ${teamId}, p_limit => ${maxRequests})`,
  );
  if (outcome === "rate_limited")
    requireRateLimit(request, outcome, { limitName: "account", maxRequests, ...rate });
  return { passwordSalt, team: team ?? nilUuid };
}

/**
 * Which teams an operator has is told after the right password only.
 *
 * @throws {Problem} `conflict` with the teams of an operator who has several.
 */
async function requireOneTeam({ sql }: Deps, email: string, hash: Uint8Array): Promise<void> {
  const teams = await sql<{ id: string; name: string }[]>`
    select * from formd.operator_teams(p_email => ${email}, p_password_hash => ${hash})`;
  if (teams.length > 1)
    throw new Problem("conflict", {
      message: "The operator has a role in several teams: send teamId.",
      extras: { teams },
    });
}

/** JSON, or the fields of a form post. @throws {Problem} `invalid_content_type`, `invalid_body`. */
export function parseLogin(request: Request, bytes: Uint8Array): typeof LoginRequest.infer {
  if (isJson(request) || !isFormPost(request)) return parseBody(request, bytes, LoginRequest);
  return assertShape(Object.fromEntries(parseForm(request, bytes)), LoginRequest, "invalid_body");
}
