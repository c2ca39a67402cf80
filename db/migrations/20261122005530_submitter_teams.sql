-- migrate:up
-- Locks: none.

-- A list of items can hold several teams', and each item is decided in two steps: first all are admitted, then each is evaluated
-- (sql/500_submit.sql). Columns are added to types that functions of the previous release use in the meantime: these see null.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  alter type formd.submission_item add attribute team_id uuid;
  comment on column formd.submission_item.team_id is 'null in a list of one team, which is an argument of the function';
  alter type formd.validation_item add attribute team_id uuid;
  comment on column formd.validation_item.team_id is 'null in a list of one team, which is an argument of the function';
  alter type formd.accepted_submission add attribute team_id uuid;
  alter type formd.submitter_authorization add attribute signing_key_id uuid;
  comment on column formd.submitter_authorization.signing_key_id is 'of a signed request: the key, whose nonce is to be claimed';

  create type formd.submission_admission as (
    item formd.submission_item,
    form formd.submitter_form,
    caller formd.submitter_authorization
  );
  comment on type formd.submission_admission is 'a submission that formd.submitter_admit has counted, and may have refused';

  create type formd.validation_admission as (
    item formd.validation_item,
    form formd.submitter_form,
    caller formd.submitter_authorization
  );
  comment on type formd.validation_admission is 'a dry run that formd.submitter_admit has counted, and may have refused';
end
$$;
