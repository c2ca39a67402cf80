-- Submit. 504_validate.sql has the dry run, 506_batch.sql the usual list.
--
-- Lists hold items of several callers, and of several teams. No two calls can wait for each other, because
-- each takes its locks in the same order: first the rate limits of the client IPs, in the order of their
-- keys, by which the server sorts the list; then the forms with a maximum of submissions; then the options
-- with a limit, form by form; then caller by caller, in the order of their ids, what is the caller's own: the
-- rate limit of the agent, nonces, the person, the invitation, Idempotency-Keys; then the drafts that stored
-- pages were opened from, in the order of their keys; last the counters of forms, and the files.
--
-- A request that the rate limit of its agent rejects is not counted for its client IP. Where several items of
-- a list have one client IP, it is therefore locked first, and each item is counted when it is evaluated: the
-- next item finds what the previous one has left. Where a client IP has one item, which is the usual list,
-- counting it locks it.

create or replace function formd.shared_ip_keys(p_items jsonb) returns text[]
language plpgsql immutable as $$
-- The rate limits of client IPs that several items of a list have.
begin
  if jsonb_array_length(p_items) = 1 then
    return null;
  end if;
  return array(select i ->> 'ip_key' from jsonb_array_elements(p_items) as i
    group by i ->> 'ip_key' having count(*) > 1);
end
$$;

create or replace function formd.idempotency_key_find(p_team uuid, p_item formd.submission_item,
  p_result formd.submitter_result) returns formd.submitter_result
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
  select i.body_hash, i.response into v_body_hash, v_response
  from formd.idempotency_keys i
  where i.team_id = p_team and i.form_id = p_item.form_id and i.caller_id = p_result.caller_id
    and i.key_hash = p_item.idempotency_key_hash and i.expires_at >= v_now;
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

create or replace function formd.submission_evaluate(p_team uuid, p_item formd.submission_item,
  p_form formd.submitter_form, p_authorization formd.submitter_authorization, p_counts_ip boolean,
  out result formd.submitter_result, out accepted formd.accepted_submission)
language plpgsql volatile as $$
-- Decides the outcome of the submission of a caller that was authorized, and returns the row to store, which
-- submissions_submit writes.
-- Reads: challenge_passes, form_versions; what idempotency_key_find, page_session_find, options_are_full and
--   feed_now read
-- Writes: idempotency_keys; what submitter_claim_nonce, rate_limit_count, rate_limit_refund,
--   invitation_consume and page_session_create write
-- Locks: the rate limit of the agent, which all that is the agent's own follows; its nonce; the limit of its
--   dry runs; the person whom it names; the invitation and the session of a page; the Idempotency-Key
--   (concurrent twins wait for each other)
-- Outcomes, in the order of the checks: those of submitter_admit and submitter_claim_nonce;
--   partial_not_allowed; declared_agent_refused (of a page); idempotency_key_reused; replayed; form_closed;
--   captcha_required (of a page; sent again as admitted once it is verified); challenge_required;
--   rate_limited (by the limit of the agent); admitted; malformed; binding_required; respondent_not_assigned;
--   rejected; option_full; those of invitation_consume; unauthorized (the person was erased meanwhile);
--   stored.
-- Index: idempotency_keys_pkey, challenge_passes_pkey, form_versions_pkey
-- Why: nothing is raised, because each item of a list has an outcome of its own. admitted: the data is not
--   validated, or against another version than the published one. The request is counted; the server
--   validates it (form_schema, if it holds another version) and sends the item again with admitted = true.
--   Only a stored submission keeps its Idempotency-Key, so that a corrected body can use the key of a
--   rejected one. Who sends a stored submission again gets its response, also after the form has closed. A
--   tool's call with rejected data counts as a dry run (validation_limit), since a model often learns the
--   rules by it. Beyond that limit it counts as a submit.
declare
  c_agent_submit_requests constant integer := 1;
  c_agent_submit_window_ms constant integer := 5000;
  c_rate_limit_window_ms constant integer := 60000;
  c_idempotency_lifetime_hours constant integer := 24;
  c_form_page_key_lifetime_days constant integer := 8;
  c_hour constant interval := interval '1 hour';
  c_day constant interval := interval '1 day';
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + case when (p_item.credentials).credential = 'page'
    then c_form_page_key_lifetime_days * c_day else c_idempotency_lifetime_hours * c_hour end;
  v_agent_key text;
  v_rate formd.rate_limit_state;
  v_is_validated boolean := p_item.validation = 'malformed'
    or (p_item.validation <> 'pending' and p_item.version is not distinct from p_form.version);
  v_respondent uuid := p_item.respondent_id;
  v_declared text;
  v_us bigint;
  v_id uuid;
begin
  -- A client IP that several items share is counted here, so that each item sees what the one before left.
  if p_counts_ip then
    result := formd.submitter_count_ip(p_item.ip_key, p_item.ip_limit, p_authorization.result);
    if result.outcome = 'rate_limited' then
      return;
    end if;
    p_authorization.result := result;
  end if;
  -- The agent's rate limit is its first lock, so that requests with the same nonce or key wait here. Without
  -- either, counting it later is enough.
  if (p_authorization.result).caller_type = 'agent' and (p_authorization.result).caller_id is not null then
    v_agent_key := 'submit:agent:' || (p_authorization.result).caller_id;
    if p_item.idempotency_key_hash is not null or p_authorization.signing_key_id is not null then
      perform formd.rate_limit_lock(v_agent_key);
      p_authorization := formd.submitter_claim_nonce(p_team, p_item.credentials, p_authorization,
        p_item.admitted);
    end if;
  end if;
  result := p_authorization.result;
  if result.outcome is null and p_item.partial and result.caller_type = 'api_key' then
    result.outcome := 'partial_not_allowed';
  end if;
  if result.outcome is not null then
    return;
  end if;

  if p_item.declared_agent is not null and p_form.settings @> '{"page": {"agents": "refuse"}}' then
    result.outcome := 'declared_agent_refused';
    return;
  end if;

  -- A response that was stored comes before the form's state and the agent's limit: sending again is always
  -- safe.
  if p_item.idempotency_key_hash is not null then
    if (p_item.credentials).credential = 'page' then
      result.caller_id := formd.page_session_find(p_team, p_item);
    elsif result.provenance = 'agent_for_person' then
      -- Another person's submission is another one, whatever its key and its body.
      p_item.body_hash := sha256(p_item.body_hash || uuid_send(p_authorization.respondent_id));
    end if;
    result := formd.idempotency_key_find(p_team, p_item, result);
    if result.outcome is not null then
      return;
    end if;
  end if;
  if p_form.closed is not null then
    result.outcome := 'form_closed';
    result.response := p_form.closed;
    return;
  end if;

  -- Checks and rate limits once per request. An item that was admitted before has passed them.
  if (p_item.credentials).credential = 'page' and p_item.admitted is not true
    and p_form.settings @> '{"captcha": {"enabled": true}}' then
    result.outcome := 'captcha_required';
    return;
  end if;
  if result.caller_type = 'agent' and p_item.admitted is not true then
    if p_form.settings @> '{"challenge": {"required": true}}' then
      perform from formd.challenge_passes c
      where c.team_id = p_team and c.form_id = p_form.form_id and c.agent_id = result.caller_id
        and c.expires_at > v_now;
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

  -- Data that was validated against another version than the published one is validated again.
  if not v_is_validated then
    if result.outcome is null then
      result.outcome := 'admitted';
      if p_item.version is distinct from p_form.version then
        select v.version, v.schema into result.form_version, result.form_schema
        from formd.form_versions v where v.team_id = p_team and v.form_id = p_form.form_id
          and v.version = p_form.version;
      end if;
    end if;
    return;
  end if;

  -- A body that cannot be read names no respondent. An agent that may not submit for this one is told so
  -- before what is wrong with the data.
  if result.outcome is null and p_item.validation = 'malformed' then
    result.outcome := 'malformed';
    -- Only what reached validation counts: the agent may send the corrected body at once.
    if result.caller_type = 'agent' then
      perform formd.rate_limit_refund(v_agent_key);
    end if;
    if result.limit_name = 'agent' then
      result.remaining := result.remaining + 1;
    end if;
  elsif result.outcome is null and result.caller_type = 'agent' then
    if p_authorization.binding_required and p_authorization.respondent_id is null then
      result.outcome := 'binding_required';
    elsif v_respondent is null and not p_authorization.binding_required then
      v_respondent := p_authorization.respondent_id;
    elsif p_authorization.respondent_id is not null
      and v_respondent is distinct from p_authorization.respondent_id then
      result.outcome := 'respondent_not_assigned';
    end if;
  end if;
  if result.outcome is null and p_item.validation = 'rejected' then
    result.outcome := 'rejected';
  elsif result.outcome is null and p_form.has_limits and formd.options_are_full(p_team => p_team,
    p_form => p_form.form_id, p_before => '{}', p_data => p_item.data) then
    result.outcome := 'option_full';
    result.response := jsonb_build_object('full', formd.options_full(p_team, p_form.form_id));
  end if;
  if result.outcome in ('rejected', 'option_full') and p_item.validation_limit is not null
    and result.caller_type = 'agent' then
    v_rate := formd.rate_limit_count('validate:agent:' || result.caller_id, p_item.validation_limit,
      c_rate_limit_window_ms);
    if v_rate.allowed then
      perform formd.rate_limit_refund(v_agent_key);
      if result.limit_name = 'agent' then
        result.remaining := result.remaining + 1;
      end if;
    end if;
  end if;
  if result.outcome is not null then
    return;
  end if;

  v_us := formd.feed_now();
  v_id := formd.uuid_of(v_us);
  -- Only now, so that a page that is rejected uses no invitation. A twin of the page may have used it.
  if (p_item.credentials).invitation_hash is not null then
    select c.outcome, c.respondent_id into result.outcome, v_respondent
    from formd.invitation_consume(p_team => p_team, p_item => p_item,
      p_is_anonymous => p_form.settings @> '{"invitations": {"anonymous": true}}', p_submission => v_id) as c;
    if result.outcome is not null then
      if p_item.idempotency_key_hash is not null then
        result.caller_id := formd.page_session_find(p_team, p_item);
        result := formd.idempotency_key_find(p_team, p_item, result);
      end if;
      return;
    end if;
  end if;
  -- Only now, so that a page that is rejected leaves no session.
  if (p_item.credentials).credential = 'page' then
    v_declared := nullif(p_item.declared_agent, '');
    if v_declared is not null then
      result.provenance := 'declared_agent';
    end if;
    result.caller_id := formd.page_session_create(p_team, p_item);
  elsif v_respondent is not null and not formd.respondent_lock(p_team, v_respondent)
    and result.provenance = 'agent_for_person'
  then
    result.outcome := 'unauthorized';
    return;
  end if;
  result.outcome := 'stored';
  accepted := row(p_form.form_id, v_id, p_item.version,
    case when p_item.partial then 'partial' when p_form.settings @> '{"review": {"required": true}}'
      then 'pending' else 'completed' end,
    result.caller_type, result.caller_id, v_respondent, p_item.data, p_item.metadata,
    formd.time_of(v_us), p_team, p_item.request_digest, result.provenance, v_declared,
    (p_item.credentials).key_id, p_item.signature_input, p_item.signature);
  result.response := jsonb_build_object('id', v_id, 'status', accepted.status, 'missingRequired',
    p_item.missing_required);
  if p_item.idempotency_key_hash is not null then
    insert into formd.idempotency_keys as i (team_id, form_id, caller_id, key_hash, body_hash, response,
      expires_at)
    values (p_team, p_form.form_id, result.caller_id, p_item.idempotency_key_hash, p_item.body_hash,
      result.response, v_expires_at)
    on conflict (team_id, form_id, caller_id, key_hash) do update
    set body_hash = excluded.body_hash, response = excluded.response, expires_at = excluded.expires_at
    where i.expires_at < v_now;
    -- A twin stored its submission first: its response is this one's, and nothing is stored.
    if not found then
      result := formd.idempotency_key_find(p_team, p_item, result);
      accepted := null;
      if (p_item.credentials).invitation_hash is not null then
        perform formd.invitation_reopen(p_team, p_item, v_id);
      end if;
    end if;
  end if;
end
$$;

create or replace function formd.submissions_submit(p_team uuid, p_items jsonb)
  returns setof formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Decides and stores a list of submissions (formd.submission_item), in one transaction.
-- Route: POST /submitter/form/submissions, POST /f/{id}
-- Reads: webhooks; what submitter_admit and submission_evaluate read
-- Writes: submissions, submission_signatures, submission_counts, webhook_batches; what submitter_admit,
--   submission_evaluate, option_counts_change, page_draft_end and webhook_batch_record write
-- Locks: what submitter_admit locks, for all items; then what form_capacity_lock locks, form by form; then
--   what option_counts_lock locks, form by form; then what submission_evaluate locks, caller by caller; then
--   what page_draft_end locks, in the order of the keys; then, as submission_count_add, one of 64 slots per
--   form and status
-- Outcomes: those of submission_evaluate, one row per item, in the order of the list.
-- Index: webhooks_pkey
-- Why: forms without availability.maxSubmissions are not locked. p_team null: each item names its own team.
--   One insert for all rows, because PostgreSQL reads the checks of a table anew for every statement: a third
--   of the cost of a row. A single row by values, which Citus sends to its machine as it is; rows of a query
--   go there by COPY, with a commit in two phases. A single submission looks for webhooks and records its
--   event without a cursor and a call: 15 us instead of 45, and 4 instead of 8 without a webhook. A form that
--   got limits in the meantime says so in its slot: option_limits_set. All is then undone, and the server
--   sends the list again.
declare
  c_slots constant integer := 64;
  c_webhook_lifetime_days constant integer := 30;
  c_day constant interval := interval '1 day';
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
  v_has_limits boolean;
  v_counted uuid[] := array[]::uuid[];
  v_form_id uuid;
  v_data jsonb[];
  v_webhooks uuid[];
  v_is_mailed boolean := false;
  v_drafts formd.submission_item[];
begin
  -- Authorization: every client IP is locked before any row of a caller, in the order of the list. Items of
  -- one form load it once.
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
    v_keys := array_append(v_keys, concat_ws(' ', (v_authorization.result).caller_id,
      (v_item.credentials).nonce, (v_item.credentials).invitation_hash, v_item.idempotency_key_hash));
    v_is_limited := v_is_limited or v_form.settings @> '{"availability": {}}';
    if v_form.has_limits then
      v_counted := array_append(v_counted, v_form.form_id);
    end if;
    v_is_mailed := v_is_mailed or v_form.settings ?| array['notify', 'copy'];
  end loop;

  -- Capacity of forms with a maximum. Their locks come before the locks of callers, and only for items that
  -- can still be stored.
  if v_is_limited then
    for v_admission in
      select distinct on ((m.item).team_id, (m.form).form_id) m.item, m.form, m.caller
      from unnest(v_admitted) as m (item, form, caller)
      where ((m.caller).result).outcome is null and (m.form).closed is null
        and (m.item).validation = 'accepted'
        and jsonb_typeof((m.form).settings #> '{availability, maxSubmissions}') = 'number'
      order by (m.item).team_id, (m.form).form_id
    loop
      v_form := v_admission.form;
      v_limited := array_append(v_limited, v_form.form_id);
      v_capacities := array_append(v_capacities,
        formd.form_capacity_lock((v_admission.item).team_id, v_form.form_id, v_form.settings));
    end loop;
  end if;

  -- The options with a limit that can still be chosen.
  if v_counted <> '{}' then
    for v_team, v_form_id, v_data in
      select (m.item).team_id, (m.form).form_id, array_agg((m.item).data)
      from unnest(v_admitted) as m (item, form, caller)
      where (m.form).form_id = any (v_counted) and ((m.caller).result).outcome is null
        and (m.form).closed is null and (m.item).validation = 'accepted'
      group by (m.item).team_id, (m.form).form_id
      order by (m.item).team_id, (m.form).form_id
    loop
      perform formd.option_counts_lock(v_team, v_form_id, v_data);
    end loop;
  end if;

  -- Callers in one order, so that two lists never wait for each other. What is stored takes a place of a form
  -- with a maximum, and of an option with a limit, which a later item lacks.
  foreach v_position in array formd.sorted_positions(v_keys) loop
    v_admission := v_admitted[v_position];
    v_limit := array_position(v_limited, (v_admission.form).form_id);
    if v_capacities[v_limit] <= 0 then
      v_admission.form.closed := '{"reason": "full"}';
    end if;
    v_has_limits := (v_admission.form).form_id = any (v_counted);
    if v_has_limits then
      v_admission.form.has_limits := true;
    end if;
    v_evaluation := formd.submission_evaluate((v_admission.item).team_id, v_admission.item, v_admission.form,
      v_admission.caller, (v_admission.item).ip_key = any (v_shared)
      and (v_admission.item).admitted is not true);
    v_results[v_position] := v_evaluation.result;
    if (v_evaluation.accepted).id is not null then
      v_accepted := array_append(v_accepted, v_evaluation.accepted);
      v_teams := array_append(v_teams, (v_evaluation.accepted).team_id);
      if ((v_admission.item).credentials).draft_hash is not null then
        v_drafts := array_append(v_drafts, v_admission.item);
      end if;
      if v_limit is not null then
        v_capacities[v_limit] := v_capacities[v_limit] - 1;
      end if;
      if v_has_limits then
        perform formd.option_counts_change(p_team => (v_evaluation.accepted).team_id,
          p_form => (v_evaluation.accepted).form_id, p_before => '{}',
          p_data => (v_evaluation.accepted).data);
      end if;
    end if;
  end loop;

  if v_drafts is not null then
    for v_item in
      select d.* from unnest(v_drafts) as d order by d.team_id, d.form_id, (d.credentials).draft_hash
    loop
      perform formd.page_draft_end(v_item.team_id, v_item.form_id, (v_item.credentials).draft_hash);
    end loop;
  end if;

  -- The rows, in one statement; a single one as values, for the reasons above.
  if cardinality(v_accepted) = 1 then
    v_stored := v_accepted[1];
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id,
      respondent_id, data, metadata, created_at, updated_at, completed_at, request_digest, provenance,
      declared_agent)
    values (v_stored.team_id, v_stored.form_id, v_stored.id, v_stored.form_version, v_stored.status,
      v_stored.submitter_type, v_stored.submitter_id, v_stored.respondent_id, v_stored.data,
      v_stored.metadata, v_stored.created_at, v_stored.created_at,
      case when v_stored.status = 'completed' then v_stored.created_at end, v_stored.request_digest,
      v_stored.provenance, v_stored.declared_agent);
  elsif v_accepted is not null then
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id,
      respondent_id, data, metadata, created_at, updated_at, completed_at, request_digest, provenance,
      declared_agent)
    select a.team_id, a.form_id, a.id, a.form_version, a.status, a.submitter_type, a.submitter_id,
      a.respondent_id, a.data, a.metadata, a.created_at, a.created_at, case when a.status = 'completed'
      then a.created_at end, a.request_digest, a.provenance, a.declared_agent
    from unnest(v_accepted) as a;
  end if;
  -- The signature is kept as proof, and few items have one: others pay for no statement.
  if v_accepted is not null and v_is_signed then
    insert into formd.submission_signatures (team_id, form_id, submission_id, key_id, signature_input,
      signature)
    select a.team_id, a.form_id, a.id, a.key_id, a.signature_input, a.signature
    from unnest(v_accepted) as a where a.signature is not null;
  end if;
  -- Webhooks, mails and counters come last, since all submits of a form share the slots of its counters.
  if cardinality(v_accepted) = 1 then
    v_webhooks := array(
      select w.id from formd.webhooks w
      where w.team_id = any (v_teams) and w.status <> 'disabled'
        and 'submission.created' = any (w.event_types));
    if cardinality(v_webhooks) > 0 or v_is_mailed then
      insert into formd.webhook_batches (team_id, id, webhook_ids, submission_ids, form_ids, form_versions,
        statuses, expires_at)
      values (v_stored.team_id, v_stored.id, v_webhooks, array[v_stored.id], array[v_stored.form_id],
        array[v_stored.form_version], array[v_stored.status],
        v_stored.created_at + c_webhook_lifetime_days * c_day);
    end if;
    insert into formd.submission_counts as c (team_id, form_id, status, slot, total)
    values (v_stored.team_id, v_stored.form_id, v_stored.status, pg_backend_pid() % c_slots, 1)
    on conflict (team_id, form_id, status, slot) do update set total = c.total + excluded.total
    returning c.has_limits into v_has_limits;
    if v_has_limits and v_stored.form_id <> all (v_counted) then
      raise serialization_failure using message = 'The form has got limits.';
    end if;
  elsif v_accepted is not null then
    for v_team, v_webhooks in
      select w.team_id, array_agg(w.id) from formd.webhooks w
      where w.team_id = any (v_teams) and w.status <> 'disabled'
        and 'submission.created' = any (w.event_types)
      group by w.team_id
    loop
      perform formd.webhook_batch_record(v_team, v_webhooks, v_accepted);
      v_teams := array_remove(v_teams, v_team);
    end loop;
    if v_is_mailed then
      for v_team in select distinct t from unnest(v_teams) as t loop
        perform formd.webhook_batch_record(v_team, '{}', v_accepted);
      end loop;
    end if;
    for v_form_id, v_has_limits in
      insert into formd.submission_counts as c (team_id, form_id, status, slot, total)
      select a.team_id, a.form_id, a.status, pg_backend_pid() % c_slots, count(*)
      from unnest(v_accepted) as a
      group by a.team_id, a.form_id, a.status order by a.team_id, a.form_id, a.status
      on conflict (team_id, form_id, status, slot) do update set total = c.total + excluded.total
      returning c.form_id, c.has_limits
    loop
      if v_has_limits and v_form_id <> all (v_counted) then
        raise serialization_failure using message = 'The form has got limits.';
      end if;
    end loop;
  end if;
  foreach v_result in array v_results loop
    return next v_result;
  end loop;
end
$$;
