-- migrate:up transaction:false
-- Locks: share update exclusive on forms.

create index concurrently if not exists forms_workspace_idx
  on formd.forms (workspace_id, team_id, id) where workspace_id is not null;
