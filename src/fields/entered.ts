/**
 * Values of fields as they are entered in the controls of a page and shown as text: the part that the pages'
 * script runs too, so that it reads what the server reads. Pure, and without the field types themselves.
 */
import {
  addressParts,
  choicesOf,
  controlName,
  controlText,
  fileIn,
  momentParts,
  optionTexts,
  otherPart,
  toText,
  type Values,
} from "./control-values.ts";
import { dayKey, instantKey, isEmail, isHttpUrl, timeKey } from "./formats.ts";
import type { FieldKind } from "./types.ts";
import { isExact, type Option, valuesOf } from "./values.ts";

/** What of a field decides how its value is entered. */
export interface EnteredField {
  readonly id: string;
  readonly kind: FieldKind | undefined;
  readonly constraints: {
    readonly options?: readonly (string | Option)[];
    readonly allowOther?: boolean;
    readonly rows?: readonly (string | Option)[];
  };
}

/** The words of a value, in the language of its reader. */
export interface ValueWords {
  /** BCP 47. */
  lang: string;
  yes: string;
  no: string;
  /** A day such as 2026-11-20. */
  day: (day: unknown) => string;
}

type ToValue = (field: EnteredField, values: Values) => unknown;

const entered = ({ id }: EnteredField, values: Values): string => controlText(values, controlName(id));

const text: ToValue = (field, values) => entered(field, values) || undefined;

/**
 * What is no number, or none that a double holds exactly, stays text, and fails as `type_mismatch`. A comma
 * is a decimal point, as in German, unless three digits follow, which may be thousands. An exponent is read
 * as HTML's floating-point numbers have it, since a default of 1e-7 is shown as that.
 */
function number(field: EnteredField, values: Values): unknown {
  const given = entered(field, values).trim();
  if (given === "") return undefined;
  const digits = given.replace(/^(-?\d+),(?!\d{3}$)(\d+)$/, "$1.$2");
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i.test(digits) && isExact(Number(digits), digits)
    ? Number(digits)
    : given;
}

/** The options of a published field never change. */
const optionsByText = new WeakMap<EnteredField, Map<string, unknown>>();

/** The option that was sent as text. */
function optionOf(field: EnteredField, sent: string): unknown {
  let options = optionsByText.get(field);
  if (!options) {
    const values = valuesOf(field.constraints.options);
    options = new Map(optionTexts(values).map((each, index) => [each, values[index]]));
    optionsByText.set(field, options);
  }
  return options.get(sent) ?? sent;
}

/** The choice that is not among the options. */
const otherIn = ({ id, constraints }: EnteredField, values: Values): string =>
  constraints.allowOther ? controlText(values, controlName(id, otherPart)).trim() : "";

const several: ToValue = (field, values) => {
  const chosen = values.getAll(controlName(field.id)).filter((each) => each !== "");
  const other = otherIn(field, values);
  const items = [...chosen.map((each) => optionOf(field, each)), ...(other ? [other] : [])];
  return items.length > 0 ? items : undefined;
};

/** The members that have a value; undefined when none has. */
function objectOf(parts: readonly string[], cellOf: (part: string) => unknown) {
  const members = parts.map((part) => [part, cellOf(part)] as const).filter(([, cell]) => cell !== undefined);
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

const readers: { readonly [kind in FieldKind]: ToValue } = {
  text,
  textarea: text,
  email: text,
  phone: text,
  url: text,
  date: text,
  time: text,
  hidden: text,
  number,
  integer: number,
  rating: number,
  boolean: (field, values) => {
    const given = entered(field, values);
    if (given === "true" || given === "on") return true;
    return given === "false" ? false : given || undefined;
  },
  consent: (field, values) => {
    const given = entered(field, values);
    return given === "false" ? false : given !== "" || undefined;
  },
  select: (field, values) => {
    const given = entered(field, values);
    return otherIn(field, values) || (given === "" ? undefined : optionOf(field, given));
  },
  multi_select: several,
  ranking: several,
  datetime: (field, values) => {
    const [local = "", zone] = momentParts.map((part) =>
      controlText(values, controlName(field.id, part)).trim(),
    );
    const moment = local && `${/T\d\d:\d\d$/.test(local) ? `${local}:00` : local}${zone}`;
    return entered(field, values) || moment || undefined;
  },
  address: ({ id }, values) =>
    objectOf(addressParts, (part) => controlText(values, controlName(id, part)).trim() || undefined),
  matrix: ({ id, constraints }, values) =>
    objectOf(valuesOf(constraints.rows).map(String), (row) => {
      const cells = values.getAll(controlName(id, row)).filter((cell) => cell !== "");
      return cells.length > 1 ? cells : cells[0];
    }),
  file: ({ id }, values) => {
    const files = values.getAll(controlName(id)).flatMap((each) => fileIn(each) ?? []);
    return files.length > 0 ? files : undefined;
  },
  statement: () => undefined,
};

/** The JSON value of one field; undefined when nothing was entered. It need not be valid. */
export const toValue = (field: EnteredField, values: Values): unknown =>
  ((field.kind && readers[field.kind]) ?? text)(field, values);

const isNumber = (value: unknown) => typeof value === "number";
const isBoolean = (value: unknown) => typeof value === "boolean";

const isAnything = () => true;

/**
 * What can be entered and has the wrong type or format nevertheless. Every type has an entry: without one,
 * expressions of a page would see what they do not see on the server. A telephone number needs much more than
 * a page has.
 */
const formats: { readonly [kind in FieldKind]: (value: unknown) => boolean } = {
  text: isAnything,
  textarea: isAnything,
  phone: isAnything,
  select: isAnything,
  multi_select: isAnything,
  ranking: isAnything,
  address: isAnything,
  matrix: isAnything,
  file: isAnything,
  hidden: isAnything,
  statement: isAnything,
  email: (value) => isEmail(value as string),
  url: (value) => isHttpUrl(value as string),
  number: isNumber,
  integer: Number.isInteger,
  rating: Number.isInteger,
  boolean: isBoolean,
  consent: isBoolean,
  date: (value) => dayKey(value as string) !== undefined,
  time: (value) => timeKey(value as string) !== undefined,
  datetime: (value) => instantKey(value as string) !== undefined,
};

/** Whether what was entered has the type and format of its field, so that expressions see it. */
export const isWellFormed = ({ kind }: EnteredField, value: unknown): boolean =>
  (kind && formats[kind](value)) ?? true;

export const labelIn = (list: readonly (string | Option)[] | undefined, value: unknown): string =>
  choicesOf(list).find((choice) => choice.value === String(value))?.label ?? toText(value);

const yesOrNo = (value: unknown, words: ValueWords): string =>
  value === true ? words.yes : value === false ? words.no : toText(value);

type ToText = (value: unknown, words: ValueWords, field: EnteredField) => string;

const choices: ToText = (value, _, { constraints: { options } }) =>
  [value]
    .flat()
    .map((item) => labelIn(options, item))
    .join("\n");

/** The texts of values that are not shown as they are. */
const texts: { readonly [kind in FieldKind]?: ToText } = {
  boolean: yesOrNo,
  consent: yesOrNo,
  select: choices,
  multi_select: choices,
  date: (value, words) => (Number.isNaN(Date.parse(`${value}T00:00:00Z`)) ? toText(value) : words.day(value)),
  datetime: (value) =>
    toText(value).replace(/^(\S+)T(\S+?)(Z|[+-]\d\d:\d\d)$/, (_, day, time, zone) =>
      [day, time, zone === "Z" ? "UTC" : `UTC${zone}`].join(" "),
    ),
};

/** The text of a value that has no parts. */
export const plainText = (field: EnteredField, value: unknown, words: ValueWords): string =>
  (field.kind && texts[field.kind]?.(value, words, field)) ?? toText(value);
