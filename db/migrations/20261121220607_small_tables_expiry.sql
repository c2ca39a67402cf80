-- migrate:up
-- Locks: share on challenge_passes, operator_sessions.

-- Of tables with a row per person at work and per agent: built in a moment.
-- squawk-ignore-file require-concurrent-index-creation
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  create index operator_sessions_expiry_idx on formd.operator_sessions ((expires_at at time zone 'UTC'));
  create index challenge_passes_expiry_idx on formd.challenge_passes ((expires_at at time zone 'UTC'));
end
$$;
