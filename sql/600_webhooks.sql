-- Webhooks: where events of a workspace or a form are sent. 610_webhook_deliveries.sql has the events.

create or replace function formd.webhook_lock(p_team uuid, p_actor formd.actor, p_id uuid)
  returns formd.webhooks
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Locks a webhook that the actor may manage, and returns it. It is not found where an operator has no role.
-- Reads: webhooks, workspace_roles
-- Locks: the webhook's row, for no key update: deliveries reference it (for key share) and do not wait
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: webhooks_pkey, workspace_roles_pkey
declare
  v_webhook formd.webhooks;
begin
  select * into v_webhook from formd.webhooks w
  where w.team_id = p_team and w.id = p_id and ((p_actor).type <> 'operator' or exists (
    select from formd.workspace_roles r
    where r.team_id = p_team and r.workspace_id = w.workspace_id and r.operator_id = (p_actor).id))
  for no key update of w;
  if not found then
    perform formd.raise_problem('not_found', 'webhook_missing');
  end if;
  perform formd.workspace_require_role(p_team, p_actor, v_webhook.workspace_id, 'admin');
  return v_webhook;
end
$$;

create or replace function formd.webhook_row(p_webhook formd.webhooks) returns formd.webhook_row
language sql immutable as $$
-- A webhook, as functions return it.
-- Why: as form_row.
select row(p_webhook.id, p_webhook.team_id, p_webhook.workspace_id, p_webhook.form_id, p_webhook.url,
  p_webhook.event_types, p_webhook.payload, p_webhook.status, p_webhook.disabled_reason,
  p_webhook.secret_version, p_webhook.secret_key, p_webhook.previous_secret_ends_at,
  p_webhook.failing_since_at, p_webhook.created_at, p_webhook.updated_at)::formd.webhook_row
$$;

create or replace function formd.webhook_create(p_team uuid, p_actor formd.actor, p_id uuid, p_workspace uuid,
  p_form uuid, p_url text, p_event_types text[], p_payload text, p_secret_key text)
returns setof formd.webhook_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a webhook for a form, or for all forms of a workspace: p_workspace, or the team's oldest one.
-- p_secret_key: the master key's fingerprint.
-- Route: POST /management/webhooks
-- Reads: forms, workspaces, api_keys
-- Writes: webhooks, what audit_record writes
-- Locks: the workspace's row, for no key update, so that the number of its webhooks is exact
-- Raises: missing_scope (full), not_found (workspace, form), insufficient_workspace_role (least role: admin),
--   bad_request (form of another workspace), conflict (too many)
-- Index: forms_pkey, workspaces_pkey, webhooks_workspace_idx, api_keys_pkey
declare
  c_webhook_max_per_workspace constant integer := 20;
  v_created_at timestamptz(3) := formd.uuid_time(p_id);
  v_workspace uuid;
  v_webhook formd.webhooks;
begin
  if p_payload = 'full' then
    perform formd.api_key_require_reader(p_team, p_actor, 'which the payload full needs');
  end if;
  if p_form is null then
    v_workspace := formd.workspace_choose(p_team, p_workspace);
  else
    select f.workspace_id into v_workspace from formd.forms f where f.team_id = p_team and f.id = p_form;
    if not found then
      perform formd.raise_problem('not_found', 'form_missing');
    elsif v_workspace <> p_workspace then
      perform formd.raise_problem('bad_request', 'form_elsewhere');
    end if;
  end if;
  perform formd.workspace_require_role(p_team, p_actor, v_workspace, 'admin');
  perform from formd.workspaces w where w.team_id = p_team and w.id = v_workspace for no key update;
  if (select count(*) from formd.webhooks w where w.team_id = p_team and w.workspace_id = v_workspace)
    >= c_webhook_max_per_workspace
  then
    perform formd.raise_problem('conflict', 'too_many_webhooks',
      jsonb_build_object('max', c_webhook_max_per_workspace));
  end if;
  perform formd.audit_record(p_team, p_actor, 'webhook.created', p_form, p_id,
    jsonb_build_object('workspaceId', v_workspace, 'eventTypes', p_event_types, 'payload', p_payload));
  insert into formd.webhooks (team_id, id, workspace_id, form_id, url, event_types, payload, secret_key,
    created_at, updated_at)
  values (p_team, p_id, v_workspace, p_form, p_url, p_event_types, p_payload, p_secret_key, v_created_at,
    v_created_at)
  returning * into v_webhook;
  return next formd.webhook_row(v_webhook);
end
$$;

create or replace function formd.webhook_patch(p_team uuid, p_actor formd.actor, p_id uuid, p_url text,
  p_event_types text[], p_payload text, p_status text) returns setof formd.webhook_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Changes a webhook; null leaves a member as it is. active enables a disabled one: what waits is then sent.
-- Route: PATCH /management/webhooks/{webhook_id}
-- Reads: api_keys
-- Writes: webhooks, what audit_record writes
-- Locks: the webhook (webhook_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin), missing_scope (of a full one)
-- Index: webhooks_pkey, api_keys_pkey
-- Why: the audit has no URL, which may hold a secret.
declare
  v_webhook formd.webhooks := formd.webhook_lock(p_team, p_actor, p_id);
  v_before formd.webhooks := v_webhook;
  v_now timestamptz(3) := clock_timestamp();
begin
  v_webhook.url := coalesce(p_url, v_webhook.url);
  v_webhook.event_types := coalesce(p_event_types, v_webhook.event_types);
  v_webhook.payload := coalesce(p_payload, v_webhook.payload);
  if p_status is not null then
    v_webhook.status := p_status;
    v_webhook.disabled_reason := null;
    v_webhook.failing_since_at := null;
  end if;
  if v_webhook = v_before then
    return next formd.webhook_row(v_webhook);
    return;
  end if;
  if v_webhook.payload = 'full'
    and (v_webhook.url, v_webhook.event_types, v_webhook.payload) <> (v_before.url, v_before.event_types,
      v_before.payload)
  then
    perform formd.api_key_require_reader(p_team, p_actor, 'which the payload full needs');
  end if;
  v_webhook.updated_at := greatest(v_now, v_webhook.updated_at + interval '1 millisecond');
  update formd.webhooks w
  set url = v_webhook.url, event_types = v_webhook.event_types, payload = v_webhook.payload,
    status = v_webhook.status, disabled_reason = v_webhook.disabled_reason,
    failing_since_at = v_webhook.failing_since_at, updated_at = v_webhook.updated_at
  where w.team_id = p_team and w.id = p_id;
  perform formd.audit_record(p_team, p_actor, 'webhook.changed', v_webhook.form_id, p_id, jsonb_build_object(
    'eventTypes', v_webhook.event_types, 'payload', v_webhook.payload, 'status', v_webhook.status,
    'urlChanged', v_webhook.url <> v_before.url));
  return next formd.webhook_row(v_webhook);
end
$$;

create or replace function formd.webhook_delete(p_team uuid, p_actor formd.actor, p_id uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Deletes a webhook with its deliveries.
-- Route: DELETE /management/webhooks/{webhook_id}
-- Writes: webhooks, what audit_record writes; by cascade webhook_deliveries, webhook_attempts
-- Locks: the webhook (webhook_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: webhooks_pkey
declare
  v_webhook formd.webhooks := formd.webhook_lock(p_team, p_actor, p_id);
begin
  delete from formd.webhooks w where w.team_id = p_team and w.id = p_id;
  perform formd.audit_record(p_team, p_actor, 'webhook.deleted', v_webhook.form_id, p_id, '{}');
end
$$;

create or replace function formd.webhook_secret_rotate(p_team uuid, p_actor formd.actor, p_id uuid,
  p_secret_key text) returns setof formd.webhook_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Moves a webhook on to its next secrets. For 24 hours deliveries are signed with the previous ones as well.
-- p_secret_key: as in webhook_create.
-- Route: POST /management/webhooks/{webhook_id}/rotate-secret
-- Writes: webhooks, what audit_record writes
-- Locks: the webhook (webhook_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: webhooks_pkey
declare
  c_webhook_secret_overlap_hours constant integer := 24;
  v_webhook formd.webhooks := formd.webhook_lock(p_team, p_actor, p_id);
  v_now timestamptz(3) := clock_timestamp();
begin
  v_webhook.secret_version := v_webhook.secret_version + 1;
  v_webhook.previous_secret_key := v_webhook.secret_key;
  v_webhook.secret_key := p_secret_key;
  v_webhook.previous_secret_ends_at := v_now + make_interval(hours => c_webhook_secret_overlap_hours);
  v_webhook.updated_at := greatest(v_now, v_webhook.updated_at + interval '1 millisecond');
  update formd.webhooks w
  set secret_version = v_webhook.secret_version, secret_key = v_webhook.secret_key,
    previous_secret_key = v_webhook.previous_secret_key,
    previous_secret_ends_at = v_webhook.previous_secret_ends_at, updated_at = v_webhook.updated_at
  where w.team_id = p_team and w.id = p_id;
  perform formd.audit_record(p_team, p_actor, 'webhook.secret_rotated', v_webhook.form_id, p_id,
    jsonb_build_object('version', v_webhook.secret_version));
  return next formd.webhook_row(v_webhook);
end
$$;

create or replace function formd.webhook_list(p_team uuid, p_workspace uuid, p_limit integer, p_offset bigint)
returns table (id uuid, workspace_id uuid, form_id uuid, url text, event_types text[], payload text,
  status text, disabled_reason text, secret_version integer, previous_secret_ends_at timestamptz,
  failing_since_at timestamptz, created_at timestamptz, updated_at timestamptz, total integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns a page of a team's webhooks, newest first, with the total. A page without rows is one row of nulls
-- with the total.
-- Route: GET /management/webhooks
-- Reads: webhooks
-- Index: webhooks_pkey, webhooks_workspace_idx
begin
  select count(*) into total from formd.webhooks w
  where w.team_id = p_team and (p_workspace is null or w.workspace_id = p_workspace);
  return query
  select w.id, w.workspace_id, w.form_id, w.url, w.event_types, w.payload, w.status, w.disabled_reason,
    w.secret_version, w.previous_secret_ends_at::timestamptz, w.failing_since_at::timestamptz,
    w.created_at::timestamptz, w.updated_at::timestamptz, webhook_list.total
  from formd.webhooks w
  where w.team_id = p_team and (p_workspace is null or w.workspace_id = p_workspace)
  order by w.id desc limit p_limit offset p_offset;
  if not found then
    return next;
  end if;
end
$$;
