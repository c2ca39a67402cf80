-- Changes of a patch to the draft of a form and to its settings.

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

create or replace function formd.operation_raise(p_index integer, p_code text, p_key text, p_values jsonb,
  p_current jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Ends a patch because of one of its operations. p_index: null outside a patch.
-- Raises: p_code, with the operation's index; a conflict also with the form's current version
declare
  v_operation jsonb := jsonb_strip_nulls(jsonb_build_object('operation', p_index));
begin
  perform formd.raise_problem(p_code, p_key, v_operation || p_values,
    v_operation || case when p_code = 'conflict' then p_current else '{}' end);
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
    perform formd.operation_raise(p_index, 'bad_request', 'availability_invalid', '{}', p_current);
  elsif v_opens_at >= v_closes_at then
    perform formd.operation_raise(p_index, 'bad_request', 'opens_after_closing', '{}', p_current);
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
  p_fields jsonb[], p_operation jsonb, p_index integer, p_current jsonb) returns jsonb[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Applies one addField, updateField, removeField or moveField to the fields of a draft.
-- Raises: conflict (id exists), not_found (no such field), bad_request (another id), with the index
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
    perform formd.operation_raise(p_index, 'conflict', 'field_id_taken', jsonb_build_object('id', v_id),
      p_current);
  elsif v_op <> 'addField' and v_position is null then
    perform formd.operation_raise(p_index, 'not_found', 'field_missing', jsonb_build_object('id', v_id),
      p_current);
  end if;

  if v_op = 'updateField' then
    if v_set ? 'id' and v_set -> 'id' <> v_field -> 'id' then
      perform formd.operation_raise(p_index, 'bad_request', 'field_id_fixed', '{}', p_current);
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
      perform formd.operation_raise(p_index, 'not_found', 'previous_field_missing',
        jsonb_build_object('id', p_operation -> 'afterFieldId'), p_current);
    end if;
  else
    -- The end, when neither index nor toIndex is given or it is larger; it may exceed an integer.
    v_target := least((p_operation ->> case when v_op = 'moveField' then 'toIndex' else 'index' end)::numeric,
      cardinality(p_fields)) + 1;
  end if;
  return p_fields[:v_target - 1] || v_field || p_fields[v_target:];
end
$$;

create or replace function formd.form_apply(p_team uuid, p_actor formd.actor, p_form uuid, p_operations jsonb,
  p_fields jsonb, p_expected_version bigint, p_expected_updated_at timestamptz, p_is_dry_run boolean)
  returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Applies all of the operations in order, or none. The caller has checked their shapes. A null expectation is
-- not checked. Operations that change nothing leave updated_at as it is. p_fields: the fields that the
-- operations result in, in any number, none of which a problem names; null: they are applied one by one. A
-- dry run stores nothing, and returns the form as it would be.
-- Route: POST /management/forms/{form_id}/file, the console; all of form_patch
-- Reads: api_keys, for settings.notify with values
-- Writes: what form_store, form_alias_set and audit_record write
-- Locks: the form (form_lock), so that each patch sees the one before it; what form_alias_set locks
-- Raises: in this order not_found (form), insufficient_workspace_role (least role: editor), conflict
--   (archived, expectedVersion, expectedUpdatedAt), bad_request (number of operations, size of their
--   settings); then the problem of the first wrong operation, with its index; then bad_request (size of the
--   draft), missing_scope (notices with values, of an API key that may not read submissions), conflict (alias
--   of another form). A conflict has what is current.
-- Why: settings are measured before they are merged. A file can need 1,000 operations, each of which copies
--   500 fields.
declare
  c_kib constant integer := 1024;
  c_form_max_patch_operations constant integer := 100;
  c_form_max_settings_bytes constant integer := 262144;
  c_form_max_patch_settings_values constant integer := 1000;
  v_form formd.forms := formd.form_lock(p_team, p_actor, p_form, 'editor');
  v_before formd.forms := v_form;
  v_current jsonb;
  v_fields jsonb[];
  v_operation jsonb;
  v_index integer := case when p_fields is null then 0 end;
begin
  -- Checks of the whole request come before its operations. Sizes are checked before any merge, since a merge
  -- would cost more.
  v_current := jsonb_build_object('current', jsonb_build_object('currentVersion', v_form.current_version));
  if v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'form_archived', p_extras => v_current);
  elsif v_form.current_version <> p_expected_version then
    perform formd.raise_problem('conflict', 'version_changed',
      jsonb_build_object('expected', p_expected_version, 'current', v_form.current_version), v_current);
  elsif v_form.updated_at <> p_expected_updated_at then
    perform formd.raise_problem('conflict', 'form_changed',
      p_extras => jsonb_build_object('current',
        jsonb_build_object('currentVersion', v_form.current_version, 'updatedAt',
          formd.timestamp_text(v_form.updated_at))));
  elsif p_fields is null and jsonb_array_length(p_operations) = 0 then
    perform formd.raise_problem('bad_request', 'no_operation');
  elsif p_fields is null and jsonb_array_length(p_operations) > c_form_max_patch_operations then
    perform formd.raise_problem('bad_request', 'too_many_operations',
      jsonb_build_object('max', c_form_max_patch_operations));
  elsif (select sum(octet_length(o ->> 'settings')) from jsonb_array_elements(p_operations) as o
    where o ->> 'op' = 'setMeta')
    > c_form_max_settings_bytes
  then
    perform formd.raise_problem('bad_request', 'sent_settings_too_large',
      jsonb_build_object('maxKiB', c_form_max_settings_bytes / c_kib));
  elsif (
    select count(*) from jsonb_array_elements(p_operations) as o,
      jsonb_path_query(o -> 'settings', 'strict $.**{1 to last}')
    where o ->> 'op' = 'setMeta')
    > c_form_max_patch_settings_values
  then
    perform formd.raise_problem('bad_request', 'too_many_settings',
      jsonb_build_object('max', c_form_max_patch_settings_values));
  end if;

  -- On a copy: the first wrong operation raises with its index, and nothing was written.
  v_fields := array(select f from jsonb_array_elements(v_form.schema -> 'fields') as f);
  for v_operation in select o from jsonb_array_elements(p_operations) as o loop
    if v_operation ->> 'op' = 'setMeta' then
      if v_operation ? 'name' then
        v_form.name := v_operation ->> 'name';
        if formd.is_blank(v_form.name) then
          perform formd.operation_raise(v_index, 'bad_request', 'form_unnamed', '{}', v_current);
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
    elsif p_fields is null then
      v_fields := formd.fields_apply(v_fields, v_operation, v_index, v_current);
    end if;
    v_index := v_index + 1;
  end loop;

  -- Measured at the end, since an operation may remove what another has added.
  v_form.schema := jsonb_set(v_form.schema, '{fields}', coalesce(p_fields, to_jsonb(v_fields)));
  perform formd.form_check_size(v_form.schema, v_form.settings);
  if v_form.settings #>> '{notify, include}' = 'values'
     and v_form.settings -> 'notify' is distinct from v_before.settings -> 'notify' then
    perform formd.api_key_require_reader(p_team, p_actor, 'which notices with values need');
  end if;
  if p_is_dry_run or v_form is not distinct from v_before then
    return next formd.form_row(v_form);
    return;
  end if;
  v_form.settings_in_force := formd.settings_in_force(v_form.published_settings, v_form.settings);
  v_form := formd.form_store(p_team, v_form);
  -- Aliases are rows of their own, so that no two forms have the same. An alias of another form ends the
  -- patch.
  if v_form.settings #> '{page, alias}' is distinct from v_before.settings #> '{page, alias}'
     and not formd.form_alias_set(p_team, p_form, v_form.settings #>> '{page, alias}',
       v_form.settings_in_force #>> '{page, alias}') then
    perform formd.raise_problem('conflict', 'address_taken',
      jsonb_build_object('address', v_form.settings #> '{page, alias}'), v_current);
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

create or replace function formd.form_patch(p_team uuid, p_actor formd.actor, p_form uuid, p_operations jsonb,
  p_expected_version bigint, p_expected_updated_at timestamptz) returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Applies the operations of a patch, as form_apply.
-- Route: PATCH /management/forms/{form_id}, the console
-- Reads: what form_apply reads
-- Writes: what form_apply writes
-- Locks: what form_apply locks
-- Raises: what form_apply raises
begin
  return query select * from formd.form_apply(p_team, p_actor, p_form, p_operations, null, p_expected_version,
    p_expected_updated_at, false);
end
$$;
