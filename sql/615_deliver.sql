-- Sending what is due to webhooks: servers find it, lease it, and record what became of it.

create or replace function formd.webhook_due_after(p_after uuid, p_limit integer)
  returns table (team_id uuid, has_webhooks boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns teams with a due delivery or a waiting batch, beginning after the team p_after. The first row has
-- no team if there are webhooks that are not disabled, or batches.
-- Route: the worker of every server, each second and after a change
-- Reads: webhooks, webhook_batches, webhook_deliveries
-- Index: webhook_batches_pkey, webhook_deliveries_due_idx, webhooks_pkey
-- Why: steps from one team with something that waits to the next, so that its cost follows their number, not
--   the number of deliveries. From p_after, the team that was served last, so that every team has its turn.
--   Scalar subselects, since an "exists" in an "or" can become a hash of all due rows, and did while they
--   were not analyzed. least(), since "(attempts > 0) = false" is planned as "attempts <= 0", which no index
--   is on.
declare
  c_first constant uuid := uuid '00000000-0000-0000-0000-000000000000';
  v_now timestamptz(3) := clock_timestamp();
  v_after uuid := coalesce(p_after, c_first);
  v_team uuid := v_after;
  v_is_second_pass boolean := false;
  v_found integer := 0;
begin
  perform from formd.webhooks w where w.status <> 'disabled' limit 1;
  if not found then
    perform from formd.webhook_batches b limit 1;
  end if;
  if not found then
    return;
  end if;
  has_webhooks := true;
  return next;
  while v_found < p_limit loop
    v_team := least(
      (select b.team_id from formd.webhook_batches b where b.team_id > v_team order by b.team_id limit 1),
      (select d.team_id from formd.webhook_deliveries d where d.state = 'due' and d.team_id > v_team
      order by d.team_id limit 1));
    if v_is_second_pass then
      exit when v_team is null or v_team > v_after;
    elsif v_team is null then
      v_is_second_pass := true;
      v_team := c_first;
      continue;
    end if;
    if (select 1 from formd.webhook_batches b where b.team_id = v_team limit 1) is not null or (
      select 1 from formd.webhooks w
      where w.team_id = v_team and w.status = 'active' and coalesce(
        (select 1 from formd.webhook_deliveries d
         where d.team_id = w.team_id and d.webhook_id = w.id and d.state = 'due' and least(d.attempts, 1) = 0
           and d.due_at <= v_now order by d.due_at limit 1),
        (select 1 from formd.webhook_deliveries d
         where d.team_id = w.team_id and d.webhook_id = w.id and d.state = 'due' and least(d.attempts, 1) = 1
           and d.due_at <= v_now order by d.due_at limit 1)) is not null
      limit 1) is not null
    then
      team_id := v_team;
      return next;
      v_found := v_found + 1;
    end if;
  end loop;
end
$$;

create or replace function formd.webhook_claim(p_team uuid, p_limit integer, p_lease_seconds integer,
  p_is_mailed boolean default false)
returns table (event_id uuid, webhook_id uuid, attempt integer, url text, payload text,
  secret_version integer, secret_key text, previous_secret_key text, type text, form_id uuid, subject_id uuid,
  data jsonb, created_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Leases at most p_limit due deliveries of a team, and at most 4 of each webhook, first attempts first.
-- Route: the worker of every server
-- Reads: webhooks, webhook_events
-- Writes: webhook_deliveries; what webhook_batches_expand writes
-- Locks: what webhook_batches_expand locks; the webhooks, for no key update; one that another server holds,
--   which is claiming or settling, is skipped
-- Index: webhooks_pkey, webhook_deliveries_leased_idx, webhook_deliveries_due_idx, webhook_deliveries_pkey,
--   webhook_events_pkey
-- Why: the lock on the webhook makes the number of its leases exact. A lease that ends is an attempt.
declare
  c_webhook_max_concurrent constant integer := 4;
  v_now timestamptz(3);
  v_lease_end timestamptz(3);
  v_webhook formd.webhooks;
  v_left integer := p_limit;
  v_free integer;
  v_event_ids uuid[];
begin
  perform formd.webhook_batches_expand(p_team, p_is_mailed);
  v_now := clock_timestamp();
  v_lease_end := v_now + make_interval(secs => p_lease_seconds);
  for v_webhook in
    select * from formd.webhooks w where w.team_id = p_team and w.status = 'active'
      for no key update skip locked
  loop
    exit when v_left <= 0;
    select least(v_left, c_webhook_max_concurrent - count(*)) into v_free
    from formd.webhook_deliveries d
    where d.team_id = p_team and d.webhook_id = v_webhook.id and d.leased_until_at > v_now;
    continue when v_free <= 0;
    v_event_ids := array(
      select d.event_id from formd.webhook_deliveries d
      where d.team_id = p_team and d.webhook_id = v_webhook.id and d.state = 'due'
        and least(d.attempts, 1) = 0 and d.due_at <= v_now
      order by d.due_at limit v_free for update skip locked);
    v_event_ids := v_event_ids || array(
      select d.event_id from formd.webhook_deliveries d
      where d.team_id = p_team and d.webhook_id = v_webhook.id
        and d.state = 'due' and least(d.attempts, 1) = 1
        and d.due_at <= v_now
      order by d.due_at limit v_free - cardinality(v_event_ids) for update skip locked);
    v_left := v_left - cardinality(v_event_ids);
    return query
    update formd.webhook_deliveries d
    set attempts = d.attempts + 1, due_at = v_lease_end, leased_until_at = v_lease_end
    from formd.webhook_events e
    where d.team_id = p_team and d.webhook_id = v_webhook.id and d.event_id = any (v_event_ids)
      and e.team_id = p_team and e.id = d.event_id
    returning d.event_id, d.webhook_id, d.attempts, v_webhook.url, v_webhook.payload,
      v_webhook.secret_version, v_webhook.secret_key,
      case when v_webhook.previous_secret_ends_at > v_now then v_webhook.previous_secret_key end, e.type,
      e.form_id, e.subject_id, e.data, e.created_at;
  end loop;
end
$$;

create or replace function formd.webhook_settle(p_team uuid, p_results jsonb,
  p_is_mailed boolean default false)
  returns table (webhook_id uuid, disabled_reason text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Records the results of leased deliveries (formd.webhook_result): delivered, due again, or failed for good;
-- returns the webhooks that it disables. A failure of a lease that has run out is recorded as an attempt, and
-- changes nothing else; a success always counts. p_is_mailed: admins of the workspace get a mail then.
-- Route: the worker of every server
-- Reads: webhook_events, submissions, workspace_roles
-- Writes: webhook_deliveries, webhook_attempts, webhooks; what mail_operators_record writes
-- Locks: the submissions of which a response is kept, for key share and in the order of their ids, as
--   submission_delete locks them first; the webhooks in the order of their ids, for no key update, then the
--   deliveries; what mail_operators_record locks
-- Index: webhook_events_pkey, submissions_pkey, webhooks_pkey, webhook_deliveries_pkey,
--   webhook_attempts_pkey, workspace_roles_pkey
-- Why: the jitter keeps deliveries that failed together from being tried together. A receiver can send back
--   what it was sent: a response is kept of failures alone, and of none about a deleted submission.
declare
  c_webhook_retry_delays_seconds constant integer[] := array[5, 300, 1800, 7200, 18000, 36000, 36000];
  c_jitter constant double precision := 0.1;
  c_webhook_max_retry_after_seconds constant integer := 86400;
  c_webhook_failing_hours constant integer := 120;
  c_webhook_max_attempts_kept constant integer := 10;
  c_gone constant integer := 410;
  v_now timestamptz(3) := clock_timestamp();
  v_result formd.webhook_result;
  v_webhook formd.webhooks;
  v_delay double precision;
  v_due_at timestamptz(3);
  v_event_ids uuid[] := array(
    select r.event_id from jsonb_populate_recordset(null::formd.webhook_result, p_results) r
    where r.error is not null and r.response_start <> '');
  v_form_ids uuid[];
  v_submission_ids uuid[];
  v_present_ids uuid[];
  v_unkept_ids uuid[];
  v_operators uuid[];
begin
  -- Locked until the commit: an erasure between this look and the insert of a response, below, would miss the
  -- response.
  if cardinality(v_event_ids) > 0 then
    select array_agg(e.form_id), array_agg(e.subject_id) into v_form_ids, v_submission_ids
    from formd.webhook_events e
    where e.team_id = p_team and e.id = any (v_event_ids) and e.type like 'submission.%';
    v_present_ids := array(
      select s.id from formd.submissions s
      where s.team_id = p_team and s.form_id = any (v_form_ids) and s.id = any (v_submission_ids)
      order by s.id for key share);
    v_unkept_ids := array(
      select e.id from formd.webhook_events e
      where e.team_id = p_team and e.id = any (v_event_ids) and e.type like 'submission.%'
        and e.subject_id <> all (v_present_ids));
  end if;
  for v_result in
    select * from jsonb_populate_recordset(null::formd.webhook_result, p_results) r
      order by r.webhook_id, r.event_id
  loop
    if v_webhook.id is distinct from v_result.webhook_id then
      select * into v_webhook from formd.webhooks w where w.team_id = p_team and w.id = v_result.webhook_id
        for no key update;
      continue when not found;
    end if;

    if v_result.error is null then
      update formd.webhook_deliveries d
      set state = 'delivered', delivered_at = v_now, leased_until_at = null, last_status = v_result.status,
        last_error = null
      where d.team_id = p_team and d.event_id = v_result.event_id and d.webhook_id = v_result.webhook_id;
      if v_webhook.failing_since_at is not null then
        v_webhook.failing_since_at := null;
        update formd.webhooks w set failing_since_at = null where w.team_id = p_team and w.id = v_webhook.id;
      end if;
    else
      v_delay := c_webhook_retry_delays_seconds[v_result.attempt];
      -- least and greatest leave null out.
      v_delay := greatest(v_delay * (1 + c_jitter * random()),
        least(coalesce(v_result.retry_after_seconds, 0), c_webhook_max_retry_after_seconds));
      v_due_at := v_now + make_interval(secs => v_delay);
      update formd.webhook_deliveries d
      set state = case when v_result.attempt > cardinality(c_webhook_retry_delays_seconds) then 'failed'
        else 'due' end,
        due_at = coalesce(v_due_at, d.due_at), leased_until_at = null, last_status = v_result.status,
        last_error = v_result.error
      where d.team_id = p_team and d.event_id = v_result.event_id and d.webhook_id = v_result.webhook_id
        and d.state = 'due' and d.attempts = v_result.attempt;
      if v_webhook.status <> 'disabled' then
        v_webhook.failing_since_at := coalesce(v_webhook.failing_since_at, v_now);
        v_webhook.disabled_reason := case
          when v_result.status = c_gone then 'gone'
          when v_webhook.failing_since_at <= v_now - make_interval(hours => c_webhook_failing_hours)
            then 'failing' end;
        if v_webhook.disabled_reason is not null then
          v_webhook.status := 'disabled';
          webhook_id := v_webhook.id;
          disabled_reason := v_webhook.disabled_reason;
          return next;
          if p_is_mailed then
            v_operators := array(
              select r.operator_id from formd.workspace_roles r
              where r.team_id = p_team and r.workspace_id = v_webhook.workspace_id and r.role = 'admin');
            perform formd.mail_operators_record(p_team, 'webhook_disabled', v_webhook.id, v_operators);
          end if;
        end if;
        update formd.webhooks w
        set status = v_webhook.status, disabled_reason = v_webhook.disabled_reason,
          failing_since_at = v_webhook.failing_since_at
        where w.team_id = p_team and w.id = v_webhook.id;
      end if;
    end if;

    insert into formd.webhook_attempts (team_id, event_id, webhook_id, attempt, started_at, duration_ms,
      response_status, error, response_start)
    select p_team, d.event_id, d.webhook_id, v_result.attempt, v_result.started_at, v_result.duration_ms,
      v_result.status, v_result.error,
      case when v_result.error is not null and v_result.event_id <> all (coalesce(v_unkept_ids, '{}'))
        then v_result.response_start end
    from formd.webhook_deliveries d
    where d.team_id = p_team and d.event_id = v_result.event_id and d.webhook_id = v_result.webhook_id
    on conflict do nothing;
    delete from formd.webhook_attempts a
    where a.team_id = p_team and a.event_id = v_result.event_id and a.webhook_id = v_result.webhook_id
      and a.attempt <= v_result.attempt - c_webhook_max_attempts_kept;
  end loop;
end
$$;
