-- migrate:up
-- Locks: access exclusive on operator_sessions.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.operator_sessions drop constraint operator_sessions_token_key;
  create unique index operator_sessions_token_key on formd.operator_sessions (team_id, token_hash) where token_hash is not null;
end $$;
