import { beforeAll, describe, expect, test } from "bun:test";
import { type JWTPayload, SignJWT } from "jose";
import { outcome } from "../../expect.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Reply,
  type RequestOptions,
  type Server,
  type Service,
  server,
  service,
  type Team,
} from "../../setup.ts";
import { type Key, makeSigner, newKey } from "../../signing.ts";

let app: Service;
/** The server's BASE_URL. */
let base: string;
/** A second process on the same database. */
let there: Server;
let team: Team;
let form: PublishedForm;
let agent: Agent;
let clientId: string;
let key: Key;

beforeAll(async () => {
  app = await service(permissive);
  base = app.url.replace("127.0.0.1", "localhost");
  there = await server({ DATABASE_URL: app.database.url, ...permissive, BASE_URL: base });
  team = await makeTeam(app);
  form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);
  agent = await makeAgent(app, team, form);
  clientId = await clientIdOf(agent);
  key = await makeSigner(app, team, agent.id);
}, 120_000);

const clientIdOf = async ({ id }: { id: string }): Promise<string> =>
  (await ask(app, "GET", `/papi/v1/identity/agents/${id}`, { headers: { "x-api-key": team.key } })).body.data
    .agent.clientId;

const token = (
  parameters: Record<string, string> | string,
  { to = app, headers = {}, ...more }: RequestOptions & { to?: { url: string } } = {},
): Promise<Reply> =>
  ask(to, "POST", "/oauth/token", {
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: typeof parameters === "string" ? parameters : String(new URLSearchParams(parameters)),
    ...more,
  });

const grant = { grant_type: "client_credentials" };
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`,
});
const said = ({ status, body }: Reply) => (status === 200 ? "ok" : `${status} ${body.error}`);

/** An assertion as the agent would sign it. */
async function assertion(
  claims: JWTPayload & { exp?: number } = {},
  { by = key, header = {} }: { by?: Key; header?: object } = {},
): Promise<Record<string, string>> {
  const now = Math.floor(Date.now() / 1000);
  const all = {
    iss: clientId,
    sub: clientId,
    aud: base,
    exp: now + 300,
    jti: crypto.randomUUID(),
    ...claims,
  };
  const jwt = await new SignJWT(JSON.parse(JSON.stringify(all)))
    .setProtectedHeader({ alg: "EdDSA", ...header })
    .sign(by.privateKey);
  return {
    ...grant,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: jwt,
  };
}

describe("POST /oauth/token with the agent's secret", () => {
  test("gives a session, by Basic and by body", async () => {
    for (const reply of [
      await token(grant, { headers: basic(clientId, agent.secret) }),
      await token({ ...grant, client_id: clientId, client_secret: agent.secret, scope: "agent:read" }),
    ]) {
      expect(reply.body).toEqual({
        access_token: expect.stringMatching(/^fds_/),
        token_type: "Bearer",
        expires_in: 7 * 86_400,
        scope: "agent:read agent:validate agent:submit",
      });
      const read = await ask(app, "GET", "/papi/v1/submitter/form", {
        headers: asAgent(form, { token: reply.body.access_token }),
      });
      expect(outcome(read)).toBe("ok");
    }
  });

  test("is the uniform 401 for every wrong credential", async () => {
    const other = await makeAgent(app, team, form);
    const disabled = await makeAgent(app, team, form);
    await ask(app, "PATCH", `/papi/v1/identity/agents/${disabled.id}`, {
      headers: { "x-api-key": team.key },
      body: { status: "disabled" },
    });
    const replies = [
      await token({ ...grant, client_id: clientId, client_secret: "fda_wrong" }),
      await token({ ...grant, client_id: clientId, client_secret: other.secret }),
      await token({ ...grant, client_id: "agent_none", client_secret: agent.secret }),
      await token({ ...grant, client_secret: agent.secret }),
      await token({ ...grant, client_id: clientId }),
      await token(grant),
      await token({ ...grant, client_id: "agent_none" }, { headers: basic(clientId, agent.secret) }),
      await token(grant, { headers: basic(clientId, "") }),
      await token(grant, { headers: { authorization: "Basic ?" } }),
      await token(grant, { headers: { authorization: `Bearer ${agent.token}` } }),
      await token({ ...grant, client_id: await clientIdOf(disabled), client_secret: disabled.secret }),
    ];
    const { _docs, _guide, ...body } = replies[0]?.body ?? {};
    expect(body).toEqual({
      error: "invalid_client",
      error_description: expect.any(String),
      code: "unauthorized",
      apiVersion: "v1",
    });
    for (const reply of replies) {
      expect(reply.status).toBe(401);
      expect(reply.body).toEqual(replies[0]?.body);
      expect(reply.headers.get("www-authenticate")).toBe('Basic realm="formd", charset="UTF-8"');
    }
  });

  const secret = { ...grant, client_id: "a", client_secret: "b" };
  const malformed: [title: string, sent: () => Promise<Reply>, expected: string][] = [
    ["no grant type", () => token({ client_id: "a" }), "400 invalid_request"],
    ["another grant", () => token({ ...secret, grant_type: "password" }), "400 unsupported_grant_type"],
    ["an unknown scope", () => token({ ...secret, scope: "agent:read admin" }), "400 invalid_scope"],
    [
      "another resource",
      () => token({ ...secret, resource: "https://other.example/mcp" }),
      "400 invalid_target",
    ],
    ["a parameter twice", () => token(`${new URLSearchParams(secret)}&client_id=a`), "400 invalid_request"],
    ["U+0000", () => token(grant, { headers: basic("a\0", "b") }), "400 invalid_request"],
    ["two ways", () => token(secret, { headers: basic("a", "b") }), "400 invalid_request"],
    [
      "another assertion type",
      () => token({ ...grant, client_assertion: "a", client_assertion_type: "saml" }),
      "400 invalid_request",
    ],
    ["JSON", () => ask(app, "POST", "/oauth/token", { body: secret }), "415 invalid_request"],
    ["more than 16 KiB", () => token({ ...secret, more: "x".repeat(16_384) }), "413 invalid_request"],
  ];
  test.each(malformed)("%s", async (_, sent, expected) => {
    expect(said(await sent())).toBe(expected);
  });

  test("takes this server and its MCP endpoint as resource", async () => {
    const body = { ...grant, client_id: clientId, client_secret: agent.secret };
    for (const resource of [base, `${base}/`, `${base}/mcp`])
      expect(said(await token({ ...body, resource }))).toBe("ok");
  });

  test("counts for the client IP with POST /auth/token, and then is 429", async () => {
    const strict = await server({
      DATABASE_URL: app.database.url,
      ...permissive,
      RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "2",
    });
    const ip = "203.0.113.77";
    const malformed = { ...grant, client_id: clientId, client_secret: "fda_wrong", scope: "everything" };
    expect(said(await token(malformed, { to: strict, ip }))).toBe("400 invalid_scope");
    await ask(strict, "POST", "/papi/v1/auth/token", { headers: { "x-agent-secret": agent.secret }, ip });
    const refused = await token(await assertion({}), { to: strict, ip });
    expect(said(refused)).toBe("429 temporarily_unavailable");
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
    await strict.stop();
  });
});

describe("POST /oauth/token with private_key_jwt", () => {
  test("gives a session, with kid or without, for the issuer and the endpoint as audience", async () => {
    for (const sent of [
      await assertion(),
      await assertion({ aud: `${base}/oauth/token` }, { header: { kid: key.id } }),
      { ...(await assertion()), client_id: clientId },
    ]) {
      const reply = await token(sent);
      expect(said(reply)).toBe("ok");
      const read = await ask(app, "GET", "/papi/v1/submitter/form", {
        headers: asAgent(form, { token: reply.body.access_token }),
      });
      expect(outcome(read)).toBe("ok");
    }
  });

  test("counts once, on every instance", async () => {
    const once = await assertion();
    const replies = await Promise.all([token(once), token(once, { to: there }), token(once)]);
    expect(replies.map(said).sort()).toEqual(["401 invalid_client", "401 invalid_client", "ok"]);
  });

  const now = () => Math.floor(Date.now() / 1000);
  const refused: [title: string, sent: () => Promise<Record<string, string>>][] = [
    ["of another audience", () => assertion({ aud: "https://other.example" })],
    ["past", () => assertion({ exp: now() - 61 })],
    ["valid for too long", () => assertion({ exp: now() + 400 })],
    ["without exp", () => assertion({ exp: undefined as never })],
    ["without jti", () => assertion({ jti: undefined as never })],
    ["with a long jti", () => assertion({ jti: "x".repeat(256) })],
    ["by another issuer", () => assertion({ iss: "agent_none" })],
    ["about another subject", () => assertion({ sub: "agent_none" })],
    ["with another kid", () => assertion({}, { header: { kid: "key_0000000000000000" } })],
    ["by a key that is not registered", () => assertion({}, { by: newKey() })],
    ["for another client", async () => ({ ...(await assertion()), client_id: "agent_none" })],
    [
      "tampered with",
      async () => {
        const sent = await assertion();
        const [head, , signature] = (sent.client_assertion ?? "").split(".");
        const claims = { iss: clientId, sub: clientId, aud: base, exp: now() + 300, jti: "another" };
        const body = Buffer.from(JSON.stringify(claims)).toString("base64url");
        return { ...sent, client_assertion: [head, body, signature].join(".") };
      },
    ],
    [
      "unsigned",
      async () => {
        const { client_assertion = "", ...sent } = await assertion();
        const none = Buffer.from('{"alg":"none"}').toString("base64url");
        return { ...sent, client_assertion: `${none}.${client_assertion.split(".")[1]}.` };
      },
    ],
    ["no JWT", async () => ({ ...(await assertion()), client_assertion: "none" })],
  ];
  test.each(refused)("refuses an assertion %s", async (_, sent) => {
    expect(said(await token(await sent()))).toBe("401 invalid_client");
  });

  test("refuses the keys that are revoked, and the agent that is disabled", async () => {
    const other = await makeAgent(app, team, form);
    const id = await clientIdOf(other);
    const by = await makeSigner(app, team, other.id);
    const sign = () => assertion({ iss: id, sub: id }, { by });
    const patch = (status: string) =>
      ask(app, "PATCH", `/papi/v1/identity/agents/${other.id}`, {
        headers: { "x-api-key": team.key },
        body: { status },
      });
    expect(said(await token(await sign()))).toBe("ok");
    await patch("disabled");
    expect(said(await token(await sign()))).toBe("401 invalid_client");
    await patch("active");
    await ask(app, "DELETE", `/papi/v1/identity/agents/${other.id}/keys/${by.id}`, {
      headers: { "x-api-key": team.key },
      body: {},
    });
    expect(said(await token(await sign()))).toBe("401 invalid_client");
  });
});

describe("metadata", () => {
  test("of the protected resource leads to the server's", async () => {
    const { body } = await ask(app, "GET", "/.well-known/oauth-protected-resource/mcp");
    expect(body).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [base] });
    const server = await ask(app, "GET", "/.well-known/oauth-authorization-server");
    expect(server.body).toMatchObject({
      issuer: base,
      token_endpoint: `${base}/oauth/token`,
      grant_types_supported: ["client_credentials"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "private_key_jwt"],
    });
  });
});
