// stacks: one months citus gate
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { makeTeam } from "../setup.ts";
import { makeSigner } from "../signing.ts";
import { hashOf, inParallel, sqlFixture } from "./fixture.ts";

const { app, sql, team, register } = await sqlFixture();
const other = await makeTeam(app);

const addKey = async (agent: string, of = team) => (await makeSigner(app, of, agent)).id;

const bySecret = async (clientId: string, secret: string, of = team.id, ip = `token:ip:${uuidv7()}`) => {
  const [row] = await sql<[{ outcome: string; remaining: number }]>`
    select * from formd.oauth_secret_session_create(p_team => ${of}, p_client_id => ${clientId}, p_secret_hash => ${hashOf(secret)},
      p_id => ${uuidv7()}, p_token_hash => ${hashOf(uuidv7())}, p_lifetime => '7 days', p_ip_key => ${ip}, p_ip_limit => 5,
      p_scopes => null, p_resource => null)`;
  return row;
};
const admit = async (clientId: string, ip = `token:ip:${uuidv7()}`) => {
  const [row] = await sql<[{ outcome: string; team: string | null; keys: { keyId: string }[] | null }]>`
    select * from formd.oauth_client_admit(p_client_id => ${clientId}, p_ip_key => ${ip}, p_ip_limit => 2)`;
  return row;
};
const byKey = async (keyId: string | null, nonce: Uint8Array | null, { each = sql, of = team.id } = {}) => {
  const [row] = await each<[{ outcome: string; expiresAt: Date | null }]>`
    select * from formd.oauth_key_session_create(p_team => ${of}, p_key_id => ${keyId}, p_nonce => ${nonce},
      p_nonce_expires_at => ${new Date(Date.now() + 60_000)}, p_id => ${uuidv7()}, p_token_hash => ${hashOf(uuidv7())},
      p_lifetime => '7 days', p_scopes => null, p_resource => null)`;
  return row;
};
const nonce = () => crypto.getRandomValues(new Uint8Array(16));

describe("by secret", () => {
  test("the client id must be the agent's own; what is wrong counts all the same", async () => {
    const [agent, second] = [await register(), await register()];
    const ip = "token:ip:oauth";
    const ways: [client: string, of: string, outcome: string, remaining: number][] = [
      [agent, team.id, "minted", 4],
      [second, team.id, "unauthorized", 3],
      [agent, other.id, "unauthorized", 2],
    ];
    for (const [client, of, outcome, remaining] of ways)
      expect(await bySecret(client, agent, of, ip)).toMatchObject({ outcome, remaining });
  });
});

describe("by key", () => {
  test("a client's keys are its agent's active ones, and of no other team", async () => {
    const [agent, foreign] = [await register(), await register(other)];
    const keys = [await addKey(agent), await addKey(agent), await addKey(agent)];
    await addKey(foreign, other);
    await sql`select from formd.signing_key_delete(${team.id}, '(cli,,)', ${agent}, ${keys[1] ?? ""})`;
    const admitted = await admit(agent);
    expect([admitted.outcome, admitted.team]).toEqual(["admitted", team.id]);
    expect(admitted.keys?.map(({ keyId }) => keyId)).toEqual([keys[0], keys[2]] as string[]);
    expect(await admit("none")).toMatchObject({ outcome: "admitted", team: null, keys: [] });
  });

  test("a client IP over the limit is refused without keys", async () => {
    const agent = await register();
    for (const expected of ["admitted", "admitted", "rate_limited"])
      expect((await admit(agent, "token:ip:over")).outcome).toBe(expected);
    expect((await admit(agent, "token:ip:over")).keys).toBeNull();
  });

  test("of twenty sessions by one assertion at once, one is created", async () => {
    const key = await addKey(await register());
    const once = nonce();
    const rows = await inParallel(app.database.ownerUrl, 20, (each) => byKey(key, once, { each }));
    expect(rows.filter(({ outcome }) => outcome === "minted")).toHaveLength(1);
  });

  test("no session for a key that is unknown, revoked or of another team, nor for a disabled or revoked agent", async () => {
    const agent = await register();
    const [key, revoked] = [await addKey(agent), await addKey(agent)];
    await sql`select from formd.signing_key_delete(${team.id}, '(cli,,)', ${agent}, ${revoked})`;
    const refused = (outcome: string) => ({ outcome, expiresAt: null });
    expect(await byKey(null, null)).toEqual(refused("unauthorized"));
    expect(await byKey("key_0", nonce())).toEqual(refused("key_unusable"));
    expect(await byKey(revoked, nonce())).toEqual(refused("key_unusable"));
    expect(await byKey(key, nonce(), { of: other.id })).toEqual(refused("key_unusable"));
    const once = nonce();
    expect((await byKey(key, once)).outcome).toBe("minted");
    expect(await byKey(key, once)).toEqual(refused("nonce_used"));
    await sql`select from formd.agent_patch(${team.id}, '(cli,,)'::formd.actor, ${agent}, null, 'disabled', false)`;
    expect(await byKey(key, nonce())).toEqual(refused("agent_inactive"));
    await sql`select from formd.agent_delete(${team.id}, '(cli,,)', ${agent})`;
    expect(await byKey(key, nonce())).toEqual(refused("agent_inactive"));
  });
});

describe("for a person", () => {
  const admitFor = async (agent: string, issuer: string) => {
    const [row] = await sql<[{ keys: unknown[]; connection: string | null }]>`
      select * from formd.oauth_person_admit(p_client_id => ${agent}, p_secret_hash => ${hashOf(agent)}, p_issuer => ${issuer},
        p_ip_key => ${`token:ip:${uuidv7()}`}, p_ip_limit => 5)`;
    return row;
  };

  test("a connection of the installation names persons in teams where it gives a role, and in no other", async () => {
    const [connection, issuer] = [uuidv7(), "https://installation.example.org"];
    await sql`
      insert into formd.sign_in_connections (id, team_id, name, issuer, client_id, sealed_secret, secret_key, email_domains,
        groups_claim, scopes, roles, is_required, accepts_agents, created_at)
      values (${connection}, null, 'Corp', ${issuer}, 'formd', 'secret', 'key', '{corp.example}', 'groups', '{}',
        ${sql.json([{ group: "*", teamId: team.id, workspaceId: team.workspace, role: "viewer" }])}, false, true, now())`;
    expect(await admitFor(await register(), issuer)).toMatchObject({ connection });
    expect(await admitFor(await register(other), issuer)).toMatchObject({ connection: null });
  });

  test("an agent that is disabled has no keys", async () => {
    const agent = await register();
    await addKey(agent);
    expect((await admitFor(agent, "none")).keys).toHaveLength(1);
    await sql`select from formd.agent_patch(${team.id}, '(cli,,)'::formd.actor, ${agent}, null, 'disabled', false)`;
    expect((await admitFor(agent, "none")).keys).toEqual([]);
  });
});
