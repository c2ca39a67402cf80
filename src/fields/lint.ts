/** What is broken in a form's definitions. Publishing stops while this list is not empty. */
import { type } from "arktype";
import type { FieldIssue } from "./checks.ts";
import { compile } from "./compile.ts";
import { type Field, isRecord, type ParsedField, parseField } from "./definition.ts";
import { MAX_FORM_PROGRAM, programSize } from "./pattern.ts";

const words = type("string | null");
const filled = type("string").narrow((text) => text.trim() !== "");

/** Members that every definition may have, whatever its type: what they must be (specification, "Form": `schema`). */
const members: [name: string, allowed: { allows(value: unknown): boolean }, wrong: string][] = [
  ["id", type("0 < string <= 128"), "must be text of 1 to 128 characters"],
  ["type", filled, "must name the field's type"],
  ["label", filled, "must be text that is not blank"],
  ["required", type("boolean | null | undefined"), "must be true or false"],
  ["description", words.or("undefined"), "must be text"],
  ["placeholder", words.or("undefined"), "must be text"],
  ["help", words.or("undefined"), "must be text"],
  [
    "validation",
    type("object | null | undefined").narrow((value) => !Array.isArray(value)),
    "must be an object of constraints",
  ],
];

const ranges = [
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minimum", "maximum"],
] as const;

/**
 * Lists what is wrong in the definitions, in schema order: `field` (absent when the definition has no usable id),
 * `constraint` (the broken member), a sentence, and the code `invalid_definition`. Empty: the form may be published.
 */
export function lint(schema: { fields: readonly unknown[] }): FieldIssue[] {
  const faults: FieldIssue[] = [];
  const seen = new Set<string>();
  let program = 0;
  for (const [index, definition] of schema.fields.entries()) {
    if (!isRecord(definition)) {
      faults.push(fault(undefined, "fields", `Entry ${index + 1} of "fields" must be an object.`));
      continue;
    }
    const { id } = definition;
    const name = typeof id === "string" && id !== "" ? id : undefined;
    const reading = parseField(definition);
    const broken = [...memberFaults(definition), ...constraintFaults(reading)];
    if (name !== undefined && seen.has(name)) broken.push(["id", "must be unique in the form"]);
    if (name !== undefined) seen.add(name);
    for (const [constraint, wrong] of broken) {
      faults.push(
        fault(
          name,
          constraint,
          `"${constraint}" of ${name === undefined ? `entry ${index + 1}` : "the field"} ${wrong}.`,
        ),
      );
    }
    const { pattern } = reading.field.constraints;
    if (pattern !== undefined) program += programSize(pattern);
  }
  if (program > MAX_FORM_PROGRAM) {
    faults.push(
      fault(
        undefined,
        "pattern",
        `The form's patterns need more than ${MAX_FORM_PROGRAM} RE2 instructions together.`,
      ),
    );
  }
  return faults;
}

const fault = (field: string | undefined, constraint: string, message: string): FieldIssue => ({
  ...(field !== undefined && { field }),
  code: "invalid_definition",
  message,
  constraint,
});

type Broken = [constraint: string, wrong: string];

const memberFaults = (definition: Record<string, unknown>): Broken[] =>
  members.flatMap(([name, allowed, wrong]): Broken[] =>
    allowed.allows(Object.hasOwn(definition, name) ? definition[name] : undefined) ? [] : [[name, wrong]],
  );

function constraintFaults(reading: ParsedField): Broken[] {
  const broken = reading.broken.map(({ constraint, wrong }): Broken => [constraint, wrong]);
  broken.push(...rangeFaults(reading));
  // A default is judged by rules that hold; while one of them is broken its verdict would only add noise.
  if (broken.length === 0 && !acceptsDefault(reading.field))
    broken.push(["default", "must be a value that the field accepts"]);
  return broken;
}

function rangeFaults({ field: { constraints }, type, ownerSet }: ParsedField): Broken[] {
  const key = (type?.key ?? Number) as (value: unknown) => number;
  const broken = ranges.flatMap(([low, high]): Broken[] => {
    const [least, most] = [constraints[low], constraints[high]];
    if (least === undefined || most === undefined || key(least) <= key(most)) return [];
    return [
      [ownerSet.has(low) ? low : high, `must leave room: ${low} (${least}) is above ${high} (${most})`],
    ];
  });
  const { minItems, options, allowOther } = constraints;
  if (minItems !== undefined && options !== undefined && allowOther !== true && minItems > options.length) {
    broken.push(["minItems", `must not ask for more items than there are options (${options.length})`]);
  }
  return broken;
}

/** An unticked consent is a proper default: only its answer must be true. */
function acceptsDefault({ id, definition }: Field): boolean {
  if (!Object.hasOwn(definition, "default")) return true;
  return (
    compile({ fields: [{ ...definition, required: false }] }).checkField(id, definition.default).length === 0
  );
}
