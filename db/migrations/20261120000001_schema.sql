-- migrate:up

-- Everything lives in the schema formd; nothing is made in public.
--
-- Two roles share the work. The owner (whoever runs this file) owns tables and functions. formd_app is a group without
-- login: the service's login is made a member of it. It may execute the functions of sql/ and read what is not secret; what
-- it may not is written down in the last migration of this set and in sql/zz_privileges.sql.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'formd_app') then
    create role formd_app nologin;
  end if;
exception
  when insufficient_privilege then
    raise exception 'formd needs the role formd_app: let an administrator run "create role formd_app nologin"';
  when duplicate_object or unique_violation then
    null; -- another database of this cluster made it in the same moment
end
$$;

create schema if not exists formd;
comment on schema formd is 'functions none';

-- migrate:down

drop schema formd cascade;
