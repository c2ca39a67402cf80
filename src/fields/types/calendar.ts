/** Types whose value is a day or a time. */
import { type } from "arktype";
import { type CalendarKind, clause } from "../clauses.ts";
import { textConstraint } from "../constraints.ts";
import { boundChecks, type FieldType, type JsonSchema, jsonType, looser, valueCheck } from "../field-type.ts";
import { dayKey, instantKey, timeKey } from "../formats.ts";

/**
 * @param sample a value
 * @param requirement what `schema` cannot express, besides the bounds: JSON Schema has no order of days
 */
function calendarType(
  kind: CalendarKind,
  description: string,
  sample: string,
  orderOf: (text: string) => number | undefined,
  schema: JsonSchema,
  requirement?: string,
): FieldType<string> {
  const isValid = (text: string) => orderOf(text) !== undefined;
  const bound = textConstraint(isValid, clause("day_or_time", { kind, expected: description }), schema);
  return {
    ...jsonType("text", "string", type("string")),
    aliases: [],
    meaning: `Text: ${description}.`,
    example: { field: { minimum: sample, maximum: sample }, value: sample },
    constraints: { minimum: bound, maximum: bound },
    orderOf,
    checkable: true,
    checks: (constraints, issue) => [
      valueCheck(isValid, issue("format", `Must be ${description}.`, "format", description)),
      ...boundChecks(constraints, issue, orderOf),
    ],
    jsonSchema: ({ minimum, maximum }) => ({
      type: "string",
      ...schema,
      ...looser(
        requirement,
        minimum !== undefined && `${minimum} or later`,
        maximum !== undefined && `${maximum} or earlier`,
      ),
      examples: [minimum ?? maximum ?? sample],
    }),
    hint: "a JSON string",
  };
}

export const calendarTypes = {
  date: calendarType("date", "a real day, YYYY-MM-DD", "2026-11-20", dayKey, { format: "date" }),
  time: calendarType("time", "a time of day, HH:mm or HH:mm:ss", "09:00", timeKey, {
    pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?$",
  }),
  datetime: calendarType(
    "datetime",
    "an RFC 3339 date-time with offset, such as 2026-11-20T09:00:00Z",
    "2026-11-20T09:00:00Z",
    instantKey,
    {
      format: "date-time",
      pattern: "^[^tT\\s]+[tT]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:[zZ]|[+\\-]\\d\\d:\\d\\d)$",
    },
    "leap seconds at the end of a month only",
  ),
};
