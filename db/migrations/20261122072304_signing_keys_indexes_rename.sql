-- migrate:up
-- Locks: none.

do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter index formd.signing_keys_agent_idx rename to signing_keys_agent_old_idx;
  alter index formd.signing_keys_thumbprint_idx rename to signing_keys_thumbprint_old_idx;
end $$;
