-- migrate:up

create table formd.challenges (
  team_id uuid not null,
  form_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  type text not null default 'schema',
  form_version integer not null,
  field_id text not null,
  prompt text not null,
  status text not null default 'issued',
  attempts smallint not null default 0,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  constraint challenges_pkey primary key (team_id, form_id, id),
  constraint challenges_version_fkey foreign key (team_id, form_id, form_version)
    references formd.form_versions (team_id, form_id, version) on delete cascade,
  constraint challenges_agent_fkey foreign key (team_id, agent_id) references formd.agents (team_id, id) on delete cascade,
  constraint challenges_type_check check (type = 'schema'),
  constraint challenges_status_check check (status in ('issued', 'passed', 'failed')),
  constraint challenges_resolved_check check ((status = 'issued') = (resolved_at is null)),
  constraint challenges_attempts_check check (attempts between 0 and 3)
);
create index challenges_version_idx on formd.challenges (team_id, form_id, form_version);
create index challenges_agent_idx on formd.challenges (team_id, agent_id, form_id, expires_at);
-- The answer's path names the challenge alone, so that its team is found here.
create index challenges_id_idx on formd.challenges (id);
comment on table formd.challenges is 'expired is no status: it is expires_at against the clock';

-- The right to submit where settings.challenge.required; one row an agent and form, moved on by each pass.
create table formd.challenge_passes (
  team_id uuid not null,
  form_id uuid not null,
  agent_id uuid not null,
  expires_at timestamptz(3) not null,
  constraint challenge_passes_pkey primary key (team_id, form_id, agent_id),
  constraint challenge_passes_form_fkey foreign key (team_id, form_id) references formd.forms (team_id, id) on delete cascade,
  constraint challenge_passes_agent_fkey foreign key (team_id, agent_id) references formd.agents (team_id, id) on delete cascade
);
create index challenge_passes_agent_idx on formd.challenge_passes (team_id, agent_id);

-- migrate:down

drop table formd.challenge_passes, formd.challenges;
