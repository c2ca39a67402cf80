/** A field of a form as the respondent sees it: label, what is expected, message, control. */
import type { Field } from "../fields/definition.ts";
import { Input, type InputProps, TextArea } from "./controls.tsx";
import { controlName, toControls } from "./field-values.ts";
import { Address } from "./fields/address.tsx";
import { autocompleteOf } from "./fields/autocomplete.ts";
import { Consent, YesOrNo } from "./fields/boolean.tsx";
import { Matrix } from "./fields/matrix.tsx";
import { Moment } from "./fields/moment.tsx";
import { commonOf, type FieldInputProps, hintOf, labelOf } from "./fields/props.ts";
import { Ranking } from "./fields/ranking.tsx";
import { isRating, Rating } from "./fields/rating.tsx";
import { MultiSelect, SelectField } from "./fields/select.tsx";

/** The keyboard of a telephone: that for whole numbers may lack the minus sign. */
function keyboardOf({ kind, constraints: { minimum, multipleOf } }: Field): Pick<InputProps, "inputmode"> {
  if (kind !== "number" && kind !== "integer" && kind !== "rating") return {};
  if (!(Number(minimum) >= 0)) return {};
  const isWhole = kind !== "number" || (multipleOf !== undefined && Number.isInteger(multipleOf));
  return { inputmode: isWhole ? "numeric" : "decimal" };
}

/** For the picker of a day or time. */
const boundsOf = ({
  kind,
  constraints: { minimum, maximum },
}: Field): Pick<InputProps, "min" | "max" | "step"> =>
  kind === "date"
    ? { min: minimum, max: maximum }
    : kind === "time"
      ? { min: minimum, max: maximum, step: "any" }
      : {};

const Statement = (props: FieldInputProps) => {
  const { field } = props;
  if (field.type === "divider") return <hr />;
  const hint = hintOf(props);
  const Heading = field.type === "heading" ? "h2" : "strong";
  return (
    <div class="statement" dir="auto">
      <Heading>{labelOf(field)}</Heading>
      {hint && <p>{hint}</p>}
    </div>
  );
};

const inputTypes = {
  email: "email",
  phone: "tel",
  url: "url",
  date: "date",
  time: "time",
} as const;

/** The control of a field. A hidden one has none, unless the address may fill it in and has. */
export const FieldInput = (given: FieldInputProps) => {
  const { field } = given;
  const { id, kind, definition } = field;
  const name = controlName(id);
  const shown = given.values ?? toControls([field], Object.fromEntries([[id, definition.default]]));
  const props = { ...given, shown };
  const value = shown.get(name) ?? undefined;
  switch (kind) {
    case "hidden":
      return definition.prefill === true && given.values?.has(name) ? (
        <input type="hidden" name={name} value={value} />
      ) : null;
    case "statement":
      return <Statement {...given} />;
    case "textarea":
      return <TextArea {...commonOf(given)} value={value} />;
    case "boolean":
      return <YesOrNo {...props} />;
    case "consent":
      return <Consent {...props} />;
    case "select":
      return <SelectField {...props} />;
    case "multi_select":
      return <MultiSelect {...props} />;
    case "ranking":
      return <Ranking {...props} />;
    case "address":
      return <Address {...props} />;
    case "matrix":
      return <Matrix {...props} />;
    case "datetime":
      return <Moment {...props} />;
    default:
      if (isRating(field)) return <Rating {...props} />;
      return (
        <Input
          {...commonOf(given)}
          {...boundsOf(field)}
          {...keyboardOf(field)}
          type={inputTypes[kind as keyof typeof inputTypes] ?? "text"}
          autocomplete={autocompleteOf(given)}
          value={value}
        />
      );
  }
};
