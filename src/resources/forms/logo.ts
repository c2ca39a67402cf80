/**
 * The logo of a form's page: a picture in the settings, as a `data:` URL. Why: it is a part of the page, with
 * no address that could be another site's, and is copied and erased with the form. The cost is its bytes in
 * each page.
 */
import { limits } from "../../limits.ts";

const { maxLogoBytes } = limits.formPage;

/** What a file of each type begins with, in hexadecimal; WebP has its length between the two. */
const signatures: readonly [type: string, pattern: RegExp][] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/webp", /^52494646.{8}57454250/],
];
export const logoTypes = signatures.map(([type]) => type);

/** The type of a picture by its content; undefined for every other file, also SVG, which can have scripts. */
const typeOf = (bytes: Buffer): string | undefined =>
  signatures.find(([, pattern]) => pattern.test(bytes.toString("hex", 0, 12)))?.[0];

/** The picture as a `data:` URL; undefined for what is none, or too large. */
export function logoUrl(bytes: Buffer): string | undefined {
  const type = bytes.length <= maxLogoBytes ? typeOf(bytes) : undefined;
  return type && `data:${type};base64,${bytes.toString("base64")}`;
}

/** Whether a text is what {@link logoUrl} makes. */
export const isLogoUrl = (text: string): boolean =>
  text.length < 2 * maxLogoBytes &&
  text.startsWith("data:image/") &&
  logoUrl(Buffer.from(text.slice(text.indexOf(",") + 1), "base64")) === text;
