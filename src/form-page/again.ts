/** The page of a form after a post that was not stored. */
import type { Deps } from "../deps.ts";
import type { FieldError } from "../http/field-errors.ts";
import { contextOf } from "../http/request-context.ts";
import type { Problem } from "../problem.ts";
import { changedSince, unseenIn } from "./changed.ts";
import { messagesOf } from "./errors.ts";
import { allValues } from "./kept.ts";
import { ownNames } from "./own-names.ts";
import { type FilledPage, respondWithForm } from "./page.tsx";
import { type PublishedPage, readPage } from "./read.ts";
import { respondWithProblem, type StepContext, stepsOf } from "./steps.tsx";
import { textIn } from "./text.ts";
import type { Visit } from "./visit.ts";

/** The form with what was entered, and why it was not stored. @throws the problem, when it has a page of its own. */
export async function respondAgain(
  deps: Deps,
  visit: Visit,
  id: string,
  set: StepContext["set"],
  problem: Problem,
): Promise<string> {
  const { request } = visit;
  const posted = visit.posted as URLSearchParams;
  // Read for every problem: its page is in the form's language, and in the frames that the form allows.
  const page = await readPage(deps, visit, id, { counted: true, mustBeOpen: false });
  const context = { deps, request, set, page, action: `/f/${id}` };
  const steps = stepsOf(deps, page);
  const response = steps
    ? await respondWithProblem(context, steps, posted, problem)
    : await respondWithWholeForm(context, posted, problem);
  if (response === undefined) throw problem;
  return response;
}

/** @returns undefined for a problem that has a page of its own */
async function respondWithWholeForm(
  { deps, request, set, page, action }: StepContext,
  posted: URLSearchParams,
  problem: Problem,
): Promise<string | undefined> {
  const reason = await reasonOf(deps, page, posted, problem);
  if (!reason) return undefined;
  set.status = problem.status;
  contextOf(request).code = problem.code;
  return respondWithForm(set, {
    page,
    action,
    values: allValues(posted),
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
  const text = textIn(page.settings.language);
  switch (code) {
    case "validation_failed":
      return { messages: messagesOf(text, page.form.fields, extras.errors as FieldError[]) };
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
