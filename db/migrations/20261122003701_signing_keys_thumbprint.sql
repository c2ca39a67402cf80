-- migrate:up
-- Locks: access exclusive on signing_keys.

do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  -- Null until formd migrate loads the functions, which fill it for the keys that exist.
  alter table formd.signing_keys
    add column thumbprint text constraint signing_keys_thumbprint_check check (char_length(thumbprint) <= 100);
  comment on column formd.signing_keys.thumbprint is
    'JWK SHA-256 thumbprint (RFC 7638, RFC 8037) of the public key, by which a request of Web Bot Auth names it.';
end
$$;
