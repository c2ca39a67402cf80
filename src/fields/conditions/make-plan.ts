/** Makes the plan of a form for its page: {@link PlannedField}. */
import type { CompiledForm, Field } from "../compile.ts";
import type { FieldKind } from "../types.ts";
import { valuesOf } from "../values.ts";
import type { Formula } from "./logic.ts";
import { encodeExpression, type PlannedField } from "./plan.ts";

/** What a calculated value of a type may be. The script leaves lists and values with parts to the server. */
const computable: { readonly [kind in FieldKind]?: (field: Field) => readonly string[] } = {
  ...Object.fromEntries(
    ["text", "textarea", "email", "phone", "url", "date", "time", "datetime"].map((kind) => [
      kind,
      () => ["string"],
    ]),
  ),
  number: () => ["number"],
  integer: () => ["integer"],
  rating: () => ["integer"],
  boolean: () => ["boolean"],
  consent: () => ["boolean"],
  hidden: () => ["string", "number", "boolean"],
  select: ({ constraints: { options, allowOther } }) => {
    const types = new Set<string>(valuesOf(options).map((option) => typeof option));
    if (types.size === 0 || allowOther) types.add("string");
    return [...types];
  },
};

const withOptions: ReadonlySet<FieldKind | undefined> = new Set(["select", "multi_select", "ranking"]);

/** By compiled forms, which never change. */
const plans = new WeakMap<CompiledForm, readonly PlannedField[]>();

/**
 * The fields that depend on others, with those that they read. What the browser cannot know is left out, and
 * stays as the server has shown it: whether a telephone number is one, and what depends on that.
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
    const canCompute = !kind || computable[kind] !== undefined;
    const computes = compute !== undefined && canCompute && isKnown(compute);
    const applies = logic?.showIf.every(isKnown) ?? true;
    if (!applies || kind === "phone" || (compute !== undefined && !computes)) unknown.add(id);
    if (!applies) continue;
    const formulas = [...(logic?.showIf ?? []), ...(computes ? [compute] : [])];
    for (const { reads } of formulas) for (const each of reads) read.add(each);
    planned.push({
      id,
      kind,
      ...(withOptions.has(kind) && { options: constraints.options, allowOther: constraints.allowOther }),
      ...(kind === "matrix" && { rows: constraints.rows }),
      ...(kind === "hidden" && {
        value: definition.default ?? undefined,
        prefill: definition.prefill === true || undefined,
      }),
      ...(formulas.length > 0 && {
        showIf: logic?.showIf.map(({ expression }) => encodeExpression(expression)),
      }),
      ...(computes && {
        compute: encodeExpression(compute.expression),
        types: kind && computable[kind]?.(field),
      }),
      hasParts: fieldType.composite,
    });
  }
  const needed = planned.filter(({ id, showIf }) => showIf !== undefined || read.has(id));
  plans.set(form, needed);
  return needed;
}
