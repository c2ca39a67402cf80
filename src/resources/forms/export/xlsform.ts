/** A form as XLSForm, the workbook of ODK and Kobo. What has no counterpart there is listed. */
import { type Formula, type Logic, logicMembers, parseLogic } from "../../../fields/conditions/logic.ts";
import { valuesOf } from "../../../fields/constraints.ts";
import { choicesOf } from "../../../fields/control-values.ts";
import { type Field, parseFields } from "../../../fields/definition.ts";
import { nameOfLanguage } from "../../../fields/languages.ts";
import { translationAt } from "../../../fields/translations.ts";
import type { FieldKind } from "../../../fields/types.ts";
import { isEmpty, isRecord } from "../../../fields/values.ts";
import { type Sheet, workbookOf } from "../../submissions/workbook.ts";
import { contentOf, type FileContent } from "../file.ts";
import { attempt } from "../import/dialects.ts";
import { xpathOf, xpathText } from "./xpath.ts";

type Row = Readonly<Record<string, string | undefined>>;

/** The rows of the workbook, by sheet, and what has no counterpart. */
export interface Xlsform {
  survey: Row[];
  choices: Row[];
  settings: Row[];
  lost: string[];
}

interface Counterpart {
  readonly type: string;
  readonly appearance?: string;
  /** The part that is lost. */
  readonly loss?: string;
}

/** The list of choices of questions with yes or no. */
const yesNoList = "formd_yes_no";

const counterparts: Readonly<Record<Exclude<FieldKind, "statement">, Counterpart>> = {
  text: { type: "text" },
  textarea: { type: "text", appearance: "multiline" },
  email: { type: "text", loss: "is a text that need not be an e-mail address" },
  phone: { type: "text", loss: "is a text that need not be a telephone number" },
  url: { type: "text", loss: "is a text that need not be a URL" },
  hidden: { type: "hidden" },
  number: { type: "decimal" },
  integer: { type: "integer" },
  rating: { type: "range" },
  boolean: { type: `select_one ${yesNoList}` },
  consent: { type: "acknowledge" },
  select: { type: "select_one" },
  multi_select: { type: "select_multiple" },
  ranking: { type: "rank" },
  date: { type: "date" },
  time: { type: "time" },
  datetime: { type: "dateTime" },
  file: { type: "file" },
  address: { type: "text", loss: "is one question for each part" },
  matrix: { type: "select_one", loss: "is one question for each row" },
};

const columns = {
  survey: [
    ...["type", "name", "label", "hint", "guidance_hint", "required", "relevant", "constraint"],
    ...["constraint_message", "calculation", "default", "appearance", "parameters", "read_only"],
  ],
  choices: ["list_name", "name", "label"],
  settings: ["form_title", "form_id", "style", "default_language"],
} as const;

/** Constraints as XPath. Empty: another column has it. Undefined, or absent: it has no counterpart. */
const checks: Readonly<Record<string, (value: never, field: Field) => string | undefined>> = {
  minLength: (least: number) => `string-length(.) >= ${least}`,
  maxLength: (most: number) => `string-length(.) <= ${most}`,
  pattern: (pattern: string) => {
    const isWhole = /^\^[^|]*[^\\|]\$$/.test(pattern);
    return attempt(() => `regex(., ${xpathText(isWhole ? pattern : `[\\s\\S]*(?:${pattern})[\\s\\S]*`)})`);
  },
  minimum: (least, field) => bound(">=", least, field),
  maximum: (most, field) => bound("<=", most, field),
  multipleOf: (step: number) => (Number.isInteger(step) ? `. mod ${step} = 0` : undefined),
  minItems: (least: number, { kind }) => (kind === "file" ? undefined : `count-selected(.) >= ${least}`),
  maxItems: (most: number, { kind }) =>
    kind !== "file" ? `count-selected(.) <= ${most}` : most === 1 ? "" : undefined,
  accept: (_, field) => (mediaOf(field) ? "" : undefined),
  ...{ options: () => "", allowOther: () => "", rows: () => "", columns: () => "" },
};

function bound(sign: string, value: unknown, { kind }: Field): string | undefined {
  if (kind === "rating") return "";
  if (kind === "number" || kind === "integer") return `. ${sign} ${value}`;
  return kind === "time" ? undefined : `. ${sign} ${kind === "date" ? "date" : "date-time"}('${value}')`;
}

/** Members of a field that are written, beside its constraints. */
const members: readonly string[] = [
  ...["id", "type", "label", "description", "help", "required", "default", "validation"],
  ...logicMembers,
];

/** The kind of media that a question for files takes. */
const mediaOf = ({ constraints: { accept } }: Field): string | undefined =>
  ["image", "audio", "video"].find((kind) => accept?.every((each) => each.startsWith(`${kind}/`)));

/** A text in which nothing is a reference to a question. */
const shown = (text: unknown): string | undefined =>
  typeof text === "string" && text !== "" ? text.replaceAll("${", "$ {") : undefined;

/** Conditions that must all hold; those without a counterpart are none. */
function allOf(parts: readonly (string | undefined)[]): string | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length > 1 ? known.map((part) => `(${part})`).join(" and ") : known[0];
}

/** Makes names that XML has, and that differ in more than capitals. */
function namesIn(taken: Set<string>) {
  return (wanted: string): string => {
    const base = wanted.replace(/[^\w.-]/g, "_").replace(/^(?![A-Za-z_])/, "_");
    let name = base;
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${base}_${number}`;
    taken.add(name.toLowerCase());
    return name;
  };
}

/** Writes the workbook. `lost`: what has no counterpart, as sentences. */
export async function xlsformOf(content: FileContent): Promise<{ bytes: Uint8Array; lost: string[] }> {
  const { lost, ...rows } = xlsformRows(content);
  const sheets = (["survey", "choices", "settings"] as const).map((name): Sheet => {
    const used = [...new Set(rows[name].flatMap((row) => Object.keys(row)))];
    const headers = columns[name].flatMap((column) =>
      used.filter(
        (each) => each.split("::")[0] === column && rows[name].some((row) => row[each] !== undefined),
      ),
    );
    async function* cells() {
      for (const row of rows[name]) yield headers.map((column) => row[column] ?? null);
    }
    return { name, headers, rows: cells() };
  });
  const parts = await Array.fromAsync(workbookOf(sheets));
  return { bytes: new Uint8Array(await new Blob(parts).arrayBuffer()), lost };
}

/** The rows of the workbook's sheets. */
export function xlsformRows(content: FileContent): Xlsform {
  const { name: title, description, schema, settings: own } = contentOf(content);
  const fields = parseFields(schema);
  const { fields: logic } = parseLogic(fields);
  const byId = new Map(fields.map((field) => [field.id, field]));
  const [survey, choices, lost]: [Row[], Row[], string[]] = [[], [], []];
  const [first, ...others] = own.languages ?? [];
  const languageName = (tag: string) => `${nameOfLanguage(tag, "en")} (${tag})`;
  /** A text in the other languages, each in its column. */
  const inOthers = (column: string, textIn: (tag: string) => string | undefined): Row =>
    Object.fromEntries(
      others.flatMap((tag) => {
        const text = shown(textIn(tag));
        return text === undefined ? [] : [[`${column}::${languageName(tag)}`, text]];
      }),
    );
  const translationsOf = ({ definition, constraints: { rows } }: Field, part = ""): Row => ({
    ...inOthers("label", (tag) => {
      const label = translationAt(definition, tag, ["label"]);
      const row = translationAt(definition, tag, ["rows", part]) ?? part;
      return rows && part !== "" && label !== undefined ? `${label}: ${row}` : label;
    }),
    ...inOthers("hint", (tag) => translationAt(definition, tag, ["description"])),
    ...inOthers("guidance_hint", (tag) => translationAt(definition, tag, ["help"])),
  });
  const nameFor = namesIn(new Set(["meta", "data"]));
  const names = new Map<string, string>();
  const options = new Map<string, ReadonlyMap<unknown, string>>();
  const scope = {
    field: (id: string) => byId.get(id),
    name: (id: string, part = "") =>
      part === "" && byId.get(id)?.fieldType.nature === "parts" ? undefined : names.get(`${id}\n${part}`),
    option: (id: string, value: unknown) => options.get(id)?.get(value) ?? String(value),
  };
  const lose = ({ label, id }: Field, loss: string) => lost.push(`“${label || id}” ${loss}.`);
  const printed = (field: Field, { expression, source }: Formula, use: "condition" | "rule" | "value") => {
    const text = xpathOf(expression, use, scope, field.id);
    if (text === undefined) lose(field, `loses ${source}`);
    return text;
  };

  function nameField(field: Field): void {
    const { id, fieldType, constraints } = field;
    const name = nameFor(id);
    const parts = fieldType.nature === "parts" ? fieldType.parts(constraints) : undefined;
    names.set(`${id}\n`, name);
    for (const part of parts ?? []) names.set(`${id}\n${part}`, nameFor(`${name}_${part}`));
    if (name !== id) lose(field, `has the name ${name}`);
    const list = constraints.options ?? constraints.columns ?? [];
    const taken = new Set<string>();
    const member = constraints.options ? "options" : "columns";
    const texts = choicesOf(list).map(({ value, label }) => {
      let choice = value.replace(/\s/g, "_");
      while (taken.has(choice)) choice += "_";
      taken.add(choice);
      choices.push({
        ...{ list_name: name, name: choice, label: shown(label) ?? choice },
        ...inOthers("label", (tag) => translationAt(field.definition, tag, [member, value])),
      });
      if (choice !== value) lose(field, `has the value ${choice} for ${value}`);
      return choice;
    });
    options.set(id, new Map(valuesOf(list).map((value, index) => [value, texts[index] ?? ""])));
  }

  /** Lists the members that no column has, also those of the entries of its lists. */
  function loseMembers(field: Field): void {
    const { id, label, kind, fieldType, constraints, definition } = field;
    const { options = [], rows = [], columns: across = [] } = constraints;
    const entries = [...options, ...rows, ...across].filter(isRecord).flatMap(Object.entries);
    const known = [
      ...members,
      ...Object.keys(fieldType.constraints),
      ...(others.length > 0 ? ["translations"] : []),
    ];
    const found = [
      ...Object.entries(definition).filter(([name]) => !known.includes(name)),
      ...entries.filter(([name]) => !["id", "value", "label"].includes(name)),
      ...(kind === "hidden" && label !== id ? [["label", label] as const] : []),
    ];
    const set = found.filter(([, value]) => value !== false && !isEmpty(value));
    for (const name of new Set(set.map(([name]) => name))) lose(field, `loses ${name}`);
  }

  function constraintsOf(field: Field): string[] {
    const { constraints, ownerSet } = field;
    const limits = [...ownerSet].map((name) => {
      const limit = checks[name]?.(constraints[name as keyof typeof constraints] as never, field);
      if (limit === undefined) lose(field, `loses ${name}`);
      return limit;
    });
    return limits.filter((limit) => limit !== undefined && limit !== "") as string[];
  }

  function question(field: Field, own: Logic | undefined): Row {
    const { id, kind, constraints, definition } = field;
    const {
      type,
      appearance,
      loss = kind ? undefined : "is a text",
    } = counterparts[(kind ?? "text") as "text"];
    if (loss !== undefined) lose(field, loss);
    const name = names.get(`${id}\n`);
    const rules = own?.rules.map(({ formula }) => printed(field, formula, "rule")) ?? [];
    const calculation = own?.compute && printed(field, own.compute, "value");
    const isHidden = kind === "hidden";
    const list = (constraints.options ?? constraints.columns) ? ` ${name}` : "";
    return {
      type:
        isHidden && calculation !== undefined
          ? "calculate"
          : (mediaOf(field) ?? `${type}${list}${constraints.allowOther ? " or_other" : ""}`),
      ...{ name, label: isHidden ? undefined : (shown(field.label) ?? id), calculation, appearance },
      ...{ hint: shown(definition.description), guidance_hint: shown(definition.help) },
      required: field.required ? "yes" : own?.requireIf && printed(field, own.requireIf, "condition"),
      constraint: allOf([...constraintsOf(field), ...rules]),
      constraint_message: shown(own?.rules.map(({ message }) => message).join(" ")),
      ...(own?.rules.length === 1 &&
        inOthers("constraint_message", (tag) => translationAt(definition, tag, ["messages", "0"]))),
      default: defaultOf(field),
      parameters:
        kind === "rating" ? `start=${constraints.minimum} end=${constraints.maximum} step=1` : undefined,
      read_only: calculation !== undefined && !isHidden ? "yes" : undefined,
    };
  }

  function defaultOf({ id, kind, definition: { default: value } }: Field): string | undefined {
    if (isEmpty(value) || isRecord(value) || (kind === "consent" && value === false)) return undefined;
    return kind === "consent"
      ? "OK"
      : [value]
          .flat()
          .map((each) => scope.option(id, each))
          .join(" ");
  }

  if (description) lost.push("The form loses its description.");
  for (const name of Object.keys(own).filter((each) => each !== "languages"))
    lost.push(`The form loses settings.${name}.`);
  for (const field of fields) nameField(field);
  if (fields.some(({ kind }) => kind === "boolean"))
    for (const [name, label] of Object.entries({ true: "Yes", false: "No" }))
      choices.push({ list_name: yesNoList, name, label });
  const isPaged = fields.some(({ type }) => type === "page_break");
  const page = { type: "begin_group", appearance: "field-list" };
  if (isPaged) survey.push({ ...page, name: nameFor("page") });
  let step: Formula | undefined;
  for (const field of fields) {
    const { id, type, fieldType, constraints, definition } = field;
    const own = logic.get(id);
    const name = scope.name(id);
    const isBreak = type === "page_break";
    loseMembers(field);
    if (isBreak) step = own?.showIf[0];
    const conditions = own?.showIf.filter((each) => isBreak || each !== step) ?? [];
    const relevant = allOf(conditions.map((each) => printed(field, each, "condition")));
    const shownText: Row = {
      ...{ name, label: shown(field.label), hint: shown(definition.description), relevant },
      ...(fieldType.nature === "none" && translationsOf(field)),
    };
    if (isBreak) survey.push({ type: "end_group" }, { ...page, ...shownText });
    else if (fieldType.nature === "none") {
      if (type === "divider") lose(field, "is left out");
      else survey.push({ type: "note", ...shownText });
    } else {
      const row: Row = { ...question(field, own), relevant };
      const parts = fieldType.nature === "parts" ? fieldType.parts(constraints) : undefined;
      const labels = new Map(choicesOf(constraints.rows ?? []).map(({ value, label }) => [value, label]));
      for (const part of parts ?? [""])
        survey.push({
          ...row,
          name: scope.name(id, part),
          label: part ? `${row.label}: ${shown(labels.get(part) ?? part)}` : row.label,
          ...(field.kind !== "hidden" && translationsOf(field, part)),
        });
    }
  }
  if (isPaged) survey.push({ type: "end_group" });
  const settings = [
    {
      ...{ form_title: title, form_id: namesIn(new Set())(title), ...(isPaged && { style: "pages" }) },
      ...(first !== undefined && { default_language: languageName(first) }),
    },
  ];
  return { survey, choices, settings, lost };
}
