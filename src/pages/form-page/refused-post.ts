/** The page of a form after a post that was not stored. */
import type { Deps } from "../../platform/deps.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import type { FieldError } from "../../platform/http/shapes.ts";
import type { Problem } from "../../problem.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { changedSince, unseenIn } from "./changed-fields.ts";
import { messagesOf } from "./errors.ts";
import { allValues } from "./hidden-fields.ts";
import { type FilledPage, keepForBackKey, respondWithForm } from "./page.tsx";
import type { PageRequest } from "./page-request.ts";
import { type PublishedPage, readFormPage } from "./read.ts";
import { respondWithProblem, type StepContext, stepsOf } from "./steps.tsx";
import { textForLanguage } from "./text/text.ts";

/**
 * The form with what was entered, and why it was not stored.
 * @throws the problem, when it has a page of its own.
 */
export async function respondToRefusedPost(
  deps: Deps,
  pageRequest: PageRequest,
  id: string,
  posted: URLSearchParams,
  set: StepContext["set"],
  problem: Problem,
): Promise<string> {
  const { request } = pageRequest;
  // Read for every problem: its page is in the form's language, and in the frames that the form allows.
  const page = await readFormPage(deps, pageRequest, id, { counted: true, mustBeOpen: false });
  const context = { deps, request, set, page, action: `/f/${id}` };
  const response = await respondWithReason(context, posted, problem, pageRequest.notAsked);
  if (response === undefined) throw problem;
  return response;
}

/**
 * The form, or the step, that a problem is about.
 * @returns undefined for a problem that has a page of its own
 */
export async function respondWithReason(
  context: StepContext,
  posted: URLSearchParams,
  problem: Problem,
  asked: PageRequest["notAsked"],
): Promise<string | undefined> {
  const steps = stepsOf(context.deps, context.page);
  return steps
    ? await respondWithProblem(context, steps, posted, problem)
    : await respondWithWholeForm(context, posted, problem, asked);
}

/** @returns undefined for a problem that has a page of its own */
async function respondWithWholeForm(
  { deps, request, set, page, action }: StepContext,
  posted: URLSearchParams,
  problem: Problem,
  asked: PageRequest["notAsked"],
): Promise<string | undefined> {
  const { more } = textForLanguage(page.settings.language);
  const reason = asked ? { notice: more, asked } : await reasonOf(deps, page, posted, problem);
  if (!reason) return undefined;
  set.status = problem.status;
  contextOf(request).code = problem.code;
  const values = allValues(posted);
  keepForBackKey(set, page.form.fields, values);
  return respondWithForm(set, {
    page,
    action,
    values,
    key: posted.get(ownNames.key) ?? undefined,
    changed: unseenIn(page.form.fields, posted),
    ...reason,
  });
}

async function reasonOf(
  deps: Deps,
  page: PublishedPage,
  posted: URLSearchParams,
  { code, extras }: Problem,
): Promise<Partial<FilledPage> | undefined> {
  const text = textForLanguage(page.settings.language);
  switch (code) {
    case "validation_failed":
      return { messages: messagesOf(text, page.form.fields, extras.errors as FieldError[], page.full) };
    case "conflict":
      return { notice: text.changed, changed: await changedSince(deps, page, posted) };
    case "idempotency_key_reused":
      return { notice: text.alreadySent, key: undefined };
    case "captcha_required":
    case "captcha_failed":
      return { notice: text.captcha.failed };
    default:
      return undefined;
  }
}
