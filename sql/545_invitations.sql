-- Invitations of a form: made, listed, reminded of and revoked by owners. What a respondent does with the
-- link is in 540_form_page.sql and 500_submit.sql.

create or replace function formd.invitation_mails_record(p_team uuid, p_form uuid, p_ids uuid[],
  p_mails_per_day integer) returns timestamptz[]
language plpgsql volatile as $$
-- Records a mail for each of these invitations, which the caller has locked or makes, and returns when each
-- is due. p_mails_per_day: the team's limit (MAIL_MAX_PER_DAY).
-- Writes: mails
-- Index: mails_pkey, mails_due_idx
-- Why: half of a day's mails are due at once, those beyond a day later, and so on: notices and copies have
--   the other half, and mail_claim does not move 100,000 rows each time the limit is reached. Two callers at
--   once may fill a day twice: then mail_claim makes them wait.
declare
  c_invitation_mail_retry_days constant integer := 30;
  c_mail_lifetime_days constant integer := 30;
  c_share constant integer := 2;
  c_day constant interval := interval '1 day';
  v_now timestamptz(3) := clock_timestamp();
  v_per_day integer := greatest(p_mails_per_day / c_share, 1);
  v_at timestamptz(3);
  v_before integer;
  v_times timestamptz(3)[];
begin
  select m.due_at into v_at from formd.mails m
  where m.team_id = p_team and m.state = 'due' and m.kind = 'invitation' and m.due_at > v_now
    and m.attempts = 0
  order by m.due_at desc limit 1;
  v_at := coalesce(v_at, v_now);
  select count(*) into v_before from (
    select from formd.mails m
    where m.team_id = p_team and m.state = 'due' and m.kind = 'invitation'
      and m.due_at > v_at - c_day and m.due_at <= v_at
    limit v_per_day) waiting;
  v_times := array(
    select v_at + (v_before + i.position - 1) / v_per_day * c_day
    from unnest(p_ids) with ordinality as i (id, position) order by i.position);
  insert into formd.mails (team_id, id, kind, form_id, subject_id, due_at, gives_up_at, created_at,
    expires_at)
  select p_team, formd.uuid_make(), 'invitation', p_form, i.id, i.due_at,
    i.due_at + c_invitation_mail_retry_days * c_day, v_now,
    i.due_at + (c_invitation_mail_retry_days + c_mail_lifetime_days) * c_day
  from unnest(p_ids, v_times) as i (id, due_at);
  return v_times;
end
$$;

create or replace function formd.invitation_form_check(p_form formd.forms) returns void
language plpgsql stable as $$
-- Rejects mails of a form whose page does not open: they would be dropped.
-- Raises: conflict
begin
  if formd.form_page_outcome(p_form.status, p_form.settings_in_force) in ('not_found', 'gone') then
    perform formd.raise_problem('conflict', 'invitation_page_off');
  end if;
end
$$;

create or replace function formd.invitation_sources(p_team uuid, p_actor formd.actor, p_form uuid)
returns table (actor_type text, actor_id uuid, version integer, schema jsonb, language text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the caller, and the published version that the values of invitations are validated against.
-- Route: POST /management/forms/{form_id}/invitations, before invitations_create
-- Reads: forms, form_versions
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (never published)
-- Index: forms_pkey, form_versions_pkey
declare
  v_version integer;
  v_language text;
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'editor');
  select f.current_version, f.settings_in_force #>> '{page, language}' into v_version, v_language
  from formd.forms f where f.team_id = p_team and f.id = p_form;
  if v_version = 0 then
    perform formd.raise_problem('conflict', 'form_not_published');
  end if;
  return query
  select (p_actor).type, (p_actor).id, v.version, v.schema, v_language from formd.form_versions v
  where v.team_id = p_team and v.form_id = p_form and v.version = v_version;
end
$$;

create or replace function formd.invitations_create(p_team uuid, p_actor formd.actor, p_form uuid,
  p_version integer, p_items jsonb, p_mails_per_day integer) returns setof uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Makes the invitations of a list ({token_hash, label, sealed_email, email_hash, email_hashes, respondent_id,
-- prefill, language, expires_at}) and returns their ids in its order. email_hashes: the address by each
-- master key. p_version: that of invitation_sources. p_mails_per_day: a mail is recorded for each with an
-- address; null: none is.
-- Route: POST /management/forms/{form_id}/invitations, the console
-- Reads: what form_lock and uuid_make read
-- Writes: invitations, mails, what audit_record writes
-- Locks: the form (form_lock), so that the number of its invitations is exact; then the respondents, in the
--   order of their ids, for key share (respondent_lock)
-- Raises: not_found, insufficient_workspace_role (least role: editor), bad_request (one cannot be made; with
--   its position), respondent_binding_requires_session, conflict (archived, published meanwhile, too many, no
--   page to mail a link to)
-- Index: forms_pkey, invitations_pkey, invitations_token_key, invitations_email_idx, respondents_pkey
-- Why: who has unsubscribed from the form gets no mail of a later invitation either.
declare
  c_invitation_max_per_form constant integer := 100000;
  c_invitation_max_prefill_bytes constant integer := 16384;
  v_form formd.forms := formd.form_lock(p_team, p_actor, p_form, 'editor');
  v_is_bound boolean := jsonb_path_exists(p_items, '$[*].respondent_id ? (@ != null)');
  v_count integer;
  v_position integer;
  v_respondent uuid;
  v_ids uuid[];
  v_left uuid[];
  v_mailed uuid[];
  v_times timestamptz(3)[];
begin
  if v_form.status = 'archived' then
    perform formd.raise_problem('conflict', 'form_archived');
  elsif v_form.current_version <> p_version then
    perform formd.raise_problem('conflict', 'invitation_form_changed');
  elsif v_is_bound and ((p_actor).type in ('operator', 'cli')) is not true then
    perform formd.raise_problem('respondent_binding_requires_session', 'respondent_bound_by_operator');
  end if;
  if p_mails_per_day is not null then
    perform formd.invitation_form_check(v_form);
  end if;
  select count(*) into v_count from formd.invitations i where i.team_id = p_team and i.form_id = p_form;
  if v_count + jsonb_array_length(p_items) > c_invitation_max_per_form then
    perform formd.raise_problem('conflict', 'too_many_invitations',
      jsonb_build_object('max', c_invitation_max_per_form));
  end if;
  select i.ordinality - 1 into v_position from jsonb_array_elements(p_items) with ordinality as i (item)
  where octet_length((i.item -> 'prefill')::text) > c_invitation_max_prefill_bytes
  order by i.ordinality limit 1;
  if found then
    perform formd.raise_problem('bad_request', 'invitation_invalid',
      jsonb_build_object('index', v_position, 'fault', 'size'), jsonb_build_object('invitation', v_position));
  end if;
  -- In one order, so that two lists never wait for each other.
  if v_is_bound then
    for v_respondent, v_position in
      select (i.item ->> 'respondent_id')::uuid, min(i.ordinality) - 1
      from jsonb_array_elements(p_items) with ordinality as i (item)
      where i.item ->> 'respondent_id' is not null group by 1 order by 1
    loop
      if not formd.respondent_lock(p_team, v_respondent) then
        perform formd.raise_problem('bad_request', 'invitation_invalid',
          jsonb_build_object('index', v_position, 'fault', 'respondent'),
          jsonb_build_object('invitation', v_position));
      end if;
    end loop;
  end if;
  v_ids := array(select formd.uuid_make() from jsonb_array_elements(p_items) as i (item));
  -- The addresses whose owner wants no more mail of this form.
  v_left := array(
    select v_ids[i.ordinality] from jsonb_array_elements(p_items) with ordinality as i (item)
    where i.item ->> 'email_hash' is not null and formd.invitation_is_unsubscribed(p_team, p_form,
      array(select h::bytea from jsonb_array_elements_text(i.item -> 'email_hashes') as h)));
  if p_mails_per_day is not null then
    v_mailed := array(
      select v_ids[i.ordinality] from jsonb_array_elements(p_items) with ordinality as i (item)
      where i.item ->> 'email_hash' is not null and v_ids[i.ordinality] <> all (v_left)
      order by i.ordinality);
    v_times := formd.invitation_mails_record(p_team, p_form, v_mailed, p_mails_per_day);
  end if;
  insert into formd.invitations (team_id, form_id, id, token_hash, label, sealed_email, email_hash,
    respondent_id, prefill, language, expires_at, last_mailed_at, mails, unsubscribed, created_by)
  select p_team, p_form, v_ids[i.ordinality], (i.item ->> 'token_hash')::bytea, i.item ->> 'label',
    (i.item ->> 'sealed_email')::bytea, (i.item ->> 'email_hash')::bytea,
    (i.item ->> 'respondent_id')::uuid, nullif(i.item -> 'prefill', 'null'), i.item ->> 'language',
    (i.item ->> 'expires_at')::timestamptz,
    v_times[array_position(v_mailed, v_ids[i.ordinality])],
    coalesce(v_ids[i.ordinality] = any (v_mailed), false)::integer, v_ids[i.ordinality] = any (v_left),
    (p_actor).id
  from jsonb_array_elements(p_items) with ordinality as i (item);
  perform formd.audit_record(p_team, p_actor, 'invitations.created', p_form, p_form,
    jsonb_build_object('count', cardinality(v_ids), 'mailed', coalesce(cardinality(v_mailed), 0)));
  return query select unnest(v_ids);
end
$$;

create or replace function formd.invitation_list(p_team uuid, p_actor formd.actor, p_form uuid, p_state text,
  p_email_hashes bytea[], p_label text, p_limit integer, p_offset bigint, p_after uuid, p_order text)
returns table (id uuid, label text, sealed_email bytea, respondent_id uuid, language text, state text,
  submission_id uuid, created_at timestamptz, expires_at timestamptz, last_mailed_at timestamptz,
  mails integer, bounced boolean, unsubscribed boolean, total integer, next_id uuid, up_to timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Returns a page of a form's invitations, as form_list does of forms: in a state, to an address (its hash by
-- each master key), or with a part of a label. The total counts at most 1,000 from the page's first one on.
-- By a label c_invitation_max_looked_at are looked at, and the total counts among the newest of them: then
-- the page ends early, with the place to go on from.
-- Route: GET /management/forms/{form_id}/invitations, the console
-- Reads: forms, invitations; what feed_range reads
-- Raises: not_found, insufficient_workspace_role (least role: viewer), what feed_range raises
-- Index: forms_pkey, invitations_pkey, invitations_state_idx, invitations_email_idx
-- Why: as mail_list. The ids of an address are read first: a plan for the order could walk the whole form.
--   Without a label the total is counted in an index alone: 15 buffers and not one for each row.
declare
  c_max_counted constant bigint := 1000;
  c_invitation_max_looked_at constant integer := 5000;
  v_label text := lower(p_label);
  v_ids uuid[];
  v_above uuid;
  v_below uuid;
  v_last_id uuid;
  v_rows integer := 0;
  v_looked_at integer := 0;
  v_skipped bigint := 0;
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  if p_email_hashes is not null then
    v_ids := array(
      select i.id from formd.invitations i
      where i.team_id = p_team and i.form_id = p_form and i.email_hash = any (p_email_hashes)
        and i.email_hash is not null);
  end if;
  if p_after is null and p_label is null then
    select count(*) into total from (
      select from formd.invitations i
      where i.team_id = p_team and i.form_id = p_form and (p_state is null or i.state = p_state)
        and (p_email_hashes is null or i.id = any (v_ids))
      order by i.id desc limit p_offset + c_max_counted) counted;
  elsif p_after is null then
    select count(*) into total from (
      select i.label from formd.invitations i
      where i.team_id = p_team and i.form_id = p_form and (p_state is null or i.state = p_state)
        and (p_email_hashes is null or i.id = any (v_ids))
      order by i.id desc limit c_invitation_max_looked_at) counted
    where strpos(lower(counted.label), v_label) > 0;
  end if;
  select r.above, r.below, r.up_to into v_above, v_below, up_to from formd.feed_range(p_after, p_order) as r;
  for id, label, sealed_email, respondent_id, language, state, submission_id, expires_at, last_mailed_at,
    mails, bounced, unsubscribed in
    select i.id, i.label, i.sealed_email, i.respondent_id, i.language, i.state, i.submission_id, i.expires_at,
      i.last_mailed_at, i.mails, i.bounced, i.unsubscribed
    from formd.invitations i
    where i.team_id = p_team and i.form_id = p_form and (p_state is null or i.state = p_state)
      and (p_email_hashes is null or i.id = any (v_ids)) and i.id > v_above and i.id < v_below
    order by case when p_order <> 'newest' then i.id end, case when p_order = 'newest' then i.id end desc
    limit case when p_label is null then p_limit + (p_after is not null)::integer
      else c_invitation_max_looked_at + 1 end
    offset case when p_label is null then p_offset else 0 end
  loop
    next_id := case when (p_after is not null or p_label is not null)
      and (v_rows = p_limit or v_looked_at = c_invitation_max_looked_at) then v_last_id end;
    exit when next_id is not null;
    v_last_id := id;
    v_looked_at := v_looked_at + 1;
    continue when p_label is not null and strpos(lower(coalesce(label, '')), v_label) = 0;
    if p_label is not null and v_skipped < p_offset then
      v_skipped := v_skipped + 1;
      continue;
    end if;
    created_at := formd.uuid_time(id);
    return next;
    v_rows := v_rows + 1;
  end loop;
  id := null;
  return next;
end
$$;

create or replace function formd.invitation_counts(p_team uuid, p_form uuid)
returns table (open integer, submitted integer, revoked integer, mailed integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Counts the invitations of a form, by state and those for which a mail was recorded.
-- Route: GET /management/forms/{form_id}/invitations, the console
-- Reads: invitations
-- Index: invitations_pkey
-- Why: one pass over the rows of a form, at most 100,000. A counter would make each submission wait for it.
begin
  return query
  select count(*) filter (where i.state = 'open')::integer,
    count(*) filter (where i.state = 'submitted')::integer,
    count(*) filter (where i.state = 'revoked')::integer, count(*) filter (where i.mails > 0)::integer
  from formd.invitations i where i.team_id = p_team and i.form_id = p_form;
end
$$;

create or replace function formd.invitations_blank(p_team uuid, p_form uuid, p_ids uuid[]) returns void
language plpgsql volatile as $$
-- Erases what names a person in invitations, and ends those that are open. The hash of an address stays where
-- its owner wants no more mail: it is what keeps a later invitation from being mailed.
-- Writes: invitations
-- Index: invitations_pkey
begin
  update formd.invitations i
  set state = case when i.state = 'open' then 'revoked' else i.state end, label = null, sealed_email = null,
    email_hash = case when i.unsubscribed then i.email_hash end, prefill = null, respondent_id = null
  where i.team_id = p_team and i.form_id = p_form and i.id = any (p_ids);
end
$$;

create or replace function formd.invitation_revoke(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid)
returns table (id uuid, state text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Revokes an invitation and erases what names a person in it (invitations_blank). One that was used stays
-- submitted. Idempotent.
-- Route: DELETE /management/forms/{form_id}/invitations/{invitation_id}, the console, formd person erase
-- Reads: forms, invitations
-- Writes: what invitations_blank and audit_record write
-- Locks: the invitation
-- Raises: not_found, insufficient_workspace_role (least role: editor)
-- Index: forms_pkey, invitations_pkey
declare
  v_row formd.invitations;
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'editor');
  select * into v_row from formd.invitations i
  where i.team_id = p_team and i.form_id = p_form and i.id = p_id for no key update;
  if not found then
    perform formd.raise_problem('not_found', 'invitation_missing');
  end if;
  if v_row.state = 'open'
    or coalesce(v_row.label, v_row.sealed_email::text, v_row.prefill::text, v_row.respondent_id::text)
      is not null
  then
    perform formd.invitations_blank(p_team, p_form, array[p_id]);
    perform formd.audit_record(p_team, p_actor, 'invitation.revoked', p_form, p_id, '{}');
  end if;
  return query select p_id, case when v_row.state = 'open' then 'revoked' else v_row.state end;
end
$$;

create or replace function formd.invitations_remind(p_team uuid, p_actor formd.actor, p_form uuid,
  p_not_reminded_for interval, p_mails_per_day integer, p_after uuid)
returns table (reminded integer, last_id uuid)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Records a mail for each invitation that is open, has an address, and may be mailed again: the last mail is
-- older than p_not_reminded_for and than a day, and there were fewer than four. Looks at c_steps times 500,
-- beginning after p_after; last_id: where the next call begins, null: all were looked at.
-- Route: POST /management/forms/{form_id}/invitations/remind, the console
-- Reads: forms
-- Writes: invitations, mails, what audit_record writes
-- Locks: the invitations in the order of their ids; those that others hold are skipped: they are being used,
--   or reminded of
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (the server sends no mail, or
--   the form has no page)
-- Index: forms_pkey, invitations_state_idx, invitations_pkey
declare
  c_steps constant integer := 4;
  c_step_rows constant integer := 500;
  c_invitation_max_mails constant integer := 4;
  c_invitation_mail_hours constant integer := 24;
  c_first constant uuid := uuid '00000000-0000-0000-0000-000000000000';
  v_now timestamptz(3) := clock_timestamp();
  v_before timestamptz(3) := v_now
    - greatest(p_not_reminded_for, make_interval(hours => c_invitation_mail_hours));
  v_form formd.forms;
  v_ids uuid[];
  v_times timestamptz(3)[];
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'editor');
  if p_mails_per_day is null then
    perform formd.raise_problem('conflict', 'mail_off');
  end if;
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form;
  perform formd.invitation_form_check(v_form);
  reminded := 0;
  last_id := coalesce(p_after, c_first);
  for v_step in 1 .. c_steps loop
    v_ids := array(
      select i.id from formd.invitations i
      where i.state = 'open' and i.team_id = p_team and i.form_id = p_form and i.id > last_id
      order by i.id limit c_step_rows);
    last_id := v_ids[c_step_rows];
    v_ids := array(
      select i.id from formd.invitations i
      where i.team_id = p_team and i.form_id = p_form and i.id = any (v_ids) and i.state = 'open'
        and i.expires_at > v_now and i.email_hash is not null and i.sealed_email is not null
        and not i.bounced and not i.unsubscribed and i.mails < c_invitation_max_mails
        and (i.last_mailed_at is null or i.last_mailed_at <= v_before)
      order by i.id for no key update skip locked);
    v_times := formd.invitation_mails_record(p_team, p_form, v_ids, p_mails_per_day);
    update formd.invitations i set mails = i.mails + 1, last_mailed_at = t.due_at
    from unnest(v_ids, v_times) as t (id, due_at)
    where i.team_id = p_team and i.form_id = p_form and i.id = t.id;
    reminded := reminded + cardinality(v_ids);
    exit when last_id is null;
  end loop;
  if reminded > 0 then
    perform formd.audit_record(p_team, p_actor, 'invitations.reminded', p_form, p_form,
      jsonb_build_object('count', reminded));
  end if;
  return next;
end
$$;

create or replace function formd.invitations_open_to(p_team uuid, p_actor formd.actor, p_form uuid,
  p_email_hashes bytea[]) returns setof bytea
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns the hashes among these whose address has an invitation that can be used.
-- Route: the console, before a list of people is sent
-- Reads: forms, invitations
-- Raises: not_found, insufficient_workspace_role (least role: editor)
-- Index: forms_pkey, invitations_email_idx
-- Why: a page that is sent twice would mail everybody of its list twice.
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'editor');
  return query
  select i.email_hash from formd.invitations i
  where i.team_id = p_team and i.form_id = p_form and i.email_hash = any (p_email_hashes)
    and i.email_hash is not null and i.state = 'open' and i.expires_at > clock_timestamp();
end
$$;

create or replace function formd.invitations_remind_count(p_team uuid, p_actor formd.actor, p_form uuid,
  p_not_reminded_for interval) returns integer
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Counts the invitations that invitations_remind would mail now.
-- Route: the console, before reminders are sent
-- Reads: forms, invitations
-- Raises: not_found, insufficient_workspace_role (least role: editor)
-- Index: forms_pkey, invitations_state_idx
declare
  c_invitation_max_mails constant integer := 4;
  c_invitation_mail_hours constant integer := 24;
  v_now timestamptz(3) := clock_timestamp();
  v_before timestamptz(3) := v_now
    - greatest(p_not_reminded_for, make_interval(hours => c_invitation_mail_hours));
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'editor');
  return (
    select count(*) from formd.invitations i
    where i.state = 'open' and i.team_id = p_team and i.form_id = p_form
      and i.expires_at > v_now and i.email_hash is not null and i.sealed_email is not null
      and not i.bounced and not i.unsubscribed and i.mails < c_invitation_max_mails
      and (i.last_mailed_at is null or i.last_mailed_at <= v_before));
end
$$;

create or replace function formd.invitation_is_unsubscribed(p_team uuid, p_form uuid, p_email_hashes bytea[])
  returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Checks whether the owner of an address (its hash by each master key) wants no more mail of a form.
-- Route: the worker of every server that has a mail server
-- Reads: invitations
-- Index: invitations_email_idx
begin
  perform from formd.invitations i
  where i.team_id = p_team and i.form_id = p_form and i.email_hash = any (p_email_hashes)
    and i.email_hash is not null and i.unsubscribed
  limit 1;
  return found;
end
$$;

create or replace function formd.invitation_mail_read(p_team uuid, p_form uuid, p_id uuid)
returns table (mail_state text, sealed_email bytea, recipient_hash bytea, language text,
  expires_at timestamptz, mails integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns what a mail of an invitation is written with. mail_state: open; not_open (used, revoked, expired,
-- unsubscribed, blanked or purged) or form_off, with nulls.
-- Route: the worker of every server that has a mail server
-- Reads: invitations, forms
-- Index: invitations_pkey, forms_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_row formd.invitations;
  v_form formd.forms;
begin
  select * into v_row from formd.invitations i
  where i.team_id = p_team and i.form_id = p_form and i.id = p_id and i.state = 'open'
    and i.expires_at > v_now and i.sealed_email is not null and i.email_hash is not null
    and not i.unsubscribed;
  if not found then
    mail_state := 'not_open';
    return next;
    return;
  end if;
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form;
  if formd.form_page_outcome(v_form.status, v_form.settings_in_force) in ('not_found', 'gone') then
    mail_state := 'form_off';
  else
    mail_state := 'open';
    sealed_email := v_row.sealed_email;
    recipient_hash := v_row.email_hash;
    language := v_row.language;
    expires_at := v_row.expires_at;
    mails := v_row.mails;
  end if;
  return next;
end
$$;

create or replace function formd.person_invitations(p_team uuid, p_actor formd.actor, p_form uuid,
  p_respondent uuid, p_email_hashes bytea[], p_value text, p_after uuid, p_limit integer,
  out ids uuid[], out last_id uuid)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- One step of a search for a person's invitations to a form: those of the respondent, or those whose address
-- (its hash by each master key), label or one of whose values is the searched one. last_id: start of the next
-- step; null: nothing is left.
-- Route: the console, formd person
-- Reads: forms, invitations
-- Raises: not_found, insufficient_workspace_role (least role: viewer)
-- Index: forms_pkey, invitations_respondent_idx, invitations_pkey
-- Why: as person_find.
declare
  c_first constant uuid := uuid '00000000-0000-0000-0000-000000000000';
  v_after uuid := coalesce(p_after, c_first);
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  if p_respondent is not null then
    select array_agg(s.id order by s.id) into ids
    from (
      select i.id from formd.invitations i
      where i.team_id = p_team and i.respondent_id = p_respondent and i.form_id = p_form and i.id > v_after
      order by i.id limit p_limit) as s;
    last_id := ids[p_limit];
  else
    select array_agg(s.id order by s.id) filter (
        where s.email_hash = any (p_email_hashes) and s.sealed_email is not null
          or lower(btrim(s.label)) = lower(btrim(p_value)) or formd.json_has_text(s.prefill, p_value)),
      (array_agg(s.id order by s.id))[p_limit]
    into ids, last_id
    from (
      select i.id, i.email_hash, i.sealed_email, i.label, i.prefill from formd.invitations i
      where i.team_id = p_team and i.form_id = p_form and i.id > v_after
      order by i.id limit p_limit) as s;
  end if;
  ids := coalesce(ids, '{}');
end
$$;

create or replace function formd.person_invitations_read(p_team uuid, p_actor formd.actor, p_form uuid,
  p_ids uuid[]) returns table (sealed_email bytea, item jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set timezone = 'UTC' as $$
-- Returns all that is stored of invitations, the address sealed.
-- Route: the console, formd person export
-- Reads: forms, invitations
-- Raises: not_found, insufficient_workspace_role (least role: viewer)
-- Index: forms_pkey, invitations_pkey
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  return query
  select i.sealed_email, jsonb_build_object('invitationId', i.id, 'label', i.label,
    'respondentId', i.respondent_id, 'values', i.prefill, 'language', i.language, 'state', i.state,
    'submissionId', i.submission_id, 'expiresAt', i.expires_at, 'lastMailedAt', i.last_mailed_at,
    'mails', i.mails, 'bounced', i.bounced, 'unsubscribed', i.unsubscribed)
  from formd.invitations i
  where i.team_id = p_team and i.form_id = p_form and i.id = any (p_ids) order by i.id;
end
$$;
