/** Members of a field type for entering and showing values: in forms, as text, in MCP clients. Pure. */
import type { Constraints, JsonSchema, Scalar } from "./constraints.ts";
import { controlName } from "./control-values.ts";
import type { Spelling } from "./spelling.ts";
import { isRecord } from "./values.ts";

export interface ValueWords extends Spelling {
  /** BCP 47. */
  lang: string;
  yes: string;
  no: string;
}

export interface BoundsWords {
  between: (least: unknown, greatest: unknown) => string;
  least: (least: unknown) => string;
  greatest: (greatest: unknown) => string;
}

/** Hints about a field's rules, for a person who has entered nothing yet. */
export interface HintWords {
  length: BoundsWords;
  number: BoundsWords;
  date: BoundsWords;
  time: BoundsWords;
  datetime: BoundsWords;
  /** The number of chosen options. */
  items: BoundsWords & { exactly: (count: number) => string; any: string };
  domains: (domains: readonly string[]) => string;
  /** The country whose telephone numbers are examples if a field has no country (ISO 3166-1). */
  phoneCountry: string;
  /** @param national absent: only international numbers are accepted */
  phone: (international: string, national?: string) => string;
  url: string;
  whole: string;
  steps: (step: number) => string;
  rankAll: string;
  allRows: (isRequired: boolean) => string;
  files: BoundsWords;
  fileSize: (greatestBytes: number, isOne: boolean) => string;
}

/** The members of a field that determine the presentation of its value. */
export interface PresentedField {
  readonly id: string;
  readonly constraints: Constraints;
  readonly ownerSet: ReadonlySet<string>;
  readonly required: boolean;
}

type Hint = string | false | undefined;

/** Members of a field type. Values may be invalid. */
export interface Presentation {
  /** The parts of an object value, each with its own control. */
  readonly parts?: (constraints: Constraints) => readonly string[];
  /** The names of the controls that send the value; absent: the name of the field, or of its parts. */
  readonly names?: (field: PresentedField) => string[];
  /** Names and texts of the controls that show a value; absent: its scalars, or the scalars of its parts. */
  readonly toControls?: (
    field: PresentedField,
    value: unknown,
    spelling: Spelling,
  ) => [name: string, text: string][];
  /** The value as text, one line per part; absent: the text that the pages' script shows too. */
  readonly toText?: (field: PresentedField, value: unknown, words: ValueWords) => string;
  readonly hints: (field: PresentedField, words: HintWords) => Hint[];
  /** The value in the JSON Schema that MCP's elicitation in form mode allows; undefined: impossible. */
  readonly flatSchema: (constraints: Constraints) => JsonSchema | undefined;
}

/** For types without hints and questions. */
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

/** The names of the controls that send the value of a field. */
export function namesOf(field: Presented): string[] {
  const { id, constraints, fieldType } = field;
  if (fieldType.parts) return fieldType.parts(constraints).map((part) => controlName(id, part));
  return fieldType.names?.(field) ?? [controlName(id)];
}

function controlsOf(field: Presented, value: unknown, spelling: Spelling): [name: string, text: string][] {
  const { id, fieldType } = field;
  if (fieldType.toControls) return fieldType.toControls(field, value, spelling);
  if (!fieldType.parts) return scalarsAs(controlName(id), value);
  const parts = Object.entries(isRecord(value) ? value : {});
  return parts.flatMap(([part, cell]) => scalarsAs(controlName(id, part), cell));
}

/** The controls that show the data of a form: name and text, which {@link Spelling} reads back. */
export const toControls = (
  fields: readonly Presented[],
  data: Readonly<Record<string, unknown>>,
  spelling: Spelling = {},
) =>
  new URLSearchParams(
    fields.flatMap((field) =>
      controlsOf(field, Object.hasOwn(data, field.id) ? data[field.id] : undefined, spelling),
    ),
  );

export const hintsOf = (field: Presented, words: HintWords): string[] =>
  field.fieldType.hints(field, words).filter((hint): hint is string => typeof hint === "string");

/** A field's value in the JSON Schema that MCP's elicitation in form mode allows; undefined: impossible. */
export const flatSchemaOf = ({ fieldType, constraints }: Presented): JsonSchema | undefined =>
  fieldType.flatSchema(constraints);
