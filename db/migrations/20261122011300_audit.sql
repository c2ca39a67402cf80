-- migrate:up
-- Locks: access exclusive on workspaces; share row exclusive on teams.

-- Who acts, and what was done. Every function that changes something takes a formd.actor and writes its event in the same transaction.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  create type formd.actor as (
    type text,
    id uuid,
    request_id text
  );
  comment on type formd.actor is 'who acts, as a caller passes it to every function that changes something';
  comment on column formd.actor.type is 'operator, api_key, agent, anonymous, cli or system';
  comment on column formd.actor.id is 'of an operator, an API key or an agent; null for cli and system';
  comment on column formd.actor.request_id is 'the x-request-id of the request; null for a command';

  create table formd.audit_events (
    team_id uuid not null,
    id uuid not null,
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
    constraint audit_events_kind_check check (char_length(kind) <= 100),
    constraint audit_events_object_type_check check (char_length(object_type) <= 100),
    constraint audit_events_actor_type_check check (
      actor_type in ('operator', 'api_key', 'agent', 'anonymous', 'cli', 'system')),
    constraint audit_events_actor_id_check check (actor_type <> 'operator' or actor_id is not null),
    constraint audit_events_request_id_check check (char_length(request_id) <= 200),
    constraint audit_events_details_check check (jsonb_typeof(details) = 'object')
  );
  create index audit_events_form_idx on formd.audit_events (team_id, form_id, id) where form_id is not null;
  create index audit_events_object_idx on formd.audit_events (team_id, object_id, id);
  comment on table formd.audit_events is 'An act, for the audit. Inserted by formd.audit_record; no role may update or delete a row, and none is purged.';
  comment on column formd.audit_events.id is 'A UUIDv7: the order of the acts, with created_at inside.';
  comment on column formd.audit_events.kind is 'What was done to what, as form.published.';
  comment on column formd.audit_events.form_id is 'Of an act on a form, its access keys, its submissions or a grant on it.';
  comment on column formd.audit_events.object_type is 'The part of the kind before its dot: which table object_id refers to.';
  comment on column formd.audit_events.object_id is 'No foreign key: the event outlives the object.';
  comment on column formd.audit_events.actor_type is 'operator, api_key, agent, anonymous, cli (a person at a terminal) or system (the server itself).';
  comment on column formd.audit_events.actor_id is 'Null for cli, system, and an API key whose id a server of 0.1 did not pass.';
  comment on column formd.audit_events.request_id is 'The x-request-id of the request, for the server''s log; null for a command.';
  comment on column formd.audit_events.details is 'What the kind has to tell, as before and after where that is small. Never a secret, never submission data.';

  alter table formd.workspaces add column editors_may_publish boolean not null default true;
  comment on column formd.workspaces.editors_may_publish is 'Whether an editor may publish, archive and restore forms; an admin may.';
end
$$;
