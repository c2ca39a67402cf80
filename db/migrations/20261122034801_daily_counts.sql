-- migrate:up
-- Locks: none.

-- What the charts of the console show. Rows expire, so that the tables have the last 90 days.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  create table formd.submission_days (
    team_id uuid not null,
    form_id uuid not null,
    day integer not null,
    status text not null,
    submitter_type text not null,
    total bigint not null,
    expires_at timestamptz(3) not null,
    constraint submission_days_pkey primary key (team_id, form_id, day, status, submitter_type),
    constraint submission_days_status_check check (status in ('pending', 'completed', 'partial')),
    constraint submission_days_submitter_type_check check (submitter_type in ('agent', 'anonymous', 'api_key'))
  ) with (fillfactor = 50, vacuum_truncate = false);
  create index submission_days_expiry_idx on formd.submission_days ((expires_at at time zone 'UTC'));
  comment on table formd.submission_days is 'How many submissions a form received on a day, by the status that they have now. Servers count in memory and write some seconds later; one that is killed loses those. Fillfactor 50 leaves room for HOT updates. Kept for 90 days.';
  comment on column formd.submission_days.day is 'Days since 1970-01-01, UTC.';
  comment on column formd.submission_days.status is 'As that of the submissions.';
  comment on column formd.submission_days.submitter_type is 'As that of the submissions.';
  comment on column formd.submission_days.total is 'Below zero where a submission was changed before it was counted.';

  create table formd.agent_days (
    team_id uuid not null,
    form_id uuid not null,
    day integer not null,
    agent_id uuid not null,
    outcome text not null,
    total bigint not null,
    last_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    constraint agent_days_pkey primary key (team_id, form_id, day, agent_id, outcome),
    constraint agent_days_outcome_check check (char_length(outcome) <= 100)
  ) with (fillfactor = 50, vacuum_truncate = false);
  create index agent_days_agent_idx on formd.agent_days (team_id, agent_id, day);
  create index agent_days_expiry_idx on formd.agent_days ((expires_at at time zone 'UTC'));
  comment on table formd.agent_days is 'What became of an agent''s requests about a form on a day. Written as submission_days is. Kept for 90 days.';
  comment on column formd.agent_days.day is 'Days since 1970-01-01, UTC.';
  comment on column formd.agent_days.outcome is 'stored, or the code of the problem that the request was refused with.';
  comment on column formd.agent_days.total is 'Requests.';
  comment on column formd.agent_days.last_at is 'When the last ones were written.';

  create table formd.validation_errors (
    team_id uuid not null,
    form_id uuid not null,
    day integer not null,
    form_version integer not null,
    field_id text not null,
    code text not null,
    total bigint not null,
    expires_at timestamptz(3) not null,
    constraint validation_errors_pkey primary key (team_id, form_id, day, form_version, field_id, code),
    constraint validation_errors_field_id_check check (char_length(field_id) <= 128),
    constraint validation_errors_code_check check (char_length(code) <= 100)
  ) with (fillfactor = 50, vacuum_truncate = false);
  create index validation_errors_expiry_idx on formd.validation_errors ((expires_at at time zone 'UTC'));
  comment on table formd.validation_errors is 'How many payloads had an error on a day, rejected submissions and dry runs. Written as submission_days is. Kept for 90 days.';
  comment on column formd.validation_errors.day is 'Days since 1970-01-01, UTC.';
  comment on column formd.validation_errors.field_id is 'A field of the version. Empty: the payload had a field that the version does not have.';
  comment on column formd.validation_errors.code is 'A field code of the API.';
  comment on column formd.validation_errors.total is 'Payloads.';
end
$$;
