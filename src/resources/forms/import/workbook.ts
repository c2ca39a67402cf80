/**
 * Reads workbooks of Excel (ECMA-376, part 1). Written here, since libraries that read them take gigabytes of
 * memory for some files of a few KB: here each tag counts against a limit before anything is made of it.
 */
import type { FileEntry } from "@zip.js/zip.js";
import { isBlankText } from "../../../fields/values.ts";
import { limits } from "../../../limits.ts";
import { Problem } from "../../../problem.ts";
import { rowNumbers } from "./read.ts";

/** The cells of a row that have a text, by the texts of the first row. */
export type SheetRow = Record<string, string>;

/** Beside the limits of the product: files in the archive, tags, characters of all cells, and of one. */
const bounds = {
  ...limits.workbook,
  ...{ maxParts: 1_000, maxTags: 2_000_000, maxTextLength: 4_000_000, maxCellLength: 32_767 },
};
const refusal = (message: string) => new Problem("bad_request", message);
const excess = (limit: keyof typeof bounds, what: string) =>
  refusal(`A workbook with more than ${bounds[limit].toLocaleString("en")} ${what} is not read.`);

/**
 * Reads the sheets of a workbook. A row without a text is none. @param bytes an `.xlsx`
 * @param wanted sheets whose rows are read, by their names in lower case; the others have none
 * @throws {Problem} `payload_too_large`; `bad_request`: it is no workbook, damaged, or larger than is read
 */
export async function readWorkbook(
  bytes: Uint8Array,
  wanted: readonly string[],
): Promise<Record<string, SheetRow[]>> {
  if (bytes.length > bounds.maxBytes)
    throw new Problem("payload_too_large", `A workbook has at most ${bounds.maxBytes / 1024 ** 2} MiB.`);
  try {
    return await sheetsOf(await partsOf(bytes), wanted);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw refusal(`The file is no .xlsx, or it is damaged or encrypted: ${(error as Error).message}.`);
  }
}

interface Tag {
  name: string;
  isEnd: boolean;
  /** The tag without its brackets. */
  source: string;
  /** The text up to the next tag. */
  text: string;
}
type TagReader = (part: string) => Promise<Iterable<Tag>>;

/** @returns reads the tags of a part, of which there are none if the part is absent */
async function partsOf(bytes: Uint8Array): Promise<TagReader> {
  const { Uint8ArrayReader, ZipReader } = await import("@zip.js/zip.js");
  const entries = new Map<string, FileEntry>();
  for await (const entry of new ZipReader(new Uint8ArrayReader(bytes)).getEntriesGenerator()) {
    if (!entry.directory) entries.set(entry.filename.toLowerCase(), entry);
    if (entries.size > bounds.maxParts) throw excess("maxParts", "parts");
  }
  let [unpacked, tags] = [0, 0];
  function* tagsIn(xml: string): Generator<Tag> {
    for (const [, source = "", text = ""] of xml.matchAll(/<([^<>]*)>([^<]*)/g)) {
      if (++tags > bounds.maxTags) throw excess("maxTags", "tags");
      const [, end, name = ""] = /^(\/?)(?:[\w.-]{1,40}:)?([\w.-]{1,40})/.exec(source) ?? [];
      yield { name, isEnd: end === "/", source, text: source.endsWith("/") ? "" : textOfXml(text) };
    }
  }
  return async (part) => {
    let xml = "";
    const decoder = new TextDecoder();
    const sink = new WritableStream<Uint8Array>({
      write(chunk) {
        unpacked += chunk.length;
        if (unpacked > bounds.maxUnpackedBytes) throw excess("maxUnpackedBytes", "unpacked bytes");
        xml += decoder.decode(chunk, { stream: true });
      },
    });
    await entries.get(part.toLowerCase())?.getData(sink, { useWebWorkers: false });
    if (xml.includes("<!")) throw refusal("A workbook with declarations, comments or CDATA is not read.");
    return tagsIn(xml);
  };
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function textOfXml(xml: string): string {
  // An entity has at most 6 characters.
  if (xml.length > 6 * bounds.maxCellLength) throw excess("maxCellLength", "characters in a cell");
  return xml
    .replace(/\r\n?/g, "\n")
    .replace(
      /&(?:#x([\da-f]{1,5})|#(\d{1,6})|(\w{2,4}));|_x([\da-f]{4})_/gi,
      (all, hex, decimal, name, escaped) =>
        name
          ? (entities[name] ?? all)
          : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex ?? escaped, 16)),
    )
    .toWellFormed()
    .replaceAll("\0", "");
}

/** @returns reads an attribute of a tag, or "" */
const attribute = (name: string) => {
  const pattern = new RegExp(`\\s(?:\\w{1,20}:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
  return ({ source }: Tag): string => {
    const [, double, single] = pattern.exec(source) ?? [];
    return textOfXml(double ?? single ?? "");
  };
};
const [nameOf, relationOf, targetOf] = [attribute("name"), attribute("[iI]d"), attribute("Target")];
const [formatOf, codeOf, epochOf] = [attribute("numFmtId"), attribute("formatCode"), attribute("date1904")];
const [referenceOf, typeOf, styleOf] = [attribute("r"), attribute("t"), attribute("s")];

async function sheetsOf(read: TagReader, wanted: readonly string[]): Promise<Record<string, SheetRow[]>> {
  const named: [name: string, relation: string][] = [];
  let epoch = 0;
  for (const tag of await read("xl/workbook.xml")) {
    if (tag.name === "workbookPr" && /^(?:1|true)$/.test(epochOf(tag))) epoch = 1_462;
    if (tag.name === "sheet") named.push([nameOf(tag), relationOf(tag)]);
  }
  if (named.length === 0) throw refusal("The file is no .xlsx: it has no sheets.");
  if (named.length > bounds.maxSheets) throw excess("maxSheets", "sheets");
  const targets = new Map<string, string>();
  for (const tag of await read("xl/_rels/workbook.xml.rels")) targets.set(relationOf(tag), targetOf(tag));
  const strings = stringsOf(await read("xl/sharedStrings.xml"));
  const isDay = dayStylesOf(await read("xl/styles.xml"));
  const textOf = (tag: Tag, value: string): string => {
    const type = typeOf(tag);
    if (type === "s") return strings[Number(value)] ?? "";
    if (type === "b") return value === "1" ? "TRUE" : "FALSE";
    const number = Number(value);
    if (!["", "n"].includes(type) || value.trim() === "" || Number.isNaN(number)) return value;
    return isDay[Number(styleOf(tag) || 0)] ? textOfSerial(number + epoch) : String(number);
  };
  const sheets = new Map<string, SheetRow[]>();
  let [rowCount, length] = [0, 0];
  for (const [name, relation] of named) {
    const rows: SheetRow[] = [];
    sheets.set(name, rows);
    if (!wanted.includes(name.trim().toLowerCase())) continue;
    let headers: Map<string, string> | undefined;
    const target = (targets.get(relation) ?? "").replace(/^\/?(?:xl\/)?/, "xl/");
    for (const [number, cells] of rowsOf(await read(target), textOf)) {
      if (++rowCount > bounds.maxRows) throw excess("maxRows", "rows");
      for (const text of cells.values()) length += text.length;
      if (length > bounds.maxTextLength) throw excess("maxTextLength", "characters");
      if (!headers) {
        headers = cells;
        continue;
      }
      const row = rowOf(headers, cells);
      rows.push(row);
      rowNumbers.set(row, number);
    }
  }
  return Object.fromEntries(sheets);
}

function stringsOf(tags: Iterable<Tag>): string[] {
  const strings: string[] = [];
  let isPhonetic = false;
  for (const { name, isEnd, text } of tags) {
    if (name === "si" && !isEnd) strings.push("");
    if (name === "rPh") isPhonetic = !isEnd;
    if (name === "t" && !isPhonetic && strings.length > 0) strings[strings.length - 1] += isEnd ? "" : text;
  }
  return strings;
}

/** Formats of days and times that have a number in place of a code. */
const isDayFormat = (id: number): boolean => dayFormats.some(([first, last]) => id >= first && id <= last);
const dayFormats = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const;
const isDayCode = (code: string) =>
  /[dmyhs]/i.test(code.slice(0, 255).replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ""));

/** The styles of cells, in their order: true if their numbers are days or times. */
function dayStylesOf(tags: Iterable<Tag>): boolean[] {
  const codes = new Map<string, boolean>();
  const styles: boolean[] = [];
  let isInCells = false;
  for (const tag of tags) {
    if (tag.name === "numFmt") codes.set(formatOf(tag), isDayCode(codeOf(tag)));
    if (tag.name === "cellXfs") isInCells = !tag.isEnd;
    if (tag.name === "xf" && !tag.isEnd && isInCells)
      styles.push(codes.get(formatOf(tag)) ?? isDayFormat(Number(formatOf(tag))));
  }
  return styles;
}

/** 1970-01-01. */
const firstSerial = 25_569;

/** A day, time or moment, as `2026-11-30 08:15:00`. Excel has a 29th of February 1900. */
function textOfSerial(serial: number): string {
  const moment = new Date(Math.round((serial - firstSerial + (serial < 60 ? 1 : 0)) * 86_400) * 1_000);
  if (Number.isNaN(moment.getTime())) return String(serial);
  const [day = "", time = ""] = moment.toISOString().slice(0, -5).split("T");
  if (serial < 1) return time;
  return moment.getTime() % 86_400_000 === 0 ? day : `${day} ${time}`;
}

/**
 * The rows that have a text: their numbers, and their texts by the letters of their columns, or else by their
 * positions.
 */
function* rowsOf(
  tags: Iterable<Tag>,
  textOf: (tag: Tag, value: string) => string,
): Generator<[number: number, cells: Map<string, string>]> {
  let cells = new Map<string, string>();
  let [number, position, column, value] = [0, 0, "", ""];
  let cell: Tag | undefined;
  for (const tag of tags) {
    const { name, isEnd } = tag;
    if (name === "row") {
      if (cells.size > 0) yield [number, cells];
      [cells, position] = [new Map(), 0];
      if (!isEnd) number = Number(referenceOf(tag)) || number + 1;
    } else if (name === "c" && !isEnd) {
      column = /^[a-z]{1,3}/i.exec(referenceOf(tag))?.[0].toUpperCase() ?? String(++position);
      [cell, value] = [tag, ""];
    } else if (name === "v" || name === "t") {
      if (!isEnd) value += tag.text;
    } else if (name === "c" && cell) {
      const text = textOf(cell, value);
      if (!isBlankText(text)) cells.set(column, text);
    }
  }
  if (cells.size > 0) yield [number, cells];
}

const rowOf = (headers: ReadonlyMap<string, string>, cells: ReadonlyMap<string, string>): SheetRow =>
  Object.fromEntries(
    [...cells].flatMap(([column, text]) => {
      const header = headers.get(column);
      return header === undefined ? [] : [[header, text]];
    }),
  );
