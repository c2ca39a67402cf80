import { type } from "arktype";
import { clause } from "../clauses.ts";
import { type Constraints, constraint, finite, nonBlank } from "../constraints.ts";
import { controlName } from "../control-values.ts";
import { boundChecks, type FieldType, type JsonSchema, jsonType, looser, valueCheck } from "../field-type.ts";
import { boundsHint, scalarsAs } from "../presentation.ts";
import { numberText } from "../spelling.ts";
import { isMultiple } from "../values.ts";

const bound = constraint(finite, clause("number"), { type: "number" });
const step = constraint(
  finite.narrow((value) => value > 0),
  clause("greater_than_zero"),
  { type: "number", exclusiveMinimum: 0 },
);
export const maxEndLength = 60;
const endLabel = constraint(
  nonBlank.and(type.string.atMostLength(maxEndLength)),
  clause("text_up_to", { max: maxEndLength }),
  { type: "string", minLength: 1, maxLength: maxEndLength },
);
const identity = (value: number): number => value;

const numberSchema =
  (type: "number" | "integer") =>
  ({ minimum, maximum, multipleOf }: Constraints): JsonSchema => ({
    type,
    minimum,
    maximum,
    multipleOf,
    // Validators divide doubles.
    ...looser(
      multipleOf !== undefined &&
        !Number.isInteger(multipleOf) &&
        `exactly a multiple of ${multipleOf} as a decimal`,
    ),
  });

const number: FieldType<number> = {
  nature: "number",
  ...jsonType("a number", "number", finite),
  aliases: [],
  meaning: "A number.",
  example: { field: { minimum: 0, maximum: 100, multipleOf: 0.5 }, value: 2.5 },
  constraints: { minimum: bound, maximum: bound, multipleOf: step },
  orderOf: identity,
  toControls: ({ id }, value, { locale }) =>
    scalarsAs(controlName(id), typeof value === "number" ? numberText(value, locale, "ungrouped") : value),
  hints: ({ constraints: { minimum, maximum, multipleOf = 1 } }, words) => [
    boundsHint(words.number, minimum, maximum),
    multipleOf !== 1 && words.steps(multipleOf),
  ],
  flatSchema: ({ minimum, maximum }) => ({ type: "number", minimum, maximum }),
  checkable: "constrained",
  checks: (constraints, issue) => {
    const { multipleOf } = constraints;
    const checks = boundChecks(constraints, issue, identity);
    if (multipleOf !== undefined) {
      const offStep = issue("step", `Must be a multiple of ${multipleOf}.`, "multipleOf", multipleOf);
      checks.push(valueCheck((value) => isMultiple(value, multipleOf), offStep));
    }
    return checks;
  },
  jsonSchema: numberSchema("number"),
  hint: "a JSON number",
};

const integer: FieldType<number> = {
  ...number,
  ...jsonType("a whole number", "integer", finite.and("number.integer")),
  meaning: "A number without a fraction.",
  example: { field: { minimum: 0, maximum: 120, multipleOf: 2 }, value: 36 },
  hints: (field, words) => [words.whole, ...number.hints(field, words)],
  flatSchema: ({ minimum, maximum }) => ({ type: "integer", minimum, maximum }),
  jsonSchema: numberSchema("integer"),
  hint: "a JSON number without a fraction",
};

const rating: FieldType<number> = {
  ...integer,
  aliases: ["scale", "nps"],
  meaning: "A number without a fraction, from 1 to 5 unless set, as `nps` from 0 to 10.",
  example: {
    field: { minimum: 1, maximum: 7, minimumLabel: "Not at all", maximumLabel: "Very much" },
    value: 6,
  },
  constraints: { minimum: bound, maximum: bound, minimumLabel: endLabel, maximumLabel: endLabel },
  defaults: { minimum: 1, maximum: 5 },
  aliasDefaults: { nps: { minimum: 0, maximum: 10 } },
  // All its steps are on the page.
  hints: () => [],
  checkable: true,
};

export const numberTypes = { number, integer, rating };
