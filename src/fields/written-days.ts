/** Days and times that people type, in the words and the order of a language (CLDR, by `Intl`). Pure. */
import { dayKey, timeKey } from "./formats.ts";
import { perLocale, plainDigits, type WrittenDays, withoutMarks } from "./spelling.ts";
import { onlyOf } from "./values.ts";

const lower = (text: string): string => withoutMarks(text.normalize("NFKC")).toLowerCase();
const lettersOf = (text: string): string[] => lower(text).match(/[\p{L}\p{M}]+/gu) ?? [];

/** Writes "a. m." as "am", and other abbreviations of single letters likewise. */
const withPeriods = (text: string): string =>
  text
    .replace(/\b([ap])\.?\s?m\b\.?/giu, "$1m")
    .replace(/(?<![\p{L}\p{M}])(\p{L}\p{M}*)\.\s?(?=\p{L}\p{M}*\.)/gu, "$1");

type DayOrder = "dmy" | "mdy" | "ymd";

const orderOf = (locale: string): DayOrder =>
  new Intl.DateTimeFormat(locale, { dateStyle: "short", calendar: "gregory" })
    .formatToParts()
    .flatMap(({ type }) => ({ day: "d", month: "m", year: "y" })[type as string] ?? [])
    .join("") as DayOrder;

/** Words of a language that `Intl` does not write: abbreviations, spellings without umlaut. */
const moreMonths: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  de: { mrz: 3, maerz: 3, jaenner: 1 },
};
/** Words of an English day around its number: the 3rd of March. */
const ordinals: Readonly<Record<string, readonly string[]>> = {
  en: ["the", "st", "nd", "rd", "th", "of"],
};

/** Words after the hour that people write in any language. */
const hourWords = ["h", "uhr", "hrs"];

const halves = {
  am: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  pm: [12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23],
};

/** The words of a locale's days and times. */
const wordsOf = perLocale((locale) => {
  const language = locale.split("-")[0] as string;
  // A page's language has no region, and Austria has names of its own.
  const locales = [locale, language, `${language}-AT`];
  const format = (options: Intl.DateTimeFormatOptions, of = locale) =>
    new Intl.DateTimeFormat(of, { ...options, calendar: "gregory", timeZone: "UTC" });
  const wordsIn = (each: Intl.DateTimeFormat, day: Date) => lettersOf(withPeriods(each.format(day)));
  const partIn = (each: Intl.DateTimeFormat, at: number | Date, part: Intl.DateTimeFormatPartTypes) => {
    const found = each.formatToParts(at).find(({ type, value }) => type === part && !/\p{Nd}/u.test(value));
    return lettersOf(withPeriods(found?.value ?? "")).join("");
  };
  const months = new Map(Object.entries(moreMonths[language] ?? {}));
  /** Words that say nothing more: "at", "de". */
  const silent = new Set<string>();
  /** Days of the week of which a word is the name, or a part. */
  const weekdays = new Map<string, Set<number>>();
  const names = ["long", "short"] as const;
  const withMonth = locales.flatMap((of) =>
    names.flatMap((name) => [format({ month: name }, of), format({ day: "numeric", month: name }, of)]),
  );
  const withTime = format({ dateStyle: "long", timeStyle: "short" });
  const withWeekday = names.flatMap((weekday) => [
    format({ weekday }),
    format({ weekday, day: "numeric", month: weekday, year: "numeric" }),
  ]);
  /** Hours of each part of the day: Chinese has six of them. */
  const periods = new Map(Object.entries(halves));
  for (const each of [format({ hour: "numeric", hour12: true }), format({ timeStyle: "short" })])
    for (let hour = 0; hour < 24; hour++) {
      const period = partIn(each, Date.UTC(2027, 0, 1, hour), "dayPeriod");
      if (period !== "") periods.set(period, [...(periods.get(period) ?? []), hour]);
    }
  // In each year, the months begin with all days of the week. Here, they have all hours of the day too.
  const days = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2027, month, 1, 2 * month)));
  for (const day of days) {
    for (const each of [...withMonth, withTime]) {
      const name = partIn(each, day, "month");
      // Hebrew writes "in" and the month as one word.
      for (const word of name === "" ? [] : [name, ...wordsIn(each, day)])
        if (word.includes(name)) months.set(word, day.getUTCMonth() + 1);
    }
    for (const each of [...withMonth, withTime]) for (const word of wordsIn(each, day)) silent.add(word);
  }
  for (const word of [...months.keys(), ...periods.keys()]) silent.delete(word);
  for (const day of days)
    for (const [index, each] of withWeekday.entries())
      for (const word of wordsIn(each, day)) {
        // Spanish has one "mar" for Tuesday and for March. Only alone it is sure to be the day.
        if (index % 2 === 1 && (months.has(word) || silent.has(word))) continue;
        weekdays.set(word, (weekdays.get(word) ?? new Set()).add(day.getUTCDay()));
      }
  // English has two orders, and a page in English does not say which one is its own.
  const orders = [...new Set([orderOf(locale), orderOf(language)])];
  const inDays = silent.union(new Set(ordinals[language]));
  const hours = new Set([
    ...hourWords,
    ...wordsIn(format({ hour: "numeric", hour12: false }), days[6] as Date),
  ]);
  // French of Canada writes 23 h 05 min 00 s.
  const units = wordsIn(format({ hour: "2-digit", minute: "2-digit", second: "2-digit" }), days[6] as Date);
  const seconds = new Set(units.slice(2)).difference(silent);
  const inTimes = silent.union(new Set(units.slice(1)));
  for (const word of periods.keys()) inTimes.delete(word);
  const parts = format({ dateStyle: "short", timeStyle: "short" }).formatToParts(days[6]);
  // Vietnamese writes the time before the day.
  const isTimeFirst = parts.find(({ type }) => type === "hour" || type === "day")?.type === "hour";
  return { months, weekdays, inDays, inTimes, seconds, hours, periods, orders, isTimeFirst };
});

const two = (number: number | string): string => String(number).padStart(2, "0");

/** The value of a name, or of the only one with this beginning, of at least three letters. */
function named<Value>(names: ReadonlyMap<string, Value>, word: string): Value | undefined {
  if (names.has(word) || word.length < 3) return names.get(word);
  return onlyOf([...new Set([...names].flatMap(([name, value]) => (name.startsWith(word) ? [value] : [])))]);
}

/**
 * The days of three numbers.
 * @param numbers as they follow each other: the year has four digits, or is in one of two centuries
 */
function daysOf(numbers: readonly string[], orders: readonly DayOrder[]): string[] {
  const [first = "", , last = ""] = numbers;
  const possible = orders.flatMap((order): DayOrder[] => {
    if (first.length > 2) return ["ymd"];
    return order === "ymd" && last.length > 2 ? ["dmy", "mdy"] : [order];
  });
  const days = possible.flatMap((order) => {
    const [year = "", month = "", day = ""] = [..."ymd"].map((part) => numbers[order.indexOf(part)]);
    const years = year.length === 4 ? [year] : year.length === 2 ? [`19${year}`, `20${year}`] : [];
    return years.map((each) => `${each}-${two(month)}-${two(day)}`);
  });
  return [...new Set(days)].filter((day) => dayKey(day) !== undefined);
}

/** The days that a text can mean, as YYYY-MM-DD. A day of the week that it names must be theirs. */
function days(text: string, locale: string): string[] {
  const plain = plainDigits(text);
  if (dayKey(plain) !== undefined) return [plain];
  if (/[^\p{L}\p{M}\d\s\p{P}]|[:]/u.test(plain)) return [];
  const { months, weekdays, inDays, orders } = wordsOf(locale);
  const words = lettersOf(withPeriods(plain)).filter((word) => !inDays.has(word));
  const [first = "", second = "", ...others] = plain.match(/\d+/g) ?? [];
  const on = (weekdayWords: readonly string[]) => (day: string) =>
    weekdayWords.every((word) => named(weekdays, word)?.has(new Date(day).getUTCDay()));
  if (second !== "" && others.length === 0) {
    const found = words.flatMap((word, index) => {
      const month = named(months, word);
      if (month === undefined) return [];
      return daysOf([first, String(month), second], ["dmy"]).filter(on(words.toSpliced(index, 1)));
    });
    return [...new Set(found)];
  }
  if (others.length !== 1) return [];
  const isDotted = /^\d+\.\s?\d+\.\s?\d+\.?$/.test(plain) && !orders.includes("ymd");
  return daysOf([first, second, ...others], isDotted ? ["dmy"] : orders).filter(on(words));
}

/** The times of day that a text can mean, as HH:mm or HH:mm:ss. */
function times(text: string, locale: string): string[] {
  const plain = plainDigits(text);
  if (timeKey(plain) !== undefined) return [plain];
  if (/[^\p{L}\p{M}\d\s:.]/u.test(plain)) return [];
  const { inTimes, seconds, hours, periods } = wordsOf(locale);
  const words = lettersOf(withPeriods(plain));
  const period = words.filter((word) => !inTimes.has(word) && !hours.has(word)).join("");
  const ofPeriod = periods.get(period);
  const isHour = ofPeriod !== undefined || words.some((word) => hours.has(word));
  const [hour = "", minute = isHour ? "00" : "", second, ...more] = plain.match(/\d+/g) ?? [];
  if (second === undefined && words.some((word) => seconds.has(word))) return [];
  if (more.length > 0 || hour.length > 2 || (period !== "" && !ofPeriod)) return [];
  if (ofPeriod && Number(hour) > 12) return [];
  const ofDay = ofPeriod?.filter((each) => each % 12 === Number(hour) % 12).map(String) ?? [hour];
  return [...new Set(ofDay)]
    .map((each) => [two(each), minute, ...(second === undefined ? [] : [second])].join(":"))
    .filter((time) => timeKey(time) !== undefined);
}

/** Each day of one text with each time of another one. */
function pairsOf(day: string, time: string, locale: string): string[] {
  const found = times(time, locale).map((each) => (each.length === 5 ? `${each}:00` : each));
  return found.length === 0 ? [] : days(day, locale).flatMap((of) => found.map((at) => `${of}T${at}`));
}

/** The local days and times that a text can mean, as YYYY-MM-DDTHH:mm:ss. */
function locals(text: string, locale: string): string[] {
  const plain = plainDigits(text);
  const { isTimeFirst } = wordsOf(locale);
  const found = [...plain.matchAll(/[\s,،]+/gu)].flatMap(({ index, 0: gap }) => {
    const [before, after] = [plain.slice(0, index), plain.slice(index + gap.length)];
    return [...pairsOf(before, after, locale), ...(isTimeFirst ? pairsOf(after, before, locale) : [])];
  });
  return [...new Set(found)];
}

export const writtenDays: WrittenDays = { days, times, locals };
