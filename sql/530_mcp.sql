-- Permissions of MCP clients: the forms of an agent, the scopes of an API key.

create or replace function formd.mcp_agent_forms(p_team uuid, p_token_hash bytea, p_limit integer,
  p_offset bigint)
returns table (outcome text, agent_id uuid, total integer, id uuid, name text, description text,
  version integer, scopes text[], token_scopes text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- The agent of a session, with a page of the published forms that it has grants for, newest grant first; one
-- row without a form when the page is empty. token_scopes: null: every scope.
-- Route: POST /mcp
-- Reads: sessions, agents, grants, forms, form_versions
-- Outcomes: unauthorized, agent_inactive, allowed.
-- Index: sessions_token_key, agents_pkey, grants_agent_form_key, forms_pkey, form_versions_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_status text;
  v_workspace uuid;
  v_person uuid;
begin
  select a.id, a.status, a.workspace_id, s.scopes, s.respondent_id
  into agent_id, v_status, v_workspace, token_scopes, v_person
  from formd.sessions s
  join formd.agents a on a.team_id = p_team and a.id = s.agent_id
  where s.team_id = p_team and s.token_hash = p_token_hash and s.expires_at > v_now;
  if not found or v_status <> 'active' then
    outcome := case when found then 'agent_inactive' else 'unauthorized' end;
    return next;
    return;
  end if;
  return query
  with visible as not materialized (
    select g.id as grant_id, v.form_id, v.name, v.description, v.version, g.scopes
    from formd.grants g
    join formd.forms f on f.team_id = p_team and f.id = g.form_id and f.workspace_id = v_workspace
      and f.status = 'published'
    join formd.form_versions v on v.team_id = p_team and v.form_id = f.id and v.version = f.current_version
    where g.team_id = p_team and g.agent_id = mcp_agent_forms.agent_id
      and (v_person is null or g.respondent is not null or g.respondent_id = v_person)
  )
  select 'allowed', mcp_agent_forms.agent_id, t.total, page.form_id, page.name, page.description,
    page.version, page.scopes, mcp_agent_forms.token_scopes
  from (select count(*)::integer as total from visible) t
  left join (select * from visible order by visible.grant_id desc limit p_limit offset p_offset) page on true
  order by page.grant_id desc;
end
$$;

create or replace function formd.mcp_owner_scopes(p_team uuid, p_hash bytea,
  out outcome text, out api_key_id uuid, out scopes text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- The scopes of an API key.
-- Route: POST /mcp
-- Reads: api_keys
-- Outcomes: unauthorized, allowed.
-- Index: api_keys_hash_key
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  select 'allowed', k.id, k.scopes into outcome, api_key_id, scopes
  from formd.api_keys k
  where k.team_id = p_team and k.key_hash = p_hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > v_now);
  if not found then
    outcome := 'unauthorized';
  end if;
end
$$;
