create or replace function formd.submission_count_add(p_team uuid, p_form uuid, p_status text,
  p_change integer)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Changes a form's number of submissions.
-- Writes: submission_counts
-- Locks: one of 64 slots, that of this backend, so that transactions rarely wait for each other
-- Index: submission_counts_pkey
-- Why: a slot may go below zero (added in one, deleted in another); the sum of the slots is exact.
declare
  c_slots constant integer := 64;
  v_slot smallint := pg_backend_pid() % c_slots;
begin
  update formd.submission_counts c set total = c.total + p_change
  where c.team_id = p_team and c.form_id = p_form and c.status = p_status and c.slot = v_slot;
  if not found then
    insert into formd.submission_counts as c (team_id, form_id, status, slot, total)
    values (p_team, p_form, p_status, v_slot, p_change)
    on conflict (team_id, form_id, status, slot) do update set total = c.total + excluded.total;
  end if;
end
$$;

create or replace function formd.submission_recount(p_team uuid, p_form uuid)
returns table (status text, counted bigint, total bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Counts a form's submissions by status, each beside the sum of its counters: the two are equal.
-- Route: none; formd doctor compares them for a sample of forms
-- Reads: submissions, submission_counts
-- Index: submissions_status_idx, submission_counts_pkey
-- Why: in one statement, since a submission and its counter change in one transaction: a snapshot has both.
begin
  return query
  select k.status,
    (select count(*) from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.status = k.status),
    coalesce((select sum(c.total)::bigint from formd.submission_counts c
      where c.team_id = p_team and c.form_id = p_form and c.status = k.status), 0)
  from (values ('completed'), ('partial'), ('pending')) as k (status);
end
$$;

create or replace function formd.submission_counts_repair(p_team uuid, p_form uuid) returns bigint
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Brings the counters of a form to what submission_recount counts, while servers run; returns by how much
-- they were wrong.
-- Writes: submission_counts
-- Locks: one slot per status
-- Why: it adds the difference of one snapshot, so that what is submitted meanwhile counts as well.
declare
  v_each record;
  v_changed bigint := 0;
begin
  for v_each in
    select r.status, r.counted - r.total as difference from formd.submission_recount(p_team, p_form) as r
    where r.counted <> r.total
  loop
    perform formd.submission_count_add(p_team, p_form, v_each.status, v_each.difference::integer);
    v_changed := v_changed + abs(v_each.difference);
  end loop;
  return v_changed;
end
$$;

-- Where submissions are divided by month, PostgreSQL plans and opens each month of a range of ids, those ahead
-- too: a list by status took 14 times as long. So a list ends with today and looks in its last week first.
-- Both functions are inlined, since a call costs 50 us. A server whose clock is more than a day ahead makes
-- submissions that are listed when their day comes.

create or replace function formd.submissions_end(p_end_id uuid) returns uuid
language sql stable parallel safe as $$
-- The end of a range of ids, tomorrow at the latest.
select least(p_end_id, formd.uuid_floor(now() + interval '1 day'))
$$;

create or replace function formd.submissions_newest(p_first_id uuid, p_end_id uuid) returns uuid
language sql stable parallel safe as $$
-- Where the last week of a range of ids begins.
select greatest(p_first_id, formd.uuid_floor(greatest(formd.uuid_time(p_end_id) - interval '7 days',
  timestamptz 'epoch')))
$$;

create or replace function formd.submission_list(p_team uuid, p_form uuid, p_status text, p_review text,
  p_agent uuid,
  p_respondent uuid, p_provenance text, p_first_id uuid, p_end_id uuid, p_limit integer, p_offset bigint,
  p_below uuid, p_max_counted bigint)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text,
  submitter_id uuid, respondent_id uuid, provenance text, declared_agent text, review_decision text,
  review_reason text, reviewed_at timestamptz, created_at timestamptz, updated_at timestamptz, total bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- Returns the first rows of a page, newest first, with the exact total of the list. A page without rows is
-- one row of nulls with the total. Ends early once the rows have c_part_max_bytes; the caller goes on with
-- p_below, the last id that it has, for the rest of the page and for an export. The total is then null.
-- p_review: open (waits for review) or rejected. With p_max_counted, rows that have no counter are counted up
-- to that number from the page's first one on.
-- Route: GET /management/forms/{form_id}/submissions, GET …/submissions/export; lists and review queue of the
--   console
-- Reads: forms, submissions, submission_counts
-- Raises: not_found (form)
-- Index: submissions_pkey, or that of the filter: submissions_status_idx, submissions_agent_idx,
--   submissions_respondent_idx, submissions_provenance_idx, submissions_review_open_idx,
--   submissions_review_rejected_idx. All end in the id, which is the order. Of provenance it has the rare
--   values only, since every submit pays for an index; a page of the others walks the form.
-- Why: p_first_id (inclusive) and p_end_id (exclusive) are times, since a UUIDv7 begins with its time. The
--   total is the sum of the counters where only the status is asked for; else the rows are counted in the
--   index: "order by … limit" (a limit of null is none) keeps the planner from scanning the table. A million
--   take 0.2 s, 10,000 at most 3 ms. The page begins below the row before it, which is looked up from the
--   nearer end of the list. A plan for each call, since a filter that is null must vanish from it: the
--   generic plan would walk the form. Rows are measured one by one, since a row that does not fit the part
--   would be read for nothing.
declare
  c_part_max_bytes constant integer := 262144;
  c_max_id constant uuid := uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_first_id uuid := coalesce(p_first_id, '00000000-0000-0000-0000-000000000000');
  v_end_id uuid := least(p_end_id, p_below, c_max_id);
  v_is_divided boolean := pg_get_partkeydef('formd.submissions'::regclass) is not null;
  v_newest_id uuid := v_first_id;
  v_row_id uuid;
  v_rows integer := 0;
  v_is_exact boolean := true;
  v_bytes integer := 0;
begin
  if v_is_divided then
    v_end_id := formd.submissions_end(v_end_id);
    v_newest_id := formd.submissions_newest(v_first_id, v_end_id);
  end if;
  if p_below is null then
    perform from formd.forms f where f.team_id = p_team and f.id = p_form;
    if not found then
      perform formd.raise_problem('not_found', 'There is no such form.');
    elsif num_nonnulls(p_review, p_agent, p_respondent, p_provenance, p_first_id, p_end_id) = 0 then
      select coalesce(sum(c.total), 0) into total
      from formd.submission_counts c
      where c.team_id = p_team and c.form_id = p_form and (p_status is null or c.status = p_status);
    else
      select count(*) into total from (
        select from formd.submissions s
        where s.team_id = p_team and s.form_id = p_form and s.id >= v_first_id and s.id < v_end_id
          and (p_status is null or s.status = p_status)
            and (p_respondent is null or s.respondent_id = p_respondent)
          and (p_provenance is null or s.provenance = p_provenance)
          and (p_agent is null or s.submitter_id = p_agent and s.submitter_type = 'agent')
          and (p_review is null or s.status = 'pending' and (
            p_review = 'open' and s.review_decision is null or p_review = 'rejected'
            and s.review_decision = 'rejected'))
        order by s.id desc limit p_offset + p_max_counted) as matching;
      v_is_exact := p_max_counted is null or total < p_offset + p_max_counted;
    end if;
    if p_offset >= total then
      return next;
      return;
    elsif v_is_exact and p_offset * 2 > total then
      select s.id into v_end_id from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.id >= v_first_id and s.id < v_end_id
        and (p_status is null or s.status = p_status)
          and (p_respondent is null or s.respondent_id = p_respondent)
        and (p_provenance is null or s.provenance = p_provenance)
        and (p_agent is null or s.submitter_id = p_agent and s.submitter_type = 'agent')
        and (p_review is null or s.status = 'pending' and (
          p_review = 'open' and s.review_decision is null or p_review = 'rejected'
          and s.review_decision = 'rejected'))
      order by s.id limit 1 offset total - p_offset;
    elsif p_offset > 0 then
      loop
        select s.id into v_row_id from formd.submissions s
        where s.team_id = p_team and s.form_id = p_form and s.id >= v_newest_id and s.id < v_end_id
          and (p_status is null or s.status = p_status)
            and (p_respondent is null or s.respondent_id = p_respondent)
          and (p_provenance is null or s.provenance = p_provenance)
          and (p_agent is null or s.submitter_id = p_agent and s.submitter_type = 'agent')
          and (p_review is null or s.status = 'pending' and (
            p_review = 'open' and s.review_decision is null or p_review = 'rejected'
            and s.review_decision = 'rejected'))
        order by s.id desc limit 1 offset p_offset - 1;
        exit when found or v_newest_id = v_first_id;
        v_newest_id := v_first_id;
      end loop;
      v_end_id := v_row_id;
    end if;
  end if;

  if v_is_divided and p_offset > 0 then
    v_newest_id := formd.submissions_newest(v_first_id, v_end_id);
  end if;
  loop
    for id, form_id, form_version, status, data, metadata, submitter_type, submitter_id, respondent_id,
      provenance, declared_agent, review_decision, review_reason, reviewed_at, created_at, updated_at in
      select s.id, s.form_id, s.form_version, s.status, s.data, s.metadata, s.submitter_type, s.submitter_id,
        s.respondent_id, s.provenance, s.declared_agent,
        s.review_decision, s.review_reason, s.reviewed_at, s.created_at, s.updated_at
      from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.id >= v_newest_id and s.id < v_end_id
        and (p_status is null or s.status = p_status)
          and (p_respondent is null or s.respondent_id = p_respondent)
        and (p_provenance is null or s.provenance = p_provenance)
        and (p_agent is null or s.submitter_id = p_agent and s.submitter_type = 'agent')
        and (p_review is null or s.status = 'pending' and (
          p_review = 'open' and s.review_decision is null or p_review = 'rejected'
          and s.review_decision = 'rejected'))
      order by s.id desc limit p_limit - v_rows
    loop
      return next;
      v_rows := v_rows + 1;
      v_bytes := v_bytes + octet_length(data::text) + coalesce(octet_length(metadata::text), 0);
      exit when v_bytes >= c_part_max_bytes;
    end loop;
    exit when v_newest_id = v_first_id or v_rows = p_limit or v_bytes >= c_part_max_bytes;
    v_end_id := v_newest_id;
    v_newest_id := v_first_id;
  end loop;
end
$$;

create or replace function formd.submission_page(p_team uuid, p_form uuid, p_status text, p_review text,
  p_agent uuid,
  p_respondent uuid, p_provenance text, p_first_id uuid, p_end_id uuid, p_limit integer, p_offset bigint,
  p_below uuid, p_max_counted bigint)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text,
  submitter_id uuid, respondent_id uuid, provenance text, declared_agent text, review_decision text,
  review_reason text, reviewed_at timestamptz, created_at timestamptz, updated_at timestamptz, total bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_sort = off set plan_cache_mode = force_generic_plan as $$
-- Returns what submission_list does, with plans that are kept: of the first page without filters, and of the
-- parts after it.
-- Route: GET /management/forms/{form_id}/submissions, GET …/submissions/export
-- Reads: forms, submissions, submission_counts
-- Raises: not_found (form)
-- Index: forms_pkey, submission_counts_pkey, submissions_pkey
-- Why: planning takes half of submission_list's time. The generic plan is forced, since one for an unknown
--   limit looks dear and each call would be planned; without a sort it can only walk submissions_pkey, at any
--   age of the table. On Citus such a plan has one table. A form with submissions exists. A value that is
--   stored uncompressed is measured without writing it as text.
declare
  c_part_max_bytes constant integer := 262144;
  c_min_id constant uuid := uuid '00000000-0000-0000-0000-000000000000';
  c_max_id constant uuid := uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_newest_id uuid := c_min_id;
  v_end_id uuid := coalesce(p_below, c_max_id);
  v_rows integer := 0;
  v_size integer;
  v_bytes integer := 0;
begin
  if num_nonnulls(p_status, p_review, p_agent, p_respondent, p_provenance, p_first_id, p_end_id) > 0
     or p_offset > 0 then
    return query select * from formd.submission_list(p_team => p_team, p_form => p_form, p_status => p_status,
      p_review => p_review,
      p_agent => p_agent, p_respondent => p_respondent, p_provenance => p_provenance,
      p_first_id => p_first_id, p_end_id => p_end_id, p_limit => p_limit, p_offset => p_offset,
      p_below => p_below, p_max_counted => p_max_counted);
    return;
  end if;
  if p_below is null then
    select coalesce(sum(c.total), 0) into total from formd.submission_counts c where c.team_id = p_team
      and c.form_id = p_form;
    if total = 0 then
      perform from formd.forms f where f.team_id = p_team and f.id = p_form;
      if not found then
        perform formd.raise_problem('not_found', 'There is no such form.');
      end if;
    end if;
  end if;

  if pg_get_partkeydef('formd.submissions'::regclass) is not null then
    v_end_id := formd.submissions_end(v_end_id);
    v_newest_id := formd.submissions_newest(c_min_id, v_end_id);
  end if;
  loop
    for id, form_id, form_version, status, data, metadata, submitter_type, submitter_id, respondent_id,
      provenance, declared_agent, review_decision, review_reason, reviewed_at, created_at, updated_at, v_size
    in
      select s.id, s.form_id, s.form_version, s.status, s.data, s.metadata, s.submitter_type, s.submitter_id,
        s.respondent_id, s.provenance, s.declared_agent,
        s.review_decision, s.review_reason, s.reviewed_at, s.created_at, s.updated_at,
        case when pg_column_compression(s.data) is null then pg_column_size(s.data)
          else octet_length(s.data::text) end
      from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.id >= v_newest_id and s.id < v_end_id
      order by s.id desc limit p_limit - v_rows
    loop
      return next;
      v_rows := v_rows + 1;
      v_bytes := v_bytes + v_size + coalesce(octet_length(metadata::text), 0);
      exit when v_bytes >= c_part_max_bytes;
    end loop;
    exit when v_newest_id = c_min_id or v_rows = p_limit or v_bytes >= c_part_max_bytes;
    v_end_id := v_newest_id;
    v_newest_id := c_min_id;
  end loop;
  if v_rows = 0 and p_below is null then
    return next;
  end if;
end
$$;

create or replace function formd.submission_get(p_team uuid, p_form uuid, p_submission uuid)
  returns setof formd.submission_row
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off rows 1 as $$
-- Returns a submission, or no row.
-- Route: GET and PATCH /management/forms/{form_id}/submissions/{submission_id}
-- Reads: submissions
-- Index: submissions_pkey
-- Why: a function, because a statement of the server keeps the plan of an empty table: 0.5 s at a million
--   rows.
begin
  return query select s.id, s.team_id, s.form_id, s.form_version, s.status, s.data, s.metadata,
    s.submitter_type, s.submitter_id, s.respondent_id, s.provenance, s.declared_agent, s.review_decision,
    s.review_reason, s.reviewed_at, s.created_at, s.updated_at
  from formd.submissions s
  where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
end
$$;

create or replace function formd.submission_columns(p_team uuid, p_form uuid)
  returns table (id text, title text, field jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the columns of an export, with the definitions of the fields: each field that any version had, as
-- the newest of them has it; the newest version's fields come first. A form that was never published has
-- none.
-- Route: GET /management/forms/{form_id}/submissions/export
-- Reads: forms, form_versions
-- Raises: not_found (form)
-- Index: form_versions_pkey
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  end if;
  return query
  select newest.id, coalesce(newest.field ->> 'label', newest.id) || ' (' || newest.id || ')', newest.field
  from (
    select distinct on (f.field ->> 'id') f.field ->> 'id' as id, f.field, v.version, f.position
    from formd.form_versions v, jsonb_array_elements(v.schema -> 'fields') with ordinality as f (field,
      position)
    where v.team_id = p_team and v.form_id = p_form
    order by f.field ->> 'id', v.version desc, f.position) as newest
  order by newest.version desc, newest.position;
end
$$;

create or replace function formd.submission_lock(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid)
returns formd.submission_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Locks a submission that the actor may change, and returns it.
-- Reads: submissions
-- Locks: the submission's row
-- Raises: what actor_require_login raises, not_found, insufficient_workspace_role (least role: editor)
-- Index: submissions_pkey
-- Why: not the table's row type, since a table that becomes a partition takes its type with it.
declare
  v_row formd.submission_row;
begin
  perform formd.actor_require_login(p_actor);
  if (p_actor).type = 'operator' then
    perform formd.form_require_role(p_team => p_team, p_actor => p_actor, p_form => p_form,
      p_role => 'editor');
  end if;
  select s.id, s.team_id, s.form_id, s.form_version, s.status, s.data, s.metadata,
    s.submitter_type, s.submitter_id, s.respondent_id, s.provenance, s.declared_agent, s.review_decision,
    s.review_reason, s.reviewed_at, s.created_at, s.updated_at
  into v_row from formd.submissions s
  where s.team_id = p_team and s.form_id = p_form and s.id = p_submission for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such submission.');
  end if;
  return v_row;
end
$$;

create or replace function formd.submission_patch(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid,
  p_expected_updated_at timestamptz, p_edits jsonb, p_whole boolean, p_edit_ids uuid[])
returns setof formd.submission_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Applies all edits ({fieldId, value}; null removes) or none, each with its row in submission_edits.
-- p_edit_ids: one per edit. A partial submission for which p_whole holds becomes pending or completed. An
-- edit that changes nothing is not recorded; if no edit changes anything, updated_at and status stay.
-- Route: PATCH /management/forms/{form_id}/submissions/{submission_id}
-- Reads: forms
-- Writes: submissions, files, submission_edits, option_counts, submission_counts, submission_days; what
--   webhook_event_record writes
-- Locks: the submission's row; if a file goes, the form's, for share (hold_check), then the file's; what
--   submission_options_change locks, then the counters in the order of the status, as submissions_submit
--   does; then what webhook_event_record locks
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (changed since
--   p_expected_updated_at, with the current updatedAt), held (a file goes), validation_failed (an option is
--   full)
-- Index: submissions_pkey, files_submission_idx, files_pkey
-- Why: the caller has validated the edits against the row as of p_expected_updated_at. Of any number of
--   patches with the same p_expected_updated_at, one succeeds. The values are built in one aggregate, since
--   each || and - copies them.
declare
  v_row formd.submission_row;
  v_before jsonb;
  v_now timestamptz(3) := clock_timestamp();
  v_changes integer;
  v_file_ids uuid[];
begin
  v_row := formd.submission_lock(p_team => p_team, p_actor => p_actor, p_form => p_form,
    p_submission => p_submission);
  if v_row.updated_at <> p_expected_updated_at then
    perform formd.raise_problem('conflict', 'The submission was changed since expectedUpdatedAt.',
      jsonb_build_object('current', jsonb_build_object('updatedAt', formd.timestamp_text(v_row.updated_at))));
  end if;
  v_before := v_row.data;

  with edits as (
    select p_edit_ids[e.position] as id, e.edit ->> 'fieldId' as field_id,
      nullif(e.edit -> 'value', 'null') as value
    from jsonb_array_elements(p_edits) with ordinality as e (edit, position)
  ), fields as (
    select e.id as edit_id, coalesce(e.field_id, o.key) as id, o.value as old_value,
      case when e.id is null then o.value else e.value end as new_value
    from jsonb_each(v_row.data) as o full join edits e on e.field_id = o.key
  ), recorded as (
    insert into formd.submission_edits (team_id, form_id, submission_id, id, field_id, old_value, new_value,
      actor_type, actor_id, request_id, created_at)
    select p_team, p_form, p_submission, f.edit_id, f.id, f.old_value, f.new_value, (p_actor).type,
      (p_actor).id,
      (p_actor).request_id, v_now
    from fields f where f.edit_id is not null and f.new_value is distinct from f.old_value
    returning 1
  )
  select (select count(*) from recorded), coalesce(jsonb_object_agg(f.id, f.new_value), '{}')
  into v_changes, v_row.data
  from fields f where f.new_value is not null;
  if v_changes = 0 then
    return next v_row;
    return;
  end if;

  -- A file that the data names no more goes, as one of a submission that is deleted.
  if v_before @? '$.*[*].sha256' then
    v_file_ids := array(
      select f.id from formd.files f
      where f.team_id = p_team and f.form_id = p_form and f.submission_id = p_submission
        and f.state = 'claimed'
        and (v_row.data -> f.field_id @> jsonb_build_array(jsonb_build_object('id', f.id))) is not true);
    if cardinality(v_file_ids) > 0 then
      perform formd.hold_check(p_team, p_form, p_submission);
      update formd.files f set state = 'deleted', name = '', sha256 = null, expires_at = v_now
      where f.team_id = p_team and f.form_id = p_form and f.id = any (v_file_ids);
    end if;
  end if;
  perform formd.submission_options_change(p_team => p_team, p_form => p_form, p_before => v_before,
    p_data => v_row.data);
  v_row.updated_at := greatest(v_now, v_row.updated_at + interval '1 millisecond');
  if v_row.status = 'partial' and p_whole then
    select case when f.settings_in_force @> '{"review": {"required": true}}' then 'pending'
      else 'completed' end into v_row.status
    from formd.forms f where f.team_id = p_team and f.id = p_form;
    perform formd.submission_count_add(p_team, p_form, c.status, c.change)
    from (values ('partial', -1), (v_row.status, 1)) as c (status, change) order by c.status;
    perform formd.submission_day_add(p_team => p_team, p_form => p_form, p_created_at => v_row.created_at,
      p_status => c.status,
      p_provenance => v_row.provenance, p_change => c.change)
    from (values ('partial', -1), (v_row.status, 1)) as c (status, change) order by c.status;
  end if;
  update formd.submissions s
  set data = v_row.data, status = v_row.status, updated_at = v_row.updated_at,
    completed_at = case when v_row.status = 'completed' then coalesce(s.completed_at, v_row.updated_at) end
  where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
  perform formd.webhook_event_record(
    p_team => p_team, p_id => formd.uuid_make(), p_type => 'submission.updated', p_form => p_form,
    p_subject => p_submission,
    p_data => jsonb_build_object('status', v_row.status));
  return next v_row;
end
$$;

create or replace function formd.submission_erase(p_team uuid, p_actor formd.actor,
  p_row formd.submission_row) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Deletes a submission that the caller has locked, and erases its values in submission_edits, which keeps who
-- changed which field when. The caller then counts, and calls submission_erasures_record.
-- Writes: submissions, submission_signatures, files, submission_edits, submission_erasures, option_counts
-- Locks: what submission_options_change locks
-- Index: submissions_pkey, submission_signatures_pkey, files_submission_idx, submission_edits_pkey
declare
  v_form uuid := p_row.form_id;
  v_id uuid := p_row.id;
  v_now timestamptz(3) := clock_timestamp();
  v_field_ids text[] := array(select k from jsonb_object_keys(p_row.data) as k);
begin
  delete from formd.submissions s where s.team_id = p_team and s.form_id = v_form and s.id = v_id;
  delete from formd.submission_signatures g
  where g.team_id = p_team and g.form_id = v_form and g.submission_id = v_id;
  -- The sweep deletes the bytes, then the row.
  update formd.files f set state = 'deleted', name = '', sha256 = null, expires_at = v_now
  where f.team_id = p_team and f.form_id = v_form and f.submission_id = v_id and f.state = 'claimed';
  update formd.submission_edits e set old_value = null, new_value = null, erased_at = v_now
  where e.team_id = p_team and e.form_id = v_form and e.submission_id = v_id;
  insert into formd.submission_erasures (team_id, form_id, submission_id, field_ids, actor_type, actor_id,
    request_id, created_at)
  values (p_team, v_form, v_id, v_field_ids, (p_actor).type, (p_actor).id, (p_actor).request_id, v_now);
  perform formd.submission_options_change(p_team => p_team, p_form => v_form, p_before => p_row.data,
    p_data => '{}');
end
$$;

create or replace function formd.submission_erasures_record(p_team uuid, p_actor formd.actor, p_form uuid,
  p_ids uuid[]) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Records who deleted the submissions that submission_erase has deleted, and blanks what receivers of their
-- events responded, who may have sent them back.
-- Reads: submission_erasures, webhook_events
-- Writes: what audit_record writes, webhook_attempts
-- Locks: the attempts last, after the webhooks that audit_record locks
-- Index: submission_erasures_pkey, webhook_events_pkey, webhook_events_subject_idx, webhook_attempts_pkey
declare
  v_id uuid;
  v_field_ids text[];
  v_event_ids uuid[];
begin
  for v_id, v_field_ids in
    select r.submission_id, r.field_ids from formd.submission_erasures r
    where r.team_id = p_team and r.form_id = p_form and r.submission_id = any (p_ids)
    order by r.submission_id
  loop
    perform formd.audit_record(p_team, p_actor, 'submission.deleted', p_form, v_id,
      jsonb_build_object('fieldIds', v_field_ids));
  end loop;
  -- The event of its creation has its id; by two conditions, each of which has an index.
  v_event_ids := array(
    select e.id from formd.webhook_events e
    where e.team_id = p_team and e.subject_id = any (p_ids) and e.id <> e.subject_id) || p_ids;
  update formd.webhook_attempts a set response_start = null
  where a.team_id = p_team and a.event_id = any (v_event_ids) and a.response_start is not null;
end
$$;

create or replace function formd.submission_delete(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Deletes a submission with its values, and records who did.
-- Route: DELETE /management/forms/{form_id}/submissions/{submission_id}
-- Writes: what submission_erase and submission_erasures_record write, submission_counts, submission_days
-- Locks: the submission's row; the form's, for share (hold_check); what submission_erase locks; one slot of
--   the counters, the day; then what submission_erasures_record locks
-- Raises: not_found, insufficient_workspace_role (least role: editor), held
-- Index: submissions_pkey
declare
  v_row formd.submission_row;
begin
  v_row := formd.submission_lock(p_team => p_team, p_actor => p_actor, p_form => p_form,
    p_submission => p_submission);
  perform formd.hold_check(p_team, p_form, p_submission);
  perform formd.submission_erase(p_team, p_actor, v_row);
  perform formd.submission_count_add(p_team, p_form, v_row.status, -1);
  perform formd.submission_day_add(p_team => p_team, p_form => p_form, p_created_at => v_row.created_at,
    p_status => v_row.status,
    p_provenance => v_row.provenance, p_change => -1);
  perform formd.submission_erasures_record(p_team, p_actor, p_form, array[p_submission]);
end
$$;

create or replace function formd.submission_edits_list(
  p_team uuid, p_form uuid, p_submission uuid, p_limit integer, p_offset bigint, p_below uuid)
returns table (id uuid, field_id text, old_value jsonb, new_value jsonb, actor_type text, actor_id uuid,
  request_id text,
  created_at timestamptz, erased_at timestamptz, total integer,
  erasure_field_ids text[], erasure_actor_type text, erasure_actor_id uuid, erasure_request_id text,
  erasure_created_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Returns the first rows of a page of a submission's edits, newest first, with the total, and the deletion in
-- each row. A page without rows is one row without an edit. Ends early once the rows have c_part_max_bytes;
-- the caller goes on with p_below, the last id that it has.
-- Route: GET /management/forms/{form_id}/submissions/{submission_id}/edits
-- Reads: submissions, submission_edits, submission_erasures
-- Raises: not_found (submission: neither present nor deleted)
-- Index: submission_edits_pkey, submission_erasures_pkey, submissions_pkey
declare
  c_part_max_bytes constant integer := 262144;
  v_bytes integer := 0;
begin
  select r.field_ids, r.actor_type, r.actor_id, r.request_id, r.created_at
  into erasure_field_ids, erasure_actor_type, erasure_actor_id, erasure_request_id, erasure_created_at
  from formd.submission_erasures r
  where r.team_id = p_team and r.form_id = p_form and r.submission_id = p_submission;
  if not found then
    perform from formd.submissions s where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
    if not found then
      perform formd.raise_problem('not_found', 'There is no such submission.');
    end if;
  end if;
  select count(*) into total from formd.submission_edits e
  where e.team_id = p_team and e.form_id = p_form and e.submission_id = p_submission;

  for id, field_id, old_value, new_value, actor_type, actor_id, request_id, created_at, erased_at in
    select e.id, e.field_id, e.old_value, e.new_value, e.actor_type, e.actor_id, e.request_id, e.created_at,
      e.erased_at
    from formd.submission_edits e
    where e.team_id = p_team and e.form_id = p_form and e.submission_id = p_submission
      and e.id < coalesce(p_below, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by e.id desc limit p_limit offset p_offset
  loop
    return next;
    v_bytes := v_bytes + octet_length(concat(old_value, new_value));
    exit when v_bytes >= c_part_max_bytes;
  end loop;
  if not found then
    return next;
  end if;
end
$$;

-- For reports: what there is to count, without a stored value.

create or replace view formd.report_submissions with (security_barrier) as
select s.team_id, s.form_id, s.id, s.form_version, s.status, s.submitter_type, s.created_at, s.updated_at,
  s.completed_at, s.provenance
from formd.submissions s;
comment on view formd.report_submissions is 'A submission without its values, for the group formd_report.';
