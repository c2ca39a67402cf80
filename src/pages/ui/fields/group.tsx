import type { ComponentChildren } from "preact";
import { controlName } from "../../../fields/control-values.ts";
import { describedBy, idOf, Notes } from "../controls.tsx";
import { type FieldInputProps, hintOf, isOptional, markedLabel } from "./props.ts";

interface GroupProps extends FieldInputProps {
  /** True if the group has radio buttons only, of one choice. */
  isRadio?: boolean;
  class?: string;
  children: ComponentChildren;
}

export const Group = (props: GroupProps) => {
  const { field, words, error, scope, isRadio, class: name, children } = props;
  const id = idOf(controlName(field.id), scope);
  const hint = hintOf(props);
  const common = {
    class: ["control", error && "invalid", name].filter(Boolean).join(" "),
    "aria-describedby": describedBy(id, { hint, error }),
  };
  const label = (
    <>
      {markedLabel(props)}
      {isOptional(field) && <span class="optional"> ({words.optional})</span>}
    </>
  );
  const content = (
    <>
      <Notes id={id} hint={hint} error={error} />
      {children}
    </>
  );
  if (!isRadio)
    return (
      <fieldset {...common}>
        <legend dir="auto">{label}</legend>
        {content}
      </fieldset>
    );
  return (
    <div
      {...common}
      role="radiogroup"
      aria-labelledby={`${id}-label`}
      aria-required={field.required ? "true" : undefined}
      aria-invalid={error ? "true" : undefined}
    >
      <span class="legend" id={`${id}-label`} dir="auto">
        {label}
      </span>
      {content}
    </div>
  );
};
