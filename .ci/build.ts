/**
 * Writes ./dist/formd: one executable with the server, its commands and every file they need, for the machine
 * that it is built on.
 *
 *     bun run build
 *     bun run build --target linux-arm64 --target darwin-arm64
 *                       writes ./dist/formd-linux-arm64 and ./dist/formd-darwin-arm64
 *     bun run build --without-postgres
 *                       for machines that have PostgreSQL's programs (POSTGRES_PROGRAMS)
 *     bun run build --quick
 *                       half a minute less, and 4 MB more
 *
 * Beside them, for each, its materials (CycloneDX 1.6), such as formd.cdx.json; THIRD-PARTY-NOTICES.txt, the
 * licences of their parts; and SHA256SUMS of all files.
 *
 * src/main.ts is bundled as it is. An entry point written here imports the other files with `type: "file"`,
 * which bundles them, and tells src/platform/assets.ts where to read each. The programs of a target come from
 * the npm packages that bun.lock names for it, the runtime from its own.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { clearProgress, showProgress } from "../src/cli/progress.ts";
import { type Component, distinct, materials, notices, npmPackages, runtimeParts } from "./components.ts";
import { bundlePrograms, install } from "./programs.ts";
import { targets } from "./targets.ts";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");
const scratch = join(dist, "build");
const host = `${process.platform}-${process.arch}`;

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

/**
 * @param written names of files in the scratch directory
 * @returns each file to bundle, by the name that src/platform/assets.ts reads it by
 */
async function files(written: string[]): Promise<Record<string, string>> {
  const sql = await Promise.all(
    ["sql", "db/migrations"].map(async (directory) =>
      (await readdir(join(root, directory))).map((name) => `${directory}/${name}`),
    ),
  );
  const docs = ((await readdir(join(root, "docs"), { recursive: true })) as string[])
    .filter((name) => /\.\w+$/.test(name))
    .map((name) => `docs/${name}`);
  const others = [
    "db/distribute.sql",
    "db/schema.sql",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSE",
  ];
  return Object.fromEntries([
    ...written.map((name) => [name, join(scratch, name)]),
    ...[...sql.flat(), ...others, ...docs].map((name) => [name, join(root, name)]),
  ]);
}

/**
 * The commit that is built, with "+" behind it when files differ from it. Where there is no repository, as in
 * a container's build, REVISION has it.
 */
function commit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  try {
    return git("rev-parse", "--short=12", "HEAD") + (git("status", "--porcelain") ? "+" : "");
  } catch {
    return process.env.REVISION?.slice(0, 12) || "unknown";
  }
}

/** Options of both passes of the bundler. */
const bundling = {
  target: "bun",
  format: "esm",
  // Elysia reads the source of its handlers: identifiers must stay.
  minify: { whitespace: true, syntax: true, identifiers: false },
  sourcemap: "none",
  // A command reads the modules that it needs: `formd version` takes two thirds of the CPU time.
  splitting: true,
} as const;

/** The paths of the modules whose code is in the bundle. */
async function bundledModules(): Promise<string[]> {
  const { metafile } = await Bun.build({
    ...bundling,
    entrypoints: [join(root, "src/main.ts")],
    metafile: true,
  });
  if (!metafile) throw new Error("the bundler has written no list");
  return Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .map((path) => join(process.cwd(), path));
}

/** Writes the entry point: main.ts, after it has been told where the files are. @returns its path */
async function writeEntry(assets: [name: string, path: string][]): Promise<string> {
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
  return entry;
}

/** @returns what the executable consists of, apart from formd */
async function build(target: string, outfile: string): Promise<Component[]> {
  await mkdir(scratch, { recursive: true });
  const programs = await bundlePrograms(target, scratch, {
    withPostgres: !values["without-postgres"],
    isQuick: values.quick ?? false,
  });
  steps.done++;
  const components = distinct([
    ...npmPackages(await bundledModules()),
    ...programs.components,
    ...runtimeParts(),
  ]);
  steps.done++;
  await writeFile(join(scratch, "build.json"), JSON.stringify({ commit: commit() }));
  await writeFile(join(scratch, "THIRD-PARTY-NOTICES.txt"), notices(components));
  const assets = await files([...programs.names, "build.json", "THIRD-PARTY-NOTICES.txt"]);
  await Bun.build({
    ...bundling,
    entrypoints: [await writeEntry(Object.entries(assets))],
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
  });
  steps.done++;
  const formd = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  await writeFile(`${outfile}.cdx.json`, `${JSON.stringify(materials(formd, components), null, 2)}\n`);
  clearProgress();
  console.log(`dist/${basename(outfile)}: ${Math.round((await lstat(outfile)).size / 1e6)} MB`);
  return components;
}

/** The names of all files in dist, also of clients, with their digests. */
async function writeSums(): Promise<void> {
  const found = await readdir(dist, { recursive: true, withFileTypes: true });
  const names = found
    .filter((entry) => entry.isFile() && entry.name !== "SHA256SUMS")
    .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
    .sort();
  const sums = await Promise.all(
    names.map(async (name) => {
      const hash = createHash("sha256").update(await readFile(join(dist, name)));
      return `${hash.digest("hex")}  ${name}\n`;
    }),
  );
  await writeFile(join(dist, "SHA256SUMS"), sums.join(""));
}

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    "without-postgres": { type: "boolean" },
    quick: { type: "boolean" },
  },
});
for (const target of values.target ?? [])
  if (!targets.includes(target))
    throw new Error(`--target is ${target}: it must be one of ${targets.join(", ")}`);
await rm(scratch, { recursive: true, force: true });
/** For each executable: its programs, its licences, the program itself. */
const steps = { done: 0, total: 3 * (values.target?.length ?? 1) };
const components: Component[] = [];
using _shown = showProgress("build", "steps", () => steps);
if (values.target)
  for (const target of values.target)
    components.push(...(await build(target, join(dist, `formd-${target}`))));
else components.push(...(await build(host, join(dist, "formd"))));
await rm(scratch, { recursive: true });
await writeFile(join(dist, "THIRD-PARTY-NOTICES.txt"), notices(distinct(components)));
await writeSums();
