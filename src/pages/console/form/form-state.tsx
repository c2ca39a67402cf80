/** State of a form for people: online, offline, or the reason why it is closed. */

import { clockAt } from "../../../fields/time-zones.ts";
import { maxWaiting } from "../../../resources/forms/form-view.ts";
import type { FormRow } from "../../../resources/forms/shapes.ts";
import { formatCount, formatDay } from "../../ui/text.tsx";
import { formText } from "./words.ts";

interface FormFacts {
  status: FormRow["status"];
  settingsInForce: FormRow["settings"];
  /** Submissions that it has, of any status. */
  total: number;
}

/** True if a person with the address can see the page, and fill it in. As formd.form_page_outcome. */
export const isOnline = ({ status, settingsInForce: { page, anonymous } }: Omit<FormFacts, "total">) =>
  status === "published" && page?.enabled === true && anonymous?.enabled !== false;

/** Returns the state for people, with the look of its badge. Reasons as in formd.form_closed. */
function stateOf(form: FormFacts): { look: string; words: string } {
  const { opensAt, closesAt, maxSubmissions, timeZone = "UTC" } = form.settingsInForce.availability ?? {};
  const { states } = formText.form;
  if (form.status !== "published") return { look: form.status, words: formText.statuses[form.status] };
  if (opensAt && Date.now() < Date.parse(opensAt))
    return { look: "pending", words: states.opens(formatDay(new Date(clockAt(opensAt, timeZone).day))) };
  if (closesAt && Date.now() >= Date.parse(closesAt)) return { look: "pending", words: states.closed };
  if (maxSubmissions !== undefined && form.total >= maxSubmissions)
    return { look: "pending", words: states.full };
  return isOnline(form)
    ? { look: "published", words: states.online }
    : { look: "draft", words: states.offline };
}

export const State = ({ form }: { form: FormFacts }) => {
  const { look, words } = stateOf(form);
  return <span class={`badge ${look}`}>{words}</span>;
};

export const formatWaiting = (count: number) => `${formatCount(count)}${count < maxWaiting ? "" : "+"}`;
