/** A table of rows. On a narrow screen each row is a card, whose cells name their column. */
import type { ComponentChildren } from "preact";

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  /** True if the cell names its row, as one column of each table does. */
  isHeader?: boolean;
  /** True if the cell needs no column name on a narrow screen, since its content has one. */
  isNamed?: boolean;
  class?: "number" | "recent" | "select" | "aside" | "more";
  /** For texts that people have entered. */
  dir?: "auto";
}

/** Explicit, because some browsers drop the roles of a table whose cells are laid out as blocks. */
const roles = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  columnHeader: { role: "columnheader", scope: "col" },
  rowHeader: { role: "rowheader", scope: "row" },
  cell: { role: "cell" },
} as const;

export function Table<Row>({
  columns,
  rows,
  keyOf,
}: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
}) {
  return (
    <table class="stack" {...roles.table}>
      <thead {...roles.group}>
        <tr {...roles.row}>
          {columns.map(({ head, class: name, dir }) => (
            <th key={head} {...roles.columnHeader} class={name} dir={dir}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...roles.group}>
        {rows.map((row) => (
          <tr key={keyOf(row)} {...roles.row}>
            {columns.map(({ head, cell, isHeader, isNamed, class: name, dir }) =>
              isHeader ? (
                <th key={head} {...roles.rowHeader} class={name} dir={dir}>
                  {cell(row)}
                </th>
              ) : (
                <td key={head} {...roles.cell} class={name} dir={dir} data-label={isNamed ? undefined : head}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
