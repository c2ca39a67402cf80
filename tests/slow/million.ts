/** A form with as many submissions as years would leave. */
import type { ISql } from "postgres";
import type { Team } from "../setup.ts";

/** When the oldest submission was made, in milliseconds; each next one came a second later. */
export const oldestAt = Date.parse("2026-01-01T00:00:00Z");

/**
 * Adds the submissions after the first `from`, up to `to`: of a hundred one is pending and one partial, one
 * is the agent's and one the respondent's. The ids hold their time, as those of the service do.
 */
export async function fillForm(
  sql: ISql,
  { team, form, agent, respondent }: { team: Team; form: string; agent: string; respondent: string },
  from: number,
  to: number,
): Promise<void> {
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, respondent_id, data,
      created_at, updated_at, completed_at)
    select ${team.id}, ${form}, id, 1, status, case n % 100 when 3 then 'agent' else 'api_key' end,
      case n % 100 when 3 then 'agent' else 'owner' end,
      (case n % 100 when 3 then ${agent} else ${team.keyId} end)::uuid, case n % 100 when 4 then ${respondent}::uuid end,
      jsonb_build_object('a', 'answer ' || n), at, at, case when status = 'completed' then at end
    from (
      select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid as id,
        case n % 100 when 1 then 'pending' when 2 then 'partial' else 'completed' end as status
      from (select n, to_timestamp(${oldestAt}::float8 / 1000 + n) as at from generate_series(${from + 1}::int, ${to}::int) as n) as moments
    ) as made`;
  await sql`
    insert into formd.submission_counts (team_id, form_id, status, slot, total)
    select team_id, form_id, status, 64, count(*) from formd.submissions where form_id = ${form} group by team_id, form_id, status
    on conflict (team_id, form_id, status, slot) do update set total = excluded.total`;
}
