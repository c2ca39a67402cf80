// stacks: one months
/** Tokens for a person: an agent with an assertion of an identity provider (ID-JAG). */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CrossAppAccessProvider, discoverAndRequestJwtAuthGrant } from "@modelcontextprotocol/client";
import { SignJWT, UnsecuredJWT } from "jose";
import { until } from "../../expect.ts";
import { clientOf, type ForgedKeys, forgedProvider, signedBy } from "../../identity-provider.ts";
import { baseOf, connect } from "../../mcp-client.ts";
import { formdProcess } from "../../setup/process.ts";
import {
  type Agent,
  asAgent,
  ask,
  formdHere,
  makeAgent,
  makeForm,
  makeTeam,
  masterKey,
  type PublishedForm,
  permissive,
  type Reply,
  server,
  service,
  settingsFor,
  type Team,
  temporaryFolder,
} from "../../setup.ts";
import { makeSigner } from "../../signing.ts";
import { type Json, submitTool } from "../mcp/fixture.ts";
import { linesOf } from "../raw-http.ts";
import { local, receiver } from "../webhooks/receiver.ts";

const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const app = await service({ ...permissive, ...local });
/** The server's BASE_URL. */
const base = baseOf(app);
const provider = await forgedProvider();
const secretFile = join(temporaryFolder(), "client-secret");
writeFileSync(secretFile, `${clientOf.clientSecret}\n`);

const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await formdHere([...args, "--json"], {
    ...settingsFor(app.database),
    ...local,
    BASE_URL: base,
    FORMD_SECRET_KEY: masterKey,
  });
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};

/** A connection of a team to the identity provider, which may name persons. */
const trust = async ({ id, workspace }: Team, options = ["--accept-agents"]): Promise<string> =>
  (
    await run(
      ...["sign-in-connection", "create", "--team", id, "--name", "Corp", "--issuer", provider.issuer],
      ...["--client-id", clientOf.clientId, "--client-secret-file", secretFile, "--domains", "corp.example"],
      ...["--role", `*=${workspace}:viewer`, ...options],
    )
  ).id;

/** An agent whose grant takes the person of its session. */
async function clientFor(of: Team, on: PublishedForm, respondent: "asserted" | null = "asserted") {
  const made = await makeAgent(app, of, on);
  await app.database.sql`update formd.grants set respondent = ${respondent} where agent_id = ${made.id}`;
  return made;
}

/** A team with a form. */
async function teamWithForm() {
  const made = await makeTeam(app);
  return { team: made, form: await makeForm(app, made, [{ id: "a", type: "text", label: "A" }]) };
}
const { team, form } = await teamWithForm();
const agent = await clientFor(team, form);
const connection = await trust(team);
const asKey = { headers: { "x-api-key": team.key } };

interface Signed {
  of?: Agent;
  header?: Record<string, unknown>;
  keys?: Pick<ForgedKeys, "privateKey">;
}

const claimsOf = (claims: Record<string, unknown>, of: Agent): Record<string, unknown> => {
  const now = Math.floor(Date.now() / 1000);
  const all = {
    ...{ iss: provider.issuer, sub: "ada", aud: base, client_id: of.id, resource: `${base}/mcp` },
    ...{ jti: crypto.randomUUID(), iat: now, exp: now + 300 },
    ...claims,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

const assertion = async (
  claims: Record<string, unknown> = {},
  { of = agent, header = {}, keys = provider.keys }: Signed = {},
): Promise<string> => await signedBy(keys, claimsOf(claims, of), { typ: "oauth-id-jag+jwt", ...header });

const post = (parameters: Record<string, string>, headers: Record<string, string> = {}, to = app.url) =>
  ask({ url: to }, "POST", "/oauth/token", {
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: String(new URLSearchParams({ grant_type: grantType, ...parameters })),
  });
const exchange = (text: string, of: Agent = agent, more: Record<string, string> = {}, to = app.url) => {
  const authorization = `Basic ${Buffer.from(`${of.id}:${of.secret}`).toString("base64")}`;
  return post({ assertion: text, ...more }, { authorization }, to);
};

const tokenFor = async (claims: Record<string, unknown> = {}, of: Agent = agent): Promise<string> => {
  const { status, body } = await exchange(await assertion(claims, { of }), of);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.access_token;
};

/** Calls a tool of /mcp, as if the agent had submitted nothing before. */
async function call(token: string, name: string, given: Record<string, unknown>): Promise<Json> {
  await app.database.sql`delete from formd.rate_limits`;
  const { body } = await ask(app, "POST", "/mcp", {
    headers: { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
  });
  return body.result?.structuredContent ?? body;
}

const submit = (token: string, more: Record<string, unknown> = {}, on = form) =>
  call(token, "submit", { formId: on.id, data: { a: "x" }, ...more });

const submissionOf = async (id: string, of = team, on = form): Promise<Json> => {
  const to = `/papi/v1/management/forms/${on.id}/submissions/${id}`;
  return (await ask(app, "GET", to, { headers: { "x-api-key": of.key } })).body.data.submission;
};

const logged = async (reply: Reply) => {
  const requestId = reply.headers.get("x-request-id") ?? "";
  return (await linesOf(app, requestId)).find((each) => each.requestId === requestId);
};

test("the official client's provider for enterprise-managed authorization submits for a person", async () => {
  provider.assertion = (asked) => {
    const [aud, resource] = [asked.get("audience"), asked.get("resource")];
    return assertion({ aud, resource, sub: asked.get("subject_token") });
  };
  const authProvider = new CrossAppAccessProvider({
    clientId: agent.id,
    clientSecret: agent.secret,
    expectedIssuer: base,
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
        ...{ idpUrl: provider.issuer, idToken: "ada", clientId: "the client at the provider" },
        ...{ audience: authorizationServerUrl, resource: resourceUrl, ...(scope && { scope }) },
        fetchFn,
      });
      return jwtAuthGrant;
    },
  });
  const client = await connect(app, { authProvider });
  const result: Json = await client.callTool({ name: await submitTool(client), arguments: { a: "x" } });
  expect(result.structuredContent).toMatchObject({ status: "completed" });
  const { id } = result.structuredContent;
  expect(await submissionOf(id)).toMatchObject({
    submitter: { type: "agent", id: agent.id },
    provenance: "agent_for_person",
    respondentId: expect.any(String),
  });
  await client.close();
});

test("submission, receipt, audit, webhook and export name the agent and the person", async () => {
  const to = await receiver();
  const hook = await ask(app, "POST", "/papi/v1/management/webhooks", {
    ...asKey,
    body: { workspaceId: team.workspace, url: to.url, eventTypes: ["submission.created"], payload: "full" },
  });
  expect(hook.status).toBe(200);
  const token = await tokenFor({ sub: "grace" });
  const { id } = await submit(token);
  const [respondent] = await app.database.sql<[{ id: string; issuer: string }]>`
    select id, issuer from formd.respondents where team_id = ${team.id} and subject = 'grace'`;
  expect(respondent.issuer).toBe(provider.issuer);
  const submitter = { type: "agent", id: agent.id };
  const both = { submitter, respondentId: respondent.id, provenance: "agent_for_person" };
  expect(await submissionOf(id)).toMatchObject(both);
  const of = `${app.url}/papi/v1/management/forms/${form.id}/submissions`;
  expect(await (await fetch(`${of}/${id}/receipt`, asKey)).text()).toContain(
    `\nsubmitter: agent ${agent.id}\nrespondent: ${respondent.id}\nprovenance: agent_for_person\n`,
  );
  const csv = await (await fetch(`${of}/export?format=csv&respondentId=${respondent.id}`, asKey)).text();
  expect(csv).toContain(`,agent,${agent.id},${respondent.id},agent_for_person,`);
  const events = await app.database.sql`
    select actor_type, actor_id, details from formd.audit_events
    where team_id = ${team.id} and kind = 'session.person_named' and details ->> 'respondentId' = ${respondent.id}`;
  const details = { respondentId: respondent.id, connectionId: connection };
  expect([...events]).toEqual([{ actorType: "agent", actorId: agent.id, details }]);
  const sent = () =>
    to.received.map(({ body }) => body as Json).find(({ data }: Json) => data?.submission?.id === id);
  await until(async () => sent() !== undefined);
  expect(sent().data.submission).toMatchObject(both);
});

test("a person has one id in a team, by whichever agent, and another one in each team", async () => {
  const other = await clientFor(team, form);
  const { team: there, form: theirForm } = await teamWithForm();
  const theirs = await clientFor(there, theirForm);
  await trust(there);
  const sub = "edsger";
  const named = async (token: string, of = team, on = form) =>
    (await submissionOf((await submit(token, {}, on)).id, of, on)).respondentId;
  const ids = [
    await named(await tokenFor({ sub })),
    await named(await tokenFor({ sub }, other)),
    await named(await tokenFor({ sub: "barbara" }, other)),
    await named(await tokenFor({ sub }, theirs), there, theirForm),
  ];
  expect(ids[1]).toBe(ids[0]);
  expect(new Set(ids).size).toBe(3);
});

test("no identity provider raises a right: the grant decides", async () => {
  const plain = await clientFor(team, form, null);
  const withoutGrant = await clientFor(team, form);
  await app.database.sql`delete from formd.grants where agent_id = ${withoutGrant.id}`;
  for (const of of [plain, withoutGrant]) {
    const token = await tokenFor({}, of);
    expect(await submit(token)).toMatchObject({ code: "no_grant" });
    expect(await call(token, "form_get", { formId: form.id })).toMatchObject({ code: "no_grant" });
    expect((await call(token, "forms_list", {})).forms).toEqual([]);
  }
  // A grant that is bound to the person whom the assertion names is a match, too.
  const token = await tokenFor({}, plain);
  const [ada] = await app.database.sql<[{ id: string }]>`
    select id from formd.respondents where team_id = ${team.id} and subject = 'ada'`;
  await app.database.sql`update formd.grants set respondent_id = ${ada.id} where agent_id = ${plain.id}`;
  expect(await submit(token)).toMatchObject({ status: "completed" });
  expect(await submit(await tokenFor({ sub: "eve" }, plain))).toMatchObject({ code: "no_grant" });
});

test("an agent that nobody sends reads and validates by such a grant, and submits nothing", async () => {
  const headers = asAgent(form, await clientFor(team, form));
  const path = "/papi/v1/submitter/form";
  expect((await ask(app, "GET", path, { headers })).status).toBe(200);
  const sent = await ask(app, "POST", `${path}/submissions`, { headers, body: { data: { a: "x" } } });
  expect([sent.status, sent.body.code]).toEqual([403, "binding_required"]);
});

test("a session for a person submits for no other, and is valid at /mcp alone", async () => {
  const token = await tokenFor();
  const metadata = { respondentId: crypto.randomUUID() };
  expect(await submit(token, { metadata })).toMatchObject({ code: "respondent_not_assigned" });
  const rest = await ask(app, "GET", "/papi/v1/submitter/form", { headers: asAgent(form, { token }) });
  expect(rest.status).toBe(401);
});

test("an Idempotency-Key of one person does not hold for another", async () => {
  const idempotencyKey = crypto.randomUUID();
  const first = await submit(await tokenFor(), { idempotencyKey });
  expect(await submit(await tokenFor(), { idempotencyKey })).toMatchObject({ id: first.id });
  const other = await submit(await tokenFor({ sub: "grace" }), { idempotencyKey });
  expect(other).toMatchObject({ code: "idempotency_key_reused" });
});

test("scopes of the assertion and of the request both bound the token", async () => {
  const scope = "agent:read agent:submit openid";
  const given = await exchange(await assertion({ scope }), agent, { scope: "agent:read agent:validate" });
  expect(given.body).toMatchObject({ scope: "agent:read", expires_in: 3600 });
  const none = await exchange(await assertion({ scope: "openid" }));
  expect([none.status, none.body.error]).toEqual([400, "invalid_grant"]);
});

test("a client authenticates by key as well, and one that does not gets the uniform 401", async () => {
  const by = await makeSigner(app, team, agent.id);
  const now = Math.floor(Date.now() / 1000);
  const own = { iss: agent.id, sub: agent.id, aud: base, exp: now + 300, jti: "own" };
  const client_assertion = await new SignJWT(own).setProtectedHeader({ alg: "EdDSA" }).sign(by.privateKey);
  const asked = {
    ...{ assertion: await assertion(), client_assertion },
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  };
  expect((await post(asked)).body).toMatchObject({ token_type: "Bearer" });
  const again = await post({ ...asked, assertion: await assertion() });
  expect([again.status, again.body.error]).toEqual([401, "invalid_client"]);
  const asked401 = provider.exchanged.length;
  const replies = [
    await exchange(await assertion(), { ...agent, secret: "fda_wrong" }),
    await exchange(await assertion(), { ...agent, id: "agent_none" }),
    await exchange("nothing", { ...agent, secret: "fda_wrong" }),
  ];
  for (const { status, body } of replies) {
    expect(status).toBe(401);
    expect(body).toEqual(replies[0]?.body);
  }
  expect(provider.exchanged.length).toBe(asked401);
});

test("40 wrong assertions are the same invalid_grant, and the log says why", async () => {
  const now = Math.floor(Date.now() / 1000);
  const stranger = await forgedProvider();
  const untrusted = await makeTeam(app);
  await trust(untrusted, []);
  const its = await clientFor(untrusted, await makeForm(app, untrusted, []));
  const other = await clientFor(team, form);
  const secret = new TextEncoder().encode(JSON.stringify(provider.keys.publicJwk));
  const used = await assertion();
  expect((await exchange(used)).status).toBe(200);
  const whole = (await assertion()).split(".");
  const hmac = new SignJWT(claimsOf({}, agent)).setProtectedHeader({ alg: "HS256", typ: "oauth-id-jag+jwt" });
  /** The text, and what the log says of it. */
  const wrong: [text: string, reason: RegExp, of?: Agent][] = [
    ["", /No connection/],
    ["x", /No connection/],
    ["a.b.c", /No connection/],
    [new UnsecuredJWT(claimsOf({}, agent)).encode(), /alg|JWS|JWT/i],
    [await hmac.sign(secret), /ALG|alg/],
    [[whole[0], whole[1], "AAAA"].join("."), /SIGNATURE/],
    [[whole[0], Buffer.from('{"iss":1}').toString("base64url"), whole[2]].join("."), /No connection/],
    [await assertion({}, { keys: stranger.keys }), /SIGNATURE/],
    [await assertion({}, { header: { kid: "other" } }), /KEY/],
    [await assertion({ iss: stranger.issuer }, { keys: stranger.keys }), /No connection/],
    [await assertion({ iss: `${provider.issuer}/other` }), /No connection/],
    [await assertion({ iss: "https://id.example.org" }), /No connection/],
    [await assertion({ iss: undefined }), /No connection/],
    [await assertion({ iss: "\0" }), /No connection/],
    [await assertion({ iss: "x".repeat(3_000) }), /No connection/],
    [await assertion({}, { header: { typ: "JWT" } }), /typ/],
    [await assertion({}, { header: { typ: "at+jwt" } }), /typ/],
    [await assertion({}, { header: { typ: undefined } }), /typ/],
    [await assertion({ aud: "https://other.example" }), /aud/],
    [await assertion({ aud: `${base}/oauth/token` }), /aud/],
    [await assertion({ aud: [base, "https://other.example"] }), /aud/],
    [await assertion({ aud: undefined }), /aud/],
    [await assertion({ client_id: other.id }), /client_id/],
    [await assertion({ client_id: undefined }), /client_id/],
    [await assertion({ resource: base }), /resource/],
    [await assertion({ resource: undefined }), /resource/],
    [await assertion({ resource: [`${base}/mcp`, "https://other.example"] }), /resource/],
    [await assertion({ sub: undefined }), /sub/],
    [await assertion({ sub: "" }), /sub/],
    [await assertion({ sub: "\0" }), /sub/],
    [await assertion({ sub: "x".repeat(256) }), /sub/],
    [await assertion({ jti: undefined }), /jti/],
    [await assertion({ jti: "x".repeat(256) }), /jti/],
    [await assertion({ exp: now - 61 }), /exp/],
    [await assertion({ exp: now + 4_000 }), /exp/],
    [await assertion({ exp: undefined }), /exp/],
    [await assertion({ iat: now + 100 }), /exp|iat/],
    [await assertion({ nbf: now + 100 }), /nbf/],
    [await assertion({ cnf: { jkt: "x" } }), /cnf/],
    [await assertion({ authorization_details: [] }), /authorization_details/],
    [used, /nonce_used/],
    [await assertion({}, { of: its }), /No connection/, its],
  ];
  expect(wrong.length).toBeGreaterThan(40);
  const replies: Reply[] = [];
  for (const [text, reason, of = agent] of wrong) {
    const reply = await exchange(text, of);
    replies.push(reply);
    const line = await logged(reply);
    expect([reply.status, line?.step, line?.reason]).toEqual([400, "id-jag", expect.stringMatching(reason)]);
  }
  for (const { body, headers } of replies) {
    expect(body).toEqual(replies[0]?.body);
    expect([...headers.keys()]).toEqual([...(replies[0]?.headers.keys() ?? [])]);
  }
  expect(replies[0]?.body).toMatchObject({
    error: "invalid_grant",
    error_description: "The assertion is not valid.",
  });
});

test("of one assertion that is sent many times at once, to two servers, one is taken", async () => {
  const other = await server({ DATABASE_URL: app.database.url, ...permissive, ...local, BASE_URL: base });
  const once = await assertion();
  const send = (_: unknown, index: number) =>
    exchange(once, agent, {}, index % 2 === 0 ? app.url : other.url);
  const replies = await Promise.all(Array.from({ length: 8 }, send));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
});

test("clocks may differ by a minute", async () => {
  const now = Math.floor(Date.now() / 1000);
  await tokenFor({ iat: now + 40, nbf: now + 40 });
  await tokenFor({ iat: now - 300, exp: now - 40 });
});

test("a provider that is down refuses nobody whose keys are known; one that changes its keys is followed", async () => {
  await tokenFor();
  provider.isDown = true;
  await tokenFor();
  provider.isDown = false;
  const before = provider.keys;
  await provider.rotate("next");
  // Keys are read again once the cooldown is over.
  await until(async () => {
    const text = await assertion({}, { header: { kid: "next" } });
    return (await exchange(text)).status === 200;
  });
  expect((await exchange(await assertion({}, { keys: before }))).status).toBe(400);
  await provider.rotate("own");
  await until(async () => (await exchange(await assertion())).status === 200);
});

test("an agent that is disabled, and a connection that is removed, end what there was", async () => {
  const { team: there, form: theirForm } = await teamWithForm();
  const theirs = await clientFor(there, theirForm);
  const its = await trust(there);
  const token = await tokenFor({}, theirs);
  const byThem = { "x-api-key": there.key };
  const patch = (status: string) =>
    ask(app, "PATCH", `/papi/v1/identity/agents/${theirs.id}`, { headers: byThem, body: { status } });
  await patch("disabled");
  expect((await exchange(await assertion({}, { of: theirs }), theirs)).status).toBe(401);
  expect(await submit(token, {}, theirForm)).toMatchObject({ code: "agent_inactive" });
  await patch("active");
  const again = await tokenFor({}, theirs);
  expect(await submit(again, {}, theirForm)).toMatchObject({ status: "completed" });
  await run("sign-in-connection", "remove", its);
  expect(await submit(again, {}, theirForm)).toMatchObject({ code: "unauthorized" });
  expect((await exchange(await assertion({}, { of: theirs }), theirs)).status).toBe(400);
});

test("only an operator lets a grant take the asserted person", async () => {
  const path = `/papi/v1/identity/agents/${agent.id}/grants`;
  for (const respondent of ["asserted", null]) {
    const body = { formId: form.id, scopes: ["agent:read"], respondent };
    const refused = await ask(app, "POST", path, { ...asKey, body });
    expect([refused.status, refused.body.code]).toEqual([403, "respondent_binding_requires_session"]);
  }
  const listed = await ask(app, "GET", path, asKey);
  expect(listed.body.data.grants).toEqual([expect.objectContaining({ respondent: "asserted" })]);
});

test("what names a person is handed out, and erased with the person", async () => {
  const { id } = await submit(await tokenFor({ sub: "marker-of-a-subject" }));
  const { respondentId } = await submissionOf(id);
  const environment = { ...settingsFor(app.database), FORMD_SECRET_KEY: masterKey };
  const exported = await formdProcess(["person", "export", "--respondent", respondentId], environment);
  const lines = exported.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.find(({ kind }) => kind === "respondent")).toMatchObject({
    id: respondentId,
    issuer: provider.issuer,
    subject: "marker-of-a-subject",
  });
  expect(lines.find(({ kind }) => kind === "submission")).toMatchObject({ provenance: "agent_for_person" });
  await run("person", "erase", "--respondent", respondentId, "--confirm");
  const left = await app.database.sql`select from formd.respondents where id = ${respondentId}`;
  expect(left.length).toBe(0);
  const sessions = await app.database.sql`select from formd.sessions where respondent_id = ${respondentId}`;
  expect(sessions.length).toBe(0);
});
