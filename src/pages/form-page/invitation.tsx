/** The page of a form by the link of an invitation: `/f/{id}/i/{token}`, and its steps. */
import { Elysia } from "elysia";
import type { Deps } from "../../platform/deps.ts";
import { operation } from "../../platform/http/operation.ts";
import { emptyUnlessUtf8 } from "../../platform/http/shapes.ts";
import type { SubmitBatch } from "../../resources/submit/submit.ts";
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
import type { HeldLink } from "./page-request.ts";
import { type PostContext, respondToSend, respondToStep, respondToStepsRead } from "./send.ts";

type LinkContext = PostContext & { params: { id: string; token: string } };

const linkOf = ({ token }: LinkContext["params"]): HeldLink => ({ use: "i", token });

export const invitedPages = (deps: Deps, submitBatch: SubmitBatch) =>
  new Elysia({ name: "/f/:id/i" })
    .onTransform(emptyUnlessUtf8("id"))
    .onTransform(emptyUnlessUtf8("token"))
    .get(
      "/f/:id/i/:token",
      ({ request, params, set }: LinkContext) =>
        respondToOpen(deps, { request, params, set }, linkOf(params)),
      operation({
        id: "getInvitedPage",
        tag: "page",
        summary: "Open a form by an invitation",
        description: `The form as \`getFormPage\` gives it, with the invitation's values and in its language. ${forPrograms} Changes nothing. 404: unknown, revoked or expired. 410: it was used.`,
        security: [{}],
        query: languageQuery,
        response: openedPage,
        codes: codesOfForm,
        limits: [pageLimit],
      }),
    )
    .post(
      "/f/:id/i/:token",
      ({ request, params, set }: LinkContext) =>
        respondToSend(deps, submitBatch, { request, params, set }, linkOf(params)),
      operation({
        id: "submitInvitedPage",
        tag: "page",
        summary: "Send a form by an invitation",
        description: `As \`submitFormPage\`. The invitation is used once it is stored: one submission per invitation. The same page, sent again with its key, gets the first response. Values of hidden fields with \`prefill: true\` come from the invitation alone. ${forPrograms}`,
        security: [{}],
        query: languageQuery,
        ...sentPage,
      }),
    )
    .get(
      "/f/:id/i/:token/steps",
      ({ request, params, set }: LinkContext) =>
        respondToStepsRead(deps, { request, params, set }, linkOf(params)),
      operation({
        id: "getInvitedSteps",
        tag: "page",
        summary: "Return to a form of an invitation",
        security: [{}],
        ...returnedPage,
      }),
    )
    .post(
      "/f/:id/i/:token/steps",
      ({ request, params, set }: LinkContext) =>
        respondToStep(deps, { request, params, set }, linkOf(params)),
      operation({
        id: "sendInvitedStep",
        tag: "page",
        summary: "Send one step of a form of an invitation",
        description: "As `sendFormStep`. The invitation stays open.",
        security: [{}],
        ...stepPage,
      }),
    );
