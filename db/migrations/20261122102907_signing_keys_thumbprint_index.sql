-- migrate:up transaction:false
-- Locks: share update exclusive on signing_keys.

create index concurrently if not exists signing_keys_thumbprint_idx
  on formd.signing_keys (team_id, thumbprint) where thumbprint is not null;
