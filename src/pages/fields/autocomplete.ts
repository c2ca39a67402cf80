/** What the browser may offer of what it knows of the respondent (HTML, "Autofill"). */
import type { FieldInputProps } from "./props.ts";

/** Ids that say what a text is; the rest of the id is ignored. */
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
const ofKinds: Record<string, string> = { email: "email", phone: "tel", url: "url" };

/** The value of `autocomplete`. */
export const autocompleteOf = ({ field: { id, kind }, autofill }: FieldInputProps): string => {
  if (!autofill) return "off";
  if (kind === "text" || kind === "date") {
    const token = id.toLowerCase().replace(/[^a-z]/g, "");
    return Object.hasOwn(tokens, token) ? (tokens[token] as string) : "on";
  }
  return ofKinds[kind ?? ""] ?? "on";
};
