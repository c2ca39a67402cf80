/** The page of a form for respondents: `GET` and `POST /f/{id}`, and the page after a submission. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { success } from "../http/envelope.ts";
import type { FieldError } from "../http/field-errors.ts";
import { parseFormText } from "../http/form-body.ts";
import { contextOf } from "../http/request-context.ts";
import { Uuid } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import type { Store } from "../submit/submit.ts";
import { changedSince, unseenIn } from "./changed.ts";
import { describePage } from "./describe.ts";
import { messagesOf } from "./errors.ts";
import { beginVisit } from "./failure.tsx";
import { allValues } from "./kept.ts";
import { type FilledPage, respondWithForm } from "./page.tsx";
import { ownNames, readPost, submitPage } from "./post.ts";
import { prefilled } from "./prefill.ts";
import { readPage } from "./read.ts";
import { respondWithThanks } from "./sent.tsx";
import { respondAfterStep, respondWithFirstStep, respondWithProblem, stepsOf } from "./steps.tsx";
import { textIn } from "./text.ts";
import { type Visit, wantsJson } from "./visit.ts";

/** What Elysia gives a handler, as far as it is used here. */
interface Context {
  request: Request;
  params: { id: string };
  query: Record<string, string | undefined>;
  set: { status?: number | string; headers: Record<string, unknown> };
}

export const formPage = (deps: Deps, store: Store) =>
  new Elysia({ name: "/f" })
    .get("/f/:id", async ({ request, params, set }: Context) => {
      const visit = beginVisit(request);
      const page = await readPage(deps, visit, params.id, {
        counted: false,
        mustBeOpen: true,
      });
      set.headers.vary = "accept";
      if (wantsJson(request)) return success(describePage(deps, page));
      const action = `/f/${params.id}`;
      const values = prefilled(page.form.fields, new URLSearchParams(/\?(.*)$/.exec(request.url)?.[1]));
      const steps = stepsOf(deps, page);
      return steps
        ? respondWithFirstStep({ deps, request, set, page, action }, steps, values)
        : respondWithForm(set, { page, action, values });
    })
    // The address of a step is for posts; a respondent may open it again.
    .get("/f/:id/steps", ({ params, set }: Context) => seeOther(set, `/f/${encodeURIComponent(params.id)}`))
    .post("/f/:id/steps", async ({ request, params, set }: Context) => {
      const visit = beginVisit(request);
      const { bytes } = await readPost(deps, visit, "form-page");
      const page = await readPage(deps, visit, params.id, { counted: false, mustBeOpen: true });
      visit.posted ??= parseFormText(request, bytes);
      return await respondAfterStep({ deps, request, set, page, action: `/f/${params.id}` }, visit.posted);
    })
    .get("/f/:id/sent", async ({ request, params, query, set }: Context) => {
      const page = await readPage(deps, beginVisit(request), params.id, {
        counted: false,
        mustBeOpen: false,
      });
      const { redirectUrl } = page.settings;
      if (redirectUrl !== undefined) return seeOther(set, redirectUrl);
      return respondWithThanks(set, page, Uuid.allows(query.reference) ? query.reference : undefined);
    })
    .post("/f/:id", async ({ request, params, set }: Context) => {
      const visit = beginVisit(request);
      try {
        const stored = await submitPage(deps, store, visit, params.id);
        if (wantsJson(request)) return success(stored);
        return seeOther(set, `/f/${params.id}/sent?reference=${stored.id}`);
      } catch (error) {
        if (!(error instanceof Problem) || wantsJson(request) || !visit.posted || error.status >= 429)
          throw error;
        return await respondAgain(deps, visit, params.id, set, error);
      }
    });

/** After a post: a page that the browser gets by `GET`, so that a reload sends nothing. */
function seeOther(set: Context["set"], location: string): string {
  set.status = 303;
  set.headers.location = location;
  return "";
}

/** The form with what was entered, and why it was not sent. @throws the problem, when another page says so. */
async function respondAgain(
  deps: Deps,
  visit: Visit,
  id: string,
  set: Context["set"],
  problem: Problem,
): Promise<string> {
  const { code } = problem;
  const isAboutCaptcha = code === "captcha_required" || code === "captcha_failed";
  // Read for every failure: its page is in the form's language, and in the frames that the form allows.
  const page = await readPage(deps, visit, id, {
    counted: true,
    mustBeOpen: false,
  });
  const action = `/f/${id}`;
  const values = visit.posted as URLSearchParams;
  const steps = stepsOf(deps, page);
  if (steps) {
    const context = { deps, request: visit.request, set, page, action };
    const response = await respondWithProblem(context, steps, values, problem);
    if (response === undefined) throw problem;
    return response;
  }
  if (
    code !== "validation_failed" &&
    code !== "conflict" &&
    code !== "idempotency_key_reused" &&
    !isAboutCaptcha
  )
    throw problem;
  const text = textIn(page.settings.language);
  const view: FilledPage = {
    page,
    action,
    values: allValues(values),
    key: values.get(ownNames.key) ?? undefined,
    changed: unseenIn(page.form.fields, values),
  };
  set.status = problem.status;
  contextOf(visit.request).code = code;
  if (code === "validation_failed")
    return respondWithForm(set, {
      ...view,
      messages: messagesOf(text, page.form.fields, problem.extras.errors as FieldError[]),
    });
  if (isAboutCaptcha) return respondWithForm(set, { ...view, notice: text.captcha.failed });
  if (code === "idempotency_key_reused")
    return respondWithForm(set, { ...view, notice: text.alreadySent, key: undefined });
  const changed = await changedSince(deps, page, values);
  return respondWithForm(set, { ...view, notice: text.changed, changed });
}
