/** `formd schema`: the database as a reference page. */
import type { Command } from "commander";
import { readReference, referenceMarkdown } from "../reference/guide/reference.ts";
import { withDatabase } from "./database.ts";
import { jsonOption, printResult, type Settings } from "./options.ts";

export function schemaCommand(root: Command, settings: Settings): void {
  root
    .command("schema")
    .description("the database as a reference page (Markdown): tables, functions, rights")
    .addOption(jsonOption)
    .action(async ({ json }: { json?: boolean }) => {
      const reference = await withDatabase(settings(), readReference);
      printResult(json, reference, referenceMarkdown(reference).trimEnd());
    });
}
