create or replace function formd.submission_decide(p_team uuid, p_entry formd.form_entry, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz,
  p_version integer, p_ip_bucket text, p_ip_limit integer,
  p_id uuid, p_verdict text, p_data jsonb, p_metadata jsonb, p_respondent uuid, p_partial boolean, p_missing text[], p_errors jsonb,
  p_idempotency_key text, p_body_hash bytea,
  out said formd.submitter_answer, out accepted formd.accepted_submission)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- What becomes of one submission, in the order of the checks: what submitter_authorize looks at (form version, address throttle, access
-- key, credential, agent, workspace, grant, scope, form), idempotent replay, challenge pass, agent throttle (1 in 5 seconds), then what the
-- caller found in the body, and the respondent's binding. The row itself is returned, not written: submissions_receive does that.
--
-- p_verdict is what the body came to outside, against form version p_version: accept (store it), reject (422, with p_errors), malformed
-- (not JSON, not the shape). Credentials and throttles come first all the same, so a bad body still comes here.
--
-- Never raises for what a caller can cause: each item of a list of submissions has its own outcome. Outcomes: what submitter_authorize
-- says, rate_limited (also by the agent's own throttle), partial_not_allowed, idempotency_key_reused, replayed (answer says what),
-- challenge_required, malformed, binding_required, respondent_not_assigned, rejected, stored.
--
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

create or replace function formd.submissions_receive(p_team uuid, p_items jsonb) returns setof formd.submitter_answer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
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

create or replace function formd.idempotency_keys_purge() returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

create or replace function formd.submission_count(p_team uuid, p_form uuid, p_status text, p_change integer) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

create or replace function formd.submission_patch(p_team uuid, p_form uuid, p_submission uuid, p_expected_updated_at timestamptz,
  p_edits jsonb, p_whole boolean, p_edit_ids uuid[], p_api_key uuid, p_request_id text)
returns setof formd.submissions
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

create or replace function formd.submission_delete(p_team uuid, p_form uuid, p_submission uuid, p_api_key uuid, p_request_id text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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
