/** A form's submissions as an Excel workbook (ECMA-376), for people: a question is a column. */
import { valuesOf } from "../../fields/constraints.ts";
import { choicesOf } from "../../fields/control-values.ts";
import { type Field, parseField } from "../../fields/definition.ts";
import { valueText } from "../../fields/entered.ts";
import type { ValueWords } from "../../fields/presentation.ts";
import type { Parts } from "../../platform/http/stream.ts";

export interface SpreadsheetOptions {
  /** A choice is shown as its label, or as its value. */
  values: "labels" | "ids";
  /** Several choices are one cell, or a column per option. */
  choices: "cell" | "columns";
}

type Cell = string | number | boolean | Date | null;
type Data = Record<string, unknown>;

interface Column {
  header: string;
  numFmt?: string;
  cell: (data: Data) => Cell;
}

/** Maximum length of a cell. Excel reports a longer one as damage of the file. */
const maxCellLength = 32_767;
/** The earliest day in Excel. */
const firstDayMs = Date.UTC(1900, 2, 1);
const dayFormat = "yyyy-mm-dd";
const momentFormat = "yyyy-mm-dd hh:mm:ss";

const words: ValueWords = { lang: "en", yes: "Yes", no: "No" };

const textCell = (text: string): string =>
  text.length > maxCellLength ? `${text.slice(0, maxCellLength - 1)}…` : text;

/** An instant in UTC: Excel shows it without a zone. */
function momentCell(text: string): Cell {
  const ms = Date.parse(text);
  return ms >= firstDayMs ? new Date(ms) : text;
}

/** The value without labels or translated words. */
const plainText = (value: unknown): string =>
  Array.isArray(value) && value.every((each) => typeof each !== "object")
    ? value.join(", ")
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

function cellOf(field: Field, value: unknown, { values }: SpreadsheetOptions): Cell {
  if (value === undefined || value === null) return null;
  const hasLabel = values === "labels" && field.constraints.options !== undefined;
  if ((typeof value === "number" || typeof value === "boolean") && !hasLabel) return value;
  if (typeof value === "string" && (field.kind === "date" || field.kind === "datetime"))
    return momentCell(value);
  const text = values === "labels" ? valueText(field, value, words).replaceAll("\n", ", ") : plainText(value);
  return textCell(text);
}

/** The columns of a field. An option's column is true if it was chosen; the last has other choices. */
function columnsOf(field: Field, header: string, options: SpreadsheetOptions): Column[] {
  const answerOf = (data: Data) => (Object.hasOwn(data, field.id) ? data[field.id] : undefined);
  if (options.choices === "columns" && field.fieldType.nature === "choices" && field.kind !== "ranking") {
    const known = valuesOf(field.constraints.options);
    const choices = choicesOf(field.constraints.options);
    const chosen = (data: Data): unknown[] => [answerOf(data) ?? []].flat();
    return [
      ...choices.map(({ label }, index) => ({
        header: `${header}: ${options.values === "labels" ? label : known[index]}`,
        cell: (data: Data) => chosen(data).some((each) => each === known[index]) || null,
      })),
      {
        header: `${header}: other`,
        cell: (data: Data) =>
          textCell(plainText(chosen(data).filter((value) => !known.includes(value as never)))) || null,
      },
    ];
  }
  const format = field.kind === "date" ? dayFormat : field.kind === "datetime" ? momentFormat : undefined;
  return [
    { header, ...(format && { numFmt: format }), cell: (data) => cellOf(field, answerOf(data), options) },
  ];
}

/** Headers of the properties of a submission, in the order of their cells. */
const factHeaders = [
  "Id",
  "Status",
  "Version",
  "Sender",
  "Sender id",
  "Respondent id",
  "Provenance",
  "Declared agent",
  "Received (UTC)",
  "Changed (UTC)",
];

/** The header of a field is its label. Fields with the same label also have their id. */
function headersOf(fields: readonly Field[]): string[] {
  const labels = fields.map(({ label, id }) => label || id);
  return labels.map((label, index) =>
    labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} (${fields[index]?.id})`,
  );
}

export async function* csvLines(parts: Parts): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of parts) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/**
 * Writes a workbook. The first loads the library: few processes write any. @param definitions of all versions
 * @param parts lines of JSON: arrays of formd's cells, and the data as the last one
 */
export async function* spreadsheetOf(
  definitions: readonly Record<string, unknown>[],
  parts: Parts,
  options: SpreadsheetOptions,
): Parts {
  const fields = definitions.map(parseField).filter(({ fieldType }) => fieldType.nature !== "none");
  const headers = headersOf(fields);
  const columns = fields.flatMap((field, index) => columnsOf(field, headers[index] ?? "", options));
  const facts = factHeaders.map((header) => ({
    header,
    ...(header.endsWith("(UTC)") && { numFmt: momentFormat }),
  }));
  async function* rows() {
    for await (const line of csvLines(parts)) {
      const cells: (string | number | null)[] = JSON.parse(line);
      const data = cells.pop() as unknown as Data;
      const known = cells.map((cell, index) =>
        factHeaders[index]?.endsWith("(UTC)") ? new Date(cell as string) : cell,
      );
      yield [...columns.map(({ cell }) => cell(data)), ...known];
    }
  }
  const { writeXlsxStream } = await import("hucre/xlsx");
  const workbook = writeXlsxStream(rows(), {
    name: "Submissions",
    columns: [...columns.map(({ cell: _, ...column }) => column), ...facts],
    freezePane: { rows: 1 },
  });
  for await (const bytes of workbook) yield new Uint8Array(bytes);
}
