/**
 * Files of the program that are not modules, read from the project, or in the one-file build from the program
 * itself. `src` reads its own files only through here, so that the build knows what to bundle.
 *
 * (An import attribute would be enough for text. For other files, Bun and Deno have no common one.)
 */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Location of each bundled file, by its path in the project. */
let bundled: ReadonlyMap<string, string> | undefined;

/** Registers all files. The build's entry point calls this first. */
export function registerBundle(files: Record<string, string>): void {
  bundled = new Map(Object.entries(files));
}

/** Checks whether this is the one-file build. */
export const isBundled = (): boolean => bundled !== undefined;

const resolve = (path: string) =>
  bundled ? bundled.get(path) : fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The contents of a file, by its path in the project: `sql/200_forms.sql`. */
export async function asset(path: string): Promise<Buffer> {
  const found = resolve(path);
  if (!found) throw new Error(`${path} is not in this build`);
  return await readFile(found);
}

/** The names of the files in a directory of the project and in those below it, sorted. */
export async function assetNames(directory: string): Promise<string[]> {
  if (!bundled)
    return (await readdir(resolve(directory) as string, { recursive: true }))
      .map((name) => name.replaceAll("\\", "/"))
      .filter((name) => /\.\w+$/.test(name))
      .sort();
  return [...bundled.keys()]
    .filter((path) => path.startsWith(`${directory}/`))
    .map((path) => path.slice(directory.length + 1))
    .sort();
}

/** The commit that this program was built from, or that is checked out here; otherwise "unknown". */
export async function builtCommit(): Promise<string> {
  if (isBundled()) return JSON.parse(String(await asset("build.json"))).commit;
  return await promisify(execFile)("git", [
    "-C",
    resolve(".") as string,
    "rev-parse",
    "--short=12",
    "HEAD",
  ]).then(
    ({ stdout }) => stdout.trim(),
    () => "unknown",
  );
}
