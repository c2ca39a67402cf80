/** The file in the body of an upload: the body itself, or the one file of `multipart/form-data`. */
import { createHash, type Hash } from "node:crypto";
import { isDigest, isSigned } from "../../platform/auth/http-signature.ts";
import { signatureRefused } from "../../platform/auth/verify-signature.ts";
import { isMultipart, type RawPart, rawParts } from "../../platform/files/multipart.ts";
import { isFormPost } from "../../platform/http/form-body.ts";
import { parseQuery } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import { UploadQuery } from "./shapes.ts";
import type { IncomingFile } from "./upload.ts";

/** Bytes of a multipart body beside its file: boundaries, and a header of at most 16 KiB. */
const envelopeBytes = 65_536;

/**
 * Maximum bytes of the body of an upload. A file may have any content type, since those of clients are
 * unreliable, except that of a form: `curl -d` removes line ends, and its text is never the file.
 * @param maxFileBytes FILES_MAX_BYTES
 * @throws {Problem} `invalid_content_type` for a form that cannot have a file
 */
export function maxUploadBody(request: Request, maxFileBytes: number): number {
  if (isMultipart(request)) return maxFileBytes + envelopeBytes;
  const isOtherForm = /^multipart\//i.test(request.headers.get("content-type") ?? "") || isFormPost(request);
  if (isOtherForm) throw new Problem("invalid_content_type", { message: bodyRule });
  return maxFileBytes;
}

const bodyRule =
  "The body must be the file itself (curl --data-binary @FILE -H 'content-type: application/octet-stream') or multipart/form-data with one file (curl -F file=@FILE).";

/**
 * Calls `store` with the file of an upload.
 * @param query of the request: the field and, instead of the name that a part has, a name
 * @param chunks the body as it arrives
 * @returns the result of `store`
 * @throws {Problem} `bad_request` for a query without a field, and unless the body has exactly one part,
 * which is a file; errors of `chunks` and `store`. No byte is read before `store` does: it refuses callers
 */
export async function withSentFile<T>(
  request: Request,
  query: Record<string, unknown>,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  store: (file: IncomingFile) => Promise<T>,
): Promise<T> {
  const { field: fieldId, name } = parseQuery(query, UploadQuery);
  if (!isMultipart(request)) {
    const length = request.headers.get("content-length");
    const size = length === null ? undefined : Number(length);
    const requireBody = (sha256: Uint8Array) => requireDigest(request, sha256);
    return await store({ fieldId, nameOf: () => name ?? "file", size, chunks, requireDigest: requireBody });
  }
  const hash = createHash("sha256");
  const body = request.headers.has("content-digest") ? hashed(chunks, hash) : chunks;
  await using parts = rawParts(request, body, maxBytes);
  let sentName = "";
  async function* onlyFile() {
    const file = requireFile(await nextOf(parts));
    sentName = file.filename ?? "";
    yield* alone(file.chunks, parts);
  }
  return await store({
    fieldId,
    nameOf: () => name ?? (sentName || "file"),
    size: undefined,
    chunks: onlyFile(),
    // RFC 9530: the digest is that of the body, not of the file in it.
    requireDigest: () => requireDigest(request, hash.digest()),
  });
}

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The bytes of the first part. @throws {Problem} `bad_request` after them, if there is another part */
async function* alone(
  chunks: AsyncIterable<Uint8Array>,
  parts: AsyncGenerator<RawPart, void>,
): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
  const other = await nextOf(parts);
  if (!other) return;
  requireFile(other);
  throw new Problem("bad_request", "The body has more than one file: upload each in a request of its own.");
}

async function nextOf(parts: AsyncGenerator<RawPart, void>): Promise<RawPart | undefined> {
  const { value, done } = await parts.next();
  return done ? undefined : value;
}

/** @throws {Problem} `bad_request` for no part, or a text */
function requireFile(part: RawPart | undefined): RawPart {
  if (!part) throw new Problem("bad_request", `The body has no file. ${oneFile}`);
  if (part.filename !== undefined) return part;
  const name = JSON.stringify(part.name.slice(0, maxShownName));
  throw new Problem("bad_request", `The part ${name} has no file name, so it is a text. ${oneFile}`);
}

const maxShownName = 100;
const oneFile = "Send one file (curl -F file=@FILE), with its field in the query.";

/** @throws {Problem} `bad_request`, for a signed request `unauthorized`, if the bytes differ. */
function requireDigest(request: Request, sha256: Uint8Array): void {
  if (!request.headers.has("content-digest") || isDigest(request.headers, sha256)) return;
  if (isSigned(request)) throw signatureRefused(request);
  throw new Problem("bad_request", "content-digest is not that of the body.");
}
