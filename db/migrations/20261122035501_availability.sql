-- migrate:up
-- Locks: none.

-- Forms that are not open, or full (settings.availability; sql/420_authorization.sql). Columns are added to types that functions of the
-- previous release use in the meantime: these see null.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  alter type formd.submitter_form add attribute closed jsonb;
  comment on column formd.submitter_form.closed is 'why the form takes no submissions now: reason, and what it is about; null: it takes them';
  alter type formd.submission_item add attribute reports_closed boolean;
  comment on column formd.submission_item.reports_closed is 'the server knows the outcome form_closed; a server of the previous release gets form_not_published';
  alter type formd.validation_item add attribute reports_closed boolean;
  comment on column formd.validation_item.reports_closed is 'as in formd.submission_item';
end
$$;
