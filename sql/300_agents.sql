-- Agents: programs that submit. An operator acts in the workspaces of its roles, any other actor for the
-- whole team. What only reads takes the operator alone: p_operator, null for an API key.

create or replace function formd.agent_list(p_team uuid, p_operator uuid, p_limit integer, p_offset bigint)
returns table (total integer, id uuid, client_id text, secret_prefix text, name text, status text,
  workspace_id uuid, created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
-- A page of the agents that the caller may see, newest first; one row with the total alone when it is empty.
-- Route: GET /identity/agents
-- Reads: agents, workspace_roles
-- Index: agents_pkey, backwards
-- Why: a plan for each call, since a p_operator that is null must vanish from it.
begin
  return query
  with visible as not materialized (
    select a.id, a.client_id, a.secret_prefix, a.name, a.status, a.workspace_id, a.created_at::timestamptz,
      a.updated_at::timestamptz
    from formd.agents a
    where a.team_id = p_team
      and (p_operator is null or a.workspace_id in (
        select r.workspace_id from formd.workspace_roles r where r.team_id = p_team
          and r.operator_id = p_operator))
  )
  select t.total, page.*
  from (select count(*)::integer as total from visible) t
  left join (select * from visible v order by v.id desc limit p_limit offset p_offset) page on true
  order by page.id desc;
end
$$;

create or replace function formd.agent_get(p_team uuid, p_operator uuid, p_agent uuid)
returns table (id uuid, client_id text, secret_prefix text, name text, status text, workspace_id uuid,
  created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- An agent that the caller may see.
-- Route: GET /identity/agents/{agent_id}; the first step of every other route about an agent
-- Reads: agents, workspace_roles
-- Raises: not_found
-- Index: agents_pkey, workspace_roles_pkey
begin
  return query
  select a.id, a.client_id, a.secret_prefix, a.name, a.status, a.workspace_id, a.created_at::timestamptz,
    a.updated_at::timestamptz
  from formd.agents a
  where a.team_id = p_team and a.id = p_agent
    and (p_operator is null or exists (
      select from formd.workspace_roles r
      where r.team_id = p_team and r.workspace_id = a.workspace_id and r.operator_id = p_operator));
  if not found then
    perform formd.raise_problem('not_found', 'agent_missing');
  end if;
end
$$;

create or replace function formd.agent_lock_for_write(p_team uuid, p_actor formd.actor, p_agent uuid)
  returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Locks an agent that the actor may change, and returns its workspace.
-- Reads: agents, workspace_roles
-- Locks: the agent
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (revoked)
-- Index: agents_pkey
declare
  v_workspace uuid;
  v_status text;
begin
  perform from formd.agent_get(p_team, formd.operator_of(p_actor), p_agent);
  select a.workspace_id, a.status into v_workspace, v_status
  from formd.agents a where a.team_id = p_team and a.id = p_agent for no key update;
  perform formd.workspace_require_role(p_team, p_actor, v_workspace, 'editor');
  if v_status = 'revoked' then
    perform formd.raise_problem('conflict', 'agent_revoked');
  end if;
  return v_workspace;
end
$$;

create or replace function formd.agent_require_operator(p_team uuid, p_actor formd.actor, p_agent uuid)
  returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- With AGENT_CREDENTIALS=operator: rejects an API key that would gain the credentials of an agent which may
-- submit.
-- Reads: grants
-- Raises: submit_not_grantable_by_api_key
-- Index: grants_agent_form_key
-- Why: an operator granted agent:submit or bound a respondent; a holder of the agent's credentials has both.
--   The caller has locked the agent, so that no grant changes meanwhile.
begin
  if (p_actor).type in ('operator', 'cli') then
    return;
  end if;
  perform from formd.grants g
  where g.team_id = p_team and g.agent_id = p_agent
    and ('agent:submit' = any (g.scopes) or g.respondent_id is not null);
  if found then
    perform formd.raise_problem('submit_not_grantable_by_api_key', 'agent_of_operator');
  end if;
end
$$;

create or replace function formd.agent_create(p_team uuid, p_actor formd.actor, p_workspace uuid, p_id uuid,
  p_name text, p_client_id text, p_secret_prefix text, p_secret_hash bytea)
returns table (id uuid, workspace_id uuid, status text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Registers an agent. p_workspace null: the oldest one that the operator may write in, or the team's oldest.
-- Route: POST /identity/agents
-- Reads: workspace_roles, workspaces
-- Writes: agents, what audit_record writes
-- Raises: bad_request (blank name), not_found (workspace), insufficient_workspace_role (least role: editor)
-- Index: workspace_roles_operator_idx
declare
  v_workspace uuid := p_workspace;
  v_created_at timestamptz(3) := formd.uuid_time(p_id);
begin
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'agent_unnamed');
  end if;
  if v_workspace is null and (p_actor).type = 'operator' then
    select r.workspace_id into v_workspace
    from formd.workspace_roles r
    where r.team_id = p_team and r.operator_id = (p_actor).id and r.role in ('admin', 'editor')
    order by r.created_at, r.workspace_id limit 1;
  end if;
  v_workspace := formd.workspace_choose(p_team, v_workspace);
  perform formd.workspace_require_role(p_team, p_actor, v_workspace, 'editor');
  insert into formd.agents (team_id, id, workspace_id, client_id, name, secret_prefix, secret_hash,
    created_at, updated_at)
  values (p_team, p_id, v_workspace, p_client_id, p_name, p_secret_prefix, p_secret_hash, v_created_at,
    v_created_at);
  perform formd.audit_record(p_team, p_actor, 'agent.created', null, p_id,
    jsonb_build_object('name', p_name, 'workspaceId', v_workspace));
  return query select p_id, v_workspace, 'active';
end
$$;

create or replace function formd.agent_patch(p_team uuid, p_actor formd.actor, p_agent uuid, p_name text,
  p_status text, p_require_operator boolean)
returns table (id uuid, client_id text, secret_prefix text, name text, status text, workspace_id uuid,
  created_at timestamptz, updated_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Renames, disables or enables an agent; null leaves a member as it is. A disabled agent is rejected from its
-- next call on. What changes nothing leaves updated_at as it is. Enabling ends the sessions from before.
-- Route: PATCH /identity/agents/{agent_id}
-- Writes: agents, sessions; what audit_record writes
-- Locks: the agent
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (revoked), bad_request (blank
--   name), submit_not_grantable_by_api_key (p_require_operator)
-- Index: agents_pkey, sessions_agent_idx
-- Why: the sessions stay while it is disabled, so that their holder gets agent_inactive.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_name text;
  v_status text;
  v_disabled_at timestamptz(3);
  v_updated_at timestamptz(3);
begin
  perform formd.agent_lock_for_write(p_team, p_actor, p_agent);
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'agent_unnamed');
  end if;
  select a.name, a.status, a.disabled_at, a.updated_at + interval '1 millisecond' into v_name, v_status,
    v_disabled_at, v_updated_at
  from formd.agents a where a.team_id = p_team and a.id = p_agent;
  if p_status <> v_status then
    if p_require_operator and p_status = 'active' then
      perform formd.agent_require_operator(p_team, p_actor, p_agent);
    end if;
    if p_status = 'active' then
      delete from formd.sessions s where s.team_id = p_team and s.agent_id = p_agent;
    end if;
    v_disabled_at := case when p_status = 'disabled' then v_now end;
  end if;
  if p_name <> v_name or p_status <> v_status then
    update formd.agents a
    set name = coalesce(p_name, v_name), status = coalesce(p_status, v_status), disabled_at = v_disabled_at,
      updated_at = greatest(v_now, v_updated_at)
    where a.team_id = p_team and a.id = p_agent;
    perform formd.audit_record(p_team, p_actor, 'agent.updated', null, p_agent, jsonb_build_object(
      'before', jsonb_build_object('name', v_name, 'status', v_status),
      'after', jsonb_build_object('name', coalesce(p_name, v_name), 'status', coalesce(p_status, v_status))));
  end if;
  return query select * from formd.agent_get(p_team, formd.operator_of(p_actor), p_agent);
end
$$;

create or replace function formd.agent_delete(p_team uuid, p_actor formd.actor, p_agent uuid)
returns table (id uuid, status text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Revokes an agent for good. Idempotent.
-- Route: DELETE /identity/agents/{agent_id}
-- Writes: agents, what audit_record writes
-- Raises: not_found, insufficient_workspace_role (least role: editor)
-- Why: the row stays, since submissions refer to it; its sessions, so that their holder gets agent_inactive.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_workspace uuid;
begin
  select a.workspace_id into v_workspace
  from formd.agent_get(p_team, formd.operator_of(p_actor), p_agent) a;
  perform formd.workspace_require_role(p_team, p_actor, v_workspace, 'editor');
  update formd.agents a
  set status = 'revoked', revoked_at = v_now, disabled_at = null, updated_at = v_now
  where a.team_id = p_team and a.id = p_agent and a.status <> 'revoked';
  if found then
    perform formd.audit_record(p_team, p_actor, 'agent.revoked', null, p_agent, '{}');
  end if;
  return query select p_agent, 'revoked';
end
$$;

create or replace function formd.agent_secret_rotate(p_team uuid, p_actor formd.actor, p_agent uuid,
  p_secret_prefix text, p_secret_hash bytea, p_require_operator boolean, p_end_sessions boolean) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Replaces an agent's secret: the previous one mints no token from this commit on, and opens nothing at /mcp.
-- Sessions remain valid, unless p_end_sessions.
-- Route: POST /identity/agents/{agent_id}/rotate-secret
-- Writes: agents, sessions; what audit_record writes
-- Locks: the agent
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (revoked),
--   submit_not_grantable_by_api_key (p_require_operator)
-- Index: agents_pkey, sessions_agent_idx
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform formd.agent_lock_for_write(p_team, p_actor, p_agent);
  if p_require_operator then
    perform formd.agent_require_operator(p_team, p_actor, p_agent);
  end if;
  update formd.agents a
  set secret_prefix = p_secret_prefix, secret_hash = p_secret_hash, updated_at = v_now
  where a.team_id = p_team and a.id = p_agent;
  delete from formd.sessions s
  where s.team_id = p_team and s.agent_id = p_agent and (p_end_sessions or s.ends_with_secret);
  perform formd.audit_record(p_team, p_actor, 'agent.secret_rotated', null, p_agent,
    jsonb_build_object('endSessions', p_end_sessions));
end
$$;

create or replace function formd.agent_sessions_end(p_team uuid, p_actor formd.actor, p_agent uuid)
returns table (id uuid, ended integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends the sessions of an agent: their tokens are unauthorized from this commit on. Returns how many.
-- Route: DELETE /identity/agents/{agent_id}/sessions
-- Writes: sessions; what audit_record writes
-- Locks: the agent, for which a session that is being created waits
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (revoked)
-- Index: sessions_agent_idx
declare
  v_ended integer;
begin
  perform formd.agent_lock_for_write(p_team, p_actor, p_agent);
  delete from formd.sessions s where s.team_id = p_team and s.agent_id = p_agent;
  get diagnostics v_ended = row_count;
  perform formd.audit_record(p_team, p_actor, 'agent.sessions_ended', null, p_agent,
    jsonb_build_object('ended', v_ended));
  return query select p_agent, v_ended;
end
$$;
