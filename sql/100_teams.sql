create or replace function formd.team_create(p_team uuid, p_name text, p_workspace uuid, p_workspace_name text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- formd bootstrap: a team comes with its first workspace, the one that new forms and agents go to unless told otherwise.
-- Raises bad_request for an empty name.
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
-- formd workspace create. Raises not_found for a team that is not there, bad_request for an empty name.
begin
  perform from formd.teams t where t.team_id = p_team;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such team.');
  end if;
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'A workspace needs a name.');
  end if;
  insert into formd.workspaces (team_id, id, name, created_at) values (p_team, p_id, p_name, formd.uuid_time(p_id));
end
$$;

create or replace function formd.workspace_choose(p_team uuid, p_workspace uuid) returns uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- The workspace that a new form or agent goes to: the one asked for, else the team's oldest. Raises not_found.
declare
  v_id uuid;
begin
  if p_workspace is null then
    select w.id into v_id from formd.workspaces w where w.team_id = p_team order by w.created_at, w.id limit 1;
  else
    select w.id into v_id from formd.workspaces w where w.team_id = p_team and w.id = p_workspace;
  end if;
  if v_id is null then
    perform formd.raise_problem('not_found', 'There is no such workspace.');
  end if;
  return v_id;
end
$$;
