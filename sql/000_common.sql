-- Helpers of the other files. Nothing here touches a table.
--
-- Functions on the path of a request set enable_seqscan = off, which holds for the functions that they call
-- as well, because a connection keeps the plan that it made first. A plan that was made while a table was
-- small is a scan, and stays one while the table grows (measured: a rate limit 5 times slower after a few
-- thousand addresses). Every statement there is by key, so that an index is always right. (plan_cache_mode
-- does not help: a generic plan is the same scan, and a custom one is planned at every call.)

create or replace function formd.raise_problem(p_code text, p_key text, p_values jsonb default null,
  p_extras jsonb default null) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Never returns: rolls the caller's statement back with a problem of the API, under SQLSTATE ZFORM. Message:
-- its code; detail: the key of its sentence (src/messages.ts); hint: the values that the sentence names, and
-- the members that the error envelope has beside its own.
begin
  raise exception using
    errcode = 'ZFORM', message = p_code, detail = p_key,
    hint = jsonb_build_object('values', p_values, 'extras', coalesce(p_extras, '{}'));
end
$$;

create or replace function formd.uuid_time(p_id uuid) returns timestamptz
language sql immutable strict parallel safe as $$
-- The time in a UUIDv7, in milliseconds: its first 48 bits (RFC 9562, section 5.7).
-- Why: by a timestamp, since timestamptz + interval depends on the time zone: not immutable, it would not be
--   inlined (2.4 us, 0.5 inlined).
select (timestamp 'epoch'
  + interval '1 millisecond' * ('x' || left(replace(p_id::text, '-', ''),
    12))::bit(48)::bigint) at time zone 'UTC'
$$;

create or replace function formd.uuid_floor(p_time timestamptz) returns uuid
language sql immutable parallel safe as $$
-- The smallest UUIDv7 of a time: 48 bits of milliseconds, then zeros. By it an index on ids is one on times.
-- Why: without a setting and by a timestamp, so that it is inlined: 60 us less at its first call in a
--   transaction.
select rpad(lpad(to_hex((extract(epoch from p_time at time zone 'UTC') * 1000)::bigint), 12, '0'), 32,
  '0')::uuid
$$;

create or replace function formd.day_of(p_at timestamptz) returns integer
language sql immutable parallel safe as $$
-- The day of an instant: days since 1970-01-01, UTC.
select floor(extract(epoch from p_at) / 86400)::integer
$$;

create or replace function formd.day_expiry(p_day integer) returns timestamptz
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
-- When the counts of a day are purged.
declare
  c_day constant interval := interval '1 day';
  c_epoch constant timestamptz := timestamptz 'epoch';
  c_statistics_kept_days constant integer := 90;
begin
  return c_epoch + c_day * (p_day + 1 + c_statistics_kept_days);
end
$$;

create or replace function formd.sorted_positions(p_keys text[]) returns integer[]
language plpgsql immutable as $$
-- The positions of an array's elements, in the order of the elements.
-- Why: a list of one, which is the usual one at low load, costs no query.
begin
  if cardinality(p_keys) = 1 then
    return array[1];
  end if;
  return array(
    select k.position from unnest(p_keys) with ordinality as k (key, position)
      order by k.key collate "C", k.position);
end
$$;

create or replace function formd.timestamp_text(p_at timestamptz) returns text
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
-- An instant as responses have it: UTC with milliseconds.
select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create or replace function formd.is_blank(p_text text) returns boolean
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
-- Checks whether a text has no character that people see, as isBlankText of the server does.
-- Why: they are listed, since \s depends on the collation, and classes of Unicode have no names here. The
-- checks of the tables list white space only.
select p_text !~ ('[^'
  '\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2'
  '\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000'
  '\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U00016fe4'
  '\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
  ']')
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

create or replace function formd.cluster_state()
returns table (silent_nodes text[], prepared_transactions integer, undistributed_tables text[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the workers of Citus that do not respond, how many transactions were prepared more than a minute
-- ago on any machine, and the tables that wait for formd distribute. No row without Citus.
-- Route: /metrics, formd doctor
-- Why: by the owner's connections, since a server's login need not reach the workers. Citus ends what a
--   machine left prepared within a minute of its return; an older one holds its locks, and rows from the
--   vacuum. The catalog of Citus is named in the body only, which is planned when it runs.
declare
  c_max_wait_ms constant text := '3000';
  c_count_old constant text := $count$
    select count(*) from pg_catalog.pg_prepared_xacts x
    where x.database = current_database() and x.prepared < clock_timestamp() - interval '1 minute'$count$;
  c_minute constant interval := interval '1 minute';
  v_here integer;
begin
  perform from pg_extension e where e.extname = 'citus';
  if not found then
    return;
  end if;
  perform set_config('citus.node_connection_timeout', c_max_wait_ms, true);
  select count(*) into v_here from pg_prepared_xacts x
  where x.database = current_database() and x.prepared < clock_timestamp() - c_minute;
  select coalesce(array_agg(format('%s:%s', r.nodename, r.nodeport) order by r.nodename, r.nodeport)
      filter (where not r.success), '{}'),
    v_here + coalesce(sum(r.result::integer) filter (where r.success), 0)
  into silent_nodes, prepared_transactions
  from run_command_on_workers(c_count_old) as r;
  undistributed_tables := array(
    select c.relname::text from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
    where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p' and c.oid not in (select d.logicalrelid from pg_dist_partition d)
    order by c.relname);
  return next;
end
$$;
