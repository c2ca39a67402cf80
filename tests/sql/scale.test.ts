/**
 * What management and submitting cost on a form with a million submissions, beside one with a thousand. Measures, so it takes a while
 * (FORMD_SKIP_SCALE=1 leaves it out).
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { routeOf, sha256 } from "../../src/auth/secret.ts";
import { connect, type Sql } from "../../src/db.ts";
import {
  type Agent,
  type Asking,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Reply,
  type Service,
  service,
  type Team,
} from "../setup.ts";

const million = 1_000_000;
const root = "/papi/v1/management/forms";
const fields = [{ id: "a", type: "text", label: "A", required: true }];

let on: Service;
let sql: Sql;
let team: Team;
let large: PublishedForm;
let small: PublishedForm;
let agent: Agent;
const respondent = uuidv7();

/** When the oldest submission was made, in milliseconds; each next one came a second later. */
const began = Date.parse("2026-01-01T00:00:00Z");

/**
 * Fills a form as submits would have: of a hundred submissions one is pending and one partial, one is the agent's and one the respondent's.
 * The ids hold their time, as those of the service do.
 */
async function fill(form: PublishedForm, count: number): Promise<void> {
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, respondent_id, data,
      created_at, updated_at, completed_at)
    select ${team.id}, ${form.id}, id, 1, status, case n % 100 when 3 then 'agent' else 'api_key' end,
      (case n % 100 when 3 then ${agent.id} else ${team.keyId} end)::uuid, case n % 100 when 4 then ${respondent}::uuid end,
      jsonb_build_object('a', 'answer ' || n), at, at, case when status = 'completed' then at end
    from (
      select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid as id,
        case n % 100 when 1 then 'pending' when 2 then 'partial' else 'completed' end as status
      from (select n, to_timestamp((${began}::float8 + n * 1000.0) / 1000) as at from generate_series(1, ${count}::int) as n) as moments
    ) as made`;
  await sql`
    insert into formd.submission_counts (team_id, form_id, status, slot, total)
    select team_id, form_id, status, 64, count(*) from formd.submissions where form_id = ${form.id} group by team_id, form_id, status`;
}

/** Twenty thousand more teams with the same rows in every table but the largest: none is so small that reading all of it is the best plan. */
async function crowd(): Promise<void> {
  await sql.begin(async (inner) => {
    await inner`set local session_replication_role = replica`; // foreign keys of teams that are only there to be many
    const tables = await inner<{ name: string; key: string }[]>`
      select c.relname as name, a.attname as key
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where i.indisprimary and c.relnamespace = 'formd'::regnamespace
        and c.relname not in ('submissions', 'schema_migrations')`;
    for (const { name, key } of tables)
      await inner`
        insert into ${inner(`formd.${name}`)}
        select (jsonb_populate_record(t, jsonb_build_object(${key}::text, gen_random_uuid(), 'email', gen_random_uuid()))).*
        from ${inner(`formd.${name}`)} t, generate_series(1, 20000) limit 20000`;
  });
}

beforeAll(async () => {
  if (process.env.FORMD_SKIP_SCALE === "1") return;
  on = await service({ DATABASE_POOL_SIZE: "4" });
  sql = on.database.sql;
  team = await makeTeam(on);
  [large, small] = [await makeForm(on, team, fields), await makeForm(on, team, fields)];
  agent = await makeAgent(on, team, large);
  let t = performance.now();
  await fill(large, million);
  console.log("fill", performance.now() - t); t = performance.now();
  await fill(small, 1000);
  await crowd();
  console.log("crowd", performance.now() - t); t = performance.now();
  await sql`vacuum (analyze)`;
  console.log("vacuum", performance.now() - t);
}, 300_000);

test("x", async () => {
  const key = { "x-api-key": team.key };
  for (const q of ["", "?page=25000", "?page=50000", "?page=12500", "?status=completed", "?status=pending", "?status=completed&page=24500", `?agentId=${agent.id}`,`?respondentId=${respondent}`,
    "?createdAfter=2026-01-01T00:00:10Z", "?createdAfter=2026-01-05T00:00:10Z", `?agentId=${agent.id}&status=completed`, "?status=partial&createdAfter=2026-01-05T00:00:10Z", `?agentId=${team.keyId}`]) {
    const ts: number[] = [];
    let r: Reply | undefined;
    for (let i = 0; i < 12; i++) {
      const t = performance.now();
      r = await ask(on, "GET", `${root}/${large.id}/submissions${q}`, { headers: key });
      ts.push(performance.now() - t);
    }
    console.log(q, r?.status, r?.body.data?.pagination?.total, ts.map((t) => t.toFixed(0)).join(" "));
  }
  const sizes = await sql`select relname, pg_size_pretty(pg_relation_size(oid)) from pg_class where relnamespace='formd'::regnamespace and relname like 'submissions%'`;
  console.log(sizes.map((s) => Object.values(s).join(" ")));
  if (process.env.HOLD) { console.log(on.database.url, on.url); await new Promise(() => {}); }
}, 3600_000);
