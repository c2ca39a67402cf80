/**
 * Pictures of a form's page: `data:` URLs, which load nothing from other sites, and are copied and erased
 * with the form. The cost is their bytes in a page.
 */

/** First bytes of each file type, in hexadecimal. WebP has its length between the two parts. */
const signatures: readonly [type: string, pattern: RegExp][] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/webp", /^52494646.{8}57454250/],
];
export const pictureTypes = signatures.map(([type]) => type);

/** The type of a picture by its content. Undefined: any other file, also SVG, which can have scripts. */
const typeOf = (bytes: Buffer): string | undefined =>
  signatures.find(([, pattern]) => pattern.test(bytes.toString("hex", 0, 12)))?.[0];

/** The picture as a `data:` URL. Undefined: it is not a picture, or too large. */
export function pictureUrl(bytes: Buffer, maxBytes: number): string | undefined {
  const type = bytes.length <= maxBytes ? typeOf(bytes) : undefined;
  return type && `data:${type};base64,${bytes.toString("base64")}`;
}

/** Checks whether a text is a URL that {@link pictureUrl} returns. */
export const isPictureUrl = (text: string, maxBytes: number): boolean =>
  text.length < 2 * maxBytes &&
  text.startsWith("data:image/") &&
  pictureUrl(Buffer.from(text.slice(text.indexOf(",") + 1), "base64"), maxBytes) === text;

/** Returns the picture of a URL that {@link pictureUrl} made, and its media type. */
export function pictureOf(url = ""): { type: string; bytes: Uint8Array<ArrayBuffer> } | undefined {
  const [, type, content] = /^data:(image\/\w+);base64,(.*)$/.exec(url) ?? [];
  return type && content ? { type, bytes: Uint8Array.from(Buffer.from(content, "base64")) } : undefined;
}
