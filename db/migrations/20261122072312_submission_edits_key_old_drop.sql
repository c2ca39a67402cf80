-- migrate:up transaction:false
-- Locks: share update exclusive on submission_edits.

drop index concurrently formd.submission_edits_key_old_idx;
