/** A number of a scale. */
import type { Field } from "../../fields/definition.ts";
import { controlName } from "../field-values.ts";
import { Buttons } from "./choices.tsx";
import { Group } from "./group.tsx";
import type { ShownProps } from "./props.ts";

/** More steps are entered as a number. */
const maxRatingSteps = 11;

/** Whether it is shown as buttons. */
export const isRating = ({ kind, constraints: { minimum, maximum } }: Field): boolean =>
  kind === "rating" && Number(maximum) - Number(minimum) < maxRatingSteps;

/** Of a rating: its whole numbers. */
function stepsOf({ constraints: { minimum, maximum } }: Field): number[] {
  const first = Math.ceil(Number(minimum));
  return Array.from(
    { length: Math.max(0, Math.floor(Number(maximum)) - first + 1) },
    (_, step) => first + step,
  );
}

export const Rating = (props: ShownProps) => {
  const { field, shown, scope } = props;
  const name = controlName(field.id);
  return (
    <Group {...props} isRadio class="inline-choices scale">
      <Buttons
        type="radio"
        name={name}
        choices={stepsOf(field).map((step) => ({ value: String(step), label: String(step) }))}
        selected={[shown.get(name) ?? ""]}
        scope={scope}
      />
    </Group>
  );
};
