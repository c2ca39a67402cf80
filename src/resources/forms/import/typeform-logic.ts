/** Conditions of Typeform's jumps. Pure. */

import type { Expression } from "../../../fields/conditions/expression.ts";
import { ownIn } from "../../../fields/values.ts";
import { comparisonNamed } from "./comparisons.ts";
import type { DraftEntry, ImportDraft } from "./draft.ts";
import { all, any, not } from "./logic.ts";
import { nodeOf, nodesOf, textOf } from "./read.ts";

/** Values of the choices of each question, by the names that conditions have for them. */
export type ChoiceValues = Map<DraftEntry, ReadonlyMap<unknown, unknown>>;

/** Operators of conditions, as comparisons.ts names them. */
const operators: Readonly<Record<string, string>> = {
  ...{ is: "equal", equal: "equal", on: "equal" },
  ...{ contains: "contain", begins_with: "startWith", ends_with: "endWith" },
  ...{ lower_than: "lessThan", lower_equal_than: "lessThanOrEqual" },
  ...{ greater_than: "greaterThan", greater_equal_than: "greaterThanOrEqual" },
  ...{ earlier_than: "lessThan", earlier_than_or_on: "lessThanOrEqual" },
  ...{ later_than: "greaterThan", later_than_or_on: "greaterThanOrEqual" },
};

/** The condition of a jump. True: it always holds. Undefined: it has no counterpart. */
export function jumpCondition(
  condition: unknown,
  draft: ImportDraft,
  choices: ChoiceValues,
): Expression | true | undefined {
  const { op: name, vars } = nodeOf(condition);
  const op = textOf(name) ?? "";
  if (op === "always") return true;
  if (op === "and" || op === "or") {
    const parts = nodesOf(vars).map((each) => jumpCondition(each, draft, choices));
    return (op === "and" ? all : any)(parts.map((each) => (each === true ? undefined : each)));
  }
  const [subject, object] = nodesOf(vars);
  const entry = draft.find(subject?.value);
  if (!entry || !object || (object.type !== "constant" && object.type !== "choice")) return undefined;
  const value = choices.get(entry)?.get(object.value) ?? object.value;
  // Negated: is_not, not_equal, not_contains.
  const own = op.replace(/_not$|^not_/, "");
  const result = comparisonNamed(ownIn(operators, own))?.(entry, value);
  return own === op ? result : not(result);
}
