-- Privileges of each role. The file first revokes all rights: an upgraded database gets those of a fresh one.
--
-- The owner runs the migrations and owns all objects. Two groups have no login. formd_app is for the server's
-- login: it may call the functions of routes and read data that is not secret. It writes no table and reads
-- no hash. formd_admin is for the login of an administrator who is not the owner: it may call the functions
-- of commands. That login is a member of both. formd_report, which an installation may have, is for logins
-- that count and read no stored value. Functions that are not listed here are called by listed ones, with the
-- owner's rights.

revoke all on all functions in schema formd from public, formd_app, formd_admin;
revoke all on all tables in schema formd from public, formd_app, formd_admin; -- of columns as well
revoke all on schema formd from public, formd_app, formd_admin;

-- A role that can create temporary objects, or objects in public, can shadow names without a schema.
-- Functions of formd are safe by their search_path; this protects other code in the database. Only the
-- database's owner can revoke these rights: formd migrate reports another owner.
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
  formd.access_key_create,
  formd.access_key_list,
  formd.access_key_revoke,
  formd.agent_create,
  formd.agent_delete,
  formd.agent_get,
  formd.agent_list,
  formd.agent_patch,
  formd.agent_secret_rotate,
  formd.agent_session_create,
  formd.agent_sessions_end,
  formd.anonymous_session_create,
  formd.api_key_authenticate,
  formd.api_key_create,
  formd.api_key_list,
  formd.api_key_revoke,
  formd.audit_list,
  formd.challenge_create,
  formd.challenge_respond,
  formd.change_link_apply,
  formd.change_link_files,
  formd.change_link_open,
  formd.change_link_state,
  formd.change_link_upload,
  formd.change_link_withdraw,
  formd.cluster_state,
  formd.console_form_counts,
  formd.console_form_list,
  formd.console_operator_read,
  formd.credential_cross_tenant,
  formd.daily_counts_add,
  formd.expired_purge,
  formd.feed_end,
  formd.feed_is_copied,
  formd.feed_mark,
  formd.file_begin,
  formd.file_finish,
  formd.file_get,
  formd.file_reserve,
  formd.file_scanned,
  formd.files_expire,
  formd.files_read,
  formd.files_remove,
  formd.form_alias_find,
  formd.form_apply,
  formd.form_close,
  formd.form_create,
  formd.form_feed_end,
  formd.form_feed_make,
  formd.form_feed_read,
  formd.form_list,
  formd.form_open,
  formd.form_page_read,
  formd.form_patch,
  formd.form_publish,
  formd.form_seen_mark,
  formd.form_set_archived,
  formd.form_settings_publish,
  formd.form_version_schema,
  formd.forms_read,
  formd.grant_list,
  formd.grant_remove,
  formd.grant_upsert,
  formd.hold_list,
  formd.hold_place,
  formd.hold_release,
  formd.installation_read,
  formd.invitation_counts,
  formd.invitation_is_unsubscribed,
  formd.invitation_list,
  formd.invitation_mail_read,
  formd.invitation_revoke,
  formd.invitation_sources,
  formd.invitations_create,
  formd.invitations_open_to,
  formd.invitations_remind,
  formd.invitations_remind_count,
  formd.key_uses_record,
  formd.mail_claim,
  formd.mail_due_after,
  formd.mail_key_expiry_record,
  formd.mail_list,
  formd.mail_resend,
  formd.mail_settle,
  formd.mail_unsubscribe,
  formd.master_key_use,
  formd.mcp_agent_forms,
  formd.mcp_owner_scopes,
  formd.oauth_client_admit,
  formd.oauth_key_session_create,
  formd.oauth_person_admit,
  formd.oauth_person_session_create,
  formd.oauth_secret_session_create,
  formd.operator_change_password,
  formd.operator_entries,
  formd.invitation_claim,
  formd.invitation_claim_end,
  formd.operator_invitation_accept,
  formd.operator_invitation_end,
  formd.operator_invitation_read,
  formd.operator_invite,
  formd.operator_language_set,
  formd.operator_list,
  formd.operator_login,
  formd.operator_login_admit,
  formd.operator_login_connection,
  formd.operator_login_passkey,
  formd.operator_login_settle,
  formd.operator_logout,
  formd.operator_logout_connection,
  formd.operator_mails_set,
  formd.operator_proof_admit,
  formd.operator_prove,
  formd.operator_prove_passkey,
  formd.operator_remove,
  formd.operator_reset,
  formd.operator_reset_make,
  formd.operator_reset_read,
  formd.operator_session_authenticate,
  formd.operator_session_end,
  formd.operator_session_list,
  formd.operator_session_switch,
  formd.operator_session_take,
  formd.operator_sessions_end,
  formd.operator_sign_in_failed,
  formd.operator_teams,
  formd.option_recount,
  formd.page_draft_beside,
  formd.page_draft_open,
  formd.page_draft_save,
  formd.partition_is_detached,
  formd.partition_list,
  formd.partition_make,
  formd.partition_months_left,
  formd.partition_require_attached,
  formd.passkey_challenge_make,
  formd.passkey_challenge_use,
  formd.passkey_find,
  formd.passkey_register,
  formd.passkey_remove,
  formd.passkey_rename,
  formd.person_find,
  formd.person_invitations,
  formd.person_invitations_read,
  formd.person_read,
  formd.progress_read,
  formd.rate_limit_take,
  formd.receipt_authorize,
  formd.receipt_key_add,
  formd.receipt_key_list,
  formd.receipt_read,
  formd.respondent_erase,
  formd.retention_forms,
  formd.retention_next,
  formd.retention_read,
  formd.setup_complete,
  formd.setup_is_open,
  formd.setup_offer,
  formd.sign_in_connection_change,
  formd.sign_in_connection_create,
  formd.sign_in_connection_remove,
  formd.signing_key_add,
  formd.signing_key_delete,
  formd.signing_key_list,
  formd.submission_change_list,
  formd.submission_columns,
  formd.submission_delete,
  formd.submission_edits_list,
  formd.submission_former_fields,
  formd.submission_get,
  formd.submission_languages,
  formd.submission_list,
  formd.submission_page,
  formd.submission_patch,
  formd.submission_recount,
  formd.submission_review,
  formd.submission_rising,
  formd.submission_search,
  formd.submission_submit_files,
  formd.submission_summary,
  formd.submission_time_zone,
  formd.submissions_expire,
  formd.submissions_review,
  formd.submissions_submit,
  formd.submissions_submit_set,
  formd.submitter_form_read,
  formd.team_require_role,
  formd.team_set_retention,
  formd.validations_admit,
  formd.webhook_attempt_list,
  formd.webhook_claim,
  formd.webhook_create,
  formd.webhook_delete,
  formd.webhook_delivery_list,
  formd.webhook_delivery_read,
  formd.webhook_due_after,
  formd.webhook_list,
  formd.webhook_patch,
  formd.webhook_replay,
  formd.webhook_secret_rotate,
  formd.webhook_settle,
  formd.webhook_test,
  formd.workspace_change,
  formd.workspace_create,
  formd.workspace_operator_list,
  formd.workspace_require_role
to formd_app;

grant execute on function
  formd.master_key_rotate,
  formd.operator_join,
  formd.operator_remove_passkeys,
  formd.operator_set_password,
  formd.sign_in_connection_reseal,
  formd.team_create
to formd_admin;

grant select on
  formd.schema_migrations,
  formd.teams,
  formd.workspaces,
  formd.workspace_roles,
  formd.sign_in_connections,
  formd.forms,
  formd.form_versions,
  formd.form_aliases,
  formd.grants,
  formd.signing_keys,
  formd.challenges,
  formd.challenge_passes,
  formd.respondents,
  formd.submissions,
  formd.submission_counts,
  formd.option_counts,
  formd.submission_edits,
  formd.submission_erasures,
  formd.submission_signatures,
  formd.holds,
  formd.file_totals,
  formd.receipt_keys,
  formd.webhooks,
  formd.webhook_batches,
  formd.webhook_events,
  formd.webhook_deliveries,
  formd.webhook_attempts,
  formd.audit_events,
  formd.agent_days,
  formd.progress_days,
  formd.feed_marks
to formd_app;

-- Grants by column, for tables with a hash or a key.
grant select (fingerprint, state, created_at) on formd.master_keys to formd_app;
grant select (id, email, connection_id, password_allowed_until_at, password_set_at, language, mails_off,
  created_at)
  on formd.operators to formd_app;
grant select (team_id, id, workspace_id, email, role, invited_by, created_at, expires_at)
  on formd.operator_invitations to formd_app;
grant select (id, operator_id, credential_id, name, created_at, last_used_at)
  on formd.operator_passkeys to formd_app;
grant select (team_id, id, operator_id, device, client_ip, created_at, proved_at, passkey_at, seen_at,
  expires_at)
  on formd.operator_sessions to formd_app;
grant select (team_id, id, kind, form_id, subject_id, operator_id, submissions, digest_at, state, attempts,
  due_at, leased_until_at, gives_up_at, last_error, sent_at, created_at, expires_at)
  on formd.mails to formd_app;
grant select (team_id, id, name, scopes, key_prefix, created_at, last_used_at, expires_at, revoked_at)
  on formd.api_keys to formd_app;
grant select (team_id, form_id, id, key_prefix, created_at, last_used_at, expires_at, revoked_at)
  on formd.form_access_keys to formd_app;
grant select (team_id, form_id, operator_id, seen_id, feed_made_at) on formd.form_followers to formd_app;
grant select (team_id, id, workspace_id, client_id, name, status, secret_prefix, created_at, updated_at,
  disabled_at, revoked_at) on formd.agents to formd_app;
grant select (team_id, id, kind, agent_id, form_id, created_at, expires_at) on formd.sessions to formd_app;
grant select (team_id, form_id, id, submission_id, state, scan, created_at) on formd.files to formd_app;
grant select (team_id, form_id, id, respondent_id, state, submission_id, expires_at, last_mailed_at, mails,
  bounced, unsubscribed)
  on formd.invitations to formd_app;

-- Audit records are permanent: not even the owner's functions change them. An erasure blanks the values of
-- submission_edits.
revoke update, delete, truncate on formd.audit_events, formd.submission_erasures from current_user;
revoke delete, truncate on formd.submission_edits from current_user;
do $$
declare
  v_name text;
begin
  for v_name in select l.name from formd.partition_list() as l loop
    execute format('revoke update, delete, truncate on formd.%I from current_user', v_name);
  end loop;
end
$$;

do $$
begin
  if to_regrole('formd_report') is not null then
    revoke all on all tables in schema formd from formd_report;
    grant usage on schema formd to formd_report;
    grant select on formd.report_submissions, formd.submission_counts, formd.teams,
      formd.workspaces to formd_report;
    grant select (team_id, id, workspace_id, name, status, current_version, created_at, updated_at,
      archived_at)
      on formd.forms to formd_report;
  end if;
end
$$;
