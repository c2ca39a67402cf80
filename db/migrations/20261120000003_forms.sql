-- migrate:up

-- The row holds the draft: what owners read and patch. Submitters see form_versions only. Settings are live for both.
create table formd.forms (
  team_id uuid not null,
  id uuid not null,
  workspace_id uuid not null,
  name text not null,
  description text,
  schema jsonb not null default '{"fields": []}',
  settings jsonb not null default
    '{"captcha": {"enabled": false}, "anonymous": {"enabled": true}, "challenge": {"required": false}, "review": {"required": false}}',
  status text not null default 'draft',
  current_version integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  archived_at timestamptz(3),
  constraint forms_pkey primary key (team_id, id),
  constraint forms_workspace_fkey foreign key (team_id, workspace_id) references formd.workspaces (team_id, id) on delete restrict,
  constraint forms_name_check check (btrim(name) <> ''),
  constraint forms_schema_check check (jsonb_typeof(schema -> 'fields') = 'array'),
  constraint forms_settings_check check (jsonb_typeof(settings) = 'object'),
  constraint forms_status_check check (status in ('draft', 'published', 'archived')),
  constraint forms_archived_check check ((status = 'archived') = (archived_at is not null)),
  constraint forms_published_check check (status <> 'published' or current_version > 0)
);
create index forms_workspace_idx on formd.forms (team_id, workspace_id, id);
comment on column formd.forms.current_version is 'number of the last published version, 0 before the first; a patch of the draft leaves it alone';

-- What a publish froze. No function updates or deletes a row.
create table formd.form_versions (
  team_id uuid not null,
  form_id uuid not null,
  version integer not null,
  name text not null,
  description text,
  schema jsonb not null,
  published_at timestamptz(3) not null,
  constraint form_versions_pkey primary key (team_id, form_id, version),
  constraint form_versions_form_fkey foreign key (team_id, form_id) references formd.forms (team_id, id) on delete cascade,
  constraint form_versions_version_check check (version > 0)
);

create table formd.form_access_keys (
  team_id uuid not null,
  form_id uuid not null,
  id uuid not null,
  key_prefix text not null,
  key_hash bytea not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  constraint form_access_keys_pkey primary key (team_id, form_id, id),
  constraint form_access_keys_hash_key unique (team_id, form_id, key_hash),
  constraint form_access_keys_form_fkey foreign key (team_id, form_id) references formd.forms (team_id, id) on delete cascade
);

-- migrate:down

drop table formd.form_access_keys, formd.form_versions, formd.forms;
