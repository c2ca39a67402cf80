/** The SQL statement of a view for reports: a column per field of a form. Pure. */
import { type Field, parseField } from "../../fields/definition.ts";

/** A field of any version, as submission_columns returns it. */
export interface ReportColumn {
  id: string;
  title: string;
  field: Record<string, unknown>;
}

/** Maximum length of a name in PostgreSQL. */
const maxNameBytes = 63;
const schema = "formd_reports";

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string =>
  text.includes("\\") ? `E'${text.replace(/['\\]/g, "$&$&")}'` : `'${text.replaceAll("'", "''")}'`;

/** The first bytes of a name, without half a character. */
function firstBytes(name: string, most: number): string {
  let part = name;
  while (Buffer.byteLength(part) > most) part = [...part].slice(0, -1).join("");
  return part;
}

const own = [
  ...["id", "form_version", "status", "submitter_type", "respondent_id", "provenance", "declared_agent"],
  ...["created_at", "updated_at"],
];

/** A unique column name per field, since PostgreSQL cuts long ones. */
function columnNames(columns: readonly ReportColumn[]): string[] {
  const taken = new Set([...own, "completed_at"]);
  return columns.map(({ id }) => {
    let name = firstBytes(id, maxNameBytes);
    for (let n = 2; taken.has(name); n++) name = `${firstBytes(id, maxNameBytes - 6)}_${n}`;
    taken.add(name);
    return name;
  });
}

/** A value in its type; null if an owner's edit has another type. */
function expressionOf({ id }: ReportColumn, { kind }: Field): string {
  const key = literal(id);
  const typed = (jsonType: string, type: string) =>
    `case when jsonb_typeof(s.data -> ${key}) = '${jsonType}' then (s.data ->> ${key})::${type} end`;
  if (/^(number|integer|rating|scale|calculated)$/.test(kind ?? "")) return typed("number", "numeric");
  if (/^(boolean|consent)$/.test(kind ?? "")) return typed("boolean", "boolean");
  return `s.data ->> ${key}`;
}

/** The view of a form. It is dropped and created again, since columns cannot be removed from a view. */
export function reportViewOf(
  { teamId, id, name }: { teamId: string; id: string; name: string },
  columns: readonly ReportColumn[],
): string {
  const shown = columns.filter(({ field }) => parseField(field).fieldType.nature !== "none");
  const names = columnNames(shown);
  const view = `${schema}.${identifier(`form_${id.replaceAll("-", "_")}`)}`;
  const fields = shown.map(
    (column, index) =>
      `${expressionOf(column, parseField(column.field))} as ${identifier(names[index] ?? "")}`,
  );
  const comments = shown.map(
    ({ title }, index) => `comment on column ${view}.${identifier(names[index] ?? "")} is ${literal(title)};`,
  );
  return [
    `create schema if not exists ${schema};`,
    `drop view if exists ${view};`,
    `create view ${view} with (security_barrier) as`,
    `select ${[...own, "completed_at"].map((column) => `s.${column}`).join(", ")}${fields.length > 0 ? "," : ""}`,
    ...(fields.length > 0 ? [`  ${fields.join(",\n  ")}`] : []),
    "from formd.submissions s",
    `where s.team_id = '${teamId}' and s.form_id = '${id}';`,
    `comment on view ${view} is ${literal(`Submissions of the form ${name}, with their values.`)};`,
    ...comments,
  ].join("\n");
}
