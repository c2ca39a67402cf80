/** One of several options, or several of them. */
import { Input, Select } from "../controls.tsx";
import { controlName, otherPart } from "../field-values.ts";
import { Buttons, choicesOf, List, maxRadioButtons } from "./choices.tsx";
import { Group } from "./group.tsx";
import { commonOf, type ShownProps } from "./props.ts";

/** For a choice that is not among the options. */
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
  const options = choicesOf(field.constraints.options);
  const value = shown.get(name) ?? undefined;
  const choices = [{ value: "", label: words.choose }, ...options];
  if (options.length <= maxRadioButtons)
    return (
      <Group {...props} isRadio={!field.constraints.allowOther}>
        <Buttons type="radio" name={name} choices={options} selected={[value ?? ""]} scope={scope} />
        <Other {...props} />
      </Group>
    );
  if (!field.constraints.allowOther) return <Select {...commonOf(props)} value={value} choices={choices} />;
  return (
    <Group {...props}>
      <List
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
        choices={choicesOf(field.constraints.options)}
        selected={shown.getAll(name)}
        invalid={error !== undefined}
        scope={scope}
      />
      <Other {...props} />
    </Group>
  );
};
