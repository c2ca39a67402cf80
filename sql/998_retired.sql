-- Functions that an earlier release had and this one has not. A line may go once no database of that release
-- is left to upgrade. Run after the other files, in a transaction of its own, when the calls that began
-- before have ended: they may still call these.

-- Before 0.1 (commit 1b30061).
drop function if exists formd.credential_known(uuid, text, bytea);
drop function if exists formd.form_check_size(jsonb);
drop function if exists formd.form_patch(uuid, uuid, jsonb, integer);
drop function if exists formd.form_version_if_stale(uuid, uuid, integer);
drop function if exists formd.submission_create(uuid, uuid, bytea, text, bytea, integer, text, integer, uuid,
  text, jsonb, jsonb, uuid, boolean, text[], jsonb, text, bytea);
drop function if exists formd.submission_create(uuid, uuid, bytea, text, bytea, text, bytea, timestamptz,
  integer, text, integer, uuid, text, jsonb, jsonb, uuid, boolean, text[], jsonb, text, bytea);
drop function if exists formd.submission_decide(uuid, uuid, bytea, text, bytea, text, bytea, timestamptz,
  integer, text, integer, uuid, text, jsonb, jsonb, uuid, boolean, text[], jsonb, text, bytea);
drop function if exists formd.submission_validate(uuid, uuid, bytea, text, bytea, integer, text, integer,
  integer);
drop function if exists formd.submission_validate(uuid, uuid, bytea, text, bytea, text, bytea, timestamptz,
  integer, text, integer, integer);
drop function if exists formd.submissions_create(uuid, jsonb);
drop function if exists formd.submitter_authorize(uuid, uuid, bytea, text, bytea, text);
drop function if exists formd.submitter_authorize(uuid, uuid, bytea, text, bytea, text, bytea, timestamptz,
  text);
drop function if exists formd.submitter_authorize(uuid, uuid, bytea, text, bytea, text, bytea, timestamptz,
  text, integer, text, integer);

-- 0.1.
drop function if exists formd.refuse(text, text, jsonb);
drop function if exists formd.field_position(jsonb, text);
drop function if exists formd.fields_apply(jsonb, jsonb);
drop function if exists formd.form_archive(uuid, uuid, boolean);
drop function if exists formd.submission_count(uuid, uuid, text, integer);
drop function if exists formd.agent_require(uuid, uuid, uuid, boolean);
drop function if exists formd.operator_require(uuid, uuid, uuid);
drop function if exists formd.form_enter(uuid, uuid, bytea);
drop function if exists formd.submission_decide(uuid, formd.form_entry, text, bytea, text, bytea, timestamptz, integer, text, integer, uuid,
  text, jsonb, jsonb, uuid, boolean, text[], jsonb, text, bytea);
drop function if exists formd.submitter_authorize(uuid, formd.form_entry, text, bytea, text, bytea, timestamptz, text, integer, text, integer);
drop function if exists formd.validation_admit(uuid, formd.form_entry, text, bytea, text, bytea, timestamptz, integer, text, integer, integer);
drop function if exists formd.rate_limit_return(text);
drop function if exists formd.form_lock(uuid, uuid);
drop function if exists formd.form_publish(uuid, uuid, timestamptz);
drop function if exists formd.form_set_archived(uuid, uuid, boolean);
drop function if exists formd.access_key_create(uuid, uuid, uuid, text, bytea);
drop function if exists formd.access_key_revoke(uuid, uuid, uuid);
drop function if exists formd.api_key_create(uuid, uuid, text, text[], text, bytea);
drop function if exists formd.api_key_revoke(uuid, uuid);
drop function if exists formd.team_create(uuid, text, uuid, text);
drop function if exists formd.workspace_create(uuid, uuid, text);
drop function if exists formd.operator_join(uuid, uuid, uuid, text, text, bytea, text);

-- Between 0.1 and the audit of acts.
drop function if exists formd.webhook_lock(uuid, uuid);
drop function if exists formd.webhook_create(uuid, uuid, uuid, uuid, text, text[], text);
drop function if exists formd.webhook_patch(uuid, uuid, text, text[], text, text);
drop function if exists formd.webhook_delete(uuid, uuid);
drop function if exists formd.webhook_secret_rotate(uuid, uuid);
drop function if exists formd.webhook_test(uuid, uuid, uuid);
drop function if exists formd.webhook_replay(uuid, uuid, uuid, uuid, uuid);
drop function if exists formd.agent_lock_for_write(uuid, uuid, uuid);
drop function if exists formd.agent_require_operator(uuid, uuid, uuid);
drop function if exists formd.operator_remove(text, uuid);
drop function if exists formd.operator_set_password(text, text, bytea);
drop function if exists formd.workspace_require_editor(uuid, uuid, uuid);
drop function if exists formd.submitter_authorize(uuid, formd.submitter_form, formd.submitter_credentials, text, text, integer, boolean);
drop function if exists formd.submission_evaluate(uuid, formd.submitter_form, formd.submission_item);
drop function if exists formd.submission_evaluate(uuid, formd.submission_item, formd.submitter_form, formd.submitter_authorization);
drop function if exists formd.validation_evaluate(uuid, formd.validation_item, formd.submitter_form, formd.submitter_authorization);
drop function if exists formd.submission_events_record(uuid, formd.accepted_submission[]);
drop function if exists formd.form_page_refusal(text, jsonb);
drop function if exists formd.submission_list(uuid, uuid, text, text, uuid, uuid, uuid, uuid, integer, bigint, uuid);
