-- Retention: settings.retention of a form, or the default of its team, says when a submission is deleted.

create or replace function formd.retention_cutoff(p_rule jsonb, p_at timestamptz) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp as $$
-- The instant before which submissions are deleted at p_at. By the calendar, UTC: P1M from 31 January ends
-- with February.
select (p_at at time zone 'UTC' - (p_rule ->> 'deleteAfter')::interval) at time zone 'UTC'
$$;

create or replace function formd.retention_rule(p_settings jsonb, p_default jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- The rule of a form with these settings in effect, in a team with this default; null: none.
select case when p_settings #>> '{retention, deleteAfter}' is not null then p_settings -> 'retention'
  else p_default end
$$;

create or replace function formd.team_set_retention(p_team uuid, p_actor formd.actor, p_rule jsonb)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Sets the rule of a team's forms that have none of their own; null: none. Idempotent.
-- Route: formd team retention, the console
-- Writes: teams, what audit_record writes
-- Locks: the team, for no key update
-- Raises: unauthorized (an API key), not_found, insufficient_workspace_role (least role: admin in every
--   workspace)
-- Index: teams_pkey
declare
  v_before jsonb;
begin
  perform formd.actor_require_person(p_actor);
  perform formd.team_require_role(p_team, p_actor, 'admin');
  select t.retention into v_before from formd.teams t where t.team_id = p_team for no key update;
  if not found then
    perform formd.raise_problem('not_found', 'team_missing');
  end if;
  if v_before is distinct from p_rule then
    update formd.teams t set retention = p_rule where t.team_id = p_team;
    perform formd.audit_record(p_team, p_actor, 'team.retention_set', null, p_team,
      jsonb_build_object('before', v_before, 'after', p_rule));
  end if;
end
$$;

create or replace function formd.retention_forms() returns table (team_id uuid, form_id uuid, rule jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the forms that have a rule, of all teams, with the rule.
-- Route: the purge job of every server
-- Reads: forms, teams
-- Index: forms_pkey, teams_pkey; both tables are read whole, once in five minutes
begin
  return query
  select f.team_id, f.id, formd.retention_rule(f.settings_in_force, t.retention)
  from formd.forms f join formd.teams t on t.team_id = f.team_id
  where formd.retention_rule(f.settings_in_force, t.retention) is not null
  order by f.team_id, f.id;
end
$$;

create or replace function formd.retention_read(p_team uuid, p_actor formd.actor, p_form uuid, p_rule jsonb,
  out rule jsonb, out source text, out due_by timestamptz, out due bigint, out held bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- The rule of a form, with two numbers for the next day. due: submissions that the rule deletes; held:
-- submissions that only a hold keeps. Both are counted in the oldest 10,000 submissions. p_rule: count for
-- this rule of the form instead, or with {} for no rule of its own, as a person may publish it.
-- Route: GET /management/forms/{form_id}/retention, the console
-- Reads: forms, teams, submissions, holds
-- Raises: not_found, insufficient_workspace_role (least role: viewer)
-- Index: forms_pkey, teams_pkey, submissions_pkey, holds_active_key
declare
  c_day constant interval := interval '1 day';
  c_retention_max_counted constant integer := 10000;
  v_settings jsonb;
  v_default jsonb;
  v_cutoff timestamptz(3);
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  select f.settings_in_force, t.retention into v_settings, v_default
  from formd.forms f join formd.teams t on t.team_id = f.team_id
  where f.team_id = p_team and f.id = p_form;
  if p_rule is not null then
    v_settings := jsonb_build_object('retention', p_rule);
  end if;
  rule := formd.retention_rule(v_settings, v_default);
  source := case when rule is null then null when p_rule ? 'deleteAfter' then 'given'
    when v_settings #>> '{retention, deleteAfter}' is not null then 'form' else 'team' end;
  due_by := clock_timestamp() + c_day;
  v_cutoff := formd.retention_cutoff(rule, due_by);
  select count(*) filter (where not c.is_held), count(*) filter (where c.is_held) into due, held
  from (
    select exists (
      select from formd.holds h
      where h.team_id = p_team and h.form_id = p_form and h.released_at is null
        and (h.submission_id is null or h.submission_id = s.id)) as is_held
    from (
      select o.id, o.completed_at, o.updated_at from formd.submissions o
      where o.team_id = p_team and o.form_id = p_form and o.id < formd.uuid_floor(v_cutoff)
      order by o.id limit c_retention_max_counted) as s
    where rule ->> 'from' is distinct from 'completed' or coalesce(s.completed_at, s.updated_at) < v_cutoff
  ) as c;
end
$$;

create or replace function formd.retention_next(p_team uuid, p_form uuid, p_after uuid, p_limit integer,
  out is_due boolean, out last_id uuid)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Finds what a form's rule deletes among the next p_limit submissions after p_after. is_due: the rule deletes
-- the one that follows last_id, or with last_id null the first one; false: it deletes none of them, and the
-- next look begins after last_id; null: nothing is left.
-- Route: the purge job of every server
-- Reads: forms, teams, submissions, holds
-- Index: forms_pkey, teams_pkey, submissions_pkey, holds_active_key
-- Why: submissions_expire takes a lock and a number for a transaction, also where all submissions stay, as
--   those that are held or were completed lately. This looks at a hundred times as many, and takes neither.
declare
  v_rule jsonb;
  v_cutoff timestamptz(3);
  v_due_id uuid;
begin
  select formd.retention_rule(f.settings_in_force, t.retention) into v_rule
  from formd.forms f join formd.teams t on t.team_id = f.team_id
  where f.team_id = p_team and f.id = p_form;
  v_cutoff := formd.retention_cutoff(v_rule, clock_timestamp());
  perform from formd.holds h
  where h.team_id = p_team and h.form_id = p_form and h.released_at is null and h.submission_id is null;
  if found then
    return;
  end if;
  select s.id into v_due_id
  from (
    select o.id, o.completed_at, o.updated_at from formd.submissions o
    where o.team_id = p_team and o.form_id = p_form and o.id < formd.uuid_floor(v_cutoff)
      and (p_after is null or o.id > p_after)
    order by o.id limit p_limit) as s
  where (v_rule ->> 'from' is distinct from 'completed' or coalesce(s.completed_at, s.updated_at) < v_cutoff)
    and not exists (
      select from formd.holds h
      where h.team_id = p_team and h.form_id = p_form and h.released_at is null and h.submission_id = s.id)
  order by s.id limit 1;
  if found then
    is_due := true;
    select s.id into last_id from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.id < v_due_id order by s.id desc limit 1;
  else
    select false, s.id into is_due, last_id from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.id < formd.uuid_floor(v_cutoff)
      and (p_after is null or s.id > p_after)
    order by s.id limit 1 offset p_limit - 1;
  end if;
end
$$;

create or replace function formd.submissions_expire(p_team uuid, p_form uuid, p_after uuid, p_limit integer,
  out deleted integer, out last_id uuid)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- One step of a form's rule: of the next p_limit submissions after p_after it deletes those whose time is
-- over and that are not held. last_id: where the next step begins; null: nothing is left.
-- Route: the purge job of every server
-- Reads: forms, teams, submissions, holds
-- Writes: what submission_erase and submission_erasures_record write, submission_counts, submission_days
-- Locks: the form's row, for share; the submissions, except those that are locked, which another server
--   deletes or a request changes; what submission_erase locks; one slot per status, the days; then what
--   submission_erasures_record locks
-- Index: forms_pkey, teams_pkey, submissions_pkey, holds_active_key
-- Why: the order of the locks is that of submission_delete; each counter once and late, since a submission in
--   the same slot waits for the commit. The holds are read after the rows are locked, by a statement of its
--   own (hold_check). Options with a limit are locked submission by submission, in no common order: such a
--   form goes one by one. A day whose counts are purged is left out. What is not completed counts from its
--   last change under "completed".
declare
  v_now timestamptz(3) := clock_timestamp();
  v_actor formd.actor := row('retention', null, gen_random_uuid()::text)::formd.actor;
  v_rule jsonb;
  v_has_limits boolean;
  v_cutoff timestamptz(3);
  v_is_completed boolean;
  v_ids uuid[];
  v_row formd.submission_row;
  v_counts jsonb;
begin
  deleted := 0;
  select formd.retention_rule(f.settings_in_force, t.retention), f.has_limits into v_rule, v_has_limits
  from formd.forms f join formd.teams t on t.team_id = f.team_id
  where f.team_id = p_team and f.id = p_form for share of f;
  -- Only those on the form. No other can come until the commit, since hold_place locks the form.
  perform from formd.holds h
  where h.team_id = p_team and h.form_id = p_form and h.released_at is null and h.submission_id is null;
  if v_rule is null or found then
    return;
  end if;
  v_cutoff := formd.retention_cutoff(v_rule, v_now);
  v_is_completed := v_rule @> '{"from": "completed"}';

  select array_agg(s.id) filter (
      where not v_is_completed or coalesce(s.completed_at, s.updated_at) < v_cutoff),
    (array_agg(s.id order by s.id desc))[1]
  into v_ids, last_id
  from (
    select o.id, o.completed_at, o.updated_at from formd.submissions o
    where o.team_id = p_team and o.form_id = p_form and o.id < formd.uuid_floor(v_cutoff)
      and (p_after is null or o.id > p_after)
    order by o.id limit case when v_has_limits then 1 else p_limit end) as s;
  if v_ids is null then
    return;
  end if;
  -- The condition again: what has changed since then counts from that change.
  v_ids := array(
    select s.id from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.id = any (v_ids)
      and (not v_is_completed or coalesce(s.completed_at, s.updated_at) < v_cutoff)
    order by s.id for update skip locked);
  v_ids := array(
    select i from unnest(v_ids) as i
    where i not in (
      select h.submission_id from formd.holds h
      where h.team_id = p_team and h.form_id = p_form and h.released_at is null
        and h.submission_id = any (v_ids)));
  -- Decrements of the counters, read while the rows exist. They are applied below, once the rows are deleted.
  select jsonb_agg(jsonb_build_object('at', c.at, 'status', c.status, 'type', c.type, 'total', c.total)
    order by formd.day_of(c.at), c.status, c.type)
  into v_counts
  from (
    select min(s.created_at) as at, s.status, s.provenance as type, count(*) as total
    from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.id = any (v_ids)
    group by s.status, s.provenance, formd.day_of(s.created_at)) as c;

  for v_row in
    select s.id, s.team_id, s.form_id, s.form_version, s.status, s.data, s.metadata, s.submitter_type,
      s.submitter_id, s.respondent_id, s.provenance, s.declared_agent, s.review_decision,
      s.review_reason, s.reviewed_at, s.created_at, s.updated_at
    from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.id = any (v_ids) order by s.id
  loop
    perform formd.submission_erase(p_team, v_actor, v_row);
    deleted := deleted + 1;
  end loop;
  perform formd.submission_count_add(p_team, p_form, c.status, -c.total)
  from (
    select t.status, sum(t.total)::integer as total
    from jsonb_to_recordset(v_counts) as t (status text, total integer)
    group by t.status order by t.status) as c;
  perform formd.submission_day_add(p_team, p_form, c.at, c.status, c.type, -c.total)
  from jsonb_to_recordset(v_counts) as c (at timestamptz, status text, type text, total integer)
  where formd.day_expiry(formd.day_of(c.at)) > v_now;
  perform formd.submission_erasures_record(p_team, v_actor, p_form, v_ids);
end
$$;
