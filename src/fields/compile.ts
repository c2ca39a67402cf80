/**
 * Compiles a form's schema into the validator that dry runs, submits, owner edits and challenges share.
 * Pure: no clock, no IO. A compiled form never changes and may be cached forever by (form, version).
 */
import type { Constraints } from "./constraints.ts";
import { type Field, parseFields } from "./definition.ts";
import type { Check, FieldIssue, IssueFactory } from "./field-type.ts";
import { maxPayloadWork, programSize, textLimit } from "./pattern.ts";
import { isEmpty, isEmptyInParts } from "./values.ts";

export type { Field } from "./definition.ts";
export type { FieldIssue } from "./field-type.ts";

/** Unknown keys in one result: a body of 1 MB can have 100,000, and each would come back as an object. */
const maxUnknownFields = 100;

/** Fields whose values cannot be stored exactly, each with the code of its issue. */
export type UnstorableFields = ReadonlyMap<string, "type_mismatch" | "format">;

export interface ValidationResult {
  /** Invalid values, in schema order; those of one field in the order type, format, pattern, bounds. */
  errors: FieldIssue[];
  /** `unknown_field` for keys outside the schema, and for values of display-only fields; at most 100. */
  unknown: FieldIssue[];
  /** Ids of required fields that are absent or empty, in schema order. */
  missing: string[];
  /**
   * Known, non-empty values as sent, in schema order (JavaScript puts ids such as "7" first). It has no
   * prototype, so that `__proto__` is a key like any other, for JSON.stringify too.
   */
  data: Record<string, unknown>;
}

interface Rule {
  readonly field: Field;
  readonly isEmpty: (value: unknown) => boolean;
  readonly allows: (value: unknown) => boolean;
  readonly mismatch: FieldIssue;
  readonly wrongParts: (value: unknown) => FieldIssue[];
  readonly checks: readonly Check<unknown>[];
  /** The cost of searching the value, in code points × instructions. */
  readonly work: (value: unknown) => number;
  /** The same for the type's own checks: {@link FieldType.work}. */
  readonly typeWork: number;
  readonly overwork: FieldIssue;
  readonly displayOnly: boolean;
  readonly isCheckable: boolean;
}

const issueFactory =
  (field: string): IssueFactory =>
  (code, message, constraint, expected) =>
    Object.freeze({ field, code, message, constraint, expected });

const unknownIssue = (id: string): FieldIssue =>
  issueFactory(id)("unknown_field", "The form has no such field.");

function unstorableIssue(id: string, code: "type_mismatch" | "format"): FieldIssue {
  const issue = issueFactory(id);
  return code === "format"
    ? issue(code, "Must not contain U+0000 or a lone surrogate.", code, "Unicode text without U+0000")
    : issue(code, "Must be a number that a double represents exactly.", "type", "a number within ±2^53");
}

/** One compiled version of a form. It never changes. */
export class CompiledForm {
  readonly #rules: ReadonlyMap<string, Rule>;
  /** Those whose check of one value can take long. */
  readonly #costly: readonly Rule[];
  /** In schema order. */
  readonly fields: readonly Field[];
  /** Ids of the fields whose rules can reject a value of the right JSON type, in schema order. */
  readonly checkable: readonly string[];

  constructor(fields: readonly Field[]) {
    const rules = fields.map(ruleOf);
    this.fields = Object.freeze([...fields]);
    this.#rules = new Map(rules.map((rule) => [rule.field.id, rule]));
    this.#costly = rules.filter(
      ({ field, typeWork }) => field.constraints.pattern !== undefined || typeWork > 0,
    );
    this.checkable = Object.freeze(rules.filter((rule) => rule.isCheckable).map((rule) => rule.field.id));
    Object.freeze(this);
  }

  field(fieldId: string): Field | undefined {
    return this.#rules.get(fieldId)?.field;
  }

  /** The issue that submit reports for an id in `missing`. */
  readonly requiredIssue = (id: string): FieldIssue =>
    issueFactory(id)("required", "A value is required.", "required", true);

  /** What validating the data costs at most, as far as that is much: in the unit of patterns, code points × instructions. */
  work(data: Record<string, unknown>): number {
    return this.#costly.reduce(
      (sum, { field: { id }, work, typeWork }) =>
        Object.hasOwn(data, id) ? sum + work(data[id]) + typeWork : sum,
      0,
    );
  }

  /** Validates the own properties of `data`. A field in `unstorable` has that issue and no other. */
  validate(data: Record<string, unknown>, unstorable?: UnstorableFields): ValidationResult {
    const result: ValidationResult = { errors: [], unknown: [], missing: [], data: Object.create(null) };
    let known = 0;
    let work = 0;
    for (const [id, rule] of this.#rules) {
      const value = Object.hasOwn(data, id) ? data[id] : undefined;
      if (value !== undefined) known++;
      const unstorableCode = rule.displayOnly ? undefined : unstorable?.get(id);
      if (unstorableCode !== undefined) result.errors.push(unstorableIssue(id, unstorableCode));
      else if (rule.isEmpty(value)) {
        if (rule.field.required) result.missing.push(id);
      } else if (rule.displayOnly) result.unknown.push(unknownIssue(id));
      else {
        result.data[id] = value;
        const cost = rule.work(value);
        work += cost;
        if (cost > 0 && work > maxPayloadWork) result.errors.push(rule.overwork);
        else applyRule(rule, value, result.errors);
      }
    }
    const keys = Object.keys(data);
    if (keys.length > known) {
      for (const key of keys) {
        if (this.#rules.has(key)) continue;
        if (result.unknown.length >= maxUnknownFields) break;
        result.unknown.push(unknownIssue(key));
      }
    }
    return result;
  }

  /** {@link ValidationResult.missing} without the rest. */
  missing(data: Record<string, unknown>): string[] {
    return [...this.#rules.values()]
      .filter(
        ({ field: { id, required }, isEmpty }) =>
          required && isEmpty(Object.hasOwn(data, id) ? data[id] : undefined),
      )
      .map(({ field }) => field.id);
  }

  /**
   * Validates the value of one field: `[]` when it is acceptable. An unknown id yields `unknown_field`; an empty value yields `required`
   * when the field is, else `[]`.
   */
  validateField(fieldId: string, value: unknown): FieldIssue[] {
    const { errors, unknown, missing } = this.validate({ [fieldId]: value });
    return [...errors, ...unknown, ...(missing.includes(fieldId) ? [this.requiredIssue(fieldId)] : [])];
  }
}

/** The type first, and nothing more on a mismatch; otherwise every violated rule. */
function applyRule(rule: Rule, value: unknown, errors: FieldIssue[]): void {
  if (!rule.allows(value)) {
    const parts = rule.wrongParts(value);
    errors.push(...(parts.length > 0 ? parts : [rule.mismatch]));
    return;
  }
  for (const check of rule.checks) {
    const issue = check(value);
    if (issue !== undefined) errors.push(issue);
  }
}

function ruleOf(field: Field): Rule {
  const issue = issueFactory(field.id);
  const { constraints, required, fieldType: type, ownerSet } = field;
  const checks = type.checks(constraints, issue, required);
  return {
    field,
    isEmpty: type.composite ? isEmptyInParts : isEmpty,
    allows: type.guard(constraints),
    mismatch: issue("type_mismatch", `Must be ${type.description}.`, "type", type.expected(constraints)),
    wrongParts: (value) => type.wrongParts?.(value, issue) ?? [],
    checks,
    work: workOf(constraints),
    typeWork: type.work ?? 0,
    overwork: issue(
      "max_length",
      "The payload has more text than the form's patterns may search. Shorten this field or the fields before it.",
      "pattern",
    ),
    displayOnly: type.displayOnly === true,
    // A challenge can ask about what the owner sets, not about a default (a textarea's 10,000).
    isCheckable: checks.length > 0 && (type.checkable === "constrained" ? ownerSet.size > 0 : type.checkable),
  };
}

function workOf({ pattern }: Constraints): (value: unknown) => number {
  if (pattern === undefined) return () => 0;
  const [program, limit] = [programSize(pattern), textLimit(pattern)];
  return (value) => (typeof value === "string" ? program * Math.min(value.length, limit) : 0);
}

/** Compiles a schema, leniently: see {@link parseFields}. */
export const compile = (schema: { fields: readonly unknown[] }) => new CompiledForm(parseFields(schema));
