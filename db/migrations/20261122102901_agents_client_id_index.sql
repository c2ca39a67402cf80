-- migrate:up transaction:false
-- Locks: share update exclusive on agents.

-- Built beside the traffic, while the renamed index serves. So for the next ones.
create unique index concurrently if not exists agents_client_id_key
  on formd.agents (team_id, client_id) where client_id is not null;
