/** What the forms of the console have in common: heading, notice, and how they end. */
import type { ComponentChildren } from "preact";
import { PostForm, RefusedNotice, useRefused } from "./layout.tsx";
import { text } from "./text.ts";

/** The end of a form: the button, and the way back. */
export const FormActions = ({ submit, cancel }: { submit: string; cancel: string }) => (
  <div class="actions">
    <button type="submit">{submit}</button>
    <a href={cancel}>{text.cancel}</a>
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
