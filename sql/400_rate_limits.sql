create or replace function formd.rate_limit_take(p_bucket text, p_limit integer, p_window_ms integer,
  out allowed boolean, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Counts one request in a bucket, if there is room: never more than p_limit in any span of p_window_ms.
-- Returns whether there was, how many are left now, and in how many milliseconds the next place comes free.
-- Locks the bucket's row until the transaction ends: of two that come at once, the second sees the first.
-- A refused request is not counted. Reached by rate_limits_pkey.
--
-- The log of hits is exact to the microsecond up to 256 a window. Beyond that, hits share ticks of a 256th of the window, each
-- counted at the end of its tick: a place comes free that much later, never earlier, and the row stays under 4 kB.
declare
  v_window bigint := p_window_ms * 1000::bigint;
  v_quantum bigint := case when p_limit <= 256 then 1 else v_window / 256 end;
  v_ticks bigint[];
  v_hits integer[];
  v_now bigint;
  v_tick bigint;
  v_used integer := 0;
  v_first integer := 1;
begin
  loop
    select r.ticks, r.hits into v_ticks, v_hits from formd.rate_limits r where r.bucket = p_bucket for update;
    exit when found;
    -- The first request of a bucket is its own answer.
    v_now := extract(epoch from clock_timestamp()) * 1000000;
    v_tick := (v_now + v_quantum - 1) / v_quantum * v_quantum;
    insert into formd.rate_limits (bucket, ticks, hits, expires_at)
    values (p_bucket, array[v_tick], array[1], to_timestamp((v_tick + v_window) / 1000000.0))
    on conflict (bucket) do nothing;
    if found then
      allowed := true;
      remaining := p_limit - 1;
      reset_ms := p_window_ms;
      return;
    end if;
  end loop;

  -- After the lock, so that ticks ascend; a clock that was set back waits at the last tick.
  v_now := greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint,
                    coalesce(v_ticks[cardinality(v_ticks)], 0) - v_quantum + 1);
  v_tick := (v_now + v_quantum - 1) / v_quantum * v_quantum;

  while v_first <= cardinality(v_ticks) and v_ticks[v_first] <= v_now - v_window loop
    v_first := v_first + 1;
  end loop;
  if v_first > 1 then
    v_ticks := v_ticks[v_first:];
    v_hits := v_hits[v_first:];
  end if;
  if p_limit <= 256 and cardinality(v_ticks) <= 1 then
    v_used := coalesce(v_hits[1], 0);
  else
    v_used := coalesce((select sum(h) from unnest(v_hits) as h), 0);
  end if;

  allowed := v_used < p_limit;
  if allowed then
    if v_ticks[cardinality(v_ticks)] = v_tick then
      v_hits[cardinality(v_hits)] := v_hits[cardinality(v_hits)] + 1;
    else
      v_ticks := v_ticks || v_tick;
      v_hits := v_hits || 1;
    end if;
    v_used := v_used + 1;
    update formd.rate_limits r
    set ticks = v_ticks, hits = v_hits, expires_at = to_timestamp((v_tick + v_window) / 1000000.0)
    where r.bucket = p_bucket;
  end if;

  remaining := greatest(p_limit - v_used, 0);
  reset_ms := greatest((v_ticks[1] + v_window - v_now + 999) / 1000, 1);
end
$$;

create or replace function formd.rate_limit_return(p_bucket text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Takes back the last hit of a bucket, for a request that another throttle refuses: what is answered 429 counts nowhere.
-- Only after rate_limit_take in the same transaction, which holds the row's lock.
declare
  v_ticks bigint[];
  v_hits integer[];
  v_last integer;
begin
  select r.ticks, r.hits into v_ticks, v_hits from formd.rate_limits r where r.bucket = p_bucket for update;
  v_last := cardinality(v_hits);
  if v_hits[v_last] > 1 then
    v_hits[v_last] := v_hits[v_last] - 1;
  else
    v_ticks := v_ticks[:v_last - 1];
    v_hits := v_hits[:v_last - 1];
  end if;
  update formd.rate_limits r set ticks = v_ticks, hits = v_hits where r.bucket = p_bucket;
end
$$;
