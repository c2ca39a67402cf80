/** What the control of a field is made from. */

import type { Scalar } from "../../../fields/constraints.ts";
import type { addressParts } from "../../../fields/control-values.ts";
import { controlName, type momentParts, type Values } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import type { ValueWords } from "../../../fields/presentation.ts";

/** The words that the controls need, in the language of the page. */
export interface FieldWords extends ValueWords {
  choose: string;
  other: string;
  /** A choice that takes back another one. */
  noAnswer: string;
  /** What the least and the greatest number of a rating mean, where its owner says nothing. */
  scaleEnds: readonly [least: string, greatest: string];
  optional: string;
  /** On a button beside a file. */
  remove: string;
  /** An option that is full, with its label. */
  full: (label: string) => string;
  /** The position of an option in a ranking. */
  place: (position: number) => string;
  addressParts: Record<(typeof addressParts)[number], string>;
  moment: Record<(typeof momentParts)[number], string>;
}

export interface FieldInputProps {
  field: Field;
  words: FieldWords;
  /**
   * What was entered, by the names of the controls (fields/control-values.ts). Without it the default is
   * shown.
   */
  values?: Values | undefined;
  error?: string | undefined;
  /** The part that the error is about, of an address or a matrix. */
  invalidPart?: string | undefined;
  /** What the field's rules expect, in sentences. */
  hints?: readonly string[];
  /** The values of the options that are full. */
  full?: readonly Scalar[];
  /** Whether the browser may offer what it knows of the respondent. */
  autofill?: boolean;
  scope?: string | undefined;
  /** Where a button that removes a file sends the form; absent: no files can be added. */
  removeAction?: string | undefined;
}

/** With what is shown: the values, or the default. */
export interface ShownProps extends FieldInputProps {
  shown: Values;
}

/** A text of a definition, if it has one. */
const definitionText = (definition: Field["definition"], name: string): string | undefined => {
  const value = Object.hasOwn(definition, name) ? definition[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
};

export const labelOf = ({ label, id }: Pick<Field, "label" | "id">): string => label || id;

export const hintOf = ({ field: { definition }, hints = [] }: FieldInputProps): string | undefined =>
  [definitionText(definition, "description"), definitionText(definition, "help"), ...hints]
    .filter(Boolean)
    .join(" ") || undefined;

/** Whether a label says "optional": a field with `requireIf` may be required by what was entered. */
export const isOptional = ({ required, definition }: Pick<Field, "required" | "definition">): boolean =>
  !required && definitionText(definition, "requireIf") === undefined;

/** What most controls are given. */
export const commonOf = (props: FieldInputProps) => {
  const { field, words, error, scope } = props;
  const { constraints, ownerSet } = field;
  return {
    name: controlName(field.id),
    label: labelOf(field),
    hint: hintOf(props),
    error,
    required: field.required || (isOptional(field) ? false : undefined),
    optional: words.optional,
    scope,
    placeholder: definitionText(field.definition, "placeholder"),
    maxLength: ownerSet.has("maxLength") ? constraints.maxLength : undefined,
  };
};
