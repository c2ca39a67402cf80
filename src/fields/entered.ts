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
import {
  dayText,
  instantText,
  numberText,
  readDays,
  readLocals,
  readNumbers,
  readTimes,
  type Spelling,
  urlWithoutMarks,
  withoutMarks,
} from "./spelling.ts";
import { instantsOf } from "./time-zones.ts";
import type { FieldKind } from "./types.ts";
import { isBlankText, type Option, onlyOf, valuesOf } from "./values.ts";

export interface EnteredField {
  readonly id: string;
  readonly kind: FieldKind | undefined;
  readonly constraints: {
    readonly options?: readonly (string | Option)[];
    readonly allowOther?: boolean;
    readonly rows?: readonly (string | Option)[];
    readonly multipleOf?: number;
  };
}

interface Entry {
  readonly toValue: (field: EnteredField, values: Values, spelling: Spelling) => unknown;
  /** The values that an entered text can mean, each as written in `shownIn`. Absent: it means one. */
  readonly readings?: (
    field: EnteredField,
    values: Values,
    spelling: Spelling,
    shownIn: Spelling,
  ) => string[];
  /** True for a value with the type and format of its field: expressions see no other. */
  readonly isWellFormed: (value: unknown) => boolean;
  readonly toText: (value: unknown, words: ValueWords, field: EnteredField) => string;
}

const entered = ({ id }: EnteredField, values: Values): string => controlText(values, controlName(id));

/** The entered text of one line, without what copying adds. */
const enteredLine = (field: EnteredField, values: Values): string => withoutMarks(entered(field, values));

/**
 * Stands between the values of a text that can mean several, on a page in another language than it was typed
 * in: there the text itself may mean one of them.
 */
const between = " | ";
/** More than a text can mean. */
const maxReadings = 8;

/** An entered text in which each value that it can mean is written out. */
export const allOf = (readings: readonly string[]): string => readings.join(between);

/**
 * Reads an entered text. One without a value of its type, or with several, is kept, so that validation
 * reports `type_mismatch` or `format`.
 * @param readings the values that the text can mean
 * @param written a value as the page writes it
 */
const readAs = <Value>(
  given: (field: EnteredField, values: Values) => string,
  readings: (field: EnteredField, values: Values, spelling: Spelling) => Value[],
  written: (value: Value, spelling: Spelling) => string,
) => {
  const read = (field: EnteredField, values: Values, spelling: Spelling): Value[] => {
    const texts = enteredLine(field, values).split(between);
    if (texts.length === 1 || texts.length > maxReadings) return readings(field, values, spelling);
    const each = texts.map((text) => new URLSearchParams([[controlName(field.id), text]]));
    return [...new Set(each.flatMap((one) => readings(field, one, spelling)))];
  };
  return {
    toValue: (field, values, spelling) =>
      onlyOf(read(field, values, spelling)) ?? (given(field, values) || undefined),
    readings: (field, values, spelling, shownIn) =>
      read(field, values, spelling).map((value) => written(value, shownIn)),
  } satisfies Partial<Entry>;
};

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

function otherIn({ id, constraints }: EnteredField, values: Values): string {
  const other = constraints.allowOther ? controlText(values, controlName(id, otherPart)).trim() : "";
  return isBlankText(other) ? "" : other;
}

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

/** A text that is stored without what copying adds. */
const cleanedBy = (clean: (text: string) => string): Entry => ({
  ...text,
  toValue: (field, values) => clean(entered(field, values)) || undefined,
});

/** Numbers, of which {@link numberText} groups digits in one style. */
const numbers = (style: "grouped" | "large"): Entry => ({
  ...text,
  ...readAs(
    enteredLine,
    (field, values, spelling) => {
      const isWhole = style === "large" || Number.isInteger(field.constraints.multipleOf);
      return readNumbers(enteredLine(field, values), spelling, isWhole);
    },
    (value, { locale }) => numberText(value, locale, "grouped"),
  ),
  isWellFormed: style === "large" ? Number.isInteger : (value) => typeof value === "number",
  toText: (value, { locale }) =>
    typeof value === "number" ? numberText(value, locale, style) : toText(value),
});

const integer = numbers("large");

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

/** Days or times: a text that is valid if it has a key. */
const keyed = (
  keyOf: (text: string) => unknown,
  read: (text: string, spelling: Spelling) => string[],
  written: (value: string, spelling: Spelling) => string,
): Entry => ({
  ...readAs(enteredLine, (field, values, spelling) => read(enteredLine(field, values), spelling), written),
  isWellFormed: (value) => keyOf(value as string) !== undefined,
  toText: (value, words) => written(toText(value), words),
});

/** The two controls of a date and time, or the one that has the whole value; or its text, with an offset. */
function momentIn(field: EnteredField, values: Values): { text: string; offset: string } {
  const [local = "", zone = ""] = momentParts.map((part) =>
    withoutMarks(controlText(values, controlName(field.id, part))),
  );
  const whole = enteredLine(field, values);
  const [text = "", offset] = (whole || local).split(/ UTC(?=$|[+-]\d\d:\d\d$)/);
  return { text, offset: offset === undefined ? (whole ? "" : zone) : offset || "Z" };
}

/**
 * The instants that an entered date and time can mean. Without an offset and a zone it has none, and where
 * the clock is put forward. An offset that the zone does not have then is a second reading: the select of a
 * repeated time has kept it while the time was changed.
 */
function instantsIn(field: EnteredField, values: Values, spelling: Spelling): string[] {
  const { text: given, offset } = momentIn(field, values);
  if (instantKey(given) !== undefined) return [given];
  const { timeZone } = spelling;
  return readLocals(given, spelling).flatMap((local) => {
    const inZone = timeZone === undefined ? [] : instantsOf(local, timeZone);
    const own = local + offset;
    if (timeZone === undefined ? offset : inZone.some((each) => instantKey(each) === instantKey(own)))
      return [own];
    return offset && inZone.length > 0 ? [own, ...inZone] : inZone;
  });
}

/** True for a date and time that the clock of the page's zone skips. */
export const isSkipped = (field: EnteredField, values: Values, spelling: Spelling): boolean =>
  field.kind === "datetime" &&
  spelling.timeZone !== undefined &&
  readLocals(momentIn(field, values).text, spelling).length > 0 &&
  instantsIn(field, values, spelling).length === 0;

/** Expressions of a page see the same values as on the server, except telephone numbers: too much code. */
const entries: { readonly [kind in FieldKind]: Entry } = {
  text,
  textarea: text,
  phone: cleanedBy(withoutMarks),
  hidden: text,
  email: { ...cleanedBy(withoutMarks), isWellFormed: (value) => isEmail(value as string) },
  url: { ...cleanedBy(urlWithoutMarks), isWellFormed: (value) => isHttpUrl(value as string) },
  number: numbers("grouped"),
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
  date: keyed(dayKey, readDays, dayText),
  time: keyed(timeKey, readTimes, String),
  datetime: {
    ...readAs((field, values) => momentIn(field, values).text, instantsIn, instantText),
    isWellFormed: (value) => instantKey(value as string) !== undefined,
    toText: (value, words) => instantText(toText(value), words),
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

/**
 * The JSON value of one field; undefined: nothing was entered. It may be invalid.
 * @param spelling of the page on which it was entered. Default: as JSON and ISO 8601 write values
 */
export const toValue = (field: EnteredField, values: Values, spelling: Spelling = {}): unknown =>
  entryOf(field).toValue(field, values, spelling);

/** The values that an entered text can mean, each as written in `shownIn`. */
export const readingsIn = (
  field: EnteredField,
  values: Values,
  spelling: Spelling,
  shownIn: Spelling,
): string[] => entryOf(field).readings?.(field, values, spelling, shownIn) ?? [];

/**
 * The values that an entered text can mean, each as the page writes it, if it can mean several. Omits one
 * that would be as doubtful when it is written so, as a fraction of a whole number is.
 */
export function readingsOf(field: EnteredField, values: Values, spelling: Spelling): string[] {
  const read = (given: Values) => readingsIn(field, given, spelling, spelling);
  const isAnswer = (text: string) => read(new URLSearchParams([[controlName(field.id), text]])).length < 2;
  const found = read(values);
  return found.length > 1 ? found.filter(isAnswer) : [];
}

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
