/** Bodies of HTML forms with files (`multipart/form-data`, RFC 7578), part by part as they arrive. */
import { type MultipartError, make, type PartInfo } from "multipasta";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import { requireIdentity } from "../http/body.ts";
import { free } from "./receive.ts";

const { maxFields } = limits.formPost;

/** The parser needs pieces longer than the boundary (70, RFC 2046) with hyphens: small chunks are joined. */
const minPieceBytes = 96;
/** The parser needs the last hyphens in one piece: the end of a chunk is held back for the next. */
const heldBytes = 8;
const hyphen = 0x2d;

export const isMultipart = ({ headers }: Request): boolean =>
  /^multipart\/form-data\s*;/i.test(headers.get("content-type") ?? "");

/** A control of the form: its text, or the bytes of its file. */
type FormPart =
  | { name: string; text: string; chunks?: never }
  | { name: string; filename: string; chunks: AsyncGenerator<Uint8Array, void> };

/** A control whose bytes are not read yet. The name of its file is undefined for a text. */
export interface RawPart {
  name: string;
  filename: string | undefined;
  chunks: AsyncGenerator<Uint8Array, void>;
}

/** The begin, the bytes, and the end (null) of a part. */
type PartEvent = PartInfo | Uint8Array | null;
type PartEvents = AsyncGenerator<PartEvent, void>;

/**
 * The parts in order. Bytes of a file that the caller does not read are skipped.
 * @param maxBytes of the whole body
 * @param maxTextBytes of all texts, names and file names, which a caller may keep
 * @throws {Problem} `payload_too_large`, `bad_request` (also a name of more than 16 KiB); errors of `chunks`
 */
export async function* formParts(
  request: Request,
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, maxTextBytes }: { maxBytes: number; maxTextBytes: number },
): AsyncGenerator<FormPart, void> {
  let textBytes = 0;
  const count = (bytes: number) => {
    textBytes += bytes;
    if (textBytes > maxTextBytes) throw tooLarge();
  };
  for await (const { name, filename, chunks: bytes } of rawParts(request, chunks, maxBytes)) {
    count(Buffer.byteLength(name) + Buffer.byteLength(filename ?? ""));
    if (filename !== undefined) {
      yield { name, filename, chunks: bytes };
    } else {
      const decoder = new TextDecoder();
      let text = "";
      for await (const each of bytes) {
        count(each.length);
        text += decoder.decode(each, { stream: true });
      }
      yield { name, text: text + decoder.decode() };
    }
  }
}

/**
 * The parts in order, texts as well. Bytes that the caller does not read are skipped.
 * @throws {Problem} as {@link formParts}
 */
export async function* rawParts(
  request: Request,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<RawPart, void> {
  // A caller that stops early needs no more of the body.
  await using events = partEvents(request, chunks, maxBytes);
  for (;;) {
    const { value: info, done } = await events.next();
    if (done) return;
    // The end of a part, or bytes that the caller has not read.
    if (info === null || info instanceof Uint8Array) continue;
    const { name, filename } = namesIn(info);
    yield {
      name: unescaped(name),
      filename: filename === undefined ? filename : unescaped(filename),
      chunks: bytesOf(events),
    };
  }
}

/**
 * Parses the fields of a body in memory. A file becomes its bytes in base64, or "" if none was chosen.
 * @param files gets the names of the controls with a chosen file
 * @throws {Problem} as {@link formParts}; `bad_request` for text that cannot be stored.
 */
export async function parseFormWithFiles(
  request: Request,
  body: Uint8Array,
  files?: Set<string>,
): Promise<URLSearchParams> {
  requireIdentity(request);
  const fields = new URLSearchParams();
  async function* whole() {
    yield body;
  }
  const sizes = { maxBytes: body.length, maxTextBytes: body.length };
  for await (const part of formParts(request, whole(), sizes)) {
    let text = "";
    if (part.chunks) {
      const bytes: Uint8Array[] = [];
      for await (const chunk of part.chunks) bytes.push(chunk.slice());
      text = Buffer.concat(bytes).toString("base64");
      if (text !== "") files?.add(part.name);
    } else text = part.text;
    if (part.name.includes("\0") || text.includes("\0"))
      throw new Problem("bad_request", say("text_not_storable"));
    fields.append(part.name, text);
  }
  return fields;
}

/** The names of a part. The parser takes no disposition with a letter beyond Latin-1, which is read here. */
function namesIn(info: PartInfo): { name: string; filename?: string | undefined } {
  if (info.contentDisposition !== "") return info;
  const header = String(info.headers["content-disposition"] ?? "");
  const [, name, filename] = /^ *form-data; *name="([^"]*)"(?:; *filename="([^"]*)")?$/i.exec(header) ?? [];
  return name === undefined ? info : { name, filename };
}

/** Decodes a name as browsers encode it (HTML, "Multipart form data"): no other character is escaped. */
const unescaped = (name: string) =>
  name.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");

async function* bytesOf(events: PartEvents): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const { value, done } = await events.next();
    if (done || !(value instanceof Uint8Array)) return;
    yield value;
  }
}

async function* partEvents(
  request: Request,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): PartEvents {
  let found: PartEvent[] = [];
  let error: MultipartError | undefined;
  let isWhole = false;
  const parser = make({
    headers: { "content-type": request.headers.get("content-type") ?? "" },
    maxParts: maxFields,
    // The parser's own texts would keep chunks that are freed.
    isFile: () => true,
    onField: () => {},
    onFile(info) {
      if (!isWhole) found.push(info);
      return (bytes) => !isWhole && found.push(bytes);
    },
    onError: (each) => {
      if (!isWhole) error ??= each;
    },
    onDone: () => {
      isWhole = true;
    },
  });
  const eventsOf = (bytes: Uint8Array): PartEvent[] => {
    found = [];
    // Text after the last boundary is for people (RFC 2046).
    if (isWhole) return found;
    try {
      parser.write(bytes);
    } catch {
      // The file name is not percent-encoded as declared.
      throw problemOf();
    }
    if (error) throw problemOf(error);
    return found;
  };
  // The parser keeps the end of a piece, where a boundary may begin, until the next piece.
  let kept: Uint8Array | undefined;
  let held = new Uint8Array();
  let received = 0;
  for await (const chunk of chunks) {
    received += chunk.length;
    if (received > maxBytes) throw tooLarge();
    const bytes = new Uint8Array(held.length + chunk.length);
    bytes.set(held);
    bytes.set(chunk, held.length);
    held = bytes;
    if (bytes.length < minPieceBytes) continue;
    // The hyphens are not separated either, if text follows them.
    let end = bytes.length - heldBytes;
    if (bytes[end - 1] === hyphen && bytes[end] === hyphen) end--;
    held = bytes.slice(end);
    yield* eventsOf(bytes.subarray(0, end));
    if (kept) free(kept);
    kept = bytes;
  }
  yield* eventsOf(held);
  if (!isWhole) throw problemOf();
}

function problemOf(error?: MultipartError): Problem {
  if (error?._tag !== "ReachedLimit")
    return new Problem("bad_request", "The body must be that of an HTML form.");
  return new Problem("bad_request", say("too_many_sent_fields", { max: maxFields }));
}

const tooLarge = () => new Problem("payload_too_large", "The form has too many bytes.");
