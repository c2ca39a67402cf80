-- Changes of submissions, for copies that others keep: what was edited, reviewed or deleted.

create or replace function formd.submission_change_record(p_team uuid, p_form uuid, p_submission uuid,
  p_kind text) returns void
language plpgsql volatile as $$
-- Records that a submission was edited, reviewed or deleted, in the transaction that does it.
-- Reads: what feed_now reads
-- Writes: submission_changes
declare
  c_submission_change_lifetime_days constant integer := 30;
  c_day constant interval := interval '1 day';
  v_us bigint := formd.feed_now();
begin
  insert into formd.submission_changes (team_id, form_id, id, submission_id, kind, expires_at)
  values (p_team, p_form, formd.uuid_of(v_us), p_submission, p_kind,
    formd.time_of(v_us) + c_submission_change_lifetime_days * c_day);
end
$$;

create or replace function formd.submission_change_list(p_team uuid, p_form uuid, p_limit integer,
  p_after uuid, p_since uuid)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text, submitter_id uuid, respondent_id uuid, provenance text, declared_agent text,
  review_decision text, review_reason text, reviewed_at timestamptz, created_at timestamptz,
  updated_at timestamptz, is_deleted boolean, next_id uuid, up_to timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Returns a page of the submissions of a form in the order of their changes after p_after: what was created,
-- edited, reviewed or deleted. A submission that changes again comes again, once a page; a deletion is the
-- last, whatever its id: while the clock is behind the last mark, ids of one instant have no order.
-- p_since: when the caller began at the beginning, as an id; null: now. The last row has no id: where the
-- list goes on; null: all was read.
-- Route: GET /management/forms/{form_id}/submissions?changes=true
-- Reads: forms, submissions, submission_changes; what submission_get and feed_range read
-- Raises: not_found (form), cursor_expired, what feed_range raises
-- Index: forms_pkey, submissions_pkey, submission_changes_pkey
-- Why: a plan for each call, as submission_list: the first week that follows, then the rest. What was
--   changed is read one by one, since a join would plan every month. Ids of submissions and of changes are
--   made by one clock, so that their order is one. A reader loses a change that is purged before it comes, of
--   a submission that it has read before. So its place, or its beginning, is within the time for which
--   changes are kept. A submission that is in no month that is attached is left out.
declare
  c_submission_change_lifetime_days constant integer := 30;
  c_part_max_bytes constant integer := 262144;
  c_day constant interval := interval '1 day';
  v_above uuid;
  v_below uuid;
  v_week_below uuid;
  v_first_id uuid;
  v_change_id uuid;
  v_is_last boolean;
  v_kind text;
  v_last_id uuid;
  v_rows integer := 0;
  v_bytes integer := 0;
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'form_missing');
  end if;
  select r.above, r.below, r.up_to into v_above, v_below, up_to
  from formd.feed_range(p_after, 'oldest') as r;
  v_first_id := formd.uuid_floor(now() - c_submission_change_lifetime_days * c_day);
  if p_after < v_first_id and p_since < v_first_id then
    perform formd.raise_problem('cursor_expired', 'changes_expired');
  end if;
  v_week_below := formd.submissions_oldest(v_above, v_below);
  -- A second turn takes the rest, since the week may have fewer rows than the page.
  loop
    for v_change_id, v_is_last, v_kind, id, form_id, form_version, status, data, metadata, submitter_type,
      submitter_id, respondent_id, provenance, declared_agent, review_decision, review_reason, reviewed_at,
      created_at, updated_at in
      select u.change_id,
        row_number() over (partition by u.submission_id, u.place > p_limit
          order by u.kind = 'deleted' desc, u.change_id desc) = 1,
        u.kind, u.submission_id, u.form_id, u.form_version, u.status, u.data, u.metadata, u.submitter_type,
        u.submitter_id, u.respondent_id, u.provenance, u.declared_agent, u.review_decision, u.review_reason,
        u.reviewed_at, u.created_at, u.updated_at
      from (select w.*, row_number() over (order by w.change_id) as place from (
        (select s.id as change_id, 'created' as kind, s.id as submission_id, s.form_id, s.form_version,
           s.status, s.data, s.metadata, s.submitter_type, s.submitter_id, s.respondent_id, s.provenance,
           s.declared_agent, s.review_decision, s.review_reason, s.reviewed_at, s.created_at, s.updated_at
         from formd.submissions s
         where s.team_id = p_team and s.form_id = p_form and s.id > v_above and s.id < v_week_below
         order by s.id limit p_limit - v_rows + 1)
        union all
        (select c.id, c.kind, c.submission_id, null, null, null, null, null, null, null, null, null, null,
           null, null, null, null, null
         from formd.submission_changes c
         where c.team_id = p_team and c.form_id = p_form and c.id > v_above and c.id < v_week_below
         order by c.id limit p_limit - v_rows + 1)
        order by change_id limit p_limit - v_rows + 1) as w) as u
      order by u.change_id
    loop
      next_id := case when v_rows = p_limit or v_bytes >= c_part_max_bytes then v_last_id end;
      exit when next_id is not null;
      is_deleted := v_kind = 'deleted';
      -- A submission that is gone, or in no month that is attached, has no row.
      if v_kind in ('edited', 'reviewed') and v_is_last then
        select g.form_id, g.form_version, g.status, g.data, g.metadata, g.submitter_type, g.submitter_id,
          g.respondent_id, g.provenance, g.declared_agent, g.review_decision, g.review_reason, g.reviewed_at,
          g.created_at, g.updated_at
        into form_id, form_version, status, data, metadata, submitter_type, submitter_id, respondent_id,
          provenance, declared_agent, review_decision, review_reason, reviewed_at, created_at, updated_at
        from formd.submission_get(p_team, p_form, id) as g;
      elsif is_deleted then
        updated_at := formd.uuid_time(v_change_id);
      end if;
      if v_is_last and updated_at is not null then
        return next;
      end if;
      v_last_id := v_change_id;
      v_rows := v_rows + 1;
      v_bytes := v_bytes + coalesce(octet_length(data::text), 0) + coalesce(octet_length(metadata::text), 0);
    end loop;
    exit when v_week_below = v_below or next_id is not null;
    v_above := v_week_below;
    v_week_below := v_below;
  end loop;
  id := null;
  return next;
end
$$;
