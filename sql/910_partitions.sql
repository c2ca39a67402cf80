-- Months, into which `formd partition enable` divides tables by the UUIDv7 in the key: submissions and
-- audit_events by their own id, submission_edits by the submission's id, so that a submission and its edits
-- go together. Only commands and the purge call them. Their SQL is dynamic: a month is a table.

create or replace function formd.partition_list()
returns table (parent text, name text, first_id uuid, end_id uuid, state text, estimated_rows bigint,
  bytes bigint)
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Returns the partitions of the divided tables, in order. state: attached; detaching (a detach was
-- interrupted); detached (no part of its table any more, not dropped yet). first_id is null for the first.
select t.name, c.relname::text,
  substring(b.bound from 'FROM \(''([0-9a-f-]+)''\)')::uuid,
  substring(b.bound from 'TO \(''([0-9a-f-]+)''\)')::uuid,
  case when i.inhrelid is null then 'detached' when i.inhdetachpending then 'detaching' else 'attached' end,
  greatest(c.reltuples, 0)::bigint, pg_total_relation_size(c.oid)
from (values ('audit_events'), ('submission_edits'), ('submissions')) as t (name)
join pg_class c on c.relnamespace = 'formd'::regnamespace and c.relkind = 'r'
  and c.relname ~ ('^' || t.name || '_(first|\d{4}_\d{2})$')
left join pg_inherits i on i.inhrelid = c.oid
left join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) as b on true
order by t.name, c.relname !~ 'first$', c.relname
$$;

create or replace function formd.partition_key(p_table text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- The column by which a table is divided.
select case p_table when 'submission_edits' then 'submission_id' else 'id' end
$$;

create or replace function formd.partition_month(p_ahead integer) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp as $$
-- The first moment of a month, UTC: this one's with p_ahead 0, the next one's with 1.
select (date_trunc('month', now() at time zone 'UTC') + make_interval(months => p_ahead)) at time zone 'UTC'
$$;

create or replace function formd.partition_months_left() returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- For how many months after this one every divided table has a partition; null when none is divided.
-- Route: /metrics, formd doctor
select min(extract(year from b.span) * 12 + extract(month from b.span))::integer
from (
  select age(max(formd.uuid_time(l.end_id)) at time zone 'UTC',
    formd.partition_month(1) at time zone 'UTC') as span
  from formd.partition_list() as l where l.state = 'attached' group by l.parent) as b
$$;

create or replace function formd.partition_bound(p_table text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '50ms' as $$
-- Gives a table the bound that it has as the first partition: the month after next. Returns what is to be
-- done next: validate, swap, or nothing (it is divided).
-- Locks: the table, access exclusive, for an instant: the constraint is not validated here
-- Why: the bound holds from now on, so it leaves a month for what is left to be done. One that comes within
--   a day, as of a command that was interrupted weeks ago, is replaced.
declare
  c_day constant interval := interval '1 day';
  v_name text := p_table || '_bound_check';
  v_table regclass := format('formd.%I', p_table);
  v_is_valid boolean;
  v_definition text;
begin
  if (select c.relkind = 'p' from pg_class c where c.oid = v_table) then
    return 'nothing';
  end if;
  select k.convalidated, pg_get_constraintdef(k.oid) into v_is_valid, v_definition
  from pg_constraint k where k.conrelid = v_table and k.conname = v_name;
  if found and substring(v_definition from '''([0-9a-f-]{36})''')::uuid > formd.uuid_floor(now() + c_day) then
    return case when v_is_valid then 'swap' else 'validate' end;
  end if;
  execute format('alter table %s drop constraint if exists %I', v_table, v_name);
  execute format('alter table %s add constraint %I check (%I < %L) not valid', v_table, v_name,
    formd.partition_key(p_table), formd.uuid_floor(formd.partition_month(2)));
  return 'validate';
end
$$;

create or replace function formd.partition_swap(p_table text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '50ms' as $$
-- Puts a divided table in the place of a plain one, which becomes its first partition. No row moves.
-- Locks: the table, access exclusive, from its new name on, for some milliseconds: the bound is validated, so
--   that no row is read, and the indexes are attached, not built
declare
  v_old regclass := format('formd.%I', p_table);
  v_first text := p_table || '_first';
  v_key text := formd.partition_key(p_table);
  v_bound text;
  v_keys text[];
  v_indexes text[];
  v_rights text[];
  v_comment text := obj_description(v_old, 'pg_class');
  v_view text := pg_get_viewdef('formd.report_submissions'::regclass);
  v_each record;
  v_statement text;
begin
  execute format('alter table %s rename to %I', v_old, v_first);
  select substring(pg_get_constraintdef(k.oid) from '''([0-9a-f-]{36})''') into strict v_bound
  from pg_constraint k where k.conrelid = v_old and k.conname = p_table || '_bound_check' and k.convalidated;
  v_keys := array(
    select format('alter table formd.%I add constraint %I %s', p_table, k.conname,
      pg_get_constraintdef(k.oid))
    from pg_constraint k where k.conrelid = v_old and k.contype in ('p', 'f') order by k.contype desc);
  v_indexes := array(
    select replace(pg_get_indexdef(i.indexrelid), v_first, p_table)
    from pg_index i where i.indrelid = v_old and not i.indisprimary);
  v_rights := array(
    select format('grant %s on formd.%I to %s', a.privilege_type, p_table, a.grantee::regrole)
    from pg_class c, aclexplode(c.relacl) as a where c.oid = v_old and a.grantee <> c.relowner);

  for v_each in
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = v_old
  loop
    execute format('alter index formd.%I rename to %I', v_each.name,
      replace(v_each.name, p_table || '_', v_first || '_'));
  end loop;
  execute format('create table formd.%I (like formd.%I including defaults including constraints
    including comments including storage including compression) partition by range (%I)',
    p_table, v_first, v_key);
  execute format('alter table formd.%I drop constraint %I', p_table, p_table || '_bound_check');
  foreach v_statement in array v_keys || v_indexes || v_rights loop
    execute v_statement;
  end loop;
  -- A table without a list of rights has its owner's.
  if exists (select from pg_class c where c.oid = v_old and c.relacl is not null) then
    execute format('revoke all on formd.%I from current_user', p_table);
    for v_each in
      select a.privilege_type as name from pg_class c, aclexplode(c.relacl) as a
      where c.oid = v_old and a.grantee = c.relowner
    loop
      execute format('grant %s on formd.%I to current_user', v_each.name, p_table);
    end loop;
  end if;
  for v_each in
    select a.attname as name from pg_attribute a
    where a.attrelid = v_old and a.attnum > 0 and a.attstattarget = 0
  loop
    execute format('alter table formd.%I alter column %I set statistics 0', p_table, v_each.name);
  end loop;
  execute format('comment on table formd.%I is %L', p_table, v_comment);
  execute format('alter table formd.%I attach partition formd.%I for values from (minvalue) to (%L)',
    p_table, v_first, v_bound);
  execute format('alter table formd.%I drop constraint %I', v_first, p_table || '_bound_check');
  execute format('revoke all on formd.%I from formd_app, formd_admin', v_first);
  execute format('revoke update, delete, truncate on formd.%I from current_user', v_first);
  if p_table = 'submissions' then
    execute 'create or replace view formd.report_submissions with (security_barrier) as ' || v_view;
  end if;
end
$$;

create or replace function formd.partition_make(p_ahead integer, p_limit integer) returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '50ms' as $$
-- Makes the months that the divided tables lack, at most p_limit of them, and returns how many it has made.
-- Route: the purge job of every server, formd partition enable
-- Locks: the table, share update exclusive: no request waits; teams, share row exclusive, for a month of the
--   audit
-- Why: a month is made as a table and then attached, since "partition of" would take access exclusive. Of
--   several servers one makes it: the others fail to get the lock, and have nothing to do at the next purge.
--   "lock table" is for who may change rows, before PostgreSQL 17, and the owner may not change the audit.
declare
  v_table record;
  v_each record;
  v_ahead timestamptz(3) := formd.partition_month(p_ahead + 1);
  v_from timestamptz(3);
  v_end timestamptz(3);
  v_name text;
  v_made integer := 0;
begin
  for v_table in
    select distinct on (l.parent) l.parent, l.end_id, l.name as newest
    from formd.partition_list() as l where l.state = 'attached' order by l.parent, l.end_id desc
  loop
    v_from := formd.uuid_time(v_table.end_id);
    while v_from < v_ahead and v_made < p_limit loop
      v_name := v_table.parent || to_char(v_from at time zone 'UTC', '_YYYY_MM');
      execute format('comment on table formd.%I is %L', v_table.parent,
        obj_description(format('formd.%I', v_table.parent)::regclass, 'pg_class')); -- takes the lock
      if to_regclass('formd.' || v_name) is not null then
        return v_made; -- another server has made it
      end if;
      execute format('create table formd.%I (like formd.%I including all)', v_name, v_table.parent);
      execute (
        select format('alter table formd.%I set (%s)', v_name, array_to_string(c.reloptions, ', '))
        from pg_class c where c.oid = format('formd.%I', v_table.newest)::regclass);
      for v_each in
        select a.attname as name from pg_attribute a
        where a.attrelid = format('formd.%I', v_table.parent)::regclass and a.attnum > 0
          and a.attstattarget = 0
      loop
        execute format('alter table formd.%I alter column %I set statistics 0', v_name, v_each.name);
      end loop;
      execute format('revoke update, delete, truncate on formd.%I from current_user', v_name);
      v_end := (v_from at time zone 'UTC' + make_interval(months => 1)) at time zone 'UTC';
      execute format('alter table formd.%I attach partition formd.%I for values from (%L) to (%L)',
        v_table.parent, v_name, formd.uuid_floor(v_from), formd.uuid_floor(v_end));
      v_from := v_end;
      v_made := v_made + 1;
    end loop;
  end loop;
  return v_made;
end
$$;

create or replace function formd.partition_drop(p_name text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
-- Drops a month that is detached. One of submissions leaves the counters, the days, and the signatures first,
-- and each form's audit says how many went. One that has a held submission stays.
-- Reads: forms, holds
-- Writes: submission_counts, submission_days, submission_signatures, files; what audit_record and
--   option_counts_repair write
-- Locks: the detached table, share update exclusive; its forms, for share, so that a hold that is being
--   placed is seen; what option_counts_repair locks, in the order of the forms' keys; one slot per status and
--   the days of each form, in the order of their keys, after the rows are counted; for a month of the audit,
--   teams, access exclusive, for an instant, by its key
-- Why: nothing writes a detached table, so its rows are counted without a lock; and the counters change in
--   the transaction that drops it, so that one that is interrupted is done again, and none twice.
declare
  c_lock_timeout constant text := '50ms';
  v_each record;
  v_cli formd.actor := '(cli,,)'::formd.actor;
  v_is_held boolean;
begin
  if not exists (select from formd.partition_list() as l where l.name = p_name and l.state = 'detached') then
    raise exception '% is no detached month', p_name;
  end if;
  execute format('comment on table formd.%I is %L', p_name, 'Being dropped.'); -- takes the lock
  perform set_config('lock_timeout', c_lock_timeout, true);
  if p_name like 'submissions\_%' then
    execute format('select from formd.forms f where exists (
        select from formd.%I s where s.team_id = f.team_id and s.form_id = f.id)
      order by f.team_id, f.id for share', p_name);
    execute format('select exists (
        select from formd.holds h join formd.%I s on s.team_id = h.team_id and s.form_id = h.form_id
          and (h.submission_id is null or h.submission_id = s.id)
        where h.released_at is null)', p_name)
    into v_is_held;
    if v_is_held then
      raise exception '% has submissions that are held', p_name;
    end if;
    execute format('delete from formd.submission_signatures g using formd.%I s
      where g.team_id = s.team_id and g.form_id = s.form_id and g.submission_id = s.id', p_name);
    execute format('update formd.files f
      set state = ''deleted'', name = '''', sha256 = null, expires_at = clock_timestamp()
      from formd.%I s where f.team_id = s.team_id and f.form_id = s.form_id and f.submission_id = s.id
        and f.state = ''claimed''', p_name);
    -- Counted anew, since a limit may have been published after the month was detached.
    for v_each in execute format('select f.team_id, f.id as form_id from formd.forms f
      where f.has_limits and exists (
        select from formd.%I s where s.team_id = f.team_id and s.form_id = f.id)
      order by f.team_id, f.id', p_name)
    loop
      perform formd.option_counts_repair(v_each.team_id, v_each.form_id);
    end loop;
    for v_each in execute format('select s.team_id, s.form_id, count(*) as total from formd.%I s
      group by s.team_id, s.form_id order by s.team_id, s.form_id', p_name)
    loop
      perform formd.audit_record(v_each.team_id, v_cli, 'form.submissions_dropped', v_each.form_id,
        v_each.form_id, jsonb_build_object('partition', p_name, 'submissions', v_each.total));
    end loop;
    for v_each in execute format('select s.team_id, s.form_id, s.status, s.provenance,
        formd.day_of(s.created_at) as day, count(*)::integer as total
      from formd.%I s group by s.team_id, s.form_id, s.status, s.provenance, formd.day_of(s.created_at)
      order by s.team_id, s.form_id, s.status, day, s.provenance', p_name)
    loop
      perform formd.submission_count_add(v_each.team_id, v_each.form_id, v_each.status, -v_each.total);
      update formd.submission_days d set total = d.total - v_each.total
      where d.team_id = v_each.team_id and d.form_id = v_each.form_id and d.day = v_each.day
        and d.status = v_each.status and d.provenance = v_each.provenance;
    end loop;
  end if;
  execute format('drop table formd.%I', p_name);
end
$$;
