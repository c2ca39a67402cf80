create or replace function formd.agent_session_create(p_team uuid, p_secret_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval,
  p_ip_bucket text, p_ip_limit integer)
returns table (outcome text, expires_at timestamptz, remaining integer, reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- POST /auth/token. Outcomes: minted; rate_limited (this address has asked too often); unauthorized (no agent with this secret, or
-- not active: the caller cannot tell which). One probe of agents_secret_key, whatever was sent.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_rate record;
  v_agent uuid;
begin
  v_rate := formd.rate_limit_take(p_ip_bucket, p_ip_limit, 60000);
  if not v_rate.allowed then
    return query select 'rate_limited', null::timestamptz, v_rate.remaining, v_rate.reset_ms;
    return;
  end if;
  select a.id into v_agent from formd.agents a where a.team_id = p_team and a.secret_hash = p_secret_hash and a.status = 'active';
  if not found then
    return query select 'unauthorized', null::timestamptz, v_rate.remaining, v_rate.reset_ms;
    return;
  end if;
  insert into formd.sessions (team_id, id, kind, agent_id, token_hash, created_at, expires_at)
  values (p_team, p_id, 'agent', v_agent, p_token_hash, v_now, v_expires_at);
  return query select 'minted', v_expires_at::timestamptz, v_rate.remaining, v_rate.reset_ms;
end
$$;

create or replace function formd.credential_abroad(p_team uuid, p_credential text, p_hash bytea) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- What a session or an API key of p_team is told on another team's form: tenant_mismatch, but agent_inactive comes first; null: it is
-- no credential of p_team either.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_agent uuid;
begin
  if p_credential = 'api_key' then
    perform from formd.api_keys k where k.team_id = p_team and k.key_hash = p_hash and k.revoked_at is null;
  else
    select s.agent_id into v_agent from formd.sessions s where s.team_id = p_team and s.token_hash = p_hash and s.expires_at > v_now;
  end if;
  if not found then
    return null;
  end if;
  perform from formd.agents a where a.team_id = p_team and a.id = v_agent and a.status <> 'active';
  return case when found then 'agent_inactive' else 'tenant_mismatch' end;
end
$$;

create or replace function formd.anonymous_session_create(p_team uuid, p_form uuid, p_access_key_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval,
  p_captcha_passed boolean, p_ip_bucket text, p_ip_limit integer)
returns table (outcome text, expires_at timestamptz, remaining integer, reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- POST /auth/anonymous: a session of whoever asks, good on this form only. Outcomes: rate_limited, unauthorized (access key),
-- form_not_published, anonymous_not_allowed, captcha_required (have one passed, then call again with p_captcha_passed: it is not counted a
-- second time), minted.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_status text;
  v_settings jsonb;
begin
  if not p_captcha_passed then
    select r.remaining, r.reset_ms, case when not r.allowed then 'rate_limited' end into remaining, reset_ms, outcome
    from formd.rate_limit_take(p_ip_bucket, p_ip_limit, 60000) as r;
    if outcome is not null then
      return next;
      return;
    end if;
  end if;

  select f.status, f.settings into v_status, v_settings from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not formd.access_key_is_valid(p_team, p_form, p_access_key_hash) then
    outcome := 'unauthorized';
  elsif v_status <> 'published' then
    outcome := 'form_not_published';
  elsif v_settings @> '{"anonymous": {"enabled": false}}' then
    outcome := 'anonymous_not_allowed';
  elsif v_settings @> '{"captcha": {"enabled": true}}' and not p_captcha_passed then
    outcome := 'captcha_required';
  else
    insert into formd.sessions (team_id, id, kind, form_id, token_hash, created_at, expires_at)
    values (p_team, p_id, 'anonymous', p_form, p_token_hash, v_now, v_expires_at);
    outcome := 'minted';
    expires_at := v_expires_at;
  end if;
  return next;
end
$$;
