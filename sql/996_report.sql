-- For reports: what there is to count, without a stored value.

create or replace view formd.report_submissions with (security_barrier) as
select s.team_id, s.form_id, s.id, s.form_version, s.status, s.submitter_type, s.created_at, s.updated_at, s.completed_at
from formd.submissions s;
comment on view formd.report_submissions is 'A submission without its values, for the group formd_report.';
