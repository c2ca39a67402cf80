-- migrate:up

-- The moments of the last admitted requests of each throttle, so that "at most N in any span" is exact and all instances share
-- it. UNLOGGED: it costs no WAL, and a crash forgives a minute of history. It has a key of its own, since most throttles
-- count before anyone knows the team.
create unlogged table formd.rate_limits (
  bucket text not null,
  ticks bigint[] not null,
  hits integer[] not null,
  expires_at timestamptz(3) not null,
  constraint rate_limits_pkey primary key (bucket)
) with (fillfactor = 50);
comment on column formd.rate_limits.bucket is 'what is limited and for whom, as submit:ip:192.0.2.1';
comment on column formd.rate_limits.ticks is 'microseconds since 1970, ascending';
comment on column formd.rate_limits.hits is 'how many requests each tick stands for';

-- migrate:down

drop table formd.rate_limits;
