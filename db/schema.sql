-- What db/migrations and sql/ make of an empty database, as pg_dump of PostgreSQL 15 tells it. Written by .ci/run schema.

-- Name: formd; Type: SCHEMA; Schema: -; Owner: -

CREATE SCHEMA formd;

-- Name: accepted_submission; Type: TYPE; Schema: formd; Owner: -

CREATE TYPE formd.accepted_submission AS (
	form_id uuid,
	id uuid,
	form_version integer,
	status text,
	submitter_type text,
	submitter_id uuid,
	respondent_id uuid,
	data jsonb,
	metadata jsonb,
	created_at timestamp(3) with time zone
);

-- Name: form_entry; Type: TYPE; Schema: formd; Owner: -

CREATE TYPE formd.form_entry AS (
	form_id uuid,
	access_key_hash bytea,
	key_fits boolean,
	workspace_id uuid,
	status text,
	settings jsonb,
	version integer
);

-- Name: submitter_answer; Type: TYPE; Schema: formd; Owner: -

CREATE TYPE formd.submitter_answer AS (
	outcome text,
	status text,
	answer jsonb,
	bucket text,
	bucket_limit integer,
	window_ms integer,
	remaining integer,
	reset_ms integer,
	form_version integer,
	form_schema jsonb
);

-- Name: access_key_create(uuid, uuid, uuid, text, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.access_key_create(p_team uuid, p_form uuid, p_id uuid, p_prefix text, p_hash bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- formd access-key create. A form may have several, so that one can be replaced without a gap. Raises not_found.
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  end if;
  insert into formd.form_access_keys (team_id, form_id, id, key_prefix, key_hash, created_at)
  values (p_team, p_form, p_id, p_prefix, p_hash, formd.uuid_time(p_id));
end
$$;

-- Name: access_key_known(uuid, uuid, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.access_key_known(p_team uuid, p_form uuid, p_hash bytea) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Whether an access key is good, for telling a foreign credential (tenant_mismatch) from a wrong one.
select exists (
  select from formd.form_access_keys k
  where k.team_id = p_team and k.form_id = p_form and k.key_hash = p_hash and k.revoked_at is null)
$$;

-- Name: access_key_revoke(uuid, uuid, uuid); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.access_key_revoke(p_team uuid, p_form uuid, p_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- formd access-key revoke. Twice is once. Raises not_found.
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform from formd.form_access_keys k where k.team_id = p_team and k.form_id = p_form and k.id = p_id for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such access key.');
  end if;
  update formd.form_access_keys k set revoked_at = v_now
  where k.team_id = p_team and k.form_id = p_form and k.id = p_id and k.revoked_at is null;
end
$$;

-- Name: agent_register(uuid, uuid, uuid, uuid, text, text, text, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.agent_register(p_team uuid, p_operator uuid, p_workspace uuid, p_id uuid, p_name text, p_client_id text, p_secret_prefix text, p_secret_hash bytea) RETURNS TABLE(id uuid, workspace_id uuid, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- POST /identity/agents. Without a workspace: an operator's oldest one to write in, else the team's oldest.
-- Raises bad_request (blank name), not_found (workspace), insufficient_workspace_role.
declare
  v_workspace uuid := p_workspace;
  v_created_at timestamptz(3) := formd.uuid_time(p_id);
begin
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'name: an agent needs a name that is not blank.');
  end if;
  if v_workspace is null and p_operator is not null then
    select r.workspace_id into v_workspace
    from formd.workspace_roles r
    where r.team_id = p_team and r.operator_id = p_operator and r.role in ('admin', 'editor')
    order by r.created_at, r.workspace_id limit 1;
  end if;
  v_workspace := formd.workspace_choose(p_team, v_workspace);
  perform formd.operator_require(p_team, p_operator, v_workspace);
  insert into formd.agents (team_id, id, workspace_id, client_id, name, secret_prefix, secret_hash, created_at, updated_at)
  values (p_team, p_id, v_workspace, p_client_id, p_name, p_secret_prefix, p_secret_hash, v_created_at, v_created_at);
  return query select p_id, v_workspace, 'active';
end
$$;

-- Name: agents; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.agents (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    client_id text NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    secret_prefix text NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    disabled_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    CONSTRAINT agents_disabled_check CHECK (((status = 'disabled'::text) = (disabled_at IS NOT NULL))),
    CONSTRAINT agents_name_check CHECK ((btrim(name) <> ''::text)),
    CONSTRAINT agents_revoked_check CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
    CONSTRAINT agents_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'revoked'::text])))
);

-- Name: agent_require(uuid, uuid, uuid, boolean); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.agent_require(p_team uuid, p_operator uuid, p_agent uuid, p_write boolean) RETURNS formd.agents
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- The agent that a call is about, if the caller may see it: an API key (p_operator null) sees the team's, an operator those of
-- the workspaces in which it has a role. To write, that role is admin or editor, the agent is not revoked, and its row is locked.
-- Raises not_found, insufficient_workspace_role, conflict.
declare
  v_agent formd.agents;
  v_role text;
begin
  if p_write then
    select * into v_agent from formd.agents a where a.team_id = p_team and a.id = p_agent for no key update;
  else
    select * into v_agent from formd.agents a where a.team_id = p_team and a.id = p_agent;
  end if;
  if p_operator is not null then
    select r.role into v_role
    from formd.workspace_roles r where r.team_id = p_team and r.workspace_id = v_agent.workspace_id and r.operator_id = p_operator;
  end if;
  if v_agent.id is null or (p_operator is not null and v_role is null) then
    perform formd.raise_problem('not_found', 'There is no such agent.');
  end if;
  if p_write then
    perform formd.operator_require(p_team, p_operator, v_agent.workspace_id);
    if v_agent.status = 'revoked' then
      perform formd.raise_problem('conflict', 'The agent is revoked, for good.');
    end if;
  end if;
  return v_agent;
end
$$;

-- Name: agent_revoke(uuid, uuid, uuid); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.agent_revoke(p_team uuid, p_operator uuid, p_agent uuid) RETURNS TABLE(id uuid, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- DELETE /identity/agents/{agent_id}: revoked, for good; a second time changes nothing. The row stays, so that submissions keep
-- their author, and its sessions stay, so that their holder learns why (agent_inactive). Raises not_found, insufficient_workspace_role.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_agent formd.agents := formd.agent_require(p_team, p_operator, p_agent, false);
begin
  perform formd.operator_require(p_team, p_operator, v_agent.workspace_id);
  update formd.agents a
  set status = 'revoked', revoked_at = v_now, disabled_at = null, updated_at = v_now
  where a.team_id = p_team and a.id = p_agent and a.status <> 'revoked';
  return query select p_agent, 'revoked';
end
$$;

-- Name: agent_rotate_secret(uuid, uuid, uuid, text, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.agent_rotate_secret(p_team uuid, p_operator uuid, p_agent uuid, p_secret_prefix text, p_secret_hash bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- POST /identity/agents/{agent_id}/rotate-secret: the old secret mints nothing from this commit on; sessions live on.
-- Raises not_found, insufficient_workspace_role, conflict (revoked).
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform formd.agent_require(p_team, p_operator, p_agent, true);
  update formd.agents a
  set secret_prefix = p_secret_prefix, secret_hash = p_secret_hash, updated_at = v_now
  where a.team_id = p_team and a.id = p_agent;
end
$$;

-- Name: agent_session_create(uuid, bytea, uuid, bytea, interval, text, integer); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.agent_session_create(p_team uuid, p_secret_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_ip_bucket text, p_ip_limit integer) RETURNS TABLE(outcome text, expires_at timestamp with time zone, remaining integer, reset_ms integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- POST /auth/token. Outcomes: minted; rate_limited (this address has asked too often); unauthorized (no agent with this secret, or
-- not active: the caller cannot tell which). One probe of agents_secret_key, whatever was sent. Clears the agent's sessions that
-- have run out.
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
  delete from formd.sessions s where s.team_id = p_team and s.agent_id = v_agent and s.expires_at < v_now;
  insert into formd.sessions (team_id, id, kind, agent_id, token_hash, created_at, expires_at)
  values (p_team, p_id, 'agent', v_agent, p_token_hash, v_now, v_expires_at);
  return query select 'minted', v_expires_at::timestamptz, v_rate.remaining, v_rate.reset_ms;
end
$$;

-- Name: agent_update(uuid, uuid, uuid, text, text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.agent_update(p_team uuid, p_operator uuid, p_agent uuid, p_name text, p_status text) RETURNS SETOF formd.agents
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- PATCH /identity/agents/{agent_id}: null leaves as it is. Disabling counts from the agent's next call on.
-- Raises not_found, insufficient_workspace_role, conflict (revoked), bad_request (blank name).
declare
  v_now timestamptz(3) := clock_timestamp();
  v_agent formd.agents := formd.agent_require(p_team, p_operator, p_agent, true);
begin
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'name: an agent needs a name that is not blank.');
  end if;
  v_agent.name := coalesce(p_name, v_agent.name);
  if p_status <> v_agent.status then
    v_agent.status := p_status;
    v_agent.disabled_at := case when p_status = 'disabled' then v_now end;
  end if;
  v_agent.updated_at := greatest(v_now, v_agent.updated_at + interval '1 millisecond');
  update formd.agents a
  set name = v_agent.name, status = v_agent.status, disabled_at = v_agent.disabled_at, updated_at = v_agent.updated_at
  where a.team_id = p_team and a.id = p_agent;
  return next v_agent;
end
$$;

-- Name: anonymous_session_create(uuid, uuid, bytea, uuid, bytea, interval, boolean, text, integer); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.anonymous_session_create(p_team uuid, p_form uuid, p_access_key_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_captcha_passed boolean, p_ip_bucket text, p_ip_limit integer) RETURNS TABLE(outcome text, expires_at timestamp with time zone, remaining integer, reset_ms integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- POST /auth/anonymous: a session of whoever asks, good on this form only. Outcomes: rate_limited, unauthorized (access key),
-- form_not_published, anonymous_not_allowed, captcha_required (have one passed, then call again with p_captcha_passed: it is not counted a
-- second time), minted. Clears the form's sessions that have run out, a few at a time.
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
  if not formd.access_key_known(p_team, p_form, p_access_key_hash) then
    outcome := 'unauthorized';
  elsif v_status <> 'published' then
    outcome := 'form_not_published';
  elsif v_settings @> '{"anonymous": {"enabled": false}}' then
    outcome := 'anonymous_not_allowed';
  elsif v_settings @> '{"captcha": {"enabled": true}}' and not p_captcha_passed then
    outcome := 'captcha_required';
  else
    delete from formd.sessions s
    where s.team_id = p_team and s.id in (
      select o.id from formd.sessions o where o.team_id = p_team and o.form_id = p_form and o.expires_at < v_now limit 10 for update skip locked);
    insert into formd.sessions (team_id, id, kind, form_id, token_hash, created_at, expires_at)
    values (p_team, p_id, 'anonymous', p_form, p_token_hash, v_now, v_expires_at);
    outcome := 'minted';
    expires_at := v_expires_at;
  end if;
  return next;
end
$$;

-- Name: api_key_create(uuid, uuid, text, text[], text, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.api_key_create(p_team uuid, p_id uuid, p_name text, p_scopes text[], p_prefix text, p_hash bytea) RETURNS TABLE(id uuid, scopes text[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

-- Name: api_key_revoke(uuid, uuid); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.api_key_revoke(p_team uuid, p_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

-- Name: api_key_use(uuid, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.api_key_use(p_team uuid, p_hash bytea) RETURNS TABLE(id uuid, scopes text[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
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

-- Name: challenge_answer(uuid, uuid, uuid, text, bytea, timestamp with time zone, text, integer, bytea, text, interval); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.challenge_answer(p_team uuid, p_form uuid, p_challenge uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_ip_bucket text, p_ip_limit integer, p_access_key_hash bytea, p_verdict text, p_pass_lifetime interval) RETURNS TABLE(outcome text, pass_expires_at timestamp with time zone, remaining_attempts integer, bucket text, bucket_limit integer, window_ms integer, remaining integer, reset_ms integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- POST /submitter/challenges/{challenge_id}/responses: one answer, judged outside by the rules of the challenge's own form version
-- (p_verdict: right, wrong, or malformed when the body was no answer at all). The challenge's row is locked, so that of any number of
-- wrong answers at once three count.
-- Outcomes: rate_limited, unauthorized (signature, or an access key that was sent and is not this form's), key_unusable and nonce_used (the same
-- to the caller, and another line in the log), agent_inactive, not_found (no such
-- challenge, or another agent's), no_grant, challenge_failed, challenge_expired, bad_request (passed before), malformed, then passed,
-- wrong, exhausted. Nothing is raised: attempts and nonce must stay counted.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_rate record;
  v_agent uuid;
  v_agent_status text;
  v_challenge formd.challenges;
  v_expires_at timestamptz(3) := v_now + p_pass_lifetime;
begin
  bucket := 'ip';
  bucket_limit := p_ip_limit;
  window_ms := 60000;
  v_rate := formd.rate_limit_take(p_ip_bucket, p_ip_limit, 60000);
  remaining := v_rate.remaining;
  reset_ms := v_rate.reset_ms;
  if not v_rate.allowed then
    outcome := 'rate_limited';
    return next;
    return;
  end if;

  if p_access_key_hash is null or formd.access_key_known(p_team, p_form, p_access_key_hash) then
    select c.caller_id, c.outcome into v_agent, outcome from formd.signature_claim(p_team, p_key_id, p_nonce, p_nonce_expires_at) as c;
  else
    outcome := 'unauthorized';
  end if;
  if outcome is not null then
    return next;
    return;
  end if;
  select a.status into v_agent_status from formd.agents a where a.team_id = p_team and a.id = v_agent;
  select * into v_challenge from formd.challenges c where c.team_id = p_team and c.form_id = p_form and c.id = p_challenge for update;
  perform from formd.grants g where g.team_id = p_team and g.agent_id = v_agent and g.form_id = p_form;

  if v_agent_status <> 'active' then
    outcome := 'agent_inactive';
  elsif v_challenge.id is not null and not found then
    outcome := 'no_grant';
  elsif v_challenge.agent_id is distinct from v_agent then
    outcome := 'not_found';
  elsif v_challenge.status = 'failed' then
    outcome := 'challenge_failed';
  elsif v_challenge.status = 'passed' then
    outcome := 'bad_request';
  elsif v_challenge.expires_at <= v_now then
    outcome := 'challenge_expired';
  elsif p_verdict = 'malformed' then
    outcome := 'malformed';
  elsif p_verdict = 'right' then
    outcome := 'passed';
    pass_expires_at := v_expires_at;
    update formd.challenges c set status = 'passed', attempts = v_challenge.attempts + 1, resolved_at = v_now
    where c.team_id = p_team and c.form_id = p_form and c.id = p_challenge;
    insert into formd.challenge_passes (team_id, form_id, agent_id, expires_at) values (p_team, p_form, v_agent, v_expires_at)
    on conflict (team_id, form_id, agent_id) do update set expires_at = excluded.expires_at;
  else
    remaining_attempts := 2 - v_challenge.attempts;
    outcome := case when remaining_attempts > 0 then 'wrong' else 'exhausted' end;
    update formd.challenges c
    set attempts = v_challenge.attempts + 1,
      status = case when remaining_attempts > 0 then 'issued' else 'failed' end,
      resolved_at = case when remaining_attempts > 0 then null else v_now end
    where c.team_id = p_team and c.form_id = p_form and c.id = p_challenge;
  end if;
  return next;
end
$$;

-- Name: challenge_issue(uuid, uuid, bytea, text, bytea, text, bytea, timestamp with time zone, integer, text, integer, uuid, text, text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.challenge_issue(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_id uuid, p_field_id text, p_prompt text) RETURNS TABLE(outcome text, expires_at timestamp with time zone, bucket text, bucket_limit integer, window_ms integer, remaining integer, reset_ms integer, form_version integer, form_schema jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- POST /submitter/form/challenges: a question about one field's rules, for an agent with any grant on the form; good for 2 minutes and 3
-- answers. The caller has chosen the field from version p_version (null: that version has none to ask about).
-- Outcomes: what submitter_authorize says, rate_limited (also when 5 challenges of this agent and form are open: then reset_ms says when the
-- first one ends), agent_required, no_checkable_field, issued. The agent's row is locked, so that
-- two requests cannot both open the fifth.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_auth record;
  v_said formd.submitter_answer;
  v_open integer;
  v_first_end timestamptz(3);
begin
  v_auth := formd.submitter_authorize(p_team, formd.form_enter(p_team, p_form, p_access_key_hash), p_credential, p_credential_hash,
    p_key_id, p_nonce, p_nonce_expires_at, null, p_version, p_ip_bucket, p_ip_limit);
  v_said := v_auth.said;
  outcome := v_said.outcome;
  bucket := v_said.bucket;
  bucket_limit := v_said.bucket_limit;
  window_ms := v_said.window_ms;
  remaining := v_said.remaining;
  reset_ms := v_said.reset_ms;
  form_version := v_said.form_version;
  form_schema := v_said.form_schema;
  if v_auth.caller_type <> 'agent' and coalesce(outcome, 'form_not_published') in ('form_not_published', 'missing_scope') then
    outcome := 'agent_required';
  elsif outcome is null and p_field_id is null then
    outcome := 'no_checkable_field';
  end if;
  if outcome is not null then
    return next;
    return;
  end if;

  perform from formd.agents a where a.team_id = p_team and a.id = v_auth.caller_id for no key update;
  select count(*), min(c.expires_at) into v_open, v_first_end
  from formd.challenges c
  where c.team_id = p_team and c.agent_id = v_auth.caller_id and c.form_id = p_form and c.expires_at > v_now and c.status = 'issued';
  if v_open >= 5 then
    perform formd.rate_limit_return(p_ip_bucket);
    outcome := 'rate_limited';
    bucket := 'open-challenges';
    bucket_limit := 5;
    window_ms := 120000;
    remaining := 0;
    reset_ms := greatest(extract(epoch from v_first_end - v_now) * 1000, 1);
    return next;
    return;
  end if;

  expires_at := v_now + interval '2 minutes';
  insert into formd.challenges (team_id, form_id, id, agent_id, form_version, field_id, prompt, created_at, expires_at)
  values (p_team, p_form, p_id, v_auth.caller_id, p_version, p_field_id, p_prompt, v_now, challenge_issue.expires_at);
  outcome := 'issued';
  return next;
end
$$;

-- Name: credential_abroad(uuid, text, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.credential_abroad(p_team uuid, p_credential text, p_hash bytea) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

-- Name: field_position(jsonb, text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.field_position(p_fields jsonb, p_id text) RETURNS integer
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Zero-based place of a field; null when there is none of that id.
select (f.place - 1)::integer from jsonb_array_elements(p_fields) with ordinality as f (field, place) where f.field ->> 'id' = p_id
$$;

-- Name: fields_apply(jsonb, jsonb); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.fields_apply(p_fields jsonb, p_operation jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- One addField, updateField, removeField or moveField on the array of fields; returns the new array.
-- Raises conflict (id taken), not_found (no such field), bad_request (change of an id).
declare
  v_op text := p_operation ->> 'op';
  v_id text := case when v_op = 'addField' then p_operation -> 'field' ->> 'id' else p_operation ->> 'fieldId' end;
  v_place integer := formd.field_position(p_fields, v_id);
  v_field jsonb;
  v_set jsonb;
  v_target integer;
begin
  if v_op = 'addField' then
    if v_place is not null then
      perform formd.raise_problem('conflict', format('a field with the id %s is there already.', to_json(v_id)));
    end if;
    v_field := p_operation -> 'field';
  elsif v_place is null then
    perform formd.raise_problem('not_found', format('there is no field with the id %s.', to_json(v_id)));
  else
    v_field := p_fields -> v_place;
  end if;

  if v_op = 'removeField' then
    return p_fields - v_place;
  end if;

  if v_op = 'updateField' then
    v_set := p_operation -> 'set';
    if v_set ? 'id' and v_set -> 'id' <> v_field -> 'id' then
      perform formd.raise_problem('bad_request', 'a field keeps its id; remove it and add another.');
    end if;
    v_field := (v_field || v_set) - array(select s.key from jsonb_each(v_set) as s where s.value = 'null');
    return jsonb_set(p_fields, array[v_place::text], v_field);
  end if;

  if v_op = 'moveField' then
    if p_operation ->> 'afterFieldId' = v_id then
      return p_fields; -- after itself is where it is
    end if;
    p_fields := p_fields - v_place;
  end if;
  if p_operation ? 'afterFieldId' then
    v_target := formd.field_position(p_fields, p_operation ->> 'afterFieldId') + 1;
    if v_target is null then
      perform formd.raise_problem('not_found', format('there is no field with the id %s to place it after.', p_operation -> 'afterFieldId'));
    end if;
  else
    v_target := least((p_operation ->> case when v_op = 'moveField' then 'toIndex' else 'index' end)::numeric, 500);
  end if;
  return jsonb_insert(p_fields, array[v_target::text], v_field); -- a place past the end is the end
end
$$;

-- Name: forms; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.forms (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    schema jsonb DEFAULT '{"fields": []}'::jsonb NOT NULL,
    settings jsonb DEFAULT '{"review": {"required": false}, "captcha": {"enabled": false}, "anonymous": {"enabled": true}, "challenge": {"required": false}}'::jsonb NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    current_version integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    archived_at timestamp(3) with time zone,
    CONSTRAINT forms_archived_check CHECK (((status = 'archived'::text) = (archived_at IS NOT NULL))),
    CONSTRAINT forms_name_check CHECK ((btrim(name) <> ''::text)),
    CONSTRAINT forms_published_check CHECK (((status <> 'published'::text) OR (current_version > 0))),
    CONSTRAINT forms_schema_check CHECK ((jsonb_typeof((schema -> 'fields'::text)) = 'array'::text)),
    CONSTRAINT forms_settings_check CHECK ((jsonb_typeof(settings) = 'object'::text)),
    CONSTRAINT forms_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text])))
);

-- Name: COLUMN forms.current_version; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.forms.current_version IS 'number of the last published version, 0 before the first; a patch of the draft leaves it alone';

-- Name: form_archive(uuid, uuid, boolean); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.form_archive(p_team uuid, p_form uuid, p_archived boolean) RETURNS SETOF formd.forms
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- formd form archive (true) and restore (false): a restored form is published if it ever was, else a draft. Doing it twice
-- changes nothing. Raises not_found.
declare
  v_form formd.forms;
  v_now timestamptz(3) := clock_timestamp();
begin
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  end if;
  if (v_form.status = 'archived') <> p_archived then
    v_form.status := case when p_archived then 'archived' when v_form.current_version > 0 then 'published' else 'draft' end;
    v_form.archived_at := case when p_archived then v_now end;
    v_form.updated_at := greatest(v_now, v_form.updated_at + interval '1 millisecond');
    update formd.forms f
    set status = v_form.status, archived_at = v_form.archived_at, updated_at = v_form.updated_at
    where f.team_id = p_team and f.id = p_form;
  end if;
  return next v_form;
end
$$;

-- Name: form_check_size(jsonb, jsonb); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.form_check_size(p_schema jsonb, p_settings jsonb DEFAULT '{}'::jsonb) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- The limits of a draft: 500 fields, 512 KiB of schema, 64 KiB of settings. Raises bad_request.
begin
  if jsonb_array_length(p_schema -> 'fields') > 500 then
    perform formd.raise_problem('bad_request', 'A form has at most 500 fields.');
  elsif octet_length(p_schema::text) > 524288 then
    perform formd.raise_problem('bad_request', 'A form''s schema has at most 512 KiB.');
  elsif octet_length(p_settings::text) > 65536 then
    perform formd.raise_problem('bad_request', 'A form''s settings have at most 64 KiB.');
  end if;
end
$$;

-- Name: form_create(uuid, uuid, uuid, text, text, jsonb); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.form_create(p_team uuid, p_id uuid, p_workspace uuid, p_name text, p_description text, p_schema jsonb) RETURNS SETOF formd.forms
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- POST /management/forms: a draft, in the workspace asked for or the team's oldest.
-- Raises bad_request (blank name, too large), conflict (two fields with one id), not_found (workspace).
declare
  v_workspace uuid := formd.workspace_choose(p_team, p_workspace);
  v_created_at timestamptz(3) := formd.uuid_time(p_id);
  v_twice text;
begin
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'name: a form needs a name that is not blank.');
  end if;
  perform formd.form_check_size(p_schema);
  select f ->> 'id' into v_twice from jsonb_array_elements(p_schema -> 'fields') as f group by f ->> 'id' having count(*) > 1 limit 1;
  if found then
    perform formd.raise_problem('conflict', format('schema.fields: the id %s is there twice.', to_json(v_twice)));
  end if;
  return query
  insert into formd.forms (team_id, id, workspace_id, name, description, schema, created_at, updated_at)
  values (p_team, p_id, v_workspace, p_name, p_description, p_schema, v_created_at, v_created_at)
  returning *;
end
$$;

-- Name: form_enter(uuid, uuid, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.form_enter(p_team uuid, p_form uuid, p_access_key_hash bytea) RETURNS formd.form_entry
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- The form as it is now (null, where there is none such), and whether the access key is one of its own.
declare
  v_entry formd.form_entry;
begin
  v_entry.form_id := p_form;
  v_entry.access_key_hash := p_access_key_hash;
  select f.workspace_id, f.status, f.settings, f.current_version into v_entry.workspace_id, v_entry.status, v_entry.settings, v_entry.version
  from formd.forms f where f.team_id = p_team and f.id = p_form;
  perform from formd.form_access_keys k
  where k.team_id = p_team and k.form_id = p_form and k.key_hash = p_access_key_hash and k.revoked_at is null;
  v_entry.key_fits := found;
  return v_entry;
end
$$;

-- Name: form_patch(uuid, uuid, jsonb, bigint); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.form_patch(p_team uuid, p_form uuid, p_operations jsonb, p_expected_version bigint) RETURNS SETOF formd.forms
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- PATCH /management/forms/{form_id}: all of the operations in their order, or none. Their shapes are checked by the caller.
-- Locks the form's row, so that patches of one form follow one another and each sees the one before.
-- Raises, in this order: not_found (form), conflict (archived, expectedVersion), bad_request (no operations, too many), then what
-- the first bad operation says, with its index. A conflict tells the current version, so that the caller can rebase at once.
-- updated_at strictly increases: publishing compares it.
declare
  v_form formd.forms;
  v_now timestamptz(3) := clock_timestamp();
  v_current jsonb;
  v_operation jsonb;
  v_index integer := 0;
  v_fields jsonb;
  v_message text;
  v_detail text;
begin
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  end if;
  v_current := jsonb_build_object('current', jsonb_build_object('currentVersion', v_form.current_version));
  if v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'The form is archived; restore it first.', v_current);
  elsif v_form.current_version <> p_expected_version then
    perform formd.raise_problem('conflict', format('expectedVersion is %s, the form''s currentVersion is %s.', p_expected_version, v_form.current_version), v_current);
  elsif jsonb_array_length(p_operations) = 0 then
    perform formd.raise_problem('bad_request', 'operations: at least one is needed.');
  elsif jsonb_array_length(p_operations) > 100 then
    perform formd.raise_problem('bad_request', 'operations: at most 100 in one request.');
  end if;

  v_fields := v_form.schema -> 'fields';
  for v_operation in select o from jsonb_array_elements(p_operations) as o loop
    if v_operation ->> 'op' = 'setMeta' then
      if v_operation ? 'name' then
        v_form.name := v_operation ->> 'name';
        if formd.is_blank(v_form.name) then
          perform formd.raise_problem('bad_request', 'a form needs a name that is not blank.');
        end if;
      end if;
      if v_operation ? 'description' then
        v_form.description := v_operation ->> 'description';
      end if;
      if v_operation ? 'settings' then
        v_form.settings := formd.json_merge_patch(v_form.settings, v_operation -> 'settings');
      end if;
    else
      v_fields := formd.fields_apply(v_fields, v_operation);
    end if;
    v_index := v_index + 1;
  end loop;

  v_form.schema := jsonb_set(v_form.schema, '{fields}', v_fields);
  perform formd.form_check_size(v_form.schema, v_form.settings);
  v_form.updated_at := greatest(v_now, v_form.updated_at + interval '1 millisecond');
  update formd.forms f
  set name = v_form.name, description = v_form.description, schema = v_form.schema, settings = v_form.settings, updated_at = v_form.updated_at
  where f.team_id = p_team and f.id = p_form;
  return next v_form;
exception
  when sqlstate 'ZFORM' then
    get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail;
    if v_operation is null or v_index >= jsonb_array_length(p_operations) then
      raise;
    end if;
    perform formd.raise_problem(v_message, format('operations[%s]: %s', v_index, v_detail),
      jsonb_build_object('operation', v_index) || case when v_message = 'conflict' then v_current else '{}' end);
end
$$;

-- Name: form_publish(uuid, uuid, timestamp with time zone); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.form_publish(p_team uuid, p_form uuid, p_updated_at timestamp with time zone) RETURNS SETOF formd.forms
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- formd form publish: freezes the draft as the next version. The caller has judged the draft as of p_updated_at; if it has
-- moved on since, conflict, so that nothing unjudged is published. Raises not_found, conflict.
declare
  v_form formd.forms;
  v_now timestamptz(3) := clock_timestamp();
begin
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  elsif v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'The form is archived; restore it first.');
  elsif v_form.updated_at <> p_updated_at then
    perform formd.raise_problem('conflict', 'The draft was changed while it was being checked; publish again.');
  end if;
  v_form.status := 'published';
  v_form.current_version := v_form.current_version + 1;
  v_form.updated_at := greatest(v_now, v_form.updated_at + interval '1 millisecond');
  insert into formd.form_versions (team_id, form_id, version, name, description, schema, published_at)
  values (p_team, p_form, v_form.current_version, v_form.name, v_form.description, v_form.schema, v_now);
  update formd.forms f
  set status = v_form.status, current_version = v_form.current_version, updated_at = v_form.updated_at
  where f.team_id = p_team and f.id = p_form;
  return next v_form;
end
$$;

-- Name: form_read(uuid, uuid, bytea, text, bytea, text, bytea, timestamp with time zone, integer); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.form_read(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer) RETURNS TABLE(outcome text, name text, description text, form_version integer, form_schema jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- GET /submitter/form: the published version, for who may fill it in. No throttle is named for it.
-- Outcomes: what submitter_authorize says (of stale_version: form_version and form_schema say what to compile, then call again), allowed.
declare
  v_auth record;
  v_said formd.submitter_answer;
begin
  v_auth := formd.submitter_authorize(p_team, formd.form_enter(p_team, p_form, p_access_key_hash), p_credential, p_credential_hash, p_key_id, p_nonce,
    p_nonce_expires_at, 'agent:read', p_version, null, null);
  v_said := v_auth.said;
  outcome := coalesce(v_said.outcome, 'allowed');
  form_version := v_said.form_version;
  form_schema := v_said.form_schema;
  if outcome = 'allowed' then
    select v.name, v.description, v.version, v.schema into name, description, form_version, form_schema
    from formd.form_versions v where v.team_id = p_team and v.form_id = p_form and v.version = p_version;
  end if;
  return next;
end
$$;

-- Name: grant_delete(uuid, uuid, uuid, uuid); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.grant_delete(p_team uuid, p_operator uuid, p_agent uuid, p_grant uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- DELETE /identity/agents/{agent_id}/grants/{grant_id}: the agent's next call on the form is refused.
-- Raises not_found, insufficient_workspace_role, conflict (agent revoked).
begin
  perform formd.agent_require(p_team, p_operator, p_agent, true);
  delete from formd.grants g where g.team_id = p_team and g.id = p_grant and g.agent_id = p_agent;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such grant.');
  end if;
end
$$;

-- Name: grants; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.grants (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    form_id uuid NOT NULL,
    scopes text[] NOT NULL,
    respondent_id uuid,
    binding_required boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT grants_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['agent:read'::text, 'agent:validate'::text, 'agent:submit'::text])))
);

-- Name: grant_put(uuid, uuid, uuid, uuid, uuid, text[], boolean, uuid, boolean); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.grant_put(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_form uuid, p_scopes text[], p_sets_respondent boolean, p_respondent uuid, p_binding_required boolean) RETURNS SETOF formd.grants
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- POST /identity/agents/{agent_id}/grants: one grant an agent and form; granting again replaces the scopes and leaves alone what
-- is not said (p_sets_respondent false, p_binding_required null).
-- An API key (p_operator null) may give agent:read and agent:validate, and neither bind nor unbind a respondent: that takes a
-- person with the role of admin or editor in the form's workspace.
-- Raises, in this order: submit_not_grantable_by_api_key, respondent_binding_requires_session, not_found (agent),
-- insufficient_workspace_role, conflict (agent revoked), not_found (form), workspace_mismatch.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_agent formd.agents;
  v_workspace uuid;
  v_grant formd.grants;
begin
  if p_operator is null and 'agent:submit' = any (p_scopes) then
    perform formd.raise_problem('submit_not_grantable_by_api_key', 'agent:submit is granted by an operator, not by an API key.');
  elsif p_operator is null and p_respondent is not null then
    perform formd.raise_problem('respondent_binding_requires_session', 'A respondent is bound by an operator, not by an API key.');
  end if;
  v_agent := formd.agent_require(p_team, p_operator, p_agent, true);
  select f.workspace_id into v_workspace from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  end if;
  perform formd.operator_require(p_team, p_operator, v_workspace);
  if v_workspace <> v_agent.workspace_id then
    perform formd.raise_problem('workspace_mismatch', 'The form is in another workspace than the agent.');
  end if;

  insert into formd.grants (team_id, id, agent_id, form_id, scopes, created_at, updated_at)
  values (p_team, p_id, p_agent, p_form, p_scopes, v_now, v_now)
  on conflict (team_id, agent_id, form_id) do nothing;
  select * into v_grant from formd.grants g where g.team_id = p_team and g.agent_id = p_agent and g.form_id = p_form for update;
  if p_operator is null and (v_grant.binding_required and not p_binding_required or v_grant.respondent_id is not null and p_sets_respondent) then
    perform formd.raise_problem('respondent_binding_requires_session', 'A binding is loosened by an operator, not by an API key.');
  end if;
  v_grant.scopes := p_scopes;
  if p_sets_respondent and p_operator is not null then
    v_grant.respondent_id := p_respondent;
  end if;
  v_grant.binding_required := coalesce(p_binding_required, v_grant.binding_required);
  if v_grant.id <> p_id then
    v_grant.updated_at := greatest(v_now, v_grant.updated_at + interval '1 millisecond');
  end if;
  update formd.grants g
  set scopes = v_grant.scopes, respondent_id = v_grant.respondent_id, binding_required = v_grant.binding_required, updated_at = v_grant.updated_at
  where g.team_id = p_team and g.id = v_grant.id;
  return next v_grant;
end
$$;

-- Name: idempotency_keys_purge(); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.idempotency_keys_purge() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Forgets the answers whose 24 hours are over, of all teams: nothing reads them any more. Called by every server now and then; reached by
-- idempotency_keys_expires_idx, at most 10,000 a call; rows that a request holds are passed over. Returns how many went.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_gone integer;
begin
  delete from formd.idempotency_keys i
  where (i.team_id, i.form_id, i.caller_id, i.key) in (
    select e.team_id, e.form_id, e.caller_id, e.key from formd.idempotency_keys e where e.expires_at < v_now limit 10000 for update skip locked);
  get diagnostics v_gone = row_count;
  return v_gone;
end
$$;

-- Name: is_blank(text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.is_blank(p_text text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Whether a name is white space only, as JavaScript's trim() has it. The characters are listed because \s depends on the collation.
select btrim(p_text, U&'\0009\000A\000B\000C\000D\0020\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000\FEFF') = ''
$$;

-- Name: json_merge_patch(jsonb, jsonb); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.json_merge_patch(p_target jsonb, p_patch jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- RFC 7396: members of the patch replace, null removes, objects merge all the way down.
declare
  v_result jsonb := case when jsonb_typeof(p_target) = 'object' then p_target else '{}' end;
  v_member record;
begin
  if jsonb_typeof(p_patch) <> 'object' then
    return p_patch;
  end if;
  for v_member in select key, value from jsonb_each(p_patch) loop
    if v_member.value = 'null' then
      v_result := v_result - v_member.key;
    else
      v_result := v_result || jsonb_build_object(v_member.key, formd.json_merge_patch(v_result -> v_member.key, v_member.value));
    end if;
  end loop;
  return v_result;
end
$$;

-- Name: operator_join(uuid, uuid, uuid, text, text, bytea, text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.operator_join(p_team uuid, p_workspace uuid, p_id uuid, p_email text, p_salt text, p_hash bytea, p_role text) RETURNS TABLE(id uuid, created boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- formd bootstrap, formd operator create: gives a person a role in a workspace, and makes the person first when the e-mail is
-- new. A known one keeps password and id. Raises not_found for a workspace that is not there.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_id uuid;
  v_created boolean;
begin
  perform from formd.workspaces w where w.team_id = p_team and w.id = p_workspace;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such workspace.');
  end if;
  insert into formd.operators (id, email, password_salt, password_hash, created_at)
  values (p_id, lower(p_email), p_salt, p_hash, v_now)
  on conflict (email) do nothing;
  v_created := found;
  select o.id into v_id from formd.operators o where o.email = lower(p_email);
  insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
  values (p_team, p_workspace, v_id, p_role, v_now)
  on conflict (team_id, workspace_id, operator_id) do update set role = excluded.role;
  return query select v_id, v_created;
end
$$;

-- Name: operator_login(uuid, text, bytea, uuid, bytea, interval); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.operator_login(p_team uuid, p_email text, p_password_hash bytea, p_session uuid, p_token_hash bytea, p_lifetime interval) RETURNS TABLE(operator_id uuid, expires_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- POST /console/login: a session bound to one team. No row: wrong password, unknown e-mail, or no role in the team; the
-- caller cannot tell which. Clears the person's sessions that have run out.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_operator uuid;
begin
  select o.id into v_operator from formd.operators o where o.email = lower(p_email) and o.password_hash = p_password_hash;
  if not found then
    return;
  end if;
  perform from formd.workspace_roles r where r.team_id = p_team and r.operator_id = v_operator;
  if not found then
    return;
  end if;
  delete from formd.operator_sessions s where s.team_id = p_team and s.operator_id = v_operator and s.expires_at < v_now;
  insert into formd.operator_sessions (team_id, id, operator_id, token_hash, created_at, seen_at, expires_at)
  values (p_team, p_session, v_operator, p_token_hash, v_now, v_now, v_expires_at);
  return query select v_operator, v_expires_at::timestamptz;
end
$$;

-- Name: operator_logout(uuid, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.operator_logout(p_team uuid, p_token_hash bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- POST /console/logout. The session is gone for the next request, wherever it lands.
delete from formd.operator_sessions s where s.team_id = p_team and s.token_hash = p_token_hash
$$;

-- Name: operator_require(uuid, uuid, uuid); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.operator_require(p_team uuid, p_operator uuid, p_workspace uuid) RETURNS void
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Stops an operator who may not write in the workspace: admins and editors may. p_operator null is an API key, which speaks
-- for the whole team. Raises insufficient_workspace_role. Reached by workspace_roles_pkey.
begin
  if p_operator is null then
    return;
  end if;
  perform from formd.workspace_roles r
  where r.team_id = p_team and r.workspace_id = p_workspace and r.operator_id = p_operator and r.role in ('admin', 'editor');
  if not found then
    perform formd.raise_problem('insufficient_workspace_role', 'This takes the role of admin or editor in the workspace.');
  end if;
end
$$;

-- Name: operator_salt(text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.operator_salt(p_email text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- What it takes to derive a password's hash; null for an unknown e-mail (the caller then derives from a salt of its own, so
-- that both take as long). The hash itself never leaves the database.
select o.password_salt from formd.operators o where o.email = lower(p_email)
$$;

-- Name: operator_session_use(uuid, bytea, interval); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.operator_session_use(p_team uuid, p_token_hash bytea, p_idle interval) RETURNS TABLE(operator_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- Who calls: every request with the operator's cookie. No row: no such session, run out, idle for too long, or the person
-- has no role left in the team. seen_at moves at most once a minute and never waits. One probe of operator_sessions_token_key.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_idle_since timestamptz(3) := v_now - p_idle;
  v_stale timestamptz(3) := v_now - interval '1 minute';
  v_id uuid;
  v_operator uuid;
  v_seen_at timestamptz(3);
begin
  select s.id, s.operator_id, s.seen_at into v_id, v_operator, v_seen_at
  from formd.operator_sessions s
  where s.team_id = p_team and s.token_hash = p_token_hash and s.expires_at > v_now and s.seen_at > v_idle_since;
  if not found then
    return;
  end if;
  perform from formd.workspace_roles r where r.team_id = p_team and r.operator_id = v_operator;
  if not found then
    return;
  end if;
  if v_seen_at < v_stale then
    perform from formd.operator_sessions s where s.team_id = p_team and s.id = v_id for no key update skip locked;
    if found then
      update formd.operator_sessions s set seen_at = v_now where s.team_id = p_team and s.id = v_id;
    end if;
  end if;
  return query select v_operator;
end
$$;

-- Name: operator_team(text, uuid); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.operator_team(p_email text, p_team uuid DEFAULT NULL::uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- The team that a login is for: the one asked for, else the one that the person joined first. Null: none.
select r.team_id
from formd.workspace_roles r
where r.operator_id = (select o.id from formd.operators o where o.email = lower(p_email))
  and (p_team is null or r.team_id = p_team)
order by r.created_at, r.team_id
limit 1
$$;

-- Name: raise_problem(text, text, jsonb); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.raise_problem(p_code text, p_detail text, p_extras jsonb DEFAULT NULL::jsonb) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Ends the call with a refusal that leaves no trace. SQLSTATE ZFORM; message = the API's code, detail = the sentence for
-- people, hint = members that the error envelope carries beside its own.
begin
  raise exception using errcode = 'ZFORM', message = p_code, detail = p_detail, hint = coalesce(p_extras::text, '');
end
$$;

-- Name: rate_limit_return(text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.rate_limit_return(p_bucket text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Takes back the last hit of a bucket, for a request that another throttle refuses: what is answered 429 counts nowhere.
-- Only after rate_limit_take in the same transaction, which holds the row's lock.
declare
  v_ticks bigint[];
  v_hits integer[];
  v_last integer;
begin
  select r.ticks, r.hits into v_ticks, v_hits from formd.rate_limits r where r.bucket = p_bucket for update;
  v_last := cardinality(v_hits);
  if v_hits[v_last] > 1 then
    v_hits[v_last] := v_hits[v_last] - 1;
  else
    v_ticks := v_ticks[:v_last - 1];
    v_hits := v_hits[:v_last - 1];
  end if;
  update formd.rate_limits r set ticks = v_ticks, hits = v_hits where r.bucket = p_bucket;
end
$$;

-- Name: rate_limit_take(text, integer, integer); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.rate_limit_take(p_bucket text, p_limit integer, p_window_ms integer, OUT allowed boolean, OUT remaining integer, OUT reset_ms integer) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- Counts one request in a bucket, if there is room: never more than p_limit in any span of p_window_ms.
-- Returns whether there was, how many are left now, and in how many milliseconds the next place comes free.
-- Locks the bucket's row until the transaction ends: of two that come at once, the second sees the first.
-- A refused request is not counted. Reached by rate_limits_pkey.
-- The log of hits is exact to the microsecond up to 256 a window. Beyond that, hits share ticks of a 256th of the window, each
-- counted at the end of its tick: a place comes free that much later, never earlier, and the row stays under 4 kB.
declare
  v_window bigint := p_window_ms * 1000::bigint;
  v_quantum bigint := case when p_limit <= 256 then 1 else v_window / 256 end;
  v_ticks bigint[];
  v_hits integer[];
  v_now bigint;
  v_tick bigint;
  v_used integer := 0;
  v_first integer := 1;
begin
  loop
    select r.ticks, r.hits into v_ticks, v_hits from formd.rate_limits r where r.bucket = p_bucket for update;
    exit when found;
    -- The first request of a bucket is its own answer.
    v_now := extract(epoch from clock_timestamp()) * 1000000;
    v_tick := (v_now + v_quantum - 1) / v_quantum * v_quantum;
    insert into formd.rate_limits (bucket, ticks, hits, expires_at)
    values (p_bucket, array[v_tick], array[1], to_timestamp((v_tick + v_window) / 1000000.0))
    on conflict (bucket) do nothing;
    if found then
      allowed := true;
      remaining := p_limit - 1;
      reset_ms := p_window_ms;
      return;
    end if;
  end loop;

  -- After the lock, so that ticks ascend; a clock that was set back waits at the last tick.
  v_now := greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint,
                    coalesce(v_ticks[cardinality(v_ticks)], 0) - v_quantum + 1);
  v_tick := (v_now + v_quantum - 1) / v_quantum * v_quantum;

  while v_first <= cardinality(v_ticks) and v_ticks[v_first] <= v_now - v_window loop
    v_first := v_first + 1;
  end loop;
  if v_first > 1 then
    v_ticks := v_ticks[v_first:];
    v_hits := v_hits[v_first:];
  end if;
  if p_limit <= 256 and cardinality(v_ticks) <= 1 then
    v_used := coalesce(v_hits[1], 0);
  else
    v_used := coalesce((select sum(h) from unnest(v_hits) as h), 0);
  end if;

  allowed := v_used < p_limit;
  if allowed then
    if v_ticks[cardinality(v_ticks)] = v_tick then
      v_hits[cardinality(v_hits)] := v_hits[cardinality(v_hits)] + 1;
    else
      v_ticks := v_ticks || v_tick;
      v_hits := v_hits || 1;
    end if;
    v_used := v_used + 1;
    update formd.rate_limits r
    set ticks = v_ticks, hits = v_hits, expires_at = to_timestamp((v_tick + v_window) / 1000000.0)
    where r.bucket = p_bucket;
  end if;

  remaining := greatest(p_limit - v_used, 0);
  reset_ms := greatest((v_ticks[1] + v_window - v_now + 999) / 1000, 1);
end
$$;

-- Name: rate_limits_purge(); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.rate_limits_purge() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Forgets buckets whose last hit has left its window: they hold addresses of people, and nothing reads them any more.
-- Called by every server now and then; rows that a request holds are passed over. At most 10,000 a call; returns how many went.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_gone integer;
begin
  delete from formd.rate_limits r
  where r.bucket in (select s.bucket from formd.rate_limits s where s.expires_at < v_now limit 10000 for update skip locked);
  get diagnostics v_gone = row_count;
  return v_gone;
end
$$;

-- Name: signature_claim(uuid, text, bytea, timestamp with time zone); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.signature_claim(p_team uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, OUT caller_id uuid, OUT outcome text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

-- Name: signing_keys; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.signing_keys (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    key_id text NOT NULL,
    alg text DEFAULT 'ed25519'::text NOT NULL,
    public_key_pem text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    revoked_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    CONSTRAINT signing_keys_alg_check CHECK ((alg = 'ed25519'::text)),
    CONSTRAINT signing_keys_revoked_check CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
    CONSTRAINT signing_keys_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text])))
);

-- Name: COLUMN signing_keys.key_id; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.signing_keys.key_id IS 'key_ and the first 16 hex characters of the SHA-256 of the PEM text as it was sent';

-- Name: signing_key_register(uuid, uuid, uuid, uuid, text, text, timestamp with time zone); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.signing_key_register(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_key_id text, p_pem text, p_expires_at timestamp with time zone) RETURNS SETOF formd.signing_keys
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

-- Name: signing_key_revoke(uuid, uuid, uuid, text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.signing_key_revoke(p_team uuid, p_operator uuid, p_agent uuid, p_key_id text) RETURNS TABLE(key_id text, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

-- Name: submission_count(uuid, uuid, text, integer); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.submission_count(p_team uuid, p_form uuid, p_status text, p_change integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Moves a form's number of submissions, in the slot of this backend: a backend has one transaction at a time, so up to 64 of them
-- count one form without waiting for each other. A slot may go below zero (made in one, deleted in another); the sum is exact.
declare
  v_slot smallint := pg_backend_pid() % 64;
begin
  update formd.submission_counts c set total = c.total + p_change
  where c.team_id = p_team and c.form_id = p_form and c.status = p_status and c.slot = v_slot;
  if not found then
    insert into formd.submission_counts as c (team_id, form_id, status, slot, total) values (p_team, p_form, p_status, v_slot, p_change)
    on conflict (team_id, form_id, status, slot) do update set total = c.total + excluded.total;
  end if;
end
$$;

-- Name: submission_decide(uuid, formd.form_entry, text, bytea, text, bytea, timestamp with time zone, integer, text, integer, uuid, text, jsonb, jsonb, uuid, boolean, text[], jsonb, text, bytea); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.submission_decide(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_id uuid, p_verdict text, p_data jsonb, p_metadata jsonb, p_respondent uuid, p_partial boolean, p_missing text[], p_errors jsonb, p_idempotency_key text, p_body_hash bytea, OUT said formd.submitter_answer, OUT accepted formd.accepted_submission) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- What becomes of one submission, in the order of the checks: what submitter_authorize looks at (form version, address throttle, access
-- key, credential, agent, workspace, grant, scope, form), idempotent replay, challenge pass, agent throttle (1 in 5 seconds), then what the
-- caller found in the body, and the respondent's binding. The row itself is returned, not written: submissions_receive does that.
-- p_verdict is what the body came to outside, against form version p_version: accept (store it), reject (422, with p_errors), malformed
-- (not JSON, not the shape). Credentials and throttles come first all the same, so a bad body still comes here.
-- Never raises for what a caller can cause: each item of a list of submissions has its own outcome. Outcomes: what submitter_authorize
-- says, rate_limited (also by the agent's own throttle), partial_not_allowed, idempotency_key_reused, replayed (answer says what),
-- challenge_required, malformed, binding_required, respondent_not_assigned, rejected, stored.
-- Locks: the caller's throttle rows and its idempotency key. Every statement is one row by primary or unique key.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_auth record;
  v_rate record;
  v_known record;
  v_respondent uuid := p_respondent;
begin
  v_auth := formd.submitter_authorize(p_team, p_entry, p_credential, p_credential_hash,
    p_key_id, p_nonce, p_nonce_expires_at, 'agent:submit',
    case when p_verdict = 'malformed' then p_entry.version else p_version end, -- nothing was judged
    p_ip_bucket, p_ip_limit);
  said := v_auth.said;
  if said.outcome is null and p_partial and v_auth.caller_type = 'api_key' then
    said.outcome := 'partial_not_allowed';
  end if;
  if said.outcome is not null then
    return;
  end if;

  if p_idempotency_key is not null then
    delete from formd.idempotency_keys i
    where i.team_id = p_team and i.form_id = p_entry.form_id and i.caller_id = v_auth.caller_id and i.key = p_idempotency_key and i.expires_at < v_now;
    insert into formd.idempotency_keys (team_id, form_id, caller_id, key, body_hash, expires_at)
    values (p_team, p_entry.form_id, v_auth.caller_id, p_idempotency_key, p_body_hash, v_now + interval '24 hours')
    on conflict (team_id, form_id, caller_id, key) do nothing; -- waits for a twin in flight
    if not found then
      select i.body_hash, i.answer into v_known
      from formd.idempotency_keys i
      where i.team_id = p_team and i.form_id = p_entry.form_id and i.caller_id = v_auth.caller_id and i.key = p_idempotency_key;
      if v_known.body_hash <> p_body_hash then
        said.outcome := 'idempotency_key_reused';
      else
        said.outcome := 'replayed';
        said.answer := v_known.answer;
      end if;
      return;
    end if;
  end if;

  if v_auth.caller_type = 'agent' then
    if p_entry.settings @> '{"challenge": {"required": true}}' then
      perform from formd.challenge_passes c
      where c.team_id = p_team and c.form_id = p_entry.form_id and c.agent_id = v_auth.caller_id and c.expires_at > v_now;
      if not found then
        said.outcome := 'challenge_required';
      end if;
    end if;
    if said.outcome is null then
      v_rate := formd.rate_limit_take('submit:agent:' || v_auth.caller_id, 1, 5000);
      said.bucket := 'agent';
      said.bucket_limit := 1;
      said.window_ms := 5000;
      said.remaining := v_rate.remaining;
      said.reset_ms := v_rate.reset_ms;
      if not v_rate.allowed then
        perform formd.rate_limit_return(p_ip_bucket);
        said.outcome := 'rate_limited';
      end if;
    end if;
  end if;

  if said.outcome is null and p_verdict = 'malformed' then
    said.outcome := 'malformed';
  elsif said.outcome is null and v_auth.caller_type = 'agent' then
    if v_auth.binding_required and v_auth.respondent_id is null then
      said.outcome := 'binding_required';
    elsif v_respondent is null and not v_auth.binding_required then
      v_respondent := v_auth.respondent_id;
    elsif v_auth.respondent_id is not null and v_respondent is distinct from v_auth.respondent_id then
      said.outcome := 'respondent_not_assigned';
    end if;
  end if;

  if said.outcome is null and p_verdict = 'reject' then
    said.outcome := 'rejected';
    said.answer := jsonb_build_object('errors', p_errors);
  elsif said.outcome is null then
    said.outcome := 'stored';
    said.status := case when p_partial then 'partial' when p_entry.settings @> '{"review": {"required": true}}' then 'pending' else 'completed' end;
    said.answer := jsonb_build_object('id', p_id, 'status', said.status, 'missingRequired', to_jsonb(p_missing));
    accepted := row(p_entry.form_id, p_id, p_version, said.status, v_auth.caller_type, v_auth.caller_id, v_respondent, p_data, p_metadata,
      formd.uuid_time(p_id));
  end if;

  if p_idempotency_key is not null then
    if said.answer is null then
      delete from formd.idempotency_keys i
      where i.team_id = p_team and i.form_id = p_entry.form_id and i.caller_id = v_auth.caller_id and i.key = p_idempotency_key;
    else
      update formd.idempotency_keys i set answer = said.answer
      where i.team_id = p_team and i.form_id = p_entry.form_id and i.caller_id = v_auth.caller_id and i.key = p_idempotency_key;
    end if;
  end if;
end
$$;

-- Name: submission_delete(uuid, uuid, uuid, uuid, text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.submission_delete(p_team uuid, p_form uuid, p_submission uuid, p_api_key uuid, p_request_id text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- DELETE /management/forms/{form_id}/submissions/{submission_id}: the values are gone at once, here and in the audit, which keeps who
-- changed which field when, and who erased it. Locks the row. Raises not_found.
declare
  v_row formd.submissions;
  v_now timestamptz(3) := clock_timestamp();
  v_fields text[];
begin
  select * into v_row from formd.submissions s where s.team_id = p_team and s.form_id = p_form and s.id = p_submission for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such submission.');
  end if;
  v_fields := array(select k from jsonb_object_keys(v_row.data) as k);
  delete from formd.submissions s where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
  update formd.submission_edits e set old_value = null, new_value = null, erased_at = v_now
  where e.team_id = p_team and e.form_id = p_form and e.submission_id = p_submission;
  insert into formd.submission_erasures (team_id, form_id, submission_id, field_ids, api_key_id, request_id, created_at)
  values (p_team, p_form, p_submission, v_fields, p_api_key, p_request_id, v_now);
  perform formd.submission_count(p_team, p_form, v_row.status, -1);
end
$$;

-- Name: submissions; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.submissions (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    form_version integer NOT NULL,
    status text NOT NULL,
    submitter_type text NOT NULL,
    submitter_id uuid NOT NULL,
    respondent_id uuid,
    data jsonb NOT NULL,
    metadata jsonb,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    completed_at timestamp(3) with time zone,
    CONSTRAINT submissions_completed_check CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
    CONSTRAINT submissions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'partial'::text]))),
    CONSTRAINT submissions_submitter_check CHECK ((submitter_type = ANY (ARRAY['agent'::text, 'anonymous'::text, 'api_key'::text])))
);

-- Name: submission_patch(uuid, uuid, uuid, timestamp with time zone, jsonb, boolean, uuid[], uuid, text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.submission_patch(p_team uuid, p_form uuid, p_submission uuid, p_expected_updated_at timestamp with time zone, p_edits jsonb, p_whole boolean, p_edit_ids uuid[], p_api_key uuid, p_request_id text) RETURNS SETOF formd.submissions
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- PATCH /management/forms/{form_id}/submissions/{submission_id}: all edits or none, each with its line in the audit.
-- The values were judged outside against the row as of p_expected_updated_at; if it has moved on since: conflict, with the current
-- token. Of any number of patches that start from one token, one succeeds. p_edits: [{fieldId, value}], null removes; p_whole: the
-- row satisfies its form once they are applied, so that a partial one moves on to pending or completed; p_edit_ids: one an edit.
-- An edit that changes nothing is not recorded; if none changes anything, updated_at and status stay. Locks the row. Raises not_found, conflict.
declare
  v_row formd.submissions;
  v_now timestamptz(3) := clock_timestamp();
  v_edit jsonb;
  v_index integer := 0;
  v_field text;
  v_old jsonb;
  v_new jsonb;
  v_changed boolean := false;
  v_status text;
  v_review boolean;
begin
  select * into v_row from formd.submissions s where s.team_id = p_team and s.form_id = p_form and s.id = p_submission for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such submission.');
  elsif v_row.updated_at <> p_expected_updated_at then
    perform formd.raise_problem('conflict', 'The submission was changed since expectedUpdatedAt.', jsonb_build_object('current',
      jsonb_build_object('updatedAt', to_char(v_row.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))));
  end if;

  for v_edit in select e from jsonb_array_elements(p_edits) as e loop
    v_index := v_index + 1;
    v_field := v_edit ->> 'fieldId';
    v_old := v_row.data -> v_field;
    v_new := nullif(v_edit -> 'value', 'null');
    if v_new is distinct from v_old then
      v_changed := true;
      v_row.data := case when v_new is null then v_row.data - v_field else v_row.data || jsonb_build_object(v_field, v_new) end;
      insert into formd.submission_edits (team_id, form_id, submission_id, id, field_id, old_value, new_value, api_key_id, request_id, created_at)
      values (p_team, p_form, p_submission, p_edit_ids[v_index], v_field, v_old, v_new, p_api_key, p_request_id, v_now);
    end if;
  end loop;

  v_status := v_row.status;
  if v_changed and v_row.status = 'partial' and p_whole then
    select f.settings @> '{"review": {"required": true}}' into v_review from formd.forms f where f.team_id = p_team and f.id = p_form;
    v_status := case when v_review then 'pending' else 'completed' end;
  end if;
  if v_changed then
    v_row.updated_at := greatest(v_now, v_row.updated_at + interval '1 millisecond');
    if v_status <> v_row.status then
      perform formd.submission_count(p_team, p_form, v_row.status, -1);
      perform formd.submission_count(p_team, p_form, v_status, 1);
      v_row.status := v_status;
      v_row.completed_at := case when v_status = 'completed' then v_row.updated_at end;
    end if;
    update formd.submissions s
    set data = v_row.data, status = v_row.status, updated_at = v_row.updated_at, completed_at = v_row.completed_at
    where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
  end if;
  return next v_row;
end
$$;

-- Name: submissions_receive(uuid, jsonb); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.submissions_receive(p_team uuid, p_items jsonb) RETURNS SETOF formd.submitter_answer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- POST /submitter/form/submissions, for all that wait (be it one): submission_decide for each item of a list, one after another, then their
-- rows and counters at a stroke; one transaction with one commit. All items are of one team; each has its own outcome and leaves its
-- neighbours alone. One row an item, in their order; every member of an item is an argument of submission_decide.
-- One insert for all rows, since PostgreSQL reads a table's checks anew for every statement: a third of what a row of its own costs.
-- The caller sorts items by address, so that two lists take those throttles in one order. They can still meet at an agent that comes from two
-- addresses; then PostgreSQL breaks one off, and the caller runs its items again.
-- Locks, beside what submission_decide does: one counter slot a form and status.
declare
  v_item record;
  v_entry formd.form_entry;
  v_decided record;
  v_accepted formd.accepted_submission[];
  v_count record;
begin
  for v_item in
    select * from jsonb_to_recordset(p_items) as i (form uuid, access_key_hash bytea, credential text, credential_hash bytea,
      key_id text, nonce bytea, nonce_expires_at timestamptz, version integer, ip_bucket text, ip_limit integer,
      id uuid, verdict text, data jsonb, metadata jsonb, respondent uuid, partial boolean, missing text[], errors jsonb,
      idempotency_key text, body_hash bytea)
  loop
    if v_entry.form_id is distinct from v_item.form or v_entry.access_key_hash is distinct from v_item.access_key_hash then
      v_entry := formd.form_enter(p_team, v_item.form, v_item.access_key_hash);
    end if;
    v_decided := formd.submission_decide(p_team, v_entry, v_item.credential, v_item.credential_hash,
      v_item.key_id, v_item.nonce, v_item.nonce_expires_at, v_item.version, v_item.ip_bucket, v_item.ip_limit,
      v_item.id, v_item.verdict, v_item.data, v_item.metadata, v_item.respondent, v_item.partial, v_item.missing, v_item.errors,
      v_item.idempotency_key, v_item.body_hash);
    return next v_decided.said;
    if (v_decided.accepted).id is not null then
      v_accepted := array_append(v_accepted, v_decided.accepted);
    end if;
  end loop;

  if v_accepted is not null then
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, respondent_id, data, metadata,
      created_at, updated_at, completed_at)
    select p_team, a.form_id, a.id, a.form_version, a.status, a.submitter_type, a.submitter_id, a.respondent_id, a.data, a.metadata,
      a.created_at, a.created_at, case when a.status = 'completed' then a.created_at end
    from unnest(v_accepted) as a;
    for v_count in select a.form_id, a.status, count(*)::integer as stored from unnest(v_accepted) as a group by a.form_id, a.status order by 1, 2 loop
      perform formd.submission_count(p_team, v_count.form_id, v_count.status, v_count.stored);
    end loop;
  end if;
end
$$;

-- Name: submissions_validate(uuid, jsonb); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.submissions_validate(p_team uuid, p_items jsonb) RETURNS SETOF formd.submitter_answer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- POST /submitter/form/validation, for all that wait (be it one): validation_admit for each item of a list, one after another, in one
-- transaction, as submissions_receive does it. One row an item, in their order; every member of an item is an argument of validation_admit.
declare
  v_item record;
  v_entry formd.form_entry;
begin
  for v_item in
    select * from jsonb_to_recordset(p_items) as i (form uuid, access_key_hash bytea, credential text, credential_hash bytea,
      key_id text, nonce bytea, nonce_expires_at timestamptz, version integer, ip_bucket text, ip_limit integer, agent_limit integer)
  loop
    if v_entry.form_id is distinct from v_item.form or v_entry.access_key_hash is distinct from v_item.access_key_hash then
      v_entry := formd.form_enter(p_team, v_item.form, v_item.access_key_hash);
    end if;
    return next formd.validation_admit(p_team, v_entry, v_item.credential, v_item.credential_hash, v_item.key_id, v_item.nonce,
      v_item.nonce_expires_at, v_item.version, v_item.ip_bucket, v_item.ip_limit, v_item.agent_limit);
  end loop;
end
$$;

-- Name: submitter_authorize(uuid, formd.form_entry, text, bytea, text, bytea, timestamp with time zone, text, integer, text, integer); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.submitter_authorize(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_scope text, p_version integer, p_ip_bucket text, p_ip_limit integer, OUT said formd.submitter_answer, OUT caller_type text, OUT caller_id uuid, OUT respondent_id uuid, OUT binding_required boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Who calls, and may they, on this form, now? What every submitter route begins with. Everything is read live and by key, one table a
-- statement; the form is what form_enter has just read.
-- p_version: the published version that the caller holds compiled, so that a payload is never judged by another than the current one.
-- p_ip_bucket: the throttle of the address (null: none).
-- p_credential: 'session' (x-respondent-token) or 'api_key', with its SHA-256 in p_credential_hash; or 'signature', which the caller has
-- verified against the public key p_key_id (null: it did not verify). The key's state is read here, and the nonce is claimed: of any number
-- of requests with one nonce, one gets past this, whatever it is answered then, and a crash forgets none.
-- Outcomes, in the order of the checks: stale_version (nothing was counted; compile form_schema, call again), rate_limited, unauthorized
-- (access key or credential; key_unusable and nonce_used are the same to the caller, and another line in the log), agent_inactive,
-- workspace_mismatch, no_grant, missing_scope, form_not_published, else null: allowed. For an agent also what its grant says of respondents.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_rate record;
  v_session_form uuid;
  v_agent_status text;
  v_agent_workspace uuid;
  v_scopes text[];
begin
  if p_entry.version > 0 and p_entry.version is distinct from p_version then
    said.outcome := 'stale_version';
    said.form_version := p_entry.version;
    select v.schema into said.form_schema
    from formd.form_versions v where v.team_id = p_team and v.form_id = p_entry.form_id and v.version = p_entry.version;
    return;
  end if;

  if p_ip_bucket is not null then
    v_rate := formd.rate_limit_take(p_ip_bucket, p_ip_limit, 60000);
    said.bucket := 'ip';
    said.bucket_limit := p_ip_limit;
    said.window_ms := 60000;
    said.remaining := v_rate.remaining;
    said.reset_ms := v_rate.reset_ms;
    if not v_rate.allowed then
      said.outcome := 'rate_limited';
      return;
    end if;
  end if;

  if p_entry.key_fits is not true then
    said.outcome := 'unauthorized';
    return;
  end if;
  if p_credential = 'signature' then
    caller_type := 'agent';
    select c.caller_id, c.outcome into caller_id, said.outcome from formd.signature_claim(p_team, p_key_id, p_nonce, p_nonce_expires_at) as c;
  elsif p_credential = 'api_key' then
    caller_type := 'api_key';
    select k.id, k.scopes into caller_id, v_scopes from formd.api_key_use(p_team, p_credential_hash) as k;
    if not found then
      said.outcome := 'unauthorized';
    elsif 'submissions:write' <> all (v_scopes) then
      said.outcome := 'missing_scope';
    end if;
  else
    select s.kind, coalesce(s.agent_id, s.id), s.form_id into caller_type, caller_id, v_session_form
    from formd.sessions s where s.team_id = p_team and s.token_hash = p_credential_hash and s.expires_at > v_now;
    if not found or v_session_form <> p_entry.form_id then
      said.outcome := 'unauthorized';
    end if;
  end if;
  if said.outcome is not null then
    return;
  end if;

  if caller_type = 'agent' then
    select a.status, a.workspace_id into v_agent_status, v_agent_workspace
    from formd.agents a where a.team_id = p_team and a.id = caller_id;
    if v_agent_status <> 'active' then
      said.outcome := 'agent_inactive';
      return;
    elsif v_agent_workspace <> p_entry.workspace_id then
      said.outcome := 'workspace_mismatch';
      return;
    end if;
    select g.scopes, g.respondent_id, g.binding_required into v_scopes, respondent_id, binding_required
    from formd.grants g where g.team_id = p_team and g.agent_id = caller_id and g.form_id = p_entry.form_id;
    if not found then
      said.outcome := 'no_grant';
      return;
    elsif p_scope <> all (v_scopes) then
      said.outcome := 'missing_scope';
      return;
    end if;
  end if;

  if p_entry.status <> 'published' then
    said.outcome := 'form_not_published';
  end if;
end
$$;

-- Name: team_create(uuid, text, uuid, text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.team_create(p_team uuid, p_name text, p_workspace uuid, p_workspace_name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- formd bootstrap: a team comes with its first workspace, the one that new forms and agents go to unless told otherwise.
-- Raises bad_request for an empty name.
begin
  if formd.is_blank(p_name) or formd.is_blank(p_workspace_name) then
    perform formd.raise_problem('bad_request', 'A team and a workspace need a name.');
  end if;
  insert into formd.teams (team_id, name, created_at) values (p_team, p_name, formd.uuid_time(p_team));
  insert into formd.workspaces (team_id, id, name, created_at)
  values (p_team, p_workspace, p_workspace_name, formd.uuid_time(p_workspace));
end
$$;

-- Name: uuid_time(uuid); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.uuid_time(p_id uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- The millisecond inside a UUIDv7 (RFC 9562, section 5.7): its first 48 bits.
select timestamptz 'epoch' + interval '1 millisecond' * ('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint
$$;

-- Name: validation_admit(uuid, formd.form_entry, text, bytea, text, bytea, timestamp with time zone, integer, text, integer, integer); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.validation_admit(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_agent_limit integer) RETURNS formd.submitter_answer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- May the caller have a payload judged? (The judging is done outside; nothing is stored.)
-- Outcomes: what submitter_authorize says, rate_limited (also by the agent's own throttle), allowed.
declare
  v_auth record;
  v_said formd.submitter_answer;
  v_rate record;
begin
  v_auth := formd.submitter_authorize(p_team, p_entry, p_credential, p_credential_hash,
    p_key_id, p_nonce, p_nonce_expires_at, 'agent:validate', p_version, p_ip_bucket, p_ip_limit);
  v_said := v_auth.said;
  if v_said.outcome is null then
    v_said.outcome := 'allowed';
    if v_auth.caller_type = 'agent' then
      v_rate := formd.rate_limit_take('validate:agent:' || v_auth.caller_id, p_agent_limit, 60000);
      v_said.bucket := 'agent';
      v_said.bucket_limit := p_agent_limit;
      v_said.remaining := v_rate.remaining;
      v_said.reset_ms := v_rate.reset_ms;
      if not v_rate.allowed then
        perform formd.rate_limit_return(p_ip_bucket);
        v_said.outcome := 'rate_limited';
      end if;
    end if;
  end if;
  return v_said;
end
$$;

-- Name: workspace_choose(uuid, uuid); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.workspace_choose(p_team uuid, p_workspace uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- The workspace that a new form or agent goes to: the one asked for, else the team's oldest. Raises not_found.
declare
  v_id uuid;
begin
  if p_workspace is null then
    select w.id into v_id from formd.workspaces w where w.team_id = p_team order by w.created_at, w.id limit 1;
  else
    select w.id into v_id from formd.workspaces w where w.team_id = p_team and w.id = p_workspace;
  end if;
  if v_id is null then
    perform formd.raise_problem('not_found', 'There is no such workspace.');
  end if;
  return v_id;
end
$$;

-- Name: workspace_create(uuid, uuid, text); Type: FUNCTION; Schema: formd; Owner: -

CREATE FUNCTION formd.workspace_create(p_team uuid, p_id uuid, p_name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- formd workspace create. Raises not_found for a team that is not there, bad_request for an empty name.
begin
  perform from formd.teams t where t.team_id = p_team;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such team.');
  end if;
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'A workspace needs a name.');
  end if;
  insert into formd.workspaces (team_id, id, name, created_at) values (p_team, p_id, p_name, formd.uuid_time(p_id));
end
$$;

-- Name: api_keys; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.api_keys (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    scopes text[] NOT NULL,
    key_prefix text NOT NULL,
    key_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    CONSTRAINT api_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['forms:read'::text, 'forms:write'::text, 'submissions:read'::text, 'submissions:update'::text, 'submissions:delete'::text, 'submissions:write'::text])))
);

-- Name: COLUMN api_keys.last_used_at; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.api_keys.last_used_at IS 'moves at most once a minute, so that reading costs no write';

-- Name: challenge_passes; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.challenge_passes (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

-- Name: challenges; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.challenges (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    type text DEFAULT 'schema'::text NOT NULL,
    form_version integer NOT NULL,
    field_id text NOT NULL,
    prompt text NOT NULL,
    status text DEFAULT 'issued'::text NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    resolved_at timestamp(3) with time zone,
    CONSTRAINT challenges_attempts_check CHECK (((attempts >= 0) AND (attempts <= 3))),
    CONSTRAINT challenges_resolved_check CHECK (((status = 'issued'::text) = (resolved_at IS NULL))),
    CONSTRAINT challenges_status_check CHECK ((status = ANY (ARRAY['issued'::text, 'passed'::text, 'failed'::text]))),
    CONSTRAINT challenges_type_check CHECK ((type = 'schema'::text))
);

-- Name: TABLE challenges; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON TABLE formd.challenges IS 'expired is no status: it is expires_at against the clock';

-- Name: form_access_keys; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.form_access_keys (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    key_prefix text NOT NULL,
    key_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    revoked_at timestamp(3) with time zone
);

-- Name: form_versions; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.form_versions (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    description text,
    schema jsonb NOT NULL,
    published_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT form_versions_version_check CHECK ((version > 0))
);

-- Name: idempotency_keys; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.idempotency_keys (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    caller_id uuid NOT NULL,
    key text NOT NULL,
    body_hash bytea NOT NULL,
    answer jsonb,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT idempotency_keys_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);

-- Name: COLUMN idempotency_keys.answer; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.idempotency_keys.answer IS 'what a 200 or a 422 said; null only inside the transaction that is making it';

-- Name: nonces; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.nonces (
    team_id uuid NOT NULL,
    signing_key_id uuid NOT NULL,
    nonce bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

-- Name: operator_sessions; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.operator_sessions (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    operator_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    seen_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

-- Name: COLUMN operator_sessions.seen_at; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.operator_sessions.seen_at IS 'moves at most once a minute; the idle limit counts from it';

-- Name: operators; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.operators (
    id uuid NOT NULL,
    email text NOT NULL,
    password_salt text NOT NULL,
    password_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT operators_email_check CHECK (((email = lower(email)) AND (email <> ''::text)))
);

-- Name: COLUMN operators.password_salt; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.operators.password_salt IS 'scrypt$N$r$p$salt, salt in base64url: what it takes to derive the hash again';

-- Name: COLUMN operators.password_hash; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.operators.password_hash IS '64 bytes of scrypt; compared here, never read by the service';

-- Name: rate_limits; Type: TABLE; Schema: formd; Owner: -

CREATE UNLOGGED TABLE formd.rate_limits (
    bucket text NOT NULL,
    ticks bigint[] NOT NULL,
    hits integer[] NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
)
WITH (fillfactor='50');

-- Name: COLUMN rate_limits.bucket; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.rate_limits.bucket IS 'what is limited and for whom, as submit:ip:192.0.2.1';

-- Name: COLUMN rate_limits.ticks; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.rate_limits.ticks IS 'microseconds since 1970, ascending';

-- Name: COLUMN rate_limits.hits; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON COLUMN formd.rate_limits.hits IS 'how many requests each tick stands for';

-- Name: schema_migrations; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.schema_migrations (
    version character varying NOT NULL
);

-- Name: sessions; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.sessions (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    agent_id uuid,
    form_id uuid,
    token_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT sessions_agent_check CHECK (((kind = 'agent'::text) = (agent_id IS NOT NULL))),
    CONSTRAINT sessions_form_check CHECK (((kind = 'anonymous'::text) = (form_id IS NOT NULL))),
    CONSTRAINT sessions_kind_check CHECK ((kind = ANY (ARRAY['agent'::text, 'anonymous'::text])))
);

-- Name: submission_counts; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.submission_counts (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    status text NOT NULL,
    slot smallint NOT NULL,
    total bigint NOT NULL
)
WITH (fillfactor='50');

-- Name: TABLE submission_counts; Type: COMMENT; Schema: formd; Owner: -

COMMENT ON TABLE formd.submission_counts IS 'fillfactor leaves room for the new version of a row on its own page (HOT): the rows change with every submit';

-- Name: submission_edits; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.submission_edits (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    submission_id uuid NOT NULL,
    id uuid NOT NULL,
    field_id text NOT NULL,
    old_value jsonb,
    new_value jsonb,
    api_key_id uuid NOT NULL,
    request_id text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    erased_at timestamp(3) with time zone,
    CONSTRAINT submission_edits_erased_check CHECK (((erased_at IS NULL) OR ((old_value IS NULL) AND (new_value IS NULL))))
);

-- Name: submission_erasures; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.submission_erasures (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    submission_id uuid NOT NULL,
    field_ids text[] NOT NULL,
    api_key_id uuid NOT NULL,
    request_id text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

-- Name: teams; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.teams (
    team_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT teams_name_check CHECK ((name <> ''::text))
);

-- Name: workspace_roles; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.workspace_roles (
    team_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    operator_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT workspace_roles_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'editor'::text, 'viewer'::text])))
);

-- Name: workspaces; Type: TABLE; Schema: formd; Owner: -

CREATE TABLE formd.workspaces (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT workspaces_name_check CHECK ((name <> ''::text))
);

-- Name: agents agents_client_id_key; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.agents
    ADD CONSTRAINT agents_client_id_key UNIQUE (team_id, client_id);

-- Name: agents agents_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (team_id, id);

-- Name: agents agents_secret_key; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.agents
    ADD CONSTRAINT agents_secret_key UNIQUE (team_id, secret_hash);

-- Name: api_keys api_keys_hash_key; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (team_id, key_hash);

-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (team_id, id);

-- Name: challenge_passes challenge_passes_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.challenge_passes
    ADD CONSTRAINT challenge_passes_pkey PRIMARY KEY (team_id, form_id, agent_id);

-- Name: challenges challenges_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.challenges
    ADD CONSTRAINT challenges_pkey PRIMARY KEY (team_id, form_id, id);

-- Name: form_access_keys form_access_keys_hash_key; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.form_access_keys
    ADD CONSTRAINT form_access_keys_hash_key UNIQUE (team_id, form_id, key_hash);

-- Name: form_access_keys form_access_keys_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.form_access_keys
    ADD CONSTRAINT form_access_keys_pkey PRIMARY KEY (team_id, form_id, id);

-- Name: form_versions form_versions_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.form_versions
    ADD CONSTRAINT form_versions_pkey PRIMARY KEY (team_id, form_id, version);

-- Name: forms forms_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.forms
    ADD CONSTRAINT forms_pkey PRIMARY KEY (team_id, id);

-- Name: grants grants_agent_form_key; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.grants
    ADD CONSTRAINT grants_agent_form_key UNIQUE (team_id, agent_id, form_id);

-- Name: grants grants_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (team_id, id);

-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (team_id, form_id, caller_id, key);

-- Name: nonces nonces_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.nonces
    ADD CONSTRAINT nonces_pkey PRIMARY KEY (team_id, signing_key_id, nonce);

-- Name: operator_sessions operator_sessions_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.operator_sessions
    ADD CONSTRAINT operator_sessions_pkey PRIMARY KEY (team_id, id);

-- Name: operator_sessions operator_sessions_token_key; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.operator_sessions
    ADD CONSTRAINT operator_sessions_token_key UNIQUE (team_id, token_hash);

-- Name: operators operators_email_key; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.operators
    ADD CONSTRAINT operators_email_key UNIQUE (email);

-- Name: operators operators_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.operators
    ADD CONSTRAINT operators_pkey PRIMARY KEY (id);

-- Name: rate_limits rate_limits_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (bucket);

-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (team_id, id);

-- Name: sessions sessions_token_key; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_token_key UNIQUE (team_id, token_hash);

-- Name: signing_keys signing_keys_key_id_key; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.signing_keys
    ADD CONSTRAINT signing_keys_key_id_key UNIQUE (team_id, key_id);

-- Name: signing_keys signing_keys_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (team_id, id);

-- Name: submission_counts submission_counts_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.submission_counts
    ADD CONSTRAINT submission_counts_pkey PRIMARY KEY (team_id, form_id, status, slot);

-- Name: submission_edits submission_edits_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.submission_edits
    ADD CONSTRAINT submission_edits_pkey PRIMARY KEY (team_id, form_id, submission_id, id);

-- Name: submission_erasures submission_erasures_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.submission_erasures
    ADD CONSTRAINT submission_erasures_pkey PRIMARY KEY (team_id, form_id, submission_id);

-- Name: submissions submissions_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.submissions
    ADD CONSTRAINT submissions_pkey PRIMARY KEY (team_id, form_id, id);

-- Name: teams teams_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (team_id);

-- Name: workspace_roles workspace_roles_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.workspace_roles
    ADD CONSTRAINT workspace_roles_pkey PRIMARY KEY (team_id, workspace_id, operator_id);

-- Name: workspaces workspaces_pkey; Type: CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (team_id, id);

-- Name: agents_workspace_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX agents_workspace_idx ON formd.agents USING btree (workspace_id, team_id, id);

-- Name: challenge_passes_agent_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX challenge_passes_agent_idx ON formd.challenge_passes USING btree (agent_id, team_id, form_id);

-- Name: challenges_agent_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX challenges_agent_idx ON formd.challenges USING btree (agent_id, team_id, form_id, expires_at);

-- Name: challenges_id_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX challenges_id_idx ON formd.challenges USING btree (id);

-- Name: challenges_version_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX challenges_version_idx ON formd.challenges USING btree (form_version, form_id, team_id);

-- Name: forms_workspace_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX forms_workspace_idx ON formd.forms USING btree (workspace_id, team_id, id);

-- Name: grants_form_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX grants_form_idx ON formd.grants USING btree (form_id, team_id, agent_id);

-- Name: idempotency_keys_expires_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX idempotency_keys_expires_idx ON formd.idempotency_keys USING btree (expires_at);

-- Name: nonces_expires_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX nonces_expires_idx ON formd.nonces USING btree (team_id, signing_key_id, expires_at);

-- Name: operator_sessions_operator_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX operator_sessions_operator_idx ON formd.operator_sessions USING btree (operator_id);

-- Name: sessions_agent_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX sessions_agent_idx ON formd.sessions USING btree (team_id, agent_id, expires_at) WHERE (agent_id IS NOT NULL);

-- Name: sessions_form_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX sessions_form_idx ON formd.sessions USING btree (team_id, form_id, expires_at) WHERE (form_id IS NOT NULL);

-- Name: signing_keys_agent_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX signing_keys_agent_idx ON formd.signing_keys USING btree (agent_id, team_id);

-- Name: submission_edits_key_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX submission_edits_key_idx ON formd.submission_edits USING btree (api_key_id, team_id);

-- Name: submission_erasures_key_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX submission_erasures_key_idx ON formd.submission_erasures USING btree (api_key_id, team_id);

-- Name: submissions_agent_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX submissions_agent_idx ON formd.submissions USING btree (team_id, form_id, submitter_id, id) WHERE (submitter_type = 'agent'::text);

-- Name: submissions_respondent_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX submissions_respondent_idx ON formd.submissions USING btree (team_id, form_id, respondent_id, id) WHERE (respondent_id IS NOT NULL);

-- Name: submissions_status_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX submissions_status_idx ON formd.submissions USING btree (team_id, form_id, status, id);

-- Name: workspace_roles_operator_idx; Type: INDEX; Schema: formd; Owner: -

CREATE INDEX workspace_roles_operator_idx ON formd.workspace_roles USING btree (operator_id, created_at);

-- Name: agents agents_workspace_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.agents
    ADD CONSTRAINT agents_workspace_fkey FOREIGN KEY (team_id, workspace_id) REFERENCES formd.workspaces(team_id, id) ON DELETE RESTRICT;

-- Name: api_keys api_keys_team_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.api_keys
    ADD CONSTRAINT api_keys_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE CASCADE;

-- Name: challenge_passes challenge_passes_agent_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.challenge_passes
    ADD CONSTRAINT challenge_passes_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;

-- Name: challenge_passes challenge_passes_form_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.challenge_passes
    ADD CONSTRAINT challenge_passes_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;

-- Name: challenges challenges_agent_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.challenges
    ADD CONSTRAINT challenges_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;

-- Name: challenges challenges_version_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.challenges
    ADD CONSTRAINT challenges_version_fkey FOREIGN KEY (team_id, form_id, form_version) REFERENCES formd.form_versions(team_id, form_id, version) ON DELETE CASCADE;

-- Name: form_access_keys form_access_keys_form_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.form_access_keys
    ADD CONSTRAINT form_access_keys_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;

-- Name: form_versions form_versions_form_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.form_versions
    ADD CONSTRAINT form_versions_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;

-- Name: forms forms_workspace_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.forms
    ADD CONSTRAINT forms_workspace_fkey FOREIGN KEY (team_id, workspace_id) REFERENCES formd.workspaces(team_id, id) ON DELETE RESTRICT;

-- Name: grants grants_agent_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.grants
    ADD CONSTRAINT grants_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;

-- Name: grants grants_form_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.grants
    ADD CONSTRAINT grants_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;

-- Name: idempotency_keys idempotency_keys_form_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.idempotency_keys
    ADD CONSTRAINT idempotency_keys_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;

-- Name: nonces nonces_key_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.nonces
    ADD CONSTRAINT nonces_key_fkey FOREIGN KEY (team_id, signing_key_id) REFERENCES formd.signing_keys(team_id, id) ON DELETE CASCADE;

-- Name: operator_sessions operator_sessions_operator_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.operator_sessions
    ADD CONSTRAINT operator_sessions_operator_fkey FOREIGN KEY (operator_id) REFERENCES formd.operators(id) ON DELETE CASCADE;

-- Name: operator_sessions operator_sessions_team_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.operator_sessions
    ADD CONSTRAINT operator_sessions_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE CASCADE;

-- Name: sessions sessions_agent_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;

-- Name: sessions sessions_form_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;

-- Name: signing_keys signing_keys_agent_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.signing_keys
    ADD CONSTRAINT signing_keys_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;

-- Name: submission_edits submission_edits_key_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.submission_edits
    ADD CONSTRAINT submission_edits_key_fkey FOREIGN KEY (team_id, api_key_id) REFERENCES formd.api_keys(team_id, id) ON DELETE RESTRICT;

-- Name: submission_erasures submission_erasures_key_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.submission_erasures
    ADD CONSTRAINT submission_erasures_key_fkey FOREIGN KEY (team_id, api_key_id) REFERENCES formd.api_keys(team_id, id) ON DELETE RESTRICT;

-- Name: workspace_roles workspace_roles_operator_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.workspace_roles
    ADD CONSTRAINT workspace_roles_operator_fkey FOREIGN KEY (operator_id) REFERENCES formd.operators(id) ON DELETE CASCADE;

-- Name: workspace_roles workspace_roles_workspace_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.workspace_roles
    ADD CONSTRAINT workspace_roles_workspace_fkey FOREIGN KEY (team_id, workspace_id) REFERENCES formd.workspaces(team_id, id) ON DELETE CASCADE;

-- Name: workspaces workspaces_team_fkey; Type: FK CONSTRAINT; Schema: formd; Owner: -

ALTER TABLE ONLY formd.workspaces
    ADD CONSTRAINT workspaces_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE CASCADE;

-- Name: SCHEMA formd; Type: ACL; Schema: -; Owner: -

GRANT USAGE ON SCHEMA formd TO formd_app;
GRANT USAGE ON SCHEMA formd TO formd_admin;

-- Name: FUNCTION access_key_create(p_team uuid, p_form uuid, p_id uuid, p_prefix text, p_hash bytea); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.access_key_create(p_team uuid, p_form uuid, p_id uuid, p_prefix text, p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.access_key_create(p_team uuid, p_form uuid, p_id uuid, p_prefix text, p_hash bytea) TO formd_admin;

-- Name: FUNCTION access_key_known(p_team uuid, p_form uuid, p_hash bytea); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.access_key_known(p_team uuid, p_form uuid, p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.access_key_known(p_team uuid, p_form uuid, p_hash bytea) TO formd_app;

-- Name: FUNCTION access_key_revoke(p_team uuid, p_form uuid, p_id uuid); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.access_key_revoke(p_team uuid, p_form uuid, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.access_key_revoke(p_team uuid, p_form uuid, p_id uuid) TO formd_admin;

-- Name: FUNCTION agent_register(p_team uuid, p_operator uuid, p_workspace uuid, p_id uuid, p_name text, p_client_id text, p_secret_prefix text, p_secret_hash bytea); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.agent_register(p_team uuid, p_operator uuid, p_workspace uuid, p_id uuid, p_name text, p_client_id text, p_secret_prefix text, p_secret_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.agent_register(p_team uuid, p_operator uuid, p_workspace uuid, p_id uuid, p_name text, p_client_id text, p_secret_prefix text, p_secret_hash bytea) TO formd_app;

-- Name: COLUMN agents.team_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(team_id) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(id) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.workspace_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(workspace_id) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.client_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(client_id) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.name; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(name) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.status; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(status) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.secret_prefix; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(secret_prefix) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.created_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(created_at) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.updated_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(updated_at) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.disabled_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(disabled_at) ON TABLE formd.agents TO formd_app;

-- Name: COLUMN agents.revoked_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(revoked_at) ON TABLE formd.agents TO formd_app;

-- Name: FUNCTION agent_require(p_team uuid, p_operator uuid, p_agent uuid, p_write boolean); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.agent_require(p_team uuid, p_operator uuid, p_agent uuid, p_write boolean) FROM PUBLIC;

-- Name: FUNCTION agent_revoke(p_team uuid, p_operator uuid, p_agent uuid); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.agent_revoke(p_team uuid, p_operator uuid, p_agent uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.agent_revoke(p_team uuid, p_operator uuid, p_agent uuid) TO formd_app;

-- Name: FUNCTION agent_rotate_secret(p_team uuid, p_operator uuid, p_agent uuid, p_secret_prefix text, p_secret_hash bytea); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.agent_rotate_secret(p_team uuid, p_operator uuid, p_agent uuid, p_secret_prefix text, p_secret_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.agent_rotate_secret(p_team uuid, p_operator uuid, p_agent uuid, p_secret_prefix text, p_secret_hash bytea) TO formd_app;

-- Name: FUNCTION agent_session_create(p_team uuid, p_secret_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_ip_bucket text, p_ip_limit integer); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.agent_session_create(p_team uuid, p_secret_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_ip_bucket text, p_ip_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.agent_session_create(p_team uuid, p_secret_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_ip_bucket text, p_ip_limit integer) TO formd_app;

-- Name: FUNCTION agent_update(p_team uuid, p_operator uuid, p_agent uuid, p_name text, p_status text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.agent_update(p_team uuid, p_operator uuid, p_agent uuid, p_name text, p_status text) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.agent_update(p_team uuid, p_operator uuid, p_agent uuid, p_name text, p_status text) TO formd_app;

-- Name: FUNCTION anonymous_session_create(p_team uuid, p_form uuid, p_access_key_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_captcha_passed boolean, p_ip_bucket text, p_ip_limit integer); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.anonymous_session_create(p_team uuid, p_form uuid, p_access_key_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_captcha_passed boolean, p_ip_bucket text, p_ip_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.anonymous_session_create(p_team uuid, p_form uuid, p_access_key_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_captcha_passed boolean, p_ip_bucket text, p_ip_limit integer) TO formd_app;

-- Name: FUNCTION api_key_create(p_team uuid, p_id uuid, p_name text, p_scopes text[], p_prefix text, p_hash bytea); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.api_key_create(p_team uuid, p_id uuid, p_name text, p_scopes text[], p_prefix text, p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.api_key_create(p_team uuid, p_id uuid, p_name text, p_scopes text[], p_prefix text, p_hash bytea) TO formd_admin;

-- Name: FUNCTION api_key_revoke(p_team uuid, p_id uuid); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.api_key_revoke(p_team uuid, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.api_key_revoke(p_team uuid, p_id uuid) TO formd_admin;

-- Name: FUNCTION api_key_use(p_team uuid, p_hash bytea); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.api_key_use(p_team uuid, p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.api_key_use(p_team uuid, p_hash bytea) TO formd_app;

-- Name: FUNCTION challenge_answer(p_team uuid, p_form uuid, p_challenge uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_ip_bucket text, p_ip_limit integer, p_access_key_hash bytea, p_verdict text, p_pass_lifetime interval); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.challenge_answer(p_team uuid, p_form uuid, p_challenge uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_ip_bucket text, p_ip_limit integer, p_access_key_hash bytea, p_verdict text, p_pass_lifetime interval) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.challenge_answer(p_team uuid, p_form uuid, p_challenge uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_ip_bucket text, p_ip_limit integer, p_access_key_hash bytea, p_verdict text, p_pass_lifetime interval) TO formd_app;

-- Name: FUNCTION challenge_issue(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_id uuid, p_field_id text, p_prompt text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.challenge_issue(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_id uuid, p_field_id text, p_prompt text) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.challenge_issue(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_id uuid, p_field_id text, p_prompt text) TO formd_app;

-- Name: FUNCTION credential_abroad(p_team uuid, p_credential text, p_hash bytea); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.credential_abroad(p_team uuid, p_credential text, p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.credential_abroad(p_team uuid, p_credential text, p_hash bytea) TO formd_app;

-- Name: FUNCTION field_position(p_fields jsonb, p_id text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.field_position(p_fields jsonb, p_id text) FROM PUBLIC;

-- Name: FUNCTION fields_apply(p_fields jsonb, p_operation jsonb); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.fields_apply(p_fields jsonb, p_operation jsonb) FROM PUBLIC;

-- Name: TABLE forms; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.forms TO formd_app;

-- Name: FUNCTION form_archive(p_team uuid, p_form uuid, p_archived boolean); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.form_archive(p_team uuid, p_form uuid, p_archived boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.form_archive(p_team uuid, p_form uuid, p_archived boolean) TO formd_admin;

-- Name: FUNCTION form_check_size(p_schema jsonb, p_settings jsonb); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.form_check_size(p_schema jsonb, p_settings jsonb) FROM PUBLIC;

-- Name: FUNCTION form_create(p_team uuid, p_id uuid, p_workspace uuid, p_name text, p_description text, p_schema jsonb); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.form_create(p_team uuid, p_id uuid, p_workspace uuid, p_name text, p_description text, p_schema jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.form_create(p_team uuid, p_id uuid, p_workspace uuid, p_name text, p_description text, p_schema jsonb) TO formd_app;

-- Name: FUNCTION form_enter(p_team uuid, p_form uuid, p_access_key_hash bytea); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.form_enter(p_team uuid, p_form uuid, p_access_key_hash bytea) FROM PUBLIC;

-- Name: FUNCTION form_patch(p_team uuid, p_form uuid, p_operations jsonb, p_expected_version bigint); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.form_patch(p_team uuid, p_form uuid, p_operations jsonb, p_expected_version bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.form_patch(p_team uuid, p_form uuid, p_operations jsonb, p_expected_version bigint) TO formd_app;

-- Name: FUNCTION form_publish(p_team uuid, p_form uuid, p_updated_at timestamp with time zone); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.form_publish(p_team uuid, p_form uuid, p_updated_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.form_publish(p_team uuid, p_form uuid, p_updated_at timestamp with time zone) TO formd_admin;

-- Name: FUNCTION form_read(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.form_read(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.form_read(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer) TO formd_app;

-- Name: FUNCTION grant_delete(p_team uuid, p_operator uuid, p_agent uuid, p_grant uuid); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.grant_delete(p_team uuid, p_operator uuid, p_agent uuid, p_grant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.grant_delete(p_team uuid, p_operator uuid, p_agent uuid, p_grant uuid) TO formd_app;

-- Name: TABLE grants; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.grants TO formd_app;

-- Name: FUNCTION grant_put(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_form uuid, p_scopes text[], p_sets_respondent boolean, p_respondent uuid, p_binding_required boolean); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.grant_put(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_form uuid, p_scopes text[], p_sets_respondent boolean, p_respondent uuid, p_binding_required boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.grant_put(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_form uuid, p_scopes text[], p_sets_respondent boolean, p_respondent uuid, p_binding_required boolean) TO formd_app;

-- Name: FUNCTION idempotency_keys_purge(); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.idempotency_keys_purge() FROM PUBLIC;
GRANT ALL ON FUNCTION formd.idempotency_keys_purge() TO formd_app;

-- Name: FUNCTION is_blank(p_text text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.is_blank(p_text text) FROM PUBLIC;

-- Name: FUNCTION json_merge_patch(p_target jsonb, p_patch jsonb); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.json_merge_patch(p_target jsonb, p_patch jsonb) FROM PUBLIC;

-- Name: FUNCTION operator_join(p_team uuid, p_workspace uuid, p_id uuid, p_email text, p_salt text, p_hash bytea, p_role text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.operator_join(p_team uuid, p_workspace uuid, p_id uuid, p_email text, p_salt text, p_hash bytea, p_role text) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.operator_join(p_team uuid, p_workspace uuid, p_id uuid, p_email text, p_salt text, p_hash bytea, p_role text) TO formd_admin;

-- Name: FUNCTION operator_login(p_team uuid, p_email text, p_password_hash bytea, p_session uuid, p_token_hash bytea, p_lifetime interval); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.operator_login(p_team uuid, p_email text, p_password_hash bytea, p_session uuid, p_token_hash bytea, p_lifetime interval) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.operator_login(p_team uuid, p_email text, p_password_hash bytea, p_session uuid, p_token_hash bytea, p_lifetime interval) TO formd_app;

-- Name: FUNCTION operator_logout(p_team uuid, p_token_hash bytea); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.operator_logout(p_team uuid, p_token_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.operator_logout(p_team uuid, p_token_hash bytea) TO formd_app;

-- Name: FUNCTION operator_require(p_team uuid, p_operator uuid, p_workspace uuid); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.operator_require(p_team uuid, p_operator uuid, p_workspace uuid) FROM PUBLIC;

-- Name: FUNCTION operator_salt(p_email text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.operator_salt(p_email text) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.operator_salt(p_email text) TO formd_app;

-- Name: FUNCTION operator_session_use(p_team uuid, p_token_hash bytea, p_idle interval); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.operator_session_use(p_team uuid, p_token_hash bytea, p_idle interval) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.operator_session_use(p_team uuid, p_token_hash bytea, p_idle interval) TO formd_app;

-- Name: FUNCTION operator_team(p_email text, p_team uuid); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.operator_team(p_email text, p_team uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.operator_team(p_email text, p_team uuid) TO formd_app;

-- Name: FUNCTION raise_problem(p_code text, p_detail text, p_extras jsonb); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.raise_problem(p_code text, p_detail text, p_extras jsonb) FROM PUBLIC;

-- Name: FUNCTION rate_limit_return(p_bucket text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.rate_limit_return(p_bucket text) FROM PUBLIC;

-- Name: FUNCTION rate_limit_take(p_bucket text, p_limit integer, p_window_ms integer, OUT allowed boolean, OUT remaining integer, OUT reset_ms integer); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.rate_limit_take(p_bucket text, p_limit integer, p_window_ms integer, OUT allowed boolean, OUT remaining integer, OUT reset_ms integer) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.rate_limit_take(p_bucket text, p_limit integer, p_window_ms integer, OUT allowed boolean, OUT remaining integer, OUT reset_ms integer) TO formd_app;

-- Name: FUNCTION rate_limits_purge(); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.rate_limits_purge() FROM PUBLIC;
GRANT ALL ON FUNCTION formd.rate_limits_purge() TO formd_app;

-- Name: FUNCTION signature_claim(p_team uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, OUT caller_id uuid, OUT outcome text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.signature_claim(p_team uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, OUT caller_id uuid, OUT outcome text) FROM PUBLIC;

-- Name: TABLE signing_keys; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.signing_keys TO formd_app;

-- Name: FUNCTION signing_key_register(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_key_id text, p_pem text, p_expires_at timestamp with time zone); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.signing_key_register(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_key_id text, p_pem text, p_expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.signing_key_register(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_key_id text, p_pem text, p_expires_at timestamp with time zone) TO formd_app;

-- Name: FUNCTION signing_key_revoke(p_team uuid, p_operator uuid, p_agent uuid, p_key_id text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.signing_key_revoke(p_team uuid, p_operator uuid, p_agent uuid, p_key_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.signing_key_revoke(p_team uuid, p_operator uuid, p_agent uuid, p_key_id text) TO formd_app;

-- Name: FUNCTION submission_count(p_team uuid, p_form uuid, p_status text, p_change integer); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.submission_count(p_team uuid, p_form uuid, p_status text, p_change integer) FROM PUBLIC;

-- Name: FUNCTION submission_decide(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_id uuid, p_verdict text, p_data jsonb, p_metadata jsonb, p_respondent uuid, p_partial boolean, p_missing text[], p_errors jsonb, p_idempotency_key text, p_body_hash bytea, OUT said formd.submitter_answer, OUT accepted formd.accepted_submission); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.submission_decide(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_id uuid, p_verdict text, p_data jsonb, p_metadata jsonb, p_respondent uuid, p_partial boolean, p_missing text[], p_errors jsonb, p_idempotency_key text, p_body_hash bytea, OUT said formd.submitter_answer, OUT accepted formd.accepted_submission) FROM PUBLIC;

-- Name: FUNCTION submission_delete(p_team uuid, p_form uuid, p_submission uuid, p_api_key uuid, p_request_id text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.submission_delete(p_team uuid, p_form uuid, p_submission uuid, p_api_key uuid, p_request_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.submission_delete(p_team uuid, p_form uuid, p_submission uuid, p_api_key uuid, p_request_id text) TO formd_app;

-- Name: TABLE submissions; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.submissions TO formd_app;

-- Name: FUNCTION submission_patch(p_team uuid, p_form uuid, p_submission uuid, p_expected_updated_at timestamp with time zone, p_edits jsonb, p_whole boolean, p_edit_ids uuid[], p_api_key uuid, p_request_id text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.submission_patch(p_team uuid, p_form uuid, p_submission uuid, p_expected_updated_at timestamp with time zone, p_edits jsonb, p_whole boolean, p_edit_ids uuid[], p_api_key uuid, p_request_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.submission_patch(p_team uuid, p_form uuid, p_submission uuid, p_expected_updated_at timestamp with time zone, p_edits jsonb, p_whole boolean, p_edit_ids uuid[], p_api_key uuid, p_request_id text) TO formd_app;

-- Name: FUNCTION submissions_receive(p_team uuid, p_items jsonb); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.submissions_receive(p_team uuid, p_items jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.submissions_receive(p_team uuid, p_items jsonb) TO formd_app;

-- Name: FUNCTION submissions_validate(p_team uuid, p_items jsonb); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.submissions_validate(p_team uuid, p_items jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.submissions_validate(p_team uuid, p_items jsonb) TO formd_app;

-- Name: FUNCTION submitter_authorize(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_scope text, p_version integer, p_ip_bucket text, p_ip_limit integer, OUT said formd.submitter_answer, OUT caller_type text, OUT caller_id uuid, OUT respondent_id uuid, OUT binding_required boolean); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.submitter_authorize(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_scope text, p_version integer, p_ip_bucket text, p_ip_limit integer, OUT said formd.submitter_answer, OUT caller_type text, OUT caller_id uuid, OUT respondent_id uuid, OUT binding_required boolean) FROM PUBLIC;

-- Name: FUNCTION team_create(p_team uuid, p_name text, p_workspace uuid, p_workspace_name text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.team_create(p_team uuid, p_name text, p_workspace uuid, p_workspace_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.team_create(p_team uuid, p_name text, p_workspace uuid, p_workspace_name text) TO formd_admin;

-- Name: FUNCTION uuid_time(p_id uuid); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.uuid_time(p_id uuid) FROM PUBLIC;

-- Name: FUNCTION validation_admit(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_agent_limit integer); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.validation_admit(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_version integer, p_ip_bucket text, p_ip_limit integer, p_agent_limit integer) FROM PUBLIC;

-- Name: FUNCTION workspace_choose(p_team uuid, p_workspace uuid); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.workspace_choose(p_team uuid, p_workspace uuid) FROM PUBLIC;

-- Name: FUNCTION workspace_create(p_team uuid, p_id uuid, p_name text); Type: ACL; Schema: formd; Owner: -

REVOKE ALL ON FUNCTION formd.workspace_create(p_team uuid, p_id uuid, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION formd.workspace_create(p_team uuid, p_id uuid, p_name text) TO formd_admin;

-- Name: COLUMN api_keys.team_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(team_id) ON TABLE formd.api_keys TO formd_app;

-- Name: COLUMN api_keys.id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(id) ON TABLE formd.api_keys TO formd_app;

-- Name: COLUMN api_keys.name; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(name) ON TABLE formd.api_keys TO formd_app;

-- Name: COLUMN api_keys.scopes; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(scopes) ON TABLE formd.api_keys TO formd_app;

-- Name: COLUMN api_keys.key_prefix; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(key_prefix) ON TABLE formd.api_keys TO formd_app;

-- Name: COLUMN api_keys.created_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(created_at) ON TABLE formd.api_keys TO formd_app;

-- Name: COLUMN api_keys.last_used_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(last_used_at) ON TABLE formd.api_keys TO formd_app;

-- Name: COLUMN api_keys.revoked_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(revoked_at) ON TABLE formd.api_keys TO formd_app;

-- Name: TABLE challenge_passes; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.challenge_passes TO formd_app;

-- Name: TABLE challenges; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.challenges TO formd_app;

-- Name: COLUMN form_access_keys.team_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(team_id) ON TABLE formd.form_access_keys TO formd_app;

-- Name: COLUMN form_access_keys.form_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(form_id) ON TABLE formd.form_access_keys TO formd_app;

-- Name: COLUMN form_access_keys.id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(id) ON TABLE formd.form_access_keys TO formd_app;

-- Name: COLUMN form_access_keys.key_prefix; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(key_prefix) ON TABLE formd.form_access_keys TO formd_app;

-- Name: COLUMN form_access_keys.created_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(created_at) ON TABLE formd.form_access_keys TO formd_app;

-- Name: COLUMN form_access_keys.revoked_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(revoked_at) ON TABLE formd.form_access_keys TO formd_app;

-- Name: TABLE form_versions; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.form_versions TO formd_app;

-- Name: COLUMN operator_sessions.team_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(team_id) ON TABLE formd.operator_sessions TO formd_app;

-- Name: COLUMN operator_sessions.id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(id) ON TABLE formd.operator_sessions TO formd_app;

-- Name: COLUMN operator_sessions.operator_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(operator_id) ON TABLE formd.operator_sessions TO formd_app;

-- Name: COLUMN operator_sessions.created_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(created_at) ON TABLE formd.operator_sessions TO formd_app;

-- Name: COLUMN operator_sessions.seen_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(seen_at) ON TABLE formd.operator_sessions TO formd_app;

-- Name: COLUMN operator_sessions.expires_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(expires_at) ON TABLE formd.operator_sessions TO formd_app;

-- Name: COLUMN operators.id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(id) ON TABLE formd.operators TO formd_app;

-- Name: COLUMN operators.email; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(email) ON TABLE formd.operators TO formd_app;

-- Name: COLUMN operators.created_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(created_at) ON TABLE formd.operators TO formd_app;

-- Name: TABLE schema_migrations; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.schema_migrations TO formd_app;

-- Name: COLUMN sessions.team_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(team_id) ON TABLE formd.sessions TO formd_app;

-- Name: COLUMN sessions.id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(id) ON TABLE formd.sessions TO formd_app;

-- Name: COLUMN sessions.kind; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(kind) ON TABLE formd.sessions TO formd_app;

-- Name: COLUMN sessions.agent_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(agent_id) ON TABLE formd.sessions TO formd_app;

-- Name: COLUMN sessions.form_id; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(form_id) ON TABLE formd.sessions TO formd_app;

-- Name: COLUMN sessions.created_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(created_at) ON TABLE formd.sessions TO formd_app;

-- Name: COLUMN sessions.expires_at; Type: ACL; Schema: formd; Owner: -

GRANT SELECT(expires_at) ON TABLE formd.sessions TO formd_app;

-- Name: TABLE submission_counts; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.submission_counts TO formd_app;

-- Name: TABLE submission_edits; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.submission_edits TO formd_app;

-- Name: TABLE submission_erasures; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.submission_erasures TO formd_app;

-- Name: TABLE teams; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.teams TO formd_app;

-- Name: TABLE workspace_roles; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.workspace_roles TO formd_app;

-- Name: TABLE workspaces; Type: ACL; Schema: formd; Owner: -

GRANT SELECT ON TABLE formd.workspaces TO formd_app;

