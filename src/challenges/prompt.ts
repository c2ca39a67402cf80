import type { Field } from "../fields/compile.ts";
import { resolveType } from "../fields/types.ts";

/** The question of a challenge: which field, what kind of JSON value, and how to send it. */
export function promptOf({ id, label, type: name }: Field): string {
  const { kind, type } = resolveType(name);
  return `Send any value that the form would accept in its field ${JSON.stringify(id)} (${JSON.stringify(label)}, of type ${kind}): ${type.hint}, as {"answer": …}. It must satisfy every rule of the field.`;
}
