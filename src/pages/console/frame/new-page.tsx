/** What the forms of the console have in common: heading, notice, and how they end. */
import type { ComponentChildren } from "preact";
import { Submit } from "../../ui/controls.tsx";
import { PostForm, RefusedNotice, useRefused } from "./layout.tsx";
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
export const NewPage = ({
  title,
  intro,
  action,
  children,
  ...end
}: {
  title: string;
  intro?: string;
  action: string;
  submit: string;
  cancel: string;
  children: ComponentChildren;
}) => (
  <>
    <h1>{title}</h1>
    <RefusedNotice />
    {intro && <p class="quiet">{intro}</p>}
    <PostForm action={action} class="stacked" entered={useRefused()?.values}>
      {children}
      <FormActions {...end} />
    </PostForm>
  </>
);

/** A form in a panel, which is open where the form post was refused. */
export const FormPanel = ({
  action,
  title,
  submit,
  children,
}: {
  action: string;
  title: string;
  submit: string;
  children: ComponentChildren;
}) => {
  const refused = useRefused(action);
  return (
    <details class="panel" open={refused !== undefined}>
      <summary>{title}</summary>
      <PostForm action={action} class="stacked" entered={refused?.values}>
        {children}
        <button type="submit">{submit}</button>
      </PostForm>
    </details>
  );
};
