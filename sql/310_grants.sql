create or replace function formd.grant_put(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_form uuid, p_scopes text[],
  p_sets_respondent boolean, p_respondent uuid, p_binding_required boolean)
returns setof formd.grants
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- POST /identity/agents/{agent_id}/grants: one grant an agent and form; granting again replaces the scopes and leaves alone what
-- is not said (p_sets_respondent false, p_binding_required null).
-- An API key (p_operator null) may give agent:read and agent:validate, and neither bind nor unbind a respondent: that takes a
-- person with the role of admin or editor in the form's workspace.
-- Raises, in this order: submit_not_grantable_by_api_key, respondent_binding_requires_session, not_found (agent),
-- insufficient_workspace_role, conflict (agent revoked), not_found (form), workspace_mismatch.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_agent formd.agents;
  v_workspace uuid;
  v_grant formd.grants;
begin
  if p_operator is null and 'agent:submit' = any (p_scopes) then
    perform formd.raise_problem('submit_not_grantable_by_api_key', 'agent:submit is granted by an operator, not by an API key.');
  elsif p_operator is null and p_respondent is not null then
    perform formd.raise_problem('respondent_binding_requires_session', 'A respondent is bound by an operator, not by an API key.');
  end if;
  v_agent := formd.agent_require(p_team, p_operator, p_agent, true);
  select f.workspace_id into v_workspace from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such form.');
  end if;
  perform formd.operator_require(p_team, p_operator, v_workspace);
  if v_workspace <> v_agent.workspace_id then
    perform formd.raise_problem('workspace_mismatch', 'The form is in another workspace than the agent.');
  end if;

  insert into formd.grants (team_id, id, agent_id, form_id, scopes, created_at, updated_at)
  values (p_team, p_id, p_agent, p_form, p_scopes, v_now, v_now)
  on conflict (team_id, agent_id, form_id) do nothing;
  select * into v_grant from formd.grants g where g.team_id = p_team and g.agent_id = p_agent and g.form_id = p_form for update;
  if p_operator is null and (v_grant.binding_required and not p_binding_required or v_grant.respondent_id is not null and p_sets_respondent) then
    perform formd.raise_problem('respondent_binding_requires_session', 'A binding is loosened by an operator, not by an API key.');
  end if;
  v_grant.scopes := p_scopes;
  if p_sets_respondent and p_operator is not null then
    v_grant.respondent_id := p_respondent;
  end if;
  v_grant.binding_required := coalesce(p_binding_required, v_grant.binding_required);
  if v_grant.id <> p_id then
    v_grant.updated_at := greatest(v_now, v_grant.updated_at + interval '1 millisecond');
  end if;
  update formd.grants g
  set scopes = v_grant.scopes, respondent_id = v_grant.respondent_id, binding_required = v_grant.binding_required, updated_at = v_grant.updated_at
  where g.team_id = p_team and g.id = v_grant.id;
  return next v_grant;
end
$$;

create or replace function formd.grant_delete(p_team uuid, p_operator uuid, p_agent uuid, p_grant uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- DELETE /identity/agents/{agent_id}/grants/{grant_id}: the agent's next call on the form is refused.
-- Raises not_found, insufficient_workspace_role, conflict (agent revoked).
begin
  perform formd.agent_require(p_team, p_operator, p_agent, true);
  delete from formd.grants g where g.team_id = p_team and g.id = p_grant and g.agent_id = p_agent;
  if not found then
    perform formd.raise_problem('not_found', 'There is no such grant.');
  end if;
end
$$;
