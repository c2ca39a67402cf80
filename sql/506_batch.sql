-- The usual list of the server's batches, stored in a fixed number of statements. What it decides is what
-- 500_submit.sql decides, in the same order of locks.

create or replace function formd.submissions_submit_set(p_team uuid, p_items jsonb)
returns setof formd.submitter_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
-- Stores a list of submissions as submissions_submit does, in a fixed number of statements if all are plain.
-- Route: POST /submitter/form/submissions, of which several arrived at once
-- Reads: forms, form_access_keys, sessions, agents, grants, webhooks; what feed_now and submissions_submit
--   read
-- Writes: submissions, submission_counts; what rate_limit_count_set, webhook_batch_record and
--   submissions_submit write
-- Locks: the persons whom agents name, for key share; the client IPs in the order of the list, then the
--   agents in the order of their ids, then a slot per form and status: the order of submissions_submit
-- Outcomes: those of submissions_submit, one row per item, in the order of the list.
-- Index: forms_pkey, form_access_keys_hash_key, sessions_token_key, agents_pkey, grants_agent_form_key
-- Why: an item costs two thirds of its CPU in submissions_submit, where PL/pgSQL is half of it. Plain: a
--   session that may submit, data that was accepted against the published version, no Idempotency-Key,
--   signature, challenge, availability or limit of an option, and no second item of the same client IP or
--   caller. Any other list is decided item by item. Random lists hold both functions to the same results.
--   Hash and merge joins are off: their plans are for tables that are small at the time. Ids are in the order
--   of the list.
declare
  c_slots constant integer := 64;
  c_rate_limit_window_ms constant integer := 60000;
  c_agent_submit_window_ms constant integer := 5000;
  v_now timestamptz(3) := clock_timestamp();
  v_us bigint;
  v_is_plain boolean;
  v_is_mailed boolean;
  v_items formd.plain_submission[];
  v_stored formd.plain_submission[];
  v_ip_keys text[];
  v_ip_limit integer;
  v_agent_keys text[];
  v_agent_positions integer[];
  v_ip formd.rate_limit_states;
  v_agent formd.rate_limit_states;
  v_refused integer[];
  v_agent_refused integer[] := array[]::integer[];
  v_position integer;
  v_teams uuid[];
  v_team uuid;
  v_webhooks uuid[];
  v_has_limits boolean;
  v_names_people boolean;
begin
  -- In a distributed database a join must be of one machine, which a list of several teams is not.
  if p_team is not null then
    return query select * from formd.submissions_submit(p_team, p_items);
    return;
  end if;
  v_us := formd.feed_now();
  -- Authorization, and the conditions of a plain submission. Nothing is locked or written yet.
  select
    array_agg(row(i.team_id, i.form_id, formd.uuid_of(v_us + i.ordinality),
      i.version,
      case when i.partial then 'partial' when f.settings_in_force @> '{"review": {"required": true}}'
        then 'pending'
        else 'completed' end,
      s.kind, coalesce(s.agent_id, s.id), coalesce(i.respondent_id, g.respondent_id), i.data, i.metadata,
      formd.time_of(v_us + i.ordinality), i.request_digest, i.missing_required, i.ip_key,
      case s.kind when 'agent' then 'agent' else 'person' end)::formd.plain_submission order by i.ordinality),
    array_agg(i.ip_key order by i.ordinality), min(i.ip_limit),
    array_agg('submit:agent:' || s.agent_id order by s.agent_id) filter (where s.kind = 'agent'),
    array_agg(i.ordinality order by s.agent_id) filter (where s.kind = 'agent'),
    array_agg(distinct i.team_id),
    count(distinct i.ip_key) = count(*) and count(distinct coalesce(s.agent_id, s.id)) = count(*)
      and min(i.ip_limit) = max(i.ip_limit)
      and bool_and(
        (i.credentials).credential = 'session' and i.idempotency_key_hash is null and i.signature is null
        and i.admitted is not true and i.validation = 'accepted' and i.version = f.current_version
        and f.status = 'published' and not f.settings_in_force ? 'availability' and not f.has_limits
        and k.id is not null
        and case s.kind
          when 'agent' then a.status = 'active' and a.workspace_id = f.workspace_id
            and 'agent:submit' = any (g.scopes)
            and (s.scopes is null or 'agent:submit' = any (s.scopes)) and s.resource is null
              and not f.settings_in_force @> '{"challenge": {"required": true}}'
            and g.respondent is null
            and case when g.respondent_id is null or i.respondent_id is null then not g.binding_required
              else i.respondent_id = g.respondent_id end
          when 'anonymous' then s.form_id = i.form_id
            and not formd.anonymous_is_refused(f.settings_in_force)
          else false end),
    bool_or(f.settings_in_force ?| array['notify', 'copy']),
    bool_or(coalesce(i.respondent_id, g.respondent_id) is not null)
  into v_items, v_ip_keys, v_ip_limit, v_agent_keys, v_agent_positions, v_teams, v_is_plain, v_is_mailed,
    v_names_people
  from jsonb_populate_recordset(null::formd.submission_item, p_items) with ordinality as i
  left join formd.forms f on f.team_id = i.team_id and f.id = i.form_id
  left join formd.form_access_keys k on k.team_id = i.team_id and k.form_id = i.form_id
    and k.key_hash = (i.credentials).access_key_hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > v_now)
  left join formd.sessions s on s.team_id = i.team_id and s.token_hash = (i.credentials).credential_hash
    and s.expires_at > v_now
  left join formd.agents a on a.team_id = i.team_id and a.id = s.agent_id
  -- "offset 0" keeps this apart from the joins. Among them the planner looks by team and form alone, since it
  -- multiplies their selectivities and expects one row, and reads all grants of the form for each item.
  left join lateral (
    select g.scopes, g.respondent_id, g.binding_required, g.respondent from formd.grants g
    where g.team_id = i.team_id and g.agent_id = s.agent_id and g.form_id = i.form_id offset 0) g on true;
  if v_is_plain is not true then
    return query select * from formd.submissions_submit(p_team, p_items);
    return;
  end if;
  if v_names_people then
    perform formd.respondent_lock(p.team_id, p.respondent_id) from (
      select distinct i.team_id, i.respondent_id from unnest(v_items) as i
      where i.respondent_id is not null order by i.team_id, i.respondent_id) as p;
  end if;

  -- The rate limits. A request over the limit of its client IP does not count for its agent. A request over
  -- the limit of its agent does not count for its client IP.
  v_ip := formd.rate_limit_count_set(v_ip_keys, v_ip_limit, c_rate_limit_window_ms);
  v_refused := array(select n from generate_subscripts(v_ip.allowed, 1) as n where not v_ip.allowed[n]);
  if cardinality(v_refused) > 0 then
    select array_agg(k.key order by k.ordinality), array_agg(k.position order by k.ordinality)
    into v_agent_keys, v_agent_positions
    from unnest(v_agent_keys, v_agent_positions) with ordinality as k (key, position)
    where k.position <> all (v_refused);
  end if;
  v_agent := formd.rate_limit_count_set(v_agent_keys, 1, c_agent_submit_window_ms);
  if false = any (v_agent.allowed) then
    foreach v_position in array v_agent_positions loop
      if not v_agent.allowed[array_position(v_agent_positions, v_position)] then
        perform formd.rate_limit_refund(v_ip_keys[v_position]);
        v_agent_refused := array_append(v_agent_refused, v_position);
      end if;
    end loop;
    v_refused := v_refused || v_agent_refused;
  end if;
  v_stored := v_items;
  if cardinality(v_refused) > 0 then
    v_stored := array(select v_items[n] from generate_subscripts(v_items, 1) as n where n <> all (v_refused));
  end if;

  insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id,
    respondent_id, data, metadata, created_at, updated_at, completed_at, request_digest, provenance)
  select i.team_id, i.form_id, i.id, i.form_version, i.status, i.submitter_type, i.submitter_id,
    i.respondent_id, i.data, i.metadata, i.created_at, i.created_at,
    case when i.status = 'completed' then i.created_at end, i.request_digest, i.provenance
  from unnest(v_stored) as i;

  for v_team, v_webhooks in
    select w.team_id, array_agg(w.id) from formd.webhooks w
    where w.team_id = any (v_teams) and w.status <> 'disabled' and 'submission.created' = any (w.event_types)
    group by w.team_id
  loop
    if exists (select from unnest(v_stored) as i where i.team_id = v_team) then
      perform formd.webhook_batch_record(v_team, v_webhooks, array(
        select row(i.form_id, i.id, i.form_version, i.status, i.submitter_type, i.submitter_id,
          i.respondent_id, i.data, i.metadata, i.created_at, i.team_id, i.request_digest, i.provenance,
          null, null, null, null)::formd.accepted_submission
        from unnest(v_stored) as i where i.team_id = v_team));
    end if;
    v_teams := array_remove(v_teams, v_team);
  end loop;
  if v_is_mailed then
    for v_team in select distinct i.team_id from unnest(v_stored) as i where i.team_id = any (v_teams) loop
      perform formd.webhook_batch_record(v_team, '{}', array(
        select row(i.form_id, i.id, i.form_version, i.status, i.submitter_type, i.submitter_id,
          i.respondent_id, i.data, i.metadata, i.created_at, i.team_id, i.request_digest, i.provenance,
          null, null, null, null)::formd.accepted_submission
        from unnest(v_stored) as i where i.team_id = v_team));
    end loop;
  end if;

  with counted as (
    insert into formd.submission_counts as c (team_id, form_id, status, slot, total)
    select i.team_id, i.form_id, i.status, pg_backend_pid() % c_slots, count(*)
    from unnest(v_stored) as i
    group by i.team_id, i.form_id, i.status order by i.team_id, i.form_id, i.status
    on conflict (team_id, form_id, status, slot) do update set total = c.total + excluded.total
    returning c.has_limits
  )
  select bool_or(c.has_limits) into v_has_limits from counted c;
  if v_has_limits then
    raise serialization_failure using message = 'The form has got limits.';
  end if;

  return query
  select case when r.is_refused then 'rate_limited' else 'stored' end,
    case when r.is_counted then i.submitter_type end, case when r.is_counted then i.submitter_id end,
    case when not r.is_refused
      then jsonb_build_object('id', i.id, 'status', i.status, 'missingRequired', i.missing_required) end,
    case when r.is_agent then 'agent' else 'ip' end, case when r.is_agent then 1 else v_ip_limit end,
    case when r.is_agent then c_agent_submit_window_ms else c_rate_limit_window_ms end,
    case when r.is_agent then 0 else coalesce(v_ip.remaining[i.ordinality], v_ip_limit - 1) end,
    case when r.is_agent
      then coalesce(v_agent.reset_ms[array_position(v_agent_positions, i.ordinality::integer)],
        c_agent_submit_window_ms)
      else coalesce(v_ip.reset_ms[i.ordinality], c_rate_limit_window_ms) end,
    null::integer, null::jsonb, case when r.is_counted then i.provenance end
  from unnest(v_items) with ordinality as i,
    lateral (select i.ordinality = any (v_refused) as is_refused,
      i.ordinality <> all (v_refused) or i.ordinality = any (v_agent_refused) as is_counted,
      i.submitter_type = 'agent' and (i.ordinality <> all (v_refused) or i.ordinality = any (v_agent_refused))
        as is_agent) as r
  order by i.ordinality;
end
$$;
