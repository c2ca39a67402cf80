-- Teams (tenants) and their workspaces.

create or replace function formd.team_create(p_team uuid, p_actor formd.actor, p_name text, p_workspace uuid,
  p_workspace_name text)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a team with its first workspace, where new forms and agents are put by default.
-- Route: formd bootstrap
-- Writes: teams, workspaces, what audit_record writes
-- Raises: bad_request (blank name)
begin
  if formd.is_blank(p_name) or formd.is_blank(p_workspace_name) then
    perform formd.raise_problem('bad_request', 'team_unnamed');
  end if;
  insert into formd.teams (team_id, name, created_at) values (p_team, p_name, formd.uuid_time(p_team));
  insert into formd.workspaces (team_id, id, name, created_at)
  values (p_team, p_workspace, p_workspace_name, formd.uuid_time(p_workspace));
  perform formd.audit_record(p_team, p_actor, 'team.created', null, p_team,
    jsonb_build_object('name', p_name, 'workspaceId', p_workspace, 'workspaceName', p_workspace_name));
end
$$;

create or replace function formd.workspace_create(p_team uuid, p_actor formd.actor, p_id uuid, p_name text)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a workspace of a team. Who is an admin in each of the others is one in it as well.
-- Route: formd workspace create, the console
-- Reads: teams
-- Writes: workspaces, workspace_roles, what audit_record writes
-- Locks: the team's workspaces in the order of their ids, so that no operator is removed meanwhile
-- Raises: not_found (team), bad_request (blank name), unauthorized (no person), insufficient_workspace_role
--   (least role: admin, in every workspace of the team)
-- Index: teams_pkey, workspaces_pkey, workspace_roles_pkey
-- Why: API keys and the audit take a role in every workspace: a new one would take them from every admin.
declare
  v_admins uuid[];
begin
  perform formd.actor_require_person(p_actor);
  perform from formd.teams t where t.team_id = p_team;
  if not found then
    perform formd.raise_problem('not_found', 'team_missing');
  end if;
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'workspace_unnamed');
  end if;
  perform from formd.workspaces w where w.team_id = p_team order by w.id for no key update;
  perform formd.team_require_role(p_team => p_team, p_actor => p_actor, p_role => 'admin');
  v_admins := array(
    select r.operator_id from formd.workspace_roles r where r.team_id = p_team and r.role = 'admin'
    group by r.operator_id
    having count(*) = (select count(*) from formd.workspaces w where w.team_id = p_team)
    order by r.operator_id);
  insert into formd.workspaces (team_id, id, name, created_at)
  values (p_team, p_id, p_name, formd.uuid_time(p_id));
  insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
  select p_team, p_id, a, 'admin', formd.uuid_time(p_id) from unnest(v_admins) as a;
  perform formd.audit_record(p_team, p_actor, 'workspace.created', null, p_id,
    jsonb_build_object('name', p_name, 'admins', v_admins));
end
$$;

create or replace function formd.workspace_rename(p_team uuid, p_actor formd.actor, p_workspace uuid,
  p_name text)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Renames a workspace. Idempotent.
-- Route: the console
-- Reads: workspaces
-- Writes: workspaces, what audit_record writes
-- Locks: the workspace (workspace_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin), bad_request (blank name)
-- Index: workspaces_pkey
declare
  v_before text;
begin
  perform formd.workspace_lock(p_team => p_team, p_actor => p_actor, p_workspace => p_workspace);
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'workspace_unnamed');
  end if;
  select w.name into v_before from formd.workspaces w where w.team_id = p_team and w.id = p_workspace;
  if v_before <> p_name then
    update formd.workspaces w set name = p_name where w.team_id = p_team and w.id = p_workspace;
    perform formd.audit_record(p_team, p_actor, 'workspace.changed', null, p_workspace, jsonb_build_object(
      'before', jsonb_build_object('name', v_before), 'after', jsonb_build_object('name', p_name)));
  end if;
end
$$;

create or replace function formd.workspace_set_publishing(p_team uuid, p_actor formd.actor, p_workspace uuid,
  p_editors_may_publish boolean)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Says whether editors of a workspace may publish, archive and restore its forms. Idempotent.
-- Route: the console
-- Reads: workspaces
-- Writes: workspaces, what audit_record writes
-- Locks: the workspace (workspace_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: workspaces_pkey
declare
  v_before boolean;
begin
  perform formd.workspace_lock(p_team => p_team, p_actor => p_actor, p_workspace => p_workspace);
  select w.editors_may_publish into v_before from formd.workspaces w where w.team_id = p_team
    and w.id = p_workspace;
  if v_before <> p_editors_may_publish then
    update formd.workspaces w set editors_may_publish = p_editors_may_publish where w.team_id = p_team
      and w.id = p_workspace;
    perform formd.audit_record(p_team, p_actor, 'workspace.changed', null, p_workspace, jsonb_build_object(
      'before', jsonb_build_object('editorsMayPublish', v_before), 'after',
      jsonb_build_object('editorsMayPublish', p_editors_may_publish)));
  end if;
end
$$;

create or replace function formd.workspace_set_passkeys(p_team uuid, p_actor formd.actor, p_workspace uuid,
  p_requires_passkey boolean)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Says whether operators with a role in a workspace use a passkey before they publish, grant or make keys.
-- Idempotent.
-- Route: the console
-- Reads: workspaces
-- Writes: workspaces, what audit_record writes
-- Locks: the workspace (workspace_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: workspaces_pkey
declare
  v_before boolean;
begin
  perform formd.workspace_lock(p_team => p_team, p_actor => p_actor, p_workspace => p_workspace);
  select w.requires_passkey into v_before from formd.workspaces w where w.team_id = p_team
    and w.id = p_workspace;
  if v_before <> p_requires_passkey then
    update formd.workspaces w set requires_passkey = p_requires_passkey where w.team_id = p_team
      and w.id = p_workspace;
    perform formd.audit_record(p_team, p_actor, 'workspace.changed', null, p_workspace, jsonb_build_object(
      'before', jsonb_build_object('requiresPasskey', v_before), 'after',
      jsonb_build_object('requiresPasskey', p_requires_passkey)));
  end if;
end
$$;

create or replace function formd.workspace_choose(p_team uuid, p_workspace uuid) returns uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- The workspace for a new form or agent: p_workspace, or the team's oldest one when that is null.
-- Reads: workspaces
-- Raises: not_found
-- Index: workspaces_pkey
declare
  v_id uuid;
begin
  if p_workspace is null then
    select w.id into v_id
    from formd.workspaces w where w.team_id = p_team order by w.created_at, w.id limit 1;
  else
    select w.id into v_id from formd.workspaces w where w.team_id = p_team and w.id = p_workspace;
  end if;
  if v_id is null then
    perform formd.raise_problem('not_found', 'workspace_missing');
  end if;
  return v_id;
end
$$;
