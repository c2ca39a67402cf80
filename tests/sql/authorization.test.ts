import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { parseSecret, sha256 } from "../../src/platform/auth/secret.ts";
import { jsonb, toByteaText } from "../../src/platform/database/db.ts";
import { makeAgent, makeForm, makeTeam } from "../setup.ts";
import { sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const other = await makeTeam(app);
const form = await makeForm(app, team, []);

const session = (token: string) => ({ credential: "session", credential_hash: toByteaText(sha256(token)) });
const apiKey = (key: string) => ({ credential: "api_key", credential_hash: toByteaText(sha256(key)) });
const credentialsOf = (credentials: object, accessKey: string | null = form.accessKey) =>
  jsonb(sql, {
    ...(accessKey !== null && { access_key_hash: toByteaText(parseSecret("fdf", accessKey).hash) }),
    ...credentials,
  });

async function authorize(
  credentials: object,
  {
    scope = null as string | null,
    ipKey = null as string | null,
    limit = 30,
    admitted = false,
    to = form as { id: string; accessKey: string | null },
  } = {},
) {
  const [row] = await sql<[{ outcome: string | null; callerType: string | null }]>`
    select (a.result).outcome, (a.result).caller_type
    from formd.submitter_admit(
      p_team => ${team.id},
      p_form => formd.submitter_form_load(
        p_team => ${team.id}, p_form => ${to.id}, p_access_key_hash => ${to.accessKey && parseSecret("fdf", to.accessKey).hash}),
      p_credentials => jsonb_populate_record(
        null::formd.submitter_credentials, ${credentialsOf(credentials, to.accessKey && form.accessKey)}),
      p_scope => ${scope}, p_ip_key => ${ipKey}, p_ip_limit => ${limit}, p_admitted => ${admitted}) as a`;
  return row.outcome ?? row.callerType;
}

describe("submitter_admit", () => {
  test("an access key is valid for its own form only, and for no form that does not exist", async () => {
    const another = await makeForm(app, team, []);
    for (const to of [
      { ...form, accessKey: another.accessKey },
      { ...form, id: uuidv7() },
    ])
      expect(await authorize(apiKey(team.key), { to })).toBe("unauthorized");
    expect(await authorize(apiKey(team.key))).toBe("api_key");
  });

  test("without a scope any grant will do, with one the grant must have it", async () => {
    const agent = session((await makeAgent(app, team, form, ["agent:read"])).token);
    expect(await authorize(agent)).toBe("agent");
    expect(await authorize(agent, { scope: "agent:read" })).toBe("agent");
    expect(await authorize(agent, { scope: "agent:submit" })).toBe("missing_scope");
    expect(await authorize(session((await makeAgent(app, team, form, [])).token))).toBe("no_grant");
  });

  test("without an access key only an agent is admitted, on a form that it has a grant for", async () => {
    const agent = session((await makeAgent(app, team, form, ["agent:submit"])).token);
    const to = { ...form, accessKey: null };
    expect(await authorize(agent, { to, scope: "agent:submit" })).toBe("agent");
    expect(await authorize(agent, { to, scope: "agent:read" })).toBe("missing_scope");
    for (const { id } of [await makeForm(app, team, []), await makeForm(app, other, []), { id: uuidv7() }])
      expect(await authorize(agent, { to: { id, accessKey: null } })).toBe("no_grant");
    expect(await authorize(apiKey(team.key), { to })).toBe("unauthorized");
    expect(await authorize(session("fds_none"), { to })).toBe("unauthorized");
    const anonymous = uuidv7();
    await sql`select from formd.anonymous_session_create(
      p_team => ${team.id}, p_form => ${form.id}, p_access_key_hash => ${parseSecret("fdf", form.accessKey).hash}, p_id => ${uuidv7()},
      p_token_hash => ${sha256(anonymous)}, p_lifetime => '1 hour', p_captcha_passed => false, p_ip_key => ${anonymous}, p_ip_limit => 1)`;
    expect(await authorize(session(anonymous))).toBe("anonymous");
    expect(await authorize(session(anonymous), { to })).toBe("unauthorized");
  });

  test("counts a request for its client IP, valid or not, and one that was admitted before not again", async () => {
    const options = { ipKey: `submit:ip:${uuidv7()}`, limit: 2 };
    expect(await authorize(session("fds_none"), options)).toBe("unauthorized");
    expect(await authorize(apiKey(team.key), options)).toBe("api_key");
    expect(await authorize(apiKey(team.key), { ...options, admitted: true })).toBe("api_key");
    expect(await authorize(apiKey(team.key), options)).toBe("rate_limited");
  });
});

describe("credential_cross_tenant", () => {
  const crossTenant = async (credentials: object, accessKey = form.accessKey) => {
    const [row] = await sql<[{ code: string }]>`
      select formd.credential_cross_tenant(
        p_team => ${team.id}, p_form => ${form.id},
        p_credentials => jsonb_populate_record(null::formd.submitter_credentials, ${credentialsOf(credentials, accessKey)}),
        p_credential_team => ${other.id}) as code`;
    return row.code;
  };

  test("a valid credential of another team is tenant_mismatch, of a disabled agent agent_inactive, any other unauthorized", async () => {
    const agent = await makeAgent(app, other, await makeForm(app, other, []));
    expect(await crossTenant(apiKey(other.key))).toBe("tenant_mismatch");
    expect(await crossTenant(session(agent.token))).toBe("tenant_mismatch");
    expect(await crossTenant(session("fds_none"))).toBe("unauthorized");
    const wrongKey = form.accessKey.slice(0, -4).concat("AAAA");
    expect(await crossTenant(apiKey(other.key), wrongKey)).toBe("unauthorized");
    await sql`update formd.agents set status = 'disabled', disabled_at = now() where id = ${agent.id}`;
    expect(await crossTenant(session(agent.token))).toBe("agent_inactive");
  });
});
