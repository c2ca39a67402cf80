-- migrate:up transaction:false
-- Fault: again
-- Locks: share update exclusive on submissions, forms.
create index concurrently submissions_review_idx on formd.submissions (review_decision);
create index concurrently forms_name_idx on formd.forms (name);
