-- migrate:up
-- Locks: access exclusive on agents.

-- An index whose predicate says that one of its columns is not null can only be taken by a statement that names that column. On a table of
-- one row all indexes cost the same, and a look-up by the primary key that took another one walked the team's rows once there were many.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.agents drop constraint agents_client_id_key;
  create unique index agents_client_id_key on formd.agents (team_id, client_id) where client_id is not null;
  alter table formd.agents drop constraint agents_secret_key;
  create unique index agents_secret_key on formd.agents (team_id, secret_hash) where secret_hash is not null;
  drop index formd.agents_workspace_idx;
  create index agents_workspace_idx on formd.agents (workspace_id, team_id, id) where workspace_id is not null;
end $$;
