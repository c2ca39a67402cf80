/** What the forms of the console have in common: heading, notice, and how they end. */
import type { ComponentChildren } from "preact";
import { Notice } from "../ui/controls.tsx";
import { PostForm } from "./layout.tsx";
import { text } from "./text.ts";

/** The end of a form: the button, and the way back. */
export const FormActions = ({ submit, cancel }: { submit: string; cancel: string }) => (
  <div class="actions">
    <button type="submit">{submit}</button>
    <a href={cancel}>{text.cancel}</a>
  </div>
);

/** A page that makes something. */
export const NewPage = ({
  title,
  message,
  intro,
  action,
  children,
  ...end
}: {
  title: string;
  /** Why the form post was refused. */
  message?: string | undefined;
  intro?: string;
  action: string;
  submit: string;
  cancel: string;
  children: ComponentChildren;
}) => (
  <>
    <h1>{title}</h1>
    {message && <Notice kind="error">{message}</Notice>}
    {intro && <p class="quiet">{intro}</p>}
    <PostForm action={action} class="stacked">
      {children}
      <FormActions {...end} />
    </PostForm>
  </>
);
