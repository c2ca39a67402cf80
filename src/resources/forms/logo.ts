/**
 * The logo of a form's page: a `data:` URL, which loads nothing from other sites, and is copied and erased
 * with the form. The cost is its bytes in each page.
 */
import { limits } from "../../limits.ts";

const { maxLogoBytes } = limits.formPage;

/** First bytes of each file type, in hexadecimal. WebP has its length between the two parts. */
const signatures: readonly [type: string, pattern: RegExp][] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/webp", /^52494646.{8}57454250/],
];
export const logoTypes = signatures.map(([type]) => type);

/** The type of a picture by its content. Undefined: any other file, also SVG, which can have scripts. */
const typeOf = (bytes: Buffer): string | undefined =>
  signatures.find(([, pattern]) => pattern.test(bytes.toString("hex", 0, 12)))?.[0];

/** The picture as a `data:` URL. Undefined: it is not a picture, or too large. */
export function logoUrl(bytes: Buffer): string | undefined {
  const type = bytes.length <= maxLogoBytes ? typeOf(bytes) : undefined;
  return type && `data:${type};base64,${bytes.toString("base64")}`;
}

/** Checks whether a text is a URL that {@link logoUrl} returns. */
export const isLogoUrl = (text: string): boolean =>
  text.length < 2 * maxLogoBytes &&
  text.startsWith("data:image/") &&
  logoUrl(Buffer.from(text.slice(text.indexOf(",") + 1), "base64")) === text;
