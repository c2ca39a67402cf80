create or replace function formd.operator_join(p_team uuid, p_workspace uuid, p_id uuid, p_email text, p_salt text, p_hash bytea, p_role text)
returns table (id uuid, created boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- formd bootstrap, formd operator create: gives a person a role in a workspace, and makes the person first when the e-mail is
-- new. A known one keeps password and id. Raises not_found for a workspace that is not there.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_id uuid;
  v_created boolean;
begin
  perform from formd.workspaces w where w.team_id = p_team and w.id = p_workspace;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such workspace.');
  end if;
  insert into formd.operators (id, email, password_salt, password_hash, created_at)
  values (p_id, lower(p_email), p_salt, p_hash, v_now)
  on conflict (email) do nothing;
  v_created := found;
  select o.id into v_id from formd.operators o where o.email = lower(p_email);
  insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
  values (p_team, p_workspace, v_id, p_role, v_now)
  on conflict (team_id, workspace_id, operator_id) do update set role = excluded.role;
  return query select v_id, v_created;
end
$$;

create or replace function formd.operator_salt(p_email text) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- What it takes to derive a password's hash; null for an unknown e-mail (the caller then derives from a salt of its own, so
-- that both take as long). The hash itself never leaves the database.
select o.password_salt from formd.operators o where o.email = lower(p_email)
$$;

create or replace function formd.operator_team(p_email text, p_team uuid default null) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- The team that a login is for: the one asked for, else the one that the person joined first. Null: none.
select r.team_id
from formd.workspace_roles r
where r.operator_id = (select o.id from formd.operators o where o.email = lower(p_email))
  and (p_team is null or r.team_id = p_team)
order by r.created_at, r.team_id
limit 1
$$;

create or replace function formd.operator_login(p_team uuid, p_email text, p_password_hash bytea, p_session uuid, p_token_hash bytea, p_lifetime interval)
returns table (operator_id uuid, expires_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- POST /console/login: a session bound to one team. No row: wrong password, unknown e-mail, or no role in the team; the
-- caller cannot tell which. Clears the person's sessions that have run out.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_operator uuid;
begin
  select o.id into v_operator from formd.operators o where o.email = lower(p_email) and o.password_hash = p_password_hash;
  if not found then
    return;
  end if;
  perform from formd.workspace_roles r where r.team_id = p_team and r.operator_id = v_operator;
  if not found then
    return;
  end if;
  delete from formd.operator_sessions s where s.team_id = p_team and s.operator_id = v_operator and s.expires_at < v_now;
  insert into formd.operator_sessions (team_id, id, operator_id, token_hash, created_at, seen_at, expires_at)
  values (p_team, p_session, v_operator, p_token_hash, v_now, v_now, v_expires_at);
  return query select v_operator, v_expires_at::timestamptz;
end
$$;

create or replace function formd.operator_session_use(p_team uuid, p_token_hash bytea, p_idle interval)
returns table (operator_id uuid)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Who calls: every request with the operator's cookie. No row: no such session, run out, idle for too long, or the person
-- has no role left in the team. seen_at moves at most once a minute and never waits. One probe of operator_sessions_token_key.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_idle_since timestamptz(3) := v_now - p_idle;
  v_stale timestamptz(3) := v_now - interval '1 minute';
  v_id uuid;
  v_operator uuid;
  v_seen_at timestamptz(3);
begin
  select s.id, s.operator_id, s.seen_at into v_id, v_operator, v_seen_at
  from formd.operator_sessions s
  where s.team_id = p_team and s.token_hash = p_token_hash and s.expires_at > v_now and s.seen_at > v_idle_since;
  if not found then
    return;
  end if;
  perform from formd.workspace_roles r where r.team_id = p_team and r.operator_id = v_operator;
  if not found then
    return;
  end if;
  if v_seen_at < v_stale then
    perform from formd.operator_sessions s where s.team_id = p_team and s.id = v_id for no key update skip locked;
    if found then
      update formd.operator_sessions s set seen_at = v_now where s.team_id = p_team and s.id = v_id;
    end if;
  end if;
  return query select v_operator;
end
$$;

create or replace function formd.operator_logout(p_team uuid, p_token_hash bytea) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- POST /console/logout. The session is gone for the next request, wherever it lands.
delete from formd.operator_sessions s where s.team_id = p_team and s.token_hash = p_token_hash
$$;

create or replace function formd.operator_require(p_team uuid, p_operator uuid, p_workspace uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Stops an operator who may not write in the workspace: admins and editors may. p_operator null is an API key, which speaks
-- for the whole team. Raises insufficient_workspace_role. Reached by workspace_roles_pkey.
begin
  if p_operator is null then
    return;
  end if;
  perform from formd.workspace_roles r
  where r.team_id = p_team and r.workspace_id = p_workspace and r.operator_id = p_operator and r.role in ('admin', 'editor');
  if not found then
    perform formd.raise_problem('insufficient_workspace_role', 'This takes the role of admin or editor in the workspace.');
  end if;
end
$$;
