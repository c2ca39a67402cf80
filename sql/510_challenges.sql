-- Challenges: a question about the rules of one field, and the pass that a right value earns.

create or replace function formd.challenge_create(p_team uuid, p_form uuid,
  p_credentials formd.submitter_credentials, p_version integer,
  p_admitted boolean, p_ip_key text, p_ip_limit integer, p_id uuid, p_field_id text, p_prompt text,
  out result formd.submitter_result, out expires_at timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Creates a challenge about one field of a form, for an agent with any grant on it.
-- Route: POST /submitter/form/challenges. The server has picked the field from p_version; p_field_id null: it
--   has none to ask about.
-- Reads: agents, form_versions; what submitter_admit reads
-- Writes: challenges; what submitter_admit and submitter_claim_nonce write
-- Locks: what submitter_admit and submitter_claim_nonce lock; then the agent, so that two requests cannot
--   both open the last challenge
-- Outcomes: those of submitter_admit and submitter_claim_nonce; agent_required; admitted (the published
--   version is another one: the server picks a field from form_schema and calls again with p_admitted);
--   no_checkable_field; rate_limited (as many challenges of the agent are open on the form as may be;
--   reset_ms says when the first one expires); issued.
-- Index: challenges_agent_idx, form_versions_pkey
declare
  c_challenge_lifetime_ms constant integer := 120000;
  c_challenge_max_open constant integer := 5;
  c_ms_per_s constant integer := 1000;
  v_now timestamptz(3) := clock_timestamp();
  v_form formd.submitter_form := formd.submitter_form_load(p_team, p_form, p_credentials.access_key_hash);
  v_authorization formd.submitter_authorization;
  v_open integer;
  v_first_expires_at timestamptz(3);
begin
  v_authorization := formd.submitter_admit(
    p_team => p_team, p_form => v_form, p_credentials => p_credentials, p_scope => null,
    p_ip_key => p_ip_key, p_ip_limit => p_ip_limit, p_admitted => p_admitted);
  v_authorization := formd.submitter_claim_nonce(p_team, p_credentials, v_authorization, p_admitted);
  result := v_authorization.result;
  if result.caller_type <> 'agent' and coalesce(result.outcome, 'form_not_published')
    in ('form_not_published', 'missing_scope', 'anonymous_not_allowed') then
    result.outcome := 'agent_required';
  elsif result.outcome is null and p_version is distinct from v_form.version then
    result.outcome := 'admitted';
    select v.version, v.schema into result.form_version, result.form_schema
    from formd.form_versions v where v.team_id = p_team and v.form_id = p_form and v.version = v_form.version;
  elsif result.outcome is null and p_field_id is null then
    result.outcome := 'no_checkable_field';
  end if;
  if result.outcome is not null then
    return;
  end if;

  perform from formd.agents a where a.team_id = p_team and a.id = result.caller_id for no key update;
  select count(*), min(c.expires_at) into v_open, v_first_expires_at
  from formd.challenges c
  where c.team_id = p_team and c.agent_id = result.caller_id and c.form_id = p_form and c.expires_at > v_now
    and c.status = 'issued';
  if v_open >= c_challenge_max_open then
    perform formd.rate_limit_refund(p_ip_key);
    result.outcome := 'rate_limited';
    result.limit_name := 'open-challenges';
    result.max_requests := c_challenge_max_open;
    result.window_ms := c_challenge_lifetime_ms;
    result.remaining := 0;
    result.reset_ms := greatest(extract(epoch from v_first_expires_at - v_now) * c_ms_per_s, 1);
    return;
  end if;

  expires_at := v_now + c_challenge_lifetime_ms * interval '1 millisecond';
  insert into formd.challenges (team_id, form_id, id, agent_id, form_version, field_id, prompt, created_at,
    expires_at)
  values (p_team, p_form, p_id, result.caller_id, p_version, p_field_id, p_prompt, v_now,
    challenge_create.expires_at);
  result.outcome := 'issued';
end
$$;

create or replace function formd.challenge_respond(p_team uuid, p_form uuid, p_challenge uuid,
  p_credentials formd.submitter_credentials,
  p_ip_key text, p_ip_limit integer, p_validation text, p_pass_lifetime interval,
  out result formd.submitter_result, out pass_expires_at timestamptz, out remaining_attempts integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Counts one response to a challenge. A right one earns a pass.
-- Route: POST /submitter/challenges/{challenge_id}/responses. The server has validated the value by the
--   version of the form that the challenge is about: p_validation is right, wrong or malformed.
-- Reads: forms, form_access_keys, agents, grants; signing_keys by signature_claim
-- Writes: challenges, challenge_passes, rate_limits, nonces
-- Locks: the challenge, so that of wrong responses at once only three count; the rate limit; the nonce
-- Outcomes, in the order of the checks: rate_limited; unauthorized (access key or signature), key_unusable,
--   nonce_used (see signature_claim); agent_inactive; no_grant; not_found (no such challenge, or another
--   agent's); challenge_failed; bad_request (passed before); challenge_expired; malformed; passed; wrong;
--   exhausted.
-- Index: challenges_pkey, agents_pkey, grants_agent_form_key
-- Why: an access key is optional, since the challenge names the form. Nothing is raised: attempts and nonce
--   must stay counted.
declare
  c_challenge_max_attempts constant integer := 3;
  v_now timestamptz(3) := clock_timestamp();
  v_form formd.submitter_form;
  v_agent_status text;
  v_challenge formd.challenges;
  v_expires_at timestamptz(3) := v_now + p_pass_lifetime;
begin
  result := formd.submitter_count_ip(p_ip_key, p_ip_limit, result);
  if result.outcome is not null then
    return;
  end if;

  if p_credentials.access_key_hash is not null then
    v_form := formd.submitter_form_load(p_team, p_form, p_credentials.access_key_hash);
    if not v_form.access_key_is_valid then
      result.outcome := 'unauthorized';
      return;
    end if;
  end if;
  result.caller_type := 'agent';
  select c.caller_id, c.outcome into result.caller_id, result.outcome
  from formd.signature_claim(p_team, p_credentials.key_id, p_credentials.nonce,
    p_credentials.nonce_expires_at) as c;
  if result.outcome is not null then
    return;
  end if;
  select a.status into v_agent_status from formd.agents a where a.team_id = p_team
    and a.id = result.caller_id;
  select * into v_challenge from formd.challenges c where c.team_id = p_team and c.form_id = p_form
    and c.id = p_challenge for update;
  perform from formd.grants g where g.team_id = p_team and g.agent_id = result.caller_id
    and g.form_id = p_form;

  if v_agent_status <> 'active' then
    result.outcome := 'agent_inactive';
  -- found is the grant. A challenge that does not exist names no form that a grant could be on.
  elsif v_challenge.id is not null and not found then
    result.outcome := 'no_grant';
  -- Also for a challenge that does not exist, whose agent is null: to the caller both look the same.
  elsif v_challenge.agent_id is distinct from result.caller_id then
    result.outcome := 'not_found';
  -- Before the time, so that the response to a challenge that has ended stays the same once it expires.
  elsif v_challenge.status = 'failed' then
    result.outcome := 'challenge_failed';
  elsif v_challenge.status = 'passed' then
    result.outcome := 'bad_request';
  elsif v_challenge.expires_at <= v_now then
    result.outcome := 'challenge_expired';
  elsif p_validation = 'malformed' then
    result.outcome := 'malformed';
  elsif p_validation = 'right' then
    result.outcome := 'passed';
    pass_expires_at := v_expires_at;
    update formd.challenges c set status = 'passed', attempts = v_challenge.attempts + 1, resolved_at = v_now
    where c.team_id = p_team and c.form_id = p_form and c.id = p_challenge;
    insert into formd.challenge_passes (team_id, form_id, agent_id, expires_at)
    values (p_team, p_form, result.caller_id, v_expires_at)
    on conflict (team_id, form_id, agent_id) do update set expires_at = excluded.expires_at;
  else
    remaining_attempts := c_challenge_max_attempts - 1 - v_challenge.attempts;
    result.outcome := case when remaining_attempts > 0 then 'wrong' else 'exhausted' end;
    update formd.challenges c
    set attempts = v_challenge.attempts + 1,
      status = case when remaining_attempts > 0 then 'issued' else 'failed' end,
      resolved_at = case when remaining_attempts > 0 then null else v_now end
    where c.team_id = p_team and c.form_id = p_form and c.id = p_challenge;
  end if;
end
$$;
