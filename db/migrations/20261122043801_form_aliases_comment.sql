-- migrate:up
-- Locks: share update exclusive on form_aliases.
comment on table formd.form_aliases is 'settings.page.alias of every form that has one. No other form answers at a known address. Kept as long as the form has the setting, also while it is archived.';
