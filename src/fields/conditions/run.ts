/** One pass over the fields of a form, in schema order: decides which fields apply, and calculates values. */
import type { Field } from "../definition.ts";
import type { FieldIssue } from "../field-type.ts";
import { isEmpty, isRecord } from "../values.ts";
import { compileExpression, type Evaluate, type EvaluationScope, holds, scopeOf } from "./evaluate.ts";
import type { Formula, Logic } from "./logic.ts";

export interface FieldLogic {
  readonly showIf: readonly Evaluate[];
  readonly requireIf: Evaluate | undefined;
  readonly compute: Evaluate | undefined;
  readonly rules: readonly { readonly rule: Evaluate; readonly issue: FieldIssue }[];
  /** True if it has more than `showIf`. */
  readonly hasFormulas: boolean;
  /** Index of its value among the values that expressions read; undefined: no expression reads it. */
  readonly key: number | undefined;
  /** Empty parts of its value count as absent. */
  readonly hasParts: boolean;
}

/** Limit on all texts that one pass calculates, in UTF-16 code units. */
const maxComputedLength = 100_000;

/** Compiles the logic of the fields that have some, or that are read. */
export function compileLogic(
  fields: readonly Field[],
  logic: ReadonlyMap<string, Logic>,
): ReadonlyMap<string, FieldLogic> {
  const keys = new Map<string, number>();
  for (const { showIf, requireIf, compute, rules } of logic.values())
    for (const formula of [...showIf, requireIf, compute, ...rules.map((rule) => rule.formula)])
      for (const id of formula?.reads ?? []) if (!keys.has(id)) keys.set(id, keys.size);
  const evaluator = ({ expression }: Formula) => compileExpression(expression, (id) => keys.get(id) ?? -1);
  const compiled = new Map<string, FieldLogic>();
  for (const { id, fieldType } of fields) {
    const own = logic.get(id);
    if (own === undefined && !keys.has(id)) continue;
    compiled.set(id, {
      showIf: (own?.showIf ?? []).map(evaluator),
      requireIf: own?.requireIf && evaluator(own.requireIf),
      compute: own?.compute && evaluator(own.compute),
      rules: (own?.rules ?? []).map(({ formula, message, index }) => ({
        rule: evaluator(formula),
        issue: Object.freeze({
          field: id,
          code: "rule",
          message,
          constraint: `rules[${index}]`,
          expected: formula.source,
        }),
      })),
      hasFormulas: own !== undefined && Boolean(own.requireIf || own.compute || own.rules.length > 0),
      key: keys.get(id),
      hasParts: fieldType.nature === "parts",
    });
  }
  return compiled;
}

export class LogicRun {
  /** Values by {@link FieldLogic.key}. */
  readonly values: unknown[] = [];
  readonly hidden = new Set<string>();
  readonly scope: EvaluationScope = scopeOf(this.values as unknown as Record<number, unknown>);
  readonly #takers: readonly string[];
  #computedLength = 0;

  /** @param takers ids of the fields that take a value, in schema order */
  constructor(takers: readonly string[] = []) {
    this.#takers = takers;
  }

  /** Ids of the fields that take a value and apply. */
  get applicable(): readonly string[] {
    return this.#takers.filter((id) => !this.hidden.has(id));
  }

  applies(id: string, { showIf }: FieldLogic): boolean {
    for (let index = 0; index < showIf.length; index++)
      if (!holds(showIf[index] as Evaluate, this.scope)) {
        this.hidden.add(id);
        return false;
      }
    return true;
  }

  /**
   * Returns the calculated value. Undefined: an operand is absent, or the value is unstorable: a number that
   * JSON does not have or that may not be exact as a double, a text that is too long or has U+0000.
   */
  compute(formula: Evaluate, allows: (value: unknown) => boolean): unknown {
    const value = formula(this.scope);
    if (value === undefined || !allows(value)) return undefined;
    if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value + 0 : undefined;
    if (typeof value !== "string") return value;
    this.#computedLength += value.length;
    return this.#computedLength > maxComputedLength || value.includes("\0") ? undefined : value;
  }

  /** Makes the value available to the expressions after this field. */
  add(key: number, value: unknown, { hasParts }: FieldLogic): void {
    this.values[key] =
      hasParts && isRecord(value)
        ? Object.fromEntries(Object.entries(value).filter(([, part]) => !isEmpty(part)))
        : value;
  }
}
