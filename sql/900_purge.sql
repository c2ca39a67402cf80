-- Deletes rows that expire by their own time. Files are deleted by files_expire (550_files.sql), since their
-- bytes go first. Submissions are deleted by their rule: 527_retention.sql.

create or replace function formd.expired_purge(p_limit integer) returns table (name text, work integer)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- Deletes expired rows of each table, of all teams, and returns for each what counted towards p_limit: the
-- rows that went, of an event with its deliveries and their attempts; for a respondent, who may stay, the
-- forms in which it was looked for. The last one may exceed the limit.
-- Route: none; every server calls it by itself (src/platform/ops/purge.ts)
-- Reads: webhook_deliveries
-- Writes: what respondents_purge writes; passkey_challenges, nonces, sessions, operator_sessions,
--   operator_invitations, challenges, challenge_passes, idempotency_keys, webhook_events, webhook_batches,
--   mails, submission_changes, submission_days, agent_days, validation_errors, progress_days, invitations,
--   page_drafts, rate_limits, feed_marks; by cascade webhook_deliveries, webhook_attempts
-- Locks: the rows that it deletes; those that a request holds are skipped. The tables whose expired rows a
--   request can want are purged last, so that it waits for the shortest time.
-- Index: *_expiry_idx, webhook_deliveries_pkey. rate_limits has none, and is scanned: its expiry moves with
--   each request, and an index would end HOT updates. Nor has webhook_batches, which is usually empty.
-- Why: dynamic SQL, since the statements of the tables differ in the name only, a literal of this text, and
--   twelve copies were too long to be read. Events and respondents have statements of their own. Each is
--   planned for the tables as they are now. The rows are chosen once, as an array: a subquery behind "in" may
--   run for each row of the table, and choose others each time. Nothing moves a row that is locked, so its
--   ctid stays. Team by team on Citus, where a statement locks rows of one machine; else all teams at once. A
--   challenge goes an hour late: a late response is still told challenge_expired. Drafts go in portions of
--   c_max_purged, since each has up to 64 KiB; a full portion counts as p_limit, and another call follows.
declare
  c_challenge_late_response_hours constant integer := 1;
  c_webhook_max_attempts_kept constant integer := 10;
  c_max_purged constant integer := 200;
  c_invitation_kept_days constant integer := 90;
  c_day constant interval := interval '1 day';
  v_now timestamptz(3) := clock_timestamp();
  v_before timestamptz(3);
  v_teams uuid[];
  v_team uuid;
  v_work integer;
begin
  foreach name in array array[
    'nonces', 'sessions', 'operator_sessions', 'operator_invitations', 'challenges', 'challenge_passes',
    'idempotency_keys', 'webhook_events', 'webhook_batches', 'mails', 'submission_changes',
    'submission_days', 'agent_days', 'validation_errors', 'progress_days', 'invitations', 'page_drafts',
    'respondents']
  loop
    v_before := v_now - case name
      when 'challenges' then make_interval(hours => c_challenge_late_response_hours)
      when 'invitations' then c_invitation_kept_days * c_day
      else make_interval() end;
    -- All teams at once, or each that has expired rows in this table.
    v_teams := array[null::uuid];
    if exists (select from pg_extension x where x.extname = 'citus') then
      execute format($statement$
        select coalesce(array_agg(distinct e.team_id), '{}') from formd.%I e
        where e.expires_at at time zone 'UTC' < $1 at time zone 'UTC'$statement$, name)
      into v_teams using v_before;
    end if;
    -- p_limit is the table's, however many teams share it: a call stays short, and the next one goes on.
    work := 0;
    foreach v_team in array v_teams loop
      -- An event's deliveries and attempts go by cascade. They count towards the limit, since they are most
      -- of the work; not on Citus, which locks no rows in such a statement.
      if name = 'webhook_events' and v_team is null then
        with expired as materialized (
          select e.team_id, e.id, 1 + (
            select count(*) + coalesce(sum(least(d.attempts, c_webhook_max_attempts_kept)), 0)
            from formd.webhook_deliveries d where d.team_id = e.team_id and d.event_id = e.id) as rows
          from formd.webhook_events e
          where (v_team is null or e.team_id = v_team)
            and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
          order by e.expires_at at time zone 'UTC' limit greatest(p_limit - work, 0) for update skip locked
        ), chosen as materialized (
          select c.team_id, c.id, c.rows
          from (select x.*, sum(x.rows) over (order by x.team_id, x.id) - x.rows as before from expired x) c
          where c.before < p_limit - work
        ), gone as (
          delete from formd.webhook_events w
          where (v_team is null or w.team_id = v_team)
            and (w.team_id, w.id) in (select c.team_id, c.id from chosen c)
        )
        select coalesce(sum(c.rows), 0) into v_work from chosen c;
      elsif name = 'respondents' then
        v_work := formd.respondents_purge(v_team, p_limit - work);
      else
        execute format($statement$
          delete from formd.%1$I d
          where ($2 is null or d.team_id = $2) and d.ctid = any (array(
            select e.ctid from formd.%1$I e
            where ($2 is null or e.team_id = $2) and e.expires_at at time zone 'UTC' < $1 at time zone 'UTC'
            limit $3 for update skip locked))$statement$, name)
        using v_before, v_team,
          case when name = 'page_drafts' then least(p_limit - work, c_max_purged) else p_limit - work end;
        get diagnostics v_work = row_count;
        if name = 'page_drafts' and v_work = c_max_purged then
          v_work := p_limit - work;
        end if;
      end if;
      work := work + v_work;
    end loop;
    return next;
  end loop;

  -- No team, no distribution: plain SQL.
  delete from formd.rate_limits r where r.key in (
    select e.key from formd.rate_limits e where e.expires_at < v_now limit p_limit for update skip locked);
  get diagnostics work = row_count;
  name := 'rate_limits';
  return next;
  delete from formd.passkey_challenges c where c.challenge_hash in (
    select e.challenge_hash from formd.passkey_challenges e
    where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC' limit p_limit for update skip locked);
  get diagnostics work = row_count;
  name := 'passkey_challenges';
  return next;
  delete from formd.feed_marks f where f.xid = any (array(
    select e.xid from formd.feed_marks e
    where e.xid < (
      select m.xid from formd.feed_marks m where m.made_at >= v_now - c_day order by m.xid limit 1)
    order by e.xid limit p_limit for update skip locked));
  get diagnostics work = row_count;
  name := 'feed_marks';
  return next;
end
$$;
