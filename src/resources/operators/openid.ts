/**
 * Sign-in by OpenID Connect: the code flow with PKCE, `state`, `nonce` and `iss` (RFC 9207), and back-channel
 * logout. Each connection has its own redirect URI. Only the log has the reason of a failed sign-in.
 */
import { jwtVerify } from "jose";
import * as client from "openid-client";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { actorOf, toSql } from "../../platform/auth/actor.ts";
import { deviceName } from "../../platform/auth/device.ts";
import { sessionCookie } from "../../platform/auth/operator-session.ts";
import { makeSecret, nilUuid, sha256 } from "../../platform/auth/secret.ts";
import { rememberCaller } from "../../platform/auth/unknown-callers.ts";
import type { Config } from "../../platform/config.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { isStorable } from "../../platform/http/body.ts";
import { cookieHeader, cookieOf } from "../../platform/http/cookie.ts";
import { contextOf, rawQueryOf } from "../../platform/http/request-context.ts";
import { Problem } from "../../problem.ts";

import { endReplacedSession, endSession } from "./account.ts";
import {
  discover,
  fetchBy,
  inTurn,
  mayBeHttp,
  providerAlgorithms,
  providerKeys,
  reasonOf,
} from "./identity-provider.ts";
import { countFailures } from "./operator-sessions.ts";
import { storeChallenge } from "./passkeys.ts";

const { clockSkewSeconds, maxSubjectLength, maxWaitingLogouts, stateMinutes } = limits.signInConnection;
/** A provider without `auth_time` gives no re-authentication for risky actions. */
const unprovedSeconds = 86_400;

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

interface Connection {
  id: string;
  name: string;
  teamId: string | null;
  issuer: string;
  clientId: string;
  sealedSecret: Buffer;
  secretKey: string;
  groupsClaim: string;
  /** Empty: chosen by {@link scopesOf}. */
  scopes: string[];
  roles: { group: string; teamId: string }[];
}

/** State in the browser while its person is at the identity provider. */
interface State {
  connection: string;
  state: string;
  nonce: string;
  verifier: string;
  next: string;
  /** True if the person must authenticate there again. */
  isFresh: boolean;
  expiresAt: number;
}

/** Needed on the redirect from another site, so it is `SameSite=Lax`. The session's cookie is `Strict`. */
const stateCookie = (config: Config, value: string): string =>
  cookieHeader(config, "sign_in", value, value ? stateMinutes * 60 : 0, "Lax");

async function configurationOf(
  { config, masterKey }: Deps,
  { id, issuer, clientId, sealedSecret, secretKey }: Connection,
): Promise<client.Configuration> {
  const secret = await masterKey.of(secretKey).decrypt("sign-in-connection", id, sealedSecret);
  if (!secret) throw new Error("The client secret was sealed by a master key that is lost.");
  const text = new TextDecoder().decode(secret);
  const metadata = { client_secret: text, [client.clockTolerance]: clockSkewSeconds };
  const server = await discover(config, issuer);
  const methods = server.token_endpoint_auth_methods_supported;
  const isBasic = methods === undefined || methods.includes("client_secret_basic");
  const authentication = isBasic ? client.ClientSecretBasic(text) : client.ClientSecretPost(text);
  const configuration = new client.Configuration(server, clientId, metadata, authentication);
  configuration[client.customFetch] = fetchBy(config);
  if (mayBeHttp(config)) client.allowInsecureRequests(configuration);
  // Verifies the signature of the ID token, which the library otherwise leaves to TLS.
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

async function connectionOf(sql: Sql, id: string): Promise<Connection> {
  const [row] = await sql<Connection[]>`
    select id, name, team_id, issuer, client_id, sealed_secret, secret_key, groups_claim, scopes, roles
    from formd.sign_in_connections where id = ${id}`;
  if (!row) throw new Problem("not_found", say("connection_missing"));
  return row;
}

/**
 * Returns the same response for every failure. The log has the reason.
 * @throws {Problem} if this server lacks something, such as a master key
 */
function failed(request: Request, error: unknown): Problem {
  if (error instanceof Problem) throw error;
  contextOf(request).cause = { reason: `openid: ${reasonOf(error)}` };
  return new Problem("unauthorized", say("sign_in_failed"));
}

/** Scopes to ask for. Some providers send groups for such a scope only, others refuse an unknown scope. */
function scopesOf({ scopes, roles }: Connection, { scopes_supported }: client.ServerMetadata): string {
  const isOffered = [scopes_supported].flat().includes("groups");
  const isNeeded = roles.some(({ group }) => group !== "*");
  const further = scopes.length === 0 && isOffered && isNeeded ? ["groups"] : scopes;
  return [...new Set(["openid", "email", "profile", ...further])].join(" ");
}

/** Hash by which the database knows a state, which its return uses up. */
const hashOfState = (state: string): Uint8Array => sha256(`sign-in ${state}`);

/**
 * Begins a sign-in at the identity provider, and counts it before a request is sent there.
 * @param isFresh true if the person must authenticate there again
 * @returns the URL to redirect to, and the cookie for the callback
 * @throws {Problem} `rate_limited`; `not_found`; `unauthorized` when the provider fails.
 */
export async function beginSignIn(
  deps: Deps,
  request: Request,
  { id, next, isFresh, redirectUri }: { id: string; next: string; isFresh: boolean; redirectUri: string },
): Promise<{ location: string; cookie: string }> {
  const state = client.randomState();
  await storeChallenge(deps, request, { hash: hashOfState(state), operator: null, minutes: stateMinutes });
  const connection = await connectionOf(deps.sql, id);
  try {
    const configuration = await configurationOf(deps, connection);
    const kept: State = {
      connection: id,
      state,
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      next,
      isFresh,
      expiresAt: Date.now() + stateMinutes * 60_000,
    };
    const location = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: scopesOf(connection, configuration.serverMetadata()),
      state: kept.state,
      nonce: kept.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(kept.verifier),
      code_challenge_method: "S256",
      ...(isFresh && { prompt: "login", max_age: String(limits.operatorSession.proofMinutes * 60) }),
    });
    return { location: location.href, cookie: await keep(deps, "sign-in-state", kept) };
  } catch (error) {
    throw failed(request, error);
  }
}

/** A session that the browser gets once its person has seen whose it is. Until then nothing authenticates. */
export interface PendingSession extends Pick<State, "connection" | "next" | "expiresAt"> {
  team: string;
  /** Secret by which it is opened, once. It is no session's. */
  token: string;
  connectionName: string;
  email: string;
  teamName: string;
}

/** Purposes of what is sealed in the browser's cookie: one cookie, one after the other. */
interface Kept {
  "sign-in-state": State;
  "sign-in-session": PendingSession;
}

/** The cookie of a sign-in in progress. */
async function keep<Step extends keyof Kept>(
  { config, masterKey }: Deps,
  step: Step,
  kept: Kept[Step],
): Promise<string> {
  const sealed = await masterKey.encrypt(step, "", Buffer.from(JSON.stringify(kept)));
  return stateCookie(config, sealed.toString("base64url"));
}

/** @throws {Error} if the browser has nothing of this step, or of another connection, or it has expired */
async function keptIn<Step extends keyof Kept>(
  { config, masterKey }: Deps,
  request: Request,
  step: Step,
  id: string,
): Promise<Kept[Step]> {
  const value = cookieOf(config, request, "sign_in");
  if (!value) throw new Error("The browser has not begun a sign-in.");
  const bytes = await masterKey.decryptByAny(step, "", Buffer.from(value, "base64url"));
  if (!bytes) throw new Error("The browser's state is not of this server.");
  const state = JSON.parse(new TextDecoder().decode(bytes)) as Kept[Step];
  if (state.connection !== id) throw new Error("The browser has begun a sign-in by another connection.");
  if (state.expiresAt < Date.now()) throw new Error("The sign-in has taken too long.");
  return state;
}

interface Person {
  subject: string;
  /** Null: not verified. */
  email: string | null;
  /** Undefined: the provider has sent no such claim. */
  groups: string[] | undefined;
  /** Time of the authentication in seconds since 1970. Undefined: the provider does not state it. */
  authenticatedAt: number | undefined;
  providerSession: string | null;
}

async function personOf(
  configuration: client.Configuration,
  { groupsClaim }: Connection,
  url: URL,
  { state, nonce, verifier, isFresh }: State,
): Promise<Person> {
  const tokens = await client.authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
    ...(isFresh && { maxAge: limits.operatorSession.proofMinutes * 60 }),
  });
  const own = tokens.claims();
  if (!own) throw new Error("The identity provider has sent no ID token.");
  const { sub: subject } = own;
  const isWhole = ["email", "email_verified", groupsClaim].every((name) => own[name] !== undefined);
  const hasMore = !isWhole && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const more = hasMore ? await client.fetchUserInfo(configuration, tokens.access_token, subject) : {};
  const claims: Record<string, unknown> = { ...more, ...own };
  // Address and verification come from one source: a verification covers only the address beside it.
  const isOwn = own.email !== undefined && own.email_verified !== undefined;
  const { email, email_verified: isVerified }: Record<string, unknown> = isOwn ? own : more;
  const { auth_time: authenticatedAt, sid } = claims;
  const groups = [claims[groupsClaim]]
    .flat()
    .filter((group) => typeof group === "string")
    .filter(isStorable);
  const isId = (text: string) => text !== "" && text.length <= maxSubjectLength && isStorable(text);
  // The stored text must equal the sent text: otherwise two subjects could become one.
  if (!isId(subject) || (typeof sid === "string" && !isId(sid)))
    throw new Error(
      `The subject or the session has none, or more than ${maxSubjectLength} characters, or U+0000.`,
    );
  const isUsable = typeof email === "string" && email.length <= limits.operator.maxEmailLength;
  return {
    subject,
    email: isUsable && isVerified === true && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) ? email : null,
    groups: claims[groupsClaim] === undefined ? undefined : groups,
    authenticatedAt: typeof authenticatedAt === "number" ? authenticatedAt : undefined,
    providerSession: typeof sid === "string" ? sid : null,
  };
}

/** Hash by which the database knows a session that waits for its person's click. */
const hashOfPending = (token: string): Uint8Array => sha256(`sign-in-session ${token}`);

/**
 * Prepares a session. A link of another site can begin a sign-in, so {@link takeSession} opens it, after a
 * click on the page that names the account.
 * @returns the session, and the cookie that keeps it until then
 * @throws {Problem} `not_found`; `unauthorized`, the same for every reason.
 */
export async function finishSignIn(
  deps: Deps,
  request: Request,
  { id, redirectUri }: { id: string; redirectUri: string },
): Promise<PendingSession & { cookie: string }> {
  const { sql, config } = deps;
  const connection = await connectionOf(sql, id);
  const { next, person } = await identify(deps, request, connection, redirectUri).catch((error: unknown) => {
    throw failed(request, error);
  });
  const { subject, email, groups = [], authenticatedAt, providerSession } = person;
  const given = connection.roles.find(({ group }) => group === "*" || groups.includes(group));
  const team = connection.teamId ?? given?.teamId ?? nilUuid;
  const token = client.randomState();
  const provedSeconds =
    authenticatedAt === undefined ? unprovedSeconds : Math.max(Date.now() / 1000 - authenticatedAt, 0);
  const { outcome } = await rowOf(sql<{ outcome: string }[]>`
    select formd.operator_login_connection(
      p_connection => ${id}, p_team => ${team}, p_actor => ${toSql(sql, actorOf(request, "anonymous", null))},
      p_operator => ${uuidv7()}, p_subject => ${subject}, p_email => ${email}, p_groups => ${groups},
      p_proof => ${`${Math.round(provedSeconds)} seconds`}, p_provider_session => ${providerSession}, p_session => ${uuidv7()},
      p_token_hash => ${hashOfPending(token)}, p_lifetime => ${`${stateMinutes} minutes`},
      p_device => ${deviceName(request)}, p_client_ip => ${config.LOG_CLIENT_IP ? contextOf(request).clientIp : null}) as outcome`);
  const hasNoClaim = outcome === "no_role" && person.groups === undefined;
  const reason = hasNoClaim ? `The provider sent no claim ${connection.groupsClaim}.` : reasons[outcome];
  if (outcome !== "allowed") throw failed(request, new Error(reason));
  const [{ name: teamName }] = await sql<[{ name: string }]>`
    select name from formd.teams where team_id = ${team}`;
  const expiresAt = Date.now() + stateMinutes * 60_000;
  const pending = { connection: id, connectionName: connection.name, team, token, next, teamName, expiresAt };
  const whole = { ...pending, email: email?.toLowerCase() ?? "" };
  return { ...whole, cookie: await keep(deps, "sign-in-session", whole) };
}

/** @throws {Problem} `unauthorized` if the browser has no session that waits, as after its use. */
export const pendingSession = (deps: Deps, request: Request, id: string): Promise<PendingSession> =>
  keptIn(deps, request, "sign-in-session", id).catch((error: unknown) => {
    throw failed(request, error);
  });

/**
 * Opens the session, once, and ends the one that the browser had.
 * @returns cookies of the session, in place of the sign-in in progress
 * @throws {Problem} `unauthorized` if it was opened, or ended by the provider.
 */
export async function takeSession(deps: Deps, request: Request, { team, token }: PendingSession) {
  const { sql, config } = deps;
  const { secret, hash } = makeSecret("fdo", team);
  const actor = actorOf(request, "anonymous", null);
  const { isTaken } = await rowOf(sql<{ isTaken: boolean }[]>`
    select formd.operator_session_take(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_prepared_hash => ${hashOfPending(token)},
      p_token_hash => ${hash}, p_lifetime => ${`${limits.operatorSession.lifetimeHours} hours`}) as is_taken`);
  if (!isTaken) throw failed(request, new Error("The session was opened already, or has ended."));
  await endReplacedSession(deps, request);
  rememberCaller(hash);
  return [sessionCookie(config, secret), stateCookie(config, "")];
}

/** Ends a session that its person does not take. @returns cookies that remove the sign-in in progress */
export async function refuseSession(deps: Deps, request: Request, { team, token }: PendingSession) {
  await endSession(deps.sql, actorOf(request, "anonymous", null), { team, hash: hashOfPending(token) });
  return [stateCookie(deps.config, "")];
}

async function identify(deps: Deps, request: Request, connection: Connection, redirectUri: string) {
  const state = await keptIn(deps, request, "sign-in-state", connection.id);
  const url = new URL(redirectUri + rawQueryOf(request));
  if (url.searchParams.get("state") !== state.state) throw new Error("The return has another state.");
  const { isUsed } = await rowOf(deps.sql<{ isUsed: boolean }[]>`
    select formd.passkey_challenge_use(p_hash => ${hashOfState(state.state)}, p_operator => null) as is_used`);
  if (!isUsed) throw new Error("The state was used already.");
  const configuration = await configurationOf(deps, connection);
  return { next: state.next, person: await personOf(configuration, connection, url, state) };
}

const reasons: Record<string, string> = {
  unknown_connection: "The connection was removed meanwhile.",
  email: "The identity provider has verified no address of a domain of the connection.",
  no_role: "No group of the person gives a role.",
};

/**
 * Ends sessions by a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). Idempotent.
 * Providers end sessions of many people at once, from one client IP: a few at a time. Wrong tokens count,
 * and never keep a right one out: they cost a look-up and a signature, and one read of keys per cooldown.
 * @throws {Problem} `not_found`; `bad_request`, the same for every reason; `rate_limited`.
 */
export const endByProvider = async (deps: Deps, request: Request, id: string, token: string): Promise<void> =>
  inTurn(`logout by ${contextOf(request).rateLimitKey}`, maxWaitingLogouts, () =>
    countFailures(deps, request, "provider-logout", () => endSessionsBy(deps, request, id, token)),
  );

async function endSessionsBy(deps: Deps, request: Request, id: string, token: string): Promise<void> {
  const { sql } = deps;
  const connection = await connectionOf(sql, id);
  const { subject, session } = await verifyLogout(deps.config, connection, token).catch((error: unknown) => {
    failed(request, error);
    throw new Problem("bad_request", "The logout token was not accepted.");
  });
  await sql`
    select formd.operator_logout_connection(
      p_connection => ${id}, p_actor => ${toSql(sql, actorOf(request, "anonymous", null))},
      p_subject => ${subject}, p_provider_session => ${session})`;
}

async function verifyLogout(config: Config, connection: Connection, token: string) {
  const { clientId } = connection;
  const { issuer, keys } = await providerKeys(config, connection.issuer);
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: providerAlgorithms,
    clockTolerance: clockSkewSeconds,
    maxTokenAge: stateMinutes * 60,
    requiredClaims: ["exp", "jti"],
  });
  const { typ = "jwt" } = protectedHeader;
  const { sub, sid, nonce, events } = payload;
  const event = (events as Record<string, unknown> | undefined)?.[logoutEvent];
  if (!/^(?:logout\+)?jwt$/i.test(typ) || typeof event !== "object" || nonce !== undefined)
    throw new Error("It is no logout token.");
  const subject = typeof sub === "string" ? sub : null;
  const session = typeof sid === "string" ? sid : null;
  if (subject === null && session === null) throw new Error("It names neither a subject nor a session.");
  return { subject, session };
}
