-- OAuth: an agent's session by its secret and client id, or by an assertion that one of its keys signed; and
-- a session for a person, by an assertion of an identity provider.

create or replace function formd.oauth_secret_session_create(p_team uuid, p_client_id text,
  p_secret_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_ip_key text, p_ip_limit integer,
  p_scopes text[], p_resource text)
returns table (outcome text, expires_at timestamptz, remaining integer, reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Creates a session for the agent that has a secret, if the client id is its own.
-- Route: POST /oauth/token
-- Reads: agents
-- Writes: sessions and rate_limits, by formd.agent_session_create
-- Outcomes: those of formd.agent_session_create. Another agent's client id counts as a wrong secret.
-- Index: agents_secret_key
-- Why: an empty hash, which no agent has, so that a wrong client id costs the same work as a wrong secret.
declare
  v_secret_hash bytea := p_secret_hash;
begin
  perform from formd.agents a
  where a.team_id = p_team and a.secret_hash = p_secret_hash and a.client_id = p_client_id;
  if not found then
    v_secret_hash := ''::bytea;
  end if;
  return query
  select *
  from formd.agent_session_create(p_team => p_team, p_secret_hash => v_secret_hash, p_id => p_id,
    p_token_hash => p_token_hash, p_lifetime => p_lifetime, p_ip_key => p_ip_key, p_ip_limit => p_ip_limit,
    p_scopes => p_scopes, p_resource => p_resource);
end
$$;

create or replace function formd.oauth_client_admit(p_client_id text, p_ip_key text, p_ip_limit integer,
  out outcome text, out remaining integer, out reset_ms integer, out team uuid, out keys jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Counts a token request by assertion for its client IP, and returns the client's team and active keys.
-- Route: POST /oauth/token
-- Reads: agents, signing_keys
-- Writes: rate_limits
-- Locks: the row of the rate limit
-- Outcomes: rate_limited, admitted (without keys when there is no such client).
-- Index: agents_client_id_idx, signing_keys_agent_idx
-- Why: by client id alone, which does not name its team as a secret does.
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_now timestamptz(3) := clock_timestamp();
  v_rate formd.rate_limit_state;
  v_agent uuid;
begin
  v_rate := formd.rate_limit_count(p_ip_key, p_ip_limit, c_rate_limit_window_ms);
  remaining := v_rate.remaining;
  reset_ms := v_rate.reset_ms;
  if v_rate.allowed then
    outcome := 'admitted';
    select a.team_id, a.id into team, v_agent from formd.agents a where a.client_id = p_client_id limit 1;
    select coalesce(jsonb_agg(jsonb_build_object('keyId', k.key_id, 'thumbprint', k.thumbprint,
      'alg', k.alg, 'publicKeyPem', k.public_key_pem)
      order by k.id), '[]') into keys
    from formd.signing_keys k
    where k.team_id = team and k.agent_id = v_agent and k.status = 'active'
      and (k.expires_at is null or k.expires_at > v_now);
  else
    outcome := 'rate_limited';
  end if;
end
$$;

create or replace function formd.oauth_key_session_create(p_team uuid, p_key_id text, p_nonce bytea,
  p_nonce_expires_at timestamptz,
  p_id uuid, p_token_hash bytea, p_lifetime interval, p_scopes text[], p_resource text,
  out outcome text, out expires_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a session for the agent whose key signed an assertion, and stores the assertion's nonce.
-- Route: POST /oauth/token
-- Reads: agents; signing_keys by formd.signature_claim
-- Writes: sessions, nonces
-- Locks: the nonce: of two requests with one assertion the second waits; the agent, as agent_session_create
-- Outcomes: unauthorized (the assertion did not verify), key_unusable, nonce_used, agent_inactive (the same
--   to the client and another line in the log), minted.
-- Index: agents_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_agent uuid;
begin
  select c.caller_id, coalesce(c.outcome, 'agent_inactive') into v_agent, outcome
  from formd.signature_claim(p_team, p_key_id, p_nonce, p_nonce_expires_at) as c;
  perform from formd.agents a where a.team_id = p_team and a.id = v_agent and a.status = 'active' for share;
  if not found then
    return;
  end if;
  outcome := 'minted';
  expires_at := v_now + p_lifetime;
  insert into formd.sessions (team_id, id, kind, agent_id, token_hash, scopes, resource, created_at,
    expires_at)
  values (p_team, p_id, 'agent', v_agent, p_token_hash, p_scopes, p_resource, v_now, v_now + p_lifetime);
end
$$;

create or replace function formd.oauth_person_admit(p_client_id text, p_secret_hash bytea, p_issuer text,
  p_ip_key text, p_ip_limit integer,
  out outcome text, out remaining integer, out reset_ms integer, out team uuid, out keys jsonb,
  out is_authenticated boolean, out connection uuid, out issuer text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Counts a token request that names a person, and returns what verifies it: the client's team and active
-- keys, whether the secret is the client's, and the sign-in connection of the issuer, if the team or the
-- installation accepts its agents.
-- Route: POST /oauth/token
-- Reads: agents, signing_keys, sign_in_connections
-- Writes: rate_limits, by formd.oauth_client_admit
-- Locks: the row of the rate limit
-- Outcomes: those of formd.oauth_client_admit
-- Index: agents_client_id_key, sign_in_connections_team_idx
-- Why: the connection of the team comes first, so that one of the installation cannot take its place. One of
--   the installation names persons where it gives a role: other teams have not let its provider in. An agent
--   that is not active has no keys, so that it makes the server ask no provider.
begin
  select a.outcome, a.remaining, a.reset_ms, a.team, a.keys into outcome, remaining, reset_ms, team, keys
  from formd.oauth_client_admit(p_client_id => p_client_id, p_ip_key => p_ip_key, p_ip_limit => p_ip_limit) a;
  if outcome = 'admitted' then
    select a.secret_hash = p_secret_hash into is_authenticated
    from formd.agents a where a.team_id = team and a.client_id = p_client_id and a.status = 'active';
    if not found then
      keys := '[]';
    end if;
    is_authenticated := coalesce(is_authenticated, false);
    select c.id, c.issuer into connection, issuer from formd.sign_in_connections c
    where c.accepts_agents and (c.team_id = team or c.team_id is null and exists (
        select from jsonb_array_elements(c.roles) as r (role) where (r.role ->> 'teamId')::uuid = team))
      and rtrim(c.issuer, '/') = rtrim(p_issuer, '/')
    order by c.team_id nulls last, c.id limit 1;
  end if;
end
$$;

create or replace function formd.oauth_person_session_create(p_team uuid, p_client_id text,
  p_secret_hash bytea, p_key_id text, p_key_nonce bytea, p_key_nonce_expires_at timestamptz,
  p_connection uuid, p_issuer text, p_subject text, p_nonce bytea, p_nonce_expires_at timestamptz,
  p_respondent uuid, p_id uuid, p_token_hash bytea, p_lifetime interval, p_scopes text[], p_request_id text,
  out outcome text, out expires_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Creates a session of an agent for a person, valid at /mcp only, and stores the nonce of the assertion that
-- names the person. The client authenticates by p_secret_hash, or by the key whose assertion was verified.
-- p_subject null: the assertion did not verify. p_respondent: the id of the person at the first assertion.
-- Route: POST /oauth/token
-- Reads: agents, sign_in_connections; signing_keys by formd.signature_claim
-- Writes: respondents, sessions, nonces, what audit_record writes (the actor is the agent)
-- Locks: the nonces: of two requests with one assertion the second waits for the first; the agent, as
--   agent_session_create; the connection, as the session's foreign key does; the respondent
-- Outcomes: unauthorized (the client), assertion (did not verify, or the connection is gone or accepts no
--   agents), nonce_used, minted.
-- Index: agents_client_id_key, sign_in_connections_pkey, respondents_subject_key
-- Why: the id of a person is the same for every agent of the team, and for no other team. The connection is
--   locked before the person is stored, so that no session outlives its removal or change and a rejected
--   assertion stores no person.
declare
  c_respondent_kept_days constant integer := 30;
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_agent uuid;
  v_respondent uuid;
begin
  outcome := 'unauthorized';
  if p_secret_hash is null then
    select c.caller_id into v_agent
    from formd.signature_claim(p_team, p_key_id, p_key_nonce, p_key_nonce_expires_at) as c;
  end if;
  select a.id into v_agent from formd.agents a
  where a.team_id = p_team and a.client_id = p_client_id and a.status = 'active'
    and (a.id = v_agent or a.secret_hash = p_secret_hash)
  for share;
  if not found then
    return;
  end if;
  if p_subject is null then
    outcome := 'assertion';
    return;
  elsif not formd.nonce_claim(p_team, v_agent, p_nonce, p_nonce_expires_at) then
    outcome := 'nonce_used';
    return;
  end if;
  perform from formd.sign_in_connections c where c.id = p_connection and c.accepts_agents for key share;
  if not found then
    outcome := 'assertion';
    return;
  end if;
  insert into formd.respondents as r (team_id, id, issuer, subject, created_at, expires_at)
  values (p_team, p_respondent, p_issuer, p_subject, v_now,
    v_expires_at + make_interval(days => c_respondent_kept_days))
  on conflict on constraint respondents_subject_key do update set expires_at = excluded.expires_at
  returning r.id into v_respondent;
  insert into formd.sessions (team_id, id, kind, agent_id, respondent_id, connection_id, token_hash, scopes,
    resource, created_at, expires_at)
  values (p_team, p_id, 'agent', v_agent, v_respondent, p_connection, p_token_hash, p_scopes, 'mcp', v_now,
    v_expires_at);
  perform formd.audit_record(p_team, row('agent', v_agent, p_request_id)::formd.actor,
    'session.person_named', null, p_id,
    jsonb_build_object('respondentId', v_respondent, 'connectionId', p_connection));
  outcome := 'minted';
  expires_at := v_expires_at;
end
$$;
