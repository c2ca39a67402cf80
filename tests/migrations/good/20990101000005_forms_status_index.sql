-- migrate:up transaction:false
-- Locks: share update exclusive on forms.
create index concurrently forms_status_idx on formd.forms (status, team_id, id);
