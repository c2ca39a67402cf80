/** A ZIP as a stream: only the names of its entries are kept until its end. */
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
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const zip = new ZipWriter(writable, { level, useWebWorkers: false });
  let open: Parts | undefined;
  async function write() {
    for await (const { name, input } of entries) {
      open = input;
      // Many programs cannot read the other form, which entries above 4 GiB would need.
      await zip.add(name, readableOf(input), { zip64: false });
    }
    await zip.close();
  }
  const reader = readable.getReader();
  // The library leaves its output open if an input fails.
  const failed = Promise.withResolvers<never>();
  const written = write().catch(failed.reject);
  try {
    for (;;) {
      const { value, done } = await Promise.race([reader.read(), failed.promise]);
      if (done) return;
      yield value as Uint8Array<ArrayBuffer>;
    }
  } finally {
    await reader.cancel();
    await open?.return();
    await entries.return();
    await written;
  }
}
