-- Counts per day, for the charts of the console.

create or replace function formd.submission_day_add(p_team uuid, p_form uuid, p_created_at timestamptz,
  p_status text, p_provenance text, p_change integer) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Changes how many submissions a form received on the day of p_created_at. A day that was purged is added
-- again, and purged again.
-- Writes: submission_days
-- Locks: the day's row, after the slot of submission_count_add
-- Index: submission_days_pkey
declare
  v_day integer := formd.day_of(p_created_at);
begin
  insert into formd.submission_days as d (team_id, form_id, day, status, provenance, total, expires_at)
  values (p_team, p_form, v_day, p_status, p_provenance, p_change, formd.day_expiry(v_day))
  on conflict (team_id, form_id, day, status, provenance) do update set total = d.total + excluded.total;
end
$$;

create or replace function formd.daily_counts_add(p_team uuid, p_submissions jsonb, p_agents jsonb,
  p_errors jsonb, p_progress jsonb) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Adds what a server has counted since its last call: submissions of forms, what became of agents' requests,
-- validation errors, and how far people got on pages.
-- Route: none; every server calls it a second after a request, for at most a percent of a connection
-- Reads: forms; an agent can name a form that does not exist
-- Writes: submission_days, agent_days, validation_errors, progress_days
-- Locks: the rows, in the order of their keys
-- Index: submission_days_pkey, agent_days_pkey, validation_errors_pkey, progress_days_pkey, forms_pkey
-- Why: p_team null: each item names its own team. Apart from the requests: counted by submissions_submit, a
--   submission cost 37 us more of PostgreSQL alone and 13 us in a list of 32 (9 % and 16 %); and a dry run is
--   validated after its call.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_teams uuid[] := array(
    select distinct coalesce(p_team, a.team_id) from jsonb_to_recordset(p_agents) as a (team_id uuid));
  v_named uuid[] := array(select distinct a.form_id from jsonb_to_recordset(p_agents) as a (form_id uuid));
  v_forms uuid[] := array(
    select f.id from formd.forms f where f.team_id = any (v_teams) and f.id = any (v_named));
begin
  insert into formd.submission_days as d (team_id, form_id, day, status, provenance, total, expires_at)
  select coalesce(p_team, s.team_id), s.form_id, s.day, s.status, s.provenance, sum(s.total),
    formd.day_expiry(s.day)
  from jsonb_to_recordset(p_submissions) as s (team_id uuid, form_id uuid, day integer, status text,
    provenance text, total bigint)
  group by s.team_id, s.form_id, s.day, s.status, s.provenance
  order by s.team_id, s.form_id, s.day, s.status, s.provenance
  on conflict (team_id, form_id, day, status, provenance) do update set total = d.total + excluded.total;

  insert into formd.agent_days as d (team_id, form_id, day, agent_id, outcome, total, last_at, expires_at)
  select coalesce(p_team, a.team_id), a.form_id, a.day, a.agent_id, a.outcome, sum(a.total), v_now,
    formd.day_expiry(a.day)
  from jsonb_to_recordset(p_agents) as a (team_id uuid, form_id uuid, day integer, agent_id uuid,
    outcome text, total bigint)
  where a.form_id = any (v_forms)
  group by a.team_id, a.form_id, a.day, a.agent_id, a.outcome
  order by a.team_id, a.form_id, a.day, a.agent_id, a.outcome
  on conflict (team_id, form_id, day, agent_id, outcome) do update
  set total = d.total + excluded.total, last_at = greatest(d.last_at, excluded.last_at);

  insert into formd.validation_errors as v (team_id, form_id, day, form_version, field_id, code, total,
    expires_at)
  select coalesce(p_team, e.team_id), e.form_id, e.day, e.form_version, e.field_id, e.code, sum(e.total),
    formd.day_expiry(e.day)
  from jsonb_to_recordset(p_errors) as e (team_id uuid, form_id uuid, day integer, form_version integer,
    field_id text, code text, total bigint)
  group by e.team_id, e.form_id, e.day, e.form_version, e.field_id, e.code
  order by e.team_id, e.form_id, e.day, e.form_version, e.field_id, e.code
  on conflict (team_id, form_id, day, form_version, field_id, code) do update
  set total = v.total + excluded.total;

  insert into formd.progress_days as d (team_id, form_id, day, form_version, kind, step, total, expires_at)
  select coalesce(p_team, p.team_id), p.form_id, p.day, p.form_version, p.kind, p.step, sum(p.total),
    formd.day_expiry(p.day)
  from jsonb_to_recordset(p_progress) as p (team_id uuid, form_id uuid, day integer, form_version integer,
    kind text, step integer, total bigint)
  group by p.team_id, p.form_id, p.day, p.form_version, p.kind, p.step
  order by p.team_id, p.form_id, p.day, p.form_version, p.kind, p.step
  on conflict (team_id, form_id, day, form_version, kind, step) do update
  set total = d.total + excluded.total;
end
$$;

create or replace function formd.console_form_counts(p_team uuid, p_form uuid, p_first_day integer)
returns table (kind text, name text, label text, code text, versions integer[], days jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- The daily counts of a form since a day, as series: {day: total}. kind: status (name: of the submissions),
-- provenance (name: that of the submissions), agent (its id; label: its name; those with most submissions),
-- error (a field's id, with code and versions; the most frequent ones) and progress (name: its kind; code:
-- its step; with the version).
-- Route: GET /console/forms/{form_id}/charts
-- Reads: submission_days, agent_days, agents, validation_errors, progress_days
-- Index: submission_days_pkey, agent_days_pkey, agents_pkey, validation_errors_pkey, progress_days_pkey
-- Why: a day's total may be below zero, for a second or for good: a deletion or a decision counts at once, a
--   submission a second later, or never where its server was killed. It is not cut in the table, where the
--   late one would then be one too many.
declare
  c_agents constant integer := 5;
  c_errors constant integer := 25;
begin
  return query
  with submissions as materialized (
    select d.day, d.status, d.provenance, d.total from formd.submission_days d
    where d.team_id = p_team and d.form_id = p_form and d.day >= p_first_day
  ), agents as (
    select a.agent_id, jsonb_object_agg(a.day, a.total) as days, sum(a.total) as sum from formd.agent_days a
    where a.team_id = p_team and a.form_id = p_form and a.day >= p_first_day and a.outcome = 'stored'
    group by a.agent_id order by sum(a.total) desc, a.agent_id limit c_agents
  ), errors as (
    select v.field_id, v.code, v.day, sum(v.total)::bigint as total, array_agg(v.form_version) as versions
    from formd.validation_errors v
    where v.team_id = p_team and v.form_id = p_form and v.day >= p_first_day
    group by v.field_id, v.code, v.day
  ), top_errors as (
    select e.field_id, e.code, sum(e.total) as sum from errors e
    group by e.field_id, e.code order by sum(e.total) desc, e.field_id, e.code limit c_errors
  )
  (select 'status', s.status, null, null, null::integer[], jsonb_object_agg(s.day, s.total)
   from (select u.status, u.day, greatest(sum(u.total), 0)::bigint as total from submissions u
     group by u.status, u.day) s
   group by s.status order by s.status)
  union all
  (select 'provenance', s.provenance, null, null, null, jsonb_object_agg(s.day, s.total)
   from (select u.provenance, u.day, greatest(sum(u.total), 0)::bigint as total from submissions u
     group by u.provenance, u.day) s
   group by s.provenance order by s.provenance)
  union all
  (select 'agent', a.agent_id::text, g.name, null, null, a.days
   from agents a left join formd.agents g on g.team_id = p_team and g.id = a.agent_id order by a.sum desc)
  union all
  (select 'error', e.field_id, null, e.code,
     (select array_agg(distinct x order by x) from errors i, unnest(i.versions) as x
     where i.field_id = e.field_id and i.code = e.code),
     jsonb_object_agg(e.day, e.total)
   from errors e join top_errors t on t.field_id = e.field_id and t.code = e.code
   group by e.field_id, e.code, t.sum order by t.sum desc, e.field_id, e.code)
  union all
  (select 'progress', p.kind, null, p.step::text, array[p.form_version], jsonb_object_agg(p.day, p.total)
   from formd.progress_days p
   where p.team_id = p_team and p.form_id = p_form and p.day >= p_first_day
   group by p.form_version, p.kind, p.step order by p.form_version, p.kind, p.step);
end
$$;
