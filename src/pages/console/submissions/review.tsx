/** Review: the decision on one submission, and the queue of submissions that wait for one. */
import { toSql } from "../../../platform/auth/actor.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import { readSubmissionPage, type SubmissionPage } from "../../../resources/submissions/read.ts";
import { reviewQuery } from "../../../resources/submissions/review.ts";
import type { SubmissionRow } from "../../../resources/submissions/shapes.ts";
import { Pages } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, hrefOfSubmission, pathOfForm } from "../form/form.tsx";
import { submissionIn } from "../form/holds.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import type { FlashRedirect } from "../frame/flash.ts";
import type { DataOf } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { useMay } from "../frame/layout.tsx";
import { Empty, ListQuery } from "../frame/list-page.tsx";
import { KeySwitch, LinkLine } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { Decision, decisionForm } from "./decision.tsx";
import { totalText } from "./filters.tsx";
import { readSubmission, SubmissionValues } from "./submission.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.review;

interface Queue {
  form: FormView;
  submission: SubmissionRow | undefined;
  fields: Awaited<ReturnType<typeof publishedFields>>;
  pagination: SubmissionPage["pagination"];
}

/** Reads the submission at a position of the queue, newest first. */
async function readQueue(view: PageContext): Promise<Queue> {
  const form = await findForm(view);
  const { page } = parseQuery(view.query, ListQuery);
  const { items, pagination } = await readSubmissionPage(
    view.deps.sql,
    form,
    { review: "open" },
    { page, limit: 1 },
  );
  const [submission] = items;
  const fields = await publishedFields(view.deps, form, submission?.formVersion);
  return { form, submission, fields, pagination };
}

const ReviewQueue = ({ form, submission, fields, pagination }: Queue) => {
  const maySet = useMay("form.settings_changed", form.workspaceId);
  const { page, total } = pagination;
  const isRequired = form.settingsInForce.review?.required === true;
  if (!submission)
    return (
      <Empty
        message={total > 0 ? words.end : isRequired ? words.none : words.notRequired}
        action={
          total > 0
            ? { href: pathOfForm(form, "review"), label: words.start }
            : !isRequired && maySet && { href: pathOfForm(form, "settings"), label: formText.form.settings }
        }
      />
    );
  return (
    <>
      <div class="heading">
        <h2>{words.waiting(totalText(pagination))}</h2>
        <a href={hrefOfSubmission(form, submission.id)}>{words.open}</a>
        {total > 1 && <a href={`${pathOfForm(form, "review")}/several`}>{words.several}</a>}
      </div>
      <Pages
        {...pagination}
        words={frameText.pages}
        hrefOf={(to) => `${pathOfForm(form, "review")}?page=${to}`}
      />
      <SubmissionValues form={form} submission={submission} fields={fields} />
      <Decision form={form} submission={submission} next={page} />
      <KeySwitch />
    </>
  );
};

/** Leads to the next submission of the queue, or to the same one. A button undoes the decision. */
function afterDecision(
  { form, submission }: Awaited<ReturnType<typeof readSubmission>>,
  { decision, next }: DataOf<ReturnType<typeof decisionForm>>,
): FlashRedirect {
  const href = hrefOfSubmission(form, submission.id);
  const back = { decision: "undo", reason: "", updatedAt: submission.updatedAt.toISOString() };
  const undo = { action: `${href}/review`, fields: { ...back, ...(next && { next }) } };
  return {
    to: next ? `${pathOfForm(form, "review")}?page=${next}` : href,
    text: words.decided[decision](1),
    undo: decision === "approve" || decision === "reject" ? undo : undefined,
  };
}

async function undecidedPage(view: PageContext) {
  const found = await readSubmission(view);
  const content = (
    <>
      <SubmissionValues {...found} />
      <Decision {...found} />
      <LinkLine href={pathOfForm(found.form, "review")} label={words.start} />
    </>
  );
  return formPage(found.form, "review", formText.form.review, content);
}

export const reviewPages = {
  queue: onGet(async (view) => {
    const queue = await readQueue(view);
    return formPage(queue.form, "review", formText.form.review, <ReviewQueue {...queue} />);
  }),
  decide: onPost({ form: decisionForm, retry: undecidedPage }, async (view) => {
    const { deps, actor, data } = view;
    const form = await findForm(view);
    const of = { team: form.teamId, actor: toSql(deps.sql, actor), form: form.id, id: submissionIn(view) };
    await reviewQuery(deps.sql, of, { ...data, expectedUpdatedAt: data.updatedAt.toISOString() });
    return afterDecision(await readSubmission(view), data);
  }),
} satisfies Handlers;
