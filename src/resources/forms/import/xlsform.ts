/** Forms of ODK, KoboToolbox, SurveyCTO and Ona: XLSForm (xlsform.org), as sheets or as JSON of pyxform. */

import type { Expression } from "../../../fields/conditions/expression.ts";
import { ownIn } from "../../../fields/values.ts";
import { xpath } from "./dialects.ts";
import {
  beginDraft,
  type DraftEntry,
  type ImportSource,
  type QuestionKind,
  type ReportCode,
} from "./draft.ts";
import { foreignExpression, foreignRule } from "./expressions.ts";
import { all } from "./logic.ts";
import { isSet, pageLanguageOf } from "./read.ts";
import { noTitle, quote, textWithoutMarkup } from "./text.ts";
import { choiceKey } from "./translations.ts";
import {
  defaultOf,
  groupType,
  hasAppearance,
  isXlsform,
  isYes,
  lossesOf,
  metadata,
  pictures,
  quietSettings,
  rangeOf,
  rowsOfXlsform,
  type SurveyRow,
  truths,
  typeOf,
} from "./xlsform-rows.ts";

const asText = { type: "text", loss: "formd has no such question: a text is asked for." };
const kinds: Readonly<Record<string, QuestionKind>> = {
  ...{ text: { type: "text" }, integer: { type: "integer" }, decimal: { type: "number" } },
  ...{ range: { type: "number" }, acknowledge: { type: "consent" } },
  ...{ select_one: { type: "select" }, select_multiple: { type: "multi_select" }, rank: { type: "ranking" } },
  ...{ date: { type: "date" }, time: { type: "time" }, datetime: { type: "datetime" } },
  ...{ image: { type: "file" }, audio: { type: "file" }, video: { type: "file" }, file: { type: "file" } },
  ...{ calculate: { type: "hidden" }, hidden: { type: "hidden" } },
  ...{ note: { type: "statement" }, begin_group: { type: "heading" } },
  begin_repeat: { loss: "formd has no lists of questions." },
  phone_number: { type: "text", loss: "Not only digits are accepted." },
  ...{ geopoint: asText, geotrace: asText, geoshape: asText, barcode: asText },
};
interface Group {
  /** The conditions of the group and of those around it. */
  conditions: readonly string[];
  isPage: boolean;
  /** Facts about the submission, in JSON of pyxform. */
  isMeta?: boolean | undefined;
  /** Present: its questions are left out. */
  lost?: readonly [ReportCode, string] | undefined;
}
const maxConditions = 16;
const tooDeep = ["too_many", `It has more than ${maxConditions} conditions.`] as const;
const noOptions = ["options", "Its choices are not in the form."] as const;
const repeated = ["repeat", "It is in a list of questions that repeats."] as const;

export const xlsform: ImportSource = {
  title: "XLSForm",
  kinds,
  losses: [
    "Questions of a repeat",
    "Choices that depend on an answer, of which all are shown, or that come from a file",
    "Pictures, sounds and videos, the message for a missing answer",
    "Parameters such as the random order of choices, and the steps of a range that begins between them",
    "Values within texts, and default values that are calculated",
    "Facts about the device and the time, and encryption",
    "Appearances that change a question, such as month-year or signature",
  ],
  recognizes: isXlsform,

  convert(document) {
    const draft = beginDraft("xlsform");
    const { survey, choices, settings, language } = rowsOfXlsform(document);
    const lists = new Map<string, { value: string; label: string }[]>();
    const values = new Set<string>();
    const textsOf = ({ others }: SurveyRow, column: string) =>
      [...(others.get(column) ?? [])]
        .map(([name, text]) => [name, textWithoutMarkup(text)] as const)
        .filter(([name, text]) => name !== "" && text !== "");
    /** A text of a row, whose other languages the draft remembers. */
    const textIn = (row: SurveyRow, column: string): string =>
      draft.addText(textWithoutMarkup(row.cells.get(column)), textsOf(row, column));
    const listTexts = new Map<string, Map<string, ReadonlyMap<string, string>>>();
    for (const row of choices) {
      const { path, cells } = row;
      const [list = "", value] = [cells.get("list_name"), cells.get("name")];
      const options = lists.get(list) ?? [];
      lists.set(list, options);
      if (value === undefined) continue;
      const id = JSON.stringify([list, value]);
      if (values.has(id)) draft.note(path, "options", `${quote(value)} is twice in ${quote(list)}.`);
      else {
        const label = textWithoutMarkup(cells.get("label")) || value;
        options.push({ value, label });
        const texts = listTexts.get(list) ?? new Map();
        listTexts.set(list, texts.set(choiceKey(value, label), new Map(textsOf(row, "label"))));
      }
      values.add(id);
    }
    const kept: [row: SurveyRow, entry: DraftEntry, conditions: readonly string[]][] = [];
    const groups: Group[] = [];
    let isAfterPage = false;

    function keep(row: SurveyRow, entry: DraftEntry | undefined, conditions: readonly string[]): void {
      if (!entry) return;
      kept.push([row, entry, conditions]);
      for (const message of lossesOf(row)) draft.lose(entry, "setting", message);
    }

    /** Begins a step for what comes after a page, whose condition is that of its whole step. */
    function endPage(path: string, { isPage }: Group): void {
      if (isAfterPage && !isPage) draft.part({ path, label: noTitle }, "page_break");
      isAfterPage &&= isPage;
    }

    function begin({ row, origin, description, conditions, outer, lost }: Place, isRepeat: boolean): void {
      const isPage = hasAppearance(row, /\bfield-list\b/);
      const isBreak = isPage && !outer.isPage && kept.length > 0;
      groups.push({
        conditions,
        isPage: (isPage && !isRepeat && !lost) || outer.isPage,
        isMeta: isYes(row.cells.get("bodyless")) || outer.isMeta,
        lost: lost ?? (isRepeat ? repeated : undefined),
      });
      const name = quote(origin.label ?? origin.key);
      if (isRepeat && !lost) draft.note(row.path, "repeat", `${name}: ${kinds.begin_repeat?.loss}`);
      if (isRepeat || lost) return;
      const { label = isBreak ? noTitle : undefined } = origin;
      if (label !== undefined) {
        if (!isBreak) endPage(row.path, outer);
        else isAfterPage = false;
        const part = draft.part({ ...origin, label }, isBreak ? "page_break" : "heading", { description });
        keep(row, part, conditions);
      } else
        for (const loss of [description && quote(description), ...lossesOf(row)].filter(Boolean))
          draft.note(row.path, "text", `A group without a label: ${loss}`);
    }

    function ask({ row, origin, hint, help, conditions, outer, lost, ...place }: Place, type: string): void {
      const { path, cells } = row;
      const { name, list, isOpen, isExternal } = typeOf(type);
      if (outer.isMeta || metadata.test(name)) {
        draft.note(path, "type", `${quote(outer.isMeta ? origin.key : type)} is not kept.`);
        return;
      }
      if (name === "note") {
        if (origin.label === undefined) draft.note(path, "text", "A note without a text is left out.");
        else if (!lost) {
          endPage(path, outer);
          keep(row, draft.part(origin, "statement", { description: place.description }), conditions);
        }
        return;
      }
      const kind = ownIn(kinds, name) as QuestionKind | undefined;
      const options = lists.get(list || (cells.get("list_name") ?? ""));
      const isFromFile =
        list !== undefined && (isExternal || !options || hasAppearance(row, /\bsearch\s*\(/));
      const why = lost ?? (isFromFile ? noOptions : undefined);
      if (why || !kind) {
        const unknown = ["type", `formd has no question of the type ${quote(type)}.`] as const;
        draft.leaveOut(origin, ...(why ?? unknown));
        return;
      }
      const isLong = name === "text" && hasAppearance(row, /\bmultiline\b/);
      const range = name === "range" ? rangeOf(cells.get("parameters")) : undefined;
      const own = isLong ? "textarea" : (range?.type ?? kind.type);
      endPage(path, outer);
      if (options !== undefined) draft.addListTexts(listTexts.get(list || (cells.get("list_name") ?? "")));
      const entry = draft.question(origin, { ...kind, type: own } as QuestionKind, {
        ...range?.bounds,
        ...(kind.type === "file" && { maxItems: 1, accept: name === "file" ? undefined : [`${name}/*`] }),
        ...(list !== undefined && {
          options,
          allowOther: isOpen || undefined,
        }),
        ...(name === "rank" && { rankAll: true }),
        ...{ description: hint, help, required: isYes(cells.get("required")) || undefined },
      });
      keep(row, entry, conditions);
      const parameters = range ? range.lost : cells.get("parameters");
      if (entry && parameters)
        draft.lose(entry, "setting", `parameters is not kept: ${quote(parameters.trim())}`);
      const preset = cells.get("default");
      if (!entry || preset === undefined) return;
      const value = /\$\{|[\w-]\(/.test(preset) ? undefined : defaultOf(entry.field.type, preset);
      if (value === undefined)
        draft.lose(entry, "default", `The default value is not kept: ${quote(preset)}`);
      else entry.field.default = value;
    }

    /** The group in which a row stands, and its conditions with those of the group. */
    function placeOf(row: SurveyRow) {
      const { path, cells } = row;
      const outer: Group = groups.at(-1) ?? { conditions: [], isPage: false };
      const conditions = [...outer.conditions, cells.get("relevant") ?? ""].filter(Boolean);
      const lost = outer.lost ?? (conditions.length > maxConditions ? tooDeep : undefined);
      const origin = { path, key: cells.get("name"), label: cells.get("label") };
      draft.beginTexts();
      textIn(row, "label");
      const [hint, help] = ["hint", "guidance_hint"].map((column) => textIn(row, column));
      const description = [hint, help].filter(Boolean).join("\n");
      return { row, origin, hint, help, description, conditions, outer, lost };
    }
    type Place = ReturnType<typeof placeOf>;

    const parsed = new Map<string, Expression | undefined>();
    function parse(text: string): Expression | undefined {
      if (!parsed.has(text)) parsed.set(text, foreignExpression(text, xpath, draft));
      return parsed.get(text);
    }

    function addLogic(row: SurveyRow, entry: DraftEntry, conditions: readonly string[]): void {
      const { cells } = row;
      const [calculation, constraint] = [cells.get("calculation"), cells.get("constraint")];
      const [required = "no", message] = [cells.get("required"), cells.get("constraint_message")];
      if (calculation !== undefined) {
        const value = foreignExpression(calculation, xpath, draft, "value", entry);
        draft.setLogic(entry, "compute", value, calculation);
      }
      const known = conditions.map(parse).filter((each) => each !== undefined);
      if (known.length > 0) draft.setLogic(entry, "showIf", all(known), conditions.join(" and "));
      for (const text of conditions) if (!parse(text)) draft.setLogic(entry, "showIf", undefined, text);
      if (!truths.has(required.toLowerCase())) draft.setLogic(entry, "requireIf", parse(required), required);
      if (constraint === undefined) return;
      const found = foreignRule(constraint, xpath, draft, entry, !message) ?? { rule: undefined };
      const { rule, ...members } = found;
      Object.assign(entry.field, members);
      const names = Object.keys(members).join(", ");
      if (names && message)
        draft.lose(entry, "text", `The message for its ${names} is not kept: ${quote(message)}`);
      draft.beginTexts();
      if (message) textIn(row, "constraint_message");
      if ("rule" in found) draft.addRule(entry, rule, message, constraint);
    }

    for (const row of survey) {
      const type = (row.cells.get("type") ?? "").replace(/\s+/g, " ");
      const [, edge = "", of = ""] = groupType.exec(type) ?? [];
      if (type === "" || isYes(row.cells.get("disabled"))) continue;
      if (edge === "") ask(placeOf(row), type);
      else if (edge.toLowerCase() === "end") isAfterPage = groups.pop()?.isPage || isAfterPage;
      else begin(placeOf(row), of.toLowerCase() !== "group");
    }
    for (const each of kept) addLogic(...each);
    if (choices.some(({ cells }) => pictures.some((column) => cells.has(column))))
      draft.note("choices", "options", "Pictures and sounds of choices are not kept.");
    if (choices.some(({ cells }) => cells.get("label")?.includes("${")))
      draft.note("choices", "text", "Values in the texts of choices are not filled in.");
    for (const [name, text] of settings)
      if (!quietSettings.test(name) && truths.get(text.toLowerCase()) !== false)
        draft.note(`settings.${name}`, "setting", `${name} is not read: ${quote(text)}`);
    const page = pageLanguageOf(language);
    return draft.finish(
      settings.get("title") ?? settings.get("name"),
      undefined,
      isSet(page) ? { page } : {},
      language,
    );
  },
};
