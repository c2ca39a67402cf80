-- API keys: the credential of the management and identity routes.

create or replace function formd.api_key_create(p_team uuid, p_actor formd.actor, p_id uuid, p_name text,
  p_scopes text[], p_prefix text,
  p_hash bytea, p_expires_at timestamptz default null, p_is_mailed boolean default false)
returns table (id uuid, scopes text[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates an API key of a team. p_expires_at null: it never ends. p_is_mailed: who may revoke it gets a mail.
-- Route: formd api-key create, formd bootstrap, the console
-- Reads: teams, workspaces, workspace_roles
-- Writes: api_keys, what audit_record and mail_operators_record write
-- Locks: what mail_operators_record locks
-- Raises: not_found (team), insufficient_workspace_role (least role: admin in every workspace)
-- Index: teams_pkey, workspaces_pkey, workspace_roles_pkey
declare
  v_operators uuid[];
begin
  perform from formd.teams t where t.team_id = p_team;
  if not found then
    perform formd.raise_problem('not_found', 'team_missing');
  end if;
  perform formd.team_require_role(p_team, p_actor, 'admin');
  insert into formd.api_keys (team_id, id, name, scopes, key_prefix, key_hash, created_at, expires_at)
  values (p_team, p_id, p_name, p_scopes, p_prefix, p_hash, formd.uuid_time(p_id), p_expires_at);
  perform formd.audit_record(p_team, p_actor, 'api_key.created', null, p_id,
    jsonb_build_object('name', p_name, 'scopes', p_scopes,
      'expiresAt', formd.timestamp_text(p_expires_at)));
  if p_is_mailed then
    v_operators := array(
      select r.operator_id from formd.workspace_roles r where r.team_id = p_team and r.role = 'admin'
      group by r.operator_id
      having count(*) = (select count(*) from formd.workspaces w where w.team_id = p_team));
    perform formd.mail_operators_record(p_team, 'api_key', p_id, v_operators);
  end if;
  return query select p_id, p_scopes;
end
$$;

create or replace function formd.api_key_list(p_team uuid, p_operator uuid, p_limit integer, p_offset bigint,
  p_max_counted integer)
returns table (total integer, id uuid, name text, prefix text, scopes text[], created_at timestamptz,
  last_used_at timestamptz, expires_at timestamptz, revoked_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- A page of a team's API keys, newest first; one row with the total alone when the page is empty. p_operator:
-- null for a command.
-- Route: formd api-key list, the console
-- Reads: api_keys
-- Raises: insufficient_workspace_role (least role: viewer in every workspace)
-- Index: api_keys_pkey, backwards
-- Why: no counter has the number of keys: at most p_max_counted are counted from the page's first one on.
begin
  perform formd.team_require_role(p_team, row(case when p_operator is null then 'cli' else 'operator' end,
    p_operator, null)::formd.actor, 'viewer');
  select count(*) into total from (
    select from formd.api_keys k where k.team_id = p_team order by k.id desc
      limit p_offset + p_max_counted) counted;
  return query
  select api_key_list.total, k.id, k.name, k.key_prefix, k.scopes, k.created_at::timestamptz,
    k.last_used_at::timestamptz, k.expires_at::timestamptz, k.revoked_at::timestamptz
  from formd.api_keys k where k.team_id = p_team order by k.id desc limit p_limit offset p_offset;
  if not found then
    return next;
  end if;
end
$$;

create or replace function formd.api_key_authenticate(p_team uuid, p_hash bytea, p_scope text,
  p_write_limit integer,
  out outcome text, out api_key_id uuid, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- The API key of a request, if it has the scope; a write is counted in the key's rate limit (p_write_limit
-- null: a read). p_hash: SHA-256 of the key.
-- Route: every management and identity route, with x-api-key
-- Reads: api_keys
-- Writes: rate_limits, for a write
-- Locks: the rate limit, until the statement of the route has ended
-- Outcomes: allowed, unauthorized (unknown, revoked or expired), missing_scope, rate_limited
-- Index: api_keys_hash_key, rate_limits_pkey
-- Why: read at each call, so that a revocation counts from the next one on. A read writes nothing, so that a
--   standby can serve it; that the key was used is written by key_uses_record.
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_now timestamptz(3) := clock_timestamp();
  v_scopes text[];
  v_allowed boolean;
begin
  select k.id, k.scopes into api_key_id, v_scopes
  from formd.api_keys k where k.team_id = p_team and k.key_hash = p_hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > v_now);
  if not found then
    outcome := 'unauthorized';
    return;
  end if;
  outcome := case when p_scope = any (v_scopes) then 'allowed' else 'missing_scope' end;
  if outcome = 'allowed' and p_write_limit is not null then
    select r.allowed, r.remaining, r.reset_ms into v_allowed, remaining, reset_ms
    from formd.rate_limit_count('write:api_key:' || api_key_id, p_write_limit, c_rate_limit_window_ms) r;
    outcome := case when v_allowed then 'allowed' else 'rate_limited' end;
  end if;
end
$$;

create or replace function formd.api_key_require_reader(p_team uuid, p_actor formd.actor, p_for text)
  returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Refuses an API key that may not read submissions, for what shows them to others. p_for ends the sentence.
-- Reads: api_keys
-- Raises: missing_scope
-- Index: api_keys_pkey
begin
  if (p_actor).type = 'api_key' and not exists (
    select from formd.api_keys k where k.team_id = p_team and k.id = (p_actor).id
      and 'submissions:read' = any (k.scopes))
  then
    perform formd.raise_problem('missing_scope', 'reader_scope_missing', jsonb_build_object('need', p_for));
  end if;
end
$$;

create or replace function formd.api_key_revoke(p_team uuid, p_actor formd.actor, p_id uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Revokes an API key from the next request on. Idempotent.
-- Route: formd api-key revoke, the console
-- Writes: api_keys, what audit_record writes
-- Raises: not_found, insufficient_workspace_role (least role: admin in every workspace)
-- Index: api_keys_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform formd.team_require_role(p_team, p_actor, 'admin');
  update formd.api_keys k set revoked_at = v_now where k.team_id = p_team and k.id = p_id
    and k.revoked_at is null;
  if found then
    perform formd.audit_record(p_team, p_actor, 'api_key.revoked', null, p_id, '{}');
    return;
  end if;
  perform from formd.api_keys k where k.team_id = p_team and k.id = p_id;
  if not found then
    perform formd.raise_problem('not_found', 'api_key_missing');
  end if;
end
$$;

create or replace function formd.key_uses_record(p_team uuid, p_uses jsonb, p_step interval) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Notes that API keys (used_api_key: the id) and access keys (form_id, used_access_key: the hash) of a team
-- were used, unless that was noted less than p_step ago.
-- Route: none; every server calls it a second after a key's first request, and once an hour and key at most
-- Writes: api_keys, form_access_keys (last_used_at)
-- Locks: the keys' rows, in the order of their ids, API keys first
-- Index: api_keys_pkey, form_access_keys_hash_key
-- Why: apart from the requests, so that a read writes nothing and a submission costs nothing more. A row per
--   statement, so that two servers take them in one order.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_stale timestamptz(3) := v_now - p_step;
  v_id uuid;
  v_form uuid;
  v_hash bytea;
begin
  for v_id in
    select distinct u.used_api_key from jsonb_to_recordset(p_uses) as u (used_api_key uuid)
    where u.used_api_key is not null order by 1
  loop
    update formd.api_keys k set last_used_at = v_now
    where k.team_id = p_team and k.id = v_id and (k.last_used_at is null or k.last_used_at < v_stale);
  end loop;
  for v_form, v_hash in
    select distinct u.form_id, u.used_access_key
    from jsonb_to_recordset(p_uses) as u (form_id uuid, used_access_key bytea)
    where u.used_access_key is not null order by 1, 2
  loop
    update formd.form_access_keys k set last_used_at = v_now
    where k.team_id = p_team and k.form_id = v_form and k.key_hash = v_hash
      and (k.last_used_at is null or k.last_used_at < v_stale);
  end loop;
end
$$;
