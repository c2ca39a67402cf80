/** The choices of a question, of another tool's document. Pure. */
import type { Option, Scalar } from "../../../fields/values.ts";
import { textOf } from "./read.ts";
import { textWithoutMarkup } from "./text.ts";

/** A choice as the source has it: its value, or else its label, is what formd stores. */
export interface SourceOption {
  readonly value?: unknown;
  readonly label?: unknown;
}

/** The value of a choice: its own, or else its text. */
export const optionValueOf = (value: unknown, text: string): Scalar =>
  Number.isFinite(value) || typeof value === "boolean" ? (value as Scalar) : (textOf(value) ?? text);

/**
 * Options with different values. Those without a value and a label are no choices.
 * @returns `repeated`: the labels of those whose value an earlier one has
 */
export function distinctOptions(list: readonly SourceOption[]): { options: Option[]; repeated: string[] } {
  const options = new Map<string, Option>();
  const repeated: string[] = [];
  for (const { value, label } of list) {
    const text = textWithoutMarkup(label);
    const id = optionValueOf(value, text);
    if (id === "") continue;
    if (options.has(String(id))) repeated.push(text || String(id));
    else options.set(String(id), { value: id, label: text || String(id) });
  }
  return { options: [...options.values()], repeated };
}

/** Rows or columns of a matrix. */
export const axisOf = (list: readonly SourceOption[]) =>
  distinctOptions(list).options.map(({ value, label }) => ({ id: String(value), label }));
