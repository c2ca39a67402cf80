-- migrate:up
-- Locks: none.

-- An index whose predicate says that one of its columns is not null can only be taken by a statement that names that column. On a table of
-- one row all indexes cost the same, and a look-up by the primary key that took another one walked the team's rows once there were many.
-- Each is renamed, built anew beside the traffic (20261122102901 and later) and dropped, as those of the next four tables.
--
-- Changed after its first day on main, before any release: it built the indexes itself, while requests waited (1 s per 150,000 agents).
-- Where it ran like that, the later migrations find the new indexes and no old ones.

do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter index formd.agents_client_id_key rename to agents_client_id_old_key;
  alter index formd.agents_secret_key rename to agents_secret_old_key;
  alter index formd.agents_workspace_idx rename to agents_workspace_old_idx;
end $$;
