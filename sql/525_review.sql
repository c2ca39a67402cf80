-- Reviews: decisions of owners on submissions that are pending.

create or replace function formd.submission_decide(p_team uuid, p_actor formd.actor,
  p_row formd.submission_row, p_decision text, p_reason text, p_expected_updated_at timestamptz)
returns formd.submission_row
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Decides on a submission that the caller has locked: approve completes it, reject takes it out of the queue,
-- reopen puts it back, and undo, of the console alone, does so with one that was approved as well: if the
-- actor has decided, nothing has changed it since, and not after p_expected_updated_at. A decision that
-- changes nothing leaves updated_at as it is. Null: it is not pending, was changed since
-- p_expected_updated_at, or has no decision of the actor to undo.
-- Reads: what feed_time reads
-- Writes: submissions, submission_counts, submission_days, what submission_change_record and audit_record
--   write
-- Locks: the counters in the order of the status, as submissions_submit does
-- Index: submissions_pkey
-- Why: of any number of decisions with the same p_expected_updated_at, one succeeds. The reason is in the
--   submission's row alone, which a deletion removes: neither in the audit nor in the event.
declare
  v_row formd.submission_row := p_row;
  v_form uuid := p_row.form_id;
  v_id uuid := p_row.id;
  v_now timestamptz(3) := formd.feed_time();
  v_decision text := case p_decision when 'approve' then 'approved' when 'reject' then 'rejected' end;
  v_reason text := case when v_decision is not null then p_reason end;
  v_changes integer := case p_decision when 'approve' then 1 when 'undo' then -1 end;
begin
  if p_decision = 'undo' and v_row.updated_at <= p_expected_updated_at
    and exists (select from formd.submissions s
      where s.team_id = p_team and s.form_id = v_form and s.id = v_id
        and s.reviewed_at = s.updated_at and s.reviewed_by = (p_actor).id) then
    v_changes := case when v_row.status = 'completed' then v_changes end;
  elsif p_decision = 'undo' or v_row.updated_at <> p_expected_updated_at or v_row.status <> 'pending' then
    return null;
  elsif (v_row.review_decision, v_row.review_reason) is not distinct from (v_decision, v_reason) then
    return v_row;
  end if;
  v_row.updated_at := greatest(v_now, v_row.updated_at + interval '1 millisecond');
  v_row.review_decision := v_decision;
  v_row.review_reason := v_reason;
  v_row.reviewed_at := case when v_decision is not null then v_row.updated_at end;
  if v_changes is not null then
    v_row.status := case v_changes when 1 then 'completed' else 'pending' end;
    perform formd.submission_count_add(p_team, v_form, 'completed', v_changes);
    perform formd.submission_count_add(p_team, v_form, 'pending', -v_changes);
    perform formd.submission_day_add(p_team, v_form, v_row.created_at, c.status, v_row.provenance, c.change)
    from (values ('completed', v_changes), ('pending', -v_changes)) as c (status, change) order by c.status;
  end if;
  update formd.submissions s
  set status = v_row.status, updated_at = v_row.updated_at,
    completed_at = case when v_row.status = 'completed' then v_row.updated_at end,
    review_decision = v_row.review_decision, review_reason = v_row.review_reason,
    reviewed_at = v_row.reviewed_at, reviewed_by = case when v_decision is not null then (p_actor).id end
  where s.team_id = p_team and s.form_id = v_form and s.id = v_id;
  perform formd.submission_change_record(p_team, v_form, v_id, 'reviewed');
  perform formd.audit_record(p_team, p_actor, 'submission.reviewed', v_form, v_id,
    jsonb_build_object('decision', case p_decision when 'undo' then 'reopen' else p_decision end));
  return v_row;
end
$$;

create or replace function formd.submission_review(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid, p_decision text, p_reason text, p_expected_updated_at timestamptz)
returns setof formd.submission_row
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Decides on a submission that is pending, as submission_decide says.
-- Route: POST /management/forms/{form_id}/submissions/{submission_id}/review, the console
-- Writes: what submission_decide writes
-- Locks: the submission's row, then what submission_decide locks
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (with what is current)
-- Index: submissions_pkey
declare
  v_row formd.submission_row;
  v_decided formd.submission_row;
begin
  v_row := formd.submission_lock(p_team, p_actor, p_form, p_submission);
  v_decided := formd.submission_decide(p_team, p_actor, v_row, p_decision, p_reason, p_expected_updated_at);
  if v_decided.id is null then
    perform formd.raise_problem('conflict',
      case when v_row.status <> 'pending' then 'not_pending' else 'submission_changed' end,
      jsonb_build_object('status', v_row.status),
      jsonb_build_object('current',
        jsonb_build_object('updatedAt', formd.timestamp_text(v_row.updated_at), 'status', v_row.status)));
  end if;
  return next v_decided;
end
$$;

create or replace function formd.submissions_review(p_team uuid, p_actor formd.actor, p_form uuid,
  p_items jsonb, p_decision text, p_reason text)
returns table (submission_id uuid, code text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Decides as submission_review does on each submission of a list ({id, updatedAt}), and returns for each a
-- null, or the code why it was left: conflict or not_found.
-- Route: the console
-- Reads: submissions
-- Writes: what submission_decide writes
-- Locks: the submissions' rows, all first and in the order of their ids; then what submission_decide locks,
--   the counters and days in the order of their keys
-- Raises: what actor_require_login raises, not_found (form), insufficient_workspace_role (least role:
--   editor), bad_request (too many)
-- Index: submissions_pkey
-- Why: a submission that was changed or decided in the meantime does not keep the others from their decision.
--   No exception is caught: more than 64 subtransactions make every snapshot of the cluster slow.
declare
  c_submission_max_reviews constant integer := 500;
  v_expected_updated_at timestamptz(3);
  v_row formd.submission_row;
  v_created_at timestamptz(3);
  v_status text;
  v_provenance text;
  v_before text := case p_decision when 'undo' then 'completed' else 'pending' end;
begin
  if jsonb_array_length(p_items) > c_submission_max_reviews then
    perform formd.raise_problem('bad_request', 'too_many_reviews',
      jsonb_build_object('max', c_submission_max_reviews));
  end if;
  perform formd.actor_require_login(p_actor);
  if (p_actor).type = 'operator' then
    perform formd.form_require_role(p_team, p_actor, p_form, 'editor');
  end if;
  perform from formd.submissions s
  where s.team_id = p_team and s.form_id = p_form
    and s.id in (select (i ->> 'id')::uuid from jsonb_array_elements(p_items) as i)
  order by s.id for update;
  if p_decision in ('approve', 'undo') then
    perform formd.submission_count_add(p_team, p_form, c.status, 0)
    from (values ('completed'), ('pending')) as c (status) order by c.status;
    for v_created_at, v_status, v_provenance in
      select min(s.created_at), c.status, s.provenance
      from formd.submissions s cross join (values ('completed'), ('pending')) as c (status)
      where s.team_id = p_team and s.form_id = p_form and s.status = v_before
        and s.id in (select (i ->> 'id')::uuid from jsonb_array_elements(p_items) as i)
      group by formd.day_of(s.created_at), c.status, s.provenance
      order by formd.day_of(s.created_at), c.status, s.provenance
    loop
      perform formd.submission_day_add(p_team, p_form, v_created_at, v_status, v_provenance, 0);
    end loop;
  end if;
  for submission_id, v_expected_updated_at in
    select (i ->> 'id')::uuid, (i ->> 'updatedAt')::timestamptz
    from jsonb_array_elements(p_items) as i order by 1
  loop
    select * into v_row from formd.submission_get(p_team, p_form, submission_id);
    if found then
      v_row := formd.submission_decide(p_team, p_actor, v_row, p_decision, p_reason, v_expected_updated_at);
    end if;
    code := case when not found then 'not_found' when v_row.id is null then 'conflict' end;
    return next;
  end loop;
end
$$;
