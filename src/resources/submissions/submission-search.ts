/** A search in the values of a form's submissions. */
import { valuesOf } from "../../fields/constraints.ts";
import { choicesOf } from "../../fields/control-values.ts";
import type { Field } from "../../fields/definition.ts";

/** All members that are present must match. */
export interface SubmissionSearch {
  /** Text in a value, case-insensitive. */
  text?: string;
  /** Alternative to `text`: the data contain one of these. */
  options?: object[];
  /** The data contain one of each list. */
  all?: object[][];
  /** Fields whose value is between `from` and `to`, and of their type. */
  ranges?: { id: string; from?: number | string; to?: number | string }[];
}

/** Data that have a value, alone or in a list. */
export const containing = (id: string, value: unknown): object[] => [{ [id]: value }, { [id]: [value] }];

/** Searches for a text as people see it: in the values, and in the labels of their options. */
export function searchForText(text: string, fields: readonly Field[]): SubmissionSearch {
  const folded = (each: string) => each.normalize("NFC").toLowerCase();
  const wanted = folded(text);
  const options = fields.flatMap(({ id, constraints }) => {
    const values = valuesOf(constraints.options);
    return choicesOf(constraints.options).flatMap(({ label }, index) =>
      folded(label).includes(wanted) ? containing(id, values[index]) : [],
    );
  });
  return { text, options };
}
