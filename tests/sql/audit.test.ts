// stacks: one months citus gate
import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { makeForm, makeTeam, root, type Service, type Team } from "../setup.ts";
import { type Act, actsOf } from "./acts.ts";
import { sqlFixture, store } from "./fixture.ts";

const { app, sql, team }: { app: Service; sql: Sql; team: Team } = await sqlFixture();
const acts = actsOf(app, team, store);
const admin = `(operator,${team.operator.id},request-1)`;

/**
 * Tables that actions change. Excluded: rate limits, sessions of submitters, challenges, nonces, counters.
 */
const audited = [
  ...["teams", "workspaces", "operators", "workspace_roles", "operator_sessions", "operator_passkeys"],
  ...[
    "sign_in_connections",
    "operator_invitations",
    "api_keys",
    "forms",
    "form_versions",
    "form_access_keys",
    "form_followers",
  ],
  ...["agents", "grants", "signing_keys", "submissions", "webhooks"],
];
/** Functions that write one of these tables without an action, and why. */
const withoutAct = new Map([
  ["key_uses_record", "marks the last use"],
  ["operator_session_authenticate", "marks the last use"],
  ["operator_session_switch", "opens a session, as operator_login, and ends one, as operator_logout"],
  ["operator_language_set", "the language of a person's console; nothing of a team"],
  ["operator_mails_set", "which mails a person gets; nothing of a team"],
  ["operator_password_settle", "a part of the acts that set a password"],
  ["operator_prove", "marks when the password was given"],
  ["operator_prove_passkey", "marks when a passkey was used"],
  ["passkey_use", "marks the last use"],
  ["operator_record", "records the acts on operators"],
  ["form_seen_mark", "marks what an operator has seen"],
  ["form_store", "a part of the acts on forms"],
  ["connection_record", "records the acts on connections"],
  ["operator_login_connection", "prepares a session, which operator_session_take opens"],
  ["connection_roles_set", "a part of operator_login_connection; tests/sql/sign_in_connections.test.ts"],
  ["sign_in_connection_reseal", "an act of the command line: nothing but the key is another"],
  [
    "oauth_person_session_create",
    "an agent's session; tests/http/oauth/person.server.test.ts holds its event",
  ],
  [
    "setup_complete",
    "the acts of the first operator; tests/http/console/setup.server.test.ts holds an event",
  ],
  ["mail_unsubscribe", "a recipient's act; tests/http/mails/notices.server.test.ts holds its event"],
  ["webhook_settle", "disables a webhook that fails; no actor"],
  ["partition_drop", "an act of the command line; tests/cli/partition.test.ts holds its events"],
  ["submissions_expire", "deletes by a rule; tests/sql/retention.test.ts holds its events"],
  ["submission_decide", "a part of submission_review and submissions_review"],
  ["submissions_review", "decides as submission_review on each of a list"],
  ["submission_erase", "a part of submission_delete and submissions_expire"],
  ["submission_erasures_record", "a part of submission_delete and submissions_expire"],
  ["submissions_submit_set", "a submission is not an act of an operator or owner"],
  ["submissions_submit", "a submission is not an act of an operator or owner"],
]);

interface Recorded {
  kind: string;
  objectType: string;
  actorType: string;
  actorId: string | null;
  requestId: string | null;
  details: Record<string, unknown>;
}

/** Returns the events that `work` recorded; an edit of a submission counts as well. */
async function recordedBy(work: () => PromiseLike<unknown>): Promise<Recorded[]> {
  const since = await sql<
    { id: string }[]
  >`select id from formd.audit_events union all select id from formd.submission_edits`;
  await work();
  return await sql<Recorded[]>`
    select id, kind, object_type, actor_type, actor_id, request_id, details from formd.audit_events where id <> all (${since.map(({ id }) => id)})
    union all
    select id, 'submission.edited', 'submission', actor_type, actor_id, request_id, '{}' from formd.submission_edits
    where id <> all (${since.map(({ id }) => id)})`;
}

const title = ({ name, kind }: Act) => `${name}: ${kind}`;

test("the listed actions are the functions that write an audited table or an event, by the catalog", async () => {
  const found = await sql<{ name: string }[]>`
    select distinct proname as name from pg_proc
    where pronamespace = 'formd'::regnamespace
      and regexp_replace(prosrc, '--[^\n]*', '', 'g') ~ ('\\m(insert into|update|delete from)\\s+formd\\.(' || ${audited.join("|")} || ')\\M|formd\\.(audit_record|form_apply|submission_erase|submission_decide)\\(')`;
  const names = new Set([...acts.map(({ name }) => name), ...withoutAct.keys()]);
  expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
});

test("each of them takes an actor, and has no default for it", async () => {
  const names = [...new Set(acts.map(({ name }) => name))];
  const found = await sql<{ name: string }[]>`
    select p.proname as name from pg_proc p
    where p.pronamespace = 'formd'::regnamespace and p.proname = any (${names})
      and array_position(p.proargtypes::oid[], 'formd.actor'::regtype::oid) < p.pronargs - p.pronargdefaults`;
  expect(found.map(({ name }) => name).sort()).toEqual(names.sort());
});

describe.each(acts.map((act) => [title(act), act] as const))("%s", (_, act) => {
  test("records exactly one event for a change, and none for no change", async () => {
    const call = await act.prepare();
    const events = await recordedBy(() => call(admin));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: act.kind, objectType: act.kind.split(".")[0] });
    if (!act.findsActor)
      expect(events[0]).toMatchObject({
        actorType: "operator",
        actorId: team.operator.id,
        requestId: "request-1",
      });
    if (act.repeats) return;
    expect(await recordedBy(() => Promise.allSettled([call(admin)]))).toEqual([]);
  });
});

test.each(acts.filter(({ findsActor }) => !findsActor).map((act) => [title(act), act] as const))(
  "%s changes nothing without an actor",
  async (_, act) => {
    const call = await act.prepare();
    for (const missing of ["(,,)", null]) {
      const events = await recordedBy(async () =>
        expect(Promise.resolve(call(missing as string))).rejects.toMatchObject({
          code: expect.stringMatching(/^(ZFORM|23502)$/),
        }),
      );
      expect(events).toEqual([]);
    }
  },
);

test("an action that is rolled back leaves no event", async () => {
  const { id } = await makeForm(app, team, []);
  const undo = new Error("undo");
  const events = await recordedBy(() =>
    sql
      .begin(async (inner) => {
        await inner`select formd.form_set_archived(${team.id}, ${admin}, ${id}, true)`;
        throw undo;
      })
      .catch((error) => expect(error).toBe(undo)),
  );
  expect(events).toEqual([]);
});

test("details beyond 64 KiB are replaced by their size", async () => {
  const { id } = await makeForm(app, team, []);
  const operations = [{ op: "setMeta", description: "x".repeat(70_000) }];
  const [event] = await recordedBy(
    () => sql`select formd.form_patch(${team.id}, ${admin}, ${id}, ${sql.json(operations)}, null, null)`,
  );
  expect(event?.details).toEqual({ omittedBytes: expect.any(Number) });
});

test("ids ascend within a session, and hold their time", async () => {
  const rows = await sql<{ id: string; off: number }[]>`
    select id, abs(extract(epoch from formd.uuid_time(id) - clock_timestamp()))::float8 as off
    from (select formd.uuid_make() as id from generate_series(1, 500)) as made`;
  const ids = rows.map(({ id }) => id);
  const early = ids.map((id) => id.slice(0, 18));
  expect(early).toEqual(early.toSorted());
  expect(new Set(ids).size).toBe(500);
  for (const { id, off } of rows) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(off).toBeLessThan(5);
  }
});

describe("no role changes what is on record", () => {
  let roles: Record<string, Sql>;
  beforeAll(() => {
    const as = (role: string) =>
      connect(app.database.ownerUrl.replace(/\/\/[^@]*@/, `//${role}@`), { poolSize: 1, prepare: false });
    roles = { formd: as("formd"), formd_owner: as("formd_owner") };
  });

  test.each(["audit_events", "submission_erasures"])(
    "%s: neither the server's login nor the owner",
    async (table) => {
      for (const role of Object.values(roles))
        for (const statement of [
          `update formd.${table} set created_at = now()`,
          `delete from formd.${table}`,
          `truncate formd.${table}`,
        ]) {
          const error = await role.unsafe(statement).catch((error: { code?: string }) => error);
          expect([statement, (error as { code?: string }).code]).toEqual([statement, "42501"]);
        }
    },
  );

  test("the owner can give itself the right, as README and the page on security say", async () => {
    expect(readFileSync(join(root, "README.md"), "utf8")).toContain(
      "keep the database's owner from changing or deleting it",
    );
    const page = readFileSync(join(root, "docs/security.md"), "utf8").replaceAll("\n", " ");
    expect(page).toContain("not for the owner of the database: this role can grant itself the right");
    const undo = new Error("undone");
    const left = (roles.formd_owner as Sql).begin(async (owner) => {
      await owner`grant delete on formd.audit_events to formd_owner`;
      await owner`delete from formd.audit_events where team_id = ${team.id}`;
      const [row] = await owner<[{ count: number }]>`
        select count(*)::int as count from formd.audit_events where team_id = ${team.id}`;
      expect(row.count).toBe(0);
      throw undo;
    });
    await expect(left).rejects.toBe(undo);
  });

  test("nobody else has a right on it but to read, members of the groups included", async () => {
    const found = await sql<{ right: string }[]>`
      select r.rolname || ': ' || p.name as right
      from pg_roles r, (values ('update'), ('delete'), ('truncate')) p (name)
      where not r.rolsuper and r.rolname !~ '^pg_' and has_table_privilege(r.oid, 'formd.audit_events', p.name)`;
    expect([...found]).toEqual([]);
  });
});

test("a page by any filters has its part of the events that match them all", async () => {
  const own = await makeTeam(app);
  const forms = [await makeForm(app, own, []), await makeForm(app, own, [])].map(({ id }) => id);
  const [one, two, object] = [uuidv7(), uuidv7(), uuidv7()];
  await sql`
    insert into formd.audit_events (team_id, id, kind, form_id, object_type, object_id, actor_type, actor_id, details, created_at)
    select ${own.id}, formd.uuid_make(), case when n % 2 = 0 then 'form.opened' else 'form.closed' end, (${forms}::uuid[])[n % 3],
      'form', case when n % 4 = 0 then ${object}::uuid else gen_random_uuid() end, 'operator',
      case when n % 5 < 2 then ${one}::uuid else ${two}::uuid end, '{}', now()
    from generate_series(1, 60) as n`;
  const all = await sql<{ id: string; kind: string; formId: string; actorId: string; objectId: string }[]>`
    select id, kind, form_id, actor_id, object_id from formd.audit_events where team_id = ${own.id} order by id desc`;
  let offset = 0;
  for (const formId of [null, ...forms])
    for (const kind of [null, "form.opened"])
      for (const actorId of [null, one])
        for (const objectId of [null, object])
          for (const before of [null, all[30]?.id ?? null]) {
            offset = (offset + 1) % 4;
            const asked = { formId, kind, actorId, objectId };
            const matching = all.filter(
              (row) =>
                (before === null || row.id.slice(0, 13) < before.slice(0, 13)) &&
                Object.entries(asked).every(
                  ([name, value]) => value === null || row[name as keyof typeof asked] === value,
                ),
            );
            const found = await sql<{ id: string | null; total: number; nextId: string | null }[]>`
              select id, total::int, next_id from formd.audit_list(p_team => ${own.id}, p_actor => '(cli,,)', p_form => ${formId},
                p_kind => ${kind}, p_actor_id => ${actorId}, p_object => ${objectId}, p_first_at => null,
                p_last_at => formd.uuid_time(${before}) - interval '1 millisecond', p_limit => 5, p_offset => ${offset}, p_after => null, p_order => 'newest')`;
            expect({ ...asked, ids: found.flatMap(({ id }) => id ?? []), ...found[0] }).toMatchObject({
              ...asked,
              ids: matching.slice(offset, offset + 5).map(({ id }) => id),
              total: matching.length,
              nextId: null,
            });
            const read: string[] = [];
            for (let after: string | null = "00000000-0000-0000-0000-000000000000"; after; ) {
              const page: { id: string | null; nextId: string | null }[] = await sql`
                select id, next_id from formd.audit_list(p_team => ${own.id}, p_actor => '(cli,,)', p_form => ${formId},
                  p_kind => ${kind}, p_actor_id => ${actorId}, p_object => ${objectId}, p_first_at => null,
                  p_last_at => formd.uuid_time(${before}) - interval '1 millisecond', p_limit => 5, p_offset => 0, p_after => ${after}, p_order => 'rising')`;
              read.push(...page.flatMap(({ id }) => id ?? []));
              after = page.at(-1)?.nextId ?? null;
            }
            expect({ ...asked, read }).toEqual({ ...asked, read: matching.toReversed().map(({ id }) => id) });
          }
});
