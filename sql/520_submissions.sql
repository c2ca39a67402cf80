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
-- The functions are inlined, since a call costs 50 us. A server whose clock is more than a day ahead makes
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

create or replace function formd.submissions_oldest(p_first_id uuid, p_end_id uuid) returns uuid
language sql stable parallel safe as $$
-- The end of the first week of a range of ids; of one from the beginning on its own end.
select case when p_first_id > '00000000-0000-0000-0000-000000000000' then least(p_end_id,
  formd.uuid_floor(least(formd.uuid_time(p_first_id), now()) + interval '7 days')) else p_end_id end
$$;

create or replace function formd.metadata_has_language(p_metadata jsonb, p_language text) returns boolean
language sql immutable parallel safe as $$
-- True if the member `language` of the metadata is this tag, whatever the case.
-- Why: of an agent the member may have any type. The collation, since in Turkish I is no capital i.
select lower(p_metadata ->> 'language' collate "C") = lower(p_language collate "C")
$$;

create or replace function formd.submission_list(p_team uuid, p_form uuid, p_status text, p_review text,
  p_agent uuid, p_respondent uuid, p_provenance text, p_language text, p_first_id uuid, p_end_id uuid,
  p_limit integer, p_offset bigint, p_after uuid, p_order text, p_max_counted bigint)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text,
  submitter_id uuid, respondent_id uuid, provenance text, declared_agent text, review_decision text,
  review_reason text, reviewed_at timestamptz, created_at timestamptz, updated_at timestamptz, total bigint,
  next_id uuid, up_to timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- Returns a page: with the total, newest first, or without after p_after in p_order (feed_range). Ends early
-- once the rows have c_part_max_bytes. The last row has no id: the total, and where the list goes on;
-- null: all was read. With a total it goes on there only if rows were not looked at.
-- p_review: open (waits for review) or rejected. p_max_counted: rows that have no counter are counted up to
-- that number from the page's first one on; null: an export, or the rest of a page, which read all rows. The
-- total of an export only says that rows are left.
-- Filters that no index has look at c_page_max_looked_at submissions, and several of which an index has one
-- at c_page_max_spread of this one, which is the number for a language too, since it is in the metadata: at
-- 16 kB each 50,000 took 3.7 s. The list goes on after them.
-- Route: GET /management/forms/{form_id}/submissions, GET …/submissions/export; the console
-- Reads: forms, submissions, submission_counts; what feed_range reads
-- Raises: not_found (form), what feed_range raises
-- Index: submissions_pkey, or that of a filter: submissions_respondent_idx, submissions_agent_idx,
--   submissions_review_open_idx, submissions_review_rejected_idx, submissions_status_idx (not of what is
--   completed), submissions_provenance_idx (the rare values only, since every submit pays for an index). All
--   end in the id, which is the order
-- Why: p_first_id and p_end_id are times, since a UUIDv7 begins with its time. The total is the sum of the
--   counters where only the status is asked for. Else one walk counts, and keeps the ids of the page: along
--   the index of one filter, the one with the fewest rows as a rule, or the key. Rows of an index are each on
--   a page of their own, those of the key beside each other. A page of the counted kind begins below the row
--   before it, which is looked up from the nearer end of the list. A plan for each call, since a filter that
--   is null must vanish from it: the generic plan would walk the form. Rows are measured one by one, so that
--   none is read in vain.
declare
  c_page_max_looked_at constant integer := 50000;
  c_page_max_spread constant integer := 10000;
  c_part_max_bytes constant integer := 262144;
  v_is_divided boolean := pg_get_partkeydef('formd.submissions'::regclass) is not null;
  v_is_newest boolean := p_order = 'newest';
  v_filters integer := num_nonnulls(p_status, p_review, p_agent, p_respondent, p_provenance, p_language);
  v_lead text := case when p_respondent is not null then 'respondent' when p_agent is not null then 'agent'
    when p_review is not null then 'review' when p_status <> 'completed' then 'status'
    when p_provenance not in ('person', 'agent') then 'provenance' end;
  v_max_looked_at integer := case when p_max_counted is null then null
    when p_language is not null or v_lead is not null and v_filters > 1 then c_page_max_spread
    when v_filters > 0 and v_lead is null then c_page_max_looked_at end;
  v_is_counted boolean := p_after is null and num_nonnulls(p_review, p_agent, p_respondent, p_provenance,
    p_language, p_first_id, p_end_id) = 0;
  v_counted bigint;
  v_others bigint;
  v_above uuid;
  v_below uuid;
  v_week_above uuid;
  v_week_below uuid;
  v_found bigint;
  v_ids uuid[];
  v_row_id uuid;
  v_last_id uuid;
  v_looked_at_id uuid;
  v_rows integer := 0;
  v_bytes integer := 0;
begin
  select greatest(r.above, p_first_id), least(r.below, p_end_id), r.up_to into v_above, v_below, up_to
  from formd.feed_range(p_after, p_order) as r;
  if v_is_divided then
    v_below := formd.submissions_end(v_below);
    v_week_above := case when v_is_newest then formd.submissions_newest(v_above, v_below) end;
    v_week_below := case when not v_is_newest then formd.submissions_oldest(v_above, v_below) end;
  end if;
  if p_after is null or p_max_counted is not null then
    perform from formd.forms f where f.team_id = p_team and f.id = p_form;
    if not found then
      perform formd.raise_problem('not_found', 'form_missing');
    end if;
  end if;
  if v_is_counted then
    select coalesce(sum(c.total) filter (where p_status is null or c.status = p_status), 0),
      coalesce(sum(c.total) filter (where c.status <> 'completed'), 0) into v_counted, v_others
    from formd.submission_counts c where c.team_id = p_team and c.form_id = p_form;
    -- Completed ones have no index: where enough others may lie before them, they are found as by a filter.
    v_is_counted := p_status is distinct from 'completed' or p_max_counted is null
      or v_others <= c_page_max_looked_at;
  end if;
  if v_is_counted then
    total := v_counted;
    if p_offset < total and p_offset * 2 > total then
      -- From the other end, which only an exact total tells: an offset reads all that it skips.
      select s.id into v_below from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.id > v_above and s.id < v_below
        and (p_status is null or s.status = p_status)
      order by s.id limit 1 offset total - p_offset;
    elsif p_offset < total and p_offset > 0 then
      -- A second turn takes the whole range, since the week may have fewer rows than the offset.
      loop
        select s.id into v_row_id from formd.submissions s
        where s.team_id = p_team and s.form_id = p_form and s.id > coalesce(v_week_above, v_above)
          and s.id < v_below and (p_status is null or s.status = p_status)
        order by s.id desc limit 1 offset p_offset - 1;
        exit when found or v_week_above is null;
        v_week_above := null;
      end loop;
      v_below := v_row_id;
    end if;
    -- The page may begin long before the week that was looked in: the week before its own first row counts
    -- now.
    if v_is_divided and p_offset > 0 then
      v_week_above := formd.submissions_newest(v_above, v_below);
    end if;
  elsif p_after is null or v_max_looked_at is not null then
    v_week_above := null;
    v_week_below := null;
    -- The last row that may be looked at passes as well: it says so, and is the last one here, too.
    select count(*) filter (where m.is_found), coalesce(array_agg(m.id) filter (
        where m.is_found and m.number > p_offset
          and m.number <= p_offset + p_limit + (p_after is not null)::integer), '{}'),
      (array_agg(m.id) filter (where m.place = v_max_looked_at))[1]
    into v_found, v_ids, v_looked_at_id
    from (
      select l.id, l.place, l.is_found, row_number() over () as number
      from (
        select s.id, row_number() over () as place,
          (p_respondent is null or s.respondent_id = p_respondent)
          and (p_agent is null or s.submitter_id = p_agent and s.submitter_type = 'agent')
          and (p_review is null or s.status = 'pending' and (
            p_review = 'open' and s.review_decision is null or p_review = 'rejected'
            and s.review_decision = 'rejected'))
          and (p_status is null or s.status = p_status)
          and (p_provenance is null or s.provenance = p_provenance)
          and (p_language is null or formd.metadata_has_language(s.metadata, p_language)) as is_found
        from formd.submissions s
        where s.team_id = p_team and s.form_id = p_form and s.id > v_above and s.id < v_below
          and (v_lead is distinct from 'respondent' or s.respondent_id = p_respondent)
          and (v_lead is distinct from 'agent' or s.submitter_id = p_agent and s.submitter_type = 'agent')
          and (v_lead is distinct from 'review' or s.status = 'pending' and (
            p_review = 'open' and s.review_decision is null or p_review = 'rejected'
            and s.review_decision = 'rejected'))
          and (v_lead is distinct from 'status' or s.status = p_status)
          and (v_lead is distinct from 'provenance' or s.provenance = p_provenance)
        order by case when not v_is_newest then s.id end, case when v_is_newest then s.id end desc
        limit v_max_looked_at) as l
      where l.is_found or l.place = v_max_looked_at
      limit case when p_after is null then p_offset + coalesce(p_max_counted, p_limit + 1)
        else p_limit + 1 end) as m;
    total := case when p_after is null then v_found end;
    if v_looked_at_id is null then
      total := coalesce(v_counted, total);
    end if;
  end if;

  while p_offset < total or p_after is not null loop
    for id, form_id, form_version, status, data, metadata, submitter_type, submitter_id, respondent_id,
      provenance, declared_agent, review_decision, review_reason, reviewed_at, created_at, updated_at in
      select s.id, s.form_id, s.form_version, s.status, s.data, s.metadata, s.submitter_type, s.submitter_id,
        s.respondent_id, s.provenance, s.declared_agent,
        s.review_decision, s.review_reason, s.reviewed_at, s.created_at, s.updated_at
      from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form and s.id > coalesce(v_week_above, v_above)
        and s.id < coalesce(v_week_below, v_below)
        and (v_ids is null or s.id = any (v_ids))
        and (p_status is null or s.status = p_status)
        and (p_respondent is null or s.respondent_id = p_respondent)
        and (p_provenance is null or s.provenance = p_provenance)
        and (p_agent is null or s.submitter_id = p_agent and s.submitter_type = 'agent')
        and (p_review is null or s.status = 'pending' and (
          p_review = 'open' and s.review_decision is null or p_review = 'rejected'
          and s.review_decision = 'rejected'))
        and (p_language is null or formd.metadata_has_language(s.metadata, p_language))
      order by case when not v_is_newest then s.id end, case when v_is_newest then s.id end desc
      limit p_limit - v_rows + (p_after is not null)::integer
    loop
      next_id := case when p_after is not null and (v_rows = p_limit or v_bytes >= c_part_max_bytes)
        then v_last_id end;
      exit when next_id is not null or v_bytes >= c_part_max_bytes;
      return next;
      v_last_id := id;
      v_rows := v_rows + 1;
      v_bytes := v_bytes + octet_length(data::text) + coalesce(octet_length(metadata::text), 0);
    end loop;
    exit when num_nulls(v_week_above, v_week_below) = 2 or next_id is not null
      or p_after is null and (v_rows >= p_limit or v_bytes >= c_part_max_bytes);
    v_below := coalesce(v_week_above, v_below);
    v_above := coalesce(v_week_below, v_above);
    v_week_above := null;
    v_week_below := null;
  end loop;
  id := null;
  next_id := coalesce(next_id, v_looked_at_id);
  return next;
end
$$;

create or replace function formd.submission_rising(p_team uuid, p_form uuid, p_limit integer, p_after uuid,
  p_order text)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text,
  submitter_id uuid, respondent_id uuid, provenance text, declared_agent text, review_decision text,
  review_reason text, reviewed_at timestamptz, created_at timestamptz, updated_at timestamptz, total bigint,
  next_id uuid, up_to timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_sort = off set plan_cache_mode = force_generic_plan as $$
-- Returns what submission_list does, oldest first and without filters, with a plan that is kept: it leaves
-- out months as it runs, and not one by one as it is made.
-- Route: GET /management/forms/{form_id}/submissions, the console
-- Reads: forms, submissions; what feed_range reads
-- Raises: not_found (form), what feed_range raises
-- Index: forms_pkey, submissions_pkey
declare
  c_part_max_bytes constant integer := 262144;
  v_above uuid;
  v_below uuid;
  v_last_id uuid;
  v_rows integer := 0;
  v_bytes integer := 0;
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'form_missing');
  end if;
  select r.above, formd.submissions_end(r.below), r.up_to into v_above, v_below, up_to
  from formd.feed_range(p_after, p_order) as r;
  for id, form_id, form_version, status, data, metadata, submitter_type, submitter_id, respondent_id,
    provenance, declared_agent, review_decision, review_reason, reviewed_at, created_at, updated_at in
    select s.id, s.form_id, s.form_version, s.status, s.data, s.metadata, s.submitter_type, s.submitter_id,
      s.respondent_id, s.provenance, s.declared_agent,
      s.review_decision, s.review_reason, s.reviewed_at, s.created_at, s.updated_at
    from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.id > v_above and s.id < v_below
    order by s.id limit p_limit + 1
  loop
    next_id := case when v_rows = p_limit or v_bytes >= c_part_max_bytes then v_last_id end;
    exit when next_id is not null;
    return next;
    v_last_id := id;
    v_rows := v_rows + 1;
    v_bytes := v_bytes + octet_length(data::text) + coalesce(octet_length(metadata::text), 0);
  end loop;
  id := null;
  total := null;
  return next;
end
$$;

create or replace function formd.submission_page(p_team uuid, p_form uuid, p_status text, p_review text,
  p_agent uuid, p_respondent uuid, p_provenance text, p_language text, p_first_id uuid, p_end_id uuid,
  p_limit integer, p_offset bigint, p_after uuid, p_order text, p_max_counted bigint)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text,
  submitter_id uuid, respondent_id uuid, provenance text, declared_agent text, review_decision text,
  review_reason text, reviewed_at timestamptz, created_at timestamptz, updated_at timestamptz, total bigint,
  next_id uuid, up_to timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_sort = off set plan_cache_mode = force_generic_plan as $$
-- Returns what submission_list does, with plans that are kept: without filters and offset.
-- Route: GET /management/forms/{form_id}/submissions, GET …/submissions/export
-- Reads: forms, submissions, submission_counts; what submission_list and submission_rising read
-- Raises: not_found (form), what submission_list and submission_rising raise
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
  v_end_id uuid := coalesce(p_after, c_max_id);
  v_last_id uuid;
  v_rows integer := 0;
  v_size integer;
  v_bytes integer := 0;
begin
  if num_nonnulls(p_status, p_review, p_agent, p_respondent, p_provenance, p_language, p_first_id,
     p_end_id) > 0 or p_offset > 0 then
    return query select * from formd.submission_list(p_team => p_team, p_form => p_form, p_status => p_status,
      p_review => p_review, p_agent => p_agent, p_respondent => p_respondent, p_provenance => p_provenance,
      p_language => p_language, p_first_id => p_first_id, p_end_id => p_end_id, p_limit => p_limit,
      p_offset => p_offset, p_after => p_after, p_order => p_order, p_max_counted => p_max_counted);
    return;
  elsif p_order <> 'newest' then
    return query select * from formd.submission_rising(p_team, p_form, p_limit, p_after, p_order);
    return;
  end if;
  if p_after is null then
    select coalesce(sum(c.total), 0) into total from formd.submission_counts c where c.team_id = p_team
      and c.form_id = p_form;
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
      where s.team_id = p_team and s.form_id = p_form and s.id > v_newest_id and s.id < v_end_id
      order by s.id desc limit p_limit - v_rows + (p_after is not null)::integer
    loop
      next_id := case when p_after is not null and (v_rows = p_limit or v_bytes >= c_part_max_bytes)
        then v_last_id end;
      exit when next_id is not null or v_bytes >= c_part_max_bytes;
      return next;
      v_last_id := id;
      v_rows := v_rows + 1;
      v_bytes := v_bytes + v_size + coalesce(octet_length(metadata::text), 0);
    end loop;
    exit when v_newest_id = c_min_id or next_id is not null
      or p_after is null and (v_rows >= p_limit or v_bytes >= c_part_max_bytes);
    v_end_id := v_newest_id;
    v_newest_id := c_min_id;
  end loop;
  if v_last_id is null and (p_after is null or p_max_counted is not null) then
    perform from formd.forms f where f.team_id = p_team and f.id = p_form;
    if not found then
      perform formd.raise_problem('not_found', 'form_missing');
    end if;
  end if;
  id := null;
  return next;
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

create or replace function formd.submission_time_zone(p_team uuid, p_form uuid) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the time zone of a form, or null.
-- Route: GET /management/forms/{form_id}/submissions/export
-- Reads: forms
-- Index: forms_pkey
-- Why: a function, since Citus joins no table to the functions beside it.
begin
  return (
    select f.settings_in_force #>> '{availability,timeZone}' from formd.forms f
    where f.team_id = p_team and f.id = p_form);
end
$$;

create or replace function formd.submission_languages(p_team uuid, p_form uuid) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the languages of a form's newest version, its first one first; null: it has one.
-- Route: GET /management/forms/{form_id}/submissions/export
-- Reads: form_versions
-- Index: form_versions_pkey
-- Why: a function, since Citus joins no table to the functions beside it.
begin
  return (
    select v.schema -> 'languages' from formd.form_versions v
    where v.team_id = p_team and v.form_id = p_form
    order by v.version desc limit 1);
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
