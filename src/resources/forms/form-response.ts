/** The response of a form's routes: the form, and remarks on its draft. */
import { limits } from "../../limits.ts";
import type { Config } from "../../platform/config.ts";
import type { Deps } from "../../platform/deps.ts";
import { successResponse } from "../../platform/http/envelope.ts";
import { formWithPublished } from "../../platform/http/examples.ts";
import type { ExpectedRoute } from "../../platform/http/method-check.ts";
import type { Operation } from "../../platform/http/operation.ts";
import { parseQuery } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import { operationWarnings, problemsOf, publishingWarnings, warningsOf } from "./draft-checks.ts";
import { DraftNote, type FormDiffRequest, FormQuery, type FormRow, FormWithPublished } from "./shapes.ts";

/** The page of the console on which a person publishes, archives and restores a form. */
export const publishUrlOf = ({ BASE_URL }: Pick<Config, "BASE_URL">, form: string): string =>
  `${BASE_URL}/console/forms/${form}/publish`;

/** Requests about a form that only a person can make. */
export const expectedFormRoutes = (config: Config): ExpectedRoute[] => {
  const form = "^/papi/v1/management/forms/([0-9a-fA-F-]{36})";
  const atConsole = (verb: string) => (id: string) => `A person ${verb}: ${publishUrlOf(config, id)}`;
  return [
    { method: "POST", pattern: new RegExp(`${form}/publish/?$`), instead: atConsole("publishes") },
    { method: "POST", pattern: new RegExp(`${form}/archive/?$`), instead: atConsole("archives") },
    { method: "POST", pattern: new RegExp(`${form}/restore/?$`), instead: atConsole("restores") },
    {
      method: "DELETE",
      pattern: new RegExp(`${form}/?$`),
      instead: (id) => `A form is not deleted: an operator archives it (${publishUrlOf(config, id)}).`,
    },
  ];
};

/** The part of a request that its response depends on. */
export interface AskedForm {
  /** True: the response has what publishing refuses and warns of, which costs as much as publishing does. */
  problems?: boolean;
  /** Operations of a patch, whose members may have no effect. */
  operations?: (typeof FormDiffRequest.infer)["operations"];
  /** Open drafts of respondents. Null: none, and none can be saved. */
  drafts?: number | null;
}

/** Parses the query of a form's route: before a write, which it would come too late for. */
export const askedFormOf = (query: Record<string, unknown>): AskedForm => parseQuery(query, FormQuery);

/**
 * Returns the form that PostgreSQL wrote as JSON, with the names that have no effect.
 * @param json null: it does not exist
 * @throws {Problem} `not_found`
 */
export function formResponse(
  { config, files, masterKey }: Deps,
  request: Request,
  json: string | null,
  { problems: isAsked, operations = [], drafts = null }: AskedForm,
): string | Response {
  if (json === null) throw new Problem("not_found", "There is no such form.");
  const form: FormRow = JSON.parse(json);
  const { id, status } = form;
  const ofDraft = isAsked ? publishingWarnings(form) : warningsOf(form);
  const warnings = [...operationWarnings(operations, form), ...ofDraft].slice(0, limits.form.maxNotes);
  const remarks = JSON.stringify({
    warnings,
    ...(isAsked && { problems: problemsOf(form, files !== undefined, masterKey.isPresent) }),
    ...(drafts !== null && { drafts: { open: drafts } }),
    ...(status === "draft" && { publishUrl: publishUrlOf(config, id) }),
  });
  // The form's text is passed on, since writing it again costs as much as reading it.
  return successResponse(request, `{"form":${json},${remarks.slice(1)}`);
}

/** The same, for OpenAPI. @param shape of the form */
export const formResponseOf = (description: string): Operation["response"] => ({
  description,
  members: {
    form: FormWithPublished,
    warnings: [DraftNote],
    problems: { list: DraftNote, isOptional: true },
    drafts: {
      isOptional: true,
      schema: {
        type: "object",
        required: ["open"],
        properties: { open: { type: "integer", minimum: 0, maximum: limits.resume.maxCounted } },
        description: `What respondents have saved and not sent (\`settings.page.resume\`), if the form is read alone. ${limits.resume.maxCounted}: that many or more.`,
      },
    },
    publishUrl: {
      isOptional: true,
      schema: {
        type: "string",
        format: "uri",
        description: "Of a draft: the page of the console on which a person publishes it.",
      },
    },
  },
  example: { form: formWithPublished, warnings: [] },
});
