/** Controls of a form's mails: notices to colleagues, and copies to respondents. */
import { parseFields } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import { CopySettings, NotifySettings } from "../../../resources/forms/settings.ts";
import type { WorkspaceMember } from "../../../resources/operators/operators.ts";
import type { FormView } from "../form/form.tsx";
import { checkbox, textInput } from "../frame/form.tsx";
import { choiceOf, parsedInput, type SettingControls, shapesOf } from "./setting-controls.tsx";
import { formsText } from "./words.ts";

const words = formsText.mails;
const shapes = { notify: shapesOf(NotifySettings), copy: shapesOf(CopySettings) };

/** An entry that is an operator's address is stored as the operator. */
const recipientsIn = (entered: string, people: readonly WorkspaceMember[]): string[] =>
  entered
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((entry) => people.find(({ email }) => email === entry.toLowerCase())?.id ?? entry);

/** The questions for an e-mail address, by their ids. @param none label of no question */
function addressQuestions({ schema }: FormView, none: string, { isSensitiveToo = true } = {}) {
  const fields = parseFields(schema).filter(
    ({ kind, definition }) => kind === "email" && (isSensitiveToo || definition.sensitive !== true),
  );
  const names = fields.map(({ id, definition }) => [id, String(definition.label ?? id)]);
  return Object.fromEntries([["", none], ...names]);
}

/** @param people operators of the workspace, who are shown by their addresses */
export function notifyControls(form: FormView, people: readonly WorkspaceMember[]): SettingControls {
  const labels = words.notify;
  const max = limits.mail.maxRecipients;
  const recipients = parsedInput<string[]>(shapes.notify.recipients, (text) => recipientsIn(text, people), {
    ...{ label: labels.recipients, hint: labels.recipientsHint(max), required: false, rows: 3 },
    wrong: labels.recipientsWrong(max),
  });
  const emailOf = (entry: string) => people.find(({ id }) => id === entry)?.email ?? entry;
  return {
    "notify.recipients": {
      ...recipients,
      show: (ids: string[] | null, name) => [[name, ids?.map(emailOf).join("\n") ?? ""]],
    },
    "notify.when": choiceOf(labels.whens, { label: labels.when }),
    "notify.include": choiceOf(labels.includes, { label: words.include, hint: labels.includeHint }),
    "notify.replyTo": choiceOf(addressQuestions(form, labels.noReply, { isSensitiveToo: false }), {
      label: labels.replyTo,
      hint: labels.replyToHint,
    }),
  };
}

export function copyControls(form: FormView): SettingControls {
  const labels = words.copy;
  const { subject, text } = shapes.copy;
  return {
    "copy.field": choiceOf(addressQuestions(form, labels.none), { label: labels.field }),
    "copy.include": choiceOf(labels.includes, { label: words.include }),
    "copy.subject": textInput({ label: labels.subject, required: false, shape: subject }),
    "copy.text": textInput({ label: labels.text, required: false, shape: text, rows: 4 }),
    "copy.receipt": {
      ...checkbox({ label: labels.receipt, hint: labels.receiptHint }),
      read: (values, name) => values.has(name) || null,
    },
  };
}
