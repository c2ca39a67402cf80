-- migrate:up
-- Locks: access exclusive on grants.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  drop index formd.grants_form_idx;
  create index grants_form_idx on formd.grants (form_id, team_id, agent_id) where form_id is not null;
end $$;
