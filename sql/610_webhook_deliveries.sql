-- Events and their deliveries to webhooks. The function that acts records the event in its own transaction.
-- For a submission it records one row of webhook_batches, from which a server makes event and deliveries a
-- moment later (webhook_batches_expand). 615_deliver.sql says what is due, and
-- src/resources/webhooks/worker.ts sends it.

create or replace function formd.webhook_event_record(p_team uuid, p_id uuid, p_type text, p_form uuid,
  p_subject uuid, p_data jsonb) returns void
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
-- Records the submissions of a team as one row, of which webhook_batches_expand makes events and deliveries.
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
--   webhooks that listen, for key share: a deleted one is left out. Then what mail_submissions_record locks
-- Index: webhook_batches_pkey, webhooks_pkey, forms_pkey
-- Why: called by all that lease or replay deliveries, so that what was committed is seen, except what a
--   worker that is far behind has left: 200 batches per call. A webhook that was disabled since the commit
--   has its deliveries when it is enabled. Webhook by webhook: a team has few, and Citus does not join
--   elements of an array with a table in a statement that writes.
declare
  c_max_batches constant integer := 200;
  c_webhook_lifetime_days constant integer := 30;
  c_mail_retry_hours constant integer := 24;
  v_now timestamptz(3) := clock_timestamp();
  v_late_until timestamptz(3) := v_now
    + make_interval(days => c_webhook_lifetime_days, hours => -c_mail_retry_hours);
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

create or replace function formd.webhook_test(p_team uuid, p_actor formd.actor, p_id uuid) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Records an event webhook.test for one webhook, whatever it listens to, and returns its id. A paused or
-- disabled webhook gets it when it is active again.
-- Route: POST /management/webhooks/{webhook_id}/test
-- Reads: what uuid_make reads
-- Writes: webhook_events, webhook_deliveries
-- Locks: the webhook (webhook_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Why: no event in the audit, since nothing of the team changes.
declare
  c_webhook_lifetime_days constant integer := 30;
  v_webhook formd.webhooks := formd.webhook_lock(p_team, p_actor, p_id);
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + make_interval(days => c_webhook_lifetime_days);
  v_event uuid := formd.uuid_make();
begin
  insert into formd.webhook_events (team_id, id, type, workspace_id, form_id, subject_id, created_at,
    expires_at)
  values (p_team, v_event, 'webhook.test', v_webhook.workspace_id, v_webhook.form_id, p_id, v_now,
    v_expires_at);
  insert into formd.webhook_deliveries (team_id, event_id, webhook_id, due_at)
  values (p_team, v_event, p_id, v_now);
  return v_event;
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
-- Locks: what webhook_batches_expand locks; the webhook (webhook_lock); its deliveries, by event
-- Raises: not_found (webhook; event of another webhook), insufficient_workspace_role (least role: admin)
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
      perform formd.raise_problem('not_found', 'event_missing');
    end if;
  end if;
  return v_count;
end
$$;

create or replace function formd.webhook_delivery_list(p_team uuid, p_id uuid, p_state text, p_limit integer,
  p_offset bigint, p_after uuid, p_order text)
returns table (id uuid, type text, form_id uuid, subject_id uuid, state text, attempts integer,
  due_at timestamptz, last_status integer, last_error text, delivered_at timestamptz,
  created_at timestamptz, total integer, next_id uuid, up_to timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_sort = off
set plan_cache_mode = force_custom_plan as $$
-- Returns a page of a webhook's deliveries, by the id of the event, as form_list does of forms. The total
-- counts at most 1,000 from the page's first one on. Oldest first ends before what was submitted and is not
-- expanded yet (webhook_batches_expand), which gets the ids of its submissions.
-- Route: GET /management/webhooks/{webhook_id}/deliveries
-- Reads: webhooks, webhook_batches, webhook_events, webhook_deliveries; what feed_range reads
-- Raises: not_found, what feed_range raises
-- Index: webhooks_pkey, webhook_batches_pkey, webhook_deliveries_webhook_idx, webhook_deliveries_state_idx,
--   webhook_events_pkey
-- Why: writes nothing, so that a standby can serve it; what a worker has not expanded yet, for at most a
--   second as a rule, is not listed. To count all deliveries took 117 ms for 200,000. A plan for each call,
--   since a p_state that is null must vanish from it. The page is read before its events: a join of all of
--   them, planned by the statistics of a young table, compared each with each. Its events are read in one
--   scan of their key: each by itself took 3 or 4 buffers. No sorts: without due rows in
--   the statistics, the planner sorted all of them. To count 5,000 rows of a young table read 390 buffers.
declare
  c_max_counted constant bigint := 1000;
  c_second constant interval := interval '1 second';
  v_above uuid;
  v_below uuid;
  v_last_id uuid;
  v_rows integer := 0;
begin
  perform from formd.webhooks w where w.team_id = p_team and w.id = p_id;
  if not found then
    perform formd.raise_problem('not_found', 'webhook_missing');
  end if;
  if p_after is null then
    select count(*) into total from (
      select from formd.webhook_deliveries d
      where d.team_id = p_team and d.webhook_id = p_id and (p_state is null or d.state = p_state)
      order by d.event_id desc limit p_offset + c_max_counted) counted;
  end if;
  select r.above, r.below, r.up_to into v_above, v_below, up_to from formd.feed_range(p_after, p_order) as r;
  if p_order = 'oldest' then
    -- A second, since the batch of a list has the id of one of its submissions.
    up_to := least(up_to, formd.uuid_time((
      select b.id from formd.webhook_batches b where b.team_id = p_team order by b.id limit 1)) - c_second);
    v_below := formd.uuid_floor(up_to);
  end if;
  for id, type, form_id, subject_id, state, attempts, due_at, last_status, last_error, delivered_at,
    created_at in
    with page as materialized (
      select w.* from formd.webhook_deliveries w
      where w.team_id = p_team and w.webhook_id = p_id and (p_state is null or w.state = p_state)
        and w.event_id > v_above and w.event_id < v_below
      order by case when p_order <> 'newest' then w.event_id end,
        case when p_order = 'newest' then w.event_id end desc
      limit p_limit + (p_after is not null)::integer offset p_offset
    ), events as materialized (
      select w.id, w.type, w.form_id, w.subject_id, w.created_at from formd.webhook_events w
      where w.team_id = p_team and w.id = any (array(select p.event_id from page p)))
    select d.event_id, e.type, e.form_id, e.subject_id, d.state, d.attempts,
      case when d.state = 'due' then d.due_at end, d.last_status, d.last_error, d.delivered_at, e.created_at
    from page d join events e on e.id = d.event_id
    order by case when p_order <> 'newest' then d.event_id end,
      case when p_order = 'newest' then d.event_id end desc
  loop
    next_id := case when p_after is not null and v_rows = p_limit then v_last_id end;
    exit when next_id is not null;
    return next;
    v_last_id := id;
    v_rows := v_rows + 1;
  end loop;
  id := null;
  return next;
end
$$;

create or replace function formd.webhook_delivery_read(p_team uuid, p_id uuid, p_event uuid)
returns table (id uuid, type text, form_id uuid, subject_id uuid, state text, attempts integer,
  due_at timestamptz, last_status integer, last_error text, delivered_at timestamptz, created_at timestamptz)
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
