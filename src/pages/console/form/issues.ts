/** Issues of a draft in people's words, with the names of questions and rules that people know. */
import { logicMembers } from "../../../fields/conditions/logic.ts";
import { type Field, parseFields } from "../../../fields/definition.ts";
import type { FieldIssue } from "../../../fields/field-type.ts";
import { lint } from "../../../fields/lint.ts";
import { resolveType } from "../../../fields/types.ts";
import { frameText } from "../frame/words.ts";
import { formText } from "./words.ts";

/** What people call a question. */
export const nameOfField = ({ label, id }: Field): string => label.trim() || id;

/** What people call a rule, or a member of a definition; undefined for other names. */
export const ruleLabel = (name: string, type: string): string | undefined => {
  const { isTime, nature } = resolveType(type).fieldType;
  const rules: Record<string, string> = {
    ...formText.rules,
    ...(isTime && formText.timeRules),
    ...(nature === "files" && formText.fileRules),
  };
  if (Object.hasOwn(rules, name)) return rules[name];
  const members: Record<string, string> = formText.members;
  return Object.hasOwn(members, name) ? members[name] : undefined;
};

/** An issue of a definition in people's words. */
export const issueSentence = ({ constraint = "", message }: FieldIssue, type: string): string => {
  const { of, ...own } = formText.issues;
  const isMissing = /is required for the type|must be text that is not blank/.test(message);
  if (isMissing && Object.hasOwn(own, constraint)) return own[constraint as keyof typeof own];
  const rest = /^"[^"]+" of (?:the field|entry \d+) (.*)$/s.exec(message)?.[1];
  const name = ruleLabel(constraint, type);
  const isNamed = (quoted: string, member: string) => {
    const known = ruleLabel(member, type);
    return known === undefined ? quoted : frameText.quoted(known);
  };
  const clause = rest?.startsWith("excludes ") ? rest.replace(/"(\w+)"/g, isNamed) : rest;
  return clause && name ? of(name, clause) : message;
};

/**
 * What is wrong with a draft, where expressions name questions as people do. In a message ids are in quotes;
 * those of no question stay.
 */
export function issuesOf(schema: { fields: readonly unknown[] }): FieldIssue[] {
  const fields = new Map(parseFields(schema).map((field) => [field.id, field]));
  const name = (id: string) => {
    const field = fields.get(id);
    return frameText.quoted(field ? nameOfField(field) : id);
  };
  const withNames = (message: string) =>
    message
      .replace(/\bthe field "([^"]+)"/g, (_, id) => formText.expressions.question(name(id)))
      .replace(/\bthere is no field "([^"]+)"/, (_, id) => formText.expressions.unknown(name(id)))
      .replace(/\bthe field cannot read itself/, formText.expressions.itself)
      .replace(/(?<=is not an option of )(\S+?)(?=;|\.$)/, (_, id) => name(id));
  return lint(schema).map((issue) =>
    logicMembers.includes(issue.constraint ?? "") ? { ...issue, message: withNames(issue.message) } : issue,
  );
}
