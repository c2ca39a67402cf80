-- migrate:up transaction:false

drop index concurrently formd.idempotency_keys_expires_idx;
