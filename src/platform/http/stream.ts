/** Responses that are written while they are read, so that memory does not grow with their length. */
import { setTimeout as delay } from "node:timers/promises";
import pLimit from "p-limit";
import { errorForLog, Problem } from "../../problem.ts";
import type { Logger } from "../log.ts";
import { requestIdsOf } from "./request-context.ts";

/** Time after which a client that reads nothing is disconnected: it holds a connection and memory. */
const stallTimeoutMs = 60_000;

/** Maximum of rows that one query reads. SQL ends a part earlier once it has many bytes. */
export const maxPartRows = 500;

/** Size of chunks. Runtimes buffer some chunks for a slow reader. */
const chunkBytes = 65_536;

type Bytes = Uint8Array<ArrayBuffer>;
export type Parts = AsyncGenerator<Bytes, void>;

const encoder = new TextEncoder();
export const encodeText = (text: string): Bytes => encoder.encode(text);

/** Copies bytes into chunks: otherwise one waiting chunk would keep all bytes in memory. */
function chunksOf(bytes: Bytes): Bytes[] {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, index) =>
    bytes.slice(index * chunkBytes, (index + 1) * chunkBytes),
  );
}

/** Streams the parts as the reader pulls them. A part that fails is logged and ends the response. */
export function streamOf(log: Logger, request: Request, parts: Parts, timeoutMs = stallTimeoutMs) {
  const requestIds = requestIdsOf(request);
  let stallTimer: ReturnType<typeof setTimeout> | undefined;
  let isCancelled = false;
  // The runtime prints the stream's error: one line, without the fields of a database error.
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
      log.warn(requestIds, `A response was aborted: the client read nothing for ${timeoutMs} ms.`);
      abort(controller);
    }, timeoutMs);
  };
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        clearTimeout(stallTimer);
        await writeNext(controller).catch((error) => {
          const level = error instanceof Problem ? "warn" : "error";
          log[level]({ ...requestIds, err: errorForLog(error) }, "A response was aborted.");
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

/** Order of a list by its ids. `oldest` ends where rows may still be missing, `rising` does not. */
export type Order = "newest" | "oldest" | "rising";

/** Rows of a list to read: `limit` of them. */
export interface Span {
  limit: number;
  offset: number;
  /** Id that they come after. Null: the list begins with its newest row, and the total is wanted. */
  after: string | null;
  order: Order;
  /** The instant at which the reader of changes began, as an id. */
  since?: string | undefined;
  /** True: they are the rest of what was found, so that none is left out. */
  isRest?: boolean;
}

/** Consecutive items of a list: their number, and the id of the last one. */
export interface StreamPart {
  bytes: Bytes;
  count: number;
  last: string | null;
}

/** Concurrent reads of parts. Each takes a connection, and several times its bytes until collected. */
export const partReads = pLimit(4);

/** Bytes of parts that wait for their readers, in all responses. Beyond this, the next part is not read. */
const maxHeldBytes = 16_777_216;

/** Time after which a reader gives way to others: its part is released, and its response ends. */
const maxPauseMs = 5_000;

const heldParts = new Set<HeldPart>();

/** The chunks of a part that the reader has not taken yet. */
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

  /** @throws {Problem} `unavailable` after it was released for others. */
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

/**
 * The items below an id, as bytes. Only one part is held in memory while the reader is slow.
 * @returns the id of the last item
 */
export async function* partsBelow(
  after: string,
  limit: number,
  read: (span: Span) => Promise<StreamPart>,
): AsyncGenerator<Bytes, string> {
  const readPart = async (limit: number) => {
    await makeRoom();
    const { bytes, ...part } = await read({ limit, offset: 0, after, order: "newest", isRest: true });
    return { held: new HeldPart(bytes), ...part };
  };
  for (let left = limit; left > 0; ) {
    const { held, count, last } = await partReads(() => readPart(Math.min(left, maxPartRows)));
    yield* held.read();
    if (!last) break;
    left -= count;
    after = last;
  }
  return after;
}

/**
 * Joins start, parts and end. The start counts among the held parts, like each of `parts`.
 * @param toEnd makes the end, of what `parts` returns
 */
export async function* joined<Last>(
  start: Bytes,
  parts: AsyncGenerator<Bytes, Last>,
  toEnd?: (last: Last) => Bytes,
): Parts {
  yield* new HeldPart(start).read();
  const last = yield* parts;
  if (toEnd) yield toEnd(last);
}
