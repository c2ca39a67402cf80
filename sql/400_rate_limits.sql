-- Rate limits: a maximum of requests per key in any span of a window. All instances count in one table. The
-- limits themselves are in src/limits.ts and the settings; 500_submit.sql counts what an agent submits.

create or replace function formd.rate_limit_count(p_key text, p_limit integer, p_window_ms integer,
  out allowed boolean, out remaining integer, out reset_ms integer)
language plpgsql volatile as $$
-- Counts one request for a key, unless p_limit requests were counted in the last p_window_ms. A rejected
-- request is not counted. Returns how many are left, and the milliseconds until one more is free.
-- Writes: rate_limits
-- Locks: the key, until the transaction ends: of two requests at once the second sees the first
-- Index: rate_limits_pkey
-- Why: up to c_max_times a window, each request has a time of its own, exact to the microsecond. Beyond that,
--   requests share times that are a c_max_times-th of the window apart, each counted at the end of its part:
--   one more is free that much later, never earlier, and the row stays under 4 kB. A key that is new or whose
--   times have all passed, the usual case, takes one statement; it locks the row in the other cases as well.
declare
  c_max_times constant integer := 256;
  c_us_per_ms constant integer := 1000;
  c_us_per_s constant double precision := 1000000;
  v_window bigint := p_window_ms::bigint * c_us_per_ms;
  v_now bigint := date_part('epoch', clock_timestamp()) * c_us_per_s;
  v_step bigint := 1;
  v_time bigint := v_now;
  v_times bigint[];
  v_counts integer[];
  v_expires_at timestamptz(3);
begin
  if p_limit > c_max_times then
    v_step := v_window / c_max_times;
    v_time := (v_now + v_step - 1) / v_step * v_step;
  end if;
  -- expires_at is rounded to milliseconds: one earlier, the last time has passed for certain.
  insert into formd.rate_limits as r (key, times, counts, expires_at)
  values (p_key, array[v_time], '{1}', to_timestamp((v_time + v_window) / c_us_per_s))
  on conflict (key) do update set times = excluded.times, counts = excluded.counts,
    expires_at = excluded.expires_at
  where r.expires_at < to_timestamp((v_now - c_us_per_ms) / c_us_per_s);
  if found then
    allowed := true;
    remaining := p_limit - 1;
    reset_ms := p_window_ms;
    return;
  end if;
  select a.allowed, a.remaining, a.reset_ms, a.times, a.counts, a.expires_at
  into allowed, remaining, reset_ms, v_times, v_counts, v_expires_at
  from formd.rate_limits r, formd.rate_limit_add(r.times, r.counts, p_limit, p_window_ms) a
  where r.key = p_key;
  if allowed then
    update formd.rate_limits r set times = v_times, counts = v_counts, expires_at = v_expires_at
    where r.key = p_key;
  end if;
end
$$;

create or replace function formd.rate_limit_add(p_times bigint[], p_counts integer[], p_limit integer,
  p_window_ms integer, out allowed boolean, out remaining integer, out reset_ms integer,
  out times bigint[], out counts integer[], out expires_at timestamptz)
language plpgsql volatile as $$
-- Returns what one more request makes of the times and counts of a locked key, and whether it is allowed.
-- Nothing is written: times, counts and expires_at are for the row, if it is allowed.
-- Why: rate_limit_count says how a row is kept.
declare
  c_max_times constant integer := 256;
  c_us_per_ms constant integer := 1000;
  c_us_per_s constant double precision := 1000000;
  v_window bigint := p_window_ms::bigint * c_us_per_ms;
  v_step bigint := case when p_limit > c_max_times then v_window / c_max_times else 1 end;
  v_now bigint;
  v_time bigint;
  v_used integer;
  v_first integer := 1;
begin
  times := p_times;
  counts := p_counts;
  -- After the lock, so that times ascend; a clock that was set back stays at the last time.
  v_now := greatest((date_part('epoch', clock_timestamp()) * c_us_per_s)::bigint,
                    coalesce(times[cardinality(times)], 0) - v_step + 1);
  v_time := (v_now + v_step - 1) / v_step * v_step;

  while v_first <= cardinality(times) and times[v_first] <= v_now - v_window loop
    v_first := v_first + 1;
  end loop;
  if v_first > 1 then
    times := times[v_first:];
    counts := counts[v_first:];
  end if;
  if cardinality(counts) <= 1 then
    v_used := coalesce(counts[1], 0);
  else
    v_used := (select sum(count) from unnest(counts) as count);
  end if;

  allowed := v_used < p_limit;
  if allowed then
    if times[cardinality(times)] = v_time then
      counts[cardinality(counts)] := counts[cardinality(counts)] + 1;
    else
      times := times || v_time;
      counts := counts || 1;
    end if;
    v_used := v_used + 1;
  end if;

  remaining := greatest(p_limit - v_used, 0);
  reset_ms := greatest((times[1] + v_window - v_now + c_us_per_ms - 1) / c_us_per_ms, 1);
  expires_at := to_timestamp((v_time + v_window) / c_us_per_s);
end
$$;

create or replace function formd.rate_limit_count_set(p_keys text[], p_limit integer, p_window_ms integer,
  out allowed boolean[], out remaining integer[], out reset_ms integer[])
language plpgsql volatile as $$
-- Counts one request for each of different keys with one limit, as rate_limit_count does for one. The arrays
-- are in the order of p_keys; null: each key was new, or all its times had passed.
-- Writes: rate_limits
-- Locks: the keys in the order of the array, until the transaction ends
-- Index: rate_limits_pkey
-- Why: two statements for any number of keys. The first one counts those that are new or whose times have all
--   passed, and locks the others; the second one counts these.
declare
  c_max_times constant integer := 256;
  c_us_per_ms constant integer := 1000;
  c_us_per_s constant double precision := 1000000;
  v_window bigint := p_window_ms::bigint * c_us_per_ms;
  v_now bigint := date_part('epoch', clock_timestamp()) * c_us_per_s;
  v_step bigint := case when p_limit > c_max_times then v_window / c_max_times else 1 end;
  v_time bigint := (v_now + v_step - 1) / v_step * v_step;
  v_counted text[];
begin
  with counted as (
    insert into formd.rate_limits as r (key, times, counts, expires_at)
    select k, array[v_time], '{1}', to_timestamp((v_time + v_window) / c_us_per_s) from unnest(p_keys) as k
    on conflict (key) do update
    set times = excluded.times, counts = excluded.counts, expires_at = excluded.expires_at
    where r.expires_at < to_timestamp((v_now - c_us_per_ms) / c_us_per_s)
    returning r.key)
  select array_agg(c.key) into v_counted from counted c;
  if coalesce(cardinality(v_counted), 0) < cardinality(p_keys) then
    with added as (
      select r.key, a.allowed, a.remaining, a.reset_ms, a.times, a.counts, a.expires_at
      from formd.rate_limits r, formd.rate_limit_add(r.times, r.counts, p_limit, p_window_ms) a
      where r.key = any (p_keys) and r.key <> all (coalesce(v_counted, '{}'))),
    written as (
      update formd.rate_limits r set times = a.times, counts = a.counts, expires_at = a.expires_at
      from added a where a.key = r.key and a.allowed)
    select array_agg(coalesce(a.allowed, true) order by k.ordinality),
      array_agg(coalesce(a.remaining, p_limit - 1) order by k.ordinality),
      array_agg(coalesce(a.reset_ms, p_window_ms) order by k.ordinality)
    into allowed, remaining, reset_ms
    from unnest(p_keys) with ordinality as k (key) left join added a on a.key = k.key;
  end if;
end
$$;

create or replace function formd.rate_limit_take(p_key text, p_limit integer, p_window_ms integer,
  out allowed boolean, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off as $$
-- Counts one request for a key, as formd.rate_limit_count does, for a caller outside of formd's functions.
-- Route: POST /console/login; /f/{alias}; GET /papi/v1/auth/altcha; POST /papi/v1/auth/anonymous (ALTCHA);
--   GET /console/sign-in/{connection_id}/callback, POST /console/sign-in/{connection_id}/logout
-- Writes: what rate_limit_count writes
begin
  select c.allowed, c.remaining, c.reset_ms into allowed, remaining, reset_ms
  from formd.rate_limit_count(p_key, p_limit, p_window_ms) as c;
end
$$;

create or replace function formd.rate_limit_lock(p_key text) returns void
language plpgsql volatile as $$
-- Locks a key before anything is counted for it.
-- Writes: rate_limits
-- Locks: the key, until the transaction ends
-- Index: rate_limits_pkey
-- Why: "on conflict do update" locks the row, also where its condition is false.
begin
  insert into formd.rate_limits as r (key, times, counts, expires_at) values (p_key, '{}', '{}', 'epoch')
  on conflict (key) do update set expires_at = r.expires_at where false;
end
$$;

create or replace function formd.rate_limit_refund(p_key text) returns void
language plpgsql volatile as $$
-- Uncounts the last request of a key: when another rate limit rejects it (a 429 counts nowhere), or when only
-- failures count and it was none.
-- Writes: rate_limits
-- Locks: the key
-- Index: rate_limits_pkey
declare
  v_times bigint[];
  v_counts integer[];
  v_last integer;
begin
  select r.times, r.counts into v_times, v_counts from formd.rate_limits r where r.key = p_key for update;
  v_last := cardinality(v_counts);
  if coalesce(v_last, 0) = 0 then
    return;
  end if;
  if v_counts[v_last] > 1 then
    v_counts[v_last] := v_counts[v_last] - 1;
  else
    v_times := v_times[:v_last - 1];
    v_counts := v_counts[:v_last - 1];
  end if;
  update formd.rate_limits r set times = v_times, counts = v_counts where r.key = p_key;
end
$$;
