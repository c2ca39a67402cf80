/** The page of a form for respondents, `GET` and `POST /f/{id}`, its steps, and the page after them. */
import { type } from "arktype";
import { Elysia } from "elysia";
import { namesOf } from "../../fields/presentation.ts";
import { limits } from "../../limits.ts";
import type { Deps } from "../../platform/deps.ts";
import { success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { ipLimit, type Limit, operation } from "../../platform/http/operation.ts";
import { rawQueryOf } from "../../platform/http/request-context.ts";
import { emptyUnlessUtf8 } from "../../platform/http/shapes.ts";
import { Problem, type ProblemCode } from "../../problem.ts";
import { pagePathOf } from "../../resources/forms/page-address.ts";
import { ownNames, PageSubmit, PageValues } from "../../resources/forms/page-shapes.ts";
import { pictureOf } from "../../resources/forms/pictures.ts";
import { jsonSchemaFor } from "../../resources/submit/read-form.ts";
import {
  languageMember,
  languageParameter,
  PublishedForm,
  SubmissionReceipt,
} from "../../resources/submit/shapes.ts";
import type { SubmitBatch } from "../../resources/submit/submit.ts";
import { definitionsWithoutTranslations } from "../../resources/submit/versions.ts";
import { redirect } from "../ui/page.tsx";
import { addressIn } from "./addresses.ts";
import { prefilled } from "./applicable.ts";
import { tokenNameOf } from "./captcha.tsx";
import { beginPageRequest } from "./failure.tsx";
import { languageHeaders } from "./language.ts";
import { type PublishedPage, wantsJson } from "./page-request.ts";
import { readFormPage } from "./read.ts";
import { draftRoutes } from "./resume.tsx";
import { type PostContext, respondToSend, respondToStep } from "./send.ts";
import { respondWithThanks } from "./sent.tsx";
import { readSent } from "./sent-address.ts";
import { respondWithStart } from "./steps.tsx";
import { pictureShared } from "./theme.tsx";

const forPrograms = "With `Accept: application/json` it is JSON, an error included; otherwise an HTML page.";
const codes = ["not_found", "gone", "anonymous_not_allowed"] as const;
const codesOfForm: ProblemCode[] = [...codes, "form_closed", "captcha_unavailable"];
/** An hour: another picture is seen soon. */
const pictureMaxAgeSeconds = 3_600;
const pageLimit: Limit = {
  scope: "ip",
  seconds: limits.rateLimit.windowMs / 1000,
  requests: limits.formPage.requestsPerMinute,
};

const languageQuery = {
  shape: type(languageParameter.shape),
  notes: {
    lang: "The language of the page (BCP 47), by look-up (RFC 4647): `de-AT` finds `de`. Without one of the form's: that of the visit, or of `Accept-Language`, or the form's first. Of several the last.",
  },
};

export const formPageRoutes = (deps: Deps, submitBatch: SubmitBatch) =>
  new Elysia({ name: "/f" })
    .use(draftRoutes(deps, submitBatch))
    .onTransform(emptyUnlessUtf8("id"))
    .get(
      "/f/:id",
      async ({ request, params, set }: PostContext) => {
        const asked = beginPageRequest(deps, request, params.id);
        const page = await readFormPage(asked, { counted: false, mustBeOpen: true });
        Object.assign(set.headers, { vary: "accept" }, languageHeaders(page));
        if (wantsJson(request)) return success(describePage(deps, page));
        const values = prefilled(page.form.fields, new URLSearchParams(rawQueryOf(request)));
        return respondWithStart({ ...asked, set, page }, values);
      },
      operation({
        id: "getFormPage",
        tag: "page",
        summary: "Read the page of a form",
        description: `The published form, to fill in. ${forPrograms} The query gives values of fields with \`prefill: true\`, by the names of their controls. No cookie is set.`,
        security: [{}],
        query: languageQuery,
        response: {
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
        },
        codes: codesOfForm,
        limits: [pageLimit],
      }),
    )
    .post(
      "/f/:id",
      ({ request, params, set }: PostContext) => respondToSend(deps, submitBatch, { request, params, set }),
      operation({
        id: "submitFormPage",
        tag: "page",
        summary: "Send the page of a form",
        description: `Stores the values as a submission of a new anonymous session. Status and codes are those of \`createSubmission\`. ${forPrograms} With field errors that page is the form with the values. Values of hidden fields with \`prefill: true\` come from the query alone.`,
        security: [{}],
        query: languageQuery,
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
      }),
    )
    .get(
      "/f/:id/steps",
      ({ request, params, set }: PostContext) =>
        redirect(set, `/f/${encodeURIComponent(params.id)}${rawQueryOf(request)}`),
      operation({
        id: "getFormSteps",
        tag: "page",
        summary: "Return to the page of a form",
        description: "The address of a step is for posts; a respondent may open it again.",
        security: [{}],
        response: {
          description: "The form, after the redirect.",
          redirect: "Leads to the form.",
          isPage: true,
        },
        codes: [],
      }),
    )
    .post(
      "/f/:id/steps",
      ({ request, params, set }: PostContext) => respondToStep(deps, { request, params, set }),
      operation({
        id: "sendFormStep",
        tag: "page",
        summary: "Send one step of a form",
        description:
          "Validates a step of a form in steps and shows the next one, or the values to check. It is sent by its own page, which carries the values of other steps with a signature. Nothing is stored. A program sends all values to `submitFormPage`.",
        security: [{}],
        query: languageQuery,
        response: { description: "The next step.", isPage: true },
        codes: [...codesOfForm, "conflict", "validation_failed", "payload_too_large", "invalid_content_type"],
        limits: [pageLimit],
      }),
    )
    .get(
      "/f/:id/picture",
      async ({ request, params, set }: PostContext) => {
        const asked = beginPageRequest(deps, request, params.id);
        const { settings } = await readFormPage(asked, { counted: false, mustBeOpen: false });
        const picture = pictureOf(pictureShared(settings)?.src);
        if (!picture) throw new Problem("not_found");
        Object.assign(set.headers, {
          "content-type": picture.type,
          "cache-control": `public, max-age=${pictureMaxAgeSeconds}`,
          "cross-origin-resource-policy": "cross-origin",
        });
        return new Response(picture.bytes);
      },
      operation({
        id: "getFormPicture",
        tag: "page",
        summary: "Read the picture of a form",
        description:
          "The logo, or without one the cover, for networks that show a picture beside a link to the form's page.",
        security: [{}],
        response: {
          description: "The picture.",
          media: { "image/*": { schema: { type: "string", format: "binary" } } },
        },
        codes: [...codes],
        limits: [pageLimit],
      }),
    )
    .get(
      "/f/:id/sent",
      async ({
        request,
        params,
        query,
        set,
      }: PostContext & { query: Record<string, string | undefined> }) => {
        const asked = beginPageRequest(deps, request, params.id);
        const page = await readFormPage(asked, { counted: false, mustBeOpen: false });
        const { redirectUrl } = page.settings;
        if (redirectUrl !== undefined) return redirect(set, redirectUrl);
        const again = page.isClosed ? undefined : addressIn(page, asked.action);
        return respondWithThanks(set, page, await readSent(deps, page, query), again);
      },
      operation({
        id: "getSentPage",
        tag: "page",
        summary: "Read the page after a submission",
        security: [{}],
        query: {
          shape: type({ "reference?": "string", "signature?": "string", ...languageParameter.shape }),
          notes: {
            ...languageQuery.notes,
            reference: "The submission's id, whose end the page shows.",
            signature: `Of the server. With it the page shows the values, for ${limits.formPage.sentValuesMs / 60_000} minutes.`,
          },
        },
        response: {
          description: "The text of `settings.page.thankYou`.",
          redirect: "Leads to `settings.page.redirectUrl`.",
          isPage: true,
        },
        codes: [...codes],
        limits: [pageLimit],
      }),
    );

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
      url: config.BASE_URL + pagePathOf({ team: page.team, form: page.formId }),
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
