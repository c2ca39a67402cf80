-- The audit: who did what, when. Every function that changes something calls formd.audit_record in its own transaction.

create or replace function formd.audit_record(p_team uuid, p_actor formd.actor, p_kind text, p_form uuid, p_object uuid, p_details jsonb)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Records an act: one call per change, and none when nothing changed. p_kind is <object>.<act in the past tense>; p_form is null for an act
-- on no form; p_details has no secret and no submission data.
-- Writes: audit_events
-- Why: the table refuses an actor without a type, so that an act without an actor does not happen. Details beyond the limit, as of a patch of
--   many fields, are replaced by their size.
declare
  c_audit_max_details_bytes constant integer := 65536;
  v_id uuid := formd.uuid_make();
  v_bytes integer := octet_length(p_details::text);
begin
  insert into formd.audit_events (team_id, id, kind, form_id, object_type, object_id, actor_type, actor_id, request_id, details, created_at)
  values (p_team, v_id, p_kind, p_form, split_part(p_kind, '.', 1), p_object, (p_actor).type, (p_actor).id, (p_actor).request_id,
    case when v_bytes > c_audit_max_details_bytes then jsonb_build_object('omittedBytes', v_bytes) else p_details end,
    formd.uuid_time(v_id));
end
$$;

create or replace function formd.audit_list(p_team uuid, p_form uuid, p_kind text, p_actor_id uuid, p_object uuid, p_first_id uuid,
  p_end_id uuid, p_limit integer, p_offset bigint, p_below uuid)
returns table (id uuid, kind text, form_id uuid, object_type text, object_id uuid, actor_type text, actor_id uuid, request_id text,
  details jsonb, created_at timestamptz, total bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- Returns the first rows of a page of a team's events, or of a form's, newest first, with the total. A page without rows is one row of nulls
-- with the total. Ends early once the rows have c_part_max_bytes; the caller goes on with p_below, the last id that it has; the total is
-- then null.
-- Route: GET /management/audit, GET /management/forms/{form_id}/audit, formd audit list
-- Reads: forms, audit_events
-- Raises: not_found (form)
-- Index: audit_events_pkey, audit_events_form_idx, audit_events_object_idx
-- Why: p_first_id (inclusive) and p_end_id (exclusive) are times, since a UUIDv7 begins with its time. A plan for each call, since a filter
--   that is null must vanish from it.
declare
  c_part_max_bytes constant integer := 262144;
  c_max_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_first_id uuid := coalesce(p_first_id, '00000000-0000-0000-0000-000000000000');
  v_end_id uuid := least(p_end_id, p_below, c_max_id);
  v_bytes integer := 0;
begin
  if p_below is null then
    perform from formd.forms f where f.team_id = p_team and f.id = p_form;
    if p_form is not null and not found then
      perform formd.raise_problem('not_found', 'There is no such form.');
    end if;
    select count(*) into total
    from formd.audit_events e
    where e.team_id = p_team and e.id >= v_first_id and e.id < v_end_id and (p_form is null or e.form_id = p_form)
      and (p_kind is null or e.kind = p_kind) and (p_actor_id is null or e.actor_id = p_actor_id)
      and (p_object is null or e.object_id = p_object);
  end if;
  for id, kind, form_id, object_type, object_id, actor_type, actor_id, request_id, details, created_at in
    select e.id, e.kind, e.form_id, e.object_type, e.object_id, e.actor_type, e.actor_id, e.request_id, e.details, e.created_at
    from formd.audit_events e
    where e.team_id = p_team and e.id >= v_first_id and e.id < v_end_id and (p_form is null or e.form_id = p_form)
      and (p_kind is null or e.kind = p_kind) and (p_actor_id is null or e.actor_id = p_actor_id)
      and (p_object is null or e.object_id = p_object)
    order by e.id desc limit p_limit offset p_offset
  loop
    return next;
    v_bytes := v_bytes + octet_length(details::text);
    exit when v_bytes >= c_part_max_bytes;
  end loop;
  if not found then
    return next;
  end if;
end
$$;
