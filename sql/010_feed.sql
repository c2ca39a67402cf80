-- The order of what is stored. Ids are made here, by the clock of the database, and marks say up to which
-- instant everything that has been stored can be read: who goes on reading from there misses nothing and gets
-- nothing twice, whatever the clocks say, by up to an hour (feed_mark).
--
-- The reason: each mark keeps the instant of the mark before it (bound_at), which it had read before it got
-- its number. A transaction with a higher number reads that one too, or a later one, and makes no id, and no
-- time of a change, before it. A snapshot does not show transactions from its xmin on. So all that it does
-- not show is from bound_at on, of the newest mark below xmin. A clock that is set back, or a new primary's,
-- stops ids and marks at the last instant until it is there.

create or replace function formd.feed_now() returns bigint
language plpgsql volatile as $$
-- Returns the instant for ids and times of changes in this transaction: now, and not before the last mark; in
-- microseconds since 1970.
-- Reads: feed_marks
-- Index: feed_marks_pkey
-- Why: the transaction gets its number first, since the reason above holds for ids that are made after it.
--   Such an id may wait for a lock: its transaction holds the bound until it ends.
declare
  c_us_per_s constant double precision := 1000000;
  v_number xid8 := pg_current_xact_id();
begin
  return date_part('epoch', greatest(clock_timestamp(),
    (select m.made_at from formd.feed_marks m where m.xid < v_number order by m.xid desc limit 1)))
    * c_us_per_s;
end
$$;

create or replace function formd.uuid_of(p_microseconds bigint) returns uuid
language sql volatile parallel safe as $$
-- A UUIDv7 of an instant: after the milliseconds come 12 bits of their fraction (RFC 9562, section 6.2,
-- method 3), as PostgreSQL 18 makes them.
-- Why: for a variable, since it is inlined then. Else it would be read anew in each transaction (80 us).
select encode(
  substring(int8send(p_microseconds / 1000) from 3)
    || int2send((28672 + p_microseconds % 1000 * 4096 / 1000)::smallint)
    || substring(uuid_send(gen_random_uuid()) from 9), 'hex')::uuid
$$;

create or replace function formd.time_of(p_microseconds bigint) returns timestamptz
language sql stable parallel safe as $$
-- The time that uuid_time finds in the id of an instant: in milliseconds.
select timestamptz 'epoch' + interval '1 millisecond' * (p_microseconds / 1000)
$$;

create or replace function formd.uuid_make() returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- A UUIDv7 of now, of this transaction. Ascending within a session, unless the clock was set back.
-- Reads: what feed_now reads
declare
  v_now bigint := formd.feed_now();
begin
  return formd.uuid_of(v_now);
end
$$;

create or replace function formd.feed_time() returns timestamptz
language plpgsql volatile as $$
-- Returns the time of a change that this transaction makes, as feed_now.
-- Reads: what feed_now reads
declare
  v_us bigint := formd.feed_now();
begin
  return formd.time_of(v_us);
end
$$;

create or replace function formd.feed_mark(p_at_once boolean default false, out clock_at timestamptz,
  out up_to_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Makes a mark, unless p_at_once is false and the last second has one. Returns the time, and up to which
-- instant can be read.
-- Route: none; every server calls it each second (src/platform/ops/feed.ts); formd export
-- Reads: what cluster_state and feed_end read
-- Writes: feed_marks
-- Locks: the last mark, so that one of all servers makes the next one; others go on without waiting. The
--   table, for the first mark only
-- Index: feed_marks_pkey
-- Why: a mark of another cluster, which a dump has brought, has a number that is not given yet; one that is
--   an hour ahead is of a clock that was wrong. Both would stop ids and marks for good, and are deleted.
--   A second either way: the time may have been read before that of the last mark, by a call that waited.
--   The commit waits for no disk and no standby: a mark that a crash loses comes again.
--   On Citus a list commits on other machines after its number has ended, in two phases: the bound is two
--   minutes old, and stays where it is while a transaction was prepared more than a minute ago, or a machine
--   that may have one is silent.
declare
  c_second constant interval := interval '1 second';
  c_minute constant interval := interval '1 minute';
  c_hour constant interval := interval '1 hour';
  v_now timestamptz(3) := clock_timestamp();
  v_last formd.feed_marks;
  v_bound timestamptz(3);
  v_is_next boolean;
  v_is_whole boolean;
begin
  clock_at := v_now;
  select * into v_last from formd.feed_marks m order by m.xid desc limit 1;
  if v_last.xid >= pg_snapshot_xmax(pg_current_snapshot()) or v_last.made_at > v_now + c_hour then
    delete from formd.feed_marks m
    where m.xid >= pg_snapshot_xmax(pg_current_snapshot()) or m.made_at > v_now + c_hour;
    v_is_next := false;
  elsif v_last.xid is null then
    lock table formd.feed_marks in share row exclusive mode;
    v_is_next := true;
  elsif p_at_once or v_now not between v_last.made_at - c_second and v_last.made_at + c_second then
    perform from formd.feed_marks m where m.xid = v_last.xid for update skip locked;
    v_is_next := found;
  end if;
  if v_is_next and not exists (
    select from formd.feed_marks m where v_last.xid is null or m.xid > v_last.xid)
  then
    v_bound := v_last.made_at;
    select s.prepared_transactions = 0 and s.silent_nodes = '{}' into v_is_whole
    from formd.cluster_state() as s;
    if v_is_whole then
      v_bound := greatest(v_last.bound_at, (
        select m.made_at from formd.feed_marks m where m.made_at <= v_now - 2 * c_minute
        order by m.xid desc limit 1));
    elsif not v_is_whole then
      v_bound := v_last.bound_at;
    end if;
    perform set_config('synchronous_commit', 'off', true);
    insert into formd.feed_marks (xid, made_at, bound_at)
    values (pg_current_xact_id(), greatest(v_now, v_last.made_at + interval '1 millisecond'), v_bound);
  end if;
  up_to_at := formd.feed_end();
end
$$;

create or replace function formd.feed_end() returns timestamptz
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Returns the instant from which ids may still be missing: before it all is there, and nothing will be added.
-- It is null until there are two marks.
-- Reads: feed_marks
-- Index: feed_marks_pkey
-- Why: a caller puts it into a variable before it reads, in a stable function or in one statement, so that
--   both have one snapshot. A transaction that has a number, of any database of the cluster, holds it.
begin
  return (
    select m.bound_at from formd.feed_marks m
    where m.xid < pg_snapshot_xmin(pg_current_snapshot()) order by m.xid desc limit 1);
end
$$;

create or replace function formd.feed_is_copied() returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Checks whether this database is a logical copy, which has no marks.
-- Route: none; formd export
select exists (
  select from pg_subscription_rel r join pg_class c on c.oid = r.srrelid
  where c.relnamespace = 'formd'::regnamespace)
$$;

create or replace function formd.feed_range(p_after uuid, p_order text, out above uuid, out below uuid,
  out up_to timestamptz)
language plpgsql stable as $$
-- Returns between which ids, both exclusive, a list goes on after p_after; null: from its beginning. p_order:
-- newest; oldest, which ends where rows may still be missing (up_to); or rising, which does not end there.
-- Reads: what feed_is_copied and feed_end read
-- Raises: bad_request (the order of a logical copy is not known)
-- Why: a list puts them into variables before it reads, so that all have one snapshot, and so that a plan
--   takes months and machines of Citus by them.
begin
  above := '00000000-0000-0000-0000-000000000000';
  below := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  if p_order = 'newest' then
    below := coalesce(p_after, below);
  else
    above := coalesce(p_after, above);
  end if;
  if p_order = 'oldest' then
    if formd.feed_is_copied() then
      perform formd.raise_problem('bad_request', 'order_unknown');
    end if;
    up_to := coalesce(formd.feed_end(), timestamptz 'epoch');
    below := formd.uuid_floor(up_to);
  end if;
end
$$;
