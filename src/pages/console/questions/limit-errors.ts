/** Entered limits that no question can have. A save with one is refused, and shows it again. */
import { isRecord } from "../../../fields/definition.ts";
import { isOptionLimit } from "../../../fields/types/choice.ts";
import { limits } from "../../../limits.ts";
import type { Errors } from "../../ui/controls.tsx";
import { formatCount } from "../../ui/text.tsx";
import { megabytes } from "../form/file-kinds.ts";
import type { Definition } from "./question-form.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.limitErrors;

const storedIn = ({ validation, ...definition }: Definition, rule: string): unknown =>
  (isRecord(validation) ? validation[rule] : undefined) ?? definition[rule];

/** Returns the error of the first choice whose number of places is none. Stored choices stay as they are. */
function placesError(choices: unknown, stored: unknown): string | undefined {
  if (!Array.isArray(choices)) return undefined;
  const kept = Array.isArray(stored) ? stored : [];
  const isWrong = (choice: unknown) =>
    isRecord(choice) && !kept.includes(choice) && choice.limit !== undefined && !isOptionLimit(choice.limit);
  const index = choices.findIndex(isWrong);
  if (index < 0) return undefined;
  const { maxTotal } = limits.optionLimit;
  const isTooLarge = Number(choices[index].limit) > maxTotal;
  return words.places(index + 1, isTooLarge ? formatCount(maxTotal) : undefined);
}

/** Returns the error of a size that is no number of bytes which the server takes. A stored size stays. */
function sizeError(bytes: unknown, stored: unknown, maxBytes: number): string | undefined {
  if (bytes === undefined || bytes === stored) return undefined;
  const isSize = typeof bytes === "number" && bytes >= 1 && bytes <= maxBytes;
  return isSize ? undefined : words.size(megabytes(maxBytes));
}

/**
 * Returns errors by the controls of a question.
 * @param data values of its form
 * @param before its stored definition
 * @param maxBytes of a file that the server takes
 */
export const limitErrors = (data: Definition, before: Definition, maxBytes: number): Errors => {
  const found = {
    "rule.options": placesError(data["rule.options"], storedIn(before, "options")),
    "rule.maxBytes": sizeError(data["rule.maxBytes"], storedIn(before, "maxBytes"), maxBytes),
  };
  return Object.fromEntries(Object.entries(found).flatMap(([name, error]) => (error ? [[name, error]] : [])));
};
