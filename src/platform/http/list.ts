/** Lists: a page of items that PostgreSQL writes as JSON and the server passes on as text. */
import type { Buffer } from "node:buffer";
import type { Fragment } from "postgres";
import type { CallerQueries } from "../database/caller-queries.ts";
import { oneRow, type Sql } from "../database/db.ts";
import type { Logger } from "../log.ts";
import { jsonResponse, successText } from "./envelope.ts";
import { instantJson } from "./resource.ts";
import { offsetOf, type Paged, paginationOf, toPage } from "./shapes.ts";
import type { Parts, Span, StreamPart } from "./stream.ts";
import { encodeText, joined, makeRoom, maxPartRows, partReads, partsBelow, streamOf } from "./stream.ts";

/** The rows of a list. */
export interface Rows {
  /**
   * An item of `from`: a SQL function with the first rows of the span in order, and `total`, the list's
   * length. It may end early, once the rows have many bytes. A row without id: the list is empty.
   */
  rows: (span: Span) => Fragment;
  /** A row as JSON. */
  item: Fragment;
  /** Additional members beside the items, as a JSON object computed from all rows. */
  others?: Fragment;
}

/** `others` of a list whose rows have `older_before`: earlier ones were not looked at; null: all were. */
export const olderBeforeJson = (sql: Sql): Fragment =>
  sql.unsafe(`json_build_object('olderBefore', ${instantJson("max(older_before)")})`);

/** The member of {@link olderBeforeJson} in the reference. `text`: how many rows are looked at. */
export const olderBeforeOf = (text: string) => ({
  schema: {
    type: ["string", "null"],
    format: "date-time",
    description: `Older ones were not looked at: send it as \`createdBefore\` to go on; the first ones of that list may be in both. Null: all were. ${text}`,
  },
});

/** A page of a list, and the member of the response that holds its items. */
export interface List extends Rows {
  name: string;
  page: { page: number; limit: number };
  /** Maximum of rows that `total` counts, from the page's first one on. Undefined: all rows are counted. */
  maxCounted?: number;
}

/** A part of a list. `text` has the items with the separator between them. */
interface ListPart {
  text: string;
  count: number;
  last: string | null;
  total: number;
  /** `olderBefore`: rows below it were not looked at; null: all were. */
  others: { olderBefore?: string | null } | null;
}

/** The query for a part. `text` is a column of its own: copies took a quarter of the time of a page. */
const partQuery = (sql: Sql, { rows, item, others }: Rows, span: Span, separator: string): Fragment => sql`
  select coalesce(string_agg((${item})::text, ${separator}) filter (where id is not null), '') as text, count(id)::integer as count,
    (array_agg(id))[count(id)::integer] as last, max(total)::float8 as total, ${others ?? sql`null::json`} as others
  from ${rows(span)}`;

/**
 * Reads a part, after the caller was authenticated. Each item has its own separator. Without `toText` the
 * bytes are PostgreSQL's: converting them to text and back takes twice the time, and three copies.
 */
const readPart =
  (sql: Sql, rows: Rows, toText?: (items: string) => string) =>
  async (span: Span): Promise<StreamPart> => {
    const found = await sql`${partQuery(sql, rows, span, "")}`.raw();
    // Cast: postgres.js's type lacks the number of a row's columns, and that its memory is not shared.
    const [items, count, last] = oneRow(found) as unknown as [Buffer<ArrayBuffer>, Buffer, Buffer | null];
    // The part after the last item is empty.
    const bytes = toText && last ? encodeText(toText(items.toString())) : items;
    return { bytes, count: Number(count), last: last?.toString() ?? null };
  };

/**
 * The response with a page: text after one query, or a stream if SQL returned fewer rows than the page has.
 * @param queries reads for the caller
 * @param toList makes the list for a caller
 */
export async function pageOf<Caller>(
  { sql, log }: { sql: Sql; log: Logger },
  request: Request,
  queries: Pick<CallerQueries<Caller>, "read">,
  toList: (caller: Caller) => List,
): Promise<string | Response> {
  let list!: List;
  const { text, count, last, total, others } = await queries.read<ListPart>((caller) => {
    list = toList(caller);
    const { limit } = list.page;
    return partQuery(sql, list, { limit, offset: offsetOf(list.page), below: null }, ",");
  });
  const { page, limit } = list.page;
  const pagination = paginationOf({ page, limit, total }, list.maxCounted, Boolean(others?.olderBefore));
  const members = JSON.stringify({ ...others, pagination }).slice(1);
  const start = `${successText.start}{"${list.name}":[${text}`;
  const end = `],${members}${successText.end}`;
  const missing = Math.min(limit, total - offsetOf(list.page)) - count;
  if (missing <= 0 || !last) return jsonResponse(request, start + end);
  const item = sql`',' || (${list.item})::text`;
  const more = partsBelow(last, missing, readPart(sql, { ...list, item }));
  return jsonResponse(request, streamOf(log, request, joined(encodeText(start), more, encodeText(end))));
}

/** A list as a file. */
export interface ListFile {
  /** Each item is JSON and a line feed. */
  rows: Rows;
  /** @returns the file's start, and a function that converts lines of JSON; `others` as in {@link Rows} */
  toWriter: (others: unknown) => { start: string; write?: (lines: string) => string };
}

/**
 * A list as a file, part by part. The first query has the caller's authentication. Each further one is below
 * the last id: no transaction stays open for a slow reader, and new items are left out.
 * @param queries reads for the caller
 * @param toFile makes the file for a caller
 */
export async function fileOf<Caller>(
  sql: Sql,
  queries: Pick<CallerQueries<Caller>, "read">,
  toFile: (caller: Caller) => ListFile,
): Promise<Parts> {
  let file!: ListFile;
  const { text, count, last, total, others } = await partReads(async () => {
    await makeRoom();
    return await queries.read<ListPart>((caller) => {
      file = toFile(caller);
      return partQuery(sql, file.rows, { limit: maxPartRows, offset: 0, below: null }, "");
    });
  });
  const { start, write } = file.toWriter(others);
  const left = count < total ? Number.POSITIVE_INFINITY : 0;
  const more = partsBelow(last ?? "", left, readPart(sql, file.rows, write));
  return joined(encodeText(start + (last && write ? write(text) : text)), more);
}

/** A page of a list as rows, for pages that show it. It has the columns of its SQL function. */
export async function readRows<Row extends { id: string }>(
  sql: Sql,
  { rows, page, maxCounted }: Pick<List, "rows" | "page" | "maxCounted">,
) {
  const found = await sql<Paged<Row>[]>`
    select * from ${rows({ limit: page.limit, offset: offsetOf(page), below: null })}`;
  return toPage(found, page, maxCounted);
}
