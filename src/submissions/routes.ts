/** Submissions for their owners: `/papi/v1/management/forms/{form_id}/submissions` (specification, "Management"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { apiKeySecurity, ownerCodes, requireApiKey } from "../auth/credentials.ts";
import type { Deps } from "../deps.ts";
import { readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { operation } from "../http/operation.ts";
import { contextOf } from "../http/request-context.ts";
import { Deleted, offsetOf, PageQuery, Pagination, parseQuery, toPage, uuidParam } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import { submissionEditsOf, validateEdits } from "./edits.ts";
import { exportSubmissions } from "./export.ts";
import {
  type Filters,
  Submission,
  SubmissionEdit,
  SubmissionErasure,
  SubmissionExportQuery,
  SubmissionListQuery,
  SubmissionPatchRequest,
} from "./shapes.ts";

/** The query parameters of the list and the export. */
const filterNotes = {
  status: "Only submissions in this state.",
  createdAfter: "Only later ones; exclusive.",
  createdBefore: "Only earlier ones; exclusive.",
  agentId: "Only what this agent submitted.",
  respondentId: "Only what is about this respondent.",
};

/** A row of formd.submissions. */
export interface SubmissionRow {
  id: string;
  formId: string;
  formVersion: number;
  status: "pending" | "completed" | "partial";
  data: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  submitterType: "agent" | "anonymous" | "api_key";
  submitterId: string;
  respondentId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A row of formd.submission_edits. */
interface EditRow {
  id: string;
  fieldId: string;
  oldValue: unknown;
  newValue: unknown;
  apiKeyId: string;
  requestId: string;
  createdAt: Date;
  erasedAt: Date | null;
}

export const submissionOf = (row: SubmissionRow) => ({
  id: row.id,
  formId: row.formId,
  formVersion: row.formVersion,
  status: row.status,
  data: row.data,
  metadata: row.metadata,
  submitter: { type: row.submitterType, id: row.submitterId },
  respondentId: row.respondentId,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

const path = "/papi/v1/management/forms/:form_id/submissions";

export const submissions = (deps: Deps) => {
  const { sql, config } = deps;
  return new Elysia({ name: path })
    .get(
      path,
      async ({ request, params, query }) => {
        const { team } = await requireApiKey(deps, request, "submissions:read");
        const form = uuidParam(params, "form_id");
        const page = parseQuery(query, SubmissionListQuery);
        const rows = await listSubmissions(deps, team, form, page, page);
        if (rows.length === 0) throw new Problem("not_found", "There is no such form.");
        const { items, pagination } = toPage(rows, page);
        return success({ submissions: items.map(submissionOf), pagination });
      },
      operation({
        id: "listSubmissions",
        tag: "management",
        summary: "List submissions",
        description: "Newest first.",
        security: apiKeySecurity("submissions:read"),
        query: { shape: SubmissionListQuery, notes: filterNotes },
        response: {
          description: "A page of submissions.",
          members: { submissions: [Submission], pagination: Pagination },
          example: { submissions: [examples.submission], pagination: examples.pagination },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .get(
      `${path}/export`,
      async ({ request, params, query, set }) => {
        const { team } = await requireApiKey(deps, request, "submissions:read");
        const form = uuidParam(params, "form_id");
        const { format, ...filters } = parseQuery(query, SubmissionExportQuery);
        const { type, stream } = await exportSubmissions(
          deps,
          team,
          form,
          format,
          filter(deps, team, form, filters),
        );
        set.headers["content-type"] = type;
        set.headers["content-disposition"] = `attachment; filename="submissions-${form}.${format}"`;
        return new Response(stream);
      },
      operation({
        id: "exportSubmissions",
        tag: "management",
        summary: "Export submissions",
        description: "All of them, newest first, as a file; takes the filters of the list.",
        security: apiKeySecurity("submissions:read"),
        query: {
          shape: SubmissionExportQuery,
          notes: { ...filterNotes, format: "CSV (RFC 4180) or JSON Lines." },
        },
        response: {
          description: "The file.",
          media: {
            "text/csv": {
              schema: { type: "string" },
              example: `id,status\r\n${examples.ids.submission},completed\r\n`,
            },
            "application/jsonl": {
              schema: { type: "string" },
              example: `${JSON.stringify(examples.submission)}\n`,
            },
          },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .get(
      `${path}/:submission_id`,
      async ({ request, params }) => {
        const { team } = await requireApiKey(deps, request, "submissions:read");
        const row = await findSubmission(
          deps,
          team,
          uuidParam(params, "form_id"),
          uuidParam(params, "submission_id"),
        );
        return success({ submission: submissionOf(row) });
      },
      operation({
        id: "getSubmission",
        tag: "management",
        summary: "Read a submission",
        security: apiKeySecurity("submissions:read"),
        response: {
          description: "The submission.",
          members: { submission: Submission },
          example: { submission: examples.submission },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .patch(
      `${path}/:submission_id`,
      async ({ request, params }) => {
        const bytes = await readBytes(request, config.MAX_BODY_BYTES);
        const { team, apiKeyId } = await requireApiKey(deps, request, "submissions:update");
        const [form, id] = [uuidParam(params, "form_id"), uuidParam(params, "submission_id")];
        const asked = submissionEditsOf(request, bytes);
        const row = await findSubmission(deps, team, form, id);
        const { edits, isComplete } = await validateEdits(deps, team, row, asked);
        const [patched] = await sql<[SubmissionRow]>`
        select * from formd.submission_patch(${team}, ${form}, ${id}, ${row.updatedAt}, ${sql.json(edits as never)}, ${isComplete},
          ${edits.map(() => uuidv7())}, ${apiKeyId}, ${contextOf(request).requestId})`;
        return success({ submission: submissionOf(patched) });
      },
      operation({
        id: "patchSubmission",
        tag: "management",
        summary: "Edit a submission",
        description:
          "Each value must pass its field's rules in the submission's own form version. Every edit stands in the audit with the API key's id.",
        security: apiKeySecurity("submissions:update"),
        body: {
          shape: SubmissionPatchRequest,
          examples: {
            edit: {
              summary: "Correct one value, remove another",
              value: {
                expectedUpdatedAt: examples.times.updatedAt,
                edits: [
                  { fieldId: "name", value: "Ada King" },
                  { fieldId: "people", value: null },
                ],
              },
            },
          },
        },
        response: {
          description: "The submission as it is now.",
          members: { submission: Submission },
          example: { submission: examples.submission },
        },
        codes: [...ownerCodes, "not_found", "conflict", "validation_failed"],
      }),
    )
    .delete(
      `${path}/:submission_id`,
      async ({ request, params }) => {
        const { team, apiKeyId } = await requireApiKey(deps, request, "submissions:delete");
        const [form, id] = [uuidParam(params, "form_id"), uuidParam(params, "submission_id")];
        await sql`select formd.submission_delete(${team}, ${form}, ${id}, ${apiKeyId}, ${contextOf(request).requestId})`;
        return success({ id, deleted: true });
      },
      operation({
        id: "deleteSubmission",
        tag: "management",
        summary: "Delete a submission",
        description: "Its values are erased at once, in the audit too; that it was, by whom and when stays.",
        security: apiKeySecurity("submissions:delete"),
        response: {
          description: "It is gone.",
          data: Deleted,
          example: { id: examples.ids.submission, deleted: true },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .get(
      `${path}/:submission_id/edits`,
      async ({ request, params, query }) => {
        const { team } = await requireApiKey(deps, request, "submissions:read");
        const [form, id] = [uuidParam(params, "form_id"), uuidParam(params, "submission_id")];
        const page = parseQuery(query, PageQuery);
        const which = sql`team_id = ${team} and form_id = ${form} and submission_id = ${id}`;
        const rows = await sql<(EditRow & { total: number; erasure: object | null })[]>`
        select e.id, e.field_id, e.old_value, e.new_value, e.api_key_id, e.request_id, e.created_at, e.erased_at, t.total,
          case when r.submission_id is not null then jsonb_build_object('fieldIds', r.field_ids, 'apiKeyId', r.api_key_id,
            'requestId', r.request_id, 'createdAt', to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as erasure
        from (select count(*)::int as total from formd.submission_edits where ${which}) t
        left join (select * from formd.submission_erasures where ${which}) r on true
        left join (select * from formd.submission_edits where ${which} order by id desc limit ${page.limit} offset ${offsetOf(page)}) e on true
        where r.submission_id is not null
          or exists (select from formd.submissions where team_id = ${team} and form_id = ${form} and id = ${id})
        order by e.id desc`;
        if (rows.length === 0) throw new Problem("not_found", "There is no such submission.");
        const { items, pagination } = toPage(rows, page);
        const edits = items.map(({ total: _, erasure: __, ...edit }) => edit);
        return success({ edits, erasure: rows[0]?.erasure ?? null, pagination });
      },
      operation({
        id: "listSubmissionEdits",
        tag: "management",
        summary: "Read a submission's audit",
        description: "One entry an edited field, newest first, also after the submission was deleted.",
        security: apiKeySecurity("submissions:read"),
        query: { shape: PageQuery },
        response: {
          description: "A page of edits, and the deletion if there was one.",
          members: {
            edits: [SubmissionEdit],
            erasure: { orNull: SubmissionErasure },
            pagination: Pagination,
          },
          example: {
            edits: [
              {
                id: examples.ids.edit,
                fieldId: "name",
                oldValue: "Ada",
                newValue: "Ada King",
                apiKeyId: examples.ids.apiKey,
                requestId: "req-1",
                createdAt: examples.times.updatedAt,
                erasedAt: null,
              },
            ],
            erasure: null,
            pagination: examples.pagination,
          },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    );
};

/** One submission. @throws {Problem} `not_found`. */
async function findSubmission({ sql }: Deps, team: string, form: string, id: string): Promise<SubmissionRow> {
  const [row] = await sql<SubmissionRow[]>`
    select * from formd.submissions where team_id = ${team} and form_id = ${form} and id = ${id}`;
  if (!row) throw new Problem("not_found", "There is no such submission.");
  return row;
}

/** The rows that a list or an export is about. Time is asked of the id, which holds it: that is a range of the primary key. */
function filter(
  { sql }: Deps,
  team: string,
  form: string,
  { status, createdAfter, createdBefore, agentId, respondentId }: Filters,
) {
  return sql`team_id = ${team} and form_id = ${form}
    ${status ? sql`and status = ${status}` : sql``}
    ${createdAfter ? sql`and id >= ${firstIdAt(createdAfter.getTime() + 1)}` : sql``}
    ${createdBefore ? sql`and id < ${firstIdAt(createdBefore.getTime())}` : sql``}
    ${agentId ? sql`and submitter_id = ${agentId} and submitter_type = 'agent'` : sql``}
    ${respondentId ? sql`and respondent_id = ${respondentId}` : sql``}`;
}

/** The smallest UUID of a millisecond: what a UUIDv7 made then cannot be below. */
function firstIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * A page with the exact total, in one statement. The total is the form's counter where that can tell (no filter but the status), else a
 * count of the matching rows. A page in the second half is reached from the far end, so that the deepest one is half as deep; on the way
 * only the index is read.
 *
 * PostgreSQL guesses a tenth of the form for a page whose limit it does not know, and would hash the whole table to fetch its rows: `limit 1`
 * makes each row one probe of the key. `order by id offset 0` makes the count a walk of the index that the page uses, never a scan of the table.
 */
function listSubmissions(
  deps: Deps,
  team: string,
  form: string,
  filters: Filters,
  page: { page: number; limit: number },
) {
  const { sql } = deps;
  const { status, createdAfter, createdBefore, agentId, respondentId } = filters;
  const rows = filter(deps, team, form, filters);
  const counted = !(createdAfter || createdBefore || agentId || respondentId);
  const total = counted
    ? sql`select coalesce(sum(total), 0)::bigint as total from formd.submission_counts
        where team_id = ${team} and form_id = ${form} ${status ? sql`and status = ${status}` : sql``}`
    : sql`select count(*) as total from (select from formd.submissions where ${rows} order by id offset 0) as matching`;
  const offset = offsetOf(page);
  return sql<(SubmissionRow & { total: number })[]>`
    select s.*, t.total::float8 as total
    from (${total}) t
    join formd.forms f on f.team_id = ${team} and f.id = ${form}
    left join lateral (
      (select id from formd.submissions where ${rows} and ${offset}::bigint * 2 <= t.total
        order by id desc limit ${page.limit} offset ${offset})
      union all
      (select id from formd.submissions where ${rows} and ${offset}::bigint * 2 > t.total
        order by id limit greatest(least(${page.limit}, t.total - ${offset}::bigint), 0) offset greatest(t.total - ${offset}::bigint - ${page.limit}, 0))
    ) p on true
    left join lateral (select * from formd.submissions where team_id = ${team} and form_id = ${form} and id = p.id limit 1) s on true
    order by s.id desc`;
}
