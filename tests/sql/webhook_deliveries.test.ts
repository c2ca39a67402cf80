import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/platform/database/db.ts";
import { msOfId } from "../../src/platform/http/cursor.ts";
import { readableUntil } from "../../src/resources/submissions/changes.ts";
import { makeForm, makeWorkspace, type PublishedForm, type Team, testOnOneNode } from "../setup.ts";
import { cli, deliveriesFixture } from "./deliveries-fixture.ts";
import { inParallel, submitAll } from "./fixture.ts";

const { app, sql, ownTeam: makeOwnTeam, create, submit, claim, deliveries } = await deliveriesFixture();
let team: Team;
let form: PublishedForm;
async function ownTeam() {
  ({ team, form } = await makeOwnTeam());
}

describe("an event", () => {
  test("is recorded with the action or not at all, and only when a webhook listens", async () => {
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
    const types = ["form.published", "agent.revoked", "submission.created"];
    const heard = {
      all: await create({ of: null, types }),
      form: await create({ types }),
      otherForm: await create({ of: otherForm.id, types }),
      otherWorkspace: await create({ of: null, workspace, types }),
    };
    const agent = uuidv7();
    await sql`select from formd.agent_create(${team.id}, '(cli,,)', ${team.workspace}, ${agent}, 'Agent', ${agent}, 'fda_x', ${new Uint8Array([1])})`;
    const hearersOf = async (event: string) => {
      const rows = await sql<{ webhookId: string }[]>`
        select webhook_id from formd.webhook_deliveries where team_id = ${team.id} and event_id = ${event} order by webhook_id`;
      return rows.map(({ webhookId }) => webhookId);
    };
    const record = async (type: string, of: string | null, subject: string) => {
      const id = uuidv7();
      await sql`select formd.webhook_event_record(${team.id}, ${id}, ${type}, ${of}, ${subject}, '{}')`;
      return await hearersOf(id);
    };
    expect(await record("form.published", form.id, form.id)).toEqual([heard.all, heard.form].sort());
    expect(await record("agent.revoked", null, agent)).toEqual([heard.all]);
    expect(await record("form.archived", form.id, form.id)).toEqual([]);
    const [submitted] = await submit();
    await sql`select from formd.webhook_batches_expand(${team.id})`;
    expect(await hearersOf(submitted?.response?.id ?? "")).toEqual([heard.all, heard.form].sort());
  });

  test("that happens while its webhook is deleted is recorded or not, and the action succeeds", async () => {
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

test("events of a webhook that was disabled after the commit wait until it is enabled; later ones are none", async () => {
  await ownTeam();
  const id = await create();
  await submit();
  await sql`update formd.webhooks set status = 'disabled', disabled_reason = 'failing' where id = ${id}`;
  expect(await claim()).toEqual([]);
  await submit();
  expect(await claim()).toEqual([]);
  expect(await deliveries()).toHaveLength(1);
  const [enabled] = await sql`
    select status, disabled_reason from formd.webhook_patch(${team.id}, ${cli}, ${id}, null, null, null, 'active')`;
  expect(enabled).toEqual({ status: "active", disabledReason: null });
  expect(await claim()).toHaveLength(1);
});

test("a replay reaches events that another webhook has heard before this one was made, of its own form", async () => {
  await ownTeam();
  await create({ of: null });
  const other = await makeForm(app, team, []);
  const [mine] = await submitAll(sql, team, [{ form }, { form: other }]);
  expect(await claim()).toHaveLength(2);
  const id = await create();
  const [replayed] = await sql`
    select formd.webhook_replay(
      ${team.id}, ${cli}, ${id}, null, formd.uuid_floor(now() - interval '1 minute'), formd.uuid_floor(now() + interval '1 minute'))`;
  expect(replayed).toEqual({ webhookReplay: 1 });
  expect(await claim()).toMatchObject([{ webhookId: id, eventId: mine?.response?.id }]);
});

test("reads of deliveries write nothing and lock nothing, so that a standby can serve them", async () => {
  await ownTeam();
  const id = await create();
  const [result] = await submit();
  const event = result?.response?.id as string;
  await sql.begin("isolation level repeatable read read only", async (reader) => {
    await reader`select * from formd.webhook_delivery_list(${team.id}, ${id}, null, 20, 0, null, 'newest')`;
    await reader`select * from formd.webhook_delivery_read(${team.id}, ${id}, ${event})`;
    await reader`select * from formd.webhook_attempt_list(${team.id}, ${id}, ${event})`;
    await reader`select * from formd.webhook_list(${team.id}, null, 20, 0)`;
    await reader`select * from formd.submission_page(${team.id}, ${form.id}, null, null, null, null, null, null, null, null, 20, 0, null, 'oldest', null)`;
    await reader`select * from formd.submission_edits_list(${team.id}, ${form.id}, ${event}, 20, 0, null, 'oldest')`;
    await reader`select * from formd.audit_list(${team.id}, '(cli,,)'::formd.actor, null, null, null, null, null, null, 20, 0, null, 'oldest')`;
  });
  await sql`select from formd.webhook_batches_expand(${team.id})`;
  const found = await sql<{ id: string }[]>`
    select id from formd.webhook_delivery_list(${team.id}, ${id}, null, 20, 0, null, 'newest')`;
  expect(found.map(({ id }) => id)).toEqual([event, null] as string[]);
});

testOnOneNode("a list oldest first ends before what is submitted and not expanded yet", async () => {
  await ownTeam();
  const id = await create();
  const start = "00000000-0000-0000-0000-000000000000";
  const listed = async () => {
    await Bun.sleep(5);
    await readableUntil(sql);
    const found = await sql<{ id: string | null; upTo: Date }[]>`
      select id, up_to from formd.webhook_delivery_list(${team.id}, ${id}, null, 20, 0, ${start}, 'oldest')`;
    return { ids: found.flatMap(({ id }) => id ?? []), upTo: found.at(-1)?.upTo.getTime() ?? Number.NaN };
  };
  const [result] = await submit();
  const event = result?.response?.id as string;
  const [{ tested }] = await sql<[{ tested: string }]>`
    select formd.webhook_test(${team.id}, '(cli,,)', ${id}) as tested`;
  const before = await listed();
  expect([before.ids, before.upTo < msOfId(event)]).toEqual([[], true]);
  await sql`select from formd.webhook_batches_expand(${team.id})`;
  expect((await listed()).ids).toEqual([event, tested]);
});
