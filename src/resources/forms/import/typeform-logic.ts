/** Conditions of Typeform's jumps. Pure. */
import type { Expression } from "../../../fields/conditions/expression.ts";
import type { DraftEntry, ImportDraft } from "./draft.ts";
import { all, answerOf, any, call, compares, equals, literal, not } from "./logic.ts";
import { nodeOf, nodesOf } from "./read.ts";

/** Values of the choices of each question, by the names that conditions have for them. */
export type ChoiceValues = Map<DraftEntry, ReadonlyMap<unknown, unknown>>;

type Comparison = (entry: DraftEntry, value: unknown) => Expression | undefined;
const textTypes = ["text", "textarea", "email", "url", "phone", "hidden"];
const textual =
  (method: string): Comparison =>
  (entry, value) =>
    textTypes.includes(entry.field.type) ? call(method, answerOf(entry), literal(String(value))) : undefined;
const ordered =
  (op: string): Comparison =>
  (entry, value) =>
    compares(entry, op, value);

/** Operators of conditions, without those that are the opposite of one. */
const comparisons: Readonly<Record<string, Comparison>> = {
  ...{ is: equals, equal: equals, on: equals, contains: textual("contains") },
  ...{ begins_with: textual("startsWith"), ends_with: textual("endsWith") },
  ...{ lower_than: ordered("<"), lower_equal_than: ordered("<=") },
  ...{ greater_than: ordered(">"), greater_equal_than: ordered(">=") },
  ...{ earlier_than: ordered("<"), earlier_than_or_on: ordered("<=") },
  ...{ later_than: ordered(">"), later_than_or_on: ordered(">=") },
};

/** The condition of a jump. True: it always holds. Undefined: it has no counterpart. */
export function jumpCondition(
  condition: unknown,
  draft: ImportDraft,
  choices: ChoiceValues,
): Expression | true | undefined {
  const { op: name, vars } = nodeOf(condition);
  const op = String(name);
  if (op === "always") return true;
  if (op === "and" || op === "or") {
    const parts = nodesOf(vars).map((each) => jumpCondition(each, draft, choices));
    return (op === "and" ? all : any)(parts.map((each) => (each === true ? undefined : each)));
  }
  const [subject, object] = nodesOf(vars);
  const entry = draft.find(subject?.value);
  if (!entry || !object || !["constant", "choice"].includes(String(object.type))) return undefined;
  const value = choices.get(entry)?.get(object.value) ?? object.value;
  // As in is_not, not_equal, not_contains.
  const own = op.replace(/_not$|^not_/, "");
  const result = Object.hasOwn(comparisons, own) ? comparisons[own]?.(entry, value) : undefined;
  return own === op ? result : not(result);
}
