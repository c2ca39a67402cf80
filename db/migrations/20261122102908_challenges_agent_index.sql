-- migrate:up transaction:false
-- Locks: share update exclusive on challenges.

create index concurrently if not exists challenges_agent_idx
  on formd.challenges (agent_id, team_id, form_id, expires_at) where agent_id is not null;
