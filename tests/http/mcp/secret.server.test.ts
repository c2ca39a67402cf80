// stacks: one months
/** An agent's secret in `x-agent-secret` at `/mcp`, for configurations that nobody renews. */
import { describe, expect, test } from "bun:test";
import { connect, withHeaders } from "../../mcp-client.ts";
import { type Agent, ask, freshIp, makeAgent, makeForm, makeTeam, server, service } from "../../setup.ts";
import { call, type Json, mcpFixture, submitTool, whole } from "./fixture.ts";

const { app, team, agentOf, post } = await mcpFixture();

/** The sessions that the secret has, beside the one that the test's agent was made with. */
const sessionsOf = async ({ id }: Agent) =>
  await app.database.sql<{ id: string; expiresAt: Date }[]>`
    select id, expires_at from formd.sessions where agent_id = ${id} and ends_with_secret`;
const bySecret = ({ secret }: { secret: string }) => ({ "x-agent-secret": secret });
const identity = (agent: Agent, method: string, path: string, body: object) =>
  ask(app, method, `/papi/v1/identity/agents/${agent.id}${path}`, {
    headers: { "x-api-key": team.key },
    body,
  });

describe("an agent's secret at /mcp", () => {
  test("lists and calls the agent's tools, by one session, however many clients come at once", async () => {
    const agent = await agentOf();
    const lists = await Promise.all(Array.from({ length: 40 }, () => post(bySecret(agent))));
    expect(new Set(lists.map(({ status }) => status))).toEqual(new Set([200]));
    const client = await connect(app, withHeaders(bySecret(agent)));
    const stored = await call(client, await submitTool(client), whole);
    expect(stored.structuredContent).toMatchObject({ status: "completed" });
    const [row] = await app.database.sql`
      select submitter_type, submitter_id from formd.submissions
      where team_id = ${team.id} and id = ${stored.structuredContent.id}`;
    expect(row).toEqual({ submitterType: "agent", submitterId: agent.id });
    expect(await sessionsOf(agent)).toHaveLength(1);
  });

  test("has the same session on every server", async () => {
    const agent = await agentOf();
    await post(bySecret(agent));
    const other = await server({ DATABASE_URL: app.database.url });
    const client = await connect(other, withHeaders(bySecret(agent)));
    expect((await client.listTools()).tools.length).toBeGreaterThan(4);
    expect(await sessionsOf(agent)).toHaveLength(1);
    await other.stop();
  });

  test("works on when its session has expired or was ended", async () => {
    const agent = await agentOf();
    await post(bySecret(agent));
    await app.database.sql`update formd.sessions set expires_at = now() where agent_id = ${agent.id}`;
    expect((await post(bySecret(agent))).status).toBe(200);
    await identity(agent, "DELETE", "/sessions", {});
    expect(await sessionsOf(agent)).toHaveLength(0);
    const called = { method: "tools/call", params: { name: "forms_list", arguments: {} } };
    expect((await post(bySecret(agent), called)).status).toBe(200);
    const [session] = await sessionsOf(agent);
    expect(session?.expiresAt.getTime()).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  });

  test("ends with its rotation, which leaves the agent's tokens", async () => {
    const agent = await agentOf();
    await post(bySecret(agent));
    const { body } = await identity(agent, "POST", "/rotate-secret", {});
    for (const message of [{ method: "tools/list" }, { method: "initialize" }]) {
      const refused = await post(bySecret(agent), message);
      expect([refused.status, refused.body.error]).toEqual([401, "The agent's secret is not valid."]);
    }
    expect((await post(bySecret({ secret: body.data.secret }))).status).toBe(200);
    expect((await post({ authorization: `Bearer ${agent.token}` })).status).toBe(200);
  });

  test("is refused while the agent is disabled, and works once it is enabled again", async () => {
    const [known, unknown] = [await agentOf(), await agentOf()];
    await post(bySecret(known));
    for (const agent of [known, unknown]) await identity(agent, "PATCH", "", { status: "disabled" });
    expect((await post(bySecret(known))).body.code).toBe("agent_inactive");
    expect((await post(bySecret(unknown))).body.code).toBe("unauthorized");
    for (const agent of [known, unknown]) {
      await identity(agent, "PATCH", "", { status: "active" });
      expect((await post(bySecret(agent))).status).toBe(200);
    }
  });

  test("counts once, by the limit of tokens; guesses of one client IP end there", async () => {
    const app = await service({ RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "3", TRUSTED_PROXY_HOPS: "1" });
    const team = await makeTeam(app);
    const agent = await makeAgent(app, team, await makeForm(app, team, []));
    const ip = freshIp();
    const send = (path: string, secret: string) =>
      ask(app, "POST", path, {
        headers: {
          "x-forwarded-for": ip,
          "x-agent-secret": secret,
          accept: "application/json, text/event-stream",
        },
        ...(path === "/mcp" && { body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }),
      });
    for (let i = 0; i < 5; i++) expect((await send("/mcp", agent.secret)).status).toBe(200);
    const guess = `${agent.secret.slice(0, -1)}${agent.secret.endsWith("A") ? "B" : "A"}`;
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await send("/mcp", guess)).status);
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect((await send("/papi/v1/auth/token", agent.secret)).status).toBe(429);
    // The session is open: it does not count any more.
    expect((await send("/mcp", agent.secret)).status).toBe(200);
  });

  test("elsewhere than in its header is refused, with what is expected", async () => {
    const { secret }: Json = await agentOf();
    for (const headers of [{ authorization: `Bearer ${secret}` }, { "x-api-key": secret }]) {
      const { status, body } = await post(headers as never);
      expect([status, body.error]).toEqual([401, expect.stringContaining("x-agent-secret: fda_…")]);
    }
  });
});
