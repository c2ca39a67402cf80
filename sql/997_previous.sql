-- Functions under the names and signatures of 0.1 (commit 1b30061), for its servers that are still draining. They call today's and go
-- with the next release. 999_privileges.sql grants them as 0.1 did, on fresh and upgraded databases alike.

create or replace function formd.access_key_known(p_team uuid, p_form uuid, p_hash bytea) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- access_key_is_valid under its name in 0.1.
select formd.access_key_is_valid(p_team, p_form, p_hash)
$$;

create or replace function formd.api_key_use(p_team uuid, p_hash bytea)
returns table (id uuid, scopes text[])
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- For 0.1: the API key of a request. Without last_used_at and the rate limit of formd.api_key_authenticate.
-- Reads: api_keys
-- Index: api_keys_hash_key
select k.id, k.scopes from formd.api_keys k where k.team_id = p_team and k.key_hash = p_hash and k.revoked_at is null
$$;

create or replace function formd.operator_session_use(p_team uuid, p_token_hash bytea, p_idle interval)
returns table (operator_id uuid)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: the operator of a request, by formd.operator_session_authenticate.
select a.operator_id
from formd.operator_session_authenticate(
  p_team => p_team, p_token_hash => p_token_hash, p_idle => p_idle, p_agent => null, p_write_limit => null) a
where a.outcome = 'allowed'
$$;

create or replace function formd.operator_salt(p_email text) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: the salt of an operator's password, as formd.operator_login_admit returns it.
-- Reads: operators
select o.password_salt from formd.operators o where o.email = lower(p_email)
$$;

create or replace function formd.operator_team(p_email text, p_team uuid default null) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: the team of a new session, as formd.operator_login_admit returns it.
-- Reads: operators, workspace_roles
select r.team_id
from formd.workspace_roles r
where r.operator_id = (select o.id from formd.operators o where o.email = lower(p_email))
  and (p_team is null or r.team_id = p_team)
order by r.created_at, r.team_id
limit 1
$$;

create or replace function formd.grant_put(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_form uuid, p_scopes text[],
  p_sets_respondent boolean, p_respondent uuid, p_binding_required boolean)
returns setof formd.grants
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.grant_upsert.
select *
from formd.grant_upsert(
  p_team => p_team, p_operator => p_operator, p_agent => p_agent, p_id => p_id, p_form => p_form, p_scopes => p_scopes,
  p_respondent_given => p_sets_respondent, p_respondent => p_respondent, p_binding_required => p_binding_required)
$$;

create or replace function formd.rate_limits_purge() returns integer
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Purges every table, and returns how many rows of rate_limits went.
select p.deleted from formd.expired_purge(10000) as p where p.name = 'rate_limits'
$$;

create or replace function formd.idempotency_keys_purge() returns integer
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Purges every table, and returns how many rows of idempotency_keys went.
select p.deleted from formd.expired_purge(10000) as p where p.name = 'idempotency_keys'
$$;

create or replace function formd.agent_update(p_team uuid, p_operator uuid, p_agent uuid, p_name text, p_status text)
returns setof formd.agents
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.agent_patch, with the columns of the table. The secret's hash is null.
select r.*
from formd.agent_patch(p_team => p_team, p_operator => p_operator, p_agent => p_agent, p_name => p_name, p_status => p_status) as p,
  jsonb_populate_record(null::formd.agents, to_jsonb(p)) as r
$$;
