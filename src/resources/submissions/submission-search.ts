/** What is searched for in the values of a form's submissions. */
import { valuesOf } from "../../fields/constraints.ts";
import { choicesOf } from "../../fields/control-values.ts";
import type { Field } from "../../fields/definition.ts";

/** Each member that is there must hold. */
export interface SubmissionSearch {
  /** Is in a value, whatever the case. */
  text?: string;
  /** Or the data contain one of these. */
  options?: object[];
  /** The data contain one of each list. */
  all?: object[][];
  /** The value of a field is not below `from` nor above `to`, and of their type. */
  ranges?: { id: string; from?: number | string; to?: number | string }[];
}

/** The data that have a value, alone or among others. */
export const containing = (id: string, value: unknown): object[] => [{ [id]: value }, { [id]: [value] }];

/** Searches for a text as people read it: in the values, and in the labels of their options. */
export function searchForText(text: string, fields: readonly Field[]): SubmissionSearch {
  const wanted = text.toLowerCase();
  const options = fields.flatMap(({ id, constraints }) => {
    const values = valuesOf(constraints.options);
    return choicesOf(constraints.options).flatMap(({ label }, index) =>
      label.toLowerCase().includes(wanted) ? containing(id, values[index]) : [],
    );
  });
  return { text, options };
}
