-- migrate:up transaction:false

create index concurrently nonces_expiry_idx on formd.nonces ((expires_at at time zone 'UTC'));
