-- Spreads formd's tables over the machines of a Citus cluster, by team. `formd distribute` runs it on the
-- coordinator, as the owner of the tables, in one transaction; `formd migrate` runs it after each migration
-- of a database whose tables are distributed. Idempotent.
--
-- A table is distributed when it has a team_id, a partitioned one with its partitions. operators and their
-- operator_passkeys, who belong to no team, and sign_in_connections, which may belong to none, are on every
-- machine. On the coordinator stay schema_migrations, master_keys and feed_marks; form_aliases, which are
-- unique in the installation and read by a function only; passkey_challenges and setup_links, which belong to
-- no team and to which no key refers; and what is unlogged, as rate_limits: Citus moves no unlogged table, a
-- machine that is down must not take the limits of all callers with it, and a submission that counts on
-- another machine would commit in two phases.
--
-- Citus distributes no table that a foreign key ties to one that is not distributed yet: the keys of such
-- tables are dropped and created again. Tables with rows are copied, and locked meanwhile.
do $$
declare
  v_keys text[];
  v_statement text;
  v_table regclass;
  v_is_changed boolean := false;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  v_keys := array(
    select format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname,
      pg_get_constraintdef(c.oid))
    from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'formd'::regnamespace and c.conparentid = 0
      and c.conrelid not in (select d.logicalrelid from pg_dist_partition d)
    order by c.conname);
  for v_statement in
    select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname)
    from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'formd'::regnamespace and c.conparentid = 0
      and c.conrelid not in (select d.logicalrelid from pg_dist_partition d)
  loop
    execute v_statement;
  end loop;

  if not exists (select from pg_dist_partition d where d.logicalrelid = 'formd.teams'::regclass) then
    perform create_reference_table('formd.sign_in_connections');
    perform create_reference_table('formd.operators');
    perform create_reference_table('formd.operator_passkeys');
    perform create_distributed_table('formd.teams', 'team_id', colocate_with => 'none');
    v_is_changed := true;
  end if;
  for v_table in
    select c.oid from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
    where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p'
      and c.oid not in (select d.logicalrelid from pg_dist_partition d)
    order by c.oid
  loop
    perform create_distributed_table(v_table, 'team_id', colocate_with => 'formd.teams');
    v_is_changed := true;
  end loop;

  foreach v_statement in array v_keys loop
    execute v_statement;
  end loop;

  -- A function whose result is a row of a table cannot be on the workers before the table: `formd migrate`
  -- then loads all of them again.
  if v_is_changed then
    comment on schema formd is 'functions none';
  end if;
end
$$;
