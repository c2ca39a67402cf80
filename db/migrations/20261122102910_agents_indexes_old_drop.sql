-- migrate:up
-- Locks: access exclusive on agents.

-- squawk-ignore-file require-concurrent-index-deletion
-- A drop takes a moment, and formd migrate waits 0.05 s for its lock.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.agents drop constraint if exists agents_client_id_old_key;
  alter table formd.agents drop constraint if exists agents_secret_old_key;
  drop index if exists formd.agents_workspace_old_idx;
end $$;
