-- migrate:up
-- Locks: none.

-- The next migration builds one under this name.
alter index formd.submissions_status_idx rename to submissions_status_old_idx;
