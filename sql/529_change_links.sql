-- Links by which respondents change what they sent, or take it back: see settings.page.change.

create or replace function formd.change_link_state(p_team uuid, p_form uuid, p_submission uuid,
  p_is_withdrawal boolean, out outcome text, out reason text, out ends_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Decides whether the respondent of a submission may change it now, or take it back. ends_at: until when;
-- null: there is no end.
-- Route: GET /f/{id}/sent, GET /f/{id}/c/{token}, the copy by mail
-- Reads: forms, submissions, submission_erasures, holds
-- Outcomes: not_found (also of a page that is not enabled, and of a partial submission; reason withdrawn:
--   the respondent has taken it back), gone (reason ended), form_closed (reason off, also of a form that is
--   archived; reviewed), held (reason held), allowed
-- Index: forms_pkey, submissions_pkey, submission_erasures_pkey, holds_active_key
-- Why: a form that is full takes changes nevertheless, since they take no place.
declare
  v_status text;
  v_settings jsonb;
  v_until text;
  v_from timestamptz(3);
  v_now timestamptz(3) := clock_timestamp();
  v_is_reviewed boolean;
begin
  select f.status, f.settings_in_force into v_status, v_settings
  from formd.forms f where f.team_id = p_team and f.id = p_form;
  outcome := formd.form_page_outcome(v_status, v_settings);
  if outcome = 'not_found' then
    return;
  end if;
  select coalesce(s.completed_at, s.created_at), s.review_decision is not null into v_from, v_is_reviewed
  from formd.submissions s
  where s.team_id = p_team and s.form_id = p_form and s.id = p_submission and s.status <> 'partial';
  if not found then
    outcome := 'not_found';
    select 'withdrawn' into reason from formd.submission_erasures r
    where r.team_id = p_team and r.form_id = p_form and r.submission_id = p_submission
      and r.actor_type = 'respondent';
    return;
  end if;
  v_until := v_settings #>> '{page, change, until}';
  ends_at := case when v_until = 'closes' then formd.instant_parse(v_settings #> '{availability, closesAt}')
    else (v_from at time zone 'UTC' + v_until::interval) at time zone 'UTC' end;
  if outcome = 'gone' or v_until is null
    or p_is_withdrawal and not v_settings @> '{"page": {"change": {"withdraw": true}}}' then
    outcome := 'form_closed';
    reason := 'off';
  elsif v_now >= ends_at then
    outcome := 'gone';
    reason := 'ended';
  elsif v_is_reviewed then
    outcome := 'form_closed';
    reason := 'reviewed';
  else
    outcome := 'allowed';
    perform from formd.holds h
    where h.team_id = p_team and h.form_id = p_form and h.released_at is null
      and (h.submission_id is null or h.submission_id = p_submission);
    if found then
      outcome := 'held';
      reason := 'held';
    end if;
  end if;
end
$$;

create or replace function formd.change_link_open(p_team uuid, p_form uuid, p_submission uuid,
  p_is_withdrawal boolean, p_ip_key text, p_ip_limit integer,
  out outcome text, out reason text, out settings jsonb, out name text, out description text,
  out form_version integer, out form_schema jsonb, out data jsonb, out status text,
  out updated_at timestamptz, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns a submission for the page that changes it, the version that it is of, and the settings of the page
-- as form_page_read returns them. p_submission null: the token of the link is none.
-- Route: GET and POST /f/{id}/c/{token} and the addresses below it
-- Reads: forms, submissions, form_versions; what form_page_read and change_link_state read
-- Writes: what form_page_read writes
-- Locks: what form_page_read locks
-- Outcomes: rate_limited, those of change_link_state
-- Index: forms_pkey, submissions_pkey, form_versions_pkey
-- Why: an unknown link takes the same path, and is counted.
declare
  v_version integer;
begin
  select f.current_version into v_version from formd.forms f where f.team_id = p_team and f.id = p_form;
  select r.outcome, r.settings, r.name, r.remaining, r.reset_ms
  into outcome, settings, name, remaining, reset_ms
  from formd.form_page_read(p_team, p_form, v_version, p_ip_key, p_ip_limit) as r;
  if outcome = 'rate_limited' then
    return;
  end if;
  select c.outcome, c.reason into outcome, reason
  from formd.change_link_state(p_team, p_form, p_submission, p_is_withdrawal) as c;
  if outcome = 'allowed' then
    select s.form_version, s.data, s.status, s.updated_at into form_version, data, status, updated_at
    from formd.submissions s where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
    if not found then
      outcome := 'not_found';
      return;
    end if;
    select v.name, v.description, v.schema into name, description, form_schema
    from formd.form_versions v
    where v.team_id = p_team and v.form_id = p_form and v.version = change_link_open.form_version;
  end if;
end
$$;

create or replace function formd.change_link_lock(p_team uuid, p_form uuid, p_submission uuid,
  p_is_withdrawal boolean) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Locks a submission that its respondent changes or takes back, and decides again.
-- Reads: submissions, forms; what change_link_state reads
-- Locks: the person of the submission (respondent_lock), the submission's row, the form's, for share
-- Raises: not_found, and the other outcomes of change_link_state with the member change
-- Index: submissions_pkey, forms_pkey
-- Why: a review and a hold of the submission lock its row; a hold of the form, its archiving and its settings
--   the form's. The person comes first, as with each call that stores for one.
declare
  v_respondent uuid;
  v_outcome text;
  v_reason text;
begin
  select s.respondent_id into v_respondent
  from formd.submissions s where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
  if v_respondent is not null and not formd.respondent_lock(p_team, v_respondent) then
    perform formd.raise_problem('not_found', 'submission_missing');
  end if;
  perform from formd.submissions s
  where s.team_id = p_team and s.form_id = p_form and s.id = p_submission for update;
  perform from formd.forms f where f.team_id = p_team and f.id = p_form for share;
  select c.outcome, c.reason into v_outcome, v_reason
  from formd.change_link_state(p_team, p_form, p_submission, p_is_withdrawal) as c;
  if v_outcome <> 'allowed' then
    perform formd.raise_problem(v_outcome,
      case v_outcome when 'not_found' then 'submission_missing' else 'change_refused' end,
      p_extras => jsonb_strip_nulls(jsonb_build_object('change', v_reason)));
  end if;
end
$$;

create or replace function formd.change_link_apply(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid, p_expected_updated_at timestamptz, p_edits jsonb, p_whole boolean, p_page_hash bytea,
  p_files jsonb) returns setof formd.submission_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Applies a respondent's edits as submission_patch does an owner's, and claims the uploads that they name
-- (p_files: id and field of each) of the page with this key, or does neither.
-- Route: POST /f/{id}/c/{token}
-- Writes: files; what submission_patch and file_bytes_add write
-- Locks: what change_link_lock and submission_patch lock; last the rows of the files, in the order of their
--   ids, then what file_bytes_add locks
-- Raises: what change_link_lock and submission_patch raise, validation_failed (an upload is not there, has
--   expired, or is another page's)
-- Index: files_pkey
declare
  v_actor formd.actor := row('respondent', null, (p_actor).request_id);
  v_claimed integer;
  v_bytes bigint;
begin
  perform formd.change_link_lock(p_team, p_form, p_submission, false);
  return query select p.* from formd.submission_patch(p_team, v_actor, p_form, p_submission,
    p_expected_updated_at, p_edits, p_whole) as p;
  if p_files = '[]' then
    return;
  end if;
  with named as materialized (
    select f.id from formd.files f
    join jsonb_to_recordset(p_files) as n (id uuid, field text) on n.id = f.id and n.field = f.field_id
    where f.team_id = p_team and f.form_id = p_form and f.state = 'uploaded'
      and f.expires_at > clock_timestamp() and f.uploader = 'page:' || encode(p_page_hash, 'hex')
    order by f.id for update of f
  ), claimed as (
    update formd.files f set state = 'claimed', submission_id = p_submission, expires_at = null
    from named n where f.team_id = p_team and f.form_id = p_form and f.id = n.id
    returning f.size)
  select count(*), coalesce(sum(c.size), 0) into v_claimed, v_bytes from claimed c;
  if v_claimed <> jsonb_array_length(p_files) then
    perform formd.raise_problem('validation_failed', 'uploads_missing',
      p_extras => jsonb_build_object('uploads', p_files));
  end if;
  perform formd.file_bytes_add(p_team, 0, -v_bytes);
end
$$;

create or replace function formd.change_link_withdraw(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Deletes a submission that its respondent takes back, as submission_delete does for an owner.
-- Route: POST /f/{id}/c/{token}/withdraw
-- Writes: what submission_delete writes
-- Locks: what change_link_lock and submission_delete lock
-- Raises: what change_link_lock raises
begin
  perform formd.change_link_lock(p_team, p_form, p_submission, true);
  perform formd.submission_delete(p_team, row('respondent', null, (p_actor).request_id)::formd.actor, p_form,
    p_submission);
end
$$;

create or replace function formd.change_link_upload(p_team uuid, p_form uuid, p_submission uuid,
  p_page_hash bytea, p_id uuid, p_field text, p_name text, p_size bigint, p_max_bytes bigint,
  p_max_unclaimed bigint, p_ip_key text, p_ip_limit integer) returns formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Makes the row of a file that a respondent adds to a submission, as file_begin does.
-- Route: POST /f/{id}/c/{token}, POST /f/{id}/c/{token}/steps
-- Reads: what change_link_state reads
-- Writes: files; what rate_limit_count and file_bytes_reserve write
-- Locks: what rate_limit_count and file_bytes_reserve lock
-- Outcomes: rate_limited, those of change_link_state, storage_full, admitted
-- Why: not by submitter_admit, since a form that is full or closed takes changes.
declare
  c_file_max_read_seconds constant integer := 600;
  c_rate_limit_window_ms constant integer := 60000;
  v_now timestamptz(3) := clock_timestamp();
  v_rate formd.rate_limit_state := formd.rate_limit_count(p_ip_key, p_ip_limit, c_rate_limit_window_ms);
  v_result formd.submitter_result;
begin
  v_result.limit_name := 'ip';
  v_result.max_requests := p_ip_limit;
  v_result.window_ms := c_rate_limit_window_ms;
  v_result.remaining := v_rate.remaining;
  v_result.reset_ms := v_rate.reset_ms;
  if not v_rate.allowed then
    v_result.outcome := 'rate_limited';
    return v_result;
  end if;
  v_result.outcome := (formd.change_link_state(p_team, p_form, p_submission, false)).outcome;
  if v_result.outcome <> 'allowed' then
    return v_result;
  end if;
  if not formd.file_bytes_reserve(p_team, p_size, p_max_bytes, p_max_unclaimed) then
    v_result.outcome := 'storage_full';
    return v_result;
  end if;
  insert into formd.files (team_id, form_id, id, field_id, state, uploader, name, size, type, created_at,
    expires_at)
  values (p_team, p_form, p_id, p_field, 'uploading', 'page:' || encode(p_page_hash, 'hex'), p_name, p_size,
    '', v_now, v_now + make_interval(secs => 2 * c_file_max_read_seconds));
  v_result.outcome := 'admitted';
  return v_result;
end
$$;

create or replace function formd.change_link_files(p_team uuid, p_form uuid, p_page_hash bytea, p_ids uuid[])
  returns table (id uuid, field_id text, name text, size bigint, type text, sha256 text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns the listed files that the page with this key has uploaded and that have not expired.
-- Route: POST /f/{id}/c/{token}
-- Reads: files
-- Index: files_pkey
begin
  return query select f.id, f.field_id, f.name, f.size, f.type, encode(f.sha256, 'hex') from formd.files f
  where f.team_id = p_team and f.form_id = p_form and f.id = any (p_ids) and f.state = 'uploaded'
    and f.expires_at > clock_timestamp() and f.uploader = 'page:' || encode(p_page_hash, 'hex');
end
$$;
