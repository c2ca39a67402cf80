import type { CountryCode } from "libphonenumber-js";
import { getExampleNumber, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js";
import examples from "libphonenumber-js/mobile/examples";

/**
 * A possible number in the sense of libphonenumber: a known country code and a length in use there, assigned
 * or not. International with `+`, or as dialled in `country`; without letters and extension.
 */
export function isPhone(text: string, country: string | undefined): boolean {
  // Every form of an extension or an RFC 3966 parameter that libphonenumber accepts has one of these
  // characters.
  if (/[\p{L};#,~*]/u.test(text)) return false;
  const options = country !== undefined && isSupportedCountry(country) ? { defaultCountry: country } : {};
  const number = parsePhoneNumberFromString(text, { ...options, extract: false });
  return number?.isPossible() === true;
}

/** A country's example mobile number, international and national. A few small territories have none. */
export function phoneExample(country: string): { international: string; national?: string } {
  const number = getExampleNumber(country as CountryCode, examples);
  if (!number) return { international: "+49 1512 3456789" };
  return { national: number.formatNational(), international: number.formatInternational() };
}

export { isSupportedCountry as isDialCountry };
