-- Deletion of submissions: no value of theirs is left.

create or replace function formd.submission_erase(p_team uuid, p_actor formd.actor,
  p_row formd.submission_row) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Deletes a submission that the caller has locked, and erases its values in submission_edits, which keeps who
-- changed which field when. The caller then counts, and calls submission_erasures_record.
-- Reads: invitations; what feed_time reads
-- Writes: submissions, submission_signatures, files, submission_edits, submission_erasures, option_counts;
--   what invitations_blank and submission_change_record write
-- Locks: what submission_options_change locks
-- Index: submissions_pkey, submission_signatures_pkey, files_submission_idx, submission_edits_pkey,
--   invitations_submission_idx
declare
  v_form uuid := p_row.form_id;
  v_id uuid := p_row.id;
  v_now timestamptz(3) := formd.feed_time();
  v_field_ids text[] := array(select k from jsonb_object_keys(p_row.data) as k);
  v_invitations uuid[];
begin
  delete from formd.submissions s where s.team_id = p_team and s.form_id = v_form and s.id = v_id;
  delete from formd.submission_signatures g
  where g.team_id = p_team and g.form_id = v_form and g.submission_id = v_id;
  -- The sweep deletes the bytes, then the row.
  update formd.files f set state = 'deleted', name = '', sha256 = null, expires_at = v_now
  where f.team_id = p_team and f.form_id = v_form and f.submission_id = v_id and f.state = 'claimed';
  update formd.submission_edits e set old_value = null, new_value = null, erased_at = v_now
  where e.team_id = p_team and e.form_id = v_form and e.submission_id = v_id;
  v_invitations := array(
    select i.id from formd.invitations i
    where i.team_id = p_team and i.form_id = v_form and i.submission_id = v_id);
  perform formd.invitations_blank(p_team, v_form, v_invitations);
  insert into formd.submission_erasures (team_id, form_id, submission_id, field_ids, actor_type, actor_id,
    request_id, created_at)
  values (p_team, v_form, v_id, v_field_ids, (p_actor).type, (p_actor).id, (p_actor).request_id, v_now);
  perform formd.submission_change_record(p_team, v_form, v_id, 'deleted');
  perform formd.submission_options_change(p_team, v_form, p_row.data, '{}');
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
  -- The event of a creation has the submission's id. The two conditions have an index each.
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
  v_row := formd.submission_lock(p_team, p_actor, p_form, p_submission);
  perform formd.hold_check(p_team, p_form, p_submission);
  perform formd.submission_erase(p_team, p_actor, v_row);
  perform formd.submission_count_add(p_team, p_form, v_row.status, -1);
  perform formd.submission_day_add(p_team, p_form, v_row.created_at, v_row.status, v_row.provenance, -1);
  perform formd.submission_erasures_record(p_team, p_actor, p_form, array[p_submission]);
end
$$;
