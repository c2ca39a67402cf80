/** What the control of a field is made from. */
import type { Field } from "../../fields/definition.ts";
import type { addressParts } from "../../fields/types/address.ts";
import { controlName, type momentParts, type Values } from "../field-values.ts";

/** The words that the controls need, in the language of the page. */
export interface FieldWords {
  /** BCP 47. */
  lang: string;
  yes: string;
  no: string;
  choose: string;
  other: string;
  optional: string;
  /** A day such as 2026-11-20. */
  day: (day: unknown) => string;
  /** Of an option in a ranking. */
  place: (position: number) => string;
  addressParts: Record<(typeof addressParts)[number], string>;
  moment: Record<(typeof momentParts)[number], string>;
}

export interface FieldInputProps {
  field: Field;
  words: FieldWords;
  /** What was entered, by the names of the controls (field-values.ts). Without it the default is shown. */
  values?: Values | undefined;
  error?: string | undefined;
  /** The part that the error is about, of an address or a matrix. */
  invalidPart?: string | undefined;
  /** What the field's rules expect, in sentences. */
  rules?: readonly string[];
  /** Whether the browser may offer what it knows of the respondent. */
  autofill?: boolean;
  scope?: string | undefined;
}

/** With what is shown: the values, or the default. */
export interface ShownProps extends FieldInputProps {
  shown: Values;
}

/** A text of a definition, if it has one. */
export const textOf = (definition: Field["definition"], name: string): string | undefined => {
  const value = Object.hasOwn(definition, name) ? definition[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
};

export const labelOf = ({ label, id }: Pick<Field, "label" | "id">): string => label || id;

export const hintOf = ({ field: { definition }, rules = [] }: FieldInputProps): string | undefined =>
  [textOf(definition, "description"), textOf(definition, "help"), ...rules].filter(Boolean).join(" ") ||
  undefined;

/** What most controls are given. */
export const commonOf = (props: FieldInputProps) => {
  const { field, words, error, scope } = props;
  const { constraints, ownerSet } = field;
  return {
    name: controlName(field.id),
    label: labelOf(field),
    hint: hintOf(props),
    error,
    required: field.required,
    optional: words.optional,
    scope,
    placeholder: textOf(field.definition, "placeholder"),
    maxLength: ownerSet.has("maxLength") ? constraints.maxLength : undefined,
  };
};
