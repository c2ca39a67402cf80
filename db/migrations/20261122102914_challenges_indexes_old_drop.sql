-- migrate:up
-- Locks: access exclusive on challenges.

-- squawk-ignore-file require-concurrent-index-deletion
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  drop index if exists formd.challenges_agent_old_idx;
  drop index if exists formd.challenges_version_old_idx;
end $$;
