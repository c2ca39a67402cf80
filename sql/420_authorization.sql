-- Authorization of submitters on a form: to read it, validate, submit, ask for a challenge.

create or replace function formd.form_closed(p_team uuid, p_form uuid, p_settings jsonb) returns jsonb
language plpgsql stable as $$
-- Returns why a form takes no submissions now, by settings.availability; null: it takes them.
-- Reads: submission_counts
-- Index: submission_counts_pkey
-- Why: that a form is full is exact only after form_capacity_lock.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_availability jsonb := p_settings -> 'availability';
  v_opens_at timestamptz(3) := formd.instant_parse(v_availability -> 'opensAt');
  v_closes_at timestamptz(3) := formd.instant_parse(v_availability -> 'closesAt');
begin
  if v_now < v_opens_at then
    return jsonb_build_object('reason', 'not_open', 'opensAt', formd.timestamp_text(v_opens_at));
  elsif v_now >= v_closes_at then
    return jsonb_build_object('reason', 'closed', 'closesAt', formd.timestamp_text(v_closes_at));
  elsif formd.form_capacity(p_team, p_form, p_settings) <= 0 then
    return jsonb_build_object('reason', 'full');
  end if;
  return null;
end
$$;

create or replace function formd.form_capacity(p_team uuid, p_form uuid, p_settings jsonb) returns numeric
language plpgsql stable as $$
-- Returns how many submissions a form can still take; null: any number.
-- Reads: submission_counts
-- Index: submission_counts_pkey
declare
  v_max jsonb := p_settings #> '{availability, maxSubmissions}';
begin
  if jsonb_typeof(v_max) = 'number' then
    return v_max::numeric
      - coalesce((select sum(c.total) from formd.submission_counts c where c.team_id = p_team
        and c.form_id = p_form), 0);
  end if;
  return null;
end
$$;

create or replace function formd.form_capacity_lock(p_team uuid, p_form uuid, p_settings jsonb)
  returns numeric
language plpgsql volatile as $$
-- Waits for the submissions of a form that others are storing, and returns how many it can still take.
-- Reads: forms; what form_capacity reads
-- Locks: the form's row, for no key update
-- Index: forms_pkey
-- Why: the statement that counts begins after the lock, and sees what was committed before it. Sessions and
--   submissions reference the row (for key share), and do not wait.
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form for no key update;
  return formd.form_capacity(p_team, p_form, p_settings);
end
$$;

create or replace function formd.submitter_form_load(p_team uuid, p_form uuid, p_access_key_hash bytea)
  returns formd.submitter_form
language plpgsql stable as $$
-- Returns the form that an access key names, and whether the key is valid. Columns are null if the form does
-- not exist.
-- Reads: forms, form_access_keys; what form_closed reads, for a form with settings.availability
-- Index: forms_pkey, form_access_keys_hash_key
declare
  v_now timestamptz(3) := clock_timestamp();
  v_form formd.submitter_form;
begin
  v_form.form_id := p_form;
  v_form.access_key_hash := p_access_key_hash;
  select f.workspace_id, f.status, f.settings_in_force, f.current_version, f.has_limits
  into v_form.workspace_id, v_form.status, v_form.settings, v_form.version, v_form.has_limits
  from formd.forms f where f.team_id = p_team and f.id = p_form;
  perform from formd.form_access_keys k
  where k.team_id = p_team and k.form_id = p_form and k.key_hash = p_access_key_hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > v_now);
  v_form.access_key_is_valid := found;
  if v_form.settings ? 'availability' then
    v_form.closed := formd.form_closed(p_team, p_form, v_form.settings);
  end if;
  return v_form;
end
$$;

create or replace function formd.submitter_count_ip(p_ip_key text, p_ip_limit integer,
  p_result formd.submitter_result) returns formd.submitter_result
language plpgsql volatile as $$
-- Counts a request for its client IP, and returns its result with the state of that rate limit.
-- Writes: what rate_limit_count writes
-- Locks: what rate_limit_count locks
-- Outcomes: rate_limited, instead of any other
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_rate formd.rate_limit_state := formd.rate_limit_count(p_ip_key, p_ip_limit, c_rate_limit_window_ms);
begin
  if not v_rate.allowed then
    p_result := null;
    p_result.outcome := 'rate_limited';
  end if;
  p_result.limit_name := 'ip';
  p_result.max_requests := p_ip_limit;
  p_result.window_ms := c_rate_limit_window_ms;
  p_result.remaining := v_rate.remaining;
  p_result.reset_ms := v_rate.reset_ms;
  return p_result;
end
$$;

create or replace function formd.submitter_admit(p_team uuid, p_form formd.submitter_form,
  p_credentials formd.submitter_credentials, p_scope text, p_ip_key text default null,
  p_ip_limit integer default null, p_admitted boolean default false,
  out result formd.submitter_result, out respondent_id uuid, out binding_required boolean,
  out signing_key_id uuid)
language plpgsql volatile as $$
-- Counts the request for its client IP and decides whether the caller may act on the form. The caller of this
-- function then claims the nonce of a signature, by submitter_claim_nonce.
-- Route: every route below /submitter/form
-- Reads: sessions, agents, grants, signing_keys; api_keys by api_key_authenticate; what invitation_outcome
--   reads, of an invited page
-- Writes: what submitter_count_ip writes
-- Locks: what submitter_count_ip locks
-- Outcomes, in the order of the checks: rate_limited; unauthorized (access key or credential) or key_unusable
--   (the same to the caller and another line in the log); of a page: those of form_page_outcome, and of
--   invitation_outcome;
--   agent_inactive; workspace_mismatch; no_grant; missing_scope; form_not_published; anonymous_not_allowed
--   (the setting applies to live sessions); null: the caller may. For an agent, respondent_id and
--   binding_required are those of its grant; of a session for a person, respondent_id is that person.
-- Index: sessions_token_key, signing_keys_key_id_key, agents_pkey, grants_agent_form_key
-- Why: without an access key only an agent may act, on a form that its grant names: a tool of /mcp, and a
--   page, whose session is created with its submission. A token for /mcp is not accepted on other routes
--   (they send an access key). A token of fewer scopes has only scopes that its grant has too. p_scope null
--   asks for any grant.
--   p_ip_key null: the route has no limit per client IP. p_admitted true: a call for this request was
--   admitted before, and it was counted. Everything else is read again. A session for a person needs a grant
--   that names this person, or takes the asserted one, so that no identity provider raises a right.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_session_form uuid;
  v_session_scopes text[];
  v_resource text;
  v_person uuid;
  v_grant_respondent text;
  v_agent_status text;
  v_agent_workspace uuid;
  v_scopes text[];
begin
  -- Counted first, so that guessing secrets is limited too.
  if p_ip_key is not null and p_admitted is not true then
    result := formd.submitter_count_ip(p_ip_key, p_ip_limit, result);
    if result.outcome is not null then
      return;
    end if;
  end if;

  -- A wrong access key is refused whatever the credential is: it tells nothing about either.
  if p_credentials.access_key_hash is not null and p_form.access_key_is_valid is not true then
    result.outcome := 'unauthorized';
    return;
  end if;
  -- A page has no session before its first submission; the form itself says who may.
  if p_credentials.credential = 'page' then
    result.caller_type := 'anonymous';
    result.provenance := 'person';
    result.outcome := nullif(formd.form_page_outcome(p_form.status, p_form.settings,
      p_is_invited => p_credentials.invitation_hash is not null), 'allowed');
    if result.outcome is null and p_credentials.invitation_hash is not null then
      result.outcome := nullif(formd.invitation_outcome(p_team, p_form.form_id, p_credentials), 'allowed');
    end if;
    return;
  end if;
  -- The caller. A session of another form is not accepted.
  if p_credentials.credential = 'signature' then
    result.caller_type := 'agent';
    result.provenance := 'agent_signed';
    select k.id, k.agent_id into signing_key_id, result.caller_id
    from formd.signing_key_find(p_team, p_credentials.key_id) as k;
    if signing_key_id is null then
      result.outcome := case when p_credentials.key_id is null then 'unauthorized' else 'key_unusable' end;
    end if;
  elsif p_credentials.credential = 'api_key' then
    result.caller_type := 'api_key';
    result.provenance := 'owner';
    select nullif(k.outcome, 'allowed'), k.api_key_id into result.outcome, result.caller_id
    from formd.api_key_authenticate(p_team => p_team, p_hash => p_credentials.credential_hash,
      p_scope => 'submissions:write', p_write_limit => null) as k;
  else
    select s.kind, coalesce(s.agent_id, s.id), s.form_id, s.scopes, s.resource, s.respondent_id
    into result.caller_type, result.caller_id, v_session_form, v_session_scopes, v_resource, v_person
    from formd.sessions s
    where s.team_id = p_team and s.token_hash = p_credentials.credential_hash and s.expires_at > v_now;
    result.provenance := case when v_person is not null then 'agent_for_person'
      when result.caller_type = 'agent' then 'agent' else 'person' end;
    if not found or v_session_form <> p_form.form_id
       or v_resource is not null and p_credentials.access_key_hash is not null then
      result.outcome := 'unauthorized';
    end if;
  end if;
  -- Only an agent has a grant that names the form; others prove by the access key that they were given it.
  if result.outcome is null and p_credentials.access_key_hash is null and result.caller_type <> 'agent' then
    result.outcome := 'unauthorized';
  end if;
  if result.outcome is not null then
    return;
  end if;

  -- An agent that is not active may do nothing, whatever its grants say.
  if result.caller_type = 'agent' then
    select a.status, a.workspace_id into v_agent_status, v_agent_workspace
    from formd.agents a where a.team_id = p_team and a.id = result.caller_id;
    if v_agent_status <> 'active' then
      result.outcome := 'agent_inactive';
      return;
    elsif v_agent_workspace <> p_form.workspace_id then
      result.outcome := 'workspace_mismatch';
      return;
    end if;
    select g.scopes, g.respondent_id, g.binding_required, g.respondent
    into v_scopes, respondent_id, binding_required, v_grant_respondent
    from formd.grants g where g.team_id = p_team and g.agent_id = result.caller_id
      and g.form_id = p_form.form_id;
    if not found or v_person is not null and v_grant_respondent is null
       and respondent_id is distinct from v_person then
      result.outcome := 'no_grant';
      return;
    elsif p_scope <> all (v_scopes) or p_scope <> all (v_session_scopes) then
      result.outcome := 'missing_scope';
      return;
    end if;
    if v_person is not null then
      respondent_id := v_person;
      binding_required := false;
    elsif v_grant_respondent is not null then
      binding_required := true;
    end if;
  end if;

  -- Last, so that only who may act on the form learns its state.
  if p_form.status <> 'published' then
    result.outcome := 'form_not_published';
  elsif result.caller_type = 'anonymous' and formd.anonymous_is_refused(p_form.settings) then
    result.outcome := 'anonymous_not_allowed';
  end if;
end
$$;

create or replace function formd.submitter_claim_nonce(p_team uuid, p_credentials formd.submitter_credentials,
  p_authorization formd.submitter_authorization, p_admitted boolean) returns formd.submitter_authorization
language plpgsql volatile as $$
-- Claims the nonce of a request that submitter_admit found signed by a usable key. Others pass.
-- Writes: nonces
-- Locks: what nonce_claim locks
-- Outcomes: nonce_used, instead of any other
-- Why: p_admitted true: a call for this request was admitted before, and has claimed the nonce.
begin
  if p_authorization.signing_key_id is not null and p_admitted is not true
     and not formd.nonce_claim(p_team, p_authorization.signing_key_id, p_credentials.nonce,
       p_credentials.nonce_expires_at) then
    p_authorization.result.outcome := 'nonce_used';
    p_authorization.result.caller_id := null;
  end if;
  return p_authorization;
end
$$;

create or replace function formd.credential_cross_tenant(p_team uuid, p_form uuid,
  p_credentials formd.submitter_credentials, p_credential_team uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns the code for a caller that was unauthorized and whose session or API key names another team.
-- Route: every route below /submitter/form
-- Writes: what submitter_admit writes
-- Outcomes: unauthorized (access key or credential), agent_inactive, tenant_mismatch.
-- Why: submitter_admit looks the credential up in its own team, with a form that does not exist.
declare
  v_form formd.submitter_form := formd.submitter_form_load(p_team, p_form, p_credentials.access_key_hash);
  v_authorization formd.submitter_authorization;
begin
  if not v_form.access_key_is_valid then
    return 'unauthorized';
  end if;
  v_form := null;
  v_form.access_key_is_valid := true;
  v_authorization := formd.submitter_admit(p_credential_team, v_form, p_credentials, p_scope => null);
  return case when (v_authorization.result).outcome in ('unauthorized', 'agent_inactive')
    then (v_authorization.result).outcome
    else 'tenant_mismatch' end;
end
$$;
