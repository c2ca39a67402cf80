-- Sessions of operators: signing in, one request, the switch to another team, and their ends.

create or replace function formd.operator_login_admit(p_email text, p_team uuid, p_client text,
  p_client_limit integer, p_limit integer, p_device uuid default null,
  out outcome text, out operator_id uuid, out password_salt text, out team_id uuid, out is_known boolean,
  out limit_name text,
  out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Counts a sign-in to an account by a client (its IP); operator_login takes the count back if the password is
-- right. Returns the parameters of the password hash, and the team of the session: p_team, or the first of
-- operator_team. They are null without an account. p_limit: limit of the account, by any client. p_device:
-- the id of a browser that has signed in to it before: if it has since the password was set, is_known, and it
-- counts for itself alone.
-- Route: POST /console/login
-- Reads: operators, what operator_team reads
-- Writes: rate_limits
-- Locks: the rate limits, the client's first
-- Outcomes: allowed, rate_limited (by limit_name)
-- Index: operators_email_key
-- Why: counted before the password is derived, which costs the server 0.2 s, and for unknown e-mails as well,
--   so that both look alike. The hash never leaves the database; the rate limit's key is a digest, since it
--   is kept for unknown e-mails too.
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_account text := 'login:account:' || encode(sha256(convert_to(lower(p_email), 'UTF8')), 'hex');
  v_allowed boolean;
  v_account_remaining integer;
  v_account_reset_ms integer;
  v_set_at timestamptz(3);
  v_client text := p_client;
begin
  select o.id, o.password_salt, o.password_set_at into operator_id, password_salt, v_set_at
  from formd.operators o
  where o.email = lower(p_email) and o.connection_id is null;
  is_known := coalesce(formd.uuid_time(p_device) > v_set_at, false);
  if is_known then
    v_client := 'device:' || p_device;
  end if;
  limit_name := 'account';
  select r.allowed, r.remaining, r.reset_ms into v_allowed, remaining, reset_ms
  from formd.rate_limit_count(v_account || ':' || v_client, p_client_limit, c_rate_limit_window_ms) r;
  if v_allowed and not is_known then
    select r.allowed, r.remaining, r.reset_ms into v_allowed, v_account_remaining, v_account_reset_ms
    from formd.rate_limit_count(v_account, p_limit, c_rate_limit_window_ms) r;
    if not v_allowed then
      perform formd.rate_limit_refund(v_account || ':' || v_client);
      limit_name := 'account-everywhere';
      remaining := v_account_remaining;
      reset_ms := v_account_reset_ms;
    end if;
  end if;
  if not v_allowed then
    outcome := 'rate_limited';
    return;
  end if;
  outcome := 'allowed';
  team_id := formd.operator_team(operator_id, p_team);
end
$$;

create or replace function formd.operator_team(p_operator uuid, p_team uuid default null) returns uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- The team of a session: p_team, or the one that the operator joined first, of those where no connection is
-- required, else of all. Null: the operator has no role there.
-- Reads: workspace_roles, what connection_is_required reads
-- Index: workspace_roles_operator_idx
-- Why: the admins of a team must not keep an operator out of another one by a connection of their own.
declare
  v_first uuid;
  v_team uuid;
begin
  for v_team in
    select r.team_id from formd.workspace_roles r
    where r.operator_id = p_operator and (p_team is null or r.team_id = p_team)
    order by r.created_at, r.team_id
  loop
    v_first := coalesce(v_first, v_team);
    if not formd.connection_is_required(v_team, p_operator) then
      return v_team;
    end if;
  end loop;
  return v_first;
end
$$;

create or replace function formd.operator_sign_in_failed(p_operator uuid, p_actor formd.actor) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Records that a sign-in to an account failed: in each of its teams, at most once a minute.
-- Writes: rate_limits, what operator_record writes
-- Locks: the rate limit
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_allowed boolean;
begin
  select r.allowed into v_allowed from formd.rate_limit_count('login:failed:' || p_operator, 1,
    c_rate_limit_window_ms) r;
  if v_allowed then
    perform formd.operator_record(p_operator, p_actor, 'operator.sign_in_failed', p_operator);
  end if;
end
$$;

create or replace function formd.operator_login_settle(p_email text, p_client text, p_is_known boolean,
  p_is_right boolean, p_actor formd.actor) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- After the password was compared: takes back what operator_login_admit counted when it was right; records
-- the failure when it was wrong and there is such an account: in each of its teams, at most once a minute.
-- p_is_known: whether the account's own limit did not count.
-- Route: POST /console/login
-- Reads: operators
-- Writes: rate_limits, what operator_sign_in_failed writes
-- Locks: the rate limits, the client's first
-- Index: operators_email_key
declare
  v_account text := 'login:account:' || encode(sha256(convert_to(lower(p_email), 'UTF8')), 'hex');
  v_operator uuid;
begin
  if p_is_right then
    perform formd.rate_limit_refund(v_account || ':' || p_client);
    if not p_is_known then
      perform formd.rate_limit_refund(v_account);
    end if;
    return;
  end if;
  select o.id into v_operator
  from formd.operators o where o.email = lower(p_email) and o.connection_id is null;
  if found then
    perform formd.operator_sign_in_failed(v_operator, p_actor);
  end if;
end
$$;

create or replace function formd.operator_teams(p_email text, p_password_hash bytea)
  returns table (id uuid, name text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the teams in which an operator has a role. No row: wrong password, unknown e-mail, or no role.
-- Route: POST /console/login
-- Reads: operators, workspace_roles, teams
-- Index: operators_email_key, workspace_roles_operator_idx, teams_pkey
begin
  return query
  select t.team_id, t.name
  from formd.teams t
  where t.team_id in (
    select r.team_id
    from formd.operators o
    join formd.workspace_roles r on r.operator_id = o.id
    where o.email = lower(p_email) and o.connection_id is null and o.password_hash = p_password_hash)
  order by t.name, t.team_id;
end
$$;

create or replace function formd.operator_login(p_team uuid, p_actor formd.actor, p_email text,
  p_password_hash bytea, p_session uuid,
  p_token_hash bytea, p_lifetime interval, p_device text, p_client_ip text, p_is_mailed boolean default false)
returns table (operator_id uuid, expires_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Opens an operator's session in one team. No row: wrong password, unknown e-mail, no role in the team, or a
-- connection is required there. p_is_mailed: whether the operator gets a mail of it.
-- Route: POST /console/login
-- Reads: operators, workspace_roles, what connection_is_required reads
-- Writes: operator_sessions, what audit_record writes (the actor is the operator; p_actor has the request
--   id), what mail_operators_record writes
-- Locks: the operator, so that a session does not outlive a change of the password or a removal
-- Index: operators_email_key, workspace_roles_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_operator uuid;
begin
  select o.id into v_operator from formd.operators o where o.email = lower(p_email)
    and o.connection_id is null and o.password_hash = p_password_hash
  for share;
  if not found or formd.connection_is_required(p_team, v_operator) then
    return;
  end if;
  perform from formd.workspace_roles r where r.team_id = p_team and r.operator_id = v_operator;
  if not found then
    return;
  end if;
  insert into formd.operator_sessions
    (team_id, id, operator_id, token_hash, device, client_ip, created_at, proved_at, seen_at, expires_at)
  values (p_team, p_session, v_operator, p_token_hash, p_device, p_client_ip, v_now, v_now, v_now,
    v_expires_at);
  perform formd.audit_record(p_team, row('operator', v_operator, (p_actor).request_id)::formd.actor,
    'session.operator_started', null, p_session, '{}');
  if p_is_mailed then
    perform formd.mail_operators_record(p_team, 'sign_in', p_session, array[v_operator]);
  end if;
  return query select v_operator, v_expires_at::timestamptz;
end
$$;

create or replace function formd.operator_session_authenticate(p_team uuid, p_token_hash bytea,
  p_idle interval, p_agent uuid, p_write_limit integer, p_proof interval, p_step_up interval default null,
  out outcome text, out operator_id uuid, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- The operator of a request with a session's cookie. A write (p_write_limit is not null) is counted in the
-- operator's rate limit and needs the role of admin or editor: in the agent's workspace, or without p_agent
-- in any. p_proof: maximum age of the password check, for a risky action; null: any. p_step_up: maximum age
-- of the use of a passkey, for an action that a workspace may ask one for.
-- Route: every identity route, with the cookie
-- Reads: operator_sessions, workspace_roles, workspaces, agents
-- Writes: operator_sessions.seen_at, when it is a minute old; rate_limits
-- Locks: the rate limit, until the statement of the route has ended; never waits for the session: when
--   another request holds it, that one marks it as used
-- Outcomes: allowed, unauthorized (no session, expired, idle, or no role left in the team), rate_limited,
--   insufficient_workspace_role, password_required, passkey_required
-- Index: operator_sessions_token_key, workspace_roles_operator_idx, workspaces_pkey, agents_pkey,
--   rate_limits_pkey
-- Why: the role is checked here, before the body; the route raises not_found for what is not to be seen.
declare
  c_use_step constant interval := interval '1 minute';
  c_rate_limit_window_ms constant integer := 60000;
  v_now timestamptz(3) := clock_timestamp();
  v_idle_since timestamptz(3) := v_now - p_idle;
  v_stale timestamptz(3) := v_now - c_use_step;
  v_proved_since timestamptz(3) := v_now - p_proof;
  v_passkey_since timestamptz(3) := v_now - p_step_up;
  v_passkey_at timestamptz(3);
  v_id uuid;
  v_seen_at timestamptz(3);
  v_proved_at timestamptz(3);
  v_allowed boolean;
  v_is_editor boolean;
begin
  select s.id, s.operator_id, s.seen_at, s.proved_at, s.passkey_at
  into v_id, operator_id, v_seen_at, v_proved_at, v_passkey_at
  from formd.operator_sessions s
  where s.team_id = p_team and s.token_hash = p_token_hash and s.expires_at > v_now
    and s.seen_at > v_idle_since;
  select bool_or(r.role in ('admin', 'editor')) into v_is_editor
  from formd.workspace_roles r where r.team_id = p_team
    and r.operator_id = operator_session_authenticate.operator_id;
  if v_is_editor is null then
    outcome := 'unauthorized';
    return;
  end if;
  if v_seen_at < v_stale then
    perform from formd.operator_sessions s where s.team_id = p_team and s.id = v_id
      for no key update skip locked;
    if found then
      update formd.operator_sessions s set seen_at = v_now where s.team_id = p_team and s.id = v_id;
    end if;
  end if;
  outcome := 'allowed';
  if p_write_limit is null then
    return;
  end if;
  select r.allowed, r.remaining, r.reset_ms into v_allowed, remaining, reset_ms
  from formd.rate_limit_count('write:operator:' || operator_id, p_write_limit, c_rate_limit_window_ms) r;
  if p_agent is not null then
    select r.role in ('admin', 'editor') into v_is_editor
    from formd.agents a
    join formd.workspace_roles r on r.team_id = a.team_id and r.workspace_id = a.workspace_id
      and r.operator_id = operator_session_authenticate.operator_id
    where a.team_id = p_team and a.id = p_agent;
  end if;
  outcome := case when not v_allowed then 'rate_limited' when not v_is_editor
    then 'insufficient_workspace_role' when v_proved_at < v_proved_since then 'password_required'
    else 'allowed' end;
  if outcome = 'allowed' and p_step_up is not null and (v_passkey_at > v_passkey_since) is not true then
    perform from formd.workspace_roles r
    join formd.workspaces w on w.team_id = r.team_id and w.id = r.workspace_id
    where r.team_id = p_team and r.operator_id = operator_session_authenticate.operator_id
      and w.requires_passkey;
    if found then
      outcome := 'passkey_required';
    end if;
  end if;
end
$$;

create or replace function formd.operator_logout(p_team uuid, p_actor formd.actor, p_token_hash bytea)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends a session: the next request with it is rejected, by every server. Idempotent.
-- Route: POST /console/logout
-- Writes: operator_sessions, what audit_record writes (as the session's operator)
-- Index: operator_sessions_token_key
declare
  v_session uuid;
  v_operator uuid;
begin
  delete from formd.operator_sessions s where s.team_id = p_team and s.token_hash = p_token_hash
  returning s.id, s.operator_id into v_session, v_operator;
  if found then
    perform formd.audit_record(p_team, row('operator', v_operator, (p_actor).request_id)::formd.actor,
      'session.operator_ended', null, v_session, '{}');
  end if;
end
$$;

create or replace function formd.console_operator_read(
  p_team uuid, p_token_hash bytea, p_idle interval, p_write_limit integer,
  out outcome text, out operator_id uuid, out remaining integer, out reset_ms integer, out email text,
  out team_name text, out workspaces jsonb, out teams jsonb, out other_workspaces text[],
  out has_more_workspaces boolean, out connection_id uuid, out has_passkey boolean,
  out is_passkey_asked boolean, out language text, out proof_seconds double precision,
  out passkey_seconds double precision)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- The operator of a page: who, in which team, with which role in which workspaces, the first of the team's
-- other workspaces, whether there are more of them, the operator's other teams, and the ages of the session's
-- proofs: no server's clock decides about them.
-- Route: every page of the console
-- Reads: operators, operator_passkeys, operator_sessions, teams, workspaces, workspace_roles
-- Writes: what operator_session_authenticate writes
-- Outcomes: allowed, unauthorized, rate_limited
-- Index: operators_pkey, operator_passkeys_operator_idx, operator_sessions_token_key, teams_pkey,
--   workspace_roles_operator_idx, workspaces_pkey
-- Why: one call per page. The role that an action needs is checked where its workspace is known, not here.
--   The names of teams by a subquery: a join planned on a table of one row walks all teams.
declare
  c_named constant integer := 10;
  c_rate_limit_window_ms constant integer := 60000;
  v_now timestamptz(3) := clock_timestamp();
  v_allowed boolean;
begin
  select s.outcome, s.operator_id into outcome, operator_id
  from formd.operator_session_authenticate(p_team, p_token_hash, p_idle, null, null, null) s;
  if outcome <> 'allowed' then
    return;
  end if;
  if p_write_limit is not null then
    select r.allowed, r.remaining, r.reset_ms into v_allowed, remaining, reset_ms
    from formd.rate_limit_take('write:operator:' || operator_id, p_write_limit, c_rate_limit_window_ms) r;
    if not v_allowed then
      outcome := 'rate_limited';
    end if;
  end if;
  select extract(epoch from v_now - s.proved_at), extract(epoch from v_now - s.passkey_at)
  into proof_seconds, passkey_seconds
  from formd.operator_sessions s where s.team_id = p_team and s.token_hash = p_token_hash;
  select o.email, o.connection_id, o.language, t.name,
    exists (select from formd.operator_passkeys p where p.operator_id = o.id)
  into email, connection_id, language, team_name, has_passkey
  from formd.operators o, formd.teams t where o.id = console_operator_read.operator_id and t.team_id = p_team;
  select
    jsonb_agg(jsonb_build_object(
      'id', w.id, 'name', w.name, 'role', r.role, 'editorsMayPublish', w.editors_may_publish,
      'requiresPasskey', w.requires_passkey)
      order by w.created_at, w.id)
      filter (where r.team_id = p_team),
    jsonb_agg(distinct jsonb_build_object(
      'id', r.team_id, 'name', (select t.name from formd.teams t where t.team_id = r.team_id))),
    bool_or(w.requires_passkey)
  into workspaces, teams, is_passkey_asked
  from formd.workspace_roles r
  join formd.workspaces w on w.team_id = r.team_id and w.id = r.workspace_id
  where r.operator_id = console_operator_read.operator_id;
  select
    coalesce(array_agg(other.name order by other.position) filter (where other.position <= c_named), '{}'),
    count(*) > c_named
  into other_workspaces, has_more_workspaces
  from (
    select w.name, row_number() over (order by w.id) as position from formd.workspaces w
    where w.team_id = p_team and not exists (
      select from formd.workspace_roles r
      where r.team_id = p_team and r.workspace_id = w.id
        and r.operator_id = console_operator_read.operator_id)
    order by w.id limit c_named + 1) other;
end
$$;

create or replace function formd.operator_session_switch(p_team uuid, p_actor formd.actor, p_from_team uuid,
  p_token_hash bytea, p_session uuid, p_new_token_hash bytea) returns timestamptz
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends a session, and opens one of the operator in another team, with its beginning and end. Returns the end.
-- Route: POST /console/team
-- Reads: operators, workspace_roles, what connection_is_required reads
-- Writes: operator_sessions, what audit_record writes (as the session's operator)
-- Locks: the operator, so that a session does not outlive a change of the password or a removal, then the
--   session, of which one switch makes one
-- Raises: bad_request (the same team), unauthorized (no session), not_found (no role in the other team),
--   conflict (a connection is required there)
-- Index: operator_sessions_token_key, operators_pkey, workspace_roles_operator_idx
-- Why: the session is read again by the delete, after the lock: one that waits for it may have ended.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_actor formd.actor;
  v_operator uuid := formd.operator_of_session(p_from_team, p_token_hash);
  v_from formd.operator_sessions;
begin
  if p_team = p_from_team then
    perform formd.raise_problem('bad_request', 'same_team');
  end if;
  perform from formd.operators o where o.id = v_operator for share;
  perform from formd.workspace_roles r where r.team_id = p_team and r.operator_id = v_operator;
  if not found and v_operator is not null then
    perform formd.raise_problem('not_found', 'no_role_in_team');
  end if;
  if formd.connection_is_required(p_team, v_operator) then
    perform formd.raise_problem('conflict', 'team_without_passwords');
  end if;
  delete from formd.operator_sessions s
  where s.team_id = p_from_team and s.token_hash = p_token_hash and s.expires_at > v_now
  returning * into v_from;
  if not found then
    perform formd.raise_problem('unauthorized', 'session_ended');
  end if;
  v_actor := row('operator', v_operator, (p_actor).request_id);
  insert into formd.operator_sessions
    (team_id, id, operator_id, token_hash, device, client_ip, created_at, proved_at, passkey_at,
    provider_session, seen_at, expires_at)
  values (p_team, p_session, v_operator, p_new_token_hash, v_from.device, v_from.client_ip, v_from.created_at,
    v_from.proved_at, v_from.passkey_at, v_from.provider_session, v_now, v_from.expires_at);
  perform formd.audit_record(p_from_team, v_actor, 'session.operator_ended', null, v_from.id, '{}');
  perform formd.audit_record(p_team, v_actor, 'session.operator_started', null, p_session, '{}');
  return v_from.expires_at;
end
$$;

create or replace function formd.operator_sessions_end(p_team uuid, p_actor formd.actor, p_token_hash bytea)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends all sessions of a session's operator, in every team, each with an event in its team. Idempotent.
-- Route: POST /console/sign-out-everywhere
-- Reads: operators
-- Writes: operator_sessions, passkey_challenges (a registration that waits could enter later), what
--   audit_record writes (as the session's operator)
-- Locks: the operator, so that no sign-in or switch that waits survives
-- Index: operator_sessions_token_key, operator_sessions_operator_idx, operators_pkey,
--   passkey_challenges_operator_idx
declare
  v_team uuid;
  v_session uuid;
  v_operator uuid := formd.operator_of_session(p_team, p_token_hash);
begin
  perform from formd.operators o where o.id = v_operator for update;
  delete from formd.passkey_challenges c where c.operator_id = v_operator;
  for v_team, v_session in
    delete from formd.operator_sessions s where s.operator_id = v_operator returning s.team_id, s.id
  loop
    perform formd.audit_record(v_team, row('operator', v_operator, (p_actor).request_id)::formd.actor,
      'session.operator_ended', null, v_session, '{}');
  end loop;
end
$$;

create or replace function formd.operator_session_end(p_team uuid, p_actor formd.actor, p_token_hash bytea,
  p_of_team uuid, p_session uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends one session of a session's operator, in any team. Idempotent.
-- Route: POST /console/account/session
-- Writes: operator_sessions, passkey_challenges, what audit_record writes (as the session's operator)
-- Index: operator_sessions_token_key, operator_sessions_pkey, passkey_challenges_operator_idx
declare
  v_operator uuid := formd.operator_of_session(p_team, p_token_hash);
begin
  delete from formd.operator_sessions s where s.team_id = p_of_team and s.id = p_session
    and s.operator_id = v_operator;
  if found then
    delete from formd.passkey_challenges c where c.operator_id = v_operator;
    perform formd.audit_record(p_of_team, row('operator', v_operator, (p_actor).request_id)::formd.actor,
      'session.operator_ended', null, p_session, '{}');
  end if;
end
$$;

create or replace function formd.operator_session_list(p_team uuid, p_token_hash bytea)
returns table (team_id uuid, id uuid, team_name text, device text, client_ip text, created_at timestamptz,
  seen_at timestamptz, is_current boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- The sessions of a session's operator that have not expired, in every team, the last used one first.
-- Route: GET /console/account
-- Reads: operator_sessions, teams
-- Index: operator_sessions_token_key, operator_sessions_operator_idx, teams_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_operator uuid := formd.operator_of_session(p_team, p_token_hash);
begin
  return query
  select s.team_id, s.id, (select t.name from formd.teams t where t.team_id = s.team_id), s.device,
    s.client_ip, s.created_at::timestamptz, s.seen_at::timestamptz, s.token_hash = p_token_hash
  from formd.operator_sessions s
  where s.operator_id = v_operator and s.expires_at > v_now
  order by s.seen_at desc, s.id;
end
$$;
