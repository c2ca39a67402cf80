-- migrate:up transaction:false

-- Found one key's expired nonces, which are no longer deleted key by key.
drop index concurrently formd.nonces_expires_idx;
