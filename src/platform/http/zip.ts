/** A ZIP as a stream: only the names of its entries are kept until its end. */
import { makeZip } from "client-zip";
import type { Parts } from "./stream.ts";

export interface ZipEntry {
  /** A path within the archive. */
  name: string;
  input: Parts;
}

/** The bytes of the archive, uncompressed: most files already are. Entries are read in turn. */
export async function* zipOf(entries: AsyncGenerator<ZipEntry, void>): Parts {
  let open: Parts | undefined;
  async function* inputs() {
    for await (const entry of entries) {
      open = entry.input;
      yield entry;
    }
  }
  const reader = makeZip(inputs()).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      yield read.value as Uint8Array<ArrayBuffer>;
  } finally {
    // The library does not close its input if its own reader ends.
    await open?.return();
    await entries.return();
  }
}
