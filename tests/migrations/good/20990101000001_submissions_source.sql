-- migrate:up
-- Locks: access exclusive on submissions.

-- A constant default rewrites nothing.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.submissions add column source text not null default 'was there before';
end $$;
