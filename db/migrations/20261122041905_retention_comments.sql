-- migrate:up
-- Locks: share update exclusive on agents, api_keys, audit_events, challenge_passes, challenges, form_access_keys, form_versions, forms, grants, idempotency_keys, nonces, operator_sessions, operators, rate_limits, receipt_keys, schema_migrations, sessions, signing_keys, submission_counts, submission_edits, submission_erasures, submission_signatures, submissions, teams, webhook_attempts, webhook_deliveries, webhook_events, webhooks, workspace_roles, workspaces.

-- How long the rows of each table are kept, for the generated reference.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  comment on table formd.teams is 'A tenant. team_id is the first column of every other key. Kept for good.';
  comment on table formd.workspaces is 'A part of a team: forms and agents are in one, operators have a role in one. Kept for good.';
  comment on table formd.operators is 'A person who signs in to the console. Of no team: roles say in which workspaces the person works. Kept until operator remove.';
  comment on table formd.workspace_roles is 'What an operator may do in a workspace. Kept until it is removed, or the operator is.';
  comment on table formd.operator_sessions is 'An operator who is signed in to one team. Kept until the sign-out, or until it expires and is purged.';
  comment on table formd.api_keys is 'A key of the management API. Kept for good, revoked keys too, since the audit refers to them.';
  comment on table formd.forms is 'A form''s draft and its live settings. What respondents see is in form_versions. Kept for good: archived, not deleted.';
  comment on table formd.form_versions is 'A form as it was published. Rows are inserted, and never updated. Kept for good.';
  comment on table formd.form_access_keys is 'A key that names a form to submitters. A form may have several, so that one can be replaced. Kept for good, revoked keys too.';
  comment on table formd.agents is 'A program that submits. Kept for good, revoked agents too, since submissions refer to them.';
  comment on table formd.grants is 'What one agent may do on one form. Read by each request, so that a change counts at once. Kept until it is removed.';
  comment on table formd.signing_keys is 'An agent''s public key for signed requests (RFC 9421). Kept for good, expired and revoked keys too.';
  comment on table formd.sessions is 'A respondent token: an agent on every form that it has a grant for, or anyone on one form. Kept until it expires and is purged.';
  comment on table formd.nonces is 'A nonce that a signed request has used. Logged: after a crash no request passes twice. Kept until it expires and is purged.';
  comment on table formd.challenges is 'A question to an agent about one field''s rules. Kept for an hour after it expired (that is no status), then purged.';
  comment on table formd.challenge_passes is 'Until when an agent may submit to a form that requires a challenge. Kept until it expires and is purged.';
  comment on table formd.submissions is 'What a respondent or an agent submitted to a form. The id is a UUIDv7 with created_at inside, so that the key is the order as well. Kept until it is deleted.';
  comment on table formd.submission_counts is 'A share of a form''s number of submissions: the sum of the slots is the number. Fillfactor 50 leaves room for HOT updates. Kept for good.';
  comment on table formd.submission_edits is 'An edit of one value, for the audit. Erasing the submission sets both values to null; nothing else changes a row. Kept for good.';
  comment on table formd.submission_erasures is 'The deletion of a submission, for the audit: who, when, and the fields that had values. Kept for good.';
  comment on table formd.submission_signatures is 'The signatures of submissions that came as signed requests, for their receipts. Kept until the submission is deleted.';
  comment on table formd.idempotency_keys is 'The response to a submit with an Idempotency-Key. Kept for 24 hours, then purged.';
  comment on table formd.rate_limits is 'The times of the last requests of one key. Of no team, and UNLOGGED: a crash resets the counts of a minute. Kept for that minute, then purged.';
  comment on table formd.receipt_keys is 'The public keys of receipts; the last one signs. Private keys are derived from the master key. Kept for good.';
  comment on table formd.webhooks is 'Where events of a workspace, or of one of its forms, are sent. Secrets are derived from the master key, and not stored. Kept until it is deleted.';
  comment on table formd.webhook_events is 'What happened, when a webhook listened. No submitted data: a full payload is read when it is sent. Kept for 30 days, then purged.';
  comment on table formd.webhook_deliveries is 'One event for one webhook. Kept as long as both.';
  comment on table formd.webhook_attempts is 'The last 10 requests of each delivery. Kept as long as the delivery.';
  comment on table formd.audit_events is 'An act, for the audit. Inserted by formd.audit_record; no role may update or delete a row. Kept for good.';
  comment on table formd.schema_migrations is 'The migrations that were applied, by dbmate. Kept for good.';
end
$$;
