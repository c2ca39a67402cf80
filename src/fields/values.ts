/** Properties of a value that do not depend on the field's type. The pages' script runs this module too. */

export type Scalar = string | number | boolean;

export interface Option {
  readonly value?: Scalar;
  /** Rows and columns of a matrix may also be `{ id, label }`. */
  readonly id?: string;
  readonly label?: string;
  /** Maximum number of submissions that may have it; only in the options of select and multi_select. */
  readonly limit?: number | null;
}

/** The values of `options`, `rows` or `columns`, in order. */
export const valuesOf = (list: readonly (string | Option)[] = []): Scalar[] =>
  list.map((entry) => (typeof entry === "string" ? entry : (entry.value ?? entry.id ?? "")));

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A character that people see. The others are white space, control and format characters, those that fonts
 * ignore (UAX #44, `Default_Ignorable_Code_Point`: fillers, variation selectors, tags), and blank pictures:
 * braille's without dots, a note's without a head, Khitan's filler. Joined emoji have characters to see.
 */
const visible = /[^\s\p{Cc}\p{Cf}\p{DI}\u2800\u{1d159}\u{16fe4}]/u;

export const isBlankText = (text: string): boolean => !visible.test(text);

/** True for a text that people see. */
export const isText = (value: unknown): value is string => typeof value === "string" && !isBlankText(value);

/** Null, text without a visible character, lists of such texts and `{}` are absent; `false`, `0` are not. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return isBlankText(value);
  if (value === null || value === undefined) return true;
  if (typeof value !== "object") return false;
  if (!Array.isArray(value)) return Object.keys(value).length === 0;
  return value.every((item) => typeof item === "string" && isBlankText(item));
}

/** Checks whether a value is empty, or for a composite value (address, matrix) all of its parts. */
export const isEmptyInParts = (value: unknown): boolean =>
  isEmpty(value) ||
  (typeof value === "object" && !Array.isArray(value) && Object.values(value as object).every(isEmpty));

/** The item of a list that has one; of several, none can be chosen. */
export const onlyOf = <Item>(items: readonly Item[]): Item | undefined =>
  items.length === 1 ? items[0] : undefined;

/** Position of the first item that repeats an earlier one, or -1. */
export function firstRepeat(items: readonly unknown[]): number {
  const seen = new Set(items);
  if (seen.size === items.length) return -1;
  seen.clear();
  return items.findIndex((item) => seen.size === seen.add(item).size);
}

/** Checks whether a text has more than `limit` code points. Counts only if its length does not decide. */
export function isLonger(text: string, limit: number): boolean {
  return text.length > limit && (text.length > 2 * limit || codePoints(text) > limit);
}

/** Checks whether a text has fewer than `limit` code points. */
export function isShorter(text: string, limit: number): boolean {
  return text.length < limit || (text.length < 2 * limit && codePoints(text) < limit);
}

const codePoints = (text: string): number =>
  text.length - (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0);

/** A double as its shortest decimal, coefficient × 10^exponent: the number as its sender wrote it. */
function decimal(number: number): [coefficient: bigint, exponent: number] {
  const [digits = "0", exponent = "0"] = String(number).split("e");
  const [whole = "0", fraction = ""] = digits.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

/** Checks multiples exactly on decimals: 0.3 is a multiple of 0.1. `step` > 0, both finite. */
export function isMultiple(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [a, aExponent] = decimal(value);
  const [b, bExponent] = decimal(step);
  const low = Math.min(aExponent, bExponent);
  return (a * 10n ** BigInt(aExponent - low)) % (b * 10n ** BigInt(bExponent - low)) === 0n;
}

/** Checks whether a double is exact: integers up to ±2^53, and any finite number of smaller magnitude. */
export function isExact(value: number, literal: string): boolean {
  if (Math.abs(value) < 2 ** 53) return true;
  return Math.abs(value) === 2 ** 53 && /^-?9007199254740992(?:\.0+)?$/.test(literal);
}

/** An own member of a record. */
export const ownIn = (record: unknown, name: string): unknown =>
  isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;

/** Characters of a name that messages repeat. */
const maxNameLength = 64;

/** A name as messages repeat it. */
export const shortName = (name: string): string => name.slice(0, maxNameLength).toWellFormed();
