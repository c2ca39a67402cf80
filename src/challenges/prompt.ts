/** What a challenge asks. @module */
import type { Field } from "../fields/compile.ts";

/** The JSON value that each type takes. It is all that the prompt gives away of a field's rules: those are what the challenge is about. */
const valueHints: Record<string, string> = {
  number: "a JSON number",
  integer: "a JSON number without a fraction",
  rating: "a JSON number without a fraction",
  boolean: "true or false",
  consent: "true or false",
  select: "one of its options (a JSON string, unless the form defines its options otherwise)",
  multi_select: "a JSON array of some of its options",
  ranking: "a JSON array of its options, the first one first",
  address: "a JSON object",
  matrix: "a JSON object",
  hidden: "a JSON string, number, true or false",
};

/** A sentence for a person or a model: which field, what kind of JSON value, and how to send it. */
export function promptOf({ id, label, kind = "text" }: Field): string {
  const value = valueHints[kind] ?? "a JSON string";
  return `Send any value that the form would accept in its field ${JSON.stringify(id)} (${JSON.stringify(label)}, of type ${kind}): ${value}, as {"answer": …}. It must satisfy every rule of the field.`;
}
