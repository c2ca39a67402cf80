/** Holds in the console: what is held, since when and why, with the buttons that place and release them. */
import { toSql } from "../../../platform/auth/actor.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import { type HoldRow, placeQuery, releaseQuery } from "../../../resources/holds/holds.ts";
import { HoldRequest } from "../../../resources/holds/shapes.ts";
import { Input, Notice } from "../../ui/controls.tsx";
import { Picture } from "../../ui/pictures.tsx";
import { Time } from "../../ui/text.tsx";
import { type FormView, findForm, pathOfForm } from "../form/form.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import { type FormPost, onPost, parseValues } from "../frame/handler.ts";
import { PostForm, useMay } from "../frame/layout.tsx";
import { hrefOfSubmission } from "./form.tsx";
import { formText } from "./words.ts";

const words = formText.holds;

/** What a page shows of a hold. */
export type ShownHold = Pick<HoldRow, "submissionId" | "reason"> & { placedAt: Date | string };

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

/** Whether a form or a submission is held, and for admins the button that changes it. */
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
    <details class="confirm harmless">
      <summary>{of.place}</summary>
      <PostForm action={`${action}/hold`} class="stacked">
        <p>{of.placeHint}</p>
        <Input name="reason" label={words.reason} hint={words.reasonHint} scope={`${subject}-`} required />
        <button type="submit">{words.placeConfirm}</button>
      </PostForm>
    </details>
  ) : null;
};

/** The submissions of a form that are held by themselves. */
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

/** What a post is about, and where it leads back to. */
const subjectOf = async (view: FormPost, toForm: boolean) => {
  const form = await findForm(view);
  const submission = toForm ? null : uuidParam(view.params as { submission_id: string }, "submission_id");
  const held = { team: form.teamId, actor: toSql(view.deps.sql, view.actor), form: form.id, submission };
  const to = submission === null ? pathOfForm(form, "settings") : hrefOfSubmission(form, submission);
  return { held, to };
};

const place = (toForm: boolean) =>
  onPost({}, async (view) => {
    const { held, to } = await subjectOf(view, toForm);
    await placeQuery(view.deps.sql, held, parseValues(view.values, HoldRequest).reason);
    return { to, text: words.placed };
  });

const release = (toForm: boolean) =>
  onPost({}, async (view) => {
    const { held, to } = await subjectOf(view, toForm);
    await releaseQuery(view.deps.sql, held);
    return { to, text: words.released };
  });

export const holdPages = {
  holdForm: place(true),
  releaseForm: release(true),
  holdSubmission: place(false),
  releaseSubmission: release(false),
} satisfies Handlers;
