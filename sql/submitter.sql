create or replace function formd.submitter_authorize(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz, p_scope text,
  out outcome text, out caller_type text, out caller_id uuid, out respondent_id uuid, out binding_required boolean, out settings jsonb)
language plpgsql volatile security definer set search_path = '' as $$
-- Who calls, and may they, on this form, now? For every submitter route. Everything is read live and by key, one table a statement.
-- p_credential: 'session' (x-respondent-token) or 'api_key', with its SHA-256 in p_credential_hash; or 'signature', which the caller has
-- verified against the public key p_key_id (null: it did not verify). The key's state is read here, and the nonce is claimed: of any number
-- of requests with one nonce, one gets past this, whatever it is answered then, and a crash forgets none.
-- Outcomes, in the order of the checks: unauthorized (access key or credential; key_unusable and nonce_used are the same to the caller,
-- and another line in the log), agent_inactive, workspace_mismatch, no_grant,
-- missing_scope, form_not_published, else null: allowed. For an agent also what its grant says of respondents.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_workspace uuid;
  v_status text;
  v_session_form uuid;
  v_agent_status text;
  v_agent_workspace uuid;
  v_scopes text[];
begin
  perform from formd.form_access_keys k
  where k.team_id = p_team and k.form_id = p_form and k.key_hash = p_access_key_hash and k.revoked_at is null;
  if not found then
    outcome := 'unauthorized';
    return;
  end if;
  select f.workspace_id, f.status, f.settings into v_workspace, v_status, settings
  from formd.forms f where f.team_id = p_team and f.id = p_form;

  if p_credential = 'signature' then
    caller_type := 'agent';
    select c.caller_id, c.outcome into caller_id, outcome from formd.signature_claim(p_team, p_key_id, p_nonce, p_nonce_expires_at) as c;
  elsif p_credential = 'api_key' then
    caller_type := 'api_key';
    select k.id, k.scopes into caller_id, v_scopes from formd.api_key_use(p_team, p_credential_hash) as k;
    if not found then
      outcome := 'unauthorized';
    elsif 'submissions:write' <> all (v_scopes) then
      outcome := 'missing_scope';
    end if;
  else
    select s.kind, coalesce(s.agent_id, s.id), s.form_id into caller_type, caller_id, v_session_form
    from formd.sessions s where s.team_id = p_team and s.token_hash = p_credential_hash and s.expires_at > v_now;
    if not found or v_session_form <> p_form then
      outcome := 'unauthorized';
    end if;
  end if;
  if outcome is not null then
    return;
  end if;

  if caller_type = 'agent' then
    select a.status, a.workspace_id into v_agent_status, v_agent_workspace
    from formd.agents a where a.team_id = p_team and a.id = caller_id;
    if v_agent_status <> 'active' then
      outcome := 'agent_inactive';
      return;
    elsif v_agent_workspace <> v_workspace then
      outcome := 'workspace_mismatch';
      return;
    end if;
    select g.scopes, g.respondent_id, g.binding_required into v_scopes, respondent_id, binding_required
    from formd.grants g where g.team_id = p_team and g.agent_id = caller_id and g.form_id = p_form;
    if not found then
      outcome := 'no_grant';
      return;
    elsif p_scope <> all (v_scopes) then
      outcome := 'missing_scope';
      return;
    end if;
  end if;

  if v_status <> 'published' then
    outcome := 'form_not_published';
  end if;
end
$$;

create or replace function formd.form_version_if_stale(p_team uuid, p_form uuid, p_version integer,
  out version integer, out schema jsonb)
language plpgsql stable security definer set search_path = '' as $$
-- The published version, if it is another than the one that the caller holds compiled (null: none); all null if it is the same, or
-- if there is nothing published. So a payload is never judged by a version that is not the current one.
declare
  v_current integer;
begin
  select nullif(f.current_version, 0) into v_current from formd.forms f where f.team_id = p_team and f.id = p_form;
  if v_current is distinct from p_version and v_current is not null then
    version := v_current;
    select v.schema into schema from formd.form_versions v where v.team_id = p_team and v.form_id = p_form and v.version = v_current;
  end if;
end
$$;

create or replace function formd.submission_validate(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz,
  p_version integer, p_ip_bucket text, p_ip_limit integer, p_agent_limit integer)
returns table (outcome text, bucket text, bucket_limit integer, window_ms integer, remaining integer, reset_ms integer, form_version integer, form_schema jsonb)
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off as $$
-- POST /submitter/form/validation: may the caller have the payload judged? (The judging is done outside; nothing is stored.)
-- Outcomes: stale_version (nothing was counted; form_version and form_schema say what to compile, then call again), rate_limited,
-- what submitter_authorize says, allowed. bucket is the throttle that the answer's RateLimit fields are about.
declare
  v_auth record;
  v_rate record;
begin
  select s.version, s.schema into form_version, form_schema from formd.form_version_if_stale(p_team, p_form, p_version) as s;
  if form_version is not null then
    outcome := 'stale_version';
    return next;
    return;
  end if;

  bucket := 'ip';
  bucket_limit := p_ip_limit;
  window_ms := 60000;
  select * into v_rate from formd.rate_limit_take(p_ip_bucket, p_ip_limit, 60000);
  remaining := v_rate.remaining;
  reset_ms := v_rate.reset_ms;
  if not v_rate.allowed then
    outcome := 'rate_limited';
    return next;
    return;
  end if;

  select * into v_auth from formd.submitter_authorize(p_team, p_form, p_access_key_hash, p_credential, p_credential_hash,
    p_key_id, p_nonce, p_nonce_expires_at, 'agent:validate');
  outcome := v_auth.outcome;
  if outcome is null and v_auth.caller_type = 'agent' then
    select * into v_rate from formd.rate_limit_take('validate:agent:' || v_auth.caller_id, p_agent_limit, 60000);
    bucket := 'agent';
    bucket_limit := p_agent_limit;
    remaining := v_rate.remaining;
    reset_ms := v_rate.reset_ms;
    if not v_rate.allowed then
      perform formd.rate_limit_return(p_ip_bucket);
      outcome := 'rate_limited';
    end if;
  end if;
  outcome := coalesce(outcome, 'allowed');
  return next;
end
$$;

create or replace function formd.form_read(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz, p_version integer)
returns table (outcome text, name text, description text, form_version integer, form_schema jsonb)
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off as $$
-- GET /submitter/form: the published version, for who may fill it in. No throttle is named for it.
-- Outcomes: stale_version (form_version and form_schema say what to compile, then call again), what submitter_authorize says, allowed.
begin
  select s.version, s.schema into form_version, form_schema from formd.form_version_if_stale(p_team, p_form, p_version) as s;
  if form_version is not null then
    outcome := 'stale_version';
    return next;
    return;
  end if;

  select a.outcome into outcome
  from formd.submitter_authorize(p_team, p_form, p_access_key_hash, p_credential, p_credential_hash, p_key_id, p_nonce, p_nonce_expires_at,
    'agent:read') as a;
  if outcome is null then
    outcome := 'allowed';
    select v.name, v.description, v.version, v.schema into name, description, form_version, form_schema
    from formd.form_versions v where v.team_id = p_team and v.form_id = p_form and v.version = p_version;
  end if;
  return next;
end
$$;
