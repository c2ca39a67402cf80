-- migrate:up transaction:false
-- Locks: share update exclusive on submission_edits.

create index concurrently submission_edits_key_idx on formd.submission_edits (api_key_id, team_id) where api_key_id is not null;
