/** Operators' sessions: `/console/login` and `/console/logout`. */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { actorOf, toSql } from "../../platform/auth/actor.ts";
import type { Authentication } from "../../platform/auth/authenticate.ts";
import { requireCsrfSafe, requireSameOrigin } from "../../platform/auth/csrf.ts";
import { deviceCookie, deviceName, knownDevice } from "../../platform/auth/device.ts";
import { sessionCookie, sessionSecretOf, startOf } from "../../platform/auth/operator-session.ts";
import { hashPasswordInTurn } from "../../platform/auth/password.ts";
import { makeSecret, nilUuid, parseSecret } from "../../platform/auth/secret.ts";
import { limitUnknownCallers, rememberCaller } from "../../platform/auth/unknown-callers.ts";
import { rowOf } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { assertShape, isJson, parseBody, readBytes, requireSize } from "../../platform/http/body.ts";
import { siteRateLimitKey } from "../../platform/http/client-ip.ts";
import { jsonResponse, success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { isFormPost, parseForm } from "../../platform/http/form-body.ts";
import { ipLimit, operation } from "../../platform/http/operation.ts";
import { admitIp, requireRateLimit, takeRateLimit } from "../../platform/http/rate-limits.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { hasOutbox } from "../../platform/mail/smtp.ts";
import { Problem } from "../../problem.ts";
import { endReplacedSession, endSession } from "./account.ts";
import { LoginRequest, Logout, OperatorSession } from "./shapes.ts";

export const operatorSessionRoutes = (deps: Deps) => {
  const { sql, config } = deps;
  return new Elysia({ name: "/console" })
    .post(
      "/console/login",
      async ({ request, set }) => {
        const bytes = await readLogin(deps, request, limits.body.maxSmallBytes);
        const { cookies, ...session } = await openSession(deps, request, parseLogin(request, bytes), {
          toOldestTeam: false,
        });
        setCookies(set, cookies);
        // Sent as text: with several cookies Elysia loses the type of an object on Deno.
        return jsonResponse(request, JSON.stringify(success(session)));
      },
      operation({
        id: "login",
        tag: "console",
        summary: "Sign in as an operator",
        description: `The response sets the session's cookie. Wrong passwords count per account and client IP, and per account. A second cookie tells a browser that has signed in before from others, whose wrong passwords do not keep it out. An IPv6 /48 has a limit of ${limits.operator.loginsPerSiteFactor} times the client IP's.`,
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
          { scope: "account-everywhere", seconds: 60, requests: limits.operator.maxStrangeLoginsPerMinute },
        ],
      }),
    )
    .post(
      "/console/logout",
      async ({ request, set }) => {
        requireCsrfSafe(deps, request);
        const session = parseSecret("fdo", sessionSecretOf(config, request));
        limitUnknownCallers(deps, request, session.hash);
        await endSession(sql, actorOf(request, "anonymous", null), session);
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

/** Reads and counts a login. @throws {Problem} `payload_too_large`, `rate_limited`, `csrf_rejected`. */
export async function readLogin(deps: Deps, request: Request, maxBytes: number): Promise<Uint8Array> {
  admitIp(request, "login");
  requireSize(request, maxBytes);
  const bytes = await readBytes(request, maxBytes);
  await countLogin(deps, request);
  requireSameOrigin(deps, request);
  return bytes;
}

/** Several cookies are several header fields (RFC 6265, section 3). */
export function setCookies(set: { headers: Record<string, unknown> }, cookies: string[]): void {
  set.headers["set-cookie"] = cookies;
}

/**
 * Opens a session. The first cookie has the session; the second marks the browser as known. A sign-in from
 * another browser is mailed to the operator. The session that the browser had before ends.
 * @param isNewPassword true: the person has just chosen the password, and gets no mail
 * @param toOldestTeam true: without `teamId`, the session is for the team that the operator joined first
 * @throws {Problem} `rate_limited`, `unauthorized`; `conflict` for several teams without `teamId`.
 */
export async function openSession(
  deps: Deps,
  request: Request,
  { email, password, teamId }: typeof LoginRequest.infer,
  { toOldestTeam, isNewPassword = false }: { toOldestTeam: boolean; isNewPassword?: boolean },
) {
  const { sql, config } = deps;
  const device = knownDevice(deps, request, email);
  const { passwordSalt, team, account, isKnown } = await admitLogin(deps, request, { email, device }, teamId);
  const client = isKnown ? `device:${device}` : contextOf(request).rateLimitKey;
  const hash = await hashPasswordInTurn(password, passwordSalt, isKnown ? "known" : "stranger");
  const actor = toSql(sql, actorOf(request, "anonymous", null));
  const settle = (isRight: boolean) => sql`
    select formd.operator_login_settle(
      p_email => ${email}, p_client => ${client}, p_is_known => ${isKnown}, p_is_right => ${isRight}, p_actor => ${actor})`;
  if (teamId === undefined && !toOldestTeam) await requireOneTeam(deps, email, hash, () => settle(true));
  const { secret, hash: tokenHash } = makeSecret("fdo", team);
  const { operatorId, expiresAt } = await rowOf(sql<{ operatorId: string | null; expiresAt: Date }[]>`
    select s.* from (select) as always
    left join formd.operator_login(
      p_team => ${team}, p_actor => ${actor}, p_email => ${email}, p_password_hash => ${hash}, p_session => ${uuidv7()},
      p_token_hash => ${tokenHash}, p_lifetime => ${`${limits.operatorSession.lifetimeHours} hours`},
      p_device => ${deviceName(request)}, p_client_ip => ${config.LOG_CLIENT_IP ? contextOf(request).clientIp : null},
      p_is_mailed => ${!isKnown && !isNewPassword && hasOutbox(deps)}) as s on true`);
  await settle(operatorId !== null);
  if (operatorId === null) {
    if (account) contextOf(request).account = account;
    throw new Problem("unauthorized", say("credentials_wrong"));
  }
  await endReplacedSession(deps, request);
  rememberCaller(tokenHash);
  const cookies = [
    sessionCookie(config, secret),
    ...(isKnown ? [] : [deviceCookie(deps, email, startOf(expiresAt))]),
  ];
  return { operatorId, teamId: team, expiresAt, cookies };
}

/** Counts a login, or a form post without a session, by IP and site. @throws {Problem} `rate_limited`. */
export async function countLogin({ sql, config }: Deps, request: Request, name = "login"): Promise<void> {
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
    const { allowed, ...rate } = await takeRateLimit(sql, `${name}:${limitName}:${key}`, maxRequests);
    requireRateLimit(request, allowed ? "allowed" : "rate_limited", { limitName, maxRequests, ...rate });
  }
}

/**
 * Counts failures by IP and site, after the act, so that they never refuse what is right. What `act` asks
 * others for must have counted before, or have a cooldown.
 * @throws {Problem} `rate_limited` in place of what `act` throws, if there were too many; never for a 5xx
 */
export async function countFailures<T>(deps: Deps, request: Request, name: string, act: () => Promise<T>) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    admitIp(request, name);
    await countLogin(deps, request, name);
    throw error;
  }
}

/** Counts a login to the account, known or not. @throws {Problem} `rate_limited`. */
async function admitLogin(
  { sql }: Deps,
  request: Request,
  { email, device }: { email: string; device: string | undefined },
  teamId: string | undefined,
) {
  const { maxLoginsPerMinute, maxStrangeLoginsPerMinute } = limits.operator;
  const {
    outcome,
    operatorId: account,
    passwordSalt,
    teamId: team,
    isKnown,
    limitName,
    ...rate
  } = await rowOf(sql<
    (Authentication & {
      operatorId: string | null;
      passwordSalt: string | null;
      teamId: string | null;
      isKnown: boolean;
      limitName: string;
    })[]
  >`
      select * from formd.operator_login_admit(
        p_email => ${email}, p_team => ${teamId ?? null}, p_client => ${contextOf(request).rateLimitKey},
        p_client_limit => ${maxLoginsPerMinute}, p_limit => ${maxStrangeLoginsPerMinute}, p_device => ${device ?? null})`);
  const maxRequests = limitName === "account" ? maxLoginsPerMinute : maxStrangeLoginsPerMinute;
  if (outcome === "rate_limited") requireRateLimit(request, outcome, { limitName, maxRequests, ...rate });
  return { passwordSalt, team: team ?? nilUuid, account, isKnown };
}

/** Requires that an operator has one team, after the right password. @throws {Problem} `conflict`. */
async function requireOneTeam(
  { sql }: Deps,
  email: string,
  hash: Uint8Array,
  settle: () => PromiseLike<unknown>,
): Promise<void> {
  const teams = await sql<{ id: string; name: string }[]>`
    select * from formd.operator_teams(p_email => ${email}, p_password_hash => ${hash})`;
  if (teams.length < 2) return;
  await settle();
  throw new Problem("conflict", {
    message: "The operator has a role in several teams: send teamId.",
    extras: { teams },
  });
}

/** Parses JSON, or the fields of a form post. @throws {Problem} `invalid_content_type`, `invalid_body`. */
function parseLogin(request: Request, bytes: Uint8Array): typeof LoginRequest.infer {
  if (isJson(request) || !isFormPost(request)) return parseBody(request, bytes, LoginRequest);
  return assertShape(Object.fromEntries(parseForm(request, bytes)), LoginRequest, "invalid_body");
}
