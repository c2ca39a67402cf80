-- migrate:up transaction:false
-- Locks: share update exclusive on nonces.

-- Found one key's expired nonces, which are no longer deleted key by key.
drop index concurrently formd.nonces_expires_idx;
