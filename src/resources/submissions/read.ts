import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { jsonb, type Sql } from "../../platform/database/db.ts";
import { msOfId, smallestIdAt } from "../../platform/http/cursor.ts";
import type { List, Rows } from "../../platform/http/list.ts";
import { instantJson } from "../../platform/http/resource.ts";
import { offsetOf, type Paged, type paginationOf, splitAsked, toPage } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import type { FormKey } from "../forms/shapes.ts";
import type { Hold } from "../holds/shapes.ts";
import {
  type Filters,
  type SubmissionEdit,
  type SubmissionListQuery,
  type SubmissionRow,
  submissionColumns,
  submissionJson,
} from "./shapes.ts";
import type { SubmissionSearch } from "./submission-search.ts";

/** Search of the filters in the values; undefined: none. */
export const searchOf = ({ q = "", search }: Filters): SubmissionSearch | undefined =>
  search ?? (q.trim() ? { text: q.trim() } : undefined);

/**
 * Rows that the total of a list counts, from the page's first one on: counters have the number of all, and of
 * those with a status, and a search counts all that it has read.
 */
export function maxCountedOf(filters: Filters): number {
  const { status: _, q: __, search: ___, ...others } = filters;
  const isUncounted = Object.values(others).some((value) => value !== undefined);
  return isUncounted && !searchOf(filters) ? limits.page.maxCounted : Number.POSITIVE_INFINITY;
}

/**
 * The rows that match. A bound on the time becomes one on the id.
 * @param isExport true: all rows are read, and the total only says that some are left
 */
export function submissionRows(
  sql: Sql,
  team: string,
  form: string,
  filters: Filters,
  { isExport = false } = {},
): Rows["rows"] {
  const {
    status = null,
    review = null,
    createdAfter,
    createdBefore,
    agentId = null,
    respondentId = null,
    provenance = null,
    language = null,
  } = filters;
  const search = searchOf(filters);
  const firstId = createdAfter ? smallestIdAt(createdAfter.getTime()) : null;
  const endId = createdBefore ? smallestIdAt(createdBefore.getTime() + 1) : null;
  if (search)
    return ({ limit, offset, after, order }) => sql`
      formd.submission_search(
        p_team => ${team}, p_form => ${form}, p_search => ${jsonb(sql, search)}, p_status => ${status},
        p_review => ${review}, p_agent => ${agentId}, p_respondent => ${respondentId}, p_provenance => ${provenance},
        p_language => ${language}, p_first_id => ${firstId}, p_end_id => ${endId}, p_limit => ${limit}, p_offset => ${offset},
        p_after => ${after}, p_order => ${order})`;
  return ({ limit, offset, after, order, isRest = isExport }) => sql`
    formd.submission_page(
      p_team => ${team}, p_form => ${form}, p_status => ${status}, p_review => ${review},
      p_agent => ${agentId}, p_respondent => ${respondentId}, p_provenance => ${provenance}, p_language => ${language},
      p_first_id => ${firstId}, p_end_id => ${endId}, p_limit => ${limit}, p_offset => ${offset}, p_after => ${after}, p_order => ${order},
      p_max_counted => ${isRest ? null : limits.page.maxCounted})`;
}

/** The list of submissions, or of their changes. @throws {Problem} `bad_request`: changes with filters */
export function submissionList(
  sql: Sql,
  team: string,
  form: string,
  query: typeof SubmissionListQuery.infer,
): List {
  const { page, filters } = splitAsked(query);
  const { changes = false, ...others } = filters;
  const rows = submissionRows(sql, team, form, others);
  const list = { name: "submissions", page, filters, maxCounted: maxCountedOf(others) };
  if (!changes) return { ...list, item: submissionJson(sql), rows };
  if (page.order !== "oldest" || Object.values(others).some((value) => value !== undefined))
    throw new Problem("bad_request", say("changes_alone"));
  return {
    ...list,
    isOfChanges: true,
    item: sql`
      case when is_deleted then concat('{"id":"', id, '","deleted":true,"updatedAt":"', ${sql.unsafe(instantJson("updated_at"))}, '"}')
        else ${submissionJson(sql)} end`,
    rows: (span) =>
      span.after === null
        ? rows(span)
        : sql`
      formd.submission_change_list(
        p_team => ${team}, p_form => ${form}, p_limit => ${span.limit}, p_after => ${span.after}, p_since => ${span.since ?? null})`,
  };
}

/** The rows of submissions by their ids; unknown ids have no row. */
export const chosenRows =
  (sql: Sql, team: string, form: string, ids: readonly string[]): Rows["rows"] =>
  () =>
    sql`
    (select s.*, count(*) over () as total from unnest(${ids as string[]}::uuid[]) as c (chosen)
     cross join lateral formd.submission_get(p_team => ${team}, p_form => ${form}, p_submission => c.chosen) as s
     order by s.id desc) as chosen`;

export interface SubmissionPage {
  items: SubmissionRow[];
  pagination: ReturnType<typeof paginationOf>;
  /** Time from which older ones were not looked at, or null. */
  olderBefore: Date | null;
}

/** Reads a page of the submissions that match the filters, newest first. */
export async function readSubmissionPage(
  sql: Sql,
  form: FormKey,
  filters: Filters,
  asked: { page: number; limit: number },
): Promise<SubmissionPage> {
  const rows = submissionRows(sql, form.teamId, form.id, filters);
  const read = (limit: number, offset: number) => sql<(Paged<SubmissionRow> & { nextId: string | null })[]>`
    select ${sql(submissionColumns)}, total::float8, next_id
    from ${rows({ limit, offset, after: null, order: "newest" })}`;
  const found = [...(await read(asked.limit, offsetOf(asked)))];
  // SQL ends a part at some bytes, though the page goes on. The last row of each is no item.
  for (let parts = 1; ; parts += 1) {
    const before = offsetOf(asked) + found.length - parts;
    const missing = Math.min(offsetOf(asked) + asked.limit, found[0]?.total ?? 0) - before;
    const part = missing > 0 ? await read(missing, before) : [];
    if (part.length <= 1) break;
    found.push(...part);
  }
  const { nextId = null } = found.at(-1) ?? {};
  const olderBefore = nextId === null ? null : new Date(msOfId(nextId));
  return { ...toPage(found, asked, maxCountedOf(filters), nextId !== null), olderBefore };
}

interface SubmissionDetails extends SubmissionRow {
  /** Schema of the version that it was validated against. */
  schema: { fields: unknown[] };
  /** The latest edits, the newest first. */
  history: EditEntry[];
  /** `input`: the member `sig1` of Signature-Input. Null: the request was not signed. */
  signature: { keyId: string; input: string } | null;
  /** Its own hold first, then the form's. */
  holds: Pick<typeof Hold.infer, "submissionId" | "reason" | "placedAt">[];
  /** States of its files that cannot be downloaded, by their ids. */
  scans: Readonly<Record<string, "pending" | "infected">>;
}

type EditEntry = Omit<typeof SubmissionEdit.infer, "apiKeyId" | "requestId" | "clientRequestId" | "erasedAt">;

const maxHistory = 50;

/** @throws {Problem} `not_found`. */
export async function requireSubmission(sql: Sql, { teamId: team, id: form }: FormKey, id: string) {
  const [row] = await sql<SubmissionDetails[]>`
    select ${sql(submissionColumns.map((name) => `s.${name}`))},
      (select v.schema from formd.form_versions v
       where v.team_id = ${team} and v.form_id = ${form} and v.version = s.form_version) as schema,
      (select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'fieldId', e.field_id, 'oldValue', e.old_value, 'newValue', e.new_value,
         'actor', jsonb_build_object('type', e.actor_type, 'id', e.actor_id), 'createdAt', e.created_at) order by e.id desc), '[]')
       from (
         select * from formd.submission_edits d
         where d.team_id = ${team} and d.form_id = ${form} and d.submission_id = ${id}
         order by d.id desc limit ${maxHistory}) e) as history,
      (select jsonb_build_object('keyId', g.key_id, 'input', g.signature_input) from formd.submission_signatures g
       where g.team_id = ${team} and g.form_id = ${form} and g.submission_id = ${id}) as signature,
      (select coalesce(jsonb_agg(jsonb_build_object('submissionId', h.submission_id, 'reason', h.reason, 'placedAt', h.placed_at)
         order by h.submission_id), '[]') from formd.holds h
       where h.team_id = ${team} and h.form_id = ${form} and h.released_at is null
         and (h.submission_id is null or h.submission_id = ${id})) as holds,
      (select coalesce(jsonb_object_agg(x.id, x.scan), '{}') from formd.files x
       where x.team_id = ${team} and x.form_id = ${form} and x.submission_id = ${id}
         and x.state = 'claimed' and x.scan in ('pending', 'infected')) as scans
    from formd.submission_get(p_team => ${team}, p_form => ${form}, p_submission => ${id}) s`;
  if (!row) throw new Problem("not_found", say("submission_missing"));
  return row;
}

/** The data of a submission of this version; undefined: it does not exist. */
export async function readData(sql: Sql, { teamId, id: form }: FormKey, version: number, id: string) {
  const [row] = await sql<Pick<SubmissionRow, "data">[]>`
    select data from formd.submissions
    where team_id = ${teamId} and form_id = ${form} and id = ${id} and form_version = ${version}`;
  return row?.data;
}

export type SummaryPart = "choice" | "number" | "text";

export interface SummaryRow {
  fieldId: string | null;
  part: "all" | "older" | "given" | "taken" | SummaryPart;
  value: unknown;
  total: number;
}

export const readSummaryRows = (
  sql: Sql,
  { teamId, id }: FormKey,
  fields: readonly { id: string; part: SummaryPart }[],
  language: string | null,
) => sql<SummaryRow[]>`
  select field_id, part, value, total::float8 from formd.submission_summary(
    p_team => ${teamId}, p_form => ${id}, p_fields => ${jsonb(sql, fields)}, p_language => ${language})`;

/** The fields that submissions of a form have, with their titles, as columns of a file. */
export const readColumns = (sql: Sql, { teamId, id }: FormKey) => sql<{ id: string; title: string }[]>`
  select id, title from formd.submission_columns(p_team => ${teamId}, p_form => ${id})`;
