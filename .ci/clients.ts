/**
 * `bun run build:clients` writes the clients of docs/clients into dist/clients, as npm and PyPI take them, or
 * into a directory that it is given. Each is a tarball with JavaScript for Node 20 and types, a wheel, and a
 * source distribution. The version is that of package.json. The same files make the same bytes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TextReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js";

const root = join(import.meta.dir, "..");
const source = join(root, "docs/clients");
const dist = process.argv[2] ?? join(root, "dist/clients");
const text = (path: string) => readFileSync(path, "utf8");
const { version, license } = JSON.parse(text(join(root, "package.json")));
/** Version as PyPI writes it: a candidate is 1.0.0rc1. */
const pythonVersion: string = version.replace("-rc.", "rc");
/** Time of each file in an archive, which is npm's: a ZIP has no time before 1980. */
const time = "1985-10-26T08:15:00Z";
const python =
  "Python 3.9 and later; signatures need the package `cryptography` (`pip install NAME[signatures]`).";

/** Files of an archive by their paths. */
type Files = Record<string, string>;

interface Client {
  name: string;
  summary: string;
}

const clients: Client[] = [
  { name: "formd-agent", summary: "A client for agents that submit to forms of formd" },
  { name: "formd-owner", summary: "A client for owners of forms of formd" },
];

/** The example in the comment that a client begins with, below what the package is and runs on. */
function readmeOf({ name, summary }: Client, language: string, runtimes: string, code: string): string {
  const [comment = ""] = /^(?:\/\*\*[\s\S]*?\*\/|"""[\s\S]*?""")/.exec(code) ?? [];
  const example = [...comment.matchAll(/^(?: \*)? {4,5}(\S.*)/gm)];
  const lines = example.map(([, line = ""]) => line).join("\n");
  const runsOn = runtimes.replaceAll("NAME", name);
  return `# ${name}\n\n${summary}, in one file without dependencies. It runs on ${runsOn}\n\n\`\`\`${language}\n${lines}\n\`\`\`\n`;
}

/** JavaScript and types of a client. */
function compile(name: string): Files {
  const folder = mkdtempSync(join(tmpdir(), "formd-clients-"));
  try {
    const options =
      "--ignoreConfig --target ES2022 --module ES2022 --moduleResolution bundler --strict --declaration --types bun-types";
    const compiler = [join(root, "node_modules/typescript/bin/tsc"), ...options.split(" ")];
    const lib = ["--lib", "ES2023,DOM,DOM.Iterable", "--skipLibCheck", "--outDir", folder];
    execFileSync(process.execPath, [...compiler, ...lib, join(source, `${name}.ts`)], { cwd: root });
    const files = [`${name}.js`, `${name}.d.ts`];
    return Object.fromEntries(files.map((file) => [file, text(join(folder, file))]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function npmPackage(client: Client): Files {
  const { name, summary } = client;
  const manifest = {
    ...{ name, version, description: summary, license, type: "module", engines: { node: ">=20" } },
    exports: { ".": { types: `./${name}.d.ts`, default: `./${name}.js` } },
  };
  const runtimes = "Node 20 and later, Bun, and Deno.";
  return {
    ...compile(name),
    LICENSE: text(join(root, "LICENSE")),
    "README.md": readmeOf(client, "ts", runtimes, text(join(source, `${name}.ts`))),
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
  };
}

/** The metadata of a wheel and of a source distribution (core metadata 2.1). */
const metadataOf = ({ name, summary }: Client, readme: string) => `Metadata-Version: 2.1
Name: ${name}
Version: ${pythonVersion}
Summary: ${summary}
License: ${license}
License-File: LICENSE
Requires-Python: >=3.9
Description-Content-Type: text/markdown
Provides-Extra: signatures
Requires-Dist: cryptography; extra == "signatures"

${readme}`;

/** pyproject.toml, without a licence: Setuptools of different years expect it in different forms. */
const projectOf = ({ name, summary }: Client) => `[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "${name}"
version = "${pythonVersion}"
description = "${summary}"
readme = "README.md"
requires-python = ">=3.9"

[project.optional-dependencies]
signatures = ["cryptography"]

[tool.setuptools]
py-modules = ["${moduleOf(name)}"]
`;

const moduleOf = (name: string) => name.replace("-", "_");

const wheelText = "Wheel-Version: 1.0\nGenerator: formd\nRoot-Is-Purelib: true\nTag: py3-none-any\n";

/** The files of a wheel, the last of which lists them with their digests. */
function wheel({ name }: Client, module: string, metadata: string): Files {
  const info = `${moduleOf(name)}-${pythonVersion}.dist-info`;
  const files: Files = {
    [`${moduleOf(name)}.py`]: module,
    [`${info}/LICENSE`]: text(join(root, "LICENSE")),
    [`${info}/METADATA`]: metadata,
    [`${info}/WHEEL`]: wheelText,
  };
  const record = Object.entries(files).map(([path, content]) => {
    const digest = createHash("sha256").update(content).digest("base64url");
    return `${path},sha256=${digest},${Buffer.byteLength(content)}\n`;
  });
  return { ...files, [`${info}/RECORD`]: `${record.join("")}${info}/RECORD,,\n` };
}

async function zipped(files: Files): Promise<Uint8Array> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), { level: 9, useWebWorkers: false });
  const options = { lastModDate: new Date(time), extendedTimestamp: false, zip64: false };
  for (const [path, content] of Object.entries(files)) await zip.add(path, new TextReader(content), options);
  return await zip.close();
}

/** Writes a gzipped tar of files below one directory. */
function writeTar(file: string, directory: string, files: Files): void {
  const folder = mkdtempSync(join(tmpdir(), "formd-clients-"));
  try {
    mkdirSync(join(folder, directory));
    for (const [path, content] of Object.entries(files))
      writeFileSync(join(folder, directory, path), content);
    const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
    const compression = "--use-compress-program=gzip -9n";
    execFileSync("tar", [
      ...["--sort=name", `--mtime=${time}`, ...owner, compression],
      ...["-cf", join(dist, file), "-C", folder, directory],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
for (const client of clients) {
  const { name } = client;
  const module = text(join(source, `${moduleOf(name)}.py`));
  const readme = readmeOf(client, "python", python, module);
  const metadata = metadataOf(client, readme);
  const distribution = `${moduleOf(name)}-${pythonVersion}`;
  writeTar(`${name}-${version}.tgz`, "package", npmPackage(client));
  writeTar(`${distribution}.tar.gz`, distribution, {
    [`${moduleOf(name)}.py`]: module,
    LICENSE: text(join(root, "LICENSE")),
    "PKG-INFO": metadata,
    "README.md": readme,
    "pyproject.toml": projectOf(client),
  });
  writeFileSync(
    join(dist, `${distribution}-py3-none-any.whl`),
    await zipped(wheel(client, module, metadata)),
  );
}
