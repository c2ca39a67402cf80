-- Links that make an operator: an invitation to a workspace, and the one that makes the first of all.

create or replace function formd.operator_invite(p_team uuid, p_actor formd.actor, p_workspace uuid,
  p_id uuid, p_email text, p_role text, p_token_hash bytea, p_lifetime interval,
  p_is_mailed boolean default false)
returns table (operator_id uuid, expires_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Invites a person to a role in a workspace, known or not, in place of an invitation before; who has a role
-- there gets the new one at once. operator_id is null for an invitation, expires_at for a change of role.
-- p_is_mailed: the link goes to the address alone, and is not shown.
-- Route: formd operator create, the console
-- Reads: operators
-- Writes: operator_invitations, workspace_roles, what audit_record writes
-- Locks: the workspace (workspace_lock), so that two actions on its roles see each other
-- Raises: not_found (workspace), insufficient_workspace_role (least role: admin), conflict (the last admin)
-- Index: operators_email_key, workspace_roles_pkey, operator_invitations_email_key
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_operator uuid;
  v_role text;
begin
  perform formd.workspace_lock(p_team, p_actor, p_workspace);
  select o.id into v_operator
  from formd.operators o where o.email = lower(p_email) and o.connection_id is null;
  select r.role into v_role
  from formd.workspace_roles r where r.team_id = p_team and r.workspace_id = p_workspace
    and r.operator_id = v_operator;
  if v_role is not null then
    if v_role <> p_role then
      update formd.workspace_roles r set role = p_role
      where r.team_id = p_team and r.workspace_id = p_workspace and r.operator_id = v_operator;
      perform formd.workspace_require_admin_left(p_team, p_actor, p_workspace);
      perform formd.audit_record(p_team, p_actor, 'operator.role_changed', null, v_operator,
        jsonb_build_object('email', lower(p_email), 'workspaceId', p_workspace, 'before', v_role, 'after',
        p_role));
    end if;
    return query select v_operator, null::timestamptz;
    return;
  end if;
  delete from formd.operator_invitations i
  where i.team_id = p_team and i.workspace_id = p_workspace and i.email = lower(p_email);
  insert into formd.operator_invitations
    (team_id, id, workspace_id, email, role, token_hash, invited_by, is_seen, created_at, expires_at)
  values (p_team, p_id, p_workspace, lower(p_email), p_role, p_token_hash, formd.operator_of(p_actor),
    (p_actor).type = 'operator' and not p_is_mailed, v_now, v_expires_at);
  perform formd.audit_record(p_team, p_actor, 'operator.invited', null, p_id,
    jsonb_build_object('email', lower(p_email), 'workspaceId', p_workspace, 'role', p_role));
  return query select null::uuid, v_expires_at::timestamptz;
end
$$;

create or replace function formd.operator_invitation_read(p_team uuid, p_token_hash bytea)
returns table (email text, role text, workspace_id uuid, workspace_name text, team_name text,
  expires_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- The invitation of a link. No row: it has expired, was used or ended, or its maker is no admin now.
-- Route: GET /console/invitation/{token}
-- Reads: operator_invitations, workspaces, workspace_roles, teams
-- Index: operator_invitations_token_key, workspaces_pkey, workspace_roles_pkey, teams_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  return query
  select i.email, i.role, w.id, w.name, (select t.name from formd.teams t where t.team_id = p_team),
    i.expires_at::timestamptz
  from formd.operator_invitations i
  join formd.workspaces w on w.team_id = i.team_id and w.id = i.workspace_id
  where i.team_id = p_team and i.token_hash = p_token_hash and i.expires_at > v_now
    and (i.invited_by is null or exists (
      select from formd.workspace_roles r
      where r.team_id = p_team and r.workspace_id = i.workspace_id and r.operator_id = i.invited_by
        and r.role = 'admin'));
end
$$;

create or replace function formd.operator_invitation_accept(p_team uuid, p_actor formd.actor,
  p_token_hash bytea, p_operator uuid, p_id uuid, p_salt text, p_hash bytea,
  p_session_hash bytea default null) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Gives the role of an invitation to the person whom it is for, and uses it up: p_operator, who is signed in
-- by the session of p_session_hash and whose other sessions end, or if that is null a new operator, p_id,
-- with the password.
-- Route: POST /console/invitation/{token}
-- Reads: operators
-- Writes: operators, workspace_roles, operator_invitations, operator_sessions, passkey_challenges, what
--   audit_record writes (the actor is the person; p_actor has the request id)
-- Locks: the operator; the invitation, so that of two uses one succeeds
-- Raises: not_found (the invitation), conflict (the account must sign in first, or has another address)
-- Index: operator_invitations_token_key, operators_email_key, operators_pkey, workspace_roles_pkey,
--   operator_sessions_operator_idx, passkey_challenges_operator_idx
-- Why: a link to a new password ends, since an admin elsewhere may have made it, who could take the role; so
--   does what is being registered, since the page has shown the person the passkeys that there were.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_email text;
  v_role text;
  v_workspace uuid;
  v_operator uuid;
  v_is_seen boolean;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  -- Before the invitation, as operator_remove locks them.
  perform from formd.operators o where o.id = p_operator for no key update;
  select i.email, i.role, i.workspace_id into v_email, v_role, v_workspace
  from formd.operator_invitation_read(p_team, p_token_hash) i;
  delete from formd.operator_invitations i where i.team_id = p_team and i.token_hash = p_token_hash
  returning i.is_seen into v_is_seen;
  if not found or v_email is null then
    perform formd.raise_problem('not_found', 'link_used');
  end if;
  if p_operator is null then
    insert into formd.operators (id, email, password_salt, password_hash, password_set_at, is_unconfirmed,
      created_at)
    values (p_id, v_email, p_salt, p_hash, v_now, v_is_seen, v_now)
    on conflict (email) where connection_id is null do nothing;
    if not found then
      perform formd.raise_problem('conflict', 'account_exists');
    end if;
    v_operator := p_id;
  else
    select o.id into v_operator
    from formd.operators o where o.id = p_operator and o.email = v_email and o.connection_id is null;
    if not found then
      perform formd.raise_problem('conflict', 'invitation_of_another');
    end if;
    update formd.operators o set reset_hash = null, reset_expires_at = null,
      is_unconfirmed = o.is_unconfirmed and v_is_seen
    where o.id = v_operator;
    delete from formd.passkey_challenges c where c.operator_id = v_operator;
    delete from formd.operator_sessions s
    where s.operator_id = v_operator and s.token_hash is distinct from p_session_hash;
  end if;
  insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
  values (p_team, v_workspace, v_operator, v_role, v_now)
  on conflict do nothing;
  if found then
    perform formd.audit_record(p_team, row('operator', v_operator, (p_actor).request_id)::formd.actor,
      'operator.added', null, v_operator,
      jsonb_build_object('email', v_email, 'workspaceId', v_workspace, 'role', v_role));
  end if;
end
$$;

create or replace function formd.operator_invitation_end(p_team uuid, p_actor formd.actor, p_workspace uuid,
  p_id uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends an invitation to a workspace.
-- Route: the console
-- Writes: operator_invitations, what audit_record writes
-- Locks: the workspace (workspace_lock)
-- Raises: not_found, insufficient_workspace_role (least role: admin)
-- Index: operator_invitations_pkey
declare
  v_email text;
begin
  perform formd.workspace_lock(p_team, p_actor, p_workspace);
  delete from formd.operator_invitations i where i.team_id = p_team and i.workspace_id = p_workspace
    and i.id = p_id
  returning i.email into v_email;
  if not found then
    perform formd.raise_problem('not_found', 'invitation_missing');
  end if;
  perform formd.audit_record(p_team, p_actor, 'operator.invitation_ended', null, p_id,
    jsonb_build_object('email', v_email, 'workspaceId', p_workspace));
end
$$;

create or replace function formd.setup_offer(p_token_hash bytea, p_lifetime interval) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Makes the link for the first operator, in place of the previous link. Returns true if no operator exists.
-- Route: the start of a server
-- Reads: operators
-- Writes: setup_links
-- Locks: the row of the link
-- Index: setup_links_pkey
declare
  v_expires_at timestamptz(3) := clock_timestamp() + p_lifetime;
begin
  perform from formd.operators o limit 1;
  if found then
    return false;
  end if;
  insert into formd.setup_links as l (is_only, token_hash, expires_at)
  values (true, p_token_hash, v_expires_at)
  on conflict (is_only) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at;
  return true;
end
$$;

create or replace function formd.setup_is_open(p_token_hash bytea) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Checks whether a link makes the first operator: it ends with that one, also by another way.
-- Route: GET /setup/{token}
-- Reads: setup_links, operators
-- Index: setup_links_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  perform from formd.setup_links l where l.is_only and l.token_hash = p_token_hash and l.expires_at > v_now
    and not exists (select from formd.operators);
  return found;
end
$$;

create or replace function formd.installation_read() returns table (is_set_up boolean, name text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns whether an operator exists, and the name of the only team; null with several teams.
-- Route: GET /
-- Reads: operators, teams
-- Index: operators_pkey
begin
  perform from formd.operators o limit 1;
  is_set_up := found;
  if is_set_up then
    select min(o.name) into name from (select t.name from formd.teams t limit 2) o having count(*) = 1;
  end if;
  return next;
end
$$;

create or replace function formd.setup_complete(
  p_team uuid, p_token_hash bytea, p_request_id text, p_name text, p_workspace uuid, p_workspace_name text,
  p_operator uuid, p_email text, p_salt text, p_hash bytea) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Creates the first operator, as admin of a new team with a workspace.
-- Route: POST /setup/{token}
-- Reads: operators
-- Writes: setup_links, teams, workspaces, operators, workspace_roles, what audit_record writes
-- Locks: operators (the table), so that of two first operators one succeeds
-- Raises: not_found (the link has expired, or there is an operator), bad_request (blank name)
-- Index: operators_pkey, setup_links_pkey
-- Why: one call, since what is half made could not be made again. All of it is the operator's action.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_actor formd.actor := row('operator', p_operator, p_request_id);
begin
  lock table formd.operators in share row exclusive mode;
  perform from formd.operators o;
  if found then
    perform formd.raise_problem('not_found', 'operator_exists');
  end if;
  delete from formd.setup_links l where l.is_only and l.token_hash = p_token_hash and l.expires_at > v_now;
  if not found then
    perform formd.raise_problem('not_found', 'link_expired');
  end if;
  perform formd.team_create(p_team => p_team, p_actor => v_actor, p_name => p_name,
    p_workspace => p_workspace, p_workspace_name => p_workspace_name);
  insert into formd.operators (id, email, password_salt, password_hash, created_at)
  values (p_operator, lower(p_email), p_salt, p_hash, v_now);
  insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
  values (p_team, p_workspace, p_operator, 'admin', v_now);
  perform formd.audit_record(p_team, v_actor, 'operator.added', null, p_operator,
    jsonb_build_object('email', lower(p_email), 'workspaceId', p_workspace, 'role', 'admin'));
end
$$;
