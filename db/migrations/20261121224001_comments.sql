-- migrate:up
-- Locks: share update exclusive on agents, api_keys, challenge_passes, challenges, form_access_keys, form_versions, forms, grants, idempotency_keys, nonces, operator_sessions, operators, rate_limits, schema_migrations, sessions, signing_keys, submission_counts, submission_edits, submission_erasures, submissions, teams, workspace_roles, workspaces.

comment on table formd.teams is 'A tenant. team_id is the first column of every other key.';

comment on table formd.workspaces is 'A part of a team: forms and agents are in one, operators have a role in one.';

comment on table formd.operators is 'A person who signs in to the console. Of no team: roles say in which workspaces the person works.';
comment on column formd.operators.email is 'In lower case.';
comment on column formd.operators.password_salt is 'scrypt$N$r$p$salt, the salt in base64url: what deriving the hash again takes.';
comment on column formd.operators.password_hash is '64 bytes of scrypt. Compared by operator_login; no function returns it.';

comment on table formd.workspace_roles is 'What an operator may do in a workspace.';
comment on column formd.workspace_roles.role is 'admin and editor may write, viewer may read.';

comment on table formd.operator_sessions is 'An operator who is signed in to one team. Purged once expired.';
comment on column formd.operator_sessions.token_hash is 'SHA-256 of the cookie''s value.';
comment on column formd.operator_sessions.seen_at is 'Last use; the idle limit counts from it. Updated at most once a minute.';

comment on table formd.api_keys is 'A key of the management API. Revoked keys stay, since the audit refers to them.';
comment on column formd.api_keys.scopes is 'What the key may do.';
comment on column formd.api_keys.key_prefix is 'The first characters of the key, by which people tell keys apart.';
comment on column formd.api_keys.key_hash is 'SHA-256 of the key.';
comment on column formd.api_keys.last_used_at is 'Updated at most once a minute, so that reading costs no write.';

comment on table formd.forms is 'A form''s draft and its live settings. What respondents see is in form_versions. Archived, never deleted.';
comment on column formd.forms.schema is 'The draft: an object whose member fields is the array of fields, in their order.';
comment on column formd.forms.settings is 'Apply at once, to published forms as well. Unknown members are kept.';
comment on column formd.forms.status is 'draft, published (at least once, and not archived) or archived.';
comment on column formd.forms.current_version is 'The version that respondents see; 0 before the first. A patch of the draft does not change it.';
comment on column formd.forms.updated_at is 'Increases with every change: publishing compares it with what was checked.';

comment on table formd.form_versions is 'A form as it was published. Rows are inserted, and never updated or deleted.';
comment on column formd.form_versions.schema is 'The draft''s schema at that time.';

comment on table formd.form_access_keys is 'A public key that names a form to submitters. A form may have several, so that one can be replaced.';
comment on column formd.form_access_keys.key_prefix is 'The first characters of the key, by which people tell keys apart.';
comment on column formd.form_access_keys.key_hash is 'SHA-256 of the key.';

comment on table formd.agents is 'A program that submits. Revoked agents stay, since submissions refer to them.';
comment on column formd.agents.client_id is 'The agent''s name in the token request.';
comment on column formd.agents.status is 'active; disabled (can be enabled again) or revoked (for good): no credential works.';
comment on column formd.agents.secret_prefix is 'The first characters of the secret, by which people tell secrets apart.';
comment on column formd.agents.secret_hash is 'SHA-256 of the secret that is exchanged for a session.';

comment on table formd.grants is 'What one agent may do on one form. Read by each request, so that a change counts at once.';
comment on column formd.grants.scopes is 'agent:read, agent:validate, agent:submit. Only an operator grants the last one.';
comment on column formd.grants.respondent_id is 'The respondent whom the agent submits for. Only an operator sets it.';
comment on column formd.grants.binding_required is 'Whether the agent may submit for respondent_id only, and not at all while that is null.';

comment on table formd.signing_keys is 'An agent''s public key for signed requests (RFC 9421).';
comment on column formd.signing_keys.key_id is 'key_ and the first 16 hex characters of the SHA-256 of the PEM text as it was sent.';
comment on column formd.signing_keys.alg is 'The signature algorithm.';
comment on column formd.signing_keys.public_key_pem is 'SubjectPublicKeyInfo in PEM, as it was sent.';
comment on column formd.signing_keys.status is 'active or revoked (for good).';
comment on column formd.signing_keys.expires_at is 'The key verifies nothing from then on; null: it does not expire. The row stays.';

comment on table formd.sessions is 'A respondent token: an agent on every form that it has a grant for, or anyone on one form. Purged once expired.';
comment on column formd.sessions.kind is 'agent or anonymous.';
comment on column formd.sessions.agent_id is 'Of an agent''s session.';
comment on column formd.sessions.form_id is 'Of an anonymous session: the only form that it is valid for.';
comment on column formd.sessions.token_hash is 'SHA-256 of the token.';

comment on table formd.nonces is 'A nonce that a signed request has used. Logged: after a crash no request passes twice. Purged once expired.';
comment on column formd.nonces.nonce is 'Its bytes; unique per key until it expires.';
comment on column formd.nonces.expires_at is 'When the signature itself is too old for every clock.';

comment on table formd.challenges is 'A question to an agent about one field''s rules. Purged an hour after it expired; that is no status.';
comment on column formd.challenges.type is 'schema: any value that the field''s rules accept.';
comment on column formd.challenges.field_id is 'A field of form_version.';
comment on column formd.challenges.prompt is 'The question, as the agent got it.';
comment on column formd.challenges.status is 'issued, passed or failed (after the last attempt).';
comment on column formd.challenges.attempts is 'Responses that were validated.';
comment on column formd.challenges.resolved_at is 'When it was passed or failed.';

comment on table formd.challenge_passes is 'Until when an agent may submit to a form that requires a challenge. Purged once expired.';

comment on table formd.submissions is 'What a respondent or an agent submitted to a form. The id is a UUIDv7 with created_at inside, so that the key is the order as well.';
comment on column formd.submissions.form_version is 'The version that the data was validated with.';
comment on column formd.submissions.status is 'completed; pending: waits for a review; partial: required values are missing.';
comment on column formd.submissions.submitter_type is 'agent, anonymous or api_key: which table submitter_id refers to (sessions for anonymous).';
comment on column formd.submissions.submitter_id is 'The agent, the anonymous session or the API key; no foreign key, since sessions are purged.';
comment on column formd.submissions.respondent_id is 'Whom an agent submitted for.';
comment on column formd.submissions.data is 'Values by field id.';
comment on column formd.submissions.metadata is 'What the submitter sent beside the data.';
comment on column formd.submissions.updated_at is 'Increases with every change: an edit names the one that it is based on.';

comment on table formd.submission_counts is 'A share of a form''s number of submissions: the sum of the slots is the number. Fillfactor 50 leaves room for HOT updates.';
comment on column formd.submission_counts.slot is 'From the backend''s process id, so that transactions rarely update the same row.';
comment on column formd.submission_counts.total is 'May be below zero in one slot.';

comment on table formd.submission_edits is 'An edit of one value, for the audit. Erasing the submission sets both values to null; nothing else changes a row.';
comment on column formd.submission_edits.old_value is 'Null: there was none, or it is erased.';
comment on column formd.submission_edits.new_value is 'Null: the value was removed, or it is erased.';
comment on column formd.submission_edits.request_id is 'The x-request-id of the request, for the server''s log.';
comment on column formd.submission_edits.erased_at is 'When the submission was erased.';

comment on table formd.submission_erasures is 'The deletion of a submission, for the audit: who, when, and the fields that had values.';
comment on column formd.submission_erasures.field_ids is 'The fields that had a value.';
comment on column formd.submission_erasures.request_id is 'The x-request-id of the request, for the server''s log.';

comment on table formd.idempotency_keys is 'The response to a submit with an Idempotency-Key, for 24 hours. Purged once expired.';
comment on column formd.idempotency_keys.caller_id is 'Whose key it is: agent, anonymous session or API key.';
comment on column formd.idempotency_keys.key is 'As it was sent.';
comment on column formd.idempotency_keys.body_hash is 'SHA-256 of the request''s body: another body with the same key is an error.';
comment on column formd.idempotency_keys.answer is 'The data of the response; null only inside the transaction that stores it.';

comment on table formd.rate_limits is 'The times of the last requests of one key. Of no team, and UNLOGGED: a crash resets the counts of a minute. Purged once expired.';
comment on column formd.rate_limits.bucket is 'The key: what is limited and for whom, as submit:ip:192.0.2.1.';
comment on column formd.rate_limits.ticks is 'Microseconds since 1970, ascending.';
comment on column formd.rate_limits.hits is 'Requests counted at each of ticks.';
comment on column formd.rate_limits.expires_at is 'When the last request leaves the window.';

comment on table formd.schema_migrations is 'The migrations that were applied; kept by dbmate.';
