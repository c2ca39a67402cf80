/** Plan by which the browser decides which questions apply. The server decides again in any case. */
import type { Values } from "../control-values.ts";
import { type EnteredField, isWellFormed, toValue } from "../entered.ts";
import type { Spelling } from "../spelling.ts";
import type { FieldKind } from "../types.ts";
import { isEmpty, type Option } from "../values.ts";
import { compileExpression, type KeyOf } from "./evaluate.ts";
import type { Expression, Literal } from "./expression.ts";
import { type FieldLogic, LogicRun } from "./run.ts";

/** An expression without positions: the operator, the value or null, the operands. */
type Encoded = [op: string, value: Literal | null, ...args: Encoded[]];

/** A field that depends on others, or that others depend on. */
export interface PlannedField {
  id: string;
  /** Absent for a custom type of the owner. */
  kind?: FieldKind | undefined;
  options?: readonly (string | Option)[] | undefined;
  allowOther?: boolean | undefined;
  rows?: readonly (string | Option)[] | undefined;
  multipleOf?: number | undefined;
  /** The default of a hidden field; `prefill`: the query of the page can replace it. */
  value?: unknown;
  prefill?: true | undefined;
  showIf?: Encoded[] | undefined;
  compute?: Encoded | undefined;
  /** Allowed types of the calculated value, as in `typeof`, or `integer`; absent: any. */
  types?: readonly string[] | undefined;
  hasParts?: true | undefined;
}

export const encodeExpression = ({ op, value, args }: Expression): Encoded => [
  op,
  value ?? null,
  ...args.map(encodeExpression),
];

const decode = ([op, value, ...args]: Encoded): Expression => ({
  op,
  args: args.map(decode),
  ...(value !== null && { value }),
  at: 0,
});

interface PlanResult {
  /** Ids of the fields that do not apply. */
  hidden: ReadonlySet<string>;
  /** The calculated values, by field id; one that cannot be calculated yet is undefined. */
  computed: ReadonlyMap<string, unknown>;
}

export function compilePlan(
  fields: readonly PlannedField[],
  spelling: Spelling = {},
): (values: Values) => PlanResult {
  const keys = new Map(fields.map(({ id }, index) => [id, index]));
  const keyOf: KeyOf = (id) => keys.get(id) ?? -1;
  const compiled = fields.map((field, key) => {
    const { id, kind, options, allowOther, rows, multipleOf, showIf = [], compute, hasParts = false } = field;
    const evaluator = (encoded: Encoded) => compileExpression(decode(encoded), keyOf);
    const logic: FieldLogic = {
      showIf: showIf.map(evaluator),
      requireIf: undefined,
      compute: compute && evaluator(compute),
      rules: [],
      hasFormulas: compute !== undefined,
      key,
      hasParts,
    };
    const constraints = { options, allowOther, rows, multipleOf } as EnteredField["constraints"];
    return { id, key, logic, planned: field, field: { id, kind, constraints } satisfies EnteredField };
  });
  return (values) => {
    const run = new LogicRun();
    const computed = new Map<string, unknown>();
    for (const { id, key, logic, planned, field } of compiled) {
      if (!run.applies(id, logic)) continue;
      const value = logic.compute
        ? run.compute(logic.compute, (result) => isOneOf(planned.types, result))
        : entered(planned, field, values, spelling);
      if (logic.compute) computed.set(id, value);
      if (!isEmpty(value) && isWellFormed(field, value)) run.add(key, value, logic);
    }
    return { hidden: run.hidden, computed };
  };
}

/** The owner determines a hidden field: no control has its value, unless the query of the page may set it. */
function entered(
  { value, prefill }: PlannedField,
  field: EnteredField,
  values: Values,
  spelling: Spelling,
): unknown {
  if (field.kind !== "hidden") return toValue(field, values, spelling);
  return (prefill && toValue(field, values)) ?? value;
}

const isOneOf = (types: readonly string[] | undefined, value: unknown): boolean =>
  types?.some((type) => (type === "integer" ? Number.isInteger(value) : typeof value === type)) ?? true;
