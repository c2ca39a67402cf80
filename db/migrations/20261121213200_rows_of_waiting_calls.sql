-- migrate:up
-- Locks: none.

-- Two functions of 0.1 return rows of tables to which later migrations add columns. PostgreSQL fixes the number of columns that a call returns
-- when the call begins. A call that then waits for such a migration reads a longer row, and its last statement fails with "wrong record type
-- supplied in RETURN NEXT". Columns are only ever appended: after this migration such a call tries again with fewer of them. Only the return is
-- tried again, so that no change is made twice.
--
-- This migration also has new plans made of the calls that connections of 0.1 have prepared. When the columns have come by then, the driver of 0.1
-- prepares a call again, and sends the JSON of the first time as a JSON string.
--
-- Each function is replaced in place, by its own text with these two places changed: a call that is planned meanwhile finds it, and a call in
-- progress ends with the body that it began with. The functions of this release, loaded after all migrations, replace both again
-- (sql/997_previous.sql). A new database has neither function, and in one that had later migrations before this one they have no such text:
-- there nothing changes.
do $do$
declare
  v_function regprocedure;
  v_table regclass;
  v_row text;
begin
  for v_function, v_table, v_row in
    select to_regprocedure(f.signature), f.row_type, f.variable
    from (values
      ('formd.submission_patch(uuid,uuid,uuid,timestamptz,jsonb,boolean,uuid[],uuid,text)', 'formd.submissions'::regclass, 'v_row'),
      ('formd.signing_key_register(uuid,uuid,uuid,uuid,text,text,timestamptz)', 'formd.signing_keys', 'v_key')
    ) as f (signature, row_type, variable)
    where to_regprocedure(f.signature) is not null
  loop
    execute replace(replace(pg_get_functiondef(v_function),
      'jsonb_array_elements(p_edits)',
      $$jsonb_array_elements(case jsonb_typeof(p_edits) when 'string' then (p_edits #>> '{}')::jsonb else p_edits end)$$),
      format('return next %s;', v_row), format($$
  declare
    v_columns text;
  begin
    for v_columns in
      select string_agg(format('($1).%%I', a.attname), ', ') over (order by a.attnum)
      from pg_attribute a
      where a.attrelid = %s and a.attnum > 0 and not a.attisdropped
      order by a.attnum desc
    loop
      begin
        return query execute 'select ' || v_columns using %s;
        return;
      exception when datatype_mismatch then
        null; -- the call expects fewer
      end;
    end loop;
  end;$$, v_table::oid, v_row));
  end loop;
end
$do$;
