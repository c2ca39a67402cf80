-- migrate:up transaction:false
-- Locks: share update exclusive on idempotency_keys.

drop index concurrently formd.idempotency_keys_expires_idx;
