/** Reads the submissions of a form for the pages that list them. */
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import {
  offsetOf,
  type Paged,
  type paginationOf,
  parseQuery,
  toPage,
} from "../../../platform/http/shapes.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import { submissionRows } from "../../../resources/submissions/read.ts";
import {
  type Filters,
  type SubmissionRow,
  submissionColumns,
} from "../../../resources/submissions/shapes.ts";
import { formatCount } from "../../ui/text.tsx";
import type { FormView } from "../form/form.tsx";
import { FilterQuery, filtersOf } from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";
import { searchIn } from "./value-filters.tsx";

export interface SubmissionPage {
  items: SubmissionRow[];
  /** Where a search has ended before the first submission. */
  olderBefore: Date | null;
  pagination: ReturnType<typeof paginationOf>;
}

/** A page of the submissions that the filters leave, newest first. */
export async function readSubmissionPage(
  { sql }: Deps,
  form: FormView,
  filters: Filters,
  asked: { page: number; limit: number },
  { offset = offsetOf(asked), isExact = false } = {},
): Promise<SubmissionPage> {
  // Those of a status have a counter.
  const isCounted = Object.keys(filters).some((name) => name !== "status") && !filters.search && !isExact;
  const maxCounted = isCounted ? limits.page.maxCounted : undefined;
  const rows = submissionRows(sql, form.teamId, form.id, filters, maxCounted);
  const found = await sql<Paged<SubmissionRow & { olderBefore: Date | null }>[]>`
    select ${sql(submissionColumns)}, total::float8, ${filters.search ? sql`older_before` : sql`null as older_before`}
    from ${rows({ limit: asked.limit, offset, below: null })}`;
  return { ...toPage(found, asked, maxCounted), olderBefore: found[0]?.olderBefore ?? null };
}

/** The same, oldest first: the rows are counted, and the page is read from the other end. */
export async function readOldest(
  deps: Deps,
  form: FormView,
  filters: Filters,
  asked: { page: number; limit: number },
): Promise<SubmissionPage> {
  const exact = { isExact: true };
  const { pagination } = await readSubmissionPage(deps, form, filters, { page: 1, limit: 1 }, exact);
  const left = Math.max(0, pagination.total - offsetOf(asked));
  const limit = Math.min(asked.limit, left);
  const last = { page: 1, limit: Math.max(limit, 1) };
  const found = await readSubmissionPage(deps, form, filters, last, { ...exact, offset: left - limit });
  const items = left > 0 ? found.items.toReversed() : [];
  return { ...found, items, pagination: { ...asked, total: pagination.total } };
}

export const totalText = ({ total, isTotalExact = true }: SubmissionPage["pagination"]): string =>
  isTotalExact ? formatCount(total) : frameText.atLeast(formatCount(total));

/** What the query of the list leaves of the form's submissions. @throws {Problem} `bad_request`. */
export async function readFilters(
  deps: Deps,
  form: FormView,
  query: Record<string, string>,
): Promise<Filters> {
  const fields = await publishedFields(deps, form);
  return { ...filtersOf(parseQuery(query, FilterQuery)), ...searchIn(fields, query) };
}
