-- Functions under the names and signatures of 0.1 (commit 1b30061), for its servers that are still draining. They call today's and go
-- with the next release. 999_privileges.sql grants them as 0.1 did, on fresh and upgraded databases alike.
--
-- A function that servers of 0.1 call is replaced in place, here or in its own file, and so keeps the names of its arguments: a call that
-- is planned when a function is dropped and created again fails. One that returns rows of a table goes on to, with null in the columns that
-- no server of 0.1 reads.

create or replace function formd.api_key_use(p_team uuid, p_hash bytea)
returns table (id uuid, scopes text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- For 0.1: the API key of a request. Without last_used_at and the rate limit of formd.api_key_authenticate.
-- Reads: api_keys
-- Index: api_keys_hash_key
begin
  return query select k.id, k.scopes from formd.api_keys k where k.team_id = p_team and k.key_hash = p_hash and k.revoked_at is null;
end
$$;

create or replace function formd.actor_previous(p_operator uuid) returns formd.actor
language sql immutable set search_path = pg_catalog, pg_temp as $$
-- The actor of a call with a signature of 0.1: an operator, or an API key whose id the call does not have.
select row(case when p_operator is null then 'api_key' else 'operator' end, p_operator, null)::formd.actor
$$;

create or replace function formd.operator_login(p_team uuid, p_email text, p_password_hash bytea, p_session uuid, p_token_hash bytea,
  p_lifetime interval)
returns table (operator_id uuid, expires_at timestamptz)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.operator_login with an actor.
select *
from formd.operator_login(p_team => p_team, p_actor => row('anonymous', null, null)::formd.actor, p_email => p_email,
  p_password_hash => p_password_hash, p_session => p_session, p_token_hash => p_token_hash, p_lifetime => p_lifetime)
$$;

create or replace function formd.operator_logout(p_team uuid, p_token_hash bytea) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.operator_logout with an actor.
select formd.operator_logout(p_team, row('anonymous', null, null)::formd.actor, p_token_hash)
$$;

create or replace function formd.console_session_read(
  p_team uuid, p_token_hash bytea, p_idle interval, p_write_limit integer,
  out outcome text, out operator_id uuid, out remaining integer, out reset_ms integer, out email text, out team_name text,
  out workspaces jsonb, out teams jsonb)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For the commits before the console's editor: formd.console_operator_read.
select o.outcome, o.operator_id, o.remaining, o.reset_ms, o.email, o.team_name, o.workspaces, o.teams
from formd.console_operator_read(p_team => p_team, p_token_hash => p_token_hash, p_idle => p_idle, p_write_limit => p_write_limit) o
$$;

create or replace function formd.operator_session_switch(
  p_team uuid, p_from_team uuid, p_token_hash bytea, p_session uuid, p_new_token_hash bytea, p_lifetime interval)
returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For the commits before the audit: formd.operator_session_switch with an actor.
select formd.operator_session_switch(p_team => p_team, p_actor => row('anonymous', null, null)::formd.actor, p_from_team => p_from_team,
  p_token_hash => p_token_hash, p_session => p_session, p_new_token_hash => p_new_token_hash, p_lifetime => p_lifetime)
$$;

create or replace function formd.operator_sessions_end(p_team uuid, p_token_hash bytea) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For the commits before the audit: formd.operator_sessions_end with an actor.
select formd.operator_sessions_end(p_team, row('anonymous', null, null)::formd.actor, p_token_hash)
$$;

create or replace function formd.form_create(p_team uuid, p_id uuid, p_workspace uuid, p_name text, p_description text, p_schema jsonb)
returns setof formd.forms
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.form_create with an actor.
select r.*
from formd.form_create(p_team => p_team, p_actor => formd.actor_previous(null), p_id => p_id, p_workspace => p_workspace,
  p_name => p_name, p_description => p_description, p_schema => p_schema) as p,
  jsonb_populate_record(null::formd.forms, to_jsonb(p)) as r
$$;

create or replace function formd.form_patch(p_team uuid, p_form uuid, p_operations jsonb, p_expected_version bigint)
returns setof formd.forms
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.form_patch with an actor.
select r.*
from formd.form_patch(p_team => p_team, p_actor => formd.actor_previous(null), p_form => p_form, p_operations => p_operations,
  p_expected_version => p_expected_version, p_expected_updated_at => null) as p,
  jsonb_populate_record(null::formd.forms, to_jsonb(p)) as r
$$;

create or replace function formd.submission_patch(p_team uuid, p_form uuid, p_submission uuid, p_expected_updated_at timestamptz,
  p_edits jsonb, p_whole boolean, p_edit_ids uuid[], p_api_key uuid, p_request_id text)
returns setof formd.submissions
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.submission_patch with an actor.
-- Why: the columns that submissions has gained change what a prepared call returns. The driver of 0.1 then prepares the call again, and sends
--   the JSON of the first time as a JSON string.
select r.*
from formd.submission_patch(p_team => p_team, p_actor => row('api_key', p_api_key, p_request_id)::formd.actor, p_form => p_form,
  p_submission => p_submission, p_expected_updated_at => p_expected_updated_at,
  p_edits => case jsonb_typeof(p_edits) when 'string' then (p_edits #>> '{}')::jsonb else p_edits end, p_whole => p_whole,
  p_edit_ids => p_edit_ids) as p,
  jsonb_populate_record(null::formd.submissions, to_jsonb(p)) as r
$$;

create or replace function formd.submission_delete(p_team uuid, p_form uuid, p_submission uuid, p_api_key uuid, p_request_id text)
returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.submission_delete with an actor.
select formd.submission_delete(p_team, row('api_key', p_api_key, p_request_id)::formd.actor, p_form, p_submission)
$$;

create or replace function formd.submission_list(p_team uuid, p_form uuid, p_status text, p_agent uuid, p_respondent uuid,
  p_first_id uuid, p_end_id uuid, p_limit integer, p_offset bigint, p_below uuid)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb, submitter_type text,
  submitter_id uuid, respondent_id uuid, created_at timestamptz, updated_at timestamptz, total bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- For the commits before reviews: formd.submission_list without them.
select l.id, l.form_id, l.form_version, l.status, l.data, l.metadata, l.submitter_type, l.submitter_id, l.respondent_id, l.created_at,
  l.updated_at, l.total
from formd.submission_list(p_team => p_team, p_form => p_form, p_status => p_status, p_review => null, p_agent => p_agent,
  p_respondent => p_respondent, p_first_id => p_first_id, p_end_id => p_end_id, p_limit => p_limit, p_offset => p_offset,
  p_below => p_below, p_max_counted => null) as l
$$;

create or replace function formd.submission_page(p_team uuid, p_form uuid, p_status text, p_agent uuid, p_respondent uuid,
  p_first_id uuid, p_end_id uuid, p_limit integer, p_offset bigint, p_below uuid)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb, submitter_type text,
  submitter_id uuid, respondent_id uuid, created_at timestamptz, updated_at timestamptz, total bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- For the commits before reviews: formd.submission_page without them.
select l.id, l.form_id, l.form_version, l.status, l.data, l.metadata, l.submitter_type, l.submitter_id, l.respondent_id, l.created_at,
  l.updated_at, l.total
from formd.submission_page(p_team => p_team, p_form => p_form, p_status => p_status, p_review => null, p_agent => p_agent,
  p_respondent => p_respondent, p_first_id => p_first_id, p_end_id => p_end_id, p_limit => p_limit, p_offset => p_offset,
  p_below => p_below, p_max_counted => null) as l
$$;

create or replace function formd.submission_page(p_team uuid, p_form uuid, p_status text, p_review text, p_agent uuid,
  p_respondent uuid, p_first_id uuid, p_end_id uuid, p_limit integer, p_offset bigint, p_below uuid)
returns table (id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb, submitter_type text,
  submitter_id uuid, respondent_id uuid, review_decision text, review_reason text, reviewed_at timestamptz, created_at timestamptz,
  updated_at timestamptz, total bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- For the commits before bounded totals: formd.submission_page with the exact one.
select *
from formd.submission_page(p_team => p_team, p_form => p_form, p_status => p_status, p_review => p_review, p_agent => p_agent,
  p_respondent => p_respondent, p_first_id => p_first_id, p_end_id => p_end_id, p_limit => p_limit, p_offset => p_offset,
  p_below => p_below, p_max_counted => null)
$$;

create or replace function formd.submission_edit_list(
  p_team uuid, p_form uuid, p_submission uuid, p_limit integer, p_offset bigint, p_below uuid)
returns table (id uuid, field_id text, old_value jsonb, new_value jsonb, api_key_id uuid, request_id text,
  created_at timestamptz, erased_at timestamptz, total integer,
  erasure_field_ids text[], erasure_api_key_id uuid, erasure_request_id text, erasure_created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- For the commits before operators edited: formd.submission_edits_list, with the ids of API keys alone.
select e.id, e.field_id, e.old_value, e.new_value, case when e.actor_type = 'api_key' then e.actor_id end, e.request_id, e.created_at,
  e.erased_at, e.total, e.erasure_field_ids, case when e.erasure_actor_type = 'api_key' then e.erasure_actor_id end, e.erasure_request_id,
  e.erasure_created_at
from formd.submission_edits_list(p_team, p_form, p_submission, p_limit, p_offset, p_below) as e
$$;

create or replace function formd.agent_register(p_team uuid, p_operator uuid, p_workspace uuid, p_id uuid, p_name text,
  p_client_id text, p_secret_prefix text, p_secret_hash bytea)
returns table (id uuid, workspace_id uuid, status text)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.agent_create.
select *
from formd.agent_create(p_team => p_team, p_actor => formd.actor_previous(p_operator), p_workspace => p_workspace, p_id => p_id,
  p_name => p_name, p_client_id => p_client_id, p_secret_prefix => p_secret_prefix, p_secret_hash => p_secret_hash)
$$;

create or replace function formd.agent_patch(p_team uuid, p_operator uuid, p_agent uuid, p_name text, p_status text,
  p_require_operator boolean default false)
returns table (id uuid, client_id text, secret_prefix text, name text, status text, workspace_id uuid,
  created_at timestamptz, updated_at timestamptz)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.agent_patch with an actor.
select *
from formd.agent_patch(p_team, formd.actor_previous(p_operator), p_agent, p_name, p_status, p_require_operator)
$$;

create or replace function formd.agent_revoke(p_team uuid, p_operator uuid, p_agent uuid)
returns table (id uuid, status text)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.agent_delete.
select * from formd.agent_delete(p_team, formd.actor_previous(p_operator), p_agent)
$$;

create or replace function formd.agent_secret_rotate(p_team uuid, p_operator uuid, p_agent uuid, p_secret_prefix text,
  p_secret_hash bytea, p_require_operator boolean default false) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.agent_secret_rotate with an actor.
select formd.agent_secret_rotate(p_team, formd.actor_previous(p_operator), p_agent, p_secret_prefix, p_secret_hash, p_require_operator)
$$;

create or replace function formd.grant_delete(p_team uuid, p_operator uuid, p_agent uuid, p_grant uuid) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.grant_remove.
select formd.grant_remove(p_team, formd.actor_previous(p_operator), p_agent, p_grant)
$$;

create or replace function formd.signing_key_revoke(p_team uuid, p_operator uuid, p_agent uuid, p_key_id text)
returns table (key_id text, status text)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.signing_key_delete.
select * from formd.signing_key_delete(p_team, formd.actor_previous(p_operator), p_agent, p_key_id)
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
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: the salt of an operator's password, as formd.operator_login_admit returns it.
-- Reads: operators
-- Index: operators_email_key
begin
  return (select o.password_salt from formd.operators o where o.email = lower(p_email));
end
$$;

create or replace function formd.operator_team(p_email text, p_team uuid default null) returns uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: the team of a new session, as formd.operator_login_admit returns it.
-- Reads: operators, workspace_roles
-- Index: operators_email_key, workspace_roles_operator_idx
begin
  return (
    select r.team_id
    from formd.workspace_roles r
    where r.operator_id = (select o.id from formd.operators o where o.email = lower(p_email))
      and (p_team is null or r.team_id = p_team)
    order by r.created_at, r.team_id
    limit 1);
end
$$;

create or replace function formd.grant_put(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_form uuid, p_scopes text[],
  p_sets_respondent boolean, p_respondent uuid, p_binding_required boolean)
returns setof formd.grants
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.grant_upsert.
select r.*
from formd.grant_upsert(
  p_team => p_team, p_actor => formd.actor_previous(p_operator), p_agent => p_agent, p_id => p_id, p_form => p_form, p_scopes => p_scopes,
  p_respondent_given => p_sets_respondent, p_respondent => p_respondent, p_binding_required => p_binding_required) as p,
  jsonb_populate_record(null::formd.grants, to_jsonb(p)) as r
$$;

create or replace function formd.rate_limits_purge() returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Purges every table, and returns how many rows of rate_limits went. 0.1 calls again when 10,000 went.
declare
  c_rows constant integer := 10000;
begin
  return (select p.deleted from formd.expired_purge(p_limit => c_rows) as p where p.name = 'rate_limits');
end
$$;

create or replace function formd.idempotency_keys_purge() returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Purges every table, and returns how many rows of idempotency_keys went. As the function before.
declare
  c_rows constant integer := 10000;
begin
  return (select p.deleted from formd.expired_purge(p_limit => c_rows) as p where p.name = 'idempotency_keys');
end
$$;

create or replace function formd.agent_update(p_team uuid, p_operator uuid, p_agent uuid, p_name text, p_status text)
returns setof formd.agents
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.agent_patch.
select r.*
from formd.agent_patch(p_team, formd.actor_previous(p_operator), p_agent, p_name, p_status, false) as p,
  jsonb_populate_record(null::formd.agents, to_jsonb(p)) as r
$$;

create or replace function formd.agent_rotate_secret(p_team uuid, p_operator uuid, p_agent uuid, p_secret_prefix text,
  p_secret_hash bytea) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.agent_secret_rotate.
select formd.agent_secret_rotate(p_team, formd.actor_previous(p_operator), p_agent, p_secret_prefix, p_secret_hash, false)
$$;

create or replace function formd.signing_key_register(p_team uuid, p_operator uuid, p_agent uuid, p_id uuid, p_key_id text,
  p_pem text, p_expires_at timestamptz)
returns setof formd.signing_keys
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.signing_key_add.
select r.*
from formd.signing_key_add(
  p_team => p_team, p_actor => formd.actor_previous(p_operator), p_agent => p_agent, p_id => p_id,
  p_key_id => p_key_id, p_pem => p_pem, p_expires_at => p_expires_at, p_require_operator => false) as p,
  jsonb_populate_record(null::formd.signing_keys, to_jsonb(p)) as r
$$;

create or replace function formd.version_if_stale(p_team uuid, p_form uuid, p_version integer, out form_version integer, out form_schema jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Returns the published version and its schema when it is not p_version, else nulls.
-- Reads: forms, form_versions
-- Index: forms_pkey, form_versions_pkey
-- Why: 0.1 repeats a call that was stale with the same nonce, so such a call must count nothing.
begin
  select v.version, v.schema into form_version, form_schema
  from formd.forms f
  join formd.form_versions v on v.team_id = f.team_id and v.form_id = f.id and v.version = f.current_version
  where f.team_id = p_team and f.id = p_form and f.current_version is distinct from p_version;
end
$$;

create or replace function formd.submissions_receive(p_team uuid, p_items jsonb) returns setof formd.submitter_answer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- For 0.1: formd.submissions_submit, one item of the list after another.
declare
  v_item jsonb;
  v_version integer;
  v_schema jsonb;
begin
  for v_item in select i from jsonb_array_elements(p_items) as i loop
    select s.form_version, s.form_schema into v_version, v_schema
    from formd.version_if_stale(p_team, (v_item ->> 'form')::uuid, (v_item ->> 'version')::integer) as s;
    if v_version is not null and v_item ->> 'verdict' <> 'malformed' then
      return next row('stale_version', null, null, null, null, null, null, null, v_version, v_schema)::formd.submitter_answer;
    else
      return query
      select case r.outcome when 'admitted' then 'stale_version' else r.outcome end, r.response ->> 'status', r.response,
        r.limit_name, r.max_requests, r.window_ms, r.remaining, r.reset_ms, r.form_version, r.form_schema
      from formd.submissions_submit(p_team, jsonb_build_array(v_item || jsonb_build_object('form_id', v_item -> 'form',
        'credentials', v_item - 'data', 'ip_key', v_item -> 'ip_bucket', 'respondent_id', v_item -> 'respondent',
        'missing_required', v_item -> 'missing', 'validation',
        case v_item ->> 'verdict' when 'accept' then 'accepted' when 'reject' then 'rejected' else 'malformed' end))) as r;
    end if;
  end loop;
end
$$;

create or replace function formd.submissions_validate(p_team uuid, p_items jsonb) returns setof formd.submitter_answer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- For 0.1: formd.validations_admit, one item of the list after another.
declare
  v_item jsonb;
  v_version integer;
  v_schema jsonb;
begin
  for v_item in select i from jsonb_array_elements(p_items) as i loop
    select s.form_version, s.form_schema into v_version, v_schema
    from formd.version_if_stale(p_team, (v_item ->> 'form')::uuid, (v_item ->> 'version')::integer) as s;
    if v_version is not null then
      return next row('stale_version', null, null, null, null, null, null, null, v_version, v_schema)::formd.submitter_answer;
    else
      return query
      select case when r.outcome <> 'admitted' then r.outcome when r.form_version is null then 'allowed' else 'stale_version' end,
        null::text, null::jsonb, r.limit_name, r.max_requests, r.window_ms, r.remaining, r.reset_ms, r.form_version, r.form_schema
      from formd.validations_admit(p_team, jsonb_build_array(v_item
        || jsonb_build_object('form_id', v_item -> 'form', 'credentials', v_item, 'ip_key', v_item -> 'ip_bucket'))) as r;
    end if;
  end loop;
end
$$;

create or replace function formd.form_read(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz, p_version integer)
returns table (outcome text, name text, description text, form_version integer, form_schema jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- For 0.1: formd.submitter_form_read, once the server holds the version.
-- Outcomes: those of submitter_form_read, stale_version
begin
  select s.form_version, s.form_schema into form_version, form_schema from formd.version_if_stale(p_team, p_form, p_version) as s;
  if form_version is not null then
    outcome := 'stale_version';
    return next;
  else
    return query select r.outcome, r.name, r.description, r.form_version, r.form_schema
    from formd.submitter_form_read(p_team, p_form, row(p_access_key_hash, p_credential, p_credential_hash, p_key_id, p_nonce,
      p_nonce_expires_at)::formd.submitter_credentials) as r;
  end if;
end
$$;

create or replace function formd.challenge_issue(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz, p_version integer, p_ip_bucket text, p_ip_limit integer, p_id uuid,
  p_field_id text, p_prompt text)
returns table (outcome text, expires_at timestamptz,
  bucket text, bucket_limit integer, window_ms integer, remaining integer, reset_ms integer, form_version integer, form_schema jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- For 0.1: formd.challenge_create.
-- Outcomes: those of challenge_create; stale_version for admitted
begin
  select s.form_version, s.form_schema into form_version, form_schema from formd.version_if_stale(p_team, p_form, p_version) as s;
  if form_version is not null then
    outcome := 'stale_version';
    return next;
  else
    return query
    select case (r.result).outcome when 'admitted' then 'stale_version' else (r.result).outcome end, r.expires_at, (r.result).limit_name,
      (r.result).max_requests, (r.result).window_ms, (r.result).remaining, (r.result).reset_ms, (r.result).form_version, (r.result).form_schema
    from formd.challenge_create(
      p_team => p_team, p_form => p_form,
      p_credentials => row(p_access_key_hash, p_credential, p_credential_hash, p_key_id, p_nonce, p_nonce_expires_at)::formd.submitter_credentials,
      p_version => p_version, p_admitted => false, p_ip_key => p_ip_bucket, p_ip_limit => p_ip_limit,
      p_id => p_id, p_field_id => p_field_id, p_prompt => p_prompt) as r;
  end if;
end
$$;

create or replace function formd.challenge_answer(p_team uuid, p_form uuid, p_challenge uuid, p_key_id text, p_nonce bytea,
  p_nonce_expires_at timestamptz, p_ip_bucket text, p_ip_limit integer, p_access_key_hash bytea, p_verdict text, p_pass_lifetime interval)
returns table (outcome text, pass_expires_at timestamptz, remaining_attempts integer,
  bucket text, bucket_limit integer, window_ms integer, remaining integer, reset_ms integer)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For 0.1: formd.challenge_respond.
select (r.result).outcome, r.pass_expires_at, r.remaining_attempts, (r.result).limit_name, (r.result).max_requests, (r.result).window_ms,
  (r.result).remaining, (r.result).reset_ms
from formd.challenge_respond(
  p_team => p_team, p_form => p_form, p_challenge => p_challenge,
  p_credentials => row(p_access_key_hash, 'signature', null, p_key_id, p_nonce, p_nonce_expires_at)::formd.submitter_credentials,
  p_ip_key => p_ip_bucket, p_ip_limit => p_ip_limit, p_validation => p_verdict,
  p_pass_lifetime => p_pass_lifetime) as r
$$;

create or replace function formd.credential_abroad(p_team uuid, p_credential text, p_hash bytea) returns text
language sql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- For 0.1: the second half of formd.credential_cross_tenant; the first is access_key_known.
select case (a.result).outcome when 'unauthorized' then null when 'agent_inactive' then 'agent_inactive' else 'tenant_mismatch' end
from formd.submitter_admit(
  p_team => p_team, p_form => row(null, null, true, null, null, null, null, null)::formd.submitter_form,
  p_credentials => row(''::bytea, p_credential, p_hash, null, null, null)::formd.submitter_credentials,
  p_scope => null, p_ip_key => null, p_ip_limit => null, p_admitted => false) as a
$$;

create or replace function formd.access_key_known(p_team uuid, p_form uuid, p_hash bytea) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- For 0.1: whether an access key is valid.
select (formd.submitter_form_load(p_team, p_form, p_hash)).access_key_is_valid
$$;

create or replace function formd.webhook_due(p_limit integer) returns table (team_id uuid, has_webhooks boolean)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- For the commits before the turns of the teams: formd.webhook_due_after from the first team on.
select d.team_id, d.has_webhooks from formd.webhook_due_after(p_after => null, p_limit => p_limit) d
$$;
