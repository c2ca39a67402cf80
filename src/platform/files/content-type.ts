/** Determines the media type of a file by its content. The extension of its name must match. */
import { fileTypeFromBlob, supportedMimeTypes } from "file-type";
import mime from "mime";
import pLimit from "p-limit";
import { type Bytes, binary } from "./store.ts";

/** A received file. */
interface Content {
  size: number;
  read(from: number, to: number): Promise<Bytes>;
}

/** Bytes at the beginning that are checked for text. */
const headBytes = 65_536;
const reading = pLimit(2);
/** Reads per file, of at least 1 KiB. Some compressed files would otherwise be read to their end. */
const maxReads = 4_096;

/** Types whose files are text. */
const isTextType = (name: string): boolean =>
  /^text\/|[+/](?:json|xml|yaml|javascript|sql|toml|x-sh|x-tex|pgp-signature|pgp-keys)$/.test(name);

/** Types whose files are in UTF-8 (RFC 8259 §8.1, TOML 1.0): no program reads others. */
const isUtf8Type = (name: string): boolean => /[+/](?:json|toml)$/.test(name);

/** Encodings of text files: programs on Windows write UTF-16 with a mark, and Windows-1252. */
type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** The encoding that a mark at the beginning says; undefined: no mark, or that of UTF-8. */
const markedEncoding = ([first, second]: Uint8Array): Encoding | undefined =>
  first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;

/** Checks for text without other control characters. The last character may be cut. */
function isTextIn(encoding: Encoding, head: Uint8Array): boolean {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is about control characters
    return !/[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(text);
  } catch {
    return false;
  }
}

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** Detects the type by decisive parts: a TIFF has its tags at its end, an office document ZIP entries. */
async function found({ size, read }: Content) {
  let reads = 0;
  let fault: unknown;
  const arrayBuffer = async (from: number, to: number) => {
    if (++reads > maxReads) throw new RangeError("too many parts");
    const bytes = await read(from, to).catch((error: unknown) => {
      fault = error;
      throw error;
    });
    return bytes.buffer;
  };
  const slice = (from: number, to: number) => ({ arrayBuffer: () => arrayBuffer(from, to) });
  const type = await fileTypeFromBlob({ size, type: "", slice } as unknown as Blob).catch(() => undefined);
  if (fault !== undefined) throw fault;
  return type;
}

/** Checks for an old Microsoft document. All their types have the same container. */
const isOldDocument = (type: string): boolean =>
  type === "application/vnd.ms-outlook" ||
  type === "application/vnd.visio" ||
  (type.startsWith("application/") && !isTextType(type) && !supportedMimeTypes.has(type));

/** Returns the type of a file. @returns undefined if the name has the extension of another type */
export async function typeOfFile(content: Content, name: string): Promise<string | undefined> {
  const { mime: type, ext } = (await reading(found, content)) ?? {};
  const extension = extensionOf(name);
  const named = extension === "" ? null : mime.getType(extension);
  if (type === "application/xml") return named === null || isTextType(named) ? (named ?? type) : undefined;
  if (type === "application/x-cfb")
    return named === null || isOldDocument(named) ? (named ?? type) : undefined;
  if (type) {
    const isOne = extension === "" || extension === ext?.toLowerCase() || named === type;
    return isOne || mime.getAllExtensions(type)?.has(extension) ? type : undefined;
  }
  const head = await content.read(0, Math.min(headBytes, content.size));
  const marked = markedEncoding(head);
  if (isTextIn(marked ?? "utf-8", head)) {
    if (named === null) return "text/plain";
    return isTextType(named) && !(marked && isUtf8Type(named)) ? named : undefined;
  }
  if (named !== null && isUtf8Type(named)) return undefined;
  // Any bytes are text of this encoding, so that only the name says that they are.
  if (named !== null && isTextType(named) && isTextIn("windows-1252", head)) return named;
  // file-type would have detected a type that it supports.
  return named === null || !supportedMimeTypes.has(named) ? binary : undefined;
}
