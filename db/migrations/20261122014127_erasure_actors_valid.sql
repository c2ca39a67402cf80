-- migrate:up
-- Locks: share update exclusive on submission_erasures.

do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.submission_erasures validate constraint submission_erasures_actor_type_check;
  alter table formd.submission_erasures validate constraint submission_erasures_actor_id_check;
end
$$;
