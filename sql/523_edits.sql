-- Edits of submissions, and who made them.

create or replace function formd.submission_patch(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid, p_expected_updated_at timestamptz, p_edits jsonb, p_whole boolean)
returns setof formd.submission_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Applies all edits ({fieldId, value}; null removes) or none, each with its row in submission_edits.
-- A partial submission for which p_whole holds becomes pending or completed. An edit that changes nothing is
-- not recorded; if no edit changes anything, updated_at and status stay.
-- Route: PATCH /management/forms/{form_id}/submissions/{submission_id}
-- Reads: forms; what feed_now reads
-- Writes: submissions, files, submission_edits, option_counts, submission_counts, submission_days; what
--   submission_change_record and webhook_event_record write
-- Locks: the submission's row; if a file goes, the form's, for share (hold_check), then the file's; what
--   submission_options_change locks, then the counters in the order of the status, as submissions_submit
--   does; then what webhook_event_record locks
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (changed since
--   p_expected_updated_at), held (a file goes), validation_failed (an option is full)
-- Index: submissions_pkey, files_submission_idx, files_pkey
-- Why: the caller has validated the edits against the row as of p_expected_updated_at. Of any number of
--   patches with the same p_expected_updated_at, one succeeds. The values are built in one aggregate, since
--   each || and - copies them. Ids of edits keep their order, by a microsecond each.
declare
  v_row formd.submission_row;
  v_before jsonb;
  v_us bigint;
  v_now timestamptz(3);
  v_changes integer;
  v_file_ids uuid[];
begin
  v_row := formd.submission_lock(p_team, p_actor, p_form, p_submission);
  if v_row.updated_at <> p_expected_updated_at then
    perform formd.raise_problem('conflict', 'submission_changed',
      p_extras => jsonb_build_object('current',
        jsonb_build_object('updatedAt', formd.timestamp_text(v_row.updated_at))));
  end if;
  v_before := v_row.data;
  v_us := formd.feed_now();
  v_now := formd.time_of(v_us);

  with edits as (
    select formd.uuid_of(v_us + e.position) as id, e.edit ->> 'fieldId' as field_id,
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
      (p_actor).id, (p_actor).request_id, v_now
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
  perform formd.submission_options_change(p_team, p_form, v_before, v_row.data);
  -- Later than before, whatever the clock says: p_expected_updated_at tells two states apart by it.
  v_row.updated_at := greatest(v_now, v_row.updated_at + interval '1 millisecond');
  if v_row.status = 'partial' and p_whole then
    select case when f.settings_in_force @> '{"review": {"required": true}}' then 'pending'
      else 'completed' end into v_row.status
    from formd.forms f where f.team_id = p_team and f.id = p_form;
    perform formd.submission_count_add(p_team, p_form, c.status, c.change)
    from (values ('partial', -1), (v_row.status, 1)) as c (status, change) order by c.status;
    perform formd.submission_day_add(p_team, p_form, v_row.created_at, c.status, v_row.provenance, c.change)
    from (values ('partial', -1), (v_row.status, 1)) as c (status, change) order by c.status;
  end if;
  -- An edit of a completed submission leaves completed_at, from which retention can count.
  update formd.submissions s
  set data = v_row.data, status = v_row.status, updated_at = v_row.updated_at,
    completed_at = case when v_row.status = 'completed' then coalesce(s.completed_at, v_row.updated_at) end
  where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
  perform formd.submission_change_record(p_team, p_form, p_submission, 'edited');
  perform formd.webhook_event_record(
    p_team => p_team, p_id => formd.uuid_make(), p_type => 'submission.updated', p_form => p_form,
    p_subject => p_submission, p_data => jsonb_build_object('status', v_row.status));
  return next v_row;
end
$$;

create or replace function formd.submission_edits_list(p_team uuid, p_form uuid, p_submission uuid,
  p_limit integer, p_offset bigint, p_after uuid, p_order text)
returns table (id uuid, field_id text, old_value jsonb, new_value jsonb, actor_type text, actor_id uuid,
  request_id text, created_at timestamptz, erased_at timestamptz, total integer, erasure_field_ids text[],
  erasure_actor_type text, erasure_actor_id uuid, erasure_request_id text, erasure_created_at timestamptz,
  next_id uuid, up_to timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Returns a page of a submission's edits, as form_list does of forms, with the deletion in each row.
-- Route: GET /management/forms/{form_id}/submissions/{submission_id}/edits
-- Reads: submissions, submission_edits, submission_erasures; what feed_range reads
-- Raises: not_found (submission: neither present nor deleted), what feed_range raises
-- Index: submission_edits_pkey, submission_erasures_pkey, submissions_pkey
-- Why: a plan for each call, since the order is an argument.
declare
  c_part_max_bytes constant integer := 262144;
  v_above uuid;
  v_below uuid;
  v_last_id uuid;
  v_rows integer := 0;
  v_bytes integer := 0;
begin
  select r.field_ids, r.actor_type, r.actor_id, r.request_id, r.created_at
  into erasure_field_ids, erasure_actor_type, erasure_actor_id, erasure_request_id, erasure_created_at
  from formd.submission_erasures r
  where r.team_id = p_team and r.form_id = p_form and r.submission_id = p_submission;
  if not found then
    perform from formd.submissions s where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
    if not found then
      perform formd.raise_problem('not_found', 'submission_missing');
    end if;
  end if;
  if p_after is null then
    select count(*) into total from formd.submission_edits e
    where e.team_id = p_team and e.form_id = p_form and e.submission_id = p_submission;
  end if;
  select r.above, r.below, r.up_to into v_above, v_below, up_to from formd.feed_range(p_after, p_order) as r;

  for id, field_id, old_value, new_value, actor_type, actor_id, request_id, created_at, erased_at in
    select e.id, e.field_id, e.old_value, e.new_value, e.actor_type, e.actor_id, e.request_id, e.created_at,
      e.erased_at
    from formd.submission_edits e
    where e.team_id = p_team and e.form_id = p_form and e.submission_id = p_submission
      and e.id > v_above and e.id < v_below
    order by case when p_order <> 'newest' then e.id end, case when p_order = 'newest' then e.id end desc
    limit p_limit + (p_after is not null)::integer offset p_offset
  loop
    next_id := case when p_after is not null and (v_rows = p_limit or v_bytes >= c_part_max_bytes)
      then v_last_id end;
    exit when next_id is not null or v_bytes >= c_part_max_bytes;
    return next;
    v_last_id := id;
    v_rows := v_rows + 1;
    v_bytes := v_bytes + octet_length(concat(old_value, new_value));
  end loop;
  id := null;
  return next;
end
$$;
