/** The decision on a submission that waits for one. */
import type { SubmissionRow } from "../../../resources/submissions/shapes.ts";
import { Input, Submit } from "../../ui/controls.tsx";
import { type FormView, hrefOfSubmission } from "../form/form.tsx";
import { PostForm, useMay } from "../frame/layout.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.review;

/**
 * The decisions that a submission allows, each as a button. `next`: the page of the queue to go to
 * afterwards.
 */
export const Decision = ({
  form,
  submission: { id, status, reviewDecision, updatedAt },
  next,
}: {
  form: FormView;
  submission: SubmissionRow;
  next?: number;
}) => {
  const mayReview = useMay("submission.reviewed", form.workspaceId);
  if (!mayReview || status !== "pending") return null;
  return (
    <PostForm action={`${hrefOfSubmission(form, id)}/review`} class="stacked">
      <input type="hidden" name="updatedAt" value={updatedAt.toISOString()} />
      {next !== undefined && <input type="hidden" name="next" value={next} />}
      <Input name="reason" label={words.reason} required={false} />
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
