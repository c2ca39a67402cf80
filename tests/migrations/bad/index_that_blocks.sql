-- migrate:up
-- Fault: squawk
-- Locks: share on submissions.
create index submissions_review_idx on formd.submissions (team_id, form_id, review_decision);
