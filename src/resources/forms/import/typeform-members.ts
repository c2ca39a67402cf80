/** Members of the questions of Typeform, in formd's names. Pure. */
import { axisOf, distinctOptions } from "./options.ts";
import { isTrue, type Node, nodeOf, nodesOf, numberOf, textOf } from "./read.ts";
import { textWithoutMarkup } from "./text.ts";

/** A text without the values that it repeats. */
export const typeformText = (value: unknown): string =>
  textWithoutMarkup(textOf(value)?.replace(/ ?\{\{\w+:[^{}]*\}\}/g, ""));

/** The value of a choice. */
export const typeformValueOf = ({ ref, id, label }: Node) => textOf(ref) ?? textOf(id) ?? textOf(label);

export const typeformOptionsOf = (choices: readonly Node[]) =>
  distinctOptions(choices.map((each) => ({ value: typeformValueOf(each), label: each.label })));

/** The rows of a matrix are questions with the same choices, whose references differ. */
function matrixOf(rows: readonly Node[]) {
  const choices = nodesOf(nodeOf(rows[0]?.properties).choices).map(({ label }) => typeformText(label));
  const required = rows.map(({ validations }) => isTrue(nodeOf(validations).required));
  return {
    rows: axisOf(rows.map(({ ref, title }) => ({ value: ref, label: title }))),
    columns: [...new Set(choices)],
    required: required.includes(true) || undefined,
    allRows: (required.includes(true) && !required.includes(false)) || undefined,
  };
}

/** The members of a question, in formd's names. The draft drops those of another type, with an item. */
export function typeformMembersOf({ type, properties, validations }: Node): Record<string, unknown> {
  const own = nodeOf(properties);
  const { required, max_length, min_value, max_value, min_selection, max_selection } = nodeOf(validations);
  const { left, right } = nodeOf(own.labels);
  const first = type === "rating" || isTrue(own.start_at_one) ? 1 : 0;
  const steps = numberOf(own.steps) ?? (type === "rating" ? 5 : 11);
  const isScale = type === "rating" || type === "opinion_scale";
  const { options } = typeformOptionsOf(nodesOf(own.choices));
  return {
    required: isTrue(required) || undefined,
    description: typeformText(own.description),
    maxLength: numberOf(max_length),
    minimum: isScale ? first : numberOf(min_value),
    maximum: isScale ? first + steps - 1 : numberOf(max_value),
    minItems: numberOf(min_selection),
    maxItems: numberOf(max_selection),
    minimumLabel: typeformText(left),
    maximumLabel: typeformText(right),
    options: options.length > 0 ? options : undefined,
    allowOther: isTrue(own.allow_other_choice) || undefined,
    country: textOf(own.default_country_code)?.toUpperCase(),
    ...(type === "matrix" && matrixOf(nodesOf(own.fields))),
  };
}
