create or replace function formd.submission_count_add(p_team uuid, p_form uuid, p_status text,
  p_change integer) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Changes a form's number of submissions.
-- Writes: submission_counts
-- Locks: one of 64 slots, that of this backend, so that transactions rarely wait for each other
-- Index: submission_counts_pkey
-- Why: a slot may go below zero (added in one, deleted in another); the sum of the slots is exact.
declare
  c_slots constant integer := 64;
  v_slot smallint := pg_backend_pid() % c_slots;
begin
  update formd.submission_counts c set total = c.total + p_change
  where c.team_id = p_team and c.form_id = p_form and c.status = p_status and c.slot = v_slot;
  if not found then
    insert into formd.submission_counts as c (team_id, form_id, status, slot, total)
    values (p_team, p_form, p_status, v_slot, p_change)
    on conflict (team_id, form_id, status, slot) do update set total = c.total + excluded.total;
  end if;
end
$$;

create or replace function formd.submission_recount(p_team uuid, p_form uuid)
returns table (status text, counted bigint, total bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Counts a form's submissions by status, each beside the sum of its counters: the two are equal. Nothing
-- while a month of submissions is detached, since it is counted until it is dropped.
-- Route: none; formd doctor compares them for a sample of forms
-- Reads: submissions, submission_counts
-- Index: submissions_pkey, submissions_status_idx, submission_counts_pkey
-- Why: in one statement, since a submission and its counter change in one transaction: a snapshot has both.
--   What is completed is the rest: the key alone is read, and not a million rows for their status.
begin
  if formd.partition_is_detached() then
    return;
  end if;
  return query
  with pending as materialized (
    select count(*) from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.status = 'pending'),
  partial as materialized (
    select count(*) from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.status = 'partial'),
  stored as materialized (
    select count(*) from formd.submissions s where s.team_id = p_team and s.form_id = p_form)
  select k.status, k.counted,
    coalesce((select sum(c.total)::bigint from formd.submission_counts c
      where c.team_id = p_team and c.form_id = p_form and c.status = k.status), 0)
  from pending, partial, stored cross join lateral (values
    ('completed', stored.count - pending.count - partial.count), ('partial', partial.count),
    ('pending', pending.count)) as k (status, counted);
end
$$;

create or replace function formd.submission_counts_repair(p_team uuid, p_form uuid) returns bigint
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Brings the counters of a form to what submission_recount counts, while servers run. Returns the difference.
-- Writes: submission_counts
-- Locks: submissions, share update exclusive, if they are divided: no month is detached meanwhile; one slot
--   per status
-- Why: it adds the difference of one snapshot, so that what is submitted meanwhile counts as well. A month
--   that is detached would be subtracted here, and again when it is dropped.
declare
  v_each record;
  v_changed bigint := 0;
begin
  if exists (select from pg_class c where c.oid = 'formd.submissions'::regclass and c.relkind = 'p') then
    lock table formd.submissions in share update exclusive mode;
  end if;
  if formd.partition_is_detached() then
    raise exception 'A month of submissions is detached: months first (formd partition list).';
  end if;
  for v_each in
    select r.status, r.counted - r.total as difference from formd.submission_recount(p_team, p_form) as r
    where r.counted <> r.total
  loop
    perform formd.submission_count_add(p_team, p_form, v_each.status, v_each.difference::integer);
    v_changed := v_changed + abs(v_each.difference);
  end loop;
  return v_changed;
end
$$;

-- PostgreSQL plans and opens each month of a range of ids where submissions are divided by month, also months
-- ahead: a list by status took 14 times as long. So a list ends with today and looks in its last week first.
-- Both functions are inlined, since a call costs 50 us. A server whose clock is more than a day ahead makes
-- submissions that are listed when their day comes.

create or replace function formd.submissions_end(p_end_id uuid) returns uuid
language sql stable parallel safe as $$
-- The end of a range of ids, tomorrow at the latest.
select least(p_end_id, formd.uuid_floor(now() + interval '1 day'))
$$;

create or replace function formd.submissions_newest(p_first_id uuid, p_end_id uuid) returns uuid
language sql stable parallel safe as $$
-- The beginning of the last week of a range of ids.
select greatest(p_first_id, formd.uuid_floor(greatest(formd.uuid_time(p_end_id) - interval '7 days',
  timestamptz 'epoch')))
$$;

create or replace function formd.submission_list(p_team uuid, p_form uuid, p_status text, p_review text,
  p_agent uuid, p_respondent uuid, p_provenance text, p_first_id uuid, p_end_id uuid, p_limit integer,
  p_offset bigint, p_below uuid, p_max_counted bigint, p_is_oldest_first boolean)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text,
  submitter_id uuid, respondent_id uuid, provenance text, declared_agent text, review_decision text,
  review_reason text, reviewed_at timestamptz, created_at timestamptz, updated_at timestamptz, total bigint,
  older_before timestamptz, newer_after timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- Returns the first rows of a page, newest first, with the total of the list. A page without rows is one row
-- of nulls with the total. Ends early once the rows have c_part_max_bytes; the caller goes on with p_below,
-- the last id that it has, for the rest of the page and for an export. The total is then null.
-- p_review: open (waits for review) or rejected. p_max_counted: rows that have no counter are counted up to
-- that number from the page's first one on; null: an export, whose total only says that rows are left.
-- p_is_oldest_first: the other order, for a list that has no counter.
-- older_before, newer_after: filters that no index has look at c_page_max_looked_at submissions, and several
--   of which an index has one at c_page_max_spread of this one; those created before, or after, were not
--   looked at. Null: all were.
-- Route: GET /management/forms/{form_id}/submissions, GET …/submissions/export; the console
-- Reads: forms, submissions, submission_counts
-- Raises: not_found (form)
-- Index: submissions_pkey, or that of a filter: submissions_respondent_idx, submissions_agent_idx,
--   submissions_review_open_idx, submissions_review_rejected_idx, submissions_status_idx (not of what is
--   completed), submissions_provenance_idx (the rare values only, since every submit pays for an index). All
--   end in the id, which is the order
-- Why: p_first_id (inclusive) and p_end_id (exclusive) are times, since a UUIDv7 begins with its time. The
--   total is the sum of the counters where only the status is asked for. Else one walk counts, and keeps the
--   ids of the page: along the index of one filter, the one with the fewest rows as a rule, or the key. Rows
--   of an index are each on a page of their own, those of the key beside each other. A page of the counted
--   kind begins below the row before it, which is looked up from the nearer end of the list. A plan for each
--   call, since a filter that is null must vanish from it: the generic plan would walk the form. Rows are
--   measured one by one, so that none is read in vain.
declare
  c_page_max_looked_at constant integer := 50000;
  c_page_max_spread constant integer := 10000;
  c_part_max_bytes constant integer := 262144;
  c_max_id constant uuid := uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  c_ms constant interval := interval '1 millisecond';
  v_first_id uuid := coalesce(p_first_id, '00000000-0000-0000-0000-000000000000');
  v_end_id uuid := least(p_end_id, p_below, c_max_id);
  v_is_divided boolean := pg_get_partkeydef('formd.submissions'::regclass) is not null;
  v_newest_id uuid := v_first_id;
  v_filters integer := num_nonnulls(p_status, p_review, p_agent, p_respondent, p_provenance);
  v_lead text := case when p_respondent is not null then 'respondent' when p_agent is not null then 'agent'
    when p_review is not null then 'review' when p_status <> 'completed' then 'status'
    when p_provenance not in ('person', 'agent') then 'provenance' end;
  v_max_looked_at integer := case when p_max_counted is null then null
    when v_lead is null and v_filters > 0 then c_page_max_looked_at
    when v_filters > 1 then c_page_max_spread end;
  v_is_oldest_first boolean := coalesce(p_is_oldest_first, false);
  v_counted bigint;
  v_others bigint;
  v_ids uuid[];
  v_row_id uuid;
  v_rows integer := 0;
  v_bytes integer := 0;
begin
  if v_is_divided then
    v_end_id := formd.submissions_end(v_end_id);
    v_newest_id := formd.submissions_newest(v_first_id, v_end_id);
  end if;
  if p_below is null then
    perform from formd.forms f where f.team_id = p_team and f.id = p_form;
    if not found then
      perform formd.raise_problem('not_found', 'form_missing');
    end if;
    if num_nonnulls(p_review, p_agent, p_respondent, p_provenance, p_first_id, p_end_id) = 0 then
      select coalesce(sum(c.total) filter (where p_status is null or c.status = p_status), 0),
        coalesce(sum(c.total) filter (where c.status <> 'completed'), 0) into v_counted, v_others
      from formd.submission_counts c where c.team_id = p_team and c.form_id = p_form;
    end if;
    -- Completed ones have no index: where enough others may lie before them, they are found as by a filter.
    if v_counted is not null and (p_status is distinct from 'completed' or p_max_counted is null
        or v_others <= c_page_max_looked_at) then
      total := v_counted;
      if p_offset < total and p_offset * 2 > total then
        -- From the other end, which only an exact total tells: an offset reads all that it skips.
        select s.id into v_end_id from formd.submissions s
        where s.team_id = p_team and s.form_id = p_form and s.id >= v_first_id and s.id < v_end_id
          and (p_status is null or s.status = p_status)
        order by s.id limit 1 offset total - p_offset;
      elsif p_offset < total and p_offset > 0 then
        -- A second turn takes the whole range, since the week may have fewer rows than the offset.
        loop
          select s.id into v_row_id from formd.submissions s
          where s.team_id = p_team and s.form_id = p_form and s.id >= v_newest_id and s.id < v_end_id
            and (p_status is null or s.status = p_status)
          order by s.id desc limit 1 offset p_offset - 1;
          exit when found or v_newest_id = v_first_id;
          v_newest_id := v_first_id;
        end loop;
        v_end_id := v_row_id;
      end if;
      -- The page may begin long before the week that was looked in: the week before its own first row counts
      -- now.
      if v_is_divided and p_offset > 0 then
        v_newest_id := formd.submissions_newest(v_first_id, v_end_id);
      end if;
    else
      v_newest_id := v_first_id;
      -- The first row that is not looked at passes as well: it is the last one, and says that there is one.
      select count(*) filter (where m.is_unread is not true), array_agg(m.id) filter (
          where m.is_unread is not true and m.place > p_offset and m.place <= p_offset + p_limit),
        (array_agg(m.id) filter (where m.is_unread))[1]
      into total, v_ids, v_row_id
      from (
        select l.id, l.place > v_max_looked_at as is_unread, row_number() over () as place
        from (
          select s.id, s.status, s.review_decision, s.submitter_type, s.submitter_id, s.respondent_id,
            s.provenance, row_number() over () as place
          from formd.submissions s
          where s.team_id = p_team and s.form_id = p_form and s.id >= v_first_id and s.id < v_end_id
            and (v_lead is distinct from 'respondent' or s.respondent_id = p_respondent)
            and (v_lead is distinct from 'agent' or s.submitter_id = p_agent and s.submitter_type = 'agent')
            and (v_lead is distinct from 'review' or s.status = 'pending' and (
              p_review = 'open' and s.review_decision is null or p_review = 'rejected'
              and s.review_decision = 'rejected'))
            and (v_lead is distinct from 'status' or s.status = p_status)
            and (v_lead is distinct from 'provenance' or s.provenance = p_provenance)
          order by case when v_is_oldest_first then s.id end,
            case when not v_is_oldest_first then s.id end desc
          limit v_max_looked_at + 1) as l
        where l.place > v_max_looked_at
          or (v_lead = 'respondent' or p_respondent is null or l.respondent_id = p_respondent)
          and (v_lead = 'agent' or p_agent is null or l.submitter_id = p_agent and l.submitter_type = 'agent')
          and (v_lead = 'review' or p_review is null or l.status = 'pending' and (
            p_review = 'open' and l.review_decision is null or p_review = 'rejected'
            and l.review_decision = 'rejected'))
          and (v_lead = 'status' or p_status is null or l.status = p_status)
          and (v_lead = 'provenance' or p_provenance is null or l.provenance = p_provenance)
        limit p_offset + coalesce(p_max_counted, p_limit + 1)) as m;
      -- A millisecond off, since others of the same one may not have been looked at.
      if v_is_oldest_first then
        newer_after := formd.uuid_time(v_row_id) - c_ms;
      else
        older_before := formd.uuid_time(v_row_id) + c_ms;
      end if;
      if v_row_id is null then
        total := coalesce(v_counted, total);
      end if;
    end if;
    if p_offset >= total then
      return next;
      return;
    end if;
  end if;

  loop
    for id, form_id, form_version, status, data, metadata, submitter_type, submitter_id, respondent_id,
      provenance, declared_agent, review_decision, review_reason, reviewed_at, created_at, updated_at in
      select s.id, s.form_id, s.form_version, s.status, s.data, s.metadata, s.submitter_type, s.submitter_id,
        s.respondent_id, s.provenance, s.declared_agent,
        s.review_decision, s.review_reason, s.reviewed_at, s.created_at, s.updated_at
      from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.id >= v_newest_id and s.id < v_end_id
        and (v_ids is null or s.id = any (v_ids))
        and (p_status is null or s.status = p_status)
        and (p_respondent is null or s.respondent_id = p_respondent)
        and (p_provenance is null or s.provenance = p_provenance)
        and (p_agent is null or s.submitter_id = p_agent and s.submitter_type = 'agent')
        and (p_review is null or s.status = 'pending' and (
          p_review = 'open' and s.review_decision is null or p_review = 'rejected'
          and s.review_decision = 'rejected'))
      order by case when v_is_oldest_first then s.id end,
        case when not v_is_oldest_first then s.id end desc
      limit p_limit - v_rows
    loop
      return next;
      v_rows := v_rows + 1;
      v_bytes := v_bytes + octet_length(data::text) + coalesce(octet_length(metadata::text), 0);
      exit when v_bytes >= c_part_max_bytes;
    end loop;
    exit when v_newest_id = v_first_id or v_rows = p_limit or v_bytes >= c_part_max_bytes;
    v_end_id := v_newest_id;
    v_newest_id := v_first_id;
  end loop;
end
$$;

create or replace function formd.submission_page(p_team uuid, p_form uuid, p_status text, p_review text,
  p_agent uuid, p_respondent uuid, p_provenance text, p_first_id uuid, p_end_id uuid, p_limit integer,
  p_offset bigint, p_below uuid, p_max_counted bigint, p_is_oldest_first boolean)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text,
  submitter_id uuid, respondent_id uuid, provenance text, declared_agent text, review_decision text,
  review_reason text, reviewed_at timestamptz, created_at timestamptz, updated_at timestamptz, total bigint,
  older_before timestamptz, newer_after timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_sort = off set plan_cache_mode = force_generic_plan as $$
-- Returns what submission_list does, with plans that are kept: of the first page without filters, and of the
-- parts after it.
-- Route: GET /management/forms/{form_id}/submissions, GET …/submissions/export
-- Reads: forms, submissions, submission_counts
-- Raises: not_found (form)
-- Index: forms_pkey, submission_counts_pkey, submissions_pkey
-- Why: planning takes half of submission_list's time. The generic plan is forced, since one for an unknown
--   limit looks dear and each call would be planned; without a sort it can only walk submissions_pkey, at any
--   age of the table. On Citus such a plan has one table. A form with submissions exists. A value that is
--   stored uncompressed is measured without writing it as text.
declare
  c_part_max_bytes constant integer := 262144;
  c_min_id constant uuid := uuid '00000000-0000-0000-0000-000000000000';
  c_max_id constant uuid := uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_newest_id uuid := c_min_id;
  v_end_id uuid := coalesce(p_below, c_max_id);
  v_rows integer := 0;
  v_size integer;
  v_bytes integer := 0;
begin
  if num_nonnulls(p_status, p_review, p_agent, p_respondent, p_provenance, p_first_id, p_end_id) > 0
     or p_offset > 0 then
    return query select * from formd.submission_list(p_team => p_team, p_form => p_form, p_status => p_status,
      p_review => p_review, p_agent => p_agent, p_respondent => p_respondent, p_provenance => p_provenance,
      p_first_id => p_first_id, p_end_id => p_end_id, p_limit => p_limit, p_offset => p_offset,
      p_below => p_below, p_max_counted => p_max_counted, p_is_oldest_first => p_is_oldest_first);
    return;
  end if;
  if p_below is null then
    select coalesce(sum(c.total), 0) into total from formd.submission_counts c where c.team_id = p_team
      and c.form_id = p_form;
    if total = 0 then
      perform from formd.forms f where f.team_id = p_team and f.id = p_form;
      if not found then
        perform formd.raise_problem('not_found', 'form_missing');
      end if;
    end if;
  end if;

  if pg_get_partkeydef('formd.submissions'::regclass) is not null then
    v_end_id := formd.submissions_end(v_end_id);
    v_newest_id := formd.submissions_newest(c_min_id, v_end_id);
  end if;
  loop
    for id, form_id, form_version, status, data, metadata, submitter_type, submitter_id, respondent_id,
      provenance, declared_agent, review_decision, review_reason, reviewed_at, created_at, updated_at, v_size
    in
      select s.id, s.form_id, s.form_version, s.status, s.data, s.metadata, s.submitter_type, s.submitter_id,
        s.respondent_id, s.provenance, s.declared_agent,
        s.review_decision, s.review_reason, s.reviewed_at, s.created_at, s.updated_at,
        case when pg_column_compression(s.data) is null then pg_column_size(s.data)
          else octet_length(s.data::text) end
      from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.id >= v_newest_id and s.id < v_end_id
      order by s.id desc limit p_limit - v_rows
    loop
      return next;
      v_rows := v_rows + 1;
      v_bytes := v_bytes + v_size + coalesce(octet_length(metadata::text), 0);
      exit when v_bytes >= c_part_max_bytes;
    end loop;
    exit when v_newest_id = c_min_id or v_rows = p_limit or v_bytes >= c_part_max_bytes;
    v_end_id := v_newest_id;
    v_newest_id := c_min_id;
  end loop;
  if v_rows = 0 and p_below is null then
    return next;
  end if;
end
$$;

create or replace function formd.submission_get(p_team uuid, p_form uuid, p_submission uuid)
  returns setof formd.submission_row
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off rows 1 as $$
-- Returns a submission, or no row.
-- Route: GET and PATCH /management/forms/{form_id}/submissions/{submission_id}
-- Reads: submissions
-- Index: submissions_pkey
-- Why: a function, because a statement of the server keeps the plan of an empty table: 0.5 s at a million
--   rows.
begin
  return query select s.id, s.team_id, s.form_id, s.form_version, s.status, s.data, s.metadata,
    s.submitter_type, s.submitter_id, s.respondent_id, s.provenance, s.declared_agent, s.review_decision,
    s.review_reason, s.reviewed_at, s.created_at, s.updated_at
  from formd.submissions s
  where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
end
$$;

create or replace function formd.submission_columns(p_team uuid, p_form uuid)
  returns table (id text, title text, field jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the columns of an export, with the definitions of the fields: each field that any version had, as
-- the newest of them has it; the newest version's fields come first. A draft has none.
-- Route: GET /management/forms/{form_id}/submissions/export
-- Reads: forms, form_versions
-- Raises: not_found (form)
-- Index: form_versions_pkey
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'form_missing');
  end if;
  return query
  select newest.id, coalesce(newest.field ->> 'label', newest.id) || ' (' || newest.id || ')', newest.field
  from (
    select distinct on (f.field ->> 'id') f.field ->> 'id' as id, f.field, v.version, f.position
    from formd.form_versions v, jsonb_array_elements(v.schema -> 'fields') with ordinality as f (field,
      position)
    where v.team_id = p_team and v.form_id = p_form
    order by f.field ->> 'id', v.version desc, f.position) as newest
  order by newest.version desc, newest.position;
end
$$;

create or replace function formd.submission_former_fields(p_team uuid, p_form uuid)
  returns table (id text, field jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the definitions of fields in all versions, newest first: one for each list of options, rows and
-- columns that a field ever had. They have the labels of what a later version removed.
-- Route: GET /management/forms/{form_id}/submissions/export
-- Reads: form_versions
-- Index: form_versions_pkey
begin
  return query
  select d.field ->> 'id', d.field
  from (
    select distinct on (f.field ->> 'id', v_lists.lists) f.field, v.version, f.position
    from formd.form_versions v, jsonb_array_elements(v.schema -> 'fields') with ordinality as f (field,
      position), jsonb_build_array(f.field -> 'options', f.field -> 'rows', f.field -> 'columns',
      f.field -> 'validation') as v_lists (lists)
    where v.team_id = p_team and v.form_id = p_form and jsonb_typeof(f.field) = 'object'
      and v_lists.lists <> '[null, null, null, null]'
    order by f.field ->> 'id', v_lists.lists, v.version desc, f.position) as d
  order by d.version desc, d.position;
end
$$;

create or replace function formd.submission_lock(p_team uuid, p_actor formd.actor, p_form uuid,
  p_submission uuid) returns formd.submission_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Locks a submission that the actor may change, and returns it.
-- Reads: submissions
-- Locks: the submission's row
-- Raises: what actor_require_login raises, not_found, insufficient_workspace_role (least role: editor)
-- Index: submissions_pkey
-- Why: not the table's row type, since a table that becomes a partition takes its type with it.
declare
  v_row formd.submission_row;
begin
  perform formd.actor_require_login(p_actor);
  if (p_actor).type = 'operator' then
    perform formd.form_require_role(p_team, p_actor, p_form, 'editor');
  end if;
  select s.id, s.team_id, s.form_id, s.form_version, s.status, s.data, s.metadata,
    s.submitter_type, s.submitter_id, s.respondent_id, s.provenance, s.declared_agent, s.review_decision,
    s.review_reason, s.reviewed_at, s.created_at, s.updated_at
  into v_row from formd.submissions s
  where s.team_id = p_team and s.form_id = p_form and s.id = p_submission for update;
  if not found then
    perform formd.raise_problem('not_found', 'submission_missing');
  end if;
  return v_row;
end
$$;

-- For reports: what there is to count, without a stored value.

create or replace view formd.report_submissions with (security_barrier) as
select s.team_id, s.form_id, s.id, s.form_version, s.status, s.submitter_type, s.created_at, s.updated_at,
  s.completed_at, s.provenance
from formd.submissions s;
comment on view formd.report_submissions is 'A submission without its values, for the group formd_report.';
