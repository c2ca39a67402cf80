/** `formd schema`: the database as a reference page. */
import { readReference, referenceMarkdown } from "../reference/guide/reference.ts";
import { withDatabase } from "./database.ts";
import type { CliCommand, Settings } from "./options.ts";

export function schemaCommand(root: CliCommand, settings: Settings): void {
  root
    .command("schema")
    .description("the database as a reference page (Markdown): tables, functions, rights")
    .prints(async () => {
      const reference = await withDatabase(settings(), readReference);
      return [reference, referenceMarkdown(reference).trimEnd()];
    });
}
