/** Dependencies on other questions, as sentences with the names that people know. */
import { describe } from "../../../fields/conditions/describe.ts";
import type { Literal } from "../../../fields/conditions/expression.ts";
import { parse } from "../../../fields/conditions/parse.ts";
import { labelIn } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { nameOfField } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { frameText } from "../frame/words.ts";
import {
  type Comparison,
  type Condition,
  type ConditionRow,
  type FindField,
  rowsOf,
  takesNoValue,
} from "./condition-rows.ts";
import { questionsText } from "./words.ts";

const words = questionsText.conditions;

/** Yes and no, as rows have them. */
export const rowWords = formText.fieldInput;

/** Returns the name of a comparison. Days and times come before or after each other. */
export const relationOf = (comparison: Comparison, field: Field | undefined): string => {
  const own = field?.fieldType.isTime ? words.timeRelations : {};
  return { ...words.relations, ...own }[comparison];
};

function rowSentence({ field: id, comparison, value }: ConditionRow, fieldOf: FindField): string {
  const field = fieldOf(id);
  const relation = relationOf(comparison, field);
  const shown = field?.kind === "text" ? frameText.quoted(value) : value;
  return [field ? nameOfField(field) : id, relation, ...(takesNoValue(comparison) ? [] : [shown])].join(" ");
}

export const sentenceOfRows = ({ joint, rows }: Condition, fieldOf: FindField): string =>
  rows.map((row) => rowSentence(row, fieldOf)).join(joint === "all" ? words.and : words.or);

/** Returns a condition as a sentence, or as it is written if no sentence expresses it. */
export function conditionSentence(source: string, fieldOf: FindField): string {
  const rows = rowsOf(source, fieldOf, rowWords);
  if (rows) return sentenceOfRows(rows, fieldOf);
  const field = (id: string) => {
    const found = fieldOf(id);
    return found ? nameOfField(found) : id;
  };
  const option = (id: string, value: Literal) => labelIn(fieldOf(id)?.constraints.options, value);
  try {
    return describe(parse(source), { field, option }) ?? formulaText(source, fieldOf);
  } catch {
    return source;
  }
}

/** Returns a formula with the names of the questions in place of their ids. */
export const formulaText = (source: string, fieldOf: FindField): string =>
  source.replace(/\bdata\.([_a-zA-Z]\w*)|\bdata\[(["'])(.*?)\2\]/g, (written, name, _, quoted) => {
    const field = fieldOf(name ?? quoted);
    return field ? nameOfField(field) : written;
  });

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
