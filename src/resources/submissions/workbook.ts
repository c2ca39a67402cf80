/**
 * Workbooks of Excel (ECMA-376, part 1) as a stream. Written here, since of the libraries those that stream
 * write no second sheet, filter or bold header, and those that write these hold the whole file in memory.
 */
import { encodeText, type Parts } from "../../platform/http/stream.ts";
import { type ZipEntry, zipOf } from "../../platform/http/zip.ts";

/** A day, or a moment in a zone that the header says: days since 1899-12-30, with the part of the day. */
export interface Serial {
  serial: number;
  format: "day" | "moment";
}

export type WorkbookCell = string | number | boolean | Serial | null;

export interface Sheet {
  /** Maximum 31 characters, without `: \ / ? * [ ]`. */
  name: string;
  headers: readonly string[];
  rows: AsyncIterable<readonly WorkbookCell[]>;
}

/** Maximum length of a cell. Excel reports a longer one as damage of the file. */
const maxCellLength = 32_767;
const maxRows = 1_048_576;
/** Maximum number of columns of a sheet. */
export const maxSheetColumns = 16_384;
/** Rows that decide the widths of the columns, which stand before the first row. */
const measuredRows = 200;
const [minWidth, maxWidth] = [8, 60];
/** Room for the button of the filter. */
const buttonWidth = 4;
const chunkLength = 65_536;
/** Compression of most programs. */
const level = 6;

const millisecondsPerDay = 86_400_000;
/** 1899-12-30. Excel has a 29 February 1900, so that days before March 1900 have other numbers. */
const dayZeroMs = Date.UTC(1899, 11, 30);
const firstDayMs = Date.UTC(1900, 2, 1);
const endMs = Date.UTC(10_000, 0, 1);

/** The cell of a time, whose parts are those of UTC; undefined: Excel has none. @param ms since 1970 */
export const serialOf = (ms: number, format: Serial["format"]): Serial | undefined =>
  ms >= firstDayMs && ms < endMs ? { serial: (ms - dayZeroMs) / millisecondsPerDay, format } : undefined;

/**
 * Text as an ST_Xstring (ECMA-376, part 1, 22.9.2.19): `_xHHHH_` stands for a unit that XML cannot have. Text
 * that looks so itself has its first `_` written so. A carriage return is XML's own reference, since a bare
 * one is read as a line feed, and many programs know only the reference.
 */
const escapeText = (text: string): string =>
  text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML cannot have
    .replace(/[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|\p{Cs}/gu, (unit) => {
      const hex = unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
      return `_x${hex}_`;
    })
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");

const escapeAttribute = (text: string): string => escapeText(text).replaceAll('"', "&quot;");

/** The text in the room of a cell, without half a character. */
const cut = (text: string): string =>
  text.length > maxCellLength ? `${text.slice(0, maxCellLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;

/** Indexes of {@link styles}. */
const styleOf = { header: 1, day: 2, moment: 3, lines: 4 };

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packages = "http://schemas.openxmlformats.org/package/2006";
const mediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
const format = (members: string, { fontId = 0, inner = "" } = {}) =>
  `<xf fontId="${fontId}" fillId="0" borderId="0" xfId="0" ${members}${inner ? `>${inner}</xf>` : "/>"}`;
const styles = `${declaration}<styleSheet xmlns="${main}">
<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>
<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="5">${[
  format('numFmtId="0"'),
  format('numFmtId="0" applyFont="1"', { fontId: 1 }),
  format('numFmtId="164" applyNumberFormat="1"'),
  format('numFmtId="165" applyNumberFormat="1"'),
  format('numFmtId="0" applyAlignment="1"', { inner: '<alignment vertical="top" wrapText="1"/>' }),
].join("")}</cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>`;

/** The letters of a column: 0 is A, 26 is AA. */
function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}

function textXml(at: string, text: string, style: number): string {
  const shown = style || (/[\r\n]/.test(text) ? styleOf.lines : 0);
  return `<c r="${at}"${shown ? ` s="${shown}"` : ""} t="inlineStr"><is><t xml:space="preserve">${escapeText(cut(text))}</t></is></c>`;
}

function cellXml(at: string, cell: WorkbookCell): string {
  if (cell === null || cell === "") return "";
  if (typeof cell === "string") return textXml(at, cell, 0);
  if (typeof cell === "boolean") return `<c r="${at}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === "number") return `<c r="${at}"><v>${cell}</v></c>`;
  return `<c r="${at}" s="${styleOf[cell.format]}"><v>${cell.serial}</v></c>`;
}

/** Columns that a text takes: wide characters take two. */
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]|\p{Emoji_Presentation}/gu;
const lengthOf = (line: string): number => line.length + (line.match(wide)?.length ?? 0);

function widthOf(cell: WorkbookCell | undefined): number {
  if (cell === null || cell === undefined) return 0;
  if (typeof cell === "object") return cell.format === "day" ? 10 : 19;
  return Math.max(
    ...String(cell)
      .slice(0, maxCellLength)
      .split(/\r\n|\r|\n/)
      .map(lengthOf),
  );
}

function columnsXml(headers: readonly string[], rows: readonly (readonly WorkbookCell[])[]): string {
  const columns = headers.map((header, index) => {
    const widths = rows.map((row) => widthOf(row[index]));
    const width = Math.max(minWidth, widthOf(header) + buttonWidth, ...widths.map((each) => each + 2));
    return `<col min="${index + 1}" max="${index + 1}" width="${Math.min(width, maxWidth)}" customWidth="1"/>`;
  });
  return columns.length > 0 ? `<cols>${columns.join("")}</cols>` : "";
}

/** The XML of one sheet; it takes as many rows as a sheet has room for. */
async function* sheetXml(
  headers: readonly string[],
  next: () => Promise<readonly WorkbookCell[] | undefined>,
) {
  const names = headers.map((_, index) => columnName(index));
  const first: (readonly WorkbookCell[])[] = [];
  while (first.length < measuredRows) {
    const row = await next();
    if (!row) break;
    first.push(row);
  }
  let text =
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<sheetFormatPr defaultRowHeight="15"/>${columnsXml(headers, first)}<sheetData><row r="1">` +
    `${headers.map((header, index) => textXml(`${names[index]}1`, header, styleOf.header)).join("")}</row>`;
  let count = 1;
  for (let row = first.shift(); row; row = first.shift() ?? (count < maxRows ? await next() : undefined)) {
    count++;
    text += `<row r="${count}">${row.map((cell, index) => cellXml(`${names[index]}${count}`, cell)).join("")}</row>`;
    if (text.length > chunkLength) {
      yield encodeText(text);
      text = "";
    }
  }
  const filter = headers.length > 0 ? `<autoFilter ref="A1:${names.at(-1)}${count}"/>` : "";
  yield encodeText(`${text}</sheetData>${filter}</worksheet>`);
}

const part = (name: string, text: string): ZipEntry => ({
  name,
  input: (async function* () {
    yield encodeText(text);
  })(),
});

const relation = (index: number, type: string, target: string) =>
  `<Relationship Id="rId${index}" Type="${relations}/${type}" Target="${target}"/>`;
const relationsXml = (list: readonly string[]) =>
  `${declaration}<Relationships xmlns="${packages}/relationships">${list.join("")}</Relationships>`;
const override = (name: string, type: string) =>
  `<Override PartName="${name}" ContentType="${mediaType}.${type}+xml"/>`;

/** The parts about the sheets, which are known at the end: rows beyond a sheet's room make another one. */
function* partsAbout(names: readonly string[]): Generator<ZipEntry> {
  const sheets = names.map((name, index) => {
    return `<sheet name="${escapeAttribute(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`;
  });
  yield part("xl/styles.xml", styles);
  yield part(
    "xl/workbook.xml",
    `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${sheets.join("")}</sheets></workbook>`,
  );
  yield part(
    "xl/_rels/workbook.xml.rels",
    relationsXml([
      ...names.map((_, index) => relation(index + 1, "worksheet", `worksheets/sheet${index + 1}.xml`)),
      relation(names.length + 1, "styles", "styles.xml"),
    ]),
  );
  yield part("_rels/.rels", relationsXml([relation(1, "officeDocument", "xl/workbook.xml")]));
  yield part(
    "[Content_Types].xml",
    `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${[
      override("/xl/workbook.xml", "sheet.main"),
      ...names.map((_, index) => override(`/xl/worksheets/sheet${index + 1}.xml`, "worksheet")),
      override("/xl/styles.xml", "styles"),
    ].join("")}</Types>`,
  );
}

/** Writes a workbook. Its rows are read in turn, one sheet after the other. */
export function workbookOf(sheets: readonly Sheet[]): Parts {
  async function* entries(): AsyncGenerator<ZipEntry, void> {
    const names: string[] = [];
    for (const { name, headers, rows } of sheets) {
      const iterator = rows[Symbol.asyncIterator]();
      const read = async () => {
        const { value, done } = await iterator.next();
        return done ? undefined : value;
      };
      try {
        let ahead = await read();
        const next = async () => {
          const row = ahead;
          if (row) ahead = await read();
          return row;
        };
        for (let number = 1; number === 1 || ahead; number++) {
          names.push(number === 1 ? name : `${name} ${number}`);
          yield { name: `xl/worksheets/sheet${names.length}.xml`, input: sheetXml(headers, next) };
        }
      } finally {
        await iterator.return?.();
      }
    }
    yield* partsAbout(names);
  }
  return zipOf(entries(), level);
}
