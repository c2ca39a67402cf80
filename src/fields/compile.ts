/** Compiles a form's schema into the validator that all share. Pure: cached forever by (form, version). */

import { limits } from "../limits.ts";
import { holds, scopeOf } from "./conditions/evaluate.ts";
import { type Formula, type Logic, parseLogic } from "./conditions/logic.ts";
import { compileLogic, type FieldLogic, LogicRun } from "./conditions/run.ts";
import type { Constraints } from "./constraints.ts";
import { type Field, parseFields, parseTexts } from "./definition.ts";
import type { FieldIssue, IssueFactory, ValueCheck } from "./field-type.ts";
import { nearest } from "./nearest.ts";
import { maxPayloadWork, programSize, textLimit } from "./pattern.ts";
import { isEmpty, isEmptyInParts } from "./values.ts";

export type { Field } from "./definition.ts";
export type { FieldIssue } from "./field-type.ts";

const { maxUnknownFields } = limits.submission;
/** Unknown parts and rows in data that is validated. */
const maxUnknownParts = 1_000;

/** Unknown keys with a suggested id, and fields of a form to compare them with. */
const maxHints = 3;
const maxHintedFields = 100;

/** Fields with an unstorable value, each with the code of its issue. */
export type UnstorableFields = ReadonlyMap<string, "type_mismatch" | "format">;

export interface ValidationResult {
  /** Invalid values, in schema order; errors of one field in the order type, format, pattern, bounds. */
  errors: FieldIssue[];
  /** `unknown_field` for keys outside the schema, and for values of display-only fields; at most 100. */
  unknown: FieldIssue[];
  /** Ids of required fields that are absent or empty, in schema order. */
  missing: string[];
  /** Known, non-empty values as sent, in schema order. It has no prototype, for keys such as `__proto__`. */
  data: Record<string, unknown>;
  /** Present only if fields depend on others. */
  logic?: Dependencies;
}

interface Dependencies {
  /** Ids of the fields that apply and take a value, in schema order. */
  readonly applicable: readonly string[];
  /** Ids of the fields that do not apply, including fields that only show text. */
  readonly hidden: ReadonlySet<string>;
  /** Values that expressions can read, by keys of the compiled form. */
  readonly values: readonly unknown[];
}

interface Rule {
  readonly field: Field;
  readonly isEmpty: (value: unknown) => boolean;
  readonly allows: (value: unknown) => boolean;
  readonly mismatch: FieldIssue;
  readonly wrongParts: (value: unknown) => { issues: FieldIssue[]; sound: unknown } | undefined;
  readonly checks: readonly ValueCheck<unknown>[];
  /** The cost of searching the value, in code points × instructions. */
  readonly work: (value: unknown) => number;
  /** The same for the type's own checks: {@link FieldType.work}. */
  readonly typeWork: number;
  readonly overwork: FieldIssue;
  readonly displayOnly: boolean;
  readonly isCheckable: boolean;
  readonly logic: FieldLogic | undefined;
}

const issueFactory =
  (field: string): IssueFactory =>
  (code, message, constraint, expected) =>
    Object.freeze({ field, code, message, constraint, expected });

/** @param near the id that was probably meant */
const unknownIssue = (id: string, near?: string): FieldIssue =>
  near === undefined
    ? issueFactory(id)("unknown_field", "The form has no such field.")
    : issueFactory(id)("unknown_field", `The form has no such field: is ${near} meant?`, undefined, near);

function unstorableIssue(id: string, code: "type_mismatch" | "format"): FieldIssue {
  const issue = issueFactory(id);
  return code === "format"
    ? issue(code, "Must not contain U+0000 or a lone surrogate.", code, "Unicode text without U+0000")
    : issue(code, "Must be a number that a double represents exactly.", "type", "a number within ±2^53");
}

const notApplicableIssue = (id: string): FieldIssue =>
  issueFactory(id)(
    "not_applicable",
    "The form does not ask for this field with these values. Submit refuses a value for it.",
    "showIf",
  );

/** One compiled version of a form. It never changes. */
export class CompiledForm {
  readonly #rules: ReadonlyMap<string, Rule>;
  /** The same rules in schema order: iterating a list costs half. */
  readonly #ruleList: readonly Rule[];
  /** Rules whose check of one value can take long. */
  readonly #costly: readonly Rule[];
  /** In schema order. */
  readonly fields: readonly Field[];
  readonly fileFields: readonly string[];
  /** Ids of the fields whose rules can reject a value of the right JSON type, in schema order. */
  readonly checkable: readonly string[];

  /** Maximum number of members of data that is validated, and of it and all objects in it. */
  readonly maxMembers: { readonly top: number; readonly all: number };

  /** Undefined: no field depends on another one, which saves that cost. */
  readonly #logic: ReadonlyMap<string, Logic> | undefined;
  /** Ids of the fields that take a value, in schema order. */
  readonly #takers: readonly string[];

  /** @param same a form whose fields differ in texts alone: it has the checks already */
  constructor(fields: readonly Field[], same?: CompiledForm) {
    const { fields: logic } = parseLogic(fields);
    const compiled = compileLogic(fields, logic);
    const known = same ? same.#rules : new Map<string, Rule>();
    const rules = fields.map((field): Rule => {
      const [rule, logic] = [known.get(field.id), compiled.get(field.id)];
      return rule ? { ...rule, field, logic } : ruleOf(field, logic);
    });
    this.#logic = logic.size > 0 ? logic : undefined;
    this.fields = Object.freeze([...fields]);
    this.fileFields = fields.filter(({ fieldType }) => fieldType.nature === "files").map(({ id }) => id);
    const top = fields.length + maxUnknownFields;
    // A type of the owner's own takes any JSON.
    const partsOf = ({ kind, fieldType, constraints }: Field) =>
      kind === undefined ? limits.body.maxValues : (fieldType.parts?.(constraints).length ?? 0);
    const parts = fields.reduce((sum, field) => sum + partsOf(field), 0);
    this.maxMembers = { top, all: top + parts + maxUnknownParts };
    this.#takers = fields.filter(({ fieldType }) => fieldType.nature !== "none").map(({ id }) => id);
    this.#ruleList = rules;
    this.#rules = new Map(rules.map((rule) => [rule.field.id, rule]));
    this.#costly = rules.filter(
      ({ field, typeWork }) => field.constraints.pattern !== undefined || typeWork > 0,
    );
    // A field with conditions may depend on another field, and a challenge asks for one field alone.
    this.checkable = Object.freeze(
      rules.filter((rule) => rule.isCheckable && !logic.has(rule.field.id)).map((rule) => rule.field.id),
    );
    Object.freeze(this);
  }

  get hasLogic(): boolean {
    return this.#logic !== undefined;
  }

  logicOf(fieldId: string): Logic | undefined {
    return this.#logic?.get(fieldId);
  }

  field(fieldId: string): Field | undefined {
    return this.#rules.get(fieldId)?.field;
  }

  /** The issue that submit reports for an id in `missing`. */
  readonly requiredIssue = (id: string): FieldIssue =>
    issueFactory(id)("required", "A value is required.", "required", true);

  /** Maximum cost of validating the data, without the cheap parts, in code points × instructions. */
  work(data: Record<string, unknown>): number {
    return this.#costly.reduce(
      (sum, { field: { id }, work, typeWork }) =>
        Object.hasOwn(data, id) ? sum + work(data[id]) + typeWork : sum,
      0,
    );
  }

  /** Validates the own properties of `data`. A field in `unstorable` gets only that issue. */
  validate(data: Record<string, unknown>, unstorable?: UnstorableFields): ValidationResult {
    const result: ValidationResult = { errors: [], unknown: [], missing: [], data: Object.create(null) };
    const run = this.#logic && new LogicRun(this.#takers);
    let known = 0;
    let work = 0;
    for (const rule of this.#ruleList) {
      const { id } = rule.field;
      const value = Object.hasOwn(data, id) ? data[id] : undefined;
      if (value !== undefined) known++;
      const unstorableCode = rule.displayOnly ? undefined : unstorable?.get(id);
      const { logic } = rule;
      if (!run || !logic) work = checkValue(rule, value, unstorableCode, rule.field.required, result, work);
      else if (!run.applies(id, logic)) {
        if (!rule.isEmpty(value)) result.unknown.push(notApplicableIssue(id));
      } else if (logic.hasFormulas)
        work = checkFormulas(run, rule, logic, value, unstorableCode, result, work);
      else work = checkValue(rule, value, unstorableCode, rule.field.required, result, work, run);
    }
    if (run) result.logic = run;
    const keys = Object.keys(data);
    if (keys.length > known) {
      for (const key of keys) {
        if (this.#rules.has(key)) continue;
        if (result.unknown.length >= maxUnknownFields) break;
        const isNamed = result.unknown.length < maxHints && this.#rules.size <= maxHintedFields;
        result.unknown.push(unknownIssue(key, isNamed ? nearest(key, [...this.#rules.keys()]) : undefined));
      }
    }
    return result;
  }

  /** {@link ValidationResult.missing} without the rest. */
  missing(data: Record<string, unknown>): string[] {
    if (this.#logic) return this.validate(data).missing;
    return [...this.#rules.values()]
      .filter(
        ({ field: { id, required }, isEmpty }) =>
          required && isEmpty(Object.hasOwn(data, id) ? data[id] : undefined),
      )
      .map(({ field }) => field.id);
  }

  /** Explains why fields do not apply: the false condition, and the values that it has read. */
  explain({ logic }: ValidationResult): { field: string; showIf: string; read: Record<string, unknown> }[] {
    if (!logic) return [];
    const { hidden, values } = logic;
    const valueIn = (id: string) => values[this.#rules.get(id)?.logic?.key ?? -1] ?? null;
    return this.fields
      .filter(({ id, fieldType }) => hidden.has(id) && fieldType.nature !== "none")
      .map(({ id }) => {
        const { source, reads } = this.#falseCondition(id, values) as Formula;
        const read = Object.fromEntries(reads.map((each) => [each, valueIn(each)]));
        return { field: id, showIf: source, read };
      });
  }

  #falseCondition(id: string, values: readonly unknown[]): Formula | undefined {
    const scope = scopeOf({ ...values });
    const index = this.#rules.get(id)?.logic?.showIf.findIndex((condition) => !holds(condition, scope));
    return this.#logic?.get(id)?.showIf[index ?? -1];
  }

  /** Issues of one field's value: `[]` if it is good, or empty and optional. Unknown id: `unknown_field`. */
  validateField(fieldId: string, value: unknown): FieldIssue[] {
    const { errors, unknown, missing } = this.validate({ [fieldId]: value });
    return [...errors, ...unknown, ...(missing.includes(fieldId) ? [this.requiredIssue(fieldId)] : [])];
  }
}

/** Checks for malformed values, which count as absent: expressions only see values of the field's type. */
function isMalformed(errors: readonly FieldIssue[], from: number): boolean {
  for (let index = from; index < errors.length; index++) {
    const code = errors[index]?.code;
    if (code === "type_mismatch" || code === "format") return true;
  }
  return false;
}

/** Calculates the value of a field. A sent value is accepted if it is equal. */
function calculate(rule: Rule, computed: unknown, sent: unknown, errors: FieldIssue[]): unknown {
  if (!rule.isEmpty(sent) && sent !== computed) {
    const message = "The server calculates this value: leave it out, or send the same.";
    errors.push(issueFactory(rule.field.id)("computed", message, "compute", computed ?? null));
  }
  return computed;
}

/** @returns the work of patterns, this value's included */
function checkValue(
  rule: Rule,
  value: unknown,
  unstorableCode: "type_mismatch" | "format" | undefined,
  isRequired: boolean,
  result: ValidationResult,
  work: number,
  run?: LogicRun,
): number {
  const { id } = rule.field;
  if (unstorableCode !== undefined) result.errors.push(unstorableIssue(id, unstorableCode));
  else if (rule.isEmpty(value)) {
    if (isRequired) result.missing.push(id);
  } else if (rule.displayOnly) result.unknown.push(unknownIssue(id));
  else {
    result.data[id] = value;
    const before = result.errors.length;
    const cost = rule.work(value);
    if (cost > 0 && work + cost > maxPayloadWork) result.errors.push(rule.overwork);
    else applyRule(rule, value, result.errors);
    if (run !== undefined && rule.logic?.key !== undefined && !isMalformed(result.errors, before))
      run.add(rule.logic.key, value, rule.logic);
    return work + cost;
  }
  return work;
}

/** {@link checkValue} for a field whose value or requirement depends on others. */
function checkFormulas(
  run: LogicRun,
  rule: Rule,
  logic: FieldLogic,
  sent: unknown,
  unstorableCode: "type_mismatch" | "format" | undefined,
  result: ValidationResult,
  work: number,
): number {
  const { errors } = result;
  const value =
    logic.compute && unstorableCode === undefined
      ? calculate(rule, run.compute(logic.compute, rule.allows), sent, errors)
      : sent;
  const isRequired =
    rule.field.required || (logic.requireIf !== undefined && holds(logic.requireIf, run.scope));
  const total = checkValue(rule, value, unstorableCode, isRequired, result, work, run);
  // A rule that cannot be evaluated yet is not violated.
  for (const { rule, issue } of logic.rules) if (rule(run.scope) === false) errors.push(issue);
  return total;
}

/**
 * Checks the type first; a mismatch ends the check, except for other parts. Then reports every violated rule.
 */
function applyRule(rule: Rule, value: unknown, errors: FieldIssue[]): void {
  let sound = value;
  if (!rule.allows(value)) {
    const parts = rule.wrongParts(value);
    if (!parts || parts.issues.length === 0) return void errors.push(rule.mismatch);
    errors.push(...parts.issues);
    sound = parts.sound;
  }
  for (const check of rule.checks) {
    const issue = check(sound);
    if (issue === undefined) continue;
    if (Array.isArray(issue)) errors.push(...issue);
    else errors.push(issue as FieldIssue);
  }
}

function ruleOf(field: Field, logic: FieldLogic | undefined): Rule {
  const issue = issueFactory(field.id);
  const { constraints, required, fieldType: type, ownerSet } = field;
  const checks = type.checks(constraints, issue, required);
  return {
    field,
    isEmpty: type.nature === "parts" ? isEmptyInParts : isEmpty,
    allows: type.guard(constraints),
    mismatch: issue("type_mismatch", `Must be ${type.description}.`, "type", type.expected(constraints)),
    wrongParts: (value) => type.wrongParts?.(value, issue, constraints),
    checks,
    work: workOf(constraints),
    typeWork: type.work ?? 0,
    overwork: issue(
      "max_length",
      "The payload has more text than the form's patterns may search. Shorten this field or the fields before it.",
      "pattern",
    ),
    displayOnly: type.nature === "none",
    // A challenge can ask about constraints of the owner, not about a default (a textarea's 10,000).
    isCheckable: checks.length > 0 && (type.checkable === "constrained" ? ownerSet.size > 0 : type.checkable),
    logic,
  };
}

function workOf({ pattern }: Constraints): (value: unknown) => number {
  if (pattern === undefined) return () => 0;
  const [program, limit] = [programSize(pattern), textLimit(pattern)];
  return (value) => (typeof value === "string" ? program * Math.min(value.length, limit) : 0);
}

/** Compiles a schema, leniently: see {@link parseFields}. */
export const compile = (schema: { fields: readonly unknown[] }) => new CompiledForm(parseFields(schema));

/** The same form with its texts in another language. Its checks are not compiled again. */
export const withTexts = (
  form: CompiledForm,
  translate: (definition: Field["definition"]) => Field["definition"],
): CompiledForm =>
  new CompiledForm(
    form.fields.map((field) => parseTexts(field, translate(field.definition))),
    form,
  );
