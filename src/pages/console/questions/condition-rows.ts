/** Conditions as rows of question, comparison and value, and back to expressions. Pure. */
import type { Expression, Literal } from "../../../fields/conditions/expression.ts";
import { parse } from "../../../fields/conditions/parse.ts";
import { printExpression } from "../../../fields/conditions/print.ts";
import { choicesOf } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import type { ValueWords } from "../../../fields/presentation.ts";
import { numberText, readNumbers } from "../../../fields/spelling.ts";
import { onlyOf, valuesOf } from "../../../fields/values.ts";
import { questionsEnglish } from "./words.en.ts";

const { relations } = questionsEnglish.conditions;

export type Comparison = keyof typeof relations;
/** Comparisons in the order of the list. */
export const comparisons = Object.keys(relations) as readonly Comparison[];

/** Finds a question by its id, if the expression may read it. */
export type FindField = (id: string) => Field | undefined;

export interface ConditionRow {
  field: string;
  comparison: Comparison;
  /** The text that people enter: the label of a choice, Yes or No, a number. */
  value: string;
  /** Message if a rule is violated. Only rules have one. */
  message?: string;
}

export interface Condition {
  /** `all`: each row must hold. */
  joint: "all" | "any";
  rows: readonly ConditionRow[];
}

type RowWords = Pick<ValueWords, "yes" | "no" | "locale">;

type RowProblem = "noValue" | "noNumber" | "noChoice" | "noYesOrNo";

export class RowError extends Error {
  constructor(readonly problem: RowProblem) {
    super(problem);
  }
}

export const takesNoValue = (comparison: Comparison): boolean =>
  comparison === "has" || comparison === "hasNot";

const operators: Partial<Record<Comparison, string>> = {
  is: "==",
  isNot: "!=",
  atLeast: ">=",
  atMost: "<=",
  moreThan: ">",
  lessThan: "<",
};
const byOperator = new Map(Object.entries(operators).map(([name, op]) => [op, name as Comparison]));

export const isYesOrNo = ({ fieldType }: Field): boolean => fieldType.nature === "yesNo";
const isList = ({ fieldType }: Field): boolean => fieldType.nature === "choices";
const hasOptions = (field: Field): boolean => field.fieldType.nature === "choice" || isList(field);

/** Returns the labels of the choices of a question, if it has choices. */
export const choiceLabels = (field: Field): string[] =>
  hasOptions(field) ? choicesOf(field.constraints.options).map(({ label }) => label) : [];

/** Between the values of a list. A comma may also be a sign of a number, in which no space follows it. */
const separatorsOf = ({ fieldType }: Field) =>
  fieldType.nature === "number" ? { split: /;|,\s/, join: "; " } : { split: ",", join: ", " };

const node = (op: string, args: readonly Expression[] = [], value?: Literal): Expression =>
  value === undefined ? { op, args, at: 0 } : { op, args, value, at: 0 };
const literal = (value: Literal): Expression =>
  node(typeof value === "number" && Number.isSafeInteger(value) ? "int" : "value", [], value);
const negated = (expression: Expression): Expression => node("!", [expression]);

const fold = (text: string): string => text.trim().toLocaleLowerCase();

/** @throws {RowError} */
function literalOf(entered: string, field: Field, words: RowWords): Expression {
  const value = entered.trim();
  if (value === "") throw new RowError("noValue");
  if (isYesOrNo(field)) {
    const known = [words.yes, words.no].map(fold).indexOf(fold(value));
    if (known < 0) throw new RowError("noYesOrNo");
    return literal(known === 0);
  }
  if (field.fieldType.nature === "number") {
    const number = onlyOf(readNumbers(value, words, field.kind !== "number"));
    if (number === undefined) throw new RowError("noNumber");
    return literal(number);
  }
  if (!hasOptions(field)) return literal(value);
  const { options, allowOther } = field.constraints;
  const labels = choiceLabels(field);
  const texts = valuesOf(options).map(String);
  const index = [labels, texts, labels.map(fold)]
    .map((names, at) => names.indexOf(at === 2 ? fold(value) : value))
    .find((found) => found >= 0);
  if (index !== undefined) return literal(valuesOf(options)[index] as Literal);
  if (allowOther) return literal(value);
  throw new RowError("noChoice");
}

/** @throws {RowError} */
function expressionOfRow(row: ConditionRow, field: Field, words: RowWords): Expression {
  const { comparison, value } = row;
  const of = node(".", [node("data")], field.id);
  const one = () => literalOf(value, field, words);
  switch (comparison) {
    case "has":
      return node("has", [of]);
    case "hasNot":
      return negated(node("has", [of]));
    case "contains":
    case "containsNot": {
      const includes = isList(field) ? node("in", [one(), of]) : node("contains", [of, one()]);
      return comparison === "contains" ? includes : negated(includes);
    }
    case "startsWith":
    case "endsWith":
      return node(comparison, [of, one()]);
    case "isOneOf": {
      const items = value.split(separatorsOf(field).split).map((each) => literalOf(each, field, words));
      return node("in", [of, node("list", items)]);
    }
    default: {
      // has() takes only names as ids, and a yes or no needs no comparison.
      const right = one();
      if (isYesOrNo(field) && (comparison === "is" || comparison === "isNot"))
        return right.value === (comparison === "is") ? of : negated(of);
      return node(operators[comparison] as string, [of, right]);
    }
  }
}

/** Any id: has() takes names only. */
const printable = (expression: Expression): Expression => {
  const [of] = expression.args;
  if (expression.op === "!" && of) return negated(printable(of));
  if (expression.op !== "has" || /^[_a-zA-Z]\w*$/.test(String(of?.value))) return expression;
  return node("in", [literal(String(of?.value)), node("data")]);
};

/**
 * Returns the expression of rows. Rows without a question are omitted; it is empty without rows.
 * @throws {RowError} for the first row whose value its question cannot have
 */
export function expressionOf({ joint, rows }: Condition, fieldOf: FindField, words: RowWords): string {
  const parts = rows.flatMap((row) => {
    const field = fieldOf(row.field);
    return field ? [printable(expressionOfRow(row, field, words))] : [];
  });
  const [first] = parts;
  if (!first) return "";
  return printExpression(parts.length === 1 ? first : node(joint === "all" ? "&&" : "||", parts));
}

/** Returns rows with the meaning of an expression. Undefined: rows cannot express it. */
export function rowsOf(source: string, fieldOf: FindField, words: RowWords): Condition | undefined {
  if (source.trim() === "") return { joint: "all", rows: [] };
  try {
    const expression = parse(source);
    const isAny = expression.op === "||";
    const parts = isAny || expression.op === "&&" ? expression.args : [expression];
    const rows = parts.map((part) => rowOf(part, fieldOf, words));
    return rows.every((row) => row !== undefined) ? { joint: isAny ? "any" : "all", rows } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a value as people enter it. Undefined: they could not enter it. */
function textOf(value: Literal, field: Field, words: RowWords): string | undefined {
  const index = hasOptions(field) ? valuesOf(field.constraints.options).indexOf(value) : -1;
  const yesOrNo = value ? words.yes : words.no;
  const plain = typeof value === "number" ? numberText(value, words.locale, "ungrouped") : String(value);
  const text = typeof value === "boolean" ? yesOrNo : (choiceLabels(field)[index] ?? plain);
  try {
    return literalOf(text, field, words).value === value ? text : undefined;
  } catch {
    return undefined;
  }
}

function rowOf(expression: Expression, fieldOf: FindField, words: RowWords): ConditionRow | undefined {
  const { op, args } = expression;
  const [a, b] = args;
  if (op === "!") {
    const inner = a && rowOf(a, fieldOf, words);
    if (!inner) return undefined;
    if (a.op === ".") return { ...inner, value: words.no };
    const opposites: Partial<Record<Comparison, Comparison>> = { has: "hasNot", contains: "containsNot" };
    const comparison = opposites[inner.comparison];
    return comparison && { ...inner, comparison };
  }
  const fieldIn = (each: Expression | undefined) =>
    each?.op === "." && each.args[0]?.op === "data" ? fieldOf(String(each.value)) : undefined;
  const row = (field: Field | undefined, comparison: Comparison, right?: Expression) => {
    if (!field) return undefined;
    const isLiteral = right?.op === "value" || right?.op === "int";
    const entered = right ? isLiteral && textOf(right.value as Literal, field, words) : "";
    return typeof entered === "string" ? { field: field.id, comparison, value: entered } : undefined;
  };
  if (op === ".") {
    const field = fieldIn(expression);
    return field && isYesOrNo(field) ? { field: field.id, comparison: "is", value: words.yes } : undefined;
  }
  if (op === "has") return row(fieldIn(a), "has");
  if (op === "in" && b?.op === "data") return row(fieldOf(String(a?.value)), "has");
  if (op === "in" && b?.op === "list") return listRow(fieldIn(a), b, words);
  const field = fieldIn(op === "in" ? b : a);
  if (op === "in") return field && isList(field) ? row(field, "contains", a) : undefined;
  if (op === "contains" || op === "startsWith" || op === "endsWith") return row(field, op, b);
  const comparison = byOperator.get(op);
  return comparison && row(field, comparison, b);
}

function listRow(field: Field | undefined, { args }: Expression, words: RowWords): ConditionRow | undefined {
  if (!field || args.length === 0) return undefined;
  const values = args.map((each) => textOf(each.value as Literal, field, words));
  const { split, join } = separatorsOf(field);
  const isPlain = (text: string | undefined) =>
    text !== undefined && text.split(split).length === 1 && text.trim() === text;
  return values.every(isPlain)
    ? { field: field.id, comparison: "isOneOf", value: values.join(join) }
    : undefined;
}
