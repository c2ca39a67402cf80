/**
 * One connection, whose plans are made while the tables are empty and kept, with no ANALYZE in between: no request becomes slower than its rows make
 * it while a form grows to a million submissions.
 */
import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
} from "../setup.ts";

/** Submissions of the form; of other tables a tenth, at most 20,000 rows. */
const sizes = [0, 100, 10_000, 1_000_000];
/** PostgreSQL considers a generic plan from the sixth execution on. */
const calls = 8;
/** What a million rows may add to a request. To walk them takes more: 150 ms and up. */
const marginMs = 60;

let app: Service;
let team: Team;
let form: PublishedForm;
let agent: Agent;
const respondent = uuidv7();

beforeAll(async () => {
  app = await service({ ...permissive, DATABASE_POOL_SIZE: "1" });
  const tables = await app.database.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'formd'::regnamespace and relkind = 'r'`;
  for (const { name } of tables)
    await app.database.sql.unsafe(`alter table formd.${name} set (autovacuum_enabled = false)`);
  team = await makeTeam(app);
  form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  agent = await makeAgent(app, team, form);
  await app.database.sql`analyze`;
}, 60_000);

/** Adds rows until the form has `size` submissions. They are older than the newest submission, and of a hundred one is the agent's. */
async function grow(from: number, size: number) {
  const { sql } = app.database;
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, respondent_id, data,
      created_at, updated_at, completed_at)
    select ${team.id}, ${form.id}, id, 1, status, case n % 100 when 3 then 'agent' else 'api_key' end,
      (case n % 100 when 3 then ${agent.id} else ${team.keyId} end)::uuid, case n % 100 when 4 then ${respondent}::uuid end,
      '{"a": "x"}', at, at, case when status = 'completed' then at end
    from (
      select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid as id,
        case n % 100 when 1 then 'pending' when 2 then 'partial' else 'completed' end as status
      from (select n, timestamptz '2026-01-01' + n * interval '1 second' as at from generate_series(${from + 1}::int, ${size}::int) as n) as moments
    ) as made`;
  const others = (count: number) => Math.min(Math.floor(count / 10), 20_000);
  await sql`
    insert into formd.submission_counts (team_id, form_id, status, slot, total)
    select team_id, form_id, status, 64, count(*) from formd.submissions
    where form_id = ${form.id} group by team_id, form_id, status
    on conflict (team_id, form_id, status, slot) do update set total = excluded.total`;
  await sql.begin(async (inner) => {
    await inner`set local session_replication_role = replica`; // no foreign keys for rows that are there to be many
    for (const table of [
      ...[
        "forms",
        "form_access_keys",
        "agents",
        "grants",
        "sessions",
        "api_keys",
        "teams",
        "operators",
        "rate_limits",
      ],
    ])
      await inner`
        insert into ${inner(`formd.${table}`)}
        select (jsonb_populate_record(null::${inner(`formd.${table}`)}, to_jsonb(t) || jsonb_build_object('id', gen_random_uuid(), 'agent_id', case when ${table === "grants"} then gen_random_uuid()
          else (to_jsonb(t) ->> 'agent_id')::uuid end, 'team_id', case when ${table === "teams"} then gen_random_uuid() else ${team.id} end,
          'bucket', gen_random_uuid(), 'email', gen_random_uuid(), 'client_id', gen_random_uuid(), 'secret_hash', gen_random_uuid(),
          'key_hash', gen_random_uuid(), 'token_hash', gen_random_uuid()))).*
        from (select * from ${inner(`formd.${table}`)} limit 1) as t, generate_series(1, ${others(size) - others(from)}::int)`;
  });
}

const management = `/papi/v1/management/forms`;
const submitter = "/papi/v1/submitter/form";

/** The requests, by name. Each is sent with the rights that it needs. */
function requests(latest: string): Record<string, () => ReturnType<typeof ask>> {
  const owner = { "x-api-key": team.key };
  const get = (path: string) => () => ask(app, "GET", path, { headers: owner });
  const submissions = `${management}/${form.id}/submissions`;
  const data = { data: { a: "x" } };
  return {
    "first page": get(submissions),
    "page of a status": get(`${submissions}?status=completed`),
    "page of a rare status": get(`${submissions}?status=pending`),
    "page of an agent": get(`${submissions}?agentId=${agent.id}`),
    "page of a respondent": get(`${submissions}?respondentId=${respondent}`),
    "page of a day": get(`${submissions}?from=2026-01-01T00:00:00Z&to=2026-01-01T00:01:00Z`),
    submission: get(`${submissions}/${latest}`),
    edits: get(`${submissions}/${latest}/edits`),
    form: get(`${management}/${form.id}`),
    agent: get(`/papi/v1/identity/agents/${agent.id}`),
    grants: get(`/papi/v1/identity/agents/${agent.id}/grants`),
    keys: get(`/papi/v1/identity/agents/${agent.id}/keys`),
    "published form": () => ask(app, "GET", submitter, { headers: asAgent(form, agent) }),
    token: () =>
      ask(app, "POST", "/papi/v1/auth/token", { headers: { "x-agent-secret": agent.secret }, body: {} }),
    anonymous: () =>
      ask(app, "POST", "/papi/v1/auth/anonymous", {
        headers: { "x-form-access-key": form.accessKey },
        body: {},
      }),
    validation: () =>
      ask(app, "POST", `${submitter}/validation`, { headers: asAgent(form, agent), body: data }),
    submit: () =>
      ask(app, "POST", `${submitter}/submissions`, {
        headers: { ...owner, "x-form-access-key": form.accessKey, "idempotency-key": uuidv7() },
        body: data,
      }),
    edit: async () => {
      const { body } = await ask(app, "GET", `${submissions}/${latest}`, { headers: owner });
      const { updatedAt } = body.data.submission;
      const edits = [{ fieldId: "a", value: uuidv7() }];
      return await ask(app, "PATCH", `${submissions}/${latest}`, {
        headers: owner,
        body: { expectedUpdatedAt: updatedAt, edits },
      });
    },
  };
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

test("plans made on empty tables stay good up to a million rows", async () => {
  const took = new Map<string, number[]>();
  const statuses = new Map<string, number>();
  for (const [index, size] of sizes.entries()) {
    if (size > 0) await grow(sizes[index - 1] ?? 0, size);
    const { body } = await ask(app, "POST", `${submitter}/submissions`, {
      headers: { "x-api-key": team.key, "x-form-access-key": form.accessKey },
      body: { data: { a: "x" } },
    });
    for (const [name, send] of Object.entries(requests(body.data.id))) {
      const times: number[] = [];
      for (let call = 0; call < calls; call++) {
        const from = performance.now();
        statuses.set(name, (await send()).status);
        times.push(performance.now() - from);
      }
      took.set(name, [...(took.get(name) ?? []), median(times)]);
    }
  }
  console.log(
    [...took].map(([name, times]) => `${name}: ${times.map((ms) => ms.toFixed(1)).join(", ")} ms`).join("\n"),
  );
  expect([...statuses].filter(([, status]) => status >= 400)).toEqual([]);
  const slow = [...took].filter(([, times]) => (times.at(-1) ?? 0) > 3 * (times[1] ?? 0) + marginMs);
  expect(slow).toEqual([]);
}, 300_000);
