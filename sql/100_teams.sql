-- Teams (tenants) and their workspaces.

create or replace function formd.team_create(p_team uuid, p_actor formd.actor, p_name text, p_workspace uuid,
  p_workspace_name text) returns void
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
  perform formd.team_require_role(p_team, p_actor, 'admin');
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

create or replace function formd.workspace_change(p_team uuid, p_actor formd.actor, p_workspace uuid,
  p_name text default null, p_editors_may_publish boolean default null,
  p_requires_passkey boolean default null) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Changes a workspace; null leaves a member as it is. p_editors_may_publish: also archive and restore.
-- p_requires_passkey: before operators publish, grant or make keys. Idempotent.
-- Route: the console
-- Reads: workspaces
-- Writes: workspaces, what audit_record writes
-- Locks: the workspace (workspace_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin), bad_request (blank name)
-- Index: workspaces_pkey
declare
  v_before jsonb;
  v_after jsonb := jsonb_strip_nulls(jsonb_build_object('name', p_name,
    'editorsMayPublish', p_editors_may_publish, 'requiresPasskey', p_requires_passkey));
begin
  perform formd.workspace_lock(p_team, p_actor, p_workspace);
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'workspace_unnamed');
  end if;
  select jsonb_object_agg(m.key, m.value) into v_before
  from formd.workspaces w, jsonb_each(jsonb_build_object('name', w.name,
    'editorsMayPublish', w.editors_may_publish, 'requiresPasskey', w.requires_passkey)) as m
  where w.team_id = p_team and w.id = p_workspace and v_after ? m.key;
  if v_before <> v_after then
    update formd.workspaces w
    set name = coalesce(p_name, w.name),
      editors_may_publish = coalesce(p_editors_may_publish, w.editors_may_publish),
      requires_passkey = coalesce(p_requires_passkey, w.requires_passkey)
    where w.team_id = p_team and w.id = p_workspace;
    perform formd.audit_record(p_team, p_actor, 'workspace.changed', null, p_workspace,
      jsonb_build_object('before', v_before, 'after', v_after));
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
