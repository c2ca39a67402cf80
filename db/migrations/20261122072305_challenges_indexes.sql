-- migrate:up
-- Locks: access exclusive on challenges.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  drop index formd.challenges_agent_idx;
  create index challenges_agent_idx on formd.challenges (agent_id, team_id, form_id, expires_at) where agent_id is not null;
  drop index formd.challenges_version_idx;
  create index challenges_version_idx on formd.challenges (form_version, form_id, team_id) where form_version is not null;
end $$;
