-- Sign-in connections: identity providers (OpenID Connect) that vouch for persons, of a team or of the
-- installation. Whom one vouches for has an account of that connection and of no other, without a password.

create or replace function formd.connection_is_required(p_team uuid, p_operator uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Checks whether an account with a password is kept from a session in a team, because a connection of the
-- team or of the installation is required for the domain of its address.
-- Reads: operators, sign_in_connections
-- Index: operators_pkey, sign_in_connections_team_idx
-- Why: a password that was set at a terminal works for an hour, as operator_set_password says.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_domain text;
begin
  select substring(o.email from '@(.*)$') into v_domain
  from formd.operators o
  where o.id = p_operator and o.connection_id is null and (o.password_allowed_until_at > v_now) is not true;
  return exists (
    select from formd.sign_in_connections c
    where (c.team_id = p_team or c.team_id is null) and c.is_required and v_domain = any (c.email_domains));
end
$$;

create or replace function formd.connection_record(p_connection uuid, p_actor formd.actor, p_kind text,
  p_details jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Records an action on a connection: in its team, or for one of the installation in each team of its roles.
-- Reads: sign_in_connections
-- Writes: what audit_record writes
-- Index: sign_in_connections_pkey
declare
  v_team uuid;
begin
  for v_team in
    select c.team_id from formd.sign_in_connections c where c.id = p_connection and c.team_id is not null
    union
    select (r.role ->> 'teamId')::uuid
    from formd.sign_in_connections c, jsonb_array_elements(c.roles) as r (role) where c.id = p_connection
    order by 1
  loop
    perform formd.audit_record(v_team, p_actor, p_kind, null, p_connection, p_details);
  end loop;
end
$$;

create or replace function formd.sign_in_connection_create(p_team uuid, p_actor formd.actor, p_id uuid,
  p_name text, p_issuer text, p_client_id text, p_sealed_secret bytea, p_secret_key text,
  p_email_domains text[], p_groups_claim text, p_roles jsonb, p_is_required boolean,
  p_accepts_agents boolean default false, p_scopes text[] default '{}') returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Makes a connection: of a team, or with null of the installation, which a person at a terminal does.
-- p_roles: objects of group, workspaceId and role; the team of each is added.
-- Route: POST /console/connections/new, formd sign-in-connection create
-- Reads: teams, workspaces, what team_require_role reads
-- Writes: sign_in_connections, what audit_record writes
-- Locks: the table, so that of two at once the second is counted
-- Raises: unauthorized (no person), insufficient_workspace_role (least role: admin, in every workspace of the
--   team), bad_request (blank name, no domain), not_found (team, workspace), conflict (too many)
-- Index: sign_in_connections_team_idx, teams_pkey, workspaces_pkey
declare
  c_sign_in_connection_max_per_team constant integer := 5;
  v_now timestamptz(3) := clock_timestamp();
  v_count bigint;
  v_role jsonb;
  v_roles jsonb := jsonb_build_array();
  v_team uuid;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  perform formd.actor_require_person(p_actor);
  if p_team is null and (p_actor).type <> 'cli' then
    perform formd.raise_problem('unauthorized', 'connection_made_in_terminal');
  end if;
  perform from formd.teams t where t.team_id = p_team;
  if not found and p_team is not null then
    perform formd.raise_problem('not_found', 'team_missing');
  end if;
  perform formd.team_require_role(p_team, p_actor, 'admin');
  if formd.is_blank(p_name) or p_email_domains = '{}' then
    perform formd.raise_problem('bad_request', 'connection_unnamed');
  end if;
  lock table formd.sign_in_connections in share row exclusive mode;
  select count(*) into v_count
  from formd.sign_in_connections c where c.team_id is not distinct from p_team;
  if v_count >= c_sign_in_connection_max_per_team then
    perform formd.raise_problem('conflict', 'too_many_connections',
      jsonb_build_object('max', c_sign_in_connection_max_per_team));
  end if;
  for v_role in select r.role from jsonb_array_elements(p_roles) as r (role) loop
    select w.team_id into v_team from formd.workspaces w
    where (p_team is null or w.team_id = p_team) and w.id = (v_role ->> 'workspaceId')::uuid;
    if not found then
      perform formd.raise_problem('not_found', 'workspace_missing');
    end if;
    v_roles := v_roles || (v_role || jsonb_build_object('teamId', v_team));
  end loop;
  insert into formd.sign_in_connections (id, team_id, name, issuer, client_id, sealed_secret, secret_key,
    email_domains, groups_claim, scopes, roles, is_required, accepts_agents, created_at)
  values (p_id, p_team, p_name, p_issuer, p_client_id, p_sealed_secret, p_secret_key, p_email_domains,
    p_groups_claim, p_scopes, v_roles, p_is_required, p_accepts_agents, v_now);
  perform formd.connection_record(p_id, p_actor, 'sign_in_connection.created', jsonb_build_object(
    'name', p_name, 'issuer', p_issuer, 'emailDomains', p_email_domains, 'isRequired', p_is_required,
    'acceptsAgents', p_accepts_agents, 'scopes', p_scopes, 'isOfInstallation', p_team is null));
end
$$;

create or replace function formd.sign_in_connection_change(p_team uuid, p_actor formd.actor, p_id uuid,
  p_is_required boolean, p_accepts_agents boolean, p_scopes text[] default null) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Changes whether a connection refuses passwords, whether it names persons for agents, and the scopes that it
-- asks for; null: unchanged. Idempotent. One that names persons no more ends the sessions of agents for
-- persons by it. p_team is null for a person at a terminal, who may change any.
-- Route: POST /console/connections/change, formd sign-in-connection change
-- Writes: sign_in_connections, sessions, what audit_record writes
-- Locks: the connection; a change of accepts_agents waits for oauth_person_session_create, whose sessions it
--   then sees
-- Raises: unauthorized (no person), insufficient_workspace_role (least role: admin, in every workspace of the
--   team), not_found
-- Index: sign_in_connections_pkey, sessions_connection_idx
-- Why: nothing else of it changes, since an account would pass to another person.
declare
  v_was_required boolean;
  v_accepted_agents boolean;
  v_previous_scopes text[];
  v_is_required boolean;
  v_accepts_agents boolean;
  v_scopes text[];
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  perform formd.actor_require_person(p_actor);
  if p_team is null and (p_actor).type <> 'cli' then
    perform formd.raise_problem('unauthorized', 'connection_changed_in_terminal');
  end if;
  perform formd.team_require_role(p_team, p_actor, 'admin');
  select c.is_required, c.accepts_agents, c.scopes into v_was_required, v_accepted_agents, v_previous_scopes
  from formd.sign_in_connections c
  where c.id = p_id and (p_team is null or c.team_id = p_team) for no key update;
  if not found then
    perform formd.raise_problem('not_found', 'connection_missing');
  end if;
  v_is_required := coalesce(p_is_required, v_was_required);
  v_accepts_agents := coalesce(p_accepts_agents, v_accepted_agents);
  v_scopes := coalesce(p_scopes, v_previous_scopes);
  if (v_is_required, v_accepts_agents, v_scopes) = (v_was_required, v_accepted_agents, v_previous_scopes) then
    return;
  end if;
  update formd.sign_in_connections c
  set is_required = v_is_required, accepts_agents = v_accepts_agents, scopes = v_scopes
  where c.id = p_id;
  if not v_accepts_agents then
    delete from formd.sessions s where s.connection_id = p_id;
  end if;
  perform formd.connection_record(p_id, p_actor, 'sign_in_connection.changed', jsonb_build_object(
    'before', jsonb_build_object('isRequired', v_was_required, 'acceptsAgents', v_accepted_agents,
      'scopes', v_previous_scopes),
    'after', jsonb_build_object('isRequired', v_is_required, 'acceptsAgents', v_accepts_agents,
      'scopes', v_scopes)));
end
$$;

create or replace function formd.sign_in_connection_remove(p_team uuid, p_actor formd.actor, p_id uuid)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Removes a connection with the accounts of the persons whom it vouches for, their roles and sessions, and
-- the sessions of agents for persons by it. p_team is null for a person at a terminal, who may remove any.
-- Route: POST /console/connections/remove, formd sign-in-connection remove
-- Reads: workspaces
-- Writes: sign_in_connections, operators, workspace_roles, operator_sessions, what audit_record writes
-- Locks: the connection, so that no sign-in by it waits, then its operators in the order of their ids
-- Raises: unauthorized (no person), insufficient_workspace_role (least role: admin, in every workspace of the
--   team), not_found, conflict (the last admin)
-- Index: sign_in_connections_pkey, operators_connection_key, workspace_roles_operator_idx,
--   sessions_connection_idx
-- Why: the sessions go by their foreign key, which sees those that are being made. One machine after another
--   on Citus, as operator_set_password.
declare
  v_name text;
  v_operator uuid;
  v_email text;
  v_team uuid;
  v_workspace uuid;
  v_role text;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  perform formd.actor_require_person(p_actor);
  if p_team is null and (p_actor).type <> 'cli' then
    perform formd.raise_problem('unauthorized', 'connection_removed_in_terminal');
  end if;
  perform formd.team_require_role(p_team, p_actor, 'admin');
  select c.name into v_name from formd.sign_in_connections c
  where c.id = p_id and (p_team is null or c.team_id = p_team) for update;
  if not found then
    perform formd.raise_problem('not_found', 'connection_missing');
  end if;
  for v_operator, v_email in
    select o.id, o.email from formd.operators o where o.connection_id = p_id order by o.id for update
  loop
    for v_team, v_workspace, v_role in
      delete from formd.workspace_roles r where r.operator_id = v_operator
      returning r.team_id, r.workspace_id, r.role
    loop
      perform formd.workspace_require_admin_left(v_team, p_actor, v_workspace);
      perform formd.audit_record(v_team, p_actor, 'operator.removed', null, v_operator,
        jsonb_build_object('email', v_email, 'workspaceId', v_workspace, 'role', v_role));
    end loop;
    delete from formd.operator_sessions s where s.operator_id = v_operator;
    delete from formd.operators o where o.id = v_operator;
  end loop;
  perform formd.connection_record(p_id, p_actor, 'sign_in_connection.removed',
    jsonb_build_object('name', v_name));
  delete from formd.sign_in_connections c where c.id = p_id;
end
$$;

create or replace function formd.sign_in_connection_reseal(p_id uuid, p_sealed_before bytea,
  p_sealed_secret bytea, p_secret_key text) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Puts the client secret of a connection, encrypted by another master key, in place of the one that was read.
-- Returns whether that one was still there.
-- Route: none: formd secret rotate
-- Writes: sign_in_connections
-- Index: sign_in_connections_pkey
begin
  update formd.sign_in_connections c set sealed_secret = p_sealed_secret, secret_key = p_secret_key
  where c.id = p_id and c.sealed_secret = p_sealed_before;
  return found;
end
$$;

create or replace function formd.connection_roles(p_connection uuid, p_groups text[])
returns table (team_id uuid, workspace_id uuid, role text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- The roles that a connection gives to who is in these groups: per workspace the highest.
-- Reads: sign_in_connections
-- Index: sign_in_connections_pkey
declare
  c_ascending constant text[] := array['viewer', 'editor', 'admin'];
begin
  return query
  select distinct on (m.workspace) m.team, m.workspace, m.role
  from (
    select (r.role ->> 'teamId')::uuid as team, (r.role ->> 'workspaceId')::uuid as workspace,
      r.role ->> 'role' as role, r.role ->> 'group' as name
    from formd.sign_in_connections c, jsonb_array_elements(c.roles) as r (role)
    where c.id = p_connection) m
  where m.name = '*' or m.name = any (p_groups)
  order by m.workspace, array_position(c_ascending, m.role) desc;
end
$$;

create or replace function formd.connection_roles_set(p_operator uuid, p_actor formd.actor,
  p_connection uuid, p_email text, p_groups text[]) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Gives an operator the roles of connection_roles and no others, and ends the sessions in teams without one.
-- Reads: sign_in_connections
-- Writes: workspace_roles, operator_sessions, what audit_record writes
-- Index: workspace_roles_pkey, workspace_roles_operator_idx, operator_sessions_operator_idx
-- Why: the identity provider decides, also on the last admin of a team; a terminal is the way back in.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_team uuid;
  v_workspace uuid;
  v_before text;
  v_role text;
  v_kept uuid[] := array[]::uuid[];
  v_teams uuid[] := array[]::uuid[];
begin
  for v_team, v_workspace, v_role in
    select r.team_id, r.workspace_id, r.role from formd.connection_roles(p_connection, p_groups) r
    order by r.team_id, r.workspace_id
  loop
    v_kept := v_kept || v_workspace;
    v_teams := v_teams || v_team;
    select r.role into v_before from formd.workspace_roles r
    where r.team_id = v_team and r.workspace_id = v_workspace and r.operator_id = p_operator;
    if not found then
      insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
      values (v_team, v_workspace, p_operator, v_role, v_now);
      perform formd.audit_record(v_team, p_actor, 'operator.added', null, p_operator, jsonb_build_object(
        'email', p_email, 'workspaceId', v_workspace, 'role', v_role, 'connectionId', p_connection));
    elsif v_before <> v_role then
      update formd.workspace_roles r set role = v_role
      where r.team_id = v_team and r.workspace_id = v_workspace and r.operator_id = p_operator;
      perform formd.audit_record(v_team, p_actor, 'operator.role_changed', null, p_operator,
        jsonb_build_object('email', p_email, 'workspaceId', v_workspace, 'before', v_before, 'after', v_role,
        'connectionId', p_connection));
    end if;
  end loop;
  for v_team, v_workspace, v_role in
    delete from formd.workspace_roles r where r.operator_id = p_operator and r.workspace_id <> all (v_kept)
    returning r.team_id, r.workspace_id, r.role
  loop
    perform formd.audit_record(v_team, p_actor, 'operator.removed', null, p_operator, jsonb_build_object(
      'email', p_email, 'workspaceId', v_workspace, 'role', v_role, 'connectionId', p_connection));
  end loop;
  delete from formd.operator_sessions s where s.operator_id = p_operator and s.team_id <> all (v_teams);
end
$$;

create or replace function formd.operator_login_connection(p_connection uuid, p_team uuid,
  p_actor formd.actor, p_operator uuid, p_subject text, p_email text, p_groups text[], p_proof interval,
  p_provider_session text, p_session uuid, p_token_hash bytea, p_lifetime interval, p_device text,
  p_client_ip text) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Prepares a session in p_team of the person whom an identity provider has vouched for, with the roles that
-- the person's groups give now; operator_session_take opens it. p_operator: the account that the first
-- sign-in makes. p_email: null unless the provider has verified it. p_proof: how long ago the person has
-- proved to be there. p_token_hash, p_lifetime: of what the browser keeps until then. Returns the outcome.
-- Route: GET /console/sign-in/{connection_id}/callback
-- Reads: sign_in_connections
-- Writes: operators, workspace_roles, operator_sessions, what audit_record writes (the actor is the operator;
--   p_actor has the request id), what operator_sign_in_failed writes
-- Locks: the operator; the foreign key of a new one locks the connection, so that no account outlives it
-- Outcomes: allowed, unknown_connection, email (not verified, or of no domain of the connection), no_role (in
--   p_team; the roles and sessions that the person had are gone then)
-- Index: sign_in_connections_pkey, operators_connection_key
-- Why: never an account with a password, whatever its address: the provider is trusted by its team alone. One
--   machine after another on Citus, as operator_set_password.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_proved_at timestamptz(3) := v_now - p_proof;
  v_email text := lower(p_email);
  v_before text;
  v_domains text[];
  v_operator uuid;
  v_actor formd.actor;
  v_outcome text;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  select c.email_domains into v_domains
  from formd.sign_in_connections c where c.id = p_connection;
  if not found then
    return 'unknown_connection';
  end if;
  select o.id, o.email into v_operator, v_before
  from formd.operators o where o.connection_id = p_connection and o.subject = p_subject for no key update;
  if (substring(v_email from '@(.*)$') = any (v_domains)) is not true then
    v_outcome := 'email';
  elsif not exists (
    select from formd.connection_roles(p_connection, p_groups) r where r.team_id = p_team) then
    v_outcome := 'no_role';
  end if;
  if v_outcome is not null then
    if v_operator is not null then
      perform formd.operator_sign_in_failed(v_operator, p_actor);
    end if;
    if v_operator is not null and v_outcome = 'no_role' then
      v_actor := row('operator', v_operator, (p_actor).request_id);
      perform formd.connection_roles_set(v_operator, v_actor, p_connection, v_before, p_groups);
    end if;
    return v_outcome;
  end if;
  if v_operator is null then
    begin
      insert into formd.operators (id, email, connection_id, subject, created_at)
      values (p_operator, v_email, p_connection, p_subject, v_now)
      on conflict (connection_id, subject) where connection_id is not null do update
      set email = excluded.email
      returning id into v_operator;
    exception when foreign_key_violation then
      return 'unknown_connection';
    end;
  end if;
  v_actor := row('operator', v_operator, (p_actor).request_id);
  perform formd.connection_roles_set(v_operator, v_actor, p_connection, v_email, p_groups);
  if v_before <> v_email then
    update formd.operators o set email = v_email where o.id = v_operator;
    perform formd.audit_record(p_team, v_actor, 'operator.email_changed', null, v_operator,
      jsonb_build_object('before', v_before, 'after', v_email, 'connectionId', p_connection));
  end if;
  insert into formd.operator_sessions (team_id, id, operator_id, token_hash, device, client_ip, created_at,
    proved_at, provider_session, seen_at, expires_at)
  values (p_team, p_session, v_operator, p_token_hash, p_device, p_client_ip, v_now, v_proved_at,
    p_provider_session, v_now, v_expires_at);
  return 'allowed';
end
$$;

create or replace function formd.operator_session_take(p_team uuid, p_actor formd.actor,
  p_prepared_hash bytea, p_token_hash bytea, p_lifetime interval) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Opens the session that operator_login_connection has prepared, under a token of its own. False: it has
-- expired, was opened or refused before, or the provider has ended it.
-- Route: POST /console/sign-in/{connection_id}/continue
-- Reads: operators
-- Writes: operator_sessions, what audit_record writes (the actor is the operator; p_actor has the request id)
-- Index: operator_sessions_token_key, operators_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_session uuid;
  v_operator uuid;
begin
  update formd.operator_sessions s
  set token_hash = p_token_hash, seen_at = v_now, expires_at = v_now + p_lifetime
  where s.team_id = p_team and s.token_hash = p_prepared_hash and s.expires_at > v_now
  returning s.id, s.operator_id into v_session, v_operator;
  if not found then
    return false;
  end if;
  perform formd.audit_record(p_team, row('operator', v_operator, (p_actor).request_id)::formd.actor,
    'session.operator_started', null, v_session, jsonb_build_object('connectionId', (
      select o.connection_id from formd.operators o where o.id = v_operator)));
  return true;
end
$$;

create or replace function formd.operator_logout_connection(p_connection uuid, p_actor formd.actor,
  p_subject text, p_provider_session text) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Ends sessions that an identity provider says have ended (OpenID Connect Back-Channel Logout): of a subject,
-- of one of the provider's sessions, or of that session of that subject. Returns how many. Idempotent.
-- Route: POST /console/sign-in/{connection_id}/logout
-- Reads: operators
-- Writes: operator_sessions, what audit_record writes (as the session's operator)
-- Locks: the operators, in the order of their ids, so that no sign-in that is in progress survives
-- Index: operators_connection_key, operators_pkey, operator_sessions_operator_idx
declare
  v_operators uuid[];
  v_operator uuid;
  v_team uuid;
  v_session uuid;
  v_count integer := 0;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  if p_subject is not null then
    v_operators := array(
      select o.id from formd.operators o where o.connection_id = p_connection and o.subject = p_subject);
  else
    v_operators := array(
      select s.operator_id from formd.operator_sessions s join formd.operators o on o.id = s.operator_id
      where o.connection_id = p_connection and s.provider_session = p_provider_session);
  end if;
  for v_operator in
    select o.id from formd.operators o where o.id = any (v_operators) order by o.id for no key update
  loop
    for v_team, v_session in
      delete from formd.operator_sessions s
      where s.operator_id = v_operator
        and (p_provider_session is null or s.provider_session = p_provider_session)
      returning s.team_id, s.id
    loop
      v_count := v_count + 1;
      perform formd.audit_record(v_team, row('operator', v_operator, (p_actor).request_id)::formd.actor,
        'session.operator_ended', null, v_session, jsonb_build_object('connectionId', p_connection));
    end loop;
  end loop;
  return v_count;
end
$$;
