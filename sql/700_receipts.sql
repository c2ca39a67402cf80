-- Receipts: what the server signs to state that it has accepted a submission.

create or replace function formd.receipt_read(p_team uuid, p_form uuid, p_submission uuid,
  out submission uuid, out form uuid, out version integer, out schema jsonb, out request_digest bytea,
  out salt bytea, out data jsonb, out submitter_type text, out submitter_id uuid, out respondent_id uuid,
  out provenance text, out declared_agent text, out key_id text, out signature_input text, out signature text,
  out accepted_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Returns what the receipt of a submission states, with the data as it was accepted.
-- Route: GET /management/forms/{form_id}/submissions/{submission_id}/receipt
-- Reads: submissions, submission_edits, submission_erasures, submission_signatures, form_versions
-- Raises: not_found (also a submission that came in no request), gone (deleted)
-- Index: submissions_pkey, submission_edits_pkey, submission_erasures_pkey, submission_signatures_pkey,
--   form_versions_pkey
-- Why: the first edit of a field has the value that was accepted, so that nothing more is stored.
declare
  v_edited text[];
  v_accepted jsonb;
begin
  select s.id, s.form_id, s.form_version, v.schema, s.request_digest, uuid_send(s.salt), s.data,
    s.submitter_type, s.submitter_id, case when s.provenance = 'agent_for_person' then s.respondent_id end,
    s.provenance, s.declared_agent, g.key_id, g.signature_input, g.signature, s.created_at
  into submission, form, version, schema, request_digest, salt, data, submitter_type, submitter_id,
    respondent_id, provenance, declared_agent, key_id, signature_input, signature, accepted_at
  from formd.submissions s
  join formd.form_versions v on v.team_id = s.team_id and v.form_id = s.form_id and v.version = s.form_version
  left join formd.submission_signatures g on g.team_id = s.team_id and g.form_id = s.form_id
    and g.submission_id = s.id
  where s.team_id = p_team and s.form_id = p_form and s.id = p_submission;
  if not found then
    perform from formd.submission_erasures r where r.team_id = p_team and r.form_id = p_form
      and r.submission_id = p_submission;
    if found then
      perform formd.raise_problem('gone', 'receipt_deleted');
    end if;
    perform formd.raise_problem('not_found', 'submission_missing');
  elsif request_digest is null then
    perform formd.raise_problem('not_found', 'receipt_missing');
  end if;

  select array_agg(e.field_id), jsonb_object_agg(e.field_id,
    e.old_value) filter (where e.old_value is not null)
  into v_edited, v_accepted
  from (
    select distinct on (e.field_id) e.field_id, e.old_value from formd.submission_edits e
    where e.team_id = p_team and e.form_id = p_form and e.submission_id = p_submission
    order by e.field_id, e.created_at, e.id) as e;
  if v_edited is not null then
    data := (data - v_edited) || coalesce(v_accepted, '{}');
  end if;
end
$$;

create or replace function formd.receipt_key_add(p_team uuid, p_version integer, p_name text,
  p_public_key bytea, p_statement text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
-- Adds a public key of a team, which its receipts are signed with from now on. Of two servers that add the
-- same version one wins; the key is the same, unless their settings differ. Signatures of the statement make
-- it a key: the database does not verify them, a reader of the keys does. A version that does not come next
-- adds nothing, so that none comes before the team's first key.
-- Route: those of receipts, when the team has no key, or none of this BASE_URL and master key
-- Reads: receipt_keys
-- Writes: receipt_keys
-- Index: receipt_keys_pkey
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  insert into formd.receipt_keys (team_id, version, name, public_key, statement, created_at)
  select p_team, p_version, p_name, p_public_key, p_statement, v_now
  where p_version = 1 + coalesce(
    (select max(k.version) from formd.receipt_keys k where k.team_id = p_team), 0)
  on conflict (team_id, version) do nothing;
end
$$;

create or replace function formd.receipt_authorize(p_team uuid, p_form uuid,
  p_credentials formd.submitter_credentials, p_submission uuid,
  out outcome text, out caller_type text, out caller_id uuid)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Decides whether a submitter may have the receipt of a submission: one that it has submitted itself. Of a
-- deleted one nothing says who has.
-- Route: GET /submitter/receipts/{submission_id}
-- Reads: submissions; what submitter_admit reads
-- Writes: what submitter_admit and submitter_claim_nonce write
-- Outcomes: those of submitter_admit, except those of the form's state, and submitter_claim_nonce; not_found
--   (also: another's); allowed (also: none such, which receipt_read tells apart).
-- Index: submissions_pkey
-- Why: what a form takes now does not decide about what it has taken, so that an archived one gives receipts.
declare
  v_form formd.submitter_form := formd.submitter_form_load(p_team, p_form, p_credentials.access_key_hash);
  v_authorization formd.submitter_authorization;
begin
  v_authorization := formd.submitter_admit(p_team, v_form, p_credentials, p_scope => null);
  v_authorization := formd.submitter_claim_nonce(p_team, p_credentials, v_authorization, false);
  outcome := coalesce((v_authorization.result).outcome, 'allowed');
  if outcome in ('form_not_published', 'anonymous_not_allowed') then
    outcome := 'allowed';
  end if;
  caller_type := (v_authorization.result).caller_type;
  caller_id := (v_authorization.result).caller_id;
  if outcome = 'allowed' then
    perform from formd.submissions s
    where s.team_id = p_team and s.form_id = p_form and s.id = p_submission
      and (s.submitter_type, s.submitter_id) <> (caller_type, caller_id);
    if found then
      outcome := 'not_found';
    end if;
  end if;
end
$$;

create or replace function formd.receipt_key_list(p_team uuid) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- Returns the keys of a team's receipts, oldest first.
-- Route: GET …/submissions/{submission_id}/receipt
-- Reads: receipt_keys
-- Index: receipt_keys_pkey
-- Why: a function, as form_version_schema.
begin
  return (
    select coalesce(json_agg(k order by k.version), '[]')
    from (select e.version, e.name, e.public_key, e.statement, e.created_at from formd.receipt_keys e
      where e.team_id = p_team) as k);
end
$$;
