/**
 * `bun run scripts`: writes the scripts of pages that are made of modules of the server, into
 * src/pages/ui/generated. A test compares; so a page never runs another engine than the server.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const ui = join(import.meta.dir, "../src/pages/ui");

/** The files, by their names in the directory. */
export async function pageScripts(): Promise<Record<string, string>> {
  const { outputs } = await Bun.build({
    entrypoints: [join(ui, "form-conditions.ts")],
    target: "browser",
    format: "esm",
    minify: true,
  });
  const [script] = outputs;
  if (!script || outputs.length > 1) throw new Error("a script has one file");
  return { "form-conditions.js": await script.text() };
}

if (import.meta.main)
  for (const [name, text] of Object.entries(await pageScripts()))
    writeFileSync(join(ui, "generated", name), text);
