/** Holds in the console, with their time and reason, and buttons that place and release them. */
import { limits } from "../../../limits.ts";
import { toSql } from "../../../platform/auth/actor.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import { type HoldRow, placeQuery, releaseQuery } from "../../../resources/holds/holds.ts";
import { Notice } from "../../ui/controls.tsx";
import { Picture } from "../../ui/pictures.tsx";
import { Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { formOf, textInput } from "../frame/form.tsx";
import { onPost, type PageContext } from "../frame/handler.ts";
import { useMay } from "../frame/layout.tsx";
import { Confirm, FoldedForm } from "../frame/parts.tsx";
import { type FormView, findForm, formPage, hrefOfSubmission, pathOfForm } from "./form.tsx";
import { formText } from "./words.ts";

const words = formText.holds;

type ShownHold = Pick<HoldRow, "submissionId" | "reason"> & { placedAt: Date | string };

const holdForm = () =>
  formOf({
    reason: textInput({
      ...{ label: words.reason, hint: words.reasonHint, required: true },
      atMost: limits.hold.maxReasonLength,
    }),
  });

const Reason = ({ reason, placedAt }: Pick<ShownHold, "reason" | "placedAt">) => (
  <>
    {words.since} <Time at={placedAt} />: <span dir="auto">{reason}</span>
  </>
);

interface Held {
  form: FormView;
  /** Null: the form. */
  submission: string | null;
  hold: ShownHold | undefined;
}

/** State of a form or a submission: held or not, and for admins the button that changes it. */
export const HoldControls = ({ form, submission, hold }: Held) => {
  const subject = submission === null ? "form" : "submission";
  const mayHold = useMay(`${subject}.held`, form.workspaceId);
  const action = submission === null ? pathOfForm(form) : hrefOfSubmission(form, submission);
  const of = words[subject];
  if (hold)
    return (
      <>
        <Notice kind="info">
          <Picture name="lock" />
          {of.held} <Reason {...hold} />
        </Notice>
        {mayHold && (
          <Confirm
            label={of.release}
            action={`${action}/release`}
            hint={words.releaseHint}
            confirm={words.releaseConfirm}
          />
        )}
      </>
    );
  return mayHold ? (
    <FoldedForm
      label={of.place}
      action={`${action}/hold`}
      form={holdForm()}
      intro={of.placeHint}
      submit={words.placeConfirm}
    />
  ) : null;
};

/** Submissions of a form with a hold of their own. */
export const HeldSubmissions = ({ form, holds }: { form: FormView; holds: readonly ShownHold[] }) => {
  const items = holds.flatMap((hold) => (hold.submissionId ? [{ ...hold, id: hold.submissionId }] : []));
  if (items.length === 0) return null;
  return (
    <details>
      <summary>{words.list(items.length)}</summary>
      <ul class="rows">
        {items.map((hold) => (
          <li key={hold.id}>
            <span>
              <a href={hrefOfSubmission(form, hold.id)}>{words.one}</a> <Reason {...hold} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
};

/** @throws {Problem} `bad_request`. */
export const submissionIn = ({ params }: Pick<PageContext, "params">): string =>
  uuidParam(params as { submission_id: string }, "submission_id");

/** Form or submission that a post is about, and the page that it leads back to. */
const subjectOf = async (view: PageContext) => {
  const form = await findForm(view);
  const submission = "submission_id" in view.params ? submissionIn(view) : null;
  const held = { team: form.teamId, actor: toSql(view.deps.sql, view.actor), form: form.id, submission };
  const to = submission === null ? pathOfForm(form, "settings") : hrefOfSubmission(form, submission);
  return { form, held, to };
};

const placePage = async (view: PageContext) => {
  const { form, held } = await subjectOf(view);
  const [tab, subject] =
    held.submission === null ? (["settings", "form"] as const) : (["submissions", "submission"] as const);
  const content = <HoldControls form={form} submission={held.submission} hold={undefined} />;
  return formPage(form, tab, words[subject].place, content);
};

/** Places and releases holds on a form, or on the submission that the address names. */
export const holdPages = {
  place: onPost(
    { act: "submission.held", load: subjectOf, form: holdForm, retry: placePage },
    async ({ deps, data, found }) => {
      const { held, to } = found;
      await placeQuery(deps.sql, held, data.reason);
      return { to, text: words.placed };
    },
  ),
  release: onPost({ act: "submission.released", load: subjectOf }, async ({ deps, found: { held, to } }) => {
    await releaseQuery(deps.sql, held);
    return { to, text: words.released };
  }),
} satisfies Handlers;
