-- What the pages of the console read beside the resources' own functions.

create or replace function formd.console_operator_read(
  p_team uuid, p_token_hash bytea, p_idle interval, p_write_limit integer,
  out outcome text, out operator_id uuid, out remaining integer, out reset_ms integer, out email text, out team_name text,
  out workspaces jsonb, out teams jsonb, out has_every_workspace boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- The operator of a page: who, in which team, with which role in which workspaces, and the operator's other teams.
-- Route: every page of the console
-- Reads: operators, teams, workspaces, workspace_roles
-- Writes: what operator_session_authenticate writes
-- Outcomes: allowed, unauthorized, rate_limited
-- Index: operators_pkey, teams_pkey, workspace_roles_operator_idx, workspaces_pkey
-- Why: one call per page. The role that an act needs is checked where its workspace is known, not here.
--   The names of teams by a subquery: a join planned on a table of one row walks all teams.
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_allowed boolean;
begin
  select s.outcome, s.operator_id into outcome, operator_id
  from formd.operator_session_authenticate(p_team, p_token_hash, p_idle, null, null) s;
  if outcome <> 'allowed' then
    return;
  end if;
  if p_write_limit is not null then
    select r.allowed, r.remaining, r.reset_ms into v_allowed, remaining, reset_ms
    from formd.rate_limit_take('write:operator:' || operator_id, p_write_limit, c_rate_limit_window_ms) r;
    if not v_allowed then
      outcome := 'rate_limited';
    end if;
  end if;
  select o.email, t.name into email, team_name
  from formd.operators o, formd.teams t where o.id = console_operator_read.operator_id and t.team_id = p_team;
  select
    jsonb_agg(jsonb_build_object(
      'id', w.id, 'name', w.name, 'role', r.role, 'editorsMayPublish', w.editors_may_publish) order by w.created_at, w.id)
      filter (where r.team_id = p_team),
    jsonb_agg(distinct jsonb_build_object(
      'id', r.team_id, 'name', (select t.name from formd.teams t where t.team_id = r.team_id)))
  into workspaces, teams
  from formd.workspace_roles r
  join formd.workspaces w on w.team_id = r.team_id and w.id = r.workspace_id
  where r.operator_id = console_operator_read.operator_id;
  has_every_workspace := not exists (
    select from formd.workspaces w
    where w.team_id = p_team and not exists (
      select from formd.workspace_roles r
      where r.team_id = p_team and r.workspace_id = w.id and r.operator_id = console_operator_read.operator_id));
end
$$;

create or replace function formd.operator_session_switch(p_team uuid, p_actor formd.actor, p_from_team uuid, p_token_hash bytea,
  p_session uuid, p_new_token_hash bytea, p_lifetime interval)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Opens a session of a session's operator in another team, and ends the first one.
-- Route: POST /console/team
-- Reads: operators, operator_sessions, workspace_roles
-- Writes: operator_sessions, audit_events (the actor is the session's operator; p_actor has the request id)
-- Locks: the operator, so that a session does not outlive a change of the password or a removal
-- Raises: unauthorized (no session), not_found (no role in the other team)
-- Index: operator_sessions_token_key, operators_pkey, workspace_roles_operator_idx
declare
  v_now timestamptz(3) := clock_timestamp();
  v_operator uuid;
begin
  select o.id into v_operator
  from formd.operator_sessions s
  join formd.operators o on o.id = s.operator_id
  where s.team_id = p_from_team and s.token_hash = p_token_hash
  for share of o;
  if not found then
    perform formd.raise_problem('unauthorized', 'The session has ended.');
  end if;
  perform from formd.workspace_roles r where r.team_id = p_team and r.operator_id = v_operator;
  if not found then
    perform formd.raise_problem('not_found', 'You have no role in this team.');
  end if;
  insert into formd.operator_sessions (team_id, id, operator_id, token_hash, created_at, seen_at, expires_at)
  values (p_team, p_session, v_operator, p_new_token_hash, v_now, v_now, v_now + p_lifetime);
  perform formd.audit_record(p_team, row('operator', v_operator, (p_actor).request_id)::formd.actor, 'session.operator_started', null,
    p_session, '{}');
  perform formd.operator_logout(p_from_team, p_actor, p_token_hash);
end
$$;

create or replace function formd.operator_sessions_end(p_team uuid, p_actor formd.actor, p_token_hash bytea) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends all sessions of a session's operator, in every team. Idempotent. The event is recorded per session, in its team.
-- Route: POST /console/sign-out-everywhere
-- Writes: operator_sessions, audit_events (the actor is the session's operator; p_actor has the request id)
-- Index: operator_sessions_token_key, operator_sessions_operator_idx
declare
  v_team uuid;
  v_session uuid;
  v_operator uuid;
begin
  select s.operator_id into v_operator from formd.operator_sessions s where s.team_id = p_team and s.token_hash = p_token_hash;
  for v_team, v_session in
    delete from formd.operator_sessions s where s.operator_id = v_operator returning s.team_id, s.id
  loop
    perform formd.audit_record(v_team, row('operator', v_operator, (p_actor).request_id)::formd.actor, 'session.operator_ended', null,
      v_session, '{}');
  end loop;
end
$$;

create or replace function formd.console_form_list(
  p_team uuid, p_operator uuid, p_archived boolean, p_today date, p_limit integer, p_offset bigint)
returns table (id uuid, workspace_id uuid, name text, status text, current_version integer, has_changes boolean,
  updated_at timestamptz, days integer[], waiting integer, submissions integer, total integer)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- A page of the forms in the operator's workspaces, newest first: with the submissions of each of the last 30 days (UTC, oldest first),
-- the number that waits for review (counted up to c_max_waiting), the number of all, and whether the draft differs
-- from the latest version. A page without rows is one row of nulls with the total.
-- Route: GET /console
-- Reads: forms, form_versions, workspace_roles, submissions, submission_counts, submission_days
-- Index: forms_list_idx (the total and the ids, without the rows), forms_pkey, form_versions_pkey,
--   submissions_review_open_idx, submission_counts_pkey, submission_days_pkey
-- Why: the page's ids first: a plan for an unknown limit would join the forms of a twentieth of the team.
declare
  c_days constant integer := 30;
  c_max_waiting constant integer := 1000;
  v_last_day integer := p_today - date '1970-01-01';
  v_workspaces uuid[] := array(
    select r.workspace_id from formd.workspace_roles r where r.operator_id = p_operator and r.team_id = p_team);
  v_ids uuid[];
begin
  select count(*) into total from formd.forms f
  where f.team_id = p_team and f.workspace_id = any (v_workspaces) and (f.status = 'archived') = p_archived;
  v_ids := array(
    select f.id from formd.forms f
    where f.team_id = p_team and f.workspace_id = any (v_workspaces) and (f.status = 'archived') = p_archived
    order by f.id desc limit p_limit offset p_offset);
  return query
  select f.id, f.workspace_id, f.name, f.status, f.current_version,
    f.current_version > 0 and not exists (
      select from formd.form_versions v
      where v.team_id = p_team and v.form_id = f.id and v.version = f.current_version
        and (v.name, v.schema) = (f.name, f.schema) and v.description is not distinct from f.description),
    f.updated_at::timestamptz, counted.days, sums.waiting, sums.submissions, console_form_list.total
  from formd.forms f
  cross join lateral (
    select array_agg(coalesce(c.number, 0) order by d.day) as days
    from generate_series(v_last_day - (c_days - 1), v_last_day) as d (day)
    left join (
      select s.day, sum(s.total)::integer as number from formd.submission_days s
      where s.team_id = p_team and s.form_id = f.id and s.day between v_last_day - (c_days - 1) and v_last_day
      group by s.day) c on c.day = d.day) counted
  cross join lateral (
    select (
        select count(*)::integer from (
          select from formd.submissions s
          where s.team_id = p_team and s.form_id = f.id and s.status = 'pending' and s.review_decision is null
          order by s.id limit c_max_waiting) w) as waiting,
      coalesce(sum(c.total), 0)::integer as submissions
    from formd.submission_counts c where c.team_id = p_team and c.form_id = f.id) sums
  where f.team_id = p_team and f.id = any (v_ids)
  order by f.id desc;
  if not found then
    return next;
  end if;
end
$$;

create or replace function formd.console_form_counts(p_team uuid, p_form uuid, p_first_day integer)
returns table (kind text, name text, label text, code text, versions integer[], days jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- The daily counts of a form since a day, as series: {day: total}. kind: status (name: of the submissions), submitter (its type), agent
-- (its id; label: its name; those with most submissions) and error (a field's id, with code and versions; the most frequent ones).
-- Route: GET /console/forms/{form_id}/charts
-- Reads: submission_days, agent_days, agents, validation_errors
-- Index: submission_days_pkey, agent_days_pkey, agents_pkey, validation_errors_pkey
declare
  c_agents constant integer := 5;
  c_errors constant integer := 25;
begin
  return query
  with submissions as materialized (
    select d.day, d.status, d.submitter_type, d.total from formd.submission_days d
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
   from (select u.status, u.day, sum(u.total)::bigint as total from submissions u group by u.status, u.day) s
   group by s.status order by s.status)
  union all
  (select 'submitter', s.submitter_type, null, null, null, jsonb_object_agg(s.day, s.total)
   from (select u.submitter_type, u.day, sum(u.total)::bigint as total from submissions u group by u.submitter_type, u.day) s
   group by s.submitter_type order by s.submitter_type)
  union all
  (select 'agent', a.agent_id::text, g.name, null, null, a.days
   from agents a left join formd.agents g on g.team_id = p_team and g.id = a.agent_id order by a.sum desc)
  union all
  (select 'error', e.field_id, null, e.code,
     (select array_agg(distinct x order by x) from errors i, unnest(i.versions) as x where i.field_id = e.field_id and i.code = e.code),
     jsonb_object_agg(e.day, e.total)
   from errors e join top_errors t on t.field_id = e.field_id and t.code = e.code
   group by e.field_id, e.code, t.sum order by t.sum desc, e.field_id, e.code);
end
$$;

create or replace function formd.setup_complete(
  p_team uuid, p_request_id text, p_name text, p_workspace uuid, p_workspace_name text, p_operator uuid, p_email text, p_salt text,
  p_hash bytea, p_form uuid, p_example jsonb, p_submission uuid, p_data jsonb)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates the first operator, as admin of a new team with a workspace, and an example form that is published and has a submission.
-- Route: POST /setup/{token}
-- Reads: operators
-- Writes: teams, workspaces, operators, workspace_roles, forms, form_versions, submissions, submission_counts, submission_days,
--   audit_events
-- Locks: operators (the table), so that of two first operators one succeeds
-- Raises: not_found (there is an operator), bad_request (blank name)
-- Index: operators_pkey
-- Why: one call, since what is half made could not be made again. The form is the operator's act; what comes before has no operator yet.
declare
  v_system formd.actor := row('system', null, p_request_id);
  v_actor formd.actor := row('operator', p_operator, p_request_id);
  v_form formd.form_row;
  v_at timestamptz(3) := formd.uuid_time(p_submission);
begin
  lock table formd.operators in share row exclusive mode;
  perform from formd.operators o;
  if found then
    perform formd.raise_problem('not_found', 'There is an operator already.');
  end if;
  perform formd.team_create(p_team => p_team, p_actor => v_system, p_name => p_name, p_workspace => p_workspace,
    p_workspace_name => p_workspace_name);
  perform formd.operator_join(p_team => p_team, p_actor => v_system, p_workspace => p_workspace, p_id => p_operator,
    p_email => p_email, p_salt => p_salt, p_hash => p_hash, p_role => 'admin');
  select * into v_form
  from formd.form_create(p_team => p_team, p_actor => v_actor, p_id => p_form, p_workspace => p_workspace,
    p_name => p_example ->> 'name', p_description => p_example ->> 'description', p_schema => p_example -> 'schema');
  perform formd.form_publish(p_team, v_actor, p_form, v_form.updated_at);
  insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, data, created_at,
    updated_at, completed_at)
  values (p_team, p_form, p_submission, 1, 'completed', 'anonymous', p_submission, p_data, v_at, v_at, v_at);
  perform formd.submission_count_add(p_team, p_form, 'completed', 1);
  perform formd.submission_day_add(p_team => p_team, p_form => p_form, p_created_at => v_at, p_status => 'completed',
    p_submitter_type => 'anonymous', p_change => 1);
end
$$;
