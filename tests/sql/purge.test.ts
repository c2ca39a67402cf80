// stacks: one months citus gate
import { expect, test } from "bun:test";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import type { Logger } from "../../src/platform/log.ts";
import { purge as purgeJob } from "../../src/platform/ops/purge.ts";
import { makeAgent, makeForm, testOnOneNode } from "../setup.ts";
import { sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const form = await makeForm(app, team, []);
const agent = await makeAgent(app, team, form, []);
const [key] = await sql<[{ id: string }]>`
  insert into formd.signing_keys (team_id, id, agent_id, key_id, thumbprint, public_key_pem, created_at)
  values (${team.id}, gen_random_uuid(), ${agent.id}, 'key_1', 't', 'pem', now()) returning id`;
/** Values for the names with a dollar sign in the inserts below. */
const values: Record<string, string> = {
  ...{ team: team.id, workspace: team.workspace, operator: team.operator.id },
  ...{ form: form.id, agent: agent.id, key: key.id },
};

/** The columns of each table that expires, and their values; `i` is another number for every row. */
const columns: Record<string, string> = {
  rate_limits: "key, times, counts: 'b' || i, '{1}', '{1}'",
  idempotency_keys:
    "team_id, form_id, caller_id, key_hash, body_hash: $team, $form, $agent, sha256(int4send(i)), ''",
  nonces: "team_id, holder_id, nonce: $team, $key, int4send(i)",
  sessions:
    "team_id, id, kind, agent_id, token_hash, created_at: $team, gen_random_uuid(), 'agent', $agent, int4send(i), now()",
  operator_sessions:
    "team_id, id, operator_id, token_hash, created_at, proved_at, seen_at: $team, gen_random_uuid(), $operator, int4send(i), now(), now(), now()",
  operator_invitations:
    "team_id, id, workspace_id, email, role, token_hash, created_at: $team, gen_random_uuid(), $workspace, 'a' || i || '@example.org', 'viewer', int4send(i), now()",
  challenges:
    "team_id, form_id, id, agent_id, form_version, field_id, prompt, created_at: $team, $form, gen_random_uuid(), $agent, 1, 'a', 'A?', now()",
  webhook_events:
    "team_id, id, type, workspace_id, subject_id, created_at: $team, gen_random_uuid(), 'form.published', $form, $form, now()",
  webhook_batches:
    "team_id, id, webhook_ids, submission_ids, form_ids, form_versions, statuses: $team, gen_random_uuid(), '{}', '{}', '{}', '{}', '{}'",
  mails:
    "team_id, id, kind, due_at, gives_up_at, created_at: $team, gen_random_uuid(), 'notice', now(), now(), now()",
  submission_changes:
    "team_id, form_id, id, submission_id, kind: $team, $form, gen_random_uuid(), gen_random_uuid(), 'edited'",
  submission_days:
    "team_id, form_id, day, status, provenance, total: $team, $form, i, 'completed', 'agent', 1",
  agent_days:
    "team_id, form_id, day, agent_id, outcome, total, last_at: $team, $form, i, $agent, 'stored', 1, now()",
  validation_errors:
    "team_id, form_id, day, form_version, field_id, code, total: $team, $form, i, 1, 'a', 'required', 1",
  progress_days: "team_id, form_id, day, form_version, kind, step, total: $team, $form, i, 1, 'opened', 0, 1",
  page_drafts:
    "team_id, form_id, token_hash, sealed, updated_at: $team, $form, sha256(int4send(i)), '', now()",
  invitations: "team_id, form_id, id, token_hash: $team, $form, gen_random_uuid(), sha256(int4send(i))",
  respondents: "team_id, id, issuer, subject, created_at: $team, gen_random_uuid(), 'issuer', i::text, now()",
  passkey_challenges: "challenge_hash: int4send(i)",
  challenge_passes:
    "team_id, form_id, agent_id: $team, $form, (select id from formd.agents where team_id = $team and client_id = 'a' || i)",
};
const tables = Object.keys(columns);
/** Time for which a row is kept after it expires. */
const lagOf = (name: string) => (name === "invitations" ? " - interval '90 days'" : "");
let made = 0;

/** Adds this many rows to each table; and agents, since there is one pass per agent and form. */
async function add(count: number, expiresAt: string) {
  const inserts = {
    agents:
      "team_id, id, workspace_id, client_id, name, secret_prefix, secret_hash, created_at, updated_at: " +
      `$team, gen_random_uuid(), '${team.workspace}', 'a' || i, 'A', 'fda', int4send(i), now(), now()`,
    ...Object.fromEntries(
      tables.map((name) => [
        name,
        columns[name]?.replace(/^(.*?): (.*)$/, `$1, expires_at: $2, ${expiresAt}${lagOf(name)}`),
      ]),
    ),
  };
  for (const [name, text = ""] of Object.entries(inserts)) {
    const [into, selected] = text.replace(/\$(\w+)/g, (_, key) => `'${values[key]}'`).split(": ");
    await sql.unsafe(
      `insert into formd.${name} (${into}) select ${selected} from generate_series(${made + 1}, ${made + count}) i`,
    );
  }
  made += count;
}

const purge = async (limit: number, each: Pick<Sql, "unsafe"> = sql) => {
  const rows = await each.unsafe<{ name: string; work: number }[]>(
    `select * from formd.expired_purge(${limit})`,
  );
  const { feed_marks: _, ...expiring } = Object.fromEntries(rows.map(({ name, work }) => [name, work]));
  return expiring;
};
const each = (count: number) => Object.fromEntries(tables.map((name) => [name, count]));
const counts = async () =>
  Object.fromEntries(
    await Promise.all(
      tables.map(async (name) => {
        const [row] = await sql.unsafe<[{ count: number }]>(`select count(*)::int from formd.${name}`);
        return [name, row.count];
      }),
    ),
  );

test("every table with an expiry is purged, except keys, whose rows stay, and the one link of the first start", async () => {
  const found = await sql<{ name: string }[]>`
    select table_name as name from information_schema.columns where table_schema = 'formd' and column_name = 'expires_at'`;
  expect(found.map(({ name }) => name).sort()).toEqual(
    [
      ...Object.keys(await purge(1)),
      // The sweep deletes their bytes first.
      "files",
      ...["api_keys", "form_access_keys", "setup_links", "signing_keys"],
    ].sort(),
  );
});

test("expired rows go, at most the limit of each table in one call, and others stay", async () => {
  const before = await counts();
  await add(3, "now() - interval '61 minutes'");
  await add(2, "now() + interval '1 minute'");
  expect(await purge(2)).toEqual(each(2));
  expect(await purge(2)).toEqual(each(1));
  expect(await purge(2)).toEqual(each(0));
  const after = await counts();
  for (const name of tables) expect([name, after[name]]).toEqual([name, before[name] + 2]);
});

test("a challenge stays for an hour, so that a late response is reported as expired", async () => {
  await add(1, "now() - interval '59 minutes'");
  expect(await purge(10)).toEqual({ ...each(1), challenges: 0 });
});

async function mark(count: number, madeAt: string) {
  await sql.unsafe(
    `insert into formd.feed_marks (xid, made_at) select n::text::xid8, ${madeAt}
     from generate_series(${made + 1}, ${made + count}) n`,
  );
  made += count;
}

test("a mark stays for a day, at most the limit of them go in one call, and the last one stays", async () => {
  const left = async () => {
    await purge(3);
    return (await sql`select from formd.feed_marks`).length;
  };
  await mark(4, "now() - interval '25 hours'");
  expect(await left()).toBe(4);
  await mark(2, "now() - interval '23 hours'");
  expect([await left(), await left(), await left()]).toEqual([3, 2, 2]);
});

test("a row that a request holds is skipped, not waited for", async () => {
  await add(2, "now() - interval '2 hours'");
  await sql.begin(async (holder) => {
    for (const name of tables)
      await holder.unsafe(
        `select from formd.${name} where ${["rate_limits", "passkey_challenges"].includes(name) ? "true" : `team_id = '${team.id}'`}
           and expires_at < now() - interval '90 minutes' ${lagOf(name)} limit 1 for update`,
      );
    expect(await purge(10)).toEqual(each(1));
  });
  expect(await purge(10)).toMatchObject({ sessions: 1 });
});

testOnOneNode(
  "no table is scanned for its expired rows but rate_limits, and webhook_batches, which is usually empty",
  async () => {
    await add(5_000, "now() + interval '1 hour'");
    await add(5, "now() - interval '2 hours'");
    await mark(5_000, "now()");
    await sql.unsafe(`analyze formd.feed_marks,  ${tables.map((name) => `formd.${name}`).join(", ")}`);
    // A connection of its own: the view counts what a backend has done since it last reported.
    const connection = connect(app.database.ownerUrl, { poolSize: 1, prepare: false });
    const scanned = await connection
      .begin(async (inner) => {
        expect(await purge(10_000, inner)).toMatchObject(each(5));
        return await inner<{ name: string }[]>`
        select relname as name from pg_stat_xact_user_tables where schemaname = 'formd' and seq_scan > 0`;
      })
      .finally(() => connection.end());
    expect(scanned.map(({ name }) => name).sort()).toEqual(["rate_limits", "webhook_batches"]);
  },
);

testOnOneNode(
  "an event is purged with its deliveries and their attempts, which count towards the limit",
  async () => {
    const [webhook] = await sql<[{ id: string }]>`
    insert into formd.webhooks (team_id, id, workspace_id, url, event_types, payload, secret_key, created_at, updated_at)
    values (${team.id}, gen_random_uuid(), ${team.workspace}, 'https://hooks.example.org/', '{form.published}', 'thin', '', now(), now())
    returning id`;
    await sql`delete from formd.webhook_events`;
    await add(4, "now() - interval '2 hours'");
    await sql`
    insert into formd.webhook_deliveries (team_id, event_id, webhook_id, due_at, attempts)
    select team_id, id, ${webhook.id}, now(), 8 from formd.webhook_events`;
    // Each is 10 rows: itself, a delivery and its 8 attempts.
    expect((await purge(15)).webhook_events).toBe(20);
    expect((await purge(20)).webhook_events).toBe(20);
    expect((await purge(20)).webhook_events).toBe(0);
  },
);

test("a purge that runs into the statement timeout goes on with a tenth", async () => {
  const limits: unknown[] = [];
  const slow = ((_: TemplateStringsArray, limit: number) => {
    limits.push(limit);
    // PostgreSQL itself cancels what takes too long.
    return sql.begin(async (inner) => {
      await inner`set local statement_timeout = ${inner.unsafe(limit > 100 ? "1" : "60000")}`;
      if (limit > 100) await inner`select pg_sleep(1)`;
      return await inner`select * from formd.expired_purge(${limit})`;
    });
  }) as unknown as Sql;
  const log = { warn: (details: unknown) => limits.push(details) } as unknown as Logger;
  await purgeJob(slow, log);
  expect(limits).toEqual([5_000, 500, 50]);
});
