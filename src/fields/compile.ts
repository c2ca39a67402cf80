/**
 * Compiles a form's schema into the checker that dry run, submit, owner edits and challenges share.
 * Pure: no clock, no IO; a compiled form never changes and may be cached for good by (form, version).
 */
import type { Check, FieldIssue, IssueFactory } from "./checks.ts";
import type { Constraints } from "./constraints.ts";
import { type Field, isRecord, type ParsedField, parseField } from "./definition.ts";
import { MAX_PAYLOAD_WORK, programSize, textLimit } from "./pattern.ts";
import { isEmpty, isEmptyInParts } from "./values.ts";

export type { FieldIssue } from "./checks.ts";
export type { Field } from "./definition.ts";

/** Unknown keys that one answer lists: a megabyte of them must not come back as a hundred. */
const MAX_UNKNOWN = 100;

/** Why a literal could not be kept exactly: an inexact number, or text with U+0000 or a lone surrogate. */
export type UnstorableFields = ReadonlyMap<string, "type_mismatch" | "format">;

/** What a whole payload comes to. */
export interface ValidationResult {
  /** Malformed values, in schema order; a field's own in the order type, format, pattern, bounds. */
  errors: FieldIssue[];
  /** `unknown_field` for keys that the schema does not have, and for values given to a `statement`; at most 100. */
  unknown: FieldIssue[];
  /** Ids of required fields that are absent or empty, in schema order. */
  missing: string[];
  /**
   * Known, non-empty values as sent, in schema order (JavaScript itself puts ids such as "7" first). It has no
   * prototype, so that `__proto__` is a key like any other, for JSON.stringify too.
   */
  data: Record<string, unknown>;
}

/** One compiled, immutable version of a form. */
export interface Form {
  /**
   * Checks a whole payload; own properties of `data` count, nothing inherited does.
   * A field in `spoiled` reports that one fault and nothing else.
   */
  check(data: Record<string, unknown>, spoiled?: UnstorableFields): ValidationResult;
  /**
   * Checks one field's value: `[]` when it is acceptable. An unknown id gives `unknown_field`; an empty value gives
   * `required` when the field is, else `[]`.
   */
  checkField(fieldId: string, value: unknown): FieldIssue[];
  /** The `required` fault that submit reports for an id of `missing`. */
  missingFault(fieldId: string): FieldIssue;
  field(fieldId: string): Field | undefined;
  /** Ids of the fields whose rules can refuse a value of the right JSON type, in schema order. */
  readonly checkable: readonly string[];
}

interface Rule {
  readonly field: Field;
  readonly isEmpty: (value: unknown) => boolean;
  readonly allows: (value: unknown) => boolean;
  readonly mismatch: FieldIssue;
  readonly checks: readonly Check<unknown>[];
  /** What searching the value costs, in code points × instructions. */
  readonly work: (value: unknown) => number;
  readonly workLimitIssue: FieldIssue;
  readonly displayOnly: boolean;
}

const issueFactory =
  (field: string): IssueFactory =>
  (code, message, constraint, expected) =>
    Object.freeze({
      field,
      code,
      message,
      ...(constraint !== undefined && { constraint }),
      ...(expected !== undefined && { expected }),
    });

const unknownFault = (id: string): FieldIssue =>
  issueFactory(id)("unknown_field", "The form has no such field.");
const missingFault = (id: string): FieldIssue =>
  issueFactory(id)("required", "A value is required.", "required", true);
const spoiledFault = (id: string, code: "type_mismatch" | "format"): FieldIssue =>
  code === "format"
    ? issueFactory(id)(
        code,
        "Must not contain U+0000 or half of a surrogate pair.",
        "format",
        "Unicode text without U+0000",
      )
    : issueFactory(id)(
        code,
        "Must be a number that a double can hold exactly.",
        "type",
        "a number within ±2^53",
      );

/**
 * Compiles a schema. Never throws: an unknown type accepts any JSON value, a broken constraint is left out (`lint`
 * stops such a form from being published), an entry that is no object is skipped; of equal ids the first one counts.
 */
export function compile(schema: { fields: readonly unknown[] }): Form {
  const rules = new Map<string, Rule>();
  const checkable: string[] = [];
  for (const definition of schema.fields) {
    if (!isRecord(definition)) continue;
    const reading = parseField(definition);
    const { id } = reading.field;
    if (rules.has(id)) continue;
    const rule = ruleOf(reading);
    rules.set(id, rule);
    if (isCheckable(reading, rule)) checkable.push(id);
  }
  const inOrder = [...rules.values()];

  return Object.freeze({
    check: (data: Record<string, unknown>, spoiled?: UnstorableFields) =>
      checkAll(rules, inOrder, data, spoiled),
    checkField(fieldId: string, value: unknown) {
      const rule = rules.get(fieldId);
      if (rule === undefined) return [unknownFault(fieldId)];
      if (rule.isEmpty(value)) return rule.field.required && !rule.displayOnly ? [missingFault(fieldId)] : [];
      if (rule.displayOnly) return [unknownFault(fieldId)];
      const errors: FieldIssue[] = [];
      validateValue(rule, value, errors);
      return errors;
    },
    missingFault,
    field: (fieldId: string) => rules.get(fieldId)?.field,
    checkable: Object.freeze(checkable),
  });
}

function checkAll(
  rules: ReadonlyMap<string, Rule>,
  inOrder: readonly Rule[],
  data: Record<string, unknown>,
  spoiled: UnstorableFields | undefined,
): ValidationResult {
  const verdict: ValidationResult = { errors: [], unknown: [], missing: [], data: Object.create(null) };
  let known = 0;
  let work = 0;
  for (const rule of inOrder) {
    const { id, required } = rule.field;
    const value = Object.hasOwn(data, id) ? data[id] : undefined;
    if (value !== undefined) known++;
    const damage = rule.displayOnly ? undefined : spoiled?.get(id);
    if (damage !== undefined) verdict.errors.push(spoiledFault(id, damage));
    else if (rule.isEmpty(value)) {
      if (required && !rule.displayOnly) verdict.missing.push(id);
    } else if (rule.displayOnly) verdict.unknown.push(unknownFault(id));
    else {
      verdict.data[id] = value;
      const cost = rule.work(value);
      work += cost;
      if (cost > 0 && work > MAX_PAYLOAD_WORK) verdict.errors.push(rule.workLimitIssue);
      else validateValue(rule, value, verdict.errors);
    }
  }
  const keys = Object.keys(data);
  if (keys.length > known) {
    for (const key of keys) {
      if (rules.has(key)) continue;
      if (verdict.unknown.length >= MAX_UNKNOWN) break;
      verdict.unknown.push(unknownFault(key));
    }
  }
  return verdict;
}

/** Type first, and nothing more on a mismatch; otherwise every fault. */
function validateValue(rule: Rule, value: unknown, errors: FieldIssue[]): void {
  if (!rule.allows(value)) {
    errors.push(rule.mismatch);
    return;
  }
  for (const check of rule.checks) {
    const fault = check(value);
    if (fault !== undefined) errors.push(fault);
  }
}

function ruleOf({ field, type }: ParsedField): Rule {
  const blame = issueFactory(field.id);
  const { constraints, required } = field;
  return {
    field,
    isEmpty: type?.composite ? isEmptyInParts : isEmpty,
    allows: type?.guard(constraints) ?? (() => true),
    mismatch: blame("type_mismatch", `Must be ${type?.words}.`, "type", type?.expected(constraints)),
    checks: type?.checks(constraints, blame, required) ?? [],
    work: workOf(constraints),
    workLimitIssue: blame(
      "max_length",
      "The payload holds more text than the form's patterns can be searched for in: shorten this field or the ones before it.",
      "pattern",
    ),
    displayOnly: type?.name === "statement",
  };
}

function workOf({ pattern }: Constraints): (value: unknown) => number {
  if (pattern === undefined) return () => 0;
  const [program, limit] = [programSize(pattern), textLimit(pattern)];
  return (value) => (typeof value === "string" ? program * Math.min(value.length, limit) : 0);
}

/** A default limit alone (a textarea's 10,000) asks nothing of a challenge, so only what the owner adds counts there. */
function isCheckable({ type, ownerSet }: ParsedField, rule: Rule): boolean {
  if (type === undefined || rule.checks.length === 0) return false;
  return type.checkable === "constrained" ? ownerSet.size > 0 : type.checkable;
}
