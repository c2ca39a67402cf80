-- Events and their deliveries to webhooks: the function that acts records the event in its own transaction,
-- and servers send what is due.

create or replace function formd.webhook_event_record(p_team uuid, p_id uuid, p_type text, p_form uuid,
  p_subject uuid, p_data jsonb)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Records an event, and its deliveries, if a webhook listens to it. Called by the function that acts, in its
-- transaction. An event without a form is one of an agent.
-- Reads: webhooks, forms, agents
-- Writes: webhook_events, webhook_deliveries
-- Locks: the webhooks that listen, for key share: one that is deleted meanwhile is left out
-- Index: webhooks_pkey, forms_pkey, agents_pkey
declare
  c_webhook_lifetime_days constant integer := 30;
  c_day constant interval := interval '1 day';
  v_now timestamptz(3) := clock_timestamp();
  v_workspace uuid;
begin
  perform from formd.webhooks w where w.team_id = p_team and w.status <> 'disabled'
    and p_type = any (w.event_types);
  if not found then
    return;
  elsif p_form is not null then
    select f.workspace_id into v_workspace from formd.forms f where f.team_id = p_team and f.id = p_form;
  else
    select a.workspace_id into v_workspace from formd.agents a where a.team_id = p_team and a.id = p_subject;
  end if;
  with listeners as (
    select w.id from formd.webhooks w
    where w.team_id = p_team and w.workspace_id = v_workspace and (w.form_id is null or w.form_id = p_form)
      and p_type = any (w.event_types) and w.status <> 'disabled'
    for key share
  ), events as (
    insert into formd.webhook_events as e (team_id, id, type, workspace_id, form_id, subject_id, data,
      created_at, expires_at)
    select p_team, p_id, p_type, v_workspace, p_form, p_subject, p_data, v_now,
      v_now + c_webhook_lifetime_days * c_day
    where exists (select from listeners)
    returning e.id
  )
  insert into formd.webhook_deliveries (team_id, event_id, webhook_id, due_at)
  select p_team, e.id, l.id, v_now from events e, listeners l;
end
$$;

create or replace function formd.webhook_batch_record(p_team uuid, p_webhooks uuid[],
  p_accepted formd.accepted_submission[]) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Records the submissions of a team as one row, from which webhook_batches_expand makes events and deliveries
-- for these webhooks.
-- Writes: webhook_batches
-- Why: submissions_submit calls it only for teams with a webhook that listens, so that others pay for one
--   look into an index.
declare
  c_webhook_lifetime_days constant integer := 30;
  c_day constant interval := interval '1 day';
  v_expires_at timestamptz(3) := clock_timestamp() + c_webhook_lifetime_days * c_day;
  v_submission_ids uuid[];
  v_form_ids uuid[];
  v_form_versions integer[];
  v_statuses text[];
begin
  select array_agg(a.id), array_agg(a.form_id), array_agg(a.form_version), array_agg(a.status)
  into v_submission_ids, v_form_ids, v_form_versions, v_statuses
  from unnest(p_accepted) as a where a.team_id = p_team;
  insert into formd.webhook_batches (team_id, id, webhook_ids, submission_ids, form_ids, form_versions,
    statuses, expires_at)
  values (p_team, v_submission_ids[1], p_webhooks, v_submission_ids, v_form_ids, v_form_versions, v_statuses,
    v_expires_at);
end
$$;

create or replace function formd.webhook_batches_expand(p_team uuid, p_is_mailed boolean default false)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Makes of a team's batches an event submission.created, whose id is the submission's, and its deliveries for
-- each submission that a webhook listens to; and mails (mail_submissions_record). p_is_mailed: whether the
-- server sends mail; else they are recorded as dropped, as those are that have waited for a day.
-- Reads: webhooks, forms; what mail_submissions_record reads
-- Writes: webhook_batches, webhook_events, webhook_deliveries; what mail_submissions_record writes
-- Locks: the batches, in the order of their ids; waits for another server that expands them. Then the
--   webhooks that listen, for key share: one that is deleted meanwhile is left out. Then what
--   mail_submissions_record locks
-- Index: webhook_batches_pkey, webhooks_pkey, forms_pkey
-- Why: called by all that lease or replay deliveries, so that what was committed is seen, except what a
--   worker that is far behind has left: 200 batches per call. A webhook that was disabled since the commit
--   has its deliveries when it is enabled. Webhook by webhook: a team has few, and Citus does not join
--   elements of an array with a table in a statement that writes.
declare
  c_max_batches constant integer := 200;
  c_webhook_lifetime_days constant integer := 30;
  c_mail_retry_hours constant integer := 24;
  c_day constant interval := interval '1 day';
  c_hour constant interval := interval '1 hour';
  v_now timestamptz(3) := clock_timestamp();
  v_late_until timestamptz(3) := v_now + c_webhook_lifetime_days * c_day - c_mail_retry_hours * c_hour;
  v_is_late boolean;
  v_batches formd.webhook_batches[] := array(
    select b from formd.webhook_batches b where b.team_id = p_team order by b.id limit c_max_batches
      for update);
  v_ids uuid[] := array(select b.id from unnest(v_batches) as b);
  v_webhooks uuid[];
  v_submitted uuid[];
  v_webhook uuid;
  v_workspace uuid;
  v_form uuid;
  v_forms uuid[];
begin
  if cardinality(v_batches) = 0 then
    return;
  end if;
  v_webhooks := array(select distinct h.id from unnest(v_batches) as b
    cross join unnest(b.webhook_ids) as h (id));
  v_submitted := array(select distinct f.id from unnest(v_batches) as b
    cross join unnest(b.form_ids) as f (id));
  for v_webhook, v_workspace, v_form in
    select w.id, w.workspace_id, w.form_id from formd.webhooks w
    where w.team_id = p_team and w.id = any (v_webhooks)
    for key share
  loop
    v_forms := array(
      select f.id from formd.forms f
      where f.team_id = p_team and f.id = any (v_submitted) and f.workspace_id = v_workspace
        and (v_form is null or f.id = v_form));
    insert into formd.webhook_events (team_id, id, type, workspace_id, form_id, subject_id, data, created_at,
      expires_at)
    select p_team, s.id, 'submission.created', v_workspace, s.form_id, s.id,
      jsonb_build_object('formVersion', s.form_version, 'status', s.status), formd.uuid_time(s.id),
      b.expires_at
    from unnest(v_batches) as b
    cross join unnest(b.submission_ids, b.form_ids, b.form_versions, b.statuses) as s (id, form_id,
      form_version, status)
    where v_webhook = any (b.webhook_ids) and s.form_id = any (v_forms)
    on conflict do nothing;
    insert into formd.webhook_deliveries (team_id, event_id, webhook_id, due_at)
    select p_team, s.id, v_webhook, v_now
    from unnest(v_batches) as b
    cross join unnest(b.submission_ids, b.form_ids) as s (id, form_id)
    where v_webhook = any (b.webhook_ids) and s.form_id = any (v_forms);
  end loop;
  foreach v_is_late in array array[false, true] loop
    select array_agg(s.id), array_agg(s.form_id) into v_submitted, v_forms
    from unnest(v_batches) as b cross join unnest(b.submission_ids, b.form_ids) as s (id, form_id)
    where (b.expires_at <= v_late_until) = v_is_late;
    continue when v_submitted is null;
    perform formd.mail_submissions_record(p_team, v_submitted, v_forms,
      case when not p_is_mailed then 'The server sends no mail: SMTP_URL or its master key is not set.'
        when v_is_late then 'It waited for a day.' end);
  end loop;
  delete from formd.webhook_batches b where b.team_id = p_team and b.id = any (v_ids);
end
$$;

create or replace function formd.webhook_test(p_team uuid, p_actor formd.actor, p_id uuid, p_event uuid)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Records an event webhook.test for one webhook, whatever it listens to. A paused or disabled webhook gets it
-- when it is active again.
-- Route: POST /management/webhooks/{webhook_id}/test
-- Writes: webhook_events, webhook_deliveries
-- Locks: the webhook (webhook_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Why: no act in the audit, since nothing of the team changes.
declare
  c_webhook_lifetime_days constant integer := 30;
  c_day constant interval := interval '1 day';
  v_webhook formd.webhooks := formd.webhook_lock(p_team, p_actor, p_id);
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + c_webhook_lifetime_days * c_day;
begin
  insert into formd.webhook_events (team_id, id, type, workspace_id, form_id, subject_id, created_at,
    expires_at)
  values (p_team, p_event, 'webhook.test', v_webhook.workspace_id, v_webhook.form_id, p_id, v_now,
    v_expires_at);
  insert into formd.webhook_deliveries (team_id, event_id, webhook_id, due_at)
  values (p_team, p_event, p_id, v_now);
end
$$;

create or replace function formd.webhook_replay(p_team uuid, p_actor formd.actor, p_id uuid, p_event uuid,
  p_first_id uuid, p_end_id uuid, p_is_mailed boolean default false) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Makes deliveries due again: of the event p_event, or of all events whose ids are from p_first_id on and
-- below p_end_id, since a UUIDv7 begins with its time. Events older than the webhook are included, if they
-- match its workspace, form and types. Returns how many. A delivery that is being sent is left alone.
-- Route: POST /management/webhooks/{webhook_id}/replay
-- Reads: webhook_events
-- Writes: webhook_deliveries; what webhook_batches_expand writes
-- Locks: what webhook_batches_expand locks; the webhook (webhook_lock); its deliveries, in the order of their
--   events
-- Raises: not_found (webhook; event that is not one of the webhook's), insufficient_workspace_role (least
--   role: admin)
-- Index: webhook_events_pkey, webhook_deliveries_pkey
declare
  c_webhook_max_replayed_events constant integer := 5000;
  v_now timestamptz(3) := clock_timestamp();
  v_webhook formd.webhooks;
  v_events uuid[];
  v_count integer;
begin
  perform formd.webhook_batches_expand(p_team, p_is_mailed);
  v_webhook := formd.webhook_lock(p_team, p_actor, p_id);
  v_events := array(
    select e.id from formd.webhook_events e
    where e.team_id = p_team and e.id >= coalesce(p_event, p_first_id) and (e.id = p_event or e.id < p_end_id)
      and e.workspace_id = v_webhook.workspace_id
        and (v_webhook.form_id is null or e.form_id = v_webhook.form_id)
      and (e.type = any (v_webhook.event_types) or e.subject_id = p_id)
    order by e.id limit c_webhook_max_replayed_events);
  insert into formd.webhook_deliveries as d (team_id, event_id, webhook_id, due_at)
  select p_team, e, p_id, v_now from unnest(v_events) as e
  on conflict (team_id, event_id, webhook_id) do update set state = 'due', due_at = excluded.due_at
    where d.leased_until_at is null;
  get diagnostics v_count = row_count;
  if v_count = 0 and p_event is not null then
    perform from formd.webhook_deliveries d where d.team_id = p_team and d.event_id = p_event
      and d.webhook_id = p_id;
    if not found then
      perform formd.raise_problem('not_found', 'There is no such event for this webhook.');
    end if;
  end if;
  return v_count;
end
$$;

create or replace function formd.webhook_delivery_list(p_team uuid, p_id uuid, p_state text, p_limit integer,
  p_offset bigint)
returns table (id uuid, type text, form_id uuid, subject_id uuid, state text, attempts integer,
  due_at timestamptz, last_status integer,
  last_error text, delivered_at timestamptz, created_at timestamptz, total integer)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_sort = off
set plan_cache_mode = force_custom_plan as $$
-- Returns a page of a webhook's deliveries, by the id of the event, newest first, with the total. A page
-- without rows is one row of nulls with the total, which counts at most 1,000 from the page's first one on.
-- Route: GET /management/webhooks/{webhook_id}/deliveries
-- Reads: webhooks, webhook_events, webhook_deliveries
-- Raises: not_found
-- Index: webhooks_pkey, webhook_deliveries_webhook_idx, webhook_deliveries_state_idx, webhook_events_pkey
-- Why: writes nothing, so that a standby can serve it; what a worker has not expanded yet, for at most a
--   second as a rule, is not listed. To count all deliveries took 117 ms for 200,000. A plan for each call,
--   since a p_state that is null must vanish from it. The page is read before its events: a join of all of
--   them, planned by the statistics of a young table, compared each with each. No sorts: without due rows in
--   the statistics, the planner sorted all of them. To count 5,000 rows of a young table read 390 buffers.
declare
  c_max_counted constant bigint := 1000;
begin
  perform from formd.webhooks w where w.team_id = p_team and w.id = p_id;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such webhook.');
  end if;
  select count(*) into total from (
    select from formd.webhook_deliveries d
    where d.team_id = p_team and d.webhook_id = p_id and (p_state is null or d.state = p_state)
    order by d.event_id desc limit p_offset + c_max_counted) counted;
  for id, type, form_id, subject_id, state, attempts, due_at, last_status, last_error, delivered_at,
    created_at in
    select d.event_id, e.type, e.form_id, e.subject_id, d.state, d.attempts, case when d.state = 'due'
      then d.due_at end, d.last_status,
      d.last_error, d.delivered_at, e.created_at
    from (
      select page.* from formd.webhook_deliveries page
      where page.team_id = p_team and page.webhook_id = p_id and (p_state is null or page.state = p_state)
      order by page.event_id desc limit p_limit offset p_offset) d
    join formd.webhook_events e on e.team_id = p_team and e.id = d.event_id
    order by d.event_id desc
  loop
    return next;
  end loop;
  if not found then
    return next;
  end if;
end
$$;

create or replace function formd.webhook_delivery_read(p_team uuid, p_id uuid, p_event uuid)
returns table (id uuid, type text, form_id uuid, subject_id uuid, state text, attempts integer,
  due_at timestamptz, last_status integer,
  last_error text, delivered_at timestamptz, created_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns a delivery of a webhook, or no row.
-- Route: GET /management/webhooks/{webhook_id}/deliveries/{event_id}
-- Reads: webhook_events, webhook_deliveries
-- Index: webhook_deliveries_pkey, webhook_events_pkey
begin
  return query
  select e.id, e.type, e.form_id, e.subject_id, d.state, d.attempts, case when d.state = 'due'
    then d.due_at end, d.last_status,
    d.last_error, d.delivered_at::timestamptz, e.created_at::timestamptz
  from formd.webhook_deliveries d join formd.webhook_events e on e.team_id = d.team_id and e.id = d.event_id
  where d.team_id = p_team and d.event_id = p_event and d.webhook_id = p_id;
end
$$;

create or replace function formd.webhook_attempt_list(p_team uuid, p_id uuid, p_event uuid)
returns table (attempt integer, started_at timestamptz, duration_ms integer, response_status integer,
  error text, response_start text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the requests that were made for a delivery, newest first.
-- Route: GET /management/webhooks/{webhook_id}/deliveries/{event_id}
-- Reads: webhook_attempts
-- Index: webhook_attempts_pkey
-- Why: a function, since a statement that calls webhook_delivery_read and names a table would run on one
--   worker of Citus.
begin
  return query
  select a.attempt, a.started_at::timestamptz, a.duration_ms, a.response_status, a.error, a.response_start
  from formd.webhook_attempts a
  where a.team_id = p_team and a.event_id = p_event and a.webhook_id = p_id
  order by a.attempt desc;
end
$$;

create or replace function formd.webhook_due_after(p_after uuid, p_limit integer)
  returns table (team_id uuid, has_webhooks boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns teams of which a delivery is due or a batch waits, those after the team p_after first, and before
-- them one row without a team if there are webhooks that are not disabled, or batches.
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
  secret_version integer,
  secret_key text, has_previous_secret boolean, previous_secret_key text, type text, form_id uuid,
  subject_id uuid, data jsonb, created_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Leases at most p_limit due deliveries of a team, and at most 4 of each webhook: first attempts before
-- repeated ones.
-- Route: the worker of every server
-- Reads: webhooks, webhook_events
-- Writes: webhook_deliveries; what webhook_batches_expand writes
-- Locks: what webhook_batches_expand locks; the webhooks, for no key update; one that another server holds,
--   which is claiming or settling, is skipped
-- Index: webhooks_pkey, webhook_deliveries_leased_idx, webhook_deliveries_due_idx, webhook_deliveries_pkey,
--   webhook_events_pkey
-- Why: the lock on the webhook makes the number of its leases exact. A lease that runs out counts as an
--   attempt.
declare
  c_webhook_max_concurrent constant integer := 4;
  c_second constant interval := interval '1 second';
  v_now timestamptz(3);
  v_lease_end timestamptz(3);
  v_webhook formd.webhooks;
  v_left integer := p_limit;
  v_free integer;
  v_event_ids uuid[];
begin
  perform formd.webhook_batches_expand(p_team, p_is_mailed);
  v_now := clock_timestamp();
  v_lease_end := v_now + p_lease_seconds * c_second;
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
      v_webhook.secret_version,
      v_webhook.secret_key, coalesce(v_webhook.previous_secret_ends_at > v_now, false),
      v_webhook.previous_secret_key, e.type, e.form_id, e.subject_id, e.data, e.created_at;
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
-- changes nothing else; a success always counts. p_is_mailed: whether admins of the workspace get a mail of a
-- webhook that it disables.
-- Route: the worker of every server
-- Reads: webhook_events, submissions, workspace_roles
-- Writes: webhook_deliveries, webhook_attempts, webhooks; what mail_operators_record writes
-- Locks: the submissions of which a response is kept, for key share and in the order of their ids, as
--   submission_delete locks them first; the webhooks in the order of their ids, for no key update, then the
--   deliveries; what mail_operators_record locks
-- Index: webhook_events_pkey, submissions_pkey, webhooks_pkey, webhook_deliveries_pkey,
--   webhook_attempts_pkey, workspace_roles_pkey
-- Why: the jitter keeps deliveries that failed together from being tried together. A receiver can send back
--   what it was sent: a response is kept of failures alone, and of none that is about a submission that is
--   deleted.
declare
  c_webhook_retry_delays_seconds constant integer[] := array[5, 300, 1800, 7200, 18000, 36000, 36000];
  c_jitter constant double precision := 0.1;
  c_webhook_max_retry_after_seconds constant integer := 86400;
  c_webhook_failing_hours constant integer := 120;
  c_webhook_max_attempts_kept constant integer := 10;
  c_gone constant integer := 410;
  c_second constant interval := interval '1 second';
  c_hour constant interval := interval '1 hour';
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
      v_due_at := v_now + v_delay * c_second;
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
          when v_webhook.failing_since_at + c_webhook_failing_hours * c_hour <= v_now then 'failing' end;
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
      response_status, error,
      response_start)
    select p_team, d.event_id, d.webhook_id, v_result.attempt, v_result.started_at, v_result.duration_ms,
      v_result.status,
      v_result.error,
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
