-- Teams (tenants) and their workspaces.

create or replace function formd.team_create(
  p_team uuid, p_name text, p_workspace uuid, p_workspace_name text)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a team with its first workspace, where new forms and agents are put by default.
-- Route: formd bootstrap
-- Writes: teams, workspaces
-- Raises: bad_request (blank name)
begin
  if formd.is_blank(p_name) or formd.is_blank(p_workspace_name) then
    perform formd.raise_problem('bad_request', 'A team and a workspace need a name.');
  end if;
  insert into formd.teams (team_id, name, created_at) values (p_team, p_name, formd.uuid_time(p_team));
  insert into formd.workspaces (team_id, id, name, created_at)
  values (p_team, p_workspace, p_workspace_name, formd.uuid_time(p_workspace));
end
$$;

create or replace function formd.workspace_create(p_team uuid, p_id uuid, p_name text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates a workspace of a team.
-- Route: formd workspace create
-- Reads: teams
-- Writes: workspaces
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
