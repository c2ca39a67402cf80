-- migrate:up
-- Fault: squawk
-- Locks: access exclusive on submissions.
alter table formd.submissions alter column review_reason type varchar(100);
