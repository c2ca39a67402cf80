-- migrate:up transaction:false
-- Locks: share update exclusive on signing_keys.

create index concurrently if not exists signing_keys_agent_idx
  on formd.signing_keys (agent_id, team_id) where agent_id is not null;
