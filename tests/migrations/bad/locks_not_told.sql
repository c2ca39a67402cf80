-- migrate:up
-- Fault: locks
alter table formd.forms add column source text;
