import { beforeAll, expect, test } from "bun:test";
import type { Sql } from "../../src/db.ts";
import { sqlFixture } from "./fixture.ts";

const team = "01957a3b-c4ff-7000-8000-000000000001";
const form = "01957a3b-c4ff-7000-8000-000000000002";

let sql: Sql;
/** Enough rows, of many teams, that a plan is chosen for a reason. */
beforeAll(async () => {
  ({ sql } = await sqlFixture());
  await sql.unsafe(`
    set session_replication_role = replica;
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, data, created_at, updated_at, completed_at)
    select case when i % 4 = 0 then '${team}' else gen_random_uuid() end, case when i % 4 = 0 then '${form}' else gen_random_uuid() end,
      gen_random_uuid(), 1, 'completed', 'api_key', gen_random_uuid(), '{}', now(), now(), now()
    from generate_series(1, 20000) i;
    insert into formd.sessions (team_id, id, kind, agent_id, token_hash, created_at, expires_at)
    select '${team}', gen_random_uuid(), 'agent', gen_random_uuid(), sha256(i::text::bytea), now(), now() from generate_series(1, 5000) i;
    insert into formd.agents (team_id, id, workspace_id, client_id, name, secret_prefix, secret_hash, created_at, updated_at)
    select '${team}', gen_random_uuid(), gen_random_uuid(), i::text, 'x', 'x', sha256(i::text::bytea), now(), now() from generate_series(1, 5000) i;
    insert into formd.grants (team_id, id, agent_id, form_id, scopes, created_at, updated_at)
    select '${team}', gen_random_uuid(), gen_random_uuid(), '${form}', '{agent:read}', now(), now() from generate_series(1, 5000) i;
    insert into formd.api_keys (team_id, id, name, scopes, key_prefix, key_hash, created_at)
    select '${team}', gen_random_uuid(), 'x', '{forms:read}', 'x', sha256(i::text::bytea), now() from generate_series(1, 5000) i;
    insert into formd.forms (team_id, id, workspace_id, name, created_at, updated_at)
    select '${team}', gen_random_uuid(), case when i % 90 = 0 then '${form}' else gen_random_uuid() end, 'x', now(), now() from generate_series(1, 5000) i;
    insert into formd.rate_limits (bucket, ticks, hits, expires_at)
    select 'submit:ip:' || i, '{1}', '{1}', now() from generate_series(1, 5000) i;
    set session_replication_role = default`);
  await sql`analyze`;
}, 60_000);

const hash = "sha256('7')";
const newest = "order by id desc limit 20";
const statements: [what: string, statement: string, index: string][] = [
  [
    "a page of submissions, newest first",
    `submissions where team_id = '${team}' and form_id = '${form}' ${newest}`,
    "submissions_pkey",
  ],
  [
    "submissions of a span of time",
    `submissions where team_id = '${team}' and form_id = '${form}' and id >= '01957a3b-0000-0000-0000-000000000000' ${newest}`,
    "submissions_pkey",
  ],
  [
    "one submission",
    `submissions where team_id = '${team}' and form_id = '${form}' and id = '${form}'`,
    "submissions_pkey",
  ],
  ["a page of forms, newest first", `forms where team_id = '${team}' ${newest}`, "forms_pkey"],
  [
    "a page of a workspace's forms",
    `forms where team_id = '${team}' and workspace_id = '${form}' ${newest}`,
    "forms_workspace_idx",
  ],
  [
    "the session of a token",
    `sessions where team_id = '${team}' and token_hash = ${hash}`,
    "sessions_token_key",
  ],
  ["an API key", `api_keys where team_id = '${team}' and key_hash = ${hash}`, "api_keys_hash_key"],
  [
    "the agent of a secret",
    `agents where team_id = '${team}' and secret_hash = ${hash}`,
    "agents_secret_key",
  ],
  [
    "the grant of an agent on a form",
    `grants where team_id = '${team}' and agent_id = '${form}' and form_id = '${form}'`,
    "grants_(?:agent_form_key|form_idx)",
  ],
  ["a throttle", "rate_limits where bucket = 'submit:ip:7'", "rate_limits_pkey"],
];

test.each(statements)("%s: found by index, without sorting", async (_, statement, index) => {
  const lines = await sql.unsafe<{ queryPlan: string }[]>(
    `explain (costs off) select * from formd.${statement}`,
  );
  const plan = lines.map((line) => Object.values(line)[0]).join("\n");
  expect(plan).toMatch(new RegExp(`using ${index}`));
  expect(plan).not.toMatch(/Sort|Seq Scan|Filter/);
});
