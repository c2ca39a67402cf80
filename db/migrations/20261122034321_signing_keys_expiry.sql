-- migrate:up transaction:false
-- Locks: share update exclusive on signing_keys.

-- For the metric of keys that expire soon, which every server samples each minute. Partial: most keys do not expire, and do not pay for it.
-- Built beside the traffic; if it breaks off, "drop index formd.signing_keys_expiry_idx" and run formd migrate again.
create index concurrently signing_keys_expiry_idx on formd.signing_keys ((expires_at at time zone 'UTC'))
  where status = 'active' and expires_at is not null;
