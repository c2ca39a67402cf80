-- migrate:up transaction:false
-- Locks: share update exclusive on nonces.

create index concurrently nonces_expiry_idx on formd.nonces ((expires_at at time zone 'UTC'));
