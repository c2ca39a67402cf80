-- The page of a form, on which respondents fill it in. Its submissions take the path of 500_submit.sql.

create or replace function formd.anonymous_is_refused(p_settings jsonb) returns boolean
language sql immutable parallel safe as $$
-- Checks whether the settings of a form allow no anonymous session: without any, or for invited people.
-- Why: one path for both members, since the settings are read from the disk for each operator. Inlined.
select p_settings @? '$ ? (@.anonymous.enabled == false || @.page.access == "invited")'
$$;

create or replace function formd.form_page_outcome(p_status text, p_settings jsonb,
  p_is_invited boolean default false) returns text
language plpgsql immutable as $$
-- Returns whether the page of a form can be filled in. Status null: the form does not exist.
-- Outcomes: not_found (also a draft, and when the page is not enabled), gone (archived),
--   anonymous_not_allowed, unless it is opened by an invitation; allowed
begin
  return case
    when p_status is null or p_status = 'draft' or not p_settings @> '{"page": {"enabled": true}}'
      then 'not_found'
    when p_status = 'archived' then 'gone'
    when not p_is_invited and formd.anonymous_is_refused(p_settings) then 'anonymous_not_allowed'
    else 'allowed'
  end;
end
$$;

create or replace function formd.form_page_read(p_team uuid, p_form uuid, p_version integer, p_ip_key text,
  p_ip_limit integer, p_invitation_hash bytea default null, p_is_sent boolean default false,
  out outcome text, out settings jsonb, out name text, out description text, out form_version integer,
  out form_schema jsonb, out remaining integer, out reset_ms integer, out invitation jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns what the page of a form shows: the published version, and some settings in effect.
-- Route: GET /f/{id}, GET /f/{id}/i/{token}
-- Reads: forms, form_versions; what form_closed reads, for a form with settings.availability; what
--   options_left reads, for a form with limits; what invitation_page reads, for an invitation
-- Writes: what rate_limit_count writes
-- Locks: what rate_limit_count locks
-- Outcomes: rate_limited; those of form_page_outcome; not_found without a word about the form, for an
--   invitation that invitation_page does not find. The settings come with each of these, except with
--   not_found of a form that was never online; their member closed is the reason why the form accepts no
--   submissions now, left the options with few places, languages those of a version that the server does not
--   hold, ownLanguage the one of the page's texts. The name comes if the form was ever online.
-- Index: forms_pkey, form_versions_pkey
-- Why: the schema is null when p_version, which the server holds, is the published version: up to 512 KiB
--   are then not read. p_ip_key null: the request was counted. p_is_sent: the page after a submission, which
--   invited people see without their link.
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_rate formd.rate_limit_state;
  v_status text;
  v_languages jsonb;
  v_closed jsonb;
  v_has_limits boolean;
  v_left jsonb;
  v_was_online boolean;
begin
  if p_ip_key is not null then
    v_rate := formd.rate_limit_count(p_ip_key, p_ip_limit, c_rate_limit_window_ms);
    remaining := v_rate.remaining;
    reset_ms := v_rate.reset_ms;
    if not v_rate.allowed then
      outcome := 'rate_limited';
      return;
    end if;
  end if;
  select f.status, f.settings_in_force, f.current_version, f.has_limits, f.was_online
  into v_status, settings, form_version, v_has_limits, v_was_online
  from formd.forms f where f.team_id = p_team and f.id = p_form;
  outcome := formd.form_page_outcome(v_status, settings,
    p_is_invited => p_is_sent or p_invitation_hash is not null);
  if outcome = 'allowed' and p_invitation_hash is not null then
    invitation := formd.invitation_page(p_team, p_form, p_invitation_hash);
    if invitation is null then
      outcome := 'not_found';
      settings := null;
      form_version := null;
      return;
    end if;
  end if;
  if outcome = 'allowed' and settings ? 'availability' then
    v_closed := formd.form_closed(p_team, p_form, settings);
  end if;
  if outcome = 'allowed' and v_has_limits then
    v_left := formd.options_left(p_team, p_form);
  end if;
  if outcome = 'allowed' or v_was_online then
    select v.name, v.description, case when p_version is distinct from v.version then v.schema end,
      case when outcome <> 'allowed' or p_version is distinct from v.version then v.schema -> 'languages' end
    into name, description, form_schema, v_languages
    from formd.form_versions v
    where v.team_id = p_team and v.form_id = p_form and v.version = form_page_read.form_version;
  end if;
  settings := case when outcome <> 'not_found' or v_was_online
    then jsonb_build_object('page', settings -> 'page', 'captcha', settings -> 'captcha', 'closed', v_closed,
      'left', v_left, 'timeZone', settings #> '{availability,timeZone}', 'languages', v_languages,
      'ownLanguage', settings #> '{languages,0}')
      end;
  if outcome <> 'allowed' then
    description := null;
    form_version := null;
    form_schema := null;
  end if;
end
$$;

create or replace function formd.page_session_token(p_form uuid, p_key_hash bytea) returns bytea
language plpgsql volatile as $$
-- Returns the token hash of the anonymous session that a submission from a page belongs to.
-- Why: one session per key of a page, so that a repeated submission finds the response of the first. Without
--   a key, one per submission. No text is known of which this is the hash of a token.
begin
  return sha256(convert_to(
    concat_ws(' ', 'page', p_form, coalesce(encode(p_key_hash, 'hex'), gen_random_uuid()::text)), 'UTF8'));
end
$$;

create or replace function formd.page_session_find(p_team uuid, p_item formd.submission_item) returns uuid
language plpgsql stable as $$
-- Returns the anonymous session of the page that was submitted before, or null.
-- Reads: sessions
-- Index: sessions_token_key
begin
  return (select s.id from formd.sessions s where s.team_id = p_team
    and s.token_hash = formd.page_session_token(p_item.form_id, p_item.idempotency_key_hash));
end
$$;

create or replace function formd.page_session_create(p_team uuid, p_item formd.submission_item) returns uuid
language plpgsql volatile as $$
-- Creates the anonymous session of a page, in the transaction of its submission, or prolongs it.
-- Writes: sessions
-- Locks: the session; of two submissions of one page at once the second waits for the first
-- Index: sessions_token_key
-- Why: it lives as long as the Idempotency-Key that is looked up by it.
declare
  c_form_page_key_lifetime_days constant integer := 8;
  c_day constant interval := interval '1 day';
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + c_form_page_key_lifetime_days * c_day;
  v_session uuid;
begin
  insert into formd.sessions as s (team_id, id, kind, form_id, token_hash, created_at, expires_at)
  values (p_team, formd.uuid_make(), 'anonymous', p_item.form_id,
    formd.page_session_token(p_item.form_id, p_item.idempotency_key_hash), v_now, v_expires_at)
  on conflict (team_id, token_hash) do update set expires_at = excluded.expires_at
  returning s.id into v_session;
  return v_session;
end
$$;
