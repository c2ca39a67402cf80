create or replace function formd.form_row(p_form formd.forms) returns formd.form_row
language sql immutable as $$
-- A form, as functions return it.
-- Why: not the row type of the table: a call that waits while the table gains a column would fail.
select row(p_form.id, p_form.name, p_form.description, p_form.schema, p_form.settings, p_form.status,
  p_form.current_version, p_form.team_id,
  p_form.workspace_id, p_form.created_at, p_form.updated_at)::formd.form_row
$$;

create or replace function formd.form_create(p_team uuid, p_actor formd.actor, p_id uuid, p_workspace uuid,
  p_name text,
  p_description text, p_schema jsonb, p_settings jsonb default null)
returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a draft in the given workspace, or else in the team's oldest one. Settings null: those of a new
--   form.
-- Route: POST /management/forms, the console
-- Reads: workspaces
-- Writes: forms, what audit_record writes
-- Raises: bad_request (blank name, too large), conflict (two fields with one id), not_found (workspace),
--   insufficient_workspace_role (least role: editor)
declare
  v_workspace uuid := formd.workspace_choose(p_team, p_workspace);
  v_created_at timestamptz(3) := formd.uuid_time(p_id);
  v_duplicate_id text;
  v_form formd.forms;
begin
  perform formd.workspace_require_role(p_team, p_actor, v_workspace, 'editor');
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'name: a form needs a name that is not blank.');
  end if;
  perform formd.form_check_size(p_schema, coalesce(p_settings, '{}'));
  select f ->> 'id' into v_duplicate_id
  from jsonb_array_elements(p_schema -> 'fields') as f
  group by f ->> 'id' having count(*) > 1 limit 1;
  if found then
    perform formd.raise_problem('conflict',
      format('schema.fields: two fields have the id %s.', to_json(v_duplicate_id)));
  end if;
  perform formd.audit_record(p_team, p_actor, 'form.created', p_id, p_id,
    jsonb_build_object('name', p_name, 'workspaceId', v_workspace));
  insert into formd.forms (team_id, id, workspace_id, name, description, schema, created_at, updated_at)
  values (p_team, p_id, v_workspace, p_name, p_description, p_schema, v_created_at, v_created_at)
  returning * into v_form;
  if p_settings is not null then
    update formd.forms f set settings = p_settings, settings_in_force = p_settings
    where f.team_id = p_team and f.id = p_id returning * into v_form;
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
  c_form_max_settings_bytes constant integer := 131072;
begin
  if jsonb_array_length(p_schema -> 'fields') > c_form_max_fields then
    perform formd.raise_problem('bad_request', format('A form has at most %s fields.', c_form_max_fields));
  elsif octet_length(p_schema::text) > c_form_max_schema_bytes then
    perform formd.raise_problem('bad_request',
      format('A form''s schema has at most %s KiB.', c_form_max_schema_bytes / c_kib));
  elsif octet_length(p_settings::text) > c_form_max_settings_bytes then
    perform formd.raise_problem('bad_request',
      format('A form''s settings have at most %s KiB.', c_form_max_settings_bytes / c_kib));
  end if;
end
$$;

create or replace function formd.form_require_role(p_team uuid, p_actor formd.actor, p_form uuid, p_role text)
  returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects an operator whose role in a form's workspace is below p_role. A form of a workspace in which the
-- operator has none is not found.
-- Route: the console, for what it reads; the first step of the acts on what belongs to a form
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
    perform formd.raise_problem('not_found', 'There is no such form.');
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
  perform formd.form_require_role(p_team => p_team, p_actor => p_actor, p_form => p_form, p_role => p_role);
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form for no key update;
  return v_form;
end
$$;

create or replace function formd.instant_parse(p_value jsonb) returns timestamptz
language plpgsql immutable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
-- The instant that a JSON text is; null for any other value.
-- Why: what is no instant is refused by availability_check.
begin
  return case when jsonb_typeof(p_value) = 'string' then (p_value #>> '{}')::timestamptz end;
exception when data_exception then
  return null;
end
$$;

create or replace function formd.operation_raise(p_index integer, p_code text, p_detail text, p_current jsonb)
returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Ends a patch because of one of its operations.
-- Raises: p_code, with the operation's index; a conflict also with the form's current version
begin
  perform formd.raise_problem(p_code, format('operations[%s]: %s', p_index, p_detail),
    jsonb_build_object('operation', p_index) || case when p_code = 'conflict' then p_current else '{}' end);
end
$$;

create or replace function formd.availability_check(p_availability jsonb, p_index integer, p_current jsonb)
  returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Checks settings.availability, as a patch has merged it.
-- Raises: bad_request, with the operation's index
declare
  v_opens_at timestamptz(3) := formd.instant_parse(p_availability -> 'opensAt');
  v_closes_at timestamptz(3) := formd.instant_parse(p_availability -> 'closesAt');
begin
  if (p_availability ? 'opensAt' and v_opens_at is null)
    or (p_availability ? 'closesAt' and v_closes_at is null) then
    perform formd.operation_raise(p_index, 'bad_request',
      'settings.availability: opensAt and closesAt must be instants with an offset below 16 hours.',
      p_current);
  elsif v_opens_at >= v_closes_at then
    perform formd.operation_raise(p_index, 'bad_request',
      'settings.availability: opensAt must be before closesAt.', p_current);
  end if;
end
$$;

create or replace function formd.field_position(p_fields jsonb[], p_id text) returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- Returns the position of a field, from 1; null when no field has the id.
select f.position::integer from unnest(p_fields) with ordinality as f (field, position)
  where f.field ->> 'id' = p_id
$$;

create or replace function formd.fields_apply(
  p_fields jsonb[], p_operation jsonb, p_index integer, p_current jsonb)
returns jsonb[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Applies one addField, updateField, removeField or moveField to the fields of a draft.
-- Raises: conflict (id exists), not_found (no such field), bad_request (another id), with the operation's
--   index
-- Why: on an array of fields, an operation copies the other fields; on a document it would parse them.
declare
  v_op text := p_operation ->> 'op';
  v_id text := case when v_op = 'addField' then p_operation -> 'field' ->> 'id'
    else p_operation ->> 'fieldId' end;
  v_position integer := formd.field_position(p_fields, v_id);
  v_field jsonb := p_fields[v_position];
  v_set jsonb := p_operation -> 'set';
  v_target integer;
begin
  if v_op = 'addField' and v_position is not null then
    perform formd.operation_raise(p_index, 'conflict',
      format('a field with the id %s exists.', to_json(v_id)), p_current);
  elsif v_op <> 'addField' and v_position is null then
    perform formd.operation_raise(p_index, 'not_found', format('no field has the id %s.', to_json(v_id)),
      p_current);
  end if;

  if v_op = 'updateField' then
    if v_set ? 'id' and v_set -> 'id' <> v_field -> 'id' then
      perform formd.operation_raise(p_index, 'bad_request',
        'the id of a field cannot change; remove the field and add another.', p_current);
    end if;
    p_fields[v_position] := (
      select coalesce(jsonb_object_agg(m.key, m.value), '{}') from jsonb_each(v_field || v_set) as m
      where m.value <> 'null' or not v_set ? m.key);
    return p_fields;
  elsif v_op = 'addField' then
    v_field := p_operation -> 'field';
  elsif v_op = 'moveField' and p_operation ->> 'afterFieldId' = v_id then
    return p_fields;
  else
    p_fields := p_fields[:v_position - 1] || p_fields[v_position + 1:];
  end if;

  if v_op = 'removeField' then
    return p_fields;
  elsif p_operation ? 'afterFieldId' then
    v_target := formd.field_position(p_fields, p_operation ->> 'afterFieldId') + 1;
    if v_target is null then
      perform formd.operation_raise(p_index, 'not_found',
        format('afterFieldId: no field has the id %s.', p_operation -> 'afterFieldId'), p_current);
    end if;
  else
    -- The end, when neither index nor toIndex is given or it is larger; it may exceed an integer.
    v_target := least((p_operation ->> case when v_op = 'moveField' then 'toIndex' else 'index' end)::numeric,
      cardinality(p_fields)) + 1;
  end if;
  return p_fields[:v_target - 1] || v_field || p_fields[v_target:];
end
$$;

create or replace function formd.form_patch(p_team uuid, p_actor formd.actor, p_form uuid, p_operations jsonb,
  p_expected_version bigint,
  p_expected_updated_at timestamptz)
returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Applies all of the operations in order, or none. The caller has checked their shapes. A null expectation is
-- not checked. Operations that change nothing leave updated_at as it is.
-- Route: PATCH /management/forms/{form_id}, the console
-- Reads: api_keys, for settings.notify with values
-- Writes: forms, what audit_record writes; what form_alias_set writes
-- Locks: the form (form_lock), so that each patch sees the one before it; what form_alias_set locks
-- Raises: in this order not_found (form), insufficient_workspace_role (least role: editor), conflict
--   (archived, expectedVersion, expectedUpdatedAt), bad_request (number of operations, size of their
--   settings); then the problem of the first wrong operation, with its index; then bad_request (size of the
--   draft), missing_scope (notices with values, of an API key that may not read submissions), conflict (alias
--   of another form). A conflict has what is current, so that the caller can retry at
--   once.
-- Why: updated_at strictly increases, since form_publish compares it. Settings are measured before they are
--   merged.
declare
  c_kib constant integer := 1024;
  c_form_max_patch_operations constant integer := 100;
  c_form_max_settings_bytes constant integer := 131072;
  c_form_max_patch_settings_values constant integer := 1000;
  v_form formd.forms := formd.form_lock(p_team => p_team, p_actor => p_actor, p_form => p_form,
    p_role => 'editor');
  v_before formd.forms := v_form;
  v_now timestamptz(3) := clock_timestamp();
  v_current jsonb;
  v_fields jsonb[];
  v_operation jsonb;
  v_index integer := 0;
begin
  -- What the whole request can be wrong about, before its operations: sizes before any merge, which would
  -- cost more than refusing.
  v_current := jsonb_build_object('current', jsonb_build_object('currentVersion', v_form.current_version));
  if v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'The form is archived; restore it first.', v_current);
  elsif v_form.current_version <> p_expected_version then
    perform formd.raise_problem('conflict', format('expectedVersion is %s, the form''s currentVersion is %s.',
      p_expected_version, v_form.current_version), v_current);
  elsif v_form.updated_at <> p_expected_updated_at then
    perform formd.raise_problem('conflict', 'The form was changed since expectedUpdatedAt.',
      jsonb_build_object('current',
      jsonb_build_object('currentVersion', v_form.current_version, 'updatedAt',
      formd.timestamp_text(v_form.updated_at))));
  elsif jsonb_array_length(p_operations) = 0 then
    perform formd.raise_problem('bad_request', 'operations: at least one is needed.');
  elsif jsonb_array_length(p_operations) > c_form_max_patch_operations then
    perform formd.raise_problem('bad_request',
      format('operations: at most %s in one request.', c_form_max_patch_operations));
  elsif (select sum(octet_length(o ->> 'settings')) from jsonb_array_elements(p_operations) as o
    where o ->> 'op' = 'setMeta')
    > c_form_max_settings_bytes
  then
    perform formd.raise_problem('bad_request',
      format('settings: at most %s KiB in one request.', c_form_max_settings_bytes / c_kib));
  elsif (
    select count(*) from jsonb_array_elements(p_operations) as o,
      jsonb_path_query(o -> 'settings', 'strict $.**{1 to last}')
    where o ->> 'op' = 'setMeta')
    > c_form_max_patch_settings_values
  then
    perform formd.raise_problem('bad_request',
      format('settings: at most %s values in one request.', c_form_max_patch_settings_values));
  end if;

  -- On a copy: the first wrong operation raises with its index, and nothing was written.
  v_fields := array(select f from jsonb_array_elements(v_form.schema -> 'fields') as f);
  for v_operation in select o from jsonb_array_elements(p_operations) as o loop
    if v_operation ->> 'op' = 'setMeta' then
      if v_operation ? 'name' then
        v_form.name := v_operation ->> 'name';
        if formd.is_blank(v_form.name) then
          perform formd.operation_raise(v_index, 'bad_request', 'a form needs a name that is not blank.',
            v_current);
        end if;
      end if;
      if v_operation ? 'description' then
        v_form.description := v_operation ->> 'description';
      end if;
      if v_operation ? 'settings' then
        v_form.settings := formd.json_merge_patch(v_form.settings, v_operation -> 'settings');
        if v_operation -> 'settings' ? 'availability' then
          perform formd.availability_check(v_form.settings -> 'availability', v_index, v_current);
        end if;
      end if;
    else
      v_fields := formd.fields_apply(v_fields, v_operation, v_index, v_current);
    end if;
    v_index := v_index + 1;
  end loop;

  -- Measured at the end, since an operation may remove what another has added.
  v_form.schema := jsonb_set(v_form.schema, '{fields}', to_jsonb(v_fields));
  perform formd.form_check_size(v_form.schema, v_form.settings);
  if v_form.settings #>> '{notify, include}' = 'values'
     and v_form.settings -> 'notify' is distinct from v_before.settings -> 'notify' then
    perform formd.api_key_require_reader(p_team, p_actor, 'which notices with values need');
  end if;
  if v_form is not distinct from v_before then
    return next formd.form_row(v_form);
    return;
  end if;
  -- Strictly later even within a millisecond: form_publish takes it for the draft's version.
  v_form.updated_at := greatest(v_now, v_form.updated_at + interval '1 millisecond');
  v_form.settings_in_force := formd.settings_in_force(v_form.published_settings, v_form.settings);
  update formd.forms f
  set name = v_form.name, description = v_form.description, schema = v_form.schema,
    settings = v_form.settings,
    settings_in_force = v_form.settings_in_force,
    updated_at = v_form.updated_at
  where f.team_id = p_team and f.id = p_form;
  -- Addresses are rows of their own, so that no two forms have one; that of another form ends the patch.
  if v_form.settings #> '{page, alias}' is distinct from v_before.settings #> '{page, alias}'
     and not formd.form_alias_set(p_team, p_form, v_form.settings #>> '{page, alias}',
       v_form.settings_in_force #>> '{page, alias}') then
    perform formd.raise_problem('conflict', format('settings.page.alias: %s is the address of another form.',
      v_form.settings #> '{page, alias}'), v_current);
  end if;
  -- Settings alone are another kind: they can take effect without being published.
  perform formd.audit_record(p_team, p_actor,
    case when (v_form.name, v_form.description, v_form.schema) is not distinct from (v_before.name,
      v_before.description, v_before.schema)
      then 'form.settings_changed' else 'form.patched' end,
    p_form, p_form, jsonb_build_object('operations', p_operations));
  return next formd.form_row(v_form);
end
$$;

create or replace function formd.form_list(
  p_team uuid, p_workspace uuid, p_limit integer, p_offset bigint, p_below uuid)
returns table (id uuid, name text, description text, schema jsonb, settings jsonb, status text,
  current_version integer,
  team_id uuid, workspace_id uuid, created_at timestamptz, updated_at timestamptz, total integer)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Returns the first rows of a page of a team's forms, newest first, with the total. A page without rows is
-- one row of nulls with the total. Ends early once the rows have c_part_max_bytes; the caller goes on with
-- p_below, the last id that it has. Pictures of logos are left out.
-- Route: GET /management/forms
-- Reads: forms
-- Index: forms_list_idx (the total), forms_pkey, forms_workspace_idx
-- Why: a plan for each call, since a p_workspace that is null must vanish from it.
declare
  c_part_max_bytes constant integer := 262144;
  v_bytes integer := 0;
begin
  select count(*) into total from formd.forms f
  where f.team_id = p_team and (p_workspace is null or f.workspace_id = p_workspace);
  for id, name, description, schema, settings, status, current_version, team_id, workspace_id, created_at,
    updated_at in
    select f.id, f.name, f.description, f.schema, f.settings #- '{page,theme,logo}', f.status,
      f.current_version, f.team_id, f.workspace_id,
      f.created_at, f.updated_at
    from formd.forms f
    where f.team_id = p_team and (p_workspace is null or f.workspace_id = p_workspace)
      and f.id < coalesce(p_below, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by f.id desc limit p_limit offset p_offset
  loop
    return next;
    v_bytes := v_bytes + octet_length(concat(schema, settings));
    exit when v_bytes >= c_part_max_bytes;
  end loop;
  if not found then
    return next;
  end if;
end
$$;

create or replace function formd.form_find(p_team uuid, p_form uuid) returns formd.forms
language plpgsql stable as $$
-- Returns a form, or null.
-- Reads: forms
-- Index: forms_pkey
declare
  v_form formd.forms;
begin
  select f.* into v_form from formd.forms f where f.team_id = p_team and f.id = p_form;
  return v_form;
end
$$;

create or replace function formd.forms_read(p_team uuid, p_items jsonb)
returns table (outcome text, caller_id uuid, remaining integer, reset_ms integer, form formd.forms)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns for each item of a list ({team_id, key_hash, form_id}) whether its API key may read forms, and the
-- form, or null.
-- Route: GET /management/forms/{form_id}
-- Reads: what api_key_authenticate and form_find read
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
    return next;
  end loop;
end
$$;

create or replace function formd.console_form_list(
  p_team uuid, p_operator uuid, p_archived boolean, p_today date, p_limit integer, p_offset bigint)
returns table (id uuid, workspace_id uuid, name text, status text, current_version integer,
  settings_in_force jsonb, has_changes boolean, updated_at timestamptz, days integer[],
  waiting integer, submissions integer, total integer)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- A page of the forms in the operator's workspaces, newest first: with the submissions of each of the last 30
-- days (UTC, oldest first), the number that waits for review (counted up to c_max_waiting), the number of
-- all, the settings in force without the look of the page, and whether the draft differs from the latest
-- version. A page without rows is one row of nulls with
-- the total.
-- Route: GET /console
-- Reads: forms, form_versions, workspace_roles, submissions, submission_counts, submission_days
-- Index: forms_list_idx (the total and the ids, without the rows), forms_pkey, form_versions_pkey,
--   submissions_review_open_idx, submission_counts_pkey, submission_days_pkey
-- Why: the page's ids first: a plan for an unknown limit would join the forms of a twentieth of the team.
declare
  c_days constant integer := 30;
  c_max_waiting constant integer := 1000;
  v_last_day integer := p_today - date '1970-01-01';
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
  select f.id, f.workspace_id, f.name, f.status, f.current_version, f.settings_in_force #- '{page,theme}',
    f.current_version > 0 and not exists (
      select from formd.form_versions v
      where v.team_id = p_team and v.form_id = f.id and v.version = f.current_version
        and (v.name, v.schema) = (f.name, f.schema) and v.description is not distinct from f.description),
    f.updated_at::timestamptz, counted.days, sums.waiting, sums.submissions, console_form_list.total
  from formd.forms f
  cross join lateral (
    select array_agg(coalesce(c.number, 0) order by d.day) as days
    from generate_series(v_last_day - (c_days - 1), v_last_day) as d (day)
    left join (
      select s.day, sum(s.total)::integer as number from formd.submission_days s
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
