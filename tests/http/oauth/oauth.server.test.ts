import { describe, expect, test } from "bun:test";
import { type JWTPayload, SignJWT } from "jose";
import { outcome } from "../../expect.ts";
import { baseOf } from "../../mcp-client.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  permissive,
  type Reply,
  type RequestOptions,
  server,
  service,
} from "../../setup.ts";
import { type Key, makeSigner, newKey } from "../../signing.ts";
import { linesOf } from "../raw-http.ts";

const app = await service(permissive);
/** The server's BASE_URL. */
const base = baseOf(app);
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);
const agent = await makeAgent(app, team, form);
const clientId = agent.id;
const key = await makeSigner(app, team, agent.id);

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
const bySecret = ({ id, secret }: Agent, more: Record<string, string> = {}) =>
  token({ ...grant, client_id: id, client_secret: secret, ...more });
const disable = ({ id }: Agent) =>
  app.database.sql`update formd.agents set status = 'disabled', disabled_at = now() where id = ${id}`;
const submitter = "/papi/v1/submitter/form";
const reads = async (access_token: string) =>
  outcome(await ask(app, "GET", submitter, { headers: asAgent(form, { token: access_token }) }));
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
  const own = { iss: clientId, sub: clientId, aud: base, exp: now + 300, jti: crypto.randomUUID() };
  const all = { ...own, ...claims };
  const jwt = await new SignJWT(JSON.parse(JSON.stringify(all)))
    .setProtectedHeader({ alg: "EdDSA", ...header })
    .sign(by.privateKey);
  return {
    ...grant,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: jwt,
  };
}

/** An assertion of another agent, by a key of its own. */
const assertionOf = async ({ id }: Agent) =>
  await assertion({ iss: id, sub: id }, { by: await makeSigner(app, team, id) });

describe("POST /oauth/token with the agent's secret", () => {
  test("gives a session, by Basic and by body", async () => {
    for (const reply of [
      await token(grant, { headers: basic(clientId, agent.secret) }),
      await bySecret(agent, { scope: "agent:read" }),
    ]) {
      expect(reply.body).toEqual({
        access_token: expect.stringMatching(/^fds_/),
        token_type: "Bearer",
        expires_in: 7 * 86_400,
        scope: expect.stringMatching(/^agent:read( agent:validate agent:submit)?$/),
      });
      expect(await reads(reply.body.access_token)).toBe("ok");
    }
  });

  test("is the uniform 401 for every wrong credential", async () => {
    const other = await makeAgent(app, team, form);
    const disabled = await makeAgent(app, team, form);
    await disable(disabled);
    const replies = [
      await bySecret({ ...agent, secret: "fda_wrong" }),
      await bySecret({ ...agent, secret: other.secret }),
      await bySecret({ ...agent, id: "agent_none" }),
      await token({ ...grant, client_secret: agent.secret }),
      await token({ ...grant, client_id: clientId }),
      await token(grant),
      await token({ ...grant, client_id: "agent_none" }, { headers: basic(clientId, agent.secret) }),
      await token(grant, { headers: basic(clientId, "") }),
      await token(grant, { headers: { authorization: "Basic ?" } }),
      await token(grant, { headers: { authorization: `Bearer ${agent.token}` } }),
      await bySecret(disabled),
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
  const elsewhere = "https://other.example/mcp";
  const saml = { client_assertion: "a", client_assertion_type: "saml" };
  const malformed: [title: string, sent: () => Promise<Reply>, expected: string][] = [
    ["no grant type", () => token({ client_id: "a" }), "400 invalid_request"],
    ["another grant", () => token({ ...secret, grant_type: "password" }), "400 unsupported_grant_type"],
    ["an unknown scope", () => token({ ...secret, scope: "agent:read admin" }), "400 invalid_scope"],
    ["another resource", () => token({ ...secret, resource: elsewhere }), "400 invalid_target"],
    ["a parameter twice", () => token(`${new URLSearchParams(secret)}&client_id=a`), "400 invalid_request"],
    ["U+0000", () => token(grant, { headers: basic("a\0", "b") }), "400 invalid_request"],
    ["two ways", () => token(secret, { headers: basic("a", "b") }), "400 invalid_request"],
    ["another assertion type", () => token({ ...grant, ...saml }), "400 invalid_request"],
    ["JSON", () => ask(app, "POST", "/oauth/token", { body: secret }), "415 invalid_request"],
    ["more than 16 KiB", () => token({ ...secret, more: "x".repeat(16_384) }), "413 invalid_request"],
  ];
  test.each(malformed)("%s", async (_, sent, expected) => {
    expect(said(await sent())).toBe(expected);
  });

  test("takes this server and its MCP endpoint as resource", async () => {
    for (const resource of [base, `${base}/`, `${base}/mcp`])
      expect(said(await bySecret(agent, { resource }))).toBe("ok");
  });

  test("counts for the client IP with POST /auth/token, and then is 429", async () => {
    const limit = { RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "2" };
    const strict = await server({ DATABASE_URL: app.database.url, ...permissive, ...limit });
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
      expect(await reads(reply.body.access_token)).toBe("ok");
    }
  });

  const now = () => Math.floor(Date.now() / 1000);
  /** The last is the step in the log; the client is told what begins with it, or with nothing. */
  const refused: [title: string, sent: () => Promise<Record<string, string>>, step: string][] = [
    ["of another audience", () => assertion({ aud: "https://other.example" }), "aud"],
    ["of a second audience", () => assertion({ aud: [base, "https://other.example"] }), "aud"],
    ["of another type", () => assertion({}, { header: { typ: "at+jwt" } }), "typ"],
    ["past", () => assertion({ exp: now() - 61 }), "exp"],
    ["valid for too long", () => assertion({ exp: now() + 400 }), "exp"],
    ["without exp", () => assertion({ exp: undefined as never }), "exp"],
    ["without jti", () => assertion({ jti: undefined as never }), "jti"],
    ["with a long jti", () => assertion({ jti: "x".repeat(256) }), "jti"],
    ["by another issuer", () => assertion({ iss: "agent_none" }), "iss"],
    ["about another subject", async () => withClient(await assertion({ sub: "agent_none" })), "sub"],
    ["about a subject that there is not", () => assertion({ sub: "agent_none" }), "key"],
    ["with another kid", () => assertion({}, { header: { kid: "key_0000000000000000" } }), "key"],
    ["by a key that is not registered", () => assertion({}, { by: newKey() }), "signature"],
    ["of another kind of key", () => forged({ alg: "ES256" }), "key"],
    ["by RSA", () => forged({ alg: "RS256" }), "alg"],
    ["by a shared secret", () => forged({ alg: "HS256" }), "alg"],
    ["for another client", async () => ({ ...(await assertion()), client_id: "agent_none" }), "key"],
    [
      "tampered with",
      () => {
        const claims = { iss: clientId, sub: clientId, aud: base, exp: now() + 300, jti: "another" };
        return forged({ alg: "EdDSA" }, claims);
      },
      "signature",
    ],
    [
      "unsigned",
      async () => {
        const { client_assertion = "", ...sent } = await forged({ alg: "none" });
        return { ...sent, client_assertion: client_assertion.replace(/[^.]*$/, "") };
      },
      "alg",
    ],
    ["no JWT", async () => withClient({ ...(await assertion()), client_assertion: "none" }), "jwt"],
    [
      "that was used",
      async () => {
        const once = await assertion();
        await token(once);
        return once;
      },
      "nonce_used",
    ],
    [
      "of an agent that is disabled",
      async () => {
        const other = await makeAgent(app, team, form);
        const sent = await assertionOf(other);
        await disable(other);
        return sent;
      },
      "agent_inactive",
    ],
  ];
  const withClient = (sent: Record<string, string>) => ({ ...sent, client_id: clientId });
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  /** An assertion with another header or other claims than were signed. */
  const forged = async (header: object, claims?: object) => {
    const { client_assertion = "", ...sent } = await assertion();
    const [, signed, signature] = client_assertion.split(".");
    const parts = [encode(header), claims ? encode(claims) : signed, signature];
    return { ...sent, client_assertion: parts.join(".") };
  };
  const explained = ["alg", "typ", "iss", "sub", "aud", "exp", "jti"];
  test.each(refused)("refuses an assertion %s, and the log says at which step", async (_, sent, step) => {
    const reply = await token(await sent());
    expect(said(reply)).toBe("401 invalid_client");
    const uniform = "The client's authentication is not valid.";
    const { error_description: told } = reply.body;
    if (step === "jwt") expect(told).toBe(`${uniform} client_assertion must be a JWT.`);
    else if (explained.includes(step)) expect(told).toStartWith(`${uniform} ${step} must be `);
    else expect(told).toBe(uniform);
    const requestId = reply.headers.get("x-request-id") ?? "";
    const line = (await linesOf(app, requestId)).find((each) => each.requestId === requestId);
    expect(line).toMatchObject({ status: 401, step: `assertion-${step}` });
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
      grant_types_supported: ["client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "private_key_jwt"],
      token_endpoint_auth_signing_alg_values_supported: ["EdDSA", "Ed25519", "ES256"],
    });
  });
});

describe("a token has the scopes and the resource that were asked for", () => {
  /** Requests for a token, each by an agent of its own: by secret, and by key. */
  const ways: [way: string, ask: (more: Record<string, string>) => Promise<Reply>][] = [
    ["secret", async (more) => await bySecret(await makeAgent(app, team, form), more)],
    ["key", async (more) => token({ ...(await assertionOf(await makeAgent(app, team, form))), ...more })],
  ];
  const body = { data: { email: "ada@example.org" } };
  /** Outcomes of reading, validating and submitting. */
  const routes = async (access_token: string) => {
    const headers = asAgent(form, { token: access_token });
    return [
      await reads(access_token),
      outcome(await ask(app, "POST", `${submitter}/validation`, { headers, body })),
      outcome(await ask(app, "POST", `${submitter}/submissions`, { headers, body })),
    ];
  };
  const list = (access_token: string) =>
    ask(app, "POST", "/mcp", {
      headers: { authorization: `Bearer ${access_token}`, accept: "application/json, text/event-stream" },
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    });
  const missing = "403 missing_scope";

  test.each(ways)("by %s: scopes", async (_, asked) => {
    const cases: [scope: string, granted: string, expected: string[]][] = [
      ["agent:read", "agent:read", ["ok", missing, missing]],
      ["agent:validate  agent:read agent:read", "agent:read agent:validate", ["ok", "ok", missing]],
      ["agent:submit", "agent:submit", [missing, missing, "ok"]],
      ["", "agent:read agent:validate agent:submit", ["ok", "ok", "ok"]],
    ];
    for (const [scope, granted, expected] of cases) {
      const { body } = await asked({ scope });
      expect(body.scope).toBe(granted);
      expect(await routes(body.access_token)).toEqual(expected);
    }
  });

  test.each(ways)(
    "by %s: a token for /mcp is valid there only, and one for the server everywhere",
    async (_, asked) => {
      const { body: bound } = await asked({ resource: `${base}/mcp` });
      expect(await routes(bound.access_token)).toEqual(Array(3).fill("401 unauthorized"));
      const { status, body } = await list(bound.access_token);
      expect([status, body.result.tools.length]).toEqual([200, 5]);
      // Several at once are one list for the database.
      const headers = asAgent(form, { token: bound.access_token });
      const submits = Array.from({ length: 6 }, () =>
        ask(app, "POST", `${submitter}/submissions`, { headers, body: { data: {} } }),
      );
      expect((await Promise.all(submits)).map(outcome)).toEqual(Array(6).fill("401 unauthorized"));
      for (const resource of [base, `${base}/`]) {
        const { body: wide } = await asked({ resource, scope: "agent:read" });
        expect(await routes(wide.access_token)).toEqual(["ok", missing, missing]);
        expect((await list(wide.access_token)).status).toBe(200);
      }
    },
  );

  test("a scope of the token that the grant lacks allows nothing", async () => {
    const reader = await makeAgent(app, team, form, ["agent:read"]);
    const { body } = await bySecret(reader, { scope: "agent:submit" });
    expect(await routes(body.access_token)).toEqual(Array(3).fill(missing));
  });
});
