/** Responses to a post of a form's page, by its public address or by a link. */
import { limits } from "../../limits.ts";
import type { Deps } from "../../platform/deps.ts";
import { success } from "../../platform/http/envelope.ts";
import { rawQueryOf } from "../../platform/http/request-context.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import type { SubmitBatch } from "../../resources/submit/submit.ts";
import { redirect } from "../ui/page.tsx";
import { saveDraft } from "./drafts.ts";
import { beginPageRequest } from "./failure.tsx";
import { type HeldLink, isEmbedded, type Posted, wantsJson } from "./page-request.ts";
import { keep, type RefusedPost, readPost, submitPage } from "./post.ts";
import { countBegun } from "./reached.ts";
import { readFormPage } from "./read.ts";
import { sentQuery } from "./sent-address.ts";
import { respondAfterStep, respondWithProblem, respondWithUnsaved, type StepContext } from "./steps.tsx";

/** Members of a context that a route takes apart: Elysia reads the body if it is passed on whole. */
export interface PostContext {
  request: Request;
  params: { id: string };
  set: StepContext["set"];
}

/** Stores what was sent. @param link that the page was opened by */
export async function respondToSend(
  deps: Deps,
  submitBatch: SubmitBatch,
  { request, params, set }: PostContext,
  link?: HeldLink,
) {
  const result = await submitPage(beginPageRequest(deps, request, params.id, link), submitBatch);
  if ("problem" in result) return await respondToRefusedPost(result, set);
  const { form, lang, isInvited, stored } = result;
  if (wantsJson(request)) return success(stored);
  const sent = `/f/${params.id}/sent?${sentQuery(deps.masterKey, form, stored.id, lang)}`;
  const marks = `${isInvited ? "&invited" : ""}${isEmbedded(request) ? "&embed" : ""}`;
  return redirect(set, sent + marks);
}

/** Shows what comes after a step. @param link that the page was opened by */
export async function respondToStep(deps: Deps, { request, params, set }: PostContext, link?: HeldLink) {
  const { asked, ipKey, body, ...post } = await readPost(
    beginPageRequest(deps, request, params.id, link),
    "form-page",
  );
  let { posted } = post;
  const trySave = async (posted: Posted) =>
    posted.values.has(ownNames.save) && posted.issues.length === 0
      ? await saveDraft(asked, posted.values, { ipKey, maxRequests: limits.formPage.requestsPerMinute })
      : undefined;
  // Before the page is read, which a redirect does not need.
  let saved = posted && (await trySave(posted));
  if (saved?.address) return redirect(set, saved.address);
  const page = await readFormPage(asked, { counted: false, mustBeOpen: true }, posted);
  if (!posted) {
    posted = keep(request, await body.read(), page);
    saved = await trySave(posted);
    if (saved?.address) return redirect(set, saved.address);
  }
  countBegun({ ...asked, page }, posted.values);
  if (!saved) return await respondAfterStep({ ...asked, set, page }, posted);
  const { reason, code, savedAt } = saved.unsaved ?? { reason: "refused", code: "form_closed" };
  if (savedAt !== undefined) posted.values.set(ownNames.saved, savedAt);
  const notice = page.text.resume[reason];
  return await respondWithUnsaved({ ...asked, set, page }, posted.values, { notice, code });
}

/** Leads from the address of a step, which is for posts, back to the form. */
export const respondToStepsRead = (
  deps: Deps,
  { request, params, set }: PostContext,
  link?: HeldLink,
): string => {
  beginPageRequest(deps, request, params.id, link);
  const parts = [params.id, ...(link ? [link.use, link.token] : [])].map(encodeURIComponent);
  return redirect(set, `/f/${parts.join("/")}${rawQueryOf(request)}`);
};

/** Responds with the form, the values and the reason. @throws the problem, when it has its own page */
async function respondToRefusedPost({ asked, posted, problem }: RefusedPost, set: StepContext["set"]) {
  // Read for every problem: its page is in the form's language, and in the frames that the form allows.
  const page = await readFormPage(asked, { counted: true, mustBeOpen: false }, posted);
  countBegun({ ...asked, page }, posted.values);
  return await respondWithProblem({ ...asked, set, page }, posted.values, problem);
}
