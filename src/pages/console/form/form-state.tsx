/** State of a form for people: online, offline, or the reason why it is closed; and what waits. */

import { clockAt } from "../../../fields/time-zones.ts";
import { type FormView, maxWaiting } from "../../../resources/forms/form-view.ts";
import type { FormRow } from "../../../resources/forms/shapes.ts";
import { hasWaiting, waitingChanges } from "../../../resources/forms/waiting-changes.ts";
import { formatCount, formatDay } from "../../ui/text.tsx";
import { PostForm, useMay } from "../frame/layout.tsx";
import { formText } from "./words.ts";

interface FormFacts {
  status: FormRow["status"];
  settingsInForce: FormRow["settings"];
  /** Submissions that it has, of any status. */
  total: number;
}

/** True if people can see the page, and fill it in, all or the invited ones. As formd.form_page_outcome. */
export const isOnline = ({ status, settingsInForce: { page, anonymous } }: Omit<FormFacts, "total">) =>
  status === "published" &&
  page?.enabled === true &&
  (page.access === "invited" || anonymous?.enabled !== false);

/** True if everyone who has the address can. */
export const isPublic = (form: Omit<FormFacts, "total">) =>
  isOnline(form) && form.settingsInForce.page?.access !== "invited";

/** True if the form has ended, in effect. */
export const isClosed = ({ settingsInForce: { availability } }: Pick<FormFacts, "settingsInForce">) =>
  availability?.closesAt !== undefined && Date.now() >= Date.parse(availability.closesAt);

/** State of a published form as people find it. Reasons as in formd.form_closed. */
export function stateOf(form: FormFacts): "offline" | "opens" | "closed" | "full" | "online" {
  const { opensAt, maxSubmissions } = form.settingsInForce.availability ?? {};
  if (!isOnline(form)) return "offline";
  if (opensAt && Date.now() < Date.parse(opensAt)) return "opens";
  if (isClosed(form)) return "closed";
  return maxSubmissions !== undefined && form.total >= maxSubmissions ? "full" : "online";
}

type StateProps = FormFacts & Parameters<typeof hasWaiting>[0];

/** Words of the state, and the look of its badge. */
function badgeOf(form: StateProps): [look: string, words: string] {
  const { states } = formText.form;
  if (form.status !== "published") return [form.status, formText.statuses[form.status]];
  const state = stateOf(form);
  const { opensAt = "", timeZone = "UTC" } = form.settingsInForce.availability ?? {};
  if (state === "opens")
    return ["pending", states.opens(formatDay(new Date(clockAt(opensAt, timeZone).day)))];
  if (state === "online")
    return ["published", hasWaiting(form) ? states.changed : isPublic(form) ? states.online : states.invited];
  return [state === "offline" ? "draft" : "pending", states[state]];
}

export const State = ({ form }: { form: StateProps }) => {
  const [look, words] = badgeOf(form);
  return <span class={`badge ${look}`}>{words}</span>;
};

/** Says what people do not see yet, and publishes it. @param review address of the page that shows it */
export const LiveBar = ({ form, review }: { form: FormView; review: string }) => {
  const mayPublish = useMay("form.published", form.workspaceId);
  const { bar } = formText.form;
  const isNew = form.currentVersion === 0;
  if (form.status === "archived" || (!isNew && !hasWaiting(form))) return null;
  const { count, needsReview } = waitingChanges(form);
  const says = isOnline(form) ? bar.unseen : bar.unpublished;
  return (
    <>
      <span>{isNew ? bar.never : count > 0 ? says(count) : bar.unnoticed}</span>
      <a href={review}>
        <span class="on-wide">{bar.review}</span>
        <span class="on-phone">{isNew || count === 0 ? bar.review : bar.reviewOf(count)}</span>
      </a>
      {mayPublish && !needsReview && form.schema.fields.length > 0 && (
        <PostForm
          action={isNew || form.hasChanges ? review : `${review}-settings`}
          fields={{ updatedAt: form.updatedAt.toISOString() }}
        >
          <button type="submit">{bar.publish}</button>
        </PostForm>
      )}
    </>
  );
};

export const formatWaiting = (count: number) => `${formatCount(count)}${count < maxWaiting ? "" : "+"}`;
