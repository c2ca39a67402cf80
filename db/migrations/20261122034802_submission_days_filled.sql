-- migrate:up
-- Locks: none.

-- The submissions of the last 90 days. Those that servers of the previous release store from now on are in no chart.
insert into formd.submission_days (team_id, form_id, day, status, submitter_type, total, expires_at)
select s.team_id, s.form_id, s.day, s.status, s.submitter_type, count(*),
  timestamptz 'epoch' + interval '1 day' * (s.day + 91)
from (
  select team_id, form_id, floor(extract(epoch from created_at) / 86400)::integer as day, status, submitter_type
  from formd.submissions
  where created_at >= now() - interval '90 days') s
group by s.team_id, s.form_id, s.day, s.status, s.submitter_type;
