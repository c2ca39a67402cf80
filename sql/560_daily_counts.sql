-- Counts per day, for the charts of the console.

create or replace function formd.submission_day_add(p_team uuid, p_form uuid, p_created_at timestamptz,
  p_status text, p_submitter_type text, p_change integer)
returns void
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
  insert into formd.submission_days as d (team_id, form_id, day, status, submitter_type, total, expires_at)
  values (p_team, p_form, v_day, p_status, p_submitter_type, p_change, formd.day_expiry(v_day))
  on conflict (team_id, form_id, day, status, submitter_type) do update set total = d.total + excluded.total;
end
$$;

create or replace function formd.daily_counts_add(p_team uuid, p_submissions jsonb, p_agents jsonb,
  p_errors jsonb) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Adds what a server has counted since its last call: submissions of forms, what became of agents' requests,
-- and validation errors.
-- Route: none; every server calls it a second after a request, and seldom enough to take one percent of a
--   connection
-- Reads: forms; an agent can name a form that does not exist
-- Writes: submission_days, agent_days, validation_errors
-- Locks: the rows, in the order of their keys
-- Index: submission_days_pkey, agent_days_pkey, validation_errors_pkey, forms_pkey
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
  insert into formd.submission_days as d (team_id, form_id, day, status, submitter_type, total, expires_at)
  select coalesce(p_team, s.team_id), s.form_id, s.day, s.status, s.submitter_type, sum(s.total),
    formd.day_expiry(s.day)
  from jsonb_to_recordset(p_submissions) as s (team_id uuid, form_id uuid, day integer, status text,
    submitter_type text, total bigint)
  group by s.team_id, s.form_id, s.day, s.status, s.submitter_type
  order by s.team_id, s.form_id, s.day, s.status, s.submitter_type
  on conflict (team_id, form_id, day, status, submitter_type) do update set total = d.total + excluded.total;

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
end
$$;
