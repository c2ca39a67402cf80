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
  p_actor_id uuid, p_object uuid, p_first_at timestamptz, p_last_at timestamptz, p_limit integer,
  p_offset bigint, p_after uuid, p_order text)
returns table (total bigint, id uuid, kind text, form_id uuid, object_type text, object_id uuid,
  actor_type text, actor_id uuid, request_id text, details jsonb, created_at timestamptz, next_id uuid,
  up_to timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_hashagg = off set plan_cache_mode = force_custom_plan as $$
-- A page of the events of a team, or of one of its forms: with the total, newest first, or without after
-- p_after in p_order (feed_range). The last row has no id: the total, and where the list goes on; null: all
-- was read. With a total it goes on there only if events were not looked at. p_first_at and p_last_at are
-- inclusive. An API key without the scope audit:read gets them without the e-mail addresses of operators.
-- Two filters or more look at c_page_max_looked_at events of each. The list goes on after them.
-- Route: GET /management/audit, GET /management/forms/{form_id}/audit
-- Reads: audit_events, api_keys; what feed_range reads
-- Raises: not_found (form), insufficient_workspace_role (least role: viewer, in the form's workspace or in
--   all of the team's), what feed_range raises
-- Index: audit_events_pkey, or that of each filter: audit_events_form_idx, audit_events_object_idx,
--   audit_events_kind_idx, audit_events_actor_idx, audit_events_actor_kind_idx; api_keys_pkey
-- Why: the total counts at most c_page_max_counted events from the page's first one on, since to count them
--   all took 200 ms for a million. A page past the end has the true total. A time is a bound of the id, which
--   begins with its time; tomorrow is one, since the months ahead would be planned. A plan for each call,
--   since a filter that is null must vanish from it. An event that has several properties is in the index of
--   each: what is in all of them is found without its rows, which are spread over the table, by a merge of
--   the indexes, which a hash would sort again. An index for each pair would be a cost of every act.
declare
  c_page_max_counted constant bigint := 10000;
  c_page_max_looked_at constant integer := 50000;
  c_epoch constant timestamptz := timestamptz 'epoch';
  c_day constant interval := interval '1 day';
  c_ms constant interval := interval '1 millisecond';
  c_by_form constant integer := 1;
  c_by_object constant integer := 2;
  c_by_actor constant integer := 4;
  c_by_kind constant integer := 8;
  v_hidden text[] := array[]::text[];
  v_is_newest boolean := p_order = 'newest';
  v_is_kind_alone boolean := p_kind is not null and p_actor_id is null;
  v_indexes integer := c_by_form * (p_form is not null)::integer
    + c_by_object * (p_object is not null)::integer + c_by_actor * (p_actor_id is not null)::integer
    + c_by_kind * v_is_kind_alone::integer;
  v_above uuid;
  v_below uuid;
  v_week_above uuid;
  v_week_below uuid;
  v_ids uuid[];
  v_last_id uuid;
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
  select greatest(r.above, formd.uuid_floor(greatest(p_first_at, c_epoch))),
    least(r.below, formd.uuid_floor(greatest(least(p_last_at + c_ms, now() + c_day), c_epoch))), r.up_to
  into v_above, v_below, up_to from formd.feed_range(p_after, p_order) as r;

  -- An index has it as it is.
  if v_indexes in (0, c_by_form, c_by_object, c_by_actor, c_by_kind) then
    -- The first week of what follows p_after may have the page: other months are not planned then.
    v_week_above := case when v_is_newest then formd.submissions_newest(v_above, v_below) else v_above end;
    v_week_below := case when v_is_newest then v_below else formd.submissions_oldest(v_above, v_below) end;
    loop
      v_ids := array(
        select e.id from formd.audit_events e
        where e.team_id = p_team and e.id > case when p_after is null then v_above else v_week_above end
          and e.id < case when p_after is null then v_below else v_week_below end
          and (p_form is null or e.form_id = p_form) and (p_object is null or e.object_id = p_object)
          and (p_actor_id is null or e.actor_id = p_actor_id) and (p_kind is null or e.kind = p_kind)
        order by case when not v_is_newest then e.id end, case when v_is_newest then e.id end desc
        limit case when p_after is null then p_offset + c_page_max_counted else p_limit + 1 end);
      exit when p_after is null or cardinality(v_ids) > p_limit
        or (v_week_above, v_week_below) = (v_above, v_below);
      v_week_above := v_above;
      v_week_below := v_below;
    end loop;
  else
    -- Each index gives its ids in order. One that gave as many as it may ends the list at its last id.
    select array_agg(g.id) filter (where g.indexes = v_indexes), (array_agg(g.id) filter (where g.is_last))[1]
    into v_ids, v_last_id
    from (
      select u.id, bit_or(u.index) as indexes, bool_or(u.place = c_page_max_looked_at) as is_last
      from (
        (select c_by_form as index, e.id, row_number() over () as place from formd.audit_events e
         where p_form is not null and e.team_id = p_team and e.id > v_above and e.id < v_below
           and e.form_id = p_form
         order by case when not v_is_newest then e.id end, case when v_is_newest then e.id end desc
         limit c_page_max_looked_at)
        union all
        (select c_by_object as index, e.id, row_number() over () as place from formd.audit_events e
         where p_object is not null and e.team_id = p_team and e.id > v_above and e.id < v_below
           and e.object_id = p_object
         order by case when not v_is_newest then e.id end, case when v_is_newest then e.id end desc
         limit c_page_max_looked_at)
        union all
        (select c_by_actor as index, e.id, row_number() over () as place from formd.audit_events e
         where p_actor_id is not null and e.team_id = p_team and e.id > v_above and e.id < v_below
           and e.actor_id = p_actor_id and (p_kind is null or e.kind = p_kind)
         order by case when not v_is_newest then e.id end, case when v_is_newest then e.id end desc
         limit c_page_max_looked_at)
        union all
        (select c_by_kind as index, e.id, row_number() over () as place from formd.audit_events e
         where v_is_kind_alone and e.team_id = p_team and e.id > v_above and e.id < v_below
           and e.kind = p_kind
         order by case when not v_is_newest then e.id end, case when v_is_newest then e.id end desc
         limit c_page_max_looked_at)) as u
      group by u.id
      order by case when not v_is_newest then u.id end, case when v_is_newest then u.id end desc) as g;
    -- Events behind it are not in all that was looked at: they are left for the next list.
    v_ids := array(
      select i.id from unnest(v_ids) with ordinality as i (id, place)
      where v_last_id is null or case when v_is_newest then i.id >= v_last_id else i.id <= v_last_id end
      order by i.place);
  end if;
  if p_after is null then
    total := least(cardinality(v_ids), p_offset + c_page_max_counted);
  elsif cardinality(v_ids) > p_limit then
    v_last_id := v_ids[p_limit];
  end if;
  next_id := v_last_id;
  -- An index of an array is an integer, which p_offset may exceed.
  v_ids := v_ids[least(p_offset, cardinality(v_ids))::integer + 1
    : least(p_offset + p_limit, cardinality(v_ids))::integer];
  return query
  select audit_list.total, e.id, e.kind, e.form_id, e.object_type, e.object_id, e.actor_type, e.actor_id,
    e.request_id, e.details - v_hidden, e.created_at::timestamptz, audit_list.next_id, audit_list.up_to
  from formd.audit_events e
  where e.team_id = p_team and e.id = any (v_ids)
  order by case when not v_is_newest then e.id end, case when v_is_newest then e.id end desc;
  return next;
end
$$;
