-- migrate:up
-- Locks: share update exclusive on form_aliases, webhook_batches.

-- How long the rows of each table are kept, for the generated reference.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  comment on table formd.form_aliases is 'settings.page.alias of every form that has one; an archived form keeps its alias, so that no other form answers at a known address. Kept as long as the form has it.';
  comment on table formd.webhook_batches is 'The submissions of one commit of which a webhook may be told. Usually empty. Kept until a worker has written their events, at most for 30 days.';
end
$$;
