/** Owners' submissions: `/papi/v1/management/forms/{form_id}/submissions` (specification, "Management"). */
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import { actorOf } from "../../platform/auth/actor.ts";
import { apiKeySecurity, ownerCodes, withApiKey } from "../../platform/auth/api-key.ts";
import { queriesFor } from "../../platform/auth/authenticate.ts";
import { identityWriteCodes, withApiKeyOrOperator } from "../../platform/auth/caller.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import { resourceResponse, success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation } from "../../platform/http/operation.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { memberResponse } from "../../platform/http/responses.ts";
import {
  CountedPagination,
  CursorPagination,
  cursorNotes,
  Deleted,
  parseQuery,
  splitAsked,
  timeNotes,
  uuidParam,
} from "../../platform/http/shapes.ts";
import { streamOf } from "../../platform/http/stream.ts";
import { applyEdits, type Patch, parseEdits, parseToEdit, toEditQuery } from "./edits.ts";
import { deleteSubmissionQuery } from "./erase.ts";
import { exportSubmissions } from "./export.ts";
import { submissionList } from "./read.ts";
import { reviewQuery } from "./review.ts";
import {
  DeletedSubmission,
  EditListQuery,
  editorJson,
  ReviewRequest,
  Submission,
  SubmissionEdit,
  SubmissionErasure,
  SubmissionExportQuery,
  SubmissionListQuery,
  SubmissionPatchRequest,
  submissionJson,
} from "./shapes.ts";

const filterNotes = {
  status: "Only submissions in this state.",
  review: "Only pending ones that wait for a decision (`open`), or were rejected.",
  ...timeNotes,
  agentId: "Only submissions by this agent.",
  respondentId: "Only submissions for this respondent.",
  language: "Only submissions that were filled in in this language: `metadata.language`, whatever the case.",
  q: `Only submissions with this text in a value, whatever the case. The newest ${limits.submissionSearch.maxRows} are searched.`,
};

const listText = `A page of submissions. It may have fewer than \`limit\`, and go on: with \`q\` ${limits.submissionSearch.maxRows} are looked at; by \`language\` ${limits.page.maxSpread}; by another filter without an index ${limits.page.maxLookedAt}; by several filters, one of which has an index, ${limits.page.maxSpread} that match that one.`;

const changesText = `With \`order=oldest\`, and no filter: submissions in the order in which they were created, edited, reviewed or deleted, as they are now. Of a deletion it is told for ${limits.submissionChange.lifetimeDays} days, also of one that the reader has not seen; a cursor that is older is \`cursor_expired\`. Oldest first without it, filters by \`status\` and \`review\` miss what comes to match them later.`;

const changedSubmission = memberResponse(
  "The submission as it is now.",
  "submission",
  Submission,
  examples.submission,
);

const path = "/papi/v1/management/forms/:form_id/submissions";

export const submissionRoutes = (deps: Deps) => {
  const { sql } = deps;
  const json = submissionJson(sql);
  const editJson = jsonOf(SubmissionEdit, { computed: editorJson("") })(sql);
  const erasure = jsonOf(SubmissionErasure, { prefix: "erasure_", computed: editorJson("erasure_") })(sql);
  const erasureJson = sql`json_build_object('erasure',
    (array_agg(case when erasure_created_at is not null then ${erasure}::json end))[1])`;
  return new Elysia({ name: path })
    .get(
      path,
      ({ request, params, query }) =>
        pageOf(deps, request, withApiKey(deps, request, "submissions:read"), ({ team }) => {
          const form = uuidParam(params, "form_id");
          return submissionList(sql, team, form, parseQuery(query, SubmissionListQuery));
        }),
      operation({
        id: "listSubmissions",
        tag: "management",
        summary: "List submissions",
        description: "Newest first.",
        security: apiKeySecurity("submissions:read"),
        query: {
          shape: SubmissionListQuery,
          notes: { ...filterNotes, ...cursorNotes, changes: changesText },
        },
        response: {
          description: listText,
          members: { submissions: [Submission, DeletedSubmission], pagination: CountedPagination },
          example: { submissions: [examples.submission], pagination: examples.countedPagination },
        },
        codes: [...ownerCodes, "not_found", "cursor_expired"],
      }),
    )
    .get(
      `${path}/export`,
      async ({ request, params, query, set }) => {
        const owner = withApiKey(deps, request, "submissions:read");
        const { headers, parts } = await exportSubmissions(deps, owner, () => {
          const form = uuidParam(params, "form_id");
          return { form, ...parseQuery(query, SubmissionExportQuery) };
        });
        Object.assign(set.headers, headers);
        return new Response(streamOf(deps.log, request, parts));
      },
      operation({
        id: "exportSubmissions",
        tag: "management",
        summary: "Export submissions",
        description: "As a file, newest first. Has the filters of the list.",
        security: apiKeySecurity("submissions:read"),
        query: {
          shape: SubmissionExportQuery,
          notes: {
            ...filterNotes,
            format: "CSV (RFC 4180), JSON Lines, or an Excel workbook.",
            files:
              "`zip`: a ZIP of that file and of the files of the submissions, each below the id of its submission.",
            separator:
              "Between the cells of a CSV: `,` (the default), or `;` with decimal commas, as spreadsheets in some languages expect.",
            bom: "Whether a CSV begins with a byte order mark, which Excel wants.",
            values: "In a workbook: choices by their labels (`labels`, the default) or values.",
            lang: "In a CSV and a workbook: labels in this language of the form, or in the one that covers it, as `de` covers `de-CH`; else in its first one.",
            choices:
              "In a workbook: several choices in one cell (the default), or in a column for each option.",
          },
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
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": {
              schema: { type: "string", format: "binary" },
            },
            "application/zip": { schema: { type: "string", format: "binary" } },
          },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .get(
      `${path}/:submission_id`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, "submissions:read");
        const submission = await run(({ team }) => {
          const [form, id] = [uuidParam(params, "form_id"), uuidParam(params, "submission_id")];
          return sql`
            select ${json} from formd.submission_get(p_team => ${team}, p_form => ${form}, p_submission => ${id})`;
        });
        return resourceResponse(request, "submission", submission);
      },
      operation({
        id: "getSubmission",
        tag: "management",
        summary: "Read a submission",
        security: apiKeySecurity("submissions:read"),
        response: memberResponse("The submission.", "submission", Submission, examples.submission),
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .patch(
      `${path}/:submission_id`,
      async ({ request, params }) => {
        let patch!: Patch;
        const { run } = withApiKey(deps, request, "submissions:update");
        const found = await run(({ team, actor, bytes }) => {
          const [form, id] = [uuidParam(params, "form_id"), uuidParam(params, "submission_id")];
          patch = parseEdits(request, bytes);
          return toEditQuery(sql, team, actor, form, id);
        });
        const { teamId, actorId, submission, schema } = parseToEdit(found);
        const editor = queriesFor(sql, teamId, actorOf(request, "api_key", actorId));
        const patched = await applyEdits(deps, editor, schema, submission, patch);
        return resourceResponse(request, "submission", patched);
      },
      operation({
        id: "patchSubmission",
        tag: "management",
        summary: "Edit a submission",
        description:
          "Each value must pass its field's rules in the submission's own form version. Every edit is recorded, with the API key's id. An edit that removes a file of a submission that is held is `held`.",
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
        response: changedSubmission,
        codes: [...ownerCodes, "not_found", "conflict", "held", "validation_failed"],
      }),
    )
    .post(
      `${path}/:submission_id/review`,
      async ({ request, params }) => {
        const { run } = withApiKeyOrOperator(deps, request, { scope: "submissions:update" });
        const submission = await run(({ team, actor, bytes }) => {
          const [form, id] = [uuidParam(params, "form_id"), uuidParam(params, "submission_id")];
          return reviewQuery(sql, { team, actor, form, id }, parseBody(request, bytes, ReviewRequest));
        });
        return resourceResponse(request, "submission", submission);
      },
      operation({
        id: "reviewSubmission",
        tag: "management",
        summary: "Decide on a submission that is pending",
        description:
          "By API key, or by an operator with the role of admin or editor in the form's workspace. Of any number of decisions that are based on the same `updatedAt`, one succeeds. Each is recorded in the audit.",
        security: [{ apiKey: ["submissions:update"] }, { operatorSession: [] }],
        body: {
          shape: ReviewRequest,
          examples: {
            approve: {
              summary: "Complete it",
              value: { decision: "approve", expectedUpdatedAt: examples.times.updatedAt },
            },
            reject: {
              summary: "Reject it, with a reason",
              value: {
                decision: "reject",
                reason: "Sent twice.",
                expectedUpdatedAt: examples.times.updatedAt,
              },
            },
          },
        },
        response: changedSubmission,
        codes: [...identityWriteCodes, "not_found", "conflict"],
      }),
    )
    .delete(
      `${path}/:submission_id`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, "submissions:delete");
        await run(({ team, actor }) => {
          const [form, id] = [uuidParam(params, "form_id"), uuidParam(params, "submission_id")];
          return deleteSubmissionQuery(sql, { team, actor }, form, id);
        });
        return success({ id: params.submission_id, deleted: true });
      },
      operation({
        id: "deleteSubmission",
        tag: "management",
        summary: "Delete a submission",
        description: "Its values are erased at once, in the audit too. Who deleted it and when is kept.",
        security: apiKeySecurity("submissions:delete"),
        response: {
          description: "The submission is deleted.",
          data: Deleted,
          example: { id: examples.ids.submission, deleted: true },
        },
        codes: [...ownerCodes, "not_found", "held"],
      }),
    )
    .get(
      `${path}/:submission_id/edits`,
      ({ request, params, query }) =>
        pageOf(deps, request, withApiKey(deps, request, "submissions:read"), ({ team }) => {
          const [form, id] = [uuidParam(params, "form_id"), uuidParam(params, "submission_id")];
          return {
            name: "edits",
            ...splitAsked(parseQuery(query, EditListQuery)),
            item: editJson,
            others: erasureJson,
            rows: ({ limit, offset, after, order }) => sql`
              formd.submission_edits_list(p_team => ${team}, p_form => ${form}, p_submission => ${id},
                p_limit => ${limit}, p_offset => ${offset}, p_after => ${after}, p_order => ${order})`,
          };
        }),
      operation({
        id: "listSubmissionEdits",
        tag: "management",
        summary: "Read a submission's edits",
        description: "One entry per edited field, newest first, also after the submission was deleted.",
        security: apiKeySecurity("submissions:read"),
        query: { shape: EditListQuery, notes: cursorNotes },
        response: {
          description: "A page of edits, and the deletion if there was one.",
          members: {
            edits: [SubmissionEdit],
            erasure: { orNull: SubmissionErasure },
            pagination: CursorPagination,
          },
          example: {
            edits: [
              {
                id: examples.ids.edit,
                fieldId: "name",
                oldValue: "Ada",
                newValue: "Ada King",
                actor: { type: "api_key", id: examples.ids.apiKey },
                apiKeyId: examples.ids.apiKey,
                requestId: examples.ids.request,
                clientRequestId: "req-1",
                createdAt: examples.times.updatedAt,
                erasedAt: null,
              },
            ],
            erasure: null,
            pagination: examples.cursorPagination,
          },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    );
};
