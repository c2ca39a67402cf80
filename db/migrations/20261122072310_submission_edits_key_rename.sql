-- migrate:up
-- Locks: none.

alter index formd.submission_edits_key_idx rename to submission_edits_key_old_idx;
