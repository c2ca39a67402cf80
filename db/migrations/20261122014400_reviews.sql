-- migrate:up transaction:false
-- Locks: access exclusive on submissions; each for a moment, one after another.

-- An owner's decision on a submission that waits for review. The columns are null in every row that exists, so that nothing is rewritten, and
-- the checks are validated beside the traffic. If it breaks off, run formd migrate again.
do $do$
declare
  v_statement text;
begin
  set citus.multi_shard_modify_mode = 'sequential';
  foreach v_statement in array array[
    $$alter table formd.submissions
        add column if not exists review_decision text,
        add column if not exists review_reason text,
        add column if not exists reviewed_at timestamptz(3),
        add column if not exists reviewed_by uuid,
        drop constraint if exists submissions_review_decision_check,
        add constraint submissions_review_decision_check check (review_decision in ('approved', 'rejected')) not valid,
        drop constraint if exists submissions_review_reason_check,
        add constraint submissions_review_reason_check check (char_length(review_reason) <= 1000) not valid$$,
    $$alter table formd.submissions validate constraint submissions_review_decision_check$$,
    $$alter table formd.submissions validate constraint submissions_review_reason_check$$,
    $$comment on column formd.submissions.review_decision is
        'approved; rejected: stays pending, and waits for review no more. Null: not reviewed, or reopened.'$$,
    $$comment on column formd.submissions.review_reason is 'As the reviewer gave it.'$$,
    $$comment on column formd.submissions.reviewed_at is 'When the decision was made.'$$,
    $$comment on column formd.submissions.reviewed_by is 'The operator or API key; the audit has which.'$$]
  loop
    execute v_statement;
    commit;
  end loop;
end
$do$;
