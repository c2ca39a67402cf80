/** Instants as the day and the time of day in a time zone. */
import { dayKey } from "../../fields/formats.ts";

/** Checks whether the runtime knows an IANA name, such as Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The offset from UTC at an instant, such as +01:00. */
function offsetAt(instant: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(
    instant,
  );
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return /[+-]\d\d:\d\d/.exec(name)?.[0] ?? "+00:00";
}

/**
 * The instant of a day (2026-06-01) and time (09:00) in a zone, with its offset; undefined: invalid. A
 * repeated time gives the first; a skipped one is later by the gap: without a midnight, the day's start.
 */
export function momentAt(day: string, time: string, timeZone: string): string | undefined {
  const local = `${day}T${time.slice(0, 5)}:00`;
  const asUtc = Date.parse(`${local}Z`);
  if (dayKey(day) === undefined || Number.isNaN(asUtc)) return undefined;
  const dayBefore = offsetAt(asUtc - 86_400_000, timeZone);
  const offset = offsetAt(Date.parse(local + dayBefore), timeZone);
  return local + (offsetAt(Date.parse(local + offset), timeZone) === offset ? offset : dayBefore);
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
