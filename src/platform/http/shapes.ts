/** Shapes that several resources share, and the parsing of path and query. */
import { type Type, type } from "arktype";
import { fieldCodes } from "../../fields/codes.ts";
import type { FieldIssue } from "../../fields/compile.ts";
import { dayKey, instantKey } from "../../fields/formats.ts";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import type { Config } from "../config.ts";
import { assertShape } from "./body.ts";
import { documented } from "./documented.ts";
import { memberNames } from "./known-members.ts";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const Uuid = type(uuidPattern).describe("a UUID");

/** Any JSON object, not an array. */
export const JsonObject = type("Record<string, unknown>").narrow(
  (value, context) => !Array.isArray(value) || context.reject("an object"),
);

const momentText =
  "a date-time such as 2026-11-20T09:00:00Z, in the years 0001 to 9999 (UTC), with seconds up to 59";
const firstMomentMs = Date.parse("0001-01-01T00:00:00Z");
const lastMomentMs = Date.parse("9999-12-31T23:59:59.999Z");

/** Parses RFC 3339 without leap seconds, as `Date` and PostgreSQL hold it. Undefined: any other text. */
function momentOf(text: string): Date | undefined {
  // Date alone would accept the 30th of February as the 2nd of March.
  const ms = instantKey(text) === undefined ? Number.NaN : Date.parse(text);
  return ms >= firstMomentMs && ms <= lastMomentMs ? new Date(ms) : undefined;
}

const unreadMoment = new Date(Number.NaN);

/** A moment: RFC 3339 with an offset. It is parsed to a Date. */
export const DateTime = type("string").pipe(
  (text) => momentOf(text) ?? unreadMoment,
  type("Date").describe(momentText),
);

/** The same in a query, in which a `+` that is not written as `%2B` arrives as a blank. */
export const QueryMoment = type("string").pipe(
  (text) => momentOf(text) ?? momentOf(text.replace(/ (?=\d\d:\d\d$)/, "+")) ?? unreadMoment,
  type("Date").describe(`${momentText}; write + as %2B`),
);

/** A moment that stays text: arktype cannot narrow a shape, or bound arrays first, with {@link DateTime}. */
export const InstantText = type("string").narrow(
  (text, context) => momentOf(text) !== undefined || context.reject(momentText),
);

/** The end of a day such as 2026-11-20 (UTC), the next one's start. Undefined: no day, or the last one. */
export function dayEnd(text: string): Date | undefined {
  const start = dayKey(text) === undefined ? undefined : momentOf(`${text}T00:00:00Z`);
  const endMs = (start?.getTime() ?? Number.NaN) + 86_400_000;
  return endMs <= lastMomentMs ? new Date(endMs) : undefined;
}

/** Requires a time in the future, or null for none. @throws {Problem} `bad_request` */
export function requireFuture(expiresAt: Date | null): void {
  if (expiresAt && expiresAt.getTime() <= Date.now()) throw new Problem("bad_request", say("expiry_past"));
}

/** A name for people. The route decides about a blank one. */
export const Name = type.string.atMostLength(limits.name.maxLength);

/** An integer in a query. The output of the morph is also a shape, for the OpenAPI document. */
export const integerText = (min: number, max: number) =>
  type("string").pipe(
    (text) => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN),
    type("number.integer").atLeast(min).atMost(max).describe(`an integer from ${min} to ${max}`),
  );

/** `page` and `limit` of every list (specification, "Limits"). */
export const PageQuery = type({
  page: integerText(1, 2 ** 31 - 1).default("1"),
  limit: integerText(1, limits.page.maxItems).default(String(limits.page.defaultItems)),
});

/** `page` and `limit` of the lists whose default is a full page: agents, grants, keys, mails, webhooks. */
export const FullPageQuery = PageQuery.merge({
  limit: integerText(1, limits.page.maxItems).default(String(limits.page.maxItems)),
});

/** Part of a list that a query asks for. */
export interface AskedPage {
  page: number;
  limit: number;
  cursor?: string | undefined;
  order?: "newest" | "oldest" | undefined;
  /** False: the total is not wanted. */
  total?: boolean | undefined;
}

const cursorParameters = type({
  "cursor?": type.string.atMostLength(limits.page.maxCursorLength),
  "order?": "'newest' | 'oldest'",
  "total?": type("'true' | 'false'").pipe((text) => text === "true"),
});

/**
 * {@link AskedPage} of the lists that have cursors. Each list adds its filters, then deletes the parameters
 * that it does not declare: a cursor is bound to the filters, and an ignored one must not make it invalid.
 */
export const CursorQuery = PageQuery.and(cursorParameters);
export const FullCursorQuery = FullPageQuery.and(cursorParameters);

/** Texts of {@link CursorQuery} for the reference. */
export const cursorNotes = {
  page: "Not beside `cursor`.",
  cursor: "`next` of a page: the list goes on after it. Send the same filters and order again.",
  order:
    "`oldest` is for polling: what is stored later comes later, and each item once. `next` is then never null: keep it, and ask again with it.",
  total: "`false` leaves out the total, so that a page costs the same at any depth.",
};

/** The times of a list's filters. */
export const timeNotes = {
  createdAfter: "Only of this instant and later. To poll use a cursor, which misses nothing.",
  createdBefore: "Only of this instant and earlier.",
};

/** Splits a query into what it asks of the list, and its filters. */
export function splitAsked<Query extends AskedPage>({
  page,
  limit,
  cursor,
  order,
  total,
  ...filters
}: Query) {
  const asked: AskedPage = { page, limit, cursor, order, total };
  return { page: asked, filters };
}

/** An unknown parameter of the query, in the data of a response. */
export const QueryWarning = documented(type({ path: "string", message: "string", "nearest?": "string" }), {
  text: "A part of the request that had no effect.",
  members: {
    path: "The name of the parameter, shortened.",
    message: "A sentence.",
    nearest: "The name that was probably meant.",
  },
});

/** A moment in a response (UTC, milliseconds). The brand marks the column in a resource's row type. */
export const Timestamp = type("string#timestamp").configure({ format: "date-time" });

/** `pagination`, beside the items of every list (specification, "Pagination"). */
export const Pagination = type({
  page: "number.integer >= 1",
  limit: "number.integer >= 1",
  total: "number.integer >= 0",
});

/** One field error of a payload (specification, "FieldError"); `constraint` and `expected` are additions. */
export const FieldError = documented(
  type({
    "field?": "string",
    code: "string",
    message: "string",
    help: "string",
    "constraint?": "string",
    "expected?": "unknown",
  }),
  {
    text: "An error of one field's value.",
    members: {
      field: "The field's id; absent for the form as a whole.",
      code: { text: "Stable.", schema: { examples: Object.keys(fieldCodes) } },
      message: "A sentence; it never repeats the value.",
      help: { text: "What the code means, with an example.", schema: { format: "uri" } },
      constraint: "The violated rule, by its name in the field's definition.",
      expected: "What the rule requires.",
    },
  },
);

/** An issue with a link to its code on the page of validation codes. */
export type FieldError = FieldIssue & { help: string };

export const fieldErrors = ({ DOCS_URL }: Config, issues: readonly FieldIssue[]): FieldError[] =>
  issues.map((issue) => ({ ...issue, help: `${DOCS_URL}/developer/api/validation#${issue.code}` }));

/**
 * Returns the parameters of a shape. Others are left out: one called `form` must not take the place of the
 * form in the path, where both are put into one object.
 * @throws {Problem} `bad_request` naming the parameter
 */
export function parseQuery<T extends Type>(query: Record<string, unknown>, shape: T): T["infer"] {
  const names = memberNames(shape).filter((name) => Object.hasOwn(query, name));
  return assertShape(Object.fromEntries(names.map((name) => [name, query[name]])), shape, "bad_request");
}

export const isUuid = (text: string): boolean => uuidPattern.test(text);

/** A path parameter that is a UUID. @throws {Problem} `bad_request` naming it. */
export function uuidParam<K extends string>(params: { [P in K]: string }, name: K): string {
  const value = params[name];
  if (!isUuid(value))
    throw new Problem(
      "bad_request",
      say("wrong_shape", { path: name, rule: "pattern", expected: Uuid.description }),
    );
  return value;
}

/** Replaces a path parameter that is not UTF-8, which Elysia sets to null, by "": it names nothing. */
export const emptyUnlessUtf8 =
  (name: string) =>
  ({ params }: { params: Record<string, string | null> }): void => {
    params[name] ??= "";
  };

/** Offset of a page's first row, in the range of SQL's bigint. */
export const offsetOf = ({ page, limit }: { page: number; limit: number }): number => (page - 1) * limit;

const cursorMembers = {
  next: "The `cursor` for what follows; null: nothing does.",
  upTo: "With `order=oldest`: what was stored before this instant is read; what comes later follows.",
  hasMore: "With `order=oldest`. True: more is stored already, also if the page is empty: ask at once.",
};

/** `pagination` of a list that has cursors. */
export const CursorPagination = documented(
  Pagination.omit("total").and({
    "total?": "number.integer >= 0",
    next: "string | null",
    "upTo?": Timestamp,
    "hasMore?": "boolean",
  }),
  { members: cursorMembers },
);

/** The same of one that may be too long to be counted. */
export const CountedPagination = documented(CursorPagination.and({ "isTotalExact?": "boolean" }), {
  members: {
    ...cursorMembers,
    total: `The items before this page, and at most ${limits.page.maxCounted} from its first one on.`,
    isTotalExact: "False: there are `total` items or more.",
  },
});

/**
 * `pagination` of a page.
 * @param maxCounted maximum of rows that `total` counts, from the page's first one on; undefined: all
 * @param hasUnread true: further rows were not looked at
 */
export const paginationOf = (
  pagination: typeof Pagination.infer,
  maxCounted?: number,
  hasUnread = false,
): typeof Pagination.infer & { isTotalExact?: boolean } =>
  maxCounted === undefined
    ? pagination
    : { ...pagination, isTotalExact: !hasUnread && pagination.total < offsetOf(pagination) + maxCounted };

/** A row of a list's SQL function: an item with the total, or one row of nulls for an empty page. */
export type Paged<T> = T & { total: number };

/** A page that has every item of a list. */
export const everyItem = { page: 1, limit: 2 ** 31 - 1 };

/** The items of a page, and the `pagination` beside them. The last two are as for {@link paginationOf}. */
export function toPage<T extends { id: string | null; total: number }>(
  rows: readonly T[],
  { page, limit }: { page: number; limit: number },
  maxCounted?: number,
  hasUnread?: boolean,
) {
  const [first] = rows;
  if (!first) throw new Error("A page query has returned no row.");
  const items = rows.filter((row) => row.id !== null).map(({ total, ...item }) => item);
  return { items, pagination: paginationOf({ page, limit, total: first.total }, maxCounted, hasUnread) };
}

/** The response to a DELETE. */
export const Deleted = type({ id: Uuid, deleted: "true" });
