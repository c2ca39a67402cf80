/** Conditions as rows of question, comparison and values, and back to expressions. Pure. */
import type { Expression, Literal } from "../../../fields/conditions/expression.ts";
import { parse } from "../../../fields/conditions/parse.ts";
import { printExpression } from "../../../fields/conditions/print.ts";
import { choicesOf } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { isWellFormed } from "../../../fields/entered.ts";
import type { Nature } from "../../../fields/field-type.ts";
import type { ValueWords } from "../../../fields/presentation.ts";
import { numberText, readNumbers } from "../../../fields/spelling.ts";
import { instantsOf, localOf } from "../../../fields/time-zones.ts";
import { onlyOf, valuesOf } from "../../../fields/values.ts";
import { questionsEnglish } from "./words.en.ts";

const { relations } = questionsEnglish.conditions;

export type Comparison = keyof typeof relations;
export const comparisons = Object.keys(relations) as readonly Comparison[];

const ordered = ["atLeast", "atMost", "moreThan", "lessThan"] as const;
const ofText = ["contains", "containsNot", "startsWith", "endsWith"] as const;
const byNature: Record<Nature, readonly Comparison[]> = {
  any: ["is", "isNot", "isOneOf", ...ofText],
  choice: ["is", "isNot", "isOneOf"],
  choices: ["contains", "containsNot"],
  files: [],
  none: [],
  number: ["is", "isNot", ...ordered, "isOneOf"],
  parts: [],
  text: ["is", "isNot", "isOneOf", ...ofText],
  yesNo: ["is"],
};

/** Returns the comparisons that fit the values of a question, in the order of the list. */
export const comparisonsOf = ({ fieldType: { nature, isTime } }: Field): Comparison[] => [
  ...(isTime ? (["is", "isNot", ...ordered] as const) : byNature[nature]),
  ...(["has", "hasNot"] as const),
];

/** Finds a question by its id, if the expression may read it. */
export type FindField = (id: string) => Field | undefined;

export interface ConditionRow {
  field: string;
  comparison: Comparison;
  /** Texts that people enter or pick: labels of choices, Yes or No, numbers. Only `isOneOf` has several. */
  values: readonly string[];
  /** Message if a rule is violated. Only rules have one. */
  message?: string;
  /** Expression of a rule in place of the other members. */
  rule?: string;
  /** Index of the stored rule that it was drawn from. */
  stored?: number | undefined;
}

export interface Condition {
  /** `all`: each row must hold. */
  joint: "all" | "any";
  rows: readonly ConditionRow[];
}

type RowWords = Pick<ValueWords, "yes" | "no" | "locale" | "timeZone">;

type RowProblem = "noValue" | "noNumber" | "noChoice" | "noTime";

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

const isYesOrNo = ({ fieldType }: Field): boolean => fieldType.nature === "yesNo";
const isList = ({ fieldType }: Field): boolean => fieldType.nature === "choices";
const hasOptions = (field: Field): boolean => field.fieldType.nature === "choice" || isList(field);

const choiceLabels = ({ constraints }: Field): string[] =>
  choicesOf(constraints.options).map(({ label }) => label);

/** Returns the steps of a short scale. */
function stepsOf({ kind, constraints: { minimum, maximum } }: Field): number[] | undefined {
  const [first, last] = [Number(minimum), Number(maximum)];
  const isScale = kind === "rating" && Number.isInteger(first) && last - first <= maxSteps;
  return isScale
    ? Array.from({ length: Math.max(0, last - first + 1) }, (_, step) => first + step)
    : undefined;
}
const maxSteps = 20;

/** True if people pick the values of a question, and do not enter them. */
export const isPicked = (field: Field): boolean =>
  isYesOrNo(field) || hasOptions(field) || stepsOf(field) !== undefined;

/** Texts of the values from which people pick one, with their labels. Undefined: they enter a text. */
export function picksOf(field: Field, words: RowWords): { value: string; label: string }[] | undefined {
  if (isYesOrNo(field)) return [words.yes, words.no].map((text) => ({ value: text, label: text }));
  const steps = stepsOf(field)?.map(String);
  if (steps) return steps.map((text) => ({ value: text, label: text }));
  if (!hasOptions(field)) return undefined;
  const [labels, texts] = [choiceLabels(field), valuesOf(field.constraints.options).map(String)];
  const [byLabel, byText] = [labels, texts].map(
    (names) => new Map(names.map((name, index) => [name, index] as const).reverse()),
  );
  return labels.flatMap((label, index) => {
    const text = texts[index] ?? "";
    if (byLabel?.get(label) === index) return [{ value: label, label }];
    // Another choice has the label.
    return byLabel?.has(text) || byText?.get(text) !== index ? [] : [{ value: text, label }];
  });
}

/** Between the values of a list. A comma may also be a sign of a number, in which no space follows it. */
const separatorsOf = ({ fieldType }: Field) =>
  fieldType.nature === "number" ? { split: /;|,\s/, join: "; " } : { split: ",", join: ", " };

const zoneOf = ({ timeZone = "UTC" }: RowWords) => timeZone;

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
    if (known < 0) throw new RowError("noChoice");
    return literal(known === 0);
  }
  if (field.fieldType.isTime) {
    const [moment = value] = field.kind === "datetime" ? instantsOf(`${value}:00`, zoneOf(words)) : [];
    if (!isWellFormed(field, moment)) throw new RowError("noTime");
    return literal(moment);
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
  const index = [labels, texts].map((names) => names.indexOf(value)).find((found) => found >= 0);
  if (index !== undefined) return literal(valuesOf(options)[index] as Literal);
  if (allowOther) return literal(value);
  throw new RowError("noChoice");
}

/** @throws {RowError} */
function expressionOfRow(row: ConditionRow, field: Field, words: RowWords): Expression {
  const { comparison, values } = row;
  const of = node(".", [node("data")], field.id);
  const one = () => literalOf(values.length > 1 ? "" : (values[0] ?? ""), field, words);
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
      const texts = isPicked(field)
        ? values
        : values.flatMap((value) => value.split(separatorsOf(field).split));
      const items = (texts.length > 0 ? texts : [""]).map((each) => literalOf(each, field, words));
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
  const local = field.kind === "datetime" && localOf(plain, zoneOf(words))?.slice(0, 16);
  const texts = [isYesOrNo(field) ? yesOrNo : (index >= 0 && choiceLabels(field)[index]) || local, plain];
  const isSame = (text: string) => {
    try {
      return literalOf(text, field, words).value === value;
    } catch {
      return false;
    }
  };
  return texts.filter((text) => typeof text === "string").find(isSame);
}

function rowOf(expression: Expression, fieldOf: FindField, words: RowWords): ConditionRow | undefined {
  const { op, args } = expression;
  const [a, b] = args;
  if (op === "!") {
    const inner = a && rowOf(a, fieldOf, words);
    if (!inner) return undefined;
    if (a.op === ".") return { ...inner, values: [words.no] };
    const opposites: Partial<Record<Comparison, Comparison>> = { has: "hasNot", contains: "containsNot" };
    const comparison = opposites[inner.comparison];
    return comparison && { ...inner, comparison };
  }
  const fieldIn = (each: Expression | undefined) =>
    each?.op === "." && each.args[0]?.op === "data" ? fieldOf(String(each.value)) : undefined;
  const row = (field: Field | undefined, comparison: Comparison, right?: Expression) => {
    if (!field) return undefined;
    const isLiteral = right?.op === "value" || right?.op === "int";
    const entered = isLiteral ? textOf(right.value as Literal, field, words) : undefined;
    if (right && entered === undefined) return undefined;
    return { field: field.id, comparison, values: entered === undefined ? [] : [entered] };
  };
  if (op === ".") {
    const field = fieldIn(expression);
    return field && isYesOrNo(field) ? { field: field.id, comparison: "is", values: [words.yes] } : undefined;
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
  const row = (texts: string[]) => ({ field: field.id, comparison: "isOneOf" as const, values: texts });
  const isText = (text: string | undefined) => text !== undefined;
  if (isPicked(field)) return values.every(isText) ? row(values) : undefined;
  const { split, join } = separatorsOf(field);
  const isPlain = (text: string | undefined) =>
    text !== undefined && text.split(split).length === 1 && text.trim() === text;
  return values.every(isPlain) ? row([values.join(join)]) : undefined;
}
