-- Functions under the names and signatures of 0.1 (commit 1b30061), for its servers that are still draining. They call today's and go
-- with the next release. 999_privileges.sql grants them as 0.1 did, on fresh and upgraded databases alike.

create or replace function formd.access_key_known(p_team uuid, p_form uuid, p_hash bytea) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- access_key_is_valid under its name in 0.1.
select formd.access_key_is_valid(p_team, p_form, p_hash)
$$;
