-- What an MCP client may do: the forms of an agent, the scopes of an API key; the session behind an agent's
-- secret.

create or replace function formd.mcp_agent_forms(p_team uuid, p_token_hash bytea, p_limit integer,
  p_offset bigint)
returns table (outcome text, agent_id uuid, total integer, id uuid, name text, description text,
  version integer, scopes text[], token_scopes text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- The agent of a session, with a page of the published forms that it has grants for, newest grant first; one
-- row without a form when the page is empty. token_scopes: null: every scope.
-- Route: POST /mcp
-- Reads: sessions, agents, grants, forms, form_versions
-- Outcomes: unauthorized, agent_inactive, allowed.
-- Index: sessions_token_key, agents_pkey, grants_agent_form_key, forms_pkey, form_versions_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_status text;
  v_workspace uuid;
  v_person uuid;
begin
  select a.id, a.status, a.workspace_id, s.scopes, s.respondent_id
  into agent_id, v_status, v_workspace, token_scopes, v_person
  from formd.sessions s
  join formd.agents a on a.team_id = p_team and a.id = s.agent_id
  where s.team_id = p_team and s.token_hash = p_token_hash and s.expires_at > v_now;
  if not found or v_status <> 'active' then
    outcome := case when found then 'agent_inactive' else 'unauthorized' end;
    return next;
    return;
  end if;
  return query
  with visible as not materialized (
    select g.id as grant_id, v.form_id, v.name, v.description, v.version, g.scopes
    from formd.grants g
    join formd.forms f on f.team_id = p_team and f.id = g.form_id and f.workspace_id = v_workspace
      and f.status = 'published'
    join formd.form_versions v on v.team_id = p_team and v.form_id = f.id and v.version = f.current_version
    where g.team_id = p_team and g.agent_id = mcp_agent_forms.agent_id
      and (v_person is null or g.respondent is not null or g.respondent_id = v_person)
  )
  select 'allowed', mcp_agent_forms.agent_id, t.total, page.form_id, page.name, page.description,
    page.version, page.scopes, mcp_agent_forms.token_scopes
  from (select count(*)::integer as total from visible) t
  left join (select * from visible order by visible.grant_id desc limit p_limit offset p_offset) page on true
  order by page.grant_id desc;
end
$$;

create or replace function formd.mcp_owner_scopes(p_team uuid, p_hash bytea)
returns table (outcome text, api_key_id uuid, scopes text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- The scopes of an API key.
-- Route: POST /mcp
-- Reads: api_keys
-- Outcomes: unauthorized, allowed.
-- Index: api_keys_hash_key
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  select 'allowed', k.id, k.scopes into outcome, api_key_id, scopes
  from formd.api_keys k
  where k.team_id = p_team and k.key_hash = p_hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > v_now);
  if not found then
    outcome := 'unauthorized';
  end if;
  return next;
end
$$;

create or replace function formd.mcp_secret_session_open(p_team uuid, p_secret_hash bytea, p_id uuid,
  p_token_hash bytea, p_lifetime interval,
  p_ip_key text, p_ip_limit integer)
returns table (outcome text, expires_at timestamptz, remaining integer, reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Opens or prolongs the one session that an agent's secret has at /mcp. Its token is derived from the secret,
-- so that every server has the same.
-- Route: POST /mcp
-- Reads: agents
-- Writes: sessions, rate_limits
-- Locks: the row of the rate limit; the agent, as agent_session_create; the session
-- Outcomes: rate_limited (by the limit of the client IP), unauthorized (no active agent has this secret),
--   minted.
-- Index: agents_secret_key, sessions_token_key
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_now timestamptz(3) := clock_timestamp();
  v_rate formd.rate_limit_state;
  v_agent uuid;
begin
  v_rate := formd.rate_limit_count(p_ip_key, p_ip_limit, c_rate_limit_window_ms);
  remaining := v_rate.remaining;
  reset_ms := v_rate.reset_ms;
  if not v_rate.allowed then
    outcome := 'rate_limited';
    return next;
    return;
  end if;
  select a.id into v_agent from formd.agents a where a.team_id = p_team and a.secret_hash = p_secret_hash
    and a.status = 'active'
  for share;
  if not found then
    outcome := 'unauthorized';
    return next;
    return;
  end if;
  expires_at := v_now + p_lifetime;
  insert into formd.sessions as s (team_id, id, kind, agent_id, token_hash, ends_with_secret, resource,
    created_at, expires_at)
  values (p_team, p_id, 'agent', v_agent, p_token_hash, true, 'mcp', v_now,
    mcp_secret_session_open.expires_at)
  on conflict on constraint sessions_token_key
  do update set created_at = excluded.created_at, expires_at = excluded.expires_at;
  outcome := 'minted';
  return next;
end
$$;
