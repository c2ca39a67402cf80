-- migrate:up
-- Locks: none.

-- The group for what only commands do, beside formd_app for the server. What each may is in sql/999_privileges.sql.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'formd_admin') then
    create role formd_admin nologin;
  end if;
exception
  when insufficient_privilege then
    raise exception 'formd needs the role formd_admin: let an administrator run "create role formd_admin nologin"';
  when duplicate_object or unique_violation then
    null; -- another database of this cluster made it in the same moment
end
$$;
