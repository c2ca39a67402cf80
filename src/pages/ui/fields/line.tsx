/** A field of one line. */
import { controlName } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { Input, type InputProps } from "../controls.tsx";
import { commonOf, type ShownProps } from "./props.ts";

/** Ids that say what a text is (HTML, "Autofill"); the rest of the id is ignored. */
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

/** What the browser may offer of what it knows of the respondent, for a field whose id says what it is. */
export function autocompleteById({ id }: Field): string {
  const token = id.toLowerCase().replace(/[^a-z]/g, "");
  return Object.hasOwn(tokens, token) ? (tokens[token] as string) : "on";
}

/** For the picker of a day or time. */
export const bounds = ({ constraints: { minimum, maximum } }: Field): Partial<InputProps> => ({
  min: minimum,
  max: maximum,
});

/** The keyboard of a telephone: that for whole numbers may lack the minus sign. */
export const keyboard = (
  { constraints: { minimum } }: Field,
  inputmode: "numeric" | "decimal",
): Partial<InputProps> => (Number(minimum) >= 0 ? { inputmode } : {});

/** The control for one line of text, with what the type of the field adds to it. */
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
