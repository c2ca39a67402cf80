-- migrate:up
-- Locks: access exclusive on operator_sessions.

-- squawk-ignore-file require-concurrent-index-creation
-- Of a table with a row per person who is signed in: built in a moment.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.operator_sessions drop constraint operator_sessions_token_key;
  create unique index operator_sessions_token_key on formd.operator_sessions (team_id, token_hash) where token_hash is not null;
end $$;
