create or replace function formd.challenge_issue(p_team uuid, p_form uuid, p_access_key_hash bytea, p_credential text, p_credential_hash bytea,
  p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz,
  p_version integer, p_ip_bucket text, p_ip_limit integer, p_id uuid, p_field_id text, p_prompt text)
returns table (outcome text, expires_at timestamptz,
  bucket text, bucket_limit integer, window_ms integer, remaining integer, reset_ms integer, form_version integer, form_schema jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- POST /submitter/form/challenges: a question about one field's rules, for an agent with any grant on the form; good for 2 minutes and 3
-- answers. The caller has chosen the field from version p_version (null: that version has none to ask about).
-- Outcomes: what submitter_authorize says, rate_limited (also when 5 challenges of this agent and form are open: then reset_ms says when the
-- first one ends), agent_required, no_checkable_field, issued. The agent's row is locked, so that
-- two requests cannot both open the fifth.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_auth record;
  v_said formd.submitter_answer;
  v_open integer;
  v_first_end timestamptz(3);
begin
  v_auth := formd.submitter_authorize(p_team, formd.form_enter(p_team, p_form, p_access_key_hash), p_credential, p_credential_hash,
    p_key_id, p_nonce, p_nonce_expires_at, null, p_version, p_ip_bucket, p_ip_limit);
  v_said := v_auth.said;
  outcome := v_said.outcome;
  bucket := v_said.bucket;
  bucket_limit := v_said.bucket_limit;
  window_ms := v_said.window_ms;
  remaining := v_said.remaining;
  reset_ms := v_said.reset_ms;
  form_version := v_said.form_version;
  form_schema := v_said.form_schema;
  if v_auth.caller_type <> 'agent' and coalesce(outcome, 'form_not_published') in ('form_not_published', 'missing_scope') then
    outcome := 'agent_required';
  elsif outcome is null and p_field_id is null then
    outcome := 'no_checkable_field';
  end if;
  if outcome is not null then
    return next;
    return;
  end if;

  perform from formd.agents a where a.team_id = p_team and a.id = v_auth.caller_id for no key update;
  select count(*), min(c.expires_at) into v_open, v_first_end
  from formd.challenges c
  where c.team_id = p_team and c.agent_id = v_auth.caller_id and c.form_id = p_form and c.expires_at > v_now and c.status = 'issued';
  if v_open >= 5 then
    perform formd.rate_limit_return(p_ip_bucket);
    outcome := 'rate_limited';
    bucket := 'open-challenges';
    bucket_limit := 5;
    window_ms := 120000;
    remaining := 0;
    reset_ms := greatest(extract(epoch from v_first_end - v_now) * 1000, 1);
    return next;
    return;
  end if;

  expires_at := v_now + interval '2 minutes';
  insert into formd.challenges (team_id, form_id, id, agent_id, form_version, field_id, prompt, created_at, expires_at)
  values (p_team, p_form, p_id, v_auth.caller_id, p_version, p_field_id, p_prompt, v_now, challenge_issue.expires_at);
  outcome := 'issued';
  return next;
end
$$;

create or replace function formd.challenge_answer(p_team uuid, p_form uuid, p_challenge uuid, p_key_id text, p_nonce bytea, p_nonce_expires_at timestamptz,
  p_ip_bucket text, p_ip_limit integer, p_access_key_hash bytea, p_verdict text, p_pass_lifetime interval)
returns table (outcome text, pass_expires_at timestamptz, remaining_attempts integer,
  bucket text, bucket_limit integer, window_ms integer, remaining integer, reset_ms integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- POST /submitter/challenges/{challenge_id}/responses: one answer, judged outside by the rules of the challenge's own form version
-- (p_verdict: right, wrong, or malformed when the body was no answer at all). The challenge's row is locked, so that of any number of
-- wrong answers at once three count.
-- Outcomes: rate_limited, unauthorized (signature, or an access key that was sent and is not this form's), key_unusable and nonce_used (the same
-- to the caller, and another line in the log), agent_inactive, not_found (no such
-- challenge, or another agent's), no_grant, challenge_failed, challenge_expired, bad_request (passed before), malformed, then passed,
-- wrong, exhausted. Nothing is raised: attempts and nonce must stay counted.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_rate record;
  v_agent uuid;
  v_agent_status text;
  v_challenge formd.challenges;
  v_expires_at timestamptz(3) := v_now + p_pass_lifetime;
begin
  bucket := 'ip';
  bucket_limit := p_ip_limit;
  window_ms := 60000;
  v_rate := formd.rate_limit_take(p_ip_bucket, p_ip_limit, 60000);
  remaining := v_rate.remaining;
  reset_ms := v_rate.reset_ms;
  if not v_rate.allowed then
    outcome := 'rate_limited';
    return next;
    return;
  end if;

  if p_access_key_hash is null or formd.access_key_is_valid(p_team, p_form, p_access_key_hash) then
    select c.caller_id, c.outcome into v_agent, outcome from formd.signature_claim(p_team, p_key_id, p_nonce, p_nonce_expires_at) as c;
  else
    outcome := 'unauthorized';
  end if;
  if outcome is not null then
    return next;
    return;
  end if;
  select a.status into v_agent_status from formd.agents a where a.team_id = p_team and a.id = v_agent;
  select * into v_challenge from formd.challenges c where c.team_id = p_team and c.form_id = p_form and c.id = p_challenge for update;
  perform from formd.grants g where g.team_id = p_team and g.agent_id = v_agent and g.form_id = p_form;

  if v_agent_status <> 'active' then
    outcome := 'agent_inactive';
  elsif v_challenge.id is not null and not found then
    outcome := 'no_grant';
  elsif v_challenge.agent_id is distinct from v_agent then
    outcome := 'not_found';
  elsif v_challenge.status = 'failed' then
    outcome := 'challenge_failed';
  elsif v_challenge.status = 'passed' then
    outcome := 'bad_request';
  elsif v_challenge.expires_at <= v_now then
    outcome := 'challenge_expired';
  elsif p_verdict = 'malformed' then
    outcome := 'malformed';
  elsif p_verdict = 'right' then
    outcome := 'passed';
    pass_expires_at := v_expires_at;
    update formd.challenges c set status = 'passed', attempts = v_challenge.attempts + 1, resolved_at = v_now
    where c.team_id = p_team and c.form_id = p_form and c.id = p_challenge;
    insert into formd.challenge_passes (team_id, form_id, agent_id, expires_at) values (p_team, p_form, v_agent, v_expires_at)
    on conflict (team_id, form_id, agent_id) do update set expires_at = excluded.expires_at;
  else
    remaining_attempts := 2 - v_challenge.attempts;
    outcome := case when remaining_attempts > 0 then 'wrong' else 'exhausted' end;
    update formd.challenges c
    set attempts = v_challenge.attempts + 1,
      status = case when remaining_attempts > 0 then 'issued' else 'failed' end,
      resolved_at = case when remaining_attempts > 0 then null else v_now end
    where c.team_id = p_team and c.form_id = p_form and c.id = p_challenge;
  end if;
  return next;
end
$$;
