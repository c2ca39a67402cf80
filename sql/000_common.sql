-- What several aggregates share. Nothing here touches a table.
--
-- Functions that a request calls on its way in state `set enable_seqscan = off`, which holds for those that they call as well. A backend
-- keeps the plan that it made first; made on a table that is young and small, that plan is a scan, and stays one while the table grows
-- under it (measured: a throttle 5 times slower after a few thousand addresses). Every statement there is by key, so an index is always right.

create or replace function formd.raise_problem(p_code text, p_detail text, p_extras jsonb default null) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Ends the call with a refusal that leaves no trace. SQLSTATE ZFORM; message = the API's code, detail = the sentence for
-- people, hint = members that the error envelope carries beside its own.
begin
  raise exception using errcode = 'ZFORM', message = p_code, detail = p_detail, hint = coalesce(p_extras::text, '');
end
$$;

create or replace function formd.uuid_time(p_id uuid) returns timestamptz
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
-- The millisecond inside a UUIDv7 (RFC 9562, section 5.7): its first 48 bits.
select timestamptz 'epoch' + interval '1 millisecond' * ('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint
$$;

create or replace function formd.is_blank(p_text text) returns boolean
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
-- Whether a name is white space only, as JavaScript's trim() has it. The characters are listed because \s depends on the collation.
select btrim(p_text, U&'\0009\000A\000B\000C\000D\0020\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000\FEFF') = ''
$$;

create or replace function formd.json_merge_patch(p_target jsonb, p_patch jsonb) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
-- RFC 7396: members of the patch replace, null removes, objects merge at every level.
-- Why: one aggregate per object, since appending member by member copies the object for each of them.
declare
  v_target jsonb := case when jsonb_typeof(p_target) = 'object' then p_target else '{}' end;
  v_members jsonb;
  v_removed text[];
begin
  if jsonb_typeof(p_patch) <> 'object' then
    return p_patch;
  end if;
  select
    jsonb_object_agg(m.key, case
      when jsonb_typeof(m.value) = 'object' then formd.json_merge_patch(v_target -> m.key, m.value)
      else m.value end) filter (where m.value <> 'null'),
    array_agg(m.key) filter (where m.value = 'null')
  into v_members, v_removed
  from jsonb_each(p_patch) as m;
  return (v_target - coalesce(v_removed, '{}')) || coalesce(v_members, '{}');
end
$$;
