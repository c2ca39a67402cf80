/** Responses that are written while they are read, so that memory does not grow with their length. */
import type { Deps } from "../deps.ts";
import { errorForLog } from "../problem.ts";
import { success } from "./envelope.ts";
import { contextOf } from "./request-context.ts";
import { offsetOf, toPage } from "./shapes.ts";

/** A client that reads nothing for this long is disconnected: it holds a connection and a part of the response. */
const stallTimeoutMs = 60_000;

/** Rows that one query reads at most; SQL ends a part earlier once it has many bytes. */
const maxPartRows = 500;

type Bytes = Uint8Array<ArrayBuffer>;
export type Parts = AsyncGenerator<Bytes, void>;

const encoder = new TextEncoder();
export const encode = (text: string): Bytes => encoder.encode(text);

/**
 * The parts as a stream. The reader pulls them: a slow one slows the queries down. The status has been sent when a part fails; so the
 * error is logged here, and the reader gets a response that does not end properly.
 */
export function streamOf(
  { log }: Pick<Deps, "log">,
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
          log.error({ requestId, err: errorForLog(error) }, "A response was aborted.");
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

/** Rows to read: `limit` of them, after `offset` or below an id. A row without id says that there is none, and has the total. */
export type ReadRows<R> = (which: {
  limit: number;
  offset: number;
  below: string | null;
}) => PromiseLike<readonly (R & { id: string | null })[]>;

/** The texts of the rows below an id, as bytes. Nothing but the bytes of one part is held while the reader is slow. */
export async function* partsBelow<R>(
  below: string,
  limit: number,
  read: ReadRows<R>,
  toText: (row: R) => string,
): Parts {
  const readPart = async (limit: number) => {
    const rows = await read({ limit, offset: 0, below });
    const found = rows.filter(({ id }) => id !== null);
    return { bytes: encode(found.map(toText).join("")), count: found.length, last: found.at(-1)?.id };
  };
  for (let left = limit; left > 0; ) {
    const { bytes, count, last } = await readPart(Math.min(left, maxPartRows));
    if (!last) return;
    yield bytes;
    left -= count;
    below = last;
  }
}

interface List<R> {
  /** The member of the response that holds the items. */
  name: string;
  read: ReadRows<R>;
  toItem: (row: R) => object;
  /** Members beside it, from the first row. */
  others?: (row: R | undefined) => object;
}

/** A page of rows that may be large: a plain response after one query, or a stream when SQL returned fewer rows than the page has. */
export async function pageOf<R extends { total: number }>(
  deps: Pick<Deps, "log">,
  request: Request,
  page: { page: number; limit: number },
  { name, read, toItem, others }: List<R>,
) {
  const offset = offsetOf(page);
  const rows = await read({ limit: page.limit, offset, below: null });
  const { items, pagination } = toPage(rows, page);
  const rest = { ...others?.(rows[0]), pagination };
  const missing = Math.min(page.limit, pagination.total - offset) - items.length;
  const last = items.at(-1)?.id;
  if (missing <= 0 || !last) return success({ [name]: items.map(toItem), ...rest });

  const text = JSON.stringify(success({ ...rest, [name]: items.map(toItem) }));
  const end = text.lastIndexOf("]");
  const more = partsBelow(last, missing, read, (row) => `,${JSON.stringify(toItem(row))}`);
  const parts = joined([encode(text.slice(0, end))], more, encode(text.slice(end)));
  return new Response(streamOf(deps, request, parts), {
    headers: { "content-type": "application/json;charset=utf-8" },
  });
}

/** `start` is a list, so that its bytes are let go once they are written. */
export async function* joined(start: Bytes[], parts: Parts, end?: Bytes): Parts {
  while (start[0]) yield start.splice(0, 1)[0] as Bytes;
  yield* parts;
  if (end) yield end;
}
