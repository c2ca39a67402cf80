-- migrate:up
-- Locks: access exclusive on grants.

-- squawk-ignore-file require-concurrent-index-deletion
drop index if exists formd.grants_form_old_idx;
