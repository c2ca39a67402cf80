-- Holds: what is held is deleted by no one and by no rule, until the hold is released.

create or replace function formd.hold_check(p_team uuid, p_form uuid, p_submission uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Refuses to delete a submission that is held, or whose form is. The caller has locked the submission.
-- Reads: forms, holds
-- Locks: the form's row, for share
-- Raises: held
-- Index: forms_pkey, holds_active_key
-- Why: hold_place locks the same rows, so that a hold and a deletion see each other: the one that comes first
--   wins. Read after the lock, by a statement of its own, which sees what was committed meanwhile.
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form for share;
  perform from formd.holds h
  where h.team_id = p_team and h.form_id = p_form and h.released_at is null
    and (h.submission_id is null or h.submission_id = p_submission);
  if found then
    perform formd.raise_problem('held', 'submission_held');
  end if;
end
$$;

create or replace function formd.hold_place(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid,
  p_reason text) returns setof formd.hold_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Holds a submission, or with p_submission null all that the form has and will have.
-- Route: POST /management/forms/{form_id}/hold, POST …/submissions/{submission_id}/hold
-- Reads: submissions; what uuid_make reads
-- Writes: holds, what audit_record writes
-- Locks: the submission's row, for update, or the form (form_lock): what a deletion locks as well
-- Raises: unauthorized (an API key), not_found, insufficient_workspace_role (least role: admin), bad_request
--   (blank reason), conflict (it has a hold)
-- Index: submissions_pkey, holds_active_key
-- Why: the audit has no reason, since people write names into it.
declare
  v_id uuid;
begin
  perform formd.actor_require_person(p_actor);
  perform formd.form_require_role(p_team, p_actor, p_form, 'admin');
  if p_submission is null then
    perform formd.form_lock(p_team, p_actor, p_form, 'admin');
  else
    perform formd.submission_lock(p_team, p_actor, p_form, p_submission);
  end if;
  if formd.is_blank(p_reason) then
    perform formd.raise_problem('bad_request', 'hold_without_reason');
  end if;
  v_id := formd.uuid_make();
  return query
  insert into formd.holds as h (team_id, id, form_id, submission_id, reason, placed_by, placed_at)
  values (p_team, v_id, p_form, p_submission, p_reason, (p_actor).id, formd.uuid_time(v_id))
  on conflict do nothing
  returning h.id, h.form_id, h.submission_id, h.reason, h.placed_by, h.placed_at;
  if not found then
    perform formd.raise_problem('conflict', 'held_already');
  end if;
  perform formd.audit_record(p_team, p_actor,
    case when p_submission is null then 'form.held' else 'submission.held' end, p_form,
    coalesce(p_submission, p_form), jsonb_build_object('holdId', v_id));
end
$$;

create or replace function formd.hold_release(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid) returns setof formd.hold_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Releases the hold on a submission, or with p_submission null that on the form. Its form's hold stays.
-- Route: DELETE /management/forms/{form_id}/hold, DELETE …/submissions/{submission_id}/hold
-- Writes: holds, what audit_record writes
-- Locks: the hold
-- Raises: unauthorized (an API key), not_found (form, hold), insufficient_workspace_role (least role: admin)
-- Index: holds_active_key
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform formd.actor_require_person(p_actor);
  perform formd.form_require_role(p_team, p_actor, p_form, 'admin');
  return query
  update formd.holds h set released_by = (p_actor).id, released_at = v_now
  where h.team_id = p_team and h.form_id = p_form and h.released_at is null
    and h.submission_id is not distinct from p_submission
  returning h.id, h.form_id, h.submission_id, h.reason, h.placed_by, h.placed_at;
  if not found then
    perform formd.raise_problem('not_found', 'hold_missing');
  end if;
  perform formd.audit_record(p_team, p_actor,
    case when p_submission is null then 'form.released' else 'submission.released' end, p_form,
    coalesce(p_submission, p_form), '{}');
end
$$;

create or replace function formd.hold_list(p_team uuid, p_form uuid, p_limit integer)
returns setof formd.hold_row
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Returns what is held of a form: the form first, then its submissions, the oldest hold first.
-- Route: GET /management/forms/{form_id}/retention, the console
-- Reads: holds
-- Index: holds_active_key
begin
  return query
  select h.id, h.form_id, h.submission_id, h.reason, h.placed_by, h.placed_at from formd.holds h
  where h.team_id = p_team and h.form_id = p_form and h.released_at is null
  order by h.submission_id is not null, h.id limit p_limit;
end
$$;
