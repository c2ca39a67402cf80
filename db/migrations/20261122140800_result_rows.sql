-- migrate:up
-- Locks: none.

-- What functions return of one form, grant, signing key, submission or webhook. Not the row type of the table: a call that waits while its
-- table gains a column reads a longer row than it may return, and fails. For the same reason a type that was released never changes: a function
-- that returns more gets a name of its own, and a type.
--
-- A function cannot be replaced by one with another result. So those that return the row type of a table, and that no release has, are dropped
-- here; formd migrate creates them again when it loads the functions: within seconds, unless a long report reads a view that is replaced with
-- them. On a database of a commit between 0.1 and this one calls of them fail until then. A database of 0.1 has none of them.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  drop function if exists formd.form_create(uuid, formd.actor, uuid, uuid, text, text, jsonb);
  drop function if exists formd.form_patch(uuid, formd.actor, uuid, jsonb, bigint, timestamptz);
  drop function if exists formd.form_publish(uuid, formd.actor, uuid, timestamptz);
  drop function if exists formd.form_set_archived(uuid, formd.actor, uuid, boolean);
  drop function if exists formd.grant_upsert(uuid, formd.actor, uuid, uuid, uuid, text[], boolean, uuid, boolean);
  drop function if exists formd.grant_upsert(uuid, uuid, uuid, uuid, uuid, text[], boolean, uuid, boolean);
  drop function if exists formd.signing_key_add(uuid, formd.actor, uuid, uuid, text, text, timestamptz, boolean);
  drop function if exists formd.signing_key_add(uuid, uuid, uuid, uuid, text, text, timestamptz, boolean);
  drop function if exists formd.submission_get(uuid, uuid, uuid);
  drop function if exists formd.submission_patch(uuid, formd.actor, uuid, uuid, timestamptz, jsonb, boolean, uuid[]);
  drop function if exists formd.submission_review(uuid, formd.actor, uuid, uuid, text, text, timestamptz);
  drop function if exists formd.webhook_create(uuid, formd.actor, uuid, uuid, uuid, text, text[], text);
  drop function if exists formd.webhook_patch(uuid, formd.actor, uuid, text, text[], text, text);
  drop function if exists formd.webhook_secret_rotate(uuid, formd.actor, uuid);

  create type formd.form_row as (
    id uuid,
    name text,
    description text,
    schema jsonb,
    settings jsonb,
    status text,
    current_version integer,
    team_id uuid,
    workspace_id uuid,
    created_at timestamptz(3),
    updated_at timestamptz(3)
  );
  comment on type formd.form_row is 'A form, as functions return it.';

  create type formd.grant_row as (
    id uuid,
    agent_id uuid,
    form_id uuid,
    scopes text[],
    respondent_id uuid,
    binding_required boolean,
    created_at timestamptz(3),
    updated_at timestamptz(3)
  );
  comment on type formd.grant_row is 'A grant, as functions return it.';

  create type formd.signing_key_row as (
    key_id text,
    alg text,
    status text
  );
  comment on type formd.signing_key_row is 'A signing key, as the function that registers it returns it.';

  create type formd.submission_row as (
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
    review_decision text,
    review_reason text,
    reviewed_at timestamptz(3),
    created_at timestamptz(3),
    updated_at timestamptz(3)
  );
  comment on type formd.submission_row is 'A submission, as functions return it.';

  create type formd.webhook_row as (
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
    previous_secret_ends_at timestamptz(3),
    failing_since_at timestamptz(3),
    created_at timestamptz(3),
    updated_at timestamptz(3)
  );
  comment on type formd.webhook_row is 'A webhook, as functions return it.';
end
$$;
