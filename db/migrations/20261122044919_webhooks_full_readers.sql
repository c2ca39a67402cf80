-- migrate:up
-- Locks: none.

-- A full payload needs submissions:read. A webhook that an API key without it made or changed earlier sends ids from now on.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  update formd.webhooks w set payload = 'thin'
  where w.payload = 'full' and exists (
    select from formd.audit_events e
    join formd.api_keys k on k.team_id = e.team_id and k.id = e.actor_id
    where e.team_id = w.team_id and e.object_id = w.id and e.kind in ('webhook.created', 'webhook.changed')
      and e.actor_type = 'api_key' and 'submissions:read' <> all (k.scopes));
end $$;
