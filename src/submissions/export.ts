/** A form's submissions as a file, streamed with flat memory. @module */
import type { Deps } from "../deps.ts";
import { Problem } from "../problem.ts";
import { type SubmissionRow, submissionOf } from "./routes.ts";

/** What one query fetches, and the server holds of an export at a time: so many rows, and fewer once they have so many bytes (as stored). */
const batch = { rows: 500, bytes: 262_144 };

/**
 * The export's content type and bytes, newest first. Each batch is a query of its own that goes on below the last id: no transaction stays open
 * for a slow reader, and what is submitted meanwhile is not in it.
 *
 * @throws {Problem} `not_found` for the form.
 */
export async function exportSubmissions(
  deps: Deps,
  team: string,
  form: string,
  format: "csv" | "jsonl",
  within: unknown,
) {
  // Every field that any version had, as the newest one has it, and its fields first: an old answer has its column too.
  const columns = await deps.sql<{ id: string; title: string }[]>`
    select id, coalesce(label, id) || ' (' || id || ')' as title
    from (
      select distinct on (field ->> 'id') field ->> 'id' as id, field ->> 'label' as label, version, position
      from formd.form_versions, jsonb_array_elements(schema -> 'fields') with ordinality as fields (field, position)
      where team_id = ${team} and form_id = ${form}
      order by field ->> 'id', version desc, position
    ) as newest
    order by version desc, position`;
  if (columns.length === 0) await requireForm(deps, team, form);
  const ids = columns.map(({ id }) => id);
  const line =
    format === "csv"
      ? (row: SubmissionRow) => csvLine(cellsOf(row, ids))
      : (row: SubmissionRow) => `${JSON.stringify(submissionOf(row))}\n`;
  const head = format === "csv" ? csvLine([...metaColumns, ...columns.map(({ title }) => title)]) : "";
  return {
    type: format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/jsonl; charset=utf-8",
    stream: streamOf(lines(deps, within, head, line)),
  };
}

async function requireForm({ sql }: Deps, team: string, form: string): Promise<void> {
  const [found] = await sql`select from formd.forms where team_id = ${team} and id = ${form}`;
  if (!found) throw new Problem("not_found", "There is no such form.");
}

async function* lines(
  { sql }: Deps,
  within: unknown,
  head: string,
  line: (row: SubmissionRow) => string,
): AsyncGenerator<string> {
  if (head) yield head;
  let last: string | undefined;
  for (;;) {
    const rows = await sql<SubmissionRow[]>`
      select *
      from (
        select *, sum(pg_column_size(data) + coalesce(pg_column_size(metadata), 0))
          over (order by id desc rows between unbounded preceding and 1 preceding) as bytes_before
        from (
          select * from formd.submissions
          where ${within as ReturnType<typeof sql>} ${last ? sql`and id < ${last}` : sql``}
          order by id desc limit ${batch.rows}
        ) as ahead
      ) as sized
      where coalesce(bytes_before, 0) < ${batch.bytes}
      order by id desc`;
    last = rows.at(-1)?.id;
    if (!last) return;
    yield rows.map(line).join("");
  }
}

/** Pulled by the reader: a slow one slows the queries down. */
function streamOf(chunks: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
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

const cellsOf = (row: SubmissionRow, ids: string[]): unknown[] => [
  row.id,
  row.status,
  row.formVersion,
  row.submitterType,
  row.submitterId,
  row.respondentId,
  row.createdAt.toISOString(),
  row.updatedAt.toISOString(),
  ...ids.map((id) => (Object.hasOwn(row.data, id) ? row.data[id] : null)),
];

/** A record of RFC 4180. */
const csvLine = (cells: unknown[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection"; the wide forms count too where Japanese is typed); a number stays a number. Arrays and
 * objects are JSON.
 */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r\n|%＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
