-- migrate:up

-- `bun run migration NAME` writes the next file; until 1.0.0 is tagged this one is edited instead.
--
-- The tables of formd, in the order of its resources. sql/ has the functions that write them, and who may do
-- what.
--
-- A team is the tenant. team_id is the first column of nearly every key, so that isolation is a property of
-- the keys, and the whole schema can be distributed by it (db/distribute.sql). Ids are UUIDv7, made by the
-- server: their order is the order in time. Secrets are stored as SHA-256 only. Functions set every time, so
-- that no column has a default of one.
--
-- Indexes. On a table of one page all indexes cost the same, and a connection keeps the plan that it made
-- then. So that a look-up by a whole key never walks a team's rows by another index, an index beside the key
-- begins with a column that such a look-up does not name, or is partial: "where client_id is not null" is
-- always true, and only a statement that names client_id can use that index. Those for the purge are on
-- expressions of expires_at for the same reason.
--
-- Storage. Statistics come after 2 % of new rows, not 10 %: a plan made for few rows is kept until then.
-- Where rows are inserted for good, 1 to 2 % of new ones cause a vacuum, whose visibility map lets counts and
-- deep pages read an index alone. It freezes them, too (autovacuum_freeze_min_age 0), since few change later:
-- the vacuum that PostgreSQL forces against wraparound then finds nothing to do. Where every row is deleted
-- some time later, 5 % do, and vacuum_truncate is off: giving back the end of the heap takes an access
-- exclusive lock that requests would wait for, and the next rows use it. Counters have fillfactor 50, which
-- leaves room for HOT updates.

-- Locks: none.

-- On Citus formd distribute brings types and tables to the other machines; here nothing goes there, since the
-- owner may not alter roles on them.
set local citus.enable_ddl_propagation = off;

-- Three roles share the work. The owner, who runs this file, owns tables and functions. Groups without login
-- say what others may: formd_app the server, formd_admin the commands (sql/999_privileges.sql).
do $$
declare
  v_role text;
begin
  foreach v_role in array array['formd_app', 'formd_admin'] loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = v_role) then
        execute format('create role %I nologin', v_role);
      end if;
    exception
      when insufficient_privilege then
        raise exception 'formd needs the role %: let an administrator run "create role % nologin"',
          v_role, v_role;
      when duplicate_object or unique_violation then
        null; -- another database of this cluster created it at the same time
    end;
  end loop;
end
$$;

create schema if not exists formd;
comment on schema formd is 'functions none'; -- then the digest of those that are loaded
comment on table formd.schema_migrations is 'The migrations that were applied, by dbmate. Kept for good.';

-- Teams and workspaces --------------------------------------------------------------------------------------

create table formd.teams (
  team_id uuid not null,
  name text not null,
  retention jsonb,
  created_at timestamptz(3) not null,
  constraint teams_pkey primary key (team_id),
  constraint teams_retention_check check (retention ? 'deleteAfter'),
  constraint teams_name_check check (
    char_length(name) <= 1000 and name ~
      '[^\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]')
) with (autovacuum_analyze_scale_factor = 0.02);
comment on table formd.teams is 'A tenant. team_id is the first column of every other key. Kept for good.';
comment on column formd.teams.retention is
  'As settings.retention of a form, for the forms that have none; null: they keep their submissions.';

create table formd.workspaces (
  team_id uuid not null, id uuid not null,
  name text not null,
  editors_may_publish boolean default true not null,
  requires_passkey boolean default false not null,
  created_at timestamptz(3) not null,
  constraint workspaces_pkey primary key (team_id, id),
  constraint workspaces_team_fkey foreign key (team_id) references formd.teams (team_id) on delete cascade,
  constraint workspaces_name_check check (
    char_length(name) <= 1000 and name ~
      '[^\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]')
) with (autovacuum_analyze_scale_factor = 0.02);
comment on table formd.workspaces is
  'A part of a team: forms and agents are in one, operators have a role in one. Kept for good.';
comment on column formd.workspaces.requires_passkey is
  'Whether publishing, grants and keys take a passkey that was used within 5 minutes.';
comment on column formd.workspaces.editors_may_publish is
  'Whether an editor may publish, archive and restore forms; an admin may.';

-- Operators -------------------------------------------------------------------------------------------------

-- Without a team as key, since one may be of the installation, and refer to no team, since Citus keeps
-- reference tables, as this is one, apart from distributed ones.
create table formd.sign_in_connections (
  id uuid not null,
  team_id uuid,
  name text not null,
  issuer text not null,
  client_id text not null,
  sealed_secret bytea not null,
  secret_key text not null,
  email_domains text[] not null,
  groups_claim text not null,
  scopes text[] not null,
  roles jsonb not null,
  is_required boolean not null,
  accepts_agents boolean not null,
  created_at timestamptz(3) not null,
  constraint sign_in_connections_pkey primary key (id),
  constraint sign_in_connections_agents_key unique (id, accepts_agents),
  constraint sign_in_connections_name_check check (char_length(name) <= 1000),
  constraint sign_in_connections_issuer_check check (char_length(issuer) <= 2000),
  constraint sign_in_connections_client_id_check check (char_length(client_id) <= 1000),
  constraint sign_in_connections_secret_check check (octet_length(sealed_secret) <= 10000),
  constraint sign_in_connections_secret_key_check check (char_length(secret_key) <= 16),
  constraint sign_in_connections_domains_check check (cardinality(email_domains) <= 20),
  constraint sign_in_connections_groups_claim_check check (char_length(groups_claim) <= 200),
  constraint sign_in_connections_scopes_check check (cardinality(scopes) <= 20),
  constraint sign_in_connections_roles_check check (
    jsonb_typeof(roles) = 'array' and octet_length(roles::text) <= 100000)
);
create index sign_in_connections_team_idx on formd.sign_in_connections (team_id);
comment on table formd.sign_in_connections is
  'An identity provider (OpenID Connect) by which persons sign in. Kept until it is removed, with the '
  'accounts of the persons whom it vouches for.';
comment on column formd.sign_in_connections.team_id is 'Null: of the installation, made at a terminal.';
comment on column formd.sign_in_connections.client_id is 'The provider''s name of formd.';
comment on column formd.sign_in_connections.groups_claim is 'The claim that has the groups of a person.';
comment on column formd.sign_in_connections.scopes is
  'Asked for beside openid, email and profile. Empty: groups, if the provider offers it and a role needs it.';
comment on column formd.sign_in_connections.is_required is
  'Whether accounts with a password, of these domains, sign in to the team no more.';
comment on column formd.sign_in_connections.accepts_agents is
  'Whether it may say for which person an agent acts. In a key, so that a change waits for sessions that are '
  'being made by it: their foreign key locks the connection.';
comment on column formd.sign_in_connections.issuer is 'Never changed: it is a part of who a person is.';
comment on column formd.sign_in_connections.sealed_secret is
  'The client secret, encrypted (AES-256-GCM) by a key that is derived from the master key for this row.';
comment on column formd.sign_in_connections.secret_key is 'Fingerprint of that master key.';
comment on column formd.sign_in_connections.email_domains is
  'In lower case. Only addresses of these get in; is_required refuses their passwords.';
comment on column formd.sign_in_connections.roles is
  'Objects of group (*: everybody), teamId, workspaceId, role: the highest of a workspace counts.';

-- Without a team, since a person may work for several. On Citus it is a reference table.
create table formd.operators (
  id uuid not null,
  email text not null,
  connection_id uuid,
  subject text,
  password_salt text,
  password_hash bytea,
  password_allowed_until_at timestamptz(3),
  password_set_at timestamptz(3) default clock_timestamp() not null,
  is_unconfirmed boolean default false not null,
  reset_hash bytea,
  reset_expires_at timestamptz(3),
  reset_made_by uuid,
  created_at timestamptz(3) not null,
  mails_off text[] default '{}' not null,
  language text,
  constraint operators_pkey primary key (id),
  constraint operators_connection_fkey foreign key (connection_id)
    references formd.sign_in_connections (id) on delete cascade,
  constraint operators_identity_check check (
    case when connection_id is null then subject is null and password_salt is not null
      and password_hash is not null
    else subject is not null and password_hash is null and reset_hash is null end),
  constraint operators_subject_check check (char_length(subject) <= 255),
  constraint operators_email_check check (email = lower(email) and email <> ''),
  constraint operators_mails_off_check check (mails_off <@ array['webhook_disabled', 'key_expiry']),
  constraint operators_language_check check (language in ('en', 'de')),
  constraint operators_email_length_check check (char_length(email) <= 1000),
  constraint operators_password_salt_check check (char_length(password_salt) <= 200)
) with (autovacuum_analyze_scale_factor = 0.02);
create unique index operators_email_key on formd.operators (email) where connection_id is null;
create unique index operators_connection_key on formd.operators (connection_id, subject)
  where connection_id is not null;
comment on table formd.operators is
  'A person who signs in to the console. Of no team: roles say in which workspaces the person works. Kept '
  'until operator remove, or until its connection is removed.';
comment on column formd.operators.email is
  'In lower case. Unique among accounts with a password; others are known by connection and subject.';
comment on column formd.operators.connection_id is
  'The identity provider that vouches for the person; null: an account with a password.';
comment on column formd.operators.subject is 'By which that provider names the person, for good.';
comment on column formd.operators.password_allowed_until_at is
  'Until then the password works although a connection is required: it was set at a terminal.';
comment on column formd.operators.password_set_at is
  'When the password was chosen; of an account by a connection, when it was made. Device cookies of before '
  'that are not known any more.';
comment on column formd.operators.is_unconfirmed is
  'True: the password was chosen by a link that an admin had seen, and not since by one only mailed, or '
  'made at a terminal. Shown to the admins of every team.';
comment on column formd.operators.password_salt is
  'scrypt$N$r$p$salt, the salt in base64url: what deriving the hash again takes.';
comment on column formd.operators.password_hash is
  '64 bytes of scrypt. Compared by operator_login; no function returns it.';
comment on column formd.operators.reset_hash is
  'SHA-256 of the link to choose a new password; null when there is none, or once it was used.';
comment on column formd.operators.reset_expires_at is 'When that link stops working.';
comment on column formd.operators.reset_made_by is 'The admin who made that link; null: nobody.';
comment on column formd.operators.mails_off is
  'Kinds of mails that the operator has switched off; of those that can be.';
comment on column formd.operators.language is
  'The console''s language, as the operator has chosen it; null: that of the browser.';

create table formd.operator_sessions (
  team_id uuid not null, id uuid not null,
  operator_id uuid not null,
  token_hash bytea not null,
  device text,
  client_ip text,
  created_at timestamptz(3) not null,
  proved_at timestamptz(3) not null,
  passkey_at timestamptz(3),
  provider_session text,
  seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint operator_sessions_provider_session_check check (char_length(provider_session) <= 255),
  constraint operator_sessions_device_check check (char_length(device) <= 200),
  constraint operator_sessions_client_ip_check check (char_length(client_ip) <= 100),
  constraint operator_sessions_pkey primary key (team_id, id),
  constraint operator_sessions_operator_fkey foreign key (operator_id)
    references formd.operators (id) on delete cascade,
  constraint operator_sessions_team_fkey foreign key (team_id)
    references formd.teams (team_id) on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
  vacuum_truncate = false);
create index operator_sessions_expiry_idx on formd.operator_sessions ((expires_at at time zone 'UTC'));
create index operator_sessions_operator_idx on formd.operator_sessions (operator_id);
create unique index operator_sessions_token_key on formd.operator_sessions (team_id, token_hash)
  where token_hash is not null;
comment on table formd.operator_sessions is
  'An operator who is signed in to one team. Kept until the sign-out, or until it expires and is purged.';
comment on column formd.operator_sessions.token_hash is 'SHA-256 of the cookie''s value.';
comment on column formd.operator_sessions.device is
  'Browser and system, as the person knows them: of the User-Agent of the sign-in.';
comment on column formd.operator_sessions.client_ip is
  'The client IP of the sign-in; null where LOG_CLIENT_IP is false.';
comment on column formd.operator_sessions.proved_at is
  'When the person gave the password, used a passkey or signed in at the identity provider last; a risky act '
  'asks again 15 minutes later.';
comment on column formd.operator_sessions.passkey_at is 'When the person used a passkey last; null: never.';
comment on column formd.operator_sessions.provider_session is
  'The sid of the identity provider, by which it ends the session; null: it has named none.';
comment on column formd.operator_sessions.seen_at is
  'Last use; the idle limit counts from it. Updated at most once a minute.';

-- Without a team, as operators. On Citus it is a reference table.
create table formd.operator_passkeys (
  id uuid not null,
  operator_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  constraint operator_passkeys_pkey primary key (id),
  constraint operator_passkeys_credential_key unique (credential_id),
  constraint operator_passkeys_operator_fkey foreign key (operator_id)
    references formd.operators (id) on delete cascade,
  constraint operator_passkeys_counter_check check (counter >= 0),
  constraint operator_passkeys_credential_id_check check (octet_length(credential_id) between 1 and 1023),
  constraint operator_passkeys_name_check check (char_length(name) <= 1000)
) with (autovacuum_analyze_scale_factor = 0.02);
create index operator_passkeys_operator_idx on formd.operator_passkeys (operator_id);
comment on table formd.operator_passkeys is
  'A passkey of an operator (WebAuthn). Kept until it is removed, or the operator is.';
comment on column formd.operator_passkeys.credential_id is
  'By which the authenticator names it; at most 1,023 bytes (WebAuthn level 3, section 4).';
comment on column formd.operator_passkeys.public_key is 'A COSE key (RFC 9052).';
comment on column formd.operator_passkeys.counter is
  'The authenticator''s signature counter; a response with no higher one is refused. 0: it does not count.';
comment on column formd.operator_passkeys.name is 'Given by the person.';
comment on column formd.operator_passkeys.last_used_at is 'Null: never.';

-- Without a team, since nothing is known yet of who signs in.
create table formd.passkey_challenges (
  challenge_hash bytea not null,
  operator_id uuid,
  expires_at timestamptz(3) not null,
  constraint passkey_challenges_pkey primary key (challenge_hash)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
  vacuum_truncate = false);
create index passkey_challenges_expiry_idx on formd.passkey_challenges ((expires_at at time zone 'UTC'));
create index passkey_challenges_operator_idx on formd.passkey_challenges (operator_id)
  where operator_id is not null;
comment on table formd.passkey_challenges is
  'What an authenticator is asked to sign, and the state of a sign-in by a connection. Kept until the '
  'response, or until it expires and is purged.';
comment on column formd.passkey_challenges.challenge_hash is 'SHA-256 of the challenge or state as text.';
comment on column formd.passkey_challenges.operator_id is 'Who registers a passkey; null: a sign-in.';

create table formd.workspace_roles (
  team_id uuid not null,
  workspace_id uuid not null,
  operator_id uuid not null,
  role text not null,
  created_at timestamptz(3) not null,
  constraint workspace_roles_pkey primary key (team_id, workspace_id, operator_id),
  constraint workspace_roles_operator_fkey foreign key (operator_id)
    references formd.operators (id) on delete cascade,
  constraint workspace_roles_workspace_fkey foreign key (team_id, workspace_id)
    references formd.workspaces (team_id, id) on delete cascade,
  constraint workspace_roles_role_check check (role in ('admin', 'editor', 'viewer'))
) with (autovacuum_analyze_scale_factor = 0.02);
create index workspace_roles_operator_idx on formd.workspace_roles (operator_id, created_at);
comment on table formd.workspace_roles is
  'What an operator may do in a workspace. Kept until it is removed, or the operator is.';
comment on column formd.workspace_roles.role is 'admin and editor may write, viewer may read.';

create table formd.operator_invitations (
  team_id uuid not null, id uuid not null,
  workspace_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  invited_by uuid,
  is_seen boolean default false not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint operator_invitations_pkey primary key (team_id, id),
  constraint operator_invitations_email_key unique (team_id, workspace_id, email),
  constraint operator_invitations_token_key unique (team_id, token_hash),
  constraint operator_invitations_workspace_fkey foreign key (team_id, workspace_id)
    references formd.workspaces (team_id, id) on delete cascade,
  constraint operator_invitations_role_check check (role in ('admin', 'editor', 'viewer')),
  constraint operator_invitations_email_check check (email = lower(email) and email <> ''),
  constraint operator_invitations_email_length_check check (char_length(email) <= 1000)
) with (autovacuum_analyze_scale_factor = 0.02);
create index operator_invitations_expiry_idx on formd.operator_invitations ((expires_at at time zone 'UTC'));
comment on table formd.operator_invitations is
  'A role in a workspace that a person has not accepted yet. Kept until it is accepted or ended, or until it '
  'expires and is purged.';
comment on column formd.operator_invitations.email is 'In lower case. The person may have an account or not.';
comment on column formd.operator_invitations.role is 'That the person gets.';
comment on column formd.operator_invitations.token_hash is 'SHA-256 of the token in the link.';
comment on column formd.operator_invitations.invited_by is
  'The operator who made it, without whose role of admin it ends; null: a person at a terminal.';
comment on column formd.operator_invitations.is_seen is
  'True: the link was shown to that operator; false: it was only mailed, or made at a terminal.';

-- Without a team, since there is none yet.
create table formd.setup_links (
  token_hash bytea not null,
  is_only boolean not null,
  expires_at timestamptz(3) not null,
  constraint setup_links_pkey primary key (is_only),
  constraint setup_links_is_only_check check (is_only)
);
comment on table formd.setup_links is
  'The link that makes the first operator: one row, of the latest start. Kept until it is used.';
comment on column formd.setup_links.is_only is 'True: there is one row at most.';
comment on column formd.setup_links.token_hash is 'SHA-256 of the token in the link.';

-- API keys and the audit ------------------------------------------------------------------------------------

create table formd.api_keys (
  team_id uuid not null, id uuid not null,
  name text not null,
  scopes text[] not null,
  key_prefix text not null,
  key_hash bytea not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  constraint api_keys_pkey primary key (team_id, id),
  constraint api_keys_hash_key unique (team_id, key_hash),
  constraint api_keys_team_fkey foreign key (team_id) references formd.teams (team_id) on delete cascade,
  constraint api_keys_key_prefix_check check (char_length(key_prefix) <= 100),
  constraint api_keys_expires_at_check check (expires_at > created_at),
  constraint api_keys_name_check check (char_length(name) <= 1000),
  constraint api_keys_scopes_check check (
    cardinality(scopes) > 0 and scopes <@ array['forms:read', 'forms:write', 'submissions:read',
      'submissions:update', 'submissions:delete', 'submissions:write', 'webhooks:manage',
      'audit:read', 'invitations:manage'])
) with (autovacuum_analyze_scale_factor = 0.02);
comment on table formd.api_keys is
  'A key of the management API. Kept for good, revoked and expired keys too, since the audit refers to '
  'them.';
comment on column formd.api_keys.scopes is 'What the key may do.';
comment on column formd.api_keys.key_prefix is
  'The first characters of the key, by which people tell keys apart.';
comment on column formd.api_keys.key_hash is 'SHA-256 of the key.';
comment on column formd.api_keys.last_used_at is
  'To the hour: written apart from the requests, so that a read writes nothing.';
comment on column formd.api_keys.expires_at is 'From then on it is none, as a revoked one. Null: never.';

-- Every function that changes something takes a formd.actor, and writes its event in the same transaction.
create type formd.actor as (
  type text, id uuid, request_id text
);
comment on type formd.actor is 'who acts, as a caller passes it to every function that changes something';
comment on column formd.actor.type is
  'operator, api_key, agent, anonymous, cli, system, retention or respondent';
comment on column formd.actor.id is
  'of an operator, an API key or an agent; null for cli, system, retention and respondent';
comment on column formd.actor.request_id is
  'id of the request, and after a space the x-request-id that the client sent; null for a command';

-- The indexes by kind and by actor find a rare one without reading all events of the team.
create table formd.audit_events (
  team_id uuid not null, id uuid not null,
  kind text not null,
  form_id uuid,
  object_type text not null,
  object_id uuid not null,
  actor_type text not null,
  actor_id uuid,
  request_id text,
  details jsonb not null,
  created_at timestamptz(3) not null,
  constraint audit_events_pkey primary key (team_id, id),
  constraint audit_events_team_fkey foreign key (team_id) references formd.teams (team_id) on delete restrict,
  constraint audit_events_actor_id_check check (actor_type <> 'operator' or actor_id is not null),
  constraint audit_events_actor_type_check check (
    actor_type in ('operator', 'api_key', 'agent', 'anonymous', 'cli', 'system', 'retention', 'respondent')),
  constraint audit_events_details_check check (jsonb_typeof(details) = 'object'),
  constraint audit_events_kind_check check (char_length(kind) <= 100),
  constraint audit_events_object_type_check check (char_length(object_type) <= 100),
  constraint audit_events_request_id_check check (char_length(request_id) <= 200)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
  autovacuum_freeze_min_age = 0);
create index audit_events_actor_idx on formd.audit_events (team_id, actor_id, id) where actor_id is not null;
create index audit_events_actor_kind_idx on formd.audit_events (team_id, actor_id, kind, id)
  where actor_id is not null;
create index audit_events_form_idx on formd.audit_events (team_id, form_id, id) where form_id is not null;
create index audit_events_kind_idx on formd.audit_events (team_id, kind, id);
create index audit_events_object_idx on formd.audit_events (team_id, object_id, id);
comment on table formd.audit_events is
  'An act, for the audit. Inserted by formd.audit_record; no role may update or delete a row. Kept for good.';
comment on column formd.audit_events.id is 'A UUIDv7: the order of the acts, with created_at inside.';
comment on column formd.audit_events.kind is 'What was done to what, as form.published.';
comment on column formd.audit_events.form_id is
  'The form of an act on it, its access keys, its submissions or a grant on it.';
comment on column formd.audit_events.object_type is
  'The part of the kind before its dot: which table object_id refers to.';
comment on column formd.audit_events.object_id is 'No foreign key: the event outlives the object.';
comment on column formd.audit_events.actor_type is
  'operator, api_key, agent, anonymous, cli (a person at a terminal), system (the server itself), '
  'retention (a rule, by which a submission was deleted) or respondent (who took a submission back).';
comment on column formd.audit_events.actor_id is 'Null for cli, system, retention and respondent.';
comment on column formd.audit_events.request_id is
  'Id of the request in the server''s log, and after a space the x-request-id that the client sent; null for '
  'a command.';
comment on column formd.audit_events.details is
  'What the kind has to tell, as before and after where that is small. Never a secret, never submission '
  'data.';

-- Forms -----------------------------------------------------------------------------------------------------

-- Functions return formd.form_row and its likes, never the row type of a table: a call fixes its columns when
-- it begins, and one that waits while the table gains a column would fail.
create type formd.form_row as (
  id uuid, name text, description text, schema jsonb, settings jsonb, published_settings jsonb, status text,
  current_version integer, team_id uuid, workspace_id uuid, created_at timestamptz(3),
  updated_at timestamptz(3)
);
comment on type formd.form_row is 'A form, as functions return it.';

-- The console's list takes its total and the ids of a page from forms_list_idx alone: 2 ms at 10,000 forms,
-- not 20.
create table formd.forms (
  team_id uuid not null, id uuid not null,
  workspace_id uuid not null,
  name text not null,
  description text,
  schema jsonb default '{"fields": []}' not null,
  settings jsonb default
    '{"review": {"required": false}, "captcha": {"enabled": false}, '
    '"anonymous": {"enabled": true}, "challenge": {"required": false}}'
    not null,
  published_settings jsonb,
  settings_in_force jsonb default
    '{"review": {"required": false}, "captcha": {"enabled": false}, '
    '"anonymous": {"enabled": true}, "challenge": {"required": false}}'
    not null,
  status text default 'draft' not null,
  current_version integer default 0 not null,
  has_limits boolean default false not null,
  was_online boolean default false not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  archived_at timestamptz(3),
  constraint forms_pkey primary key (team_id, id),
  constraint forms_workspace_fkey foreign key (team_id, workspace_id)
    references formd.workspaces (team_id, id) on delete restrict,
  constraint forms_archived_check check ((status = 'archived') = (archived_at is not null)),
  constraint forms_description_check check (char_length(description) <= 104857600),
  constraint forms_name_check check (
    char_length(name) <= 500 and name ~
      '[^\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'),
  constraint forms_published_check check (status <> 'published' or current_version > 0),
  constraint forms_schema_check check (jsonb_typeof(schema -> 'fields') = 'array'),
  constraint forms_published_settings_check check (jsonb_typeof(published_settings) = 'object'),
  constraint forms_settings_check check (jsonb_typeof(settings) = 'object'),
  constraint forms_settings_in_force_check check (jsonb_typeof(settings_in_force) = 'object'),
  constraint forms_status_check check (status in ('draft', 'published', 'archived'))
) with (autovacuum_analyze_scale_factor = 0.02);
create index forms_list_idx on formd.forms (team_id, id) include (workspace_id, status);
create index forms_workspace_idx on formd.forms (workspace_id, team_id, id) where workspace_id is not null;
comment on table formd.forms is
  'A form''s draft and its settings. What respondents see is in form_versions and '
  'settings_in_force. Kept for good: archived, not deleted.';
comment on column formd.forms.schema is
  'The draft: an object whose member fields is the array of fields, in their order.';
comment on column formd.forms.settings is
  'As the last patch left them. Unknown members are kept.';
comment on column formd.forms.published_settings is
  'What a person published of those settings that decide who may fill the form in, where people are sent, '
  'who gets which mail and when submissions are deleted; null before the first publication.';
comment on column formd.forms.settings_in_force is
  'What submissions, pages and sessions go by: of settings and published_settings the stricter.';
comment on column formd.forms.status is 'draft, published (at least once, and not archived) or archived.';
comment on column formd.forms.current_version is
  'The version that respondents see; 0 before the first. A patch of the draft does not change it.';
comment on column formd.forms.has_limits is
  'Whether the published version has options with a limit, which are in option_counts.';
comment on column formd.forms.was_online is
  'Whether people could open its page at some time: only then it is named while it is offline.';
comment on column formd.forms.updated_at is
  'Increases with every change: publishing compares it with what was checked.';

create table formd.form_versions (
  team_id uuid not null, form_id uuid not null,
  version integer not null,
  name text not null,
  description text,
  schema jsonb not null,
  draft_schema jsonb,
  published_at timestamptz(3) not null,
  constraint form_versions_pkey primary key (team_id, form_id, version),
  constraint form_versions_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint form_versions_description_check check (char_length(description) <= 104857600),
  constraint form_versions_draft_schema_check check (jsonb_typeof(draft_schema -> 'fields') = 'array'),
  constraint form_versions_name_check check (char_length(name) <= 500),
  constraint form_versions_schema_check check (jsonb_typeof(schema -> 'fields') = 'array'),
  constraint form_versions_version_check check (version > 0)
) with (autovacuum_analyze_scale_factor = 0.02);
comment on table formd.form_versions is
  'A form as it was published. Rows are inserted, and never updated. Kept for good.';
comment on column formd.form_versions.schema is
  'The draft''s schema at that time, with the lists that its fields name written out.';
comment on column formd.form_versions.draft_schema is
  'The draft''s schema at that time; null: as schema, since no field names a list.';

create table formd.form_access_keys (
  team_id uuid not null, form_id uuid not null,
  id uuid not null,
  key_prefix text not null,
  key_hash bytea not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  constraint form_access_keys_pkey primary key (team_id, form_id, id),
  constraint form_access_keys_hash_key unique (team_id, form_id, key_hash),
  constraint form_access_keys_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint form_access_keys_expires_at_check check (expires_at > created_at),
  constraint form_access_keys_key_prefix_check check (char_length(key_prefix) <= 100)
) with (autovacuum_analyze_scale_factor = 0.02);
comment on table formd.form_access_keys is
  'A key that names a form to submitters. A form may have several, so that one can be replaced. Kept for '
  'good, revoked and expired keys too.';
comment on column formd.form_access_keys.key_prefix is
  'The first characters of the key, by which people tell keys apart.';
comment on column formd.form_access_keys.key_hash is 'SHA-256 of the key.';
comment on column formd.form_access_keys.last_used_at is
  'To the hour: written apart from the requests, so that a submission costs nothing more.';
comment on column formd.form_access_keys.expires_at is
  'From then on it is none, as a revoked one. Null: never.';

create table formd.form_followers (
  team_id uuid not null, form_id uuid not null,
  operator_id uuid not null,
  workspace_id uuid not null,
  seen_id uuid,
  feed_hash bytea,
  feed_made_at timestamptz(3),
  constraint form_followers_pkey primary key (team_id, form_id, operator_id),
  constraint form_followers_feed_key unique (team_id, feed_hash),
  constraint form_followers_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint form_followers_role_fkey foreign key (team_id, workspace_id, operator_id)
    references formd.workspace_roles (team_id, workspace_id, operator_id) on delete cascade,
  constraint form_followers_feed_check check ((feed_hash is null) = (feed_made_at is null))
) with (autovacuum_analyze_scale_factor = 0.02);
create index form_followers_role_idx on formd.form_followers (operator_id, team_id, workspace_id);
comment on table formd.form_followers is
  'What an operator has seen of a form''s submissions, and the operator''s news feed of it. Kept as long as '
  'the operator has the role in the form''s workspace.';
comment on column formd.form_followers.seen_id is
  'The newest submission when the operator last opened the list; null: never. No foreign key: it is a time.';
comment on column formd.form_followers.feed_made_at is 'when the address of the feed was made';
comment on column formd.form_followers.feed_hash is
  'SHA-256 of the token in the address of the feed; null: there is none.';

-- An alias is unique in the installation, not in a team: its key does not begin with the team, and no foreign
-- key leads to the form. On Citus this table stays on the coordinator.
create table formd.form_aliases (
  alias text not null,
  owner_team_id uuid not null,
  form_id uuid not null,
  is_in_force boolean not null,
  created_at timestamptz(3) not null,
  constraint form_aliases_pkey primary key (alias),
  constraint form_aliases_alias_check check (
    char_length(alias) <= 40 and alias ~ '^[a-z0-9][a-z0-9-]*[a-z0-9]$')
) with (autovacuum_analyze_scale_factor = 0.02);
create index form_aliases_form_idx on formd.form_aliases (owner_team_id, form_id);
comment on table formd.form_aliases is
  'settings.page.alias of every form that has one, and the published one; an archived form '
  'keeps its alias, so that no other form answers at a known address. '
  'Kept as long as the form has it.';
comment on column formd.form_aliases.alias is 'unique in the installation';
comment on column formd.form_aliases.is_in_force is
  'whether the form''s page answers at it; else it waits for publishing, and is kept for the form';
comment on column formd.form_aliases.owner_team_id is
  'the team of the form; not named team_id, since tables with that column are distributed by it';

-- Agents ----------------------------------------------------------------------------------------------------

-- agents_client_id_idx finds the agent of a client assertion, which names no team. Client ids are made of the
-- agents' ids, and so are unique without a constraint.
create table formd.agents (
  team_id uuid not null, id uuid not null,
  workspace_id uuid not null,
  client_id text not null,
  name text not null,
  status text default 'active' not null,
  secret_prefix text not null,
  secret_hash bytea not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  disabled_at timestamptz(3),
  revoked_at timestamptz(3),
  constraint agents_pkey primary key (team_id, id),
  constraint agents_workspace_fkey foreign key (team_id, workspace_id)
    references formd.workspaces (team_id, id) on delete restrict,
  constraint agents_client_id_check check (char_length(client_id) <= 100),
  constraint agents_disabled_check check ((status = 'disabled') = (disabled_at is not null)),
  constraint agents_name_check check (
    char_length(name) <= 500 and name ~
      '[^\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'),
  constraint agents_revoked_check check ((status = 'revoked') = (revoked_at is not null)),
  constraint agents_secret_prefix_check check (char_length(secret_prefix) <= 100),
  constraint agents_status_check check (status in ('active', 'disabled', 'revoked'))
) with (autovacuum_analyze_scale_factor = 0.02);
create index agents_client_id_idx on formd.agents (client_id);
create unique index agents_client_id_key on formd.agents (team_id, client_id) where client_id is not null;
create unique index agents_secret_key on formd.agents (team_id, secret_hash) where secret_hash is not null;
create index agents_workspace_idx on formd.agents (workspace_id, team_id, id) where workspace_id is not null;
comment on table formd.agents is
  'A program that submits. Kept for good, revoked agents too, since submissions refer to them.';
comment on column formd.agents.client_id is 'The agent''s name in the token request.';
comment on column formd.agents.status is
  'active; disabled (can be enabled again) or revoked (for good): no credential works.';
comment on column formd.agents.secret_prefix is
  'The first characters of the secret, by which people tell secrets apart.';
comment on column formd.agents.secret_hash is 'SHA-256 of the secret that is exchanged for a session.';

create type formd.grant_row as (
  id uuid, agent_id uuid, form_id uuid, scopes text[], respondent_id uuid, binding_required boolean,
  respondent text, created_at timestamptz(3), updated_at timestamptz(3)
);
comment on type formd.grant_row is 'A grant, as functions return it.';

create table formd.grants (
  team_id uuid not null, id uuid not null,
  agent_id uuid not null,
  form_id uuid not null,
  scopes text[] not null,
  respondent_id uuid,
  binding_required boolean default false not null,
  respondent text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint grants_pkey primary key (team_id, id),
  constraint grants_agent_form_key unique (team_id, agent_id, form_id),
  constraint grants_agent_fkey foreign key (team_id, agent_id)
    references formd.agents (team_id, id) on delete cascade,
  constraint grants_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint grants_respondent_check check (respondent = 'asserted'),
  constraint grants_respondent_alone_check check (respondent is null or respondent_id is null),
  constraint grants_scopes_check check (
    cardinality(scopes) > 0 and scopes <@ array['agent:read', 'agent:validate', 'agent:submit'])
) with (autovacuum_analyze_scale_factor = 0.02);
create index grants_form_idx on formd.grants (form_id, team_id, agent_id) where form_id is not null;
create index grants_respondent_idx on formd.grants (team_id, respondent_id)
  where respondent_id is not null;
comment on table formd.grants is
  'What one agent may do on one form. Read by each request, so that a change counts at once. Kept until it '
  'is removed.';
comment on column formd.grants.scopes is
  'agent:read, agent:validate, agent:submit. Only an operator grants the last one.';
comment on column formd.grants.respondent_id is
  'The respondent whom the agent submits for. Only an operator sets it.';
comment on column formd.grants.binding_required is
  'Whether the agent may submit for respondent_id only, and not at all while that is null.';

comment on column formd.grants.respondent is
  'asserted: the agent submits for the person of its session, whom an identity provider names, and for no '
  'other; null: respondent_id says for whom. Only an operator sets it.';

create type formd.signing_key_row as (
  key_id text, alg text, status text
);
comment on type formd.signing_key_row is 'A signing key, as the function that registers it returns it.';

-- The index of thumbprints is not unique: two PEM texts of one key have one thumbprint, and an agent may have
-- registered both. The index of expiries is for the metric of keys that expire soon; most keys do not expire,
-- and do not pay for it.
create table formd.signing_keys (
  team_id uuid not null, id uuid not null,
  agent_id uuid not null,
  key_id text not null,
  thumbprint text not null,
  alg text default 'ed25519' not null,
  public_key_pem text not null,
  status text default 'active' not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  constraint signing_keys_pkey primary key (team_id, id),
  constraint signing_keys_key_id_key unique (team_id, key_id),
  constraint signing_keys_agent_fkey foreign key (team_id, agent_id)
    references formd.agents (team_id, id) on delete cascade,
  constraint signing_keys_alg_check check (alg in ('ed25519', 'es256')),
  constraint signing_keys_key_id_check check (char_length(key_id) <= 100),
  constraint signing_keys_public_key_pem_check check (char_length(public_key_pem) <= 2000),
  constraint signing_keys_revoked_check check ((status = 'revoked') = (revoked_at is not null)),
  constraint signing_keys_status_check check (status in ('active', 'revoked')),
  constraint signing_keys_thumbprint_check check (char_length(thumbprint) <= 100)
) with (autovacuum_analyze_scale_factor = 0.02);
create index signing_keys_agent_idx on formd.signing_keys (agent_id, team_id) where agent_id is not null;
create index signing_keys_expiry_idx on formd.signing_keys ((expires_at at time zone 'UTC'))
  where status = 'active' and expires_at is not null;
create index signing_keys_thumbprint_idx on formd.signing_keys (team_id, thumbprint)
  where thumbprint is not null;
comment on table formd.signing_keys is
  'An agent''s public key for signed requests (RFC 9421). Kept for good, expired and revoked keys too.';
comment on column formd.signing_keys.key_id is
  'key_ and the first 16 hex characters of the SHA-256 of the PEM text as it was sent.';
comment on column formd.signing_keys.thumbprint is
  'JWK SHA-256 thumbprint (RFC 7638, RFC 8037) of the public key, by which a request of Web Bot Auth names '
  'it.';
comment on column formd.signing_keys.alg is
  'The signature algorithm: ed25519, or es256 (ECDSA with P-256), which verifies assertions of OAuth only.';
comment on column formd.signing_keys.public_key_pem is 'SubjectPublicKeyInfo in PEM, as it was sent.';
comment on column formd.signing_keys.status is 'active or revoked (for good).';
comment on column formd.signing_keys.expires_at is
  'The key verifies nothing from then on; null: it does not expire. The row stays.';

-- No foreign key: keys and agents are never deleted, and its check would cost every signed request a look-up.
create table formd.nonces (
  team_id uuid not null,
  holder_id uuid not null,
  nonce bytea not null,
  expires_at timestamptz(3) not null,
  constraint nonces_pkey primary key (team_id, holder_id, nonce)
) with (autovacuum_vacuum_scale_factor = 0.05, vacuum_truncate = false);
create index nonces_expiry_idx on formd.nonces ((expires_at at time zone 'UTC'));
comment on table formd.nonces is
  'A nonce that a signed request has used. Logged: after a crash no request passes twice. Kept until it '
  'expires and is purged.';
comment on column formd.nonces.holder_id is
  'The signing key; of an assertion that names a person, the agent that it is for.';
comment on column formd.nonces.nonce is 'Its bytes; unique per holder until it expires.';
comment on column formd.nonces.expires_at is 'When the signature itself is too old for every clock.';

-- Rate limits and sessions ----------------------------------------------------------------------------------

-- What functions take and return are types of their own. Items of a list arrive as JSON, whose members have
-- the names of the columns.
create type formd.rate_limit_state as (
  allowed boolean, remaining integer, reset_ms integer
);
comment on type formd.rate_limit_state is 'what formd.rate_limit_take returns';

create type formd.rate_limit_states as (allowed boolean[], remaining integer[], reset_ms integer[]);
comment on type formd.rate_limit_states is 'what formd.rate_limit_count_set returns';

create table formd.feed_marks (
  xid xid8 not null,
  made_at timestamptz(3) not null,
  bound_at timestamptz(3),
  constraint feed_marks_pkey primary key (xid)
) with (vacuum_truncate = false);
comment on table formd.feed_marks is
  'Instants, one a second, by which is known up to where everything stored can be read. Of no team. Kept for '
  'a day, then purged.';
comment on column formd.feed_marks.xid is 'The transaction that made the mark.';
comment on column formd.feed_marks.made_at is
  'The time, at least a millisecond after the mark before. No id of a later transaction is before it.';
comment on column formd.feed_marks.bound_at is
  'Where a snapshot ends whose xmin is above xid: the mark before, on Citus one of two minutes ago.';

-- No checks: only functions write these texts, and a check costs 3 µs of the 18 that counting a request
-- takes. No statistics of the arrays: no plan asks for them, and they were most of an ANALYZE. Updates are
-- HOT, and the next one on the page prunes: what vacuum adds is needed by count, not by share.
create unlogged table formd.rate_limits (
  key text not null,
  times bigint[] not null,
  counts integer[] not null,
  expires_at timestamptz(3) not null,
  constraint rate_limits_pkey primary key (key)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
  vacuum_truncate = false);
alter table formd.rate_limits alter column times set statistics 0;
alter table formd.rate_limits alter column counts set statistics 0;
comment on table formd.rate_limits is
  'The times of the last requests of one key; of an ALTCHA solution, which is limited to one, its use. Of no '
  'team, and UNLOGGED: a crash resets the counts of a minute, and a solution of the last 10 minutes could be '
  'used once more. Kept until the last request leaves its window, a minute or those 10 minutes, then purged.';
comment on column formd.rate_limits.key is 'The key: what is limited and for whom, as submit:ip:192.0.2.1.';
comment on column formd.rate_limits.times is 'Microseconds since 1970, ascending.';
comment on column formd.rate_limits.counts is 'Requests counted at each of times.';
comment on column formd.rate_limits.expires_at is 'When the last request leaves the window.';

create table formd.respondents (
  team_id uuid not null, id uuid not null,
  issuer text not null,
  subject text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint respondents_pkey primary key (team_id, id),
  constraint respondents_subject_key unique (team_id, issuer, subject),
  constraint respondents_team_fkey foreign key (team_id)
    references formd.teams (team_id) on delete cascade,
  constraint respondents_issuer_check check (char_length(issuer) <= 2000),
  constraint respondents_subject_check check (char_length(subject) <= 255)
) with (autovacuum_analyze_scale_factor = 0.02);
create index respondents_expiry_idx on formd.respondents ((expires_at at time zone 'UTC'));
comment on table formd.respondents is
  'A person for whom agents submit, as an identity provider names the person. Kept as long as a submission, '
  'a grant or a session names it, and 30 days after the last assertion; or until the person is erased.';
comment on column formd.respondents.issuer is 'The identity provider.';
comment on column formd.respondents.subject is 'By which it names the person, for good.';
comment on column formd.respondents.expires_at is
  'From then on it is purged; while a submission or a grant names it, it is looked at again every 30 days.';

create table formd.sessions (
  team_id uuid not null, id uuid not null,
  kind text not null,
  agent_id uuid,
  respondent_id uuid,
  connection_id uuid,
  form_id uuid,
  token_hash bytea not null,
  ends_with_secret boolean default false not null,
  scopes text[],
  resource text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint sessions_pkey primary key (team_id, id),
  constraint sessions_token_key unique (team_id, token_hash),
  constraint sessions_agent_fkey foreign key (team_id, agent_id)
    references formd.agents (team_id, id) on delete cascade,
  constraint sessions_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint sessions_respondent_fkey foreign key (team_id, respondent_id)
    references formd.respondents (team_id, id) on delete cascade,
  constraint sessions_connection_fkey foreign key (connection_id)
    references formd.sign_in_connections (id) on delete cascade,
  constraint sessions_respondent_check check (
    respondent_id is null or kind = 'agent' and resource is not null),
  constraint sessions_agent_check check ((kind = 'agent') = (agent_id is not null)),
  constraint sessions_form_check check ((kind = 'anonymous') = (form_id is not null)),
  constraint sessions_kind_check check (kind in ('agent', 'anonymous')),
  constraint sessions_resource_check check (resource = 'mcp'),
  constraint sessions_scopes_check check (
    cardinality(scopes) > 0 and scopes <@ array['agent:read', 'agent:validate', 'agent:submit'])
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
  vacuum_truncate = false);
create index sessions_agent_idx on formd.sessions (team_id, agent_id, expires_at) where agent_id is not null;
create index sessions_expiry_idx on formd.sessions ((expires_at at time zone 'UTC'));
create index sessions_form_idx on formd.sessions (team_id, form_id, expires_at) where form_id is not null;
create index sessions_connection_idx on formd.sessions (connection_id) where connection_id is not null;
create index sessions_respondent_idx on formd.sessions (team_id, respondent_id)
  where respondent_id is not null;
comment on table formd.sessions is
  'A respondent token: an agent on every form that it has a grant for, or anyone on one form. Kept until it '
  'expires and is purged.';
comment on column formd.sessions.kind is 'agent or anonymous.';
comment on column formd.sessions.agent_id is 'The agent whose session it is; null in an anonymous one.';
comment on column formd.sessions.connection_id is
  'In a session for a person: the connection that has named the person, without which it ends.';
comment on column formd.sessions.respondent_id is
  'The person for whom the agent acts, as an identity provider has said; null: nobody has.';
comment on column formd.sessions.scopes is
  'What an OAuth client has asked for: a call needs the scope here and in the grant. Null: every scope.';
comment on column formd.sessions.resource is
  'Where the token is valid: mcp, at /mcp only. Null: everywhere.';
comment on column formd.sessions.form_id is 'In an anonymous session: the only form that it is valid for.';
comment on column formd.sessions.token_hash is 'SHA-256 of the token.';
comment on column formd.sessions.ends_with_secret is
  'The session is that of an agent''s secret at /mcp: a new secret ends it.';

-- Challenges ------------------------------------------------------------------------------------------------

-- The path of a response names the challenge alone: challenges_id_idx finds its team.
create table formd.challenges (
  team_id uuid not null, form_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  type text default 'schema' not null,
  form_version integer not null,
  field_id text not null,
  prompt text not null,
  status text default 'issued' not null,
  attempts smallint default 0 not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  constraint challenges_pkey primary key (team_id, form_id, id),
  constraint challenges_agent_fkey foreign key (team_id, agent_id)
    references formd.agents (team_id, id) on delete cascade,
  constraint challenges_version_fkey foreign key (team_id, form_id, form_version)
    references formd.form_versions (team_id, form_id, version) on delete cascade,
  constraint challenges_attempts_check check (attempts >= 0 and attempts <= 3),
  constraint challenges_field_id_check check (char_length(field_id) <= 500),
  constraint challenges_prompt_check check (char_length(prompt) <= 1048576),
  constraint challenges_resolved_check check ((status = 'issued') = (resolved_at is null)),
  constraint challenges_status_check check (status in ('issued', 'passed', 'failed')),
  constraint challenges_type_check check (type = 'schema')
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
  vacuum_truncate = false);
create index challenges_agent_idx on formd.challenges (agent_id, team_id, form_id, expires_at)
  where agent_id is not null;
create index challenges_expiry_idx on formd.challenges ((expires_at at time zone 'UTC'));
create index challenges_id_idx on formd.challenges (id);
create index challenges_version_idx on formd.challenges (form_version, form_id, team_id)
  where form_version is not null;
comment on table formd.challenges is
  'A question to an agent about one field''s rules. Kept for an hour after it expired (that is no status), '
  'then purged.';
comment on column formd.challenges.type is 'schema: any value that the field''s rules accept.';
comment on column formd.challenges.field_id is 'A field of form_version.';
comment on column formd.challenges.prompt is 'The question, as the agent got it.';
comment on column formd.challenges.status is 'issued, passed or failed (after the last attempt).';
comment on column formd.challenges.attempts is 'Responses that were validated.';
comment on column formd.challenges.resolved_at is 'When it was passed or failed.';

create table formd.challenge_passes (
  team_id uuid not null, form_id uuid not null,
  agent_id uuid not null,
  expires_at timestamptz(3) not null,
  constraint challenge_passes_pkey primary key (team_id, form_id, agent_id),
  constraint challenge_passes_agent_fkey foreign key (team_id, agent_id)
    references formd.agents (team_id, id) on delete cascade,
  constraint challenge_passes_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
  vacuum_truncate = false);
create index challenge_passes_agent_idx on formd.challenge_passes (agent_id, team_id, form_id);
create index challenge_passes_expiry_idx on formd.challenge_passes ((expires_at at time zone 'UTC'));
comment on table formd.challenge_passes is
  'Until when an agent may submit to a form that requires a challenge. Kept until it expires and is purged.';

-- Submit ----------------------------------------------------------------------------------------------------

create type formd.submitter_credentials as (
  access_key_hash bytea, credential text, credential_hash bytea, key_id text, nonce bytea,
  nonce_expires_at timestamptz, draft_hash bytea, invitation_hash bytea, claim_hash bytea
);
comment on type formd.submitter_credentials is
  'what a submitter sent to prove who it is: a form access key, and a session, an API key or a signature';
comment on column formd.submitter_credentials.credential is 'session, api_key, signature or page';
comment on column formd.submitter_credentials.credential_hash is
  'SHA-256 of the session token, of the API key or of a page''s key; null for a signature';
comment on column formd.submitter_credentials.key_id is
  'the signing key that a signature was verified with; null when it was not verified';
comment on column formd.submitter_credentials.draft_hash is
  'of a page: SHA-256 of the token of the draft that it was opened from';
comment on column formd.submitter_credentials.invitation_hash is
  'of a page: SHA-256 of the token of the invitation that it was opened from';
comment on column formd.submitter_credentials.claim_hash is
  'of a page of an anonymous form: by which its invitation was claimed (formd.invitation_claim)';

create type formd.submitter_form as (
  form_id uuid, access_key_hash bytea, access_key_is_valid boolean, workspace_id uuid, status text,
  settings jsonb, version integer, closed jsonb, has_limits boolean
);
comment on type formd.submitter_form is
  'the form that an access key names, as formd.submitter_form_load found it';
comment on column formd.submitter_form.version is 'the published version; 0: none yet';
comment on column formd.submitter_form.closed is
  'why the form takes no submissions now: reason, and what it is about; null: it takes them';
comment on column formd.submitter_form.has_limits is 'whether options of the published version have a limit';

create type formd.submitter_result as (
  outcome text, caller_type text, caller_id uuid, response jsonb, limit_name text, max_requests integer,
  window_ms integer, remaining integer, reset_ms integer, form_version integer, form_schema jsonb,
  provenance text
);
comment on type formd.submitter_result is
  'what a submitter function returns: the outcome, and the rate limit that the response reports';
comment on column formd.submitter_result.caller_type is
  'agent, anonymous or api_key; null before the credential was found valid';
comment on column formd.submitter_result.caller_id is 'the agent, the session or the API key';
comment on column formd.submitter_result.response is
  'of stored, replayed and rejected: the body of the response; of option_full, and of a dry run that was '
  'admitted: full, the options that are, by field';
comment on column formd.submitter_result.limit_name is 'ip, agent or open-challenges';
comment on column formd.submitter_result.form_version is
  'of admitted: the published version, when it is not the one that the caller named; form_schema is its '
  'schema';
comment on column formd.submitter_result.provenance is 'of a caller that is known: as of its submission';

create type formd.submitter_authorization as (
  result formd.submitter_result, respondent_id uuid, binding_required boolean, signing_key_id uuid
);
comment on type formd.submitter_authorization is
  'result.outcome is null when the caller may act on the form; the rest is of the grant of an agent';
comment on column formd.submitter_authorization.signing_key_id is
  'of a signed request: the key, whose nonce is to be claimed';

create type formd.submission_item as (
  form_id uuid, version integer, credentials formd.submitter_credentials, admitted boolean, ip_key text,
  ip_limit integer, validation text, data jsonb, metadata jsonb, respondent_id uuid, partial boolean,
  missing_required text[], idempotency_key_hash bytea, body_hash bytea, team_id uuid,
  request_digest bytea, signature_input text, signature text, declared_agent text, validation_limit integer
);
comment on type formd.submission_item is 'one submission of the list that formd.submissions_submit takes';
comment on column formd.submission_item.version is 'the form version that the data was validated against';
comment on column formd.submission_item.admitted is
  'true: an earlier call for this request had the outcome admitted';
comment on column formd.submission_item.ip_key is 'key of the rate limit of the client IP';
comment on column formd.submission_item.idempotency_key_hash is 'SHA-256 of the Idempotency-Key';
comment on column formd.submission_item.validation is
  'accepted, rejected, malformed (the body has not the shape of a submission) or pending (not validated yet)';
comment on column formd.submission_item.team_id is
  'null in a list of one team, which is an argument of the function';
comment on column formd.submission_item.request_digest is 'SHA-256 of the exact body of the request';
comment on column formd.submission_item.signature_input is
  'of a signed request: the member sig1 of Signature-Input';
comment on column formd.submission_item.signature is 'of a signed request: the member sig1 of Signature';
comment on column formd.submission_item.declared_agent is
  'of a page that a program has sent, which says so: the origin of its keys; empty: its signature is not '
  'valid';
comment on column formd.submission_item.validation_limit is
  'of a tool''s call: the agent''s dry runs per minute, in which rejected data counts; null: it counts as a '
  'submit';

create type formd.submission_admission as (
  item formd.submission_item, form formd.submitter_form, caller formd.submitter_authorization
);
comment on type formd.submission_admission is
  'a submission that formd.submitter_admit has counted, and may have refused';

-- Beside the type of the table, so that a column that is added while calls run changes nothing for them.
create type formd.accepted_submission as (
  form_id uuid, id uuid, form_version integer, status text, submitter_type text, submitter_id uuid,
  respondent_id uuid, data jsonb, metadata jsonb, created_at timestamptz(3), team_id uuid,
  request_digest bytea, provenance text, declared_agent text, key_id text, signature_input text,
  signature text
);
comment on column formd.accepted_submission.signature is
  'of a signed request: with key_id and signature_input, for submission_signatures';

create type formd.plain_submission as (
  team_id uuid, form_id uuid, id uuid, form_version integer, status text, submitter_type text,
  submitter_id uuid, respondent_id uuid, data jsonb, metadata jsonb, created_at timestamptz(3),
  request_digest bytea, missing_required text[], ip_key text, provenance text
);
comment on type formd.plain_submission is
  'a submission of a list that formd.submissions_submit_set stores as one';

create type formd.submission_evaluation as (
  result formd.submitter_result, accepted formd.accepted_submission
);
comment on type formd.submission_evaluation is
  'the result of one submission, and the row to store when its outcome is stored';

create type formd.validation_item as (
  form_id uuid, version integer, credentials formd.submitter_credentials, ip_key text, ip_limit integer,
  agent_limit integer, team_id uuid
);
comment on type formd.validation_item is 'one dry run of the list that formd.validations_admit takes';
comment on column formd.validation_item.version is 'the form version that the caller holds compiled';
comment on column formd.validation_item.team_id is
  'null in a list of one team, which is an argument of the function';

create type formd.validation_admission as (
  item formd.validation_item, form formd.submitter_form, caller formd.submitter_authorization
);
comment on type formd.validation_admission is
  'a dry run that formd.submitter_admit has counted, and may have refused';

-- No foreign key to forms: its check would lock the form's row for every submit with a key, and make a
-- multixact whenever two overlap. A submit reads that row anyway, forms are never deleted, and a key expires
-- after a day.
create table formd.idempotency_keys (
  team_id uuid not null, form_id uuid not null,
  caller_id uuid not null,
  key_hash bytea not null,
  body_hash bytea not null,
  response jsonb,
  expires_at timestamptz(3) not null,
  constraint idempotency_keys_pkey primary key (team_id, form_id, caller_id, key_hash),
  constraint idempotency_keys_key_hash_check check (octet_length(key_hash) = 32)
) with (autovacuum_vacuum_scale_factor = 0.05, vacuum_truncate = false);
create index idempotency_keys_expiry_idx on formd.idempotency_keys ((expires_at at time zone 'UTC'));
comment on table formd.idempotency_keys is
  'The response to a submit with an Idempotency-Key. Kept for 24 hours, then purged.';
comment on column formd.idempotency_keys.caller_id is 'Whose key it is: agent, anonymous session or API key.';
comment on column formd.idempotency_keys.key_hash is
  'SHA-256 of the key: no text of a caller outlives the deletion of what it sent.';
comment on column formd.idempotency_keys.body_hash is
  'SHA-256 of the request''s body: another body with the same key is an error.';
comment on column formd.idempotency_keys.response is
  'The data of the response; null only inside the transaction that stores it.';

-- Submissions -----------------------------------------------------------------------------------------------

create type formd.submission_row as (
  id uuid, team_id uuid, form_id uuid, form_version integer, status text, data jsonb, metadata jsonb,
  submitter_type text, submitter_id uuid, respondent_id uuid, provenance text, declared_agent text,
  review_decision text, review_reason text, reviewed_at timestamptz(3), created_at timestamptz(3),
  updated_at timestamptz(3)
);
comment on type formd.submission_row is 'A submission, as functions return it.';

-- The key is the order as well, newest first is the key read backwards. No foreign key to forms: see
-- idempotency_keys.
--
-- Indexes for the filters of the list end with the id, so that each one is the order too, and a count or a
-- deep page reads it alone. A person's submit pays for none of them: that of the status has what is not
-- completed, few of the rows as a rule, and a statement takes it that names such a status. Those of the
-- review are its queue. No statistics of the documents: no plan asks for them, and they were half of an
-- ANALYZE.
create table formd.submissions (
  team_id uuid not null, form_id uuid not null,
  id uuid not null,
  form_version integer not null,
  status text not null,
  submitter_type text not null,
  submitter_id uuid not null,
  respondent_id uuid,
  provenance text not null,
  declared_agent text,
  data jsonb not null,
  metadata jsonb,
  request_digest bytea,
  salt uuid default gen_random_uuid() not null,
  review_decision text,
  review_reason text,
  reviewed_at timestamptz(3),
  reviewed_by uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  completed_at timestamptz(3),
  constraint submissions_pkey primary key (team_id, form_id, id),
  constraint submissions_completed_check check ((status = 'completed') = (completed_at is not null)),
  constraint submissions_data_check check (jsonb_typeof(data) = 'object'),
  constraint submissions_declared_agent_check check (char_length(declared_agent) <= 300),
  constraint submissions_declared_agent_given_check check (
    (declared_agent is not null) = (provenance = 'declared_agent')),
  constraint submissions_provenance_check check (
    provenance in ('person', 'declared_agent', 'agent', 'agent_signed', 'agent_for_person', 'owner')),
  constraint submissions_review_decision_check check (review_decision in ('approved', 'rejected')),
  constraint submissions_review_reason_check check (char_length(review_reason) <= 1000),
  constraint submissions_status_check check (status in ('pending', 'completed', 'partial')),
  constraint submissions_submitter_check check (submitter_type in ('agent', 'anonymous', 'api_key'))
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_analyze_scale_factor = 0.01, autovacuum_freeze_min_age = 0);
alter table formd.submissions alter column data set statistics 0;
alter table formd.submissions alter column metadata set statistics 0;
create index submissions_agent_idx on formd.submissions (team_id, form_id, submitter_id, id)
  where submitter_type = 'agent';
create index submissions_provenance_idx on formd.submissions (team_id, form_id, provenance, id)
  where provenance in ('declared_agent', 'agent_signed', 'agent_for_person', 'owner');
create index submissions_respondent_idx on formd.submissions (team_id, form_id, respondent_id, id)
  where respondent_id is not null;
create index submissions_review_open_idx on formd.submissions (team_id, form_id, id)
  where status = 'pending' and review_decision is null;
create index submissions_review_rejected_idx on formd.submissions (team_id, form_id, id)
  where status = 'pending' and review_decision = 'rejected';
create index submissions_status_idx on formd.submissions (status, team_id, form_id, id)
  where status <> 'completed';
comment on table formd.submissions is
  'What a respondent or an agent submitted to a form. The id is a UUIDv7 with created_at inside, so that the '
  'key is the order as well. Kept until it is deleted.';
comment on column formd.submissions.form_version is 'The version that the data was validated with.';
comment on column formd.submissions.status is
  'completed; pending: waits for a review; partial: required values are missing.';
comment on column formd.submissions.submitter_type is
  'agent, anonymous or api_key: which table submitter_id refers to (sessions for anonymous).';
comment on column formd.submissions.submitter_id is
  'The agent, the anonymous session or the API key; no foreign key, since sessions are purged.';
comment on column formd.submissions.respondent_id is
  'Whom an agent submitted for: as the agent says, or of agent_for_person, as an identity provider does.';
comment on column formd.submissions.provenance is
  'What is proven of who sent it: person (an anonymous session), declared_agent (a program on the page, by '
  'the keys of its origin), agent, agent_signed, agent_for_person (respondent_id, by an identity provider) '
  'or owner (an API key).';
comment on column formd.submissions.declared_agent is
  'The origin whose key has signed the request of a program on the page.';
comment on column formd.submissions.data is 'Values by field id.';
comment on column formd.submissions.metadata is 'What the submitter sent beside the data.';
comment on column formd.submissions.request_digest is
  'SHA-256 of the exact body of the request, for the receipt; null: it came in no request, as the example of '
  'the set-up.';
comment on column formd.submissions.salt is
  'Random, for the commitment of the receipt to the data: deleted with the row, it leaves nothing that a '
  'guess could be tested with.';
comment on column formd.submissions.review_decision is
  'approved; rejected: stays pending, and waits for review no more. Null: not reviewed, or reopened.';
comment on column formd.submissions.review_reason is 'As the reviewer gave it.';
comment on column formd.submissions.reviewed_at is 'When the decision was made.';
comment on column formd.submissions.reviewed_by is 'The operator or API key; the audit has which.';
comment on column formd.submissions.updated_at is
  'Increases with every change: an edit names the one that it is based on.';

create table formd.submission_signatures (
  team_id uuid not null, form_id uuid not null,
  submission_id uuid not null,
  key_id text not null,
  signature_input text not null,
  signature text not null,
  constraint submission_signatures_pkey primary key (team_id, form_id, submission_id),
  constraint submission_signatures_key_id_check check (char_length(key_id) <= 100),
  constraint submission_signatures_signature_check check (char_length(signature) <= 200),
  constraint submission_signatures_signature_input_check check (char_length(signature_input) <= 2000)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
  autovacuum_freeze_min_age = 0);
comment on table formd.submission_signatures is
  'The signatures of submissions that came as signed requests, for their receipts. Kept until '
  'submission_delete deletes the submission: no foreign key, which would forbid to detach a part of '
  'submissions.';
comment on column formd.submission_signatures.key_id is 'As the request named it.';
comment on column formd.submission_signatures.signature_input is 'The member sig1 of Signature-Input.';
comment on column formd.submission_signatures.signature is 'The member sig1 of Signature.';

-- No foreign keys: see idempotency_keys, and submission_signatures.
create table formd.files (
  team_id uuid not null, form_id uuid not null,
  id uuid not null,
  field_id text not null,
  submission_id uuid,
  state text not null,
  uploader text not null,
  name text not null,
  size bigint not null,
  type text not null,
  sha256 bytea,
  scan text not null default 'none',
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  constraint files_pkey primary key (team_id, form_id, id),
  constraint files_claimed_check check ((state = 'claimed') = (expires_at is null)),
  constraint files_field_id_check check (char_length(field_id) <= 500),
  constraint files_name_check check (char_length(name) <= 255),
  constraint files_scan_check check (scan in ('none', 'pending', 'clean', 'infected')),
  constraint files_sha256_check check (octet_length(sha256) = 32),
  constraint files_size_check check (size >= 0),
  constraint files_state_check check (state in ('uploading', 'uploaded', 'claimed', 'deleted')),
  constraint files_submission_check check (state <> 'claimed' or submission_id is not null),
  constraint files_type_check check (char_length(type) <= 200),
  constraint files_uploader_check check (char_length(uploader) <= 100)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index files_expiry_idx on formd.files ((expires_at at time zone 'UTC')) where expires_at is not null;
create index files_scan_idx on formd.files (id) where scan = 'pending';
create index files_submission_idx on formd.files (team_id, form_id, submission_id)
  where submission_id is not null;
comment on table formd.files is
  'What was uploaded for a field of a form. The bytes are in FILES_URL, under the ids of team and file; the '
  'row is there before them and goes after them. Kept until its submission is deleted; an upload that no '
  'submission names for 24 hours, of a stranger for one.';
comment on column formd.files.field_id is 'The field that it was uploaded for, and is claimed in.';
comment on column formd.files.state is
  'uploading: the bytes are arriving; uploaded; claimed by a submission; deleted: the bytes are to go.';
comment on column formd.files.uploader is
  'Who may claim it: agent, anonymous or api_key with the id, page with the SHA-256 of the page''s key, or '
  'draft with that of its token.';
comment on column formd.files.name is 'As it was sent: text, and never a path. Empty once it is deleted.';
comment on column formd.files.size is 'Bytes; while they are arriving, those for which there is room.';
comment on column formd.files.sha256 is
  'The digest of the bytes; null while they are arriving, and once it is deleted.';
comment on column formd.files.type is 'Media type by the content; empty while it is arriving.';
comment on column formd.files.scan is
  'none: nothing scans; pending: nobody may download it; clean; infected: the bytes are gone.';
comment on column formd.files.expires_at is 'When the sweep deletes it. Null: it is claimed.';

create table formd.file_totals (
  team_id uuid not null,
  bytes bigint not null,
  unclaimed_bytes bigint default 0 not null,
  constraint file_totals_pkey primary key (team_id),
  constraint file_totals_bytes_check check (bytes >= 0),
  constraint file_totals_unclaimed_bytes_check check (unclaimed_bytes >= 0),
  constraint file_totals_team_fkey foreign key (team_id) references formd.teams (team_id)
    on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
comment on table formd.file_totals is
  'Bytes of the files of a team, those that are arriving or to go included: what FILES_MAX_PER_TEAM '
  'limits. Kept for good.';
comment on column formd.file_totals.bytes is 'The sum of files.size.';
comment on column formd.file_totals.unclaimed_bytes is
  'The part of it of files that no submission has claimed, which has a room of its own.';

-- No foreign key to submissions: the audit outlives them. For the same reason none to who acted.
create table formd.submission_edits (
  team_id uuid not null, form_id uuid not null,
  submission_id uuid not null,
  id uuid not null,
  field_id text not null,
  old_value jsonb,
  new_value jsonb,
  actor_type text not null,
  actor_id uuid,
  request_id text not null,
  created_at timestamptz(3) not null,
  erased_at timestamptz(3),
  constraint submission_edits_pkey primary key (team_id, form_id, submission_id, id),
  constraint submission_edits_actor_id_check check (actor_type = 'respondent' or actor_id is not null),
  constraint submission_edits_actor_type_check check (actor_type in ('operator', 'api_key', 'respondent')),
  constraint submission_edits_erased_check check (
    erased_at is null or ((old_value is null) and (new_value is null))),
  constraint submission_edits_field_id_check check (char_length(field_id) <= 500),
  constraint submission_edits_request_id_check check (char_length(request_id) <= 200)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
  autovacuum_freeze_min_age = 0);
comment on table formd.submission_edits is
  'An edit of one value, for the audit. Erasing the submission sets both values to null; nothing else '
  'changes a row. Kept for good.';
comment on column formd.submission_edits.old_value is 'Null: there was none, or it is erased.';
comment on column formd.submission_edits.new_value is 'Null: the value was removed, or it is erased.';
comment on column formd.submission_edits.actor_type is
  'operator, api_key or respondent (who sent it, by the link for changes).';
comment on column formd.submission_edits.actor_id is
  'Null for a respondent. No foreign key: the edit outlives the operator.';
comment on column formd.submission_edits.request_id is
  'Id of the request in the server''s log, and after a space the x-request-id that the client sent.';
comment on column formd.submission_edits.erased_at is 'When the submission was erased.';

create table formd.submission_erasures (
  team_id uuid not null, form_id uuid not null,
  submission_id uuid not null,
  field_ids text[] not null,
  actor_type text not null,
  actor_id uuid,
  request_id text not null,
  created_at timestamptz(3) not null,
  constraint submission_erasures_pkey primary key (team_id, form_id, submission_id),
  constraint submission_erasures_actor_id_check check (
    actor_type in ('cli', 'retention', 'respondent') or actor_id is not null),
  constraint submission_erasures_actor_type_check check (
    actor_type in ('operator', 'api_key', 'cli', 'retention', 'respondent')),
  constraint submission_erasures_field_ids_check check (cardinality(field_ids) <= 10000),
  constraint submission_erasures_request_id_check check (char_length(request_id) <= 200)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
  autovacuum_freeze_min_age = 0);
create index submission_erasures_time_idx on formd.submission_erasures (created_at, submission_id);
comment on table formd.submission_erasures is
  'The deletion of a submission, for the audit: who, when, and the fields that had values. Kept for good.';
comment on column formd.submission_erasures.field_ids is 'The fields that had a value.';
comment on column formd.submission_erasures.actor_type is
  'operator, api_key, cli (a person at a terminal), retention (the rule of the form) or respondent (who sent '
  'it, and took it back).';
comment on column formd.submission_erasures.actor_id is 'Null for cli, retention and respondent.';
comment on column formd.submission_erasures.request_id is
  'Id of the request in the server''s log, and after a space the x-request-id that the client sent.';

create type formd.hold_row as (
  id uuid,
  form_id uuid,
  submission_id uuid,
  reason text,
  placed_by uuid,
  placed_at timestamptz(3)
);
comment on type formd.hold_row is 'A hold that is in force, as functions return it.';

-- No foreign key to submissions, which can be divided by month. One hold in force per submission, and one per
-- form.
create table formd.holds (
  team_id uuid not null, id uuid not null,
  form_id uuid not null,
  submission_id uuid,
  reason text not null,
  placed_by uuid,
  placed_at timestamptz(3) not null,
  released_by uuid,
  released_at timestamptz(3),
  constraint holds_pkey primary key (team_id, id),
  constraint holds_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint holds_reason_check check (char_length(reason) <= 1000)
) with (autovacuum_analyze_scale_factor = 0.02);
create unique index holds_active_key on formd.holds (team_id, form_id, submission_id) nulls not distinct
  where released_at is null;
create index holds_form_idx on formd.holds (team_id, form_id, id);
comment on table formd.holds is
  'What may not be deleted, by a person or by a rule, until it is released. Kept for good.';
comment on column formd.holds.submission_id is 'Null: all that the form has and will have.';
comment on column formd.holds.reason is 'As the person wrote it. The audit does not have it.';
comment on column formd.holds.placed_by is
  'The operator; null: a person at a terminal. No foreign key: the hold outlives the operator.';
comment on column formd.holds.placed_at is 'As the id, a UUIDv7, has it.';
comment on column formd.holds.released_by is 'As placed_by; null also while the hold is in force.';
comment on column formd.holds.released_at is 'Null: the hold is in force.';

-- The exact total of a form is the sum of a few rows, and no scan. A transaction counts in the slot of its
-- own backend, so that two submits do not wait for each other.
create table formd.submission_counts (
  team_id uuid not null, form_id uuid not null,
  status text not null,
  slot smallint not null,
  total bigint not null,
  has_limits boolean default false not null,
  constraint submission_counts_pkey primary key (team_id, form_id, status, slot)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  vacuum_truncate = false);
comment on table formd.submission_counts is
  'A share of a form''s number of submissions: the sum of the slots is the number. Fillfactor 50 leaves room '
  'for HOT updates. Kept for good.';
comment on column formd.submission_counts.slot is
  'From the backend''s process id, so that transactions rarely update the same row.';
comment on column formd.submission_counts.total is 'May be below zero in one slot.';
comment on column formd.submission_counts.has_limits is
  'As that of the form. Publishing takes every slot to change it: a submission that has read the form before '
  'finds it in its slot, and begins again.';

-- One row per option, since its limit is exact: those who choose the same option wait for each other. What is
-- counted is what the form's submissions hold, whichever version they have.
create table formd.option_counts (
  team_id uuid not null, form_id uuid not null,
  field_id text not null,
  value jsonb not null,
  max_total integer not null,
  total integer not null,
  constraint option_counts_pkey primary key (team_id, form_id, field_id, value),
  constraint option_counts_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint option_counts_field_id_check check (char_length(field_id) <= 200),
  constraint option_counts_max_total_check check (max_total >= 0),
  constraint option_counts_value_check check (
    jsonb_typeof(value) in ('string', 'number', 'boolean') and char_length(value #>> '{}') <= 200)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  vacuum_truncate = false);
comment on table formd.option_counts is
  'How many submissions of a form have an option that has a limit in the published version. Fillfactor 50 '
  'leaves room for HOT updates. Kept until a version without the limit is published.';
comment on column formd.option_counts.field_id is 'The field that has the option.';
comment on column formd.option_counts.value is 'The value of the option, as submissions hold it.';
comment on column formd.option_counts.max_total is 'The limit.';
comment on column formd.option_counts.total is
  'Above max_total where there were more submissions already when the limit was published.';

-- What the charts of the console show: three tables of counts by day, which expire.
create table formd.submission_changes (
  team_id uuid not null, form_id uuid not null,
  id uuid not null,
  submission_id uuid not null,
  kind text not null,
  expires_at timestamptz(3) not null,
  constraint submission_changes_pkey primary key (team_id, form_id, id),
  constraint submission_changes_kind_check check (kind in ('edited', 'reviewed', 'deleted'))
) with (autovacuum_vacuum_insert_scale_factor = 0.02, vacuum_truncate = false);
create index submission_changes_expiry_idx on formd.submission_changes ((expires_at at time zone 'UTC'));
comment on table formd.submission_changes is
  'The changes of submissions, for who reads them by a cursor: which one, and when, by the id. No value, and '
  'not who. Kept for 30 days.';
comment on column formd.submission_changes.kind is 'Only deleted matters: the others are for people.';

create table formd.submission_days (
  team_id uuid not null, form_id uuid not null,
  day integer not null,
  status text not null,
  provenance text not null,
  total bigint not null,
  expires_at timestamptz(3) not null,
  constraint submission_days_pkey primary key (team_id, form_id, day, status, provenance),
  constraint submission_days_provenance_check check (
    provenance in ('person', 'declared_agent', 'agent', 'agent_signed', 'agent_for_person', 'owner')),
  constraint submission_days_status_check check (status in ('pending', 'completed', 'partial'))
) with (fillfactor = 50, vacuum_truncate = false);
create index submission_days_expiry_idx on formd.submission_days ((expires_at at time zone 'UTC'));
comment on table formd.submission_days is
  'How many submissions a form received on a day, by the status that they have now. Servers count in memory '
  'and write some seconds later; one that is killed loses those. Fillfactor 50 leaves room for HOT updates. '
  'Kept for 90 days.';
comment on column formd.submission_days.day is 'Days since 1970-01-01, UTC.';
comment on column formd.submission_days.status is 'As that of the submissions.';
comment on column formd.submission_days.provenance is 'As that of the submissions.';
comment on column formd.submission_days.total is
  'Below zero where a submission was changed before it was counted.';

create table formd.agent_days (
  team_id uuid not null, form_id uuid not null,
  day integer not null,
  agent_id uuid not null,
  outcome text not null,
  total bigint not null,
  last_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint agent_days_pkey primary key (team_id, form_id, day, agent_id, outcome),
  constraint agent_days_outcome_check check (char_length(outcome) <= 100)
) with (fillfactor = 50, vacuum_truncate = false);
create index agent_days_agent_idx on formd.agent_days (team_id, agent_id, day);
create index agent_days_expiry_idx on formd.agent_days ((expires_at at time zone 'UTC'));
comment on table formd.agent_days is
  'What became of an agent''s requests about a form on a day. Written as submission_days is. Kept for 90 '
  'days.';
comment on column formd.agent_days.day is 'Days since 1970-01-01, UTC.';
comment on column formd.agent_days.outcome is
  'stored, or the code of the problem that the request was refused with.';
comment on column formd.agent_days.total is 'Requests.';
comment on column formd.agent_days.last_at is 'When the last ones were written.';

create table formd.validation_errors (
  team_id uuid not null, form_id uuid not null,
  day integer not null,
  form_version integer not null,
  field_id text not null,
  code text not null,
  total bigint not null,
  expires_at timestamptz(3) not null,
  constraint validation_errors_pkey primary key (team_id, form_id, day, form_version, field_id, code),
  constraint validation_errors_code_check check (char_length(code) <= 100),
  constraint validation_errors_field_id_check check (char_length(field_id) <= 128)
) with (fillfactor = 50, vacuum_truncate = false);
create index validation_errors_expiry_idx on formd.validation_errors ((expires_at at time zone 'UTC'));
comment on table formd.validation_errors is
  'How many payloads had an error on a day, rejected submissions and dry runs. Written as submission_days '
  'is. Kept for 90 days.';
comment on column formd.validation_errors.day is 'Days since 1970-01-01, UTC.';
comment on column formd.validation_errors.field_id is
  'A field of the version. Empty: the payload had a field that the version does not have.';
comment on column formd.validation_errors.code is 'A field code of the API.';
comment on column formd.validation_errors.total is 'Payloads.';

-- Links of respondents --------------------------------------------------------------------------------------

-- Found by the hash of its token alone. No foreign key to forms: see idempotency_keys. Each save writes the
-- whole value; expires_at is rounded up to a day, so that the saves of a day are HOT.
create table formd.page_drafts (
  team_id uuid not null, form_id uuid not null,
  token_hash bytea not null,
  sealed bytea not null,
  updated_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint page_drafts_pkey primary key (team_id, form_id, token_hash),
  constraint page_drafts_sealed_check check (octet_length(sealed) <= 65536),
  constraint page_drafts_token_hash_check check (octet_length(token_hash) = 32)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, vacuum_truncate = false,
  toast.autovacuum_vacuum_scale_factor = 0.05, toast.vacuum_truncate = false);
alter table formd.page_drafts alter column sealed set storage external;
alter table formd.page_drafts alter column sealed set statistics 0;
create index page_drafts_expiry_idx on formd.page_drafts ((expires_at at time zone 'UTC'));
comment on table formd.page_drafts is
  'What a respondent has saved to continue later: no submission yet. Kept until it is sent, or for the days '
  'that the form gives, then purged.';
comment on column formd.page_drafts.token_hash is 'SHA-256 of the token in the link.';
comment on column formd.page_drafts.sealed is
  'The entered values, by AES-256-GCM with a key that is derived from the master key and the token: neither '
  'this database nor the server can open it without the link.';
comment on column formd.page_drafts.updated_at is 'The last save, by which two devices are told apart.';
comment on column formd.page_drafts.expires_at is 'The end of a day (UTC).';

-- The key of the list begins with the state, which no look-up by key names. last_mailed_at and mails are in
-- no index, so that reminders are HOT. No foreign key to respondents: see formd.respondent_is_named.
create table formd.invitations (
  team_id uuid not null, form_id uuid not null,
  id uuid not null,
  token_hash bytea not null,
  label text,
  sealed_email bytea,
  email_hash bytea,
  respondent_id uuid,
  prefill jsonb,
  language text,
  state text default 'open' not null,
  submission_id uuid,
  claim_hash bytea,
  expires_at timestamptz(3) not null,
  last_mailed_at timestamptz(3),
  mails smallint default 0 not null,
  bounced boolean default false not null,
  unsubscribed boolean default false not null,
  created_by uuid,
  constraint invitations_pkey primary key (team_id, form_id, id),
  constraint invitations_token_key unique (team_id, form_id, token_hash),
  constraint invitations_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint invitations_claim_hash_check check (octet_length(claim_hash) = 32),
  constraint invitations_email_hash_check check (octet_length(email_hash) = 32),
  constraint invitations_label_check check (char_length(label) <= 200),
  constraint invitations_language_check check (char_length(language) <= 50),
  constraint invitations_prefill_check check (jsonb_typeof(prefill) = 'object'),
  constraint invitations_prefill_size_check check (octet_length(prefill::text) <= 32768),
  constraint invitations_sealed_email_check check (octet_length(sealed_email) <= 2000),
  constraint invitations_state_check check (state in ('open', 'submitted', 'revoked')),
  constraint invitations_submission_check check (submission_id is null or state = 'submitted'),
  constraint invitations_token_hash_check check (octet_length(token_hash) = 32)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
alter table formd.invitations alter column prefill set statistics 0;
create index invitations_state_idx on formd.invitations (state, team_id, form_id, id);
create index invitations_email_idx on formd.invitations (team_id, form_id, email_hash)
  where email_hash is not null;
create index invitations_respondent_idx on formd.invitations (team_id, respondent_id)
  where respondent_id is not null;
create index invitations_submission_idx on formd.invitations (team_id, form_id, submission_id)
  where submission_id is not null;
create index invitations_expiry_idx on formd.invitations ((expires_at at time zone 'UTC'));
comment on table formd.invitations is
  'A person who is invited to fill in a form, with a link of its own. Kept for 90 days after it expires, '
  'then purged.';
comment on column formd.invitations.token_hash is 'SHA-256 of the token in the link.';
comment on column formd.invitations.label is
  'The owner''s name for it. Blanked, as the address and the values, when it is revoked or the person is '
  'erased.';
comment on column formd.invitations.sealed_email is
  'The address, and the token for reminders, by AES-256-GCM with a key that is derived from the master key.';
comment on column formd.invitations.email_hash is
  'HMAC-SHA-256 of the address in lower case, with a key that is derived from the master key.';
comment on column formd.invitations.respondent_id is
  'The respondent whose submission it becomes. Only an operator sets it.';
comment on column formd.invitations.prefill is 'Values that the page begins with, by field.';
comment on column formd.invitations.language is 'That of the mail, and of the page until another is chosen.';
comment on column formd.invitations.state is
  'open; submitted: it was used; revoked: by the owner. No time: see settings.invitations.anonymous.';
comment on column formd.invitations.submission_id is 'Null: none yet, or the form is anonymous.';
comment on column formd.invitations.claim_hash is
  'SHA-256 of what the page of an anonymous form proves its claim by. It is in no other table.';
comment on column formd.invitations.last_mailed_at is 'When the last mail was or is due. Null: none.';
comment on column formd.invitations.mails is 'The first mail and the reminders.';
comment on column formd.invitations.bounced is 'Whether a mail server refused the address for good.';
comment on column formd.invitations.unsubscribed is 'Whether the person wants no more mail of this form.';
comment on column formd.invitations.created_by is
  'The operator or the API key; null: a person at a terminal. No foreign key.';

create table formd.progress_days (
  team_id uuid not null, form_id uuid not null,
  day integer not null,
  form_version integer not null,
  kind text not null,
  step integer not null,
  total bigint not null,
  expires_at timestamptz(3) not null,
  constraint progress_days_pkey primary key (team_id, form_id, day, form_version, kind, step),
  constraint progress_days_kind_check check (kind in ('opened', 'begun', 'step', 'sent', 'sent_within')),
  constraint progress_days_step_check check (step between 0 and 500)
) with (fillfactor = 50, vacuum_truncate = false);
create index progress_days_expiry_idx on formd.progress_days ((expires_at at time zone 'UTC'));
comment on table formd.progress_days is
  'How far respondents got on a form''s page on a day: numbers, and nobody''s row. Written as '
  'submission_days is. Kept for 90 days.';
comment on column formd.progress_days.day is 'Days since 1970-01-01, UTC.';
comment on column formd.progress_days.kind is
  'opened; begun: something was sent or saved from the page; step: this one was reached; sent; sent_within: '
  'by the time from opening to sending.';
comment on column formd.progress_days.step is
  'The number of the step, from 1; of sent_within n for less than 2 to the n seconds, 16 for more; else 0.';
comment on column formd.progress_days.total is 'Pages that were opened or sent, by the kind.';

-- Receipts --------------------------------------------------------------------------------------------------

create table formd.master_keys (
  fingerprint text not null,
  state text not null,
  sealed bytea,
  created_at timestamptz(3) not null,
  constraint master_keys_pkey primary key (fingerprint),
  constraint master_keys_fingerprint_check check (char_length(fingerprint) <= 16),
  constraint master_keys_sealed_check check (state <> 'sealed' or sealed is not null),
  constraint master_keys_state_check check (state in ('current', 'sealed', 'lost'))
) with (autovacuum_analyze_scale_factor = 0.02);
comment on table formd.master_keys is
  'The master keys that servers had: by fingerprint, so that a server with another one is refused. No team '
  'owns them. Kept for good.';
comment on column formd.master_keys.fingerprint is 'Derived from the key, as all that is made with it.';
comment on column formd.master_keys.state is
  'current: servers have it. sealed: a previous one. lost: the current one has taken its place.';
comment on column formd.master_keys.sealed is
  'The key, encrypted by the current one (AES-256-GCM): what it has made stays valid.';

create table formd.receipt_keys (
  team_id uuid not null,
  version integer not null,
  name text not null,
  public_key bytea not null,
  statement text not null,
  created_at timestamptz(3) not null,
  constraint receipt_keys_pkey primary key (team_id, version),
  constraint receipt_keys_team_fkey foreign key (team_id) references formd.teams (team_id) on delete cascade,
  constraint receipt_keys_name_check check (char_length(name) <= 2000),
  constraint receipt_keys_statement_check check (char_length(statement) <= 10000)
) with (autovacuum_analyze_scale_factor = 0.02);
comment on table formd.receipt_keys is
  'The public keys of receipts; the last one signs. Private keys are derived from the master key. Kept for '
  'good.';
comment on column formd.receipt_keys.name is
  'The name of the key in a signed note: BASE_URL/receipts/<team>.';
comment on column formd.receipt_keys.public_key is 'Ed25519, 32 bytes.';
comment on column formd.receipt_keys.statement is
  'A signed note by the previous key and by the server, from the master key: a row without it is no key.';

-- Webhooks --------------------------------------------------------------------------------------------------

-- The outbox: the function that acts writes the event and its deliveries in its own transaction, and servers
-- send what is due. A commit of submissions writes one row of webhook_batches instead, and the worker that
-- sends them writes the rest: submitting must not pay for seven indexes and two foreign keys per submission.
create type formd.webhook_row as (
  id uuid, team_id uuid, workspace_id uuid, form_id uuid, url text, event_types text[], payload text,
  status text, disabled_reason text, secret_version integer, secret_key text,
  previous_secret_ends_at timestamptz(3),
  failing_since_at timestamptz(3), created_at timestamptz(3), updated_at timestamptz(3)
);
comment on type formd.webhook_row is 'A webhook, as functions return it.';

create type formd.webhook_result as (
  event_id uuid, webhook_id uuid, attempt integer, started_at timestamptz, duration_ms integer,
  status integer, error text, response_start text, retry_after_seconds integer
);
comment on type formd.webhook_result is 'one attempt of the list that formd.webhook_settle takes';
comment on column formd.webhook_result.status is 'the HTTP status; null: there was no response';
comment on column formd.webhook_result.error is 'null: it succeeded';

create table formd.webhooks (
  team_id uuid not null, id uuid not null,
  workspace_id uuid not null,
  form_id uuid,
  url text not null,
  event_types text[] not null,
  payload text not null,
  status text default 'active' not null,
  disabled_reason text,
  secret_version integer default 1 not null,
  secret_key text not null,
  previous_secret_key text,
  previous_secret_ends_at timestamptz(3),
  failing_since_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint webhooks_pkey primary key (team_id, id),
  constraint webhooks_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint webhooks_workspace_fkey foreign key (team_id, workspace_id)
    references formd.workspaces (team_id, id) on delete cascade,
  constraint webhooks_disabled_check check ((status = 'disabled') = (disabled_reason is not null)),
  constraint webhooks_disabled_reason_check check (disabled_reason in ('gone', 'failing')),
  constraint webhooks_event_types_check check (
    cardinality(event_types) > 0 and event_types <@ array['submission.created', 'submission.updated',
      'submission.reviewed', 'submission.deleted', 'form.published', 'form.archived', 'grant.changed',
      'agent.revoked']),
  constraint webhooks_payload_check check (payload in ('thin', 'full')),
  constraint webhooks_previous_secret_key_check check (char_length(previous_secret_key) <= 16),
  constraint webhooks_secret_key_check check (char_length(secret_key) <= 16),
  constraint webhooks_status_check check (status in ('active', 'paused', 'disabled')),
  constraint webhooks_url_check check (char_length(url) <= 2000)
) with (autovacuum_analyze_scale_factor = 0.02);
create index webhooks_form_idx on formd.webhooks (team_id, form_id);
create index webhooks_workspace_idx on formd.webhooks (team_id, workspace_id);
comment on table formd.webhooks is
  'Where events of a workspace, or of one of its forms, are sent. Secrets are derived from the master key, '
  'and not stored. Kept until it is deleted.';
comment on column formd.webhooks.form_id is 'Null: the events of every form of the workspace.';
comment on column formd.webhooks.url is 'https, or http where a setting allows its network.';
comment on column formd.webhooks.event_types is 'The events that are sent.';
comment on column formd.webhooks.payload is
  'thin: ids. full: also the submission or form as it is when it is sent.';
comment on column formd.webhooks.status is
  'paused: events wait. disabled: by formd, and new events are not recorded.';
comment on column formd.webhooks.disabled_reason is
  'gone: a response with 410. failing: no delivery succeeded for 120 hours.';
comment on column formd.webhooks.secret_version is
  'Goes into the derivation of the secrets; each rotation adds one.';
comment on column formd.webhooks.secret_key is
  'Fingerprint of the master key that the secrets are derived from.';
comment on column formd.webhooks.previous_secret_key is 'The same of the previous secrets.';
comment on column formd.webhooks.previous_secret_ends_at is
  'Until then deliveries are signed with the previous version as well.';
comment on column formd.webhooks.failing_since_at is 'The first failure since the last success.';

create table formd.webhook_batches (
  team_id uuid not null, id uuid not null,
  webhook_ids uuid[] not null,
  submission_ids uuid[] not null,
  form_ids uuid[] not null,
  form_versions integer[] not null,
  statuses text[] not null,
  expires_at timestamptz(3) not null,
  constraint webhook_batches_pkey primary key (team_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
comment on table formd.webhook_batches is
  'The submissions of one commit of which a webhook or a mail may tell. Usually empty. Kept until a worker '
  'has written their events, at most for 30 days.';
comment on column formd.webhook_batches.id is 'The id of its first submission.';
comment on column formd.webhook_batches.webhook_ids is
  'The webhooks of the team that listened to submissions, of whichever form; none: for mails alone.';
comment on column formd.webhook_batches.submission_ids is 'In the order of the commit.';
comment on column formd.webhook_batches.form_ids is 'The form of each submission, in the same order.';
comment on column formd.webhook_batches.form_versions is 'The version of that form, in the same order.';
comment on column formd.webhook_batches.statuses is
  'The status of each submission when it was stored, in the same order.';

create table formd.webhook_events (
  team_id uuid not null, id uuid not null,
  type text not null,
  workspace_id uuid not null,
  form_id uuid,
  subject_id uuid not null,
  data jsonb default '{}' not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint webhook_events_pkey primary key (team_id, id),
  constraint webhook_events_data_check check (jsonb_typeof(data) = 'object'),
  constraint webhook_events_type_check check (char_length(type) <= 50)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02, vacuum_truncate = false);
create index webhook_events_expiry_idx on formd.webhook_events ((expires_at at time zone 'UTC'));
create index webhook_events_subject_idx on formd.webhook_events (team_id, subject_id) where id <> subject_id;
comment on table formd.webhook_events is
  'What happened, when a webhook listened. No submitted data: a full payload is read when it is sent. Kept '
  'for 30 days, then purged.';
comment on column formd.webhook_events.id is 'A UUIDv7; of submission.created the id of the submission.';
comment on column formd.webhook_events.type is 'Such as submission.created.';
comment on column formd.webhook_events.subject_id is 'The submission, form or agent that it is about.';
comment on column formd.webhook_events.data is
  'Members of the payload beside the ids, such as the version that was published.';

-- Every delivery is an insert and at least two updates, none of them HOT, since all that changes is indexed:
-- vacuum comes after 2 %. webhook_deliveries_state_idx is for the list by state, most deliveries are not in
-- it.
create table formd.webhook_deliveries (
  team_id uuid not null,
  event_id uuid not null,
  webhook_id uuid not null,
  state text default 'due' not null,
  attempts integer default 0 not null,
  due_at timestamptz(3) not null,
  leased_until_at timestamptz(3),
  last_status integer,
  last_error text,
  delivered_at timestamptz(3),
  constraint webhook_deliveries_pkey primary key (team_id, event_id, webhook_id),
  constraint webhook_deliveries_event_fkey foreign key (team_id, event_id)
    references formd.webhook_events (team_id, id) on delete cascade,
  constraint webhook_deliveries_webhook_fkey foreign key (team_id, webhook_id)
    references formd.webhooks (team_id, id) on delete cascade,
  constraint webhook_deliveries_delivered_check check (state <> 'delivered' or delivered_at is not null),
  constraint webhook_deliveries_last_error_check check (char_length(last_error) <= 500),
  constraint webhook_deliveries_state_check check (state in ('due', 'delivered', 'failed'))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
  vacuum_truncate = false);
create index webhook_deliveries_due_idx on formd.webhook_deliveries
  (team_id, webhook_id, (least(attempts, 1)),
  due_at) where state = 'due';
create index webhook_deliveries_leased_idx on formd.webhook_deliveries (team_id, webhook_id)
  where leased_until_at is not null;
create index webhook_deliveries_state_idx on formd.webhook_deliveries (team_id, webhook_id, state, event_id)
  where state <> 'delivered';
create index webhook_deliveries_webhook_idx on formd.webhook_deliveries (team_id, webhook_id, event_id);
comment on table formd.webhook_deliveries is 'One event for one webhook. Kept as long as both.';
comment on column formd.webhook_deliveries.state is
  'due: to be sent at due_at. failed: the last retry has failed.';
comment on column formd.webhook_deliveries.attempts is
  'Begun so far; it tells the leases of a delivery apart.';
comment on column formd.webhook_deliveries.due_at is
  'When it is sent next; while it is leased, the end of the lease, when another server may send it.';
comment on column formd.webhook_deliveries.leased_until_at is 'Null: no server is sending it.';
comment on column formd.webhook_deliveries.last_status is
  'The HTTP status of the last attempt; null: there was no response.';
comment on column formd.webhook_deliveries.last_error is 'Why the last attempt failed.';
comment on column formd.webhook_deliveries.delivered_at is 'The last success.';

create table formd.webhook_attempts (
  team_id uuid not null,
  event_id uuid not null,
  webhook_id uuid not null,
  attempt integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  response_status integer,
  error text,
  response_start text,
  constraint webhook_attempts_pkey primary key (team_id, event_id, webhook_id, attempt),
  constraint webhook_attempts_delivery_fkey foreign key (team_id, event_id, webhook_id)
    references formd.webhook_deliveries (team_id, event_id, webhook_id) on delete cascade,
  constraint webhook_attempts_error_check check (char_length(error) <= 500),
  constraint webhook_attempts_response_start_check check (char_length(response_start) <= 1000)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02, vacuum_truncate = false);
comment on table formd.webhook_attempts is
  'The last 10 requests of each delivery. Kept as long as the delivery.';
comment on column formd.webhook_attempts.attempt is 'From 1.';
comment on column formd.webhook_attempts.started_at is 'When the request began.';
comment on column formd.webhook_attempts.duration_ms is 'Until the response was read, or the error.';
comment on column formd.webhook_attempts.response_status is 'Null: there was no response.';
comment on column formd.webhook_attempts.error is 'Null: it succeeded.';
comment on column formd.webhook_attempts.response_start is
  'The first characters of the response to a failure; a deletion of the submission blanks it.';

-- Mails -----------------------------------------------------------------------------------------------------

-- The outbox of mails. It rides on webhook_batches, so that a submission pays for no row of it.
create table formd.mails (
  team_id uuid not null, id uuid not null,
  kind text not null,
  form_id uuid,
  subject_id uuid,
  recipient_hash bytea,
  operator_id uuid,
  submissions integer default 1 not null,
  digest_at timestamptz(3),
  state text default 'due' not null,
  attempts integer default 0 not null,
  due_at timestamptz(3) not null,
  leased_until_at timestamptz(3),
  gives_up_at timestamptz(3) not null,
  last_error text,
  sent_at timestamptz(3),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint mails_pkey primary key (team_id, id),
  constraint mails_form_fkey foreign key (team_id, form_id)
    references formd.forms (team_id, id) on delete cascade,
  constraint mails_operator_fkey foreign key (operator_id)
    references formd.operators (id) on delete cascade,
  constraint mails_kind_check check (char_length(kind) <= 50),
  constraint mails_last_error_check check (char_length(last_error) <= 500),
  constraint mails_state_check check (state in ('due', 'sent', 'failed', 'dropped'))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
  vacuum_truncate = false);
create unique index mails_key_expiry_key on formd.mails (team_id, operator_id, subject_id)
  where kind = 'key_expiry';
create unique index mails_digest_key on formd.mails (team_id, form_id, recipient_hash, digest_at)
  where kind = 'digest';
create index mails_due_idx on formd.mails (team_id, due_at) where state = 'due';
create index mails_expiry_idx on formd.mails ((expires_at at time zone 'UTC'));
create index mails_form_idx on formd.mails (team_id, form_id, id);
create index mails_operator_idx on formd.mails (operator_id);
create index mails_state_idx on formd.mails (team_id, form_id, state, id) where state <> 'sent';
comment on table formd.mails is
  'Mails to send, without address and text: both are read when it is sent. Kept for 30 days, those of '
  'invitations for 60, then purged.';
comment on column formd.mails.kind is
  'notice: of a submission, to a recipient of settings.notify; digest: of several; copy: to who submitted; '
  'invitation: the first mail and each reminder, to who is invited. sign_in, passkey, password, api_key, '
  'webhook_disabled, key_expiry: to an operator.';
comment on column formd.mails.subject_id is
  'The submission, the invitation, or what a mail to an operator is about.';
comment on column formd.mails.recipient_hash is
  'SHA-256 of the entry in settings.notify.recipients; null: an operator, or the address in the submission.';
comment on column formd.mails.submissions is 'How many a digest has.';
comment on column formd.mails.digest_at is 'When the time ends that a digest is about.';
comment on column formd.mails.state is
  'due: to be sent, perhaps again; failed: for good; dropped: there was nothing to send, or no recipient.';
comment on column formd.mails.attempts is 'Attempts that were begun.';
comment on column formd.mails.due_at is
  'The next attempt; while a server sends it, when the lease ends.';
comment on column formd.mails.leased_until_at is 'Null: no server is sending it.';
comment on column formd.mails.gives_up_at is 'From then on it is not tried.';
comment on column formd.mails.last_error is 'Why the last attempt failed, or why there was none.';
comment on column formd.mails.sent_at is 'When the mail server last took it.';
