/** Values of fields as entered in a page's controls, and as text. Pure; the pages' script runs it too. */
import {
  addressParts,
  controlName,
  controlText,
  fileIn,
  labelIn,
  momentParts,
  optionTexts,
  otherPart,
  toText,
  type Values,
} from "./control-values.ts";
import { dayKey, instantKey, isEmail, isHttpUrl, timeKey } from "./formats.ts";
import type { Presentation, PresentedField, ValueWords } from "./presentation.ts";
import type { FieldKind } from "./types.ts";
import { isExact, type Option, valuesOf } from "./values.ts";

export interface EnteredField {
  readonly id: string;
  readonly kind: FieldKind | undefined;
  readonly constraints: {
    readonly options?: readonly (string | Option)[];
    readonly allowOther?: boolean;
    readonly rows?: readonly (string | Option)[];
  };
}

interface Entry {
  readonly toValue: (field: EnteredField, values: Values) => unknown;
  /** True for a value with the type and format of its field: expressions see no other. */
  readonly isWellFormed: (value: unknown) => boolean;
  readonly toText: (value: unknown, words: ValueWords, field: EnteredField) => string;
}

const entered = ({ id }: EnteredField, values: Values): string => controlText(values, controlName(id));

/**
 * Parses a number. Text that is not a number, or is not exact as a double, is kept as text, so that
 * validation reports `type_mismatch`. A comma is a decimal point, as in German, unless three digits follow,
 * which may be thousands. Exponents are allowed, as in HTML, since a default of 1e-7 is shown as that.
 */
function numberIn(field: EnteredField, values: Values): unknown {
  const given = entered(field, values).trim();
  if (given === "") return undefined;
  const digits = given.replace(/^(-?\d+),(?!\d{3}$)(\d+)$/, "$1.$2");
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i.test(digits) && isExact(Number(digits), digits)
    ? Number(digits)
    : given;
}

/** The options of a published field never change. */
const optionsByText = new WeakMap<EnteredField, Map<string, unknown>>();

function optionOf(field: EnteredField, sent: string): unknown {
  let options = optionsByText.get(field);
  if (!options) {
    const values = valuesOf(field.constraints.options);
    options = new Map(optionTexts(values).map((each, index) => [each, values[index]]));
    optionsByText.set(field, options);
  }
  return options.get(sent) ?? sent;
}

const otherIn = ({ id, constraints }: EnteredField, values: Values): string =>
  constraints.allowOther ? controlText(values, controlName(id, otherPart)).trim() : "";

const several: Entry["toValue"] = (field, values) => {
  const chosen = values.getAll(controlName(field.id)).filter((each) => each !== "");
  const other = otherIn(field, values);
  const items = [...chosen.map((each) => optionOf(field, each)), ...(other ? [other] : [])];
  return items.length > 0 ? items : undefined;
};

function objectOf(parts: readonly string[], cellOf: (part: string) => unknown) {
  const members = parts.map((part) => [part, cellOf(part)] as const).filter(([, cell]) => cell !== undefined);
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

const text: Entry = {
  toValue: (field, values) => entered(field, values) || undefined,
  isWellFormed: () => true,
  toText,
};

const number: Entry = { ...text, toValue: numberIn, isWellFormed: (value) => typeof value === "number" };

const integer: Entry = { ...number, isWellFormed: Number.isInteger };

const boolean: Entry = {
  toValue: (field, values) => {
    const given = entered(field, values);
    if (given === "true" || given === "on") return true;
    return given === "false" ? false : given || undefined;
  },
  isWellFormed: (value) => typeof value === "boolean",
  toText: (value, words) => (value === true ? words.yes : value === false ? words.no : toText(value)),
};

const select: Entry = {
  ...text,
  toValue: (field, values) => {
    const given = entered(field, values);
    return otherIn(field, values) || (given === "" ? undefined : optionOf(field, given));
  },
  toText: (value, _, { constraints: { options } }) =>
    [value]
      .flat()
      .map((item) => labelIn(options, item))
      .join("\n"),
};

/** A text that is valid if it has a key. */
const keyed = (keyOf: (text: string) => unknown): Entry => ({
  ...text,
  isWellFormed: (value) => keyOf(value as string) !== undefined,
});

/** Expressions of a page see the same values as on the server, except telephone numbers: too much code. */
const entries: { readonly [kind in FieldKind]: Entry } = {
  text,
  textarea: text,
  phone: text,
  hidden: text,
  email: { ...text, isWellFormed: (value) => isEmail(value as string) },
  url: { ...text, isWellFormed: (value) => isHttpUrl(value as string) },
  number,
  integer,
  rating: integer,
  boolean,
  consent: {
    ...boolean,
    toValue: (field, values) => {
      const given = entered(field, values);
      return given === "false" ? false : given !== "" || undefined;
    },
  },
  select,
  multi_select: { ...select, toValue: several },
  ranking: { ...text, toValue: several },
  date: {
    ...keyed(dayKey),
    toText: (value, words) =>
      Number.isNaN(Date.parse(`${value}T00:00:00Z`)) ? toText(value) : words.day(value),
  },
  time: keyed(timeKey),
  datetime: {
    ...keyed(instantKey),
    toValue: (field, values) => {
      const [local = "", zone] = momentParts.map((part) =>
        controlText(values, controlName(field.id, part)).trim(),
      );
      const moment = local && `${/T\d\d:\d\d$/.test(local) ? `${local}:00` : local}${zone}`;
      return entered(field, values) || moment || undefined;
    },
    toText: (value) =>
      toText(value).replace(/^(\S+)T(\S+?)(Z|[+-]\d\d:\d\d)$/, (_, day, time, zone) =>
        [day, time, zone === "Z" ? "UTC" : `UTC${zone}`].join(" "),
      ),
  },
  address: {
    ...text,
    toValue: ({ id }, values) =>
      objectOf(addressParts, (part) => controlText(values, controlName(id, part)).trim() || undefined),
  },
  matrix: {
    ...text,
    toValue: ({ id, constraints }, values) =>
      objectOf(valuesOf(constraints.rows).map(String), (row) => {
        const cells = values.getAll(controlName(id, row)).filter((cell) => cell !== "");
        return cells.length > 1 ? cells : cells[0];
      }),
  },
  file: {
    ...text,
    toValue: ({ id }, values) => {
      const files = values.getAll(controlName(id)).flatMap((each) => fileIn(each) ?? []);
      return files.length > 0 ? files : undefined;
    },
  },
  statement: { ...text, toValue: () => undefined },
};

/** A custom type of the owner is entered as text. */
const entryOf = ({ kind }: EnteredField): Entry => (kind ? entries[kind] : text);

/** The JSON value of one field; undefined: nothing was entered. It may be invalid. */
export const toValue = (field: EnteredField, values: Values): unknown =>
  entryOf(field).toValue(field, values);

/** True for a value with the type and format of its field, so that expressions see it. */
export const isWellFormed = (field: EnteredField, value: unknown): boolean =>
  entryOf(field).isWellFormed(value);

/** The text of a value that has no parts. */
export const plainText = (field: EnteredField, value: unknown, words: ValueWords): string =>
  entryOf(field).toText(value, words, field);

/** The text of a value, which may be invalid. */
export const valueText = (
  field: PresentedField & Pick<EnteredField, "kind"> & { readonly fieldType: Presentation },
  value: unknown,
  words: ValueWords,
): string => field.fieldType.toText?.(field, value, words) ?? plainText(field, value, words);
