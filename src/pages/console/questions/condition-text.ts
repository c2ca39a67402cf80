/** Conditions on other questions as texts: sentences that people read, and rows that a form sends. */
import { parseLine } from "../../../fields/choice-lines.ts";
import { expressionType } from "../../../fields/conditions/check.ts";
import { describe } from "../../../fields/conditions/describe.ts";
import { ExpressionError, type Literal } from "../../../fields/conditions/expression.ts";
import { typeOfField } from "../../../fields/conditions/logic.ts";
import { parse } from "../../../fields/conditions/parse.ts";
import { labelIn } from "../../../fields/control-values.ts";
import { type Field, isRecord, parseFields } from "../../../fields/definition.ts";
import type { FormView } from "../form/form.tsx";
import { nameOfField } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { Wrong } from "../frame/form.tsx";
import { frameText } from "../frame/words.ts";
import type { Comparison, Condition, ConditionRow, FindField } from "./condition-rows.ts";
import { choiceLabels, comparisons, expressionOf, RowError, rowsOf, takesNoValue } from "./condition-rows.ts";
import { questionsText } from "./words.ts";

const words = questionsText.conditions;

export const rowWords = formText.fieldInput;

/** Returns the name of a comparison. Days and times come before or after each other. */
export const relationOf = (comparison: Comparison, field: Field | undefined): string => {
  const own = field?.fieldType.isTime ? words.timeRelations : {};
  return { ...words.relations, ...own }[comparison];
};

const nameIn = (fieldOf: FindField, id: string, otherwise = id): string => {
  const field = fieldOf(id);
  return field ? nameOfField(field) : otherwise;
};

function rowSentence({ field: id, comparison, value }: ConditionRow, fieldOf: FindField): string {
  const field = fieldOf(id);
  const relation = relationOf(comparison, field);
  const shown = field?.kind === "text" ? frameText.quoted(value) : value;
  return [nameIn(fieldOf, id), relation, ...(takesNoValue(comparison) ? [] : [shown])].join(" ");
}

export const sentenceOfRows = ({ joint, rows }: Condition, fieldOf: FindField): string =>
  rows.map((row) => rowSentence(row, fieldOf)).join(joint === "all" ? words.and : words.or);

/** Returns a condition as a sentence, or as it is written if no sentence expresses it. */
export function conditionSentence(source: string, fieldOf: FindField): string {
  const rows = rowsOf(source, fieldOf, rowWords);
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
  const earlier = fields.slice(0, at).filter(({ fieldType }) => fieldType.nature !== "none");
  return new Map(earlier.map((field) => [field.id, field]));
}

/** Returns the rows of a member, up to the last with a question. Undefined: it was sent as text. */
export function sentRows(values: URLSearchParams, member: string): Condition | undefined {
  const count = Number(values.get(`${member}.rows`) ?? Number.NaN);
  if (!Number.isInteger(count) || count < 0 || count > 200) return undefined;
  const rows = Array.from({ length: count }, (_, index) => {
    const of = (name: string) => values.get(`${member}.${index}.${name}`) ?? "";
    const comparison = comparisons.find((each) => each === of("comparison")) ?? "is";
    return { field: of("field"), comparison, value: of("value"), message: of("message") };
  });
  return {
    joint: values.get(`${member}.joint`) === "any" ? "any" : "all",
    rows: rows.slice(0, rows.findLastIndex(({ field }) => field !== "") + 1),
  };
}

/** Returns the expression of a row. Undefined: it names no question. @param name of the row's controls */
function expressionOfSent(row: ConditionRow, fields: Fields, name: string): string | Wrong | undefined {
  const field = fields.get(row.field);
  if (!field) return undefined;
  const question = nameOfField(field);
  try {
    const source = expressionOf({ joint: "all", rows: [row] }, finderIn(fields), rowWords);
    expressionType(parse(source), () => typeOfField(field));
    return source;
  } catch (error) {
    const choices = choiceLabels(field).slice(0, 20).join(", ");
    if (error instanceof RowError)
      return new Wrong(words.problems[error.problem](question, row.value, choices), `${name}.value`);
    if (!(error instanceof ExpressionError)) throw error;
    return new Wrong(
      words.problems.noComparison(question, words.relations[row.comparison]),
      `${name}.comparison`,
    );
  }
}

/** Returns the expression of rows, or "", or the first error. @param member the name of their control */
export function expressionIn(condition: Condition, fields: Fields, member: string): string | Wrong {
  const sources = condition.rows.map((row, index) => expressionOfSent(row, fields, `${member}.${index}`));
  const wrong = sources.find((source) => source instanceof Wrong);
  return wrong ?? expressionOf(condition, finderIn(fields), rowWords);
}

/** The rules of rows, or the first error. @param member the name of their control */
export function rulesOfRows(rows: readonly ConditionRow[], fields: Fields, member: string) {
  const rules: { rule: string; message: string }[] = [];
  for (const [index, row] of rows.entries()) {
    const rule = expressionOfSent(row, fields, `${member}.${index}`);
    const message = row.message?.trim();
    if (rule instanceof Wrong) return rule;
    if (rule === undefined) continue;
    if (!message) return new Wrong(words.problems.noMessage, `${member}.${index}.message`);
    rules.push({ rule, message });
  }
  return rules;
}

/** Divides rules that are lines: rows for the rules that rows can express, and the other lines. */
export function rowsOfRules(lines: readonly string[], fields: Fields) {
  const rows: ConditionRow[] = [];
  const others: string[] = [];
  for (const line of lines) {
    const entry = parseLine(line);
    const { value, label, rule = value, message = label } = isRecord(entry) ? entry : {};
    const isRule = typeof rule === "string" && typeof message === "string";
    const [row, ...more] = (isRule && rowsOf(rule, finderIn(fields), rowWords)?.rows) || [];
    if (row && more.length === 0) rows.push({ ...row, message: String(message) });
    else others.push(line);
  }
  return { rows, others };
}
