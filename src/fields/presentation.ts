/**
 * The members of a field type that say how its values are entered and read: by an HTML form, as text, and by
 * an MCP client that asks a person. Pure. The pages' script runs `entered.ts` too; controls are drawn by
 * `pages/ui/field-input.tsx`.
 */
import type { Constraints, JsonSchema, Scalar } from "./constraints.ts";
import { controlName } from "./control-values.ts";
import { isRecord } from "./values.ts";

/** The words of a value, in the language of its reader. */
export interface ValueWords {
  /** BCP 47. */
  lang: string;
  yes: string;
  no: string;
  /** A day such as 2026-11-20. */
  day: (day: unknown) => string;
}

/** Sentences about a least and a greatest value. */
export interface BoundsWords {
  between: (least: unknown, greatest: unknown) => string;
  least: (least: unknown) => string;
  greatest: (greatest: unknown) => string;
}

/** Sentences about a field's rules, for a person who has entered nothing yet. */
export interface HintWords {
  /** The number of characters. */
  length: BoundsWords;
  number: BoundsWords;
  date: BoundsWords;
  time: BoundsWords;
  datetime: BoundsWords;
  /** The number of chosen options. */
  items: BoundsWords & { exactly: (count: number) => string; any: string };
  domains: (domains: readonly string[]) => string;
  /** The country whose telephone numbers are examples where a field names none (ISO 3166-1). */
  phoneCountry: string;
  /** @param national absent: only international numbers are accepted */
  phone: (international: string, national?: string) => string;
  url: string;
  whole: string;
  steps: (step: number) => string;
  rankAll: string;
  allRows: (isRequired: boolean) => string;
  /** The number of files. */
  files: BoundsWords;
  fileSize: (greatestBytes: number, isOne: boolean) => string;
}

/** The members of a field that decide how its value is presented. */
export interface PresentedField {
  readonly id: string;
  readonly constraints: Constraints;
  readonly ownerSet: ReadonlySet<string>;
  readonly required: boolean;
}

type Hint = string | false | undefined;

/** Members of a field type. Values need not be valid. */
export interface Presentation {
  /** The parts of a value that is an object, each with a control of its own. */
  readonly parts?: (constraints: Constraints) => readonly string[];
  /** The names by which a form sends the value; absent: that of the field, or those of its parts. */
  readonly names?: (field: PresentedField) => string[];
  /** Names and texts of the controls that show a value; absent: its scalars, or those of its parts. */
  readonly toControls?: (field: PresentedField, value: unknown) => [name: string, text: string][];
  /** The value for people, one line for each part; absent: as the pages' script shows it too. */
  readonly toText?: (field: PresentedField, value: unknown, words: ValueWords) => string;
  /** Sentences about what the rules expect. */
  readonly hints: (field: PresentedField, words: HintWords) => Hint[];
  /**
   * The value in the part of JSON Schema that MCP's elicitation in form mode has; undefined when it has no
   * such value.
   */
  readonly flatSchema: (constraints: Constraints) => JsonSchema | undefined;
}

/** No respondent sees a hint, and no person is asked. */
export const unasked = { hints: () => [], flatSchema: () => undefined };

const scalarTypes: readonly string[] = ["string", "number", "boolean"];
/** The values that one control can show, or several controls of one name. */
export const scalarsOf = (value: unknown): Scalar[] =>
  [value].flat().filter((each): each is Scalar => scalarTypes.includes(typeof each));

/** The controls of one name that show a value. */
export const scalarsAs = (name: string, value: unknown): [name: string, text: string][] =>
  scalarsOf(value).map((each) => [name, String(each)]);

export const boundsHint = (words: BoundsWords, least: unknown, greatest: unknown): string | undefined =>
  least !== undefined && greatest !== undefined
    ? words.between(least, greatest)
    : least !== undefined
      ? words.least(least)
      : greatest !== undefined
        ? words.greatest(greatest)
        : undefined;

type Presented = PresentedField & { readonly fieldType: Presentation };

/** The names by which the value of a field is sent. */
export function namesOf(field: Presented): string[] {
  const { id, constraints, fieldType } = field;
  if (fieldType.parts) return fieldType.parts(constraints).map((part) => controlName(id, part));
  return fieldType.names?.(field) ?? [controlName(id)];
}

function controlsOf(field: Presented, value: unknown): [name: string, text: string][] {
  const { id, fieldType } = field;
  if (fieldType.toControls) return fieldType.toControls(field, value);
  if (!fieldType.parts) return scalarsAs(controlName(id), value);
  const parts = Object.entries(isRecord(value) ? value : {});
  return parts.flatMap(([part, cell]) => scalarsAs(controlName(id, part), cell));
}

/** The controls that show the data of a form: name and text. */
export const toControls = (fields: readonly Presented[], data: Readonly<Record<string, unknown>>) =>
  new URLSearchParams(
    fields.flatMap((field) => controlsOf(field, Object.hasOwn(data, field.id) ? data[field.id] : undefined)),
  );

/** Sentences about what the rules of a field expect. */
export const hintsOf = (field: Presented, words: HintWords): string[] =>
  field.fieldType.hints(field, words).filter((hint): hint is string => typeof hint === "string");

/**
 * A field's value in the part of JSON Schema that MCP's elicitation in form mode has; undefined when it has
 * none.
 */
export const flatSchemaOf = ({ fieldType, constraints }: Presented): JsonSchema | undefined =>
  fieldType.flatSchema(constraints);
