/** Reads a CSV (RFC 4180) that a spreadsheet has saved: in UTF-8, with any of the usual separators. Pure. */

interface CsvRules {
  /** Without the first one. */
  maxRows: number;
  maxCells: number;
  /** True for the columns of a first row, in lower case: by them the separator is found. */
  isHead: (names: readonly string[]) => boolean;
}

/** A file that is not read at all. */
export type UnreadCsv = { kind: "noText" | "noColumns" | "rows" } | { kind: "quotes"; row: number };

/** The name of a column. */
export const nameIn = (cell: string): string => cell.trim().toLowerCase();

/** Returns the rows of a CSV, one more than are read at most; a number: in that row it cannot be read. */
function rowsOf(text: string, separator: string, { maxRows, maxCells }: CsvRules): string[][] | number {
  const end = new RegExp(`[${separator}\r\n]|$`, "g");
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length || row.length > 0; ) {
    let cell: string;
    if (text[at] === '"') {
      let to = text.indexOf('"', at + 1);
      while (to !== -1 && text[to + 1] === '"') to = text.indexOf('"', to + 2);
      if (to === -1) return rows.length + 1;
      cell = text.slice(at + 1, to).replaceAll('""', '"');
      at = to + 1;
    } else {
      end.lastIndex = at;
      const to = end.exec(text)?.index ?? text.length;
      cell = text.slice(at, to);
      at = to;
    }
    if (row.length <= maxCells) row.push(cell);
    const sign = text[at];
    if (sign !== undefined && sign !== separator && sign !== "\r" && sign !== "\n") return rows.length + 1;
    at += text.startsWith("\r\n", at) ? 2 : 1;
    if (sign === separator) continue;
    rows.push(row);
    row = [];
    if (rows.length > maxRows + 1) break;
  }
  return rows;
}

/** The first line by which Excel learns the separator. */
const separatorLine = /^"?sep=.?"?(?:\r\n?|\n)/i;

/** Returns the rows of a file, the first one too. Finds the separator by the columns of that row. */
export function readCsv(bytes: Uint8Array, rules: CsvRules): string[][] | UnreadCsv {
  const text = decoded(bytes);
  if (text === undefined) return { kind: "noText" };
  let quotes: UnreadCsv | undefined;
  for (const separator of [",", ";", "\t"]) {
    const rows = rowsOf(text.replace(separatorLine, ""), separator, rules);
    if (typeof rows === "number") quotes ??= { kind: "quotes", row: rows };
    else if (rules.isHead((rows[0] ?? []).map(nameIn)))
      return rows.length > rules.maxRows + 1 ? { kind: "rows" } : rows;
  }
  return quotes ?? { kind: "noColumns" };
}

/** The text of a file in UTF-8. Undefined: it is none. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
