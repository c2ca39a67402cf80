/** Issues of a draft in people's words, with the names of questions, types and rules that people know. */
import { type Clause, type Fault, withPeriod } from "../../../fields/clauses.ts";
import { type Field, parseFields } from "../../../fields/definition.ts";
import type { FieldIssue } from "../../../fields/field-type.ts";
import { lint } from "../../../fields/lint.ts";
import { resolveType } from "../../../fields/types.ts";
import { sentenceIn } from "../../../messages.ts";
import type { DraftProblem } from "../../../resources/forms/draft-checks.ts";
import { frameText } from "../frame/words.ts";
import { formText } from "./words.ts";

/** Name of a question for people. */
export const nameOfField = ({ label, id }: Field): string => label.trim() || id;

export type TypeName = keyof typeof formText.fieldTypes;

/** Returns the name of a type for people. An alias without an entry has the name of its kind. */
export const typeName = (type: string): TypeName | undefined => {
  if (Object.hasOwn(formText.fieldTypes, type)) return type as TypeName;
  return resolveType(type).kind;
};

/** Returns the label of a type. A custom type is its own label. */
export const typeLabel = (type: string): string => {
  const name = typeName(type);
  return name ? formText.fieldTypes[name] : type;
};

/** Label of a rule, or of a member of a definition. Undefined: the name is another one. */
export const ruleLabel = (name: string, type: string): string | undefined => {
  const { isTime, nature } = resolveType(type).fieldType;
  const labels: Record<string, string> = {
    ...formText.members,
    ...formText.rules,
    ...(isTime && formText.timeRules),
    ...(nature === "files" && formText.fileRules),
    ...(nature === "none" && formText.statementMembers),
  };
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
};

/**
 * Returns an issue in people's words. A member that people do not know has its own name.
 * @param type of the field; empty: of no field
 */
export function issueSentence(issue: FieldIssue, type: string): string {
  const { constraint = "", message, clause, said, entry } = issue;
  if (said) return sentenceIn(formText.formFaults, said);
  if (!clause) return message;
  const { of, ofEntry, statementLabel, ...others } = formText.issues;
  const isStatement = resolveType(type).fieldType.nature === "none";
  const own = isStatement ? { ...others, label: statementLabel } : others;
  const isMissing = clause.key === "needed" || clause.key === "not_blank";
  const name = ruleLabel(constraint, type) ?? constraint;
  const sentence =
    isMissing && Object.hasOwn(own, constraint)
      ? own[constraint as keyof typeof own]
      : withPeriod(of(name, sentenceIn(formText.clauses, namedIn(clause, type, constraint))));
  return entry === undefined ? sentence : ofEntry(entry, sentence);
}

/** Returns a problem of a draft in people's words. */
export function problemSentence({ setting, said, issue, note }: DraftProblem, type: string): string {
  if (said) return sentenceIn(frameText.messages, said);
  if (issue) return issueSentence(issue, type);
  if (!setting) return note.message;
  return withPeriod(formText.issues.of(note.path, sentenceIn(formText.clauses, setting.wrong)));
}

/** Returns a clause in which another member has the label that people know, and sizes the unit. */
function namedIn({ key, values }: Clause, type: string, constraint: string): Clause {
  // People enter it in MB.
  if (constraint === "maxBytes" && key === "whole_number") return { key: "greater_than_zero" };
  if (key !== "excludes") return { key, values };
  const { member } = values as { member: string };
  return { key, values: { member: ruleLabel(member, type) ?? member } };
}

/** Returns the issues of a draft. Expressions name questions by their labels; ids of no question stay. */
export const issuesOf = (schema: { fields: readonly unknown[] }): FieldIssue[] =>
  lint(schema).map(withLabelsOf(schema));

/** Makes a function that names questions in an issue by their labels. */
export function withLabelsOf(schema: {
  fields: readonly unknown[];
}): <Issue extends FieldIssue>(issue: Issue) => Issue {
  const fields = new Map(parseFields(schema).map((field) => [field.id, field]));
  const named = (fault: Fault): Fault => {
    const { id, ...others } = (fault.values ?? {}) as { id: string };
    const field = fields.get(id);
    return { ...fault, values: { ...others, id: frameText.quoted(field ? nameOfField(field) : id) } };
  };
  return (issue) => {
    const { fault } = (issue.clause?.values ?? {}) as { fault?: Fault };
    if (!issue.clause || !fault) return issue;
    return {
      ...issue,
      clause: { ...issue.clause, values: { ...(issue.clause.values as object), fault: named(fault) } },
    };
  };
}
