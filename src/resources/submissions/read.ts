/** Reads submissions: the rows that a list or an export is about. */
import { jsonb, type Sql } from "../../platform/database/db.ts";
import type { Rows } from "../../platform/http/list.ts";
import type { Filters } from "./shapes.ts";
import type { SubmissionSearch } from "./submission-search.ts";

/** What the filters search for in the values; undefined: nothing. */
export const searchOf = ({ q = "", search }: Filters): SubmissionSearch | undefined =>
  search ?? (q.trim() ? { text: q.trim() } : undefined);

/**
 * The rows of a list that the filters leave; those of a search have `older_before` too. A time is a bound of
 * the id, which begins with its time.
 *
 * @param maxCounted rows that the total counts at most, from the page's first one on, where no counter has
 * it; absent: all
 */
export function submissionRows(
  sql: Sql,
  team: string,
  form: string,
  filters: Filters,
  maxCounted?: number,
): Rows["rows"] {
  const {
    status = null,
    review = null,
    createdAfter,
    createdBefore,
    agentId = null,
    respondentId = null,
    provenance = null,
  } = filters;
  const search = searchOf(filters);
  const firstId = createdAfter ? smallestIdAt(createdAfter.getTime() + 1) : null;
  const endId = createdBefore ? smallestIdAt(createdBefore.getTime()) : null;
  if (search)
    return ({ limit, offset, below }) => sql`
      formd.submission_search(
        p_team => ${team}, p_form => ${form}, p_search => ${jsonb(sql, search)}, p_status => ${status},
        p_review => ${review}, p_agent => ${agentId}, p_respondent => ${respondentId}, p_provenance => ${provenance},
        p_first_id => ${firstId}, p_end_id => ${endId}, p_limit => ${limit}, p_offset => ${offset}, p_below => ${below})`;
  return ({ limit, offset, below }) => sql`
    formd.submission_page(
      p_team => ${team}, p_form => ${form}, p_status => ${status}, p_review => ${review},
      p_agent => ${agentId}, p_respondent => ${respondentId}, p_provenance => ${provenance}, p_first_id => ${firstId}, p_end_id => ${endId},
      p_limit => ${limit}, p_offset => ${offset}, p_below => ${below}, p_max_counted => ${maxCounted ?? null})`;
}

/** The rows of submissions by their ids; ids that there are none of have no row. */
export const chosenRows =
  (sql: Sql, team: string, form: string, ids: readonly string[]): Rows["rows"] =>
  () =>
    sql`
    (select s.*, count(*) over () as total from unnest(${ids as string[]}::uuid[]) as c (chosen)
     cross join lateral formd.submission_get(p_team => ${team}, p_form => ${form}, p_submission => c.chosen) as s
     order by s.id desc) as chosen`;

/** The smallest UUIDv7 of a millisecond. */
export function smallestIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
