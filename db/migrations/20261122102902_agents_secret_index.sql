-- migrate:up transaction:false
-- Locks: share update exclusive on agents.

create unique index concurrently if not exists agents_secret_key
  on formd.agents (team_id, secret_hash) where secret_hash is not null;
