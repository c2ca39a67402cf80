/** A file that identifies a storage: all servers of a database must show the same. */
import { randomUUID } from "node:crypto";
import { type FileSink, type FileStore, isAbsent } from "./store.ts";

const markerKey = "formd-files";

/** Returns the marker, if there is one. @throws the error of a storage that cannot be read */
export async function readMarker(store: FileStore): Promise<string | undefined> {
  try {
    const parts: Uint8Array[] = [];
    for await (const chunk of await store.read(markerKey)) parts.push(chunk);
    return Buffer.concat(parts).toString() || undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Creates the marker of a storage that has none. Of several servers, which start at once, one does. */
export async function ensureMarker(store: FileStore): Promise<void> {
  if ((await readMarker(store)) !== undefined) return;
  let sink: FileSink | undefined;
  try {
    sink = await store.create(markerKey);
    await sink.write(Buffer.from(randomUUID()));
    await sink.finish();
  } catch (error) {
    if (!sink && (error as NodeJS.ErrnoException).code === "EEXIST") return;
    await sink?.abort().catch(() => {});
    if (sink) await store.remove(markerKey).catch(() => {});
    throw error;
  }
}
