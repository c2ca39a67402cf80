/**
 * Passkeys of operators (WebAuthn level 3): discoverable and with user verification, thus two factors.
 * Attestation is not requested.
 */
import "reflect-metadata";
import { type } from "arktype";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { type Actor, actorOf, toSql } from "../../platform/auth/actor.ts";
import type { Authentication } from "../../platform/auth/authenticate.ts";
import { deviceCookie, deviceName, knownDevice } from "../../platform/auth/device.ts";
import { sessionCookie, startOf } from "../../platform/auth/operator-session.ts";
import { makeSecret, nilUuid, sha256 } from "../../platform/auth/secret.ts";
import { rememberCaller } from "../../platform/auth/unknown-callers.ts";
import type { Config } from "../../platform/config.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { siteRateLimitKey } from "../../platform/http/client-ip.ts";
import { requireRateLimit } from "../../platform/http/rate-limits.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { hasOutbox } from "../../platform/mail/smtp.ts";
import { Problem } from "../../problem.ts";
import { endReplacedSession } from "./account.ts";

export interface Passkey {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/**
 * The library loads packages for certificates: only a server with passkeys spends that time. In the one-file
 * build these run before an import of the polyfill that they require; the import above has run.
 */
const library = () => import("@simplewebauthn/server");

const Text = type.string.atMostLength(limits.passkey.maxResponseLength);

/** Used members of `PublicKeyCredential.toJSON()` (WebAuthn level 3, section 5.1). */
const Common = { id: Text, rawId: Text, type: "'public-key'" } as const;
const Json = type.string.atMostLength(4 * limits.passkey.maxResponseLength).to("string.json.parse");
const Assertion = Json.to({
  ...Common,
  response: {
    clientDataJSON: Text,
    authenticatorData: Text,
    signature: Text,
    "userHandle?": Text.or("null"),
  },
});
const Registration = Json.to({ ...Common, response: { clientDataJSON: Text, attestationObject: Text } });

/** Step at which a response is refused, for the log. The page shows none. */
type Step = "shape" | "challenge" | "unknown" | "user" | "verification" | "counter";

const originOf = ({ BASE_URL }: Config): string => new URL(BASE_URL).origin;

/** The RP ID: the host of BASE_URL. */
const rpIdOf = ({ BASE_URL }: Config): string => new URL(BASE_URL).hostname;

/** Browsers support passkeys for https names and for localhost (WebAuthn level 3, section 5.1.3). */
export const arePasskeysPossible = (config: Config): boolean =>
  rpIdOf(config) === "localhost" ||
  (originOf(config).startsWith("https:") && !/^[\d.]+$|^\[/.test(rpIdOf(config)));

const { challengeMinutes } = limits.passkey;
const timeout = challengeMinutes * 60_000;

const hashOfChallenge = (challenge: string): Uint8Array => sha256(`passkey ${challenge}`);

/**
 * Stores what is accepted once: the challenge of a passkey, or the state of a sign-in by a connection.
 * @param operator who registers a passkey; null: a sign-in, which counts @throws {Problem} `rate_limited`.
 */
export async function storeChallenge(
  deps: Deps,
  request: Request,
  { hash, operator, minutes }: { hash: Uint8Array; operator: string | null; minutes: number },
) {
  const { clientIp, rateLimitKey } = contextOf(request);
  const perIp = deps.config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE;
  const perSite = perIp * limits.operator.loginsPerSiteFactor;
  const { outcome, limitName, ...rate } = await rowOf(deps.sql<(Authentication & { limitName: string })[]>`
    select * from formd.passkey_challenge_make(
      p_hash => ${hash}, p_operator => ${operator}, p_ip => ${rateLimitKey},
      p_site => ${siteRateLimitKey(clientIp) ?? null}, p_limit => ${perIp}, p_site_limit => ${perSite},
      p_lifetime => ${`${minutes} minutes`})`);
  if (operator === null)
    requireRateLimit(request, outcome, {
      limitName,
      maxRequests: limitName === "site" ? perSite : perIp,
      ...rate,
    });
}

/** Returns the options of a sign-in with any passkey. One round trip. @throws {Problem} `rate_limited`. */
export async function signInOptions(deps: Deps, request: Request) {
  const options = await (await library()).generateAuthenticationOptions({
    rpID: rpIdOf(deps.config),
    userVerification: "required",
    timeout,
  });
  const hash = hashOfChallenge(options.challenge);
  await storeChallenge(deps, request, { hash, operator: null, minutes: challengeMinutes });
  return options;
}

export async function registrationOptions(
  deps: Deps,
  request: Request,
  { operator, email }: { operator: string; email: string },
) {
  const known = await deps.sql<{ credentialId: Uint8Array }[]>`
    select credential_id from formd.operator_passkeys where operator_id = ${operator}`;
  const options = await (await library()).generateRegistrationOptions({
    rpName: "formd",
    rpID: rpIdOf(deps.config),
    userID: userHandleOf(operator),
    userName: email,
    attestationType: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: known.map(({ credentialId }) => ({ id: base64url(credentialId) })),
    timeout,
  });
  const hash = hashOfChallenge(options.challenge);
  await storeChallenge(deps, request, { hash, operator, minutes: challengeMinutes });
  return options;
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const userHandleOf = (operator: string) => new Uint8Array(Buffer.from(operator.replaceAll("-", ""), "hex"));

/** The challenge that a response names, or "". SQL checks that it exists. */
function challengeOf(clientDataJSON: string): string {
  try {
    return String(JSON.parse(String(Buffer.from(clientDataJSON, "base64url"))).challenge);
  } catch {
    return "";
  }
}

const invalid = () => new Problem("bad_request", say("passkey_not_made"));

/**
 * Registers a passkey, and mails its person. @param credential `PublicKeyCredential.toJSON()` as text
 * @throws {Problem} `bad_request`, `conflict`.
 */
export async function registerPasskey(
  deps: Deps,
  request: Request,
  actor: Actor,
  { team, credential, name }: { team: string; credential: string; name: string },
): Promise<void> {
  const { sql, config } = deps;
  const response = Registration(credential);
  if (response instanceof type.errors) throw invalid();
  const challenge = challengeOf(response.response.clientDataJSON);
  const { registrationInfo } = await (await library())
    .verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: originOf(config),
      expectedRPID: rpIdOf(config),
    })
    .catch((): { registrationInfo?: undefined } => ({}));
  if (!registrationInfo) {
    contextOf(request).cause = { reason: "passkey-verification" };
    throw invalid();
  }
  const { id, publicKey, counter } = registrationInfo.credential;
  await sql`
    select formd.passkey_register(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_challenge_hash => ${hashOfChallenge(challenge)}, p_id => ${uuidv7()},
      p_credential_id => ${Buffer.from(id, "base64url")}, p_public_key => ${Buffer.from(publicKey)}, p_counter => ${counter},
      p_name => ${name.trim()}, p_is_mailed => ${hasOutbox(deps)})`;
}

interface Found {
  isFresh: boolean;
  passkeyId: string | null;
  operatorId: string;
  publicKey: Uint8Array;
  counter: string;
  email: string;
  teamId: string | null;
}

/** A response with a valid signature of a challenge. SQL has yet to accept its counter. */
interface Verified {
  passkey: string;
  operator: string;
  email: string;
  team: string;
  counter: number;
}

/** Verifies the signature of a passkey. @returns the new counter; undefined: the signature is not valid */
async function verifyWith(config: Config, response: typeof Assertion.infer, challenge: string, found: Found) {
  const { userHandle, ...rest } = response.response;
  return await (await library())
    .verifyAuthenticationResponse({
      response: { ...response, response: rest, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: originOf(config),
      expectedRPID: rpIdOf(config),
      requireUserVerification: true,
      // SQL compares the counter, under the lock of the passkey.
      credential: { id: response.id, publicKey: new Uint8Array(found.publicKey), counter: 0 },
    })
    .then(
      ({ verified, authenticationInfo }) => (verified ? authenticationInfo.newCounter : undefined),
      () => undefined,
    );
}

/**
 * Verifies a response. Two round trips are needed: this one reads the key and consumes the challenge; the
 * other writes the result. With one, a session, a counter and an event of the audit would exist before the
 * signature is verified. The second costs 0.4 ms of about 14 ms.
 * @returns the verified passkey, or the step that fails, with the operator if known
 */
async function verify(
  { sql, config }: Deps,
  credential: string,
): Promise<Verified | { step: Step; operator?: string }> {
  const response = Assertion(credential);
  if (response instanceof type.errors) return { step: "shape" };
  const challenge = challengeOf(response.response.clientDataJSON);
  const found = await rowOf(sql<Found[]>`
    select * from formd.passkey_find(
      p_challenge_hash => ${hashOfChallenge(challenge)}, p_credential_id => ${Buffer.from(response.id, "base64url")})`);
  // The order matters: without a challenge of this server nothing about an account is disclosed or recorded.
  if (!found.isFresh) return { step: "challenge" };
  if (found.passkeyId === null) return { step: "unknown" };
  const operator = found.operatorId;
  const { userHandle } = response.response;
  if (userHandle && userHandle !== base64url(userHandleOf(operator))) return { step: "user", operator };
  const counter = await verifyWith(config, response, challenge, found);
  if (counter === undefined) return { step: "verification", operator };
  const { passkeyId: passkey, email, teamId } = found;
  return { passkey, operator, email, team: teamId ?? nilUuid, counter };
}

/** Logs the failed step, and records the failure in the audit of the operator's teams. */
async function refuse(
  { sql }: Deps,
  request: Request,
  { step, operator }: { step: Step; operator?: string },
): Promise<void> {
  contextOf(request).cause = { reason: `passkey-${step}` };
  if (operator === undefined) return;
  contextOf(request).account = operator;
  const actor = toSql(sql, actorOf(request, "anonymous", null));
  await sql`select formd.operator_sign_in_failed(p_operator => ${operator}, p_actor => ${actor})`;
}

/**
 * Opens a session by a passkey, in the team that its person joined first. The session that the browser had
 * ends; a sign-in from another browser is mailed.
 * @returns the cookies of session and browser @throws {Problem} `unauthorized`, the same for every reason.
 */
export async function openPasskeySession(deps: Deps, request: Request, credential: string) {
  const { sql, config } = deps;
  const verified = await verify(deps, credential);
  const failed = async (failure: { step: Step; operator?: string }) => {
    await refuse(deps, request, failure);
    return new Problem("unauthorized", say("passkey_not_accepted"));
  };
  if ("step" in verified) throw await failed(verified);
  const { passkey, operator, email, team, counter } = verified;
  const device = knownDevice(deps, request, email);
  const { secret, hash } = makeSecret("fdo", team);
  const [opened] = await sql<{ operatorId: string; expiresAt: Date; isKnown: boolean }[]>`
    select * from formd.operator_login_passkey(
      p_team => ${team}, p_actor => ${toSql(sql, actorOf(request, "anonymous", null))}, p_passkey => ${passkey},
      p_counter => ${counter}, p_session => ${uuidv7()}, p_token_hash => ${hash},
      p_lifetime => ${`${limits.operatorSession.lifetimeHours} hours`}, p_device => ${deviceName(request)},
      p_client_ip => ${config.LOG_CLIENT_IP ? contextOf(request).clientIp : null},
      p_known_device => ${device ?? null}, p_sends_mail => ${hasOutbox(deps)})`;
  if (!opened) throw await failed({ step: "counter", operator });
  await endReplacedSession(deps, request);
  rememberCaller(hash);
  return [
    sessionCookie(config, secret),
    ...(opened.isKnown ? [] : [deviceCookie(deps, email, startOf(opened.expiresAt))]),
  ];
}

/** Re-authenticates the session's operator by a passkey. @returns false if it was not accepted */
export async function provePasskey(
  deps: Deps,
  request: Request,
  session: { team: string; hash: Uint8Array },
  credential: string,
): Promise<boolean> {
  const verified = await verify(deps, credential);
  if ("step" in verified) {
    await refuse(deps, request, verified);
    return false;
  }
  const { passkey, operator, counter } = verified;
  const { isProved } = await rowOf(deps.sql<{ isProved: boolean }[]>`
    select formd.operator_prove_passkey(
      p_team => ${session.team}, p_token_hash => ${session.hash}, p_passkey => ${passkey}, p_counter => ${counter}) as is_proved`);
  if (!isProved) await refuse(deps, request, { step: "counter", operator });
  return isProved;
}

export const listPasskeys = async (sql: Sql, operator: string): Promise<Passkey[]> =>
  await sql<Passkey[]>`
    select id, name, created_at, last_used_at from formd.operator_passkeys
    where operator_id = ${operator} order by id`;

/** @throws {Problem} `bad_request`, `not_found`. */
export async function renamePasskey(sql: Sql, actor: Actor, id: string, name: string): Promise<void> {
  await sql`select formd.passkey_rename(p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_name => ${name.trim()})`;
}

/** Removes a passkey, and sessions by any. @param hash of the kept one @throws {Problem} `not_found`. */
export async function removePasskey(sql: Sql, actor: Actor, id: string, hash: Uint8Array): Promise<void> {
  await sql`
    select formd.passkey_remove(p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_token_hash => ${hash})`;
}

/** Removes all passkeys of an operator, like {@link removePasskey}. @throws {Problem} `not_found`. */
export async function removePasskeys(sql: Sql, actor: Actor, email: string): Promise<number> {
  const { removed } = await rowOf(sql<{ removed: number }[]>`
    select formd.operator_remove_passkeys(p_actor => ${toSql(sql, actor)}, p_email => ${email}) as removed`);
  return removed;
}
