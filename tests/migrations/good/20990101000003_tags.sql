-- migrate:up
-- Locks: share row exclusive on teams.
do $$ begin
  create table formd.tags (
    team_id uuid not null,
    id uuid not null,
    constraint tags_pkey primary key (team_id, id),
    constraint tags_team_fkey foreign key (team_id) references formd.teams (team_id) on delete cascade
  );
end $$;
