/** Streams bytes from a client to the store. They are never held in memory as a whole. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { limits } from "../../limits.ts";
import { Problem } from "../../problem.ts";
import { requireIdentity } from "../http/body.ts";
import type { BodyReservation } from "../http/body-budget.ts";
import { rateLimitHeaders } from "../http/rate-limits.ts";
import { contextOf, type RequestContext } from "../http/request-context.ts";
import { type Files, uploadBytes } from "./files.ts";
import { notTaken } from "./store.ts";

const { maxChunksPerKiB, maxSmallChunks } = limits.body;

/** A received file. */
export interface Received {
  size: number;
  sha256: Uint8Array;
  /** Undefined: the content does not match the name. */
  type: string | undefined;
}

/** Thrown for a file that is too large. */
export class TooManyBytes extends Error {}

/**
 * Frees a chunk at once. Chunks are outside of JavaScript's heap, and collected only when they are as large
 * as it: 64 uploads of 10 MiB took 250 to 500 MiB on Bun, and take 60 this way.
 */
export const free = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
};

const windowMs = 3_600_000;

/** Bytes received per client IP and hour, also of refused uploads, by this process: for disk and network. */
const arrived = new LRUCache<string, number>({ max: 10_000, ttl: windowMs, noUpdateTTL: true });

/** @throws {Problem} `rate_limited` after a client IP has sent `maxBytes`. */
function requireWithinHour(client: string, maxBytes: number): void {
  if ((arrived.get(client) ?? 0) < maxBytes) return;
  const limitName = "upload-bytes";
  const resetMs = arrived.getRemainingTTL(client);
  const retryAfter = Math.max(1, Math.ceil(resetMs / 1_000));
  const state = rateLimitHeaders({ limitName, maxRequests: maxBytes, windowMs, remaining: 0, resetMs });
  throw new Problem("rate_limited", {
    message: `At most ${maxBytes} bytes of files in an hour per client IP. Retry in ${retryAfter} s.`,
    extras: { limit: limitName, retryAfter },
    headers: {
      ...state,
      "ratelimit-policy": `${state["ratelimit-policy"]};qu="content-bytes"`,
      "retry-after": String(retryAfter),
    },
  });
}

/**
 * The body of a request, as it arrives. Call this before awaiting anything: Bun holds a MiB of an unread
 * body. The body has a deadline, and gives way while it is slow. A chunk is freed with the next request.
 * @param maxPerHour bytes per client IP beyond which no upload begins
 * @throws {Problem} `invalid_content_type`; `rate_limited`; `unavailable`: too many files arrive;
 * `bad_request`: an incomplete body
 */
export function bodyChunks(files: Files, request: Request, maxPerHour: number) {
  requireIdentity(request);
  const context = contextOf(request);
  requireWithinHour(context.rateLimitKey, maxPerHour);
  context.upload = files.budget.reserve(context.rateLimitKey);
  context.upload.declare(uploadBytes);
  return arrivingChunks(request, context, context.upload);
}

async function* arrivingChunks(
  request: Request,
  context: RequestContext,
  reservation: BodyReservation,
): AsyncGenerator<Uint8Array, void> {
  const client = context.rateLimitKey;
  const cut = reservation.begin(uploadBytes, limits.file.maxReadSeconds);
  const reader = request.body?.getReader();
  // Racing each read against the one promise would keep every chunk in memory.
  let interruption: unknown;
  cut.catch((error: unknown) => {
    interruption = error;
    reader?.cancel().catch(() => {});
  });
  let size = 0;
  let chunks = 0;
  let isWhole = false;
  try {
    while (reader) {
      const { value, done } = await reader.read();
      if (interruption) throw interruption;
      if (done) break;
      size += value.byteLength;
      arrived.set(client, (arrived.get(client) ?? 0) + value.byteLength);
      reservation.pass(value.byteLength);
      if (++chunks > maxSmallChunks + (maxChunksPerKiB * size) / 1_024)
        throw new Problem("bad_request", "The body arrives in too many chunks.");
      yield value;
      free(value);
    }
    // On Deno, the stream of a client that hung up ends without an error.
    const declared = request.headers.get("content-length");
    if (declared !== null && Number(declared) !== size)
      throw new Problem("bad_request", "The body did not arrive.");
    isWhole = true;
  } catch (error) {
    context.isBodyIncomplete = true;
    throw error instanceof Problem ? error : new Problem("bad_request", "The body did not arrive.");
  } finally {
    reservation.end();
    if (!isWhole) reader?.cancel().catch(() => {});
  }
}

/**
 * Writes chunks to the store.
 * @param nameOf returns the name of the file, once its bytes have arrived
 * @throws {TooManyBytes} beyond `maxBytes`
 * @throws {Problem} `unavailable` if the store fails; errors of `chunks`
 */
export async function receive(
  { store }: Files,
  key: string,
  nameOf: () => string,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Received> {
  const hash = createHash("sha256");
  let size = 0;
  let type: string | undefined;
  const sink = await store.create(key).catch(failed);
  try {
    for await (const chunk of chunks) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new TooManyBytes();
      const written = sink.write(chunk);
      hash.update(chunk);
      await written.catch(failed);
    }
    // Loaded with the first file, since it takes 20 ms and few processes receive any.
    const { typeOfFile } = await import("./content-type.ts");
    if (size > 0) type = await typeOfFile({ size, read: sink.read }, nameOf()).catch(failed);
  } catch (error) {
    await sink.abort().catch(() => {});
    throw error;
  }
  const sha256 = hash.digest();
  await sink.finish(sha256).catch(failed);
  return { size, sha256, type };
}

const failed = (cause: unknown): never => {
  throw notTaken(cause);
};
