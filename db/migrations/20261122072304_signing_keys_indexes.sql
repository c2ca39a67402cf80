-- migrate:up
-- Locks: access exclusive on signing_keys.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  drop index formd.signing_keys_agent_idx;
  create index signing_keys_agent_idx on formd.signing_keys (agent_id, team_id) where agent_id is not null;
  drop index formd.signing_keys_thumbprint_idx;
  create index signing_keys_thumbprint_idx on formd.signing_keys (team_id, thumbprint) where thumbprint is not null;
end $$;
