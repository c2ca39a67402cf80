import type { Field } from "../../fields/compile.ts";

/** The question of a challenge: which field, what kind of JSON value, and how to send it. */
export function promptOf({ id, label, kind, fieldType }: Field): string {
  return `Send any value that the form would accept in its field ${JSON.stringify(id)} (${JSON.stringify(label)}, of type ${kind}): ${fieldType.hint}, as {"answer": …}. It must satisfy every rule of the field.`;
}
