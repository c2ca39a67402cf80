-- Operators: persons who sign in to the console. The roles per workspace ascend: viewer, editor, admin.

create or replace function formd.operator_join(p_team uuid, p_actor formd.actor, p_workspace uuid, p_id uuid,
  p_email text, p_salt text, p_hash bytea, p_role text)
returns table (id uuid, created boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Gives an operator a role in a workspace. A new e-mail makes an operator; a known one keeps id and password,
-- and its sessions end.
-- Route: formd bootstrap, formd operator create --password
-- Writes: operators, workspace_roles, operator_sessions, passkey_challenges, what audit_record writes
-- Locks: the workspace (workspace_lock), so that two actions on its roles see each other; the operator
-- Raises: not_found (workspace), insufficient_workspace_role (least role: admin), conflict (the last admin)
-- Index: operators_email_key, operators_pkey, workspace_roles_pkey, operator_sessions_operator_idx,
--   passkey_challenges_operator_idx
-- Why: a new role ends a link to a new password and what is being registered, as operator_invitation_accept.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_id uuid;
  v_created boolean;
  v_role text;
begin
  perform formd.workspace_lock(p_team, p_actor, p_workspace);
  insert into formd.operators (id, email, password_salt, password_hash, created_at)
  values (p_id, lower(p_email), p_salt, p_hash, v_now)
  on conflict (email) where connection_id is null do nothing;
  v_created := found;
  select o.id into v_id from formd.operators o where o.email = lower(p_email) and o.connection_id is null;
  select r.role into v_role
  from formd.workspace_roles r where r.team_id = p_team and r.workspace_id = p_workspace
    and r.operator_id = v_id;
  if v_role is null then
    set local citus.multi_shard_modify_mode = 'sequential';
    update formd.operators o set reset_hash = null, reset_expires_at = null where o.id = v_id;
    if not v_created then
      delete from formd.passkey_challenges c where c.operator_id = v_id;
      delete from formd.operator_sessions s where s.operator_id = v_id;
    end if;
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    values (p_team, p_workspace, v_id, p_role, v_now);
    perform formd.audit_record(p_team, p_actor, 'operator.added', null, v_id,
      jsonb_build_object('email', lower(p_email), 'workspaceId', p_workspace, 'role', p_role));
  elsif v_role <> p_role then
    update formd.workspace_roles r set role = p_role
    where r.team_id = p_team and r.workspace_id = p_workspace and r.operator_id = v_id;
    perform formd.workspace_require_admin_left(p_team, p_actor, p_workspace);
    perform formd.audit_record(p_team, p_actor, 'operator.role_changed', null, v_id,
      jsonb_build_object('email', lower(p_email), 'workspaceId', p_workspace, 'before', v_role, 'after',
      p_role));
  end if;
  return query select v_id, v_created;
end
$$;

create or replace function formd.operator_list(p_team uuid)
returns table (id uuid, email text, connection_id uuid, team_id uuid, workspace_id uuid, role text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- Operators by e-mail, one row per role; of every team when p_team is null.
-- Route: formd operator list
-- Reads: operators, workspace_roles
-- Index: workspace_roles_operator_idx
-- Why: a plan for each call, since a p_team that is null must vanish from it.
begin
  return query
  select o.id, o.email, o.connection_id, r.team_id, r.workspace_id, r.role
  from formd.operators o
  left join formd.workspace_roles r on r.operator_id = o.id
  where p_team is null or r.team_id = p_team
  order by o.email, o.id, r.created_at, r.workspace_id;
end
$$;

create or replace function formd.workspace_operator_list(
  p_team uuid, p_workspace uuid, p_limit integer, p_offset bigint, p_max_counted integer)
returns table (total integer, id uuid, email text, connection text, role text, created_at timestamptz,
  is_unconfirmed boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- A page of the operators of a workspace, newest first, each with the role, its time, the name of the
-- connection that vouches for the operator, and whether the address is not confirmed; one row with the total
-- alone when the page is empty.
-- Route: the console
-- Reads: workspace_roles, operators, sign_in_connections
-- Index: workspace_roles_pkey, backwards; operators_pkey, sign_in_connections_pkey
-- Why: the total counts at most p_max_counted operators from the page's first one on, since no counter has
--   their number. The page's roles first, each e-mail by a subquery: a join in the order of e-mails would
--   read the operators of all teams.
begin
  select count(*) into total from (
    select from formd.workspace_roles r where r.team_id = p_team and r.workspace_id = p_workspace
    order by r.operator_id desc limit p_offset + p_max_counted) counted;
  return query
  select workspace_operator_list.total, page.operator_id,
    (select o.email from formd.operators o where o.id = page.operator_id),
    (select c.name from formd.operators o join formd.sign_in_connections c on c.id = o.connection_id
      where o.id = page.operator_id),
    page.role, page.created_at::timestamptz,
    (select o.is_unconfirmed from formd.operators o where o.id = page.operator_id)
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

create or replace function formd.operator_remove(p_actor formd.actor, p_email text, p_workspace uuid,
  p_operator uuid default null) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Takes an operator's role in a workspace away (in all of them when p_workspace is null) and ends the
-- operator's sessions in the teams of those roles, in no other, and invitations of the address to them. An
-- operator without a role is deleted. The event is recorded per role, in its team. p_operator: the account,
-- as one of a connection, whose address another account may have; null: the one with a password that has the
-- address.
-- Route: formd operator remove, the console (which names the workspace)
-- Reads: workspaces
-- Writes: operators, workspace_roles, operator_sessions, operator_invitations, what audit_record writes
-- Locks: the workspaces (workspace_lock), then the operator, which a login in progress locks as well
-- Raises: unauthorized (no person), not_found, insufficient_workspace_role (least role: admin), conflict (the
--   last admin)
-- Index: operators_email_key, operators_pkey, workspace_roles_operator_idx, operator_sessions_operator_idx
-- Why: the role before the e-mail, and one message for both, since the e-mails of other teams must not be
--   found by trying. One machine after another on Citus, as operator_set_password.
declare
  v_is_connected boolean;
  v_operator uuid := p_operator;
  v_email text := lower(p_email);
  v_team uuid;
  v_workspace uuid;
  v_role text;
  v_teams uuid[] := array[]::uuid[];
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  perform formd.actor_require_person(p_actor);
  if p_workspace is not null and (p_actor).type = 'operator' then
    select r.team_id into v_team
    from formd.workspace_roles r where r.operator_id = (p_actor).id and r.workspace_id = p_workspace;
    perform formd.workspace_require_role(v_team, p_actor, p_workspace, 'admin');
  end if;
  if p_operator is null then
    select o.id into v_operator
    from formd.operators o where o.email = v_email and o.connection_id is null;
  else
    select o.email into v_email from formd.operators o where o.id = p_operator;
  end if;
  for v_team, v_workspace in
    select r.team_id, r.workspace_id from formd.workspace_roles r
    where r.operator_id = v_operator and (p_workspace is null or r.workspace_id = p_workspace)
      order by r.team_id, r.workspace_id
  loop
    perform formd.workspace_lock(v_team, p_actor, v_workspace);
  end loop;
  select o.connection_id is not null into v_is_connected
  from formd.operators o where o.id = v_operator for update;
  if not found and p_workspace is null then
    perform formd.raise_problem('not_found', 'email_unknown');
  end if;
  for v_team, v_workspace, v_role in
    delete from formd.workspace_roles r
    where r.operator_id = v_operator and (p_workspace is null or r.workspace_id = p_workspace)
    returning r.team_id, r.workspace_id, r.role
  loop
    v_teams := v_teams || v_team;
    perform formd.workspace_require_admin_left(v_team, p_actor, v_workspace);
    perform formd.audit_record(v_team, p_actor, 'operator.removed', null, v_operator,
      jsonb_build_object('email', v_email, 'workspaceId', v_workspace, 'role', v_role));
  end loop;
  if v_teams = '{}' and p_workspace is not null then
    perform formd.raise_problem('not_found', 'email_without_role');
  end if;
  delete from formd.operator_sessions s where s.operator_id = v_operator and s.team_id = any (v_teams);
  if not v_is_connected then
    delete from formd.operator_invitations i
    where i.team_id = any (v_teams) and i.email = v_email and (i.workspace_id = p_workspace or not exists (
      select from formd.workspace_roles r where r.team_id = i.team_id and r.operator_id = v_operator));
  end if;
  perform from formd.workspace_roles r where r.operator_id = v_operator limit 1;
  if not found then
    delete from formd.operators o where o.id = v_operator;
  end if;
  return v_operator;
end
$$;

create or replace function formd.operator_record(p_operator uuid, p_actor formd.actor, p_kind text,
  p_object uuid, p_details jsonb default '{}') returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Records an action on an operator, or on what is the operator's, in each team of the operator.
-- Reads: workspace_roles
-- Writes: what audit_record writes
-- Index: workspace_roles_operator_idx
declare
  v_team uuid;
begin
  for v_team in select distinct r.team_id from formd.workspace_roles r where r.operator_id = p_operator loop
    perform formd.audit_record(v_team, p_actor, p_kind, null, p_object, p_details);
  end loop;
end
$$;

create or replace function formd.operator_of_session(p_team uuid, p_token_hash bytea) returns uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- The operator of a session; null: there is none.
-- Reads: operator_sessions
-- Index: operator_sessions_token_key
begin
  return (select s.operator_id from formd.operator_sessions s where s.team_id = p_team
    and s.token_hash = p_token_hash);
end
$$;

create or replace function formd.operator_of(p_actor formd.actor) returns uuid
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- The operator who acts; null for another actor.
select case when (p_actor).type = 'operator' then (p_actor).id end
$$;

create or replace function formd.workspace_require_role(p_team uuid, p_actor formd.actor, p_workspace uuid,
  p_role text) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects an operator whose role in the workspace is below p_role: viewer, editor, publisher (editor where
-- editors_may_publish, else admin) or admin. Other actors act for the whole team.
-- Reads: workspace_roles, workspaces
-- Raises: insufficient_workspace_role
-- Index: workspace_roles_pkey, workspaces_pkey
-- Why: src/resources/operators/roles.ts has the role that each action needs; tests/sql/roles.test.ts compares
--   the functions with it. The workspace is named to those alone who have a role in it.
declare
  c_ascending constant text[] := array['viewer', 'editor', 'admin'];
  v_role text := p_role;
  v_own text;
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
    select r.role into v_own from formd.workspace_roles r
    where r.team_id = p_team and r.workspace_id = p_workspace and r.operator_id = (p_actor).id;
    perform formd.raise_problem('insufficient_workspace_role',
      case when found then 'role_too_low' else 'no_role_in_workspace' end,
      jsonb_build_object('needed', v_role, 'own', v_own, 'workspace', case when found
        then (select w.name from formd.workspaces w where w.team_id = p_team and w.id = p_workspace) end));
  end if;
end
$$;

create or replace function formd.team_require_role(p_team uuid, p_actor formd.actor, p_role text) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects an operator whose role is below p_role in one of the team's workspaces: for what concerns all of
-- them, as API keys. Other actors act for the whole team.
-- Reads: workspaces, workspace_roles
-- Raises: insufficient_workspace_role
-- Index: workspaces_pkey, workspace_roles_pkey
-- Why: an admin of one workspace who makes an API key would control the others with it. The first
--   workspaces without the role are named, so that their admins can be asked.
declare
  c_named constant integer := 10;
  c_ascending constant text[] := array['viewer', 'editor', 'admin'];
  v_missing jsonb;
begin
  if (p_actor).type is distinct from 'operator' then
    return;
  end if;
  select jsonb_agg(missing.name order by missing.position) into v_missing
  from (
    select w.name, row_number() over (order by w.id) as position from formd.workspaces w
    where w.team_id = p_team and not exists (
      select from formd.workspace_roles r
      where r.team_id = p_team and r.workspace_id = w.id and r.operator_id = (p_actor).id
        and array_position(c_ascending, r.role) >= array_position(c_ascending, p_role))
    order by w.id limit c_named + 1) missing;
  if v_missing is not null then
    perform formd.raise_problem('insufficient_workspace_role', 'role_missing',
      jsonb_build_object('needed', p_role, 'workspaces', v_missing - c_named,
        'hasMore', jsonb_array_length(v_missing) > c_named));
  end if;
end
$$;

create or replace function formd.workspace_lock(p_team uuid, p_actor formd.actor, p_workspace uuid)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Locks a workspace whose roles the actor, a person, may change.
-- Reads: workspaces
-- Locks: the workspace, for no key update
-- Raises: unauthorized (no person), not_found, insufficient_workspace_role (least role: admin)
-- Index: workspaces_pkey
begin
  perform formd.actor_require_person(p_actor);
  perform from formd.workspaces w where w.team_id = p_team and w.id = p_workspace for no key update;
  if not found then
    perform formd.raise_problem('not_found', 'workspace_missing');
  end if;
  perform formd.workspace_require_role(p_team, p_actor, p_workspace, 'admin');
end
$$;

create or replace function formd.workspace_require_admin_left(p_team uuid, p_actor formd.actor,
  p_workspace uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Rejects what would leave a team without an admin, and an operator who would leave a workspace without one:
-- at a terminal that can be undone.
-- Reads: teams, workspace_roles
-- Locks: the team, so that of two removals in two workspaces the second sees the first
-- Raises: conflict
-- Index: teams_pkey, workspace_roles_pkey
begin
  perform from formd.teams t where t.team_id = p_team for no key update;
  perform from formd.workspace_roles r where r.team_id = p_team and r.role = 'admin';
  if not found then
    perform formd.raise_problem('conflict', 'last_team_admin');
  end if;
  if (p_actor).type = 'operator' then
    perform from formd.workspace_roles r where r.team_id = p_team and r.workspace_id = p_workspace
      and r.role = 'admin';
    if not found then
      perform formd.raise_problem('conflict', 'last_workspace_admin');
    end if;
  end if;
end
$$;

create or replace function formd.operator_language_set(p_team uuid, p_token_hash bytea, p_language text)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Sets the language in which the operator of a session reads the console; null: the browser's language.
-- Route: POST /console/account/language
-- Reads: what operator_of_session reads
-- Writes: operators
-- Locks: the operator
-- Index: operators_pkey
-- Why: no event in the audit, since nothing of a team changes. Of the operator and not of the session, so
--   that every browser of a person speaks it.
declare
  v_operator uuid := formd.operator_of_session(p_team, p_token_hash);
begin
  update formd.operators o set language = p_language where o.id = v_operator;
end
$$;
