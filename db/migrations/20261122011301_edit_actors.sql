-- migrate:up transaction:false
-- Locks: access exclusive on submission_edits, submission_erasures; each for a moment, one after another.

-- Edits and deletions of submissions have operators as actors, not API keys alone. A default that is constant rewrites nothing; the checks are
-- validated beside the traffic, each statement a transaction of its own. If it breaks off, run formd migrate again.
--
-- api_key_id stays for this release: servers of 0.1 read it, and their functions, which run until those of this release are loaded, write it
-- alone. So readers take coalesce(actor_id, api_key_id).
do $do$
declare
  v_statement text;
begin
  set citus.multi_shard_modify_mode = 'sequential';
  foreach v_statement in array array[
    $$alter table formd.submission_edits
        alter column api_key_id drop not null,
        add column if not exists actor_type text not null default 'api_key',
        add column if not exists actor_id uuid,
        drop constraint if exists submission_edits_actor_type_check,
        add constraint submission_edits_actor_type_check check (actor_type in ('operator', 'api_key')) not valid,
        drop constraint if exists submission_edits_actor_id_check,
        add constraint submission_edits_actor_id_check check (actor_id is not null or api_key_id is not null) not valid$$,
    $$alter table formd.submission_erasures
        alter column api_key_id drop not null,
        add column if not exists actor_type text not null default 'api_key',
        add column if not exists actor_id uuid,
        drop constraint if exists submission_erasures_actor_type_check,
        add constraint submission_erasures_actor_type_check check (actor_type in ('operator', 'api_key')) not valid,
        drop constraint if exists submission_erasures_actor_id_check,
        add constraint submission_erasures_actor_id_check check (actor_id is not null or api_key_id is not null) not valid$$,
    $$alter table formd.submission_edits validate constraint submission_edits_actor_type_check$$,
    $$alter table formd.submission_edits validate constraint submission_edits_actor_id_check$$,
    $$alter table formd.submission_erasures validate constraint submission_erasures_actor_type_check$$,
    $$alter table formd.submission_erasures validate constraint submission_erasures_actor_id_check$$,
    $$comment on column formd.submission_edits.actor_type is 'operator or api_key.'$$,
    $$comment on column formd.submission_edits.actor_id is 'Null where a function of 0.1 wrote api_key_id alone.'$$,
    $$comment on column formd.submission_edits.api_key_id is 'The actor, when it is an API key; for 0.1.'$$,
    $$comment on column formd.submission_erasures.actor_type is 'operator or api_key.'$$,
    $$comment on column formd.submission_erasures.actor_id is 'Null where a function of 0.1 wrote api_key_id alone.'$$,
    $$comment on column formd.submission_erasures.api_key_id is 'The actor, when it is an API key; for 0.1.'$$]
  loop
    execute v_statement;
    commit;
  end loop;
end
$do$;
