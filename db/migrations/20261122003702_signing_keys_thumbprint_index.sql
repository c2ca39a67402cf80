-- migrate:up transaction:false
-- Locks: share update exclusive on signing_keys.

-- Not unique: two PEM texts of one key have one thumbprint, and an agent may have registered both.
-- Built beside the traffic; if it breaks off, "drop index formd.signing_keys_thumbprint_idx" and run formd migrate again.
create index concurrently signing_keys_thumbprint_idx on formd.signing_keys (team_id, thumbprint);
