import { type } from "arktype";
import { clause } from "../clauses.ts";
import { textConstraint } from "../constraints.ts";
import { controlName, momentParts } from "../control-values.ts";
import { boundChecks, type FieldType, type JsonSchema, jsonType, looser, valueCheck } from "../field-type.ts";
import { dayKey, instantKey, plainInstant, timeKey } from "../formats.ts";
import { boundsHint, scalarsAs } from "../presentation.ts";
import { localOf, repeatedOffset } from "../time-zones.ts";

/**
 * @param words the member of {@link HintWords}
 * @param sample a value
 * @param requirement what `schema` cannot express, besides the bounds: JSON Schema has no order of days
 */
function calendarType(
  words: "date" | "time" | "datetime",
  description: string,
  sample: string,
  orderOf: (text: string) => number | undefined,
  schema: JsonSchema,
  requirement?: string,
): FieldType<string> {
  const isValid = (text: string) => orderOf(text) !== undefined;
  const bound = textConstraint(
    isValid,
    clause("day_or_time", { kind: words, expected: description }),
    schema,
  );
  return {
    nature: "text",
    isTime: true,
    ...jsonType("text", "string", type("string")),
    aliases: [],
    meaning: `Text: ${description}.`,
    example: { field: { minimum: sample, maximum: sample }, value: sample },
    constraints: { minimum: bound, maximum: bound },
    orderOf,
    hints: ({ constraints: { minimum, maximum } }, hintWords) => [
      boundsHint(hintWords[words], minimum, maximum),
    ],
    flatSchema: () => (schema.format ? { type: "string", format: schema.format } : undefined),
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

/**
 * The date-times that two controls can show. Browsers leave out zeros at the end, and empty a control whose
 * value has the year 0000, the second 60 or a longer fraction (HTML, "Dates and times").
 */
const momentPattern =
  /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d)(?::00(?:\.0+)?|(:[0-5]\d(?:\.\d{0,2}[1-9])?)(?:\.0+)?)?(Z|[+-]\d\d:\d\d)$/;

const momentNames = (id: string) => momentParts.map((part) => controlName(id, part)) as [string, string];

export const calendarTypes = {
  date: calendarType("date", "a real day, YYYY-MM-DD", "2026-11-20", dayKey, { format: "date" }),
  time: calendarType("time", "a time of day, HH:mm or HH:mm:ss", "09:00", timeKey, {
    pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?$",
  }),
  datetime: {
    ...calendarType(
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
    names: ({ id }) => [controlName(id), ...momentNames(id)],
    toControls: ({ id }, value, { timeZone }) => {
      const given = timeZone !== undefined && typeof value === "string" ? plainInstant(value) : value;
      const parts = typeof given === "string" ? momentPattern.exec(given) : null;
      if (!parts) return scalarsAs(controlName(id), value);
      const [, minutes = "", seconds = "", offset = ""] = parts;
      const [local, zone] = momentNames(id);
      const inZone = timeZone && localOf(String(given), timeZone);
      if (!inZone)
        return [
          [local, minutes + seconds],
          [zone, offset],
        ];
      const fraction = /\.\d+/.exec(seconds)?.[0] ?? "";
      const repeated = repeatedOffset(String(given), timeZone);
      return [
        [local, (inZone + fraction).replace(/:00$/, "")],
        ...(repeated ? scalarsAs(zone, repeated) : []),
      ];
    },
  } satisfies FieldType<string>,
};
