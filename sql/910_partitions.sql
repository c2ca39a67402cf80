-- Months, into which `formd partition enable` divides tables by the UUIDv7 in the key: submissions and
-- audit_events by their own id, submission_edits by the submission's id, so that a submission and its edits
-- go together. Only commands and the purge call them. Their SQL is dynamic: a month is a table.

create or replace function formd.partition_list()
returns table (parent text, name text, first_id uuid, end_id uuid, state text, is_orphaned boolean,
  estimated_rows bigint, bytes bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the partitions of the divided tables, in order. state: attached; detaching (a detach was
-- interrupted); detached (no part of its table any more, not dropped yet). first_id is null for the first.
-- is_orphaned: edits whose submissions are dropped.
-- Why: a name has the bounds, since a part that is detached has none. The first one ends where the next
--   begins. Tables may have been divided in different months, so edits belong to submissions by their bounds.
with parts as materialized (
  select t.name as parent, c.oid, c.relname::text as name, m.first_id, coalesce(m.end_id,
      substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([0-9a-f-]+)''\)')::uuid,
      (min(m.first_id::text) over (partition by t.name))::uuid) as end_id,
    case when i.inhrelid is null then 'detached' when i.inhdetachpending then 'detaching' else 'attached' end
      as state,
    greatest(c.reltuples, 0)::bigint as estimated_rows
  from (values ('audit_events'), ('submission_edits'), ('submissions')) as t (name)
  join pg_class c on c.relnamespace = 'formd'::regnamespace and c.relkind = 'r'
    and c.relname ~ ('^' || t.name || '_(first|\d{4}_\d{2})$')
  left join pg_inherits i on i.inhrelid = c.oid
  cross join lateral (
    select formd.uuid_floor(n.begins at time zone 'UTC') as first_id,
      formd.uuid_floor((n.begins + interval '1 month') at time zone 'UTC') as end_id
    from (select to_date(substring(c.relname from '\d{4}_\d{2}$'), 'YYYY_MM')::timestamp as begins) as n) as m
)
select p.parent, p.name, p.first_id, p.end_id, p.state,
  p.parent = 'submission_edits'
    and exists (select from pg_class c where c.oid = 'formd.submissions'::regclass and c.relkind = 'p')
    and not exists (
      select from parts s
      where s.parent = 'submissions' and (s.first_id is null or s.first_id < p.end_id)
        and (p.first_id is null or s.end_id > p.first_id)),
  p.estimated_rows, pg_total_relation_size(p.oid)
from parts p
order by p.parent, p.first_id nulls first
$$;

create or replace function formd.partition_is_detached() returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Checks whether a part of submissions or of their edits is out of sight: it is still counted, and can be
-- attached again.
select exists (
  select from pg_class c left join pg_inherits i on i.inhrelid = c.oid
  where c.relnamespace = 'formd'::regnamespace and c.relkind = 'r'
    and c.relname ~ '^submission(s|_edits)_(first|\d{4}_\d{2})$'
    and (i.inhrelid is null or i.inhdetachpending))
$$;

create or replace function formd.partition_require_attached() returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Refuses what must find every submission while a part of them is detached.
-- Route: formd person, formd erasures repeat, formd export, the console
-- Raises: conflict
begin
  if formd.partition_is_detached() then
    perform formd.raise_problem('conflict', 'month_detached');
  end if;
end
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

create or replace function formd.partition_settings(p_from regclass, p_to regclass) returns setof text
language sql stable set search_path = pg_catalog, pg_temp as $$
-- The statements that give a table the settings of another: storage parameters, unless it is a divided one,
-- which has none, and what its columns are analyzed by.
select format('alter table %s set (%s)', p_to, string_agg(o.setting, ', '))
from pg_class c left join pg_class t on t.oid = c.reltoastrelid,
  unnest(c.reloptions || array(select 'toast.' || u from unnest(t.reloptions) as u)) as o (setting)
where c.oid = p_from and exists (select from pg_class n where n.oid = p_to and n.relkind = 'r')
having count(*) > 0
union all
select format('alter table %s alter column %I set statistics %s', p_to, a.attname, a.attstattarget)
from pg_attribute a where a.attrelid = p_from and a.attnum > 0 and a.attstattarget >= 0
union all
select format('alter table %s alter column %I set (%s)', p_to, a.attname, o.setting)
from pg_attribute a, unnest(a.attoptions) as o (setting)
where a.attrelid = p_from and a.attnum > 0 and o.setting ~ '^n_distinct'
$$;

create or replace function formd.partition_obstacles(p_table regclass) returns setof text
language sql stable set search_path = pg_catalog, pg_temp as $$
-- Names what others attached to a table, and what partition_swap cannot take along: it would stay with the
-- first part, as a view that sees no later month. Each with what to do about it.
-- Why: whatever depends on the table and is not known here is an obstacle. A publication without
--   publish_via_partition_root would name the parts, which the copy does not have.
with obstacles (kind, obstacle) as (
  select 1, pg_describe_object(d.classid, d.objid, 0) || ': drop it, and make it again afterwards'
  from pg_class c join pg_depend d
    on (d.refclassid, d.refobjid) in (('pg_class'::regclass, c.oid), ('pg_type'::regclass, c.reltype))
  left join pg_class i on d.classid = 'pg_class'::regclass and i.oid = d.objid
  left join pg_constraint k on d.classid = 'pg_constraint'::regclass and k.oid = d.objid
  left join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
  left join pg_trigger g on d.classid = 'pg_trigger'::regclass and g.oid = d.objid
  where c.oid = p_table and d.deptype in ('n', 'a')
    and d.classid not in ('pg_attrdef'::regclass, 'pg_publication_rel'::regclass,
      'pg_statistic_ext'::regclass)
    and i.relkind is distinct from 'i' and k.conrelid is distinct from c.oid
    and r.ev_class is distinct from 'formd.report_submissions'::regclass
    and g.tgisinternal is not true
  union
  select 2, format('index %s: drop it', i.indexrelid::regclass)
  from pg_index i
  where i.indrelid = p_table and (i.indisexclusion or not i.indisvalid or i.indisunique and not exists (
    select from pg_class c join pg_attribute a on a.attrelid = c.oid
      and a.attname = formd.partition_key(regexp_replace(c.relname, '_first$', ''))
    where c.oid = p_table and a.attnum = any (i.indkey)))
  union
  select 3, format('publication %I: alter publication %I set (publish_via_partition_root = true)', p.pubname,
    p.pubname)
  from pg_publication p join pg_publication_tables t on t.pubname = p.pubname
  join pg_class c on c.oid = p_table and c.relname = t.tablename
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = t.schemaname
  where not p.pubviaroot
  union
  select 4, format('publication %I: alter publication %I owner to %I', p.pubname, p.pubname, current_user)
  from pg_publication_rel r join pg_publication p on p.oid = r.prpubid
  where r.prrelid = p_table and not pg_has_role(p.pubowner, 'usage')
  union
  select 5, format('subscription %I: divide this copy before it is made', s.subname)
  from pg_subscription_rel r join pg_subscription s on s.oid = r.srsubid where r.srrelid = p_table
  union
  select 6, format('row security of %s: disable it, and enable it again afterwards', p_table)
  from pg_class c where c.oid = p_table and c.relrowsecurity
  union
  select 7, format('replica identity of %s: alter table %s replica identity default', p_table, p_table)
  from pg_class c where c.oid = p_table and c.relreplident <> 'd'
  union
  select 8, format('security label of %s: take it away, and set it again afterwards', p_table)
  from pg_seclabel l where l.classoid = 'pg_class'::regclass and l.objoid = p_table
  union
  select 9, format('constraint %I of %s: it must be validated, and inherited', k.conname, p_table)
  from pg_constraint k
  where k.conrelid = p_table and k.conname !~ '_bound_check$'
    and (not k.convalidated or k.contype = 'c' and k.connoinherit)
)
select o.obstacle from obstacles o order by o.kind, o.obstacle
$$;

create or replace function formd.partition_swap(p_table text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '50ms' as $$
-- Puts a divided table in the place of a plain one, which becomes its first partition. No row moves. What
-- others attached goes along: indexes, statistics, rights, publications; or it is refused.
-- Locks: the table, access exclusive, from its new name on, for some milliseconds: the bound is validated, so
--   that no row is read, and the indexes are attached, not built
-- Why: a publication changes in this transaction, since what was written before is published by the catalog
--   of its time: a change that comes later ends the copy.
declare
  v_old regclass := format('formd.%I', p_table);
  v_first text := p_table || '_first';
  v_key text := formd.partition_key(p_table);
  v_bound text;
  v_keys text[];
  v_indexes text[];
  v_rights text[];
  v_publications text[];
  v_obstacle text;
  v_comment text := obj_description(v_old, 'pg_class');
  v_view text := pg_get_viewdef('formd.report_submissions'::regclass);
  v_each record;
  v_statement text;
begin
  execute format('alter table %s rename to %I', v_old, v_first);
  select string_agg(o, '; ') into v_obstacle from formd.partition_obstacles(v_old) as o;
  if v_obstacle is not null then
    raise exception '% cannot be divided yet. %', p_table, v_obstacle;
  end if;
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
    select format('grant %s %s on formd.%I to %s%s', a.privilege_type, r.columns, p_table,
      case a.grantee when 0 then 'public' else a.grantee::regrole::text end,
      case when a.is_grantable then ' with grant option' end)
    from pg_class c, lateral (
        select '' as columns, c.relacl as acl
        union all
        select format('(%I)', t.attname), t.attacl from pg_attribute t where t.attrelid = c.oid
      ) as r, aclexplode(r.acl) as a
    where c.oid = v_old and a.grantee <> c.relowner);
  v_publications := array(
    select format(case n when 1 then 'alter publication %1$I drop table formd.%2$I'
        else 'alter publication %1$I add table formd.%3$I %4$s %5$s' end, p.pubname, v_first, p_table,
      (select format('(%s)', string_agg(quote_ident(t.attname), ', ' order by t.attnum))
        from pg_attribute t where t.attrelid = v_old and t.attnum = any (r.prattrs) having count(*) > 0),
      'where (' || pg_get_expr(r.prqual, r.prrelid) || ')')
    from pg_publication_rel r join pg_publication p on p.oid = r.prpubid, generate_series(1, 2) as n
    where r.prrelid = v_old order by p.pubname, n);

  for v_each in
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = v_old
  loop
    execute format('alter index formd.%I rename to %I', v_each.name,
      case when starts_with(v_each.name, p_table || '_')
        then overlay(v_each.name placing v_first from 1 for length(p_table))
        else v_first || '_' || v_each.name end);
  end loop;
  execute format('create table formd.%I (like formd.%I including defaults including constraints
    including comments including storage including compression including statistics)
    partition by range (%I)', p_table, v_first, v_key);
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
  for v_statement in select s from formd.partition_settings(v_old, format('formd.%I', p_table)::regclass) as s
  loop
    execute v_statement;
  end loop;
  execute format('comment on table formd.%I is %L', p_table, v_comment);
  execute format('alter table formd.%I attach partition formd.%I for values from (minvalue) to (%L)',
    p_table, v_first, v_bound);
  execute format('alter table formd.%I drop constraint %I', v_first, p_table || '_bound_check');
  execute format('revoke all on formd.%I from formd_app, formd_admin', v_first);
  execute format('revoke update, delete, truncate on formd.%I from current_user', v_first);
  -- The table has left its publications under its new name: each takes the divided one in its place.
  foreach v_statement in array v_publications loop
    execute v_statement;
  end loop;
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
  v_statement text;
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
      for v_statement in
        select s from formd.partition_settings(format('formd.%I', v_table.newest)::regclass,
          format('formd.%I', v_name)::regclass) as s
      loop
        execute v_statement;
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

create or replace function formd.partition_holds(p_names text[], p_limit integer)
returns table (name text, form_id uuid, submission_id uuid, total bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Finds what is held in parts of submissions, attached or not: a submission, or with submission_id null a
-- form that has some there; with the first part and the number of all.
-- Route: formd partition drop
-- Reads: holds
-- Index: holds_active_key; submissions_pkey of each part
begin
  return query execute (
    select format('select min(p.name), h.form_id, h.submission_id, count(*) over ()
      from formd.holds h join lateral (%s) as p (name) on true where h.released_at is null
      group by h.id, h.form_id, h.submission_id order by 1, h.id limit $1',
      string_agg(format('select %L where exists (
        select from formd.%I s where s.team_id = h.team_id and s.form_id = h.form_id
          and s.id between coalesce(h.submission_id, ''00000000-0000-0000-0000-000000000000'')
          and coalesce(h.submission_id, ''ffffffff-ffff-ffff-ffff-ffffffffffff''))', n, n),
        ' union all '))
    from unnest(p_names) as n)
  using p_limit;
end
$$;

create or replace function formd.partition_drop(p_name text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
-- Drops a month that is detached. One of submissions leaves the counters, the days, the signatures, and what
-- receivers responded first, and each form's audit says how many went. One that has a held submission stays,
-- and one of edits until their submissions are dropped.
-- Reads: forms, holds, webhook_events
-- Writes: submission_counts, submission_days, submission_signatures, files, webhook_attempts; what
--   audit_record and option_counts_repair write
-- Locks: the detached table, share update exclusive; signatures, files and attempts; once the rows are
--   counted its forms, for share, so that a hold that is being placed is seen; what option_counts_repair
--   locks, in the order of the forms' keys; one slot per status and the days of each form, in the order of
--   their keys; for a month of the audit, teams, access exclusive, for an instant, by its key
-- Index: forms_pkey
-- Why: nothing writes a detached table, so its rows are counted without a lock; and the counters change in
--   the transaction that drops it, so that one that is interrupted is done again, and none twice.
declare
  c_lock_timeout constant text := '50ms';
  v_each record;
  v_counts jsonb;
  v_cli formd.actor := '(cli,,)'::formd.actor;
  v_parent text;
  v_is_orphaned boolean;
begin
  select l.parent, l.is_orphaned into v_parent, v_is_orphaned from formd.partition_list() as l
  where l.name = p_name and l.state = 'detached';
  if not found then
    raise exception '% is no detached month', p_name;
  elsif v_parent = 'submission_edits' and not v_is_orphaned then
    raise exception '% has edits of submissions that are not dropped', p_name;
  end if;
  execute format('comment on table formd.%I is %L', p_name, 'Being dropped.'); -- takes the lock
  perform set_config('lock_timeout', c_lock_timeout, true);
  if v_parent = 'submissions' then
    execute format('delete from formd.submission_signatures g using formd.%I s
      where g.team_id = s.team_id and g.form_id = s.form_id and g.submission_id = s.id', p_name);
    execute format('update formd.files f
      set state = ''deleted'', name = '''', sha256 = null, expires_at = clock_timestamp()
      from formd.%I s where f.team_id = s.team_id and f.form_id = s.form_id and f.submission_id = s.id
        and f.state = ''claimed''', p_name);
    -- Receivers may have sent the values back. See submission_erasures_record.
    execute format('update formd.webhook_attempts a set response_start = null
      from formd.webhook_events e join formd.%I s
        on s.team_id = e.team_id and s.form_id = e.form_id and s.id = e.subject_id
      where a.team_id = e.team_id and a.event_id = e.id and a.response_start is not null', p_name);
    execute format('select jsonb_agg(to_jsonb(c)) from (
      select s.team_id, s.form_id, s.status, s.provenance, formd.day_of(s.created_at) as day,
        count(*)::integer as total
      from formd.%I s group by 1, 2, 3, 4, 5) as c', p_name) into v_counts;
    execute 'select from formd.forms f where (f.team_id, f.id) in (
        select c.team_id, c.form_id from jsonb_to_recordset($1) as c (team_id uuid, form_id uuid))
      order by f.team_id, f.id for share' using v_counts;
    if exists (select from formd.partition_holds(array[p_name], 1)) then
      raise exception '% has submissions that are held', p_name;
    end if;
    -- Counted anew, since a limit may have been published after the month was detached.
    for v_each in
      select c.team_id, c.form_id, sum(c.total) as total, bool_or(f.has_limits) as has_limits
      from jsonb_to_recordset(v_counts) as c (team_id uuid, form_id uuid, total integer)
      left join formd.forms f on f.team_id = c.team_id and f.id = c.form_id
      group by c.team_id, c.form_id order by c.team_id, c.form_id
    loop
      if v_each.has_limits then
        perform formd.option_counts_repair(v_each.team_id, v_each.form_id);
      end if;
      perform formd.audit_record(v_each.team_id, v_cli, 'form.submissions_dropped', v_each.form_id,
        v_each.form_id, jsonb_build_object('partition', p_name, 'submissions', v_each.total));
    end loop;
    for v_each in
      select * from jsonb_to_recordset(v_counts) as c (team_id uuid, form_id uuid, status text,
        provenance text, day integer, total integer)
      order by c.team_id, c.form_id, c.status, c.day, c.provenance
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

create or replace function formd.partition_attach(p_name text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '50ms' as $$
-- Attaches a month that is detached, with the bounds of its name, and counts the options of its forms anew.
-- Reads: forms
-- Writes: what option_counts_repair writes
-- Locks: the table, share update exclusive: no request waits; the month, access exclusive; then what
--   option_counts_repair locks, in the order of the forms' keys; for a month of the audit, teams, share row
--   exclusive
-- Index: forms_pkey
-- Why: a detach that went on beside requests has left a check of the same bounds, so that no row is read. All
--   other counters have counted it all the time.
declare
  v_parent text;
  v_first uuid;
  v_end uuid;
  v_check name;
  v_each record;
begin
  select l.parent, l.first_id, l.end_id into v_parent, v_first, v_end from formd.partition_list() as l
  where l.name = p_name and l.state = 'detached';
  if not found then
    raise exception '% is no detached month', p_name;
  end if;
  execute format('alter table formd.%I attach partition formd.%I for values from (%s) to (%L)', v_parent,
    p_name, coalesce(quote_literal(v_first), 'minvalue'), v_end);
  for v_check in
    select k.conname from pg_constraint k
    where k.conrelid = format('formd.%I', p_name)::regclass and k.contype = 'c' and k.conislocal
      and strpos(pg_get_constraintdef(k.oid), v_end::text) > 0
  loop
    execute format('alter table formd.%I drop constraint %I', p_name, v_check);
  end loop;
  if v_parent = 'submissions' then
    for v_each in execute format('select f.team_id, f.id as form_id from formd.forms f
      where f.has_limits and exists (
        select from formd.%I s where s.team_id = f.team_id and s.form_id = f.id)
      order by f.team_id, f.id', p_name)
    loop
      perform formd.option_counts_repair(v_each.team_id, v_each.form_id);
    end loop;
  end if;
end
$$;
