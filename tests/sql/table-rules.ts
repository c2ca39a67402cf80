/** The rules of tables, keys and schemas. */
import { namesIn, type Rule } from "./schema-rule.ts";

/**
 * A rule whose offenders one query names, in the column `offender`. `tables` are those of schema formd that
 * migrations made.
 */
const asked = (name: string, query: string, ...broken: Rule["broken"]): Rule => ({
  name,
  offenders: async (sql) => {
    const rows = await sql.unsafe<{ offender: string }[]>(`
      with tables as (
        select c.* from pg_class c
        where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'schema_migrations'),
      columns as (
        select t.relname, a.* from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped),
      keys as (
        select t.relname, i.*, c.relname as name, i.indkey::int2[] as places from tables t
        join pg_index i on i.indrelid = t.oid join pg_class c on c.oid = i.indexrelid)
      ${query}`);
    return rows.map(({ offender }) => offender).sort();
  },
  broken,
});

const teamOf = (table: string) =>
  `(select a.attnum from columns a where a.attrelid = ${table} and a.attname = 'team_id')`;

export const tableRules: Rule[] = [
  asked(
    "every table belongs to a team, except operators and their passkeys, sign_in_connections, master_keys, form_aliases, rate_limits, feed_marks and setup_links",
    `select relname::text as offender from tables t
     where relname not in ('operators', 'master_keys', 'form_aliases', 'rate_limits', 'feed_marks', 'setup_links', 'operator_passkeys', 'passkey_challenges', 'sign_in_connections')
       and not exists (select from columns c where c.attrelid = t.oid and attname = 'team_id' and atttypid = 'uuid'::regtype and attnotnull)`,
    ["create table formd.strays (id uuid primary key)", "strays"],
    [
      "alter table formd.grants drop constraint grants_pkey; alter table formd.grants alter team_id drop not null",
      "grants",
    ],
  ),
  asked(
    "every table has a primary key",
    `select relname::text as offender from tables t where not exists (select from keys k where k.indrelid = t.oid and k.indisprimary)`,
    ["create table formd.strays (team_id uuid not null)", "strays"],
  ),
  asked(
    "every primary key and unique index starts with the team",
    `select name::text as offender from keys k
     where indisunique and relname not in ('operators', 'master_keys', 'form_aliases', 'rate_limits', 'feed_marks', 'setup_links', 'operator_passkeys', 'passkey_challenges', 'sign_in_connections') and places[0] is distinct from ${teamOf("k.indrelid")}`,
    ["create unique index stray_key on formd.agents (client_id)", "stray_key"],
    [
      "create table formd.strays (id uuid, team_id uuid not null, constraint stray_pkey primary key (id, team_id))",
      "stray_pkey",
    ],
  ),
  asked(
    "every foreign key carries the team, except one to operators or to sign_in_connections",
    `select f.conname::text as offender from pg_constraint f join tables t on t.oid = f.conrelid
     where f.contype = 'f' and f.confrelid not in ('formd.operators'::regclass, 'formd.sign_in_connections'::regclass)
       and not coalesce(${teamOf("f.conrelid")} = any (f.conkey), false)`,
    ["alter table formd.grants add column stray uuid references formd.teams", "grants_stray_fkey"],
  ),
  asked(
    "every foreign key has an index that its columns lead",
    `select f.conname::text as offender from pg_constraint f join tables t on t.oid = f.conrelid
     where f.contype = 'f' and not exists (
       select from keys k
       where k.indrelid = f.conrelid and k.places[0:cardinality(f.conkey) - 1] @> f.conkey
         and (k.indpred is null or pg_get_expr(k.indpred, k.indrelid) like '% IS NOT NULL)'))`,
    ["drop index formd.grants_form_idx", "grants_form_fkey"],
    [
      "drop index formd.grants_form_idx; create index on formd.grants (team_id, id, form_id)",
      "grants_form_fkey",
    ],
  ),
  asked(
    "no index begins with an expiry: the plan of a look-up by key that also asks for it could take that one",
    `select name::text as offender from keys k join columns c on c.attrelid = k.indrelid and c.attnum = places[0]
     where attname = 'expires_at'`,
    ["create index stray_idx on formd.sessions (expires_at)", "stray_idx"],
  ),
  asked(
    "every foreign key says what a deletion does, and that is cascade or restrict",
    `select f.conname::text as offender from pg_constraint f join tables t on t.oid = f.conrelid
     where f.contype = 'f' and f.confdeltype not in ('c', 'r')`,
    [
      "alter table formd.grants add constraint stray_fkey foreign key (team_id) references formd.teams",
      "stray_fkey",
    ],
    [
      "alter table formd.grants add constraint stray_fkey foreign key (team_id) references formd.teams on delete set null",
      "stray_fkey",
    ],
  ),
  {
    name: "every constraint is named by us, for its table and its kind",
    offenders: async (sql) => {
      const ours = new Set(namesIn("db/migrations", /\bconstraint (\w+) (?:primary|unique|foreign|check)/g));
      const suffix: Record<string, string> = { p: "pkey", u: "key", f: "fkey", c: "check" };
      const rows = await sql<{ table: string; name: string; kind: string }[]>`
        select c.relname as table, k.conname as name, k.contype::text as kind
        from pg_constraint k join pg_class c on c.oid = k.conrelid
        where k.connamespace = 'formd'::regnamespace and k.contype <> 'n' and not c.relispartition and c.relname <> 'schema_migrations'
        order by k.conname`;
      return rows
        .filter(
          ({ table, name, kind }) =>
            !ours.has(name) || !name.startsWith(`${table}_`) || !name.endsWith(`_${suffix[kind]}`),
        )
        .map(({ name }) => name);
    },
    broken: [["alter table formd.teams add check (name <> 'x')", "teams_name_check1"]],
  },
  asked(
    "what formd partition enable divides by an id can be divided, and its months detached: no key refers to it, and every unique index holds the id",
    `select f.conname::text as offender from pg_constraint f
     where f.contype = 'f' and f.conparentid = 0 and f.confrelid in (
       'formd.submissions'::regclass, 'formd.submission_edits'::regclass, 'formd.audit_events'::regclass)
     union all
     select name::text from keys k
     join (values ('submissions', 'id'), ('submission_edits', 'submission_id'), ('audit_events', 'id')) as d (relname, id)
       on d.relname = k.relname
     where indisunique and not exists (
       select from columns c where c.attrelid = k.indrelid and c.attname = d.id and c.attnum = any (places))`,
    [
      "alter table formd.submission_signatures add constraint stray_fkey foreign key (team_id, form_id, submission_id) references formd.submissions on delete cascade",
      "stray_fkey",
    ],
    // PostgreSQL itself refuses this one once the table is divided.
    ...(process.env.FORMD_TEST_PARTITIONED
      ? []
      : ([
          ["create unique index stray_key on formd.submissions (team_id, form_id, salt)", "stray_key"],
        ] satisfies Rule["broken"])),
  ),
  asked(
    "no function has a value of the row type of such a table: it would be the type of a month once the table is divided",
    `select p.proname::text as offender from pg_proc p
     where p.pronamespace = 'formd'::regnamespace and (
       exists (select from unnest(p.proargtypes::oid[] || p.prorettype) as t (type)
         join pg_class c on c.reltype = t.type where c.relkind in ('r', 'p') and c.relnamespace = 'formd'::regnamespace
           and c.relname in ('submissions', 'submission_edits', 'audit_events'))
       or p.prosrc ~ '\\mv_\\w+ formd\\.(submissions|submission_edits|audit_events)\\M')`,
    [
      "create function formd.stray(p_row formd.audit_events) returns void language plpgsql as $$begin end$$",
      "stray",
    ],
    [
      "create function formd.stray() returns void language plpgsql as $$declare v_row formd.submissions; begin end$$",
      "stray",
    ],
  ),
  asked(
    "every table whose rows stay freezes them in the vacuum after inserts, as each of its months does",
    `select relname::text as offender from pg_class where relnamespace = 'formd'::regnamespace
       and array_to_string(reloptions, ' ') ~ 'insert_scale_factor'
       and not reloptions && '{autovacuum_freeze_min_age=0,vacuum_truncate=false}'`,
    ["alter table formd.submission_erasures reset (autovacuum_freeze_min_age)", "submission_erasures"],
  ),
  asked(
    "no trigger, rule, policy, sequence, identity, generated column, view or foreign table, except the view for reports",
    `select tgname::text as offender from pg_trigger join tables t on t.oid = tgrelid where not tgisinternal
     union all select rulename::text from pg_rewrite join pg_class c on c.oid = ev_class where c.relnamespace = 'formd'::regnamespace and c.relname <> 'report_submissions'
     union all select polname::text from pg_policy join tables t on t.oid = polrelid
     union all select relname::text from tables where relrowsecurity or relforcerowsecurity
     union all select relname::text from pg_class where relnamespace = 'formd'::regnamespace and relkind not in ('r', 'p', 'i', 'I', 't', 'c') and relname <> 'report_submissions'
     union all select attname::text from columns where attidentity <> '' or attgenerated <> ''`,
    [
      "create trigger stray before update on formd.forms for each row execute function suppress_redundant_updates_trigger()",
      "stray",
    ],
    ["create rule stray as on delete to formd.submission_edits do instead nothing", "stray"],
    ["create policy stray on formd.forms", "stray"],
    ["alter table formd.forms enable row level security", "forms"],
    ["create sequence formd.stray", "stray"],
    ["create view formd.stray as select 1 as one", "stray"],
    ["alter table formd.forms add column stray bigint generated always as identity", "stray"],
    ["alter table formd.forms add column stray text generated always as (name) stored", "stray"],
  ),
  asked(
    "only rate_limits is unlogged",
    `select relname::text as offender from tables where (relpersistence = 'p') = (relname = 'rate_limits')`,
    ["alter table formd.nonces set unlogged", "nonces"],
  ),
  asked(
    "every time is a timestamptz(3)",
    `select relname || '.' || attname as offender from columns
     where atttypid in ('timestamp'::regtype, 'date'::regtype, 'time'::regtype, 'timetz'::regtype, 'interval'::regtype)
       or (atttypid = 'timestamptz'::regtype) <> (attname like '%\\_at')
       or (atttypid = 'timestamptz'::regtype and atttypmod <> 3)`,
    ["alter table formd.forms add column stray_at timestamptz", "forms.stray_at"],
    ["alter table formd.forms add column stray_at timestamp(3)", "forms.stray_at"],
    ["alter table formd.forms add column stray timestamptz(3)", "forms.stray"],
  ),
  asked(
    "every hash is bytes, and every status a text that a check limits",
    `select relname || '.' || attname as offender from columns where attname like '%\\_hash' and atttypid <> 'bytea'::regtype
     union all
     select relname || '.status' from columns c
     where attname = 'status' and relname <> 'submission_counts' and (atttypid <> 'text'::regtype or not exists (
       select from pg_constraint k where k.conrelid = c.attrelid and k.contype = 'c' and k.conname = c.relname || '_status_check'))`,
    ["alter table formd.forms add column stray_hash text", "forms.stray_hash"],
    ["alter table formd.agents drop constraint agents_status_check", "agents.status"],
  ),
  asked(
    "every table has a comment, and every column whose name does not say what it holds",
    `select relname::text as offender from tables t where obj_description(t.oid, 'pg_class') is null
     union all
     select relname || '.' || attname from columns c
     where col_description(c.attrelid, attnum) is null
       and attname not in ('team_id', 'id', 'workspace_id', 'operator_id', 'form_id', 'form_version', 'version', 'agent_id', 'signing_key_id',
         'submission_id', 'webhook_id', 'event_id', 'name', 'description', 'created_at', 'updated_at', 'published_at', 'archived_at', 'completed_at',
         'disabled_at', 'revoked_at', 'expires_at')
       and not (relname = 'submission_counts' and attname = 'status') and not (relname = 'submission_edits' and attname = 'field_id')`,
    ["comment on table formd.forms is null", "forms"],
    ["alter table formd.forms add column stray integer", "forms.stray"],
  ),
  asked(
    "the comment of every table says how long its rows are kept",
    `select relname::text as offender from tables t where obj_description(t.oid, 'pg_class') !~ '\\mKept (for|until|as long as) [^.]+\\.$'`,
    ["comment on table formd.forms is 'A form.'", "forms"],
  ),
  asked(
    "every text has a check that limits its length or its values, except where only functions write it for every request",
    `select relname || '.' || attname as offender from columns c
     where atttypid in ('text'::regtype, 'text[]'::regtype) and relname not in ('rate_limits', 'submission_counts', 'webhook_batches')
       and not exists (
         select from pg_constraint k
         where k.conrelid = c.attrelid and k.contype = 'c' and k.convalidated and k.conkey = array[c.attnum]
           and pg_get_constraintdef(k.oid) ~ (case when atttypid = 'text'::regtype
             then format('char_length\\(%1$I\\) <|char_length\\(%1$I\\) >= 1|\\(%1$I = (ANY|'')', attname)
             else format('cardinality\\(%1$I\\) <|%1$I <@ ARRAY', attname) end))`,
    ["alter table formd.forms add column stray text", "forms.stray"],
    [
      "alter table formd.forms add column stray text, add constraint forms_stray_check check (stray <> '')",
      "forms.stray",
    ],
    ["alter table formd.agents drop constraint agents_client_id_check", "agents.client_id"],
  ),
  asked(
    "every object of JSON that has a known shape has a check",
    `select relname || '.' || attname as offender from columns c
     where atttypid = 'jsonb'::regtype and attnotnull and not exists (
       select from pg_constraint k
       where k.conrelid = c.attrelid and k.contype = 'c' and k.conkey = array[c.attnum] and pg_get_constraintdef(k.oid) like '%jsonb_typeof(%')`,
    ["alter table formd.submissions drop constraint submissions_data_check", "submissions.data"],
  ),
  asked(
    "everything is in schema formd: no other schema, no extension, nothing in public",
    `select nspname::text as offender from pg_namespace
     where nspname not in ('formd', 'public', 'information_schema') and nspname not like 'pg\\_%'
     union all select extname::text from pg_extension where extname <> 'plpgsql'
     union all select relname::text from pg_class where relnamespace = 'public'::regnamespace
     union all select proname::text from pg_proc where pronamespace = 'public'::regnamespace
     union all select typname::text from pg_type where typnamespace = 'public'::regnamespace`,
    ["create schema stray", "stray"],
    ["create function public.stray() returns int language sql as 'select 1'", "stray"],
    ["create type public.stray as enum ('a')", "stray"],
  ),
];
