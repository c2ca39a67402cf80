-- migrate:up
-- Locks: share row exclusive on forms, workspaces.

-- Webhooks and their outbox. The function that acts writes the event and its deliveries in its own transaction; servers send what is due.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  create table formd.webhooks (
    team_id uuid not null,
    id uuid not null,
    workspace_id uuid not null,
    form_id uuid,
    url text not null,
    event_types text[] not null,
    payload text not null,
    status text not null default 'active',
    disabled_reason text,
    secret_version integer not null default 1,
    previous_secret_ends_at timestamptz(3),
    failing_since_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint webhooks_pkey primary key (team_id, id),
    constraint webhooks_workspace_fkey foreign key (team_id, workspace_id)
      references formd.workspaces (team_id, id) on delete cascade,
    constraint webhooks_form_fkey foreign key (team_id, form_id) references formd.forms (team_id, id) on delete cascade,
    constraint webhooks_url_check check (char_length(url) <= 2000),
    constraint webhooks_event_types_check check (cardinality(event_types) > 0 and event_types <@ array['submission.created',
      'submission.updated', 'submission.reviewed', 'submission.deleted', 'form.published', 'form.archived', 'grant.changed',
      'agent.revoked']),
    constraint webhooks_payload_check check (payload in ('thin', 'full')),
    constraint webhooks_status_check check (status in ('active', 'paused', 'disabled')),
    constraint webhooks_disabled_reason_check check (disabled_reason in ('gone', 'failing')),
    constraint webhooks_disabled_check check ((status = 'disabled') = (disabled_reason is not null))
  );
  create index webhooks_workspace_idx on formd.webhooks (team_id, workspace_id);
  create index webhooks_form_idx on formd.webhooks (team_id, form_id);
  comment on table formd.webhooks is 'Where events of a workspace, or of one of its forms, are sent. Secrets are derived from the master key, and not stored.';
  comment on column formd.webhooks.form_id is 'Null: the events of every form of the workspace.';
  comment on column formd.webhooks.url is 'https, or http where a setting allows its network.';
  comment on column formd.webhooks.event_types is 'The events that are sent.';
  comment on column formd.webhooks.payload is 'thin: ids. full: also the submission or form as it is when it is sent.';
  comment on column formd.webhooks.status is 'paused: events wait. disabled: by formd, and new events are not recorded.';
  comment on column formd.webhooks.disabled_reason is 'gone: a response with 410. failing: no delivery succeeded for 120 hours.';
  comment on column formd.webhooks.secret_version is 'Goes into the derivation of the secrets; each rotation adds one.';
  comment on column formd.webhooks.previous_secret_ends_at is 'Until then deliveries are signed with the previous version as well.';
  comment on column formd.webhooks.failing_since_at is 'The first failure since the last success.';

  create table formd.webhook_events (
    team_id uuid not null,
    id uuid not null,
    type text not null,
    workspace_id uuid not null,
    form_id uuid,
    subject_id uuid not null,
    data jsonb not null default '{}',
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    constraint webhook_events_pkey primary key (team_id, id),
    constraint webhook_events_type_check check (char_length(type) <= 50),
    constraint webhook_events_data_check check (jsonb_typeof(data) = 'object')
  );
  create index webhook_events_expiry_idx on formd.webhook_events ((expires_at at time zone 'UTC'));
  comment on table formd.webhook_events is 'What happened, when a webhook listened. No submitted data: a full payload is read when it is sent.';
  comment on column formd.webhook_events.id is 'A UUIDv7; of submission.created the id of the submission.';
  comment on column formd.webhook_events.type is 'Such as submission.created.';
  comment on column formd.webhook_events.subject_id is 'The submission, form or agent that it is about.';
  comment on column formd.webhook_events.data is 'Members of the payload beside the ids, such as the version that was published.';

  create table formd.webhook_deliveries (
    team_id uuid not null,
    event_id uuid not null,
    webhook_id uuid not null,
    state text not null default 'due',
    attempts integer not null default 0,
    due_at timestamptz(3) not null,
    leased_until_at timestamptz(3),
    last_status integer,
    last_error text,
    delivered_at timestamptz(3),
    constraint webhook_deliveries_pkey primary key (team_id, event_id, webhook_id),
    constraint webhook_deliveries_event_fkey foreign key (team_id, event_id)
      references formd.webhook_events (team_id, id) on delete cascade,
    constraint webhook_deliveries_webhook_fkey foreign key (team_id, webhook_id)
      references formd.webhooks (team_id, id) on delete cascade,
    constraint webhook_deliveries_state_check check (state in ('due', 'delivered', 'failed')),
    constraint webhook_deliveries_last_error_check check (char_length(last_error) <= 500),
    constraint webhook_deliveries_delivered_check check (state <> 'delivered' or delivered_at is not null)
  );
  create index webhook_deliveries_webhook_idx on formd.webhook_deliveries (team_id, webhook_id, event_id);
  create index webhook_deliveries_due_idx on formd.webhook_deliveries (team_id, webhook_id, (attempts > 0), due_at)
    where state = 'due';
  create index webhook_deliveries_leased_idx on formd.webhook_deliveries (team_id, webhook_id)
    where leased_until_at is not null;
  comment on table formd.webhook_deliveries is 'One event for one webhook.';
  comment on column formd.webhook_deliveries.state is 'due: to be sent at due_at. failed: the last retry has failed.';
  comment on column formd.webhook_deliveries.attempts is 'Begun so far; it tells the leases of a delivery apart.';
  comment on column formd.webhook_deliveries.due_at is 'Of a leased delivery the end of the lease, when another server may send it.';
  comment on column formd.webhook_deliveries.leased_until_at is 'Null: no server is sending it.';
  comment on column formd.webhook_deliveries.last_status is 'The HTTP status of the last attempt; null: there was no response.';
  comment on column formd.webhook_deliveries.last_error is 'Why the last attempt failed.';
  comment on column formd.webhook_deliveries.delivered_at is 'The last success.';

  create table formd.webhook_attempts (
    team_id uuid not null,
    event_id uuid not null,
    webhook_id uuid not null,
    attempt integer not null,
    started_at timestamptz(3) not null,
    duration_ms integer not null,
    response_status integer,
    error text,
    response_start text,
    constraint webhook_attempts_pkey primary key (team_id, event_id, webhook_id, attempt),
    constraint webhook_attempts_delivery_fkey foreign key (team_id, event_id, webhook_id)
      references formd.webhook_deliveries (team_id, event_id, webhook_id) on delete cascade,
    constraint webhook_attempts_error_check check (char_length(error) <= 500),
    constraint webhook_attempts_response_start_check check (char_length(response_start) <= 1000)
  );
  comment on table formd.webhook_attempts is 'The last 10 requests of each delivery.';
  comment on column formd.webhook_attempts.attempt is 'From 1.';
  comment on column formd.webhook_attempts.started_at is 'When the request began.';
  comment on column formd.webhook_attempts.duration_ms is 'Until the response was read, or the error.';
  comment on column formd.webhook_attempts.response_status is 'Null: there was no response.';
  comment on column formd.webhook_attempts.error is 'Null: it succeeded.';
  comment on column formd.webhook_attempts.response_start is 'The first characters of the response.';

  create type formd.webhook_result as (
    event_id uuid,
    webhook_id uuid,
    attempt integer,
    started_at timestamptz,
    duration_ms integer,
    status integer,
    error text,
    response_start text,
    retry_after_seconds integer
  );
  comment on type formd.webhook_result is 'one attempt of the list that formd.webhook_settle takes';
  comment on column formd.webhook_result.status is 'the HTTP status; null: there was no response';
  comment on column formd.webhook_result.error is 'null: it succeeded';
end
$$;
