-- migrate:up

-- The service reads what is not secret, by column where a table holds a hash, and writes nothing: writing is what the
-- functions of sql/ are for. (formd_app gets no privilege on a table that is not named here.)
grant usage on schema formd to formd_app;
grant select on formd.schema_migrations to formd_app;

grant select on
  formd.teams,
  formd.workspaces,
  formd.workspace_roles,
  formd.forms,
  formd.form_versions,
  formd.grants,
  formd.signing_keys,
  formd.challenges,
  formd.challenge_passes,
  formd.submissions,
  formd.submission_counts,
  formd.submission_edits,
  formd.submission_erasures
to formd_app;

grant select (id, email, created_at) on formd.operators to formd_app;
grant select (team_id, id, operator_id, created_at, seen_at, expires_at) on formd.operator_sessions to formd_app;
grant select (team_id, id, name, scopes, key_prefix, created_at, last_used_at, revoked_at) on formd.api_keys to formd_app;
grant select (team_id, form_id, id, key_prefix, created_at, revoked_at) on formd.form_access_keys to formd_app;
grant select (team_id, id, workspace_id, client_id, name, status, secret_prefix, created_at, updated_at, disabled_at, revoked_at)
  on formd.agents to formd_app;
grant select (team_id, id, kind, agent_id, form_id, created_at, expires_at) on formd.sessions to formd_app;

-- migrate:down

revoke all on all tables in schema formd from formd_app;
revoke usage on schema formd from formd_app;
