import { beforeAll, describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb, type Sql } from "../../src/platform/database/db.ts";
import { generatedCases } from "../generated.ts";
import {
  makeForm,
  makeTeam,
  makeWorkspace,
  type PublishedForm,
  type Service,
  type Team,
  testOnOneNode,
} from "../setup.ts";
import { inParallel, newIds, raisedProblem, sqlFixture, submitAll } from "./fixture.ts";

const cli = "(cli,,)";
let app: Service;
let sql: Sql;
let team: Team;
let form: PublishedForm;
beforeAll(async () => {
  ({ app, sql } = await sqlFixture());
});

/** A team of its own for a test: deliveries are claimed by team. */
async function ownTeam() {
  team = await makeTeam(app);
  form = await makeForm(app, team, []);
}

async function create({
  of = form.id as string | null,
  workspace = null as string | null,
  types = ["submission.created"],
} = {}) {
  const [row] = await sql<[{ id: string }]>`
    select id from formd.webhook_create(${team.id}, ${cli}, ${uuidv7()}, ${workspace}, ${of}, 'https://hooks.example.org/', ${types}, 'thin')`;
  return row.id;
}

const submit = (count = 1) =>
  submitAll(
    sql,
    team,
    Array.from({ length: count }, () => ({ form })),
  );

interface Claim {
  eventId: string;
  webhookId: string;
  attempt: number;
  hasPreviousSecret: boolean;
}
const claim = (limit = 100, lease = 60, each = sql): Promise<Claim[]> => each<Claim[]>`
  select * from formd.webhook_claim(p_team => ${team.id}, p_limit => ${limit}, p_lease_seconds => ${lease})`;
const settle = (claims: Claim[], result: object = { status: 200 }, each = sql) =>
  each`select * from formd.webhook_settle(p_team => ${team.id}, p_results => ${jsonb(
    each,
    claims.map(({ eventId, webhookId, attempt }) => ({
      ...{ event_id: eventId, webhook_id: webhookId, attempt, started_at: new Date(), duration_ms: 1 },
      ...result,
    })),
  )})`;
const failed = { status: 500, error: "The response has the status 500." };
const deliveries = () =>
  sql<{ eventId: string; state: string; attempts: number; wait: number }[]>`
    select event_id, state, attempts, extract(epoch from due_at - clock_timestamp())::float8 as wait
    from formd.webhook_deliveries where team_id = ${team.id} order by event_id`;
/** As if the time of the next attempt had come. */
const makeDue = () =>
  sql`update formd.webhook_deliveries set due_at = now() where team_id = ${team.id} and state = 'due'`;
const due = async (after: string | null = null, limit = 10_000, each = sql) => {
  const rows = await each<{ teamId: string | null }[]>`
    select team_id from formd.webhook_due_after(p_after => ${after}, p_limit => ${limit})`;
  return rows.map(({ teamId }) => teamId);
};

describe("an event", () => {
  test("is recorded with the act or not at all, and only when a webhook listens", async () => {
    await ownTeam();
    const events = async () => {
      await sql`select from formd.webhook_batches_expand(${team.id})`;
      return sql`select id, subject_id, data from formd.webhook_events where team_id = ${team.id}`;
    };
    await submit();
    expect(await events()).toHaveLength(0);
    await create({ types: ["form.published"] });
    await submit();
    expect(await events()).toHaveLength(0);
    await create();
    await sql
      .begin(async (transaction) => {
        await submitAll(transaction as unknown as Sql, team, [{ form }]);
        throw new Error("rolled back");
      })
      .catch(() => {});
    expect(await events()).toHaveLength(0);
    const [result] = await submit();
    expect([...(await events())]).toEqual([
      {
        id: result?.response?.id as string,
        subjectId: result?.response?.id as string,
        data: { formVersion: 1, status: "completed" },
      },
    ]);
  });

  test("of a form is heard by webhooks of its workspace and of it; of an agent by those of its workspace", async () => {
    await ownTeam();
    const [workspace, otherForm] = [await makeWorkspace(app, team), await makeForm(app, team, [])];
    const types = ["form.published", "agent.revoked"];
    const heard = {
      all: await create({ of: null, types }),
      form: await create({ types }),
      otherForm: await create({ of: otherForm.id, types }),
      otherWorkspace: await create({ of: null, workspace, types }),
    };
    const agent = uuidv7();
    await sql`select from formd.agent_create(${team.id}, '(cli,,)', ${team.workspace}, ${agent}, 'Agent', ${agent}, 'fda_x', ${new Uint8Array([1])})`;
    const record = async (type: string, of: string | null, subject: string) => {
      const id = uuidv7();
      await sql`select formd.webhook_event_record(${team.id}, ${id}, ${type}, ${of}, ${subject}, '{}')`;
      const rows = await sql<{ webhookId: string }[]>`
        select webhook_id from formd.webhook_deliveries where team_id = ${team.id} and event_id = ${id} order by webhook_id`;
      return rows.map(({ webhookId }) => webhookId);
    };
    expect(await record("form.published", form.id, form.id)).toEqual([heard.all, heard.form].sort());
    expect(await record("agent.revoked", null, agent)).toEqual([heard.all]);
    expect(await record("form.archived", form.id, form.id)).toEqual([]);
  });

  test("that happens while its webhook is deleted is recorded or not, and the act succeeds", async () => {
    await ownTeam();
    for (let round = 0; round < 20; round++) {
      const id = await create();
      const [results] = await inParallel(app.database.ownerUrl, 2, async (each, index) =>
        index === 0
          ? await submitAll(each, team, [{ form }])
          : await each`select formd.webhook_delete(${team.id}, ${cli}, ${id})`,
      );
      expect(results).toMatchObject([{ outcome: "stored" }]);
    }
  });
});

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
            // As formd.webhook_settle does, or the two could wait for each other.
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
  test("are found; those of paused webhooks, and those that wait, are not", async () => {
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

test("events of a webhook that was disabled after the commit wait until it is enabled", async () => {
  await ownTeam();
  const id = await create();
  await submit();
  await sql`update formd.webhooks set status = 'disabled', disabled_reason = 'failing' where id = ${id}`;
  expect(await claim()).toEqual([]);
  expect(await deliveries()).toHaveLength(1);
  await sql`select formd.webhook_patch(${team.id}, ${cli}, ${id}, null, null, null, 'active')`;
  expect(await claim()).toHaveLength(1);
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
  await sql`select formd.webhook_secret_rotate(${team.id}, ${cli}, ${id})`;
  expect(await claim(1)).toMatchObject([{ hasPreviousSecret: true }]);
  await sql`update formd.webhooks set previous_secret_ends_at = now() where team_id = ${team.id}`;
  expect(await claim(1)).toMatchObject([{ hasPreviousSecret: false }]);
});

test("what names no webhook of the team is not found", async () => {
  await ownTeam();
  const [id, event] = newIds(2) as [string, string];
  for (const call of [
    sql`select formd.webhook_test(${team.id}, ${cli}, ${id}, ${event})`,
    sql`select formd.webhook_replay(${team.id}, ${cli}, ${id}, ${event}, null, null)`,
    sql`select formd.webhook_delivery_list(${team.id}, ${id}, null, 10, 0)`,
  ])
    expect(await raisedProblem(call)).toMatchObject({ code: "not_found" });
});

test("reads of deliveries write nothing and lock nothing, so that a standby can serve them", async () => {
  await ownTeam();
  const id = await create();
  const [result] = await submit();
  const event = result?.response?.id as string;
  await sql.begin("isolation level repeatable read read only", async (reader) => {
    await reader`select * from formd.webhook_delivery_list(${team.id}, ${id}, null, 20, 0)`;
    await reader`select * from formd.webhook_delivery_read(${team.id}, ${id}, ${event})`;
    await reader`select * from formd.webhook_attempt_list(${team.id}, ${id}, ${event})`;
    await reader`select * from formd.webhook_list(${team.id}, null, 20, 0)`;
    await reader`select * from formd.submission_page(${team.id}, ${form.id}, null, null, null, null, null, null, null, 20, 0, null, null)`;
    await reader`select * from formd.submission_edits_list(${team.id}, ${form.id}, ${event}, 20, 0, null)`;
    await reader`select * from formd.audit_list(${team.id}, '(cli,,)'::formd.actor, null, null, null, null, null, null, 20, 0)`;
  });
  await sql`select from formd.webhook_batches_expand(${team.id})`;
  expect(await sql`select * from formd.webhook_delivery_list(${team.id}, ${id}, null, 20, 0)`).toHaveLength(
    1,
  );
});
