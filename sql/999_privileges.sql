-- Who may call and read what. Begins by taking every right away, so that an upgraded database ends with the
-- rights of a fresh one.
--
-- The owner runs the migrations and owns all objects. Two groups without login:
-- formd_app is for the server's login: the functions that a route calls, and what is not secret. It writes no
--   table and reads no hash.
-- formd_admin is for the login of an administrator who is not the owner: the functions that only commands call.
--   That login is a member of both.
-- formd_report, which an installation may have, is for logins that count and read no stored value.
-- Functions that are not listed here are called by listed ones, with the owner's rights.

revoke all on all functions in schema formd from public, formd_app, formd_admin;
revoke all on all tables in schema formd from public, formd_app, formd_admin; -- of columns as well
revoke all on schema formd from public, formd_app, formd_admin;

-- Who can make temporary objects, or objects in public, can shadow what others name without a schema.
-- Functions of formd are safe by their search_path; this protects what else runs in the database. Only its
-- owner can: formd migrate says so if that is another role.
do $$
begin
  execute format('revoke temporary on database %I from public', current_database());
  revoke create on schema public from public;
exception
  when insufficient_privilege or invalid_schema_name then
    null;
end
$$;

grant usage on schema formd to formd_app, formd_admin;

grant execute on function
  formd.access_key_list,
  formd.agent_create,
  formd.agent_delete,
  formd.agent_get,
  formd.agent_list,
  formd.agent_rotate_secret,
  formd.agent_session_create,
  formd.anonymous_session_create,
  formd.api_key_authenticate,
  formd.api_key_list,
  formd.audit_list,
  formd.challenge_create,
  formd.challenge_respond,
  formd.console_form_counts,
  formd.console_form_list,
  formd.console_operator_read,
  formd.credential_cross_tenant,
  formd.daily_counts_add,
  formd.expired_purge,
  formd.form_alias_find,
  formd.form_list,
  formd.form_page_read,
  formd.form_version_schema,
  formd.forms_read,
  formd.grant_list,
  formd.grant_remove,
  formd.grant_upsert,
  formd.mcp_agent_forms,
  formd.mcp_owner_scopes,
  formd.oauth_client_admit,
  formd.oauth_key_session_create,
  formd.oauth_secret_session_create,
  formd.operator_list,
  formd.operator_login_admit,
  formd.operator_session_authenticate,
  formd.operator_teams,
  formd.rate_limit_take,
  formd.receipt_authorize,
  formd.receipt_key_add,
  formd.receipt_key_list,
  formd.receipt_read,
  formd.signing_key_add,
  formd.signing_key_delete,
  formd.setup_complete,
  formd.signing_key_list,
  formd.signing_key_register,
  formd.submission_columns,
  formd.submission_edits_list,
  formd.submission_get,
  formd.submission_review,
  formd.submissions_review,
  formd.submissions_submit,
  formd.submitter_form_read,
  formd.team_require_role,
  formd.validations_admit,
  formd.webhook_attempt_list,
  formd.webhook_claim,
  formd.webhook_create,
  formd.webhook_delete,
  formd.webhook_delivery_list,
  formd.webhook_delivery_read,
  formd.webhook_due,
  formd.webhook_due_after,
  formd.webhook_list,
  formd.webhook_patch,
  formd.webhook_replay,
  formd.webhook_secret_rotate,
  formd.webhook_settle,
  formd.webhook_test,
  formd.workspace_operator_list,
  formd.workspace_require_role,
  formd.workspace_set_publishing
to formd_app;

-- Of 997_previous.sql.
grant execute on function
  formd.access_key_known,
  formd.agent_register,
  formd.agent_revoke,
  formd.agent_update,
  formd.api_key_use,
  formd.challenge_answer,
  formd.challenge_issue,
  formd.console_session_read,
  formd.credential_abroad,
  formd.form_read,
  formd.grant_delete,
  formd.grant_put,
  formd.idempotency_keys_purge,
  formd.operator_salt,
  formd.operator_session_use,
  formd.operator_team,
  formd.rate_limits_purge,
  formd.signing_key_revoke,
  formd.submission_edit_list,
  formd.submissions_receive,
  formd.submissions_validate
to formd_app;

-- By name, since they have the signature of the previous release as well, here or until 998_retired.sql.
do $$
declare
  v_role text;
  v_name text;
  v_function regprocedure;
begin
  for v_role, v_name in values
    ('formd_app', 'access_key_create'),
    ('formd_app', 'access_key_revoke'),
    ('formd_app', 'agent_patch'),
    ('formd_app', 'agent_secret_rotate'),
    ('formd_app', 'api_key_create'),
    ('formd_app', 'api_key_revoke'),
    ('formd_app', 'form_create'),
    ('formd_app', 'form_patch'),
    ('formd_app', 'form_publish'),
    ('formd_app', 'form_set_archived'),
    ('formd_app', 'operator_join'),
    ('formd_app', 'operator_login'),
    ('formd_app', 'operator_logout'),
    ('formd_app', 'operator_remove'),
    ('formd_app', 'operator_session_switch'),
    ('formd_app', 'operator_sessions_end'),
    ('formd_app', 'submission_delete'),
    ('formd_app', 'submission_list'),
    ('formd_app', 'submission_page'),
    ('formd_app', 'submission_patch'),
    ('formd_admin', 'operator_set_password'),
    ('formd_admin', 'team_create'),
    ('formd_admin', 'workspace_create')
  loop
    for v_function in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'formd'::regnamespace and p.proname = v_name loop
      execute format('grant execute on function %s to %I', v_function, v_role);
    end loop;
  end loop;
end
$$;

grant select on
  formd.schema_migrations,
  formd.teams,
  formd.workspaces,
  formd.workspace_roles,
  formd.forms,
  formd.form_versions,
  formd.form_aliases,
  formd.grants,
  formd.signing_keys,
  formd.challenges,
  formd.challenge_passes,
  formd.submissions,
  formd.submission_counts,
  formd.submission_edits,
  formd.submission_erasures,
  formd.submission_signatures,
  formd.receipt_keys,
  formd.webhooks,
  formd.webhook_batches,
  formd.webhook_events,
  formd.webhook_deliveries,
  formd.webhook_attempts,
  formd.audit_events,
  formd.agent_days
to formd_app;

-- By column where a table holds a hash.
grant select (id, email, created_at) on formd.operators to formd_app;
grant select (team_id, id, operator_id, created_at, seen_at, expires_at)
  on formd.operator_sessions to formd_app;
grant select (team_id, id, name, scopes, key_prefix, created_at, last_used_at, revoked_at)
  on formd.api_keys to formd_app;
grant select (team_id, form_id, id, key_prefix, created_at, revoked_at)
  on formd.form_access_keys to formd_app;
grant select (team_id, id, workspace_id, client_id, name, status, secret_prefix, created_at, updated_at,
  disabled_at, revoked_at) on formd.agents to formd_app;
grant select (team_id, id, kind, agent_id, form_id, created_at, expires_at) on formd.sessions to formd_app;

-- What is on record stays: not even the owner's functions change it. An erasure blanks the values of submission_edits.
revoke update, delete, truncate on formd.audit_events, formd.submission_erasures from current_user;
revoke delete, truncate on formd.submission_edits from current_user;

do $$
begin
  if to_regrole('formd_report') is not null then
    revoke all on all tables in schema formd from formd_report;
    grant usage on schema formd to formd_report;
    grant select on formd.report_submissions, formd.submission_counts, formd.teams, formd.workspaces to formd_report;
    grant select (team_id, id, workspace_id, name, status, current_version, created_at, updated_at, archived_at)
      on formd.forms to formd_report;
  end if;
end
$$;
