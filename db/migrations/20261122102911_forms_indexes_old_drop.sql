-- migrate:up
-- Locks: access exclusive on forms.

-- squawk-ignore-file require-concurrent-index-deletion
drop index if exists formd.forms_workspace_old_idx;
