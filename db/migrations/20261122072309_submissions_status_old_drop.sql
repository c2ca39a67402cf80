-- migrate:up transaction:false
-- Locks: share update exclusive on submissions.

drop index concurrently formd.submissions_status_old_idx;
