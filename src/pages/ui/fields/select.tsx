import { valuesOf } from "../../../fields/constraints.ts";
import { controlName, otherPart } from "../../../fields/control-values.ts";
import type { FieldText } from "../../../fields/translations.ts";
import { type Choice, Input, Select } from "../controls.tsx";
import { markedIn } from "../marks.ts";
import { Buttons, maxRadioButtons, noAnswerIn, SelectList } from "./choices.tsx";
import { Group } from "./group.tsx";
import { choicesIn, commonOf, type ShownProps } from "./props.ts";

function optionsOf(props: ShownProps): Choice[] {
  const { field, words, left = [] } = props;
  const values = valuesOf(field.constraints.options);
  return choicesIn(props, "options").map((choice, index) => {
    const [, places] = left.find(([value]) => value === values[index]) ?? [];
    if (places === undefined) return choice;
    const label = places > 0 ? words.left(choice.label, places) : words.full(choice.label);
    const own: FieldText[] = [{ place: ["options", choice.value], text: choice.label }];
    return { ...choice, label, shown: markedIn(label, own, props.mark), disabled: places <= 0 };
  });
}

/** Input for a choice that is not among the options. */
const Other = ({ field, words, shown, error, scope }: ShownProps) =>
  field.constraints.allowOther ? (
    <Input
      name={controlName(field.id, otherPart)}
      label={words.other}
      scope={scope}
      value={shown.get(controlName(field.id, otherPart)) ?? ""}
      invalid={error !== undefined}
    />
  ) : null;

export const SelectField = (props: ShownProps) => {
  const { field, words, shown, error, scope } = props;
  const name = controlName(field.id);
  const options = optionsOf(props);
  const value = shown.get(name) ?? undefined;
  const choices = [{ value: "", label: words.choose }, ...options];
  if (options.length <= maxRadioButtons)
    return (
      <Group {...props} isRadio={!field.constraints.allowOther}>
        <Buttons
          type="radio"
          name={name}
          choices={[...options, ...noAnswerIn(props)]}
          selected={shown.getAll(name)}
          scope={scope}
        />
        <Other {...props} />
      </Group>
    );
  if (!field.constraints.allowOther) return <Select {...commonOf(props)} value={value} choices={choices} />;
  return (
    <Group {...props}>
      <SelectList
        name={name}
        label={words.choose}
        choices={choices}
        value={value}
        invalid={error !== undefined}
        scope={scope}
      />
      <Other {...props} />
    </Group>
  );
};

export const MultiSelect = (props: ShownProps) => {
  const { field, shown, error, scope } = props;
  const name = controlName(field.id);
  return (
    <Group {...props}>
      <Buttons
        type="checkbox"
        name={name}
        choices={optionsOf(props)}
        selected={shown.getAll(name)}
        invalid={error !== undefined}
        scope={scope}
      />
      <Other {...props} />
    </Group>
  );
};
