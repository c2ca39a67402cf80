-- A form's page by the link of an invitation (545_invitations.sql makes them), and its submission. One is
-- stored per invitation.
--
-- Named: storing it writes the invitation, in the same transaction. Anonymous (settings.invitations): nothing
-- may tie the two, and rows of one transaction have its number. So the server claims the invitation in a
-- transaction of its own, the submission reads the claim, and a third transaction ends it.

create or replace function formd.invitation_claims(p_claim_hash bytea) returns bytea[]
language sql immutable parallel safe as $$
-- Returns the two forms of a claim: that of one request, and that of several with the key of one page.
select array[p_claim_hash, sha256('joined ' || p_claim_hash)]
$$;

create or replace function formd.invitation_outcome(p_team uuid, p_form uuid,
  p_credentials formd.submitter_credentials) returns text
language plpgsql stable as $$
-- Returns whether the page of an invitation may be sent.
-- Reads: invitations, sessions
-- Outcomes: not_found (unknown, revoked, expired), gone (used); allowed, also for the page that has used it
-- Index: invitations_token_key, sessions_token_key
declare
  v_now timestamptz(3) := clock_timestamp();
  v_state text;
  v_claim_hash bytea;
  v_expires_at timestamptz(3);
begin
  select i.state, i.claim_hash, i.expires_at into v_state, v_claim_hash, v_expires_at
  from formd.invitations i
  where i.team_id = p_team and i.form_id = p_form and i.token_hash = p_credentials.invitation_hash;
  if v_state = 'submitted' then
    if v_claim_hash = any (formd.invitation_claims(p_credentials.claim_hash)
      || formd.invitation_claims(sha256(p_credentials.claim_hash))) then
      return 'allowed';
    end if;
    perform from formd.sessions s where s.team_id = p_team
      and s.token_hash = formd.page_session_token(p_form, p_credentials.credential_hash);
    return case when found then 'allowed' else 'gone' end;
  end if;
  return case when v_state = 'open' and v_expires_at > v_now then 'allowed' else 'not_found' end;
end
$$;

create or replace function formd.invitation_page(p_team uuid, p_form uuid, p_token_hash bytea) returns jsonb
language plpgsql stable as $$
-- Returns what a page needs of an invitation: the values and the language that it begins with, and whether it
-- is used. Null: unknown, revoked or expired.
-- Reads: invitations
-- Index: invitations_token_key
declare
  v_now timestamptz(3) := clock_timestamp();
begin
  return (
    select jsonb_build_object('prefill', coalesce(i.prefill, '{}'), 'language', i.language,
      'isUsed', i.state = 'submitted')
    from formd.invitations i
    where i.team_id = p_team and i.form_id = p_form and i.token_hash = p_token_hash
      and (i.state = 'submitted' or i.state = 'open' and i.expires_at > v_now));
end
$$;

create or replace function formd.invitation_consume(p_team uuid, p_item formd.submission_item,
  p_is_anonymous boolean, p_submission uuid, out outcome text, out respondent_id uuid)
language plpgsql volatile as $$
-- Uses the invitation of a page whose submission is stored next. In an anonymous form it is claimed already.
-- Writes: invitations, unless the form is anonymous
-- Locks: the person of the invitation; then the invitation, unless the form is anonymous
-- Outcomes: claim_required (the server claims it, and sends the item again); gone (used, also meanwhile);
--   not_found (revoked or expired meanwhile, or its person is erased); null: the submission may be stored
-- Index: invitations_token_key
-- Why: a request stores only by a claim that it has made or joined itself, for which it sends the hash of
--   its first hash. Else a refused request would give back the claim that another one stores by. Of many at
--   once each waits for the row, and one of them finds it open. A lock of it would write the number of the
--   transaction beside an anonymous one.
declare
  v_now timestamptz(3) := clock_timestamp();
  v_state text;
  v_claim_hash bytea;
  v_is_open boolean;
begin
  select i.state, i.claim_hash, i.respondent_id, i.state = 'open' and i.expires_at > v_now
  into v_state, v_claim_hash, respondent_id, v_is_open
  from formd.invitations i
  where i.team_id = p_team and i.form_id = p_item.form_id
    and i.token_hash = (p_item.credentials).invitation_hash;
  if p_is_anonymous then
    respondent_id := null;
    if v_claim_hash = any (formd.invitation_claims((p_item.credentials).claim_hash)) then
      return;
    end if;
    outcome := case when v_is_open
        or v_claim_hash = any (formd.invitation_claims(sha256((p_item.credentials).claim_hash)))
        then 'claim_required'
      when v_state = 'submitted' then 'gone' else 'not_found' end;
    return;
  end if;
  if respondent_id is not null and not formd.respondent_lock(p_team, respondent_id) then
    outcome := 'not_found';
    return;
  end if;
  update formd.invitations i set state = 'submitted', submission_id = p_submission
  where i.team_id = p_team and i.form_id = p_item.form_id
    and i.token_hash = (p_item.credentials).invitation_hash and i.state = 'open' and i.expires_at > v_now;
  if not found then
    perform from formd.invitations i
    where i.team_id = p_team and i.form_id = p_item.form_id
      and i.token_hash = (p_item.credentials).invitation_hash and i.state = 'submitted';
    outcome := case when found then 'gone' else 'not_found' end;
  end if;
end
$$;

create or replace function formd.invitation_reopen(p_team uuid, p_item formd.submission_item,
  p_submission uuid) returns void
language plpgsql volatile as $$
-- Undoes invitation_consume for a submission that is not stored: its key was used for another page at once.
-- Writes: invitations
-- Locks: the invitation, which is locked
-- Index: invitations_token_key
begin
  update formd.invitations i set state = 'open', submission_id = null
  where i.team_id = p_team and i.form_id = p_item.form_id
    and i.token_hash = (p_item.credentials).invitation_hash and i.submission_id = p_submission;
end
$$;

create or replace function formd.invitation_claim(p_team uuid, p_form uuid, p_token_hash bytea,
  p_claim_hash bytea) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Claims the invitation of an anonymous form for the page that p_claim_hash is made of the key of.
-- Route: POST /f/{id}/i/{token}, after the outcome claim_required
-- Writes: invitations
-- Locks: the invitation
-- Outcomes: gone; joined: another request of this page has the claim, and neither may give it back, since the
--   other one may store; claimed
-- Index: invitations_token_key
declare
  v_now timestamptz(3) := clock_timestamp();
  v_claim_hash bytea;
begin
  update formd.invitations i
  set state = 'submitted', claim_hash = case when i.state = 'open' then p_claim_hash
    else sha256('joined ' || p_claim_hash) end
  where i.team_id = p_team and i.form_id = p_form and i.token_hash = p_token_hash
    and (i.state = 'open' and i.expires_at > v_now
      or i.claim_hash = any (formd.invitation_claims(p_claim_hash)))
  returning i.claim_hash into v_claim_hash;
  return case when v_claim_hash is null then 'gone' when v_claim_hash = p_claim_hash then 'claimed'
    else 'joined' end;
end
$$;

create or replace function formd.invitation_claim_end(p_team uuid, p_form uuid, p_token_hash bytea,
  p_claim_hash bytea, p_is_stored boolean) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off as $$
-- Ends a claim: its submission is stored, or was refused, and the invitation is open again.
-- Route: POST /f/{id}/i/{token}, after a submission of an anonymous form
-- Writes: invitations
-- Locks: the invitation
-- Index: invitations_token_key
-- Why: a server that ends in between leaves the claim, with which the same page can be sent again.
begin
  update formd.invitations i set state = case when p_is_stored then 'submitted' else 'open' end,
    claim_hash = null
  where i.team_id = p_team and i.form_id = p_form and i.token_hash = p_token_hash
    and (i.claim_hash = p_claim_hash or p_is_stored and i.claim_hash = sha256('joined ' || p_claim_hash));
end
$$;
