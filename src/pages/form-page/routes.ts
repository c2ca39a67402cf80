/** The page of a form for respondents, `GET` and `POST /f/{id}`, its steps, and the page after them. */
import { type } from "arktype";
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import type { Deps } from "../../platform/deps.ts";
import { operation } from "../../platform/http/operation.ts";
import { emptyUnlessUtf8 } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import { pictureOf } from "../../resources/forms/pictures.ts";
import { languageParameter } from "../../resources/submit/shapes.ts";
import type { SubmitBatch } from "../../resources/submit/submit.ts";
import { redirect } from "../ui/page.tsx";
import { addressIn } from "./addresses.ts";
import { changeRoutes } from "./change.tsx";
import { beginPageRequest } from "./failure.tsx";
import { invitedPages } from "./invitation.tsx";
import {
  codesOfForm,
  forPrograms,
  languageQuery,
  openedPage,
  pageLimit,
  respondToOpen,
  returnedPage,
  sentPage,
  stepPage,
} from "./open.ts";
import { readFormPage } from "./read.ts";
import { draftRoutes } from "./resume.tsx";
import { type PostContext, respondToSend, respondToStep, respondToStepsRead } from "./send.ts";
import { respondWithThanks } from "./sent.tsx";
import { readSent } from "./sent-address.ts";
import { pictureShared } from "./theme.tsx";

const codes = ["not_found", "gone", "anonymous_not_allowed"] as const;
/** An hour: another picture is seen soon. */
const pictureMaxAgeSeconds = 3_600;

export const formPageRoutes = (deps: Deps, submitBatch: SubmitBatch) =>
  new Elysia({ name: "/f" })
    .use(draftRoutes(deps, submitBatch))
    .use(invitedPages(deps, submitBatch))
    .onTransform(emptyUnlessUtf8("id"))
    .get(
      "/f/:id",
      ({ request, params, set }: PostContext) => respondToOpen(deps, { request, params, set }),
      operation({
        id: "getFormPage",
        tag: "page",
        summary: "Read the page of a form",
        description: `The published form, to fill in. ${forPrograms} The query gives values of fields with \`prefill: true\`, by the names of their controls. No cookie is set.`,
        security: [{}],
        query: languageQuery,
        response: openedPage,
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
        ...sentPage,
      }),
    )
    .get(
      "/f/:id/steps",
      ({ request, params, set }: PostContext) => respondToStepsRead(deps, { request, params, set }),
      operation({
        id: "getFormSteps",
        tag: "page",
        summary: "Return to the page of a form",
        security: [{}],
        ...returnedPage,
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
          "Validates a step of a form in steps and shows the next one, or the values to check. It is sent by its own page, which carries the values of other steps with a signature. Nothing is stored, except by the button that saves (`settings.page.resume`). A program sends all values to `submitFormPage`.",
        security: [{}],
        ...stepPage,
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
        const page = await readFormPage(asked, { counted: false, mustBeOpen: false, isSent: true });
        const { redirectUrl, access } = page.settings;
        if (redirectUrl !== undefined) return redirect(set, redirectUrl);
        const isOnce = access === "invited" || query.invited !== undefined;
        const again = page.isClosed || isOnce ? undefined : addressIn(page, asked.action);
        return respondWithThanks(set, page, await readSent(deps, page, query), asked.action, again);
      },
      operation({
        id: "getSentPage",
        tag: "page",
        summary: "Read the page after a submission",
        security: [{}],
        query: {
          shape: type({
            "reference?": "string",
            "signature?": "string",
            "invited?": "string",
            ...languageParameter.shape,
          }),
          notes: {
            ...languageQuery.notes,
            reference: "The submission's id, whose end the page shows.",
            invited: "It was sent by an invitation, which is possible once: the page offers no other one.",
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
    )
    .use(changeRoutes(deps));
