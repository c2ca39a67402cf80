-- Grants: what an agent may do on one form.

create or replace function formd.grant_list(p_team uuid, p_operator uuid, p_agent uuid, p_limit integer,
  p_offset bigint)
returns table (total integer, id uuid, agent_id uuid, form_id uuid, scopes text[], respondent_id uuid,
  binding_required boolean, respondent text, created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- A page of an agent's grants, newest first; one row with the total alone when the page is empty.
-- Route: GET /identity/agents/{agent_id}/grants
-- Reads: agents, grants
-- Raises: not_found (agent)
-- Index: grants_agent_form_key
begin
  perform from formd.agent_get(p_team, p_operator, p_agent);
  return query
  select t.total, page.id, page.agent_id, page.form_id, page.scopes, page.respondent_id,
    page.binding_required, page.respondent, page.created_at::timestamptz, page.updated_at::timestamptz
  from (select count(*)::integer as total from formd.grants g where g.team_id = p_team
    and g.agent_id = p_agent) t
  left join (
    select * from formd.grants g where g.team_id = p_team and g.agent_id = p_agent
    order by g.id desc limit p_limit offset p_offset) page on true
  order by page.id desc;
end
$$;

create or replace function formd.grant_row(p_grant formd.grants) returns formd.grant_row
language sql immutable as $$
-- A grant, as functions return it.
-- Why: as form_row.
select row(p_grant.id, p_grant.agent_id, p_grant.form_id, p_grant.scopes, p_grant.respondent_id,
  p_grant.binding_required, p_grant.respondent, p_grant.created_at, p_grant.updated_at)::formd.grant_row
$$;

create or replace function formd.grant_details(p_grant formd.grants) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- Details of a grant for the audit.
select jsonb_build_object('scopes', p_grant.scopes, 'respondentId', p_grant.respondent_id, 'bindingRequired',
  p_grant.binding_required, 'respondent', p_grant.respondent)
$$;

create or replace function formd.grant_upsert(p_team uuid, p_actor formd.actor, p_agent uuid, p_id uuid,
  p_form uuid, p_scopes text[], p_respondent_given boolean, p_respondent uuid, p_binding_required boolean,
  p_asserted boolean default null) returns setof formd.grant_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Grants an agent scopes on a form. Granting again replaces the scopes and keeps what is not given
-- (p_respondent_given false, p_binding_required null, p_asserted null). p_asserted: whether the agent submits
-- for the person of its session. What changes nothing leaves updated_at as it is.
-- Route: POST /identity/agents/{agent_id}/grants
-- Reads: agents, forms, workspace_roles
-- Writes: grants, what audit_record writes
-- Locks: the agent, the grant, the person whom it names, if agents submit for this person
-- Raises: in this order: submit_not_grantable_by_api_key, respondent_binding_requires_session, not_found
--   (agent), insufficient_workspace_role (least role: editor), conflict (agent revoked), not_found (form),
--   workspace_mismatch, bad_request (a respondent who is named and asserted)
-- Index: grants_agent_form_key
-- Why: an API key grants agent:read and agent:validate, and changes no binding. The rest takes an operator
--   with the role of admin or editor in the form's workspace, or a person at a terminal.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_is_person boolean := (p_actor).type in ('operator', 'cli') is true;
  v_agent_workspace uuid;
  v_form_workspace uuid;
  v_grant formd.grants;
  v_before jsonb;
begin
  if not v_is_person and 'agent:submit' = any (p_scopes) then
    perform formd.raise_problem('submit_not_grantable_by_api_key', 'submit_granted_by_operator');
  elsif not v_is_person and (p_respondent is not null or p_asserted) then
    perform formd.raise_problem('respondent_binding_requires_session', 'respondent_bound_by_operator');
  end if;
  v_agent_workspace := formd.agent_lock_for_write(p_team, p_actor, p_agent);
  select f.workspace_id into v_form_workspace from formd.forms f where f.team_id = p_team and f.id = p_form;
  if not found then
    perform formd.raise_problem('not_found', 'form_missing');
  end if;
  perform formd.workspace_require_role(p_team, p_actor, v_form_workspace, 'editor');
  if v_form_workspace <> v_agent_workspace then
    perform formd.raise_problem('workspace_mismatch', 'agent_elsewhere');
  end if;

  insert into formd.grants (team_id, id, agent_id, form_id, scopes, created_at, updated_at)
  values (p_team, p_id, p_agent, p_form, p_scopes, v_now, v_now)
  on conflict (team_id, agent_id, form_id) do nothing;
  select * into v_grant from formd.grants g where g.team_id = p_team and g.agent_id = p_agent
    and g.form_id = p_form for update;
  if not v_is_person
     and (v_grant.binding_required and not p_binding_required or v_grant.respondent_id is not null
       and p_respondent_given or v_grant.respondent is not null and not p_asserted) then
    perform formd.raise_problem('respondent_binding_requires_session', 'binding_loosened_by_operator');
  end if;
  if v_grant.id <> p_id then
    v_before := formd.grant_details(v_grant);
  end if;
  v_grant.scopes := p_scopes;
  if p_respondent_given and v_is_person then
    v_grant.respondent_id := p_respondent;
    perform formd.respondent_lock(p_team, p_respondent);
  end if;
  v_grant.binding_required := coalesce(p_binding_required, v_grant.binding_required);
  if p_asserted is not null then
    v_grant.respondent := case when p_asserted then 'asserted' end;
  end if;
  if v_grant.respondent is not null and v_grant.respondent_id is not null then
    perform formd.raise_problem('bad_request', 'respondent_named_twice');
  end if;
  if formd.grant_details(v_grant) = v_before then
    return next formd.grant_row(v_grant);
    return;
  end if;
  if v_grant.id <> p_id then
    v_grant.updated_at := greatest(v_now, v_grant.updated_at + interval '1 millisecond');
  end if;
  update formd.grants g
  set scopes = v_grant.scopes, respondent_id = v_grant.respondent_id,
    binding_required = v_grant.binding_required, respondent = v_grant.respondent,
    updated_at = v_grant.updated_at
  where g.team_id = p_team and g.id = v_grant.id;
  perform formd.audit_record(p_team, p_actor, 'grant.changed', p_form, v_grant.id,
    jsonb_build_object('agentId', p_agent, 'before', v_before, 'after', formd.grant_details(v_grant)));
  return next formd.grant_row(v_grant);
end
$$;

create or replace function formd.grant_remove(p_team uuid, p_actor formd.actor, p_agent uuid, p_grant uuid)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Deletes a grant: the agent's next call on the form is rejected.
-- Route: DELETE /identity/agents/{agent_id}/grants/{grant_id}
-- Writes: grants, what audit_record writes
-- Locks: the agent
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (agent revoked)
declare
  v_grant formd.grants;
begin
  perform formd.agent_lock_for_write(p_team, p_actor, p_agent);
  delete from formd.grants g where g.team_id = p_team and g.id = p_grant
    and g.agent_id = p_agent returning * into v_grant;
  if not found then
    perform formd.raise_problem('not_found', 'grant_missing');
  end if;
  perform formd.audit_record(p_team, p_actor, 'grant.deleted', v_grant.form_id, p_grant,
    jsonb_build_object('agentId', p_agent, 'before', formd.grant_details(v_grant)));
end
$$;
