import { controlName } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { Input, type InputProps } from "../controls.tsx";
import { commonOf, type ShownProps } from "./props.ts";

/** Autofill tokens by the id of a field (HTML, "Autofill"). Only the letters of the id count. */
const tokens: Record<string, string> = {
  name: "name",
  fullname: "name",
  yourname: "name",
  firstname: "given-name",
  givenname: "given-name",
  vorname: "given-name",
  lastname: "family-name",
  familyname: "family-name",
  surname: "family-name",
  nachname: "family-name",
  company: "organization",
  organization: "organization",
  organisation: "organization",
  firma: "organization",
  jobtitle: "organization-title",
  street: "street-address",
  city: "address-level2",
  ort: "address-level2",
  postalcode: "postal-code",
  postcode: "postal-code",
  zip: "postal-code",
  plz: "postal-code",
  birthday: "bday",
  dateofbirth: "bday",
  geburtsdatum: "bday",
};

/** Returns the autofill token that the id of the field names, so that the browser can offer a value. */
export function autocompleteById({ id }: Field): string {
  const token = id.toLowerCase().replace(/[^a-z]/g, "");
  return Object.hasOwn(tokens, token) ? (tokens[token] as string) : "on";
}

/** Bounds for the picker of a day or time. */
export const bounds = ({ constraints: { minimum, maximum } }: Field): Partial<InputProps> => ({
  min: minimum,
  max: maximum,
});

/** Numeric keyboard of a telephone, unless a value may be negative: it may lack the minus sign. */
export const keyboard = (
  { constraints: { minimum } }: Field,
  inputmode: "numeric" | "decimal",
): Partial<InputProps> => (Number(minimum) >= 0 ? { inputmode } : {});

/** Returns the control for one line of text, with attributes of the field's type. */
export const line = (attributesOf: (field: Field) => Partial<InputProps> = () => ({})) =>
  function Line(props: ShownProps) {
    const { autocomplete = "on", ...attributes } = attributesOf(props.field);
    return (
      <Input
        {...commonOf(props)}
        {...attributes}
        autocomplete={props.autofill ? autocomplete : "off"}
        value={props.shown.get(controlName(props.field.id)) ?? undefined}
      />
    );
  };
