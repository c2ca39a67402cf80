import { controlName } from "../../../fields/control-values.ts";
import { describedBy, idOf, Notes } from "../controls.tsx";
import { Buttons, noAnswerIn } from "./choices.tsx";
import { Group } from "./group.tsx";
import { hintOf, isOptional, markedLabel, type ShownProps } from "./props.ts";

export const YesOrNo = (props: ShownProps) => {
  const { field, words, shown, scope } = props;
  const name = controlName(field.id);
  return (
    <Group {...props} isRadio class="inline-choices">
      <Buttons
        type="radio"
        name={name}
        choices={[
          { value: "true", label: words.yes },
          { value: "false", label: words.no },
          ...noAnswerIn(props),
        ]}
        selected={shown.getAll(name)}
        scope={scope}
      />
    </Group>
  );
};

export const Consent = (props: ShownProps) => {
  const { field, words, shown, error, scope } = props;
  const id = idOf(controlName(field.id), scope);
  const hint = hintOf(props);
  return (
    <div class={error ? "control consent invalid" : "control consent"}>
      <Notes id={id} error={error} />
      <div class="check">
        <input
          type="checkbox"
          id={id}
          name={controlName(field.id)}
          value="true"
          checked={shown.get(controlName(field.id)) === "true"}
          required={field.required}
          aria-describedby={describedBy(id, { hint, error })}
          aria-invalid={error ? "true" : undefined}
        />
        <label for={id} dir="auto">
          {markedLabel(props)}
          {isOptional(field) && <span class="optional"> ({words.optional})</span>}
        </label>
      </div>
      <Notes id={id} hint={hint} />
    </div>
  );
};
