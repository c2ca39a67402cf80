/** The database as a reference, from its catalog: `formd schema`, and `/developer/database`. */
import type { Sql } from "../../platform/database/db.ts";

interface Reference {
  tables: Table[];
  types: { name: string; columns: { name: string; type: string }[]; comment: string | null }[];
  functions: Routine[];
}

interface Table {
  name: string;
  comment: string | null;
  columns: {
    name: string;
    type: string;
    nullable: boolean;
    default: string | null;
    comment: string | null;
  }[];
  /** Definitions as PostgreSQL prints them. */
  constraints: { name: string; definition: string }[];
  indexes: string[];
  rights: Right[];
}

/** A privilege of a database role on a table: for all columns, or for these. */
interface Right {
  role: string;
  privilege: string;
  columns: string[] | null;
}

interface Routine {
  name: string;
  arguments: string;
  result: string;
  volatility: "immutable" | "stable" | "volatile";
  /** The lines of its header, by label. */
  header: { summary: string; [label: string]: string };
  executableBy: string[];
}

const roles = ["formd_app", "formd_admin"];

/** Reads schema formd: the same on PostgreSQL 15 to 18 and for every role. */
export async function readReference(sql: Sql): Promise<Reference> {
  const [tables, types, routines] = await Promise.all([tablesOf(sql), typesOf(sql), routinesOf(sql)]);
  return {
    tables,
    types,
    functions: routines.map(({ source, ...rest }) => ({ ...rest, header: headerOf(source) })),
  };
}

const tablesOf = (sql: Sql) => sql<Table[]>`
  select c.relname as name, obj_description(c.oid, 'pg_class') as comment,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
         'nullable', not a.attnotnull, 'default', pg_get_expr(d.adbin, d.adrelid),
         'comment', col_description(c.oid, a.attnum)) order by a.attnum)
       from pg_attribute a left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    coalesce((select json_agg(json_build_object('name', k.conname, 'definition', pg_get_constraintdef(k.oid))
         order by array_position(array['p', 'u', 'f', 'c']::"char"[], k.contype), k.conname)
       from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'), '[]') as constraints,
    coalesce((select json_agg(pg_get_indexdef(i.indexrelid) order by i.indexrelid::regclass::text)
       from pg_index i where i.indrelid = c.oid
         and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))), '[]') as indexes,
    coalesce((select json_agg(r order by r.role, r.privilege) from (
         select g.role, g.privilege, case when bool_or(g.attnum = 0) then null
           else array_agg(a.attname order by a.attnum) end as columns
         from (select grantee::regrole::text as role, lower(privilege_type) as privilege, 0 as attnum from aclexplode(c.relacl)
               union all
               select x.grantee::regrole::text, lower(x.privilege_type), a.attnum
               from pg_attribute a cross join lateral aclexplode(a.attacl) x where a.attrelid = c.oid) g
         left join pg_attribute a on a.attrelid = c.oid and a.attnum = g.attnum
         where g.role = any(${roles}) group by g.role, g.privilege) r), '[]') as rights
  from pg_class c
  where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p', 'v') and c.relname <> 'schema_migrations'
  order by c.relname`;

const typesOf = (sql: Sql) => sql<Reference["types"]>`
  select t.typname as name, obj_description(t.oid, 'pg_type') as comment,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
     from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) as columns
  from pg_type t join pg_class c on c.oid = t.typrelid
  where t.typnamespace = 'formd'::regnamespace and c.relkind = 'c'
  order by t.typname`;

const routinesOf = (sql: Sql) => sql<(Omit<Routine, "header"> & { source: string })[]>`
  select p.proname as name, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result,
    case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
    p.prosrc as source,
    array(select r from unnest(${roles}::text[]) as r where has_function_privilege(r, p.oid, 'execute')) as executable_by
  from pg_proc p where p.pronamespace = 'formd'::regnamespace
  order by p.proname, pg_get_function_identity_arguments(p.oid)`;

/** Parses the comment at the start of a function: a summary, then labelled lines, continued. */
function headerOf(source: string): Routine["header"] {
  const header: Routine["header"] = { summary: "" };
  let label = "summary";
  for (const line of source.trimStart().split("\n")) {
    if (!line.startsWith("-- ")) break;
    const [, name, text = line.slice(3).trim()] = /^-- ([A-Z][a-z]+): (.*)$/.exec(line) ?? [];
    if (name) label = name.toLowerCase();
    header[label] = [header[label], text].filter(Boolean).join(" ");
  }
  return header;
}

/** The reference as Markdown. */
export function referenceMarkdown({ tables, types, functions }: Reference): string {
  return [
    "# Database",
    "",
    "Schema `formd`, as `formd schema` reads it from the catalog: tables, composite types and functions, with what the groups",
    "`formd_app` (the server) and `formd_admin` (commands) may do. Only functions write; what calls each is in its Route line.",
    "",
    "## Tables",
    ...tables.flatMap(tableLines),
    "",
    "## Types",
    ...types.flatMap(({ name, comment, columns }) => [
      "",
      `### ${name}`,
      ...(comment ? ["", comment] : []),
      "",
      ...columns.map((column) => `- \`${column.name}\` ${column.type}`),
    ]),
    "",
    "## Functions",
    ...functions.flatMap(routineLines),
    "",
  ].join("\n");
}

const cell = (text: string) => text.replaceAll("|", "\\|");

const tableLines = ({ name, comment, columns, constraints, indexes, rights }: Table): string[] => [
  "",
  `### ${name}`,
  ...(comment ? ["", comment] : []),
  "",
  "| column | type | meaning |",
  "|---|---|---|",
  ...columns.map(
    (each) =>
      `| \`${each.name}\` | ${each.type}${each.nullable ? ", null" : ""}${each.default ? `, default \`${cell(each.default)}\`` : ""} | ${cell(each.comment ?? "")} |`,
  ),
  "",
  ...constraints.map((each) => `- \`${each.name}\`: \`${each.definition}\``),
  ...indexes.map((each) => `- \`${each}\``),
  ...rights.map(
    (each) => `- ${each.role}: ${each.privilege}${each.columns ? ` (${each.columns.join(", ")})` : ""}`,
  ),
];

const routineLines = ({ name, arguments: args, result, volatility, header, executableBy }: Routine) => {
  const { summary, ...labels } = header;
  return [
    "",
    `### ${name}`,
    "",
    summary,
    "",
    `- Arguments: ${args ? `\`${args}\`` : "none"}`,
    `- Result: \`${result}\`, ${volatility}`,
    ...Object.entries(labels).map(
      ([label, text]) => `- ${label.charAt(0).toUpperCase()}${label.slice(1)}: ${text}`,
    ),
    `- Execute: ${executableBy.join(", ") || "other functions only"}`,
  ];
};
