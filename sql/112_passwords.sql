-- Passwords of operators: given again before a risky action, changed, and set by a link or at a terminal.

create or replace function formd.operator_password_settle(p_operator uuid, p_actor formd.actor,
  p_is_mailed boolean, p_token_hash bytea default null, p_keeps_passkeys boolean default false,
  out passkeys text[], out sessions integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- After a new password: ends all else that enters the account, and news feeds. Returns the names of the
-- passkeys, unless they are kept, and how many sessions, except the one of p_token_hash. p_is_mailed: the
-- operator gets a mail about it.
-- Reads: what operator_team reads
-- Writes: operator_passkeys, passkey_challenges, operator_sessions, form_followers, what operator_record and
--   mail_operators_record write
-- Locks: the passkeys, then the sessions: see passkey_use. The caller has locked the operator.
-- Index: operator_passkeys_operator_idx, passkey_challenges_operator_idx, operator_sessions_operator_idx,
--   form_followers_role_idx
-- Why: a person sets a new password against a thief, who may have registered any of them. A passkey whose
--   registration waits for the operator finds no challenge. A device cookie ends with password_set_at.
declare
  v_team uuid := formd.operator_team(p_operator);
begin
  passkeys := array[]::text[];
  delete from formd.passkey_challenges c where c.operator_id = p_operator;
  if not p_keeps_passkeys then
    with removed as (delete from formd.operator_passkeys p where p.operator_id = p_operator returning p.name)
    select coalesce(array_agg(r.name order by r.name), '{}') into passkeys from removed r;
  end if;
  delete from formd.operator_sessions s
  where s.operator_id = p_operator and s.token_hash is distinct from p_token_hash;
  get diagnostics sessions = row_count;
  update formd.form_followers w set feed_hash = null, feed_made_at = null
  where w.operator_id = p_operator and w.feed_hash is not null;
  perform formd.operator_record(p_operator, p_actor, 'operator.password_changed', p_operator,
    jsonb_build_object('passkeysRemoved', to_jsonb(passkeys), 'sessionsEnded', sessions));
  if p_is_mailed and v_team is not null then
    perform formd.mail_operators_record(v_team, 'password', p_operator, array[p_operator]);
  end if;
end
$$;

create or replace function formd.operator_set_password(p_actor formd.actor, p_email text, p_salt text,
  p_hash bytea, p_is_mailed boolean default false, out id uuid, out passkeys text[], out sessions integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Replaces an operator's password, and ends all else that enters the account (operator_password_settle). For
-- an hour the password works although a connection is required: the way back in when an identity provider
-- fails.
-- Route: formd operator set-password
-- Writes: operators, what operator_password_settle writes
-- Locks: the operator, which a login in progress locks as well
-- Raises: not_found
-- Index: operators_email_key
-- Why: one machine after another on Citus, since operators and rows of several teams change at once.
declare
  c_sign_in_connection_way_back_minutes constant integer := 60;
  v_now timestamptz(3) := clock_timestamp();
  v_allowed_until timestamptz(3) := v_now + make_interval(mins => c_sign_in_connection_way_back_minutes);
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  update formd.operators o set password_salt = p_salt, password_hash = p_hash, password_set_at = v_now,
    is_unconfirmed = false, reset_hash = null, reset_expires_at = null,
    password_allowed_until_at = v_allowed_until
  where o.email = lower(p_email) and o.connection_id is null returning o.id into operator_set_password.id;
  if not found then
    perform formd.raise_problem('not_found', 'email_unknown');
  end if;
  select s.passkeys, s.sessions into operator_set_password.passkeys, operator_set_password.sessions
  from formd.operator_password_settle(operator_set_password.id, p_actor, p_is_mailed) s;
end
$$;

create or replace function formd.operator_proof_admit(p_team uuid, p_token_hash bytea, p_limit integer,
  out outcome text, out password_salt text, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Counts a password that a session's operator gives again, and returns what its hash is derived with.
-- Route: POST /console/account/password, what asks for the password again
-- Reads: operators, what operator_of_session reads
-- Writes: rate_limits
-- Locks: the operator's rate limit
-- Outcomes: allowed, unauthorized (no session), rate_limited
-- Index: operators_pkey
-- Why: a cookie must not let anyone try passwords faster. operator_prove takes back the count of a right one.
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_operator uuid := formd.operator_of_session(p_team, p_token_hash);
  v_allowed boolean;
begin
  select o.password_salt into password_salt from formd.operators o where o.id = v_operator;
  if not found then
    outcome := 'unauthorized';
    return;
  end if;
  select r.allowed, r.remaining, r.reset_ms into v_allowed, remaining, reset_ms
  from formd.rate_limit_count('login:proof:' || v_operator, p_limit, c_rate_limit_window_ms) r;
  outcome := case when v_allowed then 'allowed' else 'rate_limited' end;
end
$$;

create or replace function formd.operator_prove(p_team uuid, p_token_hash bytea, p_password_hash bytea)
  returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Marks a session as one whose operator gave the password now. Returns whether it is the operator's.
-- Route: what asks for the password again
-- Reads: operators
-- Writes: operator_sessions, rate_limits
-- Locks: the session, the operator's rate limit
-- Index: operator_sessions_token_key, operators_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_operator uuid := formd.operator_of_session(p_team, p_token_hash);
begin
  perform from formd.operators o where o.id = v_operator and o.password_hash = p_password_hash;
  if not found then
    return false;
  end if;
  update formd.operator_sessions s set proved_at = v_now where s.team_id = p_team
    and s.token_hash = p_token_hash;
  perform formd.rate_limit_refund('login:proof:' || v_operator);
  return true;
end
$$;

create or replace function formd.operator_change_password(p_team uuid, p_actor formd.actor,
  p_token_hash bytea, p_password_hash bytea, p_salt text, p_hash bytea,
  p_keeps_passkeys boolean default false, p_is_mailed boolean default false,
  out is_changed boolean, out passkeys text[], out sessions integer, out set_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Replaces the password of a session's operator, if p_password_hash is the one before, and ends all else that
-- enters the account (operator_password_settle) but the session, and the passkeys where they are kept.
-- Route: POST /console/account/password
-- Writes: operators, operator_sessions, rate_limits, what operator_password_settle writes (as the session's
--   operator)
-- Locks: the operator, which sign-ins and switches lock as well: none that waits survives
-- Index: operator_sessions_token_key, operators_pkey
-- Why: one machine after another on Citus, as operator_set_password.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_operator uuid := formd.operator_of_session(p_team, p_token_hash);
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  update formd.operators o set password_salt = p_salt, password_hash = p_hash, password_set_at = v_now,
    reset_hash = null, reset_expires_at = null
  where o.id = v_operator and o.password_hash = p_password_hash;
  is_changed := found;
  set_at := v_now;
  if not found then
    return;
  end if;
  select s.passkeys, s.sessions into operator_change_password.passkeys, operator_change_password.sessions
  from formd.operator_password_settle(v_operator,
    row('operator', v_operator, (p_actor).request_id)::formd.actor, p_is_mailed, p_token_hash,
    p_keeps_passkeys) s;
  update formd.operator_sessions s set proved_at = v_now where s.team_id = p_team
    and s.token_hash = p_token_hash;
  perform formd.rate_limit_refund('login:proof:' || v_operator);
end
$$;

create or replace function formd.operator_reset_make(p_team uuid, p_actor formd.actor, p_operator uuid,
  p_hash bytea, p_lifetime interval) returns timestamptz
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Makes the link by which an operator chooses a new password, and ends the previous one. Returns its expiry.
-- Route: formd operator reset-link (p_team: null), the console, the mail to who asks for a new password
-- Reads: workspace_roles
-- Writes: operators, what operator_record writes
-- Locks: the operator
-- Raises: unauthorized (no person), not_found (no operator, or none with a role in the team),
--   insufficient_workspace_role (least role: admin), conflict (roles elsewhere, or a connection)
-- Index: operators_pkey, workspace_roles_operator_idx
-- Why: who makes the link can take the account over, so it is for accounts without a role elsewhere: the same
--   admin rules all of it already.
declare
  v_workspaces uuid[];
  v_connection uuid;
  v_expires_at timestamptz(3) := clock_timestamp() + p_lifetime;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  if (p_actor).type is distinct from 'anonymous' then
    perform formd.actor_require_person(p_actor);
  end if;
  select o.connection_id into v_connection from formd.operators o where o.id = p_operator for update;
  if not found then
    perform formd.raise_problem('not_found', 'operator_missing');
  end if;
  if (p_actor).type = 'operator' then
    perform from formd.workspace_roles r where r.operator_id = p_operator and r.team_id = p_team;
    if not found then
      perform formd.raise_problem('not_found', 'operator_missing');
    end if;
    perform from formd.workspace_roles r
    join formd.workspace_roles a on a.team_id = r.team_id and a.workspace_id = r.workspace_id
    where r.operator_id = p_operator and r.team_id = p_team and a.operator_id = (p_actor).id
      and a.role = 'admin';
    if not found then
      perform formd.raise_problem('insufficient_workspace_role', 'admin_required');
    end if;
    v_workspaces := array(select a.workspace_id from formd.workspace_roles a
      where a.team_id = p_team and a.operator_id = (p_actor).id and a.role = 'admin');
    perform from formd.workspace_roles r
    where r.operator_id = p_operator and (r.team_id <> p_team or r.workspace_id <> all (v_workspaces));
    if found then
      perform formd.raise_problem('conflict', 'operator_elsewhere');
    end if;
  end if;
  if v_connection is not null then
    perform formd.raise_problem('conflict', 'operator_without_password');
  end if;
  update formd.operators o set reset_hash = p_hash, reset_expires_at = v_expires_at,
    reset_made_by = formd.operator_of(p_actor)
  where o.id = p_operator;
  perform formd.operator_record(p_operator, p_actor, 'operator.reset_link_made', p_operator);
  return v_expires_at;
end
$$;

create or replace function formd.operator_entries(p_operator uuid,
  out passkeys text[], out sessions integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Everything besides the password by which an account can be entered: the names of its passkeys, and how many
-- sessions it has.
-- Route: formd bootstrap, formd operator create
-- Reads: operator_passkeys, operator_sessions
-- Index: operator_passkeys_operator_idx, operator_sessions_operator_idx
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  passkeys := array(select p.name from formd.operator_passkeys p
    where p.operator_id = p_operator order by p.name);
  sessions := (select count(*) from formd.operator_sessions s
    where s.operator_id = p_operator and s.expires_at > v_now);
end
$$;

create or replace function formd.operator_administers(p_admin uuid, p_operator uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- True if the first operator is an admin wherever the second has a role. Null: a terminal or a mail, always.
-- Reads: workspace_roles
-- Index: workspace_roles_operator_idx, workspace_roles_pkey
-- Why: a statement per team, since Citus joins no two of its teams.
declare
  v_team uuid;
  v_workspace uuid;
begin
  for v_team, v_workspace in
    select r.team_id, r.workspace_id from formd.workspace_roles r
    where r.operator_id = p_operator and p_admin is not null
  loop
    perform from formd.workspace_roles a
    where a.team_id = v_team and a.workspace_id = v_workspace and a.operator_id = p_admin
      and a.role = 'admin';
    if not found then
      return false;
    end if;
  end loop;
  return true;
end
$$;

create or replace function formd.operator_reset_read(p_operator uuid, p_hash bytea)
  returns table (email text, required_team uuid, passkeys text[], sessions integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- The e-mail of the operator whose reset link this is, the team that would refuse the new password, since
-- every team of the operator requires a connection, and what the new password ends (operator_entries). No
-- row: the link is not valid any more, or never was.
-- Route: GET /console/reset/{token}
-- Reads: operators, what operator_team, operator_administers and operator_entries read
-- Index: operators_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_team uuid := formd.operator_team(p_operator);
  v_made_by uuid;
  v_passkeys text[];
  v_sessions integer;
begin
  select o.reset_made_by into v_made_by from formd.operators o where o.id = p_operator;
  if not formd.operator_administers(v_made_by, p_operator) then
    return;
  end if;
  select e.passkeys, e.sessions into v_passkeys, v_sessions from formd.operator_entries(p_operator) e;
  return query
  select o.email, case when formd.connection_is_required(v_team, p_operator) then v_team end, v_passkeys,
    v_sessions
  from formd.operators o where o.id = p_operator and o.reset_hash = p_hash and o.reset_expires_at > v_now;
end
$$;

create or replace function formd.operator_reset(p_actor formd.actor, p_operator uuid, p_hash bytea,
  p_salt text, p_password_hash bytea, p_is_mailed boolean default false,
  out passkeys text[], out sessions integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Sets the password that an operator chose by a reset link, which ends, as does all else that enters the
-- account (operator_password_settle).
-- Route: POST /console/reset/{token}
-- Reads: what operator_administers reads
-- Writes: operators, what operator_password_settle writes (as the operator)
-- Locks: the operator, so that of two uses one succeeds
-- Raises: not_found (the link has expired or was used, or its maker is no admin now)
-- Index: operators_pkey
-- Why: one machine after another on Citus, as operator_set_password.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_made_by uuid;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  select o.reset_made_by into v_made_by from formd.operators o
  where o.id = p_operator and o.reset_hash = p_hash and o.reset_expires_at > v_now for update;
  if not found or not formd.operator_administers(v_made_by, p_operator) then
    perform formd.raise_problem('not_found', 'link_used');
  end if;
  update formd.operators o
  set password_salt = p_salt, password_hash = p_password_hash, password_set_at = v_now,
    is_unconfirmed = v_made_by is not null, reset_hash = null, reset_expires_at = null, reset_made_by = null
  where o.id = p_operator;
  select s.passkeys, s.sessions into operator_reset.passkeys, operator_reset.sessions
  from formd.operator_password_settle(p_operator,
    row('operator', p_operator, (p_actor).request_id)::formd.actor, p_is_mailed) s;
end
$$;
