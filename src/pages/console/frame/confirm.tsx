/** A button that asks once more. */
import { Checkbox, Submit } from "../../ui/controls.tsx";
import { HiddenFields, PostForm } from "./layout.tsx";

export const Confirm = ({
  label,
  accessibleLabel,
  action,
  hint,
  confirm,
  name,
  value,
  isHarmless,
  fields = {},
  choice,
}: {
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
  /** A checkbox, by its name and label. */
  choice?: { name: string; label: string };
}) => (
  <details class={isHarmless ? "confirm harmless" : "confirm"}>
    <summary aria-label={accessibleLabel}>{label}</summary>
    <PostForm action={action} class={hint ? "stacked" : undefined}>
      {hint && <p>{hint}</p>}
      <HiddenFields fields={fields} />
      {choice && <Checkbox {...choice} scope="confirm-" />}
      <Submit
        class={isHarmless ? undefined : hint ? "danger" : "danger small"}
        name={name}
        value={value}
        label={confirm}
      />
    </PostForm>
  </details>
);
