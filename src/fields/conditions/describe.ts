/** Describes a condition, as in "country is Germany and total is 100 or more". */
import type { Expression, Literal } from "./expression.ts";

export interface Names {
  field: (id: string) => string;
  option: (id: string, value: Literal) => string;
}

type Pair = readonly [yes: string, no: string];

/** Words of a language for conditions. */
export interface ConditionWords {
  /** Words for a field and a literal, by operator. */
  relations: Readonly<
    Record<"==" | "!=" | "<" | "<=" | ">" | ">=" | "startsWith" | "endsWith" | "contains", Pair>
  >;
  isTrue: Pair;
  hasValue: Pair;
  isOneOf: Pair;
  includes: Pair;
  and: string;
  or: string;
}

export const englishConditions: ConditionWords = {
  relations: {
    "==": ["is", "is not"],
    "!=": ["is not", "is"],
    "<": ["is less than", "is not less than"],
    "<=": ["is at most", "is not at most"],
    ">": ["is more than", "is not more than"],
    ">=": ["is at least", "is not at least"],
    startsWith: ["begins with", "does not begin with"],
    endsWith: ["ends with", "does not end with"],
    contains: ["contains", "does not contain"],
  },
  isTrue: ["is yes", "is no"],
  hasValue: ["has a value", "has no value"],
  isOneOf: ["is one of", "is none of"],
  includes: ["includes", "does not include"],
  and: " and ",
  or: " or ",
};

/** @returns undefined for a condition that is clearer as its source */
export function describe(
  expression: Expression,
  names: Names,
  words: ConditionWords = englishConditions,
): string | undefined {
  const { op, args } = expression;
  const [a] = args as [Expression];
  if (op === "!")
    return isField(a)
      ? `${nameOf(a, names)} ${words.isTrue[1]}`
      : a.op === "!"
        ? undefined
        : relation(a, names, words, 1);
  if (isField(expression)) return `${nameOf(expression, names)} ${words.isTrue[0]}`;
  if (op !== "&&" && op !== "||") return relation(expression, names, words, 0);
  const parts = args.map((each) => {
    const text = describe(each, names, words);
    return text !== undefined && (each.op === "&&" || each.op === "||") ? `(${text})` : text;
  });
  if (parts.includes(undefined)) return undefined;
  return parts.join(op === "&&" ? words.and : words.or);
}

const isField = ({ op, args }: Expression) => op === "." && args[0]?.op === "data";
const isLiteral = ({ op }: Expression) => op === "value" || op === "int";
const nameOf = ({ value }: Expression, names: Names) => names.field(String(value));

/** A field and a literal with one of the relations, or the presence of a value. */
function relation(
  { op, args }: Expression,
  names: Names,
  words: ConditionWords,
  form: 0 | 1,
): string | undefined {
  const [a, b] = args as [Expression, Expression];
  const has = words.hasValue[form];
  if (op === "has") return isField(a) ? `${nameOf(a, names)} ${has}` : undefined;
  if (op === "in") {
    if (b.op === "data") return `${names.field(String(a.value))} ${has}`;
    const option = ({ value }: Expression, of: Expression) =>
      names.option(String(of.value), value as Literal);
    if (b.op === "list" && isField(a))
      return `${nameOf(a, names)} ${words.isOneOf[form]} ${b.args.map((each) => option(each, a)).join(", ")}`;
    if (isField(b) && isLiteral(a)) return `${nameOf(b, names)} ${words.includes[form]} ${option(a, b)}`;
    return undefined;
  }
  const relations: Readonly<Record<string, Pair>> = words.relations;
  const said = relations[op]?.[form];
  if (said === undefined || !isField(a) || !b || !isLiteral(b)) return undefined;
  return `${nameOf(a, names)} ${said} ${names.option(String(a.value), b.value as Literal)}`;
}
