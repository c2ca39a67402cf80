-- migrate:up transaction:false
-- Locks: share update exclusive on submissions.

-- Built beside the traffic; if it breaks off, "drop index formd.submissions_review_rejected_idx" and run formd migrate again.
create index concurrently submissions_review_rejected_idx on formd.submissions (team_id, form_id, id)
  where status = 'pending' and review_decision = 'rejected';
