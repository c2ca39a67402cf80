-- migrate:up

do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  -- A form as a submitter's call finds it: what formd.form_enter reads, once for items of a group that follow one another.
  create type formd.form_entry as (
    form_id uuid,
    access_key_hash bytea,
    key_fits boolean,
    workspace_id uuid,
    status text,
    settings jsonb,
    version integer
  );

  -- What a submitter's call is told: its outcome, the throttle that the answer's RateLimit fields are about, and what the outcome needs: of
  -- stored and replayed the status and the answer, of stale_version the version to compile.
  create type formd.submitter_answer as (
    outcome text,
    status text,
    answer jsonb,
    bucket text,
    bucket_limit integer,
    window_ms integer,
    remaining integer,
    reset_ms integer,
    form_version integer,
    form_schema jsonb
  );

  -- What formd.submission_decide has found good, for formd.submissions_receive to store. A type of its own and not the table's: a column that
  -- is added while calls are under way changes nothing for them.
  create type formd.accepted_submission as (
    form_id uuid,
    id uuid,
    form_version integer,
    status text,
    submitter_type text,
    submitter_id uuid,
    respondent_id uuid,
    data jsonb,
    metadata jsonb,
    created_at timestamptz(3)
  );

  -- Where a statement gives all columns of a key, and another index begins with the first ones, the planner can hold both for equally good (it takes
  -- columns for independent, and expects one row of either), and walks a team's rows for each call: 60,000 of them, seen on grants. So these
  -- begin with a column that a look-up by key does not know, or hold all of the key's. (The other indexes beside a key are wider than it, or partial.)
  drop index formd.forms_workspace_idx;
  create index forms_workspace_idx on formd.forms (workspace_id, team_id, id);
  drop index formd.agents_workspace_idx;
  create index agents_workspace_idx on formd.agents (workspace_id, team_id, id);
  drop index formd.grants_form_idx;
  create index grants_form_idx on formd.grants (form_id, team_id, agent_id);
  drop index formd.signing_keys_agent_idx;
  create index signing_keys_agent_idx on formd.signing_keys (agent_id, team_id);
  drop index formd.challenges_version_idx;
  create index challenges_version_idx on formd.challenges (form_version, form_id, team_id);
  drop index formd.challenges_agent_idx;
  create index challenges_agent_idx on formd.challenges (agent_id, team_id, form_id, expires_at);
  drop index formd.challenge_passes_agent_idx;
  create index challenge_passes_agent_idx on formd.challenge_passes (agent_id, team_id, form_id);
  drop index formd.submission_edits_key_idx;
  create index submission_edits_key_idx on formd.submission_edits (api_key_id, team_id);
  drop index formd.submission_erasures_key_idx;
  create index submission_erasures_key_idx on formd.submission_erasures (api_key_id, team_id);
  -- For the purge, which goes over all teams.
  drop index formd.idempotency_keys_expires_idx;
  create index idempotency_keys_expires_idx on formd.idempotency_keys (expires_at);
end
$$;

-- migrate:down

do $$
begin
  drop index formd.idempotency_keys_expires_idx;
  create index idempotency_keys_expires_idx on formd.idempotency_keys (team_id, form_id, expires_at);
  drop index formd.submission_erasures_key_idx;
  create index submission_erasures_key_idx on formd.submission_erasures (team_id, api_key_id);
  drop index formd.submission_edits_key_idx;
  create index submission_edits_key_idx on formd.submission_edits (team_id, api_key_id);
  drop index formd.challenge_passes_agent_idx;
  create index challenge_passes_agent_idx on formd.challenge_passes (team_id, agent_id);
  drop index formd.challenges_agent_idx;
  create index challenges_agent_idx on formd.challenges (team_id, agent_id, form_id, expires_at);
  drop index formd.challenges_version_idx;
  create index challenges_version_idx on formd.challenges (team_id, form_id, form_version);
  drop index formd.signing_keys_agent_idx;
  create index signing_keys_agent_idx on formd.signing_keys (team_id, agent_id);
  drop index formd.grants_form_idx;
  create index grants_form_idx on formd.grants (team_id, form_id);
  drop index formd.agents_workspace_idx;
  create index agents_workspace_idx on formd.agents (team_id, workspace_id, id);
  drop index formd.forms_workspace_idx;
  create index forms_workspace_idx on formd.forms (team_id, workspace_id, id);
  drop type formd.accepted_submission;
  drop type formd.submitter_answer;
  drop type formd.form_entry;
end
$$;
