/**
 * How the value of each field type is entered and read: by an HTML form, as text, and by an MCP client that
 * asks a person. Pure. What a page draws for a type is the other half, `pages/ui/field-input.tsx`.
 */
import { type Constraints, type JsonSchema, type Option, type Scalar, valuesOf } from "./constraints.ts";
import {
  addressParts,
  addressPartsIn,
  controlName,
  momentParts,
  optionTexts,
  otherPart,
  toText,
} from "./control-values.ts";
import { type Field, isRecord } from "./definition.ts";
import { labelIn, plainText, type ValueWords } from "./entered.ts";
import { phoneExample } from "./phone.ts";
import { sizeText } from "./types/file.ts";
import type { FieldKind } from "./types.ts";

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

type Hint = string | false | undefined;

/** How the values of a type are entered and read. Values need not be valid. */
interface Presentation {
  /** The names by which a form sends the value. */
  readonly names: (field: Field) => string[];
  /** What the controls show of a value: name and text. */
  readonly toControls: (field: Field, value: unknown) => [name: string, text: string][];
  /** The value for people: with the labels of its options, one line for each part. */
  readonly toText: (field: Field, value: unknown, words: ValueWords) => string;
  /** What the rules expect. */
  readonly hints: (field: Field, words: HintWords) => Hint[];
  /**
   * The value in the part of JSON Schema that MCP's elicitation in form mode has; undefined when it has no
   * such value.
   */
  readonly flatSchema: (constraints: Constraints) => JsonSchema | undefined;
}

const nameOf = ({ id }: Field) => controlName(id);
const scalarTypes: readonly string[] = ["string", "number", "boolean"];
/** What one control can show of a value, or several controls of one name. */
const scalarsOf = (value: unknown): Scalar[] =>
  [value].flat().filter((each): each is Scalar => scalarTypes.includes(typeof each));
const boundsHint = (words: BoundsWords, least: unknown, greatest: unknown): string | undefined =>
  least !== undefined && greatest !== undefined
    ? words.between(least, greatest)
    : least !== undefined
      ? words.least(least)
      : greatest !== undefined
        ? words.greatest(greatest)
        : undefined;

const textSchema = ({ minLength, maxLength }: Constraints, format?: string): JsonSchema => ({
  type: "string",
  minLength,
  maxLength,
  format,
});

const text: Presentation = {
  names: (field) => [nameOf(field)],
  toControls: (field, value) => scalarsOf(value).map((each) => [nameOf(field), String(each)]),
  toText: plainText,
  hints: ({ constraints: { minLength = 0, maxLength }, ownerSet }, words) => [
    boundsHint(
      words.length,
      minLength > 1 ? minLength : undefined,
      ownerSet.has("maxLength") ? maxLength : undefined,
    ),
  ],
  flatSchema: (constraints) => textSchema(constraints),
};

const email: Presentation = {
  ...text,
  hints: (field, words) => [
    ...text.hints(field, words),
    field.constraints.allowedDomains && words.domains(field.constraints.allowedDomains),
  ],
  flatSchema: (constraints) => textSchema(constraints, "email"),
};

function phoneHint({ constraints: { country } }: Field, words: HintWords): string {
  const { national, international } = phoneExample(country ?? words.phoneCountry);
  return words.phone(international, country === undefined ? undefined : national);
}

const phone: Presentation = {
  ...text,
  hints: (field, words) => [...text.hints(field, words), phoneHint(field, words)],
};

const url: Presentation = {
  ...text,
  hints: (field, words) => [...text.hints(field, words), words.url],
  flatSchema: (constraints) => textSchema(constraints, "uri"),
};

/** Respondents see no control, and a person is not asked. */
const hidden: Presentation = { ...text, hints: () => [], flatSchema: () => undefined };

const number: Presentation = {
  ...text,
  hints: ({ constraints: { minimum, maximum, multipleOf = 1 } }, words) => [
    boundsHint(words.number, minimum, maximum),
    multipleOf !== 1 && words.steps(multipleOf),
  ],
  flatSchema: ({ minimum, maximum }) => ({ type: "number", minimum, maximum }),
};

const integer: Presentation = {
  ...number,
  hints: (field, words) => [words.whole, ...number.hints(field, words)],
  flatSchema: ({ minimum, maximum }) => ({ type: "integer", minimum, maximum }),
};

/** Its steps are all on the page. */
const rating: Presentation = { ...integer, hints: () => [] };

const boolean: Presentation = {
  ...text,
  hints: () => [],
  flatSchema: () => ({ type: "boolean" }),
};

const consent: Presentation = {
  ...boolean,
};

/**
 * Options as choices with labels; undefined where one is no text, which form mode cannot express, or any text
 * is accepted.
 */
function flatChoices({ options = [], allowOther }: Constraints) {
  if (allowOther || options.length === 0) return undefined;
  const choices = options.map((option) => {
    const { value, label }: Option = typeof option === "string" ? { value: option } : option;
    return typeof value === "string" ? { const: value, title: label ?? value } : undefined;
  });
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
}

const select: Presentation = {
  ...text,
  names: ({ id, constraints: { allowOther } }) =>
    allowOther ? [controlName(id), controlName(id, otherPart)] : [controlName(id)],
  toControls: ({ id, constraints: { options, allowOther } }, value) => {
    const known = valuesOf(options);
    const texts = new Map(optionTexts(known).map((each, index) => [known[index], each]));
    return scalarsOf(value).map((each) => [
      allowOther && !texts.has(each) ? controlName(id, otherPart) : controlName(id),
      texts.get(each) ?? String(each),
    ]);
  },
  hints: () => [],
  flatSchema: (constraints) => {
    const oneOf = flatChoices(constraints);
    return oneOf && { type: "string", oneOf };
  },
};

const multi_select: Presentation = {
  ...select,
  hints: (field, words) => [itemsHint(field, words) ?? words.items.any],
  flatSchema: (constraints) => {
    const anyOf = flatChoices(constraints);
    const { minItems, maxItems } = constraints;
    return anyOf && { type: "array", items: { anyOf }, minItems, maxItems };
  },
};

function itemsHint({ constraints }: Field, { items, rankAll }: HintWords): string | undefined {
  const { minItems = 0, maxItems } = constraints;
  if (constraints.rankAll) return rankAll;
  if (minItems > 1 && minItems === maxItems) return items.exactly(minItems);
  return boundsHint(items, minItems > 1 ? minItems : undefined, maxItems);
}

const ranking: Presentation = {
  ...multi_select,
  toText: ({ constraints: { options } }, value) =>
    [value]
      .flat()
      .map((item, index) => `${index + 1}. ${labelIn(options, item)}`)
      .join("\n"),
  hints: (field, words) => [itemsHint(field, words)],
  flatSchema: () => undefined,
};

const date: Presentation = {
  ...text,
  hints: ({ constraints: { minimum, maximum } }, words) => [boundsHint(words.date, minimum, maximum)],
  flatSchema: (constraints) => textSchema(constraints, "date"),
};

const time: Presentation = {
  ...text,
  hints: ({ constraints: { minimum, maximum } }, words) => [boundsHint(words.time, minimum, maximum)],
  flatSchema: () => undefined,
};

/**
 * What the two parts can show. Browsers leave out seconds and fractions that are zero, and empty a control
 * whose value has the year 0000, the second 60 or more than three digits of a fraction (HTML, "Dates and
 * times").
 */
const momentPattern =
  /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d)(?::00(?:\.0+)?|(:[0-5]\d(?:\.\d{0,2}[1-9])?)(?:\.0+)?)?(Z|[+-]\d\d:\d\d)$/;

const momentNames = ({ id }: Field) => momentParts.map((part) => controlName(id, part)) as [string, string];

const datetime: Presentation = {
  names: (field) => [nameOf(field), ...momentNames(field)],
  toControls: (field, value) => {
    const parts = typeof value === "string" ? momentPattern.exec(value) : null;
    if (!parts) return text.toControls(field, value);
    const [local, zone] = momentNames(field);
    const [, minutes = "", seconds = "", offset = ""] = parts;
    return [
      [local, minutes + seconds],
      [zone, offset],
    ];
  },
  toText: plainText,
  hints: ({ constraints: { minimum, maximum } }, words) => [boundsHint(words.datetime, minimum, maximum)],
  flatSchema: (constraints) => textSchema(constraints, "date-time"),
};

/** The parts of a composite value as its controls show them. */
const partsToControls: Presentation["toControls"] = ({ id }, value) =>
  Object.entries(isRecord(value) ? value : {}).flatMap(([part, cell]) =>
    scalarsOf(cell).map((each): [string, string] => [controlName(id, part), String(each)]),
  );

/** The name of a country; a text that is no code stays as it is. */
const countryOf = (code: unknown, language: string): string =>
  typeof code === "string" && /^[A-Z]{2}$/.test(code)
    ? (new Intl.DisplayNames([language], { type: "region" }).of(code) ?? code)
    : toText(code);

const address: Presentation = {
  names: ({ id }) => addressParts.map((part) => controlName(id, part)),
  toControls: partsToControls,
  toText: (_, value, words) => {
    const parts = isRecord(value) ? value : {};
    const lines = addressPartsIn(words.lang).map((part) =>
      part === "country" ? countryOf(parts[part], words.lang) : toText(parts[part]),
    );
    return lines.filter((line) => line !== "").join("\n");
  },
  hints: () => [],
  flatSchema: () => undefined,
};

const rowsOf = ({ constraints }: Field) => valuesOf(constraints.rows).map(String);

const matrix: Presentation = {
  names: (field) => rowsOf(field).map((row) => controlName(field.id, row)),
  toControls: partsToControls,
  toText: ({ constraints: { rows, columns } }, value) =>
    Object.entries(isRecord(value) ? value : {})
      .map(([row, cells]) => {
        const labels = [cells].flat().map((cell) => labelIn(columns, cell));
        return `${labelIn(rows, row)}: ${labels.join(", ")}`;
      })
      .join("\n"),
  hints: ({ constraints: { allRows }, required }, words) => [allRows && words.allRows(required)],
  flatSchema: () => undefined,
};

/** A control for each upload that the page has received, with the name and size by which people know it. */
const file: Presentation = {
  names: text.names,
  toControls: (field, value) =>
    (Array.isArray(value) ? value : []).filter(isRecord).map((each) => [nameOf(field), JSON.stringify(each)]),
  toText: (_, value, words) =>
    (Array.isArray(value) ? value : [])
      .filter(isRecord)
      .map(({ name, size }) =>
        [toText(name), typeof size === "number" ? sizeText(size, words.lang) : ""].filter(Boolean).join(", "),
      )
      .join("\n"),
  hints: ({ constraints: { minItems, maxItems, maxBytes } }, words) => [
    maxItems !== undefined && maxItems > 1 && boundsHint(words.files, minItems, maxItems),
    maxBytes !== undefined && words.fileSize(maxBytes, maxItems === 1),
  ],
  flatSchema: () => undefined,
};

const statement: Presentation = {
  names: () => [],
  toControls: () => [],
  toText: text.toText,
  hints: () => [],
  flatSchema: () => undefined,
};

const presentations: Readonly<Record<FieldKind, Presentation>> = {
  text,
  textarea: text,
  email,
  phone,
  url,
  hidden,
  number,
  integer,
  rating,
  boolean,
  consent,
  select,
  multi_select,
  ranking,
  date,
  time,
  datetime,
  address,
  matrix,
  file,
  statement,
};

/** A type of the owner's own is entered as text, and no person is asked for it. */
const custom: Presentation = { ...text, flatSchema: () => undefined };

const presentationOf = ({ kind }: Field): Presentation => (kind ? presentations[kind] : custom);

/** The names by which the value of a field is sent. */
export const namesOf = (field: Field): string[] => presentationOf(field).names(field);

/** What the controls of a form show of its data. */
export const toControls = (fields: readonly Field[], data: Readonly<Record<string, unknown>>) =>
  new URLSearchParams(
    fields.flatMap((field) =>
      presentationOf(field).toControls(field, Object.hasOwn(data, field.id) ? data[field.id] : undefined),
    ),
  );

/** The text of a value, which need not be valid. */
export const valueText = (field: Field, value: unknown, words: ValueWords): string =>
  presentationOf(field).toText(field, value, words);

/** What the rules of a field expect, in sentences. */
export const hintsOf = (field: Field, words: HintWords): string[] =>
  presentationOf(field)
    .hints(field, words)
    .filter((hint): hint is string => typeof hint === "string");

/**
 * A field's value in the part of JSON Schema that MCP's elicitation in form mode has; undefined when it has
 * none.
 */
export const flatSchemaOf = (field: Field): JsonSchema | undefined =>
  presentationOf(field).flatSchema(field.constraints);
