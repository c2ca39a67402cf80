-- migrate:up transaction:false
-- Locks: share update exclusive on challenges.

create index concurrently if not exists challenges_version_idx
  on formd.challenges (form_version, form_id, team_id) where form_version is not null;
