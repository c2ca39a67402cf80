import { controlName } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { marked } from "../marks.ts";
import { Buttons, noAnswerIn } from "./choices.tsx";
import { Group } from "./group.tsx";
import type { ShownProps } from "./props.ts";

/** Most steps that are shown as buttons. More steps are entered as a number. */
const maxRatingSteps = 11;

export const isRating = ({ kind, constraints: { minimum, maximum } }: Field): boolean =>
  kind === "rating" && Number(maximum) - Number(minimum) < maxRatingSteps;

function stepsOf({ constraints: { minimum, maximum } }: Field): number[] {
  const first = Math.ceil(Number(minimum));
  return Array.from(
    { length: Math.max(0, Math.floor(Number(maximum)) - first + 1) },
    (_, step) => first + step,
  );
}

/** The label of an end. Without the field's own one it is of the words. */
const markedEnd = ({ field, mark }: ShownProps, name: "minimumLabel" | "maximumLabel", label: string) =>
  marked(label, field.constraints[name] === undefined ? undefined : mark?.(name));

export const Rating = (props: ShownProps) => {
  const { field, words, shown, scope } = props;
  const name = controlName(field.id);
  const { minimumLabel = words.scaleEnds[0], maximumLabel = words.scaleEnds[1] } = field.constraints;
  const steps = stepsOf(field);
  const ends = new Map([
    [steps.at(0), markedEnd(props, "minimumLabel", minimumLabel)],
    [steps.at(-1), markedEnd(props, "maximumLabel", maximumLabel)],
  ]);
  const choices = steps.map((step) => {
    const note = ends.get(step);
    return { value: String(step), label: String(step), ...(note !== undefined && { note }) };
  });
  return (
    <Group {...props} isRadio class="inline-choices scale">
      <p class="hint ends" aria-hidden="true" dir="auto">
        {[...ends].map(([step, label]) => (
          <span key={step}>
            {step} = {label}
          </span>
        ))}
      </p>
      <Buttons
        type="radio"
        name={name}
        choices={[...choices, ...noAnswerIn(props)]}
        selected={shown.getAll(name)}
        scope={scope}
      />
    </Group>
  );
};
