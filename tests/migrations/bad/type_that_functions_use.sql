-- migrate:up
-- Fault: type
-- Locks: none.
alter type formd.submission_row add attribute source text;
