-- migrate:up
-- Locks: none.

-- What the submitter's functions take and return (sql/420_authorization.sql, 500_submit.sql, 510_challenges.sql). Items arrive as a JSON
-- list whose members have the names of these columns.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  create type formd.submitter_credentials as (
    access_key_hash bytea,
    credential text,
    credential_hash bytea,
    key_id text,
    nonce bytea,
    nonce_expires_at timestamptz
  );
  comment on type formd.submitter_credentials is 'what a submitter sent to prove who it is: a form access key, and a session, an API key or a signature';
  comment on column formd.submitter_credentials.credential is 'session, api_key or signature';
  comment on column formd.submitter_credentials.credential_hash is 'SHA-256 of the session token or API key; null for a signature';
  comment on column formd.submitter_credentials.key_id is 'the signing key that a signature was verified with; null when it was not verified';

  create type formd.submission_item as (
    form_id uuid,
    version integer,
    credentials formd.submitter_credentials,
    admitted boolean,
    ip_key text,
    ip_limit integer,
    id uuid,
    validation text,
    data jsonb,
    metadata jsonb,
    respondent_id uuid,
    partial boolean,
    missing_required text[],
    errors jsonb,
    idempotency_key text,
    body_hash bytea
  );
  comment on type formd.submission_item is 'one submission of the list that formd.submissions_submit takes';
  comment on column formd.submission_item.version is 'the form version that the data was validated against';
  comment on column formd.submission_item.admitted is 'true: an earlier call for this request had the outcome admitted';
  comment on column formd.submission_item.ip_key is 'key of the rate limit of the client IP';
  comment on column formd.submission_item.validation is 'accepted, rejected, malformed (the body has not the shape of a submission) or pending (not validated yet)';

  create type formd.validation_item as (
    form_id uuid,
    version integer,
    credentials formd.submitter_credentials,
    ip_key text,
    ip_limit integer,
    agent_limit integer
  );
  comment on type formd.validation_item is 'one dry run of the list that formd.validations_admit takes';
  comment on column formd.validation_item.version is 'the form version that the caller holds compiled';

  create type formd.submitter_form as (
    form_id uuid,
    access_key_hash bytea,
    access_key_is_valid boolean,
    workspace_id uuid,
    status text,
    settings jsonb,
    version integer
  );
  comment on type formd.submitter_form is 'the form that an access key names, as formd.submitter_form_load found it';
  comment on column formd.submitter_form.version is 'the published version; 0: none yet';

  create type formd.submitter_result as (
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
    form_schema jsonb
  );
  comment on type formd.submitter_result is 'what a submitter function returns: the outcome, and the rate limit that the response reports';
  comment on column formd.submitter_result.caller_type is 'agent, anonymous or api_key; null before the credential was found valid';
  comment on column formd.submitter_result.caller_id is 'the agent, the session or the API key';
  comment on column formd.submitter_result.response is 'of stored, replayed and rejected: the body of the response';
  comment on column formd.submitter_result.limit_name is 'ip, agent or open-challenges';
  comment on column formd.submitter_result.form_version is 'of admitted: the published version, when it is not the one that the caller named; form_schema is its schema';

  create type formd.submitter_authorization as (
    result formd.submitter_result,
    respondent_id uuid,
    binding_required boolean
  );
  comment on type formd.submitter_authorization is 'result.outcome is null when the caller may act on the form; the rest is of the grant of an agent';

  create type formd.submission_evaluation as (
    result formd.submitter_result,
    accepted formd.accepted_submission
  );
  comment on type formd.submission_evaluation is 'the result of one submission, and the row to store when its outcome is stored';

  create type formd.rate_limit_state as (
    allowed boolean,
    remaining integer,
    reset_ms integer
  );
  comment on type formd.rate_limit_state is 'what formd.rate_limit_take returns';
end
$$;
