-- migrate:up transaction:false
-- Locks: row exclusive on submission_edits, submission_erasures.

-- In the order of the key and in batches, each a transaction of its own, beside the traffic. If it breaks off, run formd migrate again.
do $do$
declare
  c_batch_rows constant integer := 5000;
  v_team uuid := '00000000-0000-0000-0000-000000000000';
  v_form uuid := v_team;
  v_submission uuid := v_team;
  v_edit uuid := v_team;
begin
  set citus.multi_shard_modify_mode = 'sequential';
  loop
    with batch as (
      select e.team_id, e.form_id, e.submission_id, e.id
      from formd.submission_edits e
      where (e.team_id, e.form_id, e.submission_id, e.id) > (v_team, v_form, v_submission, v_edit)
      order by e.team_id, e.form_id, e.submission_id, e.id limit c_batch_rows
    ), copied as (
      update formd.submission_edits e set actor_id = e.api_key_id
      from batch b
      where e.team_id = b.team_id and e.form_id = b.form_id and e.submission_id = b.submission_id and e.id = b.id and e.actor_id is null
    )
    select b.* into v_team, v_form, v_submission, v_edit
    from batch b order by b.team_id desc, b.form_id desc, b.submission_id desc, b.id desc limit 1;
    exit when not found;
    commit;
  end loop;
  update formd.submission_erasures e set actor_id = e.api_key_id where e.actor_id is null;
end
$do$;
