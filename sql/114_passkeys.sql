-- Passkeys of operators (WebAuthn level 3): registered, used to sign in and before risky actions, removed.

create or replace function formd.passkey_challenge_make(p_hash bytea, p_operator uuid, p_ip text, p_site text,
  p_limit integer, p_site_limit integer, p_lifetime interval,
  out outcome text, out limit_name text, out remaining integer, out reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Stores the challenge of one ceremony: to register (p_operator), or to sign in (null; also the state of a
-- sign-in by a connection), which counts as a sign-in of the client IP and of its IPv6 site (null: none).
-- Route: POST /console/sign-in/passkey, POST /console/account/passkeys/new,
--   GET /console/sign-in/{connection_id}
-- Writes: passkey_challenges, rate_limits
-- Locks: the rate limits, the site's first
-- Outcomes: allowed, rate_limited (by limit_name)
-- Why: one round trip for a sign-in's options. Stored, so that a response is accepted once, by any server.
declare
  c_rate_limit_window_ms constant integer := 60000;
  v_allowed boolean := true;
begin
  if p_operator is null and p_site is not null then
    limit_name := 'site';
    select r.allowed, r.remaining, r.reset_ms into v_allowed, remaining, reset_ms
    from formd.rate_limit_take('login:site:' || p_site, p_site_limit, c_rate_limit_window_ms) r;
  end if;
  if v_allowed and p_operator is null then
    limit_name := 'ip';
    select r.allowed, r.remaining, r.reset_ms into v_allowed, remaining, reset_ms
    from formd.rate_limit_take('login:ip:' || p_ip, p_limit, c_rate_limit_window_ms) r;
  end if;
  outcome := case when v_allowed then 'allowed' else 'rate_limited' end;
  if v_allowed then
    insert into formd.passkey_challenges (challenge_hash, operator_id, expires_at)
    values (p_hash, p_operator, clock_timestamp() + p_lifetime);
  end if;
end
$$;

create or replace function formd.passkey_challenge_use(p_hash bytea, p_operator uuid) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Uses a challenge up. Returns whether it was one: of this operator to register, or with null of a sign-in.
-- Route: GET /console/sign-in/{connection_id}/callback
-- Writes: passkey_challenges
-- Index: passkey_challenges_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  delete from formd.passkey_challenges c
  where c.challenge_hash = p_hash and c.operator_id is not distinct from p_operator and c.expires_at > v_now;
  return found;
end
$$;

create or replace function formd.passkey_find(p_challenge_hash bytea, p_credential_id bytea,
  out is_fresh boolean, out passkey_id uuid, out operator_id uuid, out public_key bytea, out counter bigint,
  out email text, out team_id uuid)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Uses the challenge of a sign-in up, and returns the values that verify the response: the passkey, its
-- operator, and the team of operator_team. Nulls: the passkey does not exist.
-- Route: POST /console/sign-in, what asks for a passkey
-- Reads: operator_passkeys, operators, what operator_team reads
-- Writes: passkey_challenges
-- Index: operator_passkeys_credential_key, operators_pkey
begin
  is_fresh := formd.passkey_challenge_use(p_challenge_hash, null);
  select p.id, p.operator_id, p.public_key, p.counter, o.email
  into passkey_id, operator_id, public_key, counter, email
  from formd.operator_passkeys p, formd.operators o
  where p.credential_id = p_credential_id and o.id = p.operator_id;
  team_id := formd.operator_team(operator_id);
end
$$;

create or replace function formd.passkey_use(p_id uuid, p_counter bigint) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Marks a passkey as used. Returns its operator; null when the signature counter did not increase, as of a
-- copy (WebAuthn level 3, section 6.1.1: 0 is of an authenticator that does not count), or it was removed.
-- Reads: operators
-- Writes: operator_passkeys
-- Locks: the operator, then the passkey
-- Index: operator_passkeys_pkey, operators_pkey
-- Why: a removal deletes the passkey before the sessions, so that none outlives it: it waits for this lock. A
--   removal of the operator locks that one first and its passkeys last, as this does.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_operator uuid;
begin
  select p.operator_id into v_operator from formd.operator_passkeys p where p.id = p_id;
  perform from formd.operators o where o.id = v_operator for no key update;
  update formd.operator_passkeys p set counter = p_counter, last_used_at = v_now
  where p.id = p_id and (p_counter > p.counter or (p_counter = 0 and p.counter = 0))
  returning p.operator_id into v_operator;
  return v_operator;
end
$$;

create or replace function formd.operator_login_passkey(p_team uuid, p_actor formd.actor, p_passkey uuid,
  p_counter bigint, p_session uuid, p_token_hash bytea, p_lifetime interval, p_device text, p_client_ip text,
  p_known_device uuid, p_sends_mail boolean)
returns table (operator_id uuid, expires_at timestamptz, is_known boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Opens a session of the operator whose passkey has signed. No row: passkey_use refuses it, the operator has
-- no role in the team, or a connection is required there or vouches for the operator. A passkey must not
-- bypass the identity provider. p_known_device: of the browser's cookie, which is known if it is newer than
-- the password. p_sends_mail: the operator gets a mail about a browser that is not.
-- Route: POST /console/sign-in
-- Reads: operators, workspace_roles, what connection_is_required reads
-- Writes: operator_sessions, what passkey_use writes, what audit_record writes (the actor is the operator;
--   p_actor has the request id), what mail_operators_record writes
-- Locks: what passkey_use locks
-- Index: workspace_roles_pkey, operators_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := v_now + p_lifetime;
  v_operator uuid := formd.passkey_use(p_passkey, p_counter);
begin
  perform from formd.workspace_roles r where r.team_id = p_team and r.operator_id = v_operator;
  if not found or formd.connection_is_required(p_team, v_operator) then
    return;
  end if;
  select coalesce(formd.uuid_time(p_known_device) > o.password_set_at, false) into is_known
  from formd.operators o where o.id = v_operator and o.connection_id is null;
  if not found then
    return;
  end if;
  insert into formd.operator_sessions (team_id, id, operator_id, token_hash, device, client_ip, created_at,
    proved_at, passkey_at, seen_at, expires_at)
  values (p_team, p_session, v_operator, p_token_hash, p_device, p_client_ip, v_now, v_now, v_now, v_now,
    v_expires_at);
  perform formd.audit_record(p_team, row('operator', v_operator, (p_actor).request_id)::formd.actor,
    'session.operator_started', null, p_session, jsonb_build_object('passkeyId', p_passkey));
  if p_sends_mail and not is_known then
    perform formd.mail_operators_record(p_team, 'sign_in', p_session, array[v_operator]);
  end if;
  return query select v_operator, v_expires_at::timestamptz, is_known;
end
$$;

create or replace function formd.operator_prove_passkey(p_team uuid, p_token_hash bytea, p_passkey uuid,
  p_counter bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Marks a session as one whose operator used a passkey now, which counts as the password too. Returns whether
-- the passkey is the operator's, and passkey_use accepts it.
-- Route: what asks for a passkey
-- Reads: operator_passkeys
-- Writes: operator_sessions, what passkey_use writes
-- Locks: what passkey_use locks, then the session
-- Index: operator_sessions_token_key, operator_passkeys_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
  v_operator uuid := formd.operator_of_session(p_team, p_token_hash);
begin
  perform from formd.operator_passkeys p where p.id = p_passkey and p.operator_id = v_operator;
  if not found or formd.passkey_use(p_passkey, p_counter) is null then
    return false;
  end if;
  update formd.operator_sessions s set proved_at = v_now, passkey_at = v_now where s.team_id = p_team
    and s.token_hash = p_token_hash;
  return true;
end
$$;

create or replace function formd.passkey_register(p_team uuid, p_actor formd.actor, p_challenge_hash bytea,
  p_id uuid, p_credential_id bytea, p_public_key bytea, p_counter bigint, p_name text, p_is_mailed boolean)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Registers a passkey of the operator who acts. p_is_mailed: whether the operator gets a mail, in this team.
-- Route: POST /console/account/passkeys
-- Reads: operators
-- Writes: operator_passkeys, passkey_challenges, what audit_record and mail_operators_record write
-- Locks: the operator, so that of two at once the second sees the first, and so that one which waits for a
--   new password finds no challenge
-- Raises: unauthorized (no person), bad_request (challenge, blank name), conflict (too many, or known)
-- Index: operators_pkey, operator_passkeys_operator_idx
declare
  c_passkey_max_per_operator constant integer := 10;
  v_now timestamptz(3) := clock_timestamp();
  v_count bigint;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  perform formd.actor_require_person(p_actor);
  perform from formd.operators o where o.id = (p_actor).id for no key update;
  if not formd.passkey_challenge_use(p_challenge_hash, (p_actor).id) then
    perform formd.raise_problem('bad_request', 'passkey_too_late');
  end if;
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'passkey_unnamed');
  end if;
  select count(*) into v_count from formd.operator_passkeys p where p.operator_id = (p_actor).id;
  if v_count >= c_passkey_max_per_operator then
    perform formd.raise_problem('conflict', 'too_many_passkeys',
      jsonb_build_object('max', c_passkey_max_per_operator));
  end if;
  insert into formd.operator_passkeys (id, operator_id, credential_id, public_key, counter, name, created_at)
  values (p_id, (p_actor).id, p_credential_id, p_public_key, p_counter, p_name, v_now)
  on conflict (credential_id) do nothing;
  if not found then
    perform formd.raise_problem('conflict', 'passkey_known');
  end if;
  perform formd.operator_record((p_actor).id, p_actor, 'passkey.registered', p_id,
    jsonb_build_object('name', p_name));
  if p_is_mailed then
    perform formd.mail_operators_record(p_team, 'passkey', p_id, array[(p_actor).id]);
  end if;
end
$$;

create or replace function formd.passkey_rename(p_actor formd.actor, p_id uuid, p_name text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Names a passkey of the operator who acts. Idempotent.
-- Route: POST /console/account/passkeys/rename
-- Writes: operator_passkeys, what audit_record writes
-- Locks: the passkey
-- Raises: unauthorized (no person), bad_request (a blank name), not_found
-- Index: operator_passkeys_pkey
declare
  v_before text;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  perform formd.actor_require_person(p_actor);
  if formd.is_blank(p_name) then
    perform formd.raise_problem('bad_request', 'passkey_unnamed');
  end if;
  select p.name into v_before from formd.operator_passkeys p
  where p.id = p_id and p.operator_id = (p_actor).id for no key update;
  if not found then
    perform formd.raise_problem('not_found', 'passkey_missing');
  end if;
  if v_before <> p_name then
    update formd.operator_passkeys p set name = p_name where p.id = p_id;
    perform formd.operator_record((p_actor).id, p_actor, 'passkey.renamed', p_id,
      jsonb_build_object('before', v_before, 'after', p_name));
  end if;
end
$$;

create or replace function formd.passkey_remove(p_actor formd.actor, p_id uuid, p_token_hash bytea)
  returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Removes a passkey of the operator who acts, and ends the operator's sessions in every team, except the one
-- of p_token_hash, which acts: the device may be lost, and have one that began by the password.
-- Route: POST /console/account/passkeys/remove
-- Reads: operators
-- Writes: operator_passkeys, operator_sessions, passkey_challenges, what audit_record writes
-- Locks: the operator, the passkey, then the sessions: see passkey_use
-- Raises: unauthorized (no person), not_found
-- Index: operators_pkey, operator_passkeys_pkey, operator_sessions_operator_idx,
--   passkey_challenges_operator_idx
declare
  v_name text;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  perform formd.actor_require_person(p_actor);
  perform from formd.operators o where o.id = (p_actor).id for no key update;
  delete from formd.operator_passkeys p where p.id = p_id and p.operator_id = (p_actor).id
  returning p.name into v_name;
  if not found then
    perform formd.raise_problem('not_found', 'passkey_missing');
  end if;
  delete from formd.passkey_challenges c where c.operator_id = (p_actor).id;
  delete from formd.operator_sessions s where s.operator_id = (p_actor).id
    and s.token_hash is distinct from p_token_hash;
  perform formd.operator_record((p_actor).id, p_actor, 'passkey.removed', p_id,
    jsonb_build_object('name', v_name));
end
$$;

create or replace function formd.operator_remove_passkeys(p_actor formd.actor, p_email text) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Removes all passkeys of an operator, such as one who has lost the device, and ends the sessions in every
-- team. Returns how many passkeys.
-- Route: formd operator remove-passkeys
-- Reads: operators
-- Writes: operator_passkeys, passkey_challenges, operator_sessions, what audit_record writes
-- Locks: the operator, the passkeys, then the sessions: see passkey_use
-- Raises: unauthorized (no person), not_found
-- Index: operators_email_key, operator_passkeys_operator_idx, passkey_challenges_operator_idx,
--   operator_sessions_operator_idx
declare
  v_operator uuid;
  v_id uuid;
  v_name text;
  v_count integer := 0;
begin
  set local citus.multi_shard_modify_mode = 'sequential';
  perform formd.actor_require_person(p_actor);
  select o.id into v_operator
  from formd.operators o where o.email = lower(p_email) and o.connection_id is null for no key update;
  if not found then
    perform formd.raise_problem('not_found', 'email_unknown');
  end if;
  for v_id, v_name in
    delete from formd.operator_passkeys p where p.operator_id = v_operator returning p.id, p.name
  loop
    v_count := v_count + 1;
    perform formd.operator_record(v_operator, p_actor, 'passkey.removed', v_id,
      jsonb_build_object('name', v_name));
  end loop;
  delete from formd.passkey_challenges c where c.operator_id = v_operator;
  delete from formd.operator_sessions s where s.operator_id = v_operator;
  return v_count;
end
$$;
