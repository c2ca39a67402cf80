-- migrate:up
-- Locks: access exclusive on api_keys.

-- The scope webhooks:manage. The table has a row per API key: it is read in a moment.
-- squawk-ignore-file constraint-missing-not-valid
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.api_keys drop constraint api_keys_scopes_check;
  alter table formd.api_keys add constraint api_keys_scopes_check check (cardinality(scopes) > 0 and scopes <@ array['forms:read',
    'forms:write', 'submissions:read', 'submissions:update', 'submissions:delete', 'submissions:write', 'webhooks:manage']);
end
$$;
