-- Drafts that respondents save to continue later, sealed by a key that their links alone have. A draft is no
-- submission: it is in no list, export, search or webhook, and ends when it is sent.

create or replace function formd.page_draft_save(p_team uuid, p_form uuid, p_token_hash bytea,
  p_expected timestamptz, p_sealed bytea, p_uploads uuid[], p_uploaders text[], p_ip_key text,
  p_invitation_hash bytea default null,
  out outcome text, out closed jsonb, out updated_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Stores what a respondent has entered, and keeps its uploads as long as the draft.
-- Route: POST /f/{id}/steps, POST /f/{id}/r/{token}/steps, POST /f/{id}/i/{token}/steps
-- Reads: forms; what form_closed and invitation_page read
-- Writes: page_drafts, files; what rate_limit_count writes
-- Locks: the rate limit of the client IP; then the draft; then the rows of the files, in the order of their
--   ids: the order of submission_submit_files
-- Outcomes: rate_limited; those of form_page_outcome except allowed; gone (also with an invitation that is
--   not open: what is saved could never be sent); form_closed (closed is the reason);
--   resume_off (no new draft is made; one that exists is saved again); too_many (drafts of the form);
--   not_found (p_expected is given, and the draft has ended); conflict (it was saved since p_expected, at
--   updated_at); saved.
-- Index: forms_pkey, page_drafts_pkey, files_pkey
-- Why: p_expected null makes a new draft. The drafts of a form are counted for a new one only, in the index
--   and up to the bound; two calls at once can exceed it by one. p_uploaders are the page and the draft that
--   the page was opened from: files of others stay theirs. Two saves never have one time, by which the
--   next one is compared. expires_at is the end of a day, so that other saves of the day are HOT.
declare
  c_resume_default_days constant integer := 14;
  c_resume_max_days constant integer := 90;
  c_resume_max_open constant integer := 10000;
  c_resume_new_per_hour constant integer := 10;
  c_resume_saves_per_hour constant integer := 60;
  c_hour_ms constant integer := 3600000;
  c_day constant interval := interval '1 day';
  v_now timestamptz(3) := clock_timestamp();
  v_saved_at timestamptz(3) := greatest(v_now, p_expected + interval '1 millisecond');
  v_is_new boolean := p_expected is null;
  v_rate formd.rate_limit_state;
  v_status text;
  v_settings jsonb;
  v_is_invited boolean := false;
  v_days integer;
  v_expires_at timestamptz(3);
  v_open integer;
begin
  -- First of all, so that refused ones count as well.
  v_rate := formd.rate_limit_count(case when v_is_new then 'new-' else '' end || p_ip_key,
    case when v_is_new then c_resume_new_per_hour else c_resume_saves_per_hour end, c_hour_ms);
  if not v_rate.allowed then
    outcome := 'rate_limited';
    return;
  end if;
  select f.status, f.settings_in_force into v_status, v_settings
  from formd.forms f where f.team_id = p_team and f.id = p_form;
  if p_invitation_hash is not null then
    v_is_invited := coalesce(formd.invitation_page(p_team, p_form, p_invitation_hash) @> '{"isUsed": false}',
      false);
  end if;
  outcome := formd.form_page_outcome(v_status, v_settings, p_is_invited => v_is_invited);
  if outcome = 'allowed' and p_invitation_hash is not null and not v_is_invited then
    outcome := 'gone';
  end if;
  if outcome <> 'allowed' then
    return;
  end if;
  if v_settings ? 'availability' then
    closed := formd.form_closed(p_team, p_form, v_settings);
  end if;
  if closed is not null then
    outcome := 'form_closed';
    return;
  end if;
  if v_is_new and not v_settings @> '{"page": {"resume": {"enabled": true}}}' then
    outcome := 'resume_off';
    return;
  end if;
  v_days := least(coalesce((v_settings #>> '{page,resume,days}')::numeric, c_resume_default_days),
    c_resume_max_days);
  v_expires_at := v_now + v_days * c_day - interval '1 millisecond';
  v_expires_at := (date_trunc('day', v_expires_at at time zone 'UTC') + c_day) at time zone 'UTC';
  if v_is_new then
    select count(*) into v_open from (
      select from formd.page_drafts d where d.team_id = p_team and d.form_id = p_form
      limit c_resume_max_open) as d;
    if v_open >= c_resume_max_open then
      outcome := 'too_many';
      return;
    end if;
    insert into formd.page_drafts (team_id, form_id, token_hash, sealed, updated_at, expires_at)
    values (p_team, p_form, p_token_hash, p_sealed, v_now, v_expires_at);
    updated_at := v_now;
  else
    update formd.page_drafts d
    set sealed = p_sealed, updated_at = v_saved_at, expires_at = v_expires_at
    where d.team_id = p_team and d.form_id = p_form and d.token_hash = p_token_hash
      and d.updated_at = p_expected and d.expires_at > v_now
    returning d.updated_at into updated_at;
    if not found then
      select d.updated_at into updated_at from formd.page_drafts d
      where d.team_id = p_team and d.form_id = p_form and d.token_hash = p_token_hash
        and d.expires_at > v_now;
      outcome := case when found then 'conflict' else 'not_found' end;
      return;
    end if;
  end if;
  -- The uploads are the draft's from now on, as long as it is kept.
  if cardinality(p_uploads) > 0 then
    with named as materialized (
      select f.id from formd.files f
      where f.team_id = p_team and f.form_id = p_form and f.id = any (p_uploads) and f.state = 'uploaded'
        and f.expires_at > v_now and f.uploader = any (p_uploaders)
      order by f.id for update of f
    )
    update formd.files f
    set uploader = 'draft:' || encode(p_token_hash, 'hex'), expires_at = v_expires_at
    from named n where f.team_id = p_team and f.form_id = p_form and f.id = n.id;
  end if;
  outcome := 'saved';
end
$$;

create or replace function formd.page_draft_open(p_team uuid, p_form uuid, p_version integer, p_ip_key text,
  p_ip_limit integer, p_token_hash bytea,
  out outcome text, out settings jsonb, out name text, out description text, out form_version integer,
  out form_schema jsonb, out remaining integer, out reset_ms integer, out sealed bytea,
  out updated_at timestamptz, out expires_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns what form_page_read returns, and the draft of a link.
-- Route: GET /f/{id}/r/{token}, GET /f/{id}/r/{token}/saved, POST /f/{id}/r/{token}/send
-- Reads: page_drafts; what form_page_read reads
-- Writes: what form_page_read writes
-- Locks: what form_page_read locks
-- Outcomes: those of form_page_read. Without a draft, or once it has ended, sealed is null.
-- Index: page_drafts_pkey
-- Why: the draft of an invited person opens by its link; its invitation is in the sealed values, and is
--   looked up once they are open.
begin
  select r.outcome, r.settings, r.name, r.description, r.form_version, r.form_schema, r.remaining, r.reset_ms
  into outcome, settings, name, description, form_version, form_schema, remaining, reset_ms
  from formd.form_page_read(p_team => p_team, p_form => p_form, p_version => p_version,
    p_ip_key => p_ip_key, p_ip_limit => p_ip_limit, p_is_sent => true) r;
  if outcome = 'allowed' then
    select d.sealed, d.updated_at, d.expires_at into sealed, updated_at, expires_at
    from formd.page_drafts d
    where d.team_id = p_team and d.form_id = p_form and d.token_hash = p_token_hash
      and d.expires_at > clock_timestamp();
  end if;
end
$$;

create or replace function formd.page_draft_beside(p_team uuid, p_form uuid, p_version integer,
  p_invitation_hash bytea, out invited jsonb, out before jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns what the sealed values of a draft name: what invitation_page returns, and the schema of the version
-- that it was saved of.
-- Route: GET /f/{id}/r/{token}
-- Reads: form_versions; what invitation_page reads
-- Index: form_versions_pkey
begin
  invited := formd.invitation_page(p_team, p_form, p_invitation_hash);
  before := (select v.schema from formd.form_versions v
    where v.team_id = p_team and v.form_id = p_form and v.version = p_version);
end
$$;

create or replace function formd.page_draft_end(p_team uuid, p_form uuid, p_token_hash bytea) returns void
language plpgsql volatile as $$
-- Deletes the draft that a stored submission was sent from. One that is gone is no error.
-- Writes: page_drafts
-- Locks: the draft
-- Index: page_drafts_pkey
-- Why: files that the page no longer names keep their time, and go with it.
begin
  delete from formd.page_drafts d
  where d.team_id = p_team and d.form_id = p_form and d.token_hash = p_token_hash;
end
$$;

create or replace function formd.page_drafts_count(p_team uuid, p_form uuid) returns integer
language plpgsql stable as $$
-- Returns how many drafts of a form are open, at most c_resume_max_counted.
-- Reads: page_drafts
-- Index: page_drafts_pkey
declare
  c_resume_max_counted constant integer := 1000;
begin
  return (select count(*) from (
    select from formd.page_drafts d
    where d.team_id = p_team and d.form_id = p_form and d.expires_at > clock_timestamp()
    limit c_resume_max_counted) as d);
end
$$;
