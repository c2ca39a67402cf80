/** Makes the plan of a form for its page: {@link PlannedField}. */
import type { CompiledForm, Field } from "../compile.ts";
import type { Nature } from "../field-type.ts";
import { optionTypes } from "../types/choice.ts";
import type { Formula } from "./logic.ts";
import { encodeExpression, type PlannedField } from "./plan.ts";

/** Types of a calculated value, as in its JSON Schema; undefined: any. The server alone calculates others. */
const computable: { readonly [nature in Nature]?: (field: Field) => readonly string[] | undefined } = {
  text: () => ["string"],
  number: ({ fieldType, constraints }) => [fieldType.jsonSchema(constraints, false).type as string],
  yesNo: () => ["boolean"],
  choice: ({ constraints }) => [...optionTypes(constraints)],
  any: ({ kind }) => (kind ? ["string", "number", "boolean"] : undefined),
};

/** Plans by compiled forms, which never change. */
const plans = new WeakMap<CompiledForm, readonly PlannedField[]>();

/**
 * Returns the fields that depend on others, with the fields that they read. Leaves out logic that the browser
 * cannot evaluate: the validity of telephone numbers, and all that depends on it.
 */
export function planOf(form: CompiledForm): readonly PlannedField[] {
  const known = plans.get(form);
  if (known) return known;
  const unknown = new Set<string>();
  const isKnown = ({ reads }: Formula) => !reads.some((id) => unknown.has(id));
  const planned: PlannedField[] = [];
  const read = new Set<string>();
  for (const field of form.fields) {
    const { id, kind, definition, constraints, fieldType } = field;
    const logic = form.logicOf(id);
    const compute = logic?.compute;
    const typesOf = computable[fieldType.nature];
    const computes = compute !== undefined && typesOf !== undefined && isKnown(compute);
    const applies = logic?.showIf.every(isKnown) ?? true;
    if (!applies || kind === "phone" || (compute !== undefined && !computes)) unknown.add(id);
    if (!applies) continue;
    const formulas = [...(logic?.showIf ?? []), ...(computes ? [compute] : [])];
    for (const { reads } of formulas) for (const each of reads) read.add(each);
    planned.push({
      id,
      kind,
      options: constraints.options,
      allowOther: constraints.allowOther,
      rows: constraints.rows,
      multipleOf: constraints.multipleOf,
      ...(kind === "hidden" && {
        value: definition.default ?? undefined,
        prefill: definition.prefill === true || undefined,
      }),
      ...(formulas.length > 0 && {
        showIf: logic?.showIf.map(({ expression }) => encodeExpression(expression)),
      }),
      ...(computes && { compute: encodeExpression(compute.expression), types: typesOf(field) }),
      hasParts: fieldType.nature === "parts" || undefined,
    });
  }
  const needed = planned.filter(({ id, showIf }) => showIf !== undefined || read.has(id));
  plans.set(form, needed);
  return needed;
}
