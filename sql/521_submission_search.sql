create or replace function formd.pattern_of(p_text text) returns text
language sql immutable as $$
-- Returns the regular expression that finds a text, in which a letter with marks may be in any Unicode form,
-- also in another than its neighbour.
-- Why: the pattern has the forms, since bringing each value into one takes five times the search.
select string_agg(case when l.parts = array[l.letter]
  then regexp_replace(l.letter, '[][\\^$.|?*+(){}]', '\\\&')
  else '(?:' || (
    select string_agg(distinct f.form, '|')
    from unnest(array[l.letter, l.parts[1] || l.parts[2] || l.parts[3],
      l.parts[1] || l.parts[3] || l.parts[2], normalize(l.parts[1] || l.parts[2], NFC) || l.parts[3],
      normalize(l.parts[1] || l.parts[3], NFC) || l.parts[2], array_to_string(l.parts, '')]) as f (form))
    || ')'
  end, '' order by l.place)
from (
  select c.letter, c.place, string_to_array(normalize(c.letter, NFD), null) as parts
  from unnest(string_to_array(normalize(p_text, NFC), null)) with ordinality as c (letter, place)) as l
$$;

create or replace function formd.submission_search(p_team uuid, p_form uuid, p_search jsonb, p_status text,
  p_review text, p_agent uuid, p_respondent uuid, p_provenance text, p_language text, p_first_id uuid,
  p_end_id uuid, p_limit integer, p_offset bigint, p_after uuid, p_order text)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text, submitter_id uuid, respondent_id uuid, provenance text, declared_agent text,
  review_decision text, review_reason text, reviewed_at timestamptz, created_at timestamptz,
  updated_at timestamptz, total bigint, next_id uuid, up_to timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Searches the first submissions after p_after in p_order (feed_range), null: the newest, by their values,
-- and returns a page of what was found, with its total. Ends early once the rows have c_part_max_bytes. The
-- last row has no id: the total, and where the search goes on; null: all were searched.
-- p_search: {text, options, all, ranges}, each may be absent. text is in a value of the submission, whatever
--   the case and the Unicode form, or is the end of its id, as its page has told the person; or the data
--   contain one of options, those whose label has the text. The data contain one of each list of all. ranges
--   ([{id, from, to}]) are about a value of the type of from and to.
-- Route: GET /management/forms/{form_id}/submissions?q=, GET …/submissions/export?q=; the console
-- Reads: forms, submissions; what feed_range reads
-- Raises: not_found (form), what feed_range raises
-- Index: submissions_pkey
-- Why: no index holds what is in a value, since every submit would pay for it. The newest rows are read once
--   by their key instead, at most c_submission_search_max_rows with c_submission_search_max_bytes: a sum that
--   is kept before a value is decompressed. The text is looked for in each value by one path, since names of
--   fields and parts do not count: half the time of a document as text. A number is one as text only.
declare
  c_submission_search_max_rows constant integer := 10000;
  c_submission_search_max_bytes constant integer := 33554432;
  c_part_max_bytes constant integer := 262144;
  v_is_newest boolean := p_order = 'newest';
  v_above uuid;
  v_below uuid;
  v_last_id uuid;
  v_unread_id uuid;
  v_text text := p_search ->> 'text';
  v_path jsonpath := ('$.** ? (@ like_regex ' || to_json(formd.pattern_of(v_text)) || ' flag "i")')::jsonpath;
  v_number text := substring(p_search ->> 'text' from '^[0-9.-]+$');
  v_reference text := replace(lower(substring(p_search ->> 'text'
    from '^[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}$')), '-', '');
  v_options jsonb[] := array(select jsonb_array_elements(p_search -> 'options'));
  v_ids uuid[];
  v_rows integer := 0;
  v_bytes integer := 0;
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'form_missing');
  end if;
  select greatest(r.above, p_first_id), least(r.below, p_end_id), r.up_to into v_above, v_below, up_to
  from formd.feed_range(p_after, p_order) as r;
  -- Rows, not the default range, which looks for rows of the same id and takes twice the time.
  select (array_agg(n.id))[count(*)], array_agg(n.id) filter (
    where (p_status is null or n.status = p_status)
      and (p_respondent is null or n.respondent_id = p_respondent)
      and (p_provenance is null or n.provenance = p_provenance)
      and (p_agent is null or n.submitter_id = p_agent and n.submitter_type = 'agent')
      and (p_review is null or n.status = 'pending' and (
        p_review = 'open' and n.review_decision is null or p_review = 'rejected'
        and n.review_decision = 'rejected'))
      and (p_language is null or formd.metadata_has_language(n.metadata, p_language))
      and (p_search -> 'all' is null or not exists (
        select from jsonb_array_elements(p_search -> 'all') as a (choices)
        where not exists (
          select from jsonb_array_elements(a.choices) as c (choice) where n.data @> c.choice)))
      -- The type as well, since jsonb also has an order between a number and a text.
      and (p_search -> 'ranges' is null or not exists (
        select from jsonb_to_recordset(p_search -> 'ranges') as r (id text, "from" jsonb, "to" jsonb)
        where jsonb_typeof(n.data -> r.id) is distinct from jsonb_typeof(coalesce(r."from", r."to"))
          or n.data -> r.id < r."from" or n.data -> r.id > r."to"))
      and (v_text is null or n.id::text like '%' || v_reference or n.data @> any (v_options)
        or (v_number is null or n.data::text like '%' || v_number || '%') and (
          n.data @? v_path or v_number is not null and exists (
            select from jsonb_path_query(n.data, '$.** ? (@.type() == "number")') as v (value)
            where v.value::text like '%' || v_number || '%'))))
  into v_last_id, v_ids
  from (
    select s.id, s.status, s.respondent_id, s.provenance, s.submitter_id, s.submitter_type, s.review_decision,
      s.metadata, s.data, sum(pg_column_size(s.data) + case when p_language is null then 0
        else coalesce(pg_column_size(s.metadata), 0) end) over (rows unbounded preceding) as bytes
    from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.id > v_above and s.id < v_below
    order by case when not v_is_newest then s.id end, case when v_is_newest then s.id end desc
    limit c_submission_search_max_rows) as n
  where n.bytes <= c_submission_search_max_bytes;
  select v_last_id into v_unread_id from formd.submissions s
  where s.team_id = p_team and s.form_id = p_form
    and s.id > case when v_is_newest then v_above else v_last_id end
    and s.id < case when v_is_newest then v_last_id else v_below end
  limit 1;
  total := coalesce(cardinality(v_ids), 0);
  -- An index of an array is an integer, which p_offset may exceed.
  v_ids := v_ids[least(p_offset, total)::integer + 1 : least(p_offset + p_limit, total)::integer];

  for id, form_id, form_version, status, data, metadata, submitter_type, submitter_id, respondent_id,
    provenance, declared_agent, review_decision, review_reason, reviewed_at, created_at, updated_at in
    select s.id, s.form_id, s.form_version, s.status, s.data, s.metadata, s.submitter_type, s.submitter_id,
      s.respondent_id, s.provenance, s.declared_agent, s.review_decision, s.review_reason,
      s.reviewed_at, s.created_at, s.updated_at
    from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.id = any (v_ids)
    order by case when not v_is_newest then s.id end, case when v_is_newest then s.id end desc
  loop
    return next;
    v_last_id := id;
    v_rows := v_rows + 1;
    v_bytes := v_bytes + octet_length(data::text) + coalesce(octet_length(metadata::text), 0);
    exit when v_bytes >= c_part_max_bytes;
  end loop;
  id := null;
  -- A page says where it goes on by its total.
  v_last_id := case when p_after is null or p_offset + v_rows >= total then v_unread_id else v_last_id end;
  next_id := v_last_id;
  total := case when p_after is null then total end;
  return next;
end
$$;

create or replace function formd.submission_summary(p_team uuid, p_form uuid, p_fields jsonb,
  p_language text)
returns table (field_id text, part text, value jsonb, total bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Sums up the newest submissions of a form, those aside that are incomplete or rejected, or in another
-- language than p_language (null: any). p_fields ([{id, part}]) says what is wanted of a field: choice (each
-- value with its number), number (least, median and greatest) or text (the newest values). Rows: one without
-- field with part "all" (how many were read) and, if some were not, "older"; for each field "given" (how many
-- have it), then what was asked for; for each option with a limit "taken": how many submissions of all hold
-- it.
-- Route: GET `/console/forms/{form_id}/answers`
-- Reads: forms, submissions, option_counts
-- Index: submissions_pkey, option_counts_pkey
-- Why: as submission_search: by the key, bounded in rows and bytes, since counts beside the submissions would
--   be a cost of every submit.
declare
  c_submission_summary_max_rows constant integer := 5000;
  c_submission_summary_max_bytes constant integer := 16777216;
  c_newest constant integer := 5;
  c_half constant double precision := 0.5;
begin
  return query
  with looked_at as materialized (
    select n.* from (
      select s.id, s.status, s.review_decision, s.metadata, s.data,
        sum(pg_column_size(s.data) + case when p_language is null then 0
          else coalesce(pg_column_size(s.metadata), 0) end)
          over (order by s.id desc rows unbounded preceding) as bytes
      from formd.submissions s
      where s.team_id = p_team and s.form_id = p_form
      order by s.id desc limit c_submission_summary_max_rows) as n
    where n.bytes <= c_submission_summary_max_bytes),
  newest as (
    select l.id, l.data from looked_at l
    where l.status <> 'partial' and l.review_decision is distinct from 'rejected'
      and (p_language is null or formd.metadata_has_language(l.metadata, p_language))),
  asked as (select a.id, a.part from jsonb_to_recordset(p_fields) as a (id text, part text)),
  given as (
    select a.id, a.part, n.id as submission, n.data -> a.id as value
    from newest n, asked a where n.data ? a.id),
  single as (
    select g.id, e.value from given g, jsonb_array_elements(
      case jsonb_typeof(g.value) when 'array' then g.value else jsonb_build_array(g.value) end) as e (value)
    where g.part = 'choice'),
  numbers as (
    select g.id, (g.value #>> '{}')::numeric as number from given g
    where g.part = 'number' and jsonb_typeof(g.value) = 'number'),
  texts as (
    select g.id, g.value, row_number() over (partition by g.id order by g.submission desc) as place
    from given g where g.part = 'text')
  select null::text, 'all', null::jsonb, count(*) from newest
  union all
  select null, 'older', null, 1 from formd.forms f where f.team_id = p_team and f.id = p_form and exists (
    select from formd.submissions s where s.team_id = p_team and s.form_id = p_form
      and s.id < (select l.id from looked_at l order by l.id limit 1))
  union all
  select g.id, 'given', null, count(*) from given g group by g.id
  union all
  select s.id, 'choice', s.value, count(*) from single s group by s.id, s.value
  union all
  select n.id, 'number', jsonb_build_object('least', min(n.number), 'greatest', max(n.number), 'median',
    percentile_cont(c_half) within group (order by n.number::double precision)), count(*)
  from numbers n group by n.id
  union all
  select c.field_id, 'taken', c.value, c.total::bigint from formd.option_counts c
  where c.team_id = p_team and c.form_id = p_form and c.field_id in (select a.id from asked a)
  union all
  (select t.id, 'text', t.value, t.place from texts t where t.place <= c_newest order by t.id, t.place);
end
$$;
