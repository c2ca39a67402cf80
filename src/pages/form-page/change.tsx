/** The link by which a respondent changes a submission, or takes it back: `/f/{id}/c/{token}`. */
import { type } from "arktype";
import { Elysia } from "elysia";
import { say } from "../../messages.ts";
import { actorOf } from "../../platform/auth/actor.ts";
import { sha256 } from "../../platform/auth/secret.ts";
import type { Deps } from "../../platform/deps.ts";
import { operation } from "../../platform/http/operation.ts";
import { rawQueryOf } from "../../platform/http/request-context.ts";
import { emptyUnlessUtf8, fieldErrors, isUuid } from "../../platform/http/shapes.ts";
import { Problem, type ProblemCode, toProblem } from "../../problem.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { applyChange, withdrawSubmission } from "../../resources/submissions/change-links.ts";
import { languageParameter } from "../../resources/submit/shapes.ts";
import { redirect } from "../ui/page.tsx";
import { addressIn } from "./addresses.ts";
import { doubtfulIn, notAsked } from "./applicable.ts";
import { respondWithChanged, respondWithQuestion } from "./change-page.tsx";
import {
  type Counted,
  findChange,
  type OpenedChange,
  requireChange,
  withNewQuestions,
} from "./change-read.ts";
import { addedFiles, differingIn, editsIn, storedControls, withUnasked } from "./change-values.ts";
import { beginPageRequest, setFailurePage } from "./failure.tsx";
import { withQuery, withSpelling } from "./form-data.ts";
import { allValues, hasKept, isUnchanged } from "./hidden-fields.ts";
import { languageQuery, pageLimit, returnedPage, sentPage } from "./open.ts";
import { pageKeyOf } from "./page-key.ts";
import { type Asked, type Posted, wantsJson } from "./page-request.ts";
import { keep, readPost } from "./post.ts";
import { respondToStepsRead } from "./send.ts";
import {
  respondAfterStep,
  respondWithProblem,
  respondWithStart,
  respondWithStored,
  type StepContext,
} from "./steps.tsx";
import { readUploads } from "./uploads.ts";

interface LinkContext {
  request: Request;
  params: { id: string; token: string };
  set: StepContext["set"];
}

const codes: ProblemCode[] = ["not_found", "gone", "form_closed", "held"];
const postCodes: ProblemCode[] = [...codes, "conflict", "validation_failed", "invalid_content_type"];
const { body, limits } = sentPage;

export const changeRoutes = (deps: Deps) =>
  new Elysia({ name: "/f/c" })
    .onTransform(emptyUnlessUtf8("id"))
    .onTransform(emptyUnlessUtf8("token"))
    .get(
      "/f/:id/c/:token",
      async ({ request, params, set }: LinkContext) => {
        const asked = begin(deps, request, params);
        const { page, submission } = await requireChange(asked, "form-page");
        const context = { ...asked, set, page };
        const stored = new URL(request.url).searchParams.get("stored");
        if (stored !== null) return respondWithChanged(context, submission.data, stored === "nothing");
        return respondWithStart(context, storedControls(page.form.fields, submission.data));
      },
      operation({
        id: "getSubmittedPage",
        tag: "page",
        summary: "Open a submission to change it",
        description:
          "The form with the values that its respondent has sent, in the version of the submission. Sensitive values are in no response. The token is the credential: 403, 409 and 410 have the reason in `change` (`off`, `reviewed`, `held`, `ended`).",
        security: [{}],
        query: {
          shape: type({ "stored?": "string", ...languageParameter.shape }),
          notes: { ...languageQuery.notes, stored: "Shows the values after they were stored." },
        },
        response: { description: "The form.", isPage: true },
        codes,
        limits: [pageLimit],
      }),
    )
    .post(
      "/f/:id/c/:token",
      async ({ request, params, set }: LinkContext) => {
        const { asked, opened, posted } = await readChange(begin(deps, request, params), "submit");
        const context = { ...asked, set, page: opened.page };
        return await respondToChange(context, opened, posted);
      },
      operation({
        id: "changeSubmittedPage",
        tag: "page",
        summary: "Change a submission",
        description:
          "Stores the values that differ from the stored ones, as edits by `respondent`. An empty sensitive value is kept. `formd.seen` is the `updatedAt` that the page was opened with: after another change nothing is stored, and the page shows both.",
        security: [{}],
        query: languageQuery,
        body,
        response: {
          description: "The form with its errors.",
          redirect: "It is stored: leads to the page after it.",
          isPage: true,
        },
        codes: [...postCodes, "payload_too_large"],
        limits,
      }),
    )
    .get(
      "/f/:id/c/:token/steps",
      ({ request, params, set }: LinkContext) =>
        respondToStepsRead(deps, { request, params, set }, { use: "c", token: params.token }),
      operation({
        id: "getSubmittedSteps",
        tag: "page",
        summary: "Return to the page of a submission",
        security: [{}],
        ...returnedPage,
      }),
    )
    .post(
      "/f/:id/c/:token/steps",
      async ({ request, params, set }: LinkContext) => {
        const { asked, opened, posted } = await readChange(begin(deps, request, params), "form-page");
        const context = { ...asked, set, page: opened.page };
        return respondToConflict(context, opened, posted) ?? (await respondAfterStep(context, posted));
      },
      operation({
        id: "sendSubmittedStep",
        tag: "page",
        summary: "Send one step of a submission",
        description: "Validates a step and shows the next one, as `sendFormStep`. Nothing is stored.",
        security: [{}],
        query: languageQuery,
        response: { description: "The next step.", isPage: true },
        codes: [...postCodes, "payload_too_large"],
        limits: [pageLimit],
      }),
    )
    .get(
      "/f/:id/c/:token/withdraw",
      async ({ request, params, set }: LinkContext) => {
        const asked = begin(deps, request, params);
        const { page, opened } = await findChange(asked, "form-page", { isWithdrawal: true });
        return respondWithQuestion({ ...asked, set, page }, opened === undefined);
      },
      operation({
        id: "getWithdrawal",
        tag: "page",
        summary: "Ask before a submission is taken back",
        description: "Changes nothing. After the submission was taken back the page says so.",
        security: [{}],
        query: languageQuery,
        response: { description: "The question.", isPage: true },
        codes,
        limits: [pageLimit],
      }),
    )
    .post(
      "/f/:id/c/:token/withdraw",
      async ({ request, params, set }: LinkContext) => {
        const asked = begin(deps, request, params);
        const { page, opened } = await findChange(asked, "submit", { isWithdrawal: true });
        const form = { team: page.team, form: page.formId };
        if (opened)
          await withdrawSubmission(
            deps.sql,
            actorOf(request, "respondent", null),
            form,
            opened.submission.id,
          );
        return redirect(set, `${asked.action}/withdraw${rawQueryOf(request)}`);
      },
      operation({
        id: "withdrawSubmission",
        tag: "page",
        summary: "Take a submission back",
        description: "Deletes it, as `deleteSubmission` does, by `respondent`.",
        security: [{}],
        query: languageQuery,
        response: {
          description: "It is deleted.",
          redirect: "It is deleted: leads to a page that says so.",
          isPage: true,
        },
        codes,
        limits,
      }),
    );

const begin = (deps: Deps, request: Request, { id, token }: LinkContext["params"]): Asked =>
  beginPageRequest(deps, request, id, { use: "c", token });

/** Reads a post and the submission that it changes. Files are stored once the link was found valid. */
async function readChange(given: Asked, counted: Counted) {
  let opened: OpenedChange | undefined;
  const { asked, body, ...post } = await readPost(given, counted, (asked) =>
    readUploads(asked, async (each) => {
      opened = await requireChange(each, counted);
      const { page, strict, submission } = opened;
      return { shown: page, change: { submission: submission.id, form: strict } };
    }),
  );
  opened ??= await requireChange(asked, counted, { posted: post.posted });
  const { values: sent, issues } = post.posted ?? keep(asked.request, await body.read(), opened.page);
  // A page in steps carries all values.
  const values = hasKept(sent) ? sent : withUnasked(opened.page.form, sent, opened.submission.data);
  const posted = { values, issues };
  opened = withNewQuestions(opened, sentIn({ ...asked, page: opened.page }, posted));
  setFailurePage(asked.request, posted, opened.page);
  return { asked, opened, posted };
}

/** All values of a post, as the page that sent them writes them. */
const sentIn = (
  { page, request }: Pick<StepContext, "page" | "request">,
  { values }: Posted,
): URLSearchParams =>
  allValues(
    withQuery(page.form.fields, withSpelling(page.form.fields, values, page.text, page.languages), request),
  );

const isSeen = ({ submission }: OpenedChange, { values }: Posted): boolean =>
  values.get(ownNames.seen) === submission.updatedAt.toISOString();

/**
 * Responds if the submission was changed since the page was opened; undefined: it was not, or the post has
 * its values, as one that is sent twice.
 */
function respondToConflict(context: StepContext, opened: OpenedChange, posted: Posted): string | undefined {
  if (isSeen(opened, posted)) return undefined;
  const sent = sentIn(context, posted);
  const differing = differingIn(
    context.page.form,
    sent,
    opened.submission.data,
    context.page.change?.notShown,
  );
  if (differing.length === 0) return undefined;
  if (wantsJson(context.request)) throw new Problem("conflict", say("submission_changed"));
  return respondWithStored(context, sent, new Set(differing.map(({ id }) => id)));
}

/** Stores the changes in a post. @throws {Problem} where no page shows the values again */
async function respondToChange(context: StepContext, opened: OpenedChange, posted: Posted): Promise<string> {
  const { action, page, request, set } = context;
  const again = respondToConflict(context, opened, posted);
  if (again !== undefined) return again;
  const respond = (stored: "changes" | "nothing") => {
    const address = addressIn(page, action);
    return redirect(set, `${address}${address.includes("?") ? "&" : "?"}stored=${stored}`);
  };
  try {
    const isStored = await store(context, opened, posted);
    return respond(isStored || !isSeen(opened, posted) ? "changes" : "nothing");
  } catch (error) {
    const problem = toProblem(error);
    if (problem.code === "conflict" && !wantsJson(request)) {
      const now = await requireChange(addressed(context, opened), "form-page", { posted });
      return respondToConflict({ ...context, page: now.page }, now, posted) ?? respond("changes");
    }
    if (problem.status >= 429 || problem.extras.change !== undefined || wantsJson(request)) throw error;
    return await respondWithProblem(context, posted.values, problem);
  }
}

/** A request whose form is known. */
const addressed = (context: StepContext, { page: { team, formId } }: OpenedChange): Asked => ({
  ...context,
  address: { team, form: formId },
});

/** @returns false: nothing differs from the stored values */
async function store(context: StepContext, opened: OpenedChange, posted: Posted): Promise<boolean> {
  const { deps, page, request } = context;
  const { schema, strict, submission } = opened;
  const sent = sentIn(context, posted);
  if (posted.values.get(ownNames.version) !== String(page.version)) throw new Problem("bad_request");
  if (hasKept(posted.values) && !isUnchanged(deps.masterKey, page.formId, posted.values))
    throw new Problem("bad_request", "Kept values of other steps are not those that the page had.");
  const { data, hidden, edits, unstorable } = editsIn(
    page.form,
    strict,
    sent,
    submission.data,
    page.change?.notShown ?? new Set(),
  );
  const unasked =
    hidden && !hasKept(posted.values) ? notAsked(page.form, { hidden }, sent) : new Set<string>();
  const issues = fieldErrors(deps.config, posted.issues);
  if (issues.length + unasked.size + doubtfulIn(page.form, data, sent).size > 0)
    throw new Problem("validation_failed", { extras: { errors: issues } });
  const added = addedFiles(strict, edits, submission.data).filter(({ id }) => isUuid(id));
  const pageHash = sha256(pageKeyOf(posted.values) ?? "");
  const changed = { team: page.team, submission, schema, pageHash };
  const expectedUpdatedAt = submission.updatedAt.toISOString();
  const respondent = actorOf(request, "respondent", null);
  return await applyChange(deps, respondent, changed, { expectedUpdatedAt, edits, unstorable }, added);
}
