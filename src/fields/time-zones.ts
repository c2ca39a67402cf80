/** Instants as the day and the time of day in a time zone. Pure. The pages' script runs this module too. */
import { dayKey } from "./formats.ts";

/** Formats by the names of zones, null for other names: making one takes 0.3 ms. Posts may name any zone. */
const formats = new Map<string, Intl.DateTimeFormat | null>();
const maxFormats = 1000;

function makeFormat(timeZone: string): Intl.DateTimeFormat | null {
  if (!/^[A-Za-z]/.test(timeZone)) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return null;
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  if (formats.size >= maxFormats) formats.clear();
  const made = makeFormat(timeZone);
  formats.set(timeZone, made);
  return made;
}

/** Checks whether the runtime knows an IANA name, such as Europe/Berlin. */
export const isTimeZone = (name: string): boolean => formatOf(name) !== null;

/** The offset from UTC at an instant, such as +01:00. */
function offsetAt(instant: number, timeZone: string): string {
  const parts = formatOf(timeZone)?.formatToParts(instant) ?? [];
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return /[+-]\d\d:\d\d/.exec(name)?.[0] ?? "+00:00";
}

/** The offsets a day before and a day after a local date and time: it has one of them. Invalid: none. */
function offsetsAround(local: string, timeZone: string): string[] {
  const asUtc = Date.parse(`${local}Z`);
  if (dayKey(local.slice(0, 10)) === undefined || Number.isNaN(asUtc)) return [];
  return [...new Set([-86_400_000, 86_400_000].map((ms) => offsetAt(asUtc + ms, timeZone)))];
}

/**
 * The instants of a local date and time (2026-06-01T09:00:00) in a zone, each with its offset: two of a
 * repeated time, in their order; none of a skipped or an invalid one.
 */
export const instantsOf = (local: string, timeZone: string): string[] =>
  offsetsAround(local, timeZone)
    .filter((offset) => offsetAt(Date.parse(local + offset), timeZone) === offset)
    .map((offset) => local + offset);

/**
 * The instant of a day (2026-06-01) and a time (09:00) in a zone, with its offset; undefined: invalid. A
 * repeated time gives the first; a skipped one is later by the gap: without a midnight, the day's start.
 */
export function momentAt(day: string, time: string, timeZone: string): string | undefined {
  const local = `${day}T${time.slice(0, 5)}:00`;
  const [before] = offsetsAround(local, timeZone);
  return instantsOf(local, timeZone)[0] ?? (before && local + before);
}

export function clockAt(moment: string, timeZone: string): { day: string; time: string } {
  const instant = Date.parse(moment);
  if (Number.isNaN(instant)) return { day: "", time: "" };
  const [day = "", time = ""] = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
  })
    .format(instant)
    .split(" ");
  return { day, time };
}

/** The local date and time of an instant in a zone, to the second; undefined: invalid. */
export function localOf(instant: string, timeZone: string): string | undefined {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return undefined;
  const [, sign = "+", hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(offsetAt(at, timeZone)) ?? [];
  const offsetMs = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return new Date(at + offsetMs).toISOString().slice(0, 19);
}

/** The offset of an instant, if another one has the same local time in the zone; else an empty text. */
export function repeatedOffset(instant: string, timeZone: string): string {
  const local = localOf(instant, timeZone);
  return local && instantsOf(local, timeZone).length > 1 ? offsetAt(Date.parse(instant), timeZone) : "";
}
