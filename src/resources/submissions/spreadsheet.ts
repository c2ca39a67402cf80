/** A form's submissions as an Excel workbook, for people: a question is a column. */
import { valuesOf } from "../../fields/constraints.ts";
import { choicesOf, labelIn } from "../../fields/control-values.ts";
import { type Field, parseField } from "../../fields/definition.ts";
import { valueText } from "../../fields/entered.ts";
import { localOf } from "../../fields/time-zones.ts";
import type { FieldKind } from "../../fields/types.ts";
import type { Parts } from "../../platform/http/stream.ts";
import { copyTexts } from "../mails/text.ts";
import { referenceOf } from "../submit/reference.ts";
import { factsEnglish, factsGerman, stateOfSubmission } from "./fact-words.ts";
import { type FormerField, withFormerOptions } from "./former-options.ts";
import type { toSubmission } from "./shapes.ts";
import { maxSheetColumns, type Serial, serialOf, type WorkbookCell, workbookOf } from "./workbook.ts";

export interface SpreadsheetOptions {
  /** A choice is shown as its label, or as its value. */
  values: "labels" | "ids";
  /** Several choices are one cell, or a column per option. */
  choices: "cell" | "columns";
  /** The language of the words that are not the form's. */
  wordsLang: "en" | "de";
}

type Data = Record<string, unknown>;
/** A submission as the API shows it. */
type Submission = Omit<ReturnType<typeof toSubmission>, "createdAt" | "updatedAt"> &
  Record<"createdAt" | "updatedAt", string>;

interface Column<Row> {
  header: string;
  /** Kind of the field, if the column has the values of one. */
  kind?: FieldKind | undefined;
  cell: (row: Row) => WorkbookCell;
}

const words = {
  en: {
    ...factsEnglish,
    answers: "Submissions",
    facts: "Details",
    other: "other",
    reference: "Reference",
    id: "Id",
    status: "Status",
    version: "Version",
    sender: "Sender",
    senderId: "Sender id",
    respondent: "Respondent id",
    provenance: "Provenance",
    declaredAgent: "Declared agent",
    received: "Received",
    changed: "Changed",
  },
  de: {
    ...factsGerman,
    answers: "Einsendungen",
    facts: "Details",
    other: "Andere",
    reference: "Vorgangsnummer",
    id: "Id",
    status: "Status",
    version: "Version",
    sender: "Absender",
    senderId: "Id des Absenders",
    respondent: "Id der Person",
    provenance: "Herkunft",
    declaredAgent: "Signatur von",
    received: "Eingegangen",
    changed: "Geändert",
  },
};

interface Setting extends SpreadsheetOptions {
  /** Time zone (IANA) of the moments. */
  zone: string;
  /** True for a file whose cells are texts and numbers only: days and moments are written out. */
  isText?: boolean;
}

/** A moment in the zone of the form; as entered if Excel has no such time. */
function momentCell(text: string, { zone, isText }: Setting): string | Serial {
  const local = localOf(text, zone);
  if (local === undefined) return text;
  if (isText) return local.slice(0, 19).replace("T", " ");
  const ms = Date.parse(text) - Math.floor(Date.parse(text) / 1000) * 1000;
  return serialOf(Date.parse(`${local}Z`) + ms, "moment") ?? text;
}

/** The value without labels or translated words. */
const plainText = (value: unknown): string =>
  Array.isArray(value) && value.every((each) => typeof each !== "object")
    ? value.join(", ")
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

const isListOfOptions = ({ fieldType, kind }: Field): boolean =>
  fieldType.nature === "choices" && kind !== "ranking";

function cellOf(field: Field, value: unknown, setting: Setting): WorkbookCell {
  if (value === undefined || value === null) return null;
  const hasLabel = setting.values === "labels" && field.constraints.options !== undefined;
  if (typeof value === "number" && !hasLabel) return value;
  if (typeof value === "boolean" && !hasLabel && !setting.isText) return value;
  if (typeof value === "string" && field.kind === "date")
    return setting.isText ? value : (serialOf(Date.parse(`${value}T00:00:00Z`), "day") ?? value);
  if (typeof value === "string" && field.kind === "datetime") return momentCell(value, setting);
  if (setting.values === "ids") return plainText(value);
  if (isListOfOptions(field) && Array.isArray(value))
    return value.map((each) => labelIn(field.constraints.options, each)).join(", ");
  return valueText(field, value, copyTexts[setting.wordsLang]);
}

/** The columns of a field. An option's column is true if it was chosen; the last has other choices. */
function columnsOf(field: Field, header: string, setting: Setting): Column<Data>[] {
  const answerOf = (data: Data) => (Object.hasOwn(data, field.id) ? data[field.id] : undefined);
  if (setting.choices === "columns" && isListOfOptions(field)) {
    const known = valuesOf(field.constraints.options);
    const choices = choicesOf(field.constraints.options);
    const isChosen = setting.isText ? copyTexts[setting.wordsLang].yes : true;
    const chosen = (data: Data): unknown[] => [answerOf(data) ?? []].flat();
    return [
      ...choices.map(({ label }, index) => ({
        header: `${header}: ${setting.values === "labels" ? label : known[index]}`,
        cell: (data: Data) => (chosen(data).some((each) => each === known[index]) ? isChosen : null),
      })),
      {
        header: `${header}: ${words[setting.wordsLang].other}`,
        cell: (data: Data) =>
          plainText(chosen(data).filter((value) => !known.includes(value as never))) || null,
      },
    ];
  }
  return [
    {
      header: field.kind === "datetime" ? `${header} (${setting.zone})` : header,
      cell: (data) => cellOf(field, answerOf(data), setting),
    },
  ];
}

function factColumns(setting: Setting): Column<Submission>[] {
  const text = words[setting.wordsLang];
  return [
    { header: text.id, cell: ({ id }) => id },
    { header: text.reference, cell: ({ id }) => referenceOf(id) },
    {
      header: text.status,
      cell: ({ status, review }) => text.states[stateOfSubmission[review?.decision ?? status]],
    },
    { header: text.version, cell: ({ formVersion }) => formVersion },
    { header: text.provenance, cell: ({ provenance }) => text.provenances[provenance] },
    { header: text.sender, cell: ({ submitter }) => text.submitters[submitter.type] },
    { header: text.senderId, cell: ({ submitter }) => submitter.id },
    { header: text.respondent, cell: ({ respondentId }) => respondentId },
    { header: text.declaredAgent, cell: ({ declaredAgent }) => declaredAgent },
    { header: `${text.received} (${setting.zone})`, cell: (row) => momentCell(row.createdAt, setting) },
    { header: `${text.changed} (${setting.zone})`, cell: (row) => momentCell(row.updatedAt, setting) },
  ];
}

/** The header of a field is its label. Fields with the same label also have their id. */
function headersOf(fields: readonly Field[], others: readonly string[]): string[] {
  const labels = fields.map(({ label, id }) => label || id);
  const all = [...labels, ...others];
  return labels.map((label, index) =>
    all.indexOf(label) === all.lastIndexOf(label) ? label : `${label} (${fields[index]?.id})`,
  );
}

export async function* linesOf(parts: Parts): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of parts) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

export async function* submissionsIn(parts: Parts): AsyncGenerator<Submission> {
  for await (const line of linesOf(parts)) yield JSON.parse(line);
}

/** A form, as its workbook shows it. */
export interface SpreadsheetForm {
  /** Definitions of all versions. */
  fields: readonly Record<string, unknown>[];
  former: readonly FormerField[];
  timeZone: string | null;
}

/** The columns of both sheets. Several choices are one cell where they would be too many columns. */
export function sheetsOf(
  form: SpreadsheetForm,
  options: SpreadsheetOptions & Pick<Setting, "isText">,
): Record<"answers" | "facts", Column<Submission>[]> {
  const setting: Setting = { ...options, zone: form.timeZone ?? "UTC" };
  const fields = withFormerOptions(form.fields.map(parseField), form.former).filter(
    ({ fieldType }) => fieldType.nature !== "none",
  );
  const headers = headersOf(fields, [words[options.wordsLang].id]);
  const answersIn = (choices: SpreadsheetOptions["choices"]) =>
    fields.flatMap((field, index) =>
      columnsOf(field, headers[index] ?? "", { ...setting, choices }).map(({ header, cell }) => ({
        header,
        kind: field.kind,
        cell: ({ data }: Submission) => cell(data),
      })),
    );
  const wide = answersIn(options.choices);
  return {
    answers: wide.length < maxSheetColumns ? wide : answersIn("cell"),
    facts: factColumns(setting),
  };
}

/**
 * A workbook: values on the first sheet, and the properties that formd adds on the second, by the id of the
 * submission.
 * @param found the submissions as lines of JSON, newest first
 * @param readAgain reads them for the second sheet
 */
export function spreadsheetOf(
  form: SpreadsheetForm,
  found: Parts,
  readAgain: () => Promise<Parts>,
  options: SpreadsheetOptions,
): Parts {
  const names = words[options.wordsLang];
  const { answers, facts } = sheetsOf(form, options);
  let newest: string | undefined;
  async function* rows(columns: readonly Column<Submission>[], read: () => Parts | Promise<Parts>) {
    for await (const submission of submissionsIn(await read())) {
      newest ??= submission.id;
      // A submission that came between the reads of the two sheets is in neither.
      if (submission.id <= newest) yield columns.map(({ cell }) => cell(submission));
    }
  }
  const sheet = (name: string, columns: Column<Submission>[], read: () => Parts | Promise<Parts>) => ({
    name,
    headers: columns.map(({ header }) => header),
    rows: rows(columns, read),
  });
  const id: Column<Submission> = { header: names.id, cell: (row) => row.id };
  return workbookOf([
    sheet(names.answers, [...answers, id], () => found),
    sheet(names.facts, facts, readAgain),
  ]);
}
