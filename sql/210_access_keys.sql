create or replace function formd.access_key_create(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid, p_prefix text, p_hash bytea)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Adds an access key to a form, which may have several, so that one can be replaced without a gap.
-- Route: formd access-key create, the console
-- Writes: form_access_keys, audit_events
-- Raises: not_found, insufficient_workspace_role (least role: admin)
begin
  perform formd.form_require_role(p_team => p_team, p_actor => p_actor, p_form => p_form, p_role => 'admin');
  insert into formd.form_access_keys (team_id, form_id, id, key_prefix, key_hash, created_at)
  values (p_team, p_form, p_id, p_prefix, p_hash, formd.uuid_time(p_id));
  perform formd.audit_record(p_team, p_actor, 'access_key.created', p_form, p_id, '{}');
end
$$;

create or replace function formd.access_key_revoke(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Revokes an access key. Idempotent.
-- Route: formd access-key revoke, the console
-- Writes: form_access_keys, audit_events
-- Locks: the key's row
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: form_access_keys_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform formd.form_require_role(p_team => p_team, p_actor => p_actor, p_form => p_form, p_role => 'admin');
  perform from formd.form_access_keys k
  where k.team_id = p_team and k.form_id = p_form and k.id = p_id for update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such access key.');
  end if;
  update formd.form_access_keys k set revoked_at = v_now
  where k.team_id = p_team and k.form_id = p_form and k.id = p_id and k.revoked_at is null;
  if found then
    perform formd.audit_record(p_team, p_actor, 'access_key.revoked', p_form, p_id, '{}');
  end if;
end
$$;
