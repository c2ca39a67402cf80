-- migrate:up transaction:false
-- Locks: share update exclusive on sessions.

-- For formd.expired_purge. On an expression, since the planner could take an index on the column itself for a look-up by key that also asks
-- for expires_at: while a table is one page, all its indexes cost the same, and a server keeps the plan while the table grows.
-- Built beside the traffic; if it breaks off, run formd migrate again, which drops what is left of it. So for the next ones.
create index concurrently sessions_expiry_idx on formd.sessions ((expires_at at time zone 'UTC'));
