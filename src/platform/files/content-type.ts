/** The media type of a file: by its content, with which the end of its name must agree. */
import { fileTypeFromBuffer, supportedMimeTypes } from "file-type";
import mime from "mime";

/** Bytes at the beginning that decide: the first entries of a ZIP, which an office document is, fit in. */
export const headBytes = 65_536;

export const binary = "application/octet-stream";

/** Types whose files are text. */
const isTextType = (name: string): boolean =>
  /^text\/|[+/](?:json|xml|yaml|javascript|sql|toml|x-sh|x-tex|pgp-signature|pgp-keys)$/.test(name);

/** Text has no other control characters; the last character may be cut. */
function isText(head: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is about control characters
    return !/[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(text);
  } catch {
    return false;
  }
}

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

/**
 * The type of a file.
 *
 * @param head its first {@link headBytes}, or all of them
 * @returns undefined when the name ends as files of another type do
 */
export async function typeOfFile(head: Uint8Array, name: string): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const extension = extensionOf(name);
  const named = extension === "" ? null : mime.getType(extension);
  if (found?.mime === "application/xml")
    return named === null || isTextType(named) ? (named ?? found.mime) : undefined;
  // The container of old office documents, of which nothing tells them apart.
  if (found?.mime === "application/x-cfb") return named ?? found.mime;
  if (found) {
    const isOne = extension === "" || extension === found.ext || named === found.mime;
    return isOne || mime.getAllExtensions(found.mime)?.has(extension) ? found.mime : undefined;
  }
  if (isText(head)) {
    if (named === null) return "text/plain";
    return isTextType(named) ? named : undefined;
  }
  // What file-type knows it would have found.
  return named === null || !supportedMimeTypes.has(named) ? binary : undefined;
}
