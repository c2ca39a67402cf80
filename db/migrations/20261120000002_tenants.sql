-- migrate:up

-- A team is the tenant, and team_id is the first column of every key, so that isolation is a property of the keys and the
-- whole schema can be distributed by it. Ids are UUIDv7 made by the service; secrets are stored as SHA-256 only.

create table formd.teams (
  team_id uuid not null,
  name text not null,
  created_at timestamptz(3) not null,
  constraint teams_pkey primary key (team_id),
  constraint teams_name_check check (name <> '')
);

create table formd.workspaces (
  team_id uuid not null,
  id uuid not null,
  name text not null,
  created_at timestamptz(3) not null,
  constraint workspaces_pkey primary key (team_id, id),
  constraint workspaces_team_fkey foreign key (team_id) references formd.teams (team_id) on delete cascade,
  constraint workspaces_name_check check (name <> '')
);

-- The one table without a team: a person may work for several. On a distributed database it is a reference table.
create table formd.operators (
  id uuid not null,
  email text not null,
  password_salt text not null,
  password_hash bytea not null,
  created_at timestamptz(3) not null,
  constraint operators_pkey primary key (id),
  constraint operators_email_key unique (email),
  constraint operators_email_check check (email = lower(email) and email <> '')
);
comment on column formd.operators.password_salt is 'scrypt$N$r$p$salt, salt in base64url: what it takes to derive the hash again';
comment on column formd.operators.password_hash is '64 bytes of scrypt; compared here, never read by the service';

create table formd.workspace_roles (
  team_id uuid not null,
  workspace_id uuid not null,
  operator_id uuid not null,
  role text not null,
  created_at timestamptz(3) not null,
  constraint workspace_roles_pkey primary key (team_id, workspace_id, operator_id),
  constraint workspace_roles_workspace_fkey foreign key (team_id, workspace_id) references formd.workspaces (team_id, id) on delete cascade,
  constraint workspace_roles_operator_fkey foreign key (operator_id) references formd.operators (id) on delete cascade,
  constraint workspace_roles_role_check check (role in ('admin', 'editor', 'viewer'))
);
create index workspace_roles_operator_idx on formd.workspace_roles (operator_id, created_at);

create table formd.operator_sessions (
  team_id uuid not null,
  id uuid not null,
  operator_id uuid not null,
  token_hash bytea not null,
  created_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint operator_sessions_pkey primary key (team_id, id),
  constraint operator_sessions_token_key unique (team_id, token_hash),
  constraint operator_sessions_team_fkey foreign key (team_id) references formd.teams (team_id) on delete cascade,
  constraint operator_sessions_operator_fkey foreign key (operator_id) references formd.operators (id) on delete cascade
);
create index operator_sessions_operator_idx on formd.operator_sessions (operator_id);
comment on column formd.operator_sessions.seen_at is 'moves at most once a minute; the idle limit counts from it';

create table formd.api_keys (
  team_id uuid not null,
  id uuid not null,
  name text not null,
  scopes text[] not null,
  key_prefix text not null,
  key_hash bytea not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  constraint api_keys_pkey primary key (team_id, id),
  constraint api_keys_hash_key unique (team_id, key_hash),
  constraint api_keys_team_fkey foreign key (team_id) references formd.teams (team_id) on delete cascade,
  constraint api_keys_scopes_check check (
    cardinality(scopes) > 0
    and scopes <@ array['forms:read', 'forms:write', 'submissions:read', 'submissions:update', 'submissions:delete', 'submissions:write'])
);
comment on column formd.api_keys.last_used_at is 'moves at most once a minute, so that reading costs no write';

-- migrate:down

drop table formd.api_keys, formd.operator_sessions, formd.workspace_roles, formd.operators, formd.workspaces, formd.teams;
