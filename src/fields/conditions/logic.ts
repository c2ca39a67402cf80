/** The members `showIf`, `requireIf`, `compute` and `rules` of the fields of a form, parsed and checked. */
import { clause, fault } from "../clauses.ts";
import { type Constraints, type Option, type Scalar, valuesOf } from "../constraints.ts";
import { type Field, type Invalid, isRecord } from "../definition.ts";
import { nearest } from "../nearest.ts";
import { optionTypes } from "../types/choice.ts";
import type { FieldTypes, Type } from "./check.ts";
import { bool, double, dyn, expressionType, fieldsRead, firstIndexOf, textType } from "./check.ts";
import { type Expression, ExpressionError } from "./expression.ts";
import { parse } from "./parse.ts";

/** A condition, calculation or rule that can be evaluated. */
export interface Formula {
  readonly source: string;
  readonly expression: Expression;
  readonly reads: readonly string[];
}

export interface Logic {
  /** Conditions that must all hold: the condition of the field's step, and its own. */
  readonly showIf: readonly Formula[];
  readonly requireIf: Formula | undefined;
  readonly compute: Formula | undefined;
  readonly rules: readonly { readonly formula: Formula; readonly message: string; readonly index: number }[];
}

interface FormLogic {
  /** Logic by field id; fields without logic have no entry. */
  readonly fields: ReadonlyMap<string, Logic>;
  /** Errors per field id, which a publisher must correct. */
  readonly invalid: ReadonlyMap<string, readonly Invalid[]>;
  /** True if it has more nodes than {@link maxFormNodes}. */
  readonly isTooLarge: boolean;
}

/** Limits per field, per form, and on the text of a rule. */
export const maxRules = 10;
export const maxFormNodes = 20_000;
export const maxRuleMessageLength = 500;
/** Errors with a suggested name: each name is compared with all fields, or all options. */
const maxHints = 20;

const members = ["showIf", "requireIf", "compute", "rules"] as const;
export const logicMembers: readonly string[] = members;

const optionsOf = (list: Constraints["options"] = []): ReadonlyMap<Scalar, string | undefined> => {
  const values = valuesOf(list);
  return new Map(values.map((value, index) => [value, (list[index] as Option).label]));
};

function optionType(constraints: Constraints, owner: string): Type {
  const { options = [], allowOther } = constraints;
  const types = optionTypes(constraints);
  const type: Type =
    types.size > 1 ? dyn : types.has("number") ? double : types.has("boolean") ? bool : textType;
  return allowOther === true || options.length === 0 ? type : { ...type, options: optionsOf(options), owner };
}

const record = (names: readonly string[], type: (name: string) => Type): Readonly<Record<string, Type>> =>
  Object.assign(Object.create(null), Object.fromEntries(names.map((name) => [name, type(name)])));

export function typeOfField({ id, constraints, fieldType }: Field): Type {
  switch (fieldType.nature) {
    case "number":
      return double;
    case "yesNo":
      return bool;
    case "choice":
      return optionType(constraints, id);
    case "choices":
      return { is: "list", of: optionType(constraints, id) };
    case "parts": {
      // A row of a matrix takes one column, or a list of several.
      const part: Type = fieldType.constraints.columns
        ? { ...dyn, options: optionsOf(constraints.columns), owner: id }
        : textType;
      return { is: "map", members: record(fieldType.parts(constraints), () => part) };
    }
    case "any":
      return dyn;
    case "text":
    case "none":
    case "files": // Expressions cannot read it: parseLogic.
      return textType;
  }
}

const hasMember = ({ definition }: Field, name: string) =>
  Object.hasOwn(definition, name) && definition[name] !== null && definition[name] !== undefined;

/** Parses and checks all logic. Invalid logic is left out, and listed: publishing refuses it (../lint.ts). */
export function parseLogic(fields: readonly Field[]): FormLogic {
  const found = new Map<string, Logic>();
  const faults = new Map<string, Invalid[]>();
  const positions = new Map(fields.map(({ id }, index) => [id, index]));
  const types = new Map<string, Type>();
  let nodes = 0;
  let hints = 0;
  let step: Formula | undefined;

  const typesFor =
    (position: number, own: boolean): FieldTypes =>
    (id) => {
      const index = positions.get(id);
      if (index === undefined) {
        const near = hints++ < maxHints ? nearest(id, [...positions.keys()]) : undefined;
        return fault("unknown_field", { id: id.slice(0, 64), near });
      }
      if (index > position) return fault("later_field", { id });
      if (index === position && !own) return fault("own_field");
      const field = fields[index] as Field;
      if (field.fieldType.nature === "files") return fault("file_field", { id });
      if (field.fieldType.nature === "none") return fault("text_field", { id });
      // Cached: up to 20,000 names may read a field, and it may have as many options.
      const type = types.get(id) ?? typeOfField(field);
      types.set(id, type);
      return type;
    };

  for (const [position, field] of fields.entries()) {
    const isBreak = field.type === "page_break";
    if (isBreak) step = undefined;
    if (!members.some((name) => hasMember(field, name))) {
      if (step !== undefined)
        found.set(field.id, { showIf: [step], requireIf: undefined, compute: undefined, rules: [] });
      continue;
    }
    const invalid: Invalid[] = [];
    const takesValue = field.fieldType.nature !== "none";

    /** @param wanted the required type; undefined: any */
    const formula = (
      name: string,
      source: unknown,
      wanted: Type | undefined,
      own: boolean,
      entry?: number,
    ) => {
      if (typeof source !== "string") {
        invalid.push([name, clause("expression", { entry })]);
        return undefined;
      }
      try {
        const expression = parse(source);
        nodes += countNodes(expression);
        if (nodes > maxFormNodes) return undefined;
        const { is } = expressionType(expression, typesFor(position, own));
        const isWanted =
          wanted === undefined || is === "dyn" || is === wanted.is || (wanted.is === "dyn" && is !== "int");
        if (!isWanted) {
          const character = characterAt(source, firstIndexOf(expression));
          invalid.push([name, clause("wrong_result", { entry, character, needed: wanted.is, result: is })]);
          return undefined;
        }
        return { source, expression, reads: [...fieldsRead(expression)] };
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        const character = characterAt(source, error.at);
        const hint = hints++ < maxHints ? error.hint() : "";
        const { message, fault } = error;
        invalid.push([name, clause("invalid_expression", { entry, character, message, hint, fault })]);
        return undefined;
      }
    };
    const one = (name: "showIf" | "requireIf" | "compute", wanted: Type) =>
      hasMember(field, name) ? formula(name, field.definition[name], wanted, false) : undefined;

    const showIf = one("showIf", bool);
    if (isBreak) step = showIf;
    for (const name of members.slice(1))
      if (!takesValue && hasMember(field, name)) invalid.push([name, clause("no_value")]);
    const compute = hasMember(field, "compute") ? one("compute", typeOfField(field)) : undefined;
    for (const name of ["default", "prefill", "requireIf", "required"])
      if (
        hasMember(field, "compute") &&
        hasMember(field, name) &&
        (name === "default" || field.definition[name] !== false)
      )
        invalid.push(["compute", clause("excludes", { member: name })]);
    const requireIf = one("requireIf", bool);
    const rules = hasMember(field, "rules") ? rulesOf(field, invalid, formula) : [];
    if (takesValue || showIf || step)
      found.set(field.id, {
        showIf: [step, isBreak ? undefined : showIf].filter((each) => each !== undefined),
        requireIf: takesValue ? requireIf : undefined,
        compute: takesValue ? compute : undefined,
        rules: takesValue ? rules : [],
      });
    if (invalid.length > 0) faults.set(field.id, invalid);
  }
  return { fields: found, invalid: faults, isTooLarge: nodes > maxFormNodes };
}

function rulesOf(
  { definition }: Field,
  invalid: Invalid[],
  formula: (name: string, source: unknown, wanted: Type, own: boolean, entry: number) => Formula | undefined,
): Logic["rules"] {
  const { rules } = definition;
  if (!Array.isArray(rules) || rules.length > maxRules) {
    invalid.push(["rules", clause("rules", { max: maxRules })]);
    return [];
  }
  return rules.flatMap((rule: unknown, index) => {
    const entry = index + 1;
    if (!isRecord(rule) || Object.keys(rule).some((name) => name !== "rule" && name !== "message")) {
      invalid.push(["rules", clause("rule", { entry })]);
      return [];
    }
    const { message } = rule;
    if (typeof message !== "string" || message.trim() === "" || message.length > maxRuleMessageLength) {
      invalid.push(["rules", clause("rule_message", { entry, max: maxRuleMessageLength })]);
      return [];
    }
    const parsed = formula("rules", rule.rule, bool, true, entry);
    return parsed ? [{ formula: parsed, message, index }] : [];
  });
}

/** The position in characters (code points), from 1. @param at an index into the source */
const characterAt = (source: string, at: number): number => [...source.slice(0, at)].length + 1;

const countNodes = ({ op, args }: Expression): number =>
  args.reduce((sum, each) => sum + countNodes(each), op === "data" ? 0 : 1);
