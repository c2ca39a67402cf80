/** Responses that are written while they are read, so that memory does not grow with their length. */
import { setTimeout as delay } from "node:timers/promises";
import pLimit from "p-limit";
import { errorForLog, Problem } from "../../problem.ts";
import type { Logger } from "../log.ts";
import { contextOf } from "./request-context.ts";

/**
 * A client that reads nothing for this long is disconnected: it holds a connection and a part of the
 * response.
 */
const stallTimeoutMs = 60_000;

/** Rows that one query reads at most; SQL ends a part earlier once it has many bytes. */
export const maxPartRows = 500;

/** Runtimes keep some chunks of a response for a slow reader. */
const chunkBytes = 65_536;

type Bytes = Uint8Array<ArrayBuffer>;
export type Parts = AsyncGenerator<Bytes, void>;

const encoder = new TextEncoder();
export const encodeText = (text: string): Bytes => encoder.encode(text);

/** Bytes cut into chunks. Copies: one that waits for its reader would keep the memory of all. */
function chunksOf(bytes: Bytes): Bytes[] {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, index) =>
    bytes.slice(index * chunkBytes, (index + 1) * chunkBytes),
  );
}

/**
 * The parts as a stream. The reader pulls them: a slow one slows the queries down. The status has been sent
 * when a part fails; so the error is logged here, and the reader gets a response that does not end properly.
 */
export function streamOf(
  log: Logger,
  request: Request,
  parts: Parts,
  timeoutMs = stallTimeoutMs,
): ReadableStream<Bytes> {
  const { requestId } = contextOf(request);
  let stallTimer: ReturnType<typeof setTimeout> | undefined;
  let isCancelled = false;
  // The runtime prints what the stream fails with: one line, without the fields of a database error.
  const abort = (controller: ReadableStreamDefaultController<Bytes>) => {
    controller.error("A response was aborted; its request id is in the log.");
    void parts.return();
  };
  const writeNext = async (controller: ReadableStreamDefaultController<Bytes>) => {
    const { value, done } = await parts.next();
    if (isCancelled) return;
    if (done) return controller.close();
    controller.enqueue(value);
    stallTimer = setTimeout(() => {
      log.warn({ requestId }, `A response was aborted: the client read nothing for ${timeoutMs} ms.`);
      abort(controller);
    }, timeoutMs);
  };
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        clearTimeout(stallTimer);
        await writeNext(controller).catch((error) => {
          const level = error instanceof Problem ? "warn" : "error";
          log[level]({ requestId, err: errorForLog(error) }, "A response was aborted.");
          abort(controller);
        });
      },
      async cancel() {
        isCancelled = true;
        clearTimeout(stallTimer);
        await parts.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Which rows of a list to read: `limit` of them, after `offset` or below an id. */
export interface Span {
  limit: number;
  offset: number;
  below: string | null;
}

/** Consecutive items of a list: how many they are, and the id of the last one. */
export interface StreamPart {
  bytes: Bytes;
  count: number;
  last: string | null;
}

/**
 * Parts that are read at a time: each takes some times its bytes until garbage is collected, and a connection
 * of the pool.
 */
export const partReads = pLimit(4);

/** Bytes of parts that wait for their readers, in all responses: with more, the next part is not read. */
const maxHeldBytes = 16_777_216;

/**
 * A reader that has taken nothing for this long gives way to others: its part is let go, and its response
 * ends.
 */
const maxPauseMs = 5_000;

const heldParts = new Set<HeldPart>();

/** The chunks of a part that its reader has not taken yet. */
class HeldPart {
  readonly #chunks: Bytes[];
  /** `performance.now()` when the reader last took a chunk. */
  takenAt = performance.now();

  constructor(bytes: Bytes) {
    this.#chunks = chunksOf(bytes);
    heldParts.add(this);
  }

  get bytes(): number {
    return this.#chunks.length * chunkBytes;
  }

  release(): void {
    heldParts.delete(this);
    this.#chunks.length = 0;
  }

  /** @throws {Problem} `unavailable` once it was released for others. */
  async *read(): Parts {
    try {
      for (let chunk = this.#chunks.shift(); chunk; chunk = this.#chunks.shift()) {
        this.takenAt = performance.now();
        yield chunk;
        if (!heldParts.has(this))
          throw new Problem("unavailable", "The client read slowly, and others needed the room.");
      }
    } finally {
      this.release();
    }
  }
}

/** Waits until there is room for one more part. */
export async function makeRoom(): Promise<void> {
  for (;;) {
    const parts = [...heldParts]
      .filter(({ bytes }) => bytes > 0)
      .sort((one, other) => one.takenAt - other.takenAt);
    if (parts.reduce((sum, { bytes }) => sum + bytes, 0) < maxHeldBytes) return;
    if (parts[0] && parts[0].takenAt < performance.now() - maxPauseMs) parts[0].release();
    else await delay(100);
  }
}

/** The items below an id, as bytes. Nothing but the bytes of one part is held while the reader is slow. */
export async function* partsBelow(
  below: string,
  limit: number,
  read: (span: Span) => Promise<StreamPart>,
): Parts {
  const readPart = async (limit: number) => {
    await makeRoom();
    const { bytes, ...part } = await read({ limit, offset: 0, below });
    return { held: new HeldPart(bytes), ...part };
  };
  for (let left = limit; left > 0; ) {
    const { held, count, last } = await partReads(() => readPart(Math.min(left, maxPartRows)));
    yield* held.read();
    if (!last) return;
    left -= count;
    below = last;
  }
}

/** The start counts among the parts that wait for their readers, like each of `parts`. */
export async function* joined(start: Bytes, parts: Parts, end?: Bytes): Parts {
  yield* new HeldPart(start).read();
  yield* parts;
  if (end) yield end;
}
