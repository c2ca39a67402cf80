/** `formd form import`: a form of another tool as a file or a draft, with a report of what was lost. */
import { Option } from "commander";
import { limits } from "../limits.ts";
import { writeFormFile } from "../resources/forms/file.ts";
import type { ImportReport } from "../resources/forms/import/draft.ts";
import { importNames, readForeign } from "../resources/forms/import/import-file.ts";
import { report as remark, withDatabase } from "./database.ts";
import { addPlace, createDraft, type FormPlace, newDraft } from "./form-create.ts";
import { oneLine, readFileAs, writeForm } from "./form-file.ts";
import { type CliCommand, jsonOption, printable, printResult, type Settings } from "./options.ts";

type ImportOptions = FormPlace & { from: string; out?: string; create?: boolean; json?: boolean };

/** Adds the command. */
export function addImportCommand(group: CliCommand, settings: Settings): void {
  const command = group
    .command("import")
    .description("read a form of another tool, and report what was changed or left out")
    .argument("<file>", "JSON, YAML, or a workbook (.xlsx)")
    .addOption(new Option("--from <source>", "the tool").choices(importNames).default("auto"))
    .option("--out <file>", "write the form as a file to this path, instead of the output")
    .addOption(new Option("--create", "make a draft of it").conflicts("out"))
    .addOption(jsonOption)
    .action(async (path: string, { from, out, create, json, ...place }: ImportOptions) => {
      const read = (bytes: Uint8Array) => readForeign(bytes, from);
      const { file, report } = await readFileAs(path, read, limits.workbook.maxBytes);
      const lines = reportLines(report);
      if (create) {
        const { id } = await withDatabase(settings(), (sql) => createDraft(sql, file, place));
        printResult(json, { form: { id, ...newDraft }, report }, ...lines, `${id} is draft, version 0`);
        return;
      }
      const isShown = json || out !== undefined;
      if (isShown) printResult(json, { file: JSON.parse(writeFormFile(file)), report }, ...lines);
      else for (const line of lines) remark(printable(line));
      if (!json || out !== undefined) await writeForm(file, out);
    });
  addPlace(command);
}

/** A report in words: the counts, then a line per item. */
function reportLines({ source, items, ...counts }: ImportReport): string[] {
  const { fields, converted, approximated, leftOut } = counts;
  return [
    `Read as ${source}. Questions: ${fields}, converted: ${converted}, approximated: ${approximated}, left out: ${leftOut}`,
    ...items.map(({ severity, path, message }) => `${severity.replace("_", " ")}: ${path}: ${message}`),
  ].map(oneLine);
}
