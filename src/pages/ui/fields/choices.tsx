/** Choices of a field: as buttons, or as a list. */
import { type Choice, idOf, Options } from "../controls.tsx";
import { isOptional, type ShownProps } from "./props.ts";

/** Most options that are shown as radio buttons. More options are shown in a list. */
export const maxRadioButtons = 7;

/** Returns the choice that clears another one, since a radio button cannot be cleared. */
export const noAnswerIn = ({ field, words }: Pick<ShownProps, "field" | "words">): Choice[] =>
  isOptional(field) ? [{ value: "", label: words.noAnswer }] : [];

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
    {choices.map(({ value, label, shown, disabled, note, mark }, index) => {
      const id = idOf(`${name}=${index}`, scope);
      return (
        <div class={value === "" ? "check none" : "check"} key={value}>
          <input
            type={type}
            id={id}
            name={name}
            value={value}
            checked={selected.includes(value) && !disabled}
            disabled={disabled}
            aria-invalid={type === "checkbox" && invalid ? "true" : undefined}
          />
          <label for={id} dir="auto" {...(shown === undefined && mark)}>
            {shown ?? label}
            {note && <span class="read-only-aloud"> ({note})</span>}
          </label>
        </div>
      );
    })}
  </div>
);

interface PlaceProps {
  name: string;
  label: string;
  value: string | undefined;
  invalid: boolean;
  scope: string | undefined;
  index?: number;
}

/** An input that offers the entries of a list, one of a group. */
export const Typed = ({ name, label, list, value, invalid, scope, index }: PlaceProps & { list: string }) => {
  const id = idOf(`${name}=${index}`, scope);
  return (
    <div class="place">
      <label for={id}>{label}</label>
      <input id={id} name={name} list={list} value={value} aria-invalid={invalid ? "true" : undefined} />
    </div>
  );
};

/** A select without a label of its own on the page: it is one of a group. */
export const SelectList = ({
  name,
  label,
  choices,
  value,
  invalid,
  scope,
  index,
}: PlaceProps & { choices: readonly Choice[] }) => {
  const id = idOf(index === undefined ? name : `${name}=${index}`, scope);
  return (
    <div class="place">
      <label for={id}>{label}</label>
      <select id={id} name={name} aria-invalid={invalid ? "true" : undefined}>
        <Options choices={choices} value={value} />
      </select>
    </div>
  );
};
