/** Responses to the opening of a form's page, by its public address or by an invitation. */
import { type } from "arktype";
import { namesOf } from "../../fields/presentation.ts";
import { limits } from "../../limits.ts";
import type { Deps } from "../../platform/deps.ts";
import { success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { ipLimit, type Limit, type Operation } from "../../platform/http/operation.ts";
import { rawQueryOf } from "../../platform/http/request-context.ts";
import type { ProblemCode } from "../../problem.ts";
import { pagePathOf } from "../../resources/forms/page-address.ts";
import { ownNames, PageSubmit, PageValues } from "../../resources/forms/page-shapes.ts";
import { jsonSchemaFor } from "../../resources/submit/read-form.ts";
import {
  languageMember,
  languageParameter,
  PublishedForm,
  SubmissionReceipt,
} from "../../resources/submit/shapes.ts";
import { definitionsWithoutTranslations } from "../../resources/submit/versions.ts";
import { prefilled, prefilledBy } from "./applicable.ts";
import { tokenNameOf } from "./captcha.tsx";
import { beginPageRequest } from "./failure.tsx";
import { languageHeaders } from "./language.ts";
import { type HeldLink, type PublishedPage, wantsJson } from "./page-request.ts";
import { readFormPage } from "./read.ts";
import type { PostContext } from "./send.ts";
import { respondWithStart } from "./steps.tsx";

export const forPrograms =
  "With `Accept: application/json` it is JSON, an error included; otherwise an HTML page.";
/** Codes of the page of a form, which invitations have too. */
export const codesOfForm: ProblemCode[] = [
  "not_found",
  "gone",
  "anonymous_not_allowed",
  "form_closed",
  "captcha_unavailable",
];
export const pageLimit: Limit = {
  scope: "ip",
  seconds: limits.rateLimit.windowMs / 1000,
  requests: limits.formPage.requestsPerMinute,
};

export const languageQuery = {
  shape: type(languageParameter.shape),
  notes: {
    lang: "The language of the page (BCP 47), by look-up (RFC 4647): `de-AT` finds `de`. Without one of the form's: that of the visit, or of `Accept-Language`, or the form's first. Of several the last.",
  },
};

/** Documentation of the response to the opening of the page. */
export const openedPage = {
  description: "The form; for a program also how it is sent.",
  isPage: true,
  members: {
    form: PublishedForm,
    language: languageMember,
    jsonSchema: {
      schema: { type: "object", additionalProperties: {}, description: "Of a submission's `data`." },
    },
    submit: PageSubmit,
  },
  example: {
    form: examples.publishedForm,
    jsonSchema: examples.jsonSchema,
    submit: {
      method: "POST",
      url: `https://forms.example.org${pagePathOf({ team: examples.ids.team, form: examples.ids.form })}`,
      contentType: "application/x-www-form-urlencoded",
      names: { name: ["name"], email: ["email"] },
      version: ownNames.version,
      key: ownNames.key,
    },
  },
} satisfies Operation["response"];

/** Documentation of a post of the page, by its public address or by an invitation. */
export const sentPage = {
  body: {
    shape: PageValues,
    formPost: "only",
    hasFiles: true,
    examples: { good: { summary: "A whole form", value: { ...examples.payload, people: "2" } } },
  },
  response: {
    description: "It is stored.",
    redirect: "It is stored: leads a browser to the page after it.",
    data: SubmissionReceipt,
    example: { id: examples.ids.submission, status: "completed", missingRequired: [] },
  },
  codes: [
    ...codesOfForm,
    "captcha_required",
    "declared_agent_refused",
    "captcha_failed",
    "conflict",
    "idempotency_key_reused",
    "validation_failed",
  ],
  limits: [ipLimit("RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE")],
} satisfies Partial<Operation>;

/** Documentation of the address of a step, when it is opened. */
export const returnedPage = {
  description: "The address of a step is for posts; a respondent may open it again.",
  response: { description: "The form, after the redirect.", redirect: "Leads to the form.", isPage: true },
  codes: [],
} satisfies Partial<Operation>;

/** Documentation of a post of one step. */
export const stepPage = {
  query: languageQuery,
  response: {
    description: "The next step.",
    redirect: "The button that saves was pressed: leads to the page after saving.",
    isPage: true,
  },
  codes: [...codesOfForm, "conflict", "validation_failed", "payload_too_large", "invalid_content_type"],
  limits: [pageLimit],
} satisfies Partial<Operation>;

/** Shows the form to fill in. @param link the invitation that it is opened by */
export async function respondToOpen(deps: Deps, { request, params, set }: PostContext, link?: HeldLink) {
  const asked = beginPageRequest(deps, request, params.id, link);
  const page = await readFormPage(asked, { counted: false, mustBeOpen: true });
  Object.assign(set.headers, { vary: "accept" }, languageHeaders(page));
  if (wantsJson(request)) return success(describePage(deps, page));
  const { fields } = page.form;
  const values = page.invited
    ? prefilledBy(fields, page.invited.prefill)
    : prefilled(fields, new URLSearchParams(rawQueryOf(request)));
  return respondWithStart({ ...asked, set, page }, values);
}

/** The page for programs: the published form, and how it is sent. */
function describePage({ config }: Deps, page: PublishedPage) {
  const { name, description, version, form } = page;
  const language = page.languages && page.text.lang;
  const fields = language
    ? definitionsWithoutTranslations(form)
    : form.fields.map(({ definition }) => definition);
  const schema = { fields };
  return {
    form: { id: page.formId, name, description, version, schema },
    ...(language && { language }),
    jsonSchema: jsonSchemaFor(page.formId, version, schema, language),
    submit: {
      method: "POST",
      url: page.invited
        ? `${page.address}`
        : config.BASE_URL + pagePathOf({ team: page.team, form: page.formId }),
      contentType: form.fileFields.length > 0 ? "multipart/form-data" : "application/x-www-form-urlencoded",
      /** The names by which each field's value is sent. */
      names: Object.fromEntries(form.fields.map((field) => [field.id, namesOf(field)])),
      /** Both are optional: the version that was read, and a key that makes a retry safe. */
      version: ownNames.version,
      key: ownNames.key,
      /** Required if present. */
      ...(page.captcha && { captcha: { ...page.captcha, name: tokenNameOf(page.captcha) } }),
    },
  };
}
