/** Errors of the definition of a field, in the words of the API, by key. */
import type { Said, SentencesOf, ValuesOf } from "../messages.ts";

interface OfEntry {
  /** The position of a rule in the list, from 1; absent for other members. */
  entry?: number | undefined;
}

interface UnknownMember {
  near: string | undefined;
  known: readonly string[];
}

interface UnknownName extends UnknownMember {
  type: string;
}

/** A place in `translations`: the language, and the members inside. */
interface InTranslations {
  at: readonly string[];
}

/** A place in words, such as `"de.options.s"`. */
export const placeIn = (at: readonly string[]): string => JSON.stringify(at.join("."));

const oneOf = (near: string | undefined, known: readonly string[]) =>
  near === undefined ? `the known ones are ${known.join(", ")}` : `is "${near}" meant?`;

const memberOf = (near: string | undefined, known: readonly string[]) =>
  oneOf(near, known) + (near === undefined ? ', and one of your own begins with "x-"' : "");

const inEntry = ({ entry }: OfEntry, text: string) => (entry === undefined ? text : `entry ${entry} ${text}`);
const quoted = (text: unknown) => JSON.stringify(text);

type ResultType = "text" | "double" | "int" | "bool" | "list" | "map" | "dyn";

type Bound = "minLength" | "maxLength" | "minItems" | "maxItems" | "minimum" | "maximum";

const resultNames: Readonly<Record<ResultType, string | undefined>> = {
  text: "text",
  double: "number",
  int: "whole number (write it with a decimal point)",
  bool: "true or false",
  list: "list",
  map: "map",
  dyn: undefined,
};

/** Errors of fields and options in an expression: the end of a clause. */
export const faults = {
  file_field: ({ id }: { id: string }) => `the field ${quoted(id)} takes files, which cannot be read`,
  later_field: ({ id }: { id: string }) =>
    `the field ${quoted(id)} comes later, and only earlier ones can be read`,
  no_option: ({ value, id }: { value: unknown; id: string }) => `${quoted(value)} is not an option of ${id}`,
  own_field: "the field cannot read itself",
  text_field: ({ id }: { id: string }) => `the field ${quoted(id)} shows text and has no value`,
  unknown_field: ({ id, near }: { id: string; near: string | undefined }) =>
    `there is no field ${quoted(id)}${near === undefined ? "" : `: is ${quoted(near)} meant?`}`,
};

export type FaultKey = keyof typeof faults;
export type Fault = Said<FaultKey>;

/** The end of a sentence that begins with the name of a member ("must be …"). */
export const clauses = {
  address_parts: ({ parts }: { parts: readonly string[] }) =>
    `must be a list of address parts: ${parts.join(", ")}`,
  day_or_time: ({ expected }: { kind: CalendarKind; expected: string }) => `must be ${expected}`,
  default_refused: "must be a value that the field accepts",
  dial_country: "must be a country with telephone numbers, as two capital letters (ISO 3166-1)",
  domain: ({ entry }: { entry: number }) =>
    `must contain only domains, such as "example.com" or "xn--mnchen-3ya.de"; entry ${entry} is something else`,
  domains: 'must be a list of one or more domains, such as "example.com"',
  empty_range: (range: { low: Bound; least: unknown; high: Bound; most: unknown }) =>
    `leaves no acceptable value: ${range.low} (${range.least}) is greater than ${range.high} (${range.most})`,
  entries: "must be a list of at least one entry",
  entry: ({ expected, entry }: { expected: string; entry: number }) =>
    `must contain only ${expected}; entry ${entry} is something else`,
  excludes: ({ member }: { member: string }) => `excludes "${member}": the server calculates the value`,
  expression: (values: OfEntry) => inEntry(values, "must be text: an expression"),
  greater_than_zero: "must be a number greater than 0",
  id: ({ max }: { max: number }) => `must be text of 1 to ${max} characters`,
  invalid_expression: ({
    character,
    message,
    hint,
    ...values
  }: OfEntry & { character: number; message: string; hint: string; fault: Fault | undefined }) =>
    inEntry(values, `is invalid at character ${character}: ${message}${hint}`),
  later_release: "is not supported by this release of formd",
  media_types: "must be a list of media types such as application/pdf or image/*",
  misplaced_rule: 'belongs beside "validation", not into it',
  needed: ({ type }: { type: string | undefined }) => `is required for the type "${type}"`,
  no_re2: ({ cause }: { cause: string }) =>
    `is not an RE2 expression (which has no look-around and no back-references): ${cause}`,
  no_value: "belongs to a field with a value, and this one only shows text",
  not_blank: "must be text that is not blank",
  number: "must be a number",
  object: "must be an object of constraints",
  option_limit: ({ expected, entry }: { expected: string; entry: number }) =>
    `must contain only ${expected}; entry ${entry} is something else`,
  pattern_too_long: ({ max }: { max: number }) => `must have at most ${max} characters`,
  repeated: ({ entry }: { entry: number }) =>
    `must have different values; entry ${entry} repeats an earlier one`,
  repeated_id: "must be unique in the form",
  repeats_too_much: ({ max }: { max: number }) =>
    `repeats too much: it needs more than ${max} RE2 instructions`,
  rule: (values: OfEntry) => inEntry(values, "must be { rule, message }"),
  rule_message: ({ max, ...values }: OfEntry & { max: number }) =>
    inEntry(values, `must have a message of 1 to ${max} characters`),
  rules: ({ max }: { max: number }) => `must be a list of at most ${max} rules`,
  text: "must be text",
  text_up_to: ({ max }: { max: number }) => `must be text of at most ${max} characters`,
  too_few_options: ({ count }: { count: number }) => `must not exceed the number of options (${count})`,
  translation_list: ({ at }: InTranslations) => `needs a list of texts at ${placeIn(at)}`,
  translation_long: ({ at, max }: InTranslations & { max: number }) =>
    `may have at most ${max} characters at ${placeIn(at)}`,
  translation_messages: ({ at, max }: InTranslations & { max: number }) =>
    `has more texts at ${placeIn(at)} than the field has rules (${max})`,
  translation_object: ({ at }: InTranslations) => `needs an object of texts at ${placeIn(at)}`,
  translation_text: ({ at }: InTranslations) => `needs text at ${placeIn(at)}`,
  translation_unknown: ({ at, near, known }: InTranslations & UnknownMember) =>
    `has ${placeIn(at)}, which is unknown: ${known.length === 0 ? "the field has no such list" : (at.length > 2 ? oneOf : memberOf)(near, known)}`,
  translations: "must be an object of languages, each with its texts",
  true_or_false: "must be true or false",
  type: "must name the field's type",
  unknown_list: ({
    name,
    near,
    known,
  }: {
    name: string;
    near: string | undefined;
    known: readonly string[];
  }) =>
    `is ${quoted(name)}, and no list has this name: ${near ? `is "${near}" meant?` : `the lists are ${known.join(", ")}`}`,
  unknown_entry_member: ({ entry, name, near, known }: UnknownMember & { entry: number; name: string }) =>
    `has ${quoted(name)} in entry ${entry}, which is unknown: ${memberOf(near, known)}`,
  unknown_member: ({ near, known }: UnknownMember) => `is unknown: ${memberOf(near, known)}`,
  unknown_rule: ({ type, near, known }: UnknownName) =>
    `is not a rule of the type "${type}": ${near ? `is "${near}" meant?` : known.length > 0 ? `it has ${known.join(", ")}` : "it has no rules"}`,
  unknown_type: ({ type, near, known }: UnknownName) =>
    `is ${quoted(type)}, which is unknown: ${near ? `is "${near}" meant?` : `the types are ${known.join(", ")}`}`,
  whole_number: ({ least }: { least: number }) => `must be a whole number, ${least} or more`,
  whole_number_up_to: ({ max }: { max: number }) => `must be a whole number from 1 to ${max}`,
  wrong_result: ({
    character,
    needed,
    result,
    ...values
  }: OfEntry & { character: number; needed: ResultType; result: ResultType }) =>
    inEntry(
      values,
      `is invalid at character ${character}: it must be ${needed === "bool" ? "true or false" : `a ${resultNames[needed]}`}, and its result is a ${resultNames[result]}`,
    ),
};

/** Errors of a form as a whole: sentences. */
export const formFaults = {
  conditions_too_large: ({ max }: { max: number }) =>
    `The form's conditions, calculations and rules have more than ${max} names, values and operators together.`,
  not_an_object: ({ entry }: { entry: number }) => `Entry ${entry} of "fields" must be an object.`,
  patterns_too_large: ({ max }: { max: number }) =>
    `The form's patterns need more than ${max} RE2 instructions together.`,
  too_many_limits: ({ max }: { max: number }) => `The form has more than ${max} options with a limit.`,
};

export type FormFaultKey = keyof typeof formFaults;

/** Kinds of values with an order of time. */
export type CalendarKind = "date" | "time" | "datetime";
export type ClauseKey = keyof typeof clauses;
export type Clause = Said<ClauseKey>;
type Clauses = SentencesOf<typeof clauses>;

export const clause = <Key extends ClauseKey>(key: Key, ...[values]: ValuesOf<Clauses[Key]>): Clause => ({
  key,
  ...(values !== undefined && { values }),
});

export const fault = <Key extends FaultKey>(
  key: Key,
  ...[values]: ValuesOf<(typeof faults)[Key]>
): Fault => ({ key, values });

export const withPeriod = (text: string): string => (text.endsWith("?") ? text : `${text}.`);
