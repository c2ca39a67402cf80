-- Numbers of how far people get on the page of a form. 560_daily_counts.sql writes them.

create or replace function formd.progress_read(p_team uuid, p_actor formd.actor, p_form uuid,
  p_first_day integer, out series jsonb, out version integer, out schema jsonb, out settings jsonb)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
-- The counts of a form's page since a day, as series ({day: total}), and what tells its steps: the published
-- version, and the settings in effect of the page and the CAPTCHA. version 0, schema null: the form was never
-- published.
-- Route: GET /management/forms/{form_id}/progress
-- Reads: forms, form_versions, progress_days
-- Raises: not_found, insufficient_workspace_role (least role: viewer)
-- Index: forms_pkey, form_versions_pkey, progress_days_pkey
begin
  perform formd.form_require_role(p_team, p_actor, p_form, 'viewer');
  select f.current_version, v.schema,
    jsonb_build_object('layout', f.settings_in_force #> '{page,layout}',
      'captcha', f.settings_in_force #> '{captcha,enabled}')
  into version, progress_read.schema, settings
  from formd.forms f
  left join formd.form_versions v
    on v.team_id = f.team_id and v.form_id = f.id and v.version = f.current_version
  where f.team_id = p_team and f.id = p_form;
  select coalesce(jsonb_agg(to_jsonb(s)), '[]') into series
  from (
    select d.form_version, d.kind, d.step, jsonb_object_agg(d.day, d.total) as days
    from formd.progress_days d
    where d.team_id = p_team and d.form_id = p_form and d.day >= p_first_day
    group by d.form_version, d.kind, d.step
    order by d.form_version, d.kind, d.step) s;
end
$$;
