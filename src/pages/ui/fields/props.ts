import type { ComponentChildren } from "preact";
import type { Scalar } from "../../../fields/constraints.ts";
import type { addressParts } from "../../../fields/control-values.ts";
import { choicesOf, controlName, type momentParts, type Values } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import type { ValueWords } from "../../../fields/presentation.ts";
import type { Choice } from "../controls.tsx";
import { type LanguageMark, type MarkOf, marked } from "../marks.ts";

/** The words that the controls need, in the language of the page. */
export interface FieldWords extends ValueWords {
  choose: string;
  other: string;
  /** A choice that clears another one. */
  noAnswer: string;
  /** Default labels of the least and the greatest number of a rating. */
  scaleEnds: readonly [least: string, greatest: string];
  optional: string;
  remove: string;
  full: (label: string) => string;
  /** @param places places that are left */
  left: (label: string, places: number) => string;
  place: (position: number) => string;
  addressParts: Record<(typeof addressParts)[number], string>;
  moment: Record<(typeof momentParts)[number], string> & { inZone: (zone: string) => string };
}

export interface FieldInputProps {
  field: Field;
  words: FieldWords;
  /** The entered values, by the names of the controls. Absent: the default is shown. */
  values?: Values | undefined;
  error?: ComponentChildren;
  /** Part of an address, or row of a matrix, that the error is about. */
  invalidPart?: string | undefined;
  /** Hints derived from the field's rules, in sentences. */
  hints?: readonly string[];
  /** Options with few places left, or none, with their number. */
  left?: readonly (readonly [value: Scalar, places: number])[];
  /** True if the browser may fill in data of the respondent. */
  autofill?: boolean;
  scope?: string | undefined;
  /** Absent: the texts of the field are in the language of the words. */
  mark?: MarkOf;
  /** Language of what `Intl` writes. Absent: that of the words. */
  intlMark?: LanguageMark | undefined;
  /** Address that a button which removes a file sends the form to. Absent: no files can be added. */
  removeAction?: string | undefined;
}

/** Properties with the shown values: the entered ones, or the default. */
export interface ShownProps extends FieldInputProps {
  shown: Values;
}

/** Returns a text of a definition, if it has one. */
const definitionText = (definition: Field["definition"], name: string): string | undefined => {
  const value = Object.hasOwn(definition, name) ? definition[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
};

export const labelOf = ({ label, id }: Pick<Field, "label" | "id">): string => label || id;

export function hintOf({ field: { definition }, hints = [], mark }: FieldInputProps): ComponentChildren {
  const own = (["description", "help"] as const).map((name) =>
    marked(definitionText(definition, name) ?? "", mark?.(name)),
  );
  const parts = [...own, ...hints].filter((part) => part !== "");
  if (parts.length === 0) return undefined;
  return parts.every((part) => typeof part === "string")
    ? parts.join(" ")
    : parts.flatMap((part, index) => (index > 0 ? [" ", part] : [part]));
}

/** The label of a field on its page. */
export const markedLabel = ({ field, mark }: Pick<FieldInputProps, "field" | "mark">): ComponentChildren =>
  marked(labelOf(field), mark?.("label"));

/** The options, rows or columns of a field, with their marks. */
export const choicesIn = (
  { field: { constraints }, mark }: Pick<FieldInputProps, "field" | "mark">,
  list: "options" | "rows" | "columns",
): Choice[] =>
  choicesOf(constraints[list]).map((choice) => ({ ...choice, mark: mark?.(list, choice.value) }));

/** True if the label has the word "optional". Entered values may make a field with `requireIf` required. */
export const isOptional = ({ required, definition }: Pick<Field, "required" | "definition">): boolean =>
  !required && definitionText(definition, "requireIf") === undefined;

/** Returns the properties of most controls. */
export const commonOf = (props: FieldInputProps) => {
  const { field, words, error, scope, mark } = props;
  const placeholder = definitionText(field.definition, "placeholder");
  const { constraints, ownerSet } = field;
  return {
    name: controlName(field.id),
    label: labelOf(field),
    mark: mark?.("label"),
    hint: hintOf(props),
    error,
    required: field.required || (isOptional(field) ? false : undefined),
    optional: words.optional,
    scope,
    placeholder,
    lang: placeholder && mark?.("placeholder")?.lang,
    maxLength: ownerSet.has("maxLength") ? constraints.maxLength : undefined,
  };
};
