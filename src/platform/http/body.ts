/**
 * Converts raw bytes to checked JSON: first the size, then the credentials, then the body, whose errors no
 * stranger learns. Signed requests need the exact bytes.
 */

import { Buffer } from "node:buffer";
import { type ArkError, Traversal, type Type, type } from "arktype";
import { compiled } from "../../compiled.ts";
import { isExact } from "../../fields/values.ts";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import type { BodyReservation } from "./body-budget.ts";
import { notJson } from "./json-fault.ts";
import { requireKnownMembers } from "./known-members.ts";
import { contextOf, ownRequests } from "./request-context.ts";

const { maxChunksPerKiB, maxDepth, maxSmallBytes, maxSmallChunks, maxValues } = limits.body;

/** Checks the declared size, without reading. @throws {Problem} `payload_too_large` beyond `max` bytes. */
export function requireSize(request: Request, max: number): void {
  if (Number(request.headers.get("content-length")) > max) throw tooLarge(max);
}

/**
 * Reads the body's bytes.
 * @throws {Problem} `payload_too_large` beyond `max` bytes; `unavailable` if the {@link BodyBudget} has no
 * room; `bad_request` if the client hangs up, takes too long, or sends too many chunks.
 */
export async function readBytes(request: Request, max: number): Promise<Uint8Array> {
  const own = ownRequests.get(request);
  if (own && own.body.length > max) throw tooLarge(max);
  if (own) return own.body;
  const length = request.headers.get("content-length");
  if (Number(length) > max) throw tooLarge(max);
  if (length === null && request.body === null) return new Uint8Array();
  const context = contextOf(request);
  const cut = context.body.begin(Number(length));
  try {
    if (length === null || Number(length) > maxSmallBytes)
      return request.body ? await readChunks(request.body, max, context.body, cut) : new Uint8Array();
    return new Uint8Array(await Promise.race([request.arrayBuffer(), cut]));
  } catch (error) {
    if (error instanceof Problem && error.code === "payload_too_large") throw error;
    context.isBodyIncomplete = true;
    // A client that hangs up causes no error of the server, and does not read the response.
    throw error instanceof Problem ? error : new Problem("bad_request", "The body did not arrive.");
  } finally {
    context.body.end();
  }
}

/** A body, as the handlers of its request see it. */
export interface ReadableBody {
  /** True if it has more than 16 KiB. */
  readonly isLarge: boolean;
  /** Undefined until it is read. */
  readonly bytes: Uint8Array | undefined;
  read(): Promise<Uint8Array>;
}

/** The body of a request whose route reads it as a stream. */
export const unreadBody: ReadableBody = {
  isLarge: true,
  bytes: undefined,
  read: () => Promise.reject(new Error("This body is read as a stream.")),
};

/** A body that is already in memory. */
export const knownBody = (bytes: Uint8Array): ReadableBody => ({
  isLarge: bytes.length > maxSmallBytes,
  bytes,
  read: async () => bytes,
});

/**
 * A request body. A large declared one is read after the caller is known: a refused caller costs no more
 * than with a small one. One without a declared size is read up to the limit. Declared bytes count in the
 * {@link BodyBudget} from the beginning, since a runtime may receive them. The time begins with the reading.
 */
export class RequestBody implements ReadableBody {
  readonly #declared: number;
  #bytes: Uint8Array | undefined;

  /** @throws {Problem} without reading: `payload_too_large`; `unavailable` if the budget has no room. */
  constructor(
    private readonly request: Request,
    private readonly max: number,
  ) {
    const own = ownRequests.get(request);
    this.#declared = own ? own.body.length : Number(request.headers.get("content-length"));
    if (this.#declared > max) throw tooLarge(max);
    if (!own && this.isLarge) contextOf(request).body.declare(this.#declared);
  }

  /** True if it has more than 16 KiB: the declared size, or the actual one after reading. */
  get isLarge(): boolean {
    return (this.#bytes?.length ?? this.#declared) > maxSmallBytes;
  }

  /** Undefined until it is read. */
  get bytes(): Uint8Array | undefined {
    return this.#bytes;
  }

  /** Returns the bytes, which are read once. @throws {Problem} as {@link readBytes}. */
  async read(): Promise<Uint8Array> {
    this.#bytes ??= await readBytes(this.request, this.max);
    return this.#bytes;
  }

  /** Reads the body unless it declares a large size. @throws {Problem} as {@link readBytes}. */
  async readSmall(): Promise<void> {
    if (!this.isLarge) await this.read();
  }
}

/** Reads a stream, which takes 8 µs more than `arrayBuffer()`, and can be cancelled. */
async function readChunks(
  body: ReadableStream<Uint8Array>,
  max: number,
  reservation: BodyReservation,
  cut: Promise<never>,
): Promise<Uint8Array> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { value, done } = await Promise.race([reader.read(), cut]);
      if (done) return Buffer.concat(chunks, size);
      size += value.byteLength;
      if (size > max) throw tooLarge(max);
      reservation.receive(value.byteLength);
      chunks.push(value);
      if (chunks.length > maxSmallChunks + (maxChunksPerKiB * size) / 1_024) throw tooManyChunks();
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
}

const tooManyChunks = () =>
  new Problem("bad_request", {
    message: `The body may arrive in at most ${maxSmallChunks} chunks and ${maxChunksPerKiB} more per KiB.`,
    headers: { connection: "close" },
  });

const tooLarge = (max: number) => new Problem("payload_too_large", say("body_too_large", { max }));

const jsonType = /^application\/(?:json|[\w.!#$&^-]+\+json)\s*(?:;|$)/i;

/** Checks for a JSON body: `application/json` or `application/*+json`, with any parameters. */
export const isJson = (request: Request): boolean => jsonType.test(request.headers.get("content-type") ?? "");

/**
 * Requires a body that is not compressed (RFC 9110, section 15.5.16; RFC 7694): none is unpacked.
 * @throws {Problem} `invalid_content_type`
 */
export function requireIdentity({ headers }: Request): void {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  if (coding === "identity") return;
  throw new Problem("invalid_content_type", {
    message: "The body must come without Content-Encoding: this server unpacks none.",
    headers: { "accept-encoding": "identity" },
  });
}

/** Requires a body of JSON, by its headers. @throws {Problem} `invalid_content_type` */
export function requireJson(request: Request): void {
  if (!isJson(request)) throw new Problem("invalid_content_type");
  requireIdentity(request);
}

/** An unstorable value. `path` begins at the top of the body. */
interface UnstorableValue {
  path: (string | number)[];
  code: "type_mismatch" | "format";
}

/**
 * Checks content type, UTF-8, depth and JSON, in this order.
 *
 * `unstorable` lists values that JavaScript or PostgreSQL cannot hold exactly: numbers that a double rounds
 * (beyond ±2^53, or infinite: `type_mismatch`), text with U+0000 or a lone surrogate (`format`).
 *
 * @throws {Problem} `invalid_content_type`, `invalid_body`.
 */
export function parseJson(
  request: Request,
  bytes: Uint8Array,
  maxMembers?: number,
): { value: unknown; unstorable: UnstorableValue[] } {
  requireJson(request);
  return parseJsonText(decodeBody(bytes), maxMembers);
}

/** {@link parseJson} of a text, such as of a file. @throws {Problem} `invalid_body`. */
export function parseJsonText(
  text: string,
  maxMembers?: number,
): { value: unknown; unstorable: UnstorableValue[] } {
  requireBounded(text, undefined, undefined, maxMembers);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem("invalid_body", notJson(text));
  }
  return { value, unstorable: suspicious.test(text) ? findUnstorable(text, value) : [] };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes the text of a body. @throws {Problem} `invalid_body` if it is not UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem("invalid_body", say("not_unicode"));
  }
}

/** A text without any of these has no unstorable value, and is not searched further. */
const suspicious = /\\u0000|\\u[dD][89abAB]|\\u[dD][c-fC-F]|\d{16}|\d[eE]/;

/**
 * Scans brackets and commas outside of strings before parsing: `JSON.parse` takes millions of levels.
 * @param subject name of the text, for the message
 * @param levels maximum nesting; the top level is 1
 * @param maxMembers of all objects; each key that no other object has costs a third of a microsecond
 * @throws {Problem} `invalid_body` beyond those levels, `limits.body.maxValues` values or the members.
 */
export function requireBounded(
  text: string,
  subject = "The body",
  levels: number = maxDepth,
  maxMembers: number = maxValues,
): void {
  let depth = 0;
  let values = 1;
  let members = 0;
  let inString = false;
  let isAfterOpening = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 92) i++;
      else if (c === 34) inString = false;
    } else if (c > 32) {
      const isOpening = c === 123 || c === 91;
      const isClosing = c === 125 || c === 93;
      // The first value of an array or object follows its bracket, each further one a comma.
      if (c === 44 || (isAfterOpening && !isClosing)) values++;
      if (values > maxValues)
        throw new Problem("invalid_body", `${subject} has more than ${maxValues} values.`);
      if (c === 34) inString = true;
      else if (c === 58 && ++members > maxMembers)
        throw new Problem("invalid_body", `${subject} has more members than its form has fields for.`);
      else if (isOpening && ++depth > levels)
        throw new Problem("invalid_body", `${subject} is nested deeper than ${levels} levels.`);
      else if (isClosing) depth--;
      isAfterOpening = isOpening;
    }
  }
}

/** Finds unstorable values in one pass, at about the cost of JSON.parse: paths are made for those only. */
function findUnstorable(text: string, parsed: unknown): UnstorableValue[] {
  const found: UnstorableValue[] = [];
  const path: (string | number)[] = [];
  let isAtLimit = false;
  const visit = (value: unknown): void => {
    if (typeof value === "number") {
      if (Math.abs(value) === 2 ** 53) isAtLimit = true;
      else if (!(Math.abs(value) < 2 ** 53)) found.push({ path: [...path], code: "type_mismatch" });
    } else if (typeof value === "string") {
      if (!isStorable(value)) found.push({ path: [...path], code: "format" });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
        if (typeof name === "string" && !isStorable(name))
          throw new Problem("invalid_body", "A key has U+0000 or a lone surrogate, which cannot be stored.");
        path.push(name);
        visit(member);
        path.pop();
      }
    }
  };
  // A number or a text does not have our shapes, and gets that error.
  if (typeof parsed !== "object") return found;
  visit(parsed);
  if (!isAtLimit) return found;
  found.length = 0;
  visit(withoutInexact(text));
  return found;
}

/** Limit of values that {@link withoutInexact} visits. One costs about a microsecond. */
const maxVisitedValues = 20_000;

/** Parses again, NaN for inexact numbers: only a reviver sees literals (JSON.parse source text access). */
function withoutInexact(text: string): unknown {
  let visited = 0;
  const reviver: Reviver = (_key, value, { source }) => {
    if (++visited > maxVisitedValues)
      throw new Problem(
        "invalid_body",
        `A body with the number 2^53 may have at most ${maxVisitedValues} values.`,
      );
    return typeof value === "number" && !isExact(value, source) ? Number.NaN : value;
  };
  return parseWith(text, reviver);
}

export type Reviver = (key: string, value: unknown, context: { source: string }) => unknown;
/** Cast: the types lack the literals that a reviver gets (ECMAScript, JSON.parse source text access). */
export const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Checks whether `jsonb` can hold the text: no U+0000 and no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Parses a body of the shape. @throws {Problem} as {@link parseJson} and {@link assertBody}. */
export function parseBody<T extends Type>(
  request: Request,
  bytes: Uint8Array,
  shape: T,
  tooManyItems: ShapeCode = "invalid_body",
): T["infer"] {
  const { value, unstorable } = parseJson(request, bytes);
  if (unstorable[0]) throw new Problem("invalid_body", unstorableText(unstorable[0]));
  return assertBody(value, shape, tooManyItems);
}

/**
 * Returns the value of a body if it has the shape, and no unknown member at the top.
 * @throws {Problem} `invalid_body`, naming an unknown member, else the path of the first mismatch.
 */
export function assertBody<T extends Type>(
  value: unknown,
  shape: T,
  tooManyItems: ShapeCode = "invalid_body",
): T["infer"] {
  requireKnownMembers(value, shape);
  return assertShape(value, shape, "invalid_body", tooManyItems);
}

/** Describes an unstorable value, for people. */
export const unstorableText = ({ path, code }: UnstorableValue): string =>
  code === "format"
    ? `${pathText(path)} holds text that cannot be stored (U+0000 or a lone surrogate).`
    : `${pathText(path)} holds a number that cannot be kept exactly.`;

type ShapeCode = "invalid_body" | "bad_request";

/**
 * Returns the value if it has the shape.
 * @param tooManyItems the code for an array with too many items
 * @throws {Problem} `code`, naming the path of the first mismatch and the expectation.
 */
export function assertShape<T extends Type>(
  value: unknown,
  shape: T,
  code: ShapeCode,
  tooManyItems = code,
): T["infer"] {
  const checker = compiled(shape);
  // `allows` is three times as fast. A shape that transforms the value cannot use it.
  if (!checker.internal.includesTransform && checker.allows(value)) return value as T["infer"];
  const out = firstFault(value, checker);
  if (out instanceof type.errors) {
    const fault = out[0];
    const path = [...(fault?.path ?? [])] as (string | number)[];
    throw new Problem(
      fault?.hasCode("maxLength") && Array.isArray(fault.data) ? tooManyItems : code,
      isAbsent(value, path) ? missing(pathText(path), fault?.expected) : wrongShape(fault, pathText(path)),
    );
  }
  return out as T["infer"];
}

/** The message for a member that was not sent. */
export const missing = (path: string, expected = "a value") =>
  say("wrong_shape", { path, rule: "required", expected });

/** Checks that the value has no member of the path. arktype calls a tag that is missing a wrong one. */
const isAbsent = (value: unknown, path: readonly (string | number)[]): boolean =>
  path.reduce<unknown>((found, name) => (found as Record<string, unknown> | null)?.[name], value) ===
  undefined;

/** The message for a value that does not have its shape. */
export const wrongShape = (fault: ArkError | undefined, path: string) =>
  say("wrong_shape", {
    path,
    rule: fault?.code ?? "",
    ...(fault?.hasCode("maxLength") && { limit: fault.rule }),
    expected: expectedBy(fault),
  });

/** Describes the expectation. For a union: each branch's, without repetition of path and value. */
function expectedBy(fault: ArkError | undefined): string {
  if (fault?.hasCode("union")) return fault.errors.map((branch) => branch.expected).join(" or ");
  // arktype calls a list "an object", where it may also be null.
  const description = fault?.hasCode("predicate") ? fault.meta?.description : undefined;
  return description ?? fault?.expected ?? "of another shape";
}

/** Writes the path of a value in a body, such as `fields[0].id`. */
export const pathText = (path: (string | number)[]) =>
  path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part),
    "",
  ) || "The body";

/** Stops at the first mismatch, which is reported: arktype makes an error for each of a million items. */
class FirstFault extends Traversal {
  override get failFast() {
    return true;
  }
}

function firstFault(value: unknown, { internal }: Type) {
  const traversal = new FirstFault(value, internal.$.resolvedConfig);
  internal.traverseApply(value, traversal);
  return traversal.finalize();
}
