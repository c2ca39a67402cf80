import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  distinct,
  goModules,
  materials,
  notices,
  npmPackage,
  npmPackages,
  postgresParts,
} from "../../.ci/components.ts";
import { root, temporaryFolder } from "../setup.ts";

/** A package of npm with these files. */
function packageWith(manifest: object, files: Record<string, string> = {}): string {
  const directory = join(temporaryFolder(), "node_modules/thing");
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries({ "package.json": JSON.stringify(manifest), ...files }))
    writeFileSync(join(directory, name), text);
  return directory;
}

const thing = { name: "thing", version: "1.2.3", license: "Apache-2.0" };

describe("a part of the executable", () => {
  test("has the text of its licence file, and its notice", () => {
    const directory = packageWith(thing, {
      LICENSE: "the licence\n",
      NOTICE: "the notice",
      "readme.md": "no",
    });
    expect(npmPackage(directory)).toEqual({
      name: "thing",
      version: "1.2.3",
      licence: "Apache-2.0",
      purl: "pkg:npm/thing@1.2.3",
      text: "the licence\n\nthe notice",
    });
  });

  test("without a licence file has the text of the licence that it declares, with its author", () => {
    const { text } = npmPackage(packageWith({ ...thing, license: "MIT", author: { name: "Ada" } }));
    expect(text).toMatch(/^Copyright \(c\) Ada\n\nPermission is hereby granted/);
  });

  test.each([
    ["whose declared licence has no text", { ...thing, license: "GPL-9.0" }, "no GPL-9.0.txt"],
    ["that declares no licence", { name: "thing", version: "1.2.3" }, "declares no licence"],
  ])("%s stops the build", (_, manifest, message) => {
    expect(() => npmPackage(packageWith(manifest))).toThrow(message);
  });

  test("is a package once for all its files, and each package of a generated script", () => {
    const generated = join(root, "src/reference/openapi/generated/openapi-explorer.js");
    const directory = packageWith(thing, { LICENSE: "the licence" });
    const found = npmPackages([`${directory}/a.js`, `${directory}/b/c.js`, generated, `${root}/src/main.ts`]);
    expect(found.filter(({ name }) => name === "thing")).toHaveLength(1);
    const explorer = found.find(({ name }) => name === "openapi-explorer");
    expect(explorer).toMatchObject({
      licence: "Apache-2.0",
      text: expect.stringMatching(/^\s*Apache License/),
    });
    expect(found.map(({ name }) => name)).toContain("lit-html");
  });

  test("of PostgreSQL has the version that is in its files", () => {
    const parts = postgresParts([
      { path: "bin/postgres", contents: Buffer.from("\0postgres (PostgreSQL) 18.4\n\0") },
      { path: "lib/libicudata.so.60.2", contents: Buffer.from("data") },
      { path: "lib/libicudata.so" },
      { path: "lib/libxml2.so.2", contents: Buffer.from("\xf5\xff20904\0", "latin1") },
      { path: "lib/libssl.3.dylib", contents: Buffer.from("OpenSSL 3.5.6 7 Apr 2026") },
    ]);
    expect(parts.map(({ purl, licence }) => [purl, licence])).toEqual([
      ["pkg:generic/postgresql@18.4", "PostgreSQL"],
      ["pkg:generic/openssl@3.5.6", "Apache-2.0"],
      ["pkg:generic/icu@60.2", "Unicode-DFS-2016 AND Unicode-3.0"],
      ["pkg:generic/libxml2@2.9.4", "MIT"],
    ]);
  });

  test("of PostgreSQL that is not known, or has no version, stops the build", () => {
    expect(() => postgresParts([{ path: "lib/libnew.so.1", contents: Buffer.from("") }])).toThrow(
      "libnew.so.1",
    );
    expect(() => postgresParts([{ path: "lib/libz.so.1", contents: Buffer.from("") }])).toThrow("zlib");
  });

  test("of dbmate is a module that Go has written into it", () => {
    const program = (module: string) =>
      Buffer.from(
        `\0go1.23.2\0path\tgithub.com/amacneil/dbmate/v2\nmod\tgithub.com/amacneil/dbmate/v2\t(devel)\t\ndep\t${module}\tv1.10.9+incompatible\th1:x=\n`,
      );
    expect(goModules(program("github.com/lib/pq")).map(({ purl }) => purl)).toEqual([
      "pkg:golang/stdlib@1.23.2",
      "pkg:golang/github.com/lib/pq@v1.10.9%2Bincompatible",
    ]);
    expect(() => goModules(program("example.org/new"))).toThrow("no row for example.org/new");
    expect(() => goModules(Buffer.from("stripped"))).toThrow("does not say");
  });

  test("stands above its text, which parts share, and in the materials once", () => {
    const text = "one text\r\n";
    const parts = distinct([
      { name: "b", version: "2", licence: "MIT", purl: "pkg:npm/b@2", text },
      { name: "a", licence: "MIT", purl: "pkg:generic/a", text: "one text" },
      { name: "b", version: "2", licence: "MIT", purl: "pkg:npm/b@2", text },
    ]);
    expect(notices(parts)).toEndWith("\n\na (MIT)\nb 2 (MIT)\n\none text");
    expect(materials({ name: "formd", version: "1.0.0", license: "Apache-2.0" }, parts)).toMatchObject({
      bomFormat: "CycloneDX",
      components: [{ purl: "pkg:generic/a" }, { purl: "pkg:npm/b@2", licenses: [{ expression: "MIT" }] }],
    });
  });
});
