-- Files: uploaded first, then claimed by a submission. A row is there before the bytes and goes after them,
-- so that no bytes are without a row.

create or replace function formd.file_bytes_add(p_team uuid, p_bytes bigint, p_unclaimed bigint,
  out bytes bigint, out unclaimed_bytes bigint)
language plpgsql volatile as $$
-- Adds to the bytes of a team, and to those that no submission has claimed. Returns how many there are.
-- Writes: file_totals
-- Locks: the team's row, until the transaction ends
-- Index: file_totals_pkey
begin
  insert into formd.file_totals as t (team_id, bytes, unclaimed_bytes)
  values (p_team, greatest(p_bytes, 0), greatest(p_unclaimed, 0))
  on conflict (team_id) do update set bytes = greatest(t.bytes + p_bytes, 0),
    unclaimed_bytes = greatest(t.unclaimed_bytes + p_unclaimed, 0)
  returning t.bytes, t.unclaimed_bytes into file_bytes_add.bytes, file_bytes_add.unclaimed_bytes;
end
$$;

create or replace function formd.file_bytes_reserve(p_team uuid, p_bytes bigint, p_max_bytes bigint,
  p_max_unclaimed bigint) returns boolean
language plpgsql volatile as $$
-- Adds bytes that arrive to those of a team, unless it has no room for them.
-- Writes: what file_bytes_add writes
-- Locks: what file_bytes_add locks
declare
  v_bytes bigint;
  v_unclaimed bigint;
begin
  select t.bytes, t.unclaimed_bytes into v_bytes, v_unclaimed
  from formd.file_bytes_add(p_team, p_bytes, p_bytes) t;
  if v_bytes <= p_max_bytes and v_unclaimed <= p_max_unclaimed then
    return true;
  end if;
  perform formd.file_bytes_add(p_team, -p_bytes, -p_bytes);
  return false;
end
$$;

create or replace function formd.file_uploader(p_result formd.submitter_result,
  p_credentials formd.submitter_credentials) returns text
language plpgsql immutable as $$
-- Returns who uploads, for formd.files; null: a page without a key, which has uploaded nothing: the server
-- makes a key for an upload that comes without one.
-- Why: a page has no session before its submission, and the same key with each of its posts.
begin
  if p_credentials.credential = 'page' then
    return 'page:' || encode(p_credentials.credential_hash, 'hex');
  end if;
  return p_result.caller_type || ':' || p_result.caller_id;
end
$$;

create or replace function formd.file_uploaders(p_result formd.submitter_result,
  p_credentials formd.submitter_credentials) returns text[]
language plpgsql immutable as $$
-- Returns whose uploads a caller may claim: its own, and those of the draft that its page was opened from.
begin
  return array[formd.file_uploader(p_result, p_credentials),
    'draft:' || encode(p_credentials.draft_hash, 'hex')];
end
$$;

create or replace function formd.file_begin(p_team uuid, p_form uuid,
  p_credentials formd.submitter_credentials, p_version integer, p_id uuid, p_field text,
  p_name text, p_size bigint, p_max_bytes bigint, p_max_unclaimed bigint, p_ip_key text, p_ip_limit integer)
  returns formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Decides whether a caller may upload a file for a form, and makes its row: p_size bytes are the team's now,
-- the first part of it. file_reserve adds the others as they arrive.
-- Route: POST /submitter/form/files, POST /f/{id}, POST /f/{id}/steps
-- Reads: form_versions; what submitter_form_load and submitter_admit read
-- Writes: files; what submitter_admit, submitter_claim_nonce and file_bytes_reserve write
-- Locks: what submitter_admit and submitter_claim_nonce lock; the person of agent_for_person; then what
--   file_bytes_reserve locks
-- Outcomes: those of submitter_admit and submitter_claim_nonce, form_closed, unauthorized (the person was
--   erased meanwhile), storage_full, admitted.
-- Index: form_versions_pkey
-- Why: admitted has the version and the schema, unless the server holds it: the server looks at the field
--   then, and calls files_remove if it takes no such file.
declare
  c_file_max_read_seconds constant integer := 600;
  v_now timestamptz(3) := clock_timestamp();
  v_form formd.submitter_form := formd.submitter_form_load(p_team, p_form, p_credentials.access_key_hash);
  v_authorization formd.submitter_authorization;
  v_result formd.submitter_result;
begin
  v_authorization := formd.submitter_admit(p_team, v_form, p_credentials, p_scope => 'agent:submit',
    p_ip_key => p_ip_key, p_ip_limit => p_ip_limit);
  v_authorization := formd.submitter_claim_nonce(p_team, p_credentials, v_authorization, false);
  v_result := v_authorization.result;
  if v_result.outcome is null and v_form.closed is not null then
    v_result.outcome := 'form_closed';
    v_result.response := v_form.closed;
  elsif v_result.outcome is null and v_result.provenance = 'agent_for_person'
    and not formd.respondent_lock(p_team, v_authorization.respondent_id) then
    v_result.outcome := 'unauthorized';
  end if;
  if v_result.outcome is not null then
    return v_result;
  end if;
  if not formd.file_bytes_reserve(p_team, p_size, p_max_bytes, p_max_unclaimed) then
    v_result.outcome := 'storage_full';
    return v_result;
  end if;
  insert into formd.files (team_id, form_id, id, field_id, state, uploader, name, size, type, created_at,
    expires_at)
  values (p_team, p_form, p_id, p_field, 'uploading', formd.file_uploader(v_result, p_credentials), p_name,
    p_size, '', v_now, v_now + make_interval(secs => 2 * c_file_max_read_seconds));
  v_result.outcome := 'admitted';
  if p_version is distinct from v_form.version then
    select v.version, v.schema into v_result.form_version, v_result.form_schema
    from formd.form_versions v where v.team_id = p_team and v.form_id = p_form and v.version = v_form.version;
  end if;
  return v_result;
end
$$;

create or replace function formd.file_reserve(p_team uuid, p_form uuid, p_id uuid, p_size bigint,
  p_max_bytes bigint, p_max_unclaimed bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Makes room for p_size bytes of a file that is arriving. False: the team has none, or the file came too
-- late.
-- Route: POST /submitter/form/files, POST /f/{id}, POST /f/{id}/steps
-- Writes: files; what file_bytes_reserve writes
-- Locks: the file's row; then what file_bytes_reserve locks
-- Index: files_pkey
declare
  v_reserved bigint;
begin
  select f.size into v_reserved from formd.files f
  where f.team_id = p_team and f.form_id = p_form and f.id = p_id and f.state = 'uploading' for update;
  if not found
    or not formd.file_bytes_reserve(p_team, p_size - v_reserved, p_max_bytes, p_max_unclaimed) then
    return false;
  end if;
  update formd.files f set size = p_size where f.team_id = p_team and f.form_id = p_form and f.id = p_id;
  return true;
end
$$;

create or replace function formd.file_finish(p_team uuid, p_form uuid, p_id uuid, p_name text,
  p_size bigint, p_type text, p_sha256 bytea, p_scan text) returns timestamptz
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Notes what was uploaded, once the bytes are on disk, and returns until when a submission may claim it;
-- null: it took too long, and was swept. p_name: it may have come with the bytes. p_scan: pending where files
-- are scanned, else none. A stranger has less time, since anyone can fill the room of unclaimed files.
-- Route: POST /submitter/form/files
-- Writes: files; what file_bytes_add writes
-- Locks: the file's row; then what file_bytes_add locks
-- Index: files_pkey
declare
  c_file_unclaimed_hours constant integer := 24;
  c_file_anonymous_hours constant integer := 1;
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3);
  v_reserved bigint;
  v_uploader text;
begin
  select f.size, f.uploader into v_reserved, v_uploader from formd.files f
  where f.team_id = p_team and f.form_id = p_form and f.id = p_id and f.state = 'uploading' for update;
  if not found then
    return null;
  end if;
  v_expires_at := v_now + make_interval(hours =>
    case when v_uploader ~ '^(page|anonymous):' then c_file_anonymous_hours else c_file_unclaimed_hours end);
  update formd.files f set state = 'uploaded', name = p_name, size = p_size, type = p_type, sha256 = p_sha256,
    scan = p_scan, expires_at = v_expires_at
  where f.team_id = p_team and f.form_id = p_form and f.id = p_id;
  if v_reserved <> p_size then
    perform formd.file_bytes_add(p_team, p_size - v_reserved, p_size - v_reserved);
  end if;
  return v_expires_at;
end
$$;

create or replace function formd.file_scanned(p_team uuid, p_form uuid, p_id uuid, p_malware text)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Notes what the scanner has found in a file that waits for it; null: it is clean. An infected upload is to
-- go; one that a submission has claimed stays in it without bytes, which the server has deleted before.
-- Route: POST /submitter/form/files, the sweep of every server
-- Writes: files; what audit_insert writes
-- Locks: the file's row; then what audit_insert locks
-- Index: files_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_clean boolean := p_malware is null;
  v_submission uuid;
begin
  update formd.files f set
    scan = case when v_clean then 'clean' else 'infected' end,
    state = case when v_clean or f.state = 'claimed' then f.state else 'deleted' end,
    name = case when v_clean or f.state = 'claimed' then f.name else '' end,
    expires_at = case when v_clean or f.state = 'claimed' then f.expires_at else v_now end
  where f.team_id = p_team and f.form_id = p_form and f.id = p_id and f.scan = 'pending'
    and f.state in ('uploaded', 'claimed')
  returning f.submission_id into v_submission;
  if found and not v_clean then
    perform formd.audit_insert(p_team, row('system', null, gen_random_uuid()::text)::formd.actor,
      'file.infected', p_form, p_id,
      jsonb_build_object('malware', p_malware, 'submissionId', v_submission));
  end if;
end
$$;

create or replace function formd.files_remove(p_team uuid, p_form uuid, p_ids uuid[]) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Deletes the rows of files whose bytes are gone: of broken uploads, and what files_expire returned.
-- Route: POST /submitter/form/files, the sweep of every server
-- Writes: files; what file_bytes_add writes
-- Locks: the rows; then what file_bytes_add locks
-- Index: files_pkey
declare
  v_bytes bigint;
  v_unclaimed bigint;
begin
  with gone as (
    delete from formd.files f
    where f.team_id = p_team and f.form_id = p_form and f.id = any (p_ids)
      and f.state in ('uploading', 'deleted')
    returning f.size, f.submission_id
  )
  select sum(g.size), coalesce(sum(g.size) filter (where g.submission_id is null), 0)
  into v_bytes, v_unclaimed from gone g;
  if v_bytes > 0 then
    perform formd.file_bytes_add(p_team, -v_bytes, -v_unclaimed);
  end if;
end
$$;

create or replace function formd.files_expire(p_limit integer)
  returns table (team_id uuid, form_id uuid, id uuid)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- Returns at most p_limit files whose bytes are to go: no submission has claimed them in time, or theirs was
-- deleted. Nothing can claim them any more.
-- Route: the sweep of every server
-- Writes: files
-- Locks: the rows that it returns; those that a request holds are skipped
-- Index: files_expiry_idx
-- Why: the server deletes the bytes, then the rows, by files_remove. Meanwhile other servers leave them alone
--   for some minutes; if it dies, one of them goes on. Team by team on Citus: see expired_purge.
declare
  c_lease constant interval := interval '5 minutes';
  v_now timestamptz(3) := clock_timestamp();
  v_teams uuid[] := array[null::uuid];
  v_team uuid;
  v_left integer := p_limit;
  v_found integer;
begin
  if exists (select from pg_extension x where x.extname = 'citus') then
    v_teams := array(select distinct e.team_id from formd.files e
      where e.expires_at at time zone 'UTC' < v_now at time zone 'UTC');
  end if;
  foreach v_team in array v_teams loop
    exit when v_left <= 0;
    return query
    with expired as materialized (
      select e.team_id, e.form_id, e.id from formd.files e
      where (v_team is null or e.team_id = v_team)
        and e.expires_at at time zone 'UTC' < v_now at time zone 'UTC'
      order by e.expires_at at time zone 'UTC' limit v_left for update skip locked
    )
    update formd.files f set state = 'deleted', name = '', expires_at = v_now + c_lease
    from expired e
    where (v_team is null or f.team_id = v_team)
      and f.team_id = e.team_id and f.form_id = e.form_id and f.id = e.id
    returning f.team_id, f.form_id, f.id;
    get diagnostics v_found = row_count;
    v_left := v_left - v_found;
  end loop;
end
$$;

create or replace function formd.files_read(p_team uuid, p_form uuid,
  p_credentials formd.submitter_credentials, p_ids uuid[])
  returns table (id uuid, field_id text, name text, size bigint, type text, sha256 text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns the listed files that the caller has uploaded for the form and that have not expired, for the
-- values that are stored.
-- Route: POST /submitter/form/submissions, POST /submitter/form/validation
-- Reads: files; what submitter_form_load and submitter_admit read
-- Writes: what submitter_admit writes
-- Outcomes: no rows for a caller that may not submit: submissions_submit says why.
-- Index: files_pkey
-- Why: a claimed file too, since a submission that is sent again gets the response of the first. Who has
--   claimed it decides submission_submit_files.
declare
  v_form formd.submitter_form := formd.submitter_form_load(p_team, p_form, p_credentials.access_key_hash);
  v_authorization formd.submitter_authorization;
begin
  v_authorization := formd.submitter_admit(p_team, v_form, p_credentials, p_scope => null);
  if (v_authorization.result).outcome is null then
    return query select f.id, f.field_id, f.name, f.size, f.type, encode(f.sha256, 'hex') from formd.files f
    where f.team_id = p_team and f.form_id = p_form and f.id = any (p_ids)
      and (f.state = 'claimed' or f.state = 'uploaded' and f.expires_at > clock_timestamp())
      and f.uploader = any (formd.file_uploaders(v_authorization.result, p_credentials));
  end if;
end
$$;

create or replace function formd.submission_submit_files(p_team uuid, p_item jsonb, p_files jsonb)
  returns setof formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Stores a submission and claims the uploads that it names, or neither. p_files: id and field of each.
-- Route: POST /submitter/form/submissions
-- Writes: files; what submissions_submit and file_bytes_add write
-- Locks: what submissions_submit locks; last the rows of the files, in the order of their ids, then what
--   file_bytes_add locks
-- Outcomes: those of submissions_submit; upload_not_found, instead of rejected, when an upload is not there,
--   has expired, is another caller's or for another field, or is claimed.
-- Index: files_pkey
-- Why: beside submissions_submit, so that a submission without files costs what it did. Who calls is known
--   when it is stored: if the claim fails, that is undone, and the submission is decided again as a rejected
--   one, so that it counts in the rate limits.
declare
  v_item formd.submission_item := jsonb_populate_record(null::formd.submission_item, p_item);
  v_result formd.submitter_result;
  v_id uuid;
  v_uploaders text[];
  v_claimed integer;
  v_bytes bigint;
begin
  begin
    select r.* into v_result from formd.submissions_submit(p_team, jsonb_build_array(p_item)) as r;
    if v_result.outcome = 'stored' then
      v_id := (v_result.response ->> 'id')::uuid;
      v_uploaders := formd.file_uploaders(v_result, v_item.credentials);
      with named as materialized (
        select f.id from formd.files f
        join jsonb_to_recordset(p_files) as n (id uuid, field text) on n.id = f.id and n.field = f.field_id
        where f.team_id = p_team and f.form_id = v_item.form_id and f.state = 'uploaded'
          and f.expires_at > clock_timestamp() and f.uploader = any (v_uploaders)
        order by f.id for update of f
      ), claimed as (
        update formd.files f set state = 'claimed', submission_id = v_id, expires_at = null
        from named n where f.team_id = p_team and f.form_id = v_item.form_id and f.id = n.id
        returning f.size)
      select count(*), coalesce(sum(c.size), 0) into v_claimed, v_bytes from claimed c;
      if v_claimed <> jsonb_array_length(p_files) then
        raise exception using errcode = 'ZFILE', message = 'An upload cannot be claimed.';
      end if;
      perform formd.file_bytes_add(p_team, 0, -v_bytes);
    end if;
  exception
    when sqlstate 'ZFILE' then
      select r.* into v_result from formd.submissions_submit(p_team, jsonb_build_array(
        (p_item || '{"validation": "rejected"}'::jsonb)
        - array['data', 'request_digest', 'signature', 'signature_input'])) as r;
      if v_result.outcome = 'rejected' then
        v_result.outcome := 'upload_not_found';
      end if;
  end;
  return next v_result;
end
$$;

create or replace function formd.file_get(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid,
  p_id uuid, out name text, out size bigint, out type text, out sha256 text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns what a file of a submission is called and consists of, and records the download of an owner.
-- Route: GET /management/forms/{form_id}/submissions/{submission_id}/files/{file_id}
-- Reads: files, forms
-- Writes: what audit_record writes
-- Raises: not_found, insufficient_workspace_role (least role: viewer), conflict (the file is not scanned
--   yet), gone (it is infected)
-- Index: files_pkey, forms_pkey
declare
  v_scan text;
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  select f.name, f.size, f.type, encode(f.sha256, 'hex'), f.scan into name, size, type, sha256, v_scan
  from formd.files f
  where f.team_id = p_team and f.form_id = p_form and f.id = p_id and f.submission_id = p_submission
    and f.state = 'claimed';
  if not found then
    perform formd.raise_problem('not_found', 'file_missing');
  end if;
  if v_scan = 'pending' then
    perform formd.raise_problem('conflict', 'file_not_scanned');
  elsif v_scan = 'infected' then
    perform formd.raise_problem('gone', 'file_infected');
  end if;
  perform formd.audit_record(p_team, p_actor, 'file.downloaded', p_form, p_id,
    jsonb_build_object('submissionId', p_submission));
end
$$;
