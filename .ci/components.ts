/**
 * Parts of an executable that others have written: the packages that the bundler has put in, PostgreSQL and
 * its libraries, dbmate and its modules, Bun. Both lists about them, the licences and the materials, are made
 * of these, so that neither names a part that the other does not know.
 *
 * A text that no package carries is a file of .ci/licences. A part without a text fails the build.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Component {
  name: string;
  /** Undefined where the part does not say it. */
  version?: string;
  /** An expression of SPDX. */
  licence: string;
  purl: string;
  /** The licence, with the copyright where the text has a place for it. */
  text: string;
}

const texts = join(import.meta.dir, "licences");

function textIn(name: string): string {
  const path = join(texts, `${name}.txt`);
  if (!existsSync(path)) throw new Error(`.ci/licences has no ${name}.txt`);
  return readFileSync(path, "utf8").trim();
}

/** The text of a licence by its name, for a part that has no file of its own. */
const generalText = (licence: string, copyright: string) =>
  [`Copyright (c) ${copyright}`, ...licence.split(/ (?:AND|OR) /).map(textIn)].join("\n\n");

/** A package of npm. @param directory has its package.json */
export function npmPackage(directory: string): Component {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(directory, "package.json"), "utf8"),
  );
  if (typeof license !== "string") throw new Error(`${name} declares no licence`);
  const files = readdirSync(directory)
    .filter((file) => /^(licen[cs]e|copying|notice|copyright)/i.test(file))
    .sort();
  const text = files.some((file) => /^(licen[cs]e|copying)/i.test(file))
    ? files.map((file) => readFileSync(join(directory, file), "utf8").trim()).join("\n\n")
    : generalText(license, author?.name ?? author ?? `the authors of ${name}`);
  return { name, version, licence: license, purl: purlOf("npm", name, version), text };
}

/**
 * The packages of files that are bundled, and those that are a part of such a file: a script that `bun run
 * scripts` has generated lies beside the licences of its packages.
 * @param inputs paths of the bundler's metafile
 */
export function npmPackages(inputs: string[]): Component[] {
  const directories = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const lists = inputs.flatMap((path) => /^.*\/generated\//.exec(path)?.[0] ?? []);
  return [
    ...[...new Set(directories)].map(npmPackage),
    ...[...new Set(lists)]
      .map((directory) => join(directory, "LICENCES.txt"))
      .filter((path) => existsSync(path))
      .flatMap((path) => readFileSync(path, "utf8").split(/^-{78}$/m))
      .flatMap(generatedEntry),
  ];
}

/** An entry of a LICENCES.txt: names, versions and licences of packages, a blank line, their text. */
function generatedEntry(entry: string): Component[] {
  const [, heads = "", text = ""] = /^\s*((?:\S+ \S+ \(.+\)\n)+)\n([\s\S]+)$/.exec(entry) ?? [];
  if (!text) throw new Error(`no entry of a list of licences: ${entry.slice(0, 80)}`);
  return [...heads.matchAll(/^(\S+) (\S+) \((.+)\)$/gm)].map(([, name = "", version = "", licence = ""]) => ({
    name,
    version,
    licence,
    purl: purlOf("npm", name, version),
    text: text.trim(),
  }));
}

interface Library {
  name: string;
  licence: string;
  /** Name in .ci/licences. */
  text: string;
  /** The files of npm's package that are built from it. */
  files: RegExp;
  /** Looked for in the names and contents of these files; the first group is the version. */
  version?: RegExp;
}

const libraries: Library[] = [
  {
    name: "postgresql",
    licence: "PostgreSQL",
    text: "postgresql",
    files: /^(?:bin|share)\/|^lib\/postgresql\/|^lib\/libpq\./,
    version: /postgres \(PostgreSQL\) (\d+(?:\.\d+)+)/,
  },
  {
    name: "openssl",
    licence: "OpenSSL",
    text: "openssl-1",
    files: /^lib\/lib(?:crypto|ssl)\.so\.1\./,
    version: /OpenSSL (1\.\d+\.\d+\w*)/,
  },
  {
    name: "openssl",
    licence: "Apache-2.0",
    text: "Apache-2.0",
    files: /^lib\/lib(?:crypto|ssl)\.(?!so\.1)/,
    version: /OpenSSL (3\.\d+\.\d+)/,
  },
  {
    name: "icu",
    licence: "Unicode-DFS-2016 AND Unicode-3.0",
    text: "icu",
    files: /^lib\/libicu/,
    version: /libicudata\.(?:so\.)?(\d+\.\d+)/,
  },
  {
    name: "libxml2",
    licence: "MIT",
    text: "libxml2",
    files: /^lib\/libxml2\./,
    version: /(?<![\w.])(2(?:09|1\d)\d\d)\0/,
  },
  {
    name: "zlib",
    licence: "Zlib",
    text: "zlib",
    files: /^lib\/libz\./,
    version: /deflate (\d+(?:\.\d+)+) Copyright/,
  },
  {
    name: "xz",
    licence: "LicenseRef-public-domain",
    text: "liblzma",
    files: /^lib\/liblzma\./,
    version: /\0(5\.\d+\.\d+)\0/,
  },
  {
    name: "lz4",
    licence: "BSD-2-Clause",
    text: "lz4",
    files: /^lib\/liblz4\./,
    version: /liblz4\.(\d+\.\d+\.\d+)/,
  },
  {
    name: "zstd",
    licence: "BSD-3-Clause",
    text: "zstd",
    files: /^lib\/libzstd\./,
    version: /libzstd\.(\d+\.\d+\.\d+)/,
  },
  {
    name: "krb5",
    licence: "MIT",
    text: "krb5",
    files: /^lib\/lib(?:krb5|krb5support|k5crypto|gssapi_krb5|com_err)\./,
  },
  { name: "libiconv", licence: "LGPL-2.1-or-later", text: "libiconv", files: /^lib\/libiconv\./ },
];

/** PostgreSQL and the libraries in its package. @param files by their paths; links have no contents */
export function postgresParts(files: { path: string; contents?: Buffer }[]): Component[] {
  const unknown = files.find(({ path }) => !libraries.some((library) => library.files.test(path)));
  if (unknown) throw new Error(`no licence is known of ${unknown.path}: .ci/components.ts lists libraries`);
  return libraries.flatMap(({ name, licence, text, files: own, version: pattern }) => {
    const found = files.filter(({ path }) => own.test(path));
    if (found.length === 0) return [];
    const version =
      pattern &&
      found.reduce<string | undefined>(
        (known, { path, contents }) =>
          known ?? (pattern.exec(path) ?? pattern.exec(contents?.toString("latin1") ?? ""))?.[1],
        undefined,
      );
    if (pattern && !version) throw new Error(`${name} does not say its version`);
    const dotted = version?.replace(/^(\d)(\d\d)(\d\d)$/, (_, ...parts) =>
      parts.slice(0, 3).map(Number).join("."),
    );
    return [
      {
        name,
        ...(dotted && { version: dotted }),
        licence,
        purl: purlOf("generic", name, dotted),
        text: textIn(text),
      },
    ];
  });
}

/** dbmate's modules and Go's library, which Go writes into a program that it builds. */
export function goModules(program: Buffer): Component[] {
  const [, go] = /\bgo(1\.\d+(?:\.\d+)?)\b/.exec(program.toString("latin1")) ?? [];
  const [info] = /path\t\S+\nmod\t.*\n(?:(?:dep|=>)\t.*\n)+/.exec(program.toString("latin1")) ?? [];
  if (!go || !info) throw new Error("dbmate does not say what it is built of");
  const listed = info.split("\n").filter((line) => line.startsWith("dep\t"));
  const modules = listed.map((line) => line.split("\t").slice(1, 3));
  const rows = textIn("go-modules")
    .split("\n")
    .map((row) => row.split("\t"));
  return [["stdlib", go], ...modules].map(([name = "", version = ""]) => {
    const [row] = rows
      .filter(([beginning = "#"]) => name.startsWith(beginning))
      .sort(([a = ""], [b = ""]) => b.length - a.length);
    const [, licence, copyright] = row ?? [];
    if (!licence || !copyright) throw new Error(`.ci/licences/go-modules.txt has no row for ${name}`);
    // The text of Apache has no place for a copyright.
    const text = licence === "Apache-2.0" ? textIn(licence) : generalText(licence, copyright);
    return { name, version, licence, purl: purlOf("golang", name, version), text };
  });
}

/** The runtime. */
export const runtimeParts = (): Component[] => [
  {
    name: "bun",
    version: Bun.version,
    licence: "MIT",
    purl: purlOf("npm", "bun", Bun.version),
    text: textIn("bun"),
  },
  {
    name: "JavaScriptCore",
    version: process.versions.webkit as string,
    licence: "LGPL-2.0-or-later",
    purl: purlOf("github", "oven-sh/WebKit", process.versions.webkit),
    text: textIn("javascriptcore"),
  },
];

const purlOf = (type: string, name: string, version?: string) =>
  `pkg:${type}/${name.replace("@", "%40")}${version ? `@${version.replaceAll("+", "%2B")}` : ""}`;

/** Each component once, by name. */
export const distinct = (components: Component[]): Component[] =>
  [...new Map(components.map((component) => [component.purl, component])).values()].sort((a, b) =>
    a.purl < b.purl ? -1 : 1,
  );

const rule = `\n\n${"-".repeat(78)}\n\n`;

/** Each licence text once, below the parts that have it. */
export function licences(components: Component[]): string {
  const plain = (text: string) => text.replace(/\r\n?/g, "\n").replaceAll("\f", "").trim();
  const headline = ({ name, version, licence }: Component) =>
    [name, version, `(${licence})`].filter(Boolean).join(" ");
  return [...Map.groupBy(components, ({ text }) => plain(text))]
    .map(([text, parts]) => `${parts.map(headline).join("\n")}\n\n${text}`)
    .join(rule);
}

/** THIRD-PARTY-NOTICES.txt. */
export const notices = (components: Component[]) =>
  `formd contains the following parts. A licence stands below the parts that are under it.${rule}${licences(components)}`;

/** Materials of an executable, as CycloneDX 1.6. */
export const materials = (
  formd: { name: string; version: string; license: string },
  components: Component[],
) => ({
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: {
    component: {
      type: "application",
      name: formd.name,
      version: formd.version,
      licenses: [{ expression: formd.license }],
    },
  },
  components: components.map(({ name, version, licence, purl }) => ({
    type: "library",
    "bom-ref": purl,
    name,
    version,
    licenses: [{ expression: licence }],
    purl,
  })),
});
