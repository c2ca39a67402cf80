/** A form's submissions as CSV: by the ids of the API, or with the columns of the workbook, for people. */
import { parseField } from "../../fields/definition.ts";
import type { FieldKind } from "../../fields/types.ts";
import { encodeText, type Parts } from "../../platform/http/stream.ts";
import type { ReportColumn } from "./report-view.ts";
import { type SpreadsheetForm, type SpreadsheetOptions, sheetsOf, submissionsIn } from "./spreadsheet.ts";

export interface CsvOptions {
  /** True if it begins with a byte order mark: without it Excel expects another encoding. */
  bom?: boolean | undefined;
  /**
   * Between the cells; `,` if absent. Excel expects the list separator of its language: where that is `;`,
   * the comma is the decimal sign.
   */
  separator?: "," | ";" | undefined;
}

const metaColumns = [
  "id",
  "status",
  "formVersion",
  "submitterType",
  "submitterId",
  "respondentId",
  "provenance",
  "declaredAgent",
  "createdAt",
  "updatedAt",
];

/** The cells of a line, with the decimal sign of the separator's languages. */
export const csvLine = (cells: readonly string[], separator: string) => `${cells.join(separator)}\r\n`;
const decimalOf = (separator: string) => (separator === ";" ? "," : ".");

/**
 * A CSV with the columns of both sheets of the workbook, in the language of the reader.
 * @param found the submissions as lines of JSON, newest first
 */
export async function* csvOf(
  form: SpreadsheetForm,
  found: Parts,
  options: SpreadsheetOptions,
  { bom = false, separator = "," }: CsvOptions,
): Parts {
  const decimal = decimalOf(separator);
  const { answers, facts } = sheetsOf(form, { ...options, isText: true });
  const columns = [...answers, ...facts];
  const headers = columns.map(({ header }) => csvCell(header, decimal));
  yield encodeText((bom ? "\ufeff" : "") + csvLine(headers, separator));
  for await (const submission of submissionsIn(found)) {
    const cells = columns.map(({ cell, kind }) => csvCell(cell(submission), decimal, kind));
    yield encodeText(csvLine(cells, separator));
  }
}

export function csvWriter(columns: ReportColumn[], { bom = false, separator = "," }: CsvOptions) {
  const fields = columns.map(({ field }) => parseField(field));
  const decimal = decimalOf(separator);
  const toLine = (json: string) => {
    const cells: unknown[] = JSON.parse(json);
    const data = cells.pop() as Record<string, unknown>;
    const answers = fields.map((field) =>
      Object.hasOwn(data, field.id) ? csvCell(data[field.id], decimal, field.kind) : "",
    );
    return csvLine([...cells.map((cell) => csvCell(cell, decimal)), ...answers], separator);
  };
  const titles = [...metaColumns, ...columns.map(({ title }) => title)];
  return {
    start:
      (bom ? "\ufeff" : "") +
      csvLine(
        titles.map((title) => csvCell(title, decimal)),
        separator,
      ),
    write: (lines: string) => lines.trimEnd().split("\n").map(toLine).join(""),
  };
}

/**
 * Text that a spreadsheet would run as a formula is prefixed with an apostrophe (OWASP, "CSV Injection";
 * full-width signs count in Japanese). So is such text after a line break, and after a semicolon or a tab,
 * which separate cells for a spreadsheet of another locale even within quotation marks.
 */
const formulaStart = /(^|[;\t\r\n])(?=[=+\-@|%＝＋－＠])/g;
const guardedStart = /(^|[;\t\r\n])'(?=[=+\-@|%＝＋－＠])/g;

/** A text without formulas, and the text of such a cell. */
export const withGuards = (text: string): string => text.replace(formulaStart, "$1'");
export const withoutGuards = (text: string): string => text.replace(guardedStart, "$1");

/** Digits and the signs between them that a valid phone number has: no formula that does anything. */
const phoneNumber = /^[+＋]?[\p{Nd}\p{Zs}\p{Pd}()（）./．／]*$/u;

/** A cell of RFC 4180: a number stays a number; arrays and objects are JSON. @param kind of the field */
export function csvCell(value: unknown, decimal: "." | ",", kind?: FieldKind): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value).replace(".", decimal);
  if (typeof value === "boolean") return String(value);
  const raw = typeof value === "string" ? value : JSON.stringify(value);
  const text = kind === "phone" && phoneNumber.test(raw) ? raw : withGuards(raw);
  return /[",;\t\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
