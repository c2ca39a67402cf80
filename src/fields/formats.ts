/** Formats of text: tests, and numbers that order texts. Pure. The pages' script runs this module too. */

/** HTML's "valid e-mail address". Every repetition is delimited, so that it runs in linear time. */
export const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const domainPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** RFC 5321 §4.5.3.1.3, less the angle brackets. */
export const maxEmailLength = 254;
/** RFC 1035 §2.3.4, as text. */
const maxDomainLength = 253;

export const isEmail = (text: string): boolean => text.length <= maxEmailLength && emailPattern.test(text);

/** True for an address whose domain has no dot: a host of a network of one's own, or a slip of the hand. */
export const isDoubtfulEmail = (text: string): boolean => isEmail(text) && !/@.*\./.test(text);

export const isDomain = (text: string): boolean => text.length <= maxDomainLength && domainPattern.test(text);

/** An absolute http or https URL (WHATWG URL). `new URL` alone repairs `https:example.com`, `\\`, blanks. */
export const isHttpUrl = (text: string): boolean =>
  /^https?:\/\/[^\s\p{Cc}/\\?#][^\s\p{Cc}]*$/iu.test(text) && URL.canParse(text);

/**
 * `YYYY-MM-DD`, a real day of the Gregorian calendar, years 0000–9999 (RFC 3339 full-date).
 * @returns milliseconds that order days, or undefined. They count from 400 years (one calendar cycle)
 * earlier, because `Date.UTC` maps the years 0–99 to 1900–1999
 */
export function dayKey(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return undefined;
  const month = Number(match[2]) - 1;
  const key = Date.UTC(Number(match[1]) + 400, month, Number(match[3]));
  // A nonexistent day or month has become a day of another month.
  return new Date(key).getUTCMonth() === month ? key : undefined;
}

/** `HH:mm` or `HH:mm:ss`, 00:00 to 23:59:59. @returns seconds since midnight, or undefined */
export function timeKey(text: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0);
}

const minuteMs = 60_000;

/**
 * RFC 3339 date-time with offset; `t` and `z` may be lower case (§5.6), a blank may not replace the `T`. A
 * leap second is valid where RFC 3339 §5.7 allows one: as 23:59:60 UTC on the last day of a month, in any
 * offset.
 * @returns milliseconds on {@link dayKey}'s scale, or undefined. Fractions are ordered to about a
 * microsecond, the precision of a double
 */
export function instantKey(text: string): number | undefined {
  const match =
    /^(\d{4}-\d{2}-\d{2})t([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i.exec(
      text,
    );
  const day = dayKey(match?.[1] ?? "");
  if (match === null || day === undefined) return undefined;
  const offset = (match[6] === "-" ? -1 : 1) * (Number(match[7] ?? 0) * 60 + Number(match[8] ?? 0));
  const minute = day + (Number(match[2]) * 60 + Number(match[3]) - offset) * minuteMs;
  if (match[4] === "60") {
    const next = new Date(minute + minuteMs);
    if (next.getUTCDate() !== 1 || next.getUTCHours() !== 0 || next.getUTCMinutes() !== 0) return undefined;
  }
  return minute + (Number(match[4]) + Number(match[5] ?? 0)) * 1000;
}

/** An RFC 3339 date-time with capital letters, and without zeros at the end of its fraction. */
export const plainInstant = (text: string): string =>
  text.toUpperCase().replace(/(?:\.|(\.\d*[1-9]))0+(?!\d)/, "$1");
