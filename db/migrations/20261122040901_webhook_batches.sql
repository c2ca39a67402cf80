-- migrate:up
-- Locks: none.

-- What a submission costs when a webhook listens: one row per commit instead of an event and a delivery per submission with their seven
-- indexes and two foreign keys. The worker that sends them writes those.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  create table formd.webhook_batches (
    team_id uuid not null,
    id uuid not null,
    webhook_ids uuid[] not null,
    submission_ids uuid[] not null,
    form_ids uuid[] not null,
    form_versions integer[] not null,
    statuses text[] not null,
    expires_at timestamptz(3) not null,
    constraint webhook_batches_pkey primary key (team_id, id)
  );
  comment on table formd.webhook_batches is 'The submissions of one commit of which a webhook may be told, until a worker writes their events. Usually empty.';
  comment on column formd.webhook_batches.id is 'The id of its first submission.';
  comment on column formd.webhook_batches.webhook_ids is 'The webhooks of the team that listened to submissions, of whichever form.';
  comment on column formd.webhook_batches.submission_ids is 'In the order of the commit.';
  comment on column formd.webhook_batches.form_ids is 'The form of each submission, in the same order.';
  comment on column formd.webhook_batches.form_versions is 'The version of that form, in the same order.';
  comment on column formd.webhook_batches.statuses is 'The status of each submission when it was stored, in the same order.';
  -- Every row is deleted soon. vacuum_truncate: giving the end of the heap back takes an access exclusive lock that submissions would wait for.
  alter table formd.webhook_batches set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
end
$$;
