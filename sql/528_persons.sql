-- Persons: what is stored of one, found by the respondent's id or by a value of a field.

create or replace function formd.json_has_text(p_json jsonb, p_text text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- Checks whether a value, or a part of it, equals this text. Spaces around it and case do not count.
select exists (
  select from jsonb_path_query(p_json, '$.**') as v (value)
  where jsonb_typeof(v.value) in ('string', 'number', 'boolean')
    and lower(btrim(v.value #>> '{}')) = lower(btrim(p_text)))
$$;

create or replace function formd.person_find(p_team uuid, p_actor formd.actor, p_form uuid, p_respondent uuid,
  p_field text, p_value text, p_after uuid, p_limit integer,
  out ids uuid[], out held integer, out files integer, out last_id uuid)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- One step of a search for a person's submissions in a form: submissions of the respondent, or submissions
-- whose field has the value, or had it before an edit. held: number of them on hold; files: files of the
-- others. last_id: start of the next step; null: nothing is left.
-- Route: the console, formd person
-- Reads: submissions, submission_edits, holds, files
-- Raises: not_found, insufficient_workspace_role (least role: viewer), conflict (a month is detached)
-- Index: submissions_respondent_idx, submissions_pkey, submission_edits_pkey, holds_active_key,
--   files_submission_idx
-- Why: no index holds what is in a value, so that such a search walks the form by its key, p_limit rows in a
--   step: each ends long before statement_timeout.
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  perform formd.partition_require_attached();
  if p_respondent is not null then
    select array_agg(s.id order by s.id), (array_agg(s.id order by s.id desc))[1] into ids, last_id
    from (
      select o.id from formd.submissions o
      where o.team_id = p_team and o.form_id = p_form and o.respondent_id = p_respondent
        and o.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
      order by o.id limit p_limit) as s;
  else
    select array_agg(s.id order by s.id) filter (
        where formd.json_has_text(s.data -> p_field, p_value) or exists (
          select from formd.submission_edits e
          where e.team_id = p_team and e.form_id = p_form and e.submission_id = s.id and e.field_id = p_field
            and (formd.json_has_text(e.old_value, p_value) or formd.json_has_text(e.new_value, p_value)))),
      (array_agg(s.id order by s.id desc))[1]
    into ids, last_id
    from (
      select o.id, o.data from formd.submissions o
      where o.team_id = p_team and o.form_id = p_form
        and o.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
      order by o.id limit p_limit) as s;
  end if;
  ids := coalesce(ids, '{}');
  select count(*) into held from unnest(ids) as i
  where exists (
    select from formd.holds h
    where h.team_id = p_team and h.form_id = p_form and h.released_at is null
      and (h.submission_id is null or h.submission_id = i));
  select count(*) into files from formd.files f
  where f.team_id = p_team and f.form_id = p_form and f.submission_id = any (ids) and f.state = 'claimed'
    and not exists (
      select from formd.holds h
      where h.team_id = p_team and h.form_id = p_form and h.released_at is null
        and (h.submission_id is null or h.submission_id = f.submission_id));
end
$$;

create or replace function formd.person_read(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid) returns table (kind text, item jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set timezone = 'UTC' as $$
-- Returns all that is stored of a submission, apart from its receipt, which is derived from this, and from
-- the bytes of its files.
-- Route: the console, formd person export
-- Reads: submissions, submission_signatures, submission_edits, files, mails, holds, webhook_events,
--   webhook_attempts
-- Raises: not_found (the form), insufficient_workspace_role (least role: viewer)
-- Index: submissions_pkey, submission_signatures_pkey, submission_edits_pkey, files_submission_idx,
--   mails_form_idx, holds_active_key, webhook_events_pkey, webhook_events_subject_idx, webhook_attempts_pkey
-- Why: what is not the person's is left out: the request digest and the salt, which are in the receipt, and
--   who reviewed. No rows where the submission is deleted meanwhile.
declare
  v_event_ids uuid[];
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  return query
  select 'submission', jsonb_build_object('formVersion', s.form_version, 'status', s.status,
    'submitterType', s.submitter_type, 'submitterId', s.submitter_id, 'respondentId', s.respondent_id,
    'data', s.data, 'metadata', s.metadata, 'provenance', s.provenance, 'declaredAgent', s.declared_agent,
    'reviewDecision', s.review_decision, 'reviewReason', s.review_reason, 'reviewedAt', s.reviewed_at,
    'createdAt', s.created_at, 'updatedAt', s.updated_at, 'completedAt', s.completed_at)
  from formd.submissions s where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
  if not found then
    return;
  end if;
  return query
  select 'signature', jsonb_build_object('keyId', g.key_id, 'signatureInput', g.signature_input,
    'signature', g.signature)
  from formd.submission_signatures g
  where g.team_id = p_team and g.form_id = p_form and g.submission_id = p_submission;
  return query
  select 'edit', jsonb_build_object('id', e.id, 'fieldId', e.field_id, 'oldValue', e.old_value,
    'newValue', e.new_value, 'actorType', e.actor_type, 'createdAt', e.created_at)
  from formd.submission_edits e
  where e.team_id = p_team and e.form_id = p_form and e.submission_id = p_submission order by e.id;
  return query
  select 'file', jsonb_build_object('id', f.id, 'fieldId', f.field_id, 'name', f.name, 'size', f.size,
    'type', f.type, 'sha256', encode(f.sha256, 'hex'), 'scan', f.scan, 'createdAt', f.created_at)
  from formd.files f
  where f.team_id = p_team and f.form_id = p_form and f.submission_id = p_submission and f.state = 'claimed'
  order by f.id;
  return query
  select 'mail', jsonb_build_object('id', m.id, 'mailKind', m.kind, 'state', m.state, 'attempts', m.attempts,
    'lastError', m.last_error, 'createdAt', m.created_at, 'sentAt', m.sent_at)
  from formd.mails m
  where m.team_id = p_team and m.form_id = p_form and m.subject_id = p_submission order by m.id;
  return query
  select 'hold', jsonb_build_object('id', h.id, 'reason', h.reason, 'placedAt', h.placed_at)
  from formd.holds h
  where h.team_id = p_team and h.form_id = p_form and h.submission_id = p_submission
    and h.released_at is null;
  -- The event of a creation has the submission's id. The two conditions have an index each.
  v_event_ids := array(
    select e.id from formd.webhook_events e
    where e.team_id = p_team and e.subject_id = p_submission and e.id <> e.subject_id) || p_submission;
  return query
  select 'webhookResponse', jsonb_build_object('eventId', a.event_id, 'webhookId', a.webhook_id,
    'attempt', a.attempt, 'responseStart', a.response_start)
  from formd.webhook_attempts a
  where a.team_id = p_team and a.event_id = any (v_event_ids) and a.response_start is not null
  order by a.event_id, a.webhook_id, a.attempt;
end
$$;

create or replace function formd.respondent_erase(p_team uuid, p_actor formd.actor, p_respondent uuid)
  returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Deletes what names a person for whom agents submit, with the sessions for this person. Returns whether it
-- did: not while a submission names the person, as one that is held, an invitation or a grant.
-- Route: the console, formd person erase
-- Reads: what formd.respondent_is_named reads
-- Writes: respondents, by cascade sessions, what audit_record writes
-- Locks: the respondent: it waits for those that store for the person (respondent_lock)
-- Raises: insufficient_workspace_role (least role: editor, in every workspace of the team)
-- Index: respondents_pkey
-- Why: the event has the id alone; the list of erasures (src/resources/persons/erasures.ts) is made of it.
begin
  perform formd.team_require_role(p_team, p_actor, 'editor');
  perform from formd.respondents r where r.team_id = p_team and r.id = p_respondent for update;
  if not found or formd.respondent_is_named(p_team, p_respondent) then
    return false;
  end if;
  delete from formd.respondents r where r.team_id = p_team and r.id = p_respondent;
  perform formd.audit_record(p_team, p_actor, 'respondent.erased', null, p_respondent, '{}');
  return true;
end
$$;

create or replace function formd.respondent_lock(p_team uuid, p_respondent uuid) returns boolean
language plpgsql volatile as $$
-- Keeps a person from being erased until the transaction ends. False: there is no such person, or no more.
-- Reads: respondents
-- Locks: the respondent, for key share: others who store for the person do not wait
-- Index: respondents_pkey
begin
  perform from formd.respondents r where r.team_id = p_team and r.id = p_respondent for key share;
  return found;
end
$$;

create or replace function formd.respondent_is_named(p_team uuid, p_respondent uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Checks whether a submission, an invitation or a grant of the team names a respondent. While a month of
-- submissions is detached, one of it may.
-- Reads: forms, submissions, invitations, grants
-- Index: forms_pkey, submissions_respondent_idx, invitations_respondent_idx, grants_respondent_idx
-- Why: form by form, since the index begins with the form: a look-up per form of the team.
declare
  v_form uuid;
begin
  if formd.partition_is_detached() then
    return true;
  end if;
  perform from formd.grants g where g.team_id = p_team and g.respondent_id = p_respondent limit 1;
  if found then
    return true;
  end if;
  perform from formd.invitations i where i.team_id = p_team and i.respondent_id = p_respondent limit 1;
  if found then
    return true;
  end if;
  for v_form in select f.id from formd.forms f where f.team_id = p_team loop
    perform from formd.submissions s
    where s.team_id = p_team and s.form_id = v_form and s.respondent_id = p_respondent limit 1;
    if found then
      return true;
    end if;
  end loop;
  return false;
end
$$;

create or replace function formd.respondents_purge(p_team uuid, p_limit integer) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
-- Deletes expired respondents whom no submission, invitation or grant names; the others are looked at again
-- 30 days later. Returns the look-ups, one per form of the team for each: the last one may exceed the limit.
-- p_team null: all.
-- Route: the purge job of every server
-- Reads: forms, what formd.respondent_is_named reads
-- Writes: respondents, by cascade sessions
-- Locks: the respondents; those whom a request holds, as it stores for them, are skipped
-- Index: respondents_expiry_idx, respondents_pkey, forms_pkey
declare
  c_respondent_kept_days constant integer := 30;
  v_now timestamptz(3) := clock_timestamp();
  v_until timestamptz(3) := v_now + make_interval(days => c_respondent_kept_days);
  v_team uuid;
  v_id uuid;
  v_forms integer;
  v_work integer := 0;
begin
  for v_team, v_id in
    select r.team_id, r.id from formd.respondents r
    where (p_team is null or r.team_id = p_team)
      and r.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
    limit p_limit for update skip locked
  loop
    if formd.respondent_is_named(v_team, v_id) then
      update formd.respondents r set expires_at = v_until where r.team_id = v_team and r.id = v_id;
    else
      delete from formd.respondents r where r.team_id = v_team and r.id = v_id;
    end if;
    select count(*) into v_forms from formd.forms f where f.team_id = v_team;
    v_work := v_work + greatest(v_forms, 1);
    exit when v_work >= p_limit;
  end loop;
  return v_work;
end
$$;
