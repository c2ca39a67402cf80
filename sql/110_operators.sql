-- Operators: persons who sign in to the console, each with a role per workspace: viewer, editor or admin, in ascending order.

create or replace function formd.operator_join(p_team uuid, p_actor formd.actor, p_workspace uuid, p_id uuid, p_email text, p_salt text,
  p_hash bytea, p_role text)
returns table (id uuid, created boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Gives an operator a role in a workspace; creates the operator when the e-mail is new. A known one keeps id and password.
-- Route: formd bootstrap, formd operator create, the console
-- Writes: operators, workspace_roles, audit_events
-- Locks: the workspace (workspace_lock), so that two acts on its roles see each other
-- Raises: not_found (workspace), insufficient_workspace_role (least role: admin), conflict (the last admin, by an operator)
-- Index: operators_email_key, workspace_roles_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_id uuid;
  v_created boolean;
  v_role text;
begin
  perform formd.workspace_lock(p_team => p_team, p_actor => p_actor, p_workspace => p_workspace);
  insert into formd.operators (id, email, password_salt, password_hash, created_at)
  values (p_id, lower(p_email), p_salt, p_hash, v_now)
  on conflict (email) do nothing;
  v_created := found;
  select o.id into v_id from formd.operators o where o.email = lower(p_email);
  select r.role into v_role
  from formd.workspace_roles r where r.team_id = p_team and r.workspace_id = p_workspace and r.operator_id = v_id;
  if v_role is null then
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    values (p_team, p_workspace, v_id, p_role, v_now);
    perform formd.audit_record(p_team, p_actor, 'operator.added', null, v_id,
      jsonb_build_object('email', lower(p_email), 'workspaceId', p_workspace, 'role', p_role));
  elsif v_role <> p_role then
    update formd.workspace_roles r set role = p_role
    where r.team_id = p_team and r.workspace_id = p_workspace and r.operator_id = v_id;
    perform formd.workspace_require_admin_left(p_team => p_team, p_actor => p_actor, p_workspace => p_workspace);
    perform formd.audit_record(p_team, p_actor, 'operator.role_changed', null, v_id,
      jsonb_build_object('email', lower(p_email), 'workspaceId', p_workspace, 'before', v_role, 'after', p_role));
  end if;
  return query select v_id, v_created;
end
$$;

create or replace function formd.operator_list(p_team uuid)
returns table (id uuid, email text, team_id uuid, workspace_id uuid, role text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- Operators by e-mail, one row per role; of every team when p_team is null.
-- Route: formd operator list
-- Reads: operators, workspace_roles
-- Index: workspace_roles_operator_idx
-- Why: a plan for each call, since a p_team that is null must vanish from it.
begin
  return query
  select o.id, o.email, r.team_id, r.workspace_id, r.role
  from formd.operators o
  left join formd.workspace_roles r on r.operator_id = o.id
  where p_team is null or r.team_id = p_team
  order by o.email, r.created_at, r.workspace_id;
end
$$;

create or replace function formd.workspace_operator_list(
  p_team uuid, p_workspace uuid, p_limit integer, p_offset bigint, p_max_counted integer)
returns table (total integer, id uuid, email text, role text, created_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- A page of the operators of a workspace, the newest operator first, each with the role and since when; one row with the total alone when
-- the page is empty.
-- Route: the console
-- Reads: workspace_roles, operators
-- Index: workspace_roles_pkey, backwards; operators_pkey
-- Why: the total counts at most p_max_counted operators from the page's first one on, since no counter has their number.
--   The page's roles first, each e-mail by a subquery: a join in the order of e-mails would read the operators of all teams.
begin
  select count(*) into total from (
    select from formd.workspace_roles r where r.team_id = p_team and r.workspace_id = p_workspace
    order by r.operator_id desc limit p_offset + p_max_counted) counted;
  return query
  select workspace_operator_list.total, page.operator_id,
    (select o.email from formd.operators o where o.id = page.operator_id), page.role, page.created_at::timestamptz
  from (
    select r.operator_id, r.role, r.created_at from formd.workspace_roles r
    where r.team_id = p_team and r.workspace_id = p_workspace
    order by r.operator_id desc limit p_limit offset p_offset) page
  order by page.operator_id desc;
  if not found then
    return next;
  end if;
end
$$;

create or replace function formd.operator_set_password(p_actor formd.actor, p_email text, p_salt text, p_hash bytea) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Replaces an operator's password and ends the operator's sessions in every team.
-- Route: formd operator set-password
-- Reads: workspace_roles
-- Writes: operators, operator_sessions, audit_events
-- Locks: the operator, which a login in progress locks as well
-- Raises: not_found
-- Index: operators_email_key, operator_sessions_operator_idx, workspace_roles_operator_idx
-- Why: an operator is of no team; the event is recorded in each team that the operator works in. One machine after another on Citus,
--   since operators and the rows of several teams change in one transaction.
declare
  v_operator uuid;
  v_team uuid;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  update formd.operators o set password_salt = p_salt, password_hash = p_hash
  where o.email = lower(p_email) returning o.id into v_operator;
  if not found then
    perform formd.raise_problem('not_found', 'There is no operator with this e-mail.');
  end if;
  delete from formd.operator_sessions s where s.operator_id = v_operator;
  for v_team in select distinct r.team_id from formd.workspace_roles r where r.operator_id = v_operator loop
    perform formd.audit_record(v_team, p_actor, 'operator.password_changed', null, v_operator, '{}');
  end loop;
  return v_operator;
end
$$;

create or replace function formd.operator_remove(p_actor formd.actor, p_email text, p_workspace uuid) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Takes an operator's role in a workspace away (in all of them when p_workspace is null) and ends the operator's sessions in every
-- team. An operator without a role is deleted. The event is recorded per role, in its team.
-- Route: formd operator remove, the console (which names the workspace)
-- Reads: workspaces
-- Writes: operators, workspace_roles, operator_sessions, audit_events
-- Locks: the workspaces (workspace_lock), then the operator, which a login in progress locks as well
-- Raises: not_found, insufficient_workspace_role (least role: admin), conflict (the last admin, by an operator)
-- Index: operators_email_key, workspace_roles_operator_idx, operator_sessions_operator_idx
-- Why: the role before the e-mail, and one message for both, since the e-mails of other teams must not be found by trying. One machine
--   after another on Citus, as operator_set_password.
declare
  v_operator uuid;
  v_team uuid;
  v_workspace uuid;
  v_role text;
  v_removed integer := 0;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  if p_workspace is not null and (p_actor).type = 'operator' then
    select r.team_id into v_team
    from formd.workspace_roles r where r.operator_id = (p_actor).id and r.workspace_id = p_workspace;
    perform formd.workspace_require_role(p_team => v_team, p_actor => p_actor, p_workspace => p_workspace, p_role => 'admin');
  end if;
  select o.id into v_operator from formd.operators o where o.email = lower(p_email);
  for v_team, v_workspace in
    select r.team_id, r.workspace_id from formd.workspace_roles r
    where r.operator_id = v_operator and (p_workspace is null or r.workspace_id = p_workspace) order by r.team_id, r.workspace_id
  loop
    perform formd.workspace_lock(p_team => v_team, p_actor => p_actor, p_workspace => v_workspace);
  end loop;
  perform from formd.operators o where o.id = v_operator for update;
  if not found and p_workspace is null then
    perform formd.raise_problem('not_found', 'There is no operator with this e-mail.');
  end if;
  for v_team, v_workspace, v_role in
    delete from formd.workspace_roles r
    where r.operator_id = v_operator and (p_workspace is null or r.workspace_id = p_workspace)
    returning r.team_id, r.workspace_id, r.role
  loop
    v_removed := v_removed + 1;
    perform formd.workspace_require_admin_left(p_team => v_team, p_actor => p_actor, p_workspace => v_workspace);
    perform formd.audit_record(v_team, p_actor, 'operator.removed', null, v_operator,
      jsonb_build_object('email', lower(p_email), 'workspaceId', v_workspace, 'role', v_role));
  end loop;
  if v_removed = 0 and p_workspace is not null then
    perform formd.raise_problem('not_found', 'No operator with this e-mail has a role in this workspace.');
  end if;
  delete from formd.operator_sessions s where s.operator_id = v_operator;
  perform from formd.workspace_roles r where r.operator_id = v_operator limit 1;
  if not found then
    delete from formd.operators o where o.id = v_operator;
  end if;
  return v_operator;
end
$$;

create or replace function formd.operator_login_admit(p_email text, p_team uuid, p_limit integer,
  out outcome text, out password_salt text, out team_id uuid, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Counts a sign-in to an account, and returns what the hash of the password is derived with and the team of the session: p_team, or the
-- one that the operator joined first. Salt and team are null when there is none.
-- Route: POST /console/login
-- Reads: operators, workspace_roles
-- Writes: rate_limits
-- Locks: the account's rate limit
-- Outcomes: allowed, rate_limited
-- Index: operators_email_key, workspace_roles_operator_idx
-- Why: counted before the password is derived, which costs the server 0.2 s, and for unknown e-mails as well, so that both look alike.
--   The hash never leaves the database; the rate limit's key is a digest, since it is kept for unknown e-mails too.
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_bucket text := 'login:account:' || encode(sha256(convert_to(lower(p_email), 'UTF8')), 'hex');
  v_allowed boolean;
begin
  select r.allowed, r.remaining, r.reset_ms into v_allowed, remaining, reset_ms
  from formd.rate_limit_count(v_bucket, p_limit, c_rate_limit_window_ms) r;
  if not v_allowed then
    outcome := 'rate_limited';
    return;
  end if;
  outcome := 'allowed';
  select o.password_salt, r.team_id into password_salt, team_id
  from formd.operators o
  left join formd.workspace_roles r on r.operator_id = o.id and (p_team is null or r.team_id = p_team)
  where o.email = lower(p_email)
  order by r.created_at, r.team_id
  limit 1;
end
$$;

create or replace function formd.operator_teams(p_email text, p_password_hash bytea) returns table (id uuid, name text)
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
    where o.email = lower(p_email) and o.password_hash = p_password_hash)
  order by t.name, t.team_id;
end
$$;

create or replace function formd.operator_login(p_team uuid, p_actor formd.actor, p_email text, p_password_hash bytea, p_session uuid,
  p_token_hash bytea, p_lifetime interval)
returns table (operator_id uuid, expires_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Opens an operator's session in one team. No row: wrong password, unknown e-mail, or no role in the team.
-- Route: POST /console/login
-- Reads: operators, workspace_roles
-- Writes: operator_sessions, audit_events (the actor is the operator; p_actor has the request id)
-- Locks: the operator, so that a session does not outlive a change of the password or a removal
-- Index: operators_email_key, workspace_roles_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_operator uuid;
begin
  select o.id into v_operator from formd.operators o where o.email = lower(p_email) and o.password_hash = p_password_hash
  for share;
  if not found then
    return;
  end if;
  perform from formd.workspace_roles r where r.team_id = p_team and r.operator_id = v_operator;
  if not found then
    return;
  end if;
  insert into formd.operator_sessions (team_id, id, operator_id, token_hash, created_at, seen_at, expires_at)
  values (p_team, p_session, v_operator, p_token_hash, v_now, v_now, v_expires_at);
  perform formd.audit_record(p_team, row('operator', v_operator, (p_actor).request_id)::formd.actor, 'session.operator_started', null,
    p_session, '{}');
  return query select v_operator, v_expires_at::timestamptz;
end
$$;

create or replace function formd.operator_session_authenticate(p_team uuid, p_token_hash bytea, p_idle interval, p_agent uuid,
  p_write_limit integer, out outcome text, out operator_id uuid, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- The operator of a request with a session's cookie. A write (p_write_limit is not null) is counted in the operator's rate limit and needs the
-- role of admin or editor: in the agent's workspace, or without p_agent in any.
-- Route: every identity route, with the cookie
-- Reads: operator_sessions, workspace_roles, agents
-- Writes: operator_sessions.seen_at, when it is a minute old; rate_limits
-- Locks: the rate limit, until the statement of the route has ended; never waits for the session: when another request holds
--   it, that one marks it as used
-- Outcomes: allowed, unauthorized (no session, expired, idle, or no role left in the team), rate_limited, insufficient_workspace_role
-- Index: operator_sessions_token_key, workspace_roles_operator_idx, agents_pkey, rate_limits_pkey
-- Why: the role is checked here, before the body is; what the operator may not see is left to the route, which raises not_found.
declare
  c_use_step constant interval := interval '1 minute';
  c_rate_limit_window_ms constant integer := 60000;
  v_now timestamptz(3) := clock_timestamp();
  v_idle_since timestamptz(3) := v_now - p_idle;
  v_stale timestamptz(3) := v_now - c_use_step;
  v_id uuid;
  v_seen_at timestamptz(3);
  v_allowed boolean;
  v_is_editor boolean;
begin
  select s.id, s.operator_id, s.seen_at into v_id, operator_id, v_seen_at
  from formd.operator_sessions s
  where s.team_id = p_team and s.token_hash = p_token_hash and s.expires_at > v_now and s.seen_at > v_idle_since;
  select bool_or(r.role in ('admin', 'editor')) into v_is_editor
  from formd.workspace_roles r where r.team_id = p_team and r.operator_id = operator_session_authenticate.operator_id;
  if v_is_editor is null then
    outcome := 'unauthorized';
    return;
  end if;
  if v_seen_at < v_stale then
    perform from formd.operator_sessions s where s.team_id = p_team and s.id = v_id for no key update skip locked;
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
  outcome := case when not v_allowed then 'rate_limited' when not v_is_editor then 'insufficient_workspace_role' else 'allowed' end;
end
$$;

create or replace function formd.operator_logout(p_team uuid, p_actor formd.actor, p_token_hash bytea) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends a session: the next request with it is rejected, by every server. Idempotent.
-- Route: POST /console/logout
-- Writes: operator_sessions, audit_events (the actor is the session's operator; p_actor has the request id)
-- Index: operator_sessions_token_key
declare
  v_session uuid;
  v_operator uuid;
begin
  delete from formd.operator_sessions s where s.team_id = p_team and s.token_hash = p_token_hash
  returning s.id, s.operator_id into v_session, v_operator;
  if found then
    perform formd.audit_record(p_team, row('operator', v_operator, (p_actor).request_id)::formd.actor, 'session.operator_ended', null,
      v_session, '{}');
  end if;
end
$$;

create or replace function formd.operator_of(p_actor formd.actor) returns uuid
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- The operator who acts; null for another actor.
select case when (p_actor).type = 'operator' then (p_actor).id end
$$;

create or replace function formd.workspace_require_role(p_team uuid, p_actor formd.actor, p_workspace uuid, p_role text) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects an operator whose role in the workspace is below p_role: viewer, editor, publisher (editor where editors_may_publish, else admin)
-- or admin. Other actors act for the whole team.
-- Reads: workspace_roles, workspaces
-- Raises: insufficient_workspace_role
-- Index: workspace_roles_pkey, workspaces_pkey
-- Why: src/operators/roles.ts has the role that each act needs; tests/sql/roles.test.ts compares the functions with it.
declare
  c_ascending constant text[] := array['viewer', 'editor', 'admin'];
  v_role text := p_role;
  v_editors_may_publish boolean;
begin
  if (p_actor).type <> 'operator' then
    return;
  end if;
  if p_role = 'publisher' then
    select w.editors_may_publish into v_editors_may_publish
    from formd.workspaces w where w.team_id = p_team and w.id = p_workspace;
    v_role := case when v_editors_may_publish then 'editor' else 'admin' end;
  end if;
  perform from formd.workspace_roles r
  where r.team_id = p_team and r.workspace_id = p_workspace and r.operator_id = (p_actor).id
    and array_position(c_ascending, r.role) >= array_position(c_ascending, v_role);
  if not found then
    perform formd.raise_problem('insufficient_workspace_role', case v_role
      when 'viewer' then 'This needs a role in the workspace.'
      when 'editor' then 'This needs the role of admin or editor in the workspace.'
      else 'This needs the role of admin in the workspace.' end);
  end if;
end
$$;

create or replace function formd.team_require_role(p_team uuid, p_actor formd.actor, p_role text) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects an operator whose role is below p_role in one of the team's workspaces: for what concerns all of them, as API keys. Other actors
-- act for the whole team.
-- Reads: workspaces
-- Raises: insufficient_workspace_role
-- Index: workspaces_pkey
-- Why: an admin of one workspace who makes an API key would control the others with it.
declare
  v_workspace uuid;
begin
  if (p_actor).type <> 'operator' then
    return;
  end if;
  for v_workspace in select w.id from formd.workspaces w where w.team_id = p_team loop
    perform formd.workspace_require_role(p_team, p_actor, v_workspace, p_role);
  end loop;
end
$$;

create or replace function formd.workspace_lock(p_team uuid, p_actor formd.actor, p_workspace uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Locks a workspace whose roles the actor may change.
-- Reads: workspaces
-- Locks: the workspace, for no key update
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: workspaces_pkey
begin
  perform from formd.workspaces w where w.team_id = p_team and w.id = p_workspace for no key update;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such workspace.');
  end if;
  perform formd.workspace_require_role(p_team, p_actor, p_workspace, 'admin');
end
$$;

create or replace function formd.workspace_require_admin_left(p_team uuid, p_actor formd.actor, p_workspace uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects an operator who would leave a workspace without an admin. At a terminal that can be undone.
-- Reads: workspace_roles
-- Raises: conflict
-- Index: workspace_roles_pkey
begin
  if (p_actor).type = 'operator' then
    perform from formd.workspace_roles r where r.team_id = p_team and r.workspace_id = p_workspace and r.role = 'admin';
    if not found then
      perform formd.raise_problem('conflict', 'The workspace would have no admin; make another operator an admin first.');
    end if;
  end if;
end
$$;
