-- Teams (tenants) and their workspaces.

create or replace function formd.team_create(p_team uuid, p_actor formd.actor, p_name text, p_workspace uuid, p_workspace_name text)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a team with its first workspace, where new forms and agents are put by default.
-- Route: formd bootstrap
-- Writes: teams, workspaces, audit_events
-- Raises: bad_request (blank name)
begin
  if formd.is_blank(p_name) or formd.is_blank(p_workspace_name) then
    perform formd.raise_problem('bad_request', 'A team and a workspace need a name.');
  end if;
  insert into formd.teams (team_id, name, created_at) values (p_team, p_name, formd.uuid_time(p_team));
  insert into formd.workspaces (team_id, id, name, created_at)
  values (p_team, p_workspace, p_workspace_name, formd.uuid_time(p_workspace));
  perform formd.audit_record(p_team, p_actor, 'team.created', null, p_team,
    jsonb_build_object('name', p_name, 'workspaceId', p_workspace, 'workspaceName', p_workspace_name));
end
$$;

create or replace function formd.workspace_create(p_team uuid, p_actor formd.actor, p_id uuid, p_name text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a workspace of a team.
-- Route: formd workspace create
-- Reads: teams
-- Writes: workspaces, audit_events
-- Raises: not_found (team), bad_request (blank name)
-- Index: teams_pkey
begin
  perform from formd.teams t where t.team_id = p_team;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such team.');
  end if;
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'A workspace needs a name.');
  end if;
  insert into formd.workspaces (team_id, id, name, created_at)
  values (p_team, p_id, p_name, formd.uuid_time(p_id));
  perform formd.audit_record(p_team, p_actor, 'workspace.created', null, p_id, jsonb_build_object('name', p_name));
end
$$;

create or replace function formd.workspace_set_publishing(p_team uuid, p_actor formd.actor, p_workspace uuid, p_editors_may_publish boolean)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Says whether editors of a workspace may publish, archive and restore its forms. Idempotent.
-- Route: the console
-- Reads: workspaces
-- Writes: workspaces, audit_events
-- Locks: the workspace (workspace_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: workspaces_pkey
declare
  v_before boolean;
begin
  perform formd.workspace_lock(p_team => p_team, p_actor => p_actor, p_workspace => p_workspace);
  select w.editors_may_publish into v_before from formd.workspaces w where w.team_id = p_team and w.id = p_workspace;
  if v_before <> p_editors_may_publish then
    update formd.workspaces w set editors_may_publish = p_editors_may_publish where w.team_id = p_team and w.id = p_workspace;
    perform formd.audit_record(p_team, p_actor, 'workspace.changed', null, p_workspace, jsonb_build_object(
      'before', jsonb_build_object('editorsMayPublish', v_before), 'after', jsonb_build_object('editorsMayPublish', p_editors_may_publish)));
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
    perform formd.raise_problem('not_found', 'There is no such workspace.');
  end if;
  return v_id;
end
$$;
