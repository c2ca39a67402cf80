-- migrate:up
-- Fault: locks
-- Locks: none.
alter table formd.submissions add column source text;
