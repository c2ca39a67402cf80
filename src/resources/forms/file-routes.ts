/** Forms as files: `/papi/v1/management/forms/{form_id}/file`. */
import { Elysia } from "elysia";
import { actorOf } from "../../platform/auth/actor.ts";
import { apiKeySecurity, ownerCodes, withApiKey } from "../../platform/auth/api-key.ts";
import { queriesFor } from "../../platform/auth/authenticate.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireJson } from "../../platform/http/body.ts";
import { successResponse } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { operation } from "../../platform/http/operation.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { contentOf, fileHeadersOf, fileType, parseFormFile, writeFormFile } from "./file.ts";
import {
  appliedPlan,
  contentQuery,
  parseContent,
  planFor,
  planJson,
  type SentFile,
  toPlanQuery,
} from "./file-apply.ts";
import {
  AddFieldOperation,
  DraftNote,
  FormApplyQuery,
  FormFile,
  FormFileQuery,
  FormWithPublished,
  fileFormat,
  MoveFieldOperation,
  RemoveFieldOperation,
  SetMetaOperation,
  UpdateFieldOperation,
} from "./shapes.ts";

const path = "/papi/v1/management/forms/:form_id/file";

const { settings: _settings, ...example } = contentOf(examples.form);
const exampleFile = { format: fileFormat, ...example };

export const formFileRoutes = (deps: Deps) => {
  const { sql } = deps;
  const json = jsonOf(FormWithPublished)(sql);
  return new Elysia({ name: path })
    .get(
      path,
      async ({ request, params, query, set }) => {
        const { run } = withApiKey(deps, request, "forms:read");
        let version: number | undefined;
        const found = await run(({ team }) => {
          const id = uuidParam(params, "form_id");
          ({ version } = parseQuery(query, FormFileQuery));
          return contentQuery(sql, { teamId: team, id }, version);
        });
        const content = parseContent(found, version);
        Object.assign(set.headers, fileHeadersOf(content.name));
        return writeFormFile(content);
      },
      operation({
        id: "exportForm",
        tag: "management",
        summary: "Read a form as a file",
        description:
          "The draft, or a version, as JSON. The same draft has the same bytes. A setting at its default is left out, and so are ids, `settings.page.alias` and `settings.notify.recipients`, which belong to an installation.",
        security: apiKeySecurity("forms:read"),
        query: {
          shape: FormFileQuery,
          notes: {
            version:
              "This published version instead of the draft, with only the settings that publishing freezes, as they were published last.",
          },
        },
        response: {
          description: "The file.",
          media: {
            [fileType]: { schema: { $ref: "#/components/schemas/FormFile" }, example: exampleFile },
          },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .post(
      path,
      async ({ request, params, query }) => {
        let sent!: SentFile;
        const found = await withApiKey(deps, request, "forms:write").run(({ team, actor, bytes }) => {
          const id = uuidParam(params, "form_id");
          requireJson(request);
          sent = { id, ...parseQuery(query, FormApplyQuery), file: parseFormFile(bytes) };
          return toPlanQuery(sql, { teamId: team, id }, actor);
        });
        const { teamId, actorId, plan, expected } = planFor(found, sent);
        const owner = queriesFor(sql, teamId, actorOf(request, "api_key", actorId));
        const form = await owner.run(
          (caller) => sql`select ${json} from ${appliedPlan(sql, caller, sent.id, plan, expected)}`,
        );
        return successResponse(request, planJson(plan, sent.dryRun ? null : form));
      },
      operation({
        id: "applyForm",
        tag: "management",
        summary: "Make a form's draft that of a file",
        description:
          "As one patch with the operations that it takes, in any number: removes, updates, adds, moves, `setMeta`. What the file does not have is removed, except `settings.page.alias` and `settings.notify.recipients`. Without changes nothing is stored. A field with another id is another field: `warnings` name the removed ones whose values stay. A draft that changes meanwhile is a `conflict`.",
        security: apiKeySecurity("forms:write"),
        query: {
          shape: FormApplyQuery,
          notes: {
            dryRun: "`true`: the operations and warnings alone, after all checks. Nothing is stored.",
            expectedVersion: "When sent, it must equal the form's `currentVersion`.",
            expectedUpdatedAt: "When sent, it must be the instant of the form's `updatedAt`.",
          },
        },
        body: { shape: FormFile, examples: { file: { summary: "A file", value: exampleFile } } },
        response: {
          description: "The operations, and the form with its new draft.",
          members: {
            operations: [
              SetMetaOperation,
              AddFieldOperation,
              UpdateFieldOperation,
              RemoveFieldOperation,
              MoveFieldOperation,
            ],
            warnings: [DraftNote],
            form: {
              isOptional: true,
              schema: { $ref: "#/components/schemas/FormWithPublished" },
            },
          },
          example: {
            operations: [examples.formOperations.updateField],
            warnings: [],
            form: examples.formWithPublished,
          },
        },
        codes: [...ownerCodes, "not_found", "conflict"],
      }),
    );
};
