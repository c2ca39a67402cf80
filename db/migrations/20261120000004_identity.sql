-- migrate:up

create table formd.agents (
  team_id uuid not null,
  id uuid not null,
  workspace_id uuid not null,
  client_id text not null,
  name text not null,
  status text not null default 'active',
  secret_prefix text not null,
  secret_hash bytea not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  disabled_at timestamptz(3),
  revoked_at timestamptz(3),
  constraint agents_pkey primary key (team_id, id),
  constraint agents_client_id_key unique (team_id, client_id),
  constraint agents_secret_key unique (team_id, secret_hash),
  constraint agents_workspace_fkey foreign key (team_id, workspace_id) references formd.workspaces (team_id, id) on delete restrict,
  constraint agents_name_check check (btrim(name) <> ''),
  constraint agents_status_check check (status in ('active', 'disabled', 'revoked')),
  constraint agents_disabled_check check ((status = 'disabled') = (disabled_at is not null)),
  constraint agents_revoked_check check ((status = 'revoked') = (revoked_at is not null))
);
create index agents_workspace_idx on formd.agents (team_id, workspace_id, id);

-- What one agent may do on one form; read at every call, so that a change counts from the next one on.
create table formd.grants (
  team_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  form_id uuid not null,
  scopes text[] not null,
  respondent_id uuid,
  binding_required boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint grants_pkey primary key (team_id, id),
  constraint grants_agent_form_key unique (team_id, agent_id, form_id),
  constraint grants_agent_fkey foreign key (team_id, agent_id) references formd.agents (team_id, id) on delete cascade,
  constraint grants_form_fkey foreign key (team_id, form_id) references formd.forms (team_id, id) on delete cascade,
  constraint grants_scopes_check check (cardinality(scopes) > 0 and scopes <@ array['agent:read', 'agent:validate', 'agent:submit'])
);
create index grants_form_idx on formd.grants (team_id, form_id);

create table formd.signing_keys (
  team_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  key_id text not null,
  alg text not null default 'ed25519',
  public_key_pem text not null,
  status text not null default 'active',
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  expires_at timestamptz(3),
  constraint signing_keys_pkey primary key (team_id, id),
  constraint signing_keys_key_id_key unique (team_id, key_id),
  constraint signing_keys_agent_fkey foreign key (team_id, agent_id) references formd.agents (team_id, id) on delete cascade,
  constraint signing_keys_alg_check check (alg = 'ed25519'),
  constraint signing_keys_status_check check (status in ('active', 'revoked')),
  constraint signing_keys_revoked_check check ((status = 'revoked') = (revoked_at is not null))
);
create index signing_keys_agent_idx on formd.signing_keys (team_id, agent_id);
comment on column formd.signing_keys.key_id is 'key_ and the first 16 hex characters of the SHA-256 of the PEM text as it was sent';

-- What a respondent token stands for: an agent (on every form it has a grant for), or anyone at all on one form.
create table formd.sessions (
  team_id uuid not null,
  id uuid not null,
  kind text not null,
  agent_id uuid,
  form_id uuid,
  token_hash bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint sessions_pkey primary key (team_id, id),
  constraint sessions_token_key unique (team_id, token_hash),
  constraint sessions_agent_fkey foreign key (team_id, agent_id) references formd.agents (team_id, id) on delete cascade,
  constraint sessions_form_fkey foreign key (team_id, form_id) references formd.forms (team_id, id) on delete cascade,
  constraint sessions_kind_check check (kind in ('agent', 'anonymous')),
  constraint sessions_agent_check check ((kind = 'agent') = (agent_id is not null)),
  constraint sessions_form_check check ((kind = 'anonymous') = (form_id is not null))
);
create index sessions_agent_idx on formd.sessions (team_id, agent_id, expires_at) where agent_id is not null;
create index sessions_form_idx on formd.sessions (team_id, form_id, expires_at) where form_id is not null;

-- Nonces of signed requests. Logged, not UNLOGGED: a crash must not let a captured request pass a second time.
create table formd.nonces (
  team_id uuid not null,
  signing_key_id uuid not null,
  nonce bytea not null,
  expires_at timestamptz(3) not null,
  constraint nonces_pkey primary key (team_id, signing_key_id, nonce),
  constraint nonces_key_fkey foreign key (team_id, signing_key_id) references formd.signing_keys (team_id, id) on delete cascade
);
create index nonces_expires_idx on formd.nonces (team_id, signing_key_id, expires_at);

-- migrate:down

drop table formd.nonces, formd.sessions, formd.signing_keys, formd.grants, formd.agents;
