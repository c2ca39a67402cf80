-- What expires, in one place.

create or replace function formd.expired_purge(p_limit integer) returns table (name text, deleted integer)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Deletes at most p_limit expired rows of each table, of all teams, and returns how many of each went.
-- Route: the purge job of every server
-- Writes: nonces, sessions, operator_sessions, challenges, challenge_passes, idempotency_keys, webhook_events,
--   webhook_batches, submission_days, agent_days, validation_errors, rate_limits; by cascade webhook_deliveries,
--   webhook_attempts
-- Locks: the rows that it deletes; those that a request holds are skipped. The tables whose expired rows a
--   request can want are purged last, so that it waits for the shortest time.
-- Index: *_expiry_idx. rate_limits has none, and is scanned: its expiry moves with each request, and an index
--   would end HOT updates. Nor has webhook_batches, which is usually empty.
-- Why: in SQL, so that each call is planned for the tables as they are now. A challenge goes an hour late: a late
--   response is still told challenge_expired.
with
  nonces as (
    delete from formd.nonces n where (n.team_id, n.signing_key_id, n.nonce) in (
      select e.team_id, e.signing_key_id, e.nonce from formd.nonces e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' limit p_limit for update skip locked)
    returning 1),
  sessions as (
    delete from formd.sessions s where (s.team_id, s.id) in (
      select e.team_id, e.id from formd.sessions e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' limit p_limit for update skip locked)
    returning 1),
  operator_sessions as (
    delete from formd.operator_sessions o where (o.team_id, o.id) in (
      select e.team_id, e.id from formd.operator_sessions e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' limit p_limit for update skip locked)
    returning 1),
  challenges as (
    delete from formd.challenges c where (c.team_id, c.form_id, c.id) in (
      select e.team_id, e.form_id, e.id from formd.challenges e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' - interval '1 hour'
      limit p_limit for update skip locked)
    returning 1),
  challenge_passes as (
    delete from formd.challenge_passes p where (p.team_id, p.form_id, p.agent_id) in (
      select e.team_id, e.form_id, e.agent_id from formd.challenge_passes e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' limit p_limit for update skip locked)
    returning 1),
  idempotency_keys as (
    delete from formd.idempotency_keys i where (i.team_id, i.form_id, i.caller_id, i.key) in (
      select e.team_id, e.form_id, e.caller_id, e.key from formd.idempotency_keys e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' limit p_limit for update skip locked)
    returning 1),
  webhook_events as (
    delete from formd.webhook_events w where (w.team_id, w.id) in (
      select e.team_id, e.id from formd.webhook_events e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' limit p_limit for update skip locked)
    returning 1),
  webhook_batches as (
    delete from formd.webhook_batches w where (w.team_id, w.id) in (
      select b.team_id, b.id from formd.webhook_batches b
      where b.expires_at < now() limit p_limit for update skip locked)
    returning 1),
  submission_days as (
    delete from formd.submission_days d where (d.team_id, d.form_id, d.day, d.status, d.submitter_type) in (
      select e.team_id, e.form_id, e.day, e.status, e.submitter_type from formd.submission_days e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' limit p_limit for update skip locked)
    returning 1),
  agent_days as (
    delete from formd.agent_days d where (d.team_id, d.form_id, d.day, d.agent_id, d.outcome) in (
      select e.team_id, e.form_id, e.day, e.agent_id, e.outcome from formd.agent_days e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' limit p_limit for update skip locked)
    returning 1),
  validation_errors as (
    delete from formd.validation_errors d where (d.team_id, d.form_id, d.day, d.form_version, d.field_id, d.code) in (
      select e.team_id, e.form_id, e.day, e.form_version, e.field_id, e.code from formd.validation_errors e
      where e.expires_at at time zone 'UTC' < now() at time zone 'UTC' limit p_limit for update skip locked)
    returning 1),
  rate_limits as (
    delete from formd.rate_limits r where r.bucket in (
      select e.bucket from formd.rate_limits e
      where e.expires_at < now() limit p_limit for update skip locked)
    returning 1)
select 'nonces', count(*)::integer from nonces
union all select 'sessions', count(*)::integer from sessions
union all select 'operator_sessions', count(*)::integer from operator_sessions
union all select 'challenges', count(*)::integer from challenges
union all select 'challenge_passes', count(*)::integer from challenge_passes
union all select 'idempotency_keys', count(*)::integer from idempotency_keys
union all select 'webhook_events', count(*)::integer from webhook_events
union all select 'webhook_batches', count(*)::integer from webhook_batches
union all select 'submission_days', count(*)::integer from submission_days
union all select 'agent_days', count(*)::integer from agent_days
union all select 'validation_errors', count(*)::integer from validation_errors
union all select 'rate_limits', count(*)::integer from rate_limits
$$;
