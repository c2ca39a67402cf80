/** A form's submissions as a file, newest first. */
import type { Deps } from "../deps.ts";
import { readPart } from "../http/list.ts";
import { encode, joined, type Part, type Parts, partsBelow, type Span } from "../http/stream.ts";
import { submissionRows } from "./read.ts";
import { type Filters, type SubmissionRow, submissionColumns, submissionJson } from "./shapes.ts";

/** Above every UUIDv7. */
const maxId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * The export's content type and bytes. Each part is a query of its own that continues below the last id: no transaction stays open for
 * a slow reader, and a submission made in the meantime is left out.
 *
 * @throws {Problem} `not_found` for the form.
 */
export async function exportSubmissions(
  deps: Deps,
  team: string,
  form: string,
  { format, ...filters }: Filters & { format: "csv" | "jsonl" },
): Promise<{ type: string; parts: Parts }> {
  const columns = await deps.sql<{ id: string; title: string }[]>`
    select id, title from formd.submission_columns(p_team => ${team}, p_form => ${form})`;
  const { sql } = deps;
  const rows = submissionRows(sql, team, form, filters);
  const allParts = (read: (span: Span) => Promise<Part>) => partsBelow(maxId, Number.POSITIVE_INFINITY, read);
  if (format === "jsonl") {
    const list = { rows, item: submissionJson(sql) };
    return {
      type: "application/jsonl; charset=utf-8",
      parts: allParts(readPart(sql, list, (lines) => `${lines}\n`, "\n")),
    };
  }
  const header = csvLine([...metaColumns, ...columns.map(({ title }) => title)]);
  const ids = columns.map(({ id }) => id);
  return {
    type: "text/csv; charset=utf-8; header=present",
    parts: joined(
      [encode(header)],
      allParts(async (span) => {
        const found = await sql<SubmissionRow[]>`
          select ${sql(submissionColumns)} from ${rows(span)} where id is not null`;
        const text = found.map((row) => csvLine(cellsOf(row, ids))).join("");
        return { text, count: found.length, last: found.at(-1)?.id ?? null };
      }),
    ),
  };
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
] as const satisfies (keyof SubmissionRow)[];

const cellsOf = (row: SubmissionRow, ids: string[]): unknown[] => [
  ...metaColumns.map((name) => row[name]),
  ...ids.map((id) => (Object.hasOwn(row.data, id) ? row.data[id] : null)),
];

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
  if (value instanceof Date) return value.toISOString();
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(formulaStart, "$1'");
  return /[",;\t\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
