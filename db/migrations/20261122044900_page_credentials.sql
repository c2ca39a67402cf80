-- migrate:up
-- Locks: none.

-- The page of a form has credentials of its own: its session is made with the submission.
comment on column formd.submitter_credentials.credential is 'session, api_key, signature or page';
