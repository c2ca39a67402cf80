-- Submit, dry run and reading the published form.
--
-- Lists hold items of several callers, and of several teams. No two calls can wait for each other, because each takes
-- its locks in the same order: first the rate limits of the client IPs, in the order of their keys, by which the server
-- sorts the list; then the forms with a maximum of submissions; then caller by caller, in the order of their ids, what is
-- the caller's own: the rate limit of the agent, nonces, Idempotency-Keys; last the counters of forms.
--
-- A request that the rate limit of its agent rejects is not counted for its client IP. Where several items of a list have
-- one client IP, it is therefore locked first, and each item is counted when it is evaluated: the next item finds what
-- the previous one has left. Where a client IP has one item, which is the usual list, counting it locks it.

create or replace function formd.shared_ip_keys(p_items jsonb) returns text[]
language plpgsql immutable as $$
-- The rate limits of client IPs that several items of a list have.
begin
  if jsonb_array_length(p_items) = 1 then
    return null;
  end if;
  return array(select i ->> 'ip_key' from jsonb_array_elements(p_items) as i group by i ->> 'ip_key' having count(*) > 1);
end
$$;

create or replace function formd.submitter_form_read(p_team uuid, p_form uuid, p_credentials formd.submitter_credentials,
  out outcome text, out caller_type text, out caller_id uuid, out name text, out description text, out form_version integer, out form_schema jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Returns the published version of a form.
-- Route: GET /submitter/form
-- Reads: form_versions; what submitter_admit reads
-- Writes: what submitter_claim_nonce writes
-- Outcomes: those of submitter_admit and submitter_claim_nonce, allowed.
-- Index: form_versions_pkey
-- Why: the specification names no rate limit for this route.
declare
  v_form formd.submitter_form := formd.submitter_form_load(p_team, p_form, p_credentials.access_key_hash);
  v_authorization formd.submitter_authorization;
begin
  v_authorization := formd.submitter_admit(
    p_team => p_team, p_form => v_form, p_credentials => p_credentials, p_scope => 'agent:read',
    p_ip_key => null, p_ip_limit => null, p_admitted => false);
  v_authorization := formd.submitter_claim_nonce(p_team, p_credentials, v_authorization, false);
  outcome := coalesce((v_authorization.result).outcome, 'allowed');
  caller_type := (v_authorization.result).caller_type;
  caller_id := (v_authorization.result).caller_id;
  if outcome = 'allowed' then
    select v.name, v.description, v.version, v.schema into name, description, form_version, form_schema
    from formd.form_versions v where v.team_id = p_team and v.form_id = p_form and v.version = v_form.version;
  end if;
end
$$;

create or replace function formd.validation_evaluate(p_team uuid, p_item formd.validation_item, p_form formd.submitter_form,
  p_authorization formd.submitter_authorization, p_counts_ip boolean) returns formd.submitter_result
language plpgsql volatile as $$
-- Decides whether the payload of a caller that was authorized is validated, and counts it in the rate limit of the agent.
-- Reads: form_versions
-- Writes: rate_limits, nonces
-- Locks: the rate limit of the agent, which all that is the agent's own follows; its nonce
-- Outcomes: those of submitter_admit and submitter_claim_nonce, form_closed, rate_limited (by the limit of the agent), admitted.
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
    v_result.outcome := case when p_item.reports_closed then 'form_closed' else 'form_not_published' end;
    v_result.response := case when p_item.reports_closed then p_form.closed end;
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
    if p_item.version is distinct from p_form.version then
      select v.version, v.schema into v_result.form_version, v_result.form_schema
      from formd.form_versions v where v.team_id = p_team and v.form_id = p_item.form_id and v.version = p_form.version;
    end if;
  end if;
  return v_result;
end
$$;

create or replace function formd.validations_admit(p_team uuid, p_items jsonb) returns setof formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Decides for each item of a list (formd.validation_item) whether the caller may have a payload validated, and counts it.
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
      p_ip_key => case when v_is_shared then null else v_item.ip_key end, p_ip_limit => v_item.ip_limit, p_admitted => false);
    v_admitted := array_append(v_admitted, row(v_item, v_form, v_authorization)::formd.validation_admission);
    v_keys := array_append(v_keys, concat_ws(' ', (v_authorization.result).caller_id, (v_item.credentials).nonce));
  end loop;

  foreach v_position in array formd.sorted_positions(v_keys) loop
    v_admission := v_admitted[v_position];
    v_results[v_position] := formd.validation_evaluate((v_admission.item).team_id, v_admission.item, v_admission.form,
      v_admission.caller, (v_admission.item).ip_key = any (v_shared));
  end loop;
  foreach v_result in array v_results loop
    return next v_result;
  end loop;
end
$$;

create or replace function formd.idempotency_key_find(p_team uuid, p_item formd.submission_item, p_result formd.submitter_result)
returns formd.submitter_result
language plpgsql stable as $$
-- Returns the result for a submission whose Idempotency-Key was used before, and any other as it is.
-- Reads: idempotency_keys
-- Outcomes: replayed (with the first response), idempotency_key_reused (for another body)
-- Index: idempotency_keys_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_body_hash bytea;
  v_response jsonb;
begin
  select i.body_hash, i.answer into v_body_hash, v_response
  from formd.idempotency_keys i
  where i.team_id = p_team and i.form_id = p_item.form_id and i.caller_id = p_result.caller_id
    and i.key = p_item.idempotency_key and i.expires_at >= v_now;
  if found and v_body_hash = p_item.body_hash then
    p_result.outcome := 'replayed';
    p_result.response := v_response;
  elsif found then
    p_result.outcome := 'idempotency_key_reused';
    p_result.response := null;
  end if;
  return p_result;
end
$$;

create or replace function formd.submission_evaluate(p_team uuid, p_item formd.submission_item, p_form formd.submitter_form,
  p_authorization formd.submitter_authorization, p_counts_ip boolean,
  out result formd.submitter_result, out accepted formd.accepted_submission)
language plpgsql volatile as $$
-- Decides the outcome of the submission of a caller that was authorized, and returns the row to store, which
-- submissions_submit writes.
-- Reads: challenge_passes, form_versions; what idempotency_key_find and page_session_find read
-- Writes: idempotency_keys; what submitter_claim_nonce, rate_limit_count, rate_limit_refund and page_session_create write
-- Locks: the rate limit of the agent, which all that is the agent's own follows; its nonce; the session of a page; the
--   Idempotency-Key (concurrent twins wait for each other)
-- Outcomes, in the order of the checks: those of submitter_admit and submitter_claim_nonce; partial_not_allowed;
--   idempotency_key_reused; replayed; form_closed; captcha_required (of a page; sent again as admitted once it is verified);
--   challenge_required; rate_limited (by the limit of the agent); admitted; malformed; binding_required;
--   respondent_not_assigned; rejected; stored.
-- Index: idempotency_keys_pkey, challenge_passes_pkey, form_versions_pkey
-- Why: nothing is raised, because each item of a list has an outcome of its own. admitted: the data is not validated, or
--   against another version than the published one. The request is counted; the server validates it (form_schema, if it
--   holds another version) and sends the item again with admitted = true. Only a stored submission keeps its
--   Idempotency-Key, so that a corrected body can use the key of a rejected one. Who sends a stored submission again gets
--   its response, also after the form has closed.
declare
  c_agent_submit_requests constant integer := 1;
  c_agent_submit_window_ms constant integer := 5000;
  c_idempotency_lifetime_hours constant integer := 24;
  c_hour constant interval := interval '1 hour';
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + c_idempotency_lifetime_hours * c_hour;
  v_agent_key text;
  v_rate formd.rate_limit_state;
  v_is_validated boolean := p_item.validation = 'malformed'
    or (p_item.validation <> 'pending' and p_item.version is not distinct from p_form.version);
  v_respondent uuid := p_item.respondent_id;
begin
  if p_counts_ip then
    result := formd.submitter_count_ip(p_item.ip_key, p_item.ip_limit, p_authorization.result);
    if result.outcome = 'rate_limited' then
      return;
    end if;
    p_authorization.result := result;
  end if;
  if (p_authorization.result).caller_type = 'agent' and (p_authorization.result).caller_id is not null then
    v_agent_key := 'submit:agent:' || (p_authorization.result).caller_id;
    if p_item.idempotency_key is not null or p_authorization.signing_key_id is not null then
      perform formd.rate_limit_lock(v_agent_key);
      p_authorization := formd.submitter_claim_nonce(p_team, p_item.credentials, p_authorization, p_item.admitted);
    end if;
  end if;
  result := p_authorization.result;
  if result.outcome is null and p_item.partial and result.caller_type = 'api_key' then
    result.outcome := 'partial_not_allowed';
  end if;
  if result.outcome is not null then
    return;
  end if;

  if p_item.idempotency_key is not null then
    if (p_item.credentials).credential = 'page' then
      result.caller_id := formd.page_session_find(p_team, p_item);
    end if;
    result := formd.idempotency_key_find(p_team, p_item, result);
    if result.outcome is not null then
      return;
    end if;
  end if;
  if p_form.closed is not null then
    result.outcome := case when p_item.reports_closed then 'form_closed' else 'form_not_published' end;
    result.response := case when p_item.reports_closed then p_form.closed end;
    return;
  end if;

  if (p_item.credentials).credential = 'page' and p_item.admitted is not true
    and p_form.settings @> '{"captcha": {"enabled": true}}' then
    result.outcome := 'captcha_required';
    return;
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
      v_rate := formd.rate_limit_count(v_agent_key, c_agent_submit_requests, c_agent_submit_window_ms);
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
    if p_authorization.binding_required and p_authorization.respondent_id is null then
      result.outcome := 'binding_required';
    elsif v_respondent is null and not p_authorization.binding_required then
      v_respondent := p_authorization.respondent_id;
    elsif p_authorization.respondent_id is not null and v_respondent is distinct from p_authorization.respondent_id then
      result.outcome := 'respondent_not_assigned';
    end if;
  end if;
  if result.outcome is null and p_item.validation = 'rejected' then
    result.outcome := 'rejected';
  end if;
  if result.outcome is not null then
    return;
  end if;

  if (p_item.credentials).credential = 'page' then
    result.caller_id := formd.page_session_create(p_team, p_item);
  end if;
  result.outcome := 'stored';
  accepted := row(p_form.form_id, p_item.id, p_item.version,
    case when p_item.partial then 'partial' when p_form.settings @> '{"review": {"required": true}}' then 'pending' else 'completed' end,
    result.caller_type, result.caller_id, v_respondent, p_item.data, p_item.metadata, formd.uuid_time(p_item.id), p_team,
    p_item.request_digest);
  result.response := jsonb_build_object('id', p_item.id, 'status', accepted.status, 'missingRequired', p_item.missing_required);
  if p_item.idempotency_key is not null then
    insert into formd.idempotency_keys as i (team_id, form_id, caller_id, key, body_hash, answer, expires_at)
    values (p_team, p_form.form_id, result.caller_id, p_item.idempotency_key, p_item.body_hash, result.response, v_expires_at)
    on conflict (team_id, form_id, caller_id, key) do update
    set body_hash = excluded.body_hash, answer = excluded.answer, expires_at = excluded.expires_at
    where i.expires_at < v_now;
    if not found then
      result := formd.idempotency_key_find(p_team, p_item, result);
      accepted := null;
    end if;
  end if;
end
$$;

create or replace function formd.submissions_submit(p_team uuid, p_items jsonb) returns setof formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Decides and stores a list of submissions (formd.submission_item), in one transaction.
-- Route: POST /submitter/form/submissions, POST /f/{id}
-- Reads: webhooks; what submitter_admit and submission_evaluate read
-- Writes: submissions, submission_signatures, submission_counts, webhook_batches; what submitter_admit, submission_evaluate and
--   webhook_batch_record write
-- Locks: what submitter_admit locks, for all items; then what form_capacity_lock locks, form by form; then what
--   submission_evaluate locks, caller by caller; then, as submission_count_add, one of 64 slots per form and status
-- Outcomes: those of submission_evaluate, one row per item, in the order of the list.
-- Index: webhooks_pkey
-- Why: forms without availability.maxSubmissions are not locked. p_team null: each item names its own team. One insert for all rows,
--   because PostgreSQL reads the checks of a table anew for every statement: a third of the cost of a row. A single row by values, which
--   Citus sends to its machine as it is; rows of a query go there by COPY, with a commit in two phases. A single
--   submission looks for webhooks and records its event without a cursor and a call: 15 us instead of 45, and 4 instead
--   of 8 without a webhook.
declare
  c_slots constant integer := 64;
  c_event_lifetime constant interval := interval '30 days';
  v_item formd.submission_item;
  v_team uuid;
  v_shared text[] := formd.shared_ip_keys(p_items);
  v_is_shared boolean;
  v_ip_key text;
  v_form formd.submitter_form;
  v_authorization formd.submitter_authorization;
  v_admission formd.submission_admission;
  v_admitted formd.submission_admission[];
  v_keys text[] := array[]::text[];
  v_position integer;
  v_evaluation formd.submission_evaluation;
  v_result formd.submitter_result;
  v_results formd.submitter_result[] := array[]::formd.submitter_result[];
  v_accepted formd.accepted_submission[];
  v_stored formd.accepted_submission;
  v_is_signed boolean := false;
  v_teams uuid[];
  v_is_limited boolean := false;
  v_limited uuid[];
  v_capacities numeric[];
  v_limit integer;
  v_webhooks uuid[];
begin
  for v_item in select * from jsonb_populate_recordset(null::formd.submission_item, p_items) loop
    v_item.team_id := coalesce(p_team, v_item.team_id);
    v_is_signed := v_is_signed or v_item.signature is not null;
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
      p_team => v_team, p_form => v_form, p_credentials => v_item.credentials, p_scope => 'agent:submit',
      p_ip_key => case when v_is_shared then null else v_item.ip_key end, p_ip_limit => v_item.ip_limit,
      p_admitted => v_item.admitted);
    v_admitted := array_append(v_admitted, row(v_item, v_form, v_authorization)::formd.submission_admission);
    v_keys := array_append(v_keys, concat_ws(' ', (v_authorization.result).caller_id, (v_item.credentials).nonce, v_item.idempotency_key));
    v_is_limited := v_is_limited or v_form.settings @> '{"availability": {}}';
  end loop;

  if v_is_limited then
    for v_admission in
      select distinct on ((m.item).team_id, (m.form).form_id) m.item, m.form, m.caller
      from unnest(v_admitted) as m (item, form, caller)
      where ((m.caller).result).outcome is null and (m.form).closed is null and (m.item).validation = 'accepted'
        and jsonb_typeof((m.form).settings #> '{availability, maxSubmissions}') = 'number'
      order by (m.item).team_id, (m.form).form_id
    loop
      v_form := v_admission.form;
      v_limited := array_append(v_limited, v_form.form_id);
      v_capacities := array_append(v_capacities,
        formd.form_capacity_lock((v_admission.item).team_id, v_form.form_id, v_form.settings));
    end loop;
  end if;

  foreach v_position in array formd.sorted_positions(v_keys) loop
    v_admission := v_admitted[v_position];
    v_limit := array_position(v_limited, (v_admission.form).form_id);
    if v_capacities[v_limit] <= 0 then
      v_admission.form.closed := '{"reason": "full"}';
    end if;
    v_evaluation := formd.submission_evaluate((v_admission.item).team_id, v_admission.item, v_admission.form,
      v_admission.caller, (v_admission.item).ip_key = any (v_shared) and (v_admission.item).admitted is not true);
    v_results[v_position] := v_evaluation.result;
    if (v_evaluation.accepted).id is not null then
      v_accepted := array_append(v_accepted, v_evaluation.accepted);
      v_teams := array_append(v_teams, (v_evaluation.accepted).team_id);
      if v_limit is not null then
        v_capacities[v_limit] := v_capacities[v_limit] - 1;
      end if;
    end if;
  end loop;

  if cardinality(v_accepted) = 1 then
    v_stored := v_accepted[1];
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, respondent_id, data,
      metadata, created_at, updated_at, completed_at, request_digest)
    values (v_stored.team_id, v_stored.form_id, v_stored.id, v_stored.form_version, v_stored.status, v_stored.submitter_type,
      v_stored.submitter_id, v_stored.respondent_id, v_stored.data, v_stored.metadata, v_stored.created_at, v_stored.created_at,
      case when v_stored.status = 'completed' then v_stored.created_at end, v_stored.request_digest);
  elsif v_accepted is not null then
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, respondent_id, data,
      metadata, created_at, updated_at, completed_at, request_digest)
    select a.team_id, a.form_id, a.id, a.form_version, a.status, a.submitter_type, a.submitter_id, a.respondent_id, a.data,
      a.metadata, a.created_at, a.created_at, case when a.status = 'completed' then a.created_at end, a.request_digest
    from unnest(v_accepted) as a;
  end if;
  if v_accepted is not null and v_is_signed then
    insert into formd.submission_signatures (team_id, form_id, submission_id, key_id, signature_input, signature)
    select a.team_id, a.form_id, a.id, ((m.item).credentials).key_id, (m.item).signature_input, (m.item).signature
    from unnest(v_accepted) as a join unnest(v_admitted) as m (item, form, caller) on (m.item).id = a.id
    where (m.item).signature is not null;
  end if;
  if cardinality(v_accepted) = 1 then
    v_webhooks := array(
      select w.id from formd.webhooks w
      where w.team_id = any (v_teams) and w.status <> 'disabled' and 'submission.created' = any (w.event_types));
    if cardinality(v_webhooks) > 0 then
      insert into formd.webhook_batches (team_id, id, webhook_ids, submission_ids, form_ids, form_versions, statuses, expires_at)
      values (v_stored.team_id, v_stored.id, v_webhooks, array[v_stored.id], array[v_stored.form_id],
        array[v_stored.form_version], array[v_stored.status], v_stored.created_at + c_event_lifetime);
    end if;
    insert into formd.submission_counts as c (team_id, form_id, status, slot, total)
    values (v_stored.team_id, v_stored.form_id, v_stored.status, pg_backend_pid() % c_slots, 1)
    on conflict (team_id, form_id, status, slot) do update set total = c.total + excluded.total;
  elsif v_accepted is not null then
    for v_team, v_webhooks in
      select w.team_id, array_agg(w.id) from formd.webhooks w
      where w.team_id = any (v_teams) and w.status <> 'disabled' and 'submission.created' = any (w.event_types)
      group by w.team_id
    loop
      perform formd.webhook_batch_record(v_team, v_webhooks, v_accepted);
    end loop;
    insert into formd.submission_counts as c (team_id, form_id, status, slot, total)
    select a.team_id, a.form_id, a.status, pg_backend_pid() % c_slots, count(*)
    from unnest(v_accepted) as a
    group by a.team_id, a.form_id, a.status order by a.team_id, a.form_id, a.status
    on conflict (team_id, form_id, status, slot) do update set total = c.total + excluded.total;
  end if;
  foreach v_result in array v_results loop
    return next v_result;
  end loop;
end
$$;
