/** Countries. */
import { iso31661Alpha2ToAlpha3 } from "iso-3166/1-a2-to-1-a3.js";

/** ISO 3166-1 alpha-2, officially assigned. (`Intl.DisplayNames` also accepts retired and reserved codes.) */
export const countries = Object.keys(iso31661Alpha2ToAlpha3);

const countrySet = new Set(countries);
export const isCountry = (text: string): boolean => countrySet.has(text);
