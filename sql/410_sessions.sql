-- Sessions: of an agent, on every form that it has a grant for; of an anonymous respondent, on one form.

create or replace function formd.agent_session_create(p_team uuid, p_secret_hash bytea, p_id uuid,
  p_token_hash bytea, p_lifetime interval, p_ip_key text, p_ip_limit integer, p_scopes text[] default null,
  p_resource text default null, p_ends_with_secret boolean default false,
  out outcome text, out expires_at timestamptz, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Creates a session for the agent that has a secret. p_scopes null: every scope; p_resource null: everywhere.
-- p_ends_with_secret: the one session of a secret at /mcp, whose token is derived from the secret, so that
-- every server has the same; it is prolonged when it exists.
-- Route: POST /auth/token, POST /mcp
-- Reads: agents
-- Writes: sessions, rate_limits
-- Locks: the row of the rate limit; the agent, so that a new secret which ends sessions leaves none behind;
--   the session that is prolonged
-- Outcomes: rate_limited (by the client IP), unauthorized (no active agent has this secret), minted.
-- Index: agents_secret_key, sessions_token_key
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_rate formd.rate_limit_state;
  v_agent uuid;
begin
  v_rate := formd.rate_limit_count(p_ip_key, p_ip_limit, c_rate_limit_window_ms);
  remaining := v_rate.remaining;
  reset_ms := v_rate.reset_ms;
  if not v_rate.allowed then
    outcome := 'rate_limited';
    return;
  end if;
  select a.id into v_agent from formd.agents a where a.team_id = p_team and a.secret_hash = p_secret_hash
    and a.status = 'active'
  for share;
  if not found then
    outcome := 'unauthorized';
    return;
  end if;
  insert into formd.sessions as s (team_id, id, kind, agent_id, token_hash, scopes, resource,
    ends_with_secret, created_at, expires_at)
  values (p_team, p_id, 'agent', v_agent, p_token_hash, p_scopes, p_resource, p_ends_with_secret, v_now,
    v_expires_at)
  on conflict on constraint sessions_token_key
  do update set created_at = excluded.created_at, expires_at = excluded.expires_at
  where s.ends_with_secret;
  outcome := 'minted';
  expires_at := v_expires_at;
end
$$;

create or replace function formd.anonymous_session_create(p_team uuid, p_form uuid, p_access_key_hash bytea,
  p_id uuid, p_token_hash bytea,
  p_lifetime interval, p_captcha_passed boolean, p_ip_key text, p_ip_limit integer,
  out outcome text, out expires_at timestamptz, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Creates a session that is valid on one form, for anyone who has the form's access key.
-- Route: POST /auth/anonymous
-- Reads: forms, form_access_keys
-- Writes: sessions, rate_limits
-- Locks: the row of the rate limit
-- Outcomes: rate_limited, unauthorized (access key), form_not_published, anonymous_not_allowed,
--   captcha_required (the server verifies it and calls again with p_captcha_passed, uncounted), minted.
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_rate formd.rate_limit_state;
  v_form formd.submitter_form;
begin
  if not p_captcha_passed then
    v_rate := formd.rate_limit_count(p_ip_key, p_ip_limit, c_rate_limit_window_ms);
    remaining := v_rate.remaining;
    reset_ms := v_rate.reset_ms;
    if not v_rate.allowed then
      outcome := 'rate_limited';
      return;
    end if;
  end if;

  v_form := formd.submitter_form_load(p_team, p_form, p_access_key_hash);
  if not v_form.access_key_is_valid then
    outcome := 'unauthorized';
  elsif v_form.status <> 'published' then
    outcome := 'form_not_published';
  elsif formd.anonymous_is_refused(v_form.settings) then
    outcome := 'anonymous_not_allowed';
  elsif v_form.settings @> '{"captcha": {"enabled": true}}' and not p_captcha_passed then
    outcome := 'captcha_required';
  else
    insert into formd.sessions (team_id, id, kind, form_id, token_hash, created_at, expires_at)
    values (p_team, p_id, 'anonymous', p_form, p_token_hash, v_now, v_expires_at);
    outcome := 'minted';
    expires_at := v_expires_at;
  end if;
end
$$;
