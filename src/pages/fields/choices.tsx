/** Choices of a field: as buttons, or as a list. */
import { valuesOf } from "../../fields/constraints.ts";
import { type Choice, idOf } from "../controls.tsx";
import { optionTexts } from "../field-values.ts";

/** One of several as radio buttons when they are few, in a list otherwise. */
export const maxRadioButtons = 7;

/** Options, rows or columns: each value as a form sends it, with its label. */
export function choicesOf(list: Parameters<typeof valuesOf>[0] = []): Choice[] {
  const values = valuesOf(list);
  return optionTexts(values).map((value, index) => {
    const entry = list[index];
    return { value, label: (typeof entry === "object" && entry.label) || String(values[index]) };
  });
}

interface ButtonsProps {
  type: "radio" | "checkbox";
  name: string;
  choices: readonly Choice[];
  selected: readonly string[];
  invalid?: boolean;
  scope: string | undefined;
}

export const Buttons = ({ type, name, choices, selected, invalid, scope }: ButtonsProps) => (
  <div class="choices">
    {choices.map(({ value, label }, index) => {
      const id = idOf(`${name}=${index}`, scope);
      return (
        <div class="check" key={value}>
          <input
            type={type}
            id={id}
            name={name}
            value={value}
            checked={selected.includes(value)}
            aria-invalid={type === "checkbox" && invalid ? "true" : undefined}
          />
          <label for={id} dir="auto">
            {label}
          </label>
        </div>
      );
    })}
  </div>
);

/** A select without a label of its own on the page: it is one of a group. */
export const List = ({
  name,
  label,
  choices,
  value,
  invalid,
  scope,
  index,
}: {
  name: string;
  label: string;
  choices: readonly Choice[];
  value: string | undefined;
  invalid: boolean;
  scope: string | undefined;
  index?: number;
}) => {
  const id = idOf(index === undefined ? name : `${name}=${index}`, scope);
  return (
    <div class="place">
      <label for={id}>{label}</label>
      <select id={id} name={name} aria-invalid={invalid ? "true" : undefined}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
};
