-- migrate:up transaction:false
-- Locks: share update exclusive on submissions.
create index concurrently submissions_source_idx on formd.submissions (source, team_id, form_id, id);
