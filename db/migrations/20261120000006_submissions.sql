-- migrate:up

-- The key is also the order: ids are UUIDv7, created_at is the time inside the id, so newest first is this index read
-- backwards and needs no second one.
--
-- There is no foreign key to forms. The check would lock the form's row for every submit (FOR KEY SHARE, and a multixact
-- whenever two overlap), a submit reads that row anyway, and a form is archived, never deleted.
create table formd.submissions (
  team_id uuid not null,
  form_id uuid not null,
  id uuid not null,
  form_version integer not null,
  status text not null,
  submitter_type text not null,
  submitter_id uuid not null,
  respondent_id uuid,
  data jsonb not null,
  metadata jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  completed_at timestamptz(3),
  constraint submissions_pkey primary key (team_id, form_id, id),
  constraint submissions_status_check check (status in ('pending', 'completed', 'partial')),
  constraint submissions_completed_check check ((status = 'completed') = (completed_at is not null)),
  constraint submissions_submitter_check check (submitter_type in ('agent', 'anonymous', 'api_key'))
);

-- The filters of the list; the id at the end makes each one the order too, and a count or a deep page reads the index alone. Two are
-- partial, so that the usual submit does not pay for them. The one of the status is not: a prepared statement's plan must hold for every
-- status, so that it cannot use a partial one, and would walk the form for the few that are pending (or completed, where all are reviewed).
create index submissions_agent_idx on formd.submissions (team_id, form_id, submitter_id, id) where submitter_type = 'agent';
create index submissions_respondent_idx on formd.submissions (team_id, form_id, respondent_id, id) where respondent_id is not null;
create index submissions_status_idx on formd.submissions (team_id, form_id, status, id);

-- How many submissions a form has, so that a page's exact total is a few rows and no scan. One form's number is the sum over
-- its slots; a transaction counts in the slot of its own backend, so that two submits never wait for each other.
create table formd.submission_counts (
  team_id uuid not null,
  form_id uuid not null,
  status text not null,
  slot smallint not null,
  total bigint not null,
  constraint submission_counts_pkey primary key (team_id, form_id, status, slot)
) with (fillfactor = 50);
comment on table formd.submission_counts is 'fillfactor leaves room for the new version of a row on its own page (HOT): the rows change with every submit';

-- Who changed which answer. Rows are added by submission_patch; erasing a submission blanks the two values and nothing else
-- ever changes a row. No foreign key to submissions: the audit outlives them.
create table formd.submission_edits (
  team_id uuid not null,
  form_id uuid not null,
  submission_id uuid not null,
  id uuid not null,
  field_id text not null,
  old_value jsonb,
  new_value jsonb,
  api_key_id uuid not null,
  request_id text not null,
  created_at timestamptz(3) not null,
  erased_at timestamptz(3),
  constraint submission_edits_pkey primary key (team_id, form_id, submission_id, id),
  constraint submission_edits_key_fkey foreign key (team_id, api_key_id) references formd.api_keys (team_id, id) on delete restrict,
  constraint submission_edits_erased_check check (erased_at is null or (old_value is null and new_value is null))
);
create index submission_edits_key_idx on formd.submission_edits (team_id, api_key_id);

-- Who erased which submission.
create table formd.submission_erasures (
  team_id uuid not null,
  form_id uuid not null,
  submission_id uuid not null,
  field_ids text[] not null,
  api_key_id uuid not null,
  request_id text not null,
  created_at timestamptz(3) not null,
  constraint submission_erasures_pkey primary key (team_id, form_id, submission_id),
  constraint submission_erasures_key_fkey foreign key (team_id, api_key_id) references formd.api_keys (team_id, id) on delete restrict
);
create index submission_erasures_key_idx on formd.submission_erasures (team_id, api_key_id);

-- A retried submit finds its first answer here, for 24 hours.
create table formd.idempotency_keys (
  team_id uuid not null,
  form_id uuid not null,
  caller_id uuid not null,
  key text not null,
  body_hash bytea not null,
  answer jsonb,
  expires_at timestamptz(3) not null,
  constraint idempotency_keys_pkey primary key (team_id, form_id, caller_id, key),
  constraint idempotency_keys_form_fkey foreign key (team_id, form_id) references formd.forms (team_id, id) on delete cascade,
  constraint idempotency_keys_key_check check (char_length(key) between 1 and 255)
);
create index idempotency_keys_expires_idx on formd.idempotency_keys (team_id, form_id, expires_at);
comment on column formd.idempotency_keys.answer is 'what a 200 or a 422 said; null only inside the transaction that is making it';

-- migrate:down

drop table formd.idempotency_keys, formd.submission_erasures, formd.submission_edits, formd.submission_counts, formd.submissions;
