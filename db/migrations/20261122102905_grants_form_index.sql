-- migrate:up transaction:false
-- Locks: share update exclusive on grants.

create index concurrently if not exists grants_form_idx
  on formd.grants (form_id, team_id, agent_id) where form_id is not null;
