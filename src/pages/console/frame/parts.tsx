/** Parts of the console's pages: sections, forms with their buttons, and a secret. */
import type { ComponentChildren, JSX, RenderableProps } from "preact";
import { Checkbox, Submit } from "../../ui/controls.tsx";
import { Picture } from "../../ui/pictures.tsx";
import { Command } from "../../ui/text.tsx";
import type { ConsolePage, ConsoleSection, FormProps } from "./layout.tsx";
import { PostForm, useRefused } from "./layout.tsx";
import { frameText } from "./words.ts";

interface SectionProps {
  title: string;
  /** Prefix of the heading's id, before `-heading`. */
  id?: string;
  hint?: string | undefined;
  class?: "panel" | "keys";
  children: ComponentChildren;
}

/** A part of a page under a heading of its own. */
export const Section = ({ title, id, hint, class: style, children }: SectionProps) => (
  <section class={style} aria-labelledby={id && `${id}-heading`}>
    <h2 id={id && `${id}-heading`}>{title}</h2>
    {hint && <p class="quiet">{hint}</p>}
    {children}
  </section>
);

/** A part of a form that is shown when it is opened. */
export const Folded = ({ label, isOpen, children }: RenderableProps<{ label: string; isOpen: boolean }>) => (
  <details open={isOpen}>
    <summary>{label}</summary>
    <div class="stacked">{children}</div>
  </details>
);

/** A link on a line of its own. */
export const LinkLine = ({ label, ...link }: JSX.IntrinsicElements["a"] & { label: string }) => (
  <p>
    <a {...link}>{label}</a>
  </p>
);

/** Switch for shortcut keys, which are off until a person switches them on. The script shows the button. */
export const KeySwitch = () => (
  <p class="quiet keys">
    {frameText.keys.list}{" "}
    <button type="button" class="quiet small" data-keys={frameText.keys.off} hidden>
      {frameText.keys.on}
    </button>
  </p>
);

interface FormActionsProps {
  submit: string;
  cancel?: string;
  class?: string;
  "aria-label"?: string;
}

/** End of a form: the button, and the link back. */
export const FormActions = ({ submit, cancel, ...button }: FormActionsProps) => (
  <div class="actions">
    <Submit label={submit} data-busy={frameText.saving} {...button} />
    {cancel && <a href={cancel}>{frameText.cancel}</a>}
  </div>
);

interface NewPage<Data> extends FormProps<Data> {
  title: string;
  intro?: string;
  submit: string;
  cancel: string;
}

/** Page that makes something. A refused post shows it again, with the reason and the entered values. */
export const newItemPage = <Data,>(
  section: ConsoleSection,
  { title, intro, submit, cancel, children, ...form }: NewPage<Data>,
): ConsolePage => ({
  title,
  section,
  content: (
    <>
      <h1>{title}</h1>
      {intro && <p class="quiet">{intro}</p>}
      <PostForm {...form} class="stacked">
        {children}
        <FormActions submit={submit} cancel={cancel} />
      </PostForm>
    </>
  ),
});

interface FoldedFormProps<Data> extends FormProps<Data> {
  label: string;
  /** Label that names the item of a list, for people who do not see the row. */
  accessibleLabel?: string;
  /** True if it is a section of the page, and not beside other buttons. */
  isPanel?: boolean;
  intro?: string;
  submit: string;
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

/** A button that asks once more. */
export const Confirm = ({
  label,
  accessibleLabel,
  action,
  hint,
  confirm,
  name,
  value,
  isHarmless,
  fields,
  choice,
  children,
}: RenderableProps<{
  label: string;
  /** Label that names the item of a list, for people who do not see the row. */
  accessibleLabel?: string;
  action: string;
  hint?: string;
  confirm: string;
  /** Sent by the button that confirms. */
  name?: string;
  value?: string;
  /** True if the action can be undone. */
  isHarmless?: boolean;
  fields?: Readonly<Record<string, string>>;
  choice?: { name: string; label: string };
}>) => (
  <details class={isHarmless ? "confirm harmless" : "confirm"}>
    <summary aria-label={accessibleLabel}>{label}</summary>
    <PostForm action={action} fields={fields} class={hint || children ? "stacked" : undefined}>
      {hint && <p>{hint}</p>}
      {children}
      {choice && <Checkbox {...choice} scope="confirm-" />}
      <Submit
        class={isHarmless ? undefined : hint || children ? "danger" : "danger small"}
        name={name}
        value={value}
        label={confirm}
      />
    </PostForm>
  </details>
);

interface SecretPage {
  title: string;
  section: ConsoleSection;
  /** Absent: it went to another person, and the page says so. */
  secret?: string | undefined;
  href: string;
  children?: ComponentChildren;
}

/** Example of a secret's use in a terminal. */
export const Usage = ({ hint, lines }: { hint: string; lines: readonly string[] }) => (
  <section>
    <p>{hint}</p>
    <Command lines={lines} />
  </section>
);

/** A text to copy: by hand, or with the button that the script shows. */
export const Copied = ({ label, value }: { label?: string; value: string }) => (
  <div class="secret panel">
    {label ? (
      <span>
        <strong>{label}</strong>
        <br />
        <code>{value}</code>
      </span>
    ) : (
      <code>{value}</code>
    )}
    <button type="button" class="quiet small" data-copy={value} data-copied={frameText.secret.copied} hidden>
      <Picture name="copy" />
      {frameText.secret.copy}
    </button>
  </div>
);

/** A secret, shown once: on the page that responds to the form post, never after a redirect. */
export const secretPage = ({ title, section, secret, href, children }: SecretPage): ConsolePage => ({
  title,
  section,
  content: (
    <>
      <h1>{title}</h1>
      {secret !== undefined && (
        <>
          <p>{frameText.secret.once}</p>
          <Copied value={secret} />
        </>
      )}
      {children}
      <LinkLine
        class="button quiet"
        href={href}
        label={secret === undefined ? frameText.outside.submit : frameText.secret.done}
      />
    </>
  ),
});
