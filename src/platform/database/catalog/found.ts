/** The schema of a database as expected.ts has it: the same on PostgreSQL 15 to 18, for every role. */
import type { Sql } from "../db.ts";
import type { Kind } from "./expected.ts";

export interface Found {
  kind: Kind | "trigger" | "row security";
  name: string;
  /** The table or type that contains it. */
  of: string;
  definition: string;
  /** True if it must not exist: it can refuse formd's writes, or gives a role more rights. */
  matters: boolean;
}

const ownerInDump = "formd_owner";

/**
 * Reads the catalog, about 3,000 rows, without shards, months and a DBA's own tables.
 * @param tables and composite types, without their schema
 */
export const readFound = async (sql: Sql, tables: string[]): Promise<Found[]> => [
  ...(await partsOf(sql, tables)),
  ...(await functionsOf(sql)),
  ...(await rightsOf(sql, tables)),
];

/** pg_get_indexdef adds "only" for the index of a divided table. */
const partsOf = (sql: Sql, tables: string[]) => sql<Found[]>`
  with relations as (
    select c.oid, 'formd.' || c.relname as name, c.relkind, c.relrowsecurity
    from pg_class c
    where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p', 'c') and c.relname = any (${tables}))
  select case r.relkind when 'c' then 'type' else 'table' end as kind, r.name, r.name as of, '' as definition,
    false as matters
  from relations r
  union all
  select case r.relkind when 'c' then 'attribute' else 'column' end, r.name || '.' || a.attname, r.name,
    format_type(a.atttypid, a.atttypmod) || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
      || case when a.attnotnull then ' NOT NULL' else '' end,
    a.attnotnull and d.adbin is null
  from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  union all
  select 'constraint', r.name || ' ' || k.conname, r.name,
    pg_get_constraintdef(k.oid) || case when i.indisvalid is false then ' (its index is not valid)' else '' end,
    k.conname not like '%\\_bound\\_check'
  from relations r join pg_constraint k on k.conrelid = r.oid and k.contype in ('p', 'u', 'f', 'c', 'x')
  left join pg_index i on i.indexrelid = k.conindid and k.contype in ('p', 'u')
  union all
  select 'index', 'formd.' || c.relname, r.name,
    case when i.indisvalid then replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') else 'not valid' end,
    i.indisunique
  from relations r join pg_index i on i.indrelid = r.oid join pg_class c on c.oid = i.indexrelid
  where not exists (select from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u', 'x'))
  union all
  select 'trigger', r.name || ' ' || t.tgname, r.name, '', true
  from relations r join pg_trigger t on t.tgrelid = r.oid
  where not t.tgisinternal and t.tgname not like 'truncate\\_trigger\\_%' -- Citus's
  union all
  select 'row security', r.name, r.name, '', true from relations r where r.relrowsecurity`;

/** Functions of extensions are left out. */
const functionsOf = (sql: Sql) => sql<Found[]>`
  select 'function' as kind, 'formd.' || p.proname as name, 'formd.' || p.proname as of, false as matters,
    concat_ws(' ', l.lanname,
      case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
      case when p.prosecdef then 'definer' else 'invoker' end,
      (select string_agg(s.text, ' ' order by s.text) from (
         select lower(split_part(c, '=', 1)) || '=' || translate(substr(c, strpos(c, '=') + 1), '" ', '') as text
         from unnest(p.proconfig) as c) as s),
      md5(p.prosrc)) as definition
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace = 'formd'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')`;

/**
 * All rights of formd's roles and this login. Others' rights only if they change a table: the DBA decides who
 * may read. Members of formd_report may read what sql/999_privileges.sql grants. PostgreSQL 17 also gives
 * owners "maintain".
 */
const rightsOf = (sql: Sql, tables: string[]) => sql<Found[]>`
  with granted as (
    select 'table' as kind, 'formd.' || c.relname as object, a.grantee, a.privilege_type as privilege, c.relowner as owner
    from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) as a
    where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p', 'v')
      and (c.relname = any (${tables}) or c.relkind = 'v' or exists (
        select from pg_inherits i join pg_class p on p.oid = i.inhparent
        where i.inhrelid = c.oid and p.relname = any (${tables})))
    union all
    select 'table', 'formd.' || c.relname, x.grantee, x.privilege_type || '(' || a.attname || ')', c.relowner
    from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) as x
    where c.relnamespace = 'formd'::regnamespace and c.relname = any (${tables}) and not a.attisdropped
    union all
    select 'function', 'formd.' || p.proname, a.grantee, a.privilege_type, p.proowner
    from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
    where p.pronamespace = 'formd'::regnamespace
    union all
    select 'schema', n.nspname, a.grantee, a.privilege_type, n.nspowner
    from pg_namespace n, aclexplode(n.nspacl) as a where n.nspname = 'formd'),
  named as (
    select g.kind, g.object, lower(g.privilege) as privilege,
      case when g.grantee = g.owner then ${ownerInDump} when g.grantee = 0 then 'public'
        else quote_ident(pg_get_userbyid(g.grantee)) end as role
    from granted g
    where g.privilege <> 'MAINTAIN' or g.grantee <> g.owner)
  select distinct 'right' as kind, n.privilege || ' on ' || n.kind || ' ' || n.object || ' to ' || n.role as name,
    n.object as of, '' as definition,
    n.role in ('public', ${ownerInDump}, 'formd_app', 'formd_admin', quote_ident(current_user))
      or n.kind = 'table' and n.privilege !~ '^select' as matters
  from named n`;
