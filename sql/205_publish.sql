-- Publishing: what a version and its settings freeze (form_publish), and which settings are in effect. The
-- server has checked the draft before (src/resources/forms/publish.ts).

create or replace function formd.theme_links(p_theme jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- The links of a theme; null: it has none.
select jsonb_object_agg(m.key, m.value) from jsonb_each(p_theme) as m
where m.key in ('privacyUrl', 'imprintUrl', 'contact') and m.value <> 'null'
$$;

create or replace function formd.settings_to_publish(p_settings jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- The settings of a form that publishing freezes: who may fill it in, where people are sent and where links
-- lead, what is mailed to them, who gets notices, and when submissions are deleted.
select jsonb_strip_nulls(jsonb_build_object(
  'page', (
    select jsonb_object_agg(m.key, case m.key when 'theme' then formd.theme_links(m.value) else m.value end)
    from jsonb_each(p_settings -> 'page') as m
    where m.key in ('enabled', 'redirectUrl', 'embedOrigins', 'alias', 'agents', 'access', 'resume', 'change',
      'theme')),
  'anonymous', p_settings -> 'anonymous', 'captcha', p_settings -> 'captcha', 'review',
  p_settings -> 'review',
  'challenge', p_settings -> 'challenge', 'availability', p_settings -> 'availability',
  'copy', p_settings -> 'copy', 'retention', p_settings -> 'retention',
  'invitations', p_settings -> 'invitations',
  'notify', (
    select jsonb_object_agg(m.key, m.value) from jsonb_each(p_settings -> 'notify') as m
    where m.key in ('recipients', 'include', 'replyTo'))))
$$;

create or replace function formd.change_is_shorter(p_until text, p_than text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- Checks whether the time for changes ends earlier: null, which allows none, a duration of at most the days
-- of another one, or the same text. With "closes" no other text compares.
select p_until is null or p_until = p_than
  or p_until <> 'closes' and p_than <> 'closes' and p_until::interval <= p_than::interval
$$;

create or replace function formd.settings_in_force(p_published jsonb, p_settings jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
-- Returns the settings in effect: the stricter of the published and the current ones. Settings that
-- publishing does not freeze are the current ones. Never published: the current ones.
-- Why: a patch can close, require and restrict at once; what opens, loosens or redirects waits for a person
--   who publishes. Stored with the form when either changes, so that a submission does not decide it again.
declare
  c_resume_default_days constant integer := 14;
  c_month_days constant integer[] := array[28, 31];
  c_year_days constant integer[] := array[365, 366];
  v_page jsonb := p_settings -> 'page';
  v_published_page jsonb := p_published -> 'page';
  v_availability jsonb := p_settings -> 'availability';
  v_published_availability jsonb := p_published -> 'availability';
  v_notify jsonb := p_settings -> 'notify';
  v_published_notify jsonb := p_published -> 'notify';
  v_longer interval := (p_settings #>> '{retention, deleteAfter}')::interval
    - (p_published #>> '{retention, deleteAfter}')::interval;
  v_strict jsonb;
  v_patch jsonb := jsonb_build_object();
begin
  if p_published is null or p_published = formd.settings_to_publish(p_settings) then
    return p_settings;
  end if;
  foreach v_strict in array array['{"captcha": {"enabled": true}}', '{"review": {"required": true}}',
    '{"challenge": {"required": true}}', '{"anonymous": {"enabled": false}}']::jsonb[] loop
    if p_published @> v_strict then
      v_patch := v_patch || v_strict;
    end if;
  end loop;
  if v_page is not null then
    v_patch := v_patch || jsonb_build_object('page', jsonb_build_object(
      'enabled', v_page @> '{"enabled": true}' and coalesce(v_published_page @> '{"enabled": true}', false),
      'redirectUrl', case when v_page ? 'redirectUrl' then v_published_page -> 'redirectUrl' end,
      'alias', case when v_page ? 'alias' then v_published_page -> 'alias' end,
      'agents', case when v_published_page @> '{"agents": "refuse"}' then '"refuse"'
        else v_page -> 'agents' end,
      'access', case when v_published_page @> '{"access": "invited"}' then '"invited"'
        else v_page -> 'access' end,
      'resume', case when v_page -> 'resume' <> 'null' then jsonb_build_object(
        'enabled', v_page @> '{"resume": {"enabled": true}}'
          and coalesce(v_published_page @> '{"resume": {"enabled": true}}', false),
        'days', least(coalesce((v_page #>> '{resume, days}')::integer, c_resume_default_days),
          coalesce((v_published_page #>> '{resume, days}')::integer, c_resume_default_days))) end,
      'change', case when v_page -> 'change' <> 'null' then jsonb_build_object(
        'until', case
          when not v_published_page #> '{change}' ? 'until' then null
          when formd.change_is_shorter(v_page #>> '{change, until}', v_published_page #>> '{change, until}')
            then v_page #> '{change, until}'
          else v_published_page #> '{change, until}' end,
        'withdraw', v_page @> '{"change": {"withdraw": true}}'
          and coalesce(v_published_page @> '{"change": {"withdraw": true}}', false)) end,
      'embedOrigins', (
        select jsonb_agg(o order by o) from jsonb_array_elements(v_page -> 'embedOrigins') as o
        where v_published_page -> 'embedOrigins' @> o)));
    -- A link may go at once, and a new one waits.
    if v_page #> '{theme}' <> 'null' then
      v_patch := jsonb_set(v_patch, '{page, theme}', coalesce((
        select jsonb_object_agg(l.key, v_published_page #> array['theme', l.key])
        from jsonb_each(formd.theme_links(v_page -> 'theme')) as l), '{}'));
    end if;
  end if;
  if coalesce(v_availability, v_published_availability) is not null then
    v_patch := v_patch || jsonb_build_object('availability', jsonb_build_object(
      'opensAt', formd.timestamp_text(greatest(
        formd.instant_parse(v_availability -> 'opensAt'),
        formd.instant_parse(v_published_availability -> 'opensAt'))),
      'closesAt', formd.timestamp_text(least(
        formd.instant_parse(v_availability -> 'closesAt'),
        formd.instant_parse(v_published_availability -> 'closesAt'))),
      'maxSubmissions', least(
        (v_availability ->> 'maxSubmissions')::numeric,
        (v_published_availability ->> 'maxSubmissions')::numeric)));
  end if;
  -- An address is outside of the workspace's roles: who gives it the values decides who sees the data.
  if v_notify @> '{"include": "values"}' and v_published_notify @> '{"include": "values"}' then
    v_patch := v_patch || jsonb_build_object('notify', jsonb_build_object('recipients', (
      select jsonb_agg(r order by r) from jsonb_array_elements(v_notify -> 'recipients') as r
      where strpos(r #>> '{}', '@') = 0 or v_published_notify -> 'recipients' @> r)));
  elsif v_notify @> '{"include": "values"}' and exists (
    select from jsonb_array_elements_text(v_notify -> 'recipients') as r where strpos(r, '@') > 0) then
    v_patch := v_patch || '{"notify": {"include": "link"}}';
  end if;
  if v_notify ? 'replyTo' then
    v_patch := v_patch || jsonb_build_object('notify', coalesce(v_patch -> 'notify', '{}')
      || jsonb_build_object('replyTo', v_published_notify -> 'replyTo'));
  end if;
  if p_published @> '{"invitations": {"anonymous": true}}' then
    v_patch := v_patch || '{"invitations": {"anonymous": true}}';
  end if;
  -- Whole or not at all: a text goes to strangers in the owner's name; and what was deleted does not come
  -- back. A time from the same instant that is longer keeps more, and so counts at once: longer under every
  -- calendar, where intervals compare a month as 30 days and a year as 360.
  return formd.json_merge_patch(p_settings, v_patch) - 'copy' - 'retention'
    || case when p_settings ? 'copy' and p_published ? 'copy'
       then jsonb_build_object('copy', p_published -> 'copy') else '{}' end
    || case
       when coalesce(p_settings #>> '{retention, from}', 'created')
           = coalesce(p_published #>> '{retention, from}', 'created')
         and extract(day from v_longer)
           + (select min(extract(year from v_longer) * d) from unnest(c_year_days) as d)
           + (select min(extract(month from v_longer) * d) from unnest(c_month_days) as d) > 0
       then jsonb_build_object('retention', p_settings -> 'retention')
       when p_published ? 'retention' then jsonb_build_object('retention', p_published -> 'retention')
       else '{}' end;
end
$$;

create or replace function formd.form_alias_set(p_team uuid, p_form uuid, p_alias text, p_alias_in_force text)
  returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Makes two texts the only aliases of a form: the alias in its settings, and the alias of its page. Null and
-- an invalid text set no alias. Returns false if the alias is another form's.
-- Reads: teams, form_aliases
-- Writes: form_aliases
-- Locks: the team; the rows of the alias and of the form, in the order of their aliases, so that two forms
--   that swap theirs do not wait for each other
-- Raises: conflict (the team's other forms have the most aliases that a team may have)
-- Index: teams_pkey, form_aliases_pkey, form_aliases_form_idx
declare
  c_team_max_aliases constant integer := 20;
  v_now timestamptz(3) := clock_timestamp();
  v_aliases text[] := array(
    select distinct a from unnest(array[p_alias, p_alias_in_force]) as a
      where a ~ '^[a-z0-9][a-z0-9-]{0,38}[a-z0-9]$' order by a);
begin
  if cardinality(v_aliases) > 0 then
    perform from formd.teams t where t.team_id = p_team for no key update;
    if (select count(distinct a.form_id) from formd.form_aliases a where a.owner_team_id = p_team
      and a.form_id <> p_form)
      >= c_team_max_aliases
    then
      perform formd.raise_problem('conflict', 'too_many_addresses',
        jsonb_build_object('max', c_team_max_aliases));
    end if;
  end if;
  perform from formd.form_aliases a
  where a.alias = any (v_aliases) or (a.owner_team_id = p_team and a.form_id = p_form)
  order by a.alias for update;
  delete from formd.form_aliases a
  where a.owner_team_id = p_team and a.form_id = p_form and a.alias <> all (v_aliases);
  insert into formd.form_aliases as f (alias, owner_team_id, form_id, is_in_force, created_at)
  select a, p_team, p_form, a is not distinct from p_alias_in_force, v_now from unnest(v_aliases) as a
    order by a
  on conflict (alias) do update set is_in_force = excluded.is_in_force
  where f.owner_team_id = p_team and f.form_id = p_form;
  return cardinality(v_aliases) = (
    select count(*) from formd.form_aliases a where a.owner_team_id = p_team and a.form_id = p_form);
end
$$;

create or replace function formd.form_version_schema(p_team uuid, p_form uuid, p_version integer)
  returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Returns the schema of a version.
-- Route: PATCH /management/forms/{form_id}/submissions/{submission_id}
-- Reads: form_versions
-- Index: form_versions_pkey
-- Why: a function, since Citus would run a statement that names a table, and its authentication, elsewhere.
begin
  return (select v.schema from formd.form_versions v where v.team_id = p_team and v.form_id = p_form
    and v.version = p_version);
end
$$;

create or replace function formd.form_alias_find(p_alias text, out team_id uuid, out form_id uuid)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Returns the form whose page is at an alias, or nulls.
-- Route: /f/{alias}
-- Reads: form_aliases
-- Index: form_aliases_pkey
begin
  select a.owner_team_id, a.form_id into team_id, form_id from formd.form_aliases a
  where a.alias = p_alias and a.is_in_force;
end
$$;

create or replace function formd.form_settings_store(p_team uuid, p_form formd.forms,
  p_now timestamptz default clock_timestamp()) returns formd.forms
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Puts the settings of a form that form_lock has locked in effect, stores it, and returns it.
-- Writes: what form_store and form_alias_set write
-- Locks: what form_alias_set locks
declare
  v_alias text := p_form.settings #>> '{page, alias}';
begin
  if p_form.settings_in_force #>> '{page, alias}' is distinct from v_alias then
    perform formd.form_alias_set(p_team, p_form.id, v_alias, v_alias);
  end if;
  p_form.published_settings := formd.settings_to_publish(p_form.settings);
  p_form.settings_in_force := p_form.settings;
  p_form.was_online := p_form.was_online
    or formd.form_page_outcome(p_form.status, p_form.settings,
      p_is_invited => p_form.settings @> '{"page": {"access": "invited"}}') = 'allowed';
  return formd.form_store(p_team, p_form, p_now);
end
$$;

create or replace function formd.form_settings_publish(p_team uuid, p_actor formd.actor, p_form uuid,
  p_updated_at timestamptz) returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Puts the settings of a published form in effect, without a new version of its fields. Idempotent.
-- Route: formd form publish --settings, the console
-- Writes: what form_settings_store and audit_record write
-- Locks: the form (form_lock); what form_settings_store locks
-- Raises: not_found, insufficient_workspace_role (least role: publisher), conflict (not published, changed
--   since p_updated_at)
-- Why: as form_publish, the settings are those that the person saw.
declare
  v_form formd.forms := formd.form_lock(p_team, p_actor, p_form, 'publisher');
begin
  if v_form.status <> 'published' then
    perform formd.raise_problem('conflict', 'form_not_published');
  elsif v_form.updated_at <> p_updated_at then
    perform formd.raise_problem('conflict', 'draft_changed');
  end if;
  if v_form.published_settings is distinct from formd.settings_to_publish(v_form.settings) then
    perform formd.audit_record(p_team, p_actor, 'form.settings_published', p_form, p_form,
      jsonb_build_object('before', v_form.published_settings, 'after',
      formd.settings_to_publish(v_form.settings)));
    v_form := formd.form_settings_store(p_team, v_form);
  end if;
  return next formd.form_row(v_form);
end
$$;

create or replace function formd.form_close(p_team uuid, p_actor formd.actor, p_form uuid)
  returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Closes a form at once: settings.availability.closesAt becomes now. Idempotent.
-- Route: formd form close
-- Writes: what form_store and audit_record write
-- Locks: the form (form_lock)
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (archived)
-- Why: an opensAt that is to come leaves the current settings, since it would be after closesAt; form_open
--   brings it back.
declare
  v_form formd.forms := formd.form_lock(p_team, p_actor, p_form, 'editor');
  v_now timestamptz(3) := clock_timestamp();
  v_availability jsonb := coalesce(v_form.settings -> 'availability', '{}');
begin
  if v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'archived_form_closed');
  elsif formd.instant_parse(v_availability -> 'closesAt') <= v_now then
    return next formd.form_row(v_form);
    return;
  elsif formd.instant_parse(v_availability -> 'opensAt') >= v_now then
    v_availability := v_availability - 'opensAt';
  end if;
  v_form.settings := v_form.settings
    || jsonb_build_object('availability', v_availability || jsonb_build_object('closesAt',
      formd.timestamp_text(v_now)));
  v_form.settings_in_force := formd.settings_in_force(v_form.published_settings, v_form.settings);
  v_form := formd.form_store(p_team, v_form, v_now);
  perform formd.audit_record(p_team, p_actor, 'form.closed', p_form, p_form, '{}');
  return next formd.form_row(v_form);
end
$$;

create or replace function formd.form_open(p_team uuid, p_actor formd.actor, p_form uuid)
  returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Opens a form that was closed, at once: settings.availability has the times that were published, except a
-- closesAt that has passed. Its other settings stay as they are in effect. Idempotent.
-- Route: formd form open
-- Writes: what form_store and audit_record write
-- Locks: the form (form_lock)
-- Raises: not_found, insufficient_workspace_role (least role: publisher), conflict (archived)
declare
  v_form formd.forms := formd.form_lock(p_team, p_actor, p_form, 'publisher');
  v_now timestamptz(3) := clock_timestamp();
  v_published jsonb := v_form.published_settings -> 'availability';
  v_times jsonb;
begin
  if v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'form_archived');
  elsif formd.instant_parse(v_form.settings_in_force #> '{availability, closesAt}') <= v_now then
    v_times := jsonb_build_object('availability', jsonb_build_object(
      'opensAt', v_published -> 'opensAt',
      'closesAt', case when formd.instant_parse(v_published -> 'closesAt') > v_now
      then v_published -> 'closesAt' end));
    v_form.settings := formd.json_merge_patch(v_form.settings, v_times);
    v_form.published_settings := case when v_form.published_settings is not null
      then formd.json_merge_patch(v_form.published_settings, v_times) end;
    v_form.settings_in_force := formd.settings_in_force(v_form.published_settings, v_form.settings);
    v_form := formd.form_store(p_team, v_form);
    perform formd.audit_record(p_team, p_actor, 'form.opened', p_form, p_form, '{}');
  end if;
  return next formd.form_row(v_form);
end
$$;

create or replace function formd.form_publish(p_team uuid, p_actor formd.actor, p_form uuid,
  p_updated_at timestamptz, p_limits jsonb default '[]', p_schema jsonb default null,
  p_online boolean default false)
  returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Freezes the draft as the next version, and the settings with it. p_limits: as in option_limits_set.
-- p_schema: the draft's with the form's languages, and the lists that its fields name written out; null: it
--   has neither.
-- p_online: the first version puts the page online; a later one leaves it as its owner has set it.
-- Route: formd form publish, the console
-- Writes: form_versions; what option_limits_set, form_settings_store and audit_record write
-- Locks: the form (form_lock); what option_limits_set and form_settings_store lock
-- Raises: not_found, insufficient_workspace_role (least role: publisher), conflict (archived, draft changed),
--   bad_request (p_schema is too large)
-- Why: the caller has checked the draft as of p_updated_at; a later draft must not be published unchecked.
declare
  v_form formd.forms := formd.form_lock(p_team, p_actor, p_form, 'publisher');
  v_now timestamptz(3) := clock_timestamp();
begin
  if v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'form_archived');
  elsif v_form.updated_at <> p_updated_at then
    perform formd.raise_problem('conflict', 'draft_changed');
  end if;
  if p_online and v_form.current_version = 0 then
    v_form.settings := formd.json_merge_patch(v_form.settings, '{"page": {"enabled": true}}');
  end if;
  v_form.status := 'published';
  v_form.current_version := v_form.current_version + 1;
  if v_form.has_limits or p_limits <> '[]' then
    v_form.has_limits := formd.option_limits_set(p_team, p_form, p_limits);
  end if;
  if p_schema is not null then
    perform formd.form_check_size(p_schema);
  end if;
  insert into formd.form_versions (team_id, form_id, version, name, description, schema, draft_schema,
    published_at)
  values (p_team, p_form, v_form.current_version, v_form.name, v_form.description,
    coalesce(p_schema, v_form.schema), case when p_schema is not null then v_form.schema end, v_now);
  v_form := formd.form_settings_store(p_team, v_form, v_now);
  perform formd.audit_record(p_team, p_actor, 'form.published', p_form, p_form,
    jsonb_build_object('version', v_form.current_version));
  return next formd.form_row(v_form);
end
$$;

create or replace function formd.form_set_archived(p_team uuid, p_actor formd.actor, p_form uuid,
  p_archived boolean) returns setof formd.form_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Archives a form, or restores it: to published if it ever was, else to a draft. Idempotent.
-- Route: formd form archive, formd form restore, the console
-- Writes: what form_store and audit_record write
-- Locks: the form (form_lock)
-- Raises: not_found, insufficient_workspace_role (least role: publisher)
declare
  v_form formd.forms := formd.form_lock(p_team, p_actor, p_form, 'publisher');
  v_now timestamptz(3) := clock_timestamp();
begin
  if (v_form.status = 'archived') <> p_archived then
    v_form.status := case
      when p_archived then 'archived' when v_form.current_version > 0 then 'published' else 'draft' end;
    v_form.archived_at := case when p_archived then v_now end;
    v_form := formd.form_store(p_team, v_form, v_now);
    perform formd.audit_record(p_team, p_actor, case when p_archived then 'form.archived'
      else 'form.restored' end, p_form, p_form, '{}');
  end if;
  return next formd.form_row(v_form);
end
$$;
