import { choicesOf, controlName } from "../../../fields/control-values.ts";
import { idOf } from "../controls.tsx";
import { Buttons } from "./choices.tsx";
import { Group } from "./group.tsx";
import type { ShownProps } from "./props.ts";

export const Matrix = (props: ShownProps) => {
  const { field, shown, error, invalidPart, scope } = props;
  const columns = choicesOf(field.constraints.columns);
  return (
    <Group {...props} class="matrix">
      {choicesOf(field.constraints.rows).map(({ value: row, label }) => {
        const name = controlName(field.id, row);
        const isInvalid = error !== undefined && (invalidPart === undefined || invalidPart === row);
        return (
          <div
            key={row}
            role="radiogroup"
            class={isInvalid ? "row invalid" : "row"}
            aria-labelledby={`${idOf(name, scope)}-label`}
            aria-invalid={isInvalid ? "true" : undefined}
          >
            <span class="legend" id={`${idOf(name, scope)}-label`} dir="auto">
              {label}
            </span>
            <Buttons type="radio" name={name} choices={columns} selected={shown.getAll(name)} scope={scope} />
          </div>
        );
      })}
    </Group>
  );
};
