-- migrate:up transaction:false
-- Locks: share update exclusive on agents.

create index concurrently if not exists agents_workspace_idx
  on formd.agents (workspace_id, team_id, id) where workspace_id is not null;
