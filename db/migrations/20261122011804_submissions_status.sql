-- migrate:up transaction:false
-- Locks: share update exclusive on submissions.

-- Begins with the status: where a statement names team, form and id, an index that began with team and form could be taken for as good
-- as the primary key while the table was young, and that plan walked the form's rows when there were many.
-- Built beside the traffic; if it breaks off, "drop index formd.submissions_status_idx" and run formd migrate again.
create index concurrently submissions_status_idx on formd.submissions (status, team_id, form_id, id);
