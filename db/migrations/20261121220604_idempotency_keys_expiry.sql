-- migrate:up transaction:false
-- Locks: share update exclusive on idempotency_keys.

create index concurrently idempotency_keys_expiry_idx on formd.idempotency_keys ((expires_at at time zone 'UTC'));
