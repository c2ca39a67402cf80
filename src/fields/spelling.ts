/**
 * Numbers, days and times as a language writes them (CLDR, by `Intl`). Reading returns every value that a text
 * can mean: none, one, or several, between which only its author can decide. Pure; the pages' script runs this
 * module too.
 */
import { dayKey, timeKey } from "./formats.ts";
import { isExact } from "./values.ts";

/** How a page writes and reads values. */
export interface Spelling {
  /** BCP 47. Absent: as JSON and ISO 8601 write values. */
  readonly locale?: string | undefined;
  /** Time zone (IANA) of a date and time that comes without an offset. Absent: each has its own offset. */
  readonly timeZone?: string | undefined;
}

/** Characters that copying adds and nobody sees, such as bidi marks (UAX #44, Default_Ignorable_Code_Point). */
const marks = /\p{DI}/gu;

/** A text without characters that copying adds: marks, and white space around it. */
export const withoutMarks = (text: string): string => text.replace(marks, "").trim();

/** The same for URLs, in whose middle the joiners of Persian and Indian words mean something. */
export const urlWithoutMarks = (text: string): string =>
  text.replace(/[^\P{DI}\u200c\u200d]/gu, "").replace(/^[\s\u200c\u200d]+|[\s\u200c\u200d]+$/gu, "");

/** Replaces decimal digits of any script. Each script has its ten in a row (Unicode, General_Category Nd). */
const toAsciiDigits = (text: string): string =>
  text.replace(/[^\P{Nd}0-9]/gu, (digit) => {
    const code = digit.codePointAt(0) as number;
    let zero = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
    return String((code - zero) % 10);
  });

const normal = (text: string): string => toAsciiDigits(withoutMarks(text));

/** Makes the data of a locale once: making a format of `Intl` takes longer than reading a text by it. */
function perLocale<Data>(make: (locale: string) => Data): (locale: string) => Data {
  const known = new Map<string, Data>();
  return (locale) => {
    const data = known.get(locale) ?? make(locale);
    known.set(locale, data);
    return data;
  };
}

/** Returns a sign as {@link plainSigns} has it. */
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
  if (!isPlain && (!grouping || exponent !== "")) return undefined;
  const digits = whole.replace(/\D/g, "") || "0";
  const literal = digits + (fraction === undefined ? "" : `.${fraction}`) + exponent;
  const value = Number(literal);
  return isExact(value, literal)
    ? { value, decimal: fraction === undefined ? undefined : decimal, group: grouping?.sign }
    : undefined;
}

/**
 * The numbers that a text can mean. The language of the page decides between its own signs: 1.234 is more
 * than a thousand in German. A sign of another language has one meaning in 1.5 and two in 1.234.
 * @param isWhole true: a decimal sign before three digits can be meant to group them
 */
export function readNumbers(text: string, { locale }: Spelling, isWhole = false): number[] {
  const signed = normal(text);
  const isNegative = minus.test(signed);
  const plain = signed.replace(isNegative ? minus : plus, "").replace(/[\s’ʼ＇．，،]/gu, plainSign);
  const own = locale === undefined ? machineSigns : signsOf(locale);
  const readings = [own.decimal, ".", ",", "٫"].flatMap((decimal) => readDigits(plain, decimal) ?? []);
  const [first] = readings;
  const hasOwnSigns =
    first !== undefined &&
    [undefined, own.decimal].includes(first.decimal) &&
    [undefined, own.group, " ", "'", "٬"].includes(first.group);
  const isSettled = hasOwnSigns && !(isWhole && locale !== undefined && first.decimal !== undefined);
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

const lower = (text: string): string => text.normalize("NFKC").toLowerCase();
const lettersOf = (text: string): string[] => lower(text).match(/[\p{L}\p{M}]+/gu) ?? [];

/** Writes "a. m." as "am". */
const withPeriods = (text: string): string => text.replace(/\b([ap])\.?\s?m\b\.?/giu, "$1m");

type DayOrder = "dmy" | "mdy" | "ymd";

const orderOf = (locale: string): DayOrder =>
  new Intl.DateTimeFormat(locale, { dateStyle: "short", calendar: "gregory" })
    .formatToParts()
    .flatMap(({ type }) => ({ day: "d", month: "m", year: "y" })[type as string] ?? [])
    .join("") as DayOrder;

/** The words of a locale's days and times. */
const wordsOf = perLocale((locale) => {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, calendar: "gregory", timeZone: "UTC" });
  const months = new Map<string, number>();
  /** Words that say nothing more: days of the week, "at", "de". */
  const silent = new Set<string>();
  const formats = (["long", "short"] as const).flatMap((name) => [
    format({ month: name }),
    format({ day: "numeric", month: name, year: "numeric", weekday: name }),
    format({ dateStyle: name === "long" ? "full" : "long", timeStyle: "short" }),
  ]);
  const [am = "", pm = ""] = [3, 15].map((hour) =>
    format({ hour: "numeric", hour12: true })
      .formatToParts(Date.UTC(2027, 0, 1, hour))
      .flatMap(({ type, value }) => (type === "dayPeriod" ? lettersOf(withPeriods(value)) : []))
      .join(""),
  );
  // All months and days of the week.
  for (let index = 0; index < 23; index++) {
    const day = new Date(Date.UTC(2027, 0, 1 + 16 * index, index));
    for (const each of formats) {
      const parts = each.formatToParts(day);
      const name = parts.find(({ type, value }) => type === "month" && !/\p{Nd}/u.test(value));
      const month = lettersOf(name?.value ?? "").join("");
      if (month !== "") months.set(month, day.getUTCMonth() + 1);
      for (const word of lettersOf(withPeriods(parts.map(({ value }) => value).join("")))) silent.add(word);
    }
  }
  for (const word of [...months.keys(), am, pm]) silent.delete(word);
  // English has two orders, and a page in English does not say which one is its own.
  const orders = new Set([orderOf(locale), orderOf(locale.split("-")[0] as string)]);
  return { months, silent, am: ["am", am], pm: ["pm", pm], orders: [...orders] };
});

const two = (number: number | string): string => String(number).padStart(2, "0");

/** The days of three numbers: the year has four digits, or is in one of two centuries. */
function daysOf(a: string, b: string, c: string, orders: readonly DayOrder[]): string[] {
  const hasYearFirst = a.length > 2;
  const parts = orders.flatMap((order) => {
    const [first, last] = [[c, b, a] as const, [c, a, b] as const];
    if (hasYearFirst || (order === "ymd" && c.length <= 2)) return [[a, b, c] as const];
    return order === "dmy" ? [first] : order === "mdy" ? [last] : [first, last];
  });
  const days = parts.flatMap(([year, month, day]) => {
    const years = year.length === 4 ? [year] : year.length === 2 ? [`19${year}`, `20${year}`] : [];
    return years.map((each) => `${each}-${two(month)}-${two(day)}`);
  });
  return [...new Set(days)].filter((day) => dayKey(day) !== undefined);
}

/** The days that a text can mean, as YYYY-MM-DD. */
export function readDays(text: string, { locale }: Spelling): string[] {
  const plain = normal(text);
  if (dayKey(plain) !== undefined) return [plain];
  if (locale === undefined || /[^\p{L}\p{M}\d\s\p{P}]|[:]/u.test(plain)) return [];
  const { months, silent, orders } = wordsOf(locale);
  const words = lettersOf(plain).filter((word) => !silent.has(word));
  const [a = "", b = "", c = "", ...more] = plain.match(/\d+/g) ?? [];
  if (more.length > 0 || words.length > 1) return [];
  const month = months.get(words[0] ?? "");
  if (month !== undefined && b !== "" && c === "")
    return daysOf(a, String(month), b, a.length > 2 ? ["ymd"] : ["dmy"]);
  if (words.length > 0 || c === "") return [];
  return daysOf(
    a,
    b,
    c,
    /^\d+\.\s?\d+\.\s?\d+\.?$/.test(plain) && !orders.includes("ymd") ? ["dmy"] : orders,
  );
}

/** The times of day that a text can mean, as HH:mm or HH:mm:ss. */
export function readTimes(text: string, { locale }: Spelling): string[] {
  const plain = normal(text);
  if (timeKey(plain) !== undefined) return [plain];
  if (locale === undefined || /[^\p{L}\p{M}\d\s:.]/u.test(plain)) return [];
  const { silent, am, pm } = wordsOf(locale);
  const words = lettersOf(withPeriods(plain));
  const period = words.filter((word) => !silent.has(word) && !timeWords.has(word)).join("");
  const isHalf = [...am, ...pm].includes(period);
  const [hour = "", minute = words.length > 0 ? "00" : "", second, ...more] = plain.match(/\d+/g) ?? [];
  if (more.length > 0 || hour.length > 2 || (period !== "" && !isHalf)) return [];
  if (isHalf && Number(hour) > 12) return [];
  const hours = isHalf ? (Number(hour) % 12) + (pm.includes(period) ? 12 : 0) : hour;
  const time = [two(hours), minute, ...(second === undefined ? [] : [second])].join(":");
  return timeKey(time) === undefined ? [] : [time];
}
const timeWords = new Set(["h", "min", "s", "uhr", "hrs"]);

/** The local days and times that a text can mean, as YYYY-MM-DDTHH:mm:ss. */
export function readLocals(text: string, spelling: Spelling): string[] {
  const plain = normal(text).replace(/^(\d{4}-\d\d-\d\d)\s+(?=\d\d:\d\d)/, "$1T");
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(plain)) return [`${plain}:00`];
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/.test(plain)) return [plain];
  const locals = [...plain.matchAll(/[\s,،]+|(?<=\d)T(?=\d)/gu)].flatMap(({ index, 0: gap }) => {
    const times = readTimes(plain.slice(index + gap.length), spelling);
    const days = times.length > 0 ? readDays(plain.slice(0, index), spelling) : [];
    return days.flatMap((day) => times.map((time) => `${day}T${time.length === 5 ? `${time}:00` : time}`));
  });
  return [...new Set(locals)];
}
