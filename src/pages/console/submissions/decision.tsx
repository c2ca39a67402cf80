/** The decision on a submission that waits for one. */
import { type } from "arktype";
import { limits } from "../../../limits.ts";
import { DateTime } from "../../../platform/http/shapes.ts";
import type { SubmissionRow } from "../../../resources/submissions/shapes.ts";
import { Submit } from "../../ui/controls.tsx";
import { type FormView, hrefOfSubmission } from "../form/form.tsx";
import { formOf, sent, textInput } from "../frame/form.tsx";
import { PostForm, seenBy, useMay, useRefused } from "../frame/layout.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.review;

const Choice = type("'approve' | 'reject' | 'reopen' | 'undo'");
const NextPage = type("/^[1-9]\\d{0,8}$/ | undefined");

export const reasonInput = () =>
  textInput({ label: words.reason, required: false, atMost: limits.submission.maxReasonLength });

export const decisionForm = () =>
  formOf(
    {
      reason: reasonInput(),
      decision: sent(Choice),
      updatedAt: sent(DateTime),
      next: sent(NextPage),
    },
    // The page has the reason of a hold as well.
    { scopedBy: "updatedAt" },
  );

/** The decisions that a submission allows, each as a button. `next`: the page of the queue that follows. */
export const Decision = ({
  form,
  submission: { id, status, reviewDecision, updatedAt },
  next,
}: {
  form: FormView;
  submission: SubmissionRow;
  next?: number | undefined;
}) => {
  const mayReview = useMay("submission.reviewed", form.workspaceId);
  const action = `${hrefOfSubmission(form, id)}/review`;
  const refused = useRefused(action);
  if (!mayReview || status !== "pending") return null;
  const seen = seenBy(refused, "submission_changed") ?? updatedAt.toISOString();
  const fields = { updatedAt: seen, ...(next !== undefined && { next: String(next) }) };
  return (
    <PostForm action={action} form={decisionForm()} fields={fields} initial={refused?.values} class="stacked">
      <div class="actions">
        {reviewDecision === null ? (
          <>
            <Submit name="decision" value="approve" data-key="a" label={words.approve} />
            <Submit class="danger" name="decision" value="reject" data-key="r" label={words.reject} />
          </>
        ) : (
          <Submit class="quiet" name="decision" value="reopen" label={words.reopen} />
        )}
      </div>
    </PostForm>
  );
};
