// stacks: one months citus gate
import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { type Agent, makeAgent, makeForm } from "../setup.ts";
import { type Key, makeSigner } from "../signing.ts";
import { inParallel, sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);

interface Caller {
  agent: Agent;
  key: Key;
}
const caller = async (): Promise<Caller> => {
  const agent = await makeAgent(app, team, form, ["agent:read"]);
  return { agent, key: await makeSigner(app, team, agent.id) };
};

const issue = async ({ agent }: Caller, { each = sql, ip = uuidv7(), limit = 1000 } = {}) => {
  const id = uuidv7();
  const [row] = await each<
    [{ outcome: string; expiresAt: Date; limitName: string; remaining: number; resetMs: number }]
  >`
    select (c.result).*, c.expires_at from formd.challenge_create(p_team => ${team.id}, p_form => ${form.id},
      p_credentials => row(${sha256(form.accessKey)}::bytea, 'session', ${sha256(agent.token)}::bytea, null, null, null, null, null, null)::formd.submitter_credentials,
      p_version => 1, p_admitted => false, p_ip_key => ${ip}, p_ip_limit => ${limit}, p_id => ${id}, p_field_id => 'email', p_prompt => 'Which?') as c`;
  return { ...row, id };
};

type Validation = "right" | "wrong" | "malformed";
const respond = async (
  { key }: Caller,
  challenge: string,
  validation: Validation,
  { each = sql, ip = uuidv7(), accessKey = null as string | null } = {},
) => {
  const [row] = await each<
    [{ outcome: string; passExpiresAt: Date | null; remainingAttempts: number | null }]
  >`
    select (r.result).*, r.pass_expires_at, r.remaining_attempts
    from formd.challenge_respond(p_team => ${team.id}, p_form => ${form.id}, p_challenge => ${challenge},
      p_credentials => row(${accessKey && sha256(accessKey)}::bytea, 'signature', null, ${key.id}, ${randomBytes(16)}::bytea,
        ${new Date(Date.now() + 600_000)}::timestamptz, null, null, null)::formd.submitter_credentials,
      p_ip_key => ${ip}, p_ip_limit => 1000, p_validation => ${validation}, p_pass_lifetime => '10 minutes') as r`;
  return row;
};
const stateOf = async (id: string) => {
  const [row] = await sql<
    [{ status: string; attempts: number }]
  >`select status, attempts from formd.challenges where id = ${id}`;
  return [row.status, row.attempts];
};
const expire = (id: string) =>
  sql`update formd.challenges set expires_at = now() - interval '1 millisecond' where id = ${id}`;
const passes = async ({ agent }: Caller) =>
  (
    await sql<
      { expiresAt: Date }[]
    >`select expires_at from formd.challenge_passes where agent_id = ${agent.id}`
  ).map(({ expiresAt }) => expiresAt);

describe("challenge_create", () => {
  test("lives two minutes", async () => {
    const before = Date.now();
    const { outcome, expiresAt } = await issue(await caller());
    expect(outcome).toBe("issued");
    expect(expiresAt.getTime()).toBeWithin(before + 120_000, Date.now() + 120_001);
  });

  test("of twenty at once from as many client IPs, an agent gets five", async () => {
    const who = await caller();
    const rows = await inParallel(app.database.ownerUrl, 20, (each) => issue(who, { each }));
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual([
      ...Array(5).fill("issued"),
      ...Array(15).fill("rate_limited"),
    ]);
    for (const { outcome, limitName, remaining, resetMs } of rows) {
      if (outcome === "issued") continue;
      expect({ limitName, remaining }).toEqual({ limitName: "open-challenges", remaining: 0 });
      // The clock is read before the wait for the lock, so that the value may slightly exceed two minutes.
      expect(resetMs).toBeWithin(100_000, 130_000);
    }
  });

  test("a challenge that is refused because five are open does not count against the client IP", async () => {
    const [who, ip] = [await caller(), uuidv7()];
    for (let i = 0; i < 8; i++) await issue(who, { ip, limit: 25 });
    expect((await issue(await caller(), { ip, limit: 25 })).remaining).toBe(19);
  });

  test("passed, failed and expired challenges make room", async () => {
    const who = await caller();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await issue(who)).id);
    const [one = "", two = "", three = ""] = ids;
    expect((await issue(who)).outcome).toBe("rate_limited");
    await respond(who, one, "right");
    await expire(two);
    for (let i = 0; i < 3; i++) await respond(who, three, "wrong");
    const outcomes: string[] = [];
    for (let i = 0; i < 4; i++) outcomes.push((await issue(who)).outcome);
    expect(outcomes).toEqual(["issued", "issued", "issued", "rate_limited"]);
  });
});

describe("challenge_respond", () => {
  test("of fifty wrong responses at once three count, and one of them fails the challenge", async () => {
    const who = await caller();
    const { id } = await issue(who);
    const rows = await inParallel(app.database.ownerUrl, 50, (each) => respond(who, id, "wrong", { each }));
    const counted = rows.filter(({ remainingAttempts }) => remainingAttempts !== null);
    expect(counted.map(({ outcome, remainingAttempts }) => `${outcome} ${remainingAttempts}`).sort()).toEqual(
      ["exhausted 0", "wrong 1", "wrong 2"],
    );
    expect(rows.filter(({ outcome }) => outcome === "challenge_failed").length).toBe(47);
    expect(await stateOf(id)).toEqual(["failed", 3]);
  });

  test("of right and wrong ones at once, at most one passes and at most three count", async () => {
    for (let round = 0; round < 10; round++) {
      const who = await caller();
      const { id } = await issue(who);
      const rows = await inParallel(app.database.ownerUrl, 12, (each, index) =>
        respond(who, id, index % 3 ? "wrong" : "right", { each }),
      );
      const passed = rows.filter(({ outcome }) => outcome === "passed").length;
      const [status, attempts] = await stateOf(id);
      expect([status, passed]).toEqual(passed ? ["passed", 1] : ["failed", 0]);
      expect(attempts).toBe(
        rows.filter(({ outcome }) => ["passed", "wrong", "exhausted"].includes(outcome)).length,
      );
    }
  });

  const all = (outcome: string) => ({ right: outcome, wrong: outcome, malformed: outcome });
  const table: [title: string, before: (Validation | "expire")[], expected: Record<Validation, string>][] = [
    ["issued", [], { right: "passed", wrong: "wrong", malformed: "malformed" }],
    [
      "with one attempt left",
      ["wrong", "wrong"],
      { right: "passed", wrong: "exhausted", malformed: "malformed" },
    ],
    ["passed", ["right"], all("bad_request")],
    ["passed and past its time", ["right", "expire"], all("bad_request")],
    ["failed", ["wrong", "wrong", "wrong"], all("challenge_failed")],
    ["failed and past its time", ["wrong", "wrong", "wrong", "expire"], all("challenge_failed")],
    ["expired", ["expire"], all("challenge_expired")],
  ];
  test.each(table)("%s", async (_title, before, expected) => {
    for (const validation of ["right", "wrong", "malformed"] as const) {
      const who = await caller();
      const { id } = await issue(who);
      for (const step of before) await (step === "expire" ? expire(id) : respond(who, id, step));
      const state = await stateOf(id);
      const { outcome } = await respond(who, id, validation);
      expect({ validation, outcome }).toEqual({ validation, outcome: expected[validation] });
      if (!["passed", "wrong", "exhausted"].includes(outcome)) expect(await stateOf(id)).toEqual(state);
    }
  });

  test("a pass is one per agent and form, and a later one extends it", async () => {
    const who = await caller();
    const first = await respond(who, (await issue(who)).id, "right");
    await Bun.sleep(2); // passes are counted in milliseconds
    const second = await respond(who, (await issue(who)).id, "right");
    expect(second.passExpiresAt?.getTime()).toBeGreaterThan(first.passExpiresAt?.getTime() ?? 0);
    expect(await passes(who)).toEqual([second.passExpiresAt as Date]);
  });
});
