/** The native field types: names and aliases, the JSON value each takes, its constraints and their checks. */
import {
  type Address,
  addressChecks,
  boundChecks,
  type Check,
  check,
  domainCheck,
  type IssueFactory,
  itemChecks,
  type Matrix,
  matrixChecks,
  optionCheck,
  textChecks,
} from "./checks.ts";
import type { ConstraintCheck, Constraints, Scalar } from "./constraints.ts";
import * as shape from "./constraints.ts";
import { dayKey, instantKey, isEmail, isHttpUrl, isPhone, timeKey } from "./formats.ts";
import {
  asAddress,
  asBoolean,
  asChoice,
  asChoices,
  asInteger,
  asMatrix,
  asNothing,
  asNumber,
  asScalar,
  asText,
  type JsonType,
} from "./json.ts";
import { MAX_TEXT } from "./pattern.ts";

export interface FieldType<V = unknown> extends JsonType {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly constraints: Readonly<Record<string, ConstraintCheck>>;
  /** Constraints without which nothing can be answered. */
  readonly needs?: readonly (keyof Constraints)[];
  readonly defaults?: Constraints;
  /** Orders `minimum` and `maximum`. */
  readonly key?: (value: never) => number | undefined;
  readonly checks: (constraints: Constraints, blame: IssueFactory, required: boolean) => Check<V>[];
  /** May a challenge ask for it? True: its notation or options refuse values; "constrained": only what the owner adds does. */
  readonly checkable: boolean | "constrained";
  /** Is an answer whose parts are all empty as good as none? */
  readonly composite?: true;
}

const lengths = { minLength: shape.count, maxLength: shape.count, pattern: shape.pattern };
const numeric = { minimum: shape.bound, maximum: shape.bound, multipleOf: shape.step };
const identity = (value: number): number => value;

/** A type of text whose notation is judged before its owner's constraints. */
const formatCheck = (
  holds: (text: string) => boolean,
  blame: IssueFactory,
  message: string,
  expected: string,
): Check<string> => check(holds, blame("format", message, "format", expected));

const calendar = (
  name: string,
  bound: ConstraintCheck,
  key: (text: string) => number | undefined,
  words: string,
): FieldType<string> => ({
  ...asText,
  name,
  aliases: [],
  constraints: { minimum: bound, maximum: bound },
  key,
  checkable: true,
  checks: (limits, blame) => [
    formatCheck((text) => key(text) !== undefined, blame, `Must be ${words}.`, words),
    ...boundChecks(limits, blame, key),
  ],
});

const rating: FieldType<number> = {
  ...asInteger,
  name: "rating",
  aliases: ["scale"],
  constraints: { minimum: shape.bound, maximum: shape.bound },
  defaults: { minimum: 1, maximum: 5 },
  key: identity,
  checkable: true,
  checks: (limits, blame) => boundChecks(limits, blame, identity),
};

/** A type of text with a notation of its own, which comes before its owner's constraints. */
const formattedText = (
  name: string,
  aliases: string[],
  more: Record<string, ConstraintCheck>,
  checks: FieldType<string>["checks"],
): FieldType<string> => ({
  ...asText,
  name,
  aliases,
  constraints: { ...lengths, ...more },
  checkable: true,
  checks: (limits, blame, required) => [...checks(limits, blame, required), ...textChecks(limits, blame)],
});

const text: FieldType<string> = {
  ...asText,
  name: "text",
  aliases: ["string", "short_text", "textfield"],
  constraints: lengths,
  checkable: "constrained",
  checks: textChecks,
};

const number: FieldType<number> = {
  ...asNumber,
  name: "number",
  aliases: [],
  constraints: numeric,
  key: identity,
  checkable: "constrained",
  checks: (limits, blame) => boundChecks(limits, blame, identity),
};

const yesNo: FieldType<boolean> = {
  ...asBoolean,
  name: "boolean",
  aliases: ["checkbox", "yes_no", "toggle"],
  constraints: {},
  checkable: false,
  checks: () => [],
};

const fieldTypes = [
  text,
  { ...text, name: "textarea", aliases: ["long_text", "paragraph"], defaults: { maxLength: MAX_TEXT } },
  formattedText("email", [], { allowedDomains: shape.domains }, (limits, blame) => [
    formatCheck(isEmail, blame, "Must be an e-mail address.", "an e-mail address, such as ada@example.com"),
    ...domainCheck(limits, blame),
  ]),
  formattedText("phone", ["tel", "phone_number"], { country: shape.country }, ({ country }, blame) => {
    const national = country === undefined ? "" : `, or a national number of ${country}`;
    const expected = `an international number, such as +12133734253${national}`;
    const message = `Must be a phone number without letters or extension: ${expected}.`;
    return [formatCheck((value) => isPhone(value, country), blame, message, expected)];
  }),
  formattedText("url", ["uri", "website"], {}, (_limits, blame) => [
    formatCheck(
      isHttpUrl,
      blame,
      "Must be an absolute http or https URL.",
      "a URL, such as https://example.com/page",
    ),
  ]),
  number,
  { ...number, ...asInteger, name: "integer" },
  yesNo,
  {
    ...yesNo,
    name: "consent",
    aliases: ["legal", "terms"],
    checks: (_limits, blame, required) =>
      required
        ? [check((agreed) => agreed, blame("not_accepted", "Must be accepted.", "required", true))]
        : [],
  } satisfies FieldType<boolean>,
  {
    name: "select",
    aliases: ["dropdown", "radio", "single_choice"],
    ...asChoice,
    constraints: { options: shape.choices, allowOther: shape.flag },
    needs: ["options"],
    checkable: true,
    checks: optionCheck,
  } satisfies FieldType<Scalar>,
  {
    ...asChoices,
    name: "multi_select",
    aliases: ["checkboxes", "multiple_choice", "tags"],
    constraints: {
      options: shape.choices,
      allowOther: shape.flag,
      minItems: shape.count,
      maxItems: shape.count,
    },
    needs: ["options"],
    checkable: true,
    checks: itemChecks,
  } satisfies FieldType<Scalar[]>,
  {
    ...asChoices,
    name: "ranking",
    aliases: [],
    constraints: {
      options: shape.choices,
      minItems: shape.count,
      maxItems: shape.count,
      rankAll: shape.flag,
    },
    needs: ["options"],
    checkable: true,
    checks: itemChecks,
  } satisfies FieldType<Scalar[]>,
  calendar("date", shape.day, dayKey, "a real day, YYYY-MM-DD"),
  calendar("time", shape.time, timeKey, "a time of day, HH:mm or HH:mm:ss"),
  calendar(
    "datetime",
    shape.instant,
    instantKey,
    "an RFC 3339 date-time with offset, such as 2026-11-20T09:00:00Z",
  ),
  rating,
  { ...rating, aliases: ["nps"], defaults: { minimum: 0, maximum: 10 } },
  {
    name: "address",
    aliases: [],
    ...asAddress,
    constraints: { requiredParts: shape.parts },
    checkable: true,
    composite: true,
    checks: addressChecks,
  } satisfies FieldType<Address>,
  {
    name: "matrix",
    aliases: [],
    ...asMatrix,
    constraints: { rows: shape.matrixEntries, columns: shape.matrixEntries, allRows: shape.flag },
    needs: ["rows", "columns"],
    checkable: true,
    composite: true,
    checks: matrixChecks,
  } satisfies FieldType<Matrix>,
  {
    name: "hidden",
    aliases: [],
    ...asScalar,
    constraints: lengths,
    checkable: "constrained",
    checks: (limits, blame) =>
      textChecks(limits, blame).map(
        (check) => (value) => (typeof value === "string" ? check(value) : undefined),
      ),
  } satisfies FieldType<Scalar>,
  {
    name: "statement",
    aliases: ["heading", "divider", "page_break"],
    ...asNothing,
    constraints: {},
    checkable: false,
    checks: () => [],
  } satisfies FieldType<never>,
];

const byName = new Map<string, FieldType>();
for (const entry of fieldTypes) {
  // A value reaches `checks` only with the JSON type that `guard` has let through.
  for (const name of [entry.name, ...entry.aliases]) {
    if (!byName.has(name)) byName.set(name, entry as FieldType<never> as FieldType);
  }
}

/** The type of that name or alias, case-sensitive; undefined for an unknown one, which accepts any JSON value. */
export const fieldType = (name: unknown): FieldType | undefined =>
  typeof name === "string" ? byName.get(name) : undefined;
