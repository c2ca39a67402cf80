/** `private_key_jwt` by the libraries that people use, as they come from npm. */
import { describe, expect, test } from "bun:test";
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from "@modelcontextprotocol/client";
import { PrivateKeyJwtProvider as OldPrivateKeyJwtProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { baseOf, connect } from "../../mcp-client.ts";
import { type Agent, asAgent, ask, makeAgent, makeForm, makeTeam, permissive, service } from "../../setup.ts";

const app = await service(permissive);
const base = baseOf(app);
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);

/** A kind of key: how WebCrypto makes it, and what it is registered as. */
const kinds = {
  Ed25519: { algorithm: { name: "Ed25519" }, alg: "ed25519" },
  "P-256": { algorithm: { name: "ECDSA", namedCurve: "P-256" }, alg: "es256" },
} as const;
type Kind = keyof typeof kinds;

/** An agent whose key is registered by the route. */
async function agentWith(kind: Kind): Promise<Agent & { clientId: string; privateKey: CryptoKey }> {
  const agent = await makeAgent(app, team, form);
  const { algorithm, alg } = kinds[kind];
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const spki = Buffer.from(await crypto.subtle.exportKey("spki", pair.publicKey)).toString("base64");
  const { status, body } = await ask(app, "POST", `/papi/v1/identity/agents/${agent.id}/keys`, {
    headers: { "x-api-key": team.key },
    body: { publicKeyPem: `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`, alg },
  });
  expect([status, body.data.alg]).toEqual([200, alg]);
  return { ...agent, clientId: agent.id, privateKey: pair.privateKey };
}

const reads = async (token: string) =>
  (await ask(app, "GET", "/papi/v1/submitter/form", { headers: asAgent(form, { token }) })).status;

/** Discovers the server and asks for a token. */
async function tokenByOauth4webapi(client_id: string, auth: oauth.ClientAuth): Promise<string> {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(base);
  const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const client = { client_id };
  const sent = await oauth.clientCredentialsGrantRequest(server, client, auth, {}, insecure);
  return (await oauth.processClientCredentialsResponse(server, client, sent)).access_token;
}

describe.each(Object.keys(kinds) as Kind[])("with a key of %s", (kind) => {
  test("openid-client finds the server and gets a token", async () => {
    const { clientId, privateKey } = await agentWith(kind);
    const config = await openid.discovery(
      new URL(base),
      clientId,
      undefined,
      openid.PrivateKeyJwt(privateKey),
      { execute: [openid.allowInsecureRequests], algorithm: "oauth2" },
    );
    const { access_token } = await openid.clientCredentialsGrant(config, { resource: base });
    expect(await reads(access_token)).toBe(200);
  });

  test("oauth4webapi does", async () => {
    const { clientId, privateKey } = await agentWith(kind);
    expect(await reads(await tokenByOauth4webapi(clientId, oauth.PrivateKeyJwt(privateKey)))).toBe(200);
  });

  const names = kind === "Ed25519" ? ["EdDSA", "Ed25519"] : ["ES256"];
  const jwk = (key: CryptoKey) => crypto.subtle.exportKey("jwk", key) as Promise<Record<string, unknown>>;
  const pem = async (key: CryptoKey) => {
    const bytes = Buffer.from(await crypto.subtle.exportKey("pkcs8", key)).toString("base64");
    return new TextEncoder().encode(`-----BEGIN PRIVATE KEY-----\n${bytes}\n-----END PRIVATE KEY-----\n`);
  };

  test.each(names.flatMap((name) => [[name, "JWK", jwk] as const, [name, "PEM as bytes", pem] as const]))(
    "the MCP clients' provider does, as %s with the %s",
    async (algorithm, _, form) => {
      const { clientId, privateKey: key } = await agentWith(kind);
      const options = { clientId, privateKey: await form(key), algorithm, expectedIssuer: base };
      const client = await connect(app, { authProvider: new PrivateKeyJwtProvider(options) });
      expect((await client.listTools()).tools.length).toBeGreaterThan(4);
      const old = new OldClient({ name: "old", version: "1" });
      const authProvider = new OldPrivateKeyJwtProvider(options);
      await old.connect(new OldTransport(new URL(`${base}/mcp`), { authProvider }) as never);
      expect((await old.listTools()).tools.length).toBeGreaterThan(4);
    },
  );
});

test("by the secret, openid-client gets a token as basic and as post", async () => {
  const { id, secret } = await makeAgent(app, team, form);
  for (const way of [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)]) {
    const options = { execute: [openid.allowInsecureRequests], algorithm: "oauth2" as const };
    const config = await openid.discovery(new URL(base), id, undefined, way, options);
    expect(await reads((await openid.clientCredentialsGrant(config)).access_token)).toBe(200);
  }
});

test("so does oauth4webapi", async () => {
  const { id, secret } = await makeAgent(app, team, form);
  for (const way of [oauth.ClientSecretBasic(secret), oauth.ClientSecretPost(secret)])
    expect(await reads(await tokenByOauth4webapi(id, way))).toBe(200);
});

test("the MCP client's provider gets one by the secret", async () => {
  const { id, secret } = await makeAgent(app, team, form);
  const options = { clientId: id, clientSecret: secret, expectedIssuer: base };
  const client = await connect(app, { authProvider: new ClientCredentialsProvider(options) });
  expect((await client.listTools()).tools.length).toBeGreaterThan(4);
});
