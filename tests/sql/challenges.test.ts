import { beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/auth/secret.ts";
import type { Sql } from "../../src/db.ts";
import { type Agent, makeAgent, makeForm, type PublishedForm, type Service, type Team } from "../setup.ts";
import { type Key, makeSigner } from "../signing.ts";
import { inParallel, sqlFixture } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
let form: PublishedForm;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
  form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);
}, 60_000);

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
    [{ outcome: string; expiresAt: Date; bucket: string; remaining: number; resetMs: number }]
  >`
    select * from formd.challenge_issue(${team.id}, ${form.id}, ${sha256(form.accessKey)}, 'session', ${sha256(agent.token)}, null, null, null,
      1, ${ip}, ${limit}, ${id}, 'email', 'Which?')`;
  return { ...row, id };
};

type Verdict = "right" | "wrong" | "malformed";
const answer = async (
  { key }: Caller,
  challenge: string,
  verdict: Verdict,
  { each = sql, ip = uuidv7(), accessKey = null as string | null } = {},
) => {
  const [row] = await each<
    [{ outcome: string; passExpiresAt: Date | null; remainingAttempts: number | null }]
  >`
    select * from formd.challenge_answer(${team.id}, ${form.id}, ${challenge}, ${key.id}, ${randomBytes(16)}, ${new Date(Date.now() + 600_000)},
      ${ip}, 1000, ${accessKey && sha256(accessKey)}, ${verdict}, '10 minutes')`;
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

describe("challenge_issue", () => {
  test("lives two minutes", async () => {
    const before = Date.now();
    const { outcome, expiresAt } = await issue(await caller());
    expect(outcome).toBe("issued");
    expect(expiresAt.getTime()).toBeWithin(before + 120_000, Date.now() + 120_001);
  });

  test("of twenty at once from as many addresses, an agent gets five", async () => {
    const who = await caller();
    const rows = await inParallel(app.database.ownerUrl, 20, (each) => issue(who, { each }));
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual([
      ...Array(5).fill("issued"),
      ...Array(15).fill("rate_limited"),
    ]);
    for (const { outcome, bucket, remaining, resetMs } of rows) {
      if (outcome === "issued") continue;
      expect({ bucket, remaining }).toEqual({ bucket: "open-challenges", remaining: 0 });
      // By the clock of before the wait for the lock, so that it may be a little more than the two minutes.
      expect(resetMs).toBeWithin(100_000, 130_000);
    }
  });

  test("what is refused for having five open counts against no address", async () => {
    const [who, ip] = [await caller(), uuidv7()];
    for (let i = 0; i < 8; i++) await issue(who, { ip, limit: 25 });
    expect((await issue(await caller(), { ip, limit: 25 })).remaining).toBe(19);
  });

  test("an answered, a failed and an expired one make room", async () => {
    const who = await caller();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await issue(who)).id);
    const [one = "", two = "", three = ""] = ids;
    expect((await issue(who)).outcome).toBe("rate_limited");
    await answer(who, one, "right");
    await expire(two);
    for (let i = 0; i < 3; i++) await answer(who, three, "wrong");
    expect(
      [await issue(who), await issue(who), await issue(who), await issue(who)].map(({ outcome }) => outcome),
    ).toEqual(["issued", "issued", "issued", "rate_limited"]);
  });
});

describe("challenge_answer", () => {
  test("of fifty wrong answers at once three count, and one of them fails it", async () => {
    const who = await caller();
    const { id } = await issue(who);
    const rows = await inParallel(app.database.ownerUrl, 50, (each) => answer(who, id, "wrong", { each }));
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
        answer(who, id, index % 3 ? "wrong" : "right", { each }),
      );
      const passed = rows.filter(({ outcome }) => outcome === "passed").length;
      const [status, attempts] = await stateOf(id);
      expect([status, passed]).toEqual(passed ? ["passed", 1] : ["failed", 0]);
      expect(attempts).toBe(
        rows.filter(({ outcome }) => ["passed", "wrong", "exhausted"].includes(outcome)).length,
      );
    }
  });

  const table: [
    title: string,
    before: (who: Caller, id: string) => Promise<unknown>,
    expected: Record<Verdict, string>,
  ][] = [
    ["issued", async () => {}, { right: "passed", wrong: "wrong", malformed: "malformed" }],
    [
      "with one attempt left",
      async (who, id) => {
        for (let i = 0; i < 2; i++) await answer(who, id, "wrong");
      },
      { right: "passed", wrong: "exhausted", malformed: "malformed" },
    ],
    [
      "passed",
      (who, id) => answer(who, id, "right"),
      { right: "bad_request", wrong: "bad_request", malformed: "bad_request" },
    ],
    [
      "passed and past its time",
      async (who, id) => {
        await answer(who, id, "right");
        await expire(id);
      },
      { right: "bad_request", wrong: "bad_request", malformed: "bad_request" },
    ],
    [
      "failed",
      async (who, id) => {
        for (let i = 0; i < 3; i++) await answer(who, id, "wrong");
      },
      { right: "challenge_failed", wrong: "challenge_failed", malformed: "challenge_failed" },
    ],
    [
      "failed and past its time",
      async (who, id) => {
        for (let i = 0; i < 3; i++) await answer(who, id, "wrong");
        await expire(id);
      },
      { right: "challenge_failed", wrong: "challenge_failed", malformed: "challenge_failed" },
    ],
    [
      "expired",
      (_who, id) => expire(id),
      { right: "challenge_expired", wrong: "challenge_expired", malformed: "challenge_expired" },
    ],
  ];
  test.each(table)("%s", async (_title, before, expected) => {
    for (const verdict of ["right", "wrong", "malformed"] as const) {
      const who = await caller();
      const { id } = await issue(who);
      await before(who, id);
      const state = await stateOf(id);
      const { outcome } = await answer(who, id, verdict);
      expect({ verdict, outcome }).toEqual({ verdict, outcome: expected[verdict] });
      if (!["passed", "wrong", "exhausted"].includes(outcome)) expect(await stateOf(id)).toEqual(state);
    }
  });

  test("a pass is one an agent and form, and a later one moves it on", async () => {
    const who = await caller();
    const first = await answer(who, (await issue(who)).id, "right");
    await Bun.sleep(2); // passes are counted in milliseconds
    const second = await answer(who, (await issue(who)).id, "right");
    expect(second.passExpiresAt?.getTime()).toBeGreaterThan(first.passExpiresAt?.getTime() ?? 0);
    expect(await passes(who)).toEqual([second.passExpiresAt as Date]);
  });

  test("a wrong answer earns nothing", async () => {
    const who = await caller();
    await answer(who, (await issue(who)).id, "wrong");
    expect(await passes(who)).toEqual([]);
  });

  test("a form goes with its challenges and passes, an agent's too", async () => {
    const who = await caller();
    const { id } = await issue(who);
    await answer(who, id, "right");
    await sql`delete from formd.agents where id = ${who.agent.id}`;
    expect([await passes(who), (await sql`select from formd.challenges where id = ${id}`).length]).toEqual([
      [],
      0,
    ]);
  });
});
