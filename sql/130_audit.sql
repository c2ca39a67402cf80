-- The audit: who did what, when. Every function that changes something calls formd.audit_record.

create or replace function formd.actor_require_login(p_actor formd.actor) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects the actors cli and system from the login of a server: who acts as a person at a terminal is the
-- owner or a member of formd_admin. SQLSTATE 42501, no problem of the API, since no route does that.
-- Why: a server passes its callers' names, and whose login it is cannot be passed. With one role for owner
--   and server there is nothing to tell apart.
begin
  if (p_actor).type in ('cli', 'system') and not pg_has_role(session_user, current_user, 'member')
     and not pg_has_role(session_user, 'formd_admin', 'member') then
    raise exception using errcode = 'insufficient_privilege',
      message = format('permission denied: the role %s may not act as %s', session_user, (p_actor).type);
  end if;
end
$$;

create or replace function formd.actor_require_person(p_actor formd.actor) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects who is neither an operator nor a person at a terminal (actor_require_login): for what concerns
-- operators, which no API key does.
-- Raises: unauthorized, what actor_require_login raises
begin
  perform formd.actor_require_login(p_actor);
  if ((p_actor).type in ('operator', 'cli')) is not true then
    perform formd.raise_problem('unauthorized', 'person_required');
  end if;
end
$$;

create or replace function formd.audit_record(p_team uuid, p_actor formd.actor, p_kind text, p_form uuid,
  p_object uuid, p_details jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Records an action, for webhooks as well: one call per change, and none when nothing changed. p_kind is
-- <object>.<action in the past tense>; p_form is null for an action on no form; p_details has no secret and
-- no submission data.
-- Writes: what audit_insert writes
-- Locks: what audit_insert locks
-- Raises: what actor_require_login raises
begin
  perform formd.actor_require_login(p_actor);
  perform formd.audit_insert(p_team, p_actor, p_kind, p_form, p_object, p_details);
end
$$;

create or replace function formd.audit_insert(p_team uuid, p_actor formd.actor, p_kind text, p_form uuid,
  p_object uuid, p_details jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Does what audit_record says, of an actor that was not passed by a server.
-- Writes: audit_events; what webhook_event_record writes
-- Locks: what webhook_event_record locks
-- Why: the table refuses an actor without a type, so that an action without an actor does not happen. Details
--   beyond the limit, as of a patch of many fields, are replaced by their size.
declare
  c_audit_max_details_bytes constant integer := 16384;
  v_id uuid := formd.uuid_make();
  v_bytes integer := octet_length(p_details::text);
begin
  insert into formd.audit_events (team_id, id, kind, form_id, object_type, object_id, actor_type, actor_id,
    request_id, details, created_at)
  values (p_team, v_id, p_kind, p_form, split_part(p_kind, '.', 1), p_object, (p_actor).type, (p_actor).id,
    (p_actor).request_id,
    case when v_bytes > c_audit_max_details_bytes then jsonb_build_object('omittedBytes', v_bytes)
      else p_details end,
    formd.uuid_time(v_id));
  perform formd.webhook_event_record(
    p_team => p_team, p_id => v_id, p_type => case p_kind when 'grant.deleted' then 'grant.changed'
    else p_kind end,
    p_form => p_form, p_subject => p_object, p_data => p_details);
end
$$;

create or replace function formd.audit_list(p_team uuid, p_actor formd.actor, p_form uuid, p_kind text,
  p_actor_id uuid, p_object uuid, p_after timestamptz, p_before timestamptz, p_limit integer, p_offset bigint)
returns table (total bigint, id uuid, kind text, form_id uuid, object_type text, object_id uuid,
  actor_type text, actor_id uuid, request_id text, details jsonb, created_at timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- A page of the events of a team, or of one of its forms, newest first; one row with the total alone when the
-- page is empty. p_after and p_before are exclusive. An API key without the scope audit:read gets them
-- without the e-mail addresses of operators.
-- Route: GET /management/audit, GET /management/forms/{form_id}/audit
-- Reads: audit_events, api_keys
-- Raises: not_found (form), insufficient_workspace_role (least role: viewer, in the form's workspace or in
--   all of the team's)
-- Index: audit_events_pkey, audit_events_form_idx, audit_events_object_idx, audit_events_kind_idx,
--   audit_events_actor_idx, api_keys_pkey
-- Why: the total counts at most 10,000 events from the page's first one on, since to count them all took 200
--   ms for a million. A page past the end has the true total. A time is a bound of the id, which begins with
--   its time; tomorrow is one, since the months ahead would be planned. A plan for each call, since a filter
--   that is null must vanish from it.
declare
  c_page_max_counted constant bigint := 10000;
  c_epoch constant timestamptz := timestamptz 'epoch';
  c_day constant interval := interval '1 day';
  v_first_id uuid := formd.uuid_floor(greatest(p_after + interval '1 millisecond', c_epoch));
  v_end_id uuid := formd.uuid_floor(greatest(least(p_before, now() + c_day), c_epoch));
  v_hidden text[] := array[]::text[];
begin
  if p_form is null then
    perform formd.team_require_role(p_team, p_actor, 'viewer');
  else
    perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  end if;
  if (p_actor).type = 'api_key' then
    select case when 'audit:read' = any (k.scopes) then v_hidden else array['email'] end into v_hidden
    from formd.api_keys k where k.team_id = p_team and k.id = (p_actor).id;
  end if;
  return query
  with events as not materialized (
    select e.id, e.kind, e.form_id, e.object_type, e.object_id, e.actor_type, e.actor_id, e.request_id,
      e.details - v_hidden as details, e.created_at::timestamptz
    from formd.audit_events e
    where e.team_id = p_team and e.id >= v_first_id and e.id < v_end_id
      and (p_form is null or e.form_id = p_form)
      and (p_kind is null or e.kind = p_kind) and (p_actor_id is null or e.actor_id = p_actor_id)
      and (p_object is null or e.object_id = p_object))
  select t.total, page.*
  from (select count(*) as total from (select from events v order by v.id desc
    limit p_offset + c_page_max_counted) counted) t
  left join (select * from events v order by v.id desc limit p_limit offset p_offset) page on true
  order by page.id desc;
end
$$;
