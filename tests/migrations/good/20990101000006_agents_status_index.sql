-- migrate:up transaction:false
-- Locks: share update exclusive on agents.
create index concurrently agents_status_idx on formd.agents (status, team_id, id);
