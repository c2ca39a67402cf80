/** The matrix of docs/agents/mcp-clients.md: the official clients as npm has them, each way to connect. */
import { describe, expect, test } from "bun:test";
import type { KeyObject } from "node:crypto";
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from "@modelcontextprotocol/client";
import {
  ClientCredentialsProvider as OldClientCredentialsProvider,
  PrivateKeyJwtProvider as OldPrivateKeyJwtProvider,
} from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { baseOf, connect } from "../../mcp-client.ts";
import { readPage } from "../../pages.ts";
import { asAgent, ask } from "../../setup.ts";
import { makeSigner } from "../../signing.ts";
import { type Json, mcpFixture, submitTool, whole } from "./fixture.ts";

const { app, team, form, agentOf, connectAgent, post } = await mcpFixture();

/** Credentials of an agent. */
interface Credentials {
  clientId: string;
  secret: string;
  token: string;
  privateKey: KeyObject;
  /** The server's address. */
  base: string;
}
/** The options of a transport that authenticates in one way. */
type Way = (credentials: Credentials) => Json;

/** The ways to connect, by the classes of a client. */
const waysBy = (
  BySecret: typeof ClientCredentialsProvider,
  ByKey: typeof PrivateKeyJwtProvider,
): [string, Way][] => [
  ["the secret in a header", ({ secret }) => ({ requestInit: { headers: { "x-agent-secret": secret } } })],
  [
    "a token in a header",
    ({ token }) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  ],
  [
    "OAuth by secret",
    ({ clientId, secret: clientSecret, base: expectedIssuer }) => ({
      authProvider: new BySecret({ clientId, clientSecret, expectedIssuer }),
    }),
  ],
  [
    "OAuth by key",
    ({ clientId, privateKey: key, base: expectedIssuer }) => {
      const privateKey = key.export({ format: "jwk" }) as Record<string, unknown>;
      return { authProvider: new ByKey({ clientId, privateKey, algorithm: "EdDSA", expectedIssuer }) };
    },
  ],
];
const ways = waysBy(ClientCredentialsProvider, PrivateKeyJwtProvider);
const oldWays = waysBy(OldClientCredentialsProvider as never, OldPrivateKeyJwtProvider as never);

/** An agent of its own, since one may submit every 5 seconds. */
async function credentials(): Promise<Credentials> {
  const { id, secret, token } = await agentOf();
  const { privateKey } = await makeSigner(app, team, id);
  return { clientId: id, secret, token, privateKey, base: baseOf(app) };
}

async function submitBy(client: Pick<Json, "listTools" | "callTool" | "close">) {
  const { tools } = await client.listTools();
  const { name } = tools.find((tool: Json) => tool.name.startsWith("submit_"));
  const { structuredContent } = await client.callTool({ name, arguments: whole });
  await client.close();
  return structuredContent;
}

describe("@modelcontextprotocol/client lists, calls and submits", () => {
  test.each(ways)("by %s", async (_, way) => {
    const client = await connect(app, way(await credentials()));
    expect(await submitBy(client)).toMatchObject({ status: "completed" });
  });
});

describe("@modelcontextprotocol/sdk, of revision 2025-11-25, does the same", () => {
  test.each(oldWays)("by %s", async (_, way) => {
    const client = new OldClient({ name: "old", version: "1" });
    const url = new URL(`${baseOf(app)}/mcp`);
    await client.connect(new OldTransport(url, way(await credentials())) as never);
    expect(await submitBy(client)).toMatchObject({ status: "completed" });
  });
});

describe("a client that asks for fewer scopes", () => {
  const connectWith = async (scope: string, transport: Json = {}) => {
    const { clientId, secret: clientSecret, base: expectedIssuer } = await credentials();
    const authProvider = new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer, scope });
    const client = await connect(app, { authProvider, ...transport });
    return { client, authProvider };
  };
  const scopeOf = (provider: { tokens(): Json }) => provider.tokens().scope;
  const formId = () => ({ formId: form.id });

  test("has no tool for a form, lists the scopes that are left, and gets more when it calls for more", async () => {
    const { client, authProvider } = await connectWith("agent:read");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }: Json) => name)).toEqual(["form_get", "forms_list", "submit", "validate"]);
    const listed: Json = await client.callTool({ name: "forms_list", arguments: {} });
    expect(listed.structuredContent.forms).toEqual([
      expect.objectContaining({ id: form.id, scopes: ["agent:read"] }),
    ]);
    expect(Object.keys(listed.structuredContent.forms[0])).not.toContain("grantScopes");
    expect(scopeOf(authProvider)).toBe("agent:read");
    const checked: Json = await client.callTool({
      name: "validate",
      arguments: { ...formId(), data: whole },
    });
    expect(checked.structuredContent).toMatchObject({ valid: true });
    expect(scopeOf(authProvider)).toBe("agent:read agent:validate");
    await client.close();
  });

  test("is refused by RFC 6750 where it does not ask for more, by whatever tool", async () => {
    const { id, secret } = await agentOf();
    const [row] = await app.database.sql<{ clientId: string }[]>`
      select client_id from formd.agents where id = ${id}`;
    const asked = new URLSearchParams({
      ...{ grant_type: "client_credentials", client_id: row?.clientId ?? "", client_secret: secret },
      ...{ scope: "agent:read", resource: `${baseOf(app)}/mcp` },
    });
    const minted = await ask(app, "POST", "/oauth/token", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: String(asked),
    });
    const authorization = `Bearer ${minted.body.access_token}`;
    const ofForm = await submitTool(await connectAgent(await agentOf()));
    const refusals: [name: string, given: object, scope: string][] = [
      ["validate", { ...formId(), data: whole }, "agent:read agent:validate"],
      ["submit", { ...formId(), data: whole }, "agent:read agent:validate agent:submit"],
      [ofForm, whole, "agent:read agent:validate agent:submit"],
    ];
    for (const [name, given, scope] of refusals) {
      const params = { name, arguments: given };
      const { status, body, headers } = await post({ authorization }, { method: "tools/call", params });
      expect([name, status, body.code, headers.get("www-authenticate")]).toEqual([
        name,
        403,
        "missing_scope",
        `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${baseOf(app)}/.well-known/oauth-protected-resource/mcp"`,
      ]);
    }
    const params = { name: "form_get", arguments: formId() };
    expect((await post({ authorization }, { method: "tools/call", params })).status).toBe(200);
    // The token was requested for /mcp: with the form's access key it is not accepted.
    const headers = asAgent(form, { token: minted.body.access_token });
    expect((await ask(app, "GET", "/papi/v1/submitter/form", { headers })).status).toBe(401);
  });
});

test("the page names the versions that these are", () => {
  const { devDependencies } = JSON.parse(readPage("package.json"));
  for (const name of ["client", "sdk", "conformance"].map((each) => `@modelcontextprotocol/${each}`))
    expect(readPage("docs/agents/mcp-clients.md")).toContain(`\`${name}\` ${devDependencies[name]}`);
});
