-- Master keys: which one the servers of this database have. No key is stored in clear.

create or replace function formd.master_key_use(p_fingerprints text[], p_accepts_new boolean)
returns table (fingerprint text, state text, sealed bytea)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the keys that this database was used with. The first use records the first of p_fingerprints; with
-- p_accepts_new it replaces a current one that is not among them, which is lost without a sealed copy.
-- Route: none: each start of a server with a master key
-- Writes: master_keys
-- Locks: the table, so that of two servers that start at once with different keys one is refused
-- Index: none: a handful of rows
-- Why: sealed copies stay, since the server's login alone can name any key as the new one.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_current text;
begin
  lock table formd.master_keys in share row exclusive mode;
  select k.fingerprint into v_current from formd.master_keys k where k.state = 'current';
  if v_current is null or (p_accepts_new and v_current <> all (p_fingerprints)) then
    update formd.master_keys k set state = case when k.sealed is null then 'lost' else 'sealed' end
    where k.state = 'current';
    insert into formd.master_keys as k (fingerprint, state, created_at)
    values (p_fingerprints[1], 'current', v_now)
    on conflict on constraint master_keys_pkey do update set state = 'current';
  end if;
  return query select k.fingerprint, k.state, k.sealed from formd.master_keys k
    order by k.created_at, k.fingerprint;
end
$$;

create or replace function formd.master_key_rotate(p_current text, p_fingerprints text[], p_sealed text[])
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Makes p_current the current key, and records the others as sealed by it, all at once. p_sealed: base64.
-- Route: none: formd secret rotate
-- Writes: master_keys
-- Locks: the table, as master_key_use
-- Index: none: a handful of rows
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  lock table formd.master_keys in share row exclusive mode;
  insert into formd.master_keys as k (fingerprint, state, sealed, created_at)
  select s.fingerprint, 'sealed', decode(s.sealed, 'base64'), v_now
    from unnest(p_fingerprints, p_sealed) as s (fingerprint, sealed)
  on conflict on constraint master_keys_pkey do update set state = 'sealed', sealed = excluded.sealed;
  insert into formd.master_keys as k (fingerprint, state, created_at) values (p_current, 'current', v_now)
  on conflict on constraint master_keys_pkey do update set state = 'current', sealed = null;
end
$$;
