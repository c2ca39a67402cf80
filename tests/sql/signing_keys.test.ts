import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { jwkOf, spkiOf } from "../../src/platform/auth/public-key.ts";
import { connect } from "../../src/platform/database/db.ts";
import { makeTeam } from "../setup.ts";
import { newKey } from "../signing.ts";
import { codeOf, endOf, inParallel, newIds, raisedProblem, sqlFixture } from "./fixture.ts";

const { app, sql, team, register: newAgent } = await sqlFixture();
const other = await makeTeam(app);

interface KeyRow {
  id: string;
  keyId: string;
  status: string;
  expiresAt: Date | null;
  thumbprint: string;
}

async function register(
  agent: string,
  key = newKey(),
  { each = sql, of = team, expiresAt = null as Date | null } = {},
): Promise<KeyRow> {
  const [registered] = await each`
    select * from formd.signing_key_add(${of.id}, '(api_key,,)'::formd.actor, ${agent}, ${uuidv7()}, ${key.id}, ${key.pem}, ${expiresAt}, false)`;
  const [row] = await each<[KeyRow]>`
    select * from formd.signing_keys where team_id = ${of.id} and key_id = ${key.id}`;
  expect(registered).toEqual({ keyId: row.keyId, alg: "ed25519", status: row.status });
  return row;
}
const revoke = (agent: string, keyId: string) =>
  sql`select * from formd.signing_key_delete(${team.id}, '(api_key,,)'::formd.actor, ${agent}, ${keyId})`;
const inTenMinutes = () => new Date(Date.now() + 600_000);
const claim = async (
  keyId: string | null,
  nonce = randomBytes(16),
  { each = sql, of = team.id, expiresAt = inTenMinutes() } = {},
) => {
  const [row] = await each<[{ callerId: string | null; outcome: string | null }]>`
    select * from formd.signature_claim(${of}, ${keyId}, ${nonce}, ${expiresAt})`;
  return row.callerId ?? row.outcome;
};
const noncesOf = async (id: string) =>
  (await sql<[{ count: number }]>`select count(*)::int from formd.nonces where holder_id = ${id}`)[0].count;

describe("signature_claim", () => {
  test("of 32 claims of one nonce at once, one gets the agent; 200 times over", async () => {
    const agent = await newAgent();
    const { keyId } = await register(agent);
    const connections = connect(app.database.ownerUrl, { poolSize: 32, prepare: true });
    try {
      for (let round = 0; round < 200; round++) {
        const nonce = randomBytes(16);
        const claims = await Promise.all(
          Array.from({ length: 32 }, () => claim(keyId, nonce, { each: connections })),
        );
        expect(claims.sort()).toEqual([agent, ...Array(31).fill("nonce_used")].sort());
      }
    } finally {
      await connections.end();
    }
  });

  test("a nonce belongs to its key: another key may use the same", async () => {
    const agent = await newAgent();
    const nonce = randomBytes(16);
    const [one, two] = [await register(agent), await register(agent)];
    const claims: (string | null)[] = [];
    for (const { keyId } of [one, two, one]) claims.push(await claim(keyId, nonce));
    expect(claims).toEqual([agent, agent, "nonce_used"]);
  });

  test("unverified, unknown, foreign, revoked and expired keys get no agent, and spend no nonce", async () => {
    const agent = await newAgent();
    const until = (expiresAt: Date) => register(agent, newKey(), { expiresAt });
    const [revoked, expired] = [await register(agent), await until(new Date(Date.now() - 1))];
    expect(await claim((await until(inTenMinutes())).keyId)).toBe(agent);
    const foreign = await register(await newAgent(other), newKey(), { of: other });
    await revoke(agent, revoked.keyId);
    expect(await claim(null)).toBe("unauthorized");
    for (const keyId of [newKey().id, revoked.keyId, expired.keyId, foreign.keyId])
      expect(await claim(keyId)).toBe("key_unusable");
    for (const { id } of [revoked, expired, foreign]) expect(await noncesOf(id)).toBe(0);
  });

  test("nonces are logged, so that a crash loses none", async () => {
    const [row] =
      await sql`select relpersistence as persistence from pg_class where oid = 'formd.nonces'::regclass`;
    expect(row?.persistence).toBe("p");
  });

  test("does not check the state of the agent: a disabled agent is named as well", async () => {
    const agent = await newAgent();
    const { keyId } = await register(agent);
    await sql`select from formd.agent_patch(${team.id}, '(api_key,,)'::formd.actor, ${agent}, null, 'disabled', false)`;
    expect(await claim(keyId)).toBe(agent);
  });
});

describe("signing_key_add", () => {
  test("of 25 keys at once, an agent gets 20", async () => {
    const agent = await newAgent();
    const outcomes = await inParallel(app.database.ownerUrl, 25, (each) =>
      endOf(register(agent, newKey(), { each }), "active"),
    );
    expect(outcomes.sort()).toEqual([...Array(20).fill("active"), ...Array(5).fill("conflict")]);
  });

  test("a revoked key makes room for another, the same PEM takes none", async () => {
    const agent = await newAgent();
    const keys = newIds(20).map(() => newKey());
    for (const key of keys) await register(agent, key);
    const again = await register(agent, keys[0], { expiresAt: inTenMinutes() });
    expect(again).toMatchObject({ status: "active", expiresAt: null });
    expect(await raisedProblem(register(agent))).toMatchObject({
      code: "conflict",
      detail: expect.stringContaining("20"),
    });
    await revoke(agent, keys[7]?.id ?? "");
    expect((await register(agent)).status).toBe("active");
  });

  test("one PEM at once for 20 agents of a team is one agent's", async () => {
    const key = newKey();
    const agents = await Promise.all(newIds(20).map(() => newAgent()));
    const outcomes = await inParallel(app.database.ownerUrl, 20, (each, index) =>
      endOf(register(agents[index] ?? "", key, { each }), agents[index] ?? ""),
    );
    const winners = outcomes.filter((outcome) => outcome !== "conflict");
    expect(winners.length).toBe(1);
    expect(await claim(key.id)).toBe(winners[0] ?? "");
  });

  test("the same PEM at once for one agent is one key", async () => {
    const [agent, key] = [await newAgent(), newKey()];
    const rows = await inParallel(app.database.ownerUrl, 20, (each) => register(agent, key, { each }));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1);
  });

  test("another PEM under an existing key id is refused: 64 bits of a hash are not enough", async () => {
    const [agent, key] = [await newAgent(), newKey()];
    await register(agent, key);
    expect(await codeOf(register(agent, { ...newKey(), id: key.id }))).toBe("conflict");
  });

  test("a PEM of another agent is a conflict; one that was revoked stays revoked", async () => {
    const [agent, another, key] = [await newAgent(), await newAgent(), newKey()];
    await register(agent, key);
    expect(await codeOf(register(another, key))).toBe("conflict");
    await revoke(agent, key.id);
    for (const of of [agent, another]) expect(await codeOf(register(of, key))).toBe("conflict");
    expect(await claim(key.id)).toBe("key_unusable");
  });

  test("another team neither blocks a PEM nor borrows it", async () => {
    const key = newKey();
    const [mine, theirs] = [await newAgent(), await newAgent(other)];
    const claims = async () => [await claim(key.id), await claim(key.id, randomBytes(16), { of: other.id })];
    await register(theirs, key, { of: other });
    expect(await claims()).toEqual(["key_unusable", theirs]);
    await register(mine, key);
    expect(await claims()).toEqual([mine, theirs]);
    await revoke(mine, key.id);
    expect(await claims()).toEqual(["key_unusable", theirs]);
    expect(await codeOf(register(theirs))).toBe("not_found");
  });
});

describe("signing_key_delete", () => {
  test("a second time changes nothing", async () => {
    const agent = await newAgent();
    const { keyId } = await register(agent);
    const at = async () =>
      (await sql`select revoked_at from formd.signing_keys where key_id = ${keyId}`)[0]?.revokedAt;
    expect([...(await revoke(agent, keyId))]).toEqual([{ keyId, status: "revoked" }]);
    const first = await at();
    expect([...(await revoke(agent, keyId))]).toEqual([{ keyId, status: "revoked" }]);
    expect(await at()).toEqual(first);
  });
});

test("a key has its thumbprint", async () => {
  const key = newKey();
  const { thumbprint } = await register(await newAgent(), key);
  expect(thumbprint).toBe(jwkOf(spkiOf(key.pem)).kid as string);
});
