/** Parts of the console's forms: heading, introduction, and buttons at the end. */
import type { ComponentChildren } from "preact";
import { Submit } from "../../ui/controls.tsx";
import type { ConsoleForm } from "./form.tsx";
import { PostForm, useRefused } from "./layout.tsx";
import { frameText } from "./words.ts";

/** End of a form: the button, and the link back. */
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

interface NewPageProps<Data> {
  title: string;
  intro?: string;
  action: string;
  form?: ConsoleForm<Data>;
  fields?: Readonly<Record<string, string>>;
  submit: string;
  cancel: string;
  children?: ComponentChildren;
}

/** Page that makes something. A refused post shows it again, with the reason and the entered values. */
export const NewPage = <Data,>({
  title,
  intro,
  action,
  form,
  fields,
  children,
  ...end
}: NewPageProps<Data>) => (
  <>
    <h1>{title}</h1>
    {intro && <p class="quiet">{intro}</p>}
    <PostForm action={action} form={form} fields={fields} class="stacked">
      {children}
      <FormActions {...end} />
    </PostForm>
  </>
);

interface FoldedFormProps<Data> {
  label: string;
  /** Label that names the item of a list, for people who do not see the row. */
  accessibleLabel?: string;
  /** True if it is a section of the page, and not beside other buttons. */
  isPanel?: boolean;
  action: string;
  form?: ConsoleForm<Data>;
  fields?: Readonly<Record<string, string>>;
  intro?: string;
  submit: string;
  children?: ComponentChildren;
}

/** A form folded behind its label. It is open if its post was refused. */
export const FoldedForm = <Data,>({
  label,
  accessibleLabel,
  isPanel = false,
  intro,
  submit,
  children,
  ...form
}: FoldedFormProps<Data>) => (
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
