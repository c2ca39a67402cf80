-- migrate:up
-- Locks: none.

do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter index formd.challenges_agent_idx rename to challenges_agent_old_idx;
  alter index formd.challenges_version_idx rename to challenges_version_old_idx;
end $$;
