create or replace function formd.agent_session_create(p_team uuid, p_secret_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval,
  p_ip_bucket text, p_ip_limit integer)
returns table (outcome text, expires_at timestamptz, remaining integer, reset_ms integer)
language plpgsql volatile security definer set search_path = '' as $$
-- POST /auth/token. Outcomes: minted; rate_limited (this address has asked too often); unauthorized (no agent with this secret, or
-- not active: the caller cannot tell which). One probe of agents_secret_key, whatever was sent. Clears the agent's sessions that
-- have run out.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_rate record;
  v_agent uuid;
begin
  select * into v_rate from formd.rate_limit_take(p_ip_bucket, p_ip_limit, 60000);
  if not v_rate.allowed then
    return query select 'rate_limited', null::timestamptz, v_rate.remaining, v_rate.reset_ms;
    return;
  end if;
  select a.id into v_agent from formd.agents a where a.team_id = p_team and a.secret_hash = p_secret_hash and a.status = 'active';
  if not found then
    return query select 'unauthorized', null::timestamptz, v_rate.remaining, v_rate.reset_ms;
    return;
  end if;
  delete from formd.sessions s where s.team_id = p_team and s.agent_id = v_agent and s.expires_at < v_now;
  insert into formd.sessions (team_id, id, kind, agent_id, token_hash, created_at, expires_at)
  values (p_team, p_id, 'agent', v_agent, p_token_hash, v_now, v_expires_at);
  return query select 'minted', v_expires_at::timestamptz, v_rate.remaining, v_rate.reset_ms;
end
$$;

create or replace function formd.credential_known(p_team uuid, p_credential text, p_hash bytea) returns boolean
language plpgsql stable security definer set search_path = '' as $$
-- Whether a session or an API key is good in its own team, for telling a foreign credential (tenant_mismatch) from a wrong one.
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  if p_credential = 'api_key' then
    perform from formd.api_keys k where k.team_id = p_team and k.key_hash = p_hash and k.revoked_at is null;
  else
    perform from formd.sessions s where s.team_id = p_team and s.token_hash = p_hash and s.expires_at > v_now;
  end if;
  return found;
end
$$;
