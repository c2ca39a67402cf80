-- migrate:up transaction:false
-- Fault: again
-- Locks: access exclusive on submissions.
alter table formd.submissions add column source text;
