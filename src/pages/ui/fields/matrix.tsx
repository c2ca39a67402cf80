import { controlName } from "../../../fields/control-values.ts";
import { idOf } from "../controls.tsx";
import { Buttons } from "./choices.tsx";
import { Group } from "./group.tsx";
import { choicesIn, type ShownProps } from "./props.ts";

export const Matrix = (props: ShownProps) => {
  const { field, shown, error, invalidPart, scope } = props;
  const columns = choicesIn(props, "columns");
  return (
    <Group {...props} class="matrix">
      {choicesIn(props, "rows").map(({ value: row, label, mark }) => {
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
            <span class="legend" id={`${idOf(name, scope)}-label`} dir="auto" {...mark}>
              {label}
            </span>
            <Buttons type="radio" name={name} choices={columns} selected={shown.getAll(name)} scope={scope} />
          </div>
        );
      })}
    </Group>
  );
};
