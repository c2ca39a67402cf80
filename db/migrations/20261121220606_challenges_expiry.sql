-- migrate:up transaction:false
-- Locks: share update exclusive on challenges.

create index concurrently challenges_expiry_idx on formd.challenges ((expires_at at time zone 'UTC'));
