create or replace function formd.form_enter(p_team uuid, p_form uuid, p_access_key_hash bytea) returns formd.form_entry
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
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

create or replace function formd.submitter_authorize(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz, p_scope text, p_version integer, p_ip_bucket text, p_ip_limit integer,
  out said formd.submitter_answer, out caller_type text, out caller_id uuid, out respondent_id uuid, out binding_required boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

create or replace function formd.validation_admit(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz,
  p_version integer, p_ip_bucket text, p_ip_limit integer, p_agent_limit integer) returns formd.submitter_answer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

create or replace function formd.submissions_validate(p_team uuid, p_items jsonb) returns setof formd.submitter_answer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
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

create or replace function formd.form_read(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz, p_version integer)
returns table (outcome text, name text, description text, form_version integer, form_schema jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
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
