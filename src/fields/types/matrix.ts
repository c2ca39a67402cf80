/** The type `matrix`: a column, or several, per row. */
import { type } from "arktype";
import { entries, flag, nonBlank, ownMembers, valuesOf } from "../constraints.ts";
import { labelIn } from "../control-values.ts";
import { emptyPart, type FieldIssue, type FieldType, jsonType, type ValueCheck } from "../field-type.ts";
import { nearest } from "../nearest.ts";
import { firstRepeat, isEmpty, isRecord } from "../values.ts";

type Matrix = Record<string, string | string[] | null>;

const axis = entries(
  nonBlank
    .or({ id: nonBlank, "value?": "undefined", "label?": "string" })
    .or({ value: nonBlank, "id?": "undefined", "label?": "string" }),
  "non-blank texts or { id, label }",
  {
    anyOf: [
      { type: "string" },
      {
        type: "object",
        properties: { id: { type: "string" }, value: { type: "string" }, label: { type: "string" } },
        patternProperties: ownMembers,
        additionalProperties: false,
      },
    ],
  },
);

/** The columns of a row; an empty row is the same as an absent one. */
const columnsIn = (matrix: Matrix, row: string): unknown[] => {
  const cell = Object.hasOwn(matrix, row) ? matrix[row] : null;
  return isEmpty(cell) ? [] : [cell].flat();
};

/** Maximum number of rows in errors, and of characters of an unknown one. */
const maxNamedRows = 20;
const maxShownLength = 64;

const isCell = (cell: unknown): cell is string | string[] | null =>
  cell === null ||
  typeof cell === "string" ||
  (Array.isArray(cell) && cell.every((each) => typeof each === "string"));

const matrix: FieldType<Matrix> = {
  nature: "parts",
  parts: ({ rows }) => valuesOf(rows).map(String),
  toText: ({ constraints: { rows, columns } }, value) =>
    Object.entries(isRecord(value) ? value : {})
      .map(([row, cells]) => {
        const labels = [cells].flat().map((cell) => labelIn(columns, cell));
        return `${labelIn(rows, row)}: ${labels.join(", ")}`;
      })
      .join("\n"),
  hints: ({ constraints: { allRows }, required }, words) => [allRows && words.allRows(required)],
  flatSchema: () => undefined,
  ...jsonType(
    "an object of row ids, each with a column id or a list of them",
    { type: "object", additionalProperties: { type: ["string", "array"] } },
    type("Record<string, string | string[] | null>").narrow((value) => !Array.isArray(value)),
  ),
  aliases: [],
  meaning: "An object: the id of a row, and the id of its column, or a list of several.",
  example: {
    field: { rows: ["speed", "price"], columns: ["good", "fair", "bad"], allRows: true },
    value: { speed: "good", price: ["fair", "bad"] },
  },
  constraints: { rows: axis, columns: axis, allRows: flag },
  requires: ["rows", "columns"],
  checkable: true,
  // Reports cells that are neither a text nor a list of texts. The first column replaces them in `sound`.
  wrongParts: (value, issue, constraints) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const wrong = Object.entries(value).filter(([, cell]) => !isCell(cell));
    const [column = ""] = valuesOf(constraints.columns) as string[];
    const rows = Object.entries(value).map(([row, cell]) => [row, isCell(cell) ? cell : column]);
    return {
      issues: wrong
        .slice(0, maxNamedRows)
        .map(([row]) =>
          issue(
            "type_mismatch",
            "A row has the id of a column, or a list of them.",
            `rows.${row.slice(0, maxShownLength).toWellFormed()}`,
            { type: ["string", "array"] },
          ),
        ),
      sound: Object.fromEntries(rows),
    };
  },
  // Rows and columns by id. `constraint` names the row: `rows.Speed` does not exist, `columns.speed` has a
  // wrong column.
  checks: (constraints, issue) => {
    const rows = valuesOf(constraints.rows) as string[];
    const columns = valuesOf(constraints.columns) as string[];
    const knownRows = new Set(rows);
    const knownColumns = new Set<unknown>(columns);
    const unknownRow = (row: string) => {
      const shown = row.slice(0, maxShownLength).toWellFormed();
      const near = rows.length <= maxNamedRows ? nearest(row, rows) : undefined;
      const meant = near === undefined ? "." : `: is ${near} meant?`;
      return issue(
        "invalid_option",
        `There is no row ${JSON.stringify(shown)}${meant}`,
        `rows.${shown}`,
        rows,
      );
    };
    const each = (found: readonly string[], issueOf: (row: string) => FieldIssue) =>
      found.length === 0 ? undefined : found.slice(0, maxNamedRows).map(issueOf);
    const checks: ValueCheck<Matrix>[] = [
      (matrix) =>
        each(
          Object.keys(matrix).filter((row) => !knownRows.has(row)),
          unknownRow,
        ),
      (matrix) =>
        each(
          rows.filter((row) => columnsIn(matrix, row).some((column) => !knownColumns.has(column))),
          (row) =>
            issue("invalid_option", "Every row must have one of the columns.", `columns.${row}`, columns),
        ),
      (matrix) =>
        each(
          rows.filter((row) => firstRepeat(columnsIn(matrix, row)) >= 0),
          (row) => issue("duplicate_item", "A row must not repeat a column.", `uniqueItems.${row}`, true),
        ),
    ];
    if (constraints.allRows === true) {
      checks.push((matrix) => {
        const missing = rows.filter((row) => columnsIn(matrix, row).length === 0);
        if (missing.length === 0) return undefined;
        return issue("incomplete_matrix", "Every row must have a value.", "allRows", missing);
      });
    }
    return checks;
  },
  jsonSchema: ({ rows, columns, allRows = false }) => {
    const rowIds = valuesOf(rows) as string[];
    const one = { enum: valuesOf(columns) };
    const several = { type: "array", items: one, uniqueItems: true };
    const cell = allRows
      ? { anyOf: [one, { ...several, minItems: 1 }] }
      : { anyOf: [emptyPart, one, several] };
    return {
      type: "object",
      properties: Object.fromEntries(rowIds.map((row) => [row, cell])),
      ...(allRows && { required: rowIds }),
      additionalProperties: false,
      examples: [Object.fromEntries(rowIds.map((row) => [row, one.enum[0]]))],
    };
  },
  hint: "a JSON object",
};

export const matrixTypes = { matrix };
