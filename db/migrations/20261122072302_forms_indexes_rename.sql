-- migrate:up
-- Locks: none.

alter index formd.forms_workspace_idx rename to forms_workspace_old_idx;
