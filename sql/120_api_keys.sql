create or replace function formd.api_key_create(p_team uuid, p_id uuid, p_name text, p_scopes text[], p_prefix text, p_hash bytea)
returns table (id uuid, scopes text[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- formd api-key create. Raises not_found for a team that is not there, bad_request for a scope that is none.
begin
  perform from formd.teams t where t.team_id = p_team;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such team.');
  end if;
  if not p_scopes <@ array['forms:read', 'forms:write', 'submissions:read', 'submissions:update', 'submissions:delete', 'submissions:write']
     or cardinality(p_scopes) = 0 then
    perform formd.raise_problem('bad_request', 'Scopes are forms:read, forms:write, submissions:read, submissions:update, submissions:delete and submissions:write.');
  end if;
  insert into formd.api_keys (team_id, id, name, scopes, key_prefix, key_hash, created_at)
  values (p_team, p_id, p_name, p_scopes, p_prefix, p_hash, formd.uuid_time(p_id));
  return query select p_id, p_scopes;
end
$$;

create or replace function formd.api_key_use(p_team uuid, p_hash bytea)
returns table (id uuid, scopes text[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Who calls: every request with x-api-key. No row: no such key, or revoked. Read anew at each call, so that a revocation
-- counts from the next one on. Moves last_used_at when it is a minute old, and then never waits: a key that another request
-- is marking is marked. One probe of api_keys_hash_key.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_stale timestamptz(3) := v_now - interval '1 minute';
  v_id uuid;
  v_scopes text[];
  v_last_used_at timestamptz(3);
begin
  select k.id, k.scopes, k.last_used_at into v_id, v_scopes, v_last_used_at
  from formd.api_keys k where k.team_id = p_team and k.key_hash = p_hash and k.revoked_at is null;
  if not found then
    return;
  end if;
  if v_last_used_at is null or v_last_used_at < v_stale then
    perform from formd.api_keys k where k.team_id = p_team and k.id = v_id for no key update skip locked;
    if found then
      update formd.api_keys k set last_used_at = v_now where k.team_id = p_team and k.id = v_id;
    end if;
  end if;
  return query select v_id, v_scopes;
end
$$;

create or replace function formd.api_key_revoke(p_team uuid, p_id uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- formd api-key revoke. Twice is once. Raises not_found.
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  update formd.api_keys k set revoked_at = v_now where k.team_id = p_team and k.id = p_id and k.revoked_at is null;
  if not found then
    perform from formd.api_keys k where k.team_id = p_team and k.id = p_id;
    if not found then
      perform formd.raise_problem('not_found', 'There is no such API key.');
    end if;
  end if;
end
$$;
