-- migrate:up transaction:false
-- Locks: share update exclusive on audit_events.

-- For the filter by actor. Partial: acts at a terminal and of the server itself have none.
-- Built beside the traffic; if it breaks off, "drop index formd.audit_events_actor_idx" and run formd migrate again.
create index concurrently audit_events_actor_idx on formd.audit_events (team_id, actor_id, id)
  where actor_id is not null;
