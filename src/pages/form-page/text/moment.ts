/**
 * A moment on the clock of a time zone, with that zone's name. A leap second, which `Date` does not hold,
 * stays as it is written.
 */
export function momentText(value: unknown, locale: string, timeZone = "UTC"): string {
  const at = new Date(typeof value === "number" ? value : String(value));
  if (Number.isNaN(at.getTime())) return String(value);
  const zone = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "short" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName");
  return `${at.toLocaleString(locale, { dateStyle: "long", timeStyle: "short", timeZone })} ${zone?.value}`;
}
