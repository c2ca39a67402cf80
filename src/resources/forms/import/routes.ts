/** Forms of other tools: `POST /papi/v1/management/forms/import`. */
import { Elysia } from "elysia";
import { limits } from "../../../limits.ts";
import { say } from "../../../messages.ts";
import { actorOf } from "../../../platform/auth/actor.ts";
import { apiKeySecurity, ownerCodes, withApiKey } from "../../../platform/auth/api-key.ts";
import { queriesFor } from "../../../platform/auth/authenticate.ts";
import type { Deps } from "../../../platform/deps.ts";
import { isJson, requireIdentity, requireJson } from "../../../platform/http/body.ts";
import { successResponse } from "../../../platform/http/envelope.ts";
import * as examples from "../../../platform/http/examples.ts";
import { operation } from "../../../platform/http/operation.ts";
import { jsonOf } from "../../../platform/http/resource.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { Problem } from "../../../problem.ts";
import { isWorkbook, writeFormFile } from "../file.ts";
import { createdForm } from "../forms.ts";
import { FormWithPublished, fileFormat } from "../shapes.ts";
import { readForeign, workbookType } from "./import-file.ts";
import { ForeignForm, FormImportQuery, FormImportReport } from "./shapes.ts";

const path = "/papi/v1/management/forms/import";

const exampleFile = { format: fileFormat, name: "Contact", schema: examples.form.schema };

/** Authenticates the caller, and reads the document: a workbook is unpacked for an owner alone. */
async function readImport(deps: Deps, request: Request, query: Record<string, unknown>) {
  const { sql, config } = deps;
  const maxBytes = isJson(request) ? config.MAX_BODY_BYTES : limits.workbook.maxBytes;
  let sent!: typeof FormImportQuery.infer & { bytes: Uint8Array };
  const caller = await withApiKey(deps, request, "forms:write", maxBytes).run(({ team, actor, bytes }) => {
    sent = { ...parseQuery(query, FormImportQuery), bytes };
    const { workspaceId = null } = sent;
    return sql`select json_build_object('team', ${team}::uuid, 'id', (${actor}).id, 'isInPlace',
      ${workspaceId}::uuid is null or exists (
        select from formd.workspaces where team_id = ${team} and id = ${workspaceId}))`;
  });
  if (isWorkbook(sent.bytes)) requireIdentity(request);
  else requireJson(request);
  const { team, id, isInPlace } = JSON.parse(caller ?? "");
  if (!isInPlace) throw new Problem("not_found", say("workspace_missing"));
  const owner = queriesFor(sql, team, actorOf(request, "api_key", id));
  return { owner, ...sent, ...(await readForeign(sent.bytes, sent.from)) };
}

export const formImportRoute = (deps: Deps) => {
  const { sql } = deps;
  const json = jsonOf(FormWithPublished)(sql);
  return new Elysia({ name: path }).post(
    path,
    async ({ request, query }) => {
      const { owner, file, report, workspaceId, dryRun } = await readImport(deps, request, query);
      const end = `"report":${JSON.stringify(report)}}`;
      if (dryRun) return successResponse(request, `{"file":${writeFormFile(file)},${end}`);
      const draft = { ...file, ...(workspaceId && { workspaceId }) };
      const form = await owner.run((by) => sql`select ${json} from ${createdForm(sql, by, draft)}`);
      return successResponse(request, `{"form":${form},${end}`);
    },
    operation({
      id: "importForm",
      tag: "management",
      summary: "Make a draft of another tool's form",
      description: "Or of a form as a file. `report` names each loss.",
      security: apiKeySecurity("forms:write"),
      query: {
        shape: FormImportQuery,
        notes: {
          from: `The tool, or \`formd\`. Default: \`auto\`, what the document says. A workbook (\`.xlsx\`) has at most ${limits.workbook.maxBytes / 1_048_576} MiB.`,
          workspaceId: "Default: the team's oldest workspace.",
          dryRun: "`true`: `file` instead of `form`. Nothing is stored.",
        },
      },
      body: {
        shape: ForeignForm,
        fileType: workbookType,
        examples: { file: { summary: "A form as a file", value: exampleFile } },
      },
      response: {
        description: "The draft, or its file, and what became of the questions.",
        members: {
          form: { isOptional: true, schema: { $ref: "#/components/schemas/FormWithPublished" } },
          file: { isOptional: true, schema: { $ref: "#/components/schemas/FormFile" } },
          report: FormImportReport,
        },
        example: {
          form: examples.formWithPublished,
          report: {
            ...{ source: "formd", fields: 3, converted: 3, approximated: 0, leftOut: 0, items: [] },
          },
        },
      },
      codes: [...ownerCodes, "not_found", "conflict"],
    }),
  );
};
