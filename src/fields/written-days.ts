/** Days and times that people type, in the words and the order of a language (CLDR, by `Intl`). Pure. */
import { dayKey, timeKey } from "./formats.ts";
import { perLocale, plainDigits, type WrittenDays } from "./spelling.ts";

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
function days(text: string, locale: string): string[] {
  const plain = plainDigits(text);
  if (dayKey(plain) !== undefined) return [plain];
  if (/[^\p{L}\p{M}\d\s\p{P}]|[:]/u.test(plain)) return [];
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
function times(text: string, locale: string): string[] {
  const plain = plainDigits(text);
  if (timeKey(plain) !== undefined) return [plain];
  if (/[^\p{L}\p{M}\d\s:.]/u.test(plain)) return [];
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
function locals(text: string, locale: string): string[] {
  const plain = plainDigits(text);
  const found = [...plain.matchAll(/[\s,،]+/gu)].flatMap(({ index, 0: gap }) => {
    const timesAfter = times(plain.slice(index + gap.length), locale);
    const daysBefore = timesAfter.length > 0 ? days(plain.slice(0, index), locale) : [];
    return daysBefore.flatMap((day) =>
      timesAfter.map((time) => `${day}T${time.length === 5 ? `${time}:00` : time}`),
    );
  });
  return [...new Set(found)];
}

export const writtenDays: WrittenDays = { days, times, locals };
