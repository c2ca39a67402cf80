/** Requests to identity providers (OpenID Connect): their metadata, their keys, and reasons of failures. */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { LRUCache } from "lru-cache";
import * as client from "openid-client";
import pLimit, { type LimitFunction } from "p-limit";
import { limits } from "../../limits.ts";
import type { Config } from "../../platform/config.ts";
import { networksFor } from "../../platform/outgoing/guard.ts";
import { errorSentence, sendOutgoing } from "../../platform/outgoing/request.ts";
import { Problem } from "../../problem.ts";

const {
  discoveryMinutes,
  keysCooldownSeconds,
  maxConcurrentRequests,
  maxResponseBytes,
  maxWaitingRequests,
  timeoutSeconds,
} = limits.signInConnection;
const maxReasonCharacters = 300;

/** Signatures by a private key of the provider. With HS256 its public key could sign. */
export const providerAlgorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(
  " ",
);

/** Turns by provider and by client IP. Each is kept while it is in use, so that strangers displace none. */
const turns = new Map<string, LimitFunction>();

/** Runs a few acts of a kind at a time. @throws {Problem} `unavailable` if `maxWaiting` wait already */
export async function inTurn<T>(kind: string, maxWaiting: number, act: () => Promise<T>): Promise<T> {
  const turn = turns.get(kind) ?? pLimit(maxConcurrentRequests);
  if (turn.pendingCount >= maxWaiting) throw new Problem("unavailable");
  turns.set(kind, turn);
  try {
    return await turn(act);
  } finally {
    if (turn.activeCount + turn.pendingCount === 0) turns.delete(kind);
  }
}

/** Requests of a library to an identity provider. */
export const fetchBy =
  (config: Config): client.CustomFetch =>
  async (url, { method, headers, body }) => {
    const bytes =
      body instanceof URLSearchParams || typeof body === "string" ? Buffer.from(body.toString()) : undefined;
    const destination = new URL(url);
    const received = await inTurn(destination.origin, maxWaitingRequests, () =>
      sendOutgoing(destination, {
        ...{ method, headers: Object.fromEntries(new Headers(headers)), body: bytes },
        ...{ networks: networksFor(config, "provider"), timeoutSeconds, maxBytes: maxResponseBytes },
      }),
    );
    if (received.isCut) throw new Error(`The response has more than ${maxResponseBytes} bytes.`);
    const { status, body: text } = received;
    const type = { "content-type": received.headers["content-type"] ?? "" };
    return new Response(status === 204 ? null : text.toString(), { status, headers: type });
  };

/** Metadata without keys: a provider that changes its keys signs with the new ones at once. */
const discovered = new LRUCache<string, Promise<client.ServerMetadata>>({
  max: 100,
  ttl: discoveryMinutes * 60_000,
});

export const mayBeHttp = (config: Config) => networksFor(config, "provider").length > 0;

/**
 * The metadata of an identity provider, read once, and after a failure once per cooldown: a stranger's
 * request can need it. @throws {Error} if it is missing or incomplete.
 */
export function discover(config: Config, issuer: string): Promise<client.ServerMetadata> {
  const known = discovered.get(issuer);
  if (known) return known;
  const read = readMetadata(config, issuer);
  discovered.set(issuer, read);
  read.catch(() => discovered.set(issuer, read, { ttl: keysCooldownSeconds * 1000 }));
  return read;
}

async function readMetadata(config: Config, issuer: string): Promise<client.ServerMetadata> {
  const found = await client.discovery(new URL(issuer), "formd", undefined, client.None(), {
    [client.customFetch]: fetchBy(config),
    ...(mayBeHttp(config) && { execute: [client.allowInsecureRequests] }),
  });
  const { supportsPKCE: _, ...metadata } = found.serverMetadata();
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const)
    if (!metadata[name]) throw new Error(`The identity provider has no ${name}.`);
  return metadata;
}

/** Key sets by `jwks_uri`. A missing key causes a new read, at most one per cooldown. */
const keySets = new LRUCache<string, JWTVerifyGetKey>({ max: 100 });

/**
 * The name and the keys of an identity provider, for assertions of agents and for logouts, which may be
 * frequent: unlike a sign-in, they cause no request there. @throws {Error}: its metadata is missing or
 * incomplete
 */
export async function providerKeys(config: Config, issuer: string) {
  const { issuer: name, jwks_uri = "" } = await discover(config, issuer);
  const known = keySets.get(jwks_uri);
  if (known) return { issuer: name, keys: known };
  const cooldownDuration = keysCooldownSeconds * 1000;
  let nextReadAt = 0;
  /** The library's cooldown begins with a success only. */
  const read = async (...request: Parameters<client.CustomFetch>) => {
    if (Date.now() < nextReadAt) throw new Error("The keys could not be read a moment ago.");
    nextReadAt = Date.now() + cooldownDuration;
    return await fetchBy(config)(...request);
  };
  const keys = createRemoteJWKSet(new URL(jwks_uri), {
    [customFetch]: read as typeof fetch,
    cacheMaxAge: discoveryMinutes * 60_000,
    cooldownDuration,
    timeoutDuration: timeoutSeconds * 1000,
  });
  keySets.set(jwks_uri, keys);
  return { issuer: name, keys };
}

/** Claims and members that name no person. The log may have their expected value. */
const loggable: unknown[] = ["iss", "aud", "azp", "issuer"];

/** Adds the provider's own code, or the expected value, and never a value of a person. */
function detailOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError)
    return `: ${error.error}`;
  const { cause } = error as { cause?: { claim?: string; attribute?: string; expected?: unknown } };
  const isLoggable = loggable.includes(cause?.claim ?? cause?.attribute) && cause?.expected !== undefined;
  return isLoggable ? `; expected is ${cause.expected}` : "";
}

/** Reason why a request to an identity provider failed. The library's own error is "something went wrong". */
export function reasonOf(error: unknown): string {
  const inner = error instanceof client.ClientError && error.cause instanceof Error ? error.cause : error;
  const sentence = `${errorSentence(inner, maxReasonCharacters)}${detailOf(inner)}`;
  return sentence.slice(0, maxReasonCharacters).toWellFormed();
}
