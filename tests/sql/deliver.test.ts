// stacks: one months citus gate
import { describe, expect, test } from "bun:test";
import type { Sql } from "../../src/platform/database/db.ts";
import { generatedCases } from "../generated.ts";
import { type PublishedForm, type Team, testOnOneNode } from "../setup.ts";
import { type Claim, cli, deliveriesFixture, failed } from "./deliveries-fixture.ts";
import { inParallel } from "./fixture.ts";

const {
  app,
  sql,
  ownTeam: makeOwnTeam,
  create,
  submit,
  claim,
  settle,
  deliveries,
  makeDue,
  due,
} = await deliveriesFixture();
let team: Team;
let form: PublishedForm;
async function ownTeam() {
  ({ team, form } = await makeOwnTeam());
}

describe("a lease", () => {
  test("is held by one of two servers at a time, at most 4 for one webhook", async () => {
    await ownTeam();
    await create();
    await create();
    await submit(60);
    const held = new Map<string, number>();
    const perWebhook = new Map<string, number>();
    let rounds = 0;
    await inParallel(app.database.ownerUrl, 2, async (each) => {
      while (rounds++ < generatedCases(1_000)) {
        const claims = await claim(5, 60, each);
        for (const { eventId, webhookId } of claims) {
          const name = `${eventId} ${webhookId}`;
          held.set(name, (held.get(name) ?? 0) + 1);
          expect(held.get(name)).toBe(1);
          perWebhook.set(webhookId, (perWebhook.get(webhookId) ?? 0) + 1);
          expect(perWebhook.get(webhookId)).toBeLessThanOrEqual(4);
        }
        for (const { eventId, webhookId } of claims) {
          held.delete(`${eventId} ${webhookId}`);
          perWebhook.set(webhookId, (perWebhook.get(webhookId) ?? 0) - 1);
        }
        await settle(claims, failed, each);
        if (rounds % 10 === 0)
          await sql.begin(async (transaction) => {
            // Locks in the order of formd.webhook_settle, since otherwise the two could wait for each other.
            await transaction`select from formd.webhooks where team_id = ${team.id} order by id for no key update`;
            await transaction`
              update formd.webhook_deliveries set due_at = now(), attempts = 0, state = 'due'
              where team_id = ${team.id} and leased_until_at is null`;
          });
      }
    });
  });

  test("that runs out is claimed anew; a failure of the first is then no news, a success is", async () => {
    await ownTeam();
    await create();
    await submit();
    const [first] = await claim(1, 0);
    const [second] = await claim(1, 60);
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    expect(await claim()).toEqual([]);
    await settle([first as Claim], failed);
    expect(await deliveries()).toMatchObject([{ state: "due", attempts: 2, wait: expect.closeTo(60, -1) }]);
    await settle([first as Claim]);
    expect(await deliveries()).toMatchObject([{ state: "delivered" }]);
    await settle([second as Claim], failed);
    expect(await deliveries()).toMatchObject([{ state: "delivered" }]);
  });

  test("of 4 for one webhook leaves another one free, and what is settled makes room", async () => {
    await ownTeam();
    const ids = [await create(), await create()];
    await submit(10);
    const claims = await claim();
    expect(claims.map(({ webhookId }) => webhookId).sort()).toEqual(
      ids.flatMap((id) => Array(4).fill(id)).sort(),
    );
    await settle(claims.filter(({ webhookId }) => webhookId === ids[1]));
    expect((await claim()).map(({ webhookId }) => webhookId)).toEqual(Array(4).fill(ids[1]));
  });

  test("goes to first attempts before retries", async () => {
    await ownTeam();
    await create();
    await submit(4);
    await settle(await claim(), failed);
    await makeDue();
    await submit(3);
    expect((await claim()).map(({ attempt }) => attempt).sort()).toEqual([1, 1, 1, 2]);
  });
});

describe("teams with due deliveries", () => {
  test("are found; deliveries of paused webhooks and deliveries that wait are not", async () => {
    await ownTeam();
    expect(await due()).not.toContain(team.id);
    const [paused, id] = [await create(), await create()];
    await sql`select formd.webhook_patch(${team.id}, ${cli}, ${paused}, null, null, null, 'paused')`;
    await submit();
    expect((await due()).filter((each) => each === team.id)).toEqual([team.id]);
    const claims = await claim();
    expect(claims.map(({ webhookId }) => webhookId)).toEqual([id]);
    expect(await due()).not.toContain(team.id);
    await settle(claims, failed);
    expect(await due()).not.toContain(team.id);
    await sql`select formd.webhook_patch(${team.id}, ${cli}, ${paused}, null, null, null, 'active')`;
    expect(await due()).toContain(team.id);
  });

  test("are found from the one after the team that was served last, and each of them once", async () => {
    for (let i = 0; i < 3; i++) {
      await ownTeam();
      await create();
      await submit();
    }
    const [none, ...teams] = await due();
    expect(none).toBeNull();
    expect(teams).toEqual([...teams].sort());
    for (const [index, last] of teams.entries()) {
      const inTurn = [...teams.slice(index + 1), ...teams.slice(0, index + 1)];
      expect(await due(last)).toEqual([null, ...inTurn]);
      expect(await due(last, 2)).toEqual([null, ...inTurn.slice(0, 2)]);
    }
  });

  testOnOneNode("are found without reading the deliveries of one that has many", async () => {
    await ownTeam();
    await create();
    await sql`
      insert into formd.webhook_events (team_id, id, type, workspace_id, form_id, subject_id, created_at, expires_at)
      select ${team.id}, gen_random_uuid(), 'form.published', ${team.workspace}, ${form.id}, ${form.id}, now(), now() + interval '1 day'
      from generate_series(1, 20000)`;
    await sql`
      insert into formd.webhook_deliveries (team_id, event_id, webhook_id, due_at)
      select e.team_id, e.id, w.id, now() + interval '1 hour' from formd.webhook_events e join formd.webhooks w using (team_id)
      where e.team_id = ${team.id}`;
    const rowsRead = await sql.begin(async (transaction) => {
      // PostgreSQL hands on the counts of a connection once a second, until then they include those of
      // earlier transactions.
      const rowsSoFar = async () => {
        const [{ read }] = await transaction<[{ read: number }]>`
          select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relid = 'formd.webhook_deliveries'::regclass`;
        return read;
      };
      const before = await rowsSoFar();
      await due(null, 10_000, transaction as unknown as Sql);
      return (await rowsSoFar()) - before;
    });
    // At most a tenth of 20,000: some rows of each team, also of the teams of earlier tests.
    expect(rowsRead).toBeLessThan(2_000);
    await sql`delete from formd.webhook_events where team_id = ${team.id}`;
  });
});

describe("a delivery that fails", () => {
  test("is due after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, with a tenth of jitter, and then failed", async () => {
    await ownTeam();
    await create();
    await submit();
    for (const seconds of [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]) {
      const claims = await claim();
      const begun = performance.now();
      await settle(claims, failed);
      const [row] = await deliveries();
      expect(row?.state).toBe("due");
      expect(row?.wait).toBeGreaterThan(seconds - (performance.now() - begun) / 1_000 - 0.01);
      expect(row?.wait).toBeLessThanOrEqual(seconds * 1.1);
      await makeDue();
    }
    await settle(await claim(), failed);
    expect(await deliveries()).toMatchObject([{ state: "failed", attempts: 8 }]);
    expect(await due()).not.toContain(team.id);
  });

  test("keeps its last 10 attempts", async () => {
    await ownTeam();
    const id = await create();
    const [result] = await submit();
    for (let i = 0; i < 12; i++) {
      await sql`select formd.webhook_replay(${team.id}, ${cli}, ${id}, ${result?.response?.id ?? null}, null, null)`;
      await settle(await claim(), failed);
    }
    const rows = await sql<{ attempt: number }[]>`
      select attempt from formd.webhook_attempts where team_id = ${team.id} order by attempt`;
    expect(rows.map(({ attempt }) => attempt)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test("disables its webhook after 120 hours without a success, and not before", async () => {
    await ownTeam();
    const id = await create();
    await submit(2);
    const failingFor = (hours: number) =>
      sql`update formd.webhooks set failing_since_at = now() - ${`${hours} hours`}::interval where team_id = ${team.id}`;
    await failingFor(119.9);
    expect(await settle(await claim(1), failed)).toHaveLength(0);
    await failingFor(120);
    expect(await settle(await claim(1), failed)).toMatchObject([
      { webhookId: id, disabledReason: "failing" },
    ]);
    await makeDue();
    expect(await claim()).toEqual([]);
  });

  test("with 410 disables its webhook at once", async () => {
    await ownTeam();
    const id = await create();
    await submit();
    expect(await settle(await claim(), { ...failed, status: 410 })).toMatchObject([
      { webhookId: id, disabledReason: "gone" },
    ]);
  });
});

test("the previous secret is used for 24 hours", async () => {
  await ownTeam();
  const id = await create();
  await submit(2);
  await sql`select formd.webhook_secret_rotate(${team.id}, ${cli}, ${id}, '')`;
  expect(await claim(1)).toMatchObject([{ previousSecretKey: "" }]);
  await sql`update formd.webhooks set previous_secret_ends_at = now() where team_id = ${team.id}`;
  expect(await claim(1)).toMatchObject([{ previousSecretKey: null }]);
});
