/**
 * The files that travel with the program and are no modules: read where they stand in the project, or, in the one-file build, from the
 * program itself. Everything that `src` reads of its own goes through here, so that the build knows what to pack.
 *
 * (An import attribute would do for text. For files of any kind and for whole folders Bun and Deno agree on none.)
 *
 * @module
 */
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** By its path in the project, where each can be read. */
let bundled: ReadonlyMap<string, string> | undefined;

/** Called first by the entry point that the build writes: from now on these are all the files there are. */
export function registerBundle(files: Record<string, string>): void {
  bundled = new Map(Object.entries(files));
}

/** Whether this is the one-file build. */
export const isBundled = (): boolean => bundled !== undefined;

const place = (path: string) =>
  bundled ? bundled.get(path) : fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The contents of a file, by its path in the project: `sql/forms.sql`. */
export async function asset(path: string): Promise<Buffer> {
  const found = place(path);
  if (!found) throw new Error(`${path} is not in this build`);
  return await readFile(found);
}

/** The names of the files in a folder of the project, sorted. */
export async function assetNames(folder: string): Promise<string[]> {
  if (!bundled) return (await readdir(place(folder) as string)).sort();
  return [...bundled.keys()]
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1))
    .sort();
}
