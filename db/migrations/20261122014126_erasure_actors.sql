-- migrate:up
-- Locks: access exclusive on submission_erasures.

-- formd erase deletes as the command line, which has no id. Checked when a row is written; every present row satisfies it, and the table
-- the next migration proves it without the lock.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.submission_erasures
    drop constraint submission_erasures_actor_type_check,
    drop constraint submission_erasures_actor_id_check,
    add constraint submission_erasures_actor_type_check check (actor_type in ('operator', 'api_key', 'cli')) not valid,
    add constraint submission_erasures_actor_id_check
      check (actor_type = 'cli' or actor_id is not null or api_key_id is not null) not valid;
end
$$;
