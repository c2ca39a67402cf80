/** Notations of text: pure functions from text to "does it hold", or to a number that orders it. */
import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js";

/** HTML, "valid e-mail address", the standard's own expression. Every repetition is delimited, so it runs in linear time. */
export const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** The domain half of {@link EMAIL}. */
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** HTML's e-mail syntax, and at most 254 characters (RFC 5321 §4.5.3.1.3 less the angle brackets). */
export const isEmail = (text: string): boolean => text.length <= 254 && EMAIL.test(text);

export const isDomain = (text: string): boolean => text.length <= 253 && DOMAIN.test(text);

/**
 * An absolute http or https URL (WHATWG URL) that is written out: `new URL` alone would also mend `https:example.com`,
 * `https:///example.com`, back-slashes, blanks and line breaks, and then the stored text is no URL for anyone else.
 */
export const isHttpUrl = (text: string): boolean =>
  /^https?:\/\/[^\s\p{Cc}/\\?#][^\s\p{Cc}]*$/iu.test(text) && URL.canParse(text);

/**
 * A possible number (libphonenumber's sense: a known country code and a length in use there; it need not be assigned).
 * International with `+`, or as dialled in `country`. Letters, and extensions in any notation, are refused.
 */
export function isPhone(text: string, country: string | undefined): boolean {
  // Every way that libphonenumber knows to write an extension or an RFC 3966 parameter has one of these in it.
  if (/[\p{L};#,~*]/u.test(text)) return false;
  const options = country !== undefined && isSupportedCountry(country) ? { defaultCountry: country } : {};
  const number = parsePhoneNumberFromString(text, { ...options, extract: false });
  return number?.isPossible() === true;
}

export { isSupportedCountry as isDialCountry };

/** ISO 3166-1 alpha-2, officially assigned (249). `Intl.DisplayNames` would also take retired and reserved codes. */
export const COUNTRIES: readonly string[] =
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
   CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
   GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
   KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
   MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
   SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
   UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/);

const countries = new Set(COUNTRIES);
export const isCountry = (text: string): boolean => countries.has(text);

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * `YYYY-MM-DD`, a real day of the Gregorian calendar, years 0000–9999 (RFC 3339 full-date).
 * @returns milliseconds that order days, undefined when it is no day. Counted 400 years (one calendar cycle) late,
 * because `Date.UTC` takes the years 0–99 for 1900–1999.
 */
export function dayKey(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  return Date.UTC(year + 400, month - 1, day);
}

/** `HH:mm` or `HH:mm:ss`, 00:00 to 23:59:59. @returns seconds since midnight, undefined when it is no time. */
export function timeKey(text: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0);
}

const MINUTE = 60_000;

/**
 * RFC 3339 date-time with offset; `t` and `z` may be lower case (§5.6), a blank in place of `T` is refused.
 * A leap second is taken where RFC 3339 §5.7 allows one: as 23:59:60 UTC on the last day of a month, in any offset.
 * @returns milliseconds of the instant on {@link dayKey}'s scale, undefined when it is none. Fractions are ordered to
 * about a microsecond, which is what a double leaves.
 */
export function instantKey(text: string): number | undefined {
  const match =
    /^(\d{4}-\d{2}-\d{2})t([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i.exec(
      text,
    );
  const day = dayKey(match?.[1] ?? "");
  if (match === null || day === undefined) return undefined;
  const offset = (match[6] === "-" ? -1 : 1) * (Number(match[7] ?? 0) * 60 + Number(match[8] ?? 0));
  const minute = day + (Number(match[2]) * 60 + Number(match[3]) - offset) * MINUTE;
  if (match[4] === "60") {
    const next = new Date(minute + MINUTE);
    if (next.getUTCDate() !== 1 || next.getUTCHours() !== 0 || next.getUTCMinutes() !== 0) return undefined;
  }
  return minute + (Number(match[4]) + Number(match[5] ?? 0)) * 1000;
}
