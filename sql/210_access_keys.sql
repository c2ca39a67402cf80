create or replace function formd.access_key_create(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid,
  p_prefix text, p_hash bytea, p_expires_at timestamptz default null) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Adds an access key to a form, which may have several, so that one can be replaced without a gap.
-- p_expires_at null: it never ends.
-- Route: formd access-key create, the console
-- Writes: form_access_keys, what audit_record writes
-- Raises: not_found, insufficient_workspace_role (least role: admin)
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'admin');
  insert into formd.form_access_keys (team_id, form_id, id, key_prefix, key_hash, created_at, expires_at)
  values (p_team, p_form, p_id, p_prefix, p_hash, formd.uuid_time(p_id), p_expires_at);
  perform formd.audit_record(p_team, p_actor, 'access_key.created', p_form, p_id,
    jsonb_build_object('expiresAt', formd.timestamp_text(p_expires_at)));
end
$$;

create or replace function formd.access_key_revoke(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Revokes an access key. Idempotent.
-- Route: formd access-key revoke, the console
-- Writes: form_access_keys, what audit_record writes
-- Locks: the key's row
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: form_access_keys_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'admin');
  perform from formd.form_access_keys k
  where k.team_id = p_team and k.form_id = p_form and k.id = p_id for update;
  if not found then
    perform formd.raise_problem('not_found', 'access_key_missing');
  end if;
  update formd.form_access_keys k set revoked_at = v_now
  where k.team_id = p_team and k.form_id = p_form and k.id = p_id and k.revoked_at is null;
  if found then
    perform formd.audit_record(p_team, p_actor, 'access_key.revoked', p_form, p_id, '{}');
  end if;
end
$$;

create or replace function formd.access_key_list(p_team uuid, p_form uuid, p_limit integer, p_offset bigint,
  p_max_counted integer)
returns table (total integer, id uuid, prefix text, created_at timestamptz, last_used_at timestamptz,
  expires_at timestamptz, revoked_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- A page of a form's access keys, newest first; one row with the total alone when the page is empty.
-- Route: formd access-key list, the console
-- Reads: form_access_keys
-- Index: form_access_keys_pkey, backwards
-- Why: no counter has the number of keys: at most p_max_counted are counted from the page's first one on.
begin
  select count(*) into total from (
    select from formd.form_access_keys k where k.team_id = p_team and k.form_id = p_form
    order by k.id desc limit p_offset + p_max_counted) counted;
  return query
  select access_key_list.total, k.id, k.key_prefix, k.created_at::timestamptz, k.last_used_at::timestamptz,
    k.expires_at::timestamptz, k.revoked_at::timestamptz
  from formd.form_access_keys k where k.team_id = p_team and k.form_id = p_form
  order by k.id desc limit p_limit offset p_offset;
  if not found then
    return next;
  end if;
end
$$;
