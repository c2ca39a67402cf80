-- Signing keys: public keys of agents, by which their requests are verified.

create or replace function formd.signing_key_list(p_team uuid, p_operator uuid, p_agent uuid, p_limit integer,
  p_offset bigint)
returns table (total integer, id uuid, agent_id uuid, key_id text, alg text, status text,
  created_at timestamptz, revoked_at timestamptz, expires_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- A page of an agent's keys, newest first; one row with the total alone when the page is empty.
-- Route: GET /identity/agents/{agent_id}/keys
-- Reads: agents, signing_keys
-- Raises: not_found (agent)
-- Index: signing_keys_agent_idx
begin
  perform from formd.agent_get(p_team, p_operator, p_agent);
  return query
  select t.total, page.id, page.agent_id, page.key_id, page.alg, page.status, page.created_at::timestamptz,
    page.revoked_at::timestamptz, page.expires_at::timestamptz
  from (select count(*)::integer as total from formd.signing_keys k where k.team_id = p_team
    and k.agent_id = p_agent) t
  left join (
    select * from formd.signing_keys k where k.team_id = p_team and k.agent_id = p_agent
    order by k.id desc limit p_limit offset p_offset) page on true
  order by page.id desc;
end
$$;

create or replace function formd.jwk_thumbprint(p_pem text, p_alg text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
-- The JWK SHA-256 thumbprint (RFC 7638, RFC 8037) of a public key: its point comes after the prefix of SPKI;
-- with es256 uncompressed, x before y.
declare
  c_spki_prefix_bytes constant integer := 12;
  c_p256_prefix_bytes constant integer := 27;
  c_p256_bytes constant integer := 32;
  v_spki bytea := decode(replace(replace(p_pem, '-----BEGIN PUBLIC KEY-----', ''), '-----END PUBLIC KEY-----',
    ''), 'base64');
  v_jwk text := '{"crv":"Ed25519","kty":"OKP","x":"'
    || formd.to_base64url(substr(v_spki, c_spki_prefix_bytes + 1)) || '"}';
begin
  if p_alg = 'es256' then
    v_jwk := '{"crv":"P-256","kty":"EC","x":"'
      || formd.to_base64url(substr(v_spki, c_p256_prefix_bytes + 1, c_p256_bytes)) || '","y":"'
      || formd.to_base64url(substr(v_spki, c_p256_prefix_bytes + c_p256_bytes + 1, c_p256_bytes)) || '"}';
  end if;
  return formd.to_base64url(sha256(v_jwk::bytea));
end
$$;

create or replace function formd.to_base64url(p_bytes bytea) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- Base64url without padding (RFC 4648, section 5), of at most 57 bytes: encode() breaks longer lines.
select rtrim(translate(encode(p_bytes, 'base64'), '+/', '-_'), '=')
$$;

create or replace function formd.signing_key_add(p_team uuid, p_actor formd.actor, p_agent uuid, p_id uuid,
  p_key_id text, p_pem text,
  p_expires_at timestamptz, p_require_operator boolean, p_alg text default 'ed25519')
returns setof formd.signing_key_row
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Registers a public key of an agent, usable at once. The same PEM again for the same agent returns the key
-- that exists.
-- Route: POST /identity/agents/{agent_id}/keys
-- Writes: signing_keys, what audit_record writes
-- Locks: the agent, so that two requests cannot both register the last allowed key
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (agent revoked; key another
--   agent's or revoked; too many keys), submit_not_grantable_by_api_key (p_require_operator)
-- Index: signing_keys_key_id_key, signing_keys_agent_idx
declare
  c_signing_key_max_active constant integer := 20;
  v_now timestamptz(3) := clock_timestamp();
  v_key formd.signing_keys;
  v_active integer;
  v_is_new boolean := false;
begin
  perform formd.agent_lock_for_write(p_team, p_actor, p_agent);
  if p_require_operator then
    perform formd.agent_require_operator(p_team, p_actor, p_agent);
  end if;
  select * into v_key from formd.signing_keys k where k.team_id = p_team and k.key_id = p_key_id;
  if not found then
    select count(*) into v_active
    from formd.signing_keys k where k.team_id = p_team and k.agent_id = p_agent and k.status = 'active';
    if v_active >= c_signing_key_max_active then
      perform formd.raise_problem('conflict', 'too_many_signing_keys',
        jsonb_build_object('max', c_signing_key_max_active));
    end if;
    insert into formd.signing_keys (team_id, id, agent_id, key_id, thumbprint, alg, public_key_pem,
      created_at, expires_at)
    values (p_team, p_id, p_agent, p_key_id, formd.jwk_thumbprint(p_pem, p_alg), p_alg, p_pem, v_now,
      p_expires_at)
    on conflict (team_id, key_id) do nothing;
    v_is_new := found;
    select * into v_key from formd.signing_keys k where k.team_id = p_team and k.key_id = p_key_id;
  end if;
  if v_key.agent_id <> p_agent or v_key.public_key_pem <> p_pem then
    perform formd.raise_problem('conflict', 'key_of_another_agent');
  elsif v_key.status = 'revoked' then
    perform formd.raise_problem('conflict', 'key_revoked');
  end if;
  if v_is_new then
    perform formd.audit_record(p_team, p_actor, 'signing_key.registered', null, p_id,
      jsonb_build_object('agentId', p_agent, 'keyId', p_key_id, 'expiresAt',
      formd.timestamp_text(p_expires_at)));
  end if;
  return next row(v_key.key_id, v_key.alg, v_key.status)::formd.signing_key_row;
end
$$;

create or replace function formd.signing_key_delete(p_team uuid, p_actor formd.actor, p_agent uuid,
  p_key_id text)
returns table (key_id text, status text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Revokes a key: it authenticates nothing from this commit on. Idempotent.
-- Route: DELETE /identity/agents/{agent_id}/keys/{key_id}
-- Writes: signing_keys, what audit_record writes
-- Locks: the agent
-- Raises: not_found, insufficient_workspace_role (least role: editor), conflict (agent revoked)
-- Index: signing_keys_key_id_key
declare
  v_now timestamptz(3) := clock_timestamp();
  v_key uuid;
begin
  perform formd.agent_lock_for_write(p_team, p_actor, p_agent);
  perform from formd.signing_keys k where k.team_id = p_team and k.agent_id = p_agent and k.key_id = p_key_id;
  if not found then
    perform formd.raise_problem('not_found', 'key_missing');
  end if;
  update formd.signing_keys k set status = 'revoked', revoked_at = v_now
  where k.team_id = p_team and k.key_id = p_key_id and k.status = 'active' returning k.id into v_key;
  if found then
    perform formd.audit_record(p_team, p_actor, 'signing_key.revoked', null, v_key,
      jsonb_build_object('agentId', p_agent, 'keyId', p_key_id));
  end if;
  return query select p_key_id, 'revoked';
end
$$;

create or replace function formd.signing_key_find(p_team uuid, p_key_id text, out id uuid, out agent_id uuid)
language plpgsql stable as $$
-- The key that a verified signature names, if it is usable now; else nulls.
-- Reads: signing_keys
-- Index: signing_keys_key_id_key or signing_keys_thumbprint_idx
-- Why: p_key_id is a canonical id, or a thumbprint. Two PEM texts of one key have one thumbprint: of the keys
--   that are active, the one registered first counts.
declare
  c_thumbprint_length constant integer := 43;
  v_now timestamptz(3) := clock_timestamp();
begin
  if char_length(p_key_id) = c_thumbprint_length then
    select k.id, k.agent_id into signing_key_find.id, signing_key_find.agent_id
    from formd.signing_keys k
    where k.team_id = p_team and k.thumbprint = p_key_id and k.status = 'active'
      and (k.expires_at is null or k.expires_at > v_now)
    order by k.id limit 1;
  else
    select k.id, k.agent_id into signing_key_find.id, signing_key_find.agent_id
    from formd.signing_keys k
    where k.team_id = p_team and k.key_id = p_key_id and k.status = 'active'
      and (k.expires_at is null or k.expires_at > v_now);
  end if;
end
$$;

create or replace function formd.nonce_claim(p_team uuid, p_holder uuid, p_nonce bytea,
  p_nonce_expires_at timestamptz) returns boolean
language plpgsql volatile as $$
-- Stores the nonce of a signing key, or of an agent's assertion. False: it is stored already.
-- Writes: nonces
-- Locks: the nonce: of two requests with one nonce the second waits for the first
-- Index: nonces_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  insert into formd.nonces (team_id, holder_id, nonce, expires_at)
  values (p_team, p_holder, p_nonce, p_nonce_expires_at)
  on conflict (team_id, holder_id, nonce) do update set expires_at = excluded.expires_at
    where nonces.expires_at < v_now;
  return found;
end
$$;

create or replace function formd.signature_claim(p_team uuid, p_key_id text, p_nonce bytea,
  p_nonce_expires_at timestamptz,
  out caller_id uuid, out outcome text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- The agent of a verified signature, whose nonce is stored; or an outcome, which is logged only.
-- Route: every signed request
-- Reads: what signing_key_find reads
-- Writes: what nonce_claim writes
-- Locks: what nonce_claim locks
-- Outcomes: unauthorized (p_key_id null: not verified), key_unusable (unknown, revoked, expired), nonce_used
declare
  v_key uuid;
begin
  select k.id, k.agent_id into v_key, caller_id from formd.signing_key_find(p_team, p_key_id) as k;
  if v_key is null then
    outcome := case when p_key_id is null then 'unauthorized' else 'key_unusable' end;
  elsif p_nonce is not null and not formd.nonce_claim(p_team, v_key, p_nonce, p_nonce_expires_at) then
    caller_id := null;
    outcome := 'nonce_used';
  end if;
end
$$;
