-- What db/migrations and sql/ make of an empty database, without the functions' text, as pg_dump of PostgreSQL 15 tells it.
-- Written by .ci/run schema.

CREATE SCHEMA formd;

CREATE TYPE formd.accepted_submission AS (
	form_id uuid,
	id uuid,
	form_version integer,
	status text,
	submitter_type text,
	submitter_id uuid,
	respondent_id uuid,
	data jsonb,
	metadata jsonb,
	created_at timestamp(3) with time zone,
	team_id uuid,
	request_digest bytea,
	provenance text,
	declared_agent text,
	key_id text,
	signature_input text,
	signature text
);
COMMENT ON COLUMN formd.accepted_submission.signature IS 'of a signed request: with key_id and signature_input, for submission_signatures';

CREATE TYPE formd.actor AS (
	type text,
	id uuid,
	request_id text
);
COMMENT ON TYPE formd.actor IS 'who acts, as a caller passes it to every function that changes something';
COMMENT ON COLUMN formd.actor.type IS 'operator, api_key, agent, anonymous, cli, system, retention or respondent';
COMMENT ON COLUMN formd.actor.id IS 'of an operator, an API key or an agent; null for cli, system, retention and respondent';
COMMENT ON COLUMN formd.actor.request_id IS 'id of the request, and after a space the x-request-id that the client sent; null for a command';

CREATE TYPE formd.form_row AS (
	id uuid,
	name text,
	description text,
	schema jsonb,
	settings jsonb,
	published_settings jsonb,
	status text,
	current_version integer,
	team_id uuid,
	workspace_id uuid,
	created_at timestamp(3) with time zone,
	updated_at timestamp(3) with time zone
);
COMMENT ON TYPE formd.form_row IS 'A form, as functions return it.';

CREATE TYPE formd.grant_row AS (
	id uuid,
	agent_id uuid,
	form_id uuid,
	scopes text[],
	respondent_id uuid,
	binding_required boolean,
	respondent text,
	created_at timestamp(3) with time zone,
	updated_at timestamp(3) with time zone
);
COMMENT ON TYPE formd.grant_row IS 'A grant, as functions return it.';

CREATE TYPE formd.hold_row AS (
	id uuid,
	form_id uuid,
	submission_id uuid,
	reason text,
	placed_by uuid,
	placed_at timestamp(3) with time zone
);
COMMENT ON TYPE formd.hold_row IS 'A hold that is in force, as functions return it.';

CREATE TYPE formd.plain_submission AS (
	team_id uuid,
	form_id uuid,
	id uuid,
	form_version integer,
	status text,
	submitter_type text,
	submitter_id uuid,
	respondent_id uuid,
	data jsonb,
	metadata jsonb,
	created_at timestamp(3) with time zone,
	request_digest bytea,
	missing_required text[],
	ip_key text,
	provenance text
);
COMMENT ON TYPE formd.plain_submission IS 'a submission of a list that formd.submissions_submit_set stores as one';

CREATE TYPE formd.rate_limit_state AS (
	allowed boolean,
	remaining integer,
	reset_ms integer
);
COMMENT ON TYPE formd.rate_limit_state IS 'what formd.rate_limit_take returns';

CREATE TYPE formd.rate_limit_states AS (
	allowed boolean[],
	remaining integer[],
	reset_ms integer[]
);
COMMENT ON TYPE formd.rate_limit_states IS 'what formd.rate_limit_count_set returns';

CREATE TYPE formd.signing_key_row AS (
	key_id text,
	alg text,
	status text
);
COMMENT ON TYPE formd.signing_key_row IS 'A signing key, as the function that registers it returns it.';

CREATE TYPE formd.submitter_credentials AS (
	access_key_hash bytea,
	credential text,
	credential_hash bytea,
	key_id text,
	nonce bytea,
	nonce_expires_at timestamp with time zone,
	draft_hash bytea,
	invitation_hash bytea,
	claim_hash bytea
);
COMMENT ON TYPE formd.submitter_credentials IS 'what a submitter sent to prove who it is: a form access key, and a session, an API key or a signature';
COMMENT ON COLUMN formd.submitter_credentials.credential IS 'session, api_key, signature or page';
COMMENT ON COLUMN formd.submitter_credentials.credential_hash IS 'SHA-256 of the session token, of the API key or of a page''s key; null for a signature';
COMMENT ON COLUMN formd.submitter_credentials.key_id IS 'the signing key that a signature was verified with; null when it was not verified';
COMMENT ON COLUMN formd.submitter_credentials.draft_hash IS 'of a page: SHA-256 of the token of the draft that it was opened from';
COMMENT ON COLUMN formd.submitter_credentials.invitation_hash IS 'of a page: SHA-256 of the token of the invitation that it was opened from';
COMMENT ON COLUMN formd.submitter_credentials.claim_hash IS 'of a page of an anonymous form: by which its invitation was claimed (formd.invitation_claim)';

CREATE TYPE formd.submission_item AS (
	form_id uuid,
	version integer,
	credentials formd.submitter_credentials,
	admitted boolean,
	ip_key text,
	ip_limit integer,
	validation text,
	data jsonb,
	metadata jsonb,
	respondent_id uuid,
	partial boolean,
	missing_required text[],
	idempotency_key_hash bytea,
	body_hash bytea,
	team_id uuid,
	request_digest bytea,
	signature_input text,
	signature text,
	declared_agent text,
	validation_limit integer
);
COMMENT ON TYPE formd.submission_item IS 'one submission of the list that formd.submissions_submit takes';
COMMENT ON COLUMN formd.submission_item.version IS 'the form version that the data was validated against';
COMMENT ON COLUMN formd.submission_item.admitted IS 'true: an earlier call for this request had the outcome admitted';
COMMENT ON COLUMN formd.submission_item.ip_key IS 'key of the rate limit of the client IP';
COMMENT ON COLUMN formd.submission_item.validation IS 'accepted, rejected, malformed (the body has not the shape of a submission) or pending (not validated yet)';
COMMENT ON COLUMN formd.submission_item.idempotency_key_hash IS 'SHA-256 of the Idempotency-Key';
COMMENT ON COLUMN formd.submission_item.team_id IS 'null in a list of one team, which is an argument of the function';
COMMENT ON COLUMN formd.submission_item.request_digest IS 'SHA-256 of the exact body of the request';
COMMENT ON COLUMN formd.submission_item.signature_input IS 'of a signed request: the member sig1 of Signature-Input';
COMMENT ON COLUMN formd.submission_item.signature IS 'of a signed request: the member sig1 of Signature';
COMMENT ON COLUMN formd.submission_item.declared_agent IS 'of a page that a program has sent, which says so: the origin of its keys; empty: its signature is not valid';
COMMENT ON COLUMN formd.submission_item.validation_limit IS 'of a tool''s call: the agent''s dry runs per minute, in which rejected data counts; null: it counts as a submit';

CREATE TYPE formd.submitter_result AS (
	outcome text,
	caller_type text,
	caller_id uuid,
	response jsonb,
	limit_name text,
	max_requests integer,
	window_ms integer,
	remaining integer,
	reset_ms integer,
	form_version integer,
	form_schema jsonb,
	provenance text
);
COMMENT ON TYPE formd.submitter_result IS 'what a submitter function returns: the outcome, and the rate limit that the response reports';
COMMENT ON COLUMN formd.submitter_result.caller_type IS 'agent, anonymous or api_key; null before the credential was found valid';
COMMENT ON COLUMN formd.submitter_result.caller_id IS 'the agent, the session or the API key';
COMMENT ON COLUMN formd.submitter_result.response IS 'of stored, replayed and rejected: the body of the response; of option_full, and of a dry run that was admitted: full, the options that are, by field';
COMMENT ON COLUMN formd.submitter_result.limit_name IS 'ip, agent or open-challenges';
COMMENT ON COLUMN formd.submitter_result.form_version IS 'of admitted: the published version, when it is not the one that the caller named; form_schema is its schema';
COMMENT ON COLUMN formd.submitter_result.provenance IS 'of a caller that is known: as of its submission';

CREATE TYPE formd.submitter_authorization AS (
	result formd.submitter_result,
	respondent_id uuid,
	binding_required boolean,
	signing_key_id uuid
);
COMMENT ON TYPE formd.submitter_authorization IS 'result.outcome is null when the caller may act on the form; the rest is of the grant of an agent';
COMMENT ON COLUMN formd.submitter_authorization.signing_key_id IS 'of a signed request: the key, whose nonce is to be claimed';

CREATE TYPE formd.submitter_form AS (
	form_id uuid,
	access_key_hash bytea,
	access_key_is_valid boolean,
	workspace_id uuid,
	status text,
	settings jsonb,
	version integer,
	closed jsonb,
	has_limits boolean
);
COMMENT ON TYPE formd.submitter_form IS 'the form that an access key names, as formd.submitter_form_load found it';
COMMENT ON COLUMN formd.submitter_form.version IS 'the published version; 0: none yet';
COMMENT ON COLUMN formd.submitter_form.closed IS 'why the form takes no submissions now: reason, and what it is about; null: it takes them';
COMMENT ON COLUMN formd.submitter_form.has_limits IS 'whether options of the published version have a limit';

CREATE TYPE formd.submission_admission AS (
	item formd.submission_item,
	form formd.submitter_form,
	caller formd.submitter_authorization
);
COMMENT ON TYPE formd.submission_admission IS 'a submission that formd.submitter_admit has counted, and may have refused';

CREATE TYPE formd.submission_evaluation AS (
	result formd.submitter_result,
	accepted formd.accepted_submission
);
COMMENT ON TYPE formd.submission_evaluation IS 'the result of one submission, and the row to store when its outcome is stored';

CREATE TYPE formd.submission_row AS (
	id uuid,
	team_id uuid,
	form_id uuid,
	form_version integer,
	status text,
	data jsonb,
	metadata jsonb,
	submitter_type text,
	submitter_id uuid,
	respondent_id uuid,
	provenance text,
	declared_agent text,
	review_decision text,
	review_reason text,
	reviewed_at timestamp(3) with time zone,
	created_at timestamp(3) with time zone,
	updated_at timestamp(3) with time zone
);
COMMENT ON TYPE formd.submission_row IS 'A submission, as functions return it.';

CREATE TYPE formd.validation_item AS (
	form_id uuid,
	version integer,
	credentials formd.submitter_credentials,
	ip_key text,
	ip_limit integer,
	agent_limit integer,
	team_id uuid
);
COMMENT ON TYPE formd.validation_item IS 'one dry run of the list that formd.validations_admit takes';
COMMENT ON COLUMN formd.validation_item.version IS 'the form version that the caller holds compiled';
COMMENT ON COLUMN formd.validation_item.team_id IS 'null in a list of one team, which is an argument of the function';

CREATE TYPE formd.validation_admission AS (
	item formd.validation_item,
	form formd.submitter_form,
	caller formd.submitter_authorization
);
COMMENT ON TYPE formd.validation_admission IS 'a dry run that formd.submitter_admit has counted, and may have refused';

CREATE TYPE formd.webhook_result AS (
	event_id uuid,
	webhook_id uuid,
	attempt integer,
	started_at timestamp with time zone,
	duration_ms integer,
	status integer,
	error text,
	response_start text,
	retry_after_seconds integer
);
COMMENT ON TYPE formd.webhook_result IS 'one attempt of the list that formd.webhook_settle takes';
COMMENT ON COLUMN formd.webhook_result.status IS 'the HTTP status; null: there was no response';
COMMENT ON COLUMN formd.webhook_result.error IS 'null: it succeeded';

CREATE TYPE formd.webhook_row AS (
	id uuid,
	team_id uuid,
	workspace_id uuid,
	form_id uuid,
	url text,
	event_types text[],
	payload text,
	status text,
	disabled_reason text,
	secret_version integer,
	secret_key text,
	previous_secret_ends_at timestamp(3) with time zone,
	failing_since_at timestamp(3) with time zone,
	created_at timestamp(3) with time zone,
	updated_at timestamp(3) with time zone
);
COMMENT ON TYPE formd.webhook_row IS 'A webhook, as functions return it.';

CREATE TABLE formd.forms (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    schema jsonb DEFAULT '{"fields": []}'::jsonb NOT NULL,
    settings jsonb DEFAULT '{"review": {"required": false}, "captcha": {"enabled": false}, "anonymous": {"enabled": true}, "challenge": {"required": false}}'::jsonb NOT NULL,
    published_settings jsonb,
    settings_in_force jsonb DEFAULT '{"review": {"required": false}, "captcha": {"enabled": false}, "anonymous": {"enabled": true}, "challenge": {"required": false}}'::jsonb NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    current_version integer DEFAULT 0 NOT NULL,
    has_limits boolean DEFAULT false NOT NULL,
    was_online boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    archived_at timestamp(3) with time zone,
    CONSTRAINT forms_archived_check CHECK (((status = 'archived'::text) = (archived_at IS NOT NULL))),
    CONSTRAINT forms_description_check CHECK ((char_length(description) <= 104857600)),
    CONSTRAINT forms_name_check CHECK (((char_length(name) <= 500) AND (name ~ '[^\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'::text))),
    CONSTRAINT forms_published_check CHECK (((status <> 'published'::text) OR (current_version > 0))),
    CONSTRAINT forms_published_settings_check CHECK ((jsonb_typeof(published_settings) = 'object'::text)),
    CONSTRAINT forms_schema_check CHECK ((jsonb_typeof((schema -> 'fields'::text)) = 'array'::text)),
    CONSTRAINT forms_settings_check CHECK ((jsonb_typeof(settings) = 'object'::text)),
    CONSTRAINT forms_settings_in_force_check CHECK ((jsonb_typeof(settings_in_force) = 'object'::text)),
    CONSTRAINT forms_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text])))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.forms IS 'A form''s draft and its settings. What respondents see is in form_versions and settings_in_force. Kept for good: archived, not deleted.';
COMMENT ON COLUMN formd.forms.schema IS 'The draft: an object whose member fields is the array of fields, in their order.';
COMMENT ON COLUMN formd.forms.settings IS 'As the last patch left them. Unknown members are kept.';
COMMENT ON COLUMN formd.forms.published_settings IS 'What a person published of those settings that decide who may fill the form in, where people are sent, who gets which mail and when submissions are deleted; null before the first publication.';
COMMENT ON COLUMN formd.forms.settings_in_force IS 'What submissions, pages and sessions go by: of settings and published_settings the stricter.';
COMMENT ON COLUMN formd.forms.status IS 'draft, published (at least once, and not archived) or archived.';
COMMENT ON COLUMN formd.forms.current_version IS 'The version that respondents see; 0 before the first. A patch of the draft does not change it.';
COMMENT ON COLUMN formd.forms.has_limits IS 'Whether the published version has options with a limit, which are in option_counts.';
COMMENT ON COLUMN formd.forms.was_online IS 'Whether people could open its page at some time: only then it is named while it is offline.';
COMMENT ON COLUMN formd.forms.updated_at IS 'Increases with every change: publishing compares it with what was checked.';

CREATE TABLE formd.grants (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    form_id uuid NOT NULL,
    scopes text[] NOT NULL,
    respondent_id uuid,
    binding_required boolean DEFAULT false NOT NULL,
    respondent text,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT grants_respondent_alone_check CHECK (((respondent IS NULL) OR (respondent_id IS NULL))),
    CONSTRAINT grants_respondent_check CHECK ((respondent = 'asserted'::text)),
    CONSTRAINT grants_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['agent:read'::text, 'agent:validate'::text, 'agent:submit'::text])))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.grants IS 'What one agent may do on one form. Read by each request, so that a change counts at once. Kept until it is removed.';
COMMENT ON COLUMN formd.grants.scopes IS 'agent:read, agent:validate, agent:submit. Only an operator grants the last one.';
COMMENT ON COLUMN formd.grants.respondent_id IS 'The respondent whom the agent submits for. Only an operator sets it.';
COMMENT ON COLUMN formd.grants.binding_required IS 'Whether the agent may submit for respondent_id only, and not at all while that is null.';
COMMENT ON COLUMN formd.grants.respondent IS 'asserted: the agent submits for the person of its session, whom an identity provider names, and for no other; null: respondent_id says for whom. Only an operator sets it.';

CREATE TABLE formd.webhooks (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    form_id uuid,
    url text NOT NULL,
    event_types text[] NOT NULL,
    payload text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    disabled_reason text,
    secret_version integer DEFAULT 1 NOT NULL,
    secret_key text NOT NULL,
    previous_secret_key text,
    previous_secret_ends_at timestamp(3) with time zone,
    failing_since_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT webhooks_disabled_check CHECK (((status = 'disabled'::text) = (disabled_reason IS NOT NULL))),
    CONSTRAINT webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
    CONSTRAINT webhooks_event_types_check CHECK (((cardinality(event_types) > 0) AND (event_types <@ ARRAY['submission.created'::text, 'submission.updated'::text, 'submission.reviewed'::text, 'submission.deleted'::text, 'form.published'::text, 'form.archived'::text, 'grant.changed'::text, 'agent.revoked'::text]))),
    CONSTRAINT webhooks_payload_check CHECK ((payload = ANY (ARRAY['thin'::text, 'full'::text]))),
    CONSTRAINT webhooks_previous_secret_key_check CHECK ((char_length(previous_secret_key) <= 16)),
    CONSTRAINT webhooks_secret_key_check CHECK ((char_length(secret_key) <= 16)),
    CONSTRAINT webhooks_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'disabled'::text]))),
    CONSTRAINT webhooks_url_check CHECK ((char_length(url) <= 2000))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.webhooks IS 'Where events of a workspace, or of one of its forms, are sent. Secrets are derived from the master key, and not stored. Kept until it is deleted.';
COMMENT ON COLUMN formd.webhooks.form_id IS 'Null: the events of every form of the workspace.';
COMMENT ON COLUMN formd.webhooks.url IS 'https, or http where a setting allows its network.';
COMMENT ON COLUMN formd.webhooks.event_types IS 'The events that are sent.';
COMMENT ON COLUMN formd.webhooks.payload IS 'thin: ids. full: also the submission or form as it is when it is sent.';
COMMENT ON COLUMN formd.webhooks.status IS 'paused: events wait. disabled: by formd, and new events are not recorded.';
COMMENT ON COLUMN formd.webhooks.disabled_reason IS 'gone: a response with 410. failing: no delivery succeeded for 120 hours.';
COMMENT ON COLUMN formd.webhooks.secret_version IS 'Goes into the derivation of the secrets; each rotation adds one.';
COMMENT ON COLUMN formd.webhooks.secret_key IS 'Fingerprint of the master key that the secrets are derived from.';
COMMENT ON COLUMN formd.webhooks.previous_secret_key IS 'The same of the previous secrets.';
COMMENT ON COLUMN formd.webhooks.previous_secret_ends_at IS 'Until then deliveries are signed with the previous version as well.';
COMMENT ON COLUMN formd.webhooks.failing_since_at IS 'The first failure since the last success.';

CREATE TABLE formd.agent_days (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    day integer NOT NULL,
    agent_id uuid NOT NULL,
    outcome text NOT NULL,
    total bigint NOT NULL,
    last_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT agent_days_outcome_check CHECK ((char_length(outcome) <= 100))
)
WITH (fillfactor='50', vacuum_truncate='false');
COMMENT ON TABLE formd.agent_days IS 'What became of an agent''s requests about a form on a day. Written as submission_days is. Kept for 90 days.';
COMMENT ON COLUMN formd.agent_days.day IS 'Days since 1970-01-01, UTC.';
COMMENT ON COLUMN formd.agent_days.outcome IS 'stored, or the code of the problem that the request was refused with.';
COMMENT ON COLUMN formd.agent_days.total IS 'Requests.';
COMMENT ON COLUMN formd.agent_days.last_at IS 'When the last ones were written.';

CREATE TABLE formd.agents (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    client_id text NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    secret_prefix text NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    disabled_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    CONSTRAINT agents_client_id_check CHECK ((char_length(client_id) <= 100)),
    CONSTRAINT agents_disabled_check CHECK (((status = 'disabled'::text) = (disabled_at IS NOT NULL))),
    CONSTRAINT agents_name_check CHECK (((char_length(name) <= 500) AND (name ~ '[^\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'::text))),
    CONSTRAINT agents_revoked_check CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
    CONSTRAINT agents_secret_prefix_check CHECK ((char_length(secret_prefix) <= 100)),
    CONSTRAINT agents_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'revoked'::text])))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.agents IS 'A program that submits. Kept for good, revoked agents too, since submissions refer to them.';
COMMENT ON COLUMN formd.agents.client_id IS 'The agent''s name in the token request.';
COMMENT ON COLUMN formd.agents.status IS 'active; disabled (can be enabled again) or revoked (for good): no credential works.';
COMMENT ON COLUMN formd.agents.secret_prefix IS 'The first characters of the secret, by which people tell secrets apart.';
COMMENT ON COLUMN formd.agents.secret_hash IS 'SHA-256 of the secret that is exchanged for a session.';

CREATE TABLE formd.api_keys (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    scopes text[] NOT NULL,
    key_prefix text NOT NULL,
    key_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    CONSTRAINT api_keys_expires_at_check CHECK ((expires_at > created_at)),
    CONSTRAINT api_keys_key_prefix_check CHECK ((char_length(key_prefix) <= 100)),
    CONSTRAINT api_keys_name_check CHECK ((char_length(name) <= 1000)),
    CONSTRAINT api_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['forms:read'::text, 'forms:write'::text, 'submissions:read'::text, 'submissions:update'::text, 'submissions:delete'::text, 'submissions:write'::text, 'webhooks:manage'::text, 'audit:read'::text, 'invitations:manage'::text])))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.api_keys IS 'A key of the management API. Kept for good, revoked and expired keys too, since the audit refers to them.';
COMMENT ON COLUMN formd.api_keys.scopes IS 'What the key may do.';
COMMENT ON COLUMN formd.api_keys.key_prefix IS 'The first characters of the key, by which people tell keys apart.';
COMMENT ON COLUMN formd.api_keys.key_hash IS 'SHA-256 of the key.';
COMMENT ON COLUMN formd.api_keys.last_used_at IS 'To the hour: written apart from the requests, so that a read writes nothing.';
COMMENT ON COLUMN formd.api_keys.expires_at IS 'From then on it is none, as a revoked one. Null: never.';

CREATE TABLE formd.audit_events (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    form_id uuid,
    object_type text NOT NULL,
    object_id uuid NOT NULL,
    actor_type text NOT NULL,
    actor_id uuid,
    request_id text,
    details jsonb NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT audit_events_actor_id_check CHECK (((actor_type <> 'operator'::text) OR (actor_id IS NOT NULL))),
    CONSTRAINT audit_events_actor_type_check CHECK ((actor_type = ANY (ARRAY['operator'::text, 'api_key'::text, 'agent'::text, 'anonymous'::text, 'cli'::text, 'system'::text, 'retention'::text, 'respondent'::text]))),
    CONSTRAINT audit_events_details_check CHECK ((jsonb_typeof(details) = 'object'::text)),
    CONSTRAINT audit_events_kind_check CHECK ((char_length(kind) <= 100)),
    CONSTRAINT audit_events_object_type_check CHECK ((char_length(object_type) <= 100)),
    CONSTRAINT audit_events_request_id_check CHECK ((char_length(request_id) <= 200))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02', autovacuum_freeze_min_age='0');
COMMENT ON TABLE formd.audit_events IS 'An act, for the audit. Inserted by formd.audit_record; no role may update or delete a row. Kept for good.';
COMMENT ON COLUMN formd.audit_events.id IS 'A UUIDv7: the order of the acts, with created_at inside.';
COMMENT ON COLUMN formd.audit_events.kind IS 'What was done to what, as form.published.';
COMMENT ON COLUMN formd.audit_events.form_id IS 'The form of an act on it, its access keys, its submissions or a grant on it.';
COMMENT ON COLUMN formd.audit_events.object_type IS 'The part of the kind before its dot: which table object_id refers to.';
COMMENT ON COLUMN formd.audit_events.object_id IS 'No foreign key: the event outlives the object.';
COMMENT ON COLUMN formd.audit_events.actor_type IS 'operator, api_key, agent, anonymous, cli (a person at a terminal), system (the server itself), retention (a rule, by which a submission was deleted) or respondent (who took a submission back).';
COMMENT ON COLUMN formd.audit_events.actor_id IS 'Null for cli, system, retention and respondent.';
COMMENT ON COLUMN formd.audit_events.request_id IS 'Id of the request in the server''s log, and after a space the x-request-id that the client sent; null for a command.';
COMMENT ON COLUMN formd.audit_events.details IS 'What the kind has to tell, as before and after where that is small. Never a secret, never submission data.';

CREATE TABLE formd.challenge_passes (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_analyze_scale_factor='0.05', vacuum_truncate='false');
COMMENT ON TABLE formd.challenge_passes IS 'Until when an agent may submit to a form that requires a challenge. Kept until it expires and is purged.';

CREATE TABLE formd.challenges (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    type text DEFAULT 'schema'::text NOT NULL,
    form_version integer NOT NULL,
    field_id text NOT NULL,
    prompt text NOT NULL,
    status text DEFAULT 'issued'::text NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    resolved_at timestamp(3) with time zone,
    CONSTRAINT challenges_attempts_check CHECK (((attempts >= 0) AND (attempts <= 3))),
    CONSTRAINT challenges_field_id_check CHECK ((char_length(field_id) <= 500)),
    CONSTRAINT challenges_prompt_check CHECK ((char_length(prompt) <= 1048576)),
    CONSTRAINT challenges_resolved_check CHECK (((status = 'issued'::text) = (resolved_at IS NULL))),
    CONSTRAINT challenges_status_check CHECK ((status = ANY (ARRAY['issued'::text, 'passed'::text, 'failed'::text]))),
    CONSTRAINT challenges_type_check CHECK ((type = 'schema'::text))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_analyze_scale_factor='0.05', vacuum_truncate='false');
COMMENT ON TABLE formd.challenges IS 'A question to an agent about one field''s rules. Kept for an hour after it expired (that is no status), then purged.';
COMMENT ON COLUMN formd.challenges.type IS 'schema: any value that the field''s rules accept.';
COMMENT ON COLUMN formd.challenges.field_id IS 'A field of form_version.';
COMMENT ON COLUMN formd.challenges.prompt IS 'The question, as the agent got it.';
COMMENT ON COLUMN formd.challenges.status IS 'issued, passed or failed (after the last attempt).';
COMMENT ON COLUMN formd.challenges.attempts IS 'Responses that were validated.';
COMMENT ON COLUMN formd.challenges.resolved_at IS 'When it was passed or failed.';

CREATE TABLE formd.feed_marks (
    xid xid8 NOT NULL,
    made_at timestamp(3) with time zone NOT NULL,
    bound_at timestamp(3) with time zone
)
WITH (vacuum_truncate='false');
COMMENT ON TABLE formd.feed_marks IS 'Instants, one a second, by which is known up to where everything stored can be read. Of no team. Kept for a day, then purged.';
COMMENT ON COLUMN formd.feed_marks.xid IS 'The transaction that made the mark.';
COMMENT ON COLUMN formd.feed_marks.made_at IS 'The time, at least a millisecond after the mark before. No id of a later transaction is before it.';
COMMENT ON COLUMN formd.feed_marks.bound_at IS 'Where a snapshot ends whose xmin is above xid: the mark before, on Citus one of two minutes ago.';

CREATE TABLE formd.file_totals (
    team_id uuid NOT NULL,
    bytes bigint NOT NULL,
    unclaimed_bytes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT file_totals_bytes_check CHECK ((bytes >= 0)),
    CONSTRAINT file_totals_unclaimed_bytes_check CHECK ((unclaimed_bytes >= 0))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.05');
COMMENT ON TABLE formd.file_totals IS 'Bytes of the files of a team, those that are arriving or to go included: what FILES_MAX_PER_TEAM limits. Kept for good.';
COMMENT ON COLUMN formd.file_totals.bytes IS 'The sum of files.size.';
COMMENT ON COLUMN formd.file_totals.unclaimed_bytes IS 'The part of it of files that no submission has claimed, which has a room of its own.';

CREATE TABLE formd.files (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    field_id text NOT NULL,
    submission_id uuid,
    state text NOT NULL,
    uploader text NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    type text NOT NULL,
    sha256 bytea,
    scan text DEFAULT 'none'::text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone,
    CONSTRAINT files_claimed_check CHECK (((state = 'claimed'::text) = (expires_at IS NULL))),
    CONSTRAINT files_field_id_check CHECK ((char_length(field_id) <= 500)),
    CONSTRAINT files_name_check CHECK ((char_length(name) <= 255)),
    CONSTRAINT files_scan_check CHECK ((scan = ANY (ARRAY['none'::text, 'pending'::text, 'clean'::text, 'infected'::text]))),
    CONSTRAINT files_sha256_check CHECK ((octet_length(sha256) = 32)),
    CONSTRAINT files_size_check CHECK ((size >= 0)),
    CONSTRAINT files_state_check CHECK ((state = ANY (ARRAY['uploading'::text, 'uploaded'::text, 'claimed'::text, 'deleted'::text]))),
    CONSTRAINT files_submission_check CHECK (((state <> 'claimed'::text) OR (submission_id IS NOT NULL))),
    CONSTRAINT files_type_check CHECK ((char_length(type) <= 200)),
    CONSTRAINT files_uploader_check CHECK ((char_length(uploader) <= 100))
)
WITH (autovacuum_vacuum_scale_factor='0.05');
COMMENT ON TABLE formd.files IS 'What was uploaded for a field of a form. The bytes are in FILES_URL, under the ids of team and file; the row is there before them and goes after them. Kept until its submission is deleted; an upload that no submission names for 24 hours, of a stranger for one.';
COMMENT ON COLUMN formd.files.field_id IS 'The field that it was uploaded for, and is claimed in.';
COMMENT ON COLUMN formd.files.state IS 'uploading: the bytes are arriving; uploaded; claimed by a submission; deleted: the bytes are to go.';
COMMENT ON COLUMN formd.files.uploader IS 'Who may claim it: agent, anonymous or api_key with the id, page with the SHA-256 of the page''s key, or draft with that of its token.';
COMMENT ON COLUMN formd.files.name IS 'As it was sent: text, and never a path. Empty once it is deleted.';
COMMENT ON COLUMN formd.files.size IS 'Bytes; while they are arriving, those for which there is room.';
COMMENT ON COLUMN formd.files.type IS 'Media type by the content; empty while it is arriving.';
COMMENT ON COLUMN formd.files.sha256 IS 'The digest of the bytes; null while they are arriving, and once it is deleted.';
COMMENT ON COLUMN formd.files.scan IS 'none: nothing scans; pending: nobody may download it; clean; infected: the bytes are gone.';
COMMENT ON COLUMN formd.files.expires_at IS 'When the sweep deletes it. Null: it is claimed.';

CREATE TABLE formd.form_access_keys (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    key_prefix text NOT NULL,
    key_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    CONSTRAINT form_access_keys_expires_at_check CHECK ((expires_at > created_at)),
    CONSTRAINT form_access_keys_key_prefix_check CHECK ((char_length(key_prefix) <= 100))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.form_access_keys IS 'A key that names a form to submitters. A form may have several, so that one can be replaced. Kept for good, revoked and expired keys too.';
COMMENT ON COLUMN formd.form_access_keys.key_prefix IS 'The first characters of the key, by which people tell keys apart.';
COMMENT ON COLUMN formd.form_access_keys.key_hash IS 'SHA-256 of the key.';
COMMENT ON COLUMN formd.form_access_keys.last_used_at IS 'To the hour: written apart from the requests, so that a submission costs nothing more.';
COMMENT ON COLUMN formd.form_access_keys.expires_at IS 'From then on it is none, as a revoked one. Null: never.';

CREATE TABLE formd.form_aliases (
    alias text NOT NULL,
    owner_team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    is_in_force boolean NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT form_aliases_alias_check CHECK (((char_length(alias) <= 40) AND (alias ~ '^[a-z0-9][a-z0-9-]*[a-z0-9]$'::text)))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.form_aliases IS 'settings.page.alias of every form that has one, and the published one; an archived form keeps its alias, so that no other form answers at a known address. Kept as long as the form has it.';
COMMENT ON COLUMN formd.form_aliases.alias IS 'unique in the installation';
COMMENT ON COLUMN formd.form_aliases.owner_team_id IS 'the team of the form; not named team_id, since tables with that column are distributed by it';
COMMENT ON COLUMN formd.form_aliases.is_in_force IS 'whether the form''s page answers at it; else it waits for publishing, and is kept for the form';

CREATE TABLE formd.form_followers (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    operator_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    seen_id uuid,
    feed_hash bytea,
    feed_made_at timestamp(3) with time zone,
    CONSTRAINT form_followers_feed_check CHECK (((feed_hash IS NULL) = (feed_made_at IS NULL)))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.form_followers IS 'What an operator has seen of a form''s submissions, and the operator''s news feed of it. Kept as long as the operator has the role in the form''s workspace.';
COMMENT ON COLUMN formd.form_followers.seen_id IS 'The newest submission when the operator last opened the list; null: never. No foreign key: it is a time.';
COMMENT ON COLUMN formd.form_followers.feed_hash IS 'SHA-256 of the token in the address of the feed; null: there is none.';
COMMENT ON COLUMN formd.form_followers.feed_made_at IS 'when the address of the feed was made';

CREATE TABLE formd.form_versions (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    description text,
    schema jsonb NOT NULL,
    draft_schema jsonb,
    published_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT form_versions_description_check CHECK ((char_length(description) <= 104857600)),
    CONSTRAINT form_versions_draft_schema_check CHECK ((jsonb_typeof((draft_schema -> 'fields'::text)) = 'array'::text)),
    CONSTRAINT form_versions_name_check CHECK ((char_length(name) <= 500)),
    CONSTRAINT form_versions_schema_check CHECK ((jsonb_typeof((schema -> 'fields'::text)) = 'array'::text)),
    CONSTRAINT form_versions_version_check CHECK ((version > 0))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.form_versions IS 'A form as it was published. Rows are inserted, and never updated. Kept for good.';
COMMENT ON COLUMN formd.form_versions.schema IS 'The draft''s schema at that time, with the lists that its fields name written out.';
COMMENT ON COLUMN formd.form_versions.draft_schema IS 'The draft''s schema at that time; null: as schema, since no field names a list.';

CREATE TABLE formd.holds (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    form_id uuid NOT NULL,
    submission_id uuid,
    reason text NOT NULL,
    placed_by uuid,
    placed_at timestamp(3) with time zone NOT NULL,
    released_by uuid,
    released_at timestamp(3) with time zone,
    CONSTRAINT holds_reason_check CHECK ((char_length(reason) <= 1000))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.holds IS 'What may not be deleted, by a person or by a rule, until it is released. Kept for good.';
COMMENT ON COLUMN formd.holds.submission_id IS 'Null: all that the form has and will have.';
COMMENT ON COLUMN formd.holds.reason IS 'As the person wrote it. The audit does not have it.';
COMMENT ON COLUMN formd.holds.placed_by IS 'The operator; null: a person at a terminal. No foreign key: the hold outlives the operator.';
COMMENT ON COLUMN formd.holds.placed_at IS 'As the id, a UUIDv7, has it.';
COMMENT ON COLUMN formd.holds.released_by IS 'As placed_by; null also while the hold is in force.';
COMMENT ON COLUMN formd.holds.released_at IS 'Null: the hold is in force.';

CREATE TABLE formd.idempotency_keys (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    caller_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    body_hash bytea NOT NULL,
    response jsonb,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT idempotency_keys_key_hash_check CHECK ((octet_length(key_hash) = 32))
)
WITH (autovacuum_vacuum_scale_factor='0.05', vacuum_truncate='false');
COMMENT ON TABLE formd.idempotency_keys IS 'The response to a submit with an Idempotency-Key. Kept for 24 hours, then purged.';
COMMENT ON COLUMN formd.idempotency_keys.caller_id IS 'Whose key it is: agent, anonymous session or API key.';
COMMENT ON COLUMN formd.idempotency_keys.key_hash IS 'SHA-256 of the key: no text of a caller outlives the deletion of what it sent.';
COMMENT ON COLUMN formd.idempotency_keys.body_hash IS 'SHA-256 of the request''s body: another body with the same key is an error.';
COMMENT ON COLUMN formd.idempotency_keys.response IS 'The data of the response; null only inside the transaction that stores it.';

CREATE TABLE formd.invitations (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    token_hash bytea NOT NULL,
    label text,
    sealed_email bytea,
    email_hash bytea,
    respondent_id uuid,
    prefill jsonb,
    language text,
    state text DEFAULT 'open'::text NOT NULL,
    submission_id uuid,
    claim_hash bytea,
    expires_at timestamp(3) with time zone NOT NULL,
    last_mailed_at timestamp(3) with time zone,
    mails smallint DEFAULT 0 NOT NULL,
    bounced boolean DEFAULT false NOT NULL,
    unsubscribed boolean DEFAULT false NOT NULL,
    created_by uuid,
    CONSTRAINT invitations_claim_hash_check CHECK ((octet_length(claim_hash) = 32)),
    CONSTRAINT invitations_email_hash_check CHECK ((octet_length(email_hash) = 32)),
    CONSTRAINT invitations_label_check CHECK ((char_length(label) <= 200)),
    CONSTRAINT invitations_language_check CHECK ((char_length(language) <= 50)),
    CONSTRAINT invitations_prefill_check CHECK ((jsonb_typeof(prefill) = 'object'::text)),
    CONSTRAINT invitations_prefill_size_check CHECK ((octet_length((prefill)::text) <= 32768)),
    CONSTRAINT invitations_sealed_email_check CHECK ((octet_length(sealed_email) <= 2000)),
    CONSTRAINT invitations_state_check CHECK ((state = ANY (ARRAY['open'::text, 'submitted'::text, 'revoked'::text]))),
    CONSTRAINT invitations_submission_check CHECK (((submission_id IS NULL) OR (state = 'submitted'::text))),
    CONSTRAINT invitations_token_hash_check CHECK ((octet_length(token_hash) = 32))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE ONLY formd.invitations ALTER COLUMN prefill SET STATISTICS 0;
COMMENT ON TABLE formd.invitations IS 'A person who is invited to fill in a form, with a link of its own. Kept for 90 days after it expires, then purged.';
COMMENT ON COLUMN formd.invitations.token_hash IS 'SHA-256 of the token in the link.';
COMMENT ON COLUMN formd.invitations.label IS 'The owner''s name for it. Blanked, as the address and the values, when it is revoked or the person is erased.';
COMMENT ON COLUMN formd.invitations.sealed_email IS 'The address, and the token for reminders, by AES-256-GCM with a key that is derived from the master key.';
COMMENT ON COLUMN formd.invitations.email_hash IS 'HMAC-SHA-256 of the address in lower case, with a key that is derived from the master key.';
COMMENT ON COLUMN formd.invitations.respondent_id IS 'The respondent whose submission it becomes. Only an operator sets it.';
COMMENT ON COLUMN formd.invitations.prefill IS 'Values that the page begins with, by field.';
COMMENT ON COLUMN formd.invitations.language IS 'That of the mail, and of the page until another is chosen.';
COMMENT ON COLUMN formd.invitations.state IS 'open; submitted: it was used; revoked: by the owner. No time: see settings.invitations.anonymous.';
COMMENT ON COLUMN formd.invitations.submission_id IS 'Null: none yet, or the form is anonymous.';
COMMENT ON COLUMN formd.invitations.claim_hash IS 'SHA-256 of what the page of an anonymous form proves its claim by. It is in no other table.';
COMMENT ON COLUMN formd.invitations.last_mailed_at IS 'When the last mail was or is due. Null: none.';
COMMENT ON COLUMN formd.invitations.mails IS 'The first mail and the reminders.';
COMMENT ON COLUMN formd.invitations.bounced IS 'Whether a mail server refused the address for good.';
COMMENT ON COLUMN formd.invitations.unsubscribed IS 'Whether the person wants no more mail of this form.';
COMMENT ON COLUMN formd.invitations.created_by IS 'The operator or the API key; null: a person at a terminal. No foreign key.';

CREATE TABLE formd.mails (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    form_id uuid,
    subject_id uuid,
    recipient_hash bytea,
    operator_id uuid,
    submissions integer DEFAULT 1 NOT NULL,
    digest_at timestamp(3) with time zone,
    state text DEFAULT 'due'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    leased_until_at timestamp(3) with time zone,
    gives_up_at timestamp(3) with time zone NOT NULL,
    last_error text,
    sent_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT mails_kind_check CHECK ((char_length(kind) <= 50)),
    CONSTRAINT mails_last_error_check CHECK ((char_length(last_error) <= 500)),
    CONSTRAINT mails_state_check CHECK ((state = ANY (ARRAY['due'::text, 'sent'::text, 'failed'::text, 'dropped'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02', vacuum_truncate='false');
COMMENT ON TABLE formd.mails IS 'Mails to send, without address and text: both are read when it is sent. Kept for 30 days, those of invitations for 60, then purged.';
COMMENT ON COLUMN formd.mails.kind IS 'notice: of a submission, to a recipient of settings.notify; digest: of several; copy: to who submitted; invitation: the first mail and each reminder, to who is invited. sign_in, passkey, password, api_key, webhook_disabled, key_expiry: to an operator.';
COMMENT ON COLUMN formd.mails.subject_id IS 'The submission, the invitation, or what a mail to an operator is about.';
COMMENT ON COLUMN formd.mails.recipient_hash IS 'SHA-256 of the entry in settings.notify.recipients; null: an operator, or the address in the submission.';
COMMENT ON COLUMN formd.mails.submissions IS 'How many a digest has.';
COMMENT ON COLUMN formd.mails.digest_at IS 'When the time ends that a digest is about.';
COMMENT ON COLUMN formd.mails.state IS 'due: to be sent, perhaps again; failed: for good; dropped: there was nothing to send, or no recipient.';
COMMENT ON COLUMN formd.mails.attempts IS 'Attempts that were begun.';
COMMENT ON COLUMN formd.mails.due_at IS 'The next attempt; while a server sends it, when the lease ends.';
COMMENT ON COLUMN formd.mails.leased_until_at IS 'Null: no server is sending it.';
COMMENT ON COLUMN formd.mails.gives_up_at IS 'From then on it is not tried.';
COMMENT ON COLUMN formd.mails.last_error IS 'Why the last attempt failed, or why there was none.';
COMMENT ON COLUMN formd.mails.sent_at IS 'When the mail server last took it.';

CREATE TABLE formd.master_keys (
    fingerprint text NOT NULL,
    state text NOT NULL,
    sealed bytea,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT master_keys_fingerprint_check CHECK ((char_length(fingerprint) <= 16)),
    CONSTRAINT master_keys_sealed_check CHECK (((state <> 'sealed'::text) OR (sealed IS NOT NULL))),
    CONSTRAINT master_keys_state_check CHECK ((state = ANY (ARRAY['current'::text, 'sealed'::text, 'lost'::text])))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.master_keys IS 'The master keys that servers had: by fingerprint, so that a server with another one is refused. No team owns them. Kept for good.';
COMMENT ON COLUMN formd.master_keys.fingerprint IS 'Derived from the key, as all that is made with it.';
COMMENT ON COLUMN formd.master_keys.state IS 'current: servers have it. sealed: a previous one. lost: the current one has taken its place.';
COMMENT ON COLUMN formd.master_keys.sealed IS 'The key, encrypted by the current one (AES-256-GCM): what it has made stays valid.';

CREATE TABLE formd.nonces (
    team_id uuid NOT NULL,
    holder_id uuid NOT NULL,
    nonce bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.05', vacuum_truncate='false');
COMMENT ON TABLE formd.nonces IS 'A nonce that a signed request has used. Logged: after a crash no request passes twice. Kept until it expires and is purged.';
COMMENT ON COLUMN formd.nonces.holder_id IS 'The signing key; of an assertion that names a person, the agent that it is for.';
COMMENT ON COLUMN formd.nonces.nonce IS 'Its bytes; unique per holder until it expires.';
COMMENT ON COLUMN formd.nonces.expires_at IS 'When the signature itself is too old for every clock.';

CREATE TABLE formd.operator_invitations (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    token_hash bytea NOT NULL,
    invited_by uuid,
    is_seen boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT operator_invitations_email_check CHECK (((email = lower(email)) AND (email <> ''::text))),
    CONSTRAINT operator_invitations_email_length_check CHECK ((char_length(email) <= 1000)),
    CONSTRAINT operator_invitations_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'editor'::text, 'viewer'::text])))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.operator_invitations IS 'A role in a workspace that a person has not accepted yet. Kept until it is accepted or ended, or until it expires and is purged.';
COMMENT ON COLUMN formd.operator_invitations.email IS 'In lower case. The person may have an account or not.';
COMMENT ON COLUMN formd.operator_invitations.role IS 'That the person gets.';
COMMENT ON COLUMN formd.operator_invitations.token_hash IS 'SHA-256 of the token in the link.';
COMMENT ON COLUMN formd.operator_invitations.invited_by IS 'The operator who made it, without whose role of admin it ends; null: a person at a terminal.';
COMMENT ON COLUMN formd.operator_invitations.is_seen IS 'True: the link was shown to that operator; false: it was only mailed, or made at a terminal.';

CREATE TABLE formd.operator_passkeys (
    id uuid NOT NULL,
    operator_id uuid NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    name text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    CONSTRAINT operator_passkeys_counter_check CHECK ((counter >= 0)),
    CONSTRAINT operator_passkeys_credential_id_check CHECK (((octet_length(credential_id) >= 1) AND (octet_length(credential_id) <= 1023))),
    CONSTRAINT operator_passkeys_name_check CHECK ((char_length(name) <= 1000))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.operator_passkeys IS 'A passkey of an operator (WebAuthn). Kept until it is removed, or the operator is.';
COMMENT ON COLUMN formd.operator_passkeys.credential_id IS 'By which the authenticator names it; at most 1,023 bytes (WebAuthn level 3, section 4).';
COMMENT ON COLUMN formd.operator_passkeys.public_key IS 'A COSE key (RFC 9052).';
COMMENT ON COLUMN formd.operator_passkeys.counter IS 'The authenticator''s signature counter; a response with no higher one is refused. 0: it does not count.';
COMMENT ON COLUMN formd.operator_passkeys.name IS 'Given by the person.';
COMMENT ON COLUMN formd.operator_passkeys.last_used_at IS 'Null: never.';

CREATE TABLE formd.operator_sessions (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    operator_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    device text,
    client_ip text,
    created_at timestamp(3) with time zone NOT NULL,
    proved_at timestamp(3) with time zone NOT NULL,
    passkey_at timestamp(3) with time zone,
    provider_session text,
    seen_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT operator_sessions_client_ip_check CHECK ((char_length(client_ip) <= 100)),
    CONSTRAINT operator_sessions_device_check CHECK ((char_length(device) <= 200)),
    CONSTRAINT operator_sessions_provider_session_check CHECK ((char_length(provider_session) <= 255))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_analyze_scale_factor='0.05', vacuum_truncate='false');
COMMENT ON TABLE formd.operator_sessions IS 'An operator who is signed in to one team. Kept until the sign-out, or until it expires and is purged.';
COMMENT ON COLUMN formd.operator_sessions.token_hash IS 'SHA-256 of the cookie''s value.';
COMMENT ON COLUMN formd.operator_sessions.device IS 'Browser and system, as the person knows them: of the User-Agent of the sign-in.';
COMMENT ON COLUMN formd.operator_sessions.client_ip IS 'The client IP of the sign-in; null where LOG_CLIENT_IP is false.';
COMMENT ON COLUMN formd.operator_sessions.proved_at IS 'When the person gave the password, used a passkey or signed in at the identity provider last; a risky act asks again 15 minutes later.';
COMMENT ON COLUMN formd.operator_sessions.passkey_at IS 'When the person used a passkey last; null: never.';
COMMENT ON COLUMN formd.operator_sessions.provider_session IS 'The sid of the identity provider, by which it ends the session; null: it has named none.';
COMMENT ON COLUMN formd.operator_sessions.seen_at IS 'Last use; the idle limit counts from it. Updated at most once a minute.';

CREATE TABLE formd.operators (
    id uuid NOT NULL,
    email text NOT NULL,
    connection_id uuid,
    subject text,
    password_salt text,
    password_hash bytea,
    password_allowed_until_at timestamp(3) with time zone,
    password_set_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    is_unconfirmed boolean DEFAULT false NOT NULL,
    reset_hash bytea,
    reset_expires_at timestamp(3) with time zone,
    reset_made_by uuid,
    created_at timestamp(3) with time zone NOT NULL,
    mails_off text[] DEFAULT '{}'::text[] NOT NULL,
    language text,
    CONSTRAINT operators_email_check CHECK (((email = lower(email)) AND (email <> ''::text))),
    CONSTRAINT operators_email_length_check CHECK ((char_length(email) <= 1000)),
    CONSTRAINT operators_identity_check CHECK (
CASE
    WHEN (connection_id IS NULL) THEN ((subject IS NULL) AND (password_salt IS NOT NULL) AND (password_hash IS NOT NULL))
    ELSE ((subject IS NOT NULL) AND (password_hash IS NULL) AND (reset_hash IS NULL))
END),
    CONSTRAINT operators_language_check CHECK ((language = ANY (ARRAY['en'::text, 'de'::text]))),
    CONSTRAINT operators_mails_off_check CHECK ((mails_off <@ ARRAY['webhook_disabled'::text, 'key_expiry'::text])),
    CONSTRAINT operators_password_salt_check CHECK ((char_length(password_salt) <= 200)),
    CONSTRAINT operators_subject_check CHECK ((char_length(subject) <= 255))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.operators IS 'A person who signs in to the console. Of no team: roles say in which workspaces the person works. Kept until operator remove, or until its connection is removed.';
COMMENT ON COLUMN formd.operators.email IS 'In lower case. Unique among accounts with a password; others are known by connection and subject.';
COMMENT ON COLUMN formd.operators.connection_id IS 'The identity provider that vouches for the person; null: an account with a password.';
COMMENT ON COLUMN formd.operators.subject IS 'By which that provider names the person, for good.';
COMMENT ON COLUMN formd.operators.password_salt IS 'scrypt$N$r$p$salt, the salt in base64url: what deriving the hash again takes.';
COMMENT ON COLUMN formd.operators.password_hash IS '64 bytes of scrypt. Compared by operator_login; no function returns it.';
COMMENT ON COLUMN formd.operators.password_allowed_until_at IS 'Until then the password works although a connection is required: it was set at a terminal.';
COMMENT ON COLUMN formd.operators.password_set_at IS 'When the password was chosen; of an account by a connection, when it was made. Device cookies of before that are not known any more.';
COMMENT ON COLUMN formd.operators.is_unconfirmed IS 'True: the password was chosen by a link that an admin had seen, and not since by one only mailed, or made at a terminal. Shown to the admins of every team.';
COMMENT ON COLUMN formd.operators.reset_hash IS 'SHA-256 of the link to choose a new password; null when there is none, or once it was used.';
COMMENT ON COLUMN formd.operators.reset_expires_at IS 'When that link stops working.';
COMMENT ON COLUMN formd.operators.reset_made_by IS 'The admin who made that link; null: nobody.';
COMMENT ON COLUMN formd.operators.mails_off IS 'Kinds of mails that the operator has switched off; of those that can be.';
COMMENT ON COLUMN formd.operators.language IS 'The console''s language, as the operator has chosen it; null: that of the browser.';

CREATE TABLE formd.option_counts (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    field_id text NOT NULL,
    value jsonb NOT NULL,
    max_total integer NOT NULL,
    total integer NOT NULL,
    CONSTRAINT option_counts_field_id_check CHECK ((char_length(field_id) <= 200)),
    CONSTRAINT option_counts_max_total_check CHECK ((max_total >= 0)),
    CONSTRAINT option_counts_value_check CHECK (((jsonb_typeof(value) = ANY (ARRAY['string'::text, 'number'::text, 'boolean'::text])) AND (char_length((value #>> '{}'::text[])) <= 200)))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000', vacuum_truncate='false');
COMMENT ON TABLE formd.option_counts IS 'How many submissions of a form have an option that has a limit in the published version. Fillfactor 50 leaves room for HOT updates. Kept until a version without the limit is published.';
COMMENT ON COLUMN formd.option_counts.field_id IS 'The field that has the option.';
COMMENT ON COLUMN formd.option_counts.value IS 'The value of the option, as submissions hold it.';
COMMENT ON COLUMN formd.option_counts.max_total IS 'The limit.';
COMMENT ON COLUMN formd.option_counts.total IS 'Above max_total where there were more submissions already when the limit was published.';

CREATE TABLE formd.page_drafts (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    sealed bytea NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT page_drafts_sealed_check CHECK ((octet_length(sealed) <= 65536)),
    CONSTRAINT page_drafts_token_hash_check CHECK ((octet_length(token_hash) = 32))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.05', vacuum_truncate='false', toast.autovacuum_vacuum_scale_factor='0.05', toast.vacuum_truncate='false');
ALTER TABLE ONLY formd.page_drafts ALTER COLUMN sealed SET STATISTICS 0;
ALTER TABLE ONLY formd.page_drafts ALTER COLUMN sealed SET STORAGE EXTERNAL;
COMMENT ON TABLE formd.page_drafts IS 'What a respondent has saved to continue later: no submission yet. Kept until it is sent, or for the days that the form gives, then purged.';
COMMENT ON COLUMN formd.page_drafts.token_hash IS 'SHA-256 of the token in the link.';
COMMENT ON COLUMN formd.page_drafts.sealed IS 'The entered values, by AES-256-GCM with a key that is derived from the master key and the token: neither this database nor the server can open it without the link.';
COMMENT ON COLUMN formd.page_drafts.updated_at IS 'The last save, by which two devices are told apart.';
COMMENT ON COLUMN formd.page_drafts.expires_at IS 'The end of a day (UTC).';

CREATE TABLE formd.passkey_challenges (
    challenge_hash bytea NOT NULL,
    operator_id uuid,
    expires_at timestamp(3) with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_analyze_scale_factor='0.05', vacuum_truncate='false');
COMMENT ON TABLE formd.passkey_challenges IS 'What an authenticator is asked to sign, and the state of a sign-in by a connection. Kept until the response, or until it expires and is purged.';
COMMENT ON COLUMN formd.passkey_challenges.challenge_hash IS 'SHA-256 of the challenge or state as text.';
COMMENT ON COLUMN formd.passkey_challenges.operator_id IS 'Who registers a passkey; null: a sign-in.';

CREATE TABLE formd.progress_days (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    day integer NOT NULL,
    form_version integer NOT NULL,
    kind text NOT NULL,
    step integer NOT NULL,
    total bigint NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT progress_days_kind_check CHECK ((kind = ANY (ARRAY['opened'::text, 'begun'::text, 'step'::text, 'sent'::text, 'sent_within'::text]))),
    CONSTRAINT progress_days_step_check CHECK (((step >= 0) AND (step <= 500)))
)
WITH (fillfactor='50', vacuum_truncate='false');
COMMENT ON TABLE formd.progress_days IS 'How far respondents got on a form''s page on a day: numbers, and nobody''s row. Written as submission_days is. Kept for 90 days.';
COMMENT ON COLUMN formd.progress_days.day IS 'Days since 1970-01-01, UTC.';
COMMENT ON COLUMN formd.progress_days.kind IS 'opened; begun: something was sent or saved from the page; step: this one was reached; sent; sent_within: by the time from opening to sending.';
COMMENT ON COLUMN formd.progress_days.step IS 'The number of the step, from 1; of sent_within n for less than 2 to the n seconds, 16 for more; else 0.';
COMMENT ON COLUMN formd.progress_days.total IS 'Pages that were opened or sent, by the kind.';

CREATE UNLOGGED TABLE formd.rate_limits (
    key text NOT NULL,
    times bigint[] NOT NULL,
    counts integer[] NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', vacuum_truncate='false');
ALTER TABLE ONLY formd.rate_limits ALTER COLUMN times SET STATISTICS 0;
ALTER TABLE ONLY formd.rate_limits ALTER COLUMN counts SET STATISTICS 0;
COMMENT ON TABLE formd.rate_limits IS 'The times of the last requests of one key; of an ALTCHA solution, which is limited to one, its use. Of no team, and UNLOGGED: a crash resets the counts of a minute, and a solution of the last 10 minutes could be used once more. Kept until the last request leaves its window, a minute or those 10 minutes, then purged.';
COMMENT ON COLUMN formd.rate_limits.key IS 'The key: what is limited and for whom, as submit:ip:192.0.2.1.';
COMMENT ON COLUMN formd.rate_limits.times IS 'Microseconds since 1970, ascending.';
COMMENT ON COLUMN formd.rate_limits.counts IS 'Requests counted at each of times.';
COMMENT ON COLUMN formd.rate_limits.expires_at IS 'When the last request leaves the window.';

CREATE TABLE formd.receipt_keys (
    team_id uuid NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    public_key bytea NOT NULL,
    statement text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT receipt_keys_name_check CHECK ((char_length(name) <= 2000)),
    CONSTRAINT receipt_keys_statement_check CHECK ((char_length(statement) <= 10000))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.receipt_keys IS 'The public keys of receipts; the last one signs. Private keys are derived from the master key. Kept for good.';
COMMENT ON COLUMN formd.receipt_keys.name IS 'The name of the key in a signed note: BASE_URL/receipts/<team>.';
COMMENT ON COLUMN formd.receipt_keys.public_key IS 'Ed25519, 32 bytes.';
COMMENT ON COLUMN formd.receipt_keys.statement IS 'A signed note by the previous key and by the server, from the master key: a row without it is no key.';

CREATE TABLE formd.submissions (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    form_version integer NOT NULL,
    status text NOT NULL,
    submitter_type text NOT NULL,
    submitter_id uuid NOT NULL,
    respondent_id uuid,
    provenance text NOT NULL,
    declared_agent text,
    data jsonb NOT NULL,
    metadata jsonb,
    request_digest bytea,
    salt uuid DEFAULT gen_random_uuid() NOT NULL,
    review_decision text,
    review_reason text,
    reviewed_at timestamp(3) with time zone,
    reviewed_by uuid,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    completed_at timestamp(3) with time zone,
    CONSTRAINT submissions_completed_check CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
    CONSTRAINT submissions_data_check CHECK ((jsonb_typeof(data) = 'object'::text)),
    CONSTRAINT submissions_declared_agent_check CHECK ((char_length(declared_agent) <= 300)),
    CONSTRAINT submissions_declared_agent_given_check CHECK (((declared_agent IS NOT NULL) = (provenance = 'declared_agent'::text))),
    CONSTRAINT submissions_provenance_check CHECK ((provenance = ANY (ARRAY['person'::text, 'declared_agent'::text, 'agent'::text, 'agent_signed'::text, 'agent_for_person'::text, 'owner'::text]))),
    CONSTRAINT submissions_review_decision_check CHECK ((review_decision = ANY (ARRAY['approved'::text, 'rejected'::text]))),
    CONSTRAINT submissions_review_reason_check CHECK ((char_length(review_reason) <= 1000)),
    CONSTRAINT submissions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'partial'::text]))),
    CONSTRAINT submissions_submitter_check CHECK ((submitter_type = ANY (ARRAY['agent'::text, 'anonymous'::text, 'api_key'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_insert_scale_factor='0.01', autovacuum_analyze_scale_factor='0.01', autovacuum_freeze_min_age='0');
ALTER TABLE ONLY formd.submissions ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE ONLY formd.submissions ALTER COLUMN metadata SET STATISTICS 0;
COMMENT ON TABLE formd.submissions IS 'What a respondent or an agent submitted to a form. The id is a UUIDv7 with created_at inside, so that the key is the order as well. Kept until it is deleted.';
COMMENT ON COLUMN formd.submissions.form_version IS 'The version that the data was validated with.';
COMMENT ON COLUMN formd.submissions.status IS 'completed; pending: waits for a review; partial: required values are missing.';
COMMENT ON COLUMN formd.submissions.submitter_type IS 'agent, anonymous or api_key: which table submitter_id refers to (sessions for anonymous).';
COMMENT ON COLUMN formd.submissions.submitter_id IS 'The agent, the anonymous session or the API key; no foreign key, since sessions are purged.';
COMMENT ON COLUMN formd.submissions.respondent_id IS 'Whom an agent submitted for: as the agent says, or of agent_for_person, as an identity provider does.';
COMMENT ON COLUMN formd.submissions.provenance IS 'What is proven of who sent it: person (an anonymous session), declared_agent (a program on the page, by the keys of its origin), agent, agent_signed, agent_for_person (respondent_id, by an identity provider) or owner (an API key).';
COMMENT ON COLUMN formd.submissions.declared_agent IS 'The origin whose key has signed the request of a program on the page.';
COMMENT ON COLUMN formd.submissions.data IS 'Values by field id.';
COMMENT ON COLUMN formd.submissions.metadata IS 'What the submitter sent beside the data.';
COMMENT ON COLUMN formd.submissions.request_digest IS 'SHA-256 of the exact body of the request, for the receipt; null: it came in no request, as the example of the set-up.';
COMMENT ON COLUMN formd.submissions.salt IS 'Random, for the commitment of the receipt to the data: deleted with the row, it leaves nothing that a guess could be tested with.';
COMMENT ON COLUMN formd.submissions.review_decision IS 'approved; rejected: stays pending, and waits for review no more. Null: not reviewed, or reopened.';
COMMENT ON COLUMN formd.submissions.review_reason IS 'As the reviewer gave it.';
COMMENT ON COLUMN formd.submissions.reviewed_at IS 'When the decision was made.';
COMMENT ON COLUMN formd.submissions.reviewed_by IS 'The operator or API key; the audit has which.';
COMMENT ON COLUMN formd.submissions.updated_at IS 'Increases with every change: an edit names the one that it is based on.';

CREATE VIEW formd.report_submissions WITH (security_barrier='true') AS
 SELECT s.team_id,
    s.form_id,
    s.id,
    s.form_version,
    s.status,
    s.submitter_type,
    s.created_at,
    s.updated_at,
    s.completed_at,
    s.provenance
   FROM formd.submissions s;
COMMENT ON VIEW formd.report_submissions IS 'A submission without its values, for the group formd_report.';

CREATE TABLE formd.respondents (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT respondents_issuer_check CHECK ((char_length(issuer) <= 2000)),
    CONSTRAINT respondents_subject_check CHECK ((char_length(subject) <= 255))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.respondents IS 'A person for whom agents submit, as an identity provider names the person. Kept as long as a submission, a grant or a session names it, and 30 days after the last assertion; or until the person is erased.';
COMMENT ON COLUMN formd.respondents.issuer IS 'The identity provider.';
COMMENT ON COLUMN formd.respondents.subject IS 'By which it names the person, for good.';
COMMENT ON COLUMN formd.respondents.expires_at IS 'From then on it is purged; while a submission or a grant names it, it is looked at again every 30 days.';

CREATE TABLE formd.schema_migrations (
    version character varying(128) NOT NULL
);
COMMENT ON TABLE formd.schema_migrations IS 'The migrations that were applied, by dbmate. Kept for good.';

CREATE TABLE formd.sessions (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    agent_id uuid,
    respondent_id uuid,
    connection_id uuid,
    form_id uuid,
    token_hash bytea NOT NULL,
    ends_with_secret boolean DEFAULT false NOT NULL,
    scopes text[],
    resource text,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT sessions_agent_check CHECK (((kind = 'agent'::text) = (agent_id IS NOT NULL))),
    CONSTRAINT sessions_form_check CHECK (((kind = 'anonymous'::text) = (form_id IS NOT NULL))),
    CONSTRAINT sessions_kind_check CHECK ((kind = ANY (ARRAY['agent'::text, 'anonymous'::text]))),
    CONSTRAINT sessions_resource_check CHECK ((resource = 'mcp'::text)),
    CONSTRAINT sessions_respondent_check CHECK (((respondent_id IS NULL) OR ((kind = 'agent'::text) AND (resource IS NOT NULL)))),
    CONSTRAINT sessions_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['agent:read'::text, 'agent:validate'::text, 'agent:submit'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_analyze_scale_factor='0.05', vacuum_truncate='false');
COMMENT ON TABLE formd.sessions IS 'A respondent token: an agent on every form that it has a grant for, or anyone on one form. Kept until it expires and is purged.';
COMMENT ON COLUMN formd.sessions.kind IS 'agent or anonymous.';
COMMENT ON COLUMN formd.sessions.agent_id IS 'The agent whose session it is; null in an anonymous one.';
COMMENT ON COLUMN formd.sessions.respondent_id IS 'The person for whom the agent acts, as an identity provider has said; null: nobody has.';
COMMENT ON COLUMN formd.sessions.connection_id IS 'In a session for a person: the connection that has named the person, without which it ends.';
COMMENT ON COLUMN formd.sessions.form_id IS 'In an anonymous session: the only form that it is valid for.';
COMMENT ON COLUMN formd.sessions.token_hash IS 'SHA-256 of the token.';
COMMENT ON COLUMN formd.sessions.ends_with_secret IS 'The session is that of an agent''s secret at /mcp: a new secret ends it.';
COMMENT ON COLUMN formd.sessions.scopes IS 'What an OAuth client has asked for: a call needs the scope here and in the grant. Null: every scope.';
COMMENT ON COLUMN formd.sessions.resource IS 'Where the token is valid: mcp, at /mcp only. Null: everywhere.';

CREATE TABLE formd.setup_links (
    token_hash bytea NOT NULL,
    is_only boolean NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT setup_links_is_only_check CHECK (is_only)
);
COMMENT ON TABLE formd.setup_links IS 'The link that makes the first operator: one row, of the latest start. Kept until it is used.';
COMMENT ON COLUMN formd.setup_links.token_hash IS 'SHA-256 of the token in the link.';
COMMENT ON COLUMN formd.setup_links.is_only IS 'True: there is one row at most.';

CREATE TABLE formd.sign_in_connections (
    id uuid NOT NULL,
    team_id uuid,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    sealed_secret bytea NOT NULL,
    secret_key text NOT NULL,
    email_domains text[] NOT NULL,
    groups_claim text NOT NULL,
    scopes text[] NOT NULL,
    roles jsonb NOT NULL,
    is_required boolean NOT NULL,
    accepts_agents boolean NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT sign_in_connections_client_id_check CHECK ((char_length(client_id) <= 1000)),
    CONSTRAINT sign_in_connections_domains_check CHECK ((cardinality(email_domains) <= 20)),
    CONSTRAINT sign_in_connections_groups_claim_check CHECK ((char_length(groups_claim) <= 200)),
    CONSTRAINT sign_in_connections_issuer_check CHECK ((char_length(issuer) <= 2000)),
    CONSTRAINT sign_in_connections_name_check CHECK ((char_length(name) <= 1000)),
    CONSTRAINT sign_in_connections_roles_check CHECK (((jsonb_typeof(roles) = 'array'::text) AND (octet_length((roles)::text) <= 100000))),
    CONSTRAINT sign_in_connections_scopes_check CHECK ((cardinality(scopes) <= 20)),
    CONSTRAINT sign_in_connections_secret_check CHECK ((octet_length(sealed_secret) <= 10000)),
    CONSTRAINT sign_in_connections_secret_key_check CHECK ((char_length(secret_key) <= 16))
);
COMMENT ON TABLE formd.sign_in_connections IS 'An identity provider (OpenID Connect) by which persons sign in. Kept until it is removed, with the accounts of the persons whom it vouches for.';
COMMENT ON COLUMN formd.sign_in_connections.team_id IS 'Null: of the installation, made at a terminal.';
COMMENT ON COLUMN formd.sign_in_connections.issuer IS 'Never changed: it is a part of who a person is.';
COMMENT ON COLUMN formd.sign_in_connections.client_id IS 'The provider''s name of formd.';
COMMENT ON COLUMN formd.sign_in_connections.sealed_secret IS 'The client secret, encrypted (AES-256-GCM) by a key that is derived from the master key for this row.';
COMMENT ON COLUMN formd.sign_in_connections.secret_key IS 'Fingerprint of that master key.';
COMMENT ON COLUMN formd.sign_in_connections.email_domains IS 'In lower case. Only addresses of these get in; is_required refuses their passwords.';
COMMENT ON COLUMN formd.sign_in_connections.groups_claim IS 'The claim that has the groups of a person.';
COMMENT ON COLUMN formd.sign_in_connections.scopes IS 'Asked for beside openid, email and profile. Empty: groups, if the provider offers it and a role needs it.';
COMMENT ON COLUMN formd.sign_in_connections.roles IS 'Objects of group (*: everybody), teamId, workspaceId, role: the highest of a workspace counts.';
COMMENT ON COLUMN formd.sign_in_connections.is_required IS 'Whether accounts with a password, of these domains, sign in to the team no more.';
COMMENT ON COLUMN formd.sign_in_connections.accepts_agents IS 'Whether it may say for which person an agent acts. In a key, so that a change waits for sessions that are being made by it: their foreign key locks the connection.';

CREATE TABLE formd.signing_keys (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    key_id text NOT NULL,
    thumbprint text NOT NULL,
    alg text DEFAULT 'ed25519'::text NOT NULL,
    public_key_pem text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    CONSTRAINT signing_keys_alg_check CHECK ((alg = ANY (ARRAY['ed25519'::text, 'es256'::text]))),
    CONSTRAINT signing_keys_key_id_check CHECK ((char_length(key_id) <= 100)),
    CONSTRAINT signing_keys_public_key_pem_check CHECK ((char_length(public_key_pem) <= 2000)),
    CONSTRAINT signing_keys_revoked_check CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
    CONSTRAINT signing_keys_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text]))),
    CONSTRAINT signing_keys_thumbprint_check CHECK ((char_length(thumbprint) <= 100))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.signing_keys IS 'An agent''s public key for signed requests (RFC 9421). Kept for good, expired and revoked keys too.';
COMMENT ON COLUMN formd.signing_keys.key_id IS 'key_ and the first 16 hex characters of the SHA-256 of the PEM text as it was sent.';
COMMENT ON COLUMN formd.signing_keys.thumbprint IS 'JWK SHA-256 thumbprint (RFC 7638, RFC 8037) of the public key, by which a request of Web Bot Auth names it.';
COMMENT ON COLUMN formd.signing_keys.alg IS 'The signature algorithm: ed25519, or es256 (ECDSA with P-256), which verifies assertions of OAuth only.';
COMMENT ON COLUMN formd.signing_keys.public_key_pem IS 'SubjectPublicKeyInfo in PEM, as it was sent.';
COMMENT ON COLUMN formd.signing_keys.status IS 'active or revoked (for good).';
COMMENT ON COLUMN formd.signing_keys.expires_at IS 'The key verifies nothing from then on; null: it does not expire. The row stays.';

CREATE TABLE formd.submission_changes (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    id uuid NOT NULL,
    submission_id uuid NOT NULL,
    kind text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT submission_changes_kind_check CHECK ((kind = ANY (ARRAY['edited'::text, 'reviewed'::text, 'deleted'::text])))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', vacuum_truncate='false');
COMMENT ON TABLE formd.submission_changes IS 'The changes of submissions, for who reads them by a cursor: which one, and when, by the id. No value, and not who. Kept for 30 days.';
COMMENT ON COLUMN formd.submission_changes.kind IS 'Only deleted matters: the others are for people.';

CREATE TABLE formd.submission_counts (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    status text NOT NULL,
    slot smallint NOT NULL,
    total bigint NOT NULL,
    has_limits boolean DEFAULT false NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000', vacuum_truncate='false');
COMMENT ON TABLE formd.submission_counts IS 'A share of a form''s number of submissions: the sum of the slots is the number. Fillfactor 50 leaves room for HOT updates. Kept for good.';
COMMENT ON COLUMN formd.submission_counts.slot IS 'From the backend''s process id, so that transactions rarely update the same row.';
COMMENT ON COLUMN formd.submission_counts.total IS 'May be below zero in one slot.';
COMMENT ON COLUMN formd.submission_counts.has_limits IS 'As that of the form. Publishing takes every slot to change it: a submission that has read the form before finds it in its slot, and begins again.';

CREATE TABLE formd.submission_days (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    day integer NOT NULL,
    status text NOT NULL,
    provenance text NOT NULL,
    total bigint NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT submission_days_provenance_check CHECK ((provenance = ANY (ARRAY['person'::text, 'declared_agent'::text, 'agent'::text, 'agent_signed'::text, 'agent_for_person'::text, 'owner'::text]))),
    CONSTRAINT submission_days_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'partial'::text])))
)
WITH (fillfactor='50', vacuum_truncate='false');
COMMENT ON TABLE formd.submission_days IS 'How many submissions a form received on a day, by the status that they have now. Servers count in memory and write some seconds later; one that is killed loses those. Fillfactor 50 leaves room for HOT updates. Kept for 90 days.';
COMMENT ON COLUMN formd.submission_days.day IS 'Days since 1970-01-01, UTC.';
COMMENT ON COLUMN formd.submission_days.status IS 'As that of the submissions.';
COMMENT ON COLUMN formd.submission_days.provenance IS 'As that of the submissions.';
COMMENT ON COLUMN formd.submission_days.total IS 'Below zero where a submission was changed before it was counted.';

CREATE TABLE formd.submission_edits (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    submission_id uuid NOT NULL,
    id uuid NOT NULL,
    field_id text NOT NULL,
    old_value jsonb,
    new_value jsonb,
    actor_type text NOT NULL,
    actor_id uuid,
    request_id text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    erased_at timestamp(3) with time zone,
    CONSTRAINT submission_edits_actor_id_check CHECK (((actor_type = 'respondent'::text) OR (actor_id IS NOT NULL))),
    CONSTRAINT submission_edits_actor_type_check CHECK ((actor_type = ANY (ARRAY['operator'::text, 'api_key'::text, 'respondent'::text]))),
    CONSTRAINT submission_edits_erased_check CHECK (((erased_at IS NULL) OR ((old_value IS NULL) AND (new_value IS NULL)))),
    CONSTRAINT submission_edits_field_id_check CHECK ((char_length(field_id) <= 500)),
    CONSTRAINT submission_edits_request_id_check CHECK ((char_length(request_id) <= 200))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02', autovacuum_freeze_min_age='0');
COMMENT ON TABLE formd.submission_edits IS 'An edit of one value, for the audit. Erasing the submission sets both values to null; nothing else changes a row. Kept for good.';
COMMENT ON COLUMN formd.submission_edits.old_value IS 'Null: there was none, or it is erased.';
COMMENT ON COLUMN formd.submission_edits.new_value IS 'Null: the value was removed, or it is erased.';
COMMENT ON COLUMN formd.submission_edits.actor_type IS 'operator, api_key or respondent (who sent it, by the link for changes).';
COMMENT ON COLUMN formd.submission_edits.actor_id IS 'Null for a respondent. No foreign key: the edit outlives the operator.';
COMMENT ON COLUMN formd.submission_edits.request_id IS 'Id of the request in the server''s log, and after a space the x-request-id that the client sent.';
COMMENT ON COLUMN formd.submission_edits.erased_at IS 'When the submission was erased.';

CREATE TABLE formd.submission_erasures (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    submission_id uuid NOT NULL,
    field_ids text[] NOT NULL,
    actor_type text NOT NULL,
    actor_id uuid,
    request_id text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT submission_erasures_actor_id_check CHECK (((actor_type = ANY (ARRAY['cli'::text, 'retention'::text, 'respondent'::text])) OR (actor_id IS NOT NULL))),
    CONSTRAINT submission_erasures_actor_type_check CHECK ((actor_type = ANY (ARRAY['operator'::text, 'api_key'::text, 'cli'::text, 'retention'::text, 'respondent'::text]))),
    CONSTRAINT submission_erasures_field_ids_check CHECK ((cardinality(field_ids) <= 10000)),
    CONSTRAINT submission_erasures_request_id_check CHECK ((char_length(request_id) <= 200))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02', autovacuum_freeze_min_age='0');
COMMENT ON TABLE formd.submission_erasures IS 'The deletion of a submission, for the audit: who, when, and the fields that had values. Kept for good.';
COMMENT ON COLUMN formd.submission_erasures.field_ids IS 'The fields that had a value.';
COMMENT ON COLUMN formd.submission_erasures.actor_type IS 'operator, api_key, cli (a person at a terminal), retention (the rule of the form) or respondent (who sent it, and took it back).';
COMMENT ON COLUMN formd.submission_erasures.actor_id IS 'Null for cli, retention and respondent.';
COMMENT ON COLUMN formd.submission_erasures.request_id IS 'Id of the request in the server''s log, and after a space the x-request-id that the client sent.';

CREATE TABLE formd.submission_signatures (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    submission_id uuid NOT NULL,
    key_id text NOT NULL,
    signature_input text NOT NULL,
    signature text NOT NULL,
    CONSTRAINT submission_signatures_key_id_check CHECK ((char_length(key_id) <= 100)),
    CONSTRAINT submission_signatures_signature_check CHECK ((char_length(signature) <= 200)),
    CONSTRAINT submission_signatures_signature_input_check CHECK ((char_length(signature_input) <= 2000))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02', autovacuum_freeze_min_age='0');
COMMENT ON TABLE formd.submission_signatures IS 'The signatures of submissions that came as signed requests, for their receipts. Kept until submission_delete deletes the submission: no foreign key, which would forbid to detach a part of submissions.';
COMMENT ON COLUMN formd.submission_signatures.key_id IS 'As the request named it.';
COMMENT ON COLUMN formd.submission_signatures.signature_input IS 'The member sig1 of Signature-Input.';
COMMENT ON COLUMN formd.submission_signatures.signature IS 'The member sig1 of Signature.';

CREATE TABLE formd.teams (
    team_id uuid NOT NULL,
    name text NOT NULL,
    retention jsonb,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT teams_name_check CHECK (((char_length(name) <= 1000) AND (name ~ '[^\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'::text))),
    CONSTRAINT teams_retention_check CHECK ((retention ? 'deleteAfter'::text))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.teams IS 'A tenant. team_id is the first column of every other key. Kept for good.';
COMMENT ON COLUMN formd.teams.retention IS 'As settings.retention of a form, for the forms that have none; null: they keep their submissions.';

CREATE TABLE formd.validation_errors (
    team_id uuid NOT NULL,
    form_id uuid NOT NULL,
    day integer NOT NULL,
    form_version integer NOT NULL,
    field_id text NOT NULL,
    code text NOT NULL,
    total bigint NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT validation_errors_code_check CHECK ((char_length(code) <= 100)),
    CONSTRAINT validation_errors_field_id_check CHECK ((char_length(field_id) <= 128))
)
WITH (fillfactor='50', vacuum_truncate='false');
COMMENT ON TABLE formd.validation_errors IS 'How many payloads had an error on a day, rejected submissions and dry runs. Written as submission_days is. Kept for 90 days.';
COMMENT ON COLUMN formd.validation_errors.day IS 'Days since 1970-01-01, UTC.';
COMMENT ON COLUMN formd.validation_errors.field_id IS 'A field of the version. Empty: the payload had a field that the version does not have.';
COMMENT ON COLUMN formd.validation_errors.code IS 'A field code of the API.';
COMMENT ON COLUMN formd.validation_errors.total IS 'Payloads.';

CREATE TABLE formd.webhook_attempts (
    team_id uuid NOT NULL,
    event_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    attempt integer NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer NOT NULL,
    response_status integer,
    error text,
    response_start text,
    CONSTRAINT webhook_attempts_error_check CHECK ((char_length(error) <= 500)),
    CONSTRAINT webhook_attempts_response_start_check CHECK ((char_length(response_start) <= 1000))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02', vacuum_truncate='false');
COMMENT ON TABLE formd.webhook_attempts IS 'The last 10 requests of each delivery. Kept as long as the delivery.';
COMMENT ON COLUMN formd.webhook_attempts.attempt IS 'From 1.';
COMMENT ON COLUMN formd.webhook_attempts.started_at IS 'When the request began.';
COMMENT ON COLUMN formd.webhook_attempts.duration_ms IS 'Until the response was read, or the error.';
COMMENT ON COLUMN formd.webhook_attempts.response_status IS 'Null: there was no response.';
COMMENT ON COLUMN formd.webhook_attempts.error IS 'Null: it succeeded.';
COMMENT ON COLUMN formd.webhook_attempts.response_start IS 'The first characters of the response to a failure; a deletion of the submission blanks it.';

CREATE TABLE formd.webhook_batches (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    webhook_ids uuid[] NOT NULL,
    submission_ids uuid[] NOT NULL,
    form_ids uuid[] NOT NULL,
    form_versions integer[] NOT NULL,
    statuses text[] NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate='false');
COMMENT ON TABLE formd.webhook_batches IS 'The submissions of one commit of which a webhook or a mail may tell. Usually empty. Kept until a worker has written their events, at most for 30 days.';
COMMENT ON COLUMN formd.webhook_batches.id IS 'The id of its first submission.';
COMMENT ON COLUMN formd.webhook_batches.webhook_ids IS 'The webhooks of the team that listened to submissions, of whichever form; none: for mails alone.';
COMMENT ON COLUMN formd.webhook_batches.submission_ids IS 'In the order of the commit.';
COMMENT ON COLUMN formd.webhook_batches.form_ids IS 'The form of each submission, in the same order.';
COMMENT ON COLUMN formd.webhook_batches.form_versions IS 'The version of that form, in the same order.';
COMMENT ON COLUMN formd.webhook_batches.statuses IS 'The status of each submission when it was stored, in the same order.';

CREATE TABLE formd.webhook_deliveries (
    team_id uuid NOT NULL,
    event_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    state text DEFAULT 'due'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    leased_until_at timestamp(3) with time zone,
    last_status integer,
    last_error text,
    delivered_at timestamp(3) with time zone,
    CONSTRAINT webhook_deliveries_delivered_check CHECK (((state <> 'delivered'::text) OR (delivered_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_last_error_check CHECK ((char_length(last_error) <= 500)),
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['due'::text, 'delivered'::text, 'failed'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02', vacuum_truncate='false');
COMMENT ON TABLE formd.webhook_deliveries IS 'One event for one webhook. Kept as long as both.';
COMMENT ON COLUMN formd.webhook_deliveries.state IS 'due: to be sent at due_at. failed: the last retry has failed.';
COMMENT ON COLUMN formd.webhook_deliveries.attempts IS 'Begun so far; it tells the leases of a delivery apart.';
COMMENT ON COLUMN formd.webhook_deliveries.due_at IS 'When it is sent next; while it is leased, the end of the lease, when another server may send it.';
COMMENT ON COLUMN formd.webhook_deliveries.leased_until_at IS 'Null: no server is sending it.';
COMMENT ON COLUMN formd.webhook_deliveries.last_status IS 'The HTTP status of the last attempt; null: there was no response.';
COMMENT ON COLUMN formd.webhook_deliveries.last_error IS 'Why the last attempt failed.';
COMMENT ON COLUMN formd.webhook_deliveries.delivered_at IS 'The last success.';

CREATE TABLE formd.webhook_events (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    workspace_id uuid NOT NULL,
    form_id uuid,
    subject_id uuid NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT webhook_events_data_check CHECK ((jsonb_typeof(data) = 'object'::text)),
    CONSTRAINT webhook_events_type_check CHECK ((char_length(type) <= 50))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02', vacuum_truncate='false');
COMMENT ON TABLE formd.webhook_events IS 'What happened, when a webhook listened. No submitted data: a full payload is read when it is sent. Kept for 30 days, then purged.';
COMMENT ON COLUMN formd.webhook_events.id IS 'A UUIDv7; of submission.created the id of the submission.';
COMMENT ON COLUMN formd.webhook_events.type IS 'Such as submission.created.';
COMMENT ON COLUMN formd.webhook_events.subject_id IS 'The submission, form or agent that it is about.';
COMMENT ON COLUMN formd.webhook_events.data IS 'Members of the payload beside the ids, such as the version that was published.';

CREATE TABLE formd.workspace_roles (
    team_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    operator_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT workspace_roles_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'editor'::text, 'viewer'::text])))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.workspace_roles IS 'What an operator may do in a workspace. Kept until it is removed, or the operator is.';
COMMENT ON COLUMN formd.workspace_roles.role IS 'admin and editor may write, viewer may read.';

CREATE TABLE formd.workspaces (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    editors_may_publish boolean DEFAULT true NOT NULL,
    requires_passkey boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT workspaces_name_check CHECK (((char_length(name) <= 1000) AND (name ~ '[^\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'::text)))
)
WITH (autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE formd.workspaces IS 'A part of a team: forms and agents are in one, operators have a role in one. Kept for good.';
COMMENT ON COLUMN formd.workspaces.editors_may_publish IS 'Whether an editor may publish, archive and restore forms; an admin may.';
COMMENT ON COLUMN formd.workspaces.requires_passkey IS 'Whether publishing, grants and keys take a passkey that was used within 5 minutes.';

ALTER TABLE ONLY formd.agent_days
    ADD CONSTRAINT agent_days_pkey PRIMARY KEY (team_id, form_id, day, agent_id, outcome);
ALTER TABLE ONLY formd.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (team_id, key_hash);
ALTER TABLE ONLY formd.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.challenge_passes
    ADD CONSTRAINT challenge_passes_pkey PRIMARY KEY (team_id, form_id, agent_id);
ALTER TABLE ONLY formd.challenges
    ADD CONSTRAINT challenges_pkey PRIMARY KEY (team_id, form_id, id);
ALTER TABLE ONLY formd.feed_marks
    ADD CONSTRAINT feed_marks_pkey PRIMARY KEY (xid);
ALTER TABLE ONLY formd.file_totals
    ADD CONSTRAINT file_totals_pkey PRIMARY KEY (team_id);
ALTER TABLE ONLY formd.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (team_id, form_id, id);
ALTER TABLE ONLY formd.form_access_keys
    ADD CONSTRAINT form_access_keys_hash_key UNIQUE (team_id, form_id, key_hash);
ALTER TABLE ONLY formd.form_access_keys
    ADD CONSTRAINT form_access_keys_pkey PRIMARY KEY (team_id, form_id, id);
ALTER TABLE ONLY formd.form_aliases
    ADD CONSTRAINT form_aliases_pkey PRIMARY KEY (alias);
ALTER TABLE ONLY formd.form_followers
    ADD CONSTRAINT form_followers_feed_key UNIQUE (team_id, feed_hash);
ALTER TABLE ONLY formd.form_followers
    ADD CONSTRAINT form_followers_pkey PRIMARY KEY (team_id, form_id, operator_id);
ALTER TABLE ONLY formd.form_versions
    ADD CONSTRAINT form_versions_pkey PRIMARY KEY (team_id, form_id, version);
ALTER TABLE ONLY formd.forms
    ADD CONSTRAINT forms_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.grants
    ADD CONSTRAINT grants_agent_form_key UNIQUE (team_id, agent_id, form_id);
ALTER TABLE ONLY formd.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (team_id, form_id, caller_id, key_hash);
ALTER TABLE ONLY formd.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (team_id, form_id, id);
ALTER TABLE ONLY formd.invitations
    ADD CONSTRAINT invitations_token_key UNIQUE (team_id, form_id, token_hash);
ALTER TABLE ONLY formd.mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.master_keys
    ADD CONSTRAINT master_keys_pkey PRIMARY KEY (fingerprint);
ALTER TABLE ONLY formd.nonces
    ADD CONSTRAINT nonces_pkey PRIMARY KEY (team_id, holder_id, nonce);
ALTER TABLE ONLY formd.operator_invitations
    ADD CONSTRAINT operator_invitations_email_key UNIQUE (team_id, workspace_id, email);
ALTER TABLE ONLY formd.operator_invitations
    ADD CONSTRAINT operator_invitations_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.operator_invitations
    ADD CONSTRAINT operator_invitations_token_key UNIQUE (team_id, token_hash);
ALTER TABLE ONLY formd.operator_passkeys
    ADD CONSTRAINT operator_passkeys_credential_key UNIQUE (credential_id);
ALTER TABLE ONLY formd.operator_passkeys
    ADD CONSTRAINT operator_passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY formd.operator_sessions
    ADD CONSTRAINT operator_sessions_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.operators
    ADD CONSTRAINT operators_pkey PRIMARY KEY (id);
ALTER TABLE ONLY formd.option_counts
    ADD CONSTRAINT option_counts_pkey PRIMARY KEY (team_id, form_id, field_id, value);
ALTER TABLE ONLY formd.page_drafts
    ADD CONSTRAINT page_drafts_pkey PRIMARY KEY (team_id, form_id, token_hash);
ALTER TABLE ONLY formd.passkey_challenges
    ADD CONSTRAINT passkey_challenges_pkey PRIMARY KEY (challenge_hash);
ALTER TABLE ONLY formd.progress_days
    ADD CONSTRAINT progress_days_pkey PRIMARY KEY (team_id, form_id, day, form_version, kind, step);
ALTER TABLE ONLY formd.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);
ALTER TABLE ONLY formd.receipt_keys
    ADD CONSTRAINT receipt_keys_pkey PRIMARY KEY (team_id, version);
ALTER TABLE ONLY formd.respondents
    ADD CONSTRAINT respondents_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.respondents
    ADD CONSTRAINT respondents_subject_key UNIQUE (team_id, issuer, subject);
ALTER TABLE ONLY formd.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_token_key UNIQUE (team_id, token_hash);
ALTER TABLE ONLY formd.setup_links
    ADD CONSTRAINT setup_links_pkey PRIMARY KEY (is_only);
ALTER TABLE ONLY formd.sign_in_connections
    ADD CONSTRAINT sign_in_connections_agents_key UNIQUE (id, accepts_agents);
ALTER TABLE ONLY formd.sign_in_connections
    ADD CONSTRAINT sign_in_connections_pkey PRIMARY KEY (id);
ALTER TABLE ONLY formd.signing_keys
    ADD CONSTRAINT signing_keys_key_id_key UNIQUE (team_id, key_id);
ALTER TABLE ONLY formd.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.submission_changes
    ADD CONSTRAINT submission_changes_pkey PRIMARY KEY (team_id, form_id, id);
ALTER TABLE ONLY formd.submission_counts
    ADD CONSTRAINT submission_counts_pkey PRIMARY KEY (team_id, form_id, status, slot);
ALTER TABLE ONLY formd.submission_days
    ADD CONSTRAINT submission_days_pkey PRIMARY KEY (team_id, form_id, day, status, provenance);
ALTER TABLE ONLY formd.submission_edits
    ADD CONSTRAINT submission_edits_pkey PRIMARY KEY (team_id, form_id, submission_id, id);
ALTER TABLE ONLY formd.submission_erasures
    ADD CONSTRAINT submission_erasures_pkey PRIMARY KEY (team_id, form_id, submission_id);
ALTER TABLE ONLY formd.submission_signatures
    ADD CONSTRAINT submission_signatures_pkey PRIMARY KEY (team_id, form_id, submission_id);
ALTER TABLE ONLY formd.submissions
    ADD CONSTRAINT submissions_pkey PRIMARY KEY (team_id, form_id, id);
ALTER TABLE ONLY formd.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (team_id);
ALTER TABLE ONLY formd.validation_errors
    ADD CONSTRAINT validation_errors_pkey PRIMARY KEY (team_id, form_id, day, form_version, field_id, code);
ALTER TABLE ONLY formd.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (team_id, event_id, webhook_id, attempt);
ALTER TABLE ONLY formd.webhook_batches
    ADD CONSTRAINT webhook_batches_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (team_id, event_id, webhook_id);
ALTER TABLE ONLY formd.webhook_events
    ADD CONSTRAINT webhook_events_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (team_id, id);
ALTER TABLE ONLY formd.workspace_roles
    ADD CONSTRAINT workspace_roles_pkey PRIMARY KEY (team_id, workspace_id, operator_id);
ALTER TABLE ONLY formd.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (team_id, id);

CREATE INDEX agent_days_agent_idx ON formd.agent_days USING btree (team_id, agent_id, day);
CREATE INDEX agent_days_expiry_idx ON formd.agent_days USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX agents_client_id_idx ON formd.agents USING btree (client_id);
CREATE UNIQUE INDEX agents_client_id_key ON formd.agents USING btree (team_id, client_id) WHERE (client_id IS NOT NULL);
CREATE UNIQUE INDEX agents_secret_key ON formd.agents USING btree (team_id, secret_hash) WHERE (secret_hash IS NOT NULL);
CREATE INDEX agents_workspace_idx ON formd.agents USING btree (workspace_id, team_id, id) WHERE (workspace_id IS NOT NULL);
CREATE INDEX audit_events_actor_idx ON formd.audit_events USING btree (team_id, actor_id, id) WHERE (actor_id IS NOT NULL);
CREATE INDEX audit_events_actor_kind_idx ON formd.audit_events USING btree (team_id, actor_id, kind, id) WHERE (actor_id IS NOT NULL);
CREATE INDEX audit_events_form_idx ON formd.audit_events USING btree (team_id, form_id, id) WHERE (form_id IS NOT NULL);
CREATE INDEX audit_events_kind_idx ON formd.audit_events USING btree (team_id, kind, id);
CREATE INDEX audit_events_object_idx ON formd.audit_events USING btree (team_id, object_id, id);
CREATE INDEX challenge_passes_agent_idx ON formd.challenge_passes USING btree (agent_id, team_id, form_id);
CREATE INDEX challenge_passes_expiry_idx ON formd.challenge_passes USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX challenges_agent_idx ON formd.challenges USING btree (agent_id, team_id, form_id, expires_at) WHERE (agent_id IS NOT NULL);
CREATE INDEX challenges_expiry_idx ON formd.challenges USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX challenges_id_idx ON formd.challenges USING btree (id);
CREATE INDEX challenges_version_idx ON formd.challenges USING btree (form_version, form_id, team_id) WHERE (form_version IS NOT NULL);
CREATE INDEX files_expiry_idx ON formd.files USING btree ((expires_at AT TIME ZONE 'UTC'::text)) WHERE (expires_at IS NOT NULL);
CREATE INDEX files_scan_idx ON formd.files USING btree (id) WHERE (scan = 'pending'::text);
CREATE INDEX files_submission_idx ON formd.files USING btree (team_id, form_id, submission_id) WHERE (submission_id IS NOT NULL);
CREATE INDEX form_aliases_form_idx ON formd.form_aliases USING btree (owner_team_id, form_id);
CREATE INDEX form_followers_role_idx ON formd.form_followers USING btree (operator_id, team_id, workspace_id);
CREATE INDEX forms_list_idx ON formd.forms USING btree (team_id, id) INCLUDE (workspace_id, status);
CREATE INDEX forms_workspace_idx ON formd.forms USING btree (workspace_id, team_id, id) WHERE (workspace_id IS NOT NULL);
CREATE INDEX grants_form_idx ON formd.grants USING btree (form_id, team_id, agent_id) WHERE (form_id IS NOT NULL);
CREATE INDEX grants_respondent_idx ON formd.grants USING btree (team_id, respondent_id) WHERE (respondent_id IS NOT NULL);
CREATE UNIQUE INDEX holds_active_key ON formd.holds USING btree (team_id, form_id, submission_id) NULLS NOT DISTINCT WHERE (released_at IS NULL);
CREATE INDEX holds_form_idx ON formd.holds USING btree (team_id, form_id, id);
CREATE INDEX idempotency_keys_expiry_idx ON formd.idempotency_keys USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX invitations_email_idx ON formd.invitations USING btree (team_id, form_id, email_hash) WHERE (email_hash IS NOT NULL);
CREATE INDEX invitations_expiry_idx ON formd.invitations USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX invitations_respondent_idx ON formd.invitations USING btree (team_id, respondent_id) WHERE (respondent_id IS NOT NULL);
CREATE INDEX invitations_state_idx ON formd.invitations USING btree (state, team_id, form_id, id);
CREATE INDEX invitations_submission_idx ON formd.invitations USING btree (team_id, form_id, submission_id) WHERE (submission_id IS NOT NULL);
CREATE UNIQUE INDEX mails_digest_key ON formd.mails USING btree (team_id, form_id, recipient_hash, digest_at) WHERE (kind = 'digest'::text);
CREATE INDEX mails_due_idx ON formd.mails USING btree (team_id, due_at) WHERE (state = 'due'::text);
CREATE INDEX mails_expiry_idx ON formd.mails USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX mails_form_idx ON formd.mails USING btree (team_id, form_id, id);
CREATE UNIQUE INDEX mails_key_expiry_key ON formd.mails USING btree (team_id, operator_id, subject_id) WHERE (kind = 'key_expiry'::text);
CREATE INDEX mails_operator_idx ON formd.mails USING btree (operator_id);
CREATE INDEX mails_state_idx ON formd.mails USING btree (team_id, form_id, state, id) WHERE (state <> 'sent'::text);
CREATE INDEX nonces_expiry_idx ON formd.nonces USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX operator_invitations_expiry_idx ON formd.operator_invitations USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX operator_passkeys_operator_idx ON formd.operator_passkeys USING btree (operator_id);
CREATE INDEX operator_sessions_expiry_idx ON formd.operator_sessions USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX operator_sessions_operator_idx ON formd.operator_sessions USING btree (operator_id);
CREATE UNIQUE INDEX operator_sessions_token_key ON formd.operator_sessions USING btree (team_id, token_hash) WHERE (token_hash IS NOT NULL);
CREATE UNIQUE INDEX operators_connection_key ON formd.operators USING btree (connection_id, subject) WHERE (connection_id IS NOT NULL);
CREATE UNIQUE INDEX operators_email_key ON formd.operators USING btree (email) WHERE (connection_id IS NULL);
CREATE INDEX page_drafts_expiry_idx ON formd.page_drafts USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX passkey_challenges_expiry_idx ON formd.passkey_challenges USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX passkey_challenges_operator_idx ON formd.passkey_challenges USING btree (operator_id) WHERE (operator_id IS NOT NULL);
CREATE INDEX progress_days_expiry_idx ON formd.progress_days USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX respondents_expiry_idx ON formd.respondents USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX sessions_agent_idx ON formd.sessions USING btree (team_id, agent_id, expires_at) WHERE (agent_id IS NOT NULL);
CREATE INDEX sessions_connection_idx ON formd.sessions USING btree (connection_id) WHERE (connection_id IS NOT NULL);
CREATE INDEX sessions_expiry_idx ON formd.sessions USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX sessions_form_idx ON formd.sessions USING btree (team_id, form_id, expires_at) WHERE (form_id IS NOT NULL);
CREATE INDEX sessions_respondent_idx ON formd.sessions USING btree (team_id, respondent_id) WHERE (respondent_id IS NOT NULL);
CREATE INDEX sign_in_connections_team_idx ON formd.sign_in_connections USING btree (team_id);
CREATE INDEX signing_keys_agent_idx ON formd.signing_keys USING btree (agent_id, team_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX signing_keys_expiry_idx ON formd.signing_keys USING btree ((expires_at AT TIME ZONE 'UTC'::text)) WHERE ((status = 'active'::text) AND (expires_at IS NOT NULL));
CREATE INDEX signing_keys_thumbprint_idx ON formd.signing_keys USING btree (team_id, thumbprint) WHERE (thumbprint IS NOT NULL);
CREATE INDEX submission_changes_expiry_idx ON formd.submission_changes USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX submission_days_expiry_idx ON formd.submission_days USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX submission_erasures_time_idx ON formd.submission_erasures USING btree (created_at, submission_id);
CREATE INDEX submissions_agent_idx ON formd.submissions USING btree (team_id, form_id, submitter_id, id) WHERE (submitter_type = 'agent'::text);
CREATE INDEX submissions_provenance_idx ON formd.submissions USING btree (team_id, form_id, provenance, id) WHERE (provenance = ANY (ARRAY['declared_agent'::text, 'agent_signed'::text, 'agent_for_person'::text, 'owner'::text]));
CREATE INDEX submissions_respondent_idx ON formd.submissions USING btree (team_id, form_id, respondent_id, id) WHERE (respondent_id IS NOT NULL);
CREATE INDEX submissions_review_open_idx ON formd.submissions USING btree (team_id, form_id, id) WHERE ((status = 'pending'::text) AND (review_decision IS NULL));
CREATE INDEX submissions_review_rejected_idx ON formd.submissions USING btree (team_id, form_id, id) WHERE ((status = 'pending'::text) AND (review_decision = 'rejected'::text));
CREATE INDEX submissions_status_idx ON formd.submissions USING btree (status, team_id, form_id, id) WHERE (status <> 'completed'::text);
CREATE INDEX validation_errors_expiry_idx ON formd.validation_errors USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX webhook_deliveries_due_idx ON formd.webhook_deliveries USING btree (team_id, webhook_id, LEAST(attempts, 1), due_at) WHERE (state = 'due'::text);
CREATE INDEX webhook_deliveries_leased_idx ON formd.webhook_deliveries USING btree (team_id, webhook_id) WHERE (leased_until_at IS NOT NULL);
CREATE INDEX webhook_deliveries_state_idx ON formd.webhook_deliveries USING btree (team_id, webhook_id, state, event_id) WHERE (state <> 'delivered'::text);
CREATE INDEX webhook_deliveries_webhook_idx ON formd.webhook_deliveries USING btree (team_id, webhook_id, event_id);
CREATE INDEX webhook_events_expiry_idx ON formd.webhook_events USING btree ((expires_at AT TIME ZONE 'UTC'::text));
CREATE INDEX webhook_events_subject_idx ON formd.webhook_events USING btree (team_id, subject_id) WHERE (id <> subject_id);
CREATE INDEX webhooks_form_idx ON formd.webhooks USING btree (team_id, form_id);
CREATE INDEX webhooks_workspace_idx ON formd.webhooks USING btree (team_id, workspace_id);
CREATE INDEX workspace_roles_operator_idx ON formd.workspace_roles USING btree (operator_id, created_at);

ALTER TABLE ONLY formd.agents
    ADD CONSTRAINT agents_workspace_fkey FOREIGN KEY (team_id, workspace_id) REFERENCES formd.workspaces(team_id, id) ON DELETE RESTRICT;
ALTER TABLE ONLY formd.api_keys
    ADD CONSTRAINT api_keys_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.audit_events
    ADD CONSTRAINT audit_events_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE RESTRICT;
ALTER TABLE ONLY formd.challenge_passes
    ADD CONSTRAINT challenge_passes_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.challenge_passes
    ADD CONSTRAINT challenge_passes_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.challenges
    ADD CONSTRAINT challenges_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.challenges
    ADD CONSTRAINT challenges_version_fkey FOREIGN KEY (team_id, form_id, form_version) REFERENCES formd.form_versions(team_id, form_id, version) ON DELETE CASCADE;
ALTER TABLE ONLY formd.file_totals
    ADD CONSTRAINT file_totals_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.form_access_keys
    ADD CONSTRAINT form_access_keys_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.form_followers
    ADD CONSTRAINT form_followers_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.form_followers
    ADD CONSTRAINT form_followers_role_fkey FOREIGN KEY (team_id, workspace_id, operator_id) REFERENCES formd.workspace_roles(team_id, workspace_id, operator_id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.form_versions
    ADD CONSTRAINT form_versions_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.forms
    ADD CONSTRAINT forms_workspace_fkey FOREIGN KEY (team_id, workspace_id) REFERENCES formd.workspaces(team_id, id) ON DELETE RESTRICT;
ALTER TABLE ONLY formd.grants
    ADD CONSTRAINT grants_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.grants
    ADD CONSTRAINT grants_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.holds
    ADD CONSTRAINT holds_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.invitations
    ADD CONSTRAINT invitations_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.mails
    ADD CONSTRAINT mails_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.mails
    ADD CONSTRAINT mails_operator_fkey FOREIGN KEY (operator_id) REFERENCES formd.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.operator_invitations
    ADD CONSTRAINT operator_invitations_workspace_fkey FOREIGN KEY (team_id, workspace_id) REFERENCES formd.workspaces(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.operator_passkeys
    ADD CONSTRAINT operator_passkeys_operator_fkey FOREIGN KEY (operator_id) REFERENCES formd.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.operator_sessions
    ADD CONSTRAINT operator_sessions_operator_fkey FOREIGN KEY (operator_id) REFERENCES formd.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.operator_sessions
    ADD CONSTRAINT operator_sessions_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.operators
    ADD CONSTRAINT operators_connection_fkey FOREIGN KEY (connection_id) REFERENCES formd.sign_in_connections(id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.option_counts
    ADD CONSTRAINT option_counts_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.receipt_keys
    ADD CONSTRAINT receipt_keys_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.respondents
    ADD CONSTRAINT respondents_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_connection_fkey FOREIGN KEY (connection_id) REFERENCES formd.sign_in_connections(id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.sessions
    ADD CONSTRAINT sessions_respondent_fkey FOREIGN KEY (team_id, respondent_id) REFERENCES formd.respondents(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.signing_keys
    ADD CONSTRAINT signing_keys_agent_fkey FOREIGN KEY (team_id, agent_id) REFERENCES formd.agents(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.webhook_attempts
    ADD CONSTRAINT webhook_attempts_delivery_fkey FOREIGN KEY (team_id, event_id, webhook_id) REFERENCES formd.webhook_deliveries(team_id, event_id, webhook_id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_event_fkey FOREIGN KEY (team_id, event_id) REFERENCES formd.webhook_events(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_webhook_fkey FOREIGN KEY (team_id, webhook_id) REFERENCES formd.webhooks(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.webhooks
    ADD CONSTRAINT webhooks_form_fkey FOREIGN KEY (team_id, form_id) REFERENCES formd.forms(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.webhooks
    ADD CONSTRAINT webhooks_workspace_fkey FOREIGN KEY (team_id, workspace_id) REFERENCES formd.workspaces(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.workspace_roles
    ADD CONSTRAINT workspace_roles_operator_fkey FOREIGN KEY (operator_id) REFERENCES formd.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.workspace_roles
    ADD CONSTRAINT workspace_roles_workspace_fkey FOREIGN KEY (team_id, workspace_id) REFERENCES formd.workspaces(team_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY formd.workspaces
    ADD CONSTRAINT workspaces_team_fkey FOREIGN KEY (team_id) REFERENCES formd.teams(team_id) ON DELETE CASCADE;

GRANT USAGE ON SCHEMA formd TO formd_app;
GRANT USAGE ON SCHEMA formd TO formd_admin;
GRANT ALL ON FUNCTION formd.access_key_create(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid, p_prefix text, p_hash bytea, p_expires_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.access_key_list(p_team uuid, p_form uuid, p_limit integer, p_offset bigint, p_max_counted integer) TO formd_app;
GRANT ALL ON FUNCTION formd.access_key_revoke(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.agent_create(p_team uuid, p_actor formd.actor, p_workspace uuid, p_id uuid, p_name text, p_client_id text, p_secret_prefix text, p_secret_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.agent_delete(p_team uuid, p_actor formd.actor, p_agent uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.agent_get(p_team uuid, p_operator uuid, p_agent uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.agent_list(p_team uuid, p_operator uuid, p_limit integer, p_offset bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.agent_patch(p_team uuid, p_actor formd.actor, p_agent uuid, p_name text, p_status text, p_require_operator boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.agent_secret_rotate(p_team uuid, p_actor formd.actor, p_agent uuid, p_secret_prefix text, p_secret_hash bytea, p_require_operator boolean, p_end_sessions boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.agent_session_create(p_team uuid, p_secret_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_ip_key text, p_ip_limit integer, p_scopes text[], p_resource text, p_ends_with_secret boolean, OUT outcome text, OUT expires_at timestamp with time zone, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.agent_sessions_end(p_team uuid, p_actor formd.actor, p_agent uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.anonymous_session_create(p_team uuid, p_form uuid, p_access_key_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_captcha_passed boolean, p_ip_key text, p_ip_limit integer, OUT outcome text, OUT expires_at timestamp with time zone, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.api_key_authenticate(p_team uuid, p_hash bytea, p_scope text, p_write_limit integer, OUT outcome text, OUT api_key_id uuid, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.api_key_create(p_team uuid, p_actor formd.actor, p_id uuid, p_name text, p_scopes text[], p_prefix text, p_hash bytea, p_expires_at timestamp with time zone, p_is_mailed boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.api_key_list(p_team uuid, p_operator uuid, p_limit integer, p_offset bigint, p_max_counted integer) TO formd_app;
GRANT ALL ON FUNCTION formd.api_key_revoke(p_team uuid, p_actor formd.actor, p_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.audit_list(p_team uuid, p_actor formd.actor, p_form uuid, p_kind text, p_actor_id uuid, p_object uuid, p_first_at timestamp with time zone, p_last_at timestamp with time zone, p_limit integer, p_offset bigint, p_after uuid, p_order text) TO formd_app;
GRANT ALL ON FUNCTION formd.challenge_create(p_team uuid, p_form uuid, p_credentials formd.submitter_credentials, p_version integer, p_admitted boolean, p_ip_key text, p_ip_limit integer, p_id uuid, p_field_id text, p_prompt text, OUT result formd.submitter_result, OUT expires_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.challenge_respond(p_team uuid, p_form uuid, p_challenge uuid, p_credentials formd.submitter_credentials, p_ip_key text, p_ip_limit integer, p_validation text, p_pass_lifetime interval, OUT result formd.submitter_result, OUT pass_expires_at timestamp with time zone, OUT remaining_attempts integer) TO formd_app;
GRANT ALL ON FUNCTION formd.change_link_apply(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid, p_expected_updated_at timestamp with time zone, p_edits jsonb, p_whole boolean, p_page_hash bytea, p_files jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.change_link_files(p_team uuid, p_form uuid, p_page_hash bytea, p_ids uuid[]) TO formd_app;
GRANT ALL ON FUNCTION formd.change_link_open(p_team uuid, p_form uuid, p_submission uuid, p_is_withdrawal boolean, p_ip_key text, p_ip_limit integer, OUT outcome text, OUT reason text, OUT settings jsonb, OUT name text, OUT description text, OUT form_version integer, OUT form_schema jsonb, OUT data jsonb, OUT status text, OUT updated_at timestamp with time zone, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.change_link_state(p_team uuid, p_form uuid, p_submission uuid, p_is_withdrawal boolean, OUT outcome text, OUT reason text, OUT ends_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.change_link_upload(p_team uuid, p_form uuid, p_submission uuid, p_page_hash bytea, p_id uuid, p_field text, p_name text, p_size bigint, p_max_bytes bigint, p_max_unclaimed bigint, p_ip_key text, p_ip_limit integer) TO formd_app;
GRANT ALL ON FUNCTION formd.change_link_withdraw(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.cluster_state() TO formd_app;
GRANT ALL ON FUNCTION formd.console_form_counts(p_team uuid, p_form uuid, p_first_day integer) TO formd_app;
GRANT ALL ON FUNCTION formd.console_form_list(p_team uuid, p_operator uuid, p_archived boolean, p_today date, p_limit integer, p_offset bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.console_operator_read(p_team uuid, p_token_hash bytea, p_idle interval, p_write_limit integer, OUT outcome text, OUT operator_id uuid, OUT remaining integer, OUT reset_ms integer, OUT email text, OUT team_name text, OUT workspaces jsonb, OUT teams jsonb, OUT other_workspaces text[], OUT has_more_workspaces boolean, OUT connection_id uuid, OUT has_passkey boolean, OUT is_passkey_asked boolean, OUT language text, OUT proof_seconds double precision, OUT passkey_seconds double precision) TO formd_app;
GRANT ALL ON FUNCTION formd.credential_cross_tenant(p_team uuid, p_form uuid, p_credentials formd.submitter_credentials, p_credential_team uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.daily_counts_add(p_team uuid, p_submissions jsonb, p_agents jsonb, p_errors jsonb, p_progress jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.expired_purge(p_limit integer) TO formd_app;
GRANT ALL ON FUNCTION formd.feed_end() TO formd_app;
GRANT ALL ON FUNCTION formd.feed_is_copied() TO formd_app;
GRANT ALL ON FUNCTION formd.feed_mark(p_at_once boolean, OUT clock_at timestamp with time zone, OUT up_to_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.file_begin(p_team uuid, p_form uuid, p_credentials formd.submitter_credentials, p_version integer, p_id uuid, p_field text, p_name text, p_size bigint, p_max_bytes bigint, p_max_unclaimed bigint, p_ip_key text, p_ip_limit integer) TO formd_app;
GRANT ALL ON FUNCTION formd.file_finish(p_team uuid, p_form uuid, p_id uuid, p_name text, p_size bigint, p_type text, p_sha256 bytea, p_scan text) TO formd_app;
GRANT ALL ON FUNCTION formd.file_get(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid, p_id uuid, OUT name text, OUT size bigint, OUT type text, OUT sha256 text) TO formd_app;
GRANT ALL ON FUNCTION formd.file_reserve(p_team uuid, p_form uuid, p_id uuid, p_size bigint, p_max_bytes bigint, p_max_unclaimed bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.file_scanned(p_team uuid, p_form uuid, p_id uuid, p_malware text) TO formd_app;
GRANT ALL ON FUNCTION formd.files_expire(p_limit integer) TO formd_app;
GRANT ALL ON FUNCTION formd.files_read(p_team uuid, p_form uuid, p_credentials formd.submitter_credentials, p_ids uuid[]) TO formd_app;
GRANT ALL ON FUNCTION formd.files_remove(p_team uuid, p_form uuid, p_ids uuid[]) TO formd_app;
GRANT ALL ON FUNCTION formd.form_alias_find(p_alias text, OUT team_id uuid, OUT form_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.form_apply(p_team uuid, p_actor formd.actor, p_form uuid, p_operations jsonb, p_fields jsonb, p_expected_version bigint, p_expected_updated_at timestamp with time zone, p_is_dry_run boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.form_close(p_team uuid, p_actor formd.actor, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.form_create(p_team uuid, p_actor formd.actor, p_workspace uuid, p_name text, p_description text, p_schema jsonb, p_settings jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.form_feed_end(p_team uuid, p_actor formd.actor, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.form_feed_make(p_team uuid, p_actor formd.actor, p_form uuid, p_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.form_feed_read(p_team uuid, p_form uuid, p_hash bytea, p_ip_key text, p_ip_limit integer, p_limit integer, OUT outcome text, OUT name text, OUT made_at timestamp with time zone, OUT submissions jsonb, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.form_list(p_team uuid, p_workspace uuid, p_limit integer, p_offset bigint, p_after uuid, p_order text) TO formd_app;
GRANT SELECT ON TABLE formd.forms TO formd_app;
GRANT ALL ON FUNCTION formd.form_open(p_team uuid, p_actor formd.actor, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.form_page_read(p_team uuid, p_form uuid, p_version integer, p_ip_key text, p_ip_limit integer, p_invitation_hash bytea, p_is_sent boolean, OUT outcome text, OUT settings jsonb, OUT name text, OUT description text, OUT form_version integer, OUT form_schema jsonb, OUT remaining integer, OUT reset_ms integer, OUT invitation jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.form_patch(p_team uuid, p_actor formd.actor, p_form uuid, p_operations jsonb, p_expected_version bigint, p_expected_updated_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.form_publish(p_team uuid, p_actor formd.actor, p_form uuid, p_updated_at timestamp with time zone, p_limits jsonb, p_schema jsonb, p_online boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.form_seen_mark(p_team uuid, p_form uuid, p_operator uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.form_set_archived(p_team uuid, p_actor formd.actor, p_form uuid, p_archived boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.form_settings_publish(p_team uuid, p_actor formd.actor, p_form uuid, p_updated_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.form_version_schema(p_team uuid, p_form uuid, p_version integer) TO formd_app;
GRANT ALL ON FUNCTION formd.forms_read(p_team uuid, p_items jsonb) TO formd_app;
GRANT SELECT ON TABLE formd.grants TO formd_app;
GRANT ALL ON FUNCTION formd.grant_list(p_team uuid, p_operator uuid, p_agent uuid, p_limit integer, p_offset bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.grant_remove(p_team uuid, p_actor formd.actor, p_agent uuid, p_grant uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.grant_upsert(p_team uuid, p_actor formd.actor, p_agent uuid, p_id uuid, p_form uuid, p_scopes text[], p_respondent_given boolean, p_respondent uuid, p_binding_required boolean, p_asserted boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.hold_list(p_team uuid, p_form uuid, p_limit integer) TO formd_app;
GRANT ALL ON FUNCTION formd.hold_place(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid, p_reason text) TO formd_app;
GRANT ALL ON FUNCTION formd.hold_release(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.installation_read() TO formd_app;
GRANT ALL ON FUNCTION formd.invitation_claim(p_team uuid, p_form uuid, p_token_hash bytea, p_claim_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.invitation_claim_end(p_team uuid, p_form uuid, p_token_hash bytea, p_claim_hash bytea, p_is_stored boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.invitation_counts(p_team uuid, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.invitation_is_unsubscribed(p_team uuid, p_form uuid, p_email_hashes bytea[]) TO formd_app;
GRANT ALL ON FUNCTION formd.invitation_list(p_team uuid, p_actor formd.actor, p_form uuid, p_state text, p_email_hashes bytea[], p_label text, p_limit integer, p_offset bigint, p_after uuid, p_order text) TO formd_app;
GRANT ALL ON FUNCTION formd.invitation_mail_read(p_team uuid, p_form uuid, p_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.invitation_revoke(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.invitation_sources(p_team uuid, p_actor formd.actor, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.invitations_create(p_team uuid, p_actor formd.actor, p_form uuid, p_version integer, p_items jsonb, p_mails_per_day integer) TO formd_app;
GRANT ALL ON FUNCTION formd.invitations_open_to(p_team uuid, p_actor formd.actor, p_form uuid, p_email_hashes bytea[]) TO formd_app;
GRANT ALL ON FUNCTION formd.invitations_remind(p_team uuid, p_actor formd.actor, p_form uuid, p_not_reminded_for interval, p_mails_per_day integer, p_after uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.invitations_remind_count(p_team uuid, p_actor formd.actor, p_form uuid, p_not_reminded_for interval) TO formd_app;
GRANT ALL ON FUNCTION formd.key_uses_record(p_team uuid, p_uses jsonb, p_step interval) TO formd_app;
GRANT ALL ON FUNCTION formd.mail_claim(p_team uuid, p_limit integer, p_lease_seconds integer, p_max_per_day integer) TO formd_app;
GRANT ALL ON FUNCTION formd.mail_due_after(p_after uuid, p_limit integer) TO formd_app;
GRANT ALL ON FUNCTION formd.mail_key_expiry_record() TO formd_app;
GRANT ALL ON FUNCTION formd.mail_list(p_team uuid, p_form uuid, p_state text, p_limit integer, p_offset bigint, p_after uuid, p_order text) TO formd_app;
GRANT ALL ON FUNCTION formd.mail_resend(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid, p_is_mailed boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.mail_settle(p_team uuid, p_id uuid, p_attempt integer, p_state text, p_error text) TO formd_app;
GRANT ALL ON FUNCTION formd.mail_unsubscribe(p_team uuid, p_actor formd.actor, p_form uuid, p_recipient_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.master_key_rotate(p_current text, p_fingerprints text[], p_sealed text[]) TO formd_admin;
GRANT ALL ON FUNCTION formd.master_key_use(p_fingerprints text[], p_accepts_new boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.mcp_agent_forms(p_team uuid, p_token_hash bytea, p_limit integer, p_offset bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.mcp_owner_scopes(p_team uuid, p_hash bytea, OUT outcome text, OUT api_key_id uuid, OUT scopes text[]) TO formd_app;
GRANT ALL ON FUNCTION formd.oauth_client_admit(p_client_id text, p_ip_key text, p_ip_limit integer, OUT outcome text, OUT remaining integer, OUT reset_ms integer, OUT team uuid, OUT keys jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.oauth_key_session_create(p_team uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_id uuid, p_token_hash bytea, p_lifetime interval, p_scopes text[], p_resource text, OUT outcome text, OUT expires_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.oauth_person_admit(p_client_id text, p_secret_hash bytea, p_issuer text, p_ip_key text, p_ip_limit integer, OUT outcome text, OUT remaining integer, OUT reset_ms integer, OUT team uuid, OUT keys jsonb, OUT is_authenticated boolean, OUT connection uuid, OUT issuer text) TO formd_app;
GRANT ALL ON FUNCTION formd.oauth_person_session_create(p_team uuid, p_client_id text, p_secret_hash bytea, p_key_id text, p_key_nonce bytea, p_key_nonce_expires_at timestamp with time zone, p_connection uuid, p_issuer text, p_subject text, p_nonce bytea, p_nonce_expires_at timestamp with time zone, p_respondent uuid, p_id uuid, p_token_hash bytea, p_lifetime interval, p_scopes text[], p_request_id text, OUT outcome text, OUT expires_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.oauth_secret_session_create(p_team uuid, p_client_id text, p_secret_hash bytea, p_id uuid, p_token_hash bytea, p_lifetime interval, p_ip_key text, p_ip_limit integer, p_scopes text[], p_resource text) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_change_password(p_team uuid, p_actor formd.actor, p_token_hash bytea, p_password_hash bytea, p_salt text, p_hash bytea, p_keeps_passkeys boolean, p_is_mailed boolean, OUT is_changed boolean, OUT passkeys text[], OUT sessions integer, OUT set_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_entries(p_operator uuid, OUT passkeys text[], OUT sessions integer) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_invitation_accept(p_team uuid, p_actor formd.actor, p_token_hash bytea, p_operator uuid, p_id uuid, p_salt text, p_hash bytea, p_session_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_invitation_end(p_team uuid, p_actor formd.actor, p_workspace uuid, p_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_invitation_read(p_team uuid, p_token_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_invite(p_team uuid, p_actor formd.actor, p_workspace uuid, p_id uuid, p_email text, p_role text, p_token_hash bytea, p_lifetime interval, p_is_mailed boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_join(p_team uuid, p_actor formd.actor, p_workspace uuid, p_id uuid, p_email text, p_salt text, p_hash bytea, p_role text) TO formd_admin;
GRANT ALL ON FUNCTION formd.operator_language_set(p_team uuid, p_token_hash bytea, p_language text) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_list(p_team uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_login(p_team uuid, p_actor formd.actor, p_email text, p_password_hash bytea, p_session uuid, p_token_hash bytea, p_lifetime interval, p_device text, p_client_ip text, p_is_mailed boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_login_admit(p_email text, p_team uuid, p_client text, p_client_limit integer, p_limit integer, p_device uuid, OUT outcome text, OUT operator_id uuid, OUT password_salt text, OUT team_id uuid, OUT is_known boolean, OUT limit_name text, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_login_connection(p_connection uuid, p_team uuid, p_actor formd.actor, p_operator uuid, p_subject text, p_email text, p_groups text[], p_proof interval, p_provider_session text, p_session uuid, p_token_hash bytea, p_lifetime interval, p_device text, p_client_ip text) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_login_passkey(p_team uuid, p_actor formd.actor, p_passkey uuid, p_counter bigint, p_session uuid, p_token_hash bytea, p_lifetime interval, p_device text, p_client_ip text, p_known_device uuid, p_sends_mail boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_login_settle(p_email text, p_client text, p_is_known boolean, p_is_right boolean, p_actor formd.actor) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_logout(p_team uuid, p_actor formd.actor, p_token_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_logout_connection(p_connection uuid, p_actor formd.actor, p_subject text, p_provider_session text) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_mails_set(p_team uuid, p_token_hash bytea, p_off text[]) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_proof_admit(p_team uuid, p_token_hash bytea, p_limit integer, OUT outcome text, OUT password_salt text, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_prove(p_team uuid, p_token_hash bytea, p_password_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_prove_passkey(p_team uuid, p_token_hash bytea, p_passkey uuid, p_counter bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_remove(p_actor formd.actor, p_email text, p_workspace uuid, p_operator uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_remove_passkeys(p_actor formd.actor, p_email text) TO formd_admin;
GRANT ALL ON FUNCTION formd.operator_reset(p_actor formd.actor, p_operator uuid, p_hash bytea, p_salt text, p_password_hash bytea, p_is_mailed boolean, OUT passkeys text[], OUT sessions integer) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_reset_make(p_team uuid, p_actor formd.actor, p_operator uuid, p_hash bytea, p_lifetime interval) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_reset_read(p_operator uuid, p_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_session_authenticate(p_team uuid, p_token_hash bytea, p_idle interval, p_agent uuid, p_write_limit integer, p_proof interval, p_step_up interval, OUT outcome text, OUT operator_id uuid, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_session_end(p_team uuid, p_actor formd.actor, p_token_hash bytea, p_of_team uuid, p_session uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_session_list(p_team uuid, p_token_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_session_switch(p_team uuid, p_actor formd.actor, p_from_team uuid, p_token_hash bytea, p_session uuid, p_new_token_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_session_take(p_team uuid, p_actor formd.actor, p_prepared_hash bytea, p_token_hash bytea, p_lifetime interval) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_sessions_end(p_team uuid, p_actor formd.actor, p_token_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_set_password(p_actor formd.actor, p_email text, p_salt text, p_hash bytea, p_is_mailed boolean, OUT id uuid, OUT passkeys text[], OUT sessions integer) TO formd_admin;
GRANT ALL ON FUNCTION formd.operator_sign_in_failed(p_operator uuid, p_actor formd.actor) TO formd_app;
GRANT ALL ON FUNCTION formd.operator_teams(p_email text, p_password_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.option_recount(p_team uuid, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.page_draft_beside(p_team uuid, p_form uuid, p_version integer, p_invitation_hash bytea, OUT invited jsonb, OUT before jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.page_draft_open(p_team uuid, p_form uuid, p_version integer, p_ip_key text, p_ip_limit integer, p_token_hash bytea, OUT outcome text, OUT settings jsonb, OUT name text, OUT description text, OUT form_version integer, OUT form_schema jsonb, OUT remaining integer, OUT reset_ms integer, OUT sealed bytea, OUT updated_at timestamp with time zone, OUT expires_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.page_draft_save(p_team uuid, p_form uuid, p_token_hash bytea, p_expected timestamp with time zone, p_sealed bytea, p_uploads uuid[], p_uploaders text[], p_ip_key text, p_invitation_hash bytea, OUT outcome text, OUT closed jsonb, OUT updated_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.partition_is_detached() TO formd_app;
GRANT ALL ON FUNCTION formd.partition_list() TO formd_app;
GRANT ALL ON FUNCTION formd.partition_make(p_ahead integer, p_limit integer) TO formd_app;
GRANT ALL ON FUNCTION formd.partition_months_left() TO formd_app;
GRANT ALL ON FUNCTION formd.partition_require_attached() TO formd_app;
GRANT ALL ON FUNCTION formd.passkey_challenge_make(p_hash bytea, p_operator uuid, p_ip text, p_site text, p_limit integer, p_site_limit integer, p_lifetime interval, OUT outcome text, OUT limit_name text, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.passkey_challenge_use(p_hash bytea, p_operator uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.passkey_find(p_challenge_hash bytea, p_credential_id bytea, OUT is_fresh boolean, OUT passkey_id uuid, OUT operator_id uuid, OUT public_key bytea, OUT counter bigint, OUT email text, OUT team_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.passkey_register(p_team uuid, p_actor formd.actor, p_challenge_hash bytea, p_id uuid, p_credential_id bytea, p_public_key bytea, p_counter bigint, p_name text, p_is_mailed boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.passkey_remove(p_actor formd.actor, p_id uuid, p_token_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.passkey_rename(p_actor formd.actor, p_id uuid, p_name text) TO formd_app;
GRANT ALL ON FUNCTION formd.person_find(p_team uuid, p_actor formd.actor, p_form uuid, p_respondent uuid, p_field text, p_value text, p_after uuid, p_limit integer, OUT ids uuid[], OUT held integer, OUT files integer, OUT last_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.person_invitations(p_team uuid, p_actor formd.actor, p_form uuid, p_respondent uuid, p_email_hashes bytea[], p_value text, p_after uuid, p_limit integer, OUT ids uuid[], OUT last_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.person_invitations_read(p_team uuid, p_actor formd.actor, p_form uuid, p_ids uuid[]) TO formd_app;
GRANT ALL ON FUNCTION formd.person_read(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.progress_read(p_team uuid, p_actor formd.actor, p_form uuid, p_first_day integer, OUT series jsonb, OUT version integer, OUT schema jsonb, OUT settings jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.rate_limit_take(p_key text, p_limit integer, p_window_ms integer, OUT allowed boolean, OUT remaining integer, OUT reset_ms integer) TO formd_app;
GRANT ALL ON FUNCTION formd.receipt_authorize(p_team uuid, p_form uuid, p_credentials formd.submitter_credentials, p_submission uuid, OUT outcome text, OUT caller_type text, OUT caller_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.receipt_key_add(p_team uuid, p_version integer, p_name text, p_public_key bytea, p_statement text) TO formd_app;
GRANT ALL ON FUNCTION formd.receipt_key_list(p_team uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.receipt_read(p_team uuid, p_form uuid, p_submission uuid, OUT submission uuid, OUT form uuid, OUT version integer, OUT schema jsonb, OUT request_digest bytea, OUT salt bytea, OUT data jsonb, OUT submitter_type text, OUT submitter_id uuid, OUT respondent_id uuid, OUT provenance text, OUT declared_agent text, OUT key_id text, OUT signature_input text, OUT signature text, OUT accepted_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.respondent_erase(p_team uuid, p_actor formd.actor, p_respondent uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.retention_forms() TO formd_app;
GRANT ALL ON FUNCTION formd.retention_next(p_team uuid, p_form uuid, p_after uuid, p_limit integer, OUT is_due boolean, OUT last_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.retention_read(p_team uuid, p_actor formd.actor, p_form uuid, p_rule jsonb, OUT rule jsonb, OUT source text, OUT due_by timestamp with time zone, OUT due bigint, OUT held bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.setup_complete(p_team uuid, p_token_hash bytea, p_request_id text, p_name text, p_workspace uuid, p_workspace_name text, p_operator uuid, p_email text, p_salt text, p_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.setup_is_open(p_token_hash bytea) TO formd_app;
GRANT ALL ON FUNCTION formd.setup_offer(p_token_hash bytea, p_lifetime interval) TO formd_app;
GRANT ALL ON FUNCTION formd.sign_in_connection_change(p_team uuid, p_actor formd.actor, p_id uuid, p_is_required boolean, p_accepts_agents boolean, p_scopes text[]) TO formd_app;
GRANT ALL ON FUNCTION formd.sign_in_connection_create(p_team uuid, p_actor formd.actor, p_id uuid, p_name text, p_issuer text, p_client_id text, p_sealed_secret bytea, p_secret_key text, p_email_domains text[], p_groups_claim text, p_roles jsonb, p_is_required boolean, p_accepts_agents boolean, p_scopes text[]) TO formd_app;
GRANT ALL ON FUNCTION formd.sign_in_connection_remove(p_team uuid, p_actor formd.actor, p_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.sign_in_connection_reseal(p_id uuid, p_sealed_before bytea, p_sealed_secret bytea, p_secret_key text) TO formd_admin;
GRANT ALL ON FUNCTION formd.signing_key_add(p_team uuid, p_actor formd.actor, p_agent uuid, p_id uuid, p_key_id text, p_pem text, p_expires_at timestamp with time zone, p_require_operator boolean, p_alg text) TO formd_app;
GRANT ALL ON FUNCTION formd.signing_key_delete(p_team uuid, p_actor formd.actor, p_agent uuid, p_key_id text) TO formd_app;
GRANT ALL ON FUNCTION formd.signing_key_list(p_team uuid, p_operator uuid, p_agent uuid, p_limit integer, p_offset bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_change_list(p_team uuid, p_form uuid, p_limit integer, p_after uuid, p_since uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_columns(p_team uuid, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_delete(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_edits_list(p_team uuid, p_form uuid, p_submission uuid, p_limit integer, p_offset bigint, p_after uuid, p_order text) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_former_fields(p_team uuid, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_get(p_team uuid, p_form uuid, p_submission uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_languages(p_team uuid, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_list(p_team uuid, p_form uuid, p_status text, p_review text, p_agent uuid, p_respondent uuid, p_provenance text, p_language text, p_first_id uuid, p_end_id uuid, p_limit integer, p_offset bigint, p_after uuid, p_order text, p_max_counted bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_page(p_team uuid, p_form uuid, p_status text, p_review text, p_agent uuid, p_respondent uuid, p_provenance text, p_language text, p_first_id uuid, p_end_id uuid, p_limit integer, p_offset bigint, p_after uuid, p_order text, p_max_counted bigint) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_patch(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid, p_expected_updated_at timestamp with time zone, p_edits jsonb, p_whole boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_recount(p_team uuid, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_review(p_team uuid, p_actor formd.actor, p_form uuid, p_submission uuid, p_decision text, p_reason text, p_expected_updated_at timestamp with time zone) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_rising(p_team uuid, p_form uuid, p_limit integer, p_after uuid, p_order text) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_search(p_team uuid, p_form uuid, p_search jsonb, p_status text, p_review text, p_agent uuid, p_respondent uuid, p_provenance text, p_language text, p_first_id uuid, p_end_id uuid, p_limit integer, p_offset bigint, p_after uuid, p_order text) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_submit_files(p_team uuid, p_item jsonb, p_files jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_summary(p_team uuid, p_form uuid, p_fields jsonb, p_language text) TO formd_app;
GRANT ALL ON FUNCTION formd.submission_time_zone(p_team uuid, p_form uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.submissions_expire(p_team uuid, p_form uuid, p_after uuid, p_limit integer, OUT deleted integer, OUT last_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.submissions_review(p_team uuid, p_actor formd.actor, p_form uuid, p_items jsonb, p_decision text, p_reason text) TO formd_app;
GRANT ALL ON FUNCTION formd.submissions_submit(p_team uuid, p_items jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.submissions_submit_set(p_team uuid, p_items jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.submitter_form_read(p_team uuid, p_form uuid, p_credentials formd.submitter_credentials, OUT outcome text, OUT caller_type text, OUT caller_id uuid, OUT name text, OUT description text, OUT form_version integer, OUT form_schema jsonb, OUT examples jsonb, OUT full_options jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.team_create(p_team uuid, p_actor formd.actor, p_name text, p_workspace uuid, p_workspace_name text) TO formd_admin;
GRANT ALL ON FUNCTION formd.team_require_role(p_team uuid, p_actor formd.actor, p_role text) TO formd_app;
GRANT ALL ON FUNCTION formd.team_set_retention(p_team uuid, p_actor formd.actor, p_rule jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.validations_admit(p_team uuid, p_items jsonb) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_attempt_list(p_team uuid, p_id uuid, p_event uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_claim(p_team uuid, p_limit integer, p_lease_seconds integer, p_is_mailed boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_create(p_team uuid, p_actor formd.actor, p_id uuid, p_workspace uuid, p_form uuid, p_url text, p_event_types text[], p_payload text, p_secret_key text) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_delete(p_team uuid, p_actor formd.actor, p_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_delivery_list(p_team uuid, p_id uuid, p_state text, p_limit integer, p_offset bigint, p_after uuid, p_order text) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_delivery_read(p_team uuid, p_id uuid, p_event uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_due_after(p_after uuid, p_limit integer) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_list(p_team uuid, p_workspace uuid, p_limit integer, p_offset bigint) TO formd_app;
GRANT SELECT ON TABLE formd.webhooks TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_patch(p_team uuid, p_actor formd.actor, p_id uuid, p_url text, p_event_types text[], p_payload text, p_status text) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_replay(p_team uuid, p_actor formd.actor, p_id uuid, p_event uuid, p_first_id uuid, p_end_id uuid, p_is_mailed boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_secret_rotate(p_team uuid, p_actor formd.actor, p_id uuid, p_secret_key text) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_settle(p_team uuid, p_results jsonb, p_is_mailed boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.webhook_test(p_team uuid, p_actor formd.actor, p_id uuid) TO formd_app;
GRANT ALL ON FUNCTION formd.workspace_change(p_team uuid, p_actor formd.actor, p_workspace uuid, p_name text, p_editors_may_publish boolean, p_requires_passkey boolean) TO formd_app;
GRANT ALL ON FUNCTION formd.workspace_create(p_team uuid, p_actor formd.actor, p_id uuid, p_name text) TO formd_app;
GRANT ALL ON FUNCTION formd.workspace_operator_list(p_team uuid, p_workspace uuid, p_limit integer, p_offset bigint, p_max_counted integer) TO formd_app;
GRANT ALL ON FUNCTION formd.workspace_require_role(p_team uuid, p_actor formd.actor, p_workspace uuid, p_role text) TO formd_app;
GRANT SELECT ON TABLE formd.agent_days TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.agents TO formd_app;
GRANT SELECT(id) ON TABLE formd.agents TO formd_app;
GRANT SELECT(workspace_id) ON TABLE formd.agents TO formd_app;
GRANT SELECT(client_id) ON TABLE formd.agents TO formd_app;
GRANT SELECT(name) ON TABLE formd.agents TO formd_app;
GRANT SELECT(status) ON TABLE formd.agents TO formd_app;
GRANT SELECT(secret_prefix) ON TABLE formd.agents TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.agents TO formd_app;
GRANT SELECT(updated_at) ON TABLE formd.agents TO formd_app;
GRANT SELECT(disabled_at) ON TABLE formd.agents TO formd_app;
GRANT SELECT(revoked_at) ON TABLE formd.agents TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.api_keys TO formd_app;
GRANT SELECT(id) ON TABLE formd.api_keys TO formd_app;
GRANT SELECT(name) ON TABLE formd.api_keys TO formd_app;
GRANT SELECT(scopes) ON TABLE formd.api_keys TO formd_app;
GRANT SELECT(key_prefix) ON TABLE formd.api_keys TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.api_keys TO formd_app;
GRANT SELECT(last_used_at) ON TABLE formd.api_keys TO formd_app;
GRANT SELECT(expires_at) ON TABLE formd.api_keys TO formd_app;
GRANT SELECT(revoked_at) ON TABLE formd.api_keys TO formd_app;
REVOKE ALL ON TABLE formd.audit_events FROM formd_owner;
GRANT SELECT,INSERT,REFERENCES,TRIGGER ON TABLE formd.audit_events TO formd_owner;
GRANT SELECT ON TABLE formd.audit_events TO formd_app;
GRANT SELECT ON TABLE formd.challenge_passes TO formd_app;
GRANT SELECT ON TABLE formd.challenges TO formd_app;
GRANT SELECT ON TABLE formd.feed_marks TO formd_app;
GRANT SELECT ON TABLE formd.file_totals TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.files TO formd_app;
GRANT SELECT(form_id) ON TABLE formd.files TO formd_app;
GRANT SELECT(id) ON TABLE formd.files TO formd_app;
GRANT SELECT(submission_id) ON TABLE formd.files TO formd_app;
GRANT SELECT(state) ON TABLE formd.files TO formd_app;
GRANT SELECT(scan) ON TABLE formd.files TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.files TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.form_access_keys TO formd_app;
GRANT SELECT(form_id) ON TABLE formd.form_access_keys TO formd_app;
GRANT SELECT(id) ON TABLE formd.form_access_keys TO formd_app;
GRANT SELECT(key_prefix) ON TABLE formd.form_access_keys TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.form_access_keys TO formd_app;
GRANT SELECT(last_used_at) ON TABLE formd.form_access_keys TO formd_app;
GRANT SELECT(expires_at) ON TABLE formd.form_access_keys TO formd_app;
GRANT SELECT(revoked_at) ON TABLE formd.form_access_keys TO formd_app;
GRANT SELECT ON TABLE formd.form_aliases TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.form_followers TO formd_app;
GRANT SELECT(form_id) ON TABLE formd.form_followers TO formd_app;
GRANT SELECT(operator_id) ON TABLE formd.form_followers TO formd_app;
GRANT SELECT(seen_id) ON TABLE formd.form_followers TO formd_app;
GRANT SELECT(feed_made_at) ON TABLE formd.form_followers TO formd_app;
GRANT SELECT ON TABLE formd.form_versions TO formd_app;
GRANT SELECT ON TABLE formd.holds TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(form_id) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(id) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(respondent_id) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(state) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(submission_id) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(expires_at) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(last_mailed_at) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(mails) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(bounced) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(unsubscribed) ON TABLE formd.invitations TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.mails TO formd_app;
GRANT SELECT(id) ON TABLE formd.mails TO formd_app;
GRANT SELECT(kind) ON TABLE formd.mails TO formd_app;
GRANT SELECT(form_id) ON TABLE formd.mails TO formd_app;
GRANT SELECT(subject_id) ON TABLE formd.mails TO formd_app;
GRANT SELECT(operator_id) ON TABLE formd.mails TO formd_app;
GRANT SELECT(submissions) ON TABLE formd.mails TO formd_app;
GRANT SELECT(digest_at) ON TABLE formd.mails TO formd_app;
GRANT SELECT(state) ON TABLE formd.mails TO formd_app;
GRANT SELECT(attempts) ON TABLE formd.mails TO formd_app;
GRANT SELECT(due_at) ON TABLE formd.mails TO formd_app;
GRANT SELECT(leased_until_at) ON TABLE formd.mails TO formd_app;
GRANT SELECT(gives_up_at) ON TABLE formd.mails TO formd_app;
GRANT SELECT(last_error) ON TABLE formd.mails TO formd_app;
GRANT SELECT(sent_at) ON TABLE formd.mails TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.mails TO formd_app;
GRANT SELECT(expires_at) ON TABLE formd.mails TO formd_app;
GRANT SELECT(fingerprint) ON TABLE formd.master_keys TO formd_app;
GRANT SELECT(state) ON TABLE formd.master_keys TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.master_keys TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.operator_invitations TO formd_app;
GRANT SELECT(id) ON TABLE formd.operator_invitations TO formd_app;
GRANT SELECT(workspace_id) ON TABLE formd.operator_invitations TO formd_app;
GRANT SELECT(email) ON TABLE formd.operator_invitations TO formd_app;
GRANT SELECT(role) ON TABLE formd.operator_invitations TO formd_app;
GRANT SELECT(invited_by) ON TABLE formd.operator_invitations TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.operator_invitations TO formd_app;
GRANT SELECT(expires_at) ON TABLE formd.operator_invitations TO formd_app;
GRANT SELECT(id) ON TABLE formd.operator_passkeys TO formd_app;
GRANT SELECT(operator_id) ON TABLE formd.operator_passkeys TO formd_app;
GRANT SELECT(credential_id) ON TABLE formd.operator_passkeys TO formd_app;
GRANT SELECT(name) ON TABLE formd.operator_passkeys TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.operator_passkeys TO formd_app;
GRANT SELECT(last_used_at) ON TABLE formd.operator_passkeys TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(id) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(operator_id) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(device) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(client_ip) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(proved_at) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(passkey_at) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(seen_at) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(expires_at) ON TABLE formd.operator_sessions TO formd_app;
GRANT SELECT(id) ON TABLE formd.operators TO formd_app;
GRANT SELECT(email) ON TABLE formd.operators TO formd_app;
GRANT SELECT(connection_id) ON TABLE formd.operators TO formd_app;
GRANT SELECT(password_allowed_until_at) ON TABLE formd.operators TO formd_app;
GRANT SELECT(password_set_at) ON TABLE formd.operators TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.operators TO formd_app;
GRANT SELECT(mails_off) ON TABLE formd.operators TO formd_app;
GRANT SELECT(language) ON TABLE formd.operators TO formd_app;
GRANT SELECT ON TABLE formd.option_counts TO formd_app;
GRANT SELECT ON TABLE formd.progress_days TO formd_app;
GRANT SELECT ON TABLE formd.receipt_keys TO formd_app;
GRANT SELECT ON TABLE formd.submissions TO formd_app;
GRANT SELECT ON TABLE formd.respondents TO formd_app;
GRANT SELECT ON TABLE formd.schema_migrations TO formd_app;
GRANT SELECT(team_id) ON TABLE formd.sessions TO formd_app;
GRANT SELECT(id) ON TABLE formd.sessions TO formd_app;
GRANT SELECT(kind) ON TABLE formd.sessions TO formd_app;
GRANT SELECT(agent_id) ON TABLE formd.sessions TO formd_app;
GRANT SELECT(form_id) ON TABLE formd.sessions TO formd_app;
GRANT SELECT(created_at) ON TABLE formd.sessions TO formd_app;
GRANT SELECT(expires_at) ON TABLE formd.sessions TO formd_app;
GRANT SELECT ON TABLE formd.sign_in_connections TO formd_app;
GRANT SELECT ON TABLE formd.signing_keys TO formd_app;
GRANT SELECT ON TABLE formd.submission_counts TO formd_app;
REVOKE ALL ON TABLE formd.submission_edits FROM formd_owner;
GRANT SELECT,INSERT,REFERENCES,TRIGGER,UPDATE ON TABLE formd.submission_edits TO formd_owner;
GRANT SELECT ON TABLE formd.submission_edits TO formd_app;
REVOKE ALL ON TABLE formd.submission_erasures FROM formd_owner;
GRANT SELECT,INSERT,REFERENCES,TRIGGER ON TABLE formd.submission_erasures TO formd_owner;
GRANT SELECT ON TABLE formd.submission_erasures TO formd_app;
GRANT SELECT ON TABLE formd.submission_signatures TO formd_app;
GRANT SELECT ON TABLE formd.teams TO formd_app;
GRANT SELECT ON TABLE formd.webhook_attempts TO formd_app;
GRANT SELECT ON TABLE formd.webhook_batches TO formd_app;
GRANT SELECT ON TABLE formd.webhook_deliveries TO formd_app;
GRANT SELECT ON TABLE formd.webhook_events TO formd_app;
GRANT SELECT ON TABLE formd.workspace_roles TO formd_app;
GRANT SELECT ON TABLE formd.workspaces TO formd_app;
