-- migrate:up
-- Locks: none.

-- Addresses of forms' pages that people can remember: /f/contact-us. An alias is unique in the installation, not in a team, so that its
-- primary key does not begin with the team, and no foreign key leads to the form: on Citus this table is on every machine.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  create table formd.form_aliases (
    alias text not null,
    owner_team_id uuid not null,
    form_id uuid not null,
    created_at timestamptz(3) not null,
    constraint form_aliases_pkey primary key (alias),
    constraint form_aliases_form_key unique (owner_team_id, form_id),
    constraint form_aliases_alias_check check (char_length(alias) <= 40 and alias ~ '^[a-z0-9][a-z0-9-]*[a-z0-9]$')
  );
  comment on table formd.form_aliases is 'settings.page.alias of every form that has one; an archived form keeps its alias, so that no other form answers at a known address.';
  comment on column formd.form_aliases.alias is 'unique in the installation';
  comment on column formd.form_aliases.owner_team_id is 'the team of the form; not named team_id, since tables with that column are distributed by it';
end
$$;
