/** Signed requests. What a signature must be tests/unit/http-signature.test.ts asks. */
import { describe, expect, test } from "bun:test";
import { request as httpRequest } from "node:http";
import { outcome } from "../expect.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  permissive,
  server,
  service,
} from "../setup.ts";
import {
  askSigned,
  type Key,
  makeSigner,
  makeSigningAgent,
  nonce,
  type Recipe,
  send,
  signed,
  unsigned,
} from "../signing.ts";

const submitter = "/papi/v1/submitter/form";
const validation = `${submitter}/validation`;
const app = await service(permissive);
const DATABASE_URL = app.database.url;
/** A second process on the same database. */
const there = await server({ DATABASE_URL, ...permissive });
/** A third one, with the feature flag off. */
const off = await server({ DATABASE_URL, ...permissive, FEATURE_AGENT_SIGNING: "false" });
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);
const { key, ...agent } = await makeSigningAgent(app, team, form);

const body = { data: {} };
const validate = async (recipe: Recipe = {}, more: { key?: Key; to?: { url: string } } = {}) =>
  outcome(await askSigned(more.to ?? app, validation, { key: more.key ?? key, form, body, recipe }));
const agentWithKey = (scopes?: string[]) => makeSigningAgent(app, team, form, scopes);
const identity = (method: string, to: string, body: object = {}) =>
  ask(app, method, `/papi/v1/identity/agents/${to}`, {
    headers: { "x-api-key": team.key },
    ...(method !== "GET" && { body }),
  });

describe("a signed request", () => {
  test("is its agent, on every submitter route, without a token", async () => {
    expect(await validate()).toBe("ok");
    const submitted = await askSigned(app, `${submitter}/submissions`, { key, form, body });
    expect(submitted.status).toBe(200);
    const [row] = await app.database
      .sql`select submitter_type as type, submitter_id as id from formd.submissions where id = ${submitted.body.data.id}`;
    expect(row).toEqual({ type: "agent", id: agent.id });
    for (const body of [{}, undefined])
      expect(outcome(await askSigned(app, `${submitter}/challenges`, { key, form, body }))).toBe("ok");
  });

  test("may cover the query, and then the query is fixed", async () => {
    const { key } = await agentWithKey();
    const components = ["@method", "@authority", "@path", "@query", "x-form-access-key", "content-digest"];
    const request = { ...unsigned(app, `${submitter}/submissions`, form, body), query: "?partial=true" };
    const partial = await send(app, signed(key, request, { components }));
    expect([partial.status, partial.body.data?.status]).toEqual([200, "partial"]);
    const turned = { ...signed(key, request, { components }), query: "?partial=false" };
    expect(outcome(await send(app, turned))).toBe("401 unauthorized");
  });

  const hosts: [host: string, signed: string, status: number][] = [
    ["LocalHost:PORT", "localhost:PORT", 200],
    ["LocalHost:PORT", "LocalHost:PORT", 401],
    ["LOCALHOST:80", "localhost", 200],
    ["localhost:80", "localhost:80", 401],
    ["[::1]:PORT", "[::1]:PORT", 200],
  ];
  test.each(hosts)("to the Host %s, signed for %s: %d", async (host, authority, expected) => {
    const { port } = new URL(app.url);
    const { headers, body: text } = signed(key, {
      ...unsigned(app, validation, form, body),
      authority: authority.replace("PORT", port),
    });
    const status = await new Promise((resolve, reject) => {
      const all = { ...headers, "content-length": text.length, host: host.replace("PORT", port) };
      httpRequest({ host: "127.0.0.1", port, path: validation, method: "POST", headers: all }, (reply) =>
        resolve(reply.resume().statusCode),
      )
        .on("error", reject)
        .end(text);
    });
    expect(status).toBe(expected);
  });

  test("covers the path as it was sent, not decoded", async () => {
    const path = `/papi/v1/submitter/challenges/${crypto.randomUUID()}/responses`;
    const request = unsigned(app, path.replace("-", "%2D"), form, { answer: 1 });
    expect(outcome(await send(app, signed(key, request)))).toBe("404 not_found");
    expect(outcome(await send(app, { ...signed(key, { ...request, path }), path: request.path }))).toBe(
      "401 unauthorized",
    );
  });
});

describe("a replay", () => {
  test("of any number at once, over two processes, one passes", async () => {
    for (let round = 0; round < 10; round++) {
      const request = signed(key, unsigned(app, validation, form, body));
      const both = [app, there];
      // The Host is that of the first in either case: a request that was captured is sent as it is.
      const replies = await Promise.all(
        Array.from({ length: 32 }, (_, index) =>
          send(both[index % 2] ?? app, request, { headers: { host: request.authority } }),
        ),
      );
      expect(replies.map(outcome).sort()).toEqual([...Array(31).fill("401 unauthorized"), "ok"]);
    }
  });

  test("with the nonce spelled otherwise, or in another request, is one too", async () => {
    const value = nonce();
    expect(await validate({ parameters: { nonce: `"${value}"` } })).toBe("ok");
    for (const again of [value, `${value}==`])
      expect(await validate({ parameters: { nonce: `"${again}"` } })).toBe("401 unauthorized");
    const recipe = { parameters: { nonce: `"${value}"` } };
    const another = await askSigned(app, `${submitter}/challenges`, { key, form, body: {}, recipe });
    expect(outcome(another)).toBe("401 unauthorized");
  });

  test("needs the same key: another key may use the nonce", async () => {
    const parameters = { nonce: `"${nonce()}"` };
    expect(await validate({ parameters })).toBe("ok");
    expect(await validate({ parameters }, { key: await makeSigner(app, team, agent.id) })).toBe("ok");
  });

  test("a nonce is spent by a call that ends in a problem, not by a call with a wrong signature", async () => {
    const { key, ...agent } = await agentWithKey(["agent:read"]);
    const request = signed(key, unsigned(app, validation, form, body));
    expect(outcome(await send(app, { ...request, body: '{"data": {}}' }))).toBe("401 unauthorized");
    expect(outcome(await send(app, request))).toBe("403 missing_scope");
    await identity("POST", `${agent.id}/grants`, { formId: form.id, scopes: ["agent:validate"] });
    expect(outcome(await send(app, request))).toBe("401 unauthorized");
  });
});

describe("with several credentials", () => {
  test("the signature's agent counts, not the token's nor the API key", async () => {
    const signer = await agentWithKey();
    const bystander = await makeAgent(app, team, form, []);
    const request = signed(signer.key, unsigned(app, `${submitter}/submissions`, form, body));
    const reply = await send(app, request, {
      headers: { "x-respondent-token": bystander.token, "x-api-key": (await makeTeam(app)).key },
    });
    expect(reply.status).toBe(200);
    const [row] = await app.database
      .sql`select submitter_id as id from formd.submissions where id = ${reply.body.data.id}`;
    expect(row?.id).toBe(signer.id);
  });
});

describe("the state of key and agent is read live", () => {
  const cases: [title: string, change: (agent: Agent, key: Key) => Promise<unknown>, expected: string][] = [
    ["a revoked key", ({ id }, key) => identity("DELETE", `${id}/keys/${key.id}`), "401 unauthorized"],
    [
      "a key that has expired",
      (_agent, key) =>
        app.database.sql`update formd.signing_keys set expires_at = now() where key_id = ${key.id}`,
      "401 unauthorized",
    ],
    ["a disabled agent", ({ id }) => identity("PATCH", id, { status: "disabled" }), "403 agent_inactive"],
    ["a revoked agent", ({ id }) => identity("DELETE", id), "403 agent_inactive"],
  ];
  test.each(cases)(
    "%s counts from the next call on, in every process that has used the key",
    async (_title, change, expected) => {
      const { key, ...agent } = await agentWithKey();
      for (const to of [app, there]) expect(await validate({}, { key, to })).toBe("ok");
      await change(agent, key);
      for (const to of [app, there]) expect(await validate({}, { key, to })).toBe(expected);
    },
  );

  test("a disabled agent with a wrong signature does not learn that it is disabled", async () => {
    const { key, ...agent } = await agentWithKey();
    await identity("PATCH", agent.id, { status: "disabled" });
    expect(await validate({ values: { "@method": "GET" } }, { key })).toBe("401 unauthorized");
    await identity("PATCH", agent.id, { status: "active" });
    expect(await validate({}, { key })).toBe("ok");
  });
});

describe("with the feature flag off", () => {
  test("signature headers are not looked at: a token alone decides", async () => {
    const request = signed(key, unsigned(off, validation, form, body));
    expect(outcome(await send(off, request))).toBe("401 unauthorized");
    expect(outcome(await send(off, request, { headers: asAgent(form, agent) }))).toBe("ok");
    const headers = { ...asAgent(form, agent), signature: "", "signature-input": "x" };
    expect(outcome(await ask(off, "POST", validation, { headers, body }))).toBe("ok");
  });

  test("a challenge takes no response", async () => {
    const path = `/papi/v1/submitter/challenges/${crypto.randomUUID()}/responses`;
    expect(outcome(await askSigned(off, path, { key, form, body: { answer: 1 } }))).toBe(
      "403 signature_required",
    );
  });
});
