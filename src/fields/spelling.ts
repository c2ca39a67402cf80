/**
 * Numbers, days and times as a language writes them (CLDR, by `Intl`). Reading returns every value that a
 * text can mean: none, one, or several, between which only its author can decide. Pure; the pages' script
 * runs this module too.
 */
import { dayKey, plainInstant, timeKey } from "./formats.ts";
import { localOf, repeatedOffset } from "./time-zones.ts";
import { isExact } from "./values.ts";

/** Rules by which a page writes and reads values. */
export interface Spelling {
  /** BCP 47. Absent: as JSON and ISO 8601 write values. */
  readonly locale?: string | undefined;
  /** Time zone (IANA) of a date and time that comes without an offset. Absent: each has its own offset. */
  readonly timeZone?: string | undefined;
  /** Absent: days and times are read as ISO 8601 writes them, as browsers with a script send them. */
  readonly written?: WrittenDays | undefined;
}

/** Readers of days and times that people have typed: each returns those that the text can mean. */
export interface WrittenDays {
  readonly days: (text: string, locale: string) => string[];
  readonly times: (text: string, locale: string) => string[];
  readonly locals: (text: string, locale: string) => string[];
}

/** Invisible characters that copying adds, such as bidi marks (UAX #44, `Default_Ignorable_Code_Point`). */
const marks = /\p{DI}/gu;

/** A text without characters that copying adds: marks, and white space around it. */
export const withoutMarks = (text: string): string => text.replace(marks, "").trim();

/** The same for URLs, in whose middle the joiners of Persian and Indian words mean something. */
export const urlWithoutMarks = (text: string): string =>
  text.replace(/[^\P{DI}\u200c\u200d]/gu, "").replace(/^[\s\u200c\u200d]+|[\s\u200c\u200d]+$/gu, "");

/** Locales whose data is kept, which takes up to 1 MB of each. */
const maxLocales = 40;

/**
 * Makes the data of a locale once: making a format of `Intl` takes longer than reading a text by it.
 * @param max locales whose data is kept: more of a text than of a format
 */
export function perLocale<Data>(
  make: (locale: string) => Data,
  max: number = maxLocales,
): (locale: string) => Data {
  const known = new Map<string, Data>();
  return (locale) => {
    const kept = known.get(locale);
    if (kept !== undefined) return kept;
    if (known.size >= max) known.clear();
    const data = make(locale);
    known.set(locale, data);
    return data;
  };
}

/** The value of a decimal digit. Each script has its ten in a row (Unicode, General_Category Nd). */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

/** A text without marks, and with the digits 0 to 9. */
export const plainDigits = (text: string): string => withoutMarks(text).replace(/[^\P{Nd}0-9]/gu, asciiDigit);

/** Returns one sign for all that look alike. */
const plainSign = (sign: string): string =>
  /\s/.test(sign)
    ? " "
    : sign
        .replace(/[’ʼ＇]/, "'")
        .replace("．", ".")
        .replace(/[，،]/, ",");

const signsOf = perLocale((locale) => {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(-1234567.5);
  const signOf = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { decimal: plainSign(signOf("decimal")), group: plainSign(signOf("group")) };
});
const machineSigns = { decimal: ".", group: "" };

/** Minus and plus signs that copying brings (CLDR, lenient parsing of numbers), and dashes in their place. */
const minus = /^[-\u2010-\u2013\u2212\u207b\u208b\u2796\ufe63\uff0d]\s*/u;
const plus = /^[+\u207a\u208a\u2795\ufb29\ufe62\uff0b]\s*/u;

/** Digits in groups of three, or as in India, 12,34,567. A zero begins no group. */
const groupings = [
  { sign: ".", pattern: /^[1-9]\d{0,2}(?:\.\d{3})+$/ },
  { sign: ",", pattern: /^[1-9](?:\d{0,2}(?:,\d{3})+|\d?(?:,\d\d)+,\d{3})$/ },
  { sign: " ", pattern: /^[1-9]\d{0,2}(?: \d{3})+$/ },
  { sign: "'", pattern: /^[1-9]\d{0,2}(?:'\d{3})+$/ },
  { sign: "٬", pattern: /^[1-9](?:\d{0,2}(?:٬\d{3})+|\d?(?:٬\d\d)+٬\d{3})$/ },
];

interface NumberReading {
  value: number;
  decimal: string | undefined;
  group: string | undefined;
}

/** Reads digits with one decimal sign, and any one sign between groups of digits. */
function readDigits(text: string, decimal: string): NumberReading | undefined {
  const [, mantissa = "", exponent = ""] = /^(.*?)(e[+-]?\d{1,3})?$/i.exec(text) ?? [];
  const at = mantissa.indexOf(decimal);
  const [whole, fraction] = at < 0 ? [mantissa, undefined] : [mantissa.slice(0, at), mantissa.slice(at + 1)];
  if (fraction !== undefined && !/^\d+$/.test(fraction)) return undefined;
  const isPlain = /^\d+$/.test(whole) || (whole === "" && fraction !== undefined);
  const grouping = isPlain
    ? undefined
    : groupings.find(({ sign, pattern }) => sign !== decimal && pattern.test(whole));
  if (!isPlain && !grouping) return undefined;
  const digits = whole.replace(/\D/g, "") || "0";
  const literal = digits + (fraction === undefined ? "" : `.${fraction}`) + exponent;
  const value = Number(literal);
  return isExact(value, literal)
    ? { value, decimal: fraction === undefined ? undefined : decimal, group: grouping?.sign }
    : undefined;
}

/** Longer than every double in full. */
const maxNumberLength = 1_500;

/**
 * The numbers that a text can mean. The language of the page decides between its own signs: 1.234 is more
 * than a thousand in German. A sign of another language has one meaning in 1.5 and two in 1.234; so has the
 * own sign between groups before an exponent, since 1.234e3 is how programs write 1234.
 * @param isWhole true: a decimal sign before three digits can be meant to group them
 */
export function readNumbers(text: string, { locale }: Spelling, isWhole = false): number[] {
  if (text.length > maxNumberLength) return [];
  const signed = plainDigits(text);
  const isNegative = minus.test(signed);
  const plain = signed.replace(isNegative ? minus : plus, "").replace(/[\s’ʼ＇．，،]/gu, plainSign);
  const own = locale === undefined ? machineSigns : signsOf(locale);
  const readings = [own.decimal, ".", ",", "٫"].flatMap((decimal) => readDigits(plain, decimal) ?? []);
  const [first] = readings;
  const hasOwnSigns =
    first !== undefined &&
    [undefined, own.decimal].includes(first.decimal) &&
    [undefined, own.group, " ", "'", "٬"].includes(first.group);
  const isDoubtful =
    first?.decimal === undefined
      ? first?.group !== undefined && /e/i.test(plain)
      : isWhole && locale !== undefined;
  const isSettled = hasOwnSigns && !isDoubtful;
  const values = (isSettled ? [first] : readings).map(({ value }) => (isNegative ? -value : value) + 0);
  return [...new Set(values)];
}

const numberFormat = perLocale((locale) => {
  const of = (useGrouping: Intl.NumberFormatOptions["useGrouping"]) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: maxFractionDigits, useGrouping });
  return { ungrouped: of(false), grouped: of("auto"), large: of("min2") };
});
/** ECMA-402 before its edition of 2023. */
const maxFractionDigits = 20;

/**
 * A number in the spelling that {@link readNumbers} reads as the same number.
 * @param style `ungrouped` for controls; `large` groups numbers from 10,000 on: 2027 may be a year
 */
export function numberText(
  value: number,
  locale: string | undefined,
  style: "ungrouped" | "grouped" | "large",
): string {
  const text = String(value);
  if (locale === undefined) return text;
  const [, fraction = ""] = text.split(".");
  return /e/.test(text) || fraction.length > maxFractionDigits
    ? text.replace(".", signsOf(locale).decimal)
    : numberFormat(locale)[style].format(value);
}

/** Longer than a date and time in words. */
const maxTypedLength = 100;

const typed = (text: string, locale: string | undefined, read: WrittenDays["days"] | undefined): string[] =>
  locale !== undefined && read && text.length <= maxTypedLength ? read(text, locale) : [];

/** The days that a text can mean, as YYYY-MM-DD. */
export function readDays(text: string, { locale, written }: Spelling): string[] {
  const plain = withoutMarks(text);
  if (dayKey(plain) !== undefined) return [plain];
  return typed(plain, locale, written?.days);
}

/** The times of day that a text can mean, as HH:mm or HH:mm:ss. */
export function readTimes(text: string, { locale, written }: Spelling): string[] {
  const plain = withoutMarks(text);
  if (timeKey(plain) !== undefined) return [plain];
  return typed(plain, locale, written?.times);
}

/** The local days and times that a text can mean, as YYYY-MM-DDTHH:mm:ss. */
export function readLocals(text: string, { locale, written }: Spelling): string[] {
  const [, day = "", time = "", fraction = ""] =
    /^(\S+)[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?$/.exec(withoutMarks(text)) ?? [];
  if (dayKey(day) !== undefined && timeKey(time) !== undefined)
    return [`${day}T${time.length === 5 ? `${time}:00` : time}${fraction}`];
  return typed(text, locale, written?.locals);
}

const dayFormat = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: "long", calendar: "gregory", timeZone: "UTC" }),
);
const timeFormats = perLocale((locale) => {
  const of = (timeStyle: "short" | "medium", dateStyle?: "medium") =>
    new Intl.DateTimeFormat(locale, { timeStyle, dateStyle, timeZone: "UTC" });
  /** Between a day and a time: a comma of the language, or a space. */
  const [separator = " "] = /[,،] /.exec(of("short", "medium").format(0)) ?? [];
  return { short: of("short"), medium: of("medium"), separator };
});

/** A day such as 2026-11-20 in words. Any other text stays as it is. */
export function dayText(day: string, { locale }: Spelling): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return locale === undefined || Number.isNaN(at) ? day : dayFormat(locale).format(at);
}

/**
 * A local day and time (2026-11-20T09:00:00) in words, without seconds that are zero.
 * @param fraction of the second, such as .25
 */
export function localText(local: string, locale: string, fraction = ""): string {
  const at = Date.parse(`${local}Z`);
  const formats = timeFormats(locale);
  const format = formats[at % 60_000 === 0 && fraction === "" ? "short" : "medium"];
  const parts = format
    .formatToParts(at)
    .map(({ type, value }) =>
      type === "second" ? value + fraction.replace(".", signsOf(locale).decimal) : value,
    );
  return dayFormat(locale).format(at) + formats.separator + parts.join("");
}

/**
 * An RFC 3339 date-time in words, on the clock of the page's time zone; without one on its own clock. It has
 * its offset if the time of day does not say it. A leap second stays in digits.
 */
export function instantText(instant: string, { locale, timeZone }: Spelling): string {
  const plain = plainInstant(instant);
  const [, day = "", time = "", fraction = "", offset = ""] =
    /^(\S+)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(plain) ?? [];
  if (offset === "") return instant;
  const zone = (of: string) => of && ` UTC${of === "Z" ? "" : of}`;
  const local = timeZone === undefined ? `${day}T${time}` : localOf(plain, timeZone);
  if (locale === undefined || local === undefined || Number.isNaN(Date.parse(`${local}Z`)))
    return `${day} ${time}${fraction}${zone(offset)}`;
  const shown = timeZone === undefined ? offset : repeatedOffset(plain, timeZone);
  return localText(local, locale, fraction) + zone(shown);
}
