/** Lists: a page of items that PostgreSQL writes as JSON and the server passes on as text. */
import type { Buffer } from "node:buffer";
import type { Fragment } from "postgres";
import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import type { CallerQueries } from "../database/caller-queries.ts";
import { oneRow, type Sql } from "../database/db.ts";
import type { Deps } from "../deps.ts";
import { cursorOf, msOfId, positionIn, smallestIdAt } from "./cursor.ts";
import { jsonResponse, successText } from "./envelope.ts";
import { withQueryWarnings } from "./query-warnings.ts";
import { pathOf, rawQueryOf } from "./request-context.ts";
import { type AskedPage, offsetOf, type Paged, paginationOf, toPage } from "./shapes.ts";
import type { Order, Parts, Span, StreamPart } from "./stream.ts";
import { encodeText, joined, makeRoom, maxPartRows, partReads, partsBelow, streamOf } from "./stream.ts";

/** The rows of a list. */
export interface Rows {
  /**
   * An item of `from`: a SQL function with the first rows of the span in order, and `total`, the list's
   * length. It may end early, once the rows have many bytes. A row without id is no item. Of a list with
   * cursors that row has `next_id`, after which the list goes on (null: all was read), and oldest first
   * `up_to`, the instant that all is.
   */
  rows: (span: Span) => Fragment;
  /** A row as JSON. */
  item: Fragment;
  /** Additional members beside the items, as a JSON object computed from all rows. */
  others?: Fragment;
}

/** A page of a list, and the member of the response that holds its items. */
export interface List extends Rows {
  name: string;
  page: AskedPage;
  /** Maximum of rows that `total` counts, from the page's first one on. Undefined: all rows are counted. */
  maxCounted?: number;
  /** Filters of a list that has cursors, which are bound to them. */
  filters?: object;
  /** True: its cursors say when their reader began. */
  isOfChanges?: boolean;
  /** Changes the items of a page, as JSON with a comma in between, where SQL cannot write them. */
  rewrite?: (items: string) => Promise<string>;
}

/** A part of a list. `text` has the items with the separator between them. */
interface ListPart {
  text: string;
  count: number;
  last: string | null;
  total: number | null;
  others: object | null;
  nextId?: string | null;
  upTo?: Date | null;
  /** True: further rows were not looked at. Undefined: `nextId` says so. */
  hasUnread?: boolean;
}

/** The query for a part. `text` is a column of its own: copies took a quarter of the time of a page. */
const partQuery = (
  sql: Sql,
  { rows, item, others }: Rows,
  span: Span,
  separator: string,
  { total = sql`max(total)::float8 as total`, from = sql`` } = {},
): Fragment => sql`
  select coalesce(string_agg((${item})::text, ${separator}) filter (where id is not null), '') as text, count(id)::integer as count,
    (array_agg(id))[count(id)::integer] as last, ${total}, ${others ?? sql`null::json`} as others
  from ${rows(span)} ${from}`;

const firstRow: Span = { limit: 1, offset: 0, after: null, order: "newest" };

/** Joins the total of a list from its beginning to a page that has none. */
const countedFrom = (sql: Sql, rows: Rows["rows"]): Fragment => sql`
  cross join (
    select max(total)::float8 as all_total, bool_or(next_id is not null) as all_unread from ${rows(firstRow)}) as counted`;

/** The query for a page of a list. One without a total has that of the list from its beginning. */
function pageQuery(sql: Sql, list: List, span: Span): Fragment {
  if (!list.filters) return partQuery(sql, list, span, ",");
  // One row has them. An array's member and a formatted instant took a sixth of the time of a page.
  const next = sql`max(next_id::text) as next_id, max(up_to) as up_to`;
  if (span.after === null)
    return partQuery(sql, list, span, ",", { total: sql`max(total)::float8 as total, ${next}` });
  if (list.page.total === false)
    return partQuery(sql, list, span, ",", { total: sql`null::float8 as total, ${next}` });
  return partQuery(sql, list, span, ",", {
    total: sql`max(all_total)::float8 as total, bool_or(all_unread) as has_unread, ${next}`,
    from: countedFrom(sql, list.rows),
  });
}

const [smallestId, greatestId] = [0, "f"].map((digit) =>
  "00000000-0000-0000-0000-000000000000".replaceAll("0", String(digit)),
) as [string, string];

/** The list that cursors are bound to: of a team, by its address, with filters. */
interface CursorList {
  team: string;
  path: string;
  filters: object;
}

/** Makes and reads the cursors of a list in an order. */
function cursorsOf({ masterKey }: Pick<Deps, "masterKey">, list: CursorList, order: Order) {
  const filters = Object.entries(list.filters)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const path = list.path.toLowerCase().replace(/\/$/, "");
  const bound = JSON.stringify([list.team, path, order, filters]);
  return {
    after: (after: string, since?: string) => cursorOf(masterKey, bound, { after, since }),
    read: (cursor: string) => positionIn(masterKey, bound, cursor),
    start: order === "newest" ? greatestId : smallestId,
  };
}

/** A place in a list, and what makes the cursor of the next one. */
interface Place extends Span {
  cursorAfter: (after: string, since?: string) => string;
}

/** The place at which a query begins. @throws {Problem} `bad_request`: a foreign cursor, a page beside it */
function placeOf(deps: Pick<Deps, "masterKey">, request: Request, team: string, list: List): Place {
  const { page: asked, filters = {} } = list;
  const { page, limit, cursor, order = "newest", total } = asked;
  const cursors = cursorsOf(deps, { team, path: pathOf(request), filters }, order);
  const hasPage = cursor === undefined ? page > 1 : /[?&]page=/.test(rawQueryOf(request));
  if (hasPage && (cursor !== undefined || order === "oldest"))
    throw new Problem("bad_request", say("cursor_with_page"));
  const place = { limit, offset: offsetOf(asked), order, cursorAfter: cursors.after };
  if (cursor !== undefined) return { ...place, ...cursors.read(cursor) };
  const isPage = order === "newest" && (total !== false || page > 1);
  return { ...place, after: isPage ? null : cursors.start };
}

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

/** The id after which the list goes on. `last`: of the last item. A page has it where its total says so. */
function nextOf(
  { page: { page, limit } }: List,
  place: Span,
  { total, nextId }: ListPart,
  last: string | null,
) {
  const hasMore = place.after === null && (total ?? 0) > page * limit;
  return (hasMore ? last : nextId) ?? null;
}

/** `pagination` of a page. @param last id of its last item */
function paginationFor(list: List, place: Place, found: ListPart, last: string | null) {
  const { page, maxCounted, filters, isOfChanges } = list;
  const { upTo, hasUnread = Boolean(found.nextId) } = found;
  const total = found.total ?? 0;
  const counted = paginationOf({ page: page.page, limit: page.limit, total }, maxCounted, hasUnread);
  if (!filters) return counted;
  const { total: _, isTotalExact: __, ...uncounted } = counted;
  const shown = page.total === false ? uncounted : counted;
  const nextId = nextOf(list, place, found, last);
  if (!upTo) return { ...shown, next: nextId && place.cursorAfter(nextId) };
  // A database without marks yet has read up to 1970.
  const since = isOfChanges ? (place.since ?? smallestIdAt(upTo.getTime() || Date.now())) : undefined;
  // A standby may be behind the place.
  const [, end = ""] = [place.after ?? smallestId, smallestIdAt(upTo.getTime())].toSorted();
  return {
    ...shown,
    next: place.cursorAfter(nextId ?? end, since),
    upTo: nextId ? new Date(msOfId(nextId)) : upTo,
    hasMore: nextId !== null,
  };
}

/**
 * The response with a page: text after one query, or a stream if SQL returned fewer rows than the page has.
 * @param queries reads for the caller
 * @param toList makes the list for a caller
 */
export async function pageOf<Caller extends { team: string }>(
  deps: Pick<Deps, "sql" | "log" | "masterKey">,
  request: Request,
  queries: Pick<CallerQueries<Caller>, "read">,
  toList: (caller: Caller) => List,
): Promise<string | Response> {
  const { sql, log } = deps;
  let list!: List;
  let place!: Place;
  const found = await queries.read<ListPart>((caller) => {
    list = toList(caller);
    place = placeOf(deps, request, caller.team, list);
    return pageQuery(sql, list, place);
  });
  const { count, last, total, others } = found;
  const text = list.rewrite ? await list.rewrite(found.text) : found.text;
  const start = `${successText.start}{"${list.name}":[${text}`;
  const warned = withQueryWarnings(request, others ?? {});
  const toEnd = (last: string | null) => {
    const pagination = paginationFor(list, place, found, last);
    const members = JSON.stringify({ ...warned, pagination }).slice(1);
    return `],${members}${successText.end}`;
  };
  const missing = Math.min(list.page.limit, (total ?? 0) - place.offset) - count;
  if (place.after !== null || missing <= 0 || !last) return jsonResponse(request, start + toEnd(last));
  const item = sql`',' || (${list.item})::text`;
  const more = partsBelow(last, missing, readPart(sql, { ...list, item }));
  return jsonResponse(
    request,
    streamOf(
      log,
      request,
      joined(encodeText(start), more, (last) => encodeText(toEnd(last))),
    ),
  );
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
      return partQuery(sql, file.rows, { ...firstRow, limit: maxPartRows }, "");
    });
  });
  const { start, write } = file.toWriter(others);
  const left = count < (total ?? 0) ? Number.POSITIVE_INFINITY : 0;
  const more = partsBelow(last ?? "", left, readPart(sql, file.rows, write));
  return joined(encodeText(start + (last && write ? write(text) : text)), more);
}

/** A page of a list as rows, for pages that show it. It has the columns of its SQL function. */
export async function readRows<Row extends { id: string }>(
  sql: Sql,
  { rows, page, maxCounted }: Pick<List, "rows" | "page" | "maxCounted">,
) {
  const found = await sql<Paged<Row>[]>`
    select * from ${rows({ ...firstRow, limit: page.limit, offset: offsetOf(page) })}`;
  return toPage(found, page, maxCounted);
}

/** Turn of a page for people, in a list with cursors. */
export interface Turn {
  order?: "newest" | "rising";
  /** Cursor of the link to this page. */
  cursor?: string | undefined;
  /** True: the link led backwards. */
  back?: "true" | undefined;
}

/** A page of nothing, for a list that cannot be read. */
export const noTurn = {
  items: [],
  pagination: { page: 1, limit: 1, total: 0, isTotalExact: true },
  turns: { previous: null, next: null, order: "newest" as const },
};

/**
 * A page of a list as rows, for pages that show it, and the cursors of those before and after it; null: there
 * is none. Backwards is the other order, and the first page is full.
 */
export async function readTurn<Row extends { id: string }>(
  deps: Pick<Deps, "sql" | "masterKey">,
  { rows, maxCounted, limit, ...of }: Pick<List, "rows" | "maxCounted"> & CursorList & { limit: number },
  { order = "newest", cursor, back }: Turn,
) {
  const { sql } = deps;
  const other = order === "newest" ? "rising" : "newest";
  const [ahead, behind] = [cursorsOf(deps, of, order), cursorsOf(deps, of, other)];
  const read = async (order: Order, after: string) => {
    const found = await sql<(Row & { nextId: string | null; allTotal: number; allUnread: boolean })[]>`
      select page.*, counted.* from ${rows({ limit, offset: 0, after, order })} as page ${countedFrom(sql, rows)}`;
    const { nextId = null, allTotal: total = 0, allUnread = false } = found.at(-1) ?? {};
    return { items: found.filter(({ id }) => id !== null), nextId, total, allUnread };
  };
  const place = cursor === undefined ? undefined : (back ? behind : ahead).read(cursor).after;
  const backwards = place && back ? await read(other, place) : undefined;
  const isBack = backwards?.nextId != null;
  const isFirst = !place || (back && !isBack);
  const { items, nextId, total, allUnread } = isBack
    ? backwards
    : await read(order, isFirst ? ahead.start : place);
  if (isBack) items.reverse();
  const before = isBack ? nextId : isFirst ? null : (items[0]?.id ?? place);
  const after = isBack ? (items.at(-1)?.id ?? place) : nextId;
  return {
    items,
    pagination: paginationOf({ page: 1, limit, total }, maxCounted, allUnread),
    turns: { previous: before && behind.after(before), next: after && ahead.after(after), order },
  };
}
