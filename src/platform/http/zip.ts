/** A ZIP as a stream: only what its directory has of each entry is kept until its end, about 2 KB. */
import type { Parts } from "./stream.ts";

export interface ZipEntry {
  /** A path within the archive. */
  name: string;
  input: Parts;
}

const readableOf = (parts: Parts) =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );

/**
 * The bytes of the archive. Entries are read in turn. The first call loads the library, which few processes
 * need.
 * @param level of compression, 0 to 9; 0: none, since most files are compressed already
 */
export async function* zipOf(entries: AsyncGenerator<ZipEntry, void>, level = 0): Parts {
  const { ZipWriter } = await import("@zip.js/zip.js");
  // The library leaves its output open if an input fails.
  let fail: (error: unknown) => void = () => undefined;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => {
      fail = (error) => controller.error(error);
    },
  });
  const zip = new ZipWriter(writable, { level, useWebWorkers: false });
  let open: Parts | undefined;
  async function write() {
    for await (const { name, input } of entries) {
      open = input;
      // Many programs cannot read the other form, which entries above 4 GiB would need. A second form of the
      // time would be kept for each entry.
      await zip.add(name, readableOf(input), { zip64: false, extendedTimestamp: false });
    }
    await zip.close();
  }
  const reader = readable.getReader();
  const written = write().catch(fail);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      yield read.value as Uint8Array<ArrayBuffer>;
  } finally {
    // The reader has thrown the error of a stream that failed; the stream throws it again.
    await reader.cancel().catch(() => undefined);
    await open?.return();
    await entries.return();
    await written;
  }
}
