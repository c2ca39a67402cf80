-- Rate limits: a maximum of requests per key in any span of a window. All instances count in one table.

create or replace function formd.rate_limit_take(p_bucket text, p_limit integer, p_window_ms integer,
  out allowed boolean, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off as $$
-- Counts one request for a key (p_bucket), unless p_limit requests were counted in the last p_window_ms. A rejected
-- request is not counted. Returns how many are left, and the milliseconds until one more is free.
-- Writes: rate_limits
-- Locks: the key, until the transaction ends: of two requests at once the second sees the first
-- Index: rate_limits_pkey
-- Why: up to c_max_times a window, each request has a time of its own, exact to the microsecond. Beyond that,
--   requests share times that are a c_max_times-th of the window apart, each counted at the end of its part:
--   one more is free that much later, never earlier, and the row stays under 4 kB.
declare
  c_max_times constant integer := 256;
  c_us_per_ms constant bigint := 1000;
  c_us_per_s constant numeric := 1000000;
  v_window bigint := p_window_ms * c_us_per_ms;
  v_step bigint := case when p_limit <= c_max_times then 1 else v_window / c_max_times end;
  v_times bigint[];
  v_counts integer[];
  v_now bigint;
  v_time bigint;
  v_used integer := 0;
  v_first integer := 1;
begin
  loop
    select r.ticks, r.hits into v_times, v_counts from formd.rate_limits r where r.bucket = p_bucket for update;
    exit when found;
    v_now := extract(epoch from clock_timestamp()) * c_us_per_s;
    v_time := (v_now + v_step - 1) / v_step * v_step;
    insert into formd.rate_limits (bucket, ticks, hits, expires_at)
    values (p_bucket, array[v_time], array[1], to_timestamp((v_time + v_window) / c_us_per_s))
    on conflict (bucket) do nothing;
    if found then
      allowed := true;
      remaining := p_limit - 1;
      reset_ms := p_window_ms;
      return;
    end if;
  end loop;

  -- After the lock, so that times ascend; a clock that was set back stays at the last time.
  v_now := greatest((extract(epoch from clock_timestamp()) * c_us_per_s)::bigint,
                    coalesce(v_times[cardinality(v_times)], 0) - v_step + 1);
  v_time := (v_now + v_step - 1) / v_step * v_step;

  while v_first <= cardinality(v_times) and v_times[v_first] <= v_now - v_window loop
    v_first := v_first + 1;
  end loop;
  if v_first > 1 then
    v_times := v_times[v_first:];
    v_counts := v_counts[v_first:];
  end if;
  if p_limit <= c_max_times and cardinality(v_times) <= 1 then
    v_used := coalesce(v_counts[1], 0);
  else
    v_used := coalesce((select sum(count) from unnest(v_counts) as count), 0);
  end if;

  allowed := v_used < p_limit;
  if allowed then
    if v_times[cardinality(v_times)] = v_time then
      v_counts[cardinality(v_counts)] := v_counts[cardinality(v_counts)] + 1;
    else
      v_times := v_times || v_time;
      v_counts := v_counts || 1;
    end if;
    v_used := v_used + 1;
    update formd.rate_limits r
    set ticks = v_times, hits = v_counts, expires_at = to_timestamp((v_time + v_window) / c_us_per_s)
    where r.bucket = p_bucket;
  end if;

  remaining := greatest(p_limit - v_used, 0);
  reset_ms := greatest((v_times[1] + v_window - v_now + c_us_per_ms - 1) / c_us_per_ms, 1);
end
$$;

create or replace function formd.rate_limit_refund(p_key text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Uncounts the last request of a key, when another rate limit rejects it: a 429 counts nowhere. After
-- rate_limit_take in the same transaction.
-- Writes: rate_limits
-- Locks: the key, which rate_limit_take has locked
-- Index: rate_limits_pkey
declare
  v_times bigint[];
  v_counts integer[];
  v_last integer;
begin
  select r.ticks, r.hits into v_times, v_counts from formd.rate_limits r where r.bucket = p_key for update;
  v_last := cardinality(v_counts);
  if v_counts[v_last] > 1 then
    v_counts[v_last] := v_counts[v_last] - 1;
  else
    v_times := v_times[:v_last - 1];
    v_counts := v_counts[:v_last - 1];
  end if;
  update formd.rate_limits r set ticks = v_times, hits = v_counts where r.bucket = p_key;
end
$$;
