/** What the form of a question sends about others: rows, which become the expressions of its definition. */
import { parseLine } from "../../../fields/choice-lines.ts";
import { expressionType } from "../../../fields/conditions/check.ts";
import { ExpressionError } from "../../../fields/conditions/expression.ts";
import { typeOfField } from "../../../fields/conditions/logic.ts";
import { parse } from "../../../fields/conditions/parse.ts";
import { type Field, isRecord, parseFields } from "../../../fields/definition.ts";
import type { FormView } from "../form/form.tsx";
import { nameOfField } from "../form/issues.ts";
import { TranslatedProblem } from "../frame/translated-problem.ts";
import {
  type Comparison,
  type Condition,
  type ConditionRow,
  choiceLabels,
  comparisons,
  expressionOf,
  RowError,
  rowsOf,
} from "./condition-rows.ts";
import { type FindField, rowWords } from "./condition-text.ts";
import { questionsText } from "./words.ts";

const words = questionsText.conditions;

/** Members that are conditions, as rows where rows can say them. */
export const conditionMembers = ["showIf", "requireIf"] as const;

/** What a new question is called before it has an id: no id is blank. */
const newId = " ";

/** The questions that one may depend on. */
export interface Readable {
  /** Those before it. */
  earlier: readonly Field[];
  own: Field;
}

export const idOfOwn = ({ id }: Field): string => id || newId;

/** @param after the id of the question before a new one; empty: it is the first; absent: the last */
export function readableIn(form: FormView, own: Field, after: string | null | undefined): Readable {
  const fields = parseFields(form.schema);
  const at = fields.findIndex(({ id }) => id === own.id && id !== "");
  const next = after === "" ? 0 : fields.findIndex(({ id }) => id === after) + 1 || fields.length;
  const earlier = fields.slice(0, at >= 0 ? at : next).filter(({ fieldType }) => fieldType.nature !== "none");
  return { earlier, own };
}

export const fieldFinder = ({ earlier, own }: Readable, isOwnRead: boolean) => {
  const fields = new Map(earlier.map((field) => [field.id, field]));
  if (isOwnRead) fields.set(idOfOwn(own), own).set(newId, own);
  return (id: string): Field | undefined => fields.get(id);
};

/** A row as it was sent, also without a question. */
export interface SentRow extends ConditionRow {
  message: string;
}

/** The rows of a member; undefined when it was sent as text. */
export function sentRows(values: URLSearchParams, member: string): SentRow[] | undefined {
  const count = Number(values.get(`${member}.rows`) ?? Number.NaN);
  if (!Number.isInteger(count) || count < 0 || count > 200) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const of = (name: string) => values.get(`${member}.${index}.${name}`) ?? "";
    const comparison = of("comparison") as Comparison;
    return {
      field: of("field"),
      comparison: comparisons.includes(comparison) ? comparison : "is",
      value: of("value"),
      message: of("message"),
    };
  });
}

export const jointOf = (values: URLSearchParams, member: string): "all" | "any" =>
  values.get(`${member}.joint`) === "any" ? "any" : "all";

/** @throws {Problem} `bad_request`, with what is wrong with a row. */
function expressionOrProblem(condition: Condition, fieldOf: FindField): string {
  for (const row of condition.rows) requireRow(row, fieldOf);
  return expressionOf(condition, fieldOf, rowWords);
}

function requireRow(row: ConditionRow, fieldOf: FindField): void {
  const field = fieldOf(row.field);
  if (!field) return;
  const name = nameOfField(field);
  try {
    expressionType(parse(expressionOf({ joint: "all", rows: [row] }, fieldOf, rowWords)), () =>
      typeOfField(field),
    );
  } catch (error) {
    const choices = choiceLabels(field).slice(0, 20).join(", ");
    if (error instanceof RowError)
      throw new TranslatedProblem("bad_request", words.problems[error.problem](name, row.value, choices));
    if (!(error instanceof ExpressionError)) throw error;
    throw new TranslatedProblem(
      "bad_request",
      words.problems.noComparison(name, words.relations[row.comparison]),
    );
  }
}

/**
 * The values of a question's form with expressions in place of rows.
 * @throws {Problem} `bad_request`.
 */
export function withExpressions(values: URLSearchParams, readable: Readable): URLSearchParams {
  const changed = new URLSearchParams(values);
  for (const member of conditionMembers) {
    const rows = sentRows(values, member);
    if (rows)
      changed.set(
        member,
        expressionOrProblem({ joint: jointOf(values, member), rows }, fieldFinder(readable, false)),
      );
  }
  const rules = sentRows(values, "rules");
  if (rules) changed.set("rules", [...ruleLines(rules, readable), values.get("rules") ?? ""].join("\n"));
  return changed;
}

function ruleLines(rows: readonly SentRow[], readable: Readable): string[] {
  const fieldOf = fieldFinder(readable, true);
  return rows
    .filter(({ field }) => fieldOf(field))
    .map((row) => {
      const rule = expressionOrProblem({ joint: "all", rows: [row] }, fieldOf);
      const message = row.message.trim();
      if (message === "") throw new TranslatedProblem("bad_request", words.problems.noMessage);
      return JSON.stringify({ rule, message });
    });
}

/** The rules of a definition's form: those that rows can say, and the lines of the others. */
export function rulesIn(
  values: URLSearchParams,
  readable: Readable,
  hasError: boolean,
): { rows: SentRow[]; others: string } {
  const sent = sentRows(values, "rules");
  const lines = (values.get("rules") ?? "").split("\n").filter((line) => line.trim() !== "");
  if (hasError) return { rows: [], others: lines.join("\n") };
  if (sent) return { rows: sent.filter(({ field }) => field !== ""), others: lines.join("\n") };
  const rows: SentRow[] = [];
  const others: string[] = [];
  for (const line of lines) {
    const entry = parseLine(line);
    const { value: rule, label, ...json } = isRecord(entry) ? entry : {};
    const source = rule ?? json.rule;
    const message = label ?? json.message;
    const condition =
      typeof source === "string" && typeof message === "string"
        ? rowsOf(source, fieldFinder(readable, true), rowWords)
        : undefined;
    const [row, ...more] = condition?.rows ?? [];
    if (row && more.length === 0) rows.push({ ...row, message: String(message) });
    else others.push(line);
  }
  return { rows, others: others.join("\n") };
}
