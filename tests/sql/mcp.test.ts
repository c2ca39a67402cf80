import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { type Agent, makeAgent, makeForm, makeKey, makeTeam } from "../setup.ts";
import { sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();

const formsOf = (token: string, { of = team.id, limit = 50, offset = 0 } = {}) =>
  sql<
    { outcome: string; agentId: string | null; total: number | null; id: string | null; scopes: string[] }[]
  >`
    select * from formd.mcp_agent_forms(p_team => ${of}, p_token_hash => ${sha256(token)}, p_limit => ${limit}, p_offset => ${offset})`;
const grant = async ({ id }: Agent, form: string, of = team) => {
  await sql`
    select from formd.grant_upsert(p_team => ${of.id}, p_actor => '(cli,,)', p_agent => ${id}, p_id => ${uuidv7()},
      p_form => ${form}, p_scopes => ${["agent:read"]}, p_respondent_given => false, p_respondent => null, p_binding_required => null)`;
};

test("an agent's forms are the published ones of its grants, the newest grant first, in pages", async () => {
  const forms = [await makeForm(app, team, []), await makeForm(app, team, []), await makeForm(app, team, [])];
  const [first, second, third] = forms.map(({ id }) => id) as [string, string, string];
  const agent = await makeAgent(app, team, forms[0] as never);
  for (const id of [second, third]) await grant(agent, id);
  await makeForm(app, team, []);
  const ids = async (page = {}) => (await formsOf(agent.token, page)).map(({ id }) => id);
  expect(await ids()).toEqual([third, second, first]);
  expect(await ids({ limit: 1, offset: 1 })).toEqual([second]);
  expect(await formsOf(agent.token, { limit: 0 })).toMatchObject([
    { outcome: "allowed", agentId: agent.id, total: 3, id: null },
  ]);
  await sql`select from formd.form_set_archived(${team.id}, '(cli,,)', ${second}, true)`;
  expect(await ids()).toEqual([third, first]);
});

test("a token of another team, one that has ended, an anonymous one and a disabled agent's have no forms", async () => {
  const form = await makeForm(app, team, []);
  const agent = await makeAgent(app, team, form);
  const other = await makeTeam(app);
  expect(await formsOf(agent.token, { of: other.id })).toMatchObject([{ outcome: "unauthorized", id: null }]);
  expect(await formsOf("fds_none")).toMatchObject([{ outcome: "unauthorized", agentId: null }]);
  await sql`select from formd.agent_patch(${team.id}, '(cli,,)'::formd.actor, ${agent.id}, null, 'disabled', false)`;
  expect(await formsOf(agent.token)).toMatchObject([{ outcome: "agent_inactive", id: null }]);
  await sql`update formd.sessions set expires_at = now() where team_id = ${team.id} and agent_id = ${agent.id}`;
  expect(await formsOf(agent.token)).toMatchObject([{ outcome: "unauthorized" }]);
});

test("an API key has its current scopes", async () => {
  const scopesOf = async (key: string, of = team.id) =>
    (
      await sql<{ outcome: string; scopes: string[] | null }[]>`
        select outcome, scopes from formd.mcp_owner_scopes(p_team => ${of}, p_hash => ${sha256(key)})`
    )[0];
  const { key } = await makeKey(app, team, "forms:read");
  expect(await scopesOf(key)).toEqual({ outcome: "allowed", scopes: ["forms:read"] });
  expect(await scopesOf(key, uuidv7())).toEqual({ outcome: "unauthorized", scopes: null });
  await sql`update formd.api_keys set revoked_at = now() where team_id = ${team.id} and key_hash = ${sha256(key)}`;
  expect(await scopesOf(key)).toEqual({ outcome: "unauthorized", scopes: null });
});
