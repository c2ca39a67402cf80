/**
 * XLSForm (xlsform.org) as the rows of its sheets, and the JSON that pyxform makes of it. Both become rows of
 * cells: nested members of JSON are named as columns are, `bind::relevant` or `label::English`.
 */
import { isRecord, ownIn } from "../../../fields/values.ts";
import { isSet, type Node, nodesOf, numberOf, rowNumbers } from "./read.ts";
import { quote } from "./text.ts";

/** A row: its texts by column, in the language that is taken. */
export interface SurveyRow {
  path: string;
  cells: ReadonlyMap<string, string>;
  /** Texts in the other languages by column and language. */
  others: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export interface XlsformRows {
  survey: SurveyRow[];
  /** Their `list_name` is that of the sheet, or the path of the question in which they stand. */
  choices: SurveyRow[];
  settings: ReadonlyMap<string, string>;
  /** The language that is taken. */
  language: string;
}

/** The sheets that are read. */
export const xlsformSheets = ["survey", "choices", "settings"];

const columnAliases: Readonly<Record<string, string>> = {
  ...{ command: "type", caption: "label", tag: "name", value: "name", relevance: "relevant" },
  ...{ calculate: "calculation", constraining_message: "constraint_message", readonly: "read_only" },
  ...{ "jr:constraintmsg": "constraint_message", "jr:requiredmsg": "required_message" },
  ...{ requiredmsg: "required_message", set_form_title: "title", form_title: "title" },
  ...{ form_id: "name", set_form_id: "name", id_string: "name", itemset: "list_name" },
};
/** An old way to write `label::English`. */
const singleColon = /^(label|hint|caption|media|bind|image|audio|video):(?!:)/i;
const translated = ["label", "hint", "guidance_hint", "constraint_message"];

/** The texts of a row by column and language, which is "" for a column without one. */
type Cells = Map<string, Map<string, string>>;
type RawRow = [path: string, cells: Cells];

function cellsOf(record: Node, cells: Cells = new Map(), prefix = ""): Cells {
  for (const [name, value] of Object.entries(record)) {
    if (isRecord(value)) cellsOf(value, cells, `${prefix}${name}::`);
    if (!["string", "number", "boolean"].includes(typeof value) || !isSet(value)) continue;
    const parts = `${prefix}${name}`.replace(singleColon, "$1::").split("::");
    if (/^(?:bind|control|body|media)$/i.test(parts[0] ?? "") && parts.length > 1) parts.shift();
    const column = (parts.shift() ?? "").trim().toLowerCase().replace(/\s+/g, "_");
    const known = String(ownIn(columnAliases, column) ?? column);
    const texts = cells.get(known) ?? new Map<string, string>();
    cells.set(known, texts.set(parts.join("::").trim(), String(value).trim()));
  }
  return cells;
}

const rawRows = (list: unknown, path: string, members: Node = {}): RawRow[] =>
  nodesOf(list).map((node, index) => {
    const row = rowNumbers.get(node);
    return [row ? `${path}!${row}` : `${path}[${index}]`, cellsOf({ ...node, ...members })];
  });

const sheetOf = (document: Node, name: string): unknown =>
  Object.entries(document).find(([key]) => key.trim().toLowerCase() === name)?.[1];

const isTree = (document: Node): boolean => document.type === "survey" && Array.isArray(document.children);

/** Checks for a sheet with types, or the JSON of pyxform. */
export const isXlsform = (document: Node): boolean =>
  isTree(document) ||
  nodesOf(sheetOf(document, "survey")).some((row) =>
    Object.keys(row).some((name) => /^\s*(?:type|command)\s*$/i.test(name)),
  );

/** Adds the rows of pyxform's JSON: a group has a row at its end, as in a sheet. */
function addTree(nodes: readonly Node[], path: string, survey: RawRow[], choices: RawRow[]): void {
  for (const [index, { children, choices: own, ...node }] of nodes.entries()) {
    const at = `${path}[${index}]`;
    const isGroup = Array.isArray(children);
    const list = Array.isArray(own) ? { list_name: at } : {};
    survey.push([at, cellsOf({ ...node, ...list, type: isGroup ? `begin ${node.type}` : node.type })]);
    for (const row of rawRows(own, `${at}.choices`, list)) choices.push(row);
    if (!isGroup) continue;
    addTree(nodesOf(children), `${at}.children`, survey, choices);
    survey.push([at, cellsOf({ type: "end group" })]);
  }
}

function rawParts(document: Node): { survey: RawRow[]; choices: RawRow[]; settings: Cells } {
  const [survey = [], choices = [], settings = []] = xlsformSheets.map((name) =>
    rawRows(sheetOf(document, name), name),
  );
  if (!isTree(document)) return { survey, choices, settings: settings[0]?.[1] ?? new Map() };
  const { children, choices: lists, ...top } = document;
  for (const [list_name, list] of Object.entries(isRecord(lists) ? lists : {}))
    for (const row of rawRows(list, `choices.${list_name}`, { list_name })) choices.push(row);
  addTree(nodesOf(children), "children", survey, choices);
  return { survey, choices, settings: cellsOf(top) };
}

/** Reads a document that {@link isXlsform} accepts. */
export function rowsOfXlsform(document: Node): XlsformRows {
  const { survey, choices, settings } = rawParts(document);
  const languages = new Set<string>();
  for (const [, cells] of [...survey, ...choices])
    for (const column of translated)
      for (const language of cells.get(column)?.keys() ?? []) languages.add(language);
  const wanted = [settings.get("default_language")?.get("") ?? "", "", "default", ...languages];
  const taken = wanted.find((language) => languages.has(language));
  const textIn = (texts: ReadonlyMap<string, string>): string | undefined =>
    [taken, "", "default"].map((each) => texts.get(each ?? "")).find((text) => text !== undefined) ??
    [...texts.values()][0];
  const resolve = (cells: Cells): SurveyRow["cells"] =>
    new Map(
      [...cells].map(([column, texts]) => [
        column,
        (column === "parameters" ? parameters : textIn)(texts) ?? "",
      ]),
    );
  const othersIn = (cells: Cells): SurveyRow["others"] =>
    new Map(
      translated.map((column) => [
        column,
        new Map([...(cells.get(column) ?? [])].filter(([language]) => language !== taken)),
      ]),
    );
  const rows = (list: readonly RawRow[]): SurveyRow[] =>
    list.map(([path, cells]) => ({ path, cells: resolve(cells), others: othersIn(cells) }));
  return {
    survey: rows(survey),
    choices: rows(choices),
    settings: resolve(settings),
    language: taken || (wanted[0] ?? ""),
  };
}

/** JSON has the parameters by name, and a sheet as one text. */
const parameters = (texts: ReadonlyMap<string, string>): string =>
  [...texts].map(([name, text]) => (name === "" ? text : `${name}=${text}`)).join(" ");

/** Truth values as texts in lower case. */
export const truths: ReadonlyMap<string, boolean> = new Map([
  ...["yes", "true", "true()", "1"].map((text) => [text, true] as const),
  ...["no", "false", "false()", "0"].map((text) => [text, false] as const),
]);
export const isYes = (text = ""): boolean => truths.get(text.toLowerCase()) === true;

const kindAliases: Readonly<Record<string, string>> = {
  ...{ string: "text", int: "integer", date_time: "datetime", photo: "image", picture: "image" },
  ...{ trigger: "acknowledge", gps: "geopoint", location: "geopoint" },
};
/** The begin or the end of a group or of a repeat, in their words. */
export const groupType = /^(begin|end)[ _](group|repeat|loop|lgroup|looped group)\b/i;
const selectType =
  /^(?:add )?(select[ _]?(?:one|1)|select[ _](?:multiple|all that apply)|rank)((?:[ _]from[ _]file|[ _]external)?)(?: prompt)?(?: (?:from|using))?(?: (.+?))??( or[ _](?:specify[ _])?other)?$/i;

/** The kind of a type as XLSForm has it, and its list of choices. */
export function typeOf(type: string): {
  name: string;
  list?: string;
  isOpen?: boolean;
  isExternal?: boolean;
} {
  const [isSelect, kind = "", external = "", list = "", open = ""] = selectType.exec(type) ?? [];
  const plain = type
    .toLowerCase()
    .replaceAll(" ", "_")
    .replace(/^(?:q|add|get)_|_prompt$/g, "");
  if (isSelect === undefined) return { name: String(ownIn(kindAliases, plain) ?? plain) };
  const name = /^rank/i.test(kind) ? "rank" : /one|1/i.test(kind) ? "select_one" : "select_multiple";
  return { name, list, isOpen: open !== "", isExternal: external !== "" };
}

/** The type and bounds of a range, which begins at 1 and ends at 10 unless set, and what is lost of it. */
export function rangeOf(parameters = ""): { type: string; bounds: Node; lost: string } {
  const numbers = { start: 1, end: 10, step: 1 };
  const others = parameters.replace(
    /\b(start|end|step)\s*=\s*([-\d.]+)[\s,;]*/g,
    (all, name: keyof typeof numbers, text) => {
      const number = numberOf(text);
      numbers[name] = number ?? numbers[name];
      return number === undefined ? all : "";
    },
  );
  const { start: minimum, end: maximum, step } = numbers;
  const steps = minimum / step;
  const isMultiple = step > 0 && Math.abs(steps - Math.round(steps)) < 1e-9;
  const type = [minimum, maximum, step].every(Number.isInteger) ? "integer" : "number";
  const bounds = { minimum, maximum, ...(isMultiple && { multipleOf: step }) };
  return { type, bounds, lost: isMultiple ? others : `step=${step} ${others}` };
}

/** A default value. Undefined: it is none for the type. */
export function defaultOf(type: string, text: string): unknown {
  if (type === "integer" || type === "number") return numberOf(text);
  if (type === "consent") return truths.get(text.toLowerCase());
  if (type === "multi_select" || type === "ranking") return text.split(/\s+/);
  return type === "file" ? undefined : text;
}

/** Facts about the device and the time, which a form's page does not send. */
export const metadata =
  /^(?:start|end|today|(?:start|end)_time|(?:uri:)?(?:device|subscriber|sim)_?(?:id|serial)|imei|(?:uri:)?(?:username|email|phonenumber)|audit|set_form_(?:title|id)|(?:start|background)-(?:geopoint|audio)|(?:xml|csv)-external)$/;
/** Settings that only programs read, or that are read here. */
export const quietSettings =
  /^(?:title|name|type|version|style|default_language|instance_name|namespaces|prefix|delimiter|sms_.*|.*xml.*|.*instance.*|clean_text_values|allow_choice_duplicates|flat|attribute)$/;
/** Columns with an effect on respondents that are lost. XLSForm ignores columns that it does not know. */
export const pictures = ["image", "big-image", "audio", "video"];
const lostColumns = [...pictures, "choice_filter", "trigger", "required_message", "intent"];
/** Appearances that change only the looks. */
const quietAppearance =
  /^(?:w\d+|columns.*|minimal|compact.*|quick.*|horizontal.*|vertical|likert|label|list|list-nolabel|table-list|field-list|no-buttons|picker|rating|no-ticks|no-calendar|autocomplete|search|thousands-sep|multiline)$/;

const texts = ["label", "hint", "guidance_hint", "constraint_message"];

export const hasAppearance = ({ cells }: SurveyRow, pattern: RegExp): boolean =>
  pattern.test(cells.get("appearance") ?? "");

/** Sentences about the cells of a row that cannot be kept. */
export function lossesOf({ cells }: SurveyRow): string[] {
  const appearance = cells.get("appearance") ?? "";
  const isFree = truths.get((cells.get("read_only") ?? "no").toLowerCase()) === false;
  const words = appearance.includes("(") ? [appearance] : appearance.split(/\s+/);
  return [
    ...lostColumns
      .filter((name) => cells.has(name))
      .map((name) => `${name} is not kept: ${quote(cells.get(name))}`),
    ...words
      .filter((word) => word !== "" && !quietAppearance.test(word))
      .map((word) => `The appearance ${quote(word)} is not kept.`),
    ...(texts.some((column) => cells.get(column)?.includes("${"))
      ? ["Values in its text are not filled in."]
      : []),
    ...(isFree || cells.has("calculation") ? [] : ["It is not read-only."]),
  ];
}
