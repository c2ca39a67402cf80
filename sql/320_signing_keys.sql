create or replace function formd.signing_key_register(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_key_id text, p_pem text, p_expires_at timestamptz)
returns setof formd.signing_keys
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- POST /identity/agents/{agent_id}/keys: usable at once. The same PEM again for the same agent is the key that stands.
-- The agent's row is locked, so that two requests cannot both become the 20th key.
-- Raises not_found, insufficient_workspace_role, conflict (agent revoked; key another agent's, or revoked; 20 active keys).
declare
  v_now timestamptz(3) := clock_timestamp();
  v_key formd.signing_keys;
  v_active integer;
begin
  perform formd.agent_require(p_team, p_operator, p_agent, true);
  select * into v_key from formd.signing_keys k where k.team_id = p_team and k.key_id = p_key_id;
  if not found then
    select count(*) into v_active from formd.signing_keys k where k.team_id = p_team and k.agent_id = p_agent and k.status = 'active';
    if v_active >= 20 then
      perform formd.raise_problem('conflict', 'An agent has at most 20 active keys; revoke one first.');
    end if;
    insert into formd.signing_keys (team_id, id, agent_id, key_id, public_key_pem, created_at, expires_at)
    values (p_team, p_id, p_agent, p_key_id, p_pem, v_now, p_expires_at)
    on conflict (team_id, key_id) do nothing;
    select * into v_key from formd.signing_keys k where k.team_id = p_team and k.key_id = p_key_id;
  end if;
  if v_key.agent_id <> p_agent or v_key.public_key_pem <> p_pem then
    perform formd.raise_problem('conflict', 'The key is registered for another agent.');
  elsif v_key.status = 'revoked' then
    perform formd.raise_problem('conflict', 'The key was revoked; make a new one.');
  end if;
  return next v_key;
end
$$;

create or replace function formd.signing_key_revoke(p_team uuid, p_operator uuid, p_agent uuid, p_key_id text)
returns table (key_id text, status text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- DELETE /identity/agents/{agent_id}/keys/{key_id}: authenticates nothing from this commit on; a second time changes nothing.
-- Raises not_found, insufficient_workspace_role, conflict (agent revoked).
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform formd.agent_require(p_team, p_operator, p_agent, true);
  perform from formd.signing_keys k where k.team_id = p_team and k.agent_id = p_agent and k.key_id = p_key_id;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such key.');
  end if;
  update formd.signing_keys k set status = 'revoked', revoked_at = v_now
  where k.team_id = p_team and k.key_id = p_key_id and k.status = 'active';
  return query select p_key_id, 'revoked';
end
$$;

create or replace function formd.signature_claim(p_team uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz,
  out caller_id uuid, out outcome text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- The agent of a verified signature; or why there is none, which the log may know and the caller may not: unauthorized (p_key_id is
-- null: it did not verify), key_unusable (unknown, revoked or expired), nonce_used. Claims the nonce: concurrent twins wait for each other on
-- nonces_pkey, and one of them finds it taken. One claim in sixteen, as the millisecond falls, also forgets this key's nonces that no
-- clock can bring back.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_key uuid;
  v_agent uuid;
begin
  select k.id, k.agent_id into v_key, v_agent
  from formd.signing_keys k
  where k.team_id = p_team and k.key_id = p_key_id and k.status = 'active' and (k.expires_at is null or k.expires_at > v_now);
  if not found then
    outcome := case when p_key_id is null then 'unauthorized' else 'key_unusable' end;
    return;
  end if;
  if extract(milliseconds from v_now)::integer % 16 = 0 then
    delete from formd.nonces n where n.team_id = p_team and n.signing_key_id = v_key and n.expires_at < v_now;
  end if;
  insert into formd.nonces (team_id, signing_key_id, nonce, expires_at) values (p_team, v_key, p_nonce, p_nonce_expires_at)
  on conflict (team_id, signing_key_id, nonce) do update set expires_at = excluded.expires_at where nonces.expires_at < v_now;
  if found then
    caller_id := v_agent;
  else
    outcome := 'nonce_used';
  end if;
end
$$;
