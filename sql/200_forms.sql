create or replace function formd.form_create(p_team uuid, p_id uuid, p_workspace uuid, p_name text, p_description text, p_schema jsonb)
returns setof formd.forms
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- POST /management/forms: a draft, in the workspace asked for or the team's oldest.
-- Raises bad_request (blank name, too large), conflict (two fields with one id), not_found (workspace).
declare
  v_workspace uuid := formd.workspace_choose(p_team, p_workspace);
  v_created_at timestamptz(3) := formd.uuid_time(p_id);
  v_twice text;
begin
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'name: a form needs a name that is not blank.');
  end if;
  perform formd.form_check_size(p_schema);
  select f ->> 'id' into v_twice from jsonb_array_elements(p_schema -> 'fields') as f group by f ->> 'id' having count(*) > 1 limit 1;
  if found then
    perform formd.raise_problem('conflict', format('schema.fields: the id %s is there twice.', to_json(v_twice)));
  end if;
  return query
  insert into formd.forms (team_id, id, workspace_id, name, description, schema, created_at, updated_at)
  values (p_team, p_id, v_workspace, p_name, p_description, p_schema, v_created_at, v_created_at)
  returning *;
end
$$;

create or replace function formd.form_check_size(p_schema jsonb, p_settings jsonb default '{}') returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- The limits of a draft: 500 fields, 512 KiB of schema, 64 KiB of settings. Raises bad_request.
begin
  if jsonb_array_length(p_schema -> 'fields') > 500 then
    perform formd.raise_problem('bad_request', 'A form has at most 500 fields.');
  elsif octet_length(p_schema::text) > 524288 then
    perform formd.raise_problem('bad_request', 'A form''s schema has at most 512 KiB.');
  elsif octet_length(p_settings::text) > 65536 then
    perform formd.raise_problem('bad_request', 'A form''s settings have at most 64 KiB.');
  end if;
end
$$;

create or replace function formd.field_position(p_fields jsonb, p_id text) returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- Zero-based place of a field; null when there is none of that id.
select (f.place - 1)::integer from jsonb_array_elements(p_fields) with ordinality as f (field, place) where f.field ->> 'id' = p_id
$$;

create or replace function formd.fields_apply(p_fields jsonb, p_operation jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- One addField, updateField, removeField or moveField on the array of fields; returns the new array.
-- Raises conflict (id taken), not_found (no such field), bad_request (change of an id).
declare
  v_op text := p_operation ->> 'op';
  v_id text := case when v_op = 'addField' then p_operation -> 'field' ->> 'id' else p_operation ->> 'fieldId' end;
  v_place integer := formd.field_position(p_fields, v_id);
  v_field jsonb;
  v_set jsonb;
  v_target integer;
begin
  if v_op = 'addField' then
    if v_place is not null then
      perform formd.raise_problem('conflict', format('a field with the id %s is there already.', to_json(v_id)));
    end if;
    v_field := p_operation -> 'field';
  elsif v_place is null then
    perform formd.raise_problem('not_found', format('there is no field with the id %s.', to_json(v_id)));
  else
    v_field := p_fields -> v_place;
  end if;

  if v_op = 'removeField' then
    return p_fields - v_place;
  end if;

  if v_op = 'updateField' then
    v_set := p_operation -> 'set';
    if v_set ? 'id' and v_set -> 'id' <> v_field -> 'id' then
      perform formd.raise_problem('bad_request', 'a field keeps its id; remove it and add another.');
    end if;
    v_field := (v_field || v_set) - array(select s.key from jsonb_each(v_set) as s where s.value = 'null');
    return jsonb_set(p_fields, array[v_place::text], v_field);
  end if;

  if v_op = 'moveField' then
    if p_operation ->> 'afterFieldId' = v_id then
      return p_fields; -- after itself is where it is
    end if;
    p_fields := p_fields - v_place;
  end if;
  if p_operation ? 'afterFieldId' then
    v_target := formd.field_position(p_fields, p_operation ->> 'afterFieldId') + 1;
    if v_target is null then
      perform formd.raise_problem('not_found', format('there is no field with the id %s to place it after.', p_operation -> 'afterFieldId'));
    end if;
  else
    v_target := least((p_operation ->> case when v_op = 'moveField' then 'toIndex' else 'index' end)::numeric, 500);
  end if;
  return jsonb_insert(p_fields, array[v_target::text], v_field); -- a place past the end is the end
end
$$;

create or replace function formd.form_patch(p_team uuid, p_form uuid, p_operations jsonb, p_expected_version bigint)
returns setof formd.forms
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- PATCH /management/forms/{form_id}: all of the operations in their order, or none. Their shapes are checked by the caller.
-- Locks the form's row, so that patches of one form follow one another and each sees the one before.
-- Raises, in this order: not_found (form), conflict (archived, expectedVersion), bad_request (no operations, too many), then what
-- the first bad operation says, with its index. A conflict tells the current version, so that the caller can rebase at once.
-- updated_at strictly increases: publishing compares it.
declare
  v_form formd.forms;
  v_now timestamptz(3) := clock_timestamp();
  v_current jsonb;
  v_operation jsonb;
  v_index integer := 0;
  v_fields jsonb;
  v_message text;
  v_detail text;
begin
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  end if;
  v_current := jsonb_build_object('current', jsonb_build_object('currentVersion', v_form.current_version));
  if v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'The form is archived; restore it first.', v_current);
  elsif v_form.current_version <> p_expected_version then
    perform formd.raise_problem('conflict', format('expectedVersion is %s, the form''s currentVersion is %s.', p_expected_version, v_form.current_version), v_current);
  elsif jsonb_array_length(p_operations) = 0 then
    perform formd.raise_problem('bad_request', 'operations: at least one is needed.');
  elsif jsonb_array_length(p_operations) > 100 then
    perform formd.raise_problem('bad_request', 'operations: at most 100 in one request.');
  end if;

  v_fields := v_form.schema -> 'fields';
  for v_operation in select o from jsonb_array_elements(p_operations) as o loop
    if v_operation ->> 'op' = 'setMeta' then
      if v_operation ? 'name' then
        v_form.name := v_operation ->> 'name';
        if formd.is_blank(v_form.name) then
          perform formd.raise_problem('bad_request', 'a form needs a name that is not blank.');
        end if;
      end if;
      if v_operation ? 'description' then
        v_form.description := v_operation ->> 'description';
      end if;
      if v_operation ? 'settings' then
        v_form.settings := formd.json_merge_patch(v_form.settings, v_operation -> 'settings');
      end if;
    else
      v_fields := formd.fields_apply(v_fields, v_operation);
    end if;
    v_index := v_index + 1;
  end loop;

  v_form.schema := jsonb_set(v_form.schema, '{fields}', v_fields);
  perform formd.form_check_size(v_form.schema, v_form.settings);
  v_form.updated_at := greatest(v_now, v_form.updated_at + interval '1 millisecond');
  update formd.forms f
  set name = v_form.name, description = v_form.description, schema = v_form.schema, settings = v_form.settings, updated_at = v_form.updated_at
  where f.team_id = p_team and f.id = p_form;
  return next v_form;
exception
  when sqlstate 'ZFORM' then
    get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail;
    if v_operation is null or v_index >= jsonb_array_length(p_operations) then
      raise;
    end if;
    perform formd.raise_problem(v_message, format('operations[%s]: %s', v_index, v_detail),
      jsonb_build_object('operation', v_index) || case when v_message = 'conflict' then v_current else '{}' end);
end
$$;

create or replace function formd.form_publish(p_team uuid, p_form uuid, p_updated_at timestamptz)
returns setof formd.forms
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- formd form publish: freezes the draft as the next version. The caller has judged the draft as of p_updated_at; if it has
-- moved on since, conflict, so that nothing unjudged is published. Raises not_found, conflict.
declare
  v_form formd.forms;
  v_now timestamptz(3) := clock_timestamp();
begin
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  elsif v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'The form is archived; restore it first.');
  elsif v_form.updated_at <> p_updated_at then
    perform formd.raise_problem('conflict', 'The draft was changed while it was being checked; publish again.');
  end if;
  v_form.status := 'published';
  v_form.current_version := v_form.current_version + 1;
  v_form.updated_at := greatest(v_now, v_form.updated_at + interval '1 millisecond');
  insert into formd.form_versions (team_id, form_id, version, name, description, schema, published_at)
  values (p_team, p_form, v_form.current_version, v_form.name, v_form.description, v_form.schema, v_now);
  update formd.forms f
  set status = v_form.status, current_version = v_form.current_version, updated_at = v_form.updated_at
  where f.team_id = p_team and f.id = p_form;
  return next v_form;
end
$$;

create or replace function formd.form_archive(p_team uuid, p_form uuid, p_archived boolean)
returns setof formd.forms
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- formd form archive (true) and restore (false): a restored form is published if it ever was, else a draft. Doing it twice
-- changes nothing. Raises not_found.
declare
  v_form formd.forms;
  v_now timestamptz(3) := clock_timestamp();
begin
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  end if;
  if (v_form.status = 'archived') <> p_archived then
    v_form.status := case when p_archived then 'archived' when v_form.current_version > 0 then 'published' else 'draft' end;
    v_form.archived_at := case when p_archived then v_now end;
    v_form.updated_at := greatest(v_now, v_form.updated_at + interval '1 millisecond');
    update formd.forms f
    set status = v_form.status, archived_at = v_form.archived_at, updated_at = v_form.updated_at
    where f.team_id = p_team and f.id = p_form;
  end if;
  return next v_form;
end
$$;
