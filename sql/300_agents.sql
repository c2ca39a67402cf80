create or replace function formd.agent_require(p_team uuid, p_operator uuid, p_agent uuid, p_write boolean) returns formd.agents
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- The agent that a call is about, if the caller may see it: an API key (p_operator null) sees the team's, an operator those of
-- the workspaces in which it has a role. To write, that role is admin or editor, the agent is not revoked, and its row is locked.
-- Raises not_found, insufficient_workspace_role, conflict.
declare
  v_agent formd.agents;
  v_role text;
begin
  if p_write then
    select * into v_agent from formd.agents a where a.team_id = p_team and a.id = p_agent for no key update;
  else
    select * into v_agent from formd.agents a where a.team_id = p_team and a.id = p_agent;
  end if;
  if p_operator is not null then
    select r.role into v_role
    from formd.workspace_roles r where r.team_id = p_team and r.workspace_id = v_agent.workspace_id and r.operator_id = p_operator;
  end if;
  if v_agent.id is null or (p_operator is not null and v_role is null) then
    perform formd.raise_problem('not_found', 'There is no such agent.');
  end if;
  if p_write then
    perform formd.operator_require(p_team, p_operator, v_agent.workspace_id);
    if v_agent.status = 'revoked' then
      perform formd.raise_problem('conflict', 'The agent is revoked, for good.');
    end if;
  end if;
  return v_agent;
end
$$;

create or replace function formd.agent_register(p_team uuid, p_operator uuid, p_workspace uuid, p_id uuid, p_name text, p_client_id text,
  p_secret_prefix text, p_secret_hash bytea)
returns table (id uuid, workspace_id uuid, status text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- POST /identity/agents. Without a workspace: an operator's oldest one to write in, else the team's oldest.
-- Raises bad_request (blank name), not_found (workspace), insufficient_workspace_role.
declare
  v_workspace uuid := p_workspace;
  v_created_at timestamptz(3) := formd.uuid_time(p_id);
begin
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'name: an agent needs a name that is not blank.');
  end if;
  if v_workspace is null and p_operator is not null then
    select r.workspace_id into v_workspace
    from formd.workspace_roles r
    where r.team_id = p_team and r.operator_id = p_operator and r.role in ('admin', 'editor')
    order by r.created_at, r.workspace_id limit 1;
  end if;
  v_workspace := formd.workspace_choose(p_team, v_workspace);
  perform formd.operator_require(p_team, p_operator, v_workspace);
  insert into formd.agents (team_id, id, workspace_id, client_id, name, secret_prefix, secret_hash, created_at, updated_at)
  values (p_team, p_id, v_workspace, p_client_id, p_name, p_secret_prefix, p_secret_hash, v_created_at, v_created_at);
  return query select p_id, v_workspace, 'active';
end
$$;

create or replace function formd.agent_update(p_team uuid, p_operator uuid, p_agent uuid, p_name text, p_status text)
returns setof formd.agents
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- PATCH /identity/agents/{agent_id}: null leaves as it is. Disabling counts from the agent's next call on.
-- Raises not_found, insufficient_workspace_role, conflict (revoked), bad_request (blank name).
declare
  v_now timestamptz(3) := clock_timestamp();
  v_agent formd.agents := formd.agent_require(p_team, p_operator, p_agent, true);
begin
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'name: an agent needs a name that is not blank.');
  end if;
  v_agent.name := coalesce(p_name, v_agent.name);
  if p_status <> v_agent.status then
    v_agent.status := p_status;
    v_agent.disabled_at := case when p_status = 'disabled' then v_now end;
  end if;
  v_agent.updated_at := greatest(v_now, v_agent.updated_at + interval '1 millisecond');
  update formd.agents a
  set name = v_agent.name, status = v_agent.status, disabled_at = v_agent.disabled_at, updated_at = v_agent.updated_at
  where a.team_id = p_team and a.id = p_agent;
  return next v_agent;
end
$$;

create or replace function formd.agent_revoke(p_team uuid, p_operator uuid, p_agent uuid)
returns table (id uuid, status text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- DELETE /identity/agents/{agent_id}: revoked, for good; a second time changes nothing. The row stays, so that submissions keep
-- their author, and its sessions stay, so that their holder learns why (agent_inactive). Raises not_found, insufficient_workspace_role.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_agent formd.agents := formd.agent_require(p_team, p_operator, p_agent, false);
begin
  perform formd.operator_require(p_team, p_operator, v_agent.workspace_id);
  update formd.agents a
  set status = 'revoked', revoked_at = v_now, disabled_at = null, updated_at = v_now
  where a.team_id = p_team and a.id = p_agent and a.status <> 'revoked';
  return query select p_agent, 'revoked';
end
$$;

create or replace function formd.agent_rotate_secret(p_team uuid, p_operator uuid, p_agent uuid, p_secret_prefix text, p_secret_hash bytea) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- POST /identity/agents/{agent_id}/rotate-secret: the old secret mints nothing from this commit on; sessions live on.
-- Raises not_found, insufficient_workspace_role, conflict (revoked).
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform formd.agent_require(p_team, p_operator, p_agent, true);
  update formd.agents a
  set secret_prefix = p_secret_prefix, secret_hash = p_secret_hash, updated_at = v_now
  where a.team_id = p_team and a.id = p_agent;
end
$$;
