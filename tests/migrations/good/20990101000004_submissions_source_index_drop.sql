-- migrate:up transaction:false
-- Locks: access exclusive on submissions.
drop index concurrently formd.submissions_source_idx;
