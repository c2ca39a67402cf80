/** Rows about other questions, which become the expressions of a question's definition. */
import { parseLine } from "../../../fields/choice-lines.ts";
import { expressionType } from "../../../fields/conditions/check.ts";
import { ExpressionError } from "../../../fields/conditions/expression.ts";
import { typeOfField } from "../../../fields/conditions/logic.ts";
import { parse } from "../../../fields/conditions/parse.ts";
import { type Field, isRecord, parseFields } from "../../../fields/definition.ts";
import type { FormView } from "../form/form.tsx";
import { nameOfField } from "../form/issues.ts";
import { Wrong } from "../frame/form.tsx";
import {
  type Condition,
  type ConditionRow,
  choiceLabels,
  comparisons,
  expressionOf,
  type FindField,
  RowError,
  rowsOf,
} from "./condition-rows.ts";
import { rowWords } from "./condition-text.ts";
import { questionsText } from "./words.ts";

const { problems, relations } = questionsText.conditions;

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
      return new Wrong(problems[error.problem](question, row.value, choices), `${name}.value`);
    if (!(error instanceof ExpressionError)) throw error;
    return new Wrong(problems.noComparison(question, relations[row.comparison]), `${name}.comparison`);
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
    if (!message) return new Wrong(problems.noMessage, `${member}.${index}.message`);
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
