-- migrate:up
-- Locks: access exclusive on signing_keys.

-- squawk-ignore-file require-concurrent-index-deletion
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  drop index if exists formd.signing_keys_agent_old_idx;
  drop index if exists formd.signing_keys_thumbprint_old_idx;
end $$;
