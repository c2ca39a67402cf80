-- Reading the published form, and the dry run: what a submitter does before a submit. Locks in the order that
-- 500_submit.sql names.

create or replace function formd.submitter_form_read(p_team uuid, p_form uuid,
  p_credentials formd.submitter_credentials,
  out outcome text, out caller_type text, out caller_id uuid, out name text, out description text,
  out form_version integer, out form_schema jsonb, out examples jsonb, out full_options jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns the published version of a form, the options that are full, and the examples in its settings, which
-- may belong to a later draft.
-- Route: GET /submitter/form
-- Reads: form_versions; what submitter_admit and options_full read
-- Writes: what submitter_admit and submitter_claim_nonce write
-- Outcomes: those of submitter_admit and submitter_claim_nonce, allowed.
-- Index: form_versions_pkey
-- Why: the specification names no rate limit for this route.
declare
  v_form formd.submitter_form := formd.submitter_form_load(p_team, p_form, p_credentials.access_key_hash);
  v_authorization formd.submitter_authorization;
begin
  v_authorization := formd.submitter_admit(p_team, v_form, p_credentials, p_scope => 'agent:read');
  v_authorization := formd.submitter_claim_nonce(p_team, p_credentials, v_authorization, false);
  outcome := coalesce((v_authorization.result).outcome, 'allowed');
  caller_type := (v_authorization.result).caller_type;
  caller_id := (v_authorization.result).caller_id;
  if outcome = 'allowed' then
    select v.name, v.description, v.version, v.schema into name, description, form_version, form_schema
    from formd.form_versions v where v.team_id = p_team and v.form_id = p_form and v.version = v_form.version;
    examples := v_form.settings -> 'examples';
    if v_form.has_limits then
      full_options := formd.options_full(p_team, p_form);
    end if;
  end if;
end
$$;

create or replace function formd.validation_evaluate(p_team uuid, p_item formd.validation_item,
  p_form formd.submitter_form,
  p_authorization formd.submitter_authorization, p_counts_ip boolean) returns formd.submitter_result
language plpgsql volatile as $$
-- Decides whether the payload of an authorized caller is validated, and counts it for the agent.
-- Reads: form_versions; what options_full reads
-- Writes: rate_limits, nonces
-- Locks: the rate limit of the agent, which all that is the agent's own follows; its nonce
-- Outcomes: those of submitter_admit and submitter_claim_nonce, form_closed, rate_limited (agent), admitted.
-- Index: form_versions_pkey
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_result formd.submitter_result;
  v_agent_key text := 'validate:agent:' || (p_authorization.result).caller_id;
  v_rate formd.rate_limit_state;
begin
  if p_counts_ip then
    v_result := formd.submitter_count_ip(p_item.ip_key, p_item.ip_limit, p_authorization.result);
    if v_result.outcome = 'rate_limited' then
      return v_result;
    end if;
    p_authorization.result := v_result;
  end if;
  if p_authorization.signing_key_id is not null then
    perform formd.rate_limit_lock(v_agent_key);
    p_authorization := formd.submitter_claim_nonce(p_team, p_item.credentials, p_authorization, false);
  end if;
  v_result := p_authorization.result;
  if v_result.outcome is null and p_form.closed is not null then
    v_result.outcome := 'form_closed';
    v_result.response := p_form.closed;
  end if;
  if v_result.outcome is null and v_result.caller_type = 'agent' then
    v_rate := formd.rate_limit_count(v_agent_key, p_item.agent_limit, c_rate_limit_window_ms);
    v_result.limit_name := 'agent';
    v_result.max_requests := p_item.agent_limit;
    v_result.window_ms := c_rate_limit_window_ms;
    v_result.remaining := v_rate.remaining;
    v_result.reset_ms := v_rate.reset_ms;
    if not v_rate.allowed then
      perform formd.rate_limit_refund(p_item.ip_key);
      v_result.outcome := 'rate_limited';
    end if;
  end if;
  if v_result.outcome is null then
    v_result.outcome := 'admitted';
    if p_form.has_limits then
      v_result.response := jsonb_build_object('full', formd.options_full(p_team, p_form.form_id));
    end if;
    if p_item.version is distinct from p_form.version then
      select v.version, v.schema into v_result.form_version, v_result.form_schema
      from formd.form_versions v where v.team_id = p_team and v.form_id = p_item.form_id
        and v.version = p_form.version;
    end if;
  end if;
  return v_result;
end
$$;

create or replace function formd.validations_admit(p_team uuid, p_items jsonb)
  returns setof formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Decides for each item of a list (formd.validation_item) whether the payload is validated, and counts it.
-- Route: POST /submitter/form/validation. The server validates what is admitted; nothing is stored.
-- Reads: what submitter_admit and validation_evaluate read
-- Writes: what submitter_admit and validation_evaluate write
-- Locks: what submitter_admit locks, for all items; then what validation_evaluate locks, caller by caller
-- Outcomes: those of validation_evaluate, one row per item, in the order of the list.
-- Why: p_team null: each item names its own team.
declare
  v_item formd.validation_item;
  v_team uuid;
  v_shared text[] := formd.shared_ip_keys(p_items);
  v_is_shared boolean;
  v_ip_key text;
  v_form formd.submitter_form;
  v_authorization formd.submitter_authorization;
  v_admission formd.validation_admission;
  v_admitted formd.validation_admission[];
  v_keys text[] := array[]::text[];
  v_position integer;
  v_results formd.submitter_result[] := array[]::formd.submitter_result[];
  v_result formd.submitter_result;
begin
  for v_item in select * from jsonb_populate_recordset(null::formd.validation_item, p_items) loop
    v_item.team_id := coalesce(p_team, v_item.team_id);
    if v_form.form_id is distinct from v_item.form_id or v_team is distinct from v_item.team_id
       or v_form.access_key_hash is distinct from (v_item.credentials).access_key_hash then
      v_team := v_item.team_id;
      v_form := formd.submitter_form_load(v_team, v_item.form_id, (v_item.credentials).access_key_hash);
    end if;
    v_is_shared := v_item.ip_key = any (v_shared);
    if v_is_shared and v_ip_key is distinct from v_item.ip_key then
      v_ip_key := v_item.ip_key;
      perform formd.rate_limit_lock(v_ip_key);
    end if;
    v_authorization := formd.submitter_admit(
      p_team => v_team, p_form => v_form, p_credentials => v_item.credentials, p_scope => 'agent:validate',
      p_ip_key => case when v_is_shared then null
      else v_item.ip_key end, p_ip_limit => v_item.ip_limit, p_admitted => false);
    v_admitted := array_append(v_admitted, row(v_item, v_form, v_authorization)::formd.validation_admission);
    v_keys := array_append(v_keys, concat_ws(' ', (v_authorization.result).caller_id,
      (v_item.credentials).nonce));
  end loop;

  foreach v_position in array formd.sorted_positions(v_keys) loop
    v_admission := v_admitted[v_position];
    v_results[v_position] := formd.validation_evaluate((v_admission.item).team_id, v_admission.item,
      v_admission.form,
      v_admission.caller, (v_admission.item).ip_key = any (v_shared));
  end loop;
  foreach v_result in array v_results loop
    return next v_result;
  end loop;
end
$$;
