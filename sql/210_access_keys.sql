create or replace function formd.access_key_create(
  p_team uuid, p_form uuid, p_id uuid, p_prefix text, p_hash bytea) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Adds an access key to a form, which may have several, so that one can be replaced without a gap.
-- Route: formd access-key create
-- Reads: forms
-- Writes: form_access_keys
-- Raises: not_found
-- Index: forms_pkey
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  end if;
  insert into formd.form_access_keys (team_id, form_id, id, key_prefix, key_hash, created_at)
  values (p_team, p_form, p_id, p_prefix, p_hash, formd.uuid_time(p_id));
end
$$;

create or replace function formd.access_key_revoke(p_team uuid, p_form uuid, p_id uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Revokes an access key. Idempotent.
-- Route: formd access-key revoke
-- Writes: form_access_keys
-- Locks: the key's row
-- Raises: not_found
-- Index: form_access_keys_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform from formd.form_access_keys k
  where k.team_id = p_team and k.form_id = p_form and k.id = p_id for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such access key.');
  end if;
  update formd.form_access_keys k set revoked_at = v_now
  where k.team_id = p_team and k.form_id = p_form and k.id = p_id and k.revoked_at is null;
end
$$;
