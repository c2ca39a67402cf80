/** Finds the invalid definitions of a form. Such a form cannot be published. */
import { type } from "arktype";
import { limits } from "../limits.ts";
import { sentenceIn, type ValuesOf } from "../messages.ts";
import {
  type Clause,
  clause,
  clauses,
  type Fault,
  type FormFaultKey,
  formFaults,
  withPeriod,
} from "./clauses.ts";
import { compile } from "./compile.ts";
import { logicMembers, maxFormNodes, parseLogic } from "./conditions/logic.ts";
import { nonBlank, type Shape } from "./constraints.ts";
import { type Field, type Invalid, isRecord, parseField, parseFields } from "./definition.ts";
import type { FieldIssue } from "./field-type.ts";
import { nearest } from "./nearest.ts";
import { optionLimitsOf } from "./option-limits.ts";
import { maxFormProgramSize, programSize } from "./pattern.ts";
import { fieldTypes, isCustomType, typeNames } from "./types.ts";
import { fieldMembers, unknownNames } from "./unknown-names.ts";
import { isBlankText } from "./values.ts";

const { maxFieldIdLength } = limits.form;
const text = type("string | null | undefined");

/** The members of every definition, whatever its type (specification, "Form": `schema`). */
const members: [name: string, allowed: Shape, wrong: Clause][] = [
  [
    "id",
    type("string").atLeastLength(1).atMostLength(maxFieldIdLength),
    clause("id", { max: maxFieldIdLength }),
  ],
  ["type", nonBlank, clause("type")],
  ["label", nonBlank, clause("not_blank")],
  ["required", type("boolean | null | undefined"), clause("true_or_false")],
  ["prefill", type("boolean | null | undefined"), clause("true_or_false")],
  ["sensitive", type("boolean | null | undefined"), clause("true_or_false")],
  ["description", text, clause("text")],
  ["placeholder", text, clause("text")],
  ["help", text, clause("text")],
  [
    "validation",
    type("object | null | undefined").narrow((value) => !Array.isArray(value)),
    clause("object"),
  ],
];

const ranges = [
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minimum", "maximum"],
] as const;

/** An issue of a definition, with its place in the form. */
export interface DefinitionIssue extends FieldIssue {
  /** Path such as `schema.fields[3].options[0].lable`, with positions from 0. */
  path: string;
  /** The known name that is meant. */
  nearest?: string;
}

interface Schema {
  fields: readonly unknown[];
}

/**
 * Lists the issues of the definitions, in schema order. Empty: the form may be published.
 * @returns `field` (absent without a usable id), `constraint` (the invalid member), code `invalid_definition`
 */
export function lint(schema: Schema): DefinitionIssue[] {
  const issues: DefinitionIssue[] = [];
  const seen = new Set<string>();
  let programs = 0;
  const fields = parseFields(schema);
  const logic = parseLogic(fields);
  for (const [index, definition] of schema.fields.entries()) {
    if (!isRecord(definition)) {
      issues.push(ofForm("fields", "not_an_object", { entry: index + 1 }));
      continue;
    }
    const name = idOf(definition);
    const parsed = parseField(definition);
    const invalid = [
      ...invalidMembers(definition),
      ...unknownType(parsed),
      ...unknownNames(definition)
        .filter(({ isAccepted }) => !isAccepted)
        .map(({ constraint, wrong }): Invalid => [constraint, wrong]),
      ...invalidConstraints(parsed),
      ...(name !== undefined && !seen.has(name) ? (logic.invalid.get(name) ?? []) : []),
    ];
    if (name !== undefined && seen.has(name)) invalid.push(["id", clause("repeated_id")]);
    if (name !== undefined) seen.add(name);
    for (const each of invalid) issues.push(ofField(definition, index, each));
    const { pattern } = parsed.constraints;
    if (pattern !== undefined) programs += programSize(pattern);
  }
  if (programs > maxFormProgramSize)
    issues.push(ofForm("pattern", "patterns_too_large", { max: maxFormProgramSize }));
  const { maxOptions } = limits.optionLimit;
  if (optionLimitsOf(fields).length > maxOptions)
    issues.push(ofForm("options", "too_many_limits", { max: maxOptions }));
  if (logic.isTooLarge) issues.push(ofForm("showIf", "conditions_too_large", { max: maxFormNodes }));
  return issues;
}

/**
 * Lists the names that have no effect, in schema order: those that publishing refuses, and rules that another
 * type has. It costs less than {@link lint}, which has the first ones too.
 * @param max of the issues
 */
export function lintNames({ fields }: Schema, max: number): DefinitionIssue[] {
  const issues: DefinitionIssue[] = [];
  for (const [index, definition] of fields.entries()) {
    if (issues.length >= max) break;
    if (!isRecord(definition)) continue;
    for (const { constraint, wrong } of unknownNames(definition))
      issues.push(ofField(definition, index, [constraint, wrong]));
  }
  return issues.slice(0, max);
}

const idOf = ({ id }: Record<string, unknown>) => (typeof id === "string" && id !== "" ? id : undefined);

function ofField(definition: Record<string, unknown>, index: number, [constraint, wrong]: Invalid) {
  const name = idOf(definition);
  const subject = name === undefined ? `entry ${index + 1}` : "the field";
  const { near, fault } = (wrong.values ?? {}) as { near?: string; fault?: Fault };
  const meant = near ?? (fault?.values as { near?: string } | undefined)?.near;
  return {
    ...issue(name, constraint, withPeriod(`"${constraint}" of ${subject} ${sentenceIn(clauses, wrong)}`)),
    clause: wrong,
    ...(name === undefined && { entry: index + 1 }),
    path: `schema.fields[${index}]${placeOf(definition, constraint, wrong)}`,
    ...(meant !== undefined && { nearest: meant }),
  };
}

/** Path in a definition. A rule in `validation` outranks the one beside it. */
function placeOf({ validation }: Record<string, unknown>, constraint: string, { key, values }: Clause) {
  const { entry, name, at = [] } = (values ?? {}) as { entry?: number; name?: string; at?: string[] };
  const isMember = fieldMembers.includes(constraint) && key !== "misplaced_rule";
  return [
    !isMember && isRecord(validation) && Object.hasOwn(validation, constraint) ? ".validation" : "",
    pathStep(constraint),
    entry === undefined ? "" : `[${entry - 1}]`,
    key === "unknown_entry_member" ? pathStep(name ?? "") : "",
    ...at.map(pathStep),
  ].join("");
}

/** A name in a path: in brackets and quotation marks if it could be read otherwise. */
export const pathStep = (name: string): string =>
  /^[\w-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;

const issue = (field: string | undefined, constraint: string, message: string): FieldIssue => ({
  ...(field !== undefined && { field }),
  code: "invalid_definition",
  message,
  constraint,
});

/** Returns an issue of the form as a whole. */
function ofForm<Key extends FormFaultKey>(
  constraint: string,
  key: Key,
  ...[values]: ValuesOf<(typeof formFaults)[Key]>
): DefinitionIssue {
  const said = { key, values };
  return { ...issue(undefined, constraint, sentenceIn(formFaults, said)), said, path: "schema.fields" };
}

const invalidMembers = (definition: Record<string, unknown>): Invalid[] =>
  members.flatMap(([name, allowed, wrong]): Invalid[] =>
    allowed.allows(Object.hasOwn(definition, name) ? definition[name] : undefined) ? [] : [[name, wrong]],
  );

/** A type outside the table would check nothing. This is intended for a custom one, `x-…`. */
function unknownType({ kind, type }: Field): Invalid[] {
  if (kind !== undefined || isBlankText(type) || isCustomType(type)) return [];
  const known = Object.keys(fieldTypes);
  return [
    ["type", clause("unknown_type", { type: type.slice(0, 64), near: nearest(type, typeNames), known })],
  ];
}

function invalidConstraints(field: Field): Invalid[] {
  const invalid = [...field.invalid, ...invalidRanges(field)];
  // The constraints validate the default. With an invalid constraint the result has no meaning.
  if (invalid.length === 0 && !acceptsDefault(field)) invalid.push(["default", clause("default_refused")]);
  return invalid;
}

function invalidRanges({ constraints, fieldType, ownerSet }: Field): Invalid[] {
  const orderOf = (fieldType.orderOf ?? Number) as (value: unknown) => number;
  const invalid = ranges.flatMap(([low, high]): Invalid[] => {
    const [least, most] = [constraints[low], constraints[high]];
    if (least === undefined || most === undefined || orderOf(least) <= orderOf(most)) return [];
    return [[ownerSet.has(low) ? low : high, clause("empty_range", { low, least, high, most })]];
  });
  const { minItems, options, allowOther } = constraints;
  if (minItems !== undefined && options !== undefined && allowOther !== true && minItems > options.length)
    invalid.push(["minItems", clause("too_few_options", { count: options.length })]);
  return invalid;
}

/** False is a valid default of a required consent; only the respondent's value must be true. */
function acceptsDefault({ id, definition }: Field): boolean {
  if (!Object.hasOwn(definition, "default")) return true;
  const alone = Object.fromEntries(logicMembers.map((name) => [name, null]));
  const form = compile({ fields: [{ ...definition, ...alone, required: false }] });
  return form.validateField(id, definition.default).length === 0;
}
