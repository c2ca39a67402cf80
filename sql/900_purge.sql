-- What expires, in one place.

create or replace function formd.expired_purge(p_limit integer) returns table (name text, deleted integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- Deletes at most p_limit expired rows of each table, of all teams, and returns how many of each went.
-- Route: the purge job of every server
-- Writes: nonces, sessions, operator_sessions, challenges, challenge_passes, idempotency_keys, webhook_events,
--   webhook_batches, submission_days, agent_days, validation_errors, rate_limits; by cascade webhook_deliveries,
--   webhook_attempts
-- Locks: the rows that it deletes; those that a request holds are skipped. The tables whose expired rows a
--   request can want are purged last, so that it waits for the shortest time.
-- Index: *_expiry_idx. rate_limits has none, and is scanned: its expiry moves with each request, and an index
--   would end HOT updates. Nor has webhook_batches, which is usually empty.
-- Why: a statement per table, since functions send no dynamic SQL: each is checked when it is tested and reviewed as
--   it runs. A plan for each call, for the tables as they are now. Team by team on Citus, where a statement locks rows of one
--   machine; else all teams at once. A challenge goes an hour late: a late response is still told challenge_expired.
declare
  c_late_response_time constant interval := interval '1 hour';
  v_now timestamptz(3) := clock_timestamp();
  v_challenges_before timestamptz(3) := v_now - c_late_response_time;
  v_teams uuid[] := array[null::uuid];
  v_team uuid;
  v_deleted integer;
begin
  if exists (select from pg_extension x where x.extname = 'citus') then
    v_teams := array(
      select e.team_id from formd.nonces e where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      union select e.team_id from formd.sessions e where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      union select e.team_id from formd.operator_sessions e where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      union select e.team_id from formd.challenges e where e.expires_at at time zone 'UTC' < v_challenges_before at time zone 'UTC'
      union select e.team_id from formd.challenge_passes e where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      union select e.team_id from formd.idempotency_keys e where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      union select e.team_id from formd.webhook_events e where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      union select e.team_id from formd.webhook_batches e where e.expires_at < v_now
      union select e.team_id from formd.submission_days e where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      union select e.team_id from formd.agent_days e where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      union select e.team_id from formd.validation_errors e where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC');
  end if;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.nonces n
    where (v_team is null or n.team_id = v_team) and (n.team_id, n.signing_key_id, n.nonce) in (
      select e.team_id, e.signing_key_id, e.nonce from formd.nonces e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'nonces';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.sessions s
    where (v_team is null or s.team_id = v_team) and (s.team_id, s.id) in (
      select e.team_id, e.id from formd.sessions e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'sessions';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.operator_sessions o
    where (v_team is null or o.team_id = v_team) and (o.team_id, o.id) in (
      select e.team_id, e.id from formd.operator_sessions e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'operator_sessions';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.challenges c
    where (v_team is null or c.team_id = v_team) and (c.team_id, c.form_id, c.id) in (
      select e.team_id, e.form_id, e.id from formd.challenges e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_challenges_before at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'challenges';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.challenge_passes p
    where (v_team is null or p.team_id = v_team) and (p.team_id, p.form_id, p.agent_id) in (
      select e.team_id, e.form_id, e.agent_id from formd.challenge_passes e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'challenge_passes';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.idempotency_keys i
    where (v_team is null or i.team_id = v_team) and (i.team_id, i.form_id, i.caller_id, i.key) in (
      select e.team_id, e.form_id, e.caller_id, e.key from formd.idempotency_keys e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'idempotency_keys';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.webhook_events w
    where (v_team is null or w.team_id = v_team) and (w.team_id, w.id) in (
      select e.team_id, e.id from formd.webhook_events e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'webhook_events';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.webhook_batches b
    where (v_team is null or b.team_id = v_team) and (b.team_id, b.id) in (
      select e.team_id, e.id from formd.webhook_batches e
      where (v_team is null or e.team_id = v_team) and e.expires_at < v_now
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'webhook_batches';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.submission_days d
    where (v_team is null or d.team_id = v_team) and (d.team_id, d.form_id, d.day, d.status, d.submitter_type) in (
      select e.team_id, e.form_id, e.day, e.status, e.submitter_type from formd.submission_days e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'submission_days';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.agent_days d
    where (v_team is null or d.team_id = v_team) and (d.team_id, d.form_id, d.day, d.agent_id, d.outcome) in (
      select e.team_id, e.form_id, e.day, e.agent_id, e.outcome from formd.agent_days e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'agent_days';
  return next;

  deleted := 0;
  foreach v_team in array v_teams loop
    delete from formd.validation_errors d
    where (v_team is null or d.team_id = v_team) and (d.team_id, d.form_id, d.day, d.form_version, d.field_id, d.code) in (
      select e.team_id, e.form_id, e.day, e.form_version, e.field_id, e.code from formd.validation_errors e
      where (v_team is null or e.team_id = v_team) and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      limit p_limit - deleted for update skip locked);
    get diagnostics v_deleted = row_count;
    deleted := deleted + v_deleted;
  end loop;
  name := 'validation_errors';
  return next;

  delete from formd.rate_limits r where r.bucket in (
    select e.bucket from formd.rate_limits e where e.expires_at < v_now limit p_limit for update skip locked);
  get diagnostics deleted = row_count;
  name := 'rate_limits';
  return next;
end
$$;
