/** A form's submissions as a file, newest first. */
import type { Fragment } from "postgres";
import type { Sql } from "../db.ts";
import type { Deps } from "../deps.ts";
import { fileOf, type ListFile, type Reader } from "../http/list.ts";
import { instantJson } from "../http/resource.ts";
import type { Parts } from "../http/stream.ts";
import { submissionRows } from "./read.ts";
import { type Filters, submissionJson } from "./shapes.ts";

interface Column {
  id: string;
  title: string;
}

/** What to export. */
interface Export extends Filters {
  form: string;
  format: "csv" | "jsonl";
}

/**
 * The bytes of an export, and the headers of the response.
 *
 * @param parse parses what to export, once the caller is known
 * @throws {Problem} `not_found` for the form.
 */
export async function exportSubmissions<Caller extends { team: string }>(
  deps: Deps,
  reader: Reader<Caller>,
  parse: () => Export,
): Promise<{ headers: Record<string, string>; parts: Parts }> {
  const { sql } = deps;
  let asked!: Export;
  const parts = await fileOf(deps, reader, ({ team }: Caller): ListFile => {
    asked = parse();
    const { form, format, ...filters } = asked;
    const columns = sql`formd.submission_columns(p_team => ${team}, p_form => ${form})`;
    const others = sql`(select json_agg(json_build_object('id', c.id, 'title', c.title) order by c.position)
      from ${columns} with ordinality as c (id, title, position))`;
    const line = (json: Fragment) => sql`(${json})::text || E'\\n'`;
    const rows = { rows: submissionRows(sql, team, form, filters), others };
    return format === "jsonl"
      ? { rows: { ...rows, item: line(submissionJson(sql)) }, toWriter: () => ({ start: "" }) }
      : {
          rows: { ...rows, item: line(cellsJson(sql)) },
          toWriter: (columns) => csvWriter(columns as Column[] | null),
        };
  });
  const type =
    asked.format === "jsonl" ? "application/jsonl; charset=utf-8" : "text/csv; charset=utf-8; header=present";
  const disposition = `attachment; filename="submissions-${asked.form}.${asked.format}"`;
  return { headers: { "content-type": type, "content-disposition": disposition }, parts };
}

const metaColumns = [
  "id",
  "status",
  "formVersion",
  "submitterType",
  "submitterId",
  "respondentId",
  "createdAt",
  "updatedAt",
];

/** A row as a JSON array: the values of {@link metaColumns}, then the data. */
const cellsJson = (sql: Sql) =>
  sql.unsafe(`json_build_array(id, status, form_version, submitter_type, submitter_id, respondent_id,
    ${instantJson("created_at")}, ${instantJson("updated_at")}, data)`);

/** A form that was never published has no columns. */
function csvWriter(columns: Column[] | null) {
  const ids = (columns ?? []).map(({ id }) => id);
  const toLine = (json: string) => {
    const cells: unknown[] = JSON.parse(json);
    const data = cells.pop() as Record<string, unknown>;
    return csvLine([...cells, ...ids.map((id) => (Object.hasOwn(data, id) ? data[id] : null))]);
  };
  return {
    start: csvLine([...metaColumns, ...(columns ?? []).map(({ title }) => title)]),
    write: (lines: string) => lines.trimEnd().split("\n").map(toLine).join(""),
  };
}

/** A record of RFC 4180. */
const csvLine = (cells: unknown[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection"; the wide signs count where
 * Japanese is typed). So does such text after a line break, and after a semicolon or a tab, which separate cells for a spreadsheet
 * of another locale even within quotation marks.
 */
const formulaStart = /(^|[;\t\r\n])(?=[=+\-@|%＝＋－＠])/g;

/** A number stays a number; arrays and objects are JSON. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(formulaStart, "$1'");
  return /[",;\t\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
