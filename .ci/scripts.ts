/**
 * `bun run scripts`: writes the scripts of pages that are made of modules, the server's or a package's, into
 * directories named `generated`. A test compares; so a page never runs another engine than the server.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { licences, npmPackage } from "./components.ts";

const root = join(import.meta.dir, "..");

async function bundled(entrypoint: string) {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(root, entrypoint)],
    target: "browser",
    format: "esm",
    minify: true,
    // Packages have a form for developers too, which warns in the browser's console.
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true,
  });
  const [script] = outputs;
  if (!script || outputs.length > 1) throw new Error("a script has one file");
  return { text: await script.text(), inputs: Object.keys(metafile?.inputs ?? {}) };
}

/**
 * The reference of the API. Its package is not installed in production, since it brings 80 others of which 25
 * are in the script.
 * @returns the script, and the directories of its packages
 */
export async function referenceScript(): Promise<{ text: string; packages: string[] }> {
  const { text, inputs } = await bundled("node_modules/openapi-explorer/dist/es/openapi-explorer.js");
  const own = inputs.map((path) => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  // Bun's own form of these stands in for the global `Buffer`, which base64url reads.
  const implied = ["buffer", "base64-js", "ieee754"].map((name) => `node_modules/${name}`);
  return { text, packages: [...new Set([...own.filter((path) => path !== undefined), ...implied])].sort() };
}

/** The files, by their paths. */
export async function pageScripts(): Promise<Record<string, string>> {
  const reference = await referenceScript();
  return {
    "src/pages/ui/generated/form-conditions.js": (await bundled("src/pages/ui/form-conditions.ts")).text,
    "src/pages/ui/generated/settings-page.js": (await bundled("src/pages/ui/settings-page.ts")).text,
    "src/reference/openapi/generated/openapi-explorer.js": reference.text,
    "src/reference/openapi/generated/LICENCES.txt": `${licences(
      reference.packages.map((path) => npmPackage(join(root, path))),
    )}\n`,
  };
}

if (import.meta.main)
  for (const [path, text] of Object.entries(await pageScripts())) writeFileSync(join(root, path), text);
