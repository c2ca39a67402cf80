-- Submit, dry run and reading the published form.

create or replace function formd.submitter_form_read(p_team uuid, p_form uuid, p_credentials formd.submitter_credentials,
  out outcome text, out caller_type text, out caller_id uuid, out name text, out description text, out form_version integer, out form_schema jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Returns the published version of a form.
-- Route: GET /submitter/form
-- Reads: form_versions; what submitter_authorize reads
-- Outcomes: those of submitter_authorize, allowed.
-- Index: form_versions_pkey
-- Why: the specification names no rate limit for this route.
declare
  v_form formd.submitter_form := formd.submitter_form_load(p_team, p_form, p_credentials.access_key_hash);
  v_authorization formd.submitter_authorization;
begin
  v_authorization := formd.submitter_authorize(
    p_team => p_team, p_form => v_form, p_credentials => p_credentials, p_scope => 'agent:read',
    p_ip_key => null, p_ip_limit => null, p_admitted => false);
  outcome := coalesce((v_authorization.result).outcome, 'allowed');
  caller_type := (v_authorization.result).caller_type;
  caller_id := (v_authorization.result).caller_id;
  if outcome = 'allowed' then
    select v.name, v.description, v.version, v.schema into name, description, form_version, form_schema
    from formd.form_versions v where v.team_id = p_team and v.form_id = p_form and v.version = v_form.version;
  end if;
end
$$;

create or replace function formd.validations_admit(p_team uuid, p_items jsonb) returns setof formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Decides for each item of a list (formd.validation_item) whether the caller may have a payload validated, and counts it.
-- Route: POST /submitter/form/validation. The server validates what is admitted; nothing is stored.
-- Reads: form_versions; what submitter_authorize reads
-- Writes: what submitter_authorize writes; the rate limit of the agent
-- Locks: what submitter_authorize locks; the rate limit of the agent
-- Outcomes, one row per item, in the order of the list: those of submitter_authorize, rate_limited (by the limit of the agent
--   as well), admitted.
-- Index: form_versions_pkey
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_item formd.validation_item;
  v_form formd.submitter_form;
  v_authorization formd.submitter_authorization;
  v_result formd.submitter_result;
  v_rate formd.rate_limit_state;
begin
  for v_item in select * from jsonb_populate_recordset(null::formd.validation_item, p_items) loop
    if v_form.form_id is distinct from v_item.form_id
       or v_form.access_key_hash is distinct from (v_item.credentials).access_key_hash then
      v_form := formd.submitter_form_load(p_team, v_item.form_id, (v_item.credentials).access_key_hash);
    end if;
    v_authorization := formd.submitter_authorize(
      p_team => p_team, p_form => v_form, p_credentials => v_item.credentials, p_scope => 'agent:validate',
      p_ip_key => v_item.ip_key, p_ip_limit => v_item.ip_limit, p_admitted => false);
    v_result := v_authorization.result;

    if v_result.outcome is null and v_result.caller_type = 'agent' then
      v_rate := formd.rate_limit_take('validate:agent:' || v_result.caller_id, v_item.agent_limit, c_rate_limit_window_ms);
      v_result.limit_name := 'agent';
      v_result.max_requests := v_item.agent_limit;
      v_result.window_ms := c_rate_limit_window_ms;
      v_result.remaining := v_rate.remaining;
      v_result.reset_ms := v_rate.reset_ms;
      if not v_rate.allowed then
        perform formd.rate_limit_refund(v_item.ip_key);
        v_result.outcome := 'rate_limited';
      end if;
    end if;

    if v_result.outcome is null then
      v_result.outcome := 'admitted';
      if v_item.version is distinct from v_form.version then
        select v.version, v.schema into v_result.form_version, v_result.form_schema
        from formd.form_versions v where v.team_id = p_team and v.form_id = v_item.form_id and v.version = v_form.version;
      end if;
    end if;
    return next v_result;
  end loop;
end
$$;

create or replace function formd.submission_evaluate(p_team uuid, p_form formd.submitter_form, p_item formd.submission_item,
  out result formd.submitter_result, out accepted formd.accepted_submission)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Decides the outcome of one submission and returns the row to store, which submissions_submit writes.
-- Route: POST /submitter/form/submissions
-- Reads: challenge_passes, form_versions; what submitter_authorize reads
-- Writes: idempotency_keys, rate_limits; what submitter_authorize writes
-- Locks: the idempotency key (concurrent twins wait for each other) and the rows of the rate limits
-- Outcomes, in the order of the checks: those of submitter_authorize; partial_not_allowed; idempotency_key_reused; replayed;
--   challenge_required; rate_limited (by the limit of the agent); admitted; malformed; binding_required;
--   respondent_not_assigned; rejected; stored.
-- Index: idempotency_keys_pkey, challenge_passes_pkey, form_versions_pkey
-- Why: nothing is raised, because each item of a list has an outcome of its own. admitted: the data is not validated, or against
--   another version than the published one. The request is counted; the server validates it (form_schema, if it holds another
--   version) and sends the item again with admitted = true. Only a stored submission keeps its Idempotency-Key, so that a corrected
--   body can use the key of a rejected one.
declare
  c_agent_submit_requests constant integer := 1;
  c_agent_submit_window_ms constant integer := 5000;
  c_idempotency_lifetime_hours constant integer := 24;
  c_hour constant interval := interval '1 hour';
  v_now timestamptz(3) := clock_timestamp();
  v_authorization formd.submitter_authorization;
  v_rate formd.rate_limit_state;
  v_is_validated boolean := p_item.validation = 'malformed'
    or (p_item.validation <> 'pending' and p_item.version is not distinct from p_form.version);
  v_is_key_new boolean := false;
  v_known_hash bytea;
  v_respondent uuid := p_item.respondent_id;
begin
  v_authorization := formd.submitter_authorize(
    p_team => p_team, p_form => p_form, p_credentials => p_item.credentials, p_scope => 'agent:submit',
    p_ip_key => p_item.ip_key, p_ip_limit => p_item.ip_limit, p_admitted => p_item.admitted);
  result := v_authorization.result;
  if result.outcome is null and p_item.partial and result.caller_type = 'api_key' then
    result.outcome := 'partial_not_allowed';
  end if;
  if result.outcome is not null then
    return;
  end if;

  if p_item.idempotency_key is not null then
    delete from formd.idempotency_keys i
    where i.team_id = p_team and i.form_id = p_form.form_id and i.caller_id = result.caller_id
      and i.key = p_item.idempotency_key and i.expires_at < v_now;
    if v_is_validated and p_item.validation = 'accepted' then
      insert into formd.idempotency_keys (team_id, form_id, caller_id, key, body_hash, expires_at)
      values (p_team, p_form.form_id, result.caller_id, p_item.idempotency_key, p_item.body_hash,
        v_now + c_idempotency_lifetime_hours * c_hour)
      on conflict (team_id, form_id, caller_id, key) do nothing;
      v_is_key_new := found;
    end if;
    if not v_is_key_new then
      select i.body_hash, i.answer into v_known_hash, result.response
      from formd.idempotency_keys i
      where i.team_id = p_team and i.form_id = p_form.form_id and i.caller_id = result.caller_id
        and i.key = p_item.idempotency_key;
      if found then
        result.outcome := 'replayed';
        if v_known_hash <> p_item.body_hash then
          result.outcome := 'idempotency_key_reused';
          result.response := null;
        end if;
        return;
      end if;
    end if;
  end if;

  if result.caller_type = 'agent' and p_item.admitted is not true then
    if p_form.settings @> '{"challenge": {"required": true}}' then
      perform from formd.challenge_passes c
      where c.team_id = p_team and c.form_id = p_form.form_id and c.agent_id = result.caller_id and c.expires_at > v_now;
      if not found then
        result.outcome := 'challenge_required';
      end if;
    end if;
    if result.outcome is null then
      v_rate := formd.rate_limit_take('submit:agent:' || result.caller_id, c_agent_submit_requests, c_agent_submit_window_ms);
      result.limit_name := 'agent';
      result.max_requests := c_agent_submit_requests;
      result.window_ms := c_agent_submit_window_ms;
      result.remaining := v_rate.remaining;
      result.reset_ms := v_rate.reset_ms;
      if not v_rate.allowed then
        perform formd.rate_limit_refund(p_item.ip_key);
        result.outcome := 'rate_limited';
      end if;
    end if;
  end if;

  if not v_is_validated then
    if result.outcome is null then
      result.outcome := 'admitted';
      if p_item.version is distinct from p_form.version then
        select v.version, v.schema into result.form_version, result.form_schema
        from formd.form_versions v where v.team_id = p_team and v.form_id = p_form.form_id and v.version = p_form.version;
      end if;
    end if;
    return;
  end if;

  if result.outcome is null and p_item.validation = 'malformed' then
    result.outcome := 'malformed';
  elsif result.outcome is null and result.caller_type = 'agent' then
    if v_authorization.binding_required and v_authorization.respondent_id is null then
      result.outcome := 'binding_required';
    elsif v_respondent is null and not v_authorization.binding_required then
      v_respondent := v_authorization.respondent_id;
    elsif v_authorization.respondent_id is not null and v_respondent is distinct from v_authorization.respondent_id then
      result.outcome := 'respondent_not_assigned';
    end if;
  end if;

  if result.outcome is null and p_item.validation = 'rejected' then
    result.outcome := 'rejected';
  elsif result.outcome is null then
    result.outcome := 'stored';
    accepted := row(p_form.form_id, p_item.id, p_item.version,
      case when p_item.partial then 'partial' when p_form.settings @> '{"review": {"required": true}}' then 'pending' else 'completed' end,
      result.caller_type, result.caller_id, v_respondent, p_item.data, p_item.metadata, formd.uuid_time(p_item.id));
    result.response := jsonb_build_object('id', p_item.id, 'status', accepted.status, 'missingRequired', p_item.missing_required);
  end if;

  if v_is_key_new and result.outcome = 'stored' then
    update formd.idempotency_keys i set answer = result.response
    where i.team_id = p_team and i.form_id = p_form.form_id and i.caller_id = result.caller_id
      and i.key = p_item.idempotency_key;
  elsif v_is_key_new then
    delete from formd.idempotency_keys i
    where i.team_id = p_team and i.form_id = p_form.form_id and i.caller_id = result.caller_id
      and i.key = p_item.idempotency_key;
  end if;
end
$$;

create or replace function formd.submissions_submit(p_team uuid, p_items jsonb) returns setof formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Decides and stores a list of submissions (formd.submission_item) of one team, in one transaction.
-- Route: POST /submitter/form/submissions
-- Reads: forms, form_access_keys, webhooks; what submission_evaluate reads
-- Writes: submissions, submission_counts; what submission_evaluate and submission_events_record write
-- Locks: what submission_evaluate locks, one item after another; one counter slot per form and status
-- Outcomes: those of submission_evaluate, one row per item, in the order of the list.
-- Index: webhooks_pkey
-- Why: one insert for all rows, because PostgreSQL reads the checks of a table anew for every statement: a third of the cost of
--   a row. The server sorts items by client IP, so that two lists take those rate limits in the same order. Two lists can still
--   meet at an agent that sends from two client IPs. Then PostgreSQL aborts one of them, and the server runs its items again.
declare
  v_item formd.submission_item;
  v_form formd.submitter_form;
  v_evaluation formd.submission_evaluation;
  v_accepted formd.accepted_submission[];
  v_form_id uuid;
  v_status text;
  v_stored integer;
begin
  for v_item in select * from jsonb_populate_recordset(null::formd.submission_item, p_items) loop
    if v_form.form_id is distinct from v_item.form_id
       or v_form.access_key_hash is distinct from (v_item.credentials).access_key_hash then
      v_form := formd.submitter_form_load(p_team, v_item.form_id, (v_item.credentials).access_key_hash);
    end if;
    v_evaluation := formd.submission_evaluate(p_team, v_form, v_item);
    return next v_evaluation.result;
    if (v_evaluation.accepted).id is not null then
      v_accepted := array_append(v_accepted, v_evaluation.accepted);
    end if;
  end loop;

  if v_accepted is not null then
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, respondent_id, data,
      metadata, created_at, updated_at, completed_at)
    select p_team, a.form_id, a.id, a.form_version, a.status, a.submitter_type, a.submitter_id, a.respondent_id, a.data,
      a.metadata, a.created_at, a.created_at, case when a.status = 'completed' then a.created_at end
    from unnest(v_accepted) as a;
    for v_form_id, v_status, v_stored in
      select a.form_id, a.status, count(*)::integer from unnest(v_accepted) as a group by a.form_id, a.status order by a.form_id, a.status
    loop
      perform formd.submission_count_add(p_team, v_form_id, v_status, v_stored);
    end loop;
    if exists (select from formd.webhooks w where w.team_id = p_team) then
      perform formd.submission_events_record(p_team, v_accepted);
    end if;
  end if;
end
$$;
