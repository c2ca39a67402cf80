create or replace function formd.form_row(p_form formd.forms) returns formd.form_row
language sql immutable as $$
-- A form, as functions return it.
-- Why: not the row type of the table: a call that waits while the table gains a column would fail.
select row(p_form.id, p_form.name, p_form.description, p_form.schema, p_form.settings,
  p_form.published_settings, p_form.status, p_form.current_version, p_form.team_id, p_form.workspace_id,
  p_form.created_at, p_form.updated_at)::formd.form_row
$$;

create or replace function formd.form_create(p_team uuid, p_actor formd.actor, p_workspace uuid, p_name text,
  p_description text, p_schema jsonb, p_settings jsonb default null) returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a draft in the given workspace, or in the team's oldest one. p_settings: added to those of a new
--   form.
-- Route: POST /management/forms, POST /management/forms/import, the console
-- Reads: workspaces; api_keys, for settings.notify with values; what uuid_make reads
-- Writes: forms, what audit_record writes
-- Raises: bad_request (blank name, too large, availability), conflict (two fields with one id), not_found
--   (workspace), insufficient_workspace_role (least role: editor), missing_scope (as form_apply)
declare
  v_workspace uuid := formd.workspace_choose(p_team, p_workspace);
  v_id uuid := formd.uuid_make();
  v_created_at timestamptz(3) := formd.uuid_time(v_id);
  v_duplicate_id text;
  v_form formd.forms;
begin
  perform formd.workspace_require_role(p_team, p_actor, v_workspace, 'editor');
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'form_unnamed');
  end if;
  perform formd.form_check_size(p_schema, coalesce(p_settings, '{}'));
  select f ->> 'id' into v_duplicate_id
  from jsonb_array_elements(p_schema -> 'fields') as f
  group by f ->> 'id' having count(*) > 1 limit 1;
  if found then
    perform formd.raise_problem('conflict', 'field_ids_equal', jsonb_build_object('id', v_duplicate_id));
  end if;
  perform formd.availability_check(p_settings -> 'availability', null, '{}');
  if p_settings #>> '{notify, include}' = 'values' then
    perform formd.api_key_require_reader(p_team, p_actor, 'which notices with values need');
  end if;
  perform formd.audit_record(p_team, p_actor, 'form.created', v_id, v_id,
    jsonb_build_object('name', p_name, 'workspaceId', v_workspace));
  insert into formd.forms (team_id, id, workspace_id, name, description, schema, created_at, updated_at)
  values (p_team, v_id, v_workspace, p_name, p_description, p_schema, v_created_at, v_created_at)
  returning * into v_form;
  if p_settings is not null then
    update formd.forms f
    set settings = f.settings || p_settings, settings_in_force = f.settings || p_settings
    where f.team_id = p_team and f.id = v_id returning * into v_form;
  end if;
  return next formd.form_row(v_form);
end
$$;

create or replace function formd.form_check_size(p_schema jsonb, p_settings jsonb default '{}') returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Checks the limits of a draft.
-- Raises: bad_request
declare
  c_kib constant integer := 1024;
  c_form_max_fields constant integer := 500;
  c_form_max_schema_bytes constant integer := 524288;
  c_form_max_settings_bytes constant integer := 262144;
begin
  if jsonb_array_length(p_schema -> 'fields') > c_form_max_fields then
    perform formd.raise_problem('bad_request', 'too_many_fields',
      jsonb_build_object('max', c_form_max_fields));
  elsif octet_length(p_schema::text) > c_form_max_schema_bytes then
    perform formd.raise_problem('bad_request', 'schema_too_large',
      jsonb_build_object('maxKiB', c_form_max_schema_bytes / c_kib));
  elsif octet_length(p_settings::text) > c_form_max_settings_bytes then
    perform formd.raise_problem('bad_request', 'settings_too_large',
      jsonb_build_object('maxKiB', c_form_max_settings_bytes / c_kib));
  end if;
end
$$;

create or replace function formd.form_require_role(p_team uuid, p_actor formd.actor, p_form uuid, p_role text)
  returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects an operator whose role in a form's workspace is below p_role. A form of a workspace in which the
-- operator has none is not found.
-- Route: the console, for what it reads; the first step of the actions on what belongs to a form
-- Reads: forms, workspace_roles
-- Raises: not_found, insufficient_workspace_role
-- Index: forms_pkey, workspace_roles_pkey
declare
  v_workspace uuid;
begin
  select f.workspace_id into v_workspace
  from formd.forms f
  where f.team_id = p_team and f.id = p_form and ((p_actor).type <> 'operator' or exists (
    select from formd.workspace_roles r
    where r.team_id = p_team and r.workspace_id = f.workspace_id and r.operator_id = (p_actor).id));
  if not found then
    perform formd.raise_problem('not_found', 'form_missing');
  end if;
  perform formd.workspace_require_role(p_team, p_actor, v_workspace, p_role);
end
$$;

create or replace function formd.form_lock(p_team uuid, p_actor formd.actor, p_form uuid, p_role text)
  returns formd.forms
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Locks a form that the actor may change, and returns it.
-- Reads: forms
-- Locks: the form's row, for no key update
-- Raises: not_found, insufficient_workspace_role
-- Index: forms_pkey
-- Why: sessions and idempotency keys reference the row (for key share), and must not wait for a change of the
--   draft.
declare
  v_form formd.forms;
begin
  perform formd.form_require_role(p_team, p_actor, p_form, p_role);
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form for no key update;
  return v_form;
end
$$;

create or replace function formd.form_store(p_team uuid, p_form formd.forms,
  p_now timestamptz default clock_timestamp()) returns formd.forms
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Stores what has changed of a form that form_lock has locked, and returns it.
-- Writes: forms
-- Index: forms_pkey
-- Why: updated_at is later even within a millisecond, since form_publish takes it for the draft's version. An
--   unchanged value is that of the row: another one is written again (a form of 240 KB, 270 KB of WAL).
declare
  v_now timestamptz(3) := p_now;
begin
  p_form.updated_at := greatest(v_now, p_form.updated_at + interval '1 millisecond');
  update formd.forms f
  set name = p_form.name, description = p_form.description,
    schema = case when p_form.schema = f.schema then f.schema else p_form.schema end,
    settings = case when p_form.settings = f.settings then f.settings else p_form.settings end,
    published_settings = case when p_form.published_settings = f.published_settings
      then f.published_settings else p_form.published_settings end,
    settings_in_force = case when p_form.settings_in_force = f.settings_in_force
      then f.settings_in_force else p_form.settings_in_force end,
    status = p_form.status, archived_at = p_form.archived_at,
    current_version = p_form.current_version, has_limits = p_form.has_limits,
    was_online = p_form.was_online, updated_at = p_form.updated_at
  where f.team_id = p_team and f.id = p_form.id;
  return p_form;
end
$$;

create or replace function formd.form_list(p_team uuid, p_workspace uuid, p_limit integer, p_offset bigint,
  p_after uuid, p_order text)
returns table (id uuid, name text, description text, schema jsonb, settings jsonb, status text,
  current_version integer, team_id uuid, workspace_id uuid, created_at timestamptz, updated_at timestamptz,
  total integer, next_id uuid, up_to timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Returns a page of a team's forms: with the total, newest first, or without after p_after in p_order
-- (feed_range). Ends early once the rows have c_part_max_bytes. The last row has no id: where the list goes
-- on; null: all was read. Pictures of logos are left out.
-- Route: GET /management/forms
-- Reads: forms; what feed_range reads
-- Raises: what feed_range raises
-- Index: forms_list_idx (the total), forms_pkey, forms_workspace_idx
-- Why: a plan for each call, since a p_workspace that is null must vanish from it.
declare
  c_part_max_bytes constant integer := 262144;
  v_above uuid;
  v_below uuid;
  v_last_id uuid;
  v_rows integer := 0;
  v_bytes integer := 0;
begin
  if p_after is null then
    select count(*) into total from formd.forms f
    where f.team_id = p_team and (p_workspace is null or f.workspace_id = p_workspace);
  end if;
  select r.above, r.below, r.up_to into v_above, v_below, up_to from formd.feed_range(p_after, p_order) as r;
  for id, name, description, schema, settings, status, current_version, team_id, workspace_id, created_at,
    updated_at in
    select f.id, f.name, f.description, f.schema,
      f.settings #- '{page,theme,logo}' #- '{page,theme,cover}', f.status,
      f.current_version, f.team_id, f.workspace_id, f.created_at, f.updated_at
    from formd.forms f
    where f.team_id = p_team and (p_workspace is null or f.workspace_id = p_workspace)
      and f.id > v_above and f.id < v_below
    order by case when p_order <> 'newest' then f.id end, case when p_order = 'newest' then f.id end desc
    limit p_limit + (p_after is not null)::integer offset p_offset
  loop
    next_id := case when p_after is not null and (v_rows = p_limit or v_bytes >= c_part_max_bytes)
      then v_last_id end;
    exit when next_id is not null or v_bytes >= c_part_max_bytes;
    return next;
    v_last_id := id;
    v_rows := v_rows + 1;
    v_bytes := v_bytes + octet_length(concat(schema, settings));
  end loop;
  id := null;
  return next;
end
$$;

create or replace function formd.form_find(p_team uuid, p_form uuid) returns formd.form_row
language plpgsql stable as $$
-- Returns a form, or a row of nulls.
-- Reads: forms
-- Index: forms_pkey
declare
  v_form formd.forms;
begin
  select f.* into v_form from formd.forms f where f.team_id = p_team and f.id = p_form;
  return formd.form_row(v_form);
end
$$;

create or replace function formd.forms_read(p_team uuid, p_items jsonb)
returns table (outcome text, caller_id uuid, remaining integer, reset_ms integer, form formd.form_row,
  drafts integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns for each item of a list ({team_id, key_hash, form_id}) if its API key may read forms, the form, and
-- its open drafts of respondents; null: there are none, and none can be saved.
-- Route: GET /management/forms/{form_id}
-- Reads: what api_key_authenticate, form_find and page_drafts_count read
-- Writes: what api_key_authenticate writes
-- Outcomes: those of api_key_authenticate, one row per item, in the order of the list.
-- Why: p_team null: each item names its own team. A key that several items in a row have is authenticated
--   once. Requests share a call, since a round trip takes more than twice the CPU of reading a form.
declare
  v_team uuid;
  v_item_team uuid;
  v_key_hash bytea;
  v_item_key_hash bytea;
  v_form uuid;
begin
  for v_item_team, v_item_key_hash, v_form in
    select coalesce(p_team, i.team_id), i.key_hash, i.form_id
    from jsonb_to_recordset(p_items) as i (team_id uuid, key_hash bytea, form_id uuid)
  loop
    if v_team is distinct from v_item_team or v_key_hash is distinct from v_item_key_hash then
      v_team := v_item_team;
      v_key_hash := v_item_key_hash;
      select a.outcome, a.api_key_id, a.remaining, a.reset_ms into outcome, caller_id, remaining, reset_ms
      from formd.api_key_authenticate(p_team => v_team, p_hash => v_key_hash, p_scope => 'forms:read',
        p_write_limit => null) a;
    end if;
    form := case when outcome = 'allowed' then formd.form_find(v_team, v_form) end;
    drafts := case when form.id is not null then formd.page_drafts_count(v_team, v_form) end;
    if drafts = 0 and not form.settings @> '{"page": {"resume": {"enabled": true}}}' then
      drafts := null;
    end if;
    return next;
  end loop;
end
$$;

create or replace function formd.console_form_list(
  p_team uuid, p_operator uuid, p_archived boolean, p_today date, p_limit integer, p_offset bigint)
returns table (id uuid, workspace_id uuid, name text, status text, current_version integer,
  settings_in_force jsonb, settings jsonb, published_settings jsonb, has_changes boolean,
  last_at timestamptz, days integer[], waiting integer, submissions integer, fresh integer, total integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- A page of the forms in the operator's workspaces, newest first: with the submissions of each of the last 30
-- days (UTC, oldest first), the number that waits for review (counted up to c_max_waiting), the number of
-- all and when the last one came, the number that came since the operator opened the list or got the role, of
-- the last c_followers_max_fresh (fresh), the settings that publishing freezes (in effect, current and
-- published), and whether the draft differs from the latest version. A page without rows is one row of nulls
-- with the total.
-- Route: GET /console
-- Reads: forms, form_versions, form_followers, workspace_roles, submissions, submission_counts,
--   submission_days
-- Index: forms_list_idx (the total and the ids, without the rows), forms_pkey, form_versions_pkey,
--   submissions_review_open_idx, submissions_pkey backwards, submission_counts_pkey, submission_days_pkey,
--   workspace_roles_pkey, form_followers_pkey
-- Why: the page's ids first: a plan for an unknown limit would join the forms of a twentieth of the team. No
--   submission is of the day after tomorrow: partitions of later months are not read. A day is never below
--   zero (console_form_counts).
declare
  c_days constant integer := 30;
  c_max_waiting constant integer := 1000;
  c_followers_max_fresh constant integer := 100;
  c_min_id constant uuid := uuid '00000000-0000-0000-0000-000000000000';
  v_last_day integer := p_today - date '1970-01-01';
  v_end_id uuid := formd.uuid_floor((p_today + 2)::timestamp at time zone 'UTC');
  v_workspaces uuid[] := array(
    select r.workspace_id from formd.workspace_roles r where r.operator_id = p_operator
      and r.team_id = p_team);
  v_ids uuid[];
begin
  select count(*) into total from formd.forms f
  where f.team_id = p_team and f.workspace_id = any (v_workspaces) and (f.status = 'archived') = p_archived;
  v_ids := array(
    select f.id from formd.forms f
    where f.team_id = p_team and f.workspace_id = any (v_workspaces) and (f.status = 'archived') = p_archived
    order by f.id desc limit p_limit offset p_offset);
  return query
  select f.id, f.workspace_id, f.name, f.status, f.current_version,
    formd.settings_to_publish(f.settings_in_force), formd.settings_to_publish(f.settings),
    f.published_settings,
    f.current_version > 0 and not exists (
      select from formd.form_versions v
      where v.team_id = p_team and v.form_id = f.id and v.version = f.current_version
        and (v.name, coalesce(v.draft_schema, v.schema)) = (f.name, f.schema)
        and v.description is not distinct from f.description
        and v.schema -> 'languages' is not distinct from f.settings -> 'languages'),
    (select s.created_at::timestamptz from formd.submissions s
      where s.team_id = p_team and s.form_id = f.id and s.id < v_end_id order by s.id desc limit 1),
    counted.days, sums.waiting, sums.submissions, (
      select count(*)::integer from (
        select s.created_at from formd.submissions s
        where s.team_id = p_team and s.form_id = f.id and s.id < v_end_id
          and s.id > coalesce(w.seen_id, c_min_id)
        order by s.id desc limit c_followers_max_fresh) n
      where n.created_at > r.created_at), console_form_list.total
  from formd.forms f
  join formd.workspace_roles r on r.team_id = f.team_id and r.workspace_id = f.workspace_id
    and r.operator_id = p_operator
  left join formd.form_followers w on w.team_id = f.team_id and w.form_id = f.id
    and w.operator_id = p_operator
  cross join lateral (
    select array_agg(coalesce(c.number, 0) order by d.day) as days
    from generate_series(v_last_day - (c_days - 1), v_last_day) as d (day)
    left join (
      select s.day, greatest(sum(s.total), 0)::integer as number from formd.submission_days s
      where s.team_id = p_team and s.form_id = f.id and s.day between v_last_day - (c_days - 1) and v_last_day
      group by s.day) c on c.day = d.day) counted
  cross join lateral (
    select (
        select count(*)::integer from (
          select from formd.submissions s
          where s.team_id = p_team and s.form_id = f.id and s.status = 'pending' and s.review_decision is null
          order by s.id limit c_max_waiting) w) as waiting,
      coalesce(sum(c.total), 0)::integer as submissions
    from formd.submission_counts c where c.team_id = p_team and c.form_id = f.id) sums
  where f.team_id = p_team and f.id = any (v_ids)
  order by f.id desc;
  if not found then
    return next;
  end if;
end
$$;
