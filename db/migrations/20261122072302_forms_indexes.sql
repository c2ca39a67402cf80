-- migrate:up
-- Locks: access exclusive on forms.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  drop index formd.forms_workspace_idx;
  create index forms_workspace_idx on formd.forms (workspace_id, team_id, id) where workspace_id is not null;
end $$;
