/** What the forms of the console have in common: heading, notice, and how they end. */
import type { ComponentChildren } from "preact";
import { Submit } from "../../ui/controls.tsx";
import type { ConsoleForm } from "./form.tsx";
import { PostForm, useRefused } from "./layout.tsx";
import { frameText } from "./words.ts";

/** The end of a form: the button, and the way back. */
export const FormActions = ({
  submit,
  cancel,
  ...button
}: {
  submit: string;
  cancel?: string;
  class?: string;
  "aria-label"?: string;
}) => (
  <div class="actions">
    <Submit label={submit} {...button} />
    {cancel && <a href={cancel}>{frameText.cancel}</a>}
  </div>
);

/** A page that makes something. When it is refused, it is shown again with why and with what was entered. */
export const NewPage = <Data,>({
  title,
  intro,
  action,
  form,
  fields,
  children,
  ...end
}: {
  title: string;
  intro?: string;
  action: string;
  form?: ConsoleForm<Data>;
  fields?: Readonly<Record<string, string>>;
  submit: string;
  cancel: string;
  children?: ComponentChildren;
}) => (
  <>
    <h1>{title}</h1>
    {intro && <p class="quiet">{intro}</p>}
    <PostForm action={action} form={form} fields={fields} class="stacked">
      {children}
      <FormActions {...end} />
    </PostForm>
  </>
);

/** A form behind its name, which is open where its post was refused. */
export const FoldedForm = <Data,>({
  label,
  accessibleLabel,
  isPanel = false,
  intro,
  submit,
  children,
  ...form
}: {
  label: string;
  /** Tells it apart from the others of a list, for those who do not see the row. */
  accessibleLabel?: string;
  /** Whether it is a part of the page of its own, and not beside other buttons. */
  isPanel?: boolean;
  action: string;
  form?: ConsoleForm<Data>;
  fields?: Readonly<Record<string, string>>;
  intro?: string;
  submit: string;
  children?: ComponentChildren;
}) => (
  <details
    class={isPanel ? "panel" : "confirm harmless"}
    open={useRefused(form.action, form.fields) !== undefined}
  >
    <summary aria-label={accessibleLabel}>{label}</summary>
    {intro && <p class="quiet">{intro}</p>}
    <PostForm {...form} class={isPanel ? "stacked" : "inline"}>
      {children}
      <Submit class={isPanel ? undefined : "quiet"} label={submit} />
    </PostForm>
  </details>
);
