-- migrate:up transaction:false
-- Locks: share update exclusive on submissions.

-- The queue of submissions that wait for review. Partial, so that other submissions do not pay for it.
-- Built beside the traffic; if it breaks off, "drop index formd.submissions_review_open_idx" and run formd migrate again.
create index concurrently submissions_review_open_idx on formd.submissions (team_id, form_id, id)
  where status = 'pending' and review_decision is null;
