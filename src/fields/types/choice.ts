/** Types whose value is a choice: yes or no, one option, or several. */
import { type } from "arktype";
import { limits } from "../../limits.ts";
import { clause } from "../clauses.ts";
import type { ConstraintRule, Constraints, Option, Scalar, Shape } from "../constraints.ts";
import { count, entries, finite, flag, nonBlank, ownMembers, valuesOf } from "../constraints.ts";
import { controlName, labelIn, optionTexts, otherPart } from "../control-values.ts";
import type { FieldType, IssueFactory, JsonSchema, ValueCheck } from "../field-type.ts";
import { jsonType, valueCheck } from "../field-type.ts";
import { listNames } from "../named-lists.ts";
import { nearest } from "../nearest.ts";
import type { HintWords, Presentation, PresentedField } from "../presentation.ts";
import { boundsHint, scalarsOf } from "../presentation.ts";
import { firstRepeat, isRecord } from "../values.ts";

const boolean: FieldType<boolean> = {
  nature: "yesNo",
  ...jsonType("true or false", "boolean", type("boolean")),
  aliases: ["checkbox", "yes_no", "toggle"],
  meaning: "`true` or `false`. A required one may be `false`.",
  example: { field: {}, value: false },
  constraints: {},
  hints: () => [],
  flatSchema: () => ({ type: "boolean" }),
  checkable: false,
  checks: () => [],
  jsonSchema: () => ({ type: "boolean" }),
  hint: "true or false",
};

const consent: FieldType<boolean> = {
  ...boolean,
  aliases: ["legal", "terms"],
  meaning: "`true` or `false`. A required one must be `true`.",
  example: { field: {}, value: true },
  checks: (_, issue, required) =>
    required
      ? [valueCheck((accepted) => accepted, issue("not_accepted", "Must be accepted.", "required", true))]
      : [],
  jsonSchema: (_, required) => (required ? { const: true } : { type: "boolean" }),
};

const { maxTotal, maxValueLength } = limits.optionLimit;
const optionValue = nonBlank.or(finite).or("boolean");
/** Publishing refuses other members by their names (../unknown-names.ts). */
const plainOption = nonBlank.or({ value: optionValue, "label?": "string" });
const optionLimit = type("number.integer >= 0").atMost(maxTotal).or("null");
/** True if an option may have this limit. */
export const isOptionLimit = (limit: unknown): boolean => optionLimit.allows(limit);
/** With limits, the value of an option is part of a key. */
const limitedOption = nonBlank.or(
  type({
    value: optionValue,
    "label?": "string",
    "limit?": optionLimit,
  }).narrow(({ value, limit }) => typeof limit !== "number" || [...String(value)].length <= maxValueLength),
);

function optionList(
  entry: Shape,
  description: string,
  members: Record<string, JsonSchema> = {},
): ConstraintRule {
  const list = entries(entry, description, {
    anyOf: [
      { type: "string" },
      {
        type: "object",
        properties: {
          value: { type: ["string", "number", "boolean"] },
          label: { type: "string" },
          ...members,
        },
        required: ["value"],
        patternProperties: ownMembers,
        additionalProperties: false,
      },
    ],
  });
  return {
    ...list,
    takesListName: true,
    invalid: (value) =>
      typeof value === "string"
        ? clause("unknown_list", {
            name: value.slice(0, 64),
            near: nearest(value, listNames),
            known: listNames,
          })
        : list.invalid(value),
  };
}

const options = optionList(plainOption, "non-blank texts or { value, label }");
const anyLimits = optionList(
  limitedOption,
  `non-blank texts or { value, label, limit }, with a limit that is a whole number up to ${maxTotal} and a value of at most ${maxValueLength} characters`,
  { limit: { type: ["integer", "null"], minimum: 0, maximum: maxTotal } },
);
/** A wrong limit has a clause of its own: people know it as the number of places. */
const optionsWithLimits: ConstraintRule = {
  ...anyLimits,
  invalid: (value) => {
    const wrong = anyLimits.invalid(value);
    if (wrong?.key !== "entry") return wrong;
    const values = wrong.values as { expected: string; entry: number };
    const option: unknown = (value as unknown[])[values.entry - 1];
    const hasWrongLimit = isRecord(option) && option.limit !== undefined && !isOptionLimit(option.limit);
    return hasWrongLimit ? clause("option_limit", values) : wrong;
  },
};
const sampleOptions = [{ value: "s", label: "Small" }, { value: "m", label: "Medium" }, "l"];

/** The JSON types of the options, which may be numbers or booleans. A value must have one of them. */
export function optionTypes({ options, allowOther }: Constraints): Set<string> {
  const types = new Set<string>(valuesOf(options).map((option) => typeof option));
  return types.size === 0 || allowOther === true ? types.add("string") : types;
}

function optionGuard(constraints: Constraints): (value: unknown) => boolean {
  const types = optionTypes(constraints);
  return (value) => types.has(typeof value) && (typeof value !== "number" || Number.isFinite(value));
}

/** With `allowOther` any value of the options' JSON types, or text. */
function optionSchema({ options, allowOther }: Constraints): JsonSchema {
  const values = valuesOf(options);
  if (allowOther !== true) return { enum: values };
  return { type: [...new Set(["string", ...values.map((value) => typeof value)])], examples: values };
}

/** Options as choices with labels. Undefined: one is not text, or any text is accepted. */
function flatChoices({ options = [], allowOther }: Constraints) {
  if (allowOther || options.length === 0) return undefined;
  const choices = options.map((option) => {
    const { value, label }: Option = typeof option === "string" ? { value: option } : option;
    return typeof value === "string" ? { const: value, title: label ?? value } : undefined;
  });
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
}

const optionControls: Pick<Presentation, "names" | "toControls"> = {
  names: ({ id, constraints: { allowOther } }) =>
    allowOther ? [controlName(id), controlName(id, otherPart)] : [controlName(id)],
  toControls: ({ id, constraints: { options, allowOther } }, value) => {
    const known = valuesOf(options);
    const texts = new Map(optionTexts(known).map((each, index) => [known[index], each]));
    return scalarsOf(value).map((each) => [
      allowOther && !texts.has(each) ? controlName(id, otherPart) : controlName(id),
      texts.get(each) ?? String(each),
    ]);
  },
};

const select: FieldType<Scalar> = {
  nature: "choice",
  aliases: ["dropdown", "radio", "single_choice"],
  meaning: "The `value` of one of the options.",
  example: { field: { options: sampleOptions, allowOther: false }, value: "s" },
  description: "one option's value",
  expected: ({ options }) => ({ enum: valuesOf(options) }),
  guard: optionGuard,
  constraints: { options: optionsWithLimits, allowOther: flag },
  requires: ["options"],
  ...optionControls,
  hints: () => [],
  flatSchema: (constraints) => {
    const oneOf = flatChoices(constraints);
    return oneOf && { type: "string", oneOf };
  },
  checkable: true,
  checks: ({ options, allowOther }, issue) => {
    if (allowOther === true) return [];
    const values = valuesOf(options);
    const known = new Set(values);
    const invalid = issue("invalid_option", "Must be one of the options.", "options", values);
    return [valueCheck((value) => known.has(value), invalid)];
  },
  jsonSchema: optionSchema,
  hint: "one of its options (a JSON string, unless the form defines its options otherwise)",
};

/** Distinct options. One issue per code, which names the first wrong item: `options[2]` is the third item. */
function itemChecks(constraints: Constraints, issue: IssueFactory): ValueCheck<Scalar[]>[] {
  const { minItems = 0, maxItems, allowOther, rankAll } = constraints;
  const options = valuesOf(constraints.options);
  const known = new Set(options);
  const checks: ValueCheck<Scalar[]>[] = [];
  if (allowOther !== true) {
    checks.push((items) => {
      const index = items.findIndex((item) => !known.has(item));
      if (index < 0) return undefined;
      const message = `Item ${index + 1} must be one of the options.`;
      return issue("invalid_option", message, `options[${index}]`, options);
    });
  }
  checks.push((items) => {
    const index = firstRepeat(items);
    if (index < 0) return undefined;
    const message = `Item ${index + 1} repeats an earlier one.`;
    return issue("duplicate_item", message, `uniqueItems[${index}]`, true);
  });
  // An empty list counts as absent and is never checked, so that a list has at least one item.
  if (minItems > 1) {
    const tooFew = issue("min_items", `Must have at least ${minItems} items.`, "minItems", minItems);
    checks.push(valueCheck((items) => items.length >= minItems, tooFew));
  }
  if (maxItems !== undefined) {
    const tooMany = issue("max_items", `Must have at most ${maxItems} items.`, "maxItems", maxItems);
    checks.push(valueCheck((items) => items.length <= maxItems, tooMany));
  }
  if (rankAll === true) {
    const incomplete = issue("incomplete_ranking", "Must rank every option.", "rankAll", options);
    checks.push(valueCheck((items) => new Set(items).size >= options.length, incomplete));
  }
  return checks;
}

function itemsHint({ constraints }: PresentedField, { items, rankAll }: HintWords): string | undefined {
  const { minItems = 0, maxItems } = constraints;
  if (constraints.rankAll) return rankAll;
  if (minItems > 1 && minItems === maxItems) return items.exactly(minItems);
  return boundsHint(items, minItems > 1 ? minItems : undefined, maxItems);
}

const multi_select: FieldType<Scalar[]> = {
  nature: "choices",
  aliases: ["checkboxes", "multiple_choice", "tags"],
  meaning: "A list of the `value`s of options, each at most once.",
  example: {
    field: { options: sampleOptions, allowOther: false, minItems: 1, maxItems: 2 },
    value: ["s", "l"],
  },
  description: "a list of option values",
  expected: ({ options }) => ({ type: "array", items: { enum: valuesOf(options) } }),
  guard: (constraints) => {
    const isOption = optionGuard(constraints);
    return (value) => Array.isArray(value) && value.every(isOption);
  },
  constraints: { options: optionsWithLimits, allowOther: flag, minItems: count, maxItems: count },
  requires: ["options"],
  ...optionControls,
  hints: (field, words) => [itemsHint(field, words) ?? words.items.any],
  flatSchema: (constraints) => {
    const anyOf = flatChoices(constraints);
    const { minItems, maxItems } = constraints;
    return anyOf && { type: "array", items: { anyOf }, minItems, maxItems };
  },
  checkable: true,
  checks: itemChecks,
  jsonSchema: (constraints) => {
    const { minItems = 0, maxItems, rankAll, options = [] } = constraints;
    const least = Math.max(minItems, rankAll === true ? options.length : 0);
    return {
      type: "array",
      items: optionSchema(constraints),
      uniqueItems: true,
      minItems: least || undefined,
      maxItems,
    };
  },
  hint: "a JSON array of some of its options",
};

const ranking: FieldType<Scalar[]> = {
  ...multi_select,
  aliases: [],
  meaning: "A list of the `value`s of options, each at most once, the first one first.",
  example: {
    field: { options: sampleOptions, minItems: 3, maxItems: 3, rankAll: true },
    value: ["l", "s", "m"],
  },
  constraints: { options, minItems: count, maxItems: count, rankAll: flag },
  toText: ({ constraints: { options } }, value) =>
    [value]
      .flat()
      .map((item, index) => `${index + 1}. ${labelIn(options, item)}`)
      .join("\n"),
  hints: (field, words) => [itemsHint(field, words)],
  flatSchema: () => undefined,
  hint: "a JSON array of its options, the first one first",
};

export const choiceTypes = { boolean, consent, select, multi_select, ranking };
