-- migrate:up transaction:false
-- Locks: share update exclusive on audit_events.

-- For the filter by kind: a rare kind is found without reading all events of the team.
-- Built beside the traffic; if it breaks off, "drop index formd.audit_events_kind_idx" and run formd migrate again.
create index concurrently audit_events_kind_idx on formd.audit_events (team_id, kind, id);
