-- migrate:up
-- Locks: none.

alter index formd.submissions_status_idx rename to submissions_status_old_idx;
