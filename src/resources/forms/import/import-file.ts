/** Reads the form of another tool, or a formd file, from the bytes of a file. */
import { parseField } from "../../../fields/definition.ts";
import { isRecord } from "../../../fields/values.ts";
import { decodeBody, parseJsonText, pathText, unstorableText } from "../../../platform/http/body.ts";
import { Problem } from "../../../problem.ts";
import { storingProblems, warningsOf } from "../draft-checks.ts";
import { parseFormFile } from "../file.ts";
import { type Imported, maxReportItems, type ReportItem } from "./draft.ts";
import { importForm, importSources } from "./sources.ts";
import { shortenText } from "./text.ts";
import { readWorkbook } from "./workbook.ts";
import { xlsformSheets } from "./xlsform-rows.ts";

/** Names of {@link readForeign}'s `from`: of the sources, and of formd's own files. */
export const importNames = ["auto", "formd", ...importSources.map(([name]) => name)];

/** Content type of a workbook. */
export const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Characters of a path: names in a document may be as long as it. */
const maxPathLength = 200;

/** Checks for a workbook (`.xlsx`), which is a ZIP archive. */
export const isWorkbook = (bytes: Uint8Array): boolean =>
  [0x50, 0x4b, 3, 4].every((byte, index) => bytes[index] === byte);

/**
 * Makes a draft of a file: JSON, or a workbook.
 * @param from as of {@link importForm}, or `formd`, which `auto` recognizes
 * @throws {Problem} `invalid_body` for what is no JSON, `bad_request` for a draft that is too large, the problems of {@link importForm}, of
 * {@link parseFormFile} and of {@link readWorkbook}
 */
export async function readForeign(bytes: Uint8Array, from = "auto"): Promise<Imported> {
  const imported = await convertForeign(bytes, from);
  const [refused] = storingProblems(imported.file);
  if (refused) throw new Problem("bad_request", refused.refusal);
  return imported;
}

async function convertForeign(bytes: Uint8Array, from: string): Promise<Imported> {
  const { value, unstorable } = isWorkbook(bytes)
    ? { value: await readWorkbook(bytes, xlsformSheets), unstorable: [] }
    : parseJsonText(decodeBody(bytes));
  if (from === "formd" || (from === "auto" && isFormFile(value))) return ofFormFile(bytes);
  for (const { path } of unstorable) remove(value, path);
  const items = unstorable.slice(0, maxReportItems).map((each): ReportItem => {
    const path = shortenText(pathText(each.path), maxPathLength);
    const message = shortenText(unstorableText(each), 2 * maxPathLength);
    return { severity: "note", path, code: "not_accepted", message };
  });
  const { file, report } = importForm(value, from);
  return { file, report: { ...report, items: [...report.items, ...items] } };
}

/** Checks for a formd file, also for one without its format, which is refused with what is missing. */
const isFormFile = (value: unknown): boolean =>
  isRecord(value) &&
  ((typeof value.format === "string" && value.format.startsWith("formd/")) ||
    (isRecord(value.schema) && Array.isArray(value.schema.fields)));

function ofFormFile(bytes: Uint8Array): Imported {
  const file = parseFormFile(bytes);
  const fields = file.schema.fields.filter((field) => parseField(field).fieldType.nature !== "none").length;
  const items = warningsOf(file).map(
    ({ path, message }): ReportItem => ({ severity: "note", path, code: "not_accepted", message }),
  );
  return { file, report: { source: "formd", fields, converted: fields, approximated: 0, leftOut: 0, items } };
}

/** Replaces a value in a document by null. */
function remove(document: unknown, path: readonly (string | number)[]): void {
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], document);
  (holder as Record<string, unknown>)[path.at(-1) ?? ""] = null;
}
