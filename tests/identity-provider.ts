/** Identity providers on this machine: oidc-provider, and one that signs whatever a test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import Provider from "oidc-provider";
import { onCleanup } from "./setup.ts";

export interface Account {
  email: string;
  email_verified: boolean;
  groups: string[];
}

export const clientOf = { clientId: "formd-at-the-provider", clientSecret: "a client secret of the tests" };

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A server that responds as `current` does. @returns its URL */
export async function listen(handler: { current: Handler }): Promise<string> {
  const server = createServer((request, response) => void handler.current(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onCleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function newKey(kid: string) {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, use: "sig", alg: "RS256" };
}

export interface Urls {
  redirectUri: string;
  backChannelLogoutUri: string;
}

/** An oidc-provider, which signs everybody in as `person` without asking. */
export async function identityProvider() {
  const handler: { current: Handler } = { current: (_, response) => response.writeHead(503).end() };
  const issuer = await listen(handler);
  const accounts = new Map<string, Account>();
  const made = {
    issuer,
    accounts,
    person: "",
    /** The scope for which the groups are sent. */
    groupsScope: "profile",
    isDown: false,
    configure,
    /** The same clients, with other keys. */
    rotate: () => configure(),
    client: [] as Urls[],
  };
  let keys = 0;
  let provider: Provider;

  /** Takes its keys anew, and the connections as clients. */
  async function configure(urls: Urls[] = made.client) {
    made.client = urls;
    const warn = console.info;
    console.info = () => {};
    provider = new Provider(issuer, {
      clients: urls.map(({ redirectUri, backChannelLogoutUri }) => ({
        client_id: clientOf.clientId,
        client_secret: clientOf.clientSecret,
        redirect_uris: [redirectUri],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        backchannel_logout_uri: backChannelLogoutUri,
        backchannel_logout_session_required: true,
      })),
      jwks: { keys: [await newKey(`key-${++keys}`)] },
      cookies: { keys: ["of the tests"] },
      claims: {
        ...{ openid: ["sub", "sid"], email: ["email", "email_verified"], profile: ["name"] },
        [made.groupsScope]: ["groups"],
      },
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (ctx, form) => {
            ctx.body = form;
          },
        },
      },
      pkce: { required: () => true },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, accountId) => ({
        accountId,
        claims: async () => ({ sub: accountId, ...accounts.get(accountId) }),
      }),
      loadExistingGrant: async (ctx) => {
        const grant = new ctx.oidc.provider.Grant({
          clientId: ctx.oidc.client?.clientId ?? "",
          accountId: ctx.oidc.session?.accountId ?? "",
        });
        grant.addOIDCScope(`openid email profile ${made.groupsScope}`);
        await grant.save();
        return grant;
      },
    });
    console.info = warn;
    const callback = provider.callback();
    handler.current = async (request, response) => {
      if (made.isDown) return response.destroy();
      if (!request.url?.startsWith("/interaction/")) return callback(request, response);
      await provider.interactionFinished(request, response, { login: { accountId: made.person } });
    };
  }
  await configure([]);
  return made;
}

/** Parts that a forged provider sends; the defaults are accepted by formd. */
export interface Forged {
  claims?: Record<string, unknown>;
  /** The ID token as it is sent. */
  token?: (claims: Record<string, unknown>, keys: ForgedKeys) => Promise<string>;
  status?: number;
  userinfo?: Record<string, unknown>;
}
export type ForgedKeys = Awaited<ReturnType<typeof forgedKeys>>;

async function forgedKeys(kid = "own") {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  return { privateKey, publicKey, publicJwk: { ...(await exportJWK(publicKey)), kid, use: "sig" } };
}

/** Claims as a JWT by the provider's own key. */
export const signedBy = async (
  { privateKey }: Pick<ForgedKeys, "privateKey">,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
) => await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "own", ...header }).sign(privateKey);

/** A provider that responds at once, and with whatever the test says. */
export async function forgedProvider() {
  let keys = await forgedKeys();
  const handler: { current: Handler } = { current: () => {} };
  const issuer = await listen(handler);
  const made = {
    issuer,
    get keys() {
      return keys;
    },
    rotate: async (kid: string) => {
      keys = await forgedKeys(kid);
    },
    forged: {} as Forged,
    /** The nonce of the last authorization request. */
    nonce: "",
    /** Number of requests for its keys, and how it responds to them. */
    keysRead: 0,
    keysStatus: 200,
    /** Number of requests in all. */
    requests: 0,
    /** Authorization codes that were exchanged. */
    exchanged: [] as URLSearchParams[],
    hasIss: true,
    isDown: false,
    /** Further metadata, which formd reads once. */
    metadata: {} as Record<string, unknown>,
    /** The assertion for a token exchange, as a client's agent asks for one (RFC 8693). */
    assertion: async (_asked: URLSearchParams): Promise<string> => "",
  };
  const json = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  handler.current = async (request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    made.requests++;
    if (made.isDown) return response.destroy();
    if (url.pathname.startsWith("/.well-known/oauth-")) return response.writeHead(404).end();
    if (url.pathname === "/.well-known/openid-configuration")
      return json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
        token_endpoint_auth_methods_supported: ["client_secret_post"],
        authorization_response_iss_parameter_supported: made.hasIss,
        ...made.metadata,
      });
    if (url.pathname === "/jwks") {
      made.keysRead++;
      return json(response, { keys: [keys.publicJwk] }, made.keysStatus);
    }
    if (url.pathname === "/userinfo") return json(response, { sub: "forged", ...made.forged.userinfo });
    const form = new URLSearchParams(await textOf(request));
    made.exchanged.push(form);
    if (form.get("grant_type")?.endsWith(":token-exchange"))
      return json(response, {
        access_token: await made.assertion(form),
        issued_token_type: form.get("requested_token_type"),
        token_type: "N_A",
      });
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: issuer, aud: clientOf.clientId, sub: "forged", nonce: made.nonce, iat: now, exp: now + 300 },
      ...{ email: "forged@corp.example", email_verified: true, groups: ["staff"], auth_time: now },
      ...made.forged.claims,
    };
    const sent = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    const token = await (made.forged.token?.(sent, keys) ?? signedBy(keys, sent));
    json(
      response,
      made.forged.status
        ? { error: "invalid_grant" }
        : { access_token: "opaque", token_type: "Bearer", id_token: token },
      made.forged.status,
    );
  };
  return made;
}
