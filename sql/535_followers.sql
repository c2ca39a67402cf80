-- Operators who follow a form: the submissions that each has seen, and news feeds.

create or replace function formd.form_seen_mark(p_team uuid, p_form uuid, p_operator uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Notes that an operator has seen the newest submission of a form.
-- Route: the console, which lists them
-- Reads: forms, workspace_roles, submissions
-- Writes: form_followers
-- Locks: the operator's row of the form
-- Index: forms_pkey, workspace_roles_pkey, submissions_pkey backwards, form_followers_pkey
-- Why: without a role it does nothing. No submission is of the day after tomorrow: partitions of later months
--   are not read.
declare
  c_day constant interval := interval '1 day';
  v_end_id uuid := formd.uuid_floor(clock_timestamp() + c_day);
  v_workspace uuid;
  v_last_id uuid;
begin
  select r.workspace_id into v_workspace
  from formd.forms f join formd.workspace_roles r on r.team_id = f.team_id
    and r.workspace_id = f.workspace_id and r.operator_id = p_operator
  where f.team_id = p_team and f.id = p_form;
  select s.id into v_last_id from formd.submissions s
  where s.team_id = p_team and s.form_id = p_form and s.id < v_end_id order by s.id desc limit 1;
  if v_workspace is not null and v_last_id is not null then
    insert into formd.form_followers as w (team_id, form_id, operator_id, workspace_id, seen_id)
    values (p_team, p_form, p_operator, v_workspace, v_last_id)
    on conflict (team_id, form_id, operator_id) do update set seen_id = excluded.seen_id
    where w.seen_id is null or w.seen_id < excluded.seen_id;
  end if;
end
$$;

create or replace function formd.form_feed_make(p_team uuid, p_actor formd.actor, p_form uuid, p_hash bytea)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Makes the address of the actor's news feed of a form, in place of the one before.
-- Route: the console
-- Reads: forms
-- Writes: form_followers, what audit_record writes
-- Locks: the operator's row of the form
-- Raises: unauthorized (no operator), not_found, what actor_require_person raises
-- Index: forms_pkey, form_followers_pkey
-- Why: the row names the role, with which it ends.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_operator uuid := formd.operator_of(p_actor);
begin
  perform formd.actor_require_person(p_actor);
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  if v_operator is null then
    perform formd.raise_problem('unauthorized', 'person_required');
  end if;
  insert into formd.form_followers (team_id, form_id, operator_id, workspace_id, feed_hash, feed_made_at)
  select f.team_id, f.id, v_operator, f.workspace_id, p_hash, v_now
  from formd.forms f where f.team_id = p_team and f.id = p_form
  on conflict (team_id, form_id, operator_id) do update
    set feed_hash = excluded.feed_hash, feed_made_at = excluded.feed_made_at;
  perform formd.audit_record(p_team, p_actor, 'form.feed_made', p_form, p_form, '{}');
end
$$;

create or replace function formd.form_feed_end(p_team uuid, p_actor formd.actor, p_form uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends the actor's news feed of a form. Idempotent.
-- Route: the console
-- Writes: form_followers, what audit_record writes
-- Locks: the operator's row of the form
-- Raises: not_found, what actor_require_login raises
-- Index: form_followers_pkey
begin
  perform formd.actor_require_login(p_actor);
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  update formd.form_followers w set feed_hash = null, feed_made_at = null
  where w.team_id = p_team and w.form_id = p_form and w.operator_id = formd.operator_of(p_actor)
    and w.feed_hash is not null;
  if found then
    perform formd.audit_record(p_team, p_actor, 'form.feed_ended', p_form, p_form, '{}');
  end if;
end
$$;

create or replace function formd.form_feed_read(p_team uuid, p_form uuid, p_hash bytea, p_ip_key text,
  p_ip_limit integer, p_limit integer,
  out outcome text, out name text, out made_at timestamptz, out submissions jsonb, out remaining integer,
  out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- The news feed at an address: the form's name and the newest submissions, as objects with id and at.
-- Route: GET /feed/{token}
-- Reads: form_followers, forms, submissions
-- Writes: what rate_limit_count writes
-- Locks: what rate_limit_count locks
-- Outcomes: rate_limited, not_found, allowed
-- Index: form_followers_feed_key, forms_pkey, submissions_pkey backwards
-- Why: a submission that is not complete yet is no news. No submission is of the day after tomorrow.
declare
  c_rate_limit_window_ms constant integer := 60000;
  c_day constant interval := interval '1 day';
  v_rate formd.rate_limit_state := formd.rate_limit_count(p_ip_key, p_ip_limit, c_rate_limit_window_ms);
  v_end_id uuid := formd.uuid_floor(clock_timestamp() + c_day);
begin
  remaining := v_rate.remaining;
  reset_ms := v_rate.reset_ms;
  outcome := case when v_rate.allowed then 'not_found' else 'rate_limited' end;
  if not v_rate.allowed then
    return;
  end if;
  select w.feed_made_at into made_at from formd.form_followers w
  where w.team_id = p_team and w.feed_hash = p_hash and w.form_id = p_form;
  if not found then
    return;
  end if;
  outcome := 'allowed';
  select f.name into name from formd.forms f where f.team_id = p_team and f.id = p_form;
  submissions := (
    select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'at', n.created_at) order by n.id desc), '[]')
    from (
      select s.id, s.created_at, s.status from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.id < v_end_id order by s.id desc limit p_limit) n
    where n.status <> 'partial');
end
$$;
