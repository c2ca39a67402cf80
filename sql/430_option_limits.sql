-- Limits of options: how many submissions of a form may hold one. Counted are the submissions that the form
-- has, of whichever version; a deletion and an edit give the place back.
--
-- Exact, since each transaction that changes what is counted holds the form's row (for share), which
-- publishing a version takes for itself, and the rows of the options that it changes. The form comes before
-- its options, and these before what is the caller's own and before the counters of forms.

create or replace function formd.option_counts_lock(p_team uuid, p_form uuid, p_data jsonb[]) returns void
language plpgsql volatile as $$
-- Waits for the submissions that others are storing with the same options.
-- Reads: forms, option_counts
-- Locks: the form's row, for share; the options with a limit in p_data, in the order of their keys
-- Index: forms_pkey, option_counts_pkey
-- Why: the statements that follow begin after the locks, and see what was committed before them.
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form for share;
  perform from formd.option_counts c
  where c.team_id = p_team and c.form_id = p_form
    and exists (select from unnest(p_data) as d (data) where d.data -> c.field_id @> c.value)
  order by c.field_id, c.value for no key update;
end
$$;

create or replace function formd.options_full(p_team uuid, p_form uuid) returns jsonb
language plpgsql stable as $$
-- Returns the options of a form that are full: by the id of their field, a list of their values. Null: none.
-- Reads: option_counts
-- Index: option_counts_pkey
begin
  return (
    select jsonb_object_agg(o.field_id, o.full_values)
    from (select c.field_id, jsonb_agg(c.value order by c.value) as full_values
      from formd.option_counts c
      where c.team_id = p_team and c.form_id = p_form and c.total >= c.max_total
      group by c.field_id) as o);
end
$$;

create or replace function formd.options_left(p_team uuid, p_form uuid) returns jsonb
language plpgsql stable as $$
-- Returns the options of a form with few places left, or none: by the id of their field, a list of value and
-- number. Few are 10 at most, or a fifth of the limit. Null: none.
-- Reads: option_counts
-- Index: option_counts_pkey
declare
  c_few constant integer := 10;
  c_fifth constant integer := 5;
begin
  return (
    select jsonb_object_agg(o.field_id, o.few)
    from (select c.field_id,
        jsonb_agg(jsonb_build_array(c.value, greatest(c.max_total - c.total, 0)) order by c.value) as few
      from formd.option_counts c
      where c.team_id = p_team and c.form_id = p_form
        and c.max_total - c.total <= greatest(c_few, c.max_total / c_fifth)
      group by c.field_id) as o);
end
$$;

create or replace function formd.options_are_full(p_team uuid, p_form uuid, p_before jsonb, p_data jsonb)
  returns boolean
language plpgsql stable as $$
-- Returns whether p_data holds an option that is full, and that p_before, which is counted, does not hold.
-- Reads: option_counts
-- Index: option_counts_pkey
begin
  return exists (
    select from formd.option_counts c
    where c.team_id = p_team and c.form_id = p_form and c.total >= c.max_total
      and p_data -> c.field_id @> c.value and not coalesce(p_before -> c.field_id @> c.value, false));
end
$$;

create or replace function formd.option_counts_change(p_team uuid, p_form uuid, p_before jsonb, p_data jsonb)
  returns void
language plpgsql volatile as $$
-- Counts what a submission holds instead of what it held. {} is nothing.
-- Writes: option_counts
-- Locks: the options that change, which option_counts_lock has locked
-- Index: option_counts_pkey
begin
  update formd.option_counts c
  set total = c.total + case when p_data -> c.field_id @> c.value then 1 else -1 end
  where c.team_id = p_team and c.form_id = p_form
    and coalesce(p_data -> c.field_id @> c.value, false)
      <> coalesce(p_before -> c.field_id @> c.value, false);
end
$$;

create or replace function formd.submission_options_change(p_team uuid, p_form uuid, p_before jsonb,
  p_data jsonb) returns void
language plpgsql volatile as $$
-- Counts the options of a submission that is edited, or deleted (p_data is {}).
-- Reads: forms
-- Writes: option_counts
-- Locks: the form's row, for share; then what option_counts_lock locks
-- Raises: validation_failed (an option is full; with full, those that are)
-- Index: forms_pkey
-- Why: also a form without limits is locked: they may be being published, and what there is being counted.
declare
  v_has_limits boolean;
begin
  select f.has_limits into v_has_limits from formd.forms f
  where f.team_id = p_team and f.id = p_form for share;
  if v_has_limits then
    perform formd.option_counts_lock(p_team, p_form, array[p_before, p_data]);
    if formd.options_are_full(p_team, p_form, p_before, p_data) then
      perform formd.raise_problem('validation_failed', 'option_full',
        p_extras => jsonb_build_object('full', formd.options_full(p_team, p_form)));
    end if;
    perform formd.option_counts_change(p_team, p_form, p_before, p_data);
  end if;
end
$$;

create or replace function formd.option_recount(p_team uuid, p_form uuid)
returns table (field_id text, value jsonb, counted bigint, total bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Counts the submissions that hold an option with a limit, each beside its counter: the two are equal.
-- Route: none; formd doctor compares them for a sample of forms
-- Reads: submissions, option_counts
-- Index: submissions_pkey, option_counts_pkey
-- Why: the submissions are read once per field, and in the same statement as the counters, since they change
--   in one transaction. A value that is a list counts for each of its items, which differ.
begin
  return query
  with fields as materialized (
    select distinct c.field_id from formd.option_counts c where c.team_id = p_team and c.form_id = p_form
  ), held as materialized (
    select f.field_id, h.value, count(*) as total
    from formd.submissions s cross join fields f
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(s.data -> f.field_id) when 'array' then s.data -> f.field_id
        else jsonb_build_array(s.data -> f.field_id) end) as h (value)
    where s.team_id = p_team and s.form_id = p_form and s.data ? f.field_id
    group by f.field_id, h.value
  )
  select c.field_id, c.value, coalesce(h.total, 0), c.total::bigint
  from formd.option_counts c left join held h on h.field_id = c.field_id and h.value = c.value
  where c.team_id = p_team and c.form_id = p_form
  order by c.field_id, c.value;
end
$$;

create or replace function formd.option_counts_repair(p_team uuid, p_form uuid) returns bigint
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Brings the counters of a form's options to what option_recount counts, while servers run; returns by how
-- much they were wrong.
-- Reads: forms
-- Writes: option_counts
-- Locks: the form's row, for no key update, for which every transaction that changes a counter holds it
-- Index: forms_pkey, option_counts_pkey
declare
  v_each record;
  v_changed bigint := 0;
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form for no key update;
  for v_each in
    select r.field_id, r.value, r.counted, r.total from formd.option_recount(p_team, p_form) as r
    where r.counted <> r.total
  loop
    update formd.option_counts c set total = v_each.counted
    where c.team_id = p_team and c.form_id = p_form and c.field_id = v_each.field_id
      and c.value = v_each.value;
    v_changed := v_changed + abs(v_each.counted - v_each.total);
  end loop;
  return v_changed;
end
$$;

create or replace function formd.option_limits_set(p_team uuid, p_form uuid, p_limits jsonb) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Puts the limits of a version ({fieldId, value, limit} each) in effect, in the transaction that publishes
-- it, and returns whether it has any.
-- Route: formd form publish, the console
-- Reads: submissions
-- Writes: option_counts, submission_counts; what option_counts_repair writes
-- Locks: the slots of the form, in their order; its options. The form's row, which form_lock has locked
-- Index: option_counts_pkey, submission_counts_pkey; what option_counts_repair reads
-- Why: the submissions are counted only where an option gets its first limit: a million take a second or two,
--   for which others of the form wait. A submission that has read the form before takes no lock of options,
--   and so each ends in a slot of the form: those that have theirs are waited for, the others find the mark.
--   Rows are deleted one by one, since Citus deletes by no function of a row.
declare
  c_slots constant integer := 64;
  v_has_limits boolean := jsonb_array_length(p_limits) > 0;
  v_is_first boolean;
  v_each record;
begin
  insert into formd.submission_counts as c (team_id, form_id, status, slot, total, has_limits)
  select p_team, p_form, k.status, n.slot, 0, v_has_limits
  from unnest(array['completed', 'partial', 'pending']) as k (status),
    generate_series(0, c_slots - 1) as n (slot)
  order by k.status, n.slot
  on conflict (team_id, form_id, status, slot) do update set has_limits = excluded.has_limits;
  for v_each in
    select c.field_id, c.value from formd.option_counts c where c.team_id = p_team and c.form_id = p_form
      and not p_limits @> jsonb_build_array(jsonb_build_object('fieldId', c.field_id, 'value', c.value))
  loop
    delete from formd.option_counts c
    where c.team_id = p_team and c.form_id = p_form and c.field_id = v_each.field_id
      and c.value = v_each.value;
  end loop;
  v_is_first := (select count(*) from formd.option_counts c where c.team_id = p_team and c.form_id = p_form)
    < jsonb_array_length(p_limits);
  insert into formd.option_counts as c (team_id, form_id, field_id, value, max_total, total)
  select p_team, p_form, l ->> 'fieldId', l -> 'value', (l ->> 'limit')::integer, 0
  from jsonb_array_elements(p_limits) as l
  on conflict (team_id, form_id, field_id, value) do update set max_total = excluded.max_total;
  if v_is_first then
    perform formd.option_counts_repair(p_team, p_form);
  end if;
  return v_has_limits;
end
$$;
