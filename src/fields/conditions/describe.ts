/** Describes a condition in English: "country is Germany and total is 100 or more". */
import type { Expression, Literal } from "./expression.ts";

export interface Names {
  field: (id: string) => string;
  option: (id: string, value: Literal) => string;
}

const relations: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  "==": ["is", "is not"],
  "!=": ["is not", "is"],
  "<": ["is less than", "is not less than"],
  "<=": ["is at most", "is not at most"],
  ">": ["is more than", "is not more than"],
  ">=": ["is at least", "is not at least"],
  startsWith: ["begins with", "does not begin with"],
  endsWith: ["ends with", "does not end with"],
  contains: ["contains", "does not contain"],
};

/** @returns undefined for a condition that is clearer as its source */
export function describe(expression: Expression, names: Names): string | undefined {
  const { op, args } = expression;
  const [a] = args as [Expression];
  if (op === "!")
    return isField(a) ? `${nameOf(a, names)} is no` : a.op === "!" ? undefined : relation(a, names, 1);
  if (isField(expression)) return `${nameOf(expression, names)} is yes`;
  if (op !== "&&" && op !== "||") return relation(expression, names, 0);
  const parts = args.map((each) => {
    const text = describe(each, names);
    return text !== undefined && (each.op === "&&" || each.op === "||") ? `(${text})` : text;
  });
  if (parts.includes(undefined)) return undefined;
  return parts.join(op === "&&" ? " and " : " or ");
}

const isField = ({ op, args }: Expression) => op === "." && args[0]?.op === "data";
const isLiteral = ({ op }: Expression) => op === "value" || op === "int";
const nameOf = ({ value }: Expression, names: Names) => names.field(String(value));

/** A field and a literal with one of the relations, or the presence of a value. */
function relation({ op, args }: Expression, names: Names, form: 0 | 1): string | undefined {
  const [a, b] = args as [Expression, Expression];
  const has = ["has a value", "has no value"][form];
  if (op === "has") return isField(a) ? `${nameOf(a, names)} ${has}` : undefined;
  if (op === "in") {
    if (b.op === "data") return `${names.field(String(a.value))} ${has}`;
    const option = ({ value }: Expression, of: Expression) =>
      names.option(String(of.value), value as Literal);
    if (b.op === "list" && isField(a))
      return `${nameOf(a, names)} ${form ? "is none of" : "is one of"} ${b.args.map((each) => option(each, a)).join(", ")}`;
    if (isField(b) && isLiteral(a))
      return `${nameOf(b, names)} ${form ? "does not include" : "includes"} ${option(a, b)}`;
    return undefined;
  }
  const words = relations[op]?.[form];
  if (words === undefined || !isField(a) || !b || !isLiteral(b)) return undefined;
  return `${nameOf(a, names)} ${words} ${names.option(String(a.value), b.value as Literal)}`;
}
