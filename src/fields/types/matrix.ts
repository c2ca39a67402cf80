/** The type `matrix`: a column, or several, per row. */
import { type } from "arktype";
import { entries, flag, nonBlank, valuesOf } from "../constraints.ts";
import { type Check, check, emptyPart, type FieldType, jsonType } from "../field-type.ts";
import { firstRepeat, isEmpty } from "../values.ts";

type Matrix = Record<string, string | string[] | null>;

const axis = entries(
  nonBlank
    .or({ "+": "reject", id: nonBlank, "label?": "string" })
    .or({ "+": "reject", value: nonBlank, "label?": "string" }),
  "non-blank texts or { id, label }",
  {
    anyOf: [
      { type: "string" },
      {
        type: "object",
        properties: { id: { type: "string" }, value: { type: "string" }, label: { type: "string" } },
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

const matrix: FieldType<Matrix> = {
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
  composite: true,
  // Rows and columns by id; `constraint` names a known row: `columns.speed`.
  checks: (constraints, issue) => {
    const rows = valuesOf(constraints.rows) as string[];
    const columns = valuesOf(constraints.columns) as string[];
    const knownRows = new Set(rows);
    const knownColumns = new Set<unknown>(columns);
    const unknownRow = issue("invalid_option", "Every key must be one of the rows.", "rows", rows);
    const checks: Check<Matrix>[] = [
      check((matrix) => Object.keys(matrix).every((row) => knownRows.has(row)), unknownRow),
      (matrix) => {
        const row = rows.find((row) => columnsIn(matrix, row).some((column) => !knownColumns.has(column)));
        if (row === undefined) return undefined;
        return issue("invalid_option", "Every row must have one of the columns.", `columns.${row}`, columns);
      },
      (matrix) => {
        const row = rows.find((row) => firstRepeat(columnsIn(matrix, row)) >= 0);
        if (row === undefined) return undefined;
        return issue("duplicate_item", "A row must not repeat a column.", `uniqueItems.${row}`, true);
      },
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
