/** Conditions on other questions as texts: sentences that people read, and rows that a form sends. */
import { expressionType } from "../../../fields/conditions/check.ts";
import { describe } from "../../../fields/conditions/describe.ts";
import { ExpressionError, type Literal } from "../../../fields/conditions/expression.ts";
import { typeOfField } from "../../../fields/conditions/logic.ts";
import { parse } from "../../../fields/conditions/parse.ts";
import { labelIn } from "../../../fields/control-values.ts";
import { type Field, isRecord, parseFields } from "../../../fields/definition.ts";
import { dayText } from "../../../fields/spelling.ts";
import { timeZoneOfForm } from "../../ui/language.ts";
import type { FormView } from "../form/form.tsx";
import { nameOfField } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import { Wrong } from "../frame/form.tsx";
import { frameText } from "../frame/words.ts";
import type { Comparison, Condition, ConditionRow, FindField } from "./condition-rows.ts";
import { comparisons, expressionOf, isPicked, RowError, rowsOf, takesNoValue } from "./condition-rows.ts";
import { questionsText } from "./words.ts";

const words = questionsText.conditions;

/** Words of values, and the zone of times, by which rows are read and written. */
export function rowWords() {
  const { yes, no, locale } = formText.fieldInput;
  return { yes, no, locale, timeZone: timeZoneOfForm() ?? "UTC" };
}

/** Returns the name of a comparison. Days and times come before or after each other. */
export const relationOf = (comparison: Comparison, field: Field | undefined): string => {
  const { nature, isTime } = field?.fieldType ?? {};
  const own = isTime ? words.timeRelations : nature === "choices" ? words.listRelations : {};
  return { ...words.relations, ...own }[comparison];
};

const nameIn = (fieldOf: FindField, id: string, otherwise = id): string => {
  const field = fieldOf(id);
  return field ? nameOfField(field) : otherwise;
};

/** A value as a sentence has it: texts in quotation marks, days and times as people write them. */
function valueText(value: string, field: Field | undefined): string {
  if (field?.kind === "text") return frameText.quoted(value);
  if (field?.kind === "date") return dayText(value, formText.fieldInput);
  return field?.kind === "datetime" ? value.replace("T", " ") : value;
}

function rowSentence({ field: id, comparison, values }: ConditionRow, fieldOf: FindField): string {
  const field = fieldOf(id);
  const relation = relationOf(comparison, field);
  const shown = values.map((value) => valueText(value, field)).join(", ");
  return [nameIn(fieldOf, id), relation, ...(takesNoValue(comparison) ? [] : [shown])].join(" ");
}

export const sentenceOfRows = ({ joint, rows }: Condition, fieldOf: FindField): string =>
  rows.map((row) => rowSentence(row, fieldOf)).join(joint === "all" ? words.and : words.or);

/** Returns a condition as a sentence, or as it is written if no sentence expresses it. */
export function conditionSentence(source: string, fieldOf: FindField): string {
  const rows = rowsOf(source, fieldOf, rowWords());
  if (rows) return sentenceOfRows(rows, fieldOf);
  const field = (id: string) => nameIn(fieldOf, id);
  const option = (id: string, value: Literal) => labelIn(fieldOf(id)?.constraints.options, value);
  try {
    return describe(parse(source), { field, option }, words.described) ?? formulaText(source, fieldOf);
  } catch {
    return source;
  }
}

/** Returns a formula with the names of the questions in place of their ids. */
export const formulaText = (source: string, fieldOf: FindField): string =>
  source.replace(/\bdata\.([_a-zA-Z]\w*)|\bdata\[(["'])(.*?)\2\]/g, (written, name, _, quoted) =>
    nameIn(fieldOf, name ?? quoted, written),
  );

const own = (field: Field, name: string): string | undefined => {
  const value = Object.hasOwn(field.definition, name) ? field.definition[name] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
};

/** Texts of the list of questions about one: "if Country is Germany". */
export function dependenciesOf(field: Field, fieldOf: FindField): string[] {
  const { list } = words;
  const [showIf, requireIf, compute] = ["showIf", "requireIf", "compute"].map((name) => own(field, name));
  const { rules } = field.definition;
  return [
    showIf !== undefined && list.if(conditionSentence(showIf, fieldOf)),
    requireIf !== undefined && list.requiredIf(conditionSentence(requireIf, fieldOf)),
    compute !== undefined && list.calculated(formulaText(compute, fieldOf)),
    Array.isArray(rules) && rules.length > 0 && list.rules(rules.length),
  ].filter((each) => typeof each === "string");
}

/** Questions that a question may name, by id. A new question has a blank, which is not a valid id. */
export type Fields = ReadonlyMap<string, Field>;
export const newId = " ";

export const finderIn =
  (fields: Fields): FindField =>
  (id) =>
    fields.get(id);

/**
 * Returns the questions before one.
 * @param id absent: it is new
 * @param after the id of the question before a new one; empty: it is the first; null: the last
 */
export function fieldsBefore(form: FormView, id: unknown, after: string | null): Fields {
  const fields = parseFields(form.schema);
  const previous = after === "" ? 0 : fields.findIndex((field) => field.id === after) + 1 || fields.length;
  const at = id === undefined ? previous : fields.findIndex((field) => field.id === id);
  const earlier = fields
    .slice(0, at)
    .filter(({ fieldType }) => fieldType.nature !== "none" && fieldType.nature !== "files");
  return new Map(earlier.map((field) => [field.id, field]));
}

/**
 * Returns the rows of a member, up to the last with a question or a text. Undefined: it was sent as text. A
 * row whose button "Remove" was pressed is left out.
 */
export function sentRows(values: URLSearchParams, member: string): Condition | undefined {
  const count = Number(values.get(`${member}.rows`) ?? Number.NaN);
  if (!Number.isInteger(count) || count < 0 || count > 200) return undefined;
  const rows = Array.from({ length: count }, (_, index): ConditionRow => {
    const name = `${member}.${index}`;
    const of = (part: string) => values.get(`${name}.${part}`) ?? "";
    const comparison = comparisons.find((each) => each === of("comparison")) ?? "is";
    const texts = values.getAll(`${name}.value`).filter((text) => text.trim() !== "");
    const stored = of("stored") === "" ? undefined : Number(of("stored"));
    const row = { field: of("field"), comparison, values: texts, message: of("message"), stored };
    return values.has(`${name}.rule`) ? { ...row, rule: of("rule") } : row;
  }).filter((_, index) => values.get(resumeField) !== `${member}.${index}.remove`);
  const isUsed = ({ field, rule }: ConditionRow) => field !== "" || rule !== undefined;
  return {
    joint: values.get(`${member}.joint`) === "any" ? "any" : "all",
    rows: rows.slice(0, rows.findLastIndex(isUsed) + 1),
  };
}

/** Returns the expression of a row. Undefined: no question is chosen. @param name of the row's controls */
export function expressionOfSent(
  row: ConditionRow,
  fields: Fields,
  name: string,
): string | Wrong | undefined {
  const field = fields.get(row.field);
  if (row.field === "") return undefined;
  if (!field) return new Wrong(words.problems.noQuestion, `${name}.field`);
  const question = nameOfField(field);
  try {
    const source = expressionOf({ joint: "all", rows: [row] }, finderIn(fields), rowWords());
    expressionType(parse(source), () => typeOfField(field));
    return source;
  } catch (error) {
    if (error instanceof RowError) {
      const problem = isPicked(field) ? "noChoice" : error.problem;
      return new Wrong(words.problems[problem](question), `${name}.value`);
    }
    if (!(error instanceof ExpressionError)) throw error;
    return new Wrong(
      words.problems.noComparison(question, relationOf(row.comparison, field)),
      `${name}.comparison`,
    );
  }
}

/** Returns the expression of rows, or "", or the first error. @param member the name of their control */
export function expressionIn(condition: Condition, fields: Fields, member: string): string | Wrong {
  const sources = condition.rows.map((row, index) => expressionOfSent(row, fields, `${member}.${index}`));
  const wrong = sources.find((source) => source instanceof Wrong);
  return wrong ?? expressionOf(condition, finderIn(fields), rowWords());
}

/**
 * The rules of rows, or the first error. A rule that is as it was drawn stays as it is stored.
 * @param stored the rules of the definition
 */
export function rulesOfRows(rows: readonly ConditionRow[], fields: Fields, stored: readonly unknown[]) {
  const rules: unknown[] = [];
  for (const [index, row] of rows.entries()) {
    const name = `rules.${index}`;
    const before = row.stored === undefined ? undefined : stored[row.stored];
    const message = row.message?.trim();
    const rule = row.rule === undefined ? expressionOfSent(row, fields, name) : row.rule.trim();
    if (rule instanceof Wrong) return rule;
    const shown = before === undefined ? undefined : textsOfRule(before);
    if (shown && rule === shown.rule.trim() && message === shown.message.trim()) rules.push(before);
    else if (rule && message) rules.push({ ...(isRecord(before) ? before : {}), rule, message });
    else if (rule) return new Wrong(words.problems.noMessage, `${name}.message`);
  }
  return rules;
}

const textIn = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

/** The texts that a row shows for a stored rule, which in a draft may be any JSON value. */
const textsOfRule = (entry: unknown) =>
  isRecord(entry)
    ? { rule: textIn(entry.rule), message: textIn(entry.message) }
    : { rule: textIn(entry), message: "" };

/** Returns rows for stored rules: with an expression where a comparison cannot express one. */
export const rowsOfRules = (stored: readonly unknown[], fields: Fields): ConditionRow[] =>
  stored.map((entry, index) => {
    const texts = textsOfRule(entry);
    const rows = rowsOf(texts.rule, finderIn(fields), rowWords())?.rows ?? [];
    const [row = { field: "", comparison: "is" as const, values: [] }] = rows;
    const isRow = rows.length === 1 && texts.message !== "";
    return { ...row, message: texts.message, stored: index, ...(!isRow && { rule: texts.rule }) };
  });
