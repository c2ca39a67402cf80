-- Mails: recorded in the transaction of the action, as webhooks' events are, and sent by servers that have a
-- mail server. A row has no address and no text: both are read when it is sent, without what was erased.

create or replace function formd.mail_recipient_hash(p_recipient text) returns bytea
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
-- The hash of a recipient: SHA-256 of the entry in settings.notify.recipients, in lower case.
select sha256(convert_to(lower(p_recipient), 'UTF8'))
$$;

create or replace function formd.mail_submissions_record(p_team uuid, p_submission_ids uuid[],
  p_form_ids uuid[], p_dropped text default null) returns void
language plpgsql volatile as $$
-- Makes the mails of submissions that webhook_batches_expand takes up, each with its form: a notice per
-- submission and recipient, or one digest per recipient and time; a copy per submission. p_dropped: why
-- they are not sent; null: they are due.
-- Reads: forms, submissions
-- Writes: mails
-- Locks: the digests that it adds to, form by form and in the order of their recipients
-- Index: forms_pkey, submissions_pkey, mails_pkey, mails_digest_key
-- Why: a copy goes to an address that a stranger can enter. So it is made only for agents, which have a
--   grant, and for forms with a CAPTCHA: else the form would send mail to anyone, for anyone. What no server
--   sends is listed with the reason, and a mail server that is set up later sends nothing of before. A digest
--   is due after its time by more than a statement may take: none is added to one that was sent.
declare
  c_mail_lifetime_days constant integer := 30;
  c_mail_retry_hours constant integer := 24;
  c_mail_daily_hour_utc constant integer := 6;
  c_mail_digest_wait_seconds constant integer := 30;
  c_second constant interval := interval '1 second';
  c_day constant interval := interval '1 day';
  c_hour constant interval := interval '1 hour';
  v_state text := case when p_dropped is null then 'due' else 'dropped' end;
  v_now timestamptz(3) := clock_timestamp();
  v_form uuid;
  v_settings jsonb;
  v_ids uuid[];
  v_recipients bytea[];
  v_digest_at timestamptz(3);
  v_hour timestamp := date_trunc('hour', v_now at time zone 'UTC');
begin
  for v_form, v_settings in
    select f.id, f.settings_in_force from formd.forms f
    where f.team_id = p_team and f.id = any (p_form_ids) and f.settings_in_force ?| array['notify', 'copy']
    order by f.id
  loop
    v_ids := array(
      select s.id from unnest(p_submission_ids, p_form_ids) as s (id, form_id) where s.form_id = v_form);
    v_recipients := array(
      select distinct formd.mail_recipient_hash(r) as hash
      from jsonb_array_elements_text(v_settings #> '{notify, recipients}') as r order by hash);
    if v_settings #>> '{notify, when}' in ('hourly', 'daily') then
      v_digest_at := (v_hour + c_hour) at time zone 'UTC';
      if v_settings #>> '{notify, when}' = 'daily' then
        v_digest_at := (date_trunc('day', v_hour - c_mail_daily_hour_utc * c_hour) + c_day
          + c_mail_daily_hour_utc * c_hour) at time zone 'UTC';
      end if;
      insert into formd.mails as m (team_id, id, kind, form_id, recipient_hash, submissions, digest_at,
        due_at, gives_up_at, created_at, expires_at, state, last_error)
      select p_team, formd.uuid_make(), 'digest', v_form, r, cardinality(v_ids), v_digest_at,
        v_digest_at + c_mail_digest_wait_seconds * c_second, v_digest_at + c_mail_retry_hours * c_hour, v_now,
        v_now + c_mail_lifetime_days * c_day, v_state, p_dropped
      from unnest(v_recipients) as r
      on conflict (team_id, form_id, recipient_hash, digest_at) where kind = 'digest'
      do update set submissions = m.submissions + excluded.submissions,
        state = case when excluded.state = 'due' then 'due' else m.state end,
        last_error = case when excluded.state = 'due' then null else m.last_error end;
    else
      insert into formd.mails (team_id, id, kind, form_id, subject_id, recipient_hash, due_at, gives_up_at,
        created_at, expires_at, state, last_error)
      select p_team, formd.uuid_make(), 'notice', v_form, s, r, v_now, v_now + c_mail_retry_hours * c_hour,
        v_now, v_now + c_mail_lifetime_days * c_day, v_state, p_dropped
      from unnest(v_ids) as s cross join unnest(v_recipients) as r;
    end if;
    if v_settings ? 'copy' then
      v_ids := array(
        select s.id from formd.submissions s
        where s.team_id = p_team and s.form_id = v_form and s.id = any (v_ids) and s.status <> 'partial'
          and (s.submitter_type = 'agent'
            or s.submitter_type = 'anonymous' and v_settings @> '{"captcha": {"enabled": true}}'));
      insert into formd.mails (team_id, id, kind, form_id, subject_id, due_at, gives_up_at, created_at,
        expires_at, state, last_error)
      select p_team, formd.uuid_make(), 'copy', v_form, s, v_now, v_now + c_mail_retry_hours * c_hour, v_now,
        v_now + c_mail_lifetime_days * c_day, v_state, p_dropped
      from unnest(v_ids) as s;
    end if;
  end loop;
end
$$;

create or replace function formd.mail_operators_record(p_team uuid, p_kind text, p_subject uuid,
  p_operators uuid[]) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Records a mail to each of these operators, except those who have switched off its kind. Of a key that
-- expires there is one. Called by the function that acts, where its server sends mail.
-- Reads: operators
-- Writes: mails
-- Locks: the operators, for key share and in the order of their ids
-- Index: operators_pkey, mails_pkey, mails_key_expiry_key
declare
  c_mail_lifetime_days constant integer := 30;
  c_mail_retry_hours constant integer := 24;
  c_day constant interval := interval '1 day';
  c_hour constant interval := interval '1 hour';
  v_now timestamptz(3) := clock_timestamp();
  v_operators uuid[] := array(
    select o.id from formd.operators o where o.id = any (p_operators) and p_kind <> all (o.mails_off)
    order by o.id);
begin
  insert into formd.mails (team_id, id, kind, subject_id, operator_id, due_at, gives_up_at, created_at,
    expires_at)
  select p_team, formd.uuid_make(), p_kind, p_subject, o, v_now, v_now + c_mail_retry_hours * c_hour,
    v_now, v_now + c_mail_lifetime_days * c_day
  from unnest(v_operators) as o
  on conflict (team_id, operator_id, subject_id) where kind = 'key_expiry' do nothing;
end
$$;

create or replace function formd.mail_key_expiry_record() returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Records mails of agents' keys that expire within two weeks, to the admins and editors of their workspaces,
-- who can register others. Idempotent. A key that lives for less than that is not warned of.
-- Route: the worker of every server that has a mail server, each hour
-- Reads: signing_keys, agents, workspace_roles
-- Writes: what mail_operators_record writes
-- Locks: what mail_operators_record locks
-- Index: signing_keys_expiry_idx, agents_pkey, workspace_roles_pkey
-- Why: not with the registration, since a year later others work there, and the server may send mail then.
declare
  c_mail_key_expiry_days constant integer := 14;
  v_now timestamptz(3) := clock_timestamp();
  v_until timestamptz(3) := v_now + make_interval(days => c_mail_key_expiry_days);
  v_team uuid;
  v_key uuid;
  v_agent uuid;
  v_workspace uuid;
  v_operators uuid[];
begin
  for v_team, v_key, v_agent in
    select k.team_id, k.id, k.agent_id from formd.signing_keys k
    where k.status = 'active' and k.expires_at is not null
      and k.expires_at at time zone 'UTC' > v_now at time zone 'UTC'
      and k.expires_at at time zone 'UTC' <= v_until at time zone 'UTC'
      and k.created_at <= k.expires_at - make_interval(days => c_mail_key_expiry_days)
  loop
    select a.workspace_id into v_workspace from formd.agents a
    where a.team_id = v_team and a.id = v_agent and a.status <> 'revoked';
    v_operators := array(
      select r.operator_id from formd.workspace_roles r
      where r.team_id = v_team and r.workspace_id = v_workspace and r.role in ('admin', 'editor'));
    perform formd.mail_operators_record(v_team, 'key_expiry', v_key, v_operators);
  end loop;
end
$$;

create or replace function formd.operator_mails_set(p_team uuid, p_token_hash bytea, p_off text[])
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Sets which mails the operator of a session does not get.
-- Route: POST /console/account/mails
-- Reads: what operator_of_session reads
-- Writes: operators
-- Locks: the operator
-- Index: operators_pkey
-- Why: no event in the audit, since nothing of a team changes. The table refuses those of the account's
--   security: who has stolen a session would switch them off.
declare
  v_operator uuid := formd.operator_of_session(p_team, p_token_hash);
begin
  update formd.operators o set mails_off = p_off where o.id = v_operator;
end
$$;

create or replace function formd.mail_due_after(p_after uuid, p_limit integer) returns setof uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Returns teams with a due mail or a waiting batch, beginning after the team p_after.
-- Route: the worker of every server that has a mail server, each second and after a change
-- Reads: webhook_batches, mails
-- Index: webhook_batches_pkey, mails_due_idx
-- Why: as webhook_due_after.
declare
  c_first constant uuid := uuid '00000000-0000-0000-0000-000000000000';
  v_now timestamptz(3) := clock_timestamp();
  v_after uuid := coalesce(p_after, c_first);
  v_team uuid := v_after;
  v_is_second_pass boolean := false;
  v_found integer := 0;
begin
  while v_found < p_limit loop
    v_team := least(
      (select b.team_id from formd.webhook_batches b where b.team_id > v_team order by b.team_id limit 1),
      (select m.team_id from formd.mails m where m.state = 'due' and m.team_id > v_team
       order by m.team_id limit 1));
    if v_is_second_pass then
      exit when v_team is null or v_team > v_after;
    elsif v_team is null then
      v_is_second_pass := true;
      v_team := c_first;
      continue;
    end if;
    if coalesce(
      (select 1 from formd.webhook_batches b where b.team_id = v_team limit 1),
      (select 1 from formd.mails m where m.team_id = v_team and m.state = 'due' and m.due_at <= v_now
       order by m.due_at limit 1)) is not null
    then
      return next v_team;
      v_found := v_found + 1;
    end if;
  end loop;
end
$$;

create or replace function formd.mail_claim(p_team uuid, p_limit integer, p_lease_seconds integer,
  p_max_per_day integer)
returns table (id uuid, kind text, attempt integer, form_id uuid, form_name text, settings jsonb,
  subject_id uuid, recipient_hash bytea, address text, language text, submissions integer,
  created_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Leases at most p_limit due mails of a team, at most p_max_per_day of forms per day. The address belongs to
-- an operator of the team, to a person of the form's workspace, or to the settings. It is null for a copy,
-- and once none of them has it any more. The language is the operator's choice, else null.
-- Route: the worker of every server that has a mail server
-- Reads: forms, operators, workspace_roles
-- Writes: mails, rate_limits; what webhook_batches_expand writes
-- Locks: what webhook_batches_expand locks; the mails, of which those that another server has are skipped;
--   the rate limit of the team
-- Index: mails_due_idx, mails_pkey, forms_pkey, workspace_roles_pkey, workspace_roles_operator_idx,
--   operators_pkey
-- Why: a lease that runs out counts as an attempt. Beyond the team's limit all that is due waits until one
--   more is free: a mail that finds no place within a day is not sent.
declare
  c_day_ms constant integer := 86400000;
  c_ms_per_s constant double precision := 1000;
  v_now timestamptz(3);
  v_lease_end timestamptz(3);
  v_free_at timestamptz(3);
  v_mail formd.mails;
  v_workspace uuid;
  v_recipient text;
  v_rate formd.rate_limit_state;
begin
  perform formd.webhook_batches_expand(p_team, true);
  v_now := clock_timestamp();
  v_lease_end := v_now + make_interval(secs => p_lease_seconds);
  update formd.mails m
  set state = 'failed', leased_until_at = null, last_error = coalesce(m.last_error,
    case when m.kind = 'invitation' then 'It waited too long.' else 'It waited for a day.' end)
  where m.team_id = p_team and m.state = 'due' and m.due_at <= v_now and m.gives_up_at <= v_now;
  for v_mail in
    select * from formd.mails m
    where m.team_id = p_team and m.state = 'due' and m.due_at <= v_now
    order by m.due_at limit p_limit for update skip locked
  loop
    if v_mail.attempts = 0 and v_mail.operator_id is null then
      v_rate := formd.rate_limit_count('mail:team:' || p_team, p_max_per_day, c_day_ms);
      if not v_rate.allowed then
        v_free_at := v_now + make_interval(secs => v_rate.reset_ms / c_ms_per_s);
        update formd.mails m set due_at = v_free_at
        where m.team_id = p_team and m.state = 'due' and m.due_at <= v_now and m.attempts = 0
          and m.operator_id is null;
        exit;
      end if;
    end if;
    update formd.mails m set attempts = m.attempts + 1, due_at = v_lease_end, leased_until_at = v_lease_end
    where m.team_id = p_team and m.id = v_mail.id;
    select f.name, f.settings_in_force, f.workspace_id into form_name, settings, v_workspace
    from formd.forms f where f.team_id = p_team and f.id = v_mail.form_id;
    v_recipient := (
      select r from jsonb_array_elements_text(settings #> '{notify, recipients}') as r
      where formd.mail_recipient_hash(r) = v_mail.recipient_hash limit 1);
    language := null;
    if strpos(v_recipient, '@') = 0 then
      select o.email, o.language into v_recipient, language
      from formd.workspace_roles w join formd.operators o on o.id = w.operator_id
      where w.team_id = p_team and w.workspace_id = v_workspace and w.operator_id = v_recipient::uuid;
    elsif v_mail.operator_id is not null then
      select o.email, o.language into v_recipient, language
      from formd.workspace_roles w join formd.operators o on o.id = w.operator_id
      where w.team_id = p_team and w.operator_id = v_mail.operator_id limit 1;
    end if;
    id := v_mail.id;
    kind := v_mail.kind;
    attempt := v_mail.attempts + 1;
    form_id := v_mail.form_id;
    subject_id := v_mail.subject_id;
    recipient_hash := v_mail.recipient_hash;
    address := v_recipient;
    submissions := v_mail.submissions;
    created_at := v_mail.created_at;
    return next;
  end loop;
end
$$;

create or replace function formd.mail_settle(p_team uuid, p_id uuid, p_attempt integer, p_state text,
  p_error text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Records what became of an attempt: sent; due, to be tried again; failed for good; or dropped, since there
-- was nothing to send or no recipient. A lease that has run out changes nothing, unless it was sent.
-- Route: the worker of every server that has a mail server
-- Writes: mails, invitations
-- Index: mails_pkey, invitations_pkey
declare
  c_mail_retry_delays_seconds constant integer[] := array[60, 300, 900, 3600, 7200];
  c_jitter constant double precision := 0.1;
  v_now timestamptz(3) := clock_timestamp();
  v_delay integer := c_mail_retry_delays_seconds[least(p_attempt, cardinality(c_mail_retry_delays_seconds))];
  v_due_at timestamptz(3) := v_now + make_interval(secs => v_delay * (1 + c_jitter * random()));
  v_mail formd.mails;
begin
  update formd.mails m
  set state = p_state, leased_until_at = null, last_error = p_error,
    due_at = case when p_state = 'due' then v_due_at else m.due_at end,
    sent_at = case when p_state = 'sent' then v_now else m.sent_at end
  where m.team_id = p_team and m.id = p_id
    and (p_state = 'sent' or m.state = 'due' and m.attempts = p_attempt)
  returning * into v_mail;
  if p_state = 'failed' and v_mail.kind = 'invitation' then
    update formd.invitations i set bounced = true
    where i.team_id = p_team and i.form_id = v_mail.form_id and i.id = v_mail.subject_id;
  end if;
end
$$;

create or replace function formd.mail_list(p_team uuid, p_form uuid, p_state text, p_limit integer,
  p_offset bigint, p_after uuid, p_order text)
returns table (id uuid, kind text, submission_id uuid, submissions integer, state text, attempts integer,
  due_at timestamptz, last_error text, sent_at timestamptz, created_at timestamptz, total integer,
  next_id uuid, up_to timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
-- Returns a page of a form's mails, as form_list does of forms. The total counts at most 1,000 from the
-- page's first one on.
-- Route: GET /management/forms/{form_id}/mails, the console
-- Reads: forms, mails; what feed_range reads
-- Raises: not_found, what feed_range raises
-- Index: forms_pkey, mails_form_idx, mails_state_idx
-- Why: as webhook_delivery_list.
declare
  c_max_counted constant bigint := 1000;
  v_above uuid;
  v_below uuid;
  v_last_id uuid;
  v_rows integer := 0;
begin
  perform from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'form_missing');
  end if;
  if p_after is null then
    select count(*) into total from (
      select from formd.mails m
      where m.team_id = p_team and m.form_id = p_form and (p_state is null or m.state = p_state)
      order by m.id desc limit p_offset + c_max_counted) counted;
  end if;
  select r.above, r.below, r.up_to into v_above, v_below, up_to from formd.feed_range(p_after, p_order) as r;
  for id, kind, submission_id, submissions, state, attempts, due_at, last_error, sent_at, created_at in
    select m.id, m.kind, case when m.kind <> 'invitation' then m.subject_id end, m.submissions, m.state,
      m.attempts,
      case when m.state = 'due' then m.due_at end, m.last_error, m.sent_at, m.created_at
    from formd.mails m
    where m.team_id = p_team and m.form_id = p_form and (p_state is null or m.state = p_state)
      and m.id > v_above and m.id < v_below
    order by case when p_order <> 'newest' then m.id end, case when p_order = 'newest' then m.id end desc
    limit p_limit + (p_after is not null)::integer offset p_offset
  loop
    next_id := case when p_after is not null and v_rows = p_limit then v_last_id end;
    exit when next_id is not null;
    return next;
    v_last_id := id;
    v_rows := v_rows + 1;
  end loop;
  id := null;
  return next;
end
$$;

create or replace function formd.mail_resend(p_team uuid, p_actor formd.actor, p_form uuid, p_id uuid,
  p_is_mailed boolean) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Makes a mail due again, whatever became of it. One that is due stays as it is, and one of an invitation
-- unless it failed: invitations_remind counts its mails. p_is_mailed: whether the server sends mail.
-- Route: POST /management/forms/{form_id}/mails/{mail_id}/resend, the console
-- Reads: forms
-- Writes: mails
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (the server sends no mail)
-- Index: forms_pkey, mails_pkey
-- Why: no event in the audit, as webhook_replay: it goes to whom it went to.
declare
  c_mail_retry_hours constant integer := 24;
  v_now timestamptz(3) := clock_timestamp();
  v_gives_up_at timestamptz(3) := v_now + make_interval(hours => c_mail_retry_hours);
  v_workspace uuid;
begin
  select f.workspace_id into v_workspace from formd.forms f where f.team_id = p_team and f.id = p_form;
  perform from formd.mails m where m.team_id = p_team and m.form_id = p_form and m.id = p_id;
  if v_workspace is null or not found then
    perform formd.raise_problem('not_found', 'mail_missing');
  end if;
  perform formd.workspace_require_role(p_team, p_actor, v_workspace, 'editor');
  if not p_is_mailed then
    perform formd.raise_problem('conflict', 'mail_off');
  end if;
  update formd.mails m set state = 'due', attempts = 0, due_at = v_now, gives_up_at = v_gives_up_at
  where m.team_id = p_team and m.id = p_id and m.state <> 'due'
    and (m.kind <> 'invitation' or m.state = 'failed');
end
$$;

create or replace function formd.mail_unsubscribe(p_team uuid, p_actor formd.actor, p_form uuid,
  p_recipient_hash bytea) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Takes a recipient out of settings.notify of a form, or ends the mails of its invitations to an address.
-- Idempotent. Returns the form's name, or null.
-- Route: POST /mail/unsubscribe/{token}
-- Reads: forms
-- Writes: invitations, what form_store and audit_record write
-- Locks: the form's row, for no key update
-- Index: forms_pkey, invitations_email_idx
-- Why: who has the link is the recipient. What waits for the recipient is dropped when it is due.
declare
  v_form formd.forms;
  v_recipients jsonb;
begin
  select * into v_form from formd.forms f where f.team_id = p_team and f.id = p_form for no key update;
  update formd.invitations i set unsubscribed = true
  where i.team_id = p_team and i.form_id = p_form and i.email_hash = p_recipient_hash
    and i.email_hash is not null and not i.unsubscribed;
  v_recipients := (
    select coalesce(jsonb_agg(r), '[]')
    from jsonb_array_elements_text(v_form.settings #> '{notify, recipients}') as r
    where formd.mail_recipient_hash(r) <> p_recipient_hash);
  if v_recipients is distinct from v_form.settings #> '{notify, recipients}'
    and v_form.settings #> '{notify, recipients}' is not null
  then
    v_form.settings := jsonb_set(v_form.settings, '{notify, recipients}', v_recipients);
    v_form.settings_in_force := formd.settings_in_force(v_form.published_settings, v_form.settings);
    perform formd.form_store(p_team, v_form);
    perform formd.audit_record(p_team, p_actor, 'form.recipient_left', p_form, p_form, '{}');
  end if;
  return v_form.name;
end
$$;
