-- migrate:up transaction:false

create index concurrently challenges_expiry_idx on formd.challenges ((expires_at at time zone 'UTC'));
