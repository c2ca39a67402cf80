/**
 * JSON Schemas for the tools of models: only the keywords that the APIs of models and MCP's clients share
 * (docs/agents/tool-schemas.md). Requirements that these cannot express become sentences of the description.
 */
import type { JsonSchema } from "./constraints.ts";
import { isRecord } from "./values.ts";

/** The JSON types, each with the keywords that are copied. */
const bounds: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength"],
  integer: ["minimum", "maximum"],
  number: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems"],
  object: [],
};

/** The bound of PostgreSQL's integers. It tells a model nothing. */
const maxInteger: unknown = 2 ** 31 - 1;

const formats: Readonly<Record<string, string>> = {
  "date-time": "RFC 3339, with offset.",
  uri: "A URL.",
};

/** Sentences for keywords that are neither copied nor written anew. */
const sentences: Readonly<Record<string, (value: never) => string | undefined>> = {
  format: (name: string) => formats[name],
  pattern: (source: string) => `Matches ${source}`,
  multipleOf: (step: number) => `A multiple of ${step}.`,
  exclusiveMinimum: (bound: number) => `More than ${bound}.`,
  exclusiveMaximum: (bound: number) => `Less than ${bound}.`,
  uniqueItems: (isUnique: boolean) => (isUnique ? "Each at most once." : undefined),
  default: (value: unknown) => `Default: ${JSON.stringify(value)}.`,
};

/** Checks for a keyword that tells a model something: the default of the first page is its minimum. */
const isTold = (name: string, schema: JsonSchema): boolean =>
  name in schema && !(name === "default" && schema.default === schema.minimum);

type Find = (reference: string) => JsonSchema;

const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? value : []);
const schemaIn = (value: unknown): JsonSchema => (isRecord(value) ? value : {});
const membersOf = ({ properties }: JsonSchema) => schemaIn(properties) as Record<string, JsonSchema>;
const choicesIn = (schema: JsonSchema): unknown[] | undefined =>
  schema.const !== undefined ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;

/** The JSON type; of several the first one, and text if there is none. */
function typeOf(schema: JsonSchema): string {
  const choice = choicesIn(schema)?.find((each) => each !== null);
  const implied = schema.properties ? "object" : schema.items ? "array" : typeof choice;
  return [schema.type, implied, "string"]
    .flat()
    .find((each) => Object.hasOwn(bounds, String(each))) as string;
}

/** Two schemas as one. @param isUnion true: alternatives, so that only what both require is required */
function merged(a: JsonSchema, b: JsonSchema, isUnion: boolean): JsonSchema {
  const [first, second] = [listOf<string>(a.required), listOf<string>(b.required)];
  const [theirs, own] = [membersOf(a), membersOf(b)];
  const choices = new Set([...(choicesIn(a) ?? []), ...(choicesIn(b) ?? [])]);
  const properties = { ...theirs, ...own };
  for (const name of Object.keys(theirs))
    if (Object.hasOwn(own, name)) properties[name] = merged(theirs[name] ?? {}, own[name] ?? {}, isUnion);
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(choices.size > 0 && { const: undefined, enum: [...choices] }),
    required: isUnion ? first.filter((name) => second.includes(name)) : [...first, ...second],
  };
}

/** Says what each of several objects requires, if a member with one value tells them apart. */
function requirements(alternatives: readonly JsonSchema[]): string | undefined {
  const isTag = (schema: JsonSchema | undefined) => schema && choicesIn(schema)?.length === 1;
  const tag = Object.entries(membersOf(alternatives[0] ?? {})).find(([, each]) => isTag(each))?.[0];
  if (tag === undefined) return undefined;
  const needs = alternatives.map((each) => {
    const others = listOf<string>(each.required).filter((name) => name !== tag);
    return `${choicesIn(membersOf(each)[tag] ?? {})} (${others.join(", ") || "nothing else"})`;
  });
  return `Required by \`${tag}\`: ${needs.join(", ")}.`;
}

/** A schema without references and combinations. Of alternatives that cannot be one, the first counts. */
function flat(schema: JsonSchema, find: Find): JsonSchema {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const parts = [...(typeof $ref === "string" ? [find($ref)] : []), ...listOf<JsonSchema>(allOf)];
  const alternatives = [...listOf<JsonSchema>(anyOf), ...listOf<JsonSchema>(oneOf)]
    .map((each) => flat(each, find))
    .filter(({ type }) => type !== "null");
  const isUnion =
    alternatives.every((each) => typeOf(each) === "object") || alternatives.every((each) => choicesIn(each));
  const union = alternatives.slice(0, isUnion ? undefined : 1);
  const whole = [...parts.map((each) => flat(each, find)), own].reduce(
    (before, next) => merged(before, next, false),
    union.reduce((before, next) => merged(before, next, true), union[0] ?? {}),
  );
  const description = [whole.description, isUnion && requirements(alternatives)].filter(Boolean).join(" ");
  return { ...whole, ...(description && { description }) };
}

/** Writes a schema plainly. @param find returns the schema of a reference */
export function plainSchema(schema: JsonSchema, find: Find = () => ({})): JsonSchema {
  const whole = flat(schema, find);
  const type = typeOf(whole);
  const choices = choicesIn(whole)?.filter((each) => each !== null) ?? [];
  const isEnum = type === "string" && choices.length > 0;
  const listed = choices.map((each) => JSON.stringify(each)).join(", ");
  const copied = bounds[type]?.filter((name) => ![undefined, maxInteger].includes(whole[name])) ?? [];
  const said = [
    whole.description,
    !isEnum && listed && `One of ${listed}.`,
    ...Object.entries(sentences).map(([name, say]) => isTold(name, whole) && say(whole[name] as never)),
  ].filter((text) => typeof text === "string" && text !== "");
  return {
    type,
    ...(said.length > 0 && { description: said.join(" ") }),
    ...(isEnum && { enum: [...new Set(choices)].filter((each) => typeof each === "string") }),
    ...Object.fromEntries(copied.map((name) => [name, whole[name]])),
    ...(type === "object" && plainMembers(whole, find)),
    ...(type === "array" && { items: plainSchema(schemaIn(whole.items), find) }),
  };
}

/** Stands for members whose names are not known: Gemini refuses an object that has none. */
const anyMember = { any_name: { description: "Any name." } };

function plainMembers(schema: JsonSchema, find: Find): JsonSchema {
  const own = membersOf(schema);
  const members = Object.entries(Object.keys(own).length > 0 ? own : anyMember);
  const required = [...new Set(listOf<string>(schema.required))].filter((name) => Object.hasOwn(own, name));
  return {
    properties: Object.fromEntries(members.map(([name, each]) => [name, plainSchema(each, find)])),
    ...(required.length > 0 && { required }),
  };
}
